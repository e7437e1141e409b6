"""`feltd run CONFIG`, `feltd table CONFIG` and `feltd page CONFIG`."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Final

import click

from feltd.cli.exits import AGAIN, FINE, PROBLEMS
from feltd.table.host.loading import load_for_a_table, uncollected
from feltd.table.host.quick_dataclasses import quick_dataclasses

_EXITS: Final = (
    "Exit codes: 0 stopped in good order (Ctrl-C, SIGTERM); 1 stopped by a failure, which it names; 2 the "
    "configuration or a rulebook has faults (feltd check names what else a start would lack); "
)
_AGAIN: Final = f"{AGAIN}: the start is worth another attempt."
_config = click.argument("config", type=click.Path(path_type=Path))
_stand_by = click.option(
    "--stand-by",
    is_flag=True,
    help="Where the table cannot start, say why at its page and keep play stopped, until CONFIG is changed.",
)
_door = click.option(
    "--door",
    "socket",
    type=click.Path(path_type=Path),
    help="The socket over which the page asks the table, in place of CONFIG's.",
)


@click.command(short_help="Run a table and its page.", epilog=f"{_EXITS}with --stand-by also {_AGAIN}")
@_config
@_stand_by
@click.pass_context
def run(ctx: click.Context, config: Path, stand_by: bool) -> None:
    """Run the table that CONFIG describes, and its page in a process beside it, until it is told to stop.

    It takes up where the journal left off, in the middle of a round too. Where the page ends or cannot be served, it is
    started again and the table goes on. SIGTERM and Ctrl-C end both in good order. A service runs them apart, as two
    users: feltd table and feltd page.

    \b
    Examples:
      feltd check /etc/feltd/table.toml && feltd run /etc/feltd/table.toml
    """
    with uncollected(for_good=True), quick_dataclasses():
        load_for_a_table()
        from feltd.launcher.page_child import page_beside
        from feltd.launcher.table_process import TheWayIn, run_table

    _refuse_root(config, table=True, page=True)
    beside, way_in = page_beside(config), TheWayIn(user=str(os.geteuid()))
    _ended(ctx, stand_by, lambda: run_table(config, stand_by=stand_by, way_in=way_in, beside=beside))


@click.command(
    short_help="Run a table without its page.", epilog=f"{_EXITS}with --stand-by or --upgraded also {_AGAIN}"
)
@_config
@_stand_by
@_door
@click.option("--page-user", "user", help="The user the page runs as, in place of CONFIG's.")
@click.option(
    "--upgraded",
    type=click.Path(path_type=Path),
    metavar="WORD",
    help="A file in which the package's scripts say that another version is installed: the table plays its round to "
    "the end, then ends to be started anew.",
)
@click.pass_context
def table(
    ctx: click.Context, config: Path, stand_by: bool, socket: Path | None, user: str | None, upgraded: Path | None
) -> None:
    """Run the table that CONFIG describes, until it is told to stop. Its page is a process of its own: feltd page.

    With --upgraded it ends by itself after a round, once a newer feltd is installed (the exit code is then 75).

    It listens at no network address. Under systemd it reports when it is ready and feeds the watchdog.

    \b
    Examples:
      feltd table --stand-by --page-user feltd-page /etc/feltd/table.toml
      systemctl start felt-table
    """
    with uncollected(for_good=True), quick_dataclasses():
        load_for_a_table()
        from feltd.launcher.table_process import TheWayIn, run_table

    _refuse_root(config, table=True)
    way_in = TheWayIn(socket, user)
    _ended(ctx, stand_by, lambda: run_table(config, stand_by=stand_by, way_in=way_in, upgraded=upgraded))


@click.command(short_help="Serve a table's page, apart from the table.", epilog=f"{_EXITS}{_AGAIN}")
@_config
@_door
@click.option(
    "--for-another", is_flag=True, hidden=True, help="Say the address on standard output; end with the input."
)
@click.option(
    "--ended",
    type=click.Path(path_type=Path),
    metavar="WORD",
    help="A file in which the package's script says how the table's process has ended.",
)
@click.pass_context
def page(ctx: click.Context, config: Path, socket: Path | None, for_another: bool, ended: Path | None) -> None:
    """Serve the page of the table that CONFIG describes, until it is told to stop.

    It asks the table over its socket, and opens no device, no key and no journal. While the table does not answer, it
    says why. It may be ended, upgraded and started again while the table plays.

    \b
    Examples:
      feltd page /etc/feltd/table.toml
      systemctl restart felt-page
    """
    with uncollected(for_good=True), quick_dataclasses():
        from feltd.launcher.page_process import run_page

    _refuse_root(config, page=True)
    _ended(ctx, True, lambda: run_page(config, socket, for_another=for_another, ended=ended))


def _refuse_root(config: Path, *, table: bool = False, page: bool = False) -> None:
    """Raise PlaceError where root would write the record, or the page's files, in a folder that is a service's."""
    if os.geteuid() != 0:
        return
    from feltd.table.config.config import load_config
    from feltd.text.as_owner import require_own
    from feltd.text.errors import FeltdError

    try:
        known = load_config(config)
    except FeltdError:  # the process itself says it, or stands by with it
        return
    places = [known.journal.path] * table + [known.accounts_file, known.page_folder / "index"] * page
    for place in places:
        require_own(place, "start it as that user, or by its unit (systemctl start felt-table felt-page)")


def _ended(ctx: click.Context, told_here: bool, work: Callable[[], bool]) -> None:
    """Do the work of a process, and exit with its code.

    `told_here`: faults of the configuration are a failure like any other, because the process stands by with them.
    """
    from feltd.table.config.config import ConfigError, ConfigFileError
    from feltd.text.errors import FeltdError

    try:
        again = work()
    except FeltdError as failure:
        if isinstance(failure, ConfigError | ConfigFileError) and not told_here:
            raise
        click.echo(f"feltd: {failure}", err=True)
        ctx.exit(PROBLEMS)
    ctx.exit(AGAIN if again else FINE)
