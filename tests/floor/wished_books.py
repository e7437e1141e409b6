"""Books for the simulation of wishes: the real `BookWishes`, and what it asks of a table that plays rounds.

Whether a book opens at a table is asked of none here: `tests/floor/test_book_wishes.py` does that with real ones.
"""

import hashlib
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, Final, cast

from feltd.door.wishing import BookPlay, WishedBook
from feltd.record.entries import EntryKind
from feltd.table.keeper.floor_memory import FloorMemory
from feltd.table.keeper.wishes import BookWishes
from table_fsm.events import TableOpen
from tests.floor.commanded import Record

IN_FILE: Final = TableOpen(t=0.0, rulebook="of the file", options={"blinds": 1}, seats=[1])
_ROUND: Final = 4.0
"""Seconds that a round lasts; so many again, less one, are between two."""
Played = dict[str, Any]
"""A book with its digest and options."""


def digest_of(book: str) -> str:
    """The digest of a book's text, which no table here has."""
    return hashlib.sha256(book.encode()).hexdigest()


def play_of(number: int) -> BookPlay:
    """A book that nobody has wished before. `number`: how often somebody has wished something."""
    book = ("of the file", "of the pit")[number // 2 % 2]
    return BookPlay(book, digest_of(book), {"blinds": 1 + number})


def played(opening: TableOpen) -> Played:
    """What a table plays under an opening."""
    return {"rulebook": opening.rulebook, "digest": digest_of(opening.rulebook), "options": dict(opening.options)}


def said(play: BookPlay) -> Played:
    """The same of a wish."""
    return {"rulebook": play.rulebook, "digest": play.digest, "options": dict(play.options)}


def opened_in(record: Record) -> TableOpen | None:
    """How a table is open, by its record."""
    body = next((line.body for line in reversed(record.lines) if line.name == "table.open"), None)
    return None if body is None else TableOpen(t=0.0, **body)


class Books(BookWishes):
    """The floor's wishes for books, at a table that has each of them."""

    def __init__(self, memory: FloorMemory) -> None:
        names = "of the file", "of the pit"
        super().__init__(cast(Any, dict.fromkeys(names)), names, IN_FILE, (), memory)

    def opening_for(self, wish: WishedBook, seats: list[int] | None) -> TableOpen:
        """How the table opens: it has nothing against any."""
        return TableOpen(t=0.0, rulebook=wish.play.rulebook, options=dict(wish.play.options), seats=seats or [1])


class Felt:
    """What is open at a table, and what waits for the end of the round; as `TableKeeper` has it."""

    def __init__(self, record: Record, may_end: Callable[[], None], standing: TableOpen | None) -> None:
        """`may_end`: ends the process by chance; `standing`: what is open by the record."""
        self._record = record
        self._may_end = may_end
        self.standing = standing
        self.waits: TableOpen | None = None

    @property
    def table(self) -> Any:
        """The table, of which its book and its view are asked."""
        book = self.standing and SimpleNamespace(id=self.standing.rulebook, digest=digest_of(self.standing.rulebook))
        return SimpleNamespace(rulebook=book, view=lambda: {"open": True, "seats": [{"seat": 1}], "tournament": None})

    def open_with(self, opening: TableOpen) -> None:
        """See `TableKeeper`."""
        self.waits = None if self.standing is not None and played(self.standing) == played(opening) else opening
        self.go_on()

    def go_on(self) -> None:
        """Open what waits, if no round is being played."""
        now = self._record.now()
        if self.waits is None or now % (2 * _ROUND - 1) < _ROUND:
            return
        self.standing, self.waits = self.waits, None
        body = {"rulebook": self.standing.rulebook, "options": dict(self.standing.options), "seats": [1]}
        self._record.write(EntryKind.EVENT, "table.open", body, book=bytes.fromhex(digest_of(self.standing.rulebook)))
        self._may_end()
