"""A casino's certificates in a folder, and a floor that serves tables with them."""

import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from feltd.custody.certificates import Own, context_of_floor, context_of_table
from feltd.floor.authority import AUTHORITY, make_authority, make_certificate
from feltd.floor.engine import Engine
from feltd.floor.serving import receiving
from tests.ports import free_port

HOST = "127.0.0.1"


def casino(folder: Path, *tables: str, days: int = 1) -> Path:
    """A folder with an authority, the floor's certificate and these tables'. `days`: for which these are good."""
    folder.mkdir()
    make_authority(folder)
    make_certificate(folder, "floor", days=days, hosts=(HOST,))
    for table in tables:
        make_certificate(folder, table, days=days)
    return folder


def own(folder: Path, name: str) -> Own:
    """The files of one side."""
    return Own(folder / f"{name}.pem", folder / f"{name}.key", folder / f"{AUTHORITY}.pem")


def of_table(folder: Path, name: str) -> ssl.SSLContext:
    """TLS of a table."""
    return context_of_table(own(folder, name))


@asynccontextmanager
async def floor_with(engine: Engine, folder: Path, port: int = 0) -> AsyncIterator[str]:
    """A floor that listens, and its address."""
    async with receiving(engine, HOST, port, context_of_floor(own(folder, "floor"))) as server:
        yield f"wss://{HOST}:{server.sockets[0].getsockname()[1]}"


def settings_of_both(keys: Path, table: str, database: str, door: Path) -> tuple[Path, Path]:
    """Write the settings of a floor and of a table's uplink beside their certificates, and return the two files.

    `keys`: the folder of the casino; `database`: its address for floord; `door`: the table's.
    """
    port = free_port()
    files = 'certificate = "{0}.pem"\nkey = "{0}.key"\nauthority = "authority.pem"\n'
    floor, uplink = keys / "floor.toml", keys / f"{table}.toml"
    floor.write_text(
        f'[floor]\nhost = "{HOST}"\nport = {port}\nsocket = "pit"\ndatabase = "{database}"\n' + files.format("floor"),
        encoding="utf-8",
    )
    uplink.write_text(
        f'[uplink]\ntable = "{door}"\nfloors = ["wss://{HOST}:{port}"]\n' + files.format(table), encoding="utf-8"
    )
    return floor, uplink
