"""`feltd floor wish …`: what tables shall play, have set or run, with two persons, one table first, and a way back."""

import json
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypedDict, TypeVar, Unpack

import click

from feltd.cli.as_person import acting
from feltd.cli.books import book_dir_option
from feltd.cli.exits import FINE, PROBLEMS
from feltd.cli.person import person_here
from feltd.page.access.roles import Right

if TYPE_CHECKING:
    from feltd.door.asking.pit_door import PitDoor
    from feltd.door.commands import Person
    from feltd.door.pit.wishes import WishMade, WishShown
    from feltd.door.wishing import BookPlay, TableSettings

DEFAULT_FILE: Final = Path("/etc/feltd/floor/floor.toml")
HOLD: Final = 30
"""Minutes."""
_HOLD_MOST: Final = 7 * 24 * 60
_T = TypeVar("_T")
_Command = TypeVar("_Command", bound=Callable[..., Any])

_file_option = click.option(
    "--config", "file", type=click.Path(path_type=Path), default=DEFAULT_FILE, show_default=True, help="floor.toml."
)
_reason_option = click.option("--reason", required=True, help="Why, for the floor's and the tables' records.")
_number = click.argument("number", type=click.IntRange(1))


def _of_whom(command: _Command) -> _Command:
    """The options that say of which tables something is wished, and which takes it first."""
    for option in (
        click.option(
            "--hold", type=click.IntRange(0, _HOLD_MOST), default=HOLD, show_default=True,
            help="Minutes for which that one must hold it, without an alarm, before the others take it.",
        ),
        click.option("--first", help="The table that takes it first; left out, the first by name."),
        click.option("--group", "groups", multiple=True, help="All tables of a group; once for each."),
        click.option("--table", "tables", multiple=True, help="A table, as the floor names it; once for each."),
    ):  # fmt: skip
        command = option(command)
    return command


class _Of(TypedDict):
    """Of which tables something is wished, an option each."""

    tables: tuple[str, ...]
    groups: tuple[str, ...]
    first: str | None
    hold: int


class _Wished(_Of):
    """The same, and what they shall play."""

    options: tuple[str, ...]
    digest: str | None
    book_dir: Path | None


@click.group(short_help="What tables shall play, have set or run: wished, approved, rolled out, taken back.")
def wish() -> None:
    """Wish that tables play a rulebook. A second person approves it; one table takes it, and after a time the others.

    A table takes a wish between two rounds, where its own file names the book ([floor] books), where it has the book
    itself, with the same digest, and where the floor's key has signed the wish. It tells what it plays in its record.

    \b
    feltd floor wish book onyx-cash --group "pit 2" --first table-7 --hold 60 --reason "cash from Monday on"
    feltd floor wish settings gather_seconds=1.0 --group "pit 2" --first table-7 --reason "case 4712"
    feltd floor wish version 0.9.0 --group "pit 2" --first table-7 --reason "case 4711"
    feltd floor wish list
    feltd floor wish approve 4 --reason "seen, case 4711"
    feltd floor wish stop 4 --reason "players complain"
    feltd floor wish back 4 --reason "as it was"
    """


@wish.command(short_help="Wish that tables play a rulebook.")
@click.argument("rulebook")
@_of_whom
@click.option("--option", "options", multiple=True, metavar="NAME=VALUE", help="An option of the book, as TOML.")
@click.option("--digest", help="The book's SHA-256; left out, that of the book of this name here.")
@book_dir_option
@_file_option
@_reason_option
@acting(Right.WISH)
def book(rulebook: str, file: Path, reason: str, by: "Person", **asked: Unpack[_Wished]) -> None:
    """Wish that tables play RULEBOOK with these options, and no others. It waits for a second person.

    The book itself does not travel: each table has it from its own package or folder, and plays it if its digest is
    this one.
    """
    from feltd.door.pit.wishes import NewWish

    _require_tables(asked["tables"] + asked["groups"])
    play = _play(rulebook, asked["options"], asked["digest"], asked["book_dir"])
    wanted = NewWish(by, play, asked["tables"], asked["groups"], asked["first"], asked["hold"] * 60.0, reason)
    _tell_made(_asked(file, lambda door: door.wish(wanted)), f"{play.rulebook} {play.digest[:12]}")


@wish.command(short_help="Wish that tables have other settings than their own files say.")
@click.argument("settings", nargs=-1, metavar="[NAME=VALUE]...")
@_of_whom
@_file_option
@_reason_option
@acting(Right.WISH)
def settings(settings: tuple[str, ...], file: Path, reason: str, by: "Person", **of: Unpack[_Of]) -> None:
    """Wish that tables have these settings, as TOML, and all others as their own files say. None: all as those say.

    language (of the display), short_loss_seconds and gather_seconds, where the table's own file names them ([floor]
    settings). A table has them at once, also after a start.
    """
    from feltd.door.pit.wishes import NewWish
    from feltd.door.wishing import TableSettings

    _require_tables(of["tables"] + of["groups"])
    wanted = TableSettings(dict(map(_option, settings)))
    asked = NewWish(by, None, of["tables"], of["groups"], of["first"], of["hold"] * 60.0, reason, settings=wanted)
    _tell_made(_asked(file, lambda door: door.wish(asked)), _set(wanted))


@wish.command(short_help="Wish that tables run a version of feltd.")
@click.argument("version")
@_of_whom
@_file_option
@_reason_option
@acting(Right.WISH)
def version(version: str, file: Path, reason: str, by: "Person", **of: Unpack[_Of]) -> None:
    """Wish that tables run VERSION of feltd, as 0.9.0. It waits for a second person.

    For boards made from an image whose table's file says [floor] versions = true. Nothing is sent to them: each asks
    its own server by night, and installs what is signed for it, if it is this version. A person starts it again then.
    """
    from feltd.door.pit.wishes import NewWish

    _require_tables(of["tables"] + of["groups"])
    wanted = NewWish(by, None, of["tables"], of["groups"], of["first"], of["hold"] * 60.0, reason, version)
    _tell_made(_asked(file, lambda door: door.wish(wanted)), f"version {version}")


@wish.command(short_help="Approve a wish, as a second person.")
@_number
@_file_option
@_reason_option
@acting(Right.WISH)
def approve(number: int, file: Path, reason: str, by: "Person") -> None:
    """Approve the wish of NUMBER (feltd floor wish list), as the person who types this (--as): not who wished it."""
    _say(file, number, reason, by, approve=True)
    click.echo(f"wish {number}: approved by {by.account}")


@wish.command(short_help="Stop a wish: no further table takes it.")
@_number
@_file_option
@_reason_option
@acting(Right.WISH)
def stop(number: int, file: Path, reason: str, by: "Person") -> None:
    """Stop the wish of NUMBER. A table that has taken it keeps it, until `feltd floor wish back`."""
    _say(file, number, reason, by, approve=False)
    click.echo(f"wish {number}: stopped by {by.account}")


@wish.command(short_help="Wish that tables play again what they played before a wish.")
@_number
@_file_option
@_reason_option
@acting(Right.WISH)
def back(number: int, file: Path, reason: str, by: "Person") -> None:
    """Wish that each table which took the wish of NUMBER plays again what it played before it.

    A second person approves this too. All tables take it at once: what they played before was played before.
    """
    from feltd.door.pit.wishes import WishBack

    asked = WishBack(number, by, reason)
    _tell_made(_asked(file, lambda door: door.wish_back(asked)), f"back from wish {number}")


@wish.command("list", short_help="The wishes, and how each table stands to them.")
@click.option("--all", "everything", is_flag=True, help="Those that are stopped, or that later ones replace, too.")
@_file_option
@click.pass_context
def list_(ctx: click.Context, file: Path, *, everything: bool) -> None:
    """Tell each wish, who wished and approved it, and for each table whether it holds it, and if not, why.

    Exit code 1 where a table refuses a wish, or does not hold any more what it held.
    """
    found = _asked(file, lambda door: door.wishes(person_here()))
    shown = [one for one in found if everything or _matters(one)]
    for one in shown:
        for line in _lines(one):
            click.echo(line)
    if not shown:
        click.echo("no wish waits or holds", err=True)
    ctx.exit(PROBLEMS if any(table.holds in {"refused", "left"} for one in shown for table in one.tables) else FINE)


def _matters(one: "WishShown") -> bool:
    return one.stage != "stopped" and any(table.holds != "replaced" for table in one.tables)


def _lines(one: "WishShown") -> list[str]:
    from feltd.floor.wishes import Stage

    stage = {
        Stage.PROPOSED: "waits for a second person",
        Stage.CANARY: f"{one.canary} takes it first"
        + ("" if one.left is None else f", for {one.left / 60:.0f} min more"),
        Stage.ROLLING: "for all of its tables",
        Stage.STOPPED: f"stopped by {one.stopped}: {one.stopped_why}",
    }[Stage(one.stage)]
    what = f", back from wish {one.back_of}" if one.back_of is not None else ""
    what = f", version {one.version}" if one.version else what
    when = time.strftime("%Y-%m-%d %H:%M", time.localtime(one.at))
    lines = [f"wish {one.number}{what}: {stage}", f"  {when} {one.who}: {one.why}"]
    if one.approved:
        lines.append(f"  approved by {one.approved}: {one.approved_why}")
    for table in one.tables:
        words = f": {table.words}" if table.words else ""
        if table.wants is not None:
            has = "not known" if table.has is None else _set(table.has)
            lines.append(f"  {table.table}: {table.holds}{words} (wished {_set(table.wants)}; has {has})")
            continue
        if table.wished is None:
            lines.append(f"  {table.table}: {table.holds}{words} (runs {table.runs or 'not known'})")
            continue
        plays = "not known" if table.plays is None else _played(table.plays)
        lines.append(f"  {table.table}: {table.holds}{words} (wished {_played(table.wished)}; plays {plays})")
    return lines


def _set(settings: "TableSettings") -> str:
    told = " ".join(f"{name}={json.dumps(value)}" for name, value in sorted(settings.values.items()))
    return told or "what the tables' own files say"


def _played(play: "BookPlay") -> str:
    options = "".join(f" {name}={json.dumps(value)}" for name, value in sorted(play.options.items()))
    return f"{play.rulebook} {play.digest[:12]}{options}"


def _play(rulebook: str, options: tuple[str, ...], digest: str | None, book_dir: Path | None) -> "BookPlay":
    from feltd.cli.books import load_books
    from feltd.door.wishing import BookPlay

    if digest is None:
        books = load_books(book_dir)
        if rulebook not in books:
            raise click.UsageError(f'no rulebook "{rulebook}" here: see `feltd rules`, or give --book-dir or --digest')
        digest = books[rulebook].digest
    return BookPlay(rulebook, digest, dict(map(_option, options)))


def _option(text: str) -> tuple[str, Any]:
    from toml_text.syntax import TomlSyntaxError, read_toml

    name, equals, value = text.partition("=")
    try:
        [(read, it)] = read_toml(f"{name.strip()} = {value}").items()
    except (TomlSyntaxError, ValueError):
        equals = ""
    if not equals:
        raise click.BadParameter(f'"{text}": write NAME=VALUE, as in the table\'s file: blinds=[100, 200]')
    return read, it


def _say(file: Path, number: int, reason: str, by: "Person", *, approve: bool) -> None:
    from feltd.door.pit.wishes import SaidToWish

    said = SaidToWish(number, approve, by, reason)
    _asked(file, lambda door: door.say_to_wish(said))


def _require_tables(named: tuple[str, ...]) -> None:
    if not named:
        raise click.UsageError("name tables with --table, or groups with --group")


def _tell_made(made: "WishMade", what: str) -> None:
    first = f", {made.canary} first" if made.canary else ""
    click.echo(f"wish {made.number}: {what} for {', '.join(made.tables)}{first}")
    click.echo(f"it waits for a second person: feltd floor wish approve {made.number}", err=True)


def _asked(file: Path, ask: "Callable[[PitDoor], Awaitable[_T]]") -> _T:
    import asyncio

    from feltd.custody.settings import floor_settings
    from feltd.door.asking.pit_door import asked_once
    from feltd.text.errors import FeltdError

    socket = floor_settings(file).socket
    if socket is None:
        raise FeltdError(f"{file}: [floor] names no `socket`: floord takes no wishes. Give it one, and restart it")
    return asyncio.run(asked_once(socket, ask))
