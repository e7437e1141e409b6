"""The tournament books to open a tournament under: the shipped ones, and those of an operator's own folder."""

from dataclasses import dataclass, replace
from pathlib import Path

from feltd.books.shipped import toml_texts, tournament_sources, waiting_sources
from feltd.text.errors import FeltdError
from floor_fsm.errors import LawError
from floor_fsm.law.law import Law, load_laws
from floor_fsm.waiting.book import load_waiting_books


@dataclass(frozen=True, slots=True)
class BooksToRun:
    """The tournament books that a floor runs with; `fault`: why those of its own folder are not among them."""

    texts: dict[str, str]
    fault: str | None = None


def tournament_sources_with(own: Path | None) -> dict[str, str]:
    """The shipped tournament books' TOML by file name, and those of an own folder by their full path.

    Raises FeltdError, which names every fault of every book, and an id that two books have.
    """
    texts = tournament_sources() | _own(own)
    _loaded(texts)
    return texts


def tournament_sources_to_run(own: Path | None) -> BooksToRun:
    """The same for a process that does more than tournaments: with a fault in an own folder the shipped ones alone.

    A mistake in a book that nobody plays by would keep a floor from taking in what its tables record. Tournaments that
    have begun go on: each has its book's text in its record.
    """
    try:
        return BooksToRun(tournament_sources_with(own))
    except FeltdError as fault:
        return BooksToRun(tournament_sources_with(None), str(fault))


def laws_with(own: Path | None) -> dict[str, Law]:
    """The same books, loaded, by id; titles of an operator's own end in (own). Raises FeltdError."""
    return _marked(_loaded(tournament_sources_with(own)))


def laws_to_run(own: Path | None) -> dict[str, Law]:
    """The same books as `tournament_sources_to_run` has, loaded and marked as by `laws_with`."""
    return _marked(_loaded(tournament_sources_to_run(own).texts))


def _own(own: Path | None) -> dict[str, str]:
    # A name without its whole path could be a shipped book's, and take its place unsaid.
    return {} if own is None else {str(own.absolute() / name): text for name, text in toml_texts(own).items()}


def _loaded(texts: dict[str, str]) -> dict[str, Law]:
    try:
        laws = load_laws(texts)
    except LawError as faults:
        raise FeltdError("tournament books with faults:\n" + "\n".join(faults.problems)) from faults
    if taken := sorted(laws.keys() & load_waiting_books(waiting_sources()).keys()):
        raise FeltdError(
            f"tournament books with faults:\n{', '.join(taken)}: the id of a waiting list's book; take another"
        )
    return laws


def _marked(laws: dict[str, Law]) -> dict[str, Law]:
    """An own book looks like an approved one where its title is alike, so its title says that it is none."""
    shipped = load_laws(tournament_sources())
    return {
        law.id: law
        if law.id in shipped
        else replace(law, book=law.book.model_copy(update={"title": f"{law.book.title} (own)"}))
        for law in laws.values()
    }
