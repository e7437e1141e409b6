"""`feltd bench`."""

import json
from pathlib import Path

import click

from feltd.cli.exits import FINE, PROBLEMS


@click.command(
    short_help="Measure whether this board is quick enough.",
    epilog="Exit codes: 0 the board is quick enough; 1 it is not; 2 something could not be measured.",
)
@click.option(
    "--folder",
    type=click.Path(exists=True, file_okay=False, writable=True, path_type=Path),
    default=Path("/var/tmp"),  # noqa: S108 - on the disk, where /tmp may be memory; a folder of its own is made in it
    show_default=True,
    help="On the disk that will hold the record.",
)
@click.option(
    "--board", is_flag=True, help="One JSON object with what board, disk and system this is: the report to send."
)
@click.option("--quick", is_flag=True, help="A tenth of the time: to see that it works, not to judge by.")
@click.pass_context
def bench(ctx: click.Context, folder: Path, board: bool, quick: bool) -> None:
    """Measure how long this board takes over what a table does: to start, to judge an event, to record it, to let
    somebody sign in. It needs no device and no table, and takes about a minute on a Raspberry Pi 4.

    Each figure is held against the most that a table bears. A note says what makes the figures doubtful: other
    programs, a supply that sags, a memory card that says too soon that it has written.

    The report of --board has no serial number, no address, and no name of the machine or of its volumes in it.

    \b
    Examples:
      feltd bench
      feltd bench --folder /var/lib/feltd --board > board.json
    """
    from feltd.bench.machine import machine
    from feltd.bench.measuring import Sizes, measure
    from feltd.bench.report import Report, to_text

    sizes = Sizes(rounds=15, events=50, times=2) if quick else Sizes()
    looked_at = machine(folder)
    figures = measure(folder, sizes, lambda part: click.echo(f"measuring {part} …", err=True))
    report = Report(looked_at, figures)
    click.echo(json.dumps(report.to_dict(), indent=1, ensure_ascii=False) if board else to_text(report))
    ctx.exit(PROBLEMS if report.too_slow else FINE)
