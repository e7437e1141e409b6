"""A casino's certificates in a folder, and a floor that serves tables with them."""

import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from feltd.custody.certificates import Own, context_of_floor, context_of_table
from feltd.floor.authority import AUTHORITY, make_authority, make_certificate
from feltd.floor.engine import Engine
from feltd.floor.serving import receiving

HOST = "127.0.0.1"


def casino(folder: Path, *tables: str) -> Path:
    """A folder with an authority, the floor's certificate and these tables'."""
    folder.mkdir()
    make_authority(folder)
    make_certificate(folder, "floor", days=1, hosts=(HOST,))
    for table in tables:
        make_certificate(folder, table, days=1)
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
