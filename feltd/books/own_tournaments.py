"""The tournament books to open a tournament under: the shipped ones, and those of an operator's own folder."""

from dataclasses import dataclass, replace
from pathlib import Path

from feltd.books.shipped import own_texts, tournament_sources, waiting_sources
from feltd.text.errors import FeltdError
from floor_fsm.errors import LawError
from floor_fsm.law.law import Law, load_laws
from floor_fsm.waiting.book import load_waiting_books


@dataclass(frozen=True, slots=True)
class TournamentBooks:
    """`texts`: TOML by file name, of an own folder by the whole path. `laws`: the same books by id.

    Titles of an operator's own end in (own). `fault`: why those of its folder are not among them.
    """

    texts: dict[str, str]
    laws: dict[str, Law]
    fault: str | None = None


def tournament_books(own: Path | None) -> TournamentBooks:
    """The shipped books, and those of an own folder.

    Raises FeltdError, which names every fault of every book, and an id that two books have.
    """
    shipped = tournament_sources()
    texts = shipped | own_texts(own)
    try:
        laws = load_laws(texts)
    except LawError as faults:
        raise FeltdError("tournament books with faults:\n" + "\n".join(faults.problems)) from faults
    if taken := sorted(laws.keys() & load_waiting_books(waiting_sources()).keys()):
        raise FeltdError(
            f"tournament books with faults:\n{', '.join(taken)}: the id of a waiting list's book; take another"
        )
    books = zip(texts, laws.values(), strict=True)  # each file gives one book, in their order
    return TournamentBooks(texts, {law.id: law if file in shipped else _marked(law) for file, law in books})


def tournament_books_to_run(own: Path | None) -> TournamentBooks:
    """The same for a process that does more than tournaments: with a fault in an own folder the shipped ones alone.

    A mistake in a book that nobody plays by would keep a floor from taking in what its tables record. Tournaments that
    have begun go on: each has its book's text in its record.
    """
    try:
        return tournament_books(own)
    except FeltdError as fault:
        return replace(tournament_books(None), fault=str(fault))


def _marked(law: Law) -> Law:
    """An own book looks like an approved one where its title is alike, so its title says that it is none."""
    return replace(law, book=law.book.model_copy(update={"title": f"{law.book.title} (own)"}))
