"""`feltd rules [BOOK]`."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from feltd.cli.books import book_dir_option, complete_book, load_books
from feltd.cli.exits import FINE, PROBLEMS

if TYPE_CHECKING:
    from table_fsm.rulebook import Rulebook


@click.command(
    short_help="List, print and prove rulebooks.",
    epilog="Exit codes: 0 fine; 1 --check found a gap or a dead row; 2 no such rulebook, or a rulebook cannot be read.",
)
@click.argument("book", required=False, shell_complete=complete_book)
@click.option("--check", "checked", is_flag=True, help="Prove the book (or all) complete and free of dead rows.")
@click.option("--diagram", type=click.Choice(["mermaid"]), help="Print the machine of a round as a diagram.")
@book_dir_option
@click.pass_context
def rules(ctx: click.Context, book: str | None, checked: bool, diagram: str | None, book_dir: Path | None) -> None:
    """List the rulebooks, or print one as the table a regulator reads: irregularity, conditions, outcome, clause.

    \b
    Examples:
      feltd rules
      feltd rules tas-2018-holdem
      feltd rules --check
      feltd rules act-2019-uth --diagram mermaid > round.mmd
    """
    if diagram and not book:
        raise click.UsageError("--diagram needs a BOOK: feltd rules lists them")
    if diagram and checked:
        raise click.UsageError("--check and --diagram are two questions: ask one")
    books = load_books(book_dir)
    chosen = [_chosen(book, books)] if book else list(books.values())
    if checked:
        ctx.exit(_prove(chosen))
    elif diagram:
        from table_fsm.rulebook.diagram import diagram as mermaid

        click.echo(mermaid(chosen[0]))
    elif book:
        from table_fsm.rulebook.printer import print_book

        click.echo(print_book(chosen[0]))
    else:
        _list(chosen)


def _chosen(book: str, books: "dict[str, Rulebook]") -> "Rulebook":
    from feltd.suggestions import did_you_mean

    if book not in books:
        raise click.UsageError(
            f'no rulebook "{book}"{did_you_mean(book, books)} (there are: {", ".join(sorted(books))})'
        )
    return books[book]


def _prove(books: "list[Rulebook]") -> int:
    from table_fsm.rulebook import check_book

    found = False
    for book in books:
        faults = check_book(book)
        found = found or bool(faults)
        click.echo(f"{book.id}: {'complete, no dead rows' if not faults else ''}".rstrip())
        for fault in faults:
            click.echo(f"  {fault}")
    return PROBLEMS if found else FINE


def _list(books: "list[Rulebook]") -> None:
    width = max((len(book.id) for book in books), default=0)
    for book in sorted(books, key=lambda book: book.id):
        click.echo(f"{book.id:<{width}}  {book.digest[:12]}  {book.title}")
