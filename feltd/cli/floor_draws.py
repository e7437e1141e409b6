"""`feltd floor seal-draws`, `keep-draws` and `unseal-draws`: the secrets of draws, kept elsewhere and brought back."""

import time
from pathlib import Path

import click


@click.command("seal-draws", short_help="Seal the secrets of draws to a public key.")
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False, exists=True))
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--to", "line", required=True, help="The line of the casino's public key (`feltd record key`).")
def seal_draws(folder: Path, file: Path, line: str) -> None:
    """Seal the secrets of draws in FOLDER (/var/lib/feltd-floor, or `draws` of floor.toml) into FILE.

    The private key alone opens it, so no passphrase is asked for and a timer may run it. Its holder knows the
    seats before each draw: keep it where nobody takes entries.
    """
    from feltd.cli.sealed_draws import seal_draws as sealed
    from feltd.record.unseal_keys import PublicKey

    try:
        public = PublicKey.parse(line)
    except ValueError as fault:
        raise click.BadParameter(str(fault), param_hint="--to") from None
    click.echo(f"{file}: {', '.join(sealed(folder, file, public))}; {public.fingerprint} opens it")


@click.command("keep-draws", short_help="Seal new secrets of draws as floor.toml has it, for a timer.")
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False, exists=True))
@click.option(
    "--config",
    "config",
    type=click.Path(path_type=Path),
    default=Path("/etc/feltd/floor/floor.toml"),
    show_default=True,
    help="The floor's file.",
)
@click.option("--keep", type=click.IntRange(2, 1000), default=30, show_default=True, help="Files at most.")
def keep_draws(folder: Path, config: Path, keep: int) -> None:
    """Seal the secrets of draws into a file of their own in FOLDER, to the key that floor.toml names (`seal_draws_to`).

    Where floor.toml names none, where there are no secrets, and where a file there has all of them under that key, it
    says so and does nothing. The oldest files beyond KEEP are removed.
    """
    from feltd.cli.sealed_draws import DRAWS_OF_FLOORD
    from feltd.cli.sealed_draws import keep_draws as kept
    from feltd.custody.settings import SettingsError, floor_settings

    try:
        settings = floor_settings(config)
    except SettingsError as fault:
        raise click.ClickException(str(fault)) from None
    click.echo(kept(settings.draws or DRAWS_OF_FLOORD, folder, settings.seal_draws_to, keep, time.time()))


@click.command("unseal-draws", short_help="Bring sealed secrets of draws back, or try them.")
@click.argument("file", type=click.Path(path_type=Path))
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False, exists=True), required=False)
@click.option("--key", type=click.Path(path_type=Path), required=True, help="The file of the private key.")
def unseal_draws(file: Path, folder: Path | None, key: Path) -> None:
    """Open FILE, and write each tournament's secrets into FOLDER, over nothing that is there.

    Without FOLDER it is tried alone: each tournament is told with its commitment, which must be the published one.
    """
    from feltd.cli.sealed_draws import open_draws
    from feltd.record.unseal_keys import read_private_key

    for one in open_draws(file, read_private_key(key), folder):
        click.echo(f"{one.tournament}: commitment {one.commitment}{', was there already' if one.there else ''}")
