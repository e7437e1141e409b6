"""The floor's end of the wire: tables call in with their certificates, and each is served by the rules of custody."""

import asyncio
import logging
import ssl
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from typing import Any, Final

from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.frames import CloseCode
from websockets.typing import Subprotocol

from feltd.custody.errors import (
    CustodyError,
    CustodyRefusedError,
    CustodyWireError,
    FloorAwayError,
    NotYetSaidError,
)
from feltd.custody.messages import (
    FROM_NEW_TABLE,
    FROM_TABLE,
    MESSAGE_MOST,
    SUBPROTOCOL,
    Answer,
    Beat,
    Certified,
    Hello,
    Refused,
    Renew,
    Rows,
    Stand,
    Time,
    from_bytes,
    to_bytes,
)
from feltd.floor.admission import Admission, Shown
from feltd.floor.alarming import tell
from feltd.floor.commanding import Desk, Reach
from feltd.floor.custody import Session, TooLong, within_bounds
from feltd.floor.deriving import Deriving
from feltd.floor.engine import NO_JOURNAL, Alarm, AlarmKind, Appended, Batch, Engine, Verdict, table_is_shut
from feltd.floor.enrolment import Registrar
from feltd.floor.gathering import Gatherer
from feltd.floor.open_rows import read_rows
from feltd.floor.pace import FLOOD_WORDS, Pace
from feltd.floor.pit_book import PitBook
from feltd.floor.room import Room
from feltd.floor.silence import Silence
from feltd.record.receipts import ReceiptKey

SILENT_FOR: Final = 60.0
"""Seconds after which a table that says nothing is let go: a living one beats every ten."""
OF_ONE_TABLE: Final = 4
"""Connections of one certificate at once: one, and those that a network has left behind."""
QUEUED: Final = 2
"""Messages of one connection that wait: a table has one under way, and one that floods is read no faster."""
ENROLLING_MOST: Final = 8
"""Connections at once that show no certificate: whoever reaches the port may make one."""
ENROL_WITHIN: Final = 10.0
"""Seconds for such a connection's one message."""
LOOK_EVERY: Final = 1.0
"""Seconds between two looks at tables and their keys: another floord, or a person, may have shut or enrolled one."""
_CLOSE_REFUSED: Final = 1008
_CLOSE_AGAIN: Final = 1013
_log = logging.getLogger("feltd.floor")


@dataclass(slots=True)
class _Link:
    """One connection that is served. `answer`: the last one that says where the floor stands."""

    connection: ServerConnection
    shown: Shown
    session: Session
    reach: Reach
    answer: Stand | Time | None = None
    moved: bool = False
    """Whether its last message moved the floor's head."""

    @property
    def journal(self) -> bytes:
        """The journal that it brings; `NO_JOURNAL` before its hello."""
        return self.reach.journal or NO_JOURNAL


class Custodian:
    """Serves connections of tables. Belongs to one loop."""

    def __init__(
        self,
        engine: Engine,
        gatherer: Gatherer,
        desk: Desk | None = None,
        pit: PitBook | None = None,
        registrar: Registrar | None = None,
        pace: Callable[[], Pace] = Pace,
        receipts: ReceiptKey | None = None,
        facts: Deriving | None = None,
    ) -> None:
        """`desk`: who passes people's decisions on; `pit`: who shows tables; None makes one that nobody asks.

        `registrar`: who gives certificates out; None gives none. `pace`: makes one for each table.
        `receipts`: what signs receipts for tables; None gives none. `facts`: who makes them; None is told no rows.
        """
        self._engine = engine
        self._desk = desk or Desk(engine)
        self._pit = pit or PitBook(engine)
        self._registrar = registrar
        self._gatherer = gatherer
        self._connected: dict[str, dict[ServerConnection, Shown]] = {}
        self._admission = Admission(engine)
        self._pace = pace
        self._receipts = receipts
        self._facts = facts
        self._paces: dict[str, Pace] = {}
        self._room = Room()
        self._enrolling = 0

    async def serve_one(self, connection: ServerConnection) -> None:
        """Serve one connection until it ends."""
        table = "?"
        try:
            certificate = _shown(connection)
            if certificate is None:
                table = "without a certificate"
                await self._enrol(connection)
                return
            shown = Shown.of(certificate)
            table = shown.table
            await self._admission.require_good(shown)
            here = self._connected.setdefault(table, {})
            if len(here) >= OF_ONE_TABLE:
                raise CustodyRefusedError(
                    f"{OF_ONE_TABLE} connections show this table's certificate already",
                    f"table {table}",
                    "Find out which machines have a copy of its key, and make the table a new certificate",
                )
            here[connection] = shown
            try:
                async with Silence(SILENT_FOR) as silence:
                    await self._served(connection, table, shown, silence)
            finally:
                here.pop(connection, None)
        except CustodyError as fault:
            await self._refuse(connection, table, fault)
        except (ConnectionClosed, TimeoutError) as gone:
            _log.info("table %s has gone", table)
            if isinstance(gone, ConnectionClosed) and gone.sent and gone.sent.code == CloseCode.MESSAGE_TOO_BIG:
                with suppress(FloorAwayError):  # the log has it
                    await tell(self._engine, TooLong(0, MESSAGE_MOST, MESSAGE_MOST).alarm(table, NO_JOURNAL))

    async def watch(self) -> None:
        """End connections that are not let in any more, until cancelled. A database that is away is asked again."""
        async with asyncio.TaskGroup() as ending:  # beside the looks: who does not answer an end keeps it for long
            while True:
                with suppress(FloorAwayError):  # without it nothing is taken from anybody either
                    await self._admission.look([table for table, here in self._connected.items() if here])
                    await self._desk.load()  # what another floord left open is settled by who has its table now
                for connection, shown, fault in self._let_go():
                    ending.create_task(self._refuse(connection, shown.table, fault), name="let go")
                await asyncio.sleep(LOOK_EVERY)

    def _let_go(self) -> Iterator[tuple[ServerConnection, Shown, CustodyError]]:
        """The connections of tables that are shut now, and of keys that were replaced: each once."""
        for here in self._connected.values():
            for connection, shown in tuple(here.items()):
                if (fault := self._admission.fault(shown)) is not None:
                    del here[connection]
                    yield connection, shown, fault

    async def _enrol(self, connection: ServerConnection) -> None:
        if self._registrar is None or self._enrolling >= ENROLLING_MOST:
            raise CustodyRefusedError(
                "no certificate is shown, and this floor enrols nobody now",
                "TLS",
                "Give the uplink its table's certificate; or name an `issuer` in floor.toml, and try again",
            )
        self._enrolling += 1
        try:
            async with asyncio.timeout(ENROL_WITHIN):
                data = await connection.recv()
            asked = from_bytes(data if isinstance(data, bytes) else b"", FROM_NEW_TABLE)
            await connection.send(to_bytes(await self._registrar.enrol(asked)))
        finally:
            self._enrolling -= 1

    async def _served(self, connection: ServerConnection, table: str, shown: Shown, silence: Silence) -> None:
        session = Session(table, self._engine, self._append, self._desk.clock, self._receipts)
        link = _Link(connection, shown, session, Reach(connection.send))
        pace = self._paces.setdefault(table, self._pace())
        try:
            while True:
                silence.listens()
                data = await connection.recv()
                silence.heard()
                if (fault := self._admission.fault(shown)) is not None:
                    raise fault
                async with self._room.entered() as hold:
                    size, long = await self._taken(link, data, hold)
                del data
                await self._paced(pace, link, size)
                if long is not None:
                    alarm = long.alarm(table, link.journal)
                    await tell(self._engine, alarm)
                    raise CustodyRefusedError(long.words, f"table {table}, journal {link.journal.hex()}", long.remedy)
        finally:
            self._desk.leave(table, link.reach)
            if link.reach.journal:
                self._pit.went(table)

    async def _taken(self, link: _Link, data: str | bytes, hold: Callable[[int], None]) -> tuple[int, TooLong | None]:
        """Take one message; its bytes as they were inflated, and what of it is too long to be taken."""
        message = await self._heard(data, link.shown.table, link.journal)
        size, long = len(data), None
        if isinstance(message, Rows):
            size = sum(map(len, message.rows))
            message, long = within_bounds(message)
        hold(len(data) + (sum(map(len, message.rows)) if isinstance(message, Rows) else 0))
        link.moved = False
        if long is None or message.rows:
            await self._answer(link, message)
        return size, long

    async def _answer(self, link: _Link, message: Any) -> None:
        table, reach = link.shown.table, link.reach
        if isinstance(message, Answer):
            await self._desk.answered(table, message)
            return
        if isinstance(message, Renew):
            await link.connection.send(to_bytes(await self._renewed(link.shown)))
            return
        before, answer = link.answer, await link.session.take(message)
        link.moved = before is not None and answer.seq > before.seq
        if isinstance(message, Hello) and isinstance(answer, Stand):
            answer = replace(answer, renews=self._registrar is not None)
        link.answer = answer
        await link.connection.send(to_bytes(answer))
        if isinstance(message, Hello):
            _log.info("table %s is here with journal %s (%s)", table, message.journal.hex(), message.software)
            reach.journal = message.journal
            self._desk.join(table, reach, obeys=message.obeys)
            self._pit.came(table, message.journal, reach.stand(answer))
            return
        beat = message if isinstance(message, Beat) else None
        self._pit.said(table, reach.stand(answer), message)
        if beat is not None:
            await self._desk.look(table, reach.journal, beat.head, answer.seq)

    async def _paced(self, pace: Pace, link: _Link, size: int) -> None:
        """Wait where a table says too much: what it says next is read later, and nobody else waits.

        It waits behind its answer: before it, what it brought would lie in floord's memory meanwhile.
        """
        if link.moved:
            pace.gave()
        table = link.shown.table
        if await pace.take(size):
            await tell(self._engine, Alarm(table, link.journal, AlarmKind.FLOOD, 0, FLOOD_WORDS))
        self._pit.floods(table, now=pace.floods)

    async def _heard(self, data: str | bytes, table: str, journal: bytes) -> Any:
        """The message. Raises CustodyError, which is alarmed: who is not understood keeps rows for long."""
        try:
            if isinstance(data, str):
                raise CustodyWireError("text, which this wire does not have", "message", "Report it as a fault")
            return from_bytes(data, FROM_TABLE)
        except CustodyError as fault:
            words = f"{fault.what}. {fault.remedy}"
            await tell(self._engine, Alarm(table, journal, AlarmKind.WIRE, 0, words))
            raise

    async def _renewed(self, shown: Shown) -> Certified:
        table = shown.table
        if self._registrar is None or table in await self._engine.shut_tables():
            raise (
                table_is_shut(table)
                if self._registrar
                else CustodyRefusedError(
                    "this floor renews no certificates", f"table {table}", "Name an `issuer` in floor.toml"
                )
            )
        return await self._registrar.renew(shown)

    async def _append(self, batch: Batch) -> Appended:
        appended = await self._gatherer.append(batch)
        if appended.verdict is Verdict.ADDED:
            rows = read_rows(batch.rows)
            self._pit.take(batch, rows)
            if self._facts is not None:
                self._facts.take(batch, rows)
        return appended

    async def _refuse(self, connection: ServerConnection, table: str, fault: CustodyError) -> None:
        again = isinstance(fault, FloorAwayError)
        level = logging.ERROR if again else logging.WARNING
        # A table that waits for a person asks twice a minute.
        _log.log(logging.DEBUG if isinstance(fault, NotYetSaidError) else level, "table %s: %s", table, fault)
        with suppress(ConnectionClosed):  # the log has it, and the table calls again
            await connection.send(to_bytes(Refused(_short(fault.what), _short(fault.place), fault.remedy, again)))
        await connection.close(_CLOSE_AGAIN if again else _CLOSE_REFUSED)


@asynccontextmanager
async def receiving(  # noqa: PLR0913 - each is a part of the floor
    engine: Engine,
    host: str,
    port: int,
    context: ssl.SSLContext,
    desk: Desk | None = None,
    pit: PitBook | None = None,
    registrar: Registrar | None = None,
    pace: Callable[[], Pace] = Pace,
    receipts: ReceiptKey | None = None,
    facts: Deriving | None = None,
) -> AsyncIterator[Server]:
    """Serve tables for as long as the block lasts. Raises OSError where it cannot be listened there."""
    gatherer = Gatherer(engine)
    custodian = Custodian(engine, gatherer, desk, pit, registrar, pace, receipts, facts)
    async with asyncio.TaskGroup() as group:  # a gatherer that fails ends the daemon: nothing else would be kept
        gathering = group.create_task(gatherer.run(), name="gatherer")
        watching = group.create_task(custodian.watch(), name="shut tables")
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
            watching.cancel()


def _shown(connection: ServerConnection) -> bytes | None:
    """The certificate that the other side shows, DER."""
    tls = connection.transport.get_extra_info("ssl_object")
    shown: bytes | None = None if tls is None else tls.getpeercert(binary_form=True)
    return shown


def _short(text: str) -> str:
    """Printable, and as long as the wire takes."""
    return "".join(letter if letter.isprintable() else " " for letter in text)[:500]
