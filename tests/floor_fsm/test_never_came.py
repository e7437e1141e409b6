"""Who never came and comes after all (The Star 7.12), who was told to leave by mistake, and stacks that cannot be."""

from typing import Any

import pytest

from floor_fsm.errors import Reason
from floor_fsm.lines import from_line, to_line
from floor_fsm.messages.chips import ChipsTaken
from floor_fsm.messages.clock import LevelRow, ScheduleSet
from floor_fsm.messages.draw import SeatsDrawn
from floor_fsm.messages.entries import (
    EntryBack,
    EntryCame,
    EntryGivenUp,
    EntryNeverCame,
    LateClosed,
    LevelBegan,
    StakeBack,
)
from floor_fsm.messages.hands import HandOver, Placed, WentOut
from floor_fsm.messages.money import Payout
from floor_fsm.messages.people import PersonLeft
from floor_fsm.messages.seating import Seated
from floor_fsm.state.entries import Standing
from floor_fsm.state.floor import People, Stacks
from floor_fsm.state.hands import Places
from floor_fsm.state.seating import Seating
from tests.floor_fsm.game import Game
from tests.floor_fsm.support import Desk, reason_of

STACK = 30_000
NOT_THERE = "7.12"


def in_play(desk: Desk) -> int:
    return desk.tournament.parts.of(Stacks).ledger.in_play


def at_level_five() -> tuple[Desk, int]:
    """Five sit, level 5 has begun, and the first of them has not been seen."""
    desk = Desk("star-2025", tables=1, seats=8)
    entries = desk.enter(*"ABCDE")
    desk.draw()
    levels = [LevelRow(seconds=1200, blinds=(100 * n, 200 * n), ante=200 * n, big_blind_ante=True) for n in range(1, 9)]
    desk.say(ScheduleSet, levels=tuple(levels))
    assert reason_of(desk, EntryNeverCame, entry=entries[0], chips=27_000) == (Reason.WRONG_STATE, NOT_THERE)
    desk.say(LevelBegan, by=None, level=5)
    return desk, entries[0]


def test_who_has_not_come_by_the_end_of_level_four_is_out_provisionally_and_the_stake_leaves_play() -> None:
    desk, one = at_level_five()
    place = desk.tournament.parts.of(Seating).places[one]
    assert reason_of(desk, EntryNeverCame, entry=one, chips=STACK + 25) == (Reason.DOES_NOT_ADD_UP, NOT_THERE)
    desk.say(EntryNeverCame, entry=one, chips=27_000)
    assert list(desk.standing(Standing.OUT)) == [one]
    assert in_play(desk) == 5 * STACK - 27_000

    said = reason_of(desk, EntryCame, entry=one, missed=((6, 1, 8),))
    assert said == (Reason.DOES_NOT_ADD_UP, NOT_THERE), "level 6 has not begun"
    told = desk.say(EntryCame, entry=one, missed=((5, 2, 16),))
    back = 27_000 - 2 * (500 + 1000 + 1000)
    assert StakeBack(one, back) in told
    assert [output.place for output in told if isinstance(output, Seated)] == [place]
    assert in_play(desk) == 5 * STACK - 27_000 + back
    assert reason_of(desk, EntryCame, entry=one)[0] is Reason.NOT_ALLOWED, "nobody comes twice"


def test_who_comes_sits_where_the_director_says_and_has_no_place_any_more() -> None:
    desk, one = at_level_five()
    desk.say(LateClosed)
    assert Placed(one, 5, 5, provisional=False) in desk.say(EntryNeverCame, entry=one, chips=20_000)
    free = min(set(range(1, 9)) - set(desk.tournament.parts.of(Seating).at("T1")))
    desk.say(EntryCame, entry=one, table="T1", seat=free)
    assert desk.tournament.parts.of(Seating).at("T1")[free] == one
    assert one not in desk.tournament.parts.of(Places).said


def test_who_is_out_for_another_reason_or_has_nothing_left_does_not_come() -> None:
    desk, one = at_level_five()
    two = next(entry for entry in desk.standing(Standing.IN_PLAY) if entry != one)
    desk.say(EntryNeverCame, entry=one, chips=2_000)
    said = reason_of(desk, EntryCame, entry=one, missed=((5, 1, 8),))
    assert said == (Reason.DOES_NOT_ADD_UP, NOT_THERE), "2,500 were missed"
    desk.out(two)
    assert reason_of(desk, EntryCame, entry=two) == (Reason.NOT_ALLOWED, NOT_THERE)
    other = Desk("onyx")
    a, b = other.enter("A", "B")
    other.draw()
    assert reason_of(other, EntryNeverCame, entry=a, chips=5)[0] is Reason.NOT_IN_THE_BOOK
    other.out(b)
    assert reason_of(other, EntryCame, entry=b) == (Reason.NOT_ALLOWED, "No Shows 1, 2")


def test_without_a_schedule_nobody_knows_what_was_missed() -> None:
    desk = Desk("star-2025", tables=1, seats=8)
    one, *_ = desk.enter(*"ABCD")
    desk.draw()
    desk.say(LevelBegan, by=None, level=5)
    desk.say(EntryNeverCame, entry=one, chips=2_000)
    assert reason_of(desk, EntryCame, entry=one) == (Reason.WRONG_STATE, NOT_THERE)


def test_the_events_are_lines() -> None:
    said = from_line('{"ev":"entry.came","entry":1,"missed":[[5,2,16]],"t":1.0}')
    assert isinstance(said, EntryCame)
    assert said.missed == ((5, 2, 16),)
    assert from_line(to_line(said)) == said


# -- told to leave by mistake


@pytest.mark.parametrize(("why", "clause"), [("disqualified", "6.9, 7.39"), ("barred", "6.17(b)")])
def test_who_was_told_to_leave_by_mistake_plays_on_for_the_prize(why: str, clause: str) -> None:
    """The director had chosen the wrong entry: chips, prize and the right to enter are as before."""
    game = Game("star-2025", players=8)
    one = game.at("T1")[0]
    told = game.say(PersonLeft, entry=one, why=why, chips=12_000)
    assert clause in {output.clause for output in told if hasattr(output, "clause")}
    assert in_play(game) == 8 * STACK - 12_000
    game.say(EntryBack, entry=one)
    people = game.tournament.parts.of(People)
    assert (people.unpaid, people.barred, people.barred_for) == ((), (), ())
    assert in_play(game) == 8 * STACK
    for other in [entry for entry in game.standing(Standing.IN_PLAY) if entry != one]:
        game.out(other)
    assert Payout(one, 8 * 20_000) in game.say(EntryBack, entry=other) + game.out(other)


def test_whose_fee_went_back_enters_anew() -> None:
    game = Game("star-2025")
    one = game.at("T1")[0]
    game.say(PersonLeft, entry=one, why="absent", chips=0, refund=True)
    assert game.refuse(EntryBack, entry=one)[0] is Reason.NOT_ALLOWED


@pytest.mark.parametrize("counted", [True, False])
def test_chips_that_were_given_up_by_mistake_are_in_play_again(counted: bool) -> None:
    desk = Desk("star-2025", tables=2, seats=4)
    one, *_ = desk.enter(*"ABCD")
    desk.by_draw(SeatsDrawn, short_tables=True)
    desk.say(EntryGivenUp, entry=one)
    if counted:
        desk.say(ChipsTaken, entry=one, why="forfeited", chips=9_000)
    desk.say(EntryBack, entry=one)
    assert in_play(desk) == 4 * STACK
    assert desk.tournament.parts.of(Stacks).uncounted == ()


# -- a stack that cannot be


@pytest.mark.parametrize(
    "told",
    [
        [{"stack": 5_000, "put_in": 5_025}],
        [{"stack": 8 * STACK + 25, "put_in": 100}],
        [{"stack": None, "put_in": 8 * STACK + 25}],
        [{"stack": 5 * STACK}, {"stack": 4 * STACK}],
    ],
)
def test_a_table_that_tells_a_stack_that_cannot_be_is_refused(told: list[dict[str, Any]]) -> None:
    game = Game("onyx", players=8)
    out = tuple(WentOut(entry=entry, **one) for entry, one in zip(game.at("T1"), told, strict=False))
    assert game.refuse(HandOver, table="T1", out=out) == (Reason.DOES_NOT_ADD_UP, "Hand for Hand 4, 5")
