"""Floors of both kinds for tests: in memory, and on a PostgreSQL server of the tests' own."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, contextmanager

import asyncpg
import pytest

from feltd.floor.engine import Engine
from feltd.floor.memory import MemoryEngine
from feltd.floor.postgres import PostgresEngine, prepare
from tests.floor.postgres_support import WHY_NOT, Server, binaries, server


@contextmanager
def server_with_floor() -> Iterator[Server]:
    """A server with an empty floor in it, `floord` is the daemon's role. Skips where there is no server's binary."""
    if binaries() is None:
        pytest.skip(WHY_NOT)
    with server() as running:
        asyncio.run(prepare(running.address("owner")))
        asyncio.run(as_owner(running, "CREATE ROLE floord LOGIN IN ROLE floor_custody"))
        yield running


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """A server with an empty floor in it, for all tests."""
    with server_with_floor() as running:
        yield running


async def as_owner(running: Server, *statements: str) -> None:
    """Statements of the database's owner."""
    connection = await asyncpg.connect(running.address("owner"))
    try:
        for statement in statements:
            await connection.execute(statement)
    finally:
        await connection.close()


async def emptied(running: Server) -> None:
    """A floor without journals: the owner of a database can do what no role of the floor may.

    Rows are deleted: to truncate a few rows of thirty tables takes half a second of the disk, for each test anew."""
    names = ["batch", "fork", "seen", "head", "journal", "alarm", "signer", "anchor", "command", "pit", "access"]
    names += ["code", "certificate", "shutting", "tournament", "tournament_event", "fact", "derived", "follower"]
    names += ["promotion", "alarm_answer", "alarm_news", "proof", "sight", "packed", "player", "player_erasure"]
    names += ["wish", "wish_step", "floord", "passed"]
    deleted = "; ".join(f"DELETE FROM floor.{name}" for name in names)
    await as_owner(running, f"SET session_replication_role = replica; {deleted}")


LEFT = """
SELECT 'lock ' || objid FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()
UNION ALL SELECT 'cursor ' || name FROM pg_cursors WHERE name <> ''
UNION ALL SELECT 'channel ' || channel FROM pg_listening_channels() AS channel
UNION ALL SELECT 'setting ' || name FROM pg_settings WHERE source = 'session' AND name <> 'jit'
"""
"""What a session has that its start did not bring. asyncpg puts `jit` back itself where it has looked at types."""


async def require_as_it_was(opened: PostgresEngine) -> None:
    """No session of an engine keeps anything of what it did: the next work would find it, since none is reset."""
    async with AsyncExitStack() as sessions:
        for _ in range(opened._pool.get_size()):
            session = await sessions.enter_async_context(opened._pool.acquire())
            assert await session.fetch(LEFT) == []


@pytest.fixture(params=["memory", "postgres"])
def engine(request: pytest.FixtureRequest) -> Callable[[Callable[[Engine], Awaitable[None]]], None]:
    """A function that does some work with a new, empty engine."""
    running: Server | None = request.getfixturevalue("postgres") if request.param == "postgres" else None

    async def with_new(work: Callable[[Engine], Awaitable[None]]) -> None:
        if running is None:
            await work(MemoryEngine(lambda: 1000.0))
            return
        await emptied(running)
        opened = await PostgresEngine.open(running.address("floord"))
        try:
            await work(opened)
            await require_as_it_was(opened)
        finally:
            await opened.close()

    return lambda work: asyncio.run(with_new(work))
