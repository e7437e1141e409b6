"""`feltd run CONFIG`."""

from pathlib import Path

import click

from feltd.cli.exits import AGAIN, FINE, PROBLEMS


@click.command(
    short_help="Run a table.",
    epilog="Exit codes: 0 stopped in good order (Ctrl-C, SIGTERM); 1 stopped by a failure, which it names; 2 the "
    "configuration or a rulebook has faults (feltd check names what else a start would lack); "
    f"{AGAIN} with --stand-by: the start is worth another attempt.",
)
@click.argument("config", type=click.Path(path_type=Path))
@click.option(
    "--stand-by",
    is_flag=True,
    help="Where the table cannot start, say why at the page's address and keep play stopped, until CONFIG is changed.",
)
@click.pass_context
def run(ctx: click.Context, config: Path, stand_by: bool) -> None:
    """Run the table that CONFIG describes, until it is told to stop.

    It takes up where the journal left off, in the middle of a round too. Under systemd it reports when it is ready and
    feeds the watchdog. SIGTERM and Ctrl-C end it in good order.

    \b
    Examples:
      feltd check /etc/feltd/table.toml && feltd run /etc/feltd/table.toml
      systemctl start feltd
    """
    from feltd.text.errors import FeltdError

    if stand_by:
        from feltd.launcher.out_of_order import run_or_say_why

        try:
            again = run_or_say_why(config)
        except FeltdError as failure:
            click.echo(f"feltd: {failure}", err=True)
            ctx.exit(PROBLEMS)
        ctx.exit(AGAIN if again else FINE)

    from feltd.table.config.config import load_config

    table = load_config(config)

    from feltd.launcher.running import run as run_table

    try:
        run_table(table)
    except FeltdError as failure:
        click.echo(f"feltd: {failure}", err=True)
        ctx.exit(PROBLEMS)
