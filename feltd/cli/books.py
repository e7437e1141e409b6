"""Rulebooks for the commands: those that come with feltd, and one's own."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from table_fsm.rulebook import Rulebook
    from table_fsm.rulebook.clauses import ClauseList

book_dir_option = click.option(
    "--book-dir",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="DIR",
    help="A folder with rulebooks of one's own (TOML), beside those that come with feltd.",
)


def load_books(own: Path | None) -> "dict[str, Rulebook]":
    """All rulebooks by id. Raises FeltdError, which names every fault of every book."""
    from feltd.books.own import book_sources, structure_sources_of
    from feltd.text.errors import FeltdError
    from table_fsm.errors import RulebookError
    from table_fsm.library import load_library

    try:
        return load_library(book_sources(own), structure_sources_of(own))
    except RulebookError as faults:
        raise FeltdError("rulebooks with faults:\n" + "\n".join(faults.problems)) from faults


def clause_list_of(book: "Rulebook") -> "ClauseList | None":
    """Return the clause list of a book's source; None if the book names none.

    Raises FeltdError.
    """
    from feltd.books.html import clause_lists

    return clause_lists().get(str(book.book.clauses))


def complete_book(_ctx: click.Context, _parameter: click.Parameter, typed: str) -> "list[CompletionItem]":
    """The shipped rulebooks a table can open with whose id begins with what was typed."""
    import tomllib

    from click.shell_completion import CompletionItem

    from feltd.books.shipped import ShippedFilesError, rulebook_sources

    try:
        books = [tomllib.loads(text) for text in rulebook_sources().values()]
    except (ShippedFilesError, tomllib.TOMLDecodeError):
        return []
    ids = sorted(str(book.get("id")) for book in books if not book.get("abstract"))
    return [CompletionItem(name) for name in ids if name.startswith(typed)]
