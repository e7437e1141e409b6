"""Balancing, breaking and redraws by the books: who moves, where to, why, and what becomes of the blinds."""

from collections.abc import Mapping

import pytest

from floor_fsm.drawing import Place
from floor_fsm.errors import Reason
from floor_fsm.law.occasions import Occasion
from floor_fsm.messages.chips import Resumed, StackBagged, Suspended
from floor_fsm.messages.draw import SeatsDrawn
from floor_fsm.messages.hands import HandForHandBegan, HandOver, HandReleased
from floor_fsm.messages.people import Carried, TimeBanksTold
from floor_fsm.messages.seating import (
    Moved,
    Redrawn,
    Seated,
    SeatGiven,
    SeatLate,
    TableBreaks,
    TableBroken,
    TableGone,
    Why,
)
from floor_fsm.messages.tables import (
    Balanced,
    BreakingOrder,
    BreakingOrderTold,
    HandBegan,
    TableGoesOn,
    TableWaits,
)
from floor_fsm.play.hand_for_hand import Why as Spell
from floor_fsm.positions import clockwise, hands_to_big_blind, is_between
from floor_fsm.state.floor import Stacks
from floor_fsm.state.hands import Hands
from floor_fsm.state.seating import Seating
from floor_fsm.state.tables import Tables, Wanted, next_move, next_to_break
from tests.floor_fsm.support import Desk, reason_of

ONYX_BALANCING = "Balancing 1, 2"
REDRAWS = "Table Redraws 1 to 4"


def seated(seats: Mapping[str, tuple[int, ...]], law: str = "onyx", most: int = 9) -> Desk:
    """A tournament with players at these seats, entry by entry; the first table's first seat has entry 1."""
    desk = Desk(law, tables=len(seats), seats=most)
    places = [(table, seat) for table, those in seats.items() for seat in those]
    for entry, (table, seat) in zip(desk.enter(*(f"P{n}" for n in range(len(places)))), places, strict=True):
        desk.say(SeatGiven, entry=entry, table=table, seat=seat)
    return desk


def hand(desk: Desk, table: str, number: int, big: int, small: int | None = None) -> list[object]:
    return [*desk.say(HandBegan, by=None, table=table, hand=number, big_blind=big, small_blind=small)]


# -- positions


def test_the_big_blind_goes_round_and_a_seat_behind_it_waits_longest() -> None:
    assert clockwise((1, 4, 7, 9), 4) == [7, 9, 1, 4]
    assert clockwise((1, 4, 7, 9), 5) == [7, 9, 1, 4]
    assert hands_to_big_blind(8, (1, 4, 7, 9), 4) == 1
    assert hands_to_big_blind(4, (1, 4, 7, 9), 4) == 3
    assert clockwise((11, 1), 11) == [1, 11]


@pytest.mark.parametrize(
    ("seat", "players", "small", "big", "between"),
    [
        (5, (1, 3, 4, 6), 4, 6, True),  # the next button is at 4, the next small blind at 6
        (7, (1, 3, 4, 6), 4, 6, False),
        (2, (1, 3, 4, 6), 4, 6, False),
        (1, (2, 5, 9, 11), 11, 2, True),  # round the end of the table
        (5, (1, 3, 4, 6), None, 6, False),
        (2, (1, 3), 1, 3, False),  # of two the next big blind has the button now: a third is never between
    ],
)
def test_between_the_button_and_the_small_blind(
    seat: int, players: tuple[int, ...], small: int | None, big: int, between: bool
) -> None:
    assert is_between(seat, players, small, big) is between


# -- balancing


def test_onyx_moves_the_next_big_blind_to_the_worst_position() -> None:
    """Onyx, Balancing 1."""
    desk = seated({"T1": (1, 2, 4, 6, 8, 9), "T2": (1, 3, 5, 7)})
    hand(desk, "T1", 12, big=4, small=2)
    hand(desk, "T2", 8, big=5, small=3)
    assert next_move(desk.tournament.parts) == Wanted(4, Place("T1", 6), Place("T2", 6), ONYX_BALANCING)
    assert desk.say(Balanced, table="T1", hand=12, to="T2") == [
        Seated(4, Place("T2", 6), Why.BALANCED, Place("T1", 6), to_big_blind=0),
        TableGoesOn("T2"),
    ]
    assert next_move(desk.tournament.parts) is None
    refused = reason_of(desk, Balanced, table="T1", hand=12, to="T2")
    assert refused == (Reason.BALANCED_ALREADY, ONYX_BALANCING)


def test_a_move_is_of_the_hand_that_its_director_saw_and_needs_both_tables_blinds() -> None:
    desk = seated({"T1": (1, 2, 3, 4), "T2": (1, 2), "T3": (1, 2, 3)})
    assert next_move(desk.tournament.parts) is None
    assert reason_of(desk, Balanced, table="T1", hand=1, to="T2")[0] is Reason.NO_HAND_TOLD
    hand(desk, "T1", 1, big=3, small=2)
    assert reason_of(desk, Balanced, table="T1", hand=1, to="T2")[0] is Reason.NO_HAND_TOLD
    hand(desk, "T2", 1, big=2, small=1)
    hand(desk, "T1", 2, big=4, small=3)
    assert reason_of(desk, Balanced, table="T1", hand=1, to="T2")[0] is Reason.WRONG_HAND
    assert reason_of(desk, Balanced, table="T1", hand=2, to="T9")[0] is Reason.UNKNOWN_TABLE
    assert reason_of(desk, Balanced, table="T2", hand=1, to="T1")[0] is Reason.BALANCED_ALREADY
    desk.say(Balanced, table="T1", hand=2, to="T2")
    assert desk.tournament.parts.of(Seating).at("T2") == {1: 5, 2: 6, 3: 1}


def test_the_star_leaves_who_moves_to_the_director() -> None:
    """The Star 7.22; the blinds of the new seat are told by 7.23."""
    desk = seated({"T1": (1, 2, 3, 4, 5), "T2": (1, 2, 5)}, "star-2025")
    hand(desk, "T1", 1, big=3, small=2)
    hand(desk, "T2", 1, big=5, small=2)
    assert reason_of(desk, Balanced, table="T1", hand=1, to="T2") == (Reason.NOT_IN_THE_BOOK, "7.22")
    [moved] = desk.say(Moved, entry=4, table="T2", seat=3)
    assert moved == Seated(4, Place("T2", 3), Why.GIVEN, Place("T1", 4), to_big_blind=2, dealt_out=True)
    uth = seated({"T1": (1, 2, 3, 4, 5), "T2": (1, 2, 5)}, "act-2019-uth")
    hand(uth, "T2", 1, big=5, small=2)
    [moved] = uth.say(Moved, entry=4, table="T2", seat=3)
    assert isinstance(moved, Seated)
    assert not moved.dealt_out


def test_a_table_that_is_three_short_waits_when_its_big_blind_reaches_a_free_seat() -> None:
    """Onyx, Balancing 2."""
    desk = seated({"T1": (1, 2, 3, 4, 5, 6, 7), "T2": (1, 2, 3, 5, 6), "T3": (1, 2, 3, 4, 5, 6)}, most=8)
    hand(desk, "T1", 1, big=2)
    assert hand(desk, "T2", 1, big=2) == [], "the next big blind is at seat 3, which somebody has"
    assert hand(desk, "T2", 2, big=3) == [TableWaits("T2", 4, ONYX_BALANCING)]
    assert desk.say(Balanced, table="T1", hand=1, to="T2") == [
        Seated(3, Place("T2", 4), Why.BALANCED, Place("T1", 3), to_big_blind=0),
        TableGoesOn("T2"),
    ]
    assert hand(desk, "T2", 3, big=4) == []


def test_a_table_waits_for_nobody_who_cannot_come() -> None:
    desk = seated({"T1": (1, 2, 3), "T2": (1, 2, 3, 4)}, most=8)
    assert hand(desk, "T1", 1, big=3) == []
    [late] = desk.enter("late")
    assert desk.tournament.parts.of(Tables).waits == {"T1": 4}, "somebody waits for a seat"
    desk.say(SeatGiven, entry=late, table="T2", seat=7)
    assert desk.tournament.parts.of(Tables).waits == {"T1": 4}, "the other table has players to give"
    assert desk.out(late)[-1] == TableGoesOn("T1")


def test_a_hand_that_cannot_be_is_refused() -> None:
    desk = seated({"T1": (1, 2, 3), "T2": (1, 2)})
    hand(desk, "T1", 5, big=3)
    assert reason_of(desk, HandBegan, by=None, table="T1", hand=5, big_blind=1)[0] is Reason.WRONG_HAND
    assert reason_of(desk, HandBegan, by=None, table="T1", hand=6, big_blind=4)[0] is Reason.NOT_SEATED
    assert reason_of(desk, HandBegan, by=None, table="T9", hand=1, big_blind=1)[0] is Reason.UNKNOWN_TABLE


# -- breaking


def test_onyx_breaks_tables_in_the_announced_order_and_draws_seat_cards() -> None:
    """Onyx, Breaking Tables 1 to 3."""
    desk = seated({"T1": (1, 2, 3), "T2": (1, 2, 3, 4), "T3": (1, 2, 3, 5)}, most=6)
    assert next_to_break(desk.tournament.parts) is None
    secret = desk.secrets[0]
    assert reason_of(desk, TableBreaks, table="T3", secret=secret)[0] is Reason.NOT_NEXT_TO_BREAK
    assert reason_of(desk, BreakingOrder, tables=("T3", "T3"))[0] is Reason.NAMED_TWICE
    assert desk.say(BreakingOrder, tables=("T3", "T2")) == [BreakingOrderTold(("T3", "T2"))]
    assert next_to_break(desk.tournament.parts) == "T3"
    assert reason_of(desk, TableBreaks, table="T2", secret=secret) == (
        Reason.NOT_NEXT_TO_BREAK,
        "Breaking Tables 1 to 3",
    )
    hand(desk, "T1", 3, big=3, small=2)
    *moves, gone = desk.by_draw(TableBreaks, table="T3")
    assert gone == TableGone("T3")
    moved = [move for move in moves if isinstance(move, Seated)]
    assert [move.come_from for move in moved] == [Place("T3", seat) for seat in (1, 2, 3, 5)], "from seat 1 on"
    assert {move.why for move in moved} == {Why.BROKEN}
    sizes = [len(desk.tournament.parts.of(Seating).at(table)) for table in ("T1", "T2")]
    assert sizes == [6, 5], "each card is a seat at the table with the fewest players"
    assert {move.to_big_blind for move in moved if move.place.table == "T1"} <= {0, 1, 2, 3, 4, 5}
    assert next_to_break(desk.tournament.parts) is None, "eleven do not fit at one table"
    assert reason_of(desk, TableBreaks, table="T2", secret=desk.secrets[0])[0] is Reason.TOO_MANY_ENTRIES
    assert reason_of(desk, TableBreaks, table="T3", secret=desk.secrets[0])[0] is Reason.TABLE_IS_BROKEN


def test_the_cards_of_a_broken_table_follow_from_its_secret_alone() -> None:
    def broken(turn: int) -> list[object]:
        desk = seated({"T1": (1, 2), "T2": (1, 2, 3), "T3": (1, 3)}, "star-2025")
        del desk.secrets[turn:]
        desk.secrets.reverse()
        assert reason_of(desk, TableBreaks, table="T2", secret="ab" * 32)[0] is Reason.NOT_AS_COMMITTED
        desk.secrets.reverse()
        return [*desk.by_draw(TableBreaks, table="T2")]

    assert broken(5) == broken(5)


def test_where_a_newcomer_would_be_between_button_and_small_blind_the_hand_is_missed() -> None:
    """Onyx, Breaking Tables 3; The Star 7.23."""
    desk = seated({"T1": (1, 2, 5, 6), "T2": (1,)}, most=6)
    hand(desk, "T1", 9, big=5, small=2)
    first, second = desk.say(TableBroken, table="T2", to=((5, "T1", 3),))
    assert first == Seated(5, Place("T1", 3), Why.BROKEN, Place("T2", 1), to_big_blind=3, dealt_out=True)
    assert second == TableGone("T2")


# -- redraws


def test_the_final_table_is_drawn_anew_and_the_others_are_gone() -> None:
    """The Star 7.24; Onyx, Table Redraws 1."""
    desk = seated({"T1": (1, 2, 3, 4), "T2": (1, 2, 3, 4, 5)}, "star-2025")
    hand(desk, "T1", 30, big=2, small=1)
    secret = desk.secrets[0]
    both = reason_of(desk, Redrawn, occasion=Occasion.FINAL_TABLE, tables=("T1", "T2"), secret=secret)
    assert both == (Reason.NO_SUCH_SEAT, "7.24")
    night = reason_of(desk, Redrawn, occasion=Occasion.OVERNIGHT, tables=("T1",), secret=secret)
    assert night == (Reason.NOT_IN_THE_BOOK, "7.24")
    outputs = desk.by_draw(Redrawn, occasion=Occasion.FINAL_TABLE, tables=("T1",))
    assert outputs[-1] == TableGone("T2")
    moved = [move for move in outputs if isinstance(move, Seated)]
    assert sorted(move.place.seat for move in moved) == list(range(1, 10))
    assert {(move.why, move.to_big_blind) for move in moved} == {(Why.REDRAWN, None)}
    assert hand(desk, "T1", 1, big=9) == [], "a table counts its hands anew"


def test_onyx_redraws_overnight_at_nine_and_as_the_director_has_announced() -> None:
    """Onyx, Table Redraws 1 to 3. The first two are of tournaments of several days alone."""
    desk = seated({"T1": (1, 2, 3, 4, 5), "T2": (1, 2, 3, 4, 5)}, most=5)
    nine = {"occasion": Occasion.LAST_NINE, "tables": ("T1", "T2")}
    one = {"occasion": Occasion.FINAL_TABLE, "tables": ("T1",)}
    assert reason_of(desk, Redrawn, **one, secret=desk.secrets[0])[0] is Reason.TOO_MANY_ENTRIES
    assert reason_of(desk, Redrawn, **nine, secret=desk.secrets[0]) == (Reason.NOT_ALLOWED, REDRAWS)
    night = {"occasion": Occasion.OVERNIGHT, "tables": ("T1", "T2")}
    assert reason_of(desk, Redrawn, **night, secret=desk.secrets[0]) == (Reason.NOT_ALLOWED, REDRAWS)
    for entry in desk.tournament.parts.of(Seating).places:
        desk.say(StackBagged, entry=entry, first="Ann", first_chips=30_000, second="Bob", second_chips=30_000)
    desk.say(Suspended)
    desk.say(Resumed)
    for number, occasion in enumerate((Occasion.OVERNIGHT, Occasion.DIRECTOR), 1):
        assert len(desk.by_draw(Redrawn, occasion=occasion, tables=("T1", "T2"))) == 10
        hand(desk, "T1", number, big=3, small=2)
    assert reason_of(desk, Redrawn, **nine, secret=desk.secrets[0])[0] is Reason.TOO_MANY_ENTRIES
    desk.out(1)
    assert len(desk.by_draw(Redrawn, **nine)) == 9
    silent = seated({"T1": (1, 2)}, "act-2001")
    assert reason_of(silent, Redrawn, **one, secret=silent.secrets[0])[0] is Reason.NOT_IN_THE_BOOK


# -- secrets


def test_each_secret_is_told_once_and_in_its_order() -> None:
    desk = Desk(tables=2, seats=4)
    desk.enter("A", "B", "C")
    first, second = desk.secrets[:2]
    assert reason_of(desk, SeatsDrawn, secret=second)[0] is Reason.NOT_AS_COMMITTED
    desk.draw()
    [late] = desk.enter("D")
    assert reason_of(desk, SeatLate, entry=late, secret=first)[0] is Reason.NOT_AS_COMMITTED
    desk.late(late)
    never = Desk(committed=False)
    never.enter("A")
    assert reason_of(never, SeatsDrawn, secret=first)[0] is Reason.NOT_COMMITTED
    assert len(never.say(SeatGiven, entry=1, table="T1", seat=2)) == 1, "a ballot with cards needs no commitment"


# -- what goes along


def test_a_penalty_goes_along_with_whoever_the_book_moves() -> None:
    desk = seated({"T1": (1, 2, 3, 4, 5), "T2": (1, 2, 3)})
    hand(desk, "T1", 1, big=3, small=2)
    hand(desk, "T2", 1, big=3, small=2)
    desk.say(TimeBanksTold, by=None, entry=4, number=2)
    told = desk.say(Balanced, table="T1", hand=1, to="T2")
    assert Carried(4, "T2", 0, 0, 2, absent=False) in told
    desk.say(BreakingOrder, tables=("T2",))
    assert Carried(4, "T1", 0, 0, 2, absent=False) in desk.by_draw(TableBreaks, table="T2")
    assert Carried(4, "T1", 0, 0, 2, absent=False) in desk.by_draw(
        Redrawn, occasion=Occasion.FINAL_TABLE, tables=("T1",)
    )


def test_a_table_that_breaks_by_draw_plays_no_more_hand_for_hand() -> None:
    desk = seated({"T1": (1, 2, 3), "T2": (1, 2, 3)})
    desk.say(HandForHandBegan, why=Spell.BUBBLE)
    desk.say(HandReleased)
    desk.say(BreakingOrder, tables=("T2",))
    refused = reason_of(desk, TableBreaks, table="T2", secret=desk.secrets[0])
    assert refused[0] is Reason.TABLES_PLAY, "it has a hand to finish"
    for table in ("T1", "T2"):
        desk.say(HandOver, by=None, table=table, hand=1)
    desk.by_draw(TableBreaks, table="T2")
    play = desk.tournament.parts.of(Hands).play
    assert play is not None
    assert set(play.tables) == {"T1"}


def test_who_is_seated_by_hand_has_a_stack() -> None:
    desk = seated({"T1": (1, 2, 3)})
    assert desk.tournament.parts.of(Stacks).ledger.in_play == 90_000
