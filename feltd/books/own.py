"""The rulebooks that a table may open with: the shipped ones, and those of an operator's own folder."""

from collections.abc import Mapping
from pathlib import Path

from feltd.books.shipped import rulebook_sources, structure_sources, toml_texts
from feltd.text.errors import FeltdError
from table_fsm.errors import RulebookError
from table_fsm.library import load_library
from table_fsm.rulebook import Rulebook


def library_with(own: Path | None) -> Mapping[str, Rulebook]:
    """Load the shipped rulebooks and those of a folder `own`, by id.

    Raises FeltdError with every fault of every book.
    """
    try:
        return load_library(book_sources(own), structure_sources_of(own))
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
    texts = toml_texts(own) if own is not None else {}
    return {
        str(own / name): text  # type: ignore[operator]  # texts come from a folder
        for name, text in texts.items()
        if name.startswith("structures/") is structures
    }
