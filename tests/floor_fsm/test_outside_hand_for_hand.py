"""A table that has no players when hand for hand begins is not in it: nobody gets a seat there until it is over."""

from typing import Any

import pytest

from floor_fsm.core.event import Event
from floor_fsm.drawing import Place
from floor_fsm.errors import Reason
from floor_fsm.messages.draw import SeatsDrawn
from floor_fsm.messages.entries import EntryBack
from floor_fsm.messages.hands import HandForHandBegan, HandForHandEnded, HandOver, HandReleased
from floor_fsm.messages.seating import Moved, Redrawn, SeatGiven, SeatLate, TableBreaks, TableBroken
from floor_fsm.messages.tables import Balanced, HandBegan
from floor_fsm.state.hands import Hands
from floor_fsm.state.seating import Seating
from tests.floor_fsm.refusing import refused
from tests.floor_fsm.support import Desk, reason_of

OUTSIDE = Reason.WRONG_STATE, "7.19"


def bubble() -> Desk:
    """Seven at T1 and T2, one waits, T3 stands empty; hand for hand."""
    desk = Desk("star-2025", tables=3, seats=4)
    desk.enter(*(f"P{number}" for number in range(7)))
    desk.by_draw(SeatsDrawn, short_tables=True)
    desk.enter("late")
    desk.say(HandForHandBegan, why="bubble")
    assert set(at_hands(desk)) == {"T1", "T2"}
    return desk


def at_hands(desk: Desk) -> dict[str, Any]:
    play = desk.tournament.parts.of(Hands).play
    assert play is not None
    return dict(play.tables)


def places(desk: Desk) -> dict[int, Place]:
    return dict(desk.tournament.parts.of(Seating).places)


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        (Moved, {"entry": 1, "table": "T3", "seat": 1}),
        (SeatGiven, {"entry": 8, "table": "T3", "seat": 1}),
    ],
)
def test_nobody_is_seated_at_a_table_outside_hand_for_hand(kind: type[Event], fields: dict[str, Any]) -> None:
    """It would deal at its own pace through the bubble, and its hands would be refused with a number and without."""
    desk = bubble()
    assert reason_of(desk, kind, **fields) == OUTSIDE
    desk.say(HandForHandEnded)
    desk.say(kind, **fields)


def test_who_is_back_in_play_gets_a_seat_at_a_table_that_plays() -> None:
    desk = bubble()
    desk.out(1)
    assert reason_of(desk, EntryBack, entry=1, table="T3", seat=1) == OUTSIDE
    desk.say(EntryBack, entry=1)


def test_a_table_is_not_broken_onto_one_outside_nor_are_all_seats_drawn_there() -> None:
    desk = bubble()
    there = list(desk.tournament.parts.of(Seating).at("T1").values())
    to = tuple((entry, "T3", seat) for seat, entry in enumerate(there, 1))
    assert reason_of(desk, TableBroken, table="T1", to=to) == OUTSIDE
    seats = list(desk.tournament.parts.of(Seating).at("T1"))
    desk.say(HandBegan, by=None, table="T1", hand=1, small_blind=seats[0], big_blind=seats[1])
    secret = desk.secrets[0]
    assert reason_of(desk, Redrawn, secret=secret, tables=("T3",), occasion="final_table") == OUTSIDE
    assert refused(lambda: desk.by_draw(TableBreaks, table="T1"))[0] is Reason.TOO_MANY_ENTRIES


def test_players_are_not_balanced_to_a_table_outside() -> None:
    desk = Desk("onyx", tables=3, seats=4)
    desk.enter(*(f"P{number}" for number in range(7)))
    desk.draw()
    desk.say(HandForHandBegan, why="bubble")
    assert reason_of(desk, Balanced, table="T1", to="T3", hand=1) == (Reason.WRONG_STATE, "Hand for Hand 1, 6")


def test_late_places_are_drawn_at_tables_that_play_and_all_their_hands_are_taken() -> None:
    desk = bubble()
    desk.late(8)
    assert places(desk)[8].table == "T2"
    desk.enter("later")
    assert reason_of(desk, SeatLate, secret=desk.secrets[0], entry=9) == (Reason.FULL, None)
    desk.say(HandReleased)
    for table in ("T1", "T2"):
        desk.say(HandOver, by=None, table=table, hand=1, out=())
    desk.say(HandForHandEnded)
    desk.late(9)
    assert places(desk)[9].table == "T3"
