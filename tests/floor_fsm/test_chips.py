"""The ledger of chips, races at all tables, counts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from floor_fsm.errors import Reason, Refused
from floor_fsm.law.matters import RaceRules
from floor_fsm.play.chips import (
    Counts,
    Into,
    Ledger,
    OutOf,
    Returned,
    TableRace,
    differences,
    order_race,
    raced,
)
from table_fsm.poker.tournament.races import start_race
from tests.floor_fsm import books
from tests.floor_fsm.refusing import refused

STAR, ONYX, ACT = (books.row(book.races) for book in (books.STAR, books.ONYX, books.ACT))
ONCE = ONYX.clause


def test_what_is_issued_less_what_left_is_what_all_hold() -> None:
    """The Star 7.10; the chips of the disqualified leave play: 6.9, 7.39."""
    ledger = Ledger().issue(Into.ENTRY, "1", 30_000).issue(Into.RE_ENTRY, "2", 30_000)
    ledger = ledger.move("1", "walks", 10_000).move("walks", "2", 10_000, "Chips 3")
    assert ledger.held == {"1": 20_000, "2": 40_000}
    ledger = ledger.remove(OutOf.DISQUALIFIED, "1", 20_000, "7.39")
    assert (ledger.in_play, ledger.held) == (40_000, {"2": 40_000})
    assert ledger.left[OutOf.DISQUALIFIED] == 20_000
    assert ledger.move("2", "2", 5) is ledger


def test_a_stack_that_cannot_be_is_refused() -> None:
    ledger = Ledger().issue(Into.ENTRY, "1", 100)
    assert refused(lambda: ledger.remove(OutOf.FORFEITED, "1", 101, "7.11")) == (Reason.DOES_NOT_ADD_UP, "7.11")
    assert refused(lambda: ledger.move("2", "1", 1)) == (Reason.DOES_NOT_ADD_UP, None)
    assert refused(lambda: ledger.issue(Into.REBUY, "1", 0)) == (Reason.DOES_NOT_ADD_UP, None)


def test_number_and_value_come_back_by_denomination() -> None:
    """The Star 7.10."""
    assert differences({25: 8, 100: 10}, {25: 8, 100: 10}) == ()
    assert differences({25: 8, 100: 10}, {25: 4, 100: 11, 500: 0}) == (Returned(25, 8, 4), Returned(100, 10, 11))


def test_two_counts_in_a_heat_and_no_third() -> None:
    """ACT 2001, 4.9."""
    rules = books.row(books.ACT.counts)
    counts = Counts().add(rules, "heat 1").add(rules, "heat 1")
    assert refused(lambda: counts.add(rules, "heat 1")) == (Reason.TOO_MANY_COUNTS, "4.9")
    assert counts.add(rules, "final").made == {"heat 1": 2, "final": 1}


def test_a_race_is_ordered_for_all_and_tallied_at_each_table() -> None:
    """The Star 7.42(a) to (c): 150 and 175 in odd chips of 25 are two new chips."""
    order = order_race(STAR, 25, 100, ("2", "1"))
    assert order.waits_for == ("1", "2")
    order = order.tell("1", TableRace({1: 3, 2: 3}, {1: 1, 2: 1}, out=150))
    order = order.tell("2", TableRace({1: 3, 2: 3, 3: 1}, {1: 1, 2: 1}, out=175))
    assert (order.waits_for, order.told) == ((), {"1": 50, "2": 25})
    ledger = Ledger().issue(Into.ENTRY, "1", 1000).issue(Into.ENTRY, "2", 1000)
    ledger = raced(raced(ledger, "1", 50), "2", -25)
    assert (ledger.in_play, ledger.held) == (2025, {"1": 1050, "2": 975})
    assert raced(ledger, "1", 0) is ledger


def test_who_would_be_raced_out_has_a_chip() -> None:
    """The Star 7.42(g); Onyx, Chip Races 6."""
    order = order_race(ONYX, 25, 100, ("1",))
    told = order.tell("1", TableRace({1: 3, 2: 2}, {1: 1, 2: 1}, last=(2,), out=125))
    assert told.told == {"1": 75}
    two = order.tell("1", TableRace({1: 1, 2: 1}, {1: 1, 2: 1}, last=(2,), kept_in=(2,), out=50))
    assert two.told == {"1": 150}


def test_the_highest_card_takes_all_and_keeps_the_rest() -> None:
    """ACT 2001, 4.8."""
    told = order_race(ACT, 25, 100, ("1",)).tell("1", TableRace({1: 3, 2: 3}, {1: 1}, out=100))
    assert told.told == {"1": 0}


@pytest.mark.parametrize(
    "race",
    [
        TableRace({1: 3, 2: 3}, {1: 1}, out=150),
        TableRace({1: 3, 2: 3}, {1: 1, 2: 1}, out=100),
        TableRace({1: 3, 2: 3}, {1: 1, 2: 2}, kept_in=(2,), out=150),
        TableRace({1: 4, 2: 3}, {1: 1, 2: 1}, out=175),
    ],
)
def test_a_race_that_does_not_come_out_is_refused(race: TableRace) -> None:
    assert refused(lambda: order_race(STAR, 25, 100, ("1",)).tell("1", race)) == (Reason.DOES_NOT_ADD_UP, "7.42")


def test_nobody_wins_two_chips() -> None:
    """The Star 7.42(f); Onyx, Chip Races 5."""
    order = order_race(ONYX, 25, 100, ("1",))
    race = TableRace({1: 3, 2: 3}, {1: 2}, out=150)
    assert refused(lambda: order.tell("1", race)) == (Reason.NOT_ALLOWED, ONCE)


def test_a_race_is_told_once_by_a_table_that_has_one() -> None:
    order = order_race(STAR, 25, 100, ("1",)).tell("1", TableRace({}, {}))
    assert refused(lambda: order.tell("1", TableRace({}, {}))) == (Reason.NAMED_TWICE, "7.42")
    assert refused(lambda: order.tell("2", TableRace({}, {}))) == (Reason.UNKNOWN_TABLE, "7.42")


def test_a_race_needs_a_book_and_a_greater_chip() -> None:
    assert refused(lambda: order_race(None, 25, 100, ("1",))) == (Reason.NOT_IN_THE_BOOK, None)
    assert refused(lambda: order_race(STAR, 100, 100, ("1",))) == (Reason.DOES_NOT_ADD_UP, "7.42")


MOVES = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3), st.integers(0, 3), st.integers(-5, 2000)), max_size=40)


@given(MOVES)
def test_chips_are_conserved(steps: list[tuple[int, int, int, int]]) -> None:
    ledger = Ledger()
    for kind, source, target, chips in steps:
        try:
            if kind == 0:
                ledger = ledger.issue(Into.ENTRY, str(source), chips)
            elif kind == 1:
                ledger = ledger.move(str(source), str(target), chips)
            else:
                ledger = ledger.remove(OutOf.REMOVED, str(source), chips)
        except Refused:
            continue
    assert sum(ledger.held.values()) == ledger.in_play
    assert all(chips > 0 for chips in ledger.held.values())


@given(st.sampled_from([STAR, ONYX, ACT]), st.dictionaries(st.integers(1, 9), st.integers(0, 3), max_size=9))
def test_a_race_as_the_table_counts_it_is_taken(rules: RaceRules, odd: dict[int, int]) -> None:
    """The table's own arithmetic and the floor's agree, whatever cards come."""
    race = start_race(rules.method, 25, 100, odd)
    cards = [rank + suit for suit in "shdc" for rank in "23456789TJQKA"]
    while race.due is not None:
        race = race.deal(race.due, cards.pop())
    done = race.result
    assert done is not None
    told = TableRace(odd, done.chips, (), done.kept_in, done.removed)
    order = order_race(rules, 25, 100, ("1",)).tell("1", told)
    assert order.told["1"] == sum(done.chips.values()) * 100 - done.removed
