"""`feltd rules [BOOK]`."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, Unpack

import click

from feltd.cli.books import book_dir_option, clause_list_of, complete_book, load_books
from feltd.cli.exits import FINE, PROBLEMS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from table_fsm.rulebook import Rulebook


class _Asked(TypedDict):
    """What is asked of the rulebooks, an option each."""

    checked: bool
    covered: bool
    drills: tuple[Path, ...]
    clauses: bool
    precedence: bool
    moments: bool
    diagram: str | None
    payouts: int | None
    folder: Path | None
    as_json: bool
    language: str


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
    multiple=True,
    help="With --coverage: a folder of drills; may be given again. Left out: those of feltd's own checkout.",
)
@click.option("--clauses", is_flag=True, help="Each clause of the source: enforced how, or left to people and why.")
@click.option("--precedence", is_flag=True, help="Which of two faults of one event is ruled on, and which beside it.")
@click.option("--moments", is_flag=True, help="Every fault at every moment of a round, and what the table rules.")
@click.option("--diagram", type=click.Choice(["mermaid", "svg"]), help="Print the machine of a round as a diagram.")
@click.option("--payouts", type=int, metavar="N", help="What each place gets of the prize pool with N players.")
@click.option("--html", "folder", type=click.Path(path_type=Path), metavar="DIR", help="Write all as pages into DIR.")
@click.option("--json", "as_json", is_flag=True, help="With --coverage, --clauses, --moments or --payouts: as JSON.")
@click.option(
    "--language", type=click.Choice(["en", "de"]), default="en", show_default=True, help="Of what is printed."
)
@book_dir_option
@click.pass_context
def rules(
    ctx: click.Context,
    book: str | None,
    book_dir: Path | None,
    **asked: Unpack[_Asked],
) -> None:
    """List the rulebooks, or print one as the table a regulator reads: irregularity, conditions, outcome, clause.

    \b
    Examples:
      feltd rules
      feltd rules tas-2018-holdem
      feltd rules tas-2018-holdem --clauses
      feltd rules tas-2018-holdem --precedence
      feltd rules tas-2018-holdem --moments
      feltd rules --check
      feltd rules --coverage tas-2018-holdem
      feltd rules act-2019-uth --diagram svg > round.svg
      feltd rules star-2025-holdem --payouts 120
      feltd rules --html /srv/www/rulebooks
      feltd rules --html /srv/www/regelwerke --language de
    """
    from feltd.text.language import Language, speaking

    _refuse_misuse(asked, book)
    with speaking(Language(asked["language"])):
        _answer(ctx, book, book_dir, asked)


def _answer(ctx: click.Context, book: str | None, book_dir: Path | None, asked: _Asked) -> None:
    books = load_books(book_dir)
    chosen = [_chosen(book, books)] if book else list(books.values())
    if asked["checked"]:
        ctx.exit(_prove(chosen))
    elif asked["covered"]:
        from feltd.cli.coverage_report import report_coverage

        ctx.exit(report_coverage(chosen, books, asked["drills"], asked["as_json"]))
    elif asked["folder"] is not None:
        from feltd.books.html import write_pages
        from feltd.text.as_owner import as_owner_of

        with as_owner_of(asked["folder"]):
            for file in write_pages(asked["folder"], chosen):
                click.echo(str(file))
    elif book:
        _print_of_one(chosen[0], books, asked)
    else:
        _list(chosen)


def _print_of_one(book: "Rulebook", books: "Mapping[str, Rulebook]", asked: _Asked) -> None:
    if asked["moments"]:
        _moments(book, books, asked["as_json"])
    elif asked["clauses"]:
        _clauses(book, asked["as_json"])
    elif asked["precedence"]:
        from feltd.books.print.printed_precedence import print_precedence

        click.echo(print_precedence(book))
    elif asked["diagram"]:
        _diagram(book, asked["diagram"])
    elif asked["payouts"] is not None:
        _payouts(book, asked["payouts"], asked["as_json"])
    else:
        from feltd.books.print.printer import print_book

        click.echo(print_book(book))


def _refuse_misuse(asked: _Asked, book: str | None) -> None:
    """Raise click.UsageError for questions and options that do not go together."""
    of_one = {
        "--clauses": asked["clauses"],
        "--precedence": asked["precedence"],
        "--moments": asked["moments"],
        "--diagram": asked["diagram"] is not None,
        "--payouts": asked["payouts"] is not None,
    }
    _one_question(
        {"--check": asked["checked"], "--coverage": asked["covered"], "--html": asked["folder"] is not None, **of_one}
    )
    _refuse_alone(of_one, book)
    if asked["drills"] and not asked["covered"]:
        raise click.UsageError("--drills goes with --coverage")
    has_json = asked["covered"] or asked["clauses"] or asked["moments"] or asked["payouts"] is not None
    if asked["as_json"] and not has_json:
        raise click.UsageError("--json goes with --coverage, --clauses, --moments or --payouts")


def _one_question(asked: dict[str, bool]) -> None:
    names = [name for name, given in asked.items() if given]
    if len(names) > 1:
        raise click.UsageError(f"{' and '.join(names)} are {len(names)} questions: ask one")


def _refuse_alone(of_one: dict[str, bool], book: str | None) -> None:
    """What is asked of one book needs its name."""
    for name, given in of_one.items():
        if given and not book:
            raise click.UsageError(f"{name} needs a BOOK: feltd rules lists them")


def _chosen(book: str, books: "dict[str, Rulebook]") -> "Rulebook":
    from toml_text.words import did_you_mean

    if book not in books:
        raise click.UsageError(
            f'no rulebook "{book}"{did_you_mean(book, books)} (there are: {", ".join(sorted(books))})'
        )
    return books[book]


def _prove(books: "list[Rulebook]") -> int:
    from table_fsm.rulebook import check_book

    any_faults = False
    for book in books:
        faults = check_book(book)
        any_faults = any_faults or bool(faults)
        click.echo(f"{book.id}: {'complete, no dead rows' if not faults else ''}".rstrip())
        for fault in faults:
            click.echo(f"  {fault}")
    return PROBLEMS if any_faults else FINE


def _clauses(book: "Rulebook", as_json: bool) -> None:
    from feltd.books.print.document import section_markdown
    from feltd.books.print.printed_clauses import clauses_data, clauses_section

    source = clause_list_of(book)
    if not as_json:
        click.echo(section_markdown(clauses_section(book, source)))
    elif source is None:
        raise click.UsageError(f"no list of its source's clauses comes with {book.id}")
    else:
        click.echo(json.dumps(clauses_data(book, source), indent=1, ensure_ascii=False))


def _moments(book: "Rulebook", books: "Mapping[str, Rulebook]", as_json: bool) -> None:
    from feltd.books.moments.matrix import matrix
    from feltd.books.moments.printed import matrix_data, print_matrix

    whole = matrix(book, books)
    click.echo(json.dumps(matrix_data(whole), indent=1, ensure_ascii=False) if as_json else print_matrix(whole))


def _diagram(book: "Rulebook", form: str) -> None:
    if form == "svg":
        from feltd.books.print.diagram_svg import diagram_svg

        click.echo(diagram_svg(book), nl=False)
        return
    from feltd.books.print.diagram import diagram

    click.echo(diagram(book))


def _payouts(book: "Rulebook", players: int, as_json: bool) -> None:
    from feltd.books.print.printed_payouts import payout_blocks, payout_data

    if book.tournament.payouts is None:
        raise click.UsageError(f"the source of {book.id} has no table of payouts")
    try:
        data, blocks = payout_data(book, players), payout_blocks(players)
    except ValueError as fault:
        raise click.UsageError(str(fault)) from None
    if as_json:
        click.echo(json.dumps(data, indent=1))
        return
    from feltd.books.print.document import blocks_markdown

    click.echo(blocks_markdown(blocks))


def _list(books: "list[Rulebook]") -> None:
    width = max((len(book.id) for book in books), default=0)
    for book in sorted(books, key=lambda book: book.id):
        click.echo(f"{book.id:<{width}}  {book.digest[:12]}  {book.title}")
