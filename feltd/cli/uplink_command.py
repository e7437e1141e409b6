"""`feltd uplink FILE`, and `feltd uplink enrol CODE`."""

from pathlib import Path
from typing import Final

import click

from feltd.cli.exits import until_told

DEFAULT_FILE: Final = Path("/etc/feltd/uplink/uplink.toml")
_RUN: Final = "run"


class _FileOrCommand(click.Group):
    """`feltd uplink FILE` runs the uplink, as units have it; a word that is a command is that command."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in self.commands:
            args = [_RUN, *args]
        return super().resolve_command(ctx, args)


@click.group(
    cls=_FileOrCommand,
    short_help="Hand a table's record up to the floor.",
    subcommand_metavar="FILE | enrol CODE",
    epilog="Exit codes: 0 stopped in good order (Ctrl-C, SIGTERM); 1 stopped by a failure, which it names; 2 the file "
    "or a certificate has faults.",
)
def uplink() -> None:
    """Hand the record of the table that FILE (uplink.toml) names up to the floor, until it is told to stop.

    It asks the table's door for entries as they are stored, what is sealed in them sealed, and keeps nothing itself.
    The table never waits for it: while the floor cannot be reached, the table plays on, and its rows go up afterwards.

    \b
    Examples:
      feltd uplink /etc/feltd/uplink/uplink.toml
      feltd uplink enrol 7KQMD-2XF9R
      systemctl start felt-uplink
    """


@uplink.command(_RUN, short_help="The same as without a word before FILE.")
@click.argument("file", type=click.Path(path_type=Path))
@click.pass_context
def run(ctx: click.Context, file: Path) -> None:
    """Hand the record of the table that FILE names up to the floor, until it is told to stop."""
    from feltd.custody.errors import CertificateWrongError
    from feltd.custody.settings import SettingsError
    from feltd.launcher.uplink_process import run_uplink

    until_told(ctx, lambda: run_uplink(file), SettingsError, CertificateWrongError)


@uplink.command(short_help="Give this table its certificate, by a code of the floor's.")
@click.argument("code")
@click.option(
    "--config", "file", type=click.Path(path_type=Path), default=DEFAULT_FILE, show_default=True, help="uplink.toml."
)
def enrol(code: str, file: Path) -> None:
    """Make this table's key, and have the floor that uplink.toml names sign it for CODE.

    Somebody makes the code on the floor's server (feltd floor enrol-code TABLE). It is good once. The key and the
    certificate come where uplink.toml names them; the key stays there. The uplink renews the certificate by itself, so
    its user must be the folder's. A table that was enrolled before gets a new key.
    """
    import asyncio

    from feltd.custody.settings import uplink_settings
    from feltd.uplink.enrolling import enrol as enrolled

    settings = uplink_settings(file)
    name = asyncio.run(enrolled(settings.own, settings.floors, code))
    click.echo(f"{settings.certificate}: this table is {name} on the floor now; restart its uplink")
