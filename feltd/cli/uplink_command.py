"""`feltd uplink FILE`."""

from pathlib import Path

import click

from feltd.cli.exits import FINE, PROBLEMS


@click.command(
    short_help="Hand a table's record up to the floor.",
    epilog="Exit codes: 0 stopped in good order (Ctrl-C, SIGTERM); 1 stopped by a failure, which it names; 2 the file "
    "or a certificate has faults.",
)
@click.argument("file", type=click.Path(path_type=Path))
@click.pass_context
def uplink(ctx: click.Context, file: Path) -> None:
    """Hand the record of the table that FILE (uplink.toml) names up to the floor, until it is told to stop.

    It asks the table's door for entries as they are stored, what is sealed in them sealed, and keeps nothing itself.
    The table never waits for it: while the floor cannot be reached, the table plays on, and its rows go up afterwards.

    \b
    Examples:
      feltd uplink /etc/feltd/uplink/uplink.toml
      systemctl start felt-uplink
    """
    from feltd.custody.errors import CertificateWrongError
    from feltd.custody.settings import SettingsError
    from feltd.launcher.uplink_process import run_uplink
    from feltd.text.errors import FeltdError

    try:
        run_uplink(file)
    except (SettingsError, CertificateWrongError):
        raise
    except FeltdError as failure:
        click.echo(f"feltd: {failure}", err=True)
        ctx.exit(PROBLEMS)
    ctx.exit(FINE)
