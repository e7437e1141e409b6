"""The command line: `feltd COMMAND`. Each command imports what it needs when it runs: help is quick."""

import errno
import os
import sys
from typing import Any, Final

import click

from feltd.cli.accept_command import accept
from feltd.cli.check_command import check
from feltd.cli.completion_command import completion
from feltd.cli.device_commands import device
from feltd.cli.drill_command import drill
from feltd.cli.exits import PROBLEMS, USAGE
from feltd.cli.hand_command import phh
from feltd.cli.journal_commands import journal
from feltd.cli.record_commands import record
from feltd.cli.replay_command import replay
from feltd.cli.rules_command import rules
from feltd.cli.run_command import page, run, table
from feltd.cli.simulate_command import simulate
from feltd.cli.user_commands import user
from feltd.text.errors import FeltdError

_DISK_TROUBLE: Final = (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS)


class _Refusal(click.ClickException):
    """What cannot be done, in one message and without a traceback."""

    exit_code = USAGE

    def show(self, file: Any = None) -> None:
        click.echo(f"feltd: {self.message}", file=file, err=True)


class _Feltd(click.Group):
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
    from importlib.metadata import version

    click.echo(f"feltd {version('feltd')}")
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
    Try its hardware, part by part:        feltd accept --guided
    Let somebody sign in to its page:      feltd user add anna --role supervisor
    Give a device another key:             feltd device key shoe
    Ask the rules about some events:       feltd replay events.jsonl
    Prove that they answer as they should: feltd drill tests/drills
    Read a table's record:                 feltd journal show table.journal
    Open cards that nobody saw:            feltd record unseal round-17.jsonl --help
    """


journal.add_command(phh)
for _command in (
    run,
    table,
    page,
    simulate,
    check,
    accept,
    user,
    device,
    rules,
    replay,
    drill,
    journal,
    record,
    completion,
):
    cli.add_command(_command)


def main() -> None:
    """The program `feltd`."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # started with the stream closed: nothing to read, nowhere to say
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115 - open for the program's life
    cli(prog_name="feltd")
