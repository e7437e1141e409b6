"""The rulebooks that a table may open with: the shipped ones, and those of an operator's own folder."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from feltd.books.shipped import own_texts, rulebook_sources, structure_sources
from feltd.text.errors import FeltdError
from table_fsm.errors import RulebookError
from table_fsm.library import Library, load_library
from table_fsm.rulebook import Rulebook


def library_with(own: Path | None) -> Mapping[str, Rulebook]:
    """Load the shipped rulebooks and those of a folder `own`, by id.

    Raises FeltdError with every fault of every book.
    """
    with _told():
        return load_library(book_sources(own), structure_sources_of(own))


def library_as_asked(own: Path | None) -> Mapping[str, Rulebook]:
    """The same books for who plays few of them: shipped ones are loaded when they are asked for.

    A folder of one's own is loaded whole, so that a start tells every fault in it. Raises FeltdError.
    """
    if own is not None:
        return library_with(own)
    with _told():
        return Library(rulebook_sources(), structure_sources())


def library_to_play(own: Path | None, rulebook: str) -> Mapping[str, Rulebook]:
    """The same for a table that opens with `rulebook`.

    Raises FeltdError where `rulebook` is not among them, or has a fault.
    """
    books = library_as_asked(own)
    with _told():
        if books.get(rulebook) is None:
            raise FeltdError(f'no rulebook "{rulebook}": feltd rules lists those there are')
        return books


def loaded_of(books: Mapping[str, Rulebook]) -> Mapping[str, Rulebook]:
    """Those that are loaded."""
    return books.loaded if isinstance(books, Library) else books


@contextmanager
def _told() -> Iterator[None]:
    """Tell faults of books as an error for people."""
    try:
        yield
    except RulebookError as faults:
        raise FeltdError("rulebooks with faults:\n" + "\n".join(faults.problems)) from faults


def book_sources(own: Path | None) -> dict[str, str]:
    """The shipped rulebooks, and those of an own folder by their full path.

    Raises ShippedFilesError.
    """
    return rulebook_sources() | _own_texts(own, structures=False)


def structure_sources_of(own: Path | None) -> dict[str, str]:
    """The shipped blind structures, and those in `structures` of an own folder.

    Raises ShippedFilesError.
    """
    return structure_sources() | _own_texts(own, structures=True)


def _own_texts(own: Path | None, *, structures: bool) -> dict[str, str]:
    if own is None:
        return {}
    folder = own.absolute() / "structures"
    return {file: text for file, text in own_texts(own).items() if Path(file).is_relative_to(folder) is structures}
