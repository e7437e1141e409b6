"""The floor's wish for a rulebook at this table: looked at, remembered beside the record, played between two rounds.

No book comes over the wire. A wish names a book by its id and digest, and the table plays the one that it has itself,
from the casino's package or its own folder, if that is the very one. So whoever has the floor and its key chooses among
books that somebody brought to this table, and that its file names (`[floor] books`).
"""

import json
from collections.abc import Callable, Collection, Mapping
from typing import Any, Final

from feltd.door import CommandRefused
from feltd.door.wishing import OF_THE_TABLE, BookPlay, WishedBook
from feltd.table.config.built import lacking
from feltd.table.keeper.floor_memory import FloorMemory
from feltd.table.keeper.keeper import TableKeeper
from feltd.text.errors import FeltdError
from table_fsm.errors import RulebookError, TableError
from table_fsm.events import TableOpen, event_to_dict, parse_event
from table_fsm.outputs import Refusal
from table_fsm.rulebook import Rulebook, check_book
from table_fsm.table import Table

BOOK: Final = "book"
_FAULTS_TOLD: Final = 3


class BookWishes:
    """The book that the floor wishes here. `opening_for` blocks and runs in a thread; all else belongs to the loop."""

    def __init__(
        self,
        books: Mapping[str, Rulebook],
        allowed: Collection[str],
        in_file: TableOpen,
        roles: Collection[str],
        memory: FloorMemory,
    ) -> None:
        """`books`: that the table may open with; `allowed`: ids of those that the floor may wish.

        `in_file`: how the table's own file opens it; `roles`: of the devices that it has.
        """
        self._books = books
        self._allowed = allowed
        self._in_file = in_file
        self._roles = roles
        self.memory = memory

    def may(self, play: BookPlay) -> bool:
        """Whether the table's own file lets the floor wish this. What stands in the file itself it may always."""
        own = self._in_file
        return play.rulebook in self._allowed or (play.rulebook, _wished(play.options)) == (
            own.rulebook, _wished(own.options),
        )  # fmt: skip

    def opening_for(self, wish: WishedBook, seats: list[int] | None) -> TableOpen:
        """How the table opens under this wish. Blocks while a book is loaded and proved.

        `seats`: who sits there now; None at a table that is closed, which opens with those of its own file.

        Raises CommandRefused, with the reason.
        """
        play = wish.play
        if named := sorted(OF_THE_TABLE & play.options.keys()):
            raise CommandRefused(f"{named[0]} says what a table is made of: the table's own file has it, and no wish")
        try:
            book = self._books.get(play.rulebook)
        except RulebookError as faults:
            raise CommandRefused(f"{play.rulebook} has faults at this table: {faults.problems[0]}") from None
        if book is None:
            raise CommandRefused(
                f"this table has no rulebook {play.rulebook}: bring it there by the casino's package, or into its own "
                "folder ([table] rulebooks)"
            )
        if book.digest != play.digest:
            raise CommandRefused(
                f"this table has another text of {play.rulebook} ({book.digest[:12]}) than the one that is wished "
                f"({play.digest[:12]}): bring both to the same version"
            )
        if found := check_book(book):
            told = "; ".join(found[:_FAULTS_TOLD])
            raise CommandRefused(f"{play.rulebook} does not pass `feltd rules --check`: {told}")
        own = {name: value for name, value in self._in_file.options.items() if name in OF_THE_TABLE}
        options = {**play.options, **{name: value for name, value in own.items() if name in book.book.options}}
        if lacks := lacking(book.needs, self._roles, own.get("built")):
            raise CommandRefused(f"{play.rulebook} starts no round without a {lacks[0]}, and this table has none")
        there = list(self._in_file.seats) if seats is None else seats
        opening = TableOpen(t=0.0, rulebook=play.rulebook, options=options, seats=there)
        refusal = next(
            (out.value.reason for out in Table(self._books).apply(opening) if isinstance(out.value, Refusal)), None
        )
        if refusal is not None:
            raise CommandRefused(f"{play.rulebook} does not open at this table: {refusal}")
        return opening

    def keep(self, wish: WishedBook, opening: TableOpen) -> None:
        """Remember what was taken, on the disk. Raises CommandRefused."""
        instead_of = {"rulebook": self._in_file.rulebook, "options": dict(self._in_file.options)}
        self.memory.keep_wish(
            BOOK, {"number": wish.number, "opening": event_to_dict(opening), "instead_of": instead_of}
        )

    def opening_at_start(self, standing: TableOpen | None, tell: Callable[[str], object]) -> tuple[TableOpen, bool]:
        """How the table opens at a start: as the floor wished last, else as its own file says; and whether it was
        wished, so that whoever sits there stays. `standing`: how it is open by the record.

        Whoever has changed the game in the table's own file since has the last word. `tell`: hears why no wish holds.
        """
        own = self._in_file
        try:
            kept = self.memory.read().wishes.get(BOOK)
            if kept is None:
                return own, False
            opening, instead_of = parse_event(json.dumps(kept["opening"])), kept["instead_of"]
        except (FeltdError, TableError, KeyError, TypeError, ValueError) as fault:
            tell(f"what the floor wished last is not known, so the table plays what its own file says: {fault}")
            return own, False
        if instead_of != {"rulebook": own.rulebook, "options": dict(own.options)}:
            tell("the table's own file was changed since the floor wished a book: the file holds")
            return own, False
        if (
            not isinstance(opening, TableOpen)
            or opening.rulebook not in self._books
            or not self.may(BookPlay(opening.rulebook, "", opening.options))
        ):
            tell("the book that the floor wished is not here, or the table's own file lets it no more: the file holds")
            return own, False
        if standing is not None and (standing.rulebook, standing.options) == (opening.rulebook, opening.options):
            return standing, True
        return opening, True


def seats_of(keeper: TableKeeper) -> list[int] | None:
    """Who sits at the table now; None where it is closed.

    Raises CommandRefused where they play a tournament, which another book would end.
    """
    view = keeper.table.view()
    if not view["open"]:
        return None
    seats = [seat["seat"] for seat in view["seats"]]
    tournament = view["tournament"]
    if tournament is not None and len(seats) > 1 and (tournament["running"] or tournament["elapsed"] > 0):
        raise CommandRefused("a tournament is under way at this table: another book waits until it is over")
    return seats


def same_game(keeper: TableKeeper, play: BookPlay) -> bool:
    """Whether the table plays this already."""
    book, opening = keeper.table.rulebook, keeper.standing.opening
    if book is None or opening is None:
        return False
    return BookPlay(book.id, book.digest, opening.options).is_as(play)


def _wished(options: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if name not in OF_THE_TABLE}
