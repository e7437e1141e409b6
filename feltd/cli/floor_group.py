"""`feltd floor group …`: which tables each person sees at the pit."""

from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from feltd.cli.exits import FINE
from feltd.cli.floor_tables import with_engine
from feltd.cli.person import person_here

if TYPE_CHECKING:
    from feltd.floor.groups import SightRow
    from feltd.floor.postgres import PostgresEngine

DEFAULT_FILE: Final = Path("/etc/feltd/floor/floor.toml")
_REASON_MOST: Final = 500

_file_option = click.option(
    "--config", "file", type=click.Path(path_type=Path), default=DEFAULT_FILE, show_default=True, help="floor.toml."
)
_reason_option = click.option("--reason", required=True, help="Why, for the floor's database: 3 characters at least.")


@click.group(short_help="Which tables each person sees at the pit.")
def group() -> None:
    """Say which tables each person sees, hears and decides at: on the pit page, and at floord's socket.

    While nobody was given anything, everybody sees every table, and the pit page warns of it. From the first line on,
    who is not named sees none, or what (everybody) was given: name yourself first. What is said here holds within two
    seconds, for who is signed in too, and stays in the database.

    \b
    feltd floor group person berg --all --reason "shift manager"
    feltd floor group set "pit 2" table-7 table-8 --reason "room 2"
    feltd floor group person lea --group "pit 2" --reason "supervisor of pit 2"
    """


@group.command("set", short_help="Say which tables are a group.")
@click.argument("name")
@click.argument("tables", nargs=-1)
@_file_option
@_reason_option
def set_(name: str, tables: tuple[str, ...], file: Path, reason: str) -> None:
    """Make the group NAME of TABLES, as the floor names them, in the place of those that it had; of none without."""
    from feltd.custody.certificates import require_name
    from feltd.floor.groups import SightKind, SightRow

    for table in tables:
        require_name(table)
    row = SightRow(SightKind.GROUP, _name(name), tables, False, *_by(reason))

    async def kept(engine: "PostgresEngine") -> set[str]:
        await _keep(engine, row)
        return set(tables) - {one.table for one in await engine.status()}

    unknown = with_engine(file, kept)
    click.echo(f"group {row.name}: {', '.join(tables) or 'no table'}")
    if unknown:
        click.echo(f"not called in yet: {', '.join(sorted(unknown))}", err=True)


@group.command(short_help="Say which groups a person sees.")
@click.argument("account")
@click.option("--group", "groups", multiple=True, help="A group that they see; once for each.")
@click.option("--all", "everything", is_flag=True, help="They see every table, and what concerns all of the floor.")
@_file_option
@_reason_option
def person(account: str, groups: tuple[str, ...], file: Path, reason: str, *, everything: bool) -> None:
    """Give ACCOUNT these groups, in the place of those that they had; none without.

    ACCOUNT is a name of the pit page's accounts, the user who types commands on the floor's server, (everybody): each
    account that is not named, or (screens): players' screens that are shown without signing in.
    """
    from feltd.door.pit.sight import SCREENS
    from feltd.floor.groups import EVERYBODY, SightKind, SightRow

    if everything and groups:
        raise click.UsageError("--all sees every group: leave --group out")
    if " " in account:
        raise click.BadParameter(
            f"an account has no space in its name; {SCREENS} are the screens, {EVERYBODY} who is not named",
            param_hint="ACCOUNT",
        )
    row = SightRow(SightKind.PERSON, _name(account), groups, everything, *_by(reason))

    async def kept(engine: "PostgresEngine") -> None:
        there = {one.name for one in await engine.groups.rows() if one.kind is SightKind.GROUP}
        for name in groups:
            if name not in there:
                known = ", ".join(sorted(there)) or "none yet"
                raise click.UsageError(f'there is no group "{name}"; there are: {known}')
        await _keep(engine, row)

    with_engine(file, kept)
    click.echo(f"{account}: {_seen(row)}")


@group.command("list", short_help="Groups, and who sees which.")
@_file_option
@click.pass_context
def list_(ctx: click.Context, file: Path) -> None:
    """Tell each group with its tables and each person with what they see, and who said so and why."""
    from feltd.floor.groups import EVERYBODY, SightKind

    rows = with_engine(file, lambda engine: engine.groups.rows())
    for row in rows:
        seen = (", ".join(row.parts) or "no table") if row.kind is SightKind.GROUP else _seen(row)
        click.echo(f"{row.kind.value} {row.name}: {seen} ({row.who}: {row.why})")
    said = any(row.kind is SightKind.PERSON and row.name == EVERYBODY for row in rows)
    unnamed = f"who is not named sees what {EVERYBODY} sees" if said else "who is not named sees no table"
    click.echo(unnamed if rows else "no group yet: everybody sees every table", err=True)
    ctx.exit(FINE)


async def _keep(engine: "PostgresEngine", row: "SightRow") -> None:
    """Put it on the floor's own record first: nobody is given a table without it."""
    from dataclasses import asdict

    from feltd.floor.own_record import OwnRecord

    await OwnRecord(engine).note({"note": "who sees which tables", **asdict(row)})
    await engine.groups.set(row)


def _seen(row: "SightRow") -> str:
    return "every table" if row.everything else ", ".join(row.parts) or "no table"


def _name(name: str) -> str:
    from feltd.floor.groups import NAME_MOST

    if not (0 < len(name.strip()) <= NAME_MOST and name.isprintable()):
        raise click.BadParameter(f"a name has 1 to {NAME_MOST} printable characters", param_hint="NAME")
    return name.strip()


def _by(reason: str) -> tuple[str, str]:
    """Who says so, by the system's word, and why."""
    why = reason.strip()
    if not 3 <= len(why) <= _REASON_MOST or not why.isprintable():
        raise click.BadParameter(f"give 3 to {_REASON_MOST} printable characters", param_hint="'--reason'")
    return f"{person_here()} (floor's shell)", why
