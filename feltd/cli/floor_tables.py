"""`feltd floor issuer`, `enrol-code`, `shut`, `open`, `restore`: which tables the floor lets in, and gives back."""

import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

import click

from feltd.cli.exits import FINE, PROBLEMS
from feltd.cli.person import person_here

if TYPE_CHECKING:
    from feltd.floor.postgres import PostgresEngine

DEFAULT_FILE: Final = Path("/etc/feltd/floor/floor.toml")
MINUTES: Final = 10
_DAYS_MOST: Final = 30
_R = TypeVar("_R")

_file_option = click.option(
    "--config", "file", type=click.Path(path_type=Path), default=DEFAULT_FILE, show_default=True, help="floor.toml."
)
_why_option = click.option("--reason", default="", help="Why, for the floor's database.")


@click.command(short_help="Make what signs tables' certificates at the floor.")
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False, exists=True))
def issuer(folder: Path) -> None:
    """Make the floor's own issuer in FOLDER: tables.pem and tables.key, which stay on the floor's server.

    floor.toml names both. It is not the casino's authority: tables do not believe it, so who steals the server makes no
    floor that a table believes.
    """
    from feltd.floor.authority import make_authority
    from feltd.floor.issuing import ISSUER

    made = make_authority(folder, ISSUER)
    click.echo(f"{made}: name it in floor.toml as issuer, and {made.with_suffix('.key')} as issuer_key; restart floord")


@click.command("receipt-key", short_help="Make what signs the floor's receipts in tables' records.")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--show", is_flag=True, help="Print the public half of the key that is there.")
def receipt_key(file: Path, *, show: bool) -> None:
    """Make the floor's key for receipts in FILE, and print the line that each table's own file wants.

    floor.toml names FILE as `receipts`. The same 64 digits go to `feltd journal verify --floor-key`: keep them where
    no table can write.
    """
    from feltd.floor.receipt_key import load_receipt_key, make_receipt_key

    key = load_receipt_key(file) if show else make_receipt_key(file)
    click.echo(f'receipts = ["{key.public.hex()}"]')


@click.command("signing-key", short_help="Make the key that signs what goes to tables.")
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False, exists=True))
def signing_key(folder: Path) -> None:
    """Make the floor's own key in FOLDER: signing.key, which stays on the floor's server.

    floor.toml names it as signing_key. Each table's file names the public half that is printed ([floor] keys): from
    then on the table takes from the floor what this key has signed, and nothing else.
    """
    from feltd.floor.signing import make_signing_key

    file, key = make_signing_key(folder)
    click.echo(f"{file}: name it in floor.toml as signing_key, and restart floord. In each table's file:")
    click.echo(f'[floor]\nkeys = ["{key.public.hex()}"]')


@click.command("enrol-code", short_help="Make a code by which a table enrols.")
@click.argument("tables", nargs=-1, required=True)
@_file_option
@click.option(
    "--minutes", type=click.IntRange(1, _DAYS_MOST * 24 * 60), default=MINUTES, show_default=True,
    help="How long a code is good for.",
)  # fmt: skip
@click.option(
    "--shown", metavar="CODE", help="The code that the display of the one TABLE shows: that table enrols by it."
)
def enrol_code(tables: tuple[str, ...], file: Path, minutes: int, shown: str | None) -> None:
    """Make a code for each of TABLES, and print it beside the table's name.

    Type it at the table: feltd uplink enrol CODE. Each is good once. It is printed here and kept nowhere; the lines are
    what `feltd provision --codes` prints on labels. With --shown no code is made: a table with `show_code` in its
    uplink.toml shows its own, and asks the floor until somebody has said here which table it is.
    """
    from feltd.custody.certificates import require_name
    from feltd.custody.shown_codes import is_shown_code
    from feltd.floor.enrolment import digest_of, new_code

    if shown is not None and len(tables) != 1:
        raise click.UsageError("--shown: of one TABLE")
    if shown is not None and not is_shown_code(shown):
        raise click.BadParameter(
            f"{shown}: no code of a display, which has twelve letters and digits", param_hint="--shown"
        )
    for table in tables:
        require_name(table)
    codes = [(table, shown or new_code()) for table in tables]
    until = time.time() + minutes * 60

    async def add(engine: "PostgresEngine") -> None:
        for table, code in codes:
            await engine.add_code(digest_of(code), table, until, person_here())

    with_engine(file, add)
    for table, code in codes if shown is None else ():
        click.echo(f"{table} {code}")
    click.echo(f"good once each, until {time.strftime('%Y-%m-%d %H:%M', time.localtime(until))}", err=True)


@click.command(short_help="Let a table in no more: it is stolen, or lost.")
@click.argument("table")
@_file_option
@_why_option
@click.pass_context
def shut(ctx: click.Context, table: str, file: Path, reason: str) -> None:
    """Shut TABLE: its connections end within a second, nothing is taken from it, and it gets no certificate.

    What the floor has of it stays. Exit code 1 where it was shut already.
    """
    _set(ctx, table, file, reason, shut=True)


@click.command("open", short_help="Let a table in again that was shut.")
@click.argument("table")
@_file_option
@_why_option
@click.pass_context
def open_table(ctx: click.Context, table: str, file: Path, reason: str) -> None:
    """Open TABLE again. A table that was in others' hands is enrolled anew before: its key may be copied.

    Exit code 1 where it was not shut.
    """
    _set(ctx, table, file, reason, shut=False)


@click.command(short_help="Make a table's record anew from the floor's copy.")
@click.argument("table")
@click.option("--into", "target", required=True, type=click.Path(path_type=Path), help="The file: not there yet.")
@click.option("--journal", help="Which of the table's, by the beginning of its name; left out, the newest.")
@_file_option
def restore(table: str, target: Path, journal: str | None, file: Path) -> None:
    """Write TABLE's record, as the floor has it, to a file with its signed heads beside it.

    For a table whose card is gone. Carry both files to its new card: feltd journal from-floor joins them on. The
    rows are held against the floor's head as they are written. What is sealed stays sealed.
    """
    from feltd.floor.restoring import newest_of
    from feltd.floor.restoring import restore as restored

    async def made(engine: "PostgresEngine") -> str:
        found = newest_of(await engine.status(), table, journal)
        await restored(engine, found, target)
        signed = "no head of it is signed" if found.signed is None else f"signed up to entry {found.signed.seq}"
        forked = "; the floor has TWO of this record, this is the one that it had first" if found.stand.forked else ""
        return f"{target}: journal {found.journal.hex()} up to entry {found.stand.seq}, {signed}{forked}"

    click.echo(with_engine(file, made))


def _set(ctx: click.Context, table: str, file: Path, reason: str, *, shut: bool) -> None:
    from feltd.custody.certificates import require_name

    require_name(table)
    changed = with_engine(file, lambda engine: engine.set_shut(table, shut=shut, who=person_here(), why=reason))
    state = "shut" if shut else "open"
    click.echo(f"{table}: is {state} now" if changed else f"{table}: is {state} already")
    ctx.exit(FINE if changed else PROBLEMS)


def with_engine(file: Path, work: "Callable[[PostgresEngine], Awaitable[_R]]") -> _R:
    """Do some work with the database that `file` (floor.toml) names; return what it returns."""
    import asyncio

    from feltd.custody.settings import floor_settings
    from feltd.floor.postgres import PostgresEngine

    async def done() -> _R:
        engine = await PostgresEngine.open(floor_settings(file).database)
        try:
            return await work(engine)
        finally:
            await engine.close()

    return asyncio.run(done())
