"""The command line: `feltd COMMAND`. Each command imports what it needs when it runs: help is quick."""

import errno
import os
import sys
from importlib import import_module
from typing import Any, Final

import click

from feltd.cli.exits import PROBLEMS, USAGE
from feltd.text.errors import FeltdError

_DISK_TROUBLE: Final = (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS)

_MODULES: Final = {
    "accept": "accept_command",
    "bench": "bench_command",
    "broadcast": "broadcast_command",
    "check": "check_command",
    "completion": "completion_command",
    "deck": "deck_commands",
    "device": "device_commands",
    "drill": "drill_command",
    "floor": "floor_commands",
    "identify": "identify_command",
    "journal": "journal_commands",
    "page": "run_command",
    "provision": "provision_command",
    "record": "record_commands",
    "replay": "replay_command",
    "rules": "rules_command",
    "run": "run_command",
    "simulate": "simulate_command",
    "table": "run_command",
    "tournament": "tournament_commands",
    "update": "update_command",
    "uplink": "uplink_command",
    "user": "user_commands",
    "witness": "witness_commands",
}
"""The module of each command, which has it by its name."""


class _Refusal(click.ClickException):
    """What cannot be done, in one message and without a traceback."""

    exit_code = USAGE

    def show(self, file: Any = None) -> None:
        click.echo(f"feltd: {self.message}", file=file, err=True)


class _Feltd(click.Group):
    """Loads a command when it is asked for: a table at work holds those of the others in no memory."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(_MODULES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        module = _MODULES.get(cmd_name)
        if module is None:
            return None
        command: click.Command = getattr(import_module(f"feltd.cli.{module}"), cmd_name)
        return command

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except FeltdError as error:
            raise _Refusal(str(error)) from error
        except OSError as error:
            if error.errno not in _DISK_TROUBLE:
                raise
            raise _Refusal(f"cannot write: {error.strerror}") from error


def _version(ctx: click.Context, _parameter: click.Parameter, wanted: bool) -> None:
    if not wanted or ctx.resilient_parsing:
        return
    from feltd.text.version import version_of_feltd

    click.echo(f"feltd {version_of_feltd()}")
    ctx.exit()


@click.group(
    cls=_Feltd,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog=f"Exit codes of every command: 0 fine, {PROBLEMS} problems found, {USAGE} wrong usage or unreadable input. "
    "Each command's --help says what that means for it.",
)
@click.option(
    "--version", is_flag=True, expose_value=False, is_eager=True, callback=_version, help="Show the version and exit."
)
def cli() -> None:
    """The controller of a casino poker table: it watches the round, and says what the approved rules say.

    \b
    See it play, with simulated devices:   feltd simulate
    Read a rulebook as a regulator does:   feltd rules tas-2018-holdem
    Ask what a table would lack:           feltd check /etc/feltd/table.toml
    Run the table:                         feltd run /etc/feltd/table.toml
    Make the files of many tables:         feltd provision tables.csv --into boards
    Say what runs, file by file:           feltd identify /etc/feltd/table.toml
    Try its hardware, part by part:        feltd accept --guided
    Measure whether a board is quick:      feltd bench
    Let somebody sign in to its page:      feltd user add anna --role supervisor
    Give a device another key:             feltd device key shoe
    Enrol a pack of cards that are chips:  feltd deck enrol red-1 --back red
    Ask the rules about some events:       feltd replay events.jsonl
    Prove that they answer as they should: feltd drill tests/drills
    Read a table's record:                 feltd journal show table.journal
    Hand its record up to the floor:       feltd uplink /etc/feltd/uplink/uplink.toml
    Keep tables' signed heads elsewhere:   feltd witness serve /etc/feltd/witness/witness.toml
    Ask the floor what it has:             feltd floor status
    Seat, place and pay a tournament:      feltd tournament --help
    Open cards that nobody saw:            feltd record unseal round-17.jsonl --help
    """


def main() -> None:
    """The program `feltd`."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # started with the stream closed: nothing to read, nowhere to say
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115 - open for the program's life
    from feltd.table.host.memory import keep_command_to_itself

    keep_command_to_itself()  # commands read the record's key, people's halves of keys, passwords and PINs
    cli(prog_name="feltd")
