"""What one floord of a database does at a time: proofs by night, posts to a webhook. The database says who.

Whoever holds it does so with a connection of its own: where that ends, by a kill or a cut, another one may begin.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Final, Protocol

import asyncpg

from feltd.custody.errors import FloorAwayError
from feltd.floor.servers import FAULTS

AGAIN_AFTER: Final = 5.0
"""Seconds between two attempts at what another floord does."""
LOOK_EVERY: Final = 1.0
_FAMILY: Final = 6_646_471
"""Of our locks, beside other programs' on the same server."""
_WITHIN: Final = 10.0


@dataclass(slots=True)
class Held:
    """What is held. `lost`: the connection has ended, so another floord may have it."""

    lost: bool = False


class Alone(Protocol):
    """Where it is held."""

    def hold(self, what: str) -> AbstractAsyncContextManager[Held | None]:
        """Hold this for the block; None where another floord does it. Raises FloorAwayError."""


class MemoryAlone:
    """In memory."""

    def __init__(self) -> None:
        self.held: set[str] = set()

    @asynccontextmanager
    async def hold(self, what: str) -> AsyncIterator[Held | None]:
        """See `Alone`."""
        if what in self.held:
            yield None
            return
        self.held.add(what)
        try:
            yield Held()
        finally:
            self.held.discard(what)


class PostgresAlone:
    """In PostgreSQL, by a session's advisory lock."""

    def __init__(
        self, connect: Callable[[], Awaitable[asyncpg.Connection]], away: Callable[[BaseException], FloorAwayError]
    ) -> None:
        """`connect`: gives a connection to the database; `away`: how a fault of it is told."""
        self._connect = connect
        self._away = away

    @asynccontextmanager
    async def hold(self, what: str) -> AsyncIterator[Held | None]:
        """See `Alone`."""
        held = Held()
        try:
            connection = await self._connect()
        except FAULTS as fault:
            raise self._away(fault) from fault
        connection.add_termination_listener(lambda _: setattr(held, "lost", True))
        try:
            mine = await self._tried(connection, what)
            yield held if mine else None
        finally:
            with suppress(*FAULTS):  # the lock ends with the connection, however that ends
                await connection.close(timeout=_WITHIN)

    async def _tried(self, connection: asyncpg.Connection, what: str) -> bool:
        try:
            found = await connection.fetchval("SELECT pg_try_advisory_lock($1, hashtext($2))", _FAMILY, what)
        except FAULTS as fault:
            raise self._away(fault) from fault
        return bool(found)


async def one_at_a_time(alone: Alone, what: str, work: Callable[[], Awaitable[None]]) -> None:
    """Do some work for as long as this floord may, and wait while another does it; until cancelled."""
    while True:
        with suppress(FloorAwayError):  # custody says it aloud
            async with alone.hold(what) as held:
                if held is not None:
                    await _while_held(held, work)
        await asyncio.sleep(AGAIN_AFTER)


async def _while_held(held: Held, work: Callable[[], Awaitable[None]]) -> None:
    doing = asyncio.ensure_future(work())
    try:
        while not held.lost and not doing.done():
            await asyncio.wait([doing], timeout=LOOK_EVERY)
    finally:
        doing.cancel()
        await asyncio.gather(doing, return_exceptions=True)
