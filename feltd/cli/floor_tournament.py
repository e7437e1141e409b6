"""`feltd floor tournament …`: a director at the server's shell, over floord's socket."""

import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final, TypeVar

import click

from feltd.cli.as_person import acting
from feltd.cli.exits import FINE, PROBLEMS
from feltd.cli.person import person_here
from feltd.page.access.roles import Right

if TYPE_CHECKING:
    from feltd.door.asking.pit_door import PitDoor
    from feltd.door.commands import Person
    from feltd.door.pit.directing import TournamentTile

_T = TypeVar("_T")
_NOT_KNOWN: Final = 3
"""Exit code: nobody knows yet whether a step was kept."""
_WHY: Final = click.option("--why", required=True, help="Why; it stands in each event.")
_EXITS: Final = "Exit codes: 0 all was taken; 1 refused, and what follows was not tried; 3 nobody knows: look again."


@click.group(short_help="Run tournaments over many tables.")
@click.option(
    "--config", "file", type=click.Path(path_type=Path), default=Path("/etc/feltd/floor/floor.toml"),
    show_default=True, help="floor.toml, which names floord's socket.",
)  # fmt: skip
@click.pass_context
def tournament(ctx: click.Context, file: Path) -> None:
    """Run tournaments over many tables, as the person who types this (--as). Run it as the user of the pit page.

    \b
    Which are there?                feltd floor tournament list
    How does one stand?             feltd floor tournament show may-cup
    Make one:                       feltd floor tournament open may-cup --title "May cup" --book onyx --why announced
    What does the cage pay out?     feltd floor tournament payouts may-cup >payouts.csv
    Take steps, a JSON line each:   feltd floor tournament step may-cup steps.jsonl --why "list closed"
    """
    ctx.obj = file


@tournament.command("list", short_help="Each tournament and how far it is.")
@click.pass_obj
def listed(file: Path) -> None:
    """Tell each tournament: its phase, entries, players and tables, and its last event's number."""
    for tile in _asked(file, lambda door: door.tournaments(person_here())):
        click.echo(_in_words(tile))


@tournament.command(short_help="What has happened to a tournament.")
@click.argument("tournament")
@click.option("--since", type=click.IntRange(0), default=0, help="Behind this event alone; the last 200 at most.")
@click.option("--state", is_flag=True, help="Its whole state instead, as JSON.")
@click.pass_obj
def show(file: Path, tournament: str, since: int, state: bool) -> None:
    """Print the events of TOURNAMENT with what it said to each, a JSON object a line; or its state."""
    from feltd.door.pit.directing import TournamentAsk

    news = _asked(file, lambda door: door.tournament(TournamentAsk(tournament, -1 if state else since, person_here())))
    if news.wrong is not None:
        click.echo(f"feltd: {news.wrong}", err=True)
    if state:
        click.echo(_json({"id": news.id, "seq": news.seq, "t": news.t, "state": news.state}))
        return
    for line in news.lines:
        click.echo(_json({"seq": line.seq, "event": line.event, "outputs": line.outputs}))


@tournament.command(
    short_help="What the cage pays out, with room for tax and signatures.",
    epilog="Exit codes: 0 the payouts are the pool; 1 they are not, or may not be yet; 2 TOURNAMENT cannot be shown.",
)
@click.argument("tournament")
@click.option("--json", "as_json", is_flag=True, help="JSON instead of CSV.")
@click.pass_context
def payouts(ctx: click.Context, tournament: str, as_json: bool) -> None:
    """Print a line for each entry of TOURNAMENT with a prize, in cents, and whether they are the prize pool.

    It is the sheet of the desk's "Payouts for the cage", as floord has the tournament now.
    """
    from feltd.books.own_tournaments import tournament_books
    from feltd.cli.tournament_commands import print_payouts
    from feltd.page.pit.tournaments.asking import FloorTournaments, NoSuchTournamentError, NotShownError
    from feltd.text.errors import FeltdError
    from floor_fsm.tournament import Tournament

    async def work(door: "PitDoor") -> Tournament:
        now = await FloorTournaments(door, tournament_books(None).laws).known(tournament, person_here())
        return Tournament.going_on(now.parts, now.seq, now.t)

    try:
        found = _asked(ctx.obj, work)
    except (NoSuchTournamentError, NotShownError) as fault:
        raise FeltdError(f"{tournament}: {fault}") from None
    ctx.exit(print_payouts(found, as_json))


@tournament.command("open", short_help="Make a tournament.", epilog=_EXITS)
@click.argument("tournament")
@click.option("--title", required=True, help="For people.")
@click.option("--book", required=True, metavar="ID", help="The tournament book: `feltd tournament books`.")
@_WHY
@acting(Right.TOURNAMENT)
@click.pass_context
def opened(ctx: click.Context, tournament: str, title: str, book: str, why: str, by: "Person") -> None:
    """Make TOURNAMENT (up to 40 of a-z, 0-9 and -). Its terms come next, with the step tournament.open."""
    from feltd.door.pit.directing import DecidedBy, Opening

    opening = Opening(tournament, title, book, DecidedBy(by, why))

    async def work(door: "PitDoor") -> None:
        done = await door.open(opening)
        click.echo(f"{tournament}: event {done.seq}")

    _done(ctx, work)


@tournament.command(short_help="Take steps of a tournament.", epilog=_EXITS)
@click.argument("tournament")
@click.argument("events", type=click.File("r", encoding="utf-8"))
@click.option("--expected", type=click.IntRange(1), help="The last event that you know; left out, whatever it is now.")
@_WHY
@acting(Right.TOURNAMENT)
@click.pass_context
def step(ctx: click.Context, tournament: str, events: IO[str], expected: int | None, why: str, by: "Person") -> None:
    """Take the steps in EVENTS, a JSON object a line (- reads them from the input), and print what is said to each.

    floord says when each was taken and by whom: `t` and `by` in a line are replaced. The first that is refused ends it.
    """
    from feltd.door.pit.directing import DecidedBy, Step, TournamentAsk

    said = list(_lines(events))

    async def work(door: "PitDoor") -> None:
        known = expected
        if known is None:
            known = (await door.tournament(TournamentAsk(tournament, 0, by.account))).seq
        for number, event in said:
            try:
                done = await door.step(Step(tournament, known, event, DecidedBy(by, why)))
            except Exception:
                click.echo(f"feltd: {events.name}:{number}:", err=True)
                raise
            known = done.seq
            click.echo(_json({"seq": done.seq, "ev": event.get("ev"), "outputs": done.outputs}))

    _done(ctx, work)


def _lines(events: IO[str]) -> "list[tuple[int, dict[str, Any]]]":
    """The events with their lines. Raises UsageError for a line that is none: nothing is sent then."""
    found: list[tuple[int, dict[str, Any]]] = []
    for number, line in enumerate(events, 1):
        if not line.strip() or line.startswith("#"):
            continue
        try:
            event = json.loads(line)
        except ValueError as fault:
            raise click.UsageError(f"{events.name}:{number}: not JSON: {fault}") from None
        if not isinstance(event, dict):
            raise click.UsageError(f"{events.name}:{number}: an event is a JSON object")
        found.append((number, event))
    return found


def _in_words(tile: "TournamentTile") -> str:
    words = f"{tile.id}: {tile.title} ({tile.book}), {tile.phase.value.replace('_', ' ')}"
    counts = f"entries {tile.entries}, with a seat {tile.playing}, tables {tile.tables}, event {tile.seq}"
    due = "; payouts are to be set: nobody has a prize before" if tile.payouts_due else ""
    return f"{words}; {counts}{due}" + (f"; {tile.wrong}" if tile.wrong else "")


def _done(ctx: click.Context, work: "Callable[[PitDoor], Awaitable[None]]") -> None:
    """Do it, and end with the exit code that tells what became of it."""
    from feltd.door.commands import CommandRefused, StepNotKnownError

    code = FINE
    try:
        _asked(ctx.obj, work)
    except CommandRefused as refusal:
        click.echo(f"feltd: refused: {refusal}", err=True)
        code = PROBLEMS
    except StepNotKnownError as fault:
        click.echo(f"feltd: not known: {fault}", err=True)
        code = _NOT_KNOWN
    ctx.exit(code)


def _asked(file: Path, ask: "Callable[[PitDoor], Awaitable[_T]]") -> _T:
    import asyncio

    from feltd.custody.settings import floor_settings
    from feltd.door.asking.pit_door import asked_once
    from feltd.text.errors import FeltdError

    socket = floor_settings(file).socket
    if socket is None:
        raise FeltdError(f"{file}: [floor] names no `socket`: floord is asked nothing. Give it one, and restart it")
    return asyncio.run(asked_once(socket, ask))


def _json(said: dict[str, Any]) -> str:
    return json.dumps(said, separators=(",", ":"), ensure_ascii=False)
