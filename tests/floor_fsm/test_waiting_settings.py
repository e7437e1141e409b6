"""Each setting of a book of waiting lists changes what becomes of a scene: none is there for nothing."""

from collections.abc import Callable
from typing import Any, Final

import pytest
from pydantic import ValidationError

from feltd.books.shipped import waiting_sources
from floor_fsm.errors import Refused
from floor_fsm.law.section import Section
from floor_fsm.waiting.book import Hold, Passing, WaitingBook, load_waiting_books
from floor_fsm.waiting.messages import End, SeatHeld, WaitOver, Waits
from floor_fsm.waiting.room import WaitingRoom
from tests.floor_fsm.settings import WORDS
from tests.floor_fsm.test_waiting import Desk

BOOKS: Final = load_waiting_books(waiting_sources())
CLAUSES: Final = {
    "report": "a person who waits for the game already",
    "order": "others wait longer",
    "hold": "a seat is held for somebody else, or for them",
    "transfers": "nobody has approved it",
}
"""The matters whose clause a refusal names, and of what."""
NO_REFUSAL: Final = {
    "passing": "who is passed over is told where they stand, and nothing is refused by it",
    "leaving": "whoever waits may be taken off at any time, so nothing is refused by it",
    "balance": "a person decides which seat it is: another one is not refused (tests/floor/test_free_seats.py)",
}


def with_row(book: WaitingBook, **rows: Section | None) -> Desk:
    """A desk under the book with other rows."""
    desk = Desk()
    desk.room = WaitingRoom(book.model_copy(update=rows))
    desk.t = 0.0
    desk.say("game.listed", game="nl-1-2", name="Hold'em 1/2")
    desk.say("game.listed", game="plo-2-5", name="Omaha 2/5", hold_minutes=2)
    return desk


def hold_of(book: WaitingBook, minutes: int) -> Hold:
    return book.hold.model_copy(update={"minutes": minutes})


def passing_of(book: WaitingBook, times: int) -> Passing:
    return book.passing.model_copy(update={"times": times})


def test_the_settings_of_waiting_lists_are_these() -> None:
    """Whoever adds one adds its scene here."""
    for book in BOOKS.values():
        settings = {
            (matter, name) for matter, row in book.sections() for name in type(row).model_fields if name not in WORDS
        }
        assert settings == {("hold", "minutes"), ("passing", "times")}
        assert set(CLAUSES) | set(NO_REFUSAL) == {matter for matter, _ in book.sections()}


@pytest.mark.parametrize("book", BOOKS.values(), ids=list(BOOKS))
@pytest.mark.parametrize("minutes", [1, 4, 5, 6, 60])
def test_a_seat_is_held_as_long_as_the_book_says(book: WaitingBook, minutes: int) -> None:
    desk = with_row(book, hold=hold_of(book, minutes))
    desk.join("Anna", "Ben")
    assert desk.say("waiting.called", number=1, table="T1", seat=4) == (SeatHeld(1, "T1", 4, minutes * 60.0),)
    assert desk.refused("waiting.passed_over", after=minutes * 60.0 - 0.01, number=1)[2] == book.hold.clause
    desk.say("waiting.passed_over", after=minutes * 60.0, number=1)
    assert desk.names() == ["Ben", "Anna"]
    desk.say("waiting.called", number=2, table="T1", seat=4)
    desk.say("waiting.passed_over", number=2, declined=True)  # who declines is not waited for
    desk.join("Cleo", game="plo-2-5")
    [held] = desk.say("waiting.called", number=3, table="T2", seat=1)
    assert isinstance(held, SeatHeld)
    assert held.until - desk.t == 120.0, "a game's own time stands before the book's"


@pytest.mark.parametrize("book", BOOKS.values(), ids=list(BOOKS))
@pytest.mark.parametrize("times", [0, 1, 2, 20])
def test_who_does_not_come_goes_to_the_end_as_often_as_the_book_says(book: WaitingBook, times: int) -> None:
    desk = with_row(book, passing=passing_of(book, times))
    desk.join("Anna", "Ben")
    for _ in range(times):
        desk.say("waiting.called", number=1, table="T1", seat=4)
        told = desk.say("waiting.passed_over", number=1, declined=True)
        assert told[1:] == (Waits(1, "nl-1-2", 2),)
        assert desk.names() == ["Ben", "Anna"]
        desk.say("waiting.moved", number=2, game="plo-2-5")  # so that she is the first one again
        desk.say("waiting.moved", number=2, game="nl-1-2")
    desk.say("waiting.called", number=1, table="T1", seat=4)
    assert desk.say("waiting.passed_over", number=1, declined=True)[1:] == (WaitOver(1, End.PASSED_OVER),)
    assert desk.names() == ["Ben"]


def test_another_list_counts_anew_who_was_passed_over() -> None:
    """A second fault: whoever goes to another game's list has not failed to come there."""
    desk = Desk()
    desk.join("Anna")
    desk.say("waiting.called", number=1, table="T1", seat=4)
    desk.say("waiting.passed_over", number=1, declined=True)
    desk.say("waiting.moved", number=1, game="plo-2-5")
    desk.say("waiting.called", number=1, table="T7", seat=1)
    assert desk.say("waiting.passed_over", number=1, declined=True)[1:] == (Waits(1, "plo-2-5", 1),)


@pytest.mark.parametrize(("row", "value"), [(Hold, 0), (Hold, 61), (Passing, -1), (Passing, 21)])
def test_a_setting_out_of_its_bounds_is_refused(row: type[Section], value: int) -> None:
    name = "minutes" if row is Hold else "times"
    with pytest.raises(ValidationError, match=name):
        row.model_validate({"clause": "ours", "text": "A text that is long enough.", name: value})


def _twice(desk: Desk) -> Any:
    desk.join("Anna")
    return desk.refused("waiting.joined", number=2, person="c-anna", name="Anna", game="nl-1-2")


def _out_of_turn(desk: Desk) -> Any:
    desk.join("Anna", "Ben")
    return desk.refused("waiting.called", number=2, table="T1", seat=4)


def _held(desk: Desk) -> Any:
    desk.join("Anna", "Ben")
    desk.say("waiting.called", number=1, table="T1", seat=4)
    return desk.refused("waiting.called", number=2, table="T1", seat=4)


def _unapproved(desk: Desk) -> Any:
    desk.join("Anna", from_table="T2", from_seat=3)
    return desk.refused("waiting.called", number=1, table="T1", seat=4)


_REFUSED: Final[dict[str, Callable[[Desk], Any]]] = {
    "report": _twice, "order": _out_of_turn, "hold": _held, "transfers": _unapproved,
}  # fmt: skip


@pytest.mark.parametrize("matter", CLAUSES)
def test_a_refusal_names_the_clause_of_its_row(matter: str) -> None:
    [book] = BOOKS.values()
    other = getattr(book, matter).model_copy(update={"clause": "another"})
    as_shipped, changed = _REFUSED[matter](with_row(book)), _REFUSED[matter](with_row(book, **{matter: other}))
    assert as_shipped[2] == getattr(book, matter).clause
    assert changed == (*as_shipped[:2], "another"), f"{CLAUSES[matter]}: the row's own clause"


@pytest.mark.parametrize("matter", NO_REFUSAL)
def test_a_row_by_which_nothing_is_refused_changes_no_refusal(matter: str) -> None:
    [book] = BOOKS.values()
    other = with_row(book, **{matter: getattr(book, matter).model_copy(update={"clause": "another"})})
    other.join("Anna", "Ben")
    other.say("waiting.called", number=1, table="T1", seat=4)
    other.say("waiting.passed_over", number=1, declined=True)
    other.say("waiting.taken_off", number=1)
    assert other.names() == ["Ben"]
    with pytest.raises(Refused) as refusal:
        other.say("waiting.taken_off", number=1)
    assert refusal.value.clause is None
