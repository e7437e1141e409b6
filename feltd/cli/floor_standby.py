"""`feltd floor standby`, `promote` and `synchronous`: a second server, and a person who changes over."""

from pathlib import Path

import click

from feltd.cli.person import person_here


@click.command(short_help="Make a standby from the primary.")
@click.argument("primary")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--name", required=True, help="The standby's name on the primary: a to z, 0 to 9 and _.")
def standby(primary: str, folder: Path, name: str) -> None:
    """Copy the server at PRIMARY (postgresql://ROLE@HOST/postgres?sslmode=verify-full…) into FOLDER, which is empty.

    Run it on the standby's machine as the database's user, then start the server there: it follows the primary. ROLE
    may sign in and replicate, and nothing else. The primary keeps what the standby has not yet, also while it is away.
    """
    import asyncio

    from feltd.floor.standing_by import make_standby

    asyncio.run(make_standby(primary, name, folder))
    click.echo(f"{folder}: follows the primary as {name} once its server is started")


@click.command(short_help="Make the standby the primary.")
@click.argument("database")
@click.option("--reason", required=True, help="Why: it stays in the database.")
@click.option("--although-it-answers", is_flag=True, help="Also where the old primary still answers.")
def promote(database: str, reason: str, although_it_answers: bool) -> None:
    """Make the standby at DATABASE (postgresql://OWNER@/NAME on its machine) the primary, and put it on record.

    Refused while the old primary answers. Every floord goes over to it by itself; what was primary before is written to
    no more, also where it comes back.
    """
    import asyncio

    from feltd.floor.promoting import promote as promoted

    done = asyncio.run(promoted(database, person_here(), reason, although_it_answers=although_it_answers))
    told = "was made the primary before, and is on record now" if done.late else "is the primary now"
    click.echo(f"{done.server}: {told} (timeline {done.history.timeline}); make another standby: `feltd floor standby`")


@click.command(short_help="Acknowledge what two servers have on their disks, or one.")
@click.argument("database")
@click.argument("name", required=False)
@click.option("--off", is_flag=True, help="The primary's own disk is enough.")
def synchronous(database: str, name: str | None, off: bool) -> None:
    """Have DATABASE (postgresql://OWNER@/NAME, on the primary) acknowledge what the standby NAME has on its disk too.

    While that standby is away nothing is acknowledged, and tables keep their rows: --off lets the primary's own disk be
    enough. It holds at once and after a restart.
    """
    import asyncio

    from feltd.floor.promoting import wait_for

    if (name is None) != off:
        raise click.UsageError("Name the standby, or say --off.")
    asyncio.run(wait_for(database, name))
    click.echo("one disk is enough" if name is None else f"what is acknowledged is on the disk of {name} too")
