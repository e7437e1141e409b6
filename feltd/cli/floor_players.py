"""`feltd floor players …`: what is kept of a player by name, given to who asks for it, and erased."""

import json
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

import click

from feltd.cli.exits import FINE, PROBLEMS
from feltd.cli.floor_tables import with_engine
from feltd.cli.person import person_here

if TYPE_CHECKING:
    from feltd.floor.forgetting import Forgetting
    from feltd.floor.postgres import PostgresEngine

_R = TypeVar("_R")
_DEFAULT_FILE: Final = Path("/etc/feltd/floor/floor.toml")
_WHY_LEAST, _WHY_MOST = 3, 200
_BACKUPS: Final = Path("/var/lib/feltd-backups")
"""Where `feltd-floor-backup.timer` writes."""


@click.group(short_help="Names of tournaments' players: export, erasure.")
@click.option(
    "--config", "file", type=click.Path(path_type=Path), default=_DEFAULT_FILE, show_default=True, help="floor.toml."
)
@click.pass_context
def players(ctx: click.Context, file: Path) -> None:
    """Tell or erase what the floor keeps of a tournament's player by name. CARD is the number of their card.

    \b
    Everything that is kept of a person: feltd floor players export 1001 >anna.json
    Erase their names and numbers:       feltd floor players erase 1001 --why "asked for it"
    What was erased, by whom and why:    feltd floor players erased
    Who is drawn, by tokens alone:       feltd floor players drawn may-cup >list.txt
    """
    ctx.obj = file


@players.command(short_help="Everything that is kept of a person, as JSON.")
@click.argument("card")
@click.pass_context
def export(ctx: click.Context, card: str) -> None:
    """Print everything that is kept of the person with CARD, tournament and waiting list one by one, as JSON.

    Exit code 1 where nothing is.
    """
    found = _asked(ctx.obj, lambda names: names.of_person(card))
    click.echo(json.dumps(found, indent=1, ensure_ascii=False))
    ctx.exit(FINE if found else PROBLEMS)


@players.command(short_help="Erase a person's names and card numbers.")
@click.argument("card")
@click.option("--why", required=True, help="Why; it stays, with who erased. Name nobody in it.")
@click.option(
    "--backups", "folder", type=click.Path(path_type=Path), default=_BACKUPS, show_default=True,
    help="Where backups lie that were taken before.",
)  # fmt: skip
@click.pass_context
def erase(ctx: click.Context, card: str, why: str, folder: Path) -> None:
    """Erase the name and the number of the person with CARD in every tournament and waiting list, for good.

    Entries, seats, places, prizes and the proof stay as they were, under a token that means nobody. A tournament that
    is not over keeps who plays in it, and a waiting list who waits: then none is erased. Backups of the database keep
    it until they are thrown away: the command says which, and until when. Exit code 1 where nothing was erased.
    """
    from feltd.floor.forgetting import StillPlayedError

    if not (_WHY_LEAST <= len(why.strip()) <= _WHY_MOST and why.isprintable()) or card in why:
        raise click.BadParameter(
            f"give {_WHY_LEAST} to {_WHY_MOST} printable characters without the number itself", param_hint="'--why'"
        )
    who = f"{person_here()} (floor's shell)"
    try:
        cups = _asked(ctx.obj, lambda names: names.erase(card, who, why.strip()))
    except StillPlayedError as refused:
        click.echo(f"feltd: refused: {refused}", err=True)
        ctx.exit(PROBLEMS)
    for cup in cups:
        click.echo(f"{cup}: name and number are erased")
    if cups:
        for line in _in_backups(folder):
            click.echo(line)
    else:
        click.echo("feltd: nothing is kept of this number", err=True)
    ctx.exit(FINE if cups else PROBLEMS)


def _in_backups(folder: Path) -> list[str]:
    """Which backups have the name still, until when, and what to do, a line each."""
    from feltd.custody.errors import CustodyError
    from feltd.floor.older_backups import backups_in

    try:
        found = backups_in(folder)
    except CustodyError as fault:
        lines = [f"backups have the name still, and {fault}"]
    else:
        lines = [f"{one.folder} has the name still{_until(one.until)}" for one in found]
        lines.append("sooner: remove these folders (rm -r)" if lines else f"no backup lies in {folder}")
    return [
        *lines,
        "copies of backups that were carried elsewhere have it too: throw away those of before now. Where one is put "
        "back, erase again what `feltd floor players erased` says today",
    ]


def _until(seconds: int | None) -> str:
    """Until when a backup stays, in words."""
    if seconds is None:
        return ", until somebody removes it"
    return f", until the nightly backup removes it about {time.strftime('%Y-%m-%d', time.gmtime(seconds))}"


@players.command(short_help="What was erased, by whom and why.")
@click.pass_context
def erased(ctx: click.Context) -> None:
    """Tell each erasure: the tournament, the token that is left, who erased and why."""
    for one in with_engine(ctx.obj, lambda engine: engine.tournaments.players.erasures()):
        click.echo(f"{one.tournament}: player-{one.token}, by {one.who}: {one.why}")


@players.command(short_help="The list that a tournament's first draw is bound to.")
@click.argument("tournament")
@click.pass_obj
def drawn(file: Path, tournament: str) -> None:
    """Print the list of TOURNAMENT that its first draw is bound to; before the draw, that of who would be drawn now.

    A line is an entry's number and a token for its person: publish it; anybody who has it and the secret does the draw
    again (`feltd tournament redraw`).
    """
    from feltd.floor.forgetting import drawn_list

    click.echo(with_engine(file, lambda engine: drawn_list(engine.tournaments, tournament)), nl=False)


def _asked(file: Path, ask: "Callable[[Forgetting], Awaitable[_R]]") -> _R:
    from feltd.books.shipped import tournament_sources, waiting_sources
    from feltd.floor.directing import Directing
    from feltd.floor.forgetting import Forgetting
    from feltd.floor.waiting import Waiting

    async def work(engine: "PostgresEngine") -> _R:
        directing = Directing(engine.tournaments, tournament_sources())
        waiting = Waiting(engine.waiting, waiting_sources())
        await directing.look()
        await waiting.look()
        return await ask(Forgetting(directing, engine.tournaments.players, waiting))

    return with_engine(file, work)
