"""The tournament books to open a tournament under: the shipped ones, and those of an operator's own folder."""

from pathlib import Path

from feltd.books.shipped import toml_texts, tournament_sources
from feltd.text.errors import FeltdError
from floor_fsm.errors import LawError
from floor_fsm.law.law import Law, load_laws


def tournament_sources_with(own: Path | None) -> dict[str, str]:
    """The shipped tournament books' TOML by file name, and those of an own folder by their full path.

    Raises FeltdError, which names every fault of every book, and an id that two books have.
    """
    texts = tournament_sources() | _own(own)
    _loaded(texts)
    return texts


def laws_with(own: Path | None) -> dict[str, Law]:
    """The same books, loaded, by id. Raises FeltdError."""
    return _loaded(tournament_sources_with(own))


def _own(own: Path | None) -> dict[str, str]:
    # A name without its whole path could be a shipped book's, and take its place unsaid.
    return {} if own is None else {str(own.absolute() / name): text for name, text in toml_texts(own).items()}


def _loaded(texts: dict[str, str]) -> dict[str, Law]:
    try:
        return load_laws(texts)
    except LawError as faults:
        raise FeltdError("tournament books with faults:\n" + "\n".join(faults.problems)) from faults
