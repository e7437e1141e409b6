"""Late entry ends whatever the payouts are; who is taken off the list after it moves places and prizes."""

from typing import Any

import pytest

from floor_fsm.errors import Reason
from floor_fsm.messages.clock import ClockPut, LevelRow, ScheduleSet
from floor_fsm.messages.entries import (
    EntryBack,
    EntryNoShow,
    EntryOut,
    EntryTaken,
    EntryWithdrawn,
    LateClosed,
    LateEntryOver,
    LevelBegan,
)
from floor_fsm.messages.hands import Placed, PlaceDecided
from floor_fsm.messages.money import Chopped, Payout, PayoutsSet, PoolIs, PrizePaid, PrizeTakenBack
from floor_fsm.messages.undone import LateTakenBack
from floor_fsm.state.entries import Entries
from floor_fsm.state.hands import Places
from floor_fsm.state.money import Money, amounts_of, payouts_due
from tests.floor_fsm.support import FEE, HOUSE, Desk, reason_of

MANY = ("30", "25", "20", "15", "10")


def playing(law: str = "onyx", players: int = 4, **terms: Any) -> Desk:
    """These sit at one table of six."""
    desk = Desk(law, tables=1, seats=6, **terms)
    desk.enter(*(f"P{number}" for number in range(players)))
    desk.draw()
    return desk


def places(desk: Desk) -> dict[int, tuple[int, int]]:
    return {entry: (one.first, one.last) for entry, one in desk.tournament.parts.of(Places).final.items()}


@pytest.mark.parametrize("how", ["level", "director"])
def test_entries_end_with_more_places_to_pay_than_entries_and_payouts_are_set_anew(how: str) -> None:
    """The level, and play, wait for nobody's payouts; until they are set nobody has a prize."""
    desk = playing()
    desk.say(PayoutsSet, percent=MANY)
    assert not payouts_due(desk.tournament.parts), "more may enter"
    told = desk.say(LevelBegan, by=None, level=7) if how == "level" else desk.say(LateClosed)
    assert LateEntryOver(4) in told
    assert PoolIs(4 * FEE, ()) in told
    assert reason_of(desk, EntryTaken, entry=9, person="X", name="Mx X", paid=FEE + HOUSE)[0] is (
        Reason.LATE_ENTRY_IS_OVER
    )
    assert payouts_due(desk.tournament.parts)
    assert amounts_of(desk.tournament.parts) == ()
    assert Placed(1, 4, 4, provisional=False) in desk.out(1)
    assert desk.tournament.parts.of(Money).told == {}
    assert reason_of(desk, PayoutsSet, percent=MANY)[0] is Reason.DOES_NOT_ADD_UP
    told = desk.say(PayoutsSet, percent=("40", "30", "20", "10"))
    assert Payout(1, 8_000) in told
    assert not payouts_due(desk.tournament.parts)


def test_nobody_enters_once_the_clock_is_at_the_level_that_ends_late_entry() -> None:
    """The floor may tell that level a moment later, or not while it is away."""
    desk = playing(late_until=3)
    desk.say(ScheduleSet, levels=tuple(LevelRow(seconds=60, blinds=(100 * n, 200 * n)) for n in range(1, 6)))
    desk.say(ClockPut, running=True, elapsed=59)
    desk.enter("late")
    desk.t += 60
    one_more: dict[str, Any] = {"entry": 9, "person": "X", "name": "Mx X", "paid": FEE + HOUSE}
    assert reason_of(desk, EntryTaken, **one_more)[0] is Reason.LATE_ENTRY_IS_OVER
    desk.say(ClockPut, running=False, elapsed=59)
    desk.say(EntryTaken, **one_more)


@pytest.mark.parametrize(("elapsed", "is_open"), [(0, True), (60, False)])
def test_before_anybody_has_a_seat_the_first_level_ends_nothing(elapsed: int, is_open: bool) -> None:
    """A schedule is announced before the start, and its clock stands at the first level."""
    desk = Desk("onyx", late_until=1)
    desk.say(ScheduleSet, levels=tuple(LevelRow(seconds=60, blinds=(100 * n, 200 * n)) for n in range(1, 6)))
    desk.say(ClockPut, running=False, elapsed=elapsed)
    if is_open:
        desk.enter("A")
    else:
        one = {"entry": 1, "person": "X", "name": "Mx X", "paid": FEE + HOUSE}
        assert reason_of(desk, EntryTaken, **one)[0] is Reason.LATE_ENTRY_IS_OVER


def test_who_is_withdrawn_after_entries_are_over_leaves_places_and_pool_to_the_others() -> None:
    desk = playing()
    [alternate] = desk.enter("alternate")
    desk.say(PayoutsSet, percent=("60", "40"))
    desk.say(LateClosed)
    desk.out(1)
    assert places(desk) == {1: (5, 5)}
    told = desk.say(EntryWithdrawn, entry=alternate, refund=True)
    assert Placed(1, 4, 4, provisional=False) in told
    assert PoolIs(4 * FEE, (48_000, 32_000)) in told
    for entry in (2, 3):
        desk.out(entry)
    assert places(desk) == {1: (4, 4), 2: (3, 3), 3: (2, 2), 4: (1, 1)}
    assert desk.tournament.parts.of(Money).told == {3: 32_000, 4: 48_000}


def test_who_is_left_when_the_last_other_is_withdrawn_has_won() -> None:
    desk = playing(players=4)
    [alternate] = desk.enter("alternate")
    desk.say(PayoutsSet, percent=("100",))
    desk.say(LateClosed)
    for entry in (1, 2, 3):
        desk.out(entry)
    told = desk.say(EntryWithdrawn, entry=alternate, refund=True)
    assert {Placed(4, 1, 1, provisional=False), Payout(4, 4 * FEE)} <= set(told)


def test_nobody_is_withdrawn_whose_going_would_change_what_the_cage_has_paid() -> None:
    desk = playing()
    [alternate] = desk.enter("alternate")
    desk.say(PayoutsSet, percent=MANY)
    desk.say(LateClosed)
    desk.out(1)
    prize = desk.tournament.parts.of(Money).told[1]
    desk.say(PrizePaid, entry=1, cents=prize)
    for refund in (True, False):
        found = reason_of(desk, EntryWithdrawn, entry=alternate, refund=refund)
        assert found[0] in {Reason.PAID_ALREADY, Reason.WRONG_STATE}
    desk.say(PrizeTakenBack, entry=1)
    assert reason_of(desk, EntryWithdrawn, entry=alternate, refund=True) == (Reason.WRONG_STATE, "ours"), "five places"
    desk.say(LateTakenBack)
    desk.say(EntryWithdrawn, entry=alternate, refund=True)
    desk.say(LateClosed)
    assert payouts_due(desk.tournament.parts)
    assert Payout(1, 8_000) in desk.say(PayoutsSet, percent=("40", "30", "20", "10"))


def test_a_prize_that_was_paid_holds_the_field_and_the_pool() -> None:
    desk = playing()
    [alternate] = desk.enter("alternate")
    desk.say(PayoutsSet, percent=("40", "30", "20", "10"))
    desk.say(LateClosed)
    for entry in (1, 2):
        desk.out(entry)
    [(paid, prize)] = desk.tournament.parts.of(Money).told.items() - {(1, 0)}
    desk.say(PrizePaid, entry=paid, cents=prize)
    assert reason_of(desk, EntryWithdrawn, entry=alternate, refund=True)[0] is Reason.PAID_ALREADY
    assert reason_of(desk, EntryWithdrawn, entry=alternate)[0] is Reason.PAID_ALREADY


def test_after_a_chop_nobody_is_taken_off_the_list() -> None:
    desk = playing("star-2025")
    [alternate] = desk.enter("alternate")
    desk.say(PayoutsSet, percent=("60", "40"))
    desk.say(LateClosed)
    desk.say(Chopped, cents=tuple((entry, 20_000) for entry in (1, 2, 3, 4, alternate)))
    assert reason_of(desk, EntryWithdrawn, entry=alternate)[0] is Reason.WRONG_STATE


def test_who_did_not_come_after_entries_are_over_has_no_place_and_the_fee_stays() -> None:
    """UTH 16.10: the seat is forfeited; with the mistake taken back everybody's place is as it was."""
    desk = playing("act-2019-uth", players=5, re_entries=0)
    desk.say(PayoutsSet, percent=("60", "40"))
    desk.say(LateClosed)
    desk.say(EntryOut, entry=1)
    pool = desk.tournament.parts.of(Money).pool
    assert places(desk) == {1: (5, 5)}
    told = desk.say(EntryNoShow, entry=2)
    assert Placed(1, 4, 4, provisional=False) in told
    assert desk.tournament.parts.of(Money).pool == pool
    desk.say(EntryBack, entry=2)
    assert places(desk) == {1: (5, 5)}
    desk.say(EntryNoShow, entry=2)
    desk.out(3)
    desk.out(4)
    assert places(desk) == {1: (4, 4), 3: (3, 3), 4: (2, 2), 5: (1, 1)}
    assert sum(desk.tournament.parts.of(Money).told.values()) == pool
    assert desk.tournament.parts.of(Entries).by_number[2].paid == FEE + HOUSE
    assert reason_of(desk, PlaceDecided, order=99, groups=())[0] is Reason.WRONG_STATE
