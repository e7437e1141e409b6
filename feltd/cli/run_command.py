"""`feltd run CONFIG`."""

from pathlib import Path

import click

from feltd.cli.exits import PROBLEMS


@click.command(
    short_help="Run a table.",
    epilog="Exit codes: 0 stopped in good order (Ctrl-C, SIGTERM); 1 stopped by a failure, which it names; 2 the "
    "configuration or a rulebook has faults (feltd check names what else a start would lack).",
)
@click.argument("config", type=click.Path(path_type=Path))
@click.pass_context
def run(ctx: click.Context, config: Path) -> None:
    """Run the table that CONFIG describes, until it is told to stop.

    It takes up where the journal left off, in the middle of a round too. Under systemd it reports when it is ready and
    feeds the watchdog. SIGTERM and Ctrl-C end it in good order.

    \b
    Examples:
      feltd check /etc/feltd/table.toml && feltd run /etc/feltd/table.toml
      systemctl start feltd
    """
    from feltd.config import load_config
    from feltd.errors import FeltdError

    table = load_config(config)

    from feltd.daemon import run as run_table

    try:
        run_table(table)
    except FeltdError as failure:
        click.echo(f"feltd: {failure}", err=True)
        ctx.exit(PROBLEMS)
