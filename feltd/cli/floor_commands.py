"""`feltd floor …`: the daemon that keeps many tables' journals, its database, its certificates, and what it says."""

import time
from pathlib import Path
from typing import Final

import click

from feltd.cli.as_person import DEFAULT_PIT
from feltd.cli.exits import FINE, PROBLEMS, until_told
from feltd.cli.floor_alarms import alarms, answer_alarm
from feltd.cli.floor_backup import backup, pack, restore_all, seal, unseal
from feltd.cli.floor_cluster import cluster
from feltd.cli.floor_decisions import acknowledge, decide
from feltd.cli.floor_draws import keep_draws, seal_draws, unseal_draws
from feltd.cli.floor_export import export
from feltd.cli.floor_group import group
from feltd.cli.floor_players import players
from feltd.cli.floor_standby import promote, standby, synchronous
from feltd.cli.floor_tables import enrol_code, issuer, open_table, receipt_key, restore, shut, signing_key
from feltd.cli.floor_tournament import tournament
from feltd.cli.floor_wish import wish

DEFAULT_FILE: Final = Path("/etc/feltd/floor/floor.toml")

_file_option = click.option(
    "--config", "file", type=click.Path(path_type=Path), default=DEFAULT_FILE, show_default=True, help="floor.toml."
)
_folder = click.argument("folder", type=click.Path(path_type=Path, file_okay=False, exists=True))


@click.group(short_help="Keep the journals of many tables, on PostgreSQL.")
def floor() -> None:
    """Keep the journals of many tables, on PostgreSQL.

    \b
    Make the casino's authority:     feltd floor authority FOLDER
    Sign the server's certificate:   feltd floor certificate FOLDER floor --host floor.example
    Make what signs tables' own:     feltd floor issuer FOLDER
    Make what signs receipts:        feltd floor receipt-key FILE
    Make what signs commands:        feltd floor signing-key FOLDER
    Make a code for a table:         feltd floor enrol-code table-7
    Let a stolen table in no more:   feltd floor shut table-7
    Bring the database up to date:   feltd floor prepare postgresql://OWNER@/floor
    Run the daemon:                  feltd floor run
    Each table's head, lag, forks:   feltd floor status
    Prove what is kept:              feltd floor verify
    Custody's alarms:                feltd floor alarms
    Answer one of them:              feltd floor answer-alarm 12 --close --reason "card changed"
    Run the pit page:                feltd floor page
    Which tables a person sees:      feltd floor group --help
    What tables shall play:          feltd floor wish --help
    Acknowledge a table's alarms:    feltd floor acknowledge table-7
    Take a decision at a table:      feltd floor decide table-7 confirm --ruling 12
    Run a tournament:                feltd floor tournament --help
    Its players' names:              feltd floor players --help
    Give a table its record back:    feltd floor restore table-7 --into table.journal
    Parts of records, with proof:    feltd floor export table-7 --round 17 --into FOLDER
    A table's signed heads:          feltd floor heads table-7 >table-7.heads
    Back the database up:            feltd floor backup postgresql://OWNER@/floor FOLDER
    Pack what is old:                feltd floor pack postgresql://OWNER@/floor
    Put a backup back, and prove it: feltd floor restore-all FOLDER postgresql://OWNER@/new
    Keys in one sealed file:         feltd floor seal FOLDER FILE
    Secrets of draws, sealed:        feltd floor seal-draws --help
    Make a second server:            feltd floor standby --help
    Commit on both, or on one:       feltd floor synchronous postgresql://OWNER@/floor NAME
    Three that choose by themselves: feltd floor cluster --help
    Make it the primary:             feltd floor promote postgresql://OWNER@/floor --reason "db1 burnt"
    """


for _command in (
    issuer,
    receipt_key,
    signing_key,
    enrol_code,
    shut,
    open_table,
    restore,
    export,
    tournament,
    group,
    wish,
    players,
    alarms,
    answer_alarm,
    acknowledge,
    decide,
    backup,
    pack,
    restore_all,
    seal,
    unseal,
    seal_draws,
    keep_draws,
    unseal_draws,
    cluster,
    standby,
    promote,
    synchronous,
):
    floor.add_command(_command)


@floor.command(short_help="Run the daemon (floord).")
@_file_option
@click.pass_context
def run(ctx: click.Context, file: Path) -> None:
    """Keep the journals of tables that call in, until told to stop.

    What it knows is in the database: where it ends, tables call again, and ask where the floor stands.
    """
    from feltd.custody.settings import SettingsError
    from feltd.launcher.floor_process import run_floor

    until_told(ctx, lambda: run_floor(file), SettingsError)


@floor.command(short_help="Each table's head, lag, clock and forks.")
@_file_option
@click.pass_context
def status(ctx: click.Context, file: Path) -> None:
    """Tell each journal's head on the floor, how far its table is ahead, when it was last heard, its clock and forks.

    Exit code 1 where a table has an alarm that nobody has closed (`feltd floor alarms`).
    """
    import asyncio

    from feltd.floor.postgres import PostgresEngine
    from feltd.floor.told import proof_line, server_lines, standing_lines, status_lines

    async def told() -> tuple[list[str], list[str]]:
        engine = await PostgresEngine.open(_database(file))
        try:
            proof = await engine.standing.last_proof()
            lines = status_lines(await engine.status(), time.time()) + ([] if proof is None else [proof_line(proof)])
            await engine.servers.look()
            lines += server_lines(engine.servers, await engine.promotions())
            return lines, standing_lines(await engine.standing.standing())
        finally:
            await engine.close()

    lines, alarms = asyncio.run(told())
    for line in [*lines, *alarms]:
        click.echo(line)
    ctx.exit(PROBLEMS if alarms else FINE)


@floor.command(short_help="Prove every batch that is kept, from its rows.")
@_file_option
@click.pass_context
def verify(ctx: click.Context, file: Path) -> None:
    """Make the chain of every journal anew from the rows that are kept, and compare it with the floor's head.

    Exit code 1 where something is not as it was taken in: the pit page tells it too, as an alarm of its table.
    """
    import asyncio

    from feltd.floor.postgres import PostgresEngine
    from feltd.floor.proving import prove_all
    from feltd.floor.told import alarm_lines

    async def proved() -> tuple[int, list[str]]:
        engine = await PostgresEngine.open(_database(file))
        try:
            proof, found = await prove_all(engine)
            return proof.journals, alarm_lines(found)
        finally:
            await engine.close()

    journals, faults = asyncio.run(proved())
    for fault in faults:
        click.echo(fault)
    click.echo(f"{journals} journals looked at, {len(faults)} with faults")
    ctx.exit(PROBLEMS if faults else FINE)


@floor.command(short_help="Run the pit page.")
@click.option(
    "--config", "file", type=click.Path(path_type=Path), default=DEFAULT_PIT, show_default=True, help="pit.toml."
)
@click.pass_context
def page(ctx: click.Context, file: Path) -> None:
    """Serve the pit page: every table of the floor, over floord's socket, until told to stop.

    Its people are in accounts.json in its own folder: feltd user add lea --role supervisor --config pit.toml.
    """
    from feltd.custody.settings import SettingsError
    from feltd.launcher.pit_process import run_pit

    until_told(ctx, lambda: run_pit(file), SettingsError)


@floor.command(short_help="The signed heads of a table's record.")
@_file_option
@click.argument("table")
@click.pass_context
def heads(ctx: click.Context, file: Path, table: str) -> None:
    """Write the signed heads of TABLE's newest journal, as the floor took them in.

    They are a witness that is not at the table: `feltd journal verify JOURNAL --witness FILE` holds the table's record
    against them. Exit code 1 where the floor has none.
    """
    import asyncio

    from feltd.floor.heads import witness_lines
    from feltd.floor.postgres import PostgresEngine

    async def found() -> list[str]:
        engine = await PostgresEngine.open(_database(file))
        try:
            journals = [one for one in await engine.status() if one.table == table]
            return [line async for line in witness_lines(engine, journals[-1])] if journals else []
        finally:
            await engine.close()

    lines = asyncio.run(found())
    for line in lines:
        click.echo(line)
    if not lines:
        click.echo(f'feltd: the floor has no signed head of "{table}". See `feltd floor status`', err=True)
    ctx.exit(FINE if lines else PROBLEMS)


@floor.command(short_help="Bring a database's schema up to date.")
@click.argument("database")
def prepare(database: str) -> None:
    """Bring the schema of DATABASE (postgresql://OWNER@/NAME) to this version, as its owner.

    It adds what is missing and takes nothing away, and may be run again. The daemon's own role is to be a member of
    floor_custody and of nothing else: CREATE ROLE floord LOGIN IN ROLE floor_custody.
    """
    import asyncio

    from feltd.floor.postgres import EDITION, place_of
    from feltd.floor.postgres import prepare as prepared

    asyncio.run(prepared(database))
    click.echo(f"{place_of(database)}: the schema is of edition {EDITION}")


@floor.command(short_help="Make the casino's authority.")
@_folder
def authority(folder: Path) -> None:
    """Make the authority of the casino in FOLDER: authority.pem, and authority.key, which signs and stays there."""
    from feltd.floor.authority import make_authority

    click.echo(f"{make_authority(folder)}: carry this file to the floor and to every table; keep the key in a safe")


@floor.command(short_help="Sign a certificate for a table or for the floor's server.")
@_folder
@click.argument("name")
@click.option("--host", "hosts", multiple=True, help="Of a server: the names and addresses that tables call it by.")
@click.option("--days", type=click.IntRange(1, 825), default=365, show_default=True, help="How long it is good for.")
def certificate(folder: Path, name: str, hosts: tuple[str, ...], days: int) -> None:
    """Make NAME.pem and NAME.key in FOLDER, signed by the authority there. NAME is the table's on the floor."""
    from feltd.floor.authority import make_certificate

    made = make_certificate(folder, name, days=days, hosts=hosts)
    click.echo(f"{made}, {made.with_suffix('.key')}: carry both to their machine, and delete them here")


def _database(file: Path) -> str:
    from feltd.custody.settings import floor_settings

    return floor_settings(file).database
