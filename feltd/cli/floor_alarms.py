"""`feltd floor alarms` and `answer-alarm`: custody's alarms, and what people answer to them."""

from pathlib import Path
from typing import Final

import click

from feltd.cli.exits import FINE, PROBLEMS
from feltd.cli.floor_tables import with_engine
from feltd.cli.person import person_here

DEFAULT_FILE: Final = Path("/etc/feltd/floor/floor.toml")

_file_option = click.option(
    "--config", "file", type=click.Path(path_type=Path), default=DEFAULT_FILE, show_default=True, help="floor.toml."
)


@click.command(short_help="Custody's alarms, with what people have answered.")
@_file_option
@click.option("--all", "closed", is_flag=True, help="Those that are closed too: they stay as evidence.")
@click.pass_context
def alarms(ctx: click.Context, file: Path, *, closed: bool) -> None:
    """Tell each alarm of custody with its number, since when it is, and who has answered it.

    Exit code 1 where one is told that nobody has closed.
    """
    from feltd.floor.standing import AlarmState
    from feltd.floor.told import standing_lines

    found = with_engine(file, lambda engine: engine.standing.standing(closed=closed))
    for line in standing_lines(found):
        click.echo(line)
    ctx.exit(PROBLEMS if any(one.state is not AlarmState.CLOSED for one in found) else FINE)


@click.command("answer-alarm", short_help="Acknowledge an alarm of custody, or close it.")
@click.argument("number", type=click.IntRange(1))
@_file_option
@click.option("--acknowledge/--close", default=True, help="Acknowledged it goes on standing; closed it is over.")
@click.option("--reason", required=True, help="Why, for the floor's database: 3 characters at least.")
@click.pass_context
def answer_alarm(ctx: click.Context, number: int, file: Path, *, acknowledge: bool, reason: str) -> None:
    """Answer the alarm of NUMBER (`feltd floor alarms`), as the person who types this.

    The alarm and the answer stay in the database. An alarm that is told again after it was closed is open again. Exit
    code 1 where there is none, or somebody else has answered it already.
    """
    from feltd.floor.postgres import PostgresEngine
    from feltd.floor.standing import AlarmAnswer, AlarmState, Answered

    why = reason.strip()
    if not 3 <= len(why) <= 500 or not why.isprintable():
        raise click.BadParameter("give 3 to 500 printable characters", param_hint="'--reason'")
    state = AlarmState.ACKNOWLEDGED if acknowledge else AlarmState.CLOSED
    who = f"{person_here()} (floor's shell)"

    async def answered(engine: PostgresEngine) -> Answered:
        known = {one.number: one.alarm.times for one in await engine.standing.standing(closed=True)}
        return await engine.standing.answer(AlarmAnswer(number, known.get(number, 0), state, who, why))

    done = with_engine(file, answered)
    words = {
        Answered.DONE: f"alarm {number}: {state.value} by {who}",
        Answered.UNKNOWN: f"alarm {number}: there is none. See `feltd floor alarms --all`",
        Answered.ALREADY: f"alarm {number}: somebody else has answered it already. See `feltd floor alarms --all`",
    }
    click.echo(words[done])
    ctx.exit(FINE if done is Answered.DONE else PROBLEMS)
