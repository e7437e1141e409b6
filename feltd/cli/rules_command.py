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
    epilog="Exit codes: 0 fine; 1 --check found a gap or a dead row, --coverage a row without a drill or a drill that "
    "fails; 2 no such rulebook, or a rulebook or drill cannot be read.",
)
@click.argument("book", required=False, shell_complete=complete_book)
@click.option("--check", "checked", is_flag=True, help="Prove the book (or all) complete and free of dead rows.")
@click.option(
    "--coverage", "covered", is_flag=True, help="Each row of the book (or of all), and the drills it shows in."
)
@click.option(
    "--drills",
    type=click.Path(exists=True, path_type=Path),
    metavar="DIR",
    help="With --coverage: the folder of drills. Left out: those of the checkout that feltd runs from.",
)
@click.option("--diagram", type=click.Choice(["mermaid"]), help="Print the machine of a round as a diagram.")
@click.option("--json", "as_json", is_flag=True, help="With --coverage: as JSON.")
@book_dir_option
@click.pass_context
def rules(
    ctx: click.Context,
    book: str | None,
    checked: bool,
    covered: bool,
    drills: Path | None,
    diagram: str | None,
    as_json: bool,
    book_dir: Path | None,
) -> None:
    """List the rulebooks, or print one as the table a regulator reads: irregularity, conditions, outcome, clause.

    \b
    Examples:
      feltd rules
      feltd rules tas-2018-holdem
      feltd rules --check
      feltd rules --coverage tas-2018-holdem
      feltd rules act-2019-uth --diagram mermaid > round.mmd
    """
    _one_question({"--check": checked, "--coverage": covered, "--diagram": diagram is not None})
    for option, given, wanted in (("--drills", drills, covered), ("--json", as_json, covered)):
        if given and not wanted:
            raise click.UsageError(f"{option} goes with --coverage")
    if diagram and not book:
        raise click.UsageError("--diagram needs a BOOK: feltd rules lists them")
    books = load_books(book_dir)
    chosen = [_chosen(book, books)] if book else list(books.values())
    if checked:
        ctx.exit(_prove(chosen))
    elif covered:
        from feltd.cli.coverage_report import report_coverage

        ctx.exit(report_coverage(chosen, books, drills, as_json))
    elif diagram:
        from table_fsm.rulebook.diagram import diagram as mermaid

        click.echo(mermaid(chosen[0]))
    elif book:
        from table_fsm.rulebook.printer import print_book

        click.echo(print_book(chosen[0]))
    else:
        _list(chosen)


def _one_question(asked: dict[str, bool]) -> None:
    names = [name for name, given in asked.items() if given]
    if len(names) > 1:
        raise click.UsageError(f"{' and '.join(names)} are {len(names)} questions: ask one")


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
