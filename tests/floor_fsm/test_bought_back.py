"""Chips bought for the wrong entry, a chip race and a calling off that were mistakes: taken back by an event."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from floor_fsm.errors import Reason, Refused
from floor_fsm.lines import from_line, to_line
from floor_fsm.messages.chips import RaceOrdered, RaceTold, StackBagged, StacksCounted, Suspended
from floor_fsm.messages.clock import ClockPut, ClockRan, LevelRow, ScheduleSet
from floor_fsm.messages.entries import AddOn, Bought, EntryTaken, LateClosed, LevelBegan, Rebuy
from floor_fsm.messages.hands import HandForHandBegan, HandReleased
from floor_fsm.messages.money import Payout, PayoutsSet, PoolIs, PrizePaid
from floor_fsm.messages.opening import Refund, TournamentCancelled
from floor_fsm.messages.seating import Moved, Seated, SeatGiven
from floor_fsm.messages.tables import HandBegan
from floor_fsm.messages.undone import (
    AddOnTakenBack,
    CancelTakenBack,
    RaceOff,
    RaceTakenBack,
    RebuyTakenBack,
    TournamentGoesOn,
)
from floor_fsm.play.chips import Into, Ledger
from floor_fsm.state.floor import Stacks, Time
from floor_fsm.state.money import Money, pool_of
from floor_fsm.state.rebuys import Rebuys, bought_by
from floor_fsm.state.seating import Seating
from tests.floor_fsm.game import Game
from tests.floor_fsm.refusing import refused
from tests.floor_fsm.support import DIRECTOR, Desk, reason_of
from tests.floor_fsm.test_rebuys import bust, seated

FORMATS = "Formats"


def facts(desk: Desk) -> tuple[Any, ...]:
    """What chips and money are, whatever the ledger says of how they came."""
    parts = desk.tournament.parts
    return parts.of(Rebuys).bought, pool_of(parts), parts.of(Stacks).ledger


def hand(desk: Desk, table: str = "T1", number: int = 1) -> None:
    seat = min(desk.tournament.parts.of(Seating).at(table))
    desk.say(HandBegan, by=None, table=table, hand=number, big_blind=seat)


# -- what was bought


def test_a_rebuy_that_nobody_bought_takes_chips_off_the_table_and_gives_the_money_back() -> None:
    desk = seated()
    before = facts(desk)
    desk.say(Rebuy, entry=1, paid=11_000, stake=500)
    desk.say(StacksCounted, table="T1", stacks=((1, 20_500),))
    assert desk.say(RebuyTakenBack, entry=1) == [Bought(1, 0, 0, 30_000), Refund(1, 11_000)]
    assert facts(desk) == before
    assert desk.tournament.parts.of(Stacks).counted == {}, "it was counted with the chips that are gone"
    assert reason_of(desk, RebuyTakenBack, entry=1) == (Reason.WRONG_STATE, FORMATS)
    assert reason_of(desk, RebuyTakenBack, entry=9)[0] is Reason.UNKNOWN_ENTRY
    desk.say(LevelBegan, by=None, level=3)
    desk.say(AddOn, entry=1, paid=5_000)
    desk.say(Rebuy, entry=1, paid=11_000, stake=500)
    assert desk.say(AddOnTakenBack, entry=1) == [Bought(1, 1, 0, 50_000), Refund(1, 5_000)]
    assert reason_of(desk, AddOnTakenBack, entry=1) == (Reason.WRONG_STATE, FORMATS)


@pytest.mark.parametrize("way", ["began", "over", "released"])
def test_chips_that_a_hand_was_played_with_stay_unless_another_entry_bought_them(way: str) -> None:
    """What the table has played nobody undoes; whose money it was is put right."""
    desk = seated(late_until=7)
    desk.say(Rebuy, entry=1, paid=11_000, stake=500)
    if way == "began":
        hand(desk)
    elif way == "over":
        bust(desk, 4)
    else:
        desk.say(LateClosed)
        desk.say(Moved, entry=3, table="T2", seat=1)
        desk.say(Moved, entry=4, table="T2", seat=2)
        desk.say(HandForHandBegan, why="bubble")
        desk.say(HandReleased)
    assert reason_of(desk, RebuyTakenBack, entry=1) == (Reason.WRONG_STATE, FORMATS)
    before = facts(desk)
    told = desk.say(RebuyTakenBack, entry=1, to=2)
    assert told == [Bought(1, 0, 0, 30_000), Bought(2, 1, 0, 50_000)]
    bought, pool, ledger = facts(desk)
    assert (set(bought), pool, ledger) == ({2}, before[1], before[2]), "cents and chips are what they were"


def test_a_hand_of_another_table_plays_nothing_here_and_a_move_takes_the_chips_along() -> None:
    desk = seated(players=4)
    [other] = desk.enter("p5")
    desk.say(SeatGiven, entry=other, table="T2", seat=1)
    desk.say(Rebuy, entry=1, paid=11_000, stake=500)
    hand(desk, "T2")
    desk.say(Moved, entry=1, table="T2", seat=2)
    hand(desk, "T1")
    desk.say(RebuyTakenBack, entry=1)
    desk.say(Rebuy, entry=1, paid=11_000, stake=500)
    hand(desk, "T2", 2)
    assert reason_of(desk, RebuyTakenBack, entry=1)[0] is Reason.WRONG_STATE


def test_it_is_no_entry_that_never_sat_none_twice_and_none_that_has_had_the_most() -> None:
    desk = seated()
    desk.enter("p5")
    desk.say(Rebuy, entry=1, paid=11_000, stake=500)
    assert reason_of(desk, RebuyTakenBack, entry=1, to=1) == (Reason.NAMED_TWICE, FORMATS)
    assert reason_of(desk, RebuyTakenBack, entry=1, to=5) == (Reason.NOT_SEATED, FORMATS)
    assert reason_of(desk, RebuyTakenBack, entry=1, to=9)[0] is Reason.UNKNOWN_ENTRY
    for _ in range(2):
        desk.say(Rebuy, entry=2, paid=11_000, stake=500)
    assert reason_of(desk, RebuyTakenBack, entry=1, to=2) == (Reason.NOT_ALLOWED, FORMATS)
    without = seated(rebuy=None, add_on=None)
    assert reason_of(without, AddOnTakenBack, entry=1)[0] is Reason.WRONG_STATE
    assert reason_of(seated("star-2025"), RebuyTakenBack, entry=1)[0] is Reason.NOT_IN_THE_BOOK


def test_who_is_out_has_no_chips_to_take_and_a_sealed_stack_stays_sealed() -> None:
    desk = seated()
    desk.say(Rebuy, entry=1, paid=11_000, stake=500)
    desk.say(Rebuy, entry=2, paid=11_000, stake=500)
    desk.out(1)
    assert reason_of(desk, RebuyTakenBack, entry=1)[0] is Reason.NOT_SEATED
    for entry, chips in ((2, 50_000), (3, 30_000), (4, 80_000)):
        desk.say(StackBagged, entry=entry, first="ana", first_chips=chips, second="ben", second_chips=chips)
    assert reason_of(desk, RebuyTakenBack, entry=2)[0] is Reason.WRONG_STATE
    desk.say(Suspended)
    assert reason_of(desk, RebuyTakenBack, entry=2) == (Reason.WRONG_STATE, "Table Redraws 2")


def test_the_pool_and_the_prizes_follow_and_what_the_cage_has_paid_stands() -> None:
    desk = seated()
    desk.say(Rebuy, entry=2, paid=11_000, stake=500)
    desk.say(Rebuy, entry=3, paid=11_000, stake=500)
    desk.say(PayoutsSet, percent=("50", "30", "20"))
    desk.say(LateClosed)
    desk.out(1)
    desk.out(4)
    assert desk.tournament.parts.of(Money).told == {4: 20_000}
    told = desk.say(RebuyTakenBack, entry=2)
    assert [one for one in told if isinstance(one, PoolIs | Payout)] == [
        PoolIs(90_000, (45_000, 27_000, 18_000)), Payout(4, 18_000),
    ]  # fmt: skip
    desk.say(PrizePaid, entry=4, cents=18_000)
    assert reason_of(desk, RebuyTakenBack, entry=3)[0] is Reason.PAID_ALREADY
    desk.say(RebuyTakenBack, entry=3, to=2)


def test_no_more_chips_are_taken_back_than_came_so() -> None:
    ledger = Ledger().issue(Into.ENTRY, "play", 100).issue(Into.REBUY, "play", 50)
    assert refused(lambda: ledger.take_back(Into.REBUY, "play", 51))[0] is Reason.DOES_NOT_ADD_UP
    assert refused(lambda: ledger.take_back(Into.REBUY, "play", 0))[0] is Reason.DOES_NOT_ADD_UP
    assert ledger.take_back(Into.REBUY, "play", 50) == Ledger().issue(Into.ENTRY, "play", 100)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 4), st.integers(1, 4), st.integers(1, 4)), min_size=5, max_size=40))
def test_chips_and_cents_are_those_of_what_stands(steps: list[tuple[int, int, int]]) -> None:
    """Whatever is bought, taken back and played: chips in play, the pool and the entries' own sums are one."""
    desk = seated(rebuy={"price": 10_000, "house": 1_000, "chips": 20_000, "until_level": 3})
    hands = 0
    for what, entry, other in steps:
        try:
            if what <= 1:
                desk.say(Rebuy, entry=entry, paid=11_000, stake=500)
            elif what == 2:
                hands += 1
                hand(desk, number=hands)
            else:
                to = other if what == 3 else None
                event = RebuyTakenBack(t=desk.t, by=None, entry=entry, to=to)
                assert from_line(to_line(event)) == event
                desk.say(RebuyTakenBack, entry=entry, to=to)
        except Refused:
            continue
    parts = desk.tournament.parts
    rebuys = sum(bought_by(parts, entry).rebuys for entry in range(1, 5))
    assert parts.of(Stacks).ledger.came[Into.REBUY] == rebuys * 20_000
    assert parts.of(Stacks).ledger.in_play == sum(bought_by(parts, entry).chips for entry in range(1, 5))
    assert pool_of(parts) == 4 * 20_000 + rebuys * 10_000
    assert all(bought.rebuys for bought in parts.of(Rebuys).bought.values())


# -- a chip race


def test_a_race_that_was_ordered_by_mistake_is_no_race_and_what_was_raced_stays_so() -> None:
    game = Game("star-2025")
    races = game.tournament.parts.law.book.races
    assert races is not None
    assert game.refuse(RaceTakenBack) == (Reason.WRONG_STATE, races.clause)
    before = game.tournament.parts.of(Stacks)
    game.say(RaceOrdered, chip=25, new_chip=100)
    assert game.say(RaceTakenBack) == [RaceOff(("T1", "T2"), 0)]
    assert game.tournament.parts.of(Stacks) == before
    game.say(RaceOrdered, chip=25, new_chip=100)
    game.say(RaceTold, by=None, table="T1", odd=((1, 3), (2, 3)), chips=((1, 1), (2, 1)), out=150)
    assert game.say(RaceTakenBack) == [RaceOff(("T2",), 50)]
    assert game.tournament.parts.of(Stacks).ledger.in_play == before.ledger.in_play + 50
    assert game.refuse(RaceTold, table="T2")[0] is Reason.WRONG_STATE, "nobody ordered it"
    game.say(RaceOrdered, chip=25, new_chip=500)


# -- called off


def test_a_tournament_that_was_called_off_by_mistake_is_what_it_was_and_its_clock_stands() -> None:
    desk = seated()
    desk.say(ScheduleSet, levels=(LevelRow(seconds=1200, blinds=(100, 200)),))
    desk.say(PayoutsSet, percent=("60", "40"))
    assert reason_of(desk, CancelTakenBack)[0] is Reason.WRONG_STATE
    desk.say(Rebuy, entry=2, paid=11_000, stake=500)
    desk.say(LateClosed)
    for entry in (1, 4, 3):
        desk.out(entry)
    desk.say(ClockRan)
    before, t = desk.tournament.parts, desk.t
    desk.say(TournamentCancelled, refund=True)
    assert reason_of(desk, EntryTaken, entry=9, person="z", name="Z", paid=1)[0] is Reason.CANCELLED
    copied = desk.tournament.copied()
    desk.t += 500
    told = desk.say(CancelTakenBack)
    place = before.of(Seating).places[2]
    assert told[0] == TournamentGoesOn(1)
    assert [(one.entry, one.place) for one in told if isinstance(one, Seated)] == [(2, place)]
    assert [one for one in told if isinstance(one, Payout)] == [Payout(2, 54_000), Payout(3, 36_000)]
    after = desk.tournament.parts
    assert [part for part in after.all() if not isinstance(part, Time)] == [
        part for part in before.all() if not isinstance(part, Time)
    ]
    clock = after.of(Time).clock
    assert clock is not None
    assert (clock.running, clock.elapsed) == (False, 1.0)
    assert t + 1 == copied.t
    again = copied.copied()
    again.apply(CancelTakenBack(t=desk.t, by=DIRECTOR))
    assert again.digest() == desk.tournament.digest(), "a copy knows what was before, too"
    desk.say(ClockPut, elapsed=5.0, running=True)
    desk.say(PrizePaid, entry=3, cents=36_000)


@pytest.mark.parametrize("law", ["onyx", "act-2019-uth", "star-2025"])
def test_before_anybody_sits_and_without_a_schedule_it_goes_on_too(law: str) -> None:
    desk = Desk(law)
    desk.enter("a", "b")
    before = desk.tournament.parts
    desk.say(TournamentCancelled, refund=True)
    assert desk.say(CancelTakenBack) == [TournamentGoesOn(2)]
    assert list(desk.tournament.parts.all()) == list(before.all())
    desk.enter("c")
