"""What a stack can be: at its first and last chip, beside a race and beside chips that nobody has counted."""

from typing import Any

import pytest

from floor_fsm.errors import Reason
from floor_fsm.law.matters import Leaves
from floor_fsm.messages.chips import ChipsTaken, RaceOrdered, StackBagged
from floor_fsm.messages.entries import EntryGivenUp
from floor_fsm.messages.hands import HandOver, WentOut
from floor_fsm.messages.people import PersonLeft
from floor_fsm.messages.reports import Doubtful
from floor_fsm.messages.seating import SeatGiven
from floor_fsm.state.floor import Stacks
from tests.floor_fsm.drills import without
from tests.floor_fsm.support import Desk, laws, reason_of

OURS = (Reason.DOES_NOT_ADD_UP, "ours")
ALL = 120_000


def seated(law: Any = "onyx", **terms: Any) -> Desk:
    """Four players with 30,000 chips each: three at T1, one at T2."""
    desk = Desk(law, **terms)
    desk.enter(*"abcd")
    for entry, table, seat in ((1, "T1", 1), (2, "T1", 2), (3, "T1", 3), (4, "T2", 1)):
        desk.say(SeatGiven, entry=entry, table=table, seat=seat)
    return desk


def in_play(desk: Desk) -> int:
    return desk.tournament.parts.of(Stacks).on_tables


def test_who_leaves_has_what_three_others_leave_at_most() -> None:
    desk = seated()
    assert reason_of(desk, PersonLeft, entry=1, why=Leaves.DISQUALIFIED, chips=ALL - 2) == OURS
    desk.say(PersonLeft, entry=1, why=Leaves.DISQUALIFIED, chips=ALL - 3)
    assert in_play(desk) == 3, "the others have a chip each"


def test_who_leaves_last_has_all_chips_and_none_more() -> None:
    desk = seated()
    for entry in (2, 3, 4):
        desk.out(entry)
    for chips in (0, ALL - 1, ALL + 1):
        assert reason_of(desk, PersonLeft, entry=1, why=Leaves.DISQUALIFIED, chips=chips) == OURS
    desk.say(PersonLeft, entry=1, why=Leaves.DISQUALIFIED, chips=ALL)
    assert in_play(desk) == 0


def test_who_has_just_lost_all_may_be_disqualified_without_a_chip() -> None:
    desk = seated()
    desk.say(PersonLeft, entry=1, why=Leaves.DISQUALIFIED, chips=0)
    assert in_play(desk) == ALL


def test_chips_that_are_given_up_are_no_more_than_the_others_leave() -> None:
    desk = seated()
    assert reason_of(desk, EntryGivenUp, entry=1, chips=ALL) == OURS
    desk.say(EntryGivenUp, entry=1)
    assert reason_of(desk, ChipsTaken, entry=1, why="forfeited", chips=ALL - 2) == OURS
    desk.say(ChipsTaken, entry=1, why="forfeited", chips=ALL - 3)
    assert in_play(desk) == 3


def test_the_last_player_does_not_have_chips_that_somebody_gave_up_uncounted() -> None:
    desk = seated()
    desk.say(EntryGivenUp, entry=2)
    desk.out(3)
    desk.out(4)
    desk.say(PersonLeft, entry=1, why=Leaves.DISQUALIFIED, chips=ALL - 500)
    assert in_play(desk) == 500, "those of entry 2, whom nobody has counted"


def test_who_is_out_of_a_hand_left_a_chip_to_each_who_stays_and_to_each_other_table() -> None:
    desk = seated()
    too_many, most = ALL - 2, ALL - 3
    assert reason_of(desk, HandOver, table="T1", out=(WentOut(entry=1, stack=too_many),)) == OURS
    told = desk.say(HandOver, by=None, table="T1", out=(WentOut(entry=1, stack=too_many),))
    assert [one.entry for one in told if isinstance(one, Doubtful)] == [1], "the bust counts, the stack does not"

    desk = seated()
    told = desk.say(HandOver, by=None, table="T1", out=(WentOut(entry=1, stack=most),))
    assert not [one for one in told if isinstance(one, Doubtful)]


def test_of_two_who_are_out_the_one_with_too_many_alone_is_doubted() -> None:
    desk = seated()
    out = (WentOut(entry=1, stack=ALL - 1), WentOut(entry=2, stack=100))
    told = desk.say(HandOver, by=None, table="T1", out=out)
    assert [one.entry for one in told if isinstance(one, Doubtful)] == [1]


def test_while_tables_race_nothing_is_refused_that_the_race_may_explain() -> None:
    desk = seated()
    desk.say(RaceOrdered, chip=25, new_chip=100)
    desk.say(PersonLeft, entry=1, why=Leaves.DISQUALIFIED, chips=ALL)
    assert in_play(desk) == 0


def test_bags_leave_a_chip_to_each_who_has_none_yet() -> None:
    desk = seated("star-2025")

    def bag(entry: int, chips: int) -> dict[str, Any]:
        return {"entry": entry, "first": "Ann", "first_chips": chips, "second": "Bob", "second_chips": chips}

    assert reason_of(desk, StackBagged, **bag(1, ALL - 2)) == OURS
    desk.say(StackBagged, **bag(1, ALL - 3))
    assert reason_of(desk, StackBagged, **bag(2, 2)) == OURS, "beside the first bag that leaves nobody else a chip"
    for entry in (1, 2, 3):
        desk.say(StackBagged, **bag(entry, 30_000))
    assert reason_of(desk, StackBagged, **bag(4, 30_001)) == OURS
    desk.say(StackBagged, **bag(4, 30_000))


@pytest.mark.parametrize("book", ["onyx", "star-2025"])
def test_a_tournament_that_began_without_the_row_goes_on_as_it_did(book: str) -> None:
    desk = seated(without(laws()[book], "stacks"))
    desk.say(PersonLeft, entry=1, why=Leaves.DISQUALIFIED, chips=ALL)
    assert in_play(desk) == 0
