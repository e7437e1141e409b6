"""`feltd tournament …`."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, TYPE_CHECKING

import click

from feltd.cli.exits import FINE, PROBLEMS

if TYPE_CHECKING:
    from feltd.tournaments.playing import Said
    from floor_fsm.law.law import Law
    from floor_fsm.tournament import Tournament
    from floor_fsm.waiting.book import WaitingBook

_EVENTS = click.argument("events", type=click.File("r", encoding="utf-8"))
_BOOK_DIR = click.option(
    "--book-dir",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="DIR",
    help="A folder with tournament books of your own (TOML), beside those that come with feltd.",
)
_BOOK = click.option("--book", required=True, metavar="ID", help="The tournament book: `feltd tournament books`.")


@click.group(short_help="Tournaments over many tables: books, draws, entries, results.")
def tournament() -> None:
    """Tournaments over many tables, from their files: nothing here talks to a table.

    \b
    What do the texts say?                 feltd tournament books onyx
    Publish a commitment for the draws:    feltd tournament commit
    Make entries of a sheet:               feltd tournament entries entries.csv --who anna
    Play a tournament's events:            feltd tournament play events.jsonl --book onyx
    Do a draw again, as anybody can:       feltd tournament redraw --help
    Places and prizes:                     feltd tournament results events.jsonl --book onyx
    What the cage pays out:                feltd tournament payouts events.jsonl --book onyx
    A league over several tournaments:     feltd tournament league --points 10,7,5,3 may.csv june.csv
    """


@tournament.command(short_help="List the books of tournaments and waiting lists, or print one.")
@click.argument("book", required=False)
@_BOOK_DIR
def books(book: str | None, book_dir: Path | None) -> None:
    """List the tournament books and those of waiting lists of cash games, or print one.

    It prints each matter, its clause, its words and what they are taken to say.
    """
    from feltd.tournaments.printed import book_lines, waiting_book_lines

    waiting = _waiting_books()
    if book is None:
        titles = {law.id: law.book.title for law in _laws(book_dir).values()}
        for name, title in {**titles, **{name: known.title for name, (known, _) in waiting.items()}}.items():
            click.echo(f"{name:14} {title}")
        return
    lines = waiting_book_lines(*waiting[book]) if book in waiting else book_lines(_law(book, book_dir, *waiting))
    click.echo("\n".join(lines))


@tournament.command(short_help="Make the secrets of a tournament's draws, and their commitment.")
@click.option("--draws", type=click.IntRange(1, 10_000), default=500, show_default=True, help="How many at most.")
def commit(draws: int) -> None:
    """Make a secret for each draw, and the one commitment that is published before anybody enters.

    The seats at the beginning are a draw, each late seat, each table that breaks by a draw, and each redraw. Publish
    the commitment, and enter it as draw.committed. Keep the secrets where nobody sees one before its draw; they are
    told in their order.
    """
    import secrets

    from floor_fsm.drawing import commitment_of, secrets_of

    made = secrets_of(secrets.token_bytes(32), draws)
    click.echo(f"commitment  {commitment_of(made[0])}   (publish it now)")
    for number, secret in enumerate(made, 1):
        click.echo(f"secret {number:<4} {secret.hex()}   (nobody may see it before its draw)")


@tournament.command(
    short_help="Make entries of a CSV.",
    epilog="Exit codes: 0 all lines are entries; 1 the sheet has faults, and nothing was made of it.",
)
@click.argument("sheet", type=click.File("rb"))
@click.option("--who", required=True, help="Who imports it; it stands in each entry.")
@click.option("--why", default="import of a sheet", show_default=True)
@click.option("--at", type=click.FloatRange(min=0), default=0.0, show_default=True, metavar="SECONDS")
@click.pass_context
def entries(ctx: click.Context, sheet: IO[bytes], who: str, why: str, at: float) -> None:
    """Make the events of entries from SHEET, a CSV with the columns entry, person, name and paid (in cents).

    A sheet with a fault makes nothing, and every fault is told with its line.
    """
    from feltd.tournaments.entry_sheet import read_entries
    from floor_fsm.core.event import By
    from floor_fsm.lines import to_line

    found = read_entries(sheet.read(), sheet.name, at, By(who=who, why=why))
    for problem in found.problems:
        click.echo(str(problem), err=True)
    for event in found.events:
        click.echo(to_line(event))
    ctx.exit(PROBLEMS if found.problems else FINE)


@tournament.command(
    short_help="Play a tournament's events.",
    epilog="Exit codes: 0 every event was taken; 1 some were refused; 2 a line is no event, or there is no such book.",
)
@_EVENTS
@_BOOK
@_BOOK_DIR
@click.pass_context
def play(ctx: click.Context, events: IO[str], book: str, book_dir: Path | None) -> None:
    """Play EVENTS, a JSON object a line, and print what the tournament says, a JSON object a line.

    A refused event changes nothing; its line says why, and under which clause.
    """
    refused = False
    for _, said in _played(events, book, book_dir):
        refused = refused or said.refused is not None
        for line in said.to_lines():
            click.echo(line)
    ctx.exit(PROBLEMS if refused else FINE)


@tournament.command(
    short_help="Do a draw again.",
    epilog="Exit codes: 0 these are the seats; 2 the secret is not what was committed to, or something cannot be read.",
)
@click.argument("entries", type=click.File("r", encoding="utf-8"))
@click.option("--secret", required=True, metavar="HEX", help="As it was told with the draw.")
@click.option("--commitment", required=True, metavar="HEX", help="As it was published before anybody entered.")
@click.option("--table", "tables", multiple=True, required=True, metavar="NAME:SEATS", help="In order, each: T1:1-9")
@click.option("--apart", multiple=True, metavar="A,B", help="Persons who were named as belonging together.")
@click.option("--not-beside", is_flag=True, help="One table, where the book keeps them apart at it too (The Star 7.6).")
def redraw(
    entries: IO[str], secret: str, commitment: str, tables: tuple[str, ...], apart: tuple[str, ...], not_beside: bool
) -> None:
    """Do a draw again, as anybody can: each entry's table and seat, from the published list, secret and commitment.

    ENTRIES has a line for each entry that was drawn: its number, a tab, the person's number.

    \b
    Example:
      feltd tournament redraw list.txt --secret 5e5e… --commitment 0f2c… --table T1:1-9 --table T2:1-9
    """
    from feltd.tournaments.redrawing import read_list, read_table
    from feltd.tournaments.redrawing import redraw as done_again

    persons = read_list(entries.read(), entries.name)
    groups = [group.split(",") for group in apart]
    places = done_again(persons, secret, commitment, dict(map(read_table, tables)), groups, not_beside=not_beside)
    for entry, place in sorted(places.items()):
        click.echo(f"{entry}\t{persons[entry]}\ttable {place.table}\tseat {place.seat}")


@tournament.command(
    short_help="Places and prizes.",
    epilog="Exit codes: 0 fine; 2 there is nothing in EVENTS, or it cannot be read.",
)
@_EVENTS
@_BOOK
@_BOOK_DIR
@click.option("--json", "as_json", is_flag=True, help="JSON instead of CSV.")
@click.option("--ots", "number", metavar="NUMBER", help="An Open Tournament Summary instead, of a tournament so named.")
@click.option("--began", type=click.DateTime(), help="With --ots: when the first second of the clock was, in UTC.")
@click.option("--currency", default="XXX", show_default=True, help="With --ots: of the cents (ISO 4217).")
def results(
    events: IO[str],
    book: str,
    book_dir: Path | None,
    as_json: bool,
    number: str | None,
    began: datetime | None,
    currency: str,
) -> None:
    """Print a line for each entry, with place and prize in cents; `provisional` is yes while the place may change."""
    from feltd.tournaments.results import results as found_in
    from feltd.tournaments.results import to_csv, to_rows

    played = [tournament for tournament, _ in _played(events, book, book_dir)]
    if not played:
        raise click.UsageError(f"{events.name}: there is no event in it")
    if number is not None:
        from feltd.tournaments.summary import summary_of

        if began is None:
            raise click.UsageError("--ots wants --began: the events have seconds alone")
        summary = summary_of(played[-1], number, began.replace(tzinfo=UTC).timestamp(), currency)
        click.echo(json.dumps(summary, indent=1, ensure_ascii=False))
        return
    found = found_in(played[-1])
    click.echo(json.dumps(to_rows(found), indent=1, ensure_ascii=False) if as_json else to_csv(found), nl=as_json)


@tournament.command(
    short_help="What the cage pays out, with room for tax and signatures.",
    epilog="Exit codes: 0 the payouts are the pool; 1 they are not, or may not be yet; 2 EVENTS has none, or cannot be "
    "read.",
)
@_EVENTS
@_BOOK
@_BOOK_DIR
@click.option("--json", "as_json", is_flag=True, help="JSON instead of CSV.")
def payouts(events: IO[str], book: str, book_dir: Path | None, as_json: bool) -> None:
    """Print a line for each entry with a prize, in cents, and whether they are the prize pool; if not, why.

    What feltd does not know is left empty: tax, what is paid after it, who showed which paper, and who signs.
    """
    played = [tournament for tournament, _ in _played(events, book, book_dir)]
    if not played:
        raise click.UsageError(f"{events.name}: there is no event in it")
    click.get_current_context().exit(print_payouts(played[-1], as_json))


@tournament.command(
    short_help="A league: points by place over several tournaments.",
    epilog="Exit codes: 0 fine; 1 a file has faults, and there is no league; 2 the points cannot be read.",
)
@click.argument("results", type=click.File("rb"), nargs=-1, required=True)
@click.option("--points", required=True, metavar="N,N,…", help="Of the places from the first; later places have none.")
@click.option("--best", type=click.IntRange(min=1), help="Only so many tournaments of each player count, the best.")
@click.option("--json", "as_json", is_flag=True, help="JSON instead of CSV.")
@click.pass_context
def league(ctx: click.Context, results: tuple[IO[bytes], ...], points: str, best: int | None, as_json: bool) -> None:
    """Print a league over RESULTS, the CSV files that `feltd tournament results` writes of tournaments that are over.

    A player is a card number, whatever the name; who entered a tournament several times has the best place of it. Who
    share places share their points. A file with a fault makes no league, and every fault is told with its line.
    """
    from feltd.tournaments.league import league as ranked
    from feltd.tournaments.league import read_sheets, to_csv, to_rows

    worth = _points(points)
    sheets = read_sheets([(file.read(), file.name) for file in results])
    problems = [problem for sheet in sheets for problem in sheet.problems]
    for problem in problems:
        click.echo(str(problem), err=True)
    if problems:
        ctx.exit(PROBLEMS)
    found = ranked([sheet.finishes for sheet in sheets], worth, best)
    click.echo(json.dumps(to_rows(found), indent=1, ensure_ascii=False) if as_json else to_csv(found), nl=as_json)


def _points(told: str) -> list[int]:
    cells = [cell.strip() for cell in told.split(",")]
    for cell in cells:
        if not (cell.isascii() and cell.isdigit() and len(cell) <= 9):
            raise click.UsageError(f"--points: {cell!r} is not whole points of a place; write for instance 10,7,5,3")
    worth = list(map(int, cells))
    if worth != sorted(worth, reverse=True):
        raise click.UsageError(f"--points: {told} gives a later place more than one before it; begin with the first")
    return worth


def print_payouts(tournament: "Tournament", as_json: bool) -> int:
    """Print what the cage pays out; the exit code says whether it is the pool."""
    from feltd.tournaments.payouts import payouts as found_in
    from feltd.tournaments.payouts import to_csv, to_json

    found = found_in(tournament)
    click.echo(json.dumps(to_json(found), indent=1, ensure_ascii=False) if as_json else to_csv(found), nl=as_json)
    for why in found.why_not:
        click.echo(f"The payouts are not the pool yet: {why}.", err=True)
    return PROBLEMS if found.why_not else FINE


def _laws(own: Path | None) -> "dict[str, Law]":
    from feltd.books.own_tournaments import tournament_books

    return tournament_books(own).laws


def _waiting_books() -> "dict[str, tuple[WaitingBook, str]]":
    """Each book of waiting lists by its id, with its text."""
    from feltd.books.shipped import waiting_sources
    from floor_fsm.waiting.book import load_waiting_books

    texts = waiting_sources()
    return {book.id: (book, text) for file, text in texts.items() for book in load_waiting_books({file: text}).values()}


def _law(book: str, own: Path | None, *others: str) -> "Law":
    """A tournament book. `own`: the folder of others beside the shipped ones. `others`: what else may be named here."""
    laws = _laws(own)
    if book not in laws:
        known = ", ".join((*sorted(laws), *others))
        raise click.UsageError(f"no {'book' if others else 'tournament book'} {book}; there are: {known}")
    return laws[book]


def _played(events: IO[str], book: str, own: Path | None) -> "Iterator[tuple[Tournament, Said]]":
    from feltd.tournaments.playing import play as played

    return played(_law(book, own), events, Path(events.name).name)
