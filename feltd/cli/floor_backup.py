"""`feltd floor backup`, `restore-all`, `seal` and `unseal`: the floor and its keys, kept elsewhere and brought back."""

from pathlib import Path
from typing import Final

import click

from feltd.cli.exits import FINE, PROBLEMS

DAYS: Final = 3
_STANDBY: Final = "this server is a standby: the primary does it"
_passphrase = click.password_option("--passphrase", help="What opens it; asked for where it is not given.")


@click.command(short_help="Back the floor's database up.")
@click.argument("database")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option(
    "--keep",
    type=click.IntRange(1),
    help="FOLDER is there, has one folder for each backup, and keeps the newest so many.",
)
def backup(database: str, folder: Path, keep: int | None) -> None:
    """Write a backup of DATABASE (postgresql://OWNER@/NAME) into FOLDER, which must not be there yet.

    Play and custody go on meanwhile. It has everything that the floor keeps, and no key: `feltd floor seal`. With
    --keep it does nothing on a standby: a timer may run it on both servers.
    """
    import asyncio
    import time

    from feltd.floor.backup import back_up, back_up_tonight, is_standby

    if keep is not None:
        if asyncio.run(is_standby(database)):
            click.echo(_STANDBY)
            return
        into, journals, gone = asyncio.run(back_up_tonight(database, folder, keep, time.time()))
        click.echo(f"{into}: {journals} journals; {gone} older backups are removed. Carry it to another machine too")
        return
    journals = asyncio.run(back_up(database, folder))
    click.echo(f"{folder}: {journals} journals. Carry it to another machine, and try it: `feltd floor restore-all`")


@click.command("restore-all", short_help="Put a backup into an empty database, and prove it.")
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False, exists=True))
@click.argument("database")
@click.pass_context
def restore_all(ctx: click.Context, folder: Path, database: str) -> None:
    """Put the backup in FOLDER into DATABASE (postgresql://OWNER@/NAME), which must have no floor in it.

    Then every chain is made anew from the rows that came back. Exit code 1 where something is missing or changed.
    """
    import asyncio

    from feltd.floor.backup import put_back

    came = asyncio.run(put_back(folder, database))
    for words in (*came.faults, *came.short):
        click.echo(words)
    if came.older is not None:
        click.echo(f"the backup is of an older feltd (edition {came.older}): the database was brought to this one's")
    found = "all of it is as it was taken in" if came.whole else f"{len(came.faults) + len(came.short)} NOT WHOLE"
    click.echo(f"{came.journals} journals with {came.entries} entries came back: {found}")
    ctx.exit(FINE if came.whole else PROBLEMS)


@click.command(short_help="Pack old batches, many into one.")
@click.argument("database")
@click.option("--days", type=click.IntRange(0), default=DAYS, show_default=True, help="What is older than so many.")
@click.pass_context
def pack(ctx: click.Context, database: str, days: int) -> None:
    """Pack what is old in DATABASE (postgresql://OWNER@/NAME), as its owner: it takes a fraction of its room then.

    Tables and floord go on meanwhile. Proofs, restores and exports read packs as they read batches. Each pack is whole
    or not there: it may be ended at any moment, and run again. Exit code 1 where a batch is not as it was taken in: it
    is left as it is. On a standby it does nothing.
    """
    import asyncio
    import time

    from feltd.floor.backup import is_standby
    from feltd.floor.packing import pack_old

    if asyncio.run(is_standby(database)):
        click.echo(_STANDBY)
        return
    done = asyncio.run(pack_old(database, time.time() - days * 86_400))
    for words in done.faults:
        click.echo(words)
    click.echo(
        f"{done.batches} batches with {done.entries} entries are {done.packs} packs now: "
        f"{done.before} bytes were, {done.after} are"
    )
    ctx.exit(PROBLEMS if done.faults else FINE)


@click.command(short_help="Seal a folder's certificates and keys into one file.")
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False, exists=True))
@click.argument("file", type=click.Path(path_type=Path))
@_passphrase
def seal(folder: Path, file: Path, passphrase: str) -> None:
    """Seal the certificates and keys in FOLDER (the casino's authority, or /etc/feltd/floor) into FILE.

    Without the passphrase nobody opens it, its owner neither: keep both, not in one place.
    """
    from feltd.floor.sealed_files import seal as sealed

    click.echo(f"{file}: {', '.join(sealed(folder, file, passphrase))}")


@click.command(short_help="Open what was sealed.")
@click.argument("file", type=click.Path(path_type=Path))
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False, exists=True))
@click.option("--passphrase", prompt=True, hide_input=True, help="What it was sealed with.")
def unseal(file: Path, folder: Path, passphrase: str) -> None:
    """Write what is sealed in FILE into FOLDER, over nothing that is there."""
    from feltd.floor.sealed_files import unseal as unsealed

    click.echo(f"{folder}: {', '.join(unsealed(file, folder, passphrase))}")
