"""Calling the floor: one connection after the other, for as long as it takes. The table never waits for it."""

import asyncio
import logging
import ssl
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from websockets.asyncio.client import connect
from websockets.exceptions import WebSocketException
from websockets.typing import Subprotocol

from feltd.custody.messages import MESSAGE_MOST, SUBPROTOCOL, Answer, Beat, Certified, Command, Renew, Stand, Time
from feltd.door.asking.record import SocketRecord
from feltd.record.signed_heads import HeadLines
from feltd.text.errors import FeltdError
from feltd.uplink.enrolling import Renewal
from feltd.uplink.line import Line
from feltd.uplink.obeying import obey
from feltd.uplink.receipting import Receipting
from feltd.uplink.sending import Sender, Told
from feltd.uplink.words import in_words

LOOK_EVERY: Final = 0.25
"""Seconds between two looks at a journal that has nothing new."""
BEAT_EVERY: Final = 10.0
AGAIN_AFTER: Final = (1.0, 2.0, 5.0, 10.0, 30.0)
"""Seconds before the next attempt; the last for all further ones. A connection that stood begins them anew."""
NO_HEADS: Final = HeadLines(0, ())
_log = logging.getLogger("feltd.uplink")


@dataclass(frozen=True, slots=True)
class Clocks:
    """What an uplink reads the time by. `wall`: seconds since 1970; `steady`: for distances of time."""

    wall: Callable[[], float] = time.time
    steady: Callable[[], float] = time.monotonic


@dataclass(slots=True)
class Link:
    """The state of the way up, for who looks at it. `why`: why it does not stand."""

    stand: Stand | None = None
    why: str = "not yet tried"
    changed: asyncio.Event = field(default_factory=asyncio.Event)


class Uplink:
    """Hands one table's journal up. Belongs to one loop."""

    def __init__(
        self,
        table: Path,
        floors: Sequence[str],
        context: ssl.SSLContext,
        software: str,
        clocks: Clocks | None = None,
        renewal: Renewal | None = None,
    ) -> None:
        """`table`: the socket of its door; `floors`: addresses, tried one after the other.

        `renewal`: what renews the certificate; None leaves it as it is.
        """
        self._table = table
        self._floors = floors
        self._context = context
        self._software = software
        self._clocks = clocks or Clocks()
        self._renewal = renewal
        self.link = Link()
        self._told = Told()
        self._offset: float | None = None
        """Seconds by which the floor's clock is ahead; None before it is known on this connection."""

    async def run(self) -> None:
        """Go on until cancelled."""
        attempt = 0
        while True:
            floor = self._floors[attempt % len(self._floors)]
            try:
                await self._connected(floor)
            except (FeltdError, OSError, TimeoutError, WebSocketException) as fault:
                self._lost(floor, fault)
            stood, self.link.stand = self.link.stand is not None, None
            attempt = 0 if stood else attempt + 1
            await asyncio.sleep(AGAIN_AFTER[min(attempt // len(self._floors), len(AGAIN_AFTER) - 1)])

    async def _connected(self, floor: str) -> None:
        record = await asyncio.to_thread(SocketRecord, self._table)
        try:
            async with connect(
                floor,
                ssl=self._context,
                subprotocols=[Subprotocol(SUBPROTOCOL)],
                compression=None,
                max_size=MESSAGE_MOST,
                proxy=None,
            ) as connection:
                line = Line(connection, self._obey)
                listening = asyncio.get_running_loop().create_task(line.listen(), name="listen")
                receipting = Receipting(self._table, _log.warning)
                try:
                    await self._follow(line, Sender(record, _log.error, self._told), floor, receipting)
                finally:
                    listening.cancel()
                    await receipting.close()
                    await asyncio.gather(listening, return_exceptions=True)
        finally:
            record.close()

    async def _obey(self, command: Command) -> Answer:
        return await obey(self._table, command, self._offset)

    async def _follow(self, connection: Line, sender: Sender, floor: str, receipting: Receipting) -> None:
        hello = await asyncio.to_thread(sender.hello, self._software)
        welcome = await connection.ask(hello, Stand)
        self._heard(sender, replace(welcome, renews=False))  # of this answer alone: a later one would seem to differ
        _log.info("the floor at %s has this journal up to entry %d", floor, self._stand(sender).seq)
        beaten, within, more = self._clocks.steady() - BEAT_EVERY, None, False
        self._offset = None
        while True:
            looked = await asyncio.to_thread(sender.look)
            if looked.rows is not None:
                before = self._stand(sender)
                self._heard(sender, await connection.ask(looked.rows, Stand))
                if self._stand(sender) == before:  # the floor knows better, or cannot go on: never in a hurry
                    await asyncio.sleep(LOOK_EVERY)
            if more or self._clocks.steady() - beaten >= BEAT_EVERY:
                heads = await asyncio.to_thread(sender.heads) or NO_HEADS
                beaten, before = self._clocks.steady(), self._stand(sender)
                beat = Beat(self._clocks.wall(), looked.head, self._offset, within, heads.at, heads.lines, looked.room)
                told = await connection.ask(beat, Time)
                self._heard(sender, told.stand)
                receipting.offer(told)
                within = (self._clocks.steady() - beaten) / 2
                self._offset = told.floor - (told.wall + within)
                if welcome.renews:
                    await self._renew(connection)
                more = bool(heads.lines) and self._stand(sender).signed != before.signed
            if looked.rows is None and not more:
                await asyncio.sleep(LOOK_EVERY)

    async def _renew(self, connection: Line) -> None:
        """Renew the certificate, where that is due by the floor's clock."""
        now = self._clocks.wall() + (self._offset or 0.0)
        if self._renewal is not None and await asyncio.to_thread(self._renewal.is_due, now):
            made = await connection.ask(Renew(), Certified)
            await asyncio.to_thread(self._renewal.take, made, now)

    def _heard(self, sender: Sender, stand: Stand) -> None:
        sender.heard(stand)
        self.link.stand, self.link.why = stand, ""
        self.link.changed.set()

    @staticmethod
    def _stand(sender: Sender) -> Stand:
        assert sender.stand is not None
        return sender.stand

    def _lost(self, floor: str, fault: Exception) -> None:
        words = str(in_words(floor, fault))
        if words != self.link.why:
            _log.warning("%s", words)
        self.link.why = words
        self.link.changed.set()
