"""What is in force when: levels by elapsed play, breaks, doubling, race-offs due, antes and who posts them."""

from dataclasses import replace
from itertools import pairwise
from math import inf, nan
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from table_fsm.errors import Refused
from table_fsm.structures import (
    AnteDue,
    AntePayer,
    BigBlindAnteRules,
    Level,
    Structure,
    ante_due,
    level_at,
    level_numbered,
    load_structures,
    posted_from,
    race_offs_due,
)
from table_fsm.structures.levels import levels_beside

SHIPPED = load_structures(
    {
        path.name: path.read_text("utf-8")
        for path in sorted((Path(__file__).parents[2] / "config" / "structures").glob("*.toml"))
    }
)
NO_LIMIT = SHIPPED["act-2001-holdem-no-limit"]
TWO_BULLET = SHIPPED["two-bullet"]

MINUTE = 60.0
structures = st.sampled_from(sorted(SHIPPED.values(), key=lambda structure: structure.id))
seconds_of_play = st.floats(min_value=0, max_value=3e6)


@pytest.mark.parametrize(
    ("minutes", "number", "left"),
    [(0, 1, 40), (39.5, 1, 0.5), (40, 2, 40), (280, 8, 30), (429, 12, 1), (430, 13, 30), (460, 14, 30), (475, 14, 15)],
)
def test_a_level_ends_when_the_next_begins(minutes: float, number: int, left: float) -> None:
    now = level_at(NO_LIMIT, minutes * MINUTE)
    assert (now.level.number, now.left_seconds) == (number, left * MINUTE)
    assert now.next is not None
    assert now.next.number == number + 1
    assert not now.in_break
    assert now.elapsed_seconds == minutes * MINUTE


@given(structure=structures, elapsed=seconds_of_play)
def test_the_levels_beside_begin_where_the_clock_comes_to_them(structure: Structure, elapsed: float) -> None:
    now, beside = level_at(structure, elapsed), levels_beside(structure, elapsed)
    assert (beside.before is None) is (now.level.number == 1)
    assert (beside.after is None) is (now.next is None)
    if beside.before is not None:
        assert level_at(structure, beside.before).level.number == now.level.number - 1
    if beside.after is not None:
        assert level_at(structure, beside.after).level == now.next
        assert beside.after == pytest.approx(elapsed + now.left_seconds)


def test_after_the_schedule_blinds_and_antes_double_every_half_hour_for_ever() -> None:
    assert level_numbered(NO_LIMIT, 13).blinds == (1_000_000, 2_000_000)
    assert level_numbered(NO_LIMIT, 13).ante == 100_000
    assert level_numbered(NO_LIMIT, 15).blinds == (4_000_000, 8_000_000)
    assert level_numbered(NO_LIMIT, 15).clause == "H 3.4"
    assert level_numbered(NO_LIMIT, 112).blinds == (500_000 * 2**100, 1_000_000 * 2**100)
    assert level_at(NO_LIMIT, (430 + 99 * 30 + 29) * MINUTE).level == level_numbered(NO_LIMIT, 112)


def test_the_satellites_double_every_twenty_minutes() -> None:
    satellite = SHIPPED["act-2001-holdem-instant-satellite"]
    assert level_at(satellite, 260 * MINUTE).level.blinds == (1_000_000, 2_000_000)
    assert level_at(satellite, 280 * MINUTE).level.blinds == (2_000_000, 4_000_000)


def test_the_last_level_doubled_has_no_race_off_or_break_of_its_own() -> None:
    last = replace(NO_LIMIT.levels[-1], race_off=10_000, break_after=60.0)
    doubled = level_numbered(replace(NO_LIMIT, levels=(*NO_LIMIT.levels[:-1], last)), 13)
    assert (doubled.race_off, doubled.break_after, doubled.seconds) == (None, None, 30 * MINUTE)


def test_a_clock_left_running_for_years_fills_no_memory() -> None:
    now = level_at(NO_LIMIT, 1e15)
    assert now.level.number > 500_000_000_000
    assert now.level.blinds == level_numbered(NO_LIMIT, 512).blinds


def test_a_schedule_without_doubling_stays_at_its_last_level() -> None:
    now = level_at(TWO_BULLET, 26 * 20 * MINUTE - 1)
    assert (now.level.number, now.left_seconds, now.next) == (26, 1.0, None)
    now = level_at(TWO_BULLET, 1e9)
    assert (now.level.blinds, now.left_seconds, now.next) == ((50_000, 100_000), 0.0, None)


def test_no_level_before_the_first_or_after_a_schedule_that_ends() -> None:
    assert level_numbered(TWO_BULLET, 26).number == 26
    with pytest.raises(ValueError, match="two-bullet has no level 27; it has 1 to 26"):
        level_numbered(TWO_BULLET, 27)
    with pytest.raises(ValueError, match="no level 0"):
        level_numbered(NO_LIMIT, 0)


@pytest.mark.parametrize("elapsed", [-1.0, nan, inf])
def test_a_time_that_cannot_be_is_refused(elapsed: float) -> None:
    with pytest.raises(Refused, match=r"elapsed: .* is no length of play"):
        level_at(NO_LIMIT, elapsed)
    with pytest.raises(Refused, match=r"running_for: .* is no length of play"):
        level_at(NO_LIMIT, 0.0, running_for=elapsed)


# --- breaks


def test_a_clock_that_stands_at_the_end_of_level_six_is_in_the_break() -> None:
    now = level_at(TWO_BULLET, 120 * MINUTE)
    assert (now.level.number, now.in_break, now.break_left_seconds) == (7, True, None)
    assert now.left_seconds == 20 * MINUTE


def test_a_clock_that_stands_elsewhere_is_not_in_a_break() -> None:
    assert not level_at(TWO_BULLET, 120 * MINUTE - 0.5).in_break
    assert not level_at(TWO_BULLET, 100 * MINUTE).in_break
    assert not level_at(TWO_BULLET, 120 * MINUTE + 0.5).in_break
    assert not level_at(NO_LIMIT, 40 * MINUTE).in_break  # its breaks are the director's


def test_a_break_takes_its_time_from_a_running_clock_and_none_from_play() -> None:
    at = {
        minutes: level_at(TWO_BULLET, 0.0, running_for=minutes * MINUTE)
        for minutes in (119, 120, 149, 150, 169, 170, 285)
    }
    assert [(minutes, now.level.number, now.in_break) for minutes, now in at.items()] == [
        (119, 6, False),
        (120, 7, True),
        (149, 7, True),
        (150, 7, False),
        (169, 7, False),
        (170, 8, False),
        (285, 13, False),
    ]
    assert at[149].break_left_seconds == MINUTE
    assert at[149].elapsed_seconds == 120 * MINUTE
    assert at[149].left_seconds == 20 * MINUTE
    assert at[169].elapsed_seconds == 139 * MINUTE
    assert at[285].elapsed_seconds == 240 * MINUTE


def test_a_clock_started_where_a_break_is_due_has_had_it() -> None:
    now = level_at(TWO_BULLET, 120 * MINUTE, running_for=0.0)
    assert (now.level.number, now.in_break, now.left_seconds) == (7, False, 20 * MINUTE)
    now = level_at(TWO_BULLET, 120 * MINUTE, running_for=19 * MINUTE)
    assert (now.level.number, now.in_break, now.left_seconds) == (7, False, MINUTE)


def test_a_running_clock_without_scheduled_breaks_counts_every_second() -> None:
    now = level_at(NO_LIMIT, 30 * MINUTE, running_for=20 * MINUTE)
    assert (now.level.number, now.elapsed_seconds, now.break_left_seconds) == (2, 50 * MINUTE, None)


# --- over all structures


@given(structures, seconds_of_play)
def test_the_next_level_comes_when_nothing_is_left(structure: Structure, elapsed: float) -> None:
    now = level_at(structure, elapsed)
    assert 0 <= now.left_seconds <= now.level.seconds
    if now.next is None:
        assert now.level == structure.levels[-1]
    else:
        assert now.next.number == now.level.number + 1
        assert level_at(structure, elapsed + now.left_seconds + 0.001).level == now.next


@given(structures, st.lists(seconds_of_play, min_size=2, max_size=2).map(sorted))
def test_amounts_never_go_down(structure: Structure, times: list[float]) -> None:
    earlier, later = (level_at(structure, elapsed).level for elapsed in times)
    assert all(then <= now for then, now in zip(earlier.blinds, later.blinds, strict=True))
    assert (earlier.ante or 0) <= (later.ante or 0)


@given(structures, st.integers(0, 500_000), st.integers(0, 500_000), st.integers(0, 500_000))
def test_a_running_clock_looked_at_twice_says_the_same(structure: Structure, start: int, first: int, then: int) -> None:
    """Whole seconds, so that nothing is rounded. What is left of a break is waited out: no clock is set there."""
    between = level_at(structure, start, running_for=first)
    after = level_at(structure, start, running_for=first + then)
    waited = between.break_left_seconds or 0.0
    if then >= waited:
        assert level_at(structure, between.elapsed_seconds, running_for=then - waited) == after


# --- race-offs


@pytest.mark.parametrize(
    ("played", "now", "chips"),
    [(1, 1, ()), (1, 2, ()), (2, 3, (500,)), (3, 5, ()), (5, 6, (2500,)), (1, 7, (500, 2500)), (9, 20, (10_000,))],
)
def test_race_offs_are_due_between_the_level_played_and_the_one_in_force(
    played: int, now: int, chips: tuple[int, ...]
) -> None:
    assert race_offs_due(SHIPPED["act-2001-stud7"], played, now) == chips


@given(structures, st.lists(st.integers(1, 40), min_size=1, max_size=10).map(sorted))
def test_every_race_off_is_due_once_however_the_levels_pass(structure: Structure, seen: list[int]) -> None:
    stops = [1, *seen, 41]
    due = [chip for played, now in pairwise(stops) for chip in race_offs_due(structure, played, now)]
    assert due == [level.race_off for level in structure.levels if level.race_off is not None]


# --- antes

STAR = BigBlindAnteRules()
ONYX = BigBlindAnteRules(before_blind=True, small_blind_from=6, heads_up=False)
LEVEL = TWO_BULLET.levels[7]  # 500, 1,000, ante 1,000


def test_the_star_posts_the_ante_after_the_big_blind() -> None:
    assert ante_due(LEVEL, STAR, players=9) == AnteDue(1_000, AntePayer.BIG_BLIND, before_blind=False)
    assert ante_due(LEVEL, STAR, players=2, final_table=True) == AnteDue(1_000, AntePayer.BIG_BLIND, before_blind=False)


@pytest.mark.parametrize(
    ("players", "final_table", "six_max", "cents"),
    [
        (9, False, False, 1_000),
        (7, True, False, 1_000),
        (6, True, False, 500),
        (3, True, False, 500),
        (6, False, False, 1_000),
        (6, False, True, 500),
        (2, True, False, None),
        (2, False, True, None),
    ],
)
def test_onyx_lowers_the_ante_as_players_go(players: int, final_table: bool, six_max: bool, cents: int | None) -> None:
    due = ante_due(LEVEL, ONYX, players=players, final_table=final_table, six_max=six_max)
    assert due == (None if cents is None else AnteDue(cents, AntePayer.BIG_BLIND, before_blind=True))


def test_the_act_takes_the_ante_from_each_player_whatever_a_big_blind_would_do() -> None:
    level = NO_LIMIT.levels[2]
    everyone = AnteDue(2_500, AntePayer.EVERYONE, before_blind=True)
    assert ante_due(level, STAR, players=9) == everyone
    assert ante_due(level, ONYX, players=2, final_table=True) == everyone
    assert ante_due(NO_LIMIT.levels[1], STAR, players=9) is None


def posting(stack: int, rules: BigBlindAnteRules, level: Level = LEVEL) -> tuple[int, int]:
    return posted_from(stack, level.blinds[1], ante_due(level, rules, players=9))


def test_a_short_big_blind_pays_what_comes_first() -> None:
    assert posting(5_000, STAR) == posting(5_000, ONYX) == (1_000, 1_000)
    assert posting(1_200, STAR) == (1_000, 200)
    assert posting(1_200, ONYX) == (200, 1_000)
    assert posting(700, STAR) == (700, 0)
    assert posting(700, ONYX) == (0, 700)
    assert posted_from(700, 1_000, None) == (700, 0)
