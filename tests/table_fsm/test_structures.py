"""The shipped blind structures against rows copied by hand from their sources, as printed, and what they share."""

from itertools import pairwise
from pathlib import Path

import pytest

from table_fsm.structures import Breaks, ReEntry, Structure, load_structures

SOURCES = {
    path.name: path.read_text("utf-8")
    for path in sorted((Path(__file__).parents[2] / "config" / "structures").glob("*.toml"))
}
SHIPPED = load_structures(SOURCES)
ACT = sorted(name for name in SHIPPED if name.startswith("act-2001-"))
STAR = sorted(set(SHIPPED) - set(ACT))

PRINTED = {
    # number: from-to, blinds or ante as printed
    "act-2001-manila": {1: "0-40 $25", 2: "40-80 $50", 3: "80-120 $100", 7: "240-280 $500", 8: "280-310 $1,000"},
    "act-2001-draw": {1: "0-40 $25/$25", 2: "40-80 $25/$50", 3: "80-120 $50/$100", 13: "440-470 $5,000/$10,000"},
    "act-2001-omaha": {1: "0-40 $25/$25", 4: "120-160 $100/$200", 8: "280-320 $500/$1,000", 9: "320-350 $1,000/$2,000"},
    "act-2001-stud7": {1: "0-40 ante $5", 2: "40-80 ante $10", 9: "320-360 ante $500", 14: "480-510 ante $5,000"},
    "act-2001-holdem-early-bird": {
        3: "60-90 $100/$200",
        4: "90-120 $100/$200",
        8: "210-240 $500/$1,000",
        10: "270-300 $1,500/$3,000",
        13: "360-390 $5,000/$10,000",
    },
    "act-2001-holdem-instant-satellite": {1: "0-20 $25/$50", 3: "40-60 $75/$150", 8: "140-160 $500/$1,000"},
    "act-2001-holdem-super-satellite": {2: "20-40 $50/$100", 6: "100-120 $300/$600", 13: "240-260 $5,000/$10,000"},
    "act-2001-holdem-no-limit": {
        2: "40-80 $50/$100",
        3: "80-120 $100/$200 ante $25",
        4: "120-160 $200/$400 ante $25",
        7: "240-280 $500/$1,000 ante $75",
        8: "280-310 $1,000/$2,000 ante $100",
        12: "400-430 $5,000/$10,000 ante $500",
    },
    "act-2001-holdem-limit": {
        3: "80-120 $100/$200",
        4: "120-160 $100/$200",
        10: "350-380 $1,500/$3,000",
        13: "440-470 $5,000/$10,000",
    },
}

TOTALS = {
    # levels, minutes, sum of all printed blinds and antes in dollars
    "act-2001-manila": (12, 430, 25 + 50 + 100 + 200 + 300 + 400 + 500 + 15_000),
    "act-2001-draw": (13, 470, 50 + 75 + 150 + 3 * 1_500 + 3 * 15_000),
    "act-2001-omaha": (13, 470, 50 + 75 + 150 + 3 * 1_500 + 3 * 15_000),
    "act-2001-stud7": (14, 510, 5 + 10 + 25 + 50 + 100 + 200 + 300 + 400 + 500 + 15_000),
    "act-2001-holdem-early-bird": (13, 390, 75 + 150 + 300 + 3 * (100 + 200 + 300 + 400 + 500) + 3 * 12_500),
    "act-2001-holdem-instant-satellite": (13, 260, 75 + 150 + 225 + 3 * 1_500 + 3 * 15_000),
    "act-2001-holdem-super-satellite": (13, 260, 75 + 150 + 225 + 3 * 1_500 + 3 * 15_000),
    "act-2001-holdem-no-limit": (12, 430, 75 + 150 + 3 * 1_500 + 3 * 15_000 + (25 + 25 + 50 + 50 + 75) + 1_500),
    "act-2001-holdem-limit": (13, 470, 75 + 150 + 300 + 3 * 1_500 + 3 * 12_500),
}

RACE_OFFS = {
    # the level after which it stands: the chips
    "act-2001-manila": {2: "$25", 7: "$100"},
    "act-2001-draw": {3: "$25", 8: "$100"},
    "act-2001-omaha": {3: "$25", 8: "$100"},
    "act-2001-stud7": {2: "$5", 5: "$25", 9: "$100"},
    "act-2001-holdem-early-bird": {3: "$25", 7: "$100"},
    "act-2001-holdem-instant-satellite": {3: "$25", 8: "$100"},
    "act-2001-holdem-super-satellite": {3: "$25", 8: "$100"},
    "act-2001-holdem-no-limit": {7: "$25"},
    "act-2001-holdem-limit": {3: "$25", 8: "$100"},
}

ANNOUNCED = {
    # minutes a level, levels, starting stack, re-entry, entry closes at the start of level
    "two-bullet": (20, 26, 30_000, ReEntry.SINGLE, 7),
    "single-shot": (20, 26, 30_000, ReEntry.NONE, 7),
    "friday-freezeout": (20, 26, 25_000, ReEntry.NONE, 7),
    "action-clock": (25, 28, 40_000, ReEntry.UNLIMITED, 11),
    "monster-stack": (25, 28, 50_000, ReEntry.UNLIMITED, 11),
}

STAR_BLINDS = (
    "100/100 100/200 200/300 200/400 300/500 300/600 400/800 500/1,000 600/1,200 800/1,600",
    "1,000/2,000 1,500/2,500 1,500/3,000 2,000/4,000 3,000/6,000 4,000/8,000 5,000/10,000 6,000/12,000",
    "10,000/15,000 10,000/20,000 15,000/30,000 20,000/40,000 25,000/50,000 30,000/60,000",
    "40,000/80,000 50,000/100,000 60,000/120,000 75,000/150,000",
)
"""All five print these, each as far as its last level."""


def cents(printed: str) -> int:
    """An amount as printed; with a currency sign in cents, without one the points."""
    amount = int(printed.replace("$", "").replace(",", ""))
    return amount * 100 if "$" in printed else amount


def spans(structure: Structure) -> list[tuple[float, float]]:
    """From and to of each level, in minutes of play."""
    ends = [sum(level.seconds for level in structure.levels[:count]) / 60 for count in range(len(structure.levels) + 1)]
    return list(pairwise(ends))


def as_printed(structure: Structure, number: int) -> tuple[tuple[float, float], tuple[int, ...], int | None]:
    level = structure.levels[number - 1]
    return spans(structure)[number - 1], level.blinds, level.ante


def read(row: str) -> tuple[tuple[float, float], tuple[int, ...], int | None]:
    span, _, amounts = row.partition(" ")
    start, end = map(float, span.split("-"))
    blinds, _, ante = amounts.partition("ante ")
    given = tuple(cents(blind) for blind in blinds.strip().split("/") if blind)
    return (start, end), given, cents(ante) if ante else None


def test_fourteen_structures_each_named_as_its_file() -> None:
    assert len(SHIPPED) == 14
    assert {f"{name}.toml" for name in SHIPPED} == set(SOURCES)
    assert set(PRINTED) == set(TOTALS) == set(RACE_OFFS) == set(ACT)
    assert set(ANNOUNCED) == set(STAR)


@pytest.mark.parametrize(("name", "number"), [(name, number) for name in ACT for number in PRINTED[name]])
def test_a_level_of_the_act_is_what_its_appendix_prints(name: str, number: int) -> None:
    assert as_printed(SHIPPED[name], number) == read(PRINTED[name][number])


@pytest.mark.parametrize("name", ACT)
def test_the_schedule_of_the_act_adds_up(name: str) -> None:
    levels, minutes, dollars = TOTALS[name]
    structure = SHIPPED[name]
    assert len(structure.levels) == levels
    assert spans(structure)[-1][1] == minutes
    assert sum(sum(level.blinds) + (level.ante or 0) for level in structure.levels) == dollars * 100


@pytest.mark.parametrize("name", ACT)
def test_race_offs_stand_where_the_appendix_has_them(name: str) -> None:
    stands = {level.number: level.race_off for level in SHIPPED[name].levels if level.race_off is not None}
    assert stands == {number: cents(chip) for number, chip in RACE_OFFS[name].items()}


@pytest.mark.parametrize("name", ACT)
def test_after_a_race_off_nobody_needs_the_chip(name: str) -> None:
    next_chip = {cents("$5"): cents("$25"), cents("$25"): cents("$100"), cents("$100"): cents("$500")}
    levels = SHIPPED[name].levels
    for level in levels:
        later = [amount for other in levels[level.number :] for amount in (*other.blinds, other.ante or 0)]
        if level.race_off is not None:
            assert later
            assert all(amount % next_chip[level.race_off] == 0 for amount in later)


@pytest.mark.parametrize("name", ACT)
def test_the_act_doubles_and_leaves_breaks_to_the_director(name: str) -> None:
    structure = SHIPPED[name]
    satellite = name.endswith("satellite")
    assert structure.doubling_minutes == (20 if satellite else 30)
    assert structure.breaks is Breaks.DIRECTOR
    assert all(level.break_after is None and not level.big_blind_ante for level in structure.levels)
    assert structure.re_entry is ReEntry.NONE
    assert structure.entry_closes_level is None


@pytest.mark.parametrize(
    ("name", "letter", "least", "most", "table"),
    [
        ("act-2001-manila", "A", 9, 72, 9),
        ("act-2001-draw", "B", 8, 64, 8),
        ("act-2001-omaha", "C", 10, 80, 10),
        ("act-2001-stud7", "D", 8, 64, 8),
        ("act-2001-holdem-early-bird", "E", 10, 80, 10),
        ("act-2001-holdem-instant-satellite", "F", 10, 10, 10),
        ("act-2001-holdem-super-satellite", "G", 10, 80, 10),
        ("act-2001-holdem-no-limit", "H", 10, 80, 10),
        ("act-2001-holdem-limit", "I", 10, 80, 10),
    ],
)
def test_an_appendix_has_its_players_and_its_clauses(name: str, letter: str, least: int, most: int, table: int) -> None:
    structure = SHIPPED[name]
    seats = structure.seats
    assert (seats.least_players, seats.most_players, seats.per_table) == (least, most, table)
    assert seats.clause == f"{letter} 3.1"
    assert {level.clause for level in structure.levels} == {f"{letter} 3.4"}
    assert structure.source.endswith(f"Appendix {letter}")


@pytest.mark.parametrize(
    ("name", "minutes", "stake"),
    [
        ("act-2001-draw", 120, "$1,000"),
        ("act-2001-omaha", 120, "$1,000"),
        ("act-2001-stud7", 120, "$1,000"),
        ("act-2001-holdem-early-bird", 90, "$1,000"),
        ("act-2001-holdem-super-satellite", 60, "$500"),
    ],
)
def test_rebuys_end_with_the_third_session(name: str, minutes: int, stake: str) -> None:
    structure = SHIPPED[name]
    assert structure.rebuys is not None
    assert structure.rebuys.top_up
    assert spans(structure)[structure.rebuys.last_level - 1][1] == minutes
    assert structure.rebuy_open(3, cents(stake) - 1)
    assert not structure.rebuy_open(3, cents(stake))
    assert not structure.rebuy_open(4, 0)


@pytest.mark.parametrize(
    "name",
    [
        "act-2001-manila",
        "act-2001-holdem-instant-satellite",
        "act-2001-holdem-no-limit",
        "act-2001-holdem-limit",
        *STAR,
    ],
)
def test_the_others_have_no_rebuys(name: str) -> None:
    assert SHIPPED[name].rebuys is None
    assert not SHIPPED[name].rebuy_open(1, 0)


@pytest.mark.parametrize("name", STAR)
def test_a_level_of_the_star_is_what_part_4_prints(name: str) -> None:
    minutes, count, stack, re_entry, closes = ANNOUNCED[name]
    structure = SHIPPED[name]
    printed = [tuple(map(cents, row.split("/"))) for row in " ".join(STAR_BLINDS).split()[:count]]
    assert [level.blinds for level in structure.levels] == printed
    assert all(level.big_blind_ante and level.ante == level.blinds[1] for level in structure.levels)
    assert {level.seconds for level in structure.levels} == {minutes * 60}
    assert (structure.starting_stack, structure.re_entry, structure.entry_closes_level) == (stack, re_entry, closes)
    assert structure.doubling_minutes is None
    assert all(level.race_off is None for level in structure.levels)
    assert (structure.seats.least_players, structure.seats.most_players, structure.seats.per_table) == (2, 200, None)


@pytest.mark.parametrize("name", STAR)
def test_the_breaks_of_the_star(name: str) -> None:
    printed = {
        20: {6: 30, 12: 15, 18: 15, 24: 15},
        25: {5: 15, 10: 30, 15: 15, 20: 15, 25: 15},
    }[ANNOUNCED[name][0]]
    structure = SHIPPED[name]
    stands = {level.number: level.break_after / 60 for level in structure.levels if level.break_after is not None}
    assert stands == printed
    assert structure.breaks is Breaks.SCHEDULED


@pytest.mark.parametrize("name", STAR)
def test_entry_to_the_star_closes_at_the_start_of_its_level(name: str) -> None:
    closes = ANNOUNCED[name][4]
    assert SHIPPED[name].entry_open(1)
    assert SHIPPED[name].entry_open(closes - 1)
    assert not SHIPPED[name].entry_open(closes)


@pytest.mark.parametrize("name", SHIPPED)
def test_two_of_them_have_an_action_clock(name: str) -> None:
    clock = SHIPPED[name].action_clock
    if name in ("action-clock", "monster-stack"):
        assert clock is not None
        assert (clock.seconds, clock.time_banks, clock.time_bank_seconds) == (30, 5, 30)
    else:
        assert clock is None


@pytest.mark.parametrize("name", SHIPPED)
def test_levels_rise_without_a_gap(name: str) -> None:
    levels = SHIPPED[name].levels
    assert [level.number for level in levels] == list(range(1, len(levels) + 1))
    for before, level in pairwise(levels):
        assert all(then <= now for then, now in zip(before.blinds, level.blinds, strict=True))
        assert (before.ante or 0) <= (level.ante or 0)
        assert level.seconds > 0


@pytest.mark.parametrize("name", ACT)
def test_nobody_enters_a_tournament_of_the_act_late(name: str) -> None:
    assert not SHIPPED[name].entry_open(1)
