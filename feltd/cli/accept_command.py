"""`feltd accept`."""

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from feltd.cli.exits import FINE, PROBLEMS

if TYPE_CHECKING:
    from feltd.acceptance.keyboard import Keyboard

DEFAULT_CONFIG: Final = Path("/etc/feltd/table.toml")
DEFAULT_LOCK: Final = Path("/run/lock/feltd-accept")
_STDIN: Final = 0
_PASSWORD_SECONDS: Final = 60.0


@click.command(
    short_help="Try a table's hardware, part by part, and print a report to be signed.",
    epilog="Exit codes: 0 the end was reached and nothing failed (what was left out stands in the report, with its "
    "reason); 1 a step failed, or the run was stopped before its end; 2 it cannot be tried.",
)
@click.argument("config", type=click.Path(path_type=Path), default=DEFAULT_CONFIG)
@click.option("--guided", is_flag=True, help="A person does what is asked; without it, loop-back wires do.")
@click.option("--account", help="A technician's account at the table, for what needs test mode; the password is asked.")
@click.option("--password-stdin", is_flag=True, help="Take the password from the standard input's first line.")
@click.option(
    "--seconds",
    type=click.FloatRange(5, 3600),
    default=60.0,
    show_default=True,
    help="Seconds for each thing that a person is asked for.",
)
@click.option(
    "--report", type=click.Path(path_type=Path), help="The report's file; left out, in acceptance/ beside the record."
)
@click.option(
    "--lock",
    type=click.Path(path_type=Path),
    default=DEFAULT_LOCK,
    show_default=True,
    help="The file that keeps a second run away from this board.",
)
@click.pass_context
def accept(
    ctx: click.Context,
    config: Path,
    guided: bool,
    account: str | None,
    password_stdin: bool,
    seconds: float,
    report: Path | None,
    lock: Path,
) -> None:
    """Try the hardware of the table that CONFIG describes while feltd runs it, and print the acceptance report.

    Every part that CONFIG names has its step: each key, lamp, sensor, channel and plug. What the record, a lamp or a
    test must say then is looked for; what cannot be tried here is left out, told and counted. Between two rounds.

    With --guided a technician is told what to do, step by step. Without it wires do it, from spare lines of the board
    to the table's, named by the environment: FELTD_WIRE_17=5 joins line 17 and line 5.

    \b
    Examples:
      sudo feltd accept --guided --account anna
      sudo FELTD_WIRE_17=5 FELTD_WIRE_27=6 feltd accept /etc/feltd/table.toml --account anna
    """
    from feltd.acceptance.session import Wanted, accept
    from feltd.table.config.config import load_config

    table = load_config(config)
    from_stdin = _keyboard() if guided or password_stdin else None
    if guided and account is None:
        click.echo("Lamps, buzzer, keys and readers are tried in test mode, which a technician begins.")
        account = click.prompt("Technician's account (Enter: nobody; all that is left out then)", default="") or None
    signs_in = None if account is None else (account, _password(account, password_stdin, from_stdin))
    wanted = Wanted(config, table, signs_in, from_stdin if guided else None, seconds, report)
    ctx.exit(FINE if accept(wanted, os.environ, say, lock=lock) else PROBLEMS)


def say(text: str) -> None:
    """To whoever watches; a terminal that is gone keeps no report from being written."""
    with suppress(OSError):
        click.echo(text)


def _keyboard() -> "Keyboard":
    from feltd.acceptance.keyboard import Keyboard

    return Keyboard(_STDIN, lambda text: click.echo(text, nl=False))


def _password(account: str, from_stdin: bool, keyboard: "Keyboard | None") -> str:
    if from_stdin and keyboard is not None:
        return keyboard.text(_PASSWORD_SECONDS) or ""
    asked: str = click.prompt(f"Password of {account}", hide_input=True)
    return asked
