"""`feltd floor acknowledge` and `decide`: a person at the floor's shell decides at one table."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypedDict, Unpack

import click

from feltd.cli.as_person import acting
from feltd.cli.exits import FINE, PROBLEMS
from feltd.page.access.roles import Right
from feltd.text.errors import FeltdError

if TYPE_CHECKING:
    from feltd.door.commands import Person
    from feltd.door.decisions import DecisionRequest
    from feltd.door.pit.orders import Ordered
    from feltd.door.pit.state import PitAlarm

DEFAULT_FILE: Final = Path("/etc/feltd/floor/floor.toml")
NOT_KNOWN: Final = 3
"""Exit code: nobody knows yet what became of a decision."""

_file_option = click.option(
    "--config", "file", type=click.Path(path_type=Path), default=DEFAULT_FILE, show_default=True, help="floor.toml."
)


class _Which(TypedDict):
    """Which alarms, an option each."""

    alarm: str | None
    device: str | None
    seat: int | None


@click.command(short_help="Acknowledge a table's alarms.")
@_file_option
@click.argument("table")
@click.option("--alarm", help="Of this kind alone; left out, all.")
@click.option("--device", help="Of this device alone.")
@click.option("--seat", type=click.IntRange(1, 10), help="Of this seat alone.")
@click.option("--reason", help="Why, for the table's record.")
@click.option("--yes", is_flag=True, help="Those that are shown, without a question.")
@acting(Right.DECIDE)
@click.pass_context
def acknowledge(
    ctx: click.Context, file: Path, table: str, reason: str | None, by: "Person", *, yes: bool, **which: Unpack[_Which]
) -> None:
    """Show the alarms of TABLE that nobody has acknowledged, and acknowledge these, as the person who runs this (--as).

    What is raised after it was shown stays, also where it is the same alarm anew. Run it as the user of the pit page.
    Exit code 1 where there is none or one was refused, 3 where it is not known what became of one.
    """
    import asyncio

    socket = _socket(file)
    shown = [
        one
        for one in asyncio.run(_alarms(socket, table, by.account))
        if not one.acknowledged and all(value in (None, getattr(one, _FIELDS[name])) for name, value in which.items())
    ]
    for one in shown:
        click.echo(_line(one))
    if not shown:
        click.echo(f"{table}: no such alarm waits to be acknowledged")
        ctx.exit(PROBLEMS)
    if not yes:
        click.confirm("Acknowledge these?", abort=True)
    done = [_ordered(socket, table, by, one) for one in _decisions(shown, reason)]
    codes = [_told(table, one) for one in done]
    ctx.exit(max(codes))


class _About(TypedDict):
    """What a decision is about, an option each."""

    ruling: int | None
    outcome: str | None
    seat: int | None


@click.command(short_help="Take a decision at a table.")
@_file_option
@click.argument("table")
@click.argument("decision")
@click.option("--ruling", type=click.IntRange(1), help="The ruling that it is about, as it was seen.")
@click.option("--outcome", help="With overrule: the outcome in place of the ruling's.")
@click.option("--seat", type=click.IntRange(1, 10), help="With exclude: the player.")
@click.option("--reason", help="Why, for the table's record.")
@acting(Right.DECIDE)
@click.pass_context
def decide(
    ctx: click.Context,
    file: Path,
    table: str,
    decision: str,
    reason: str | None,
    by: "Person",
    **about: Unpack[_About],
) -> None:
    """Take DECISION (confirm, overrule, play_on …) at TABLE, as the person who runs this (--as), and tell its answer.

    The table takes it once, within five seconds or not at all, and only where its own file lets the floor
    ([floor] may). Run it as the user of the pit page. Exit code 1 where it was refused, 3 where it is not known what
    became of it.
    """
    from feltd.door.decisions import DecisionRequest

    about_what = DecisionRequest(decision, about["ruling"], about["outcome"], reason, about["seat"])
    ctx.exit(_told(table, _ordered(_socket(file), table, by, about_what)))


_FIELDS: Final = {"alarm": "kind", "device": "device", "seat": "seat"}


async def _alarms(socket: Path, table: str, account: str) -> "tuple[PitAlarm, ...]":
    """The alarms of a table, as floord has them now. Raises FeltdError for a table that the person does not see."""
    from feltd.door.asking.pit_door import asked_once
    from feltd.door.pit.state import PitSince

    news = await asked_once(socket, lambda door: door.news(PitSince("", 0, account)))
    for one in news.tables:
        if one.name == table:
            return one.alarms
    raise FeltdError(f"{table} is none of the tables that {account} sees. See `feltd floor status`")


def _line(alarm: "PitAlarm") -> str:
    from feltd.text.words import alarm_in_words
    from feltd.text.zone import moment

    over = ", its cause is over" if alarm.over else ""
    return f"{moment(alarm.since)}  {alarm_in_words(alarm.about)}{over}"


def _decisions(alarms: "Iterable[PitAlarm]", reason: str | None) -> "Iterable[DecisionRequest]":
    """What acknowledges these alarms as they were shown, and no other: one for each."""
    from feltd.door.decisions import DecisionRequest, SeenAlarms

    for one in alarms:
        if one.t is None:
            raise FeltdError(
                "this floord is older and tells no moment of an alarm: acknowledge at the table's own page"
            )
        seen = SeenAlarms(one.t, one.over, () if one.device is None else (one.device,), one.deck)
        yield DecisionRequest("acknowledge", None, None, reason, one.seat, one.kind, seen=seen)


def _socket(file: Path) -> Path:
    from feltd.custody.settings import floor_settings

    socket = floor_settings(file).socket
    if socket is None:
        raise FeltdError(f"{file}: [floor] names no `socket`: floord takes no decisions. Give it one, and restart it")
    return socket


def _ordered(socket: Path, table: str, by: "Person", decision: "DecisionRequest") -> "Ordered":
    import asyncio

    from feltd.door.asking.pit_door import ordered_once
    from feltd.door.pit.orders import Order

    return asyncio.run(ordered_once(socket, Order(table, by, decision)))


def _told(table: str, done: "Ordered") -> int:
    """Say what became of a decision; return its exit code."""
    from feltd.custody.messages import Result

    result = Result(done.result)
    told = f"{table}: {result.value}" + (f", entry {done.entry}" if done.entry else "")
    click.echo(f"{told}: {done.words}" if done.words else told)
    return {Result.DONE: FINE, Result.REFUSED: PROBLEMS, Result.NOT_KNOWN: NOT_KNOWN}[result]
