"""The floor's end of the wire: tables call in with their certificates, and each is served by the rules of custody."""

import asyncio
import logging
import ssl
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Final

from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol

from feltd.custody.certificates import name_of
from feltd.custody.errors import CustodyError, CustodyRefusedError, CustodyWireError, FloorAwayError
from feltd.custody.messages import (
    FROM_TABLE,
    MESSAGE_MOST,
    SUBPROTOCOL,
    Answer,
    Beat,
    Hello,
    Refused,
    from_bytes,
    to_bytes,
)
from feltd.floor.commanding import Desk, Reach
from feltd.floor.custody import Session
from feltd.floor.engine import Appended, Batch, Engine, Verdict
from feltd.floor.gathering import Gatherer
from feltd.floor.pit_book import PitBook

SILENT_FOR: Final = 60.0
"""Seconds after which a table that says nothing is let go: a living one beats every ten."""
OF_ONE_TABLE: Final = 4
"""Connections of one certificate at once: one, and those that a network has left behind."""
QUEUED: Final = 2
"""Messages of one connection that wait: a table has one under way, and one that floods is read no faster."""
_CLOSE_REFUSED: Final = 1008
_CLOSE_AGAIN: Final = 1013
_log = logging.getLogger("feltd.floor")


class Custodian:
    """Serves connections of tables. Belongs to one loop."""

    def __init__(
        self, engine: Engine, gatherer: Gatherer, desk: Desk | None = None, pit: PitBook | None = None
    ) -> None:
        """`desk`: who passes people's decisions on; `pit`: who shows tables; None makes one that nobody asks."""
        self._engine = engine
        self._desk = desk or Desk(engine)
        self._pit = pit or PitBook(engine)
        self._gatherer = gatherer
        self._connected: Counter[str] = Counter()

    async def serve_one(self, connection: ServerConnection) -> None:
        """Serve one connection until it ends."""
        table = "?"
        try:
            table = self._table_of(connection)
            if self._connected[table] >= OF_ONE_TABLE:
                raise CustodyRefusedError(
                    f"{OF_ONE_TABLE} connections show this table's certificate already",
                    f"table {table}",
                    "Find out which machines have a copy of its key, and make the table a new certificate",
                )
            self._connected[table] += 1
            try:
                await self._served(connection, table)
            finally:
                self._connected[table] -= 1
        except CustodyError as fault:
            await self._refuse(connection, table, fault)
        except (ConnectionClosed, TimeoutError):
            _log.info("table %s has gone", table)

    @staticmethod
    def _table_of(connection: ServerConnection) -> str:
        tls = connection.transport.get_extra_info("ssl_object")
        shown = None if tls is None else tls.getpeercert(binary_form=True)
        if shown is None:
            raise CustodyRefusedError("no certificate is shown", "TLS", "Give the uplink its table's certificate")
        return name_of(shown)

    async def _served(self, connection: ServerConnection, table: str) -> None:
        session, reach = Session(table, self._engine, self._append, time.time), Reach(connection.send)
        try:
            while True:
                async with asyncio.timeout(SILENT_FOR):
                    data = await connection.recv()
                if isinstance(data, str):
                    raise CustodyWireError("text, which this wire does not have", "message", "Report it as a fault")
                message = from_bytes(data, FROM_TABLE)
                if isinstance(message, Answer):
                    await self._desk.answered(table, message)
                    continue
                answer = await session.take(message)
                await connection.send(to_bytes(answer))
                if isinstance(message, Hello):
                    _log.info("table %s is here with journal %s (%s)", table, message.journal.hex(), message.software)
                    reach.journal = message.journal
                    self._desk.join(table, reach, obeys=message.obeys)
                    self._pit.came(table, message.journal, reach.stand(answer))
                    continue
                beat = message if isinstance(message, Beat) else None
                self._pit.said(table, reach.stand(answer), beat)
                if beat is not None:
                    await self._desk.look(reach.journal, beat.head, answer.seq)
        finally:
            self._desk.leave(table, reach)
            if reach.journal:
                self._pit.went(table)

    async def _append(self, batch: Batch) -> Appended:
        appended = await self._gatherer.append(batch)
        if appended.verdict is Verdict.ADDED:
            self._pit.take(batch)
        return appended

    async def _refuse(self, connection: ServerConnection, table: str, fault: CustodyError) -> None:
        again = isinstance(fault, FloorAwayError)
        _log.log(logging.ERROR if again else logging.WARNING, "table %s: %s", table, fault)
        with suppress(ConnectionClosed):
            await connection.send(to_bytes(Refused(_short(fault.what), _short(fault.place), fault.remedy, again)))
        await connection.close(_CLOSE_AGAIN if again else _CLOSE_REFUSED)


@asynccontextmanager
async def receiving(
    engine: Engine, host: str, port: int, context: ssl.SSLContext, desk: Desk | None = None, pit: PitBook | None = None
) -> AsyncIterator[Server]:
    """Serve tables for as long as the block lasts. Raises OSError where it cannot be listened there."""
    gatherer = Gatherer(engine)
    custodian = Custodian(engine, gatherer, desk, pit)
    async with asyncio.TaskGroup() as group:  # a gatherer that fails ends the daemon: nothing else would be kept
        gathering = group.create_task(gatherer.run(), name="gatherer")
        try:
            server = await serve(
                custodian.serve_one,
                host,
                port,
                ssl=context,
                subprotocols=[Subprotocol(SUBPROTOCOL)],
                compression=None,
                max_size=MESSAGE_MOST,
                max_queue=QUEUED,
                server_header=None,
            )
            try:
                yield server
            finally:
                server.close()
                await server.wait_closed()
        finally:
            gathering.cancel()


def _short(text: str) -> str:
    """Printable, and as long as the wire takes."""
    return "".join(letter if letter.isprintable() else " " for letter in text)[:500]
