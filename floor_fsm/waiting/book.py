"""The schema of a book of waiting lists: what is ruled of each matter, with its clause."""

from collections.abc import Iterator, Mapping
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from floor_fsm.law.law import read_book
from floor_fsm.law.section import Section


class Report(Section):
    """Where somebody who wants a seat says so."""


class Order(Section):
    """In which order a list is called: that in which people reported."""


class Hold(Section):
    """How long a seat is held for who was called, in minutes, where a game's own time does not say it."""

    minutes: Annotated[int, Field(ge=1, le=60)]


class Passing(Section):
    """What becomes of who does not come. `times`: how often they go to the end of the list; then they are taken off."""

    times: Annotated[int, Field(ge=0, le=20)]


class Leaving(Section):
    """Until when somebody may leave a list."""


class Transfers(Section):
    """Who sits at a table and wants to sit at another one needs the approval of a person."""


class Balance(Section):
    """The tables of a game are kept equal: the seat that is offered first is at the table with the fewest players."""


class WaitingBook(BaseModel):
    """A book of waiting lists. `clauses`: the file of clauses that its clauses are in.

    `balance`: None in a book of before 0.10.0, whose tables are offered in the order in which they were named.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
    id: Annotated[str, Field(pattern=r"^[a-z0-9-]{1,40}$")]
    title: Annotated[str, Field(min_length=3, max_length=80)]
    source: Annotated[str, Field(min_length=3, max_length=200)]
    clauses: Annotated[str, Field(pattern=r"^[a-z0-9-]{1,40}$")]
    report: Report
    order: Order
    hold: Hold
    passing: Passing
    leaving: Leaving
    transfers: Transfers
    balance: Balance | None = None

    def sections(self) -> Iterator[tuple[str, Section]]:
        """Each matter that the book rules on, by its name."""
        for name in type(self).model_fields:
            section = getattr(self, name)
            if isinstance(section, Section):
                yield name, section


def load_waiting_books(sources: Mapping[str, str]) -> dict[str, WaitingBook]:
    """Load the books by id from `sources`: file name → TOML text. Raises LawError for the first file with faults."""
    books = (read_book(file, text, WaitingBook) for file, text in sorted(sources.items()))
    return {book.id: book for book in books}
