"""`feltd witness serve|send|status`."""

import time
from datetime import UTC, datetime
from pathlib import Path

import click

from feltd.cli.exits import FINE, PROBLEMS


@click.group(short_help="Keep the signed heads of tables' records elsewhere.")
def witness() -> None:
    """Keep the signed heads of tables' records on another machine, so that no table's record is put back unseen.

    \b
    On the other machine:                 feltd witness serve /etc/feltd/witness/witness.toml
    What it has, and its alarms:          feltd witness status /etc/feltd/witness/witness.toml
    Beside each table:                    feltd witness send /run/feltd-door/table tls://witness.example:7453
    Hold a record against it:             feltd journal verify table.journal --witness tls://witness.example:7453/table-7
    """


@witness.command(
    short_help="Run the witness.",
    epilog="Exit codes: 0 stopped in good order (Ctrl-C, SIGTERM); 2 the file has faults, the folder or the address "
    "cannot be used, or what is in the folder is damaged.",
)
@click.argument("file", type=click.Path(path_type=Path))
def serve(file: Path) -> None:
    """Keep the heads of the tables that FILE (witness.toml) names, until it is told to stop.

    Heads are only ever added. A record that contradicts what the witness has, and a table that is silent, are alarmed:
    in the log and in TABLE.alarms of its folder. Neither ends by itself but silence.
    """
    from feltd.launcher.witness_process import run_witness

    run_witness(file)


@witness.command(
    short_help="Hand a table's signed heads to a witness.",
    epilog="Exit codes: 0 stopped in good order (Ctrl-C, SIGTERM); 2 the address or the authority cannot be used.",
)
@click.argument("table", type=click.Path(path_type=Path))
@click.argument("address")
@click.option(
    "--authority",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Who signed the witness's certificate, PEM; the machine's own authorities, if not said.",
)
def send(table: Path, address: str, authority: Path | None) -> None:
    """Hand the signed heads of the table with the socket TABLE to the witness at ADDRESS, until it is told to stop.

    It asks the table's door and keeps nothing itself. The table never waits for it: while the witness cannot be reached
    the table plays on, and its heads follow.

    \b
    Examples:
      feltd witness send /run/feltd-door/table tls://witness.example:7453 --authority casino.pem
      feltd witness send /run/feltd-door/table tcp://127.0.0.1:7453
    """
    from feltd.launcher.witness_process import run_sender

    run_sender(table, address, authority)


@witness.command(
    short_help="What a witness has, and its alarms.",
    epilog="Exit codes: 0 nothing to look at; 1 a contradiction or a silent table; 2 the file has faults.",
)
@click.argument("file", type=click.Path(path_type=Path))
@click.pass_context
def status(ctx: click.Context, file: Path) -> None:
    """Show for each table of FILE (witness.toml) its last head, when it was heard, and what was alarmed.

    A contradiction stands until a person has looked at it and moved TABLE.alarms away; keep the file.
    """
    from feltd.text.as_owner import as_owner_of
    from feltd.witness.settings import witness_settings
    from feltd.witness.status import statuses

    settings = witness_settings(file)
    bad = False
    with as_owner_of(settings.folder):
        found = list(statuses(settings.folder, settings.tables, settings.silent_after, time.time()))
    for one in found:
        last = 0 if one.end is None or one.end.last is None else one.end.last.seq
        heard = "never" if one.heard is None else f"{datetime.fromtimestamp(one.heard, UTC):%Y-%m-%d %H:%M:%S}Z"
        click.echo(f"{one.table}: up to entry {last}, heard {heard}")
        for fault in one.faults:
            bad = True
            click.echo(f"{one.table}: ALARM {fault}")
    ctx.exit(PROBLEMS if bad else FINE)
