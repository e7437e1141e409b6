"""A table's sender: it asks the table's socket for signed heads and hands them to a witness, for as long as it takes.

It keeps nothing. The table never waits for it.
"""

import asyncio
import logging
import ssl
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final, Protocol

from feltd.door.asking.record import SocketRecord
from feltd.door.witnessing import WitnessSays
from feltd.record.signed_heads import HeadLines, size_of
from feltd.text.errors import FeltdError
from feltd.witness.errors import WitnessAwayError, WitnessContradictsError, WitnessRefusedError
from feltd.witness.telling import Telling
from feltd.witness.wire import BEAT_EVERY, GREETING, LONGEST, Address

LOOK_EVERY: Final = 1.0
"""Seconds between two looks for a new head."""
ANSWER_WITHIN: Final = 30.0
AGAIN_AFTER: Final = (1.0, 2.0, 5.0, 10.0, 30.0)
"""Seconds before the next attempt; the last for all further ones. A connection that stood begins them anew."""
LINES: Final = 500
_log = logging.getLogger("feltd.witness")


class Source(Protocol):
    """A file of signed heads as the table hands it out. Calls block while the disk does."""

    def heads(self, at: int, most: int) -> HeadLines:
        """Whole lines from byte `at` on; none where it does not reach so far. Raises FeltdError."""

    def close(self) -> None:
        """Let it go."""


class Caller(Protocol):
    """One connection to a witness."""

    async def ask(self, line: str) -> str:
        """The witness's answer to a line. Raises WitnessAwayError."""


class Following:
    """One connection: what of the file goes next, by what the witness said last."""

    def __init__(self, source: Source, caller: Caller) -> None:
        self._source = source
        self._caller = caller
        self._size = self._last = 0

    async def begin(self) -> None:
        """Say whose heads come. Raises FeltdError."""
        lines = await self._lines(0, 1)
        if not lines:
            raise WitnessAwayError("has no signed head yet", "the table", "It has one after its first entries")
        await self._caller.ask(f"{GREETING} send")
        self._heard(await self._caller.ask(lines[0]))

    async def beat(self) -> None:
        """Compare the witness's last line with the table's, send what is new, and say where the file ends."""
        last = await self._lines(self._last, 1)
        if not last or await self._tell(self._last, last[0]) == "differs":
            await self._all()
        await self.new()
        self._heard(await self._caller.ask(f"ends {self._size}"))

    async def new(self) -> None:
        """Send the lines that the witness does not have."""
        while lines := await self._lines(self._size, LINES):
            for line in lines:
                if await self._tell(self._size, line) == "differs":
                    return

    async def _all(self) -> None:
        """Send everything from byte 0 on: the witness finds where the two are apart, and says so."""
        at = 0
        while lines := await self._lines(at, LINES):
            for line in lines:
                await self._tell(at, line)
                at += size_of([line])
        self._heard(await self._caller.ask(f"ends {at}"))

    async def _tell(self, at: int, line: str) -> str:
        answer = await self._caller.ask(f"line {at} {line}"[: LONGEST - 1])
        if answer != "differs":
            self._heard(answer)
        return answer

    def _heard(self, answer: str) -> None:
        word, _, rest = answer.partition(" ")
        if word == "has":
            try:
                self._size, self._last = map(int, rest.split(" "))
                return
            except ValueError:
                pass
        if word == "contradiction":
            raise WitnessContradictsError(
                f"it keeps another history of this record: {rest}",
                "the witness",
                "Find out which card was copied or put back; keep both, and begin a new record at this table "
                "(`feltd journal set-aside`)",
            )
        if word == "refused":
            raise WitnessRefusedError(rest, "the witness", "Give the witness this record's first key (`feltd check`)")
        raise WitnessAwayError(f"answers something else: {answer[:80]}", "the witness", "See that it is a witness")

    async def _lines(self, at: int, most: int) -> tuple[str, ...]:
        return (await asyncio.to_thread(self._source.heads, at, most)).lines


class Sender:
    """Hands one table's heads to one witness. Belongs to one loop."""

    def __init__(
        self,
        open_source: Callable[[], Source],
        witness: Address,
        context: ssl.SSLContext | None,
        again: tuple[float, ...],
        telling: Telling,
    ) -> None:
        """`context`: None for plain TCP. `again`: as `AGAIN_AFTER`. `telling`: tells the table how it stands."""
        self._open = open_source
        self._witness = witness
        self._context = context
        self._again = again
        self._telling = telling
        self.why = "not yet tried"
        """Why nothing goes; empty while it does."""

    async def run(self) -> None:
        """Go on until cancelled."""
        try:
            await self._go_on()
        finally:
            await self._telling.close()

    async def _go_on(self) -> None:
        attempt = 0
        while True:
            try:
                await self._connected()
            except (FeltdError, OSError, TimeoutError, EOFError, asyncio.LimitOverrunError, ValueError) as fault:
                attempt = 0 if not self.why else attempt + 1
                self._lost(fault)
            await asyncio.sleep(self._again[min(attempt, len(self._again) - 1)])

    async def _connected(self) -> None:
        source = await asyncio.to_thread(self._open)
        try:
            async with asyncio.timeout(ANSWER_WITHIN):
                reader, writer = await asyncio.open_connection(
                    self._witness.host, self._witness.port, ssl=self._context, limit=LONGEST
                )
            try:
                await self._follow(Following(source, _Connection(reader, writer)))
            finally:
                writer.close()
        finally:
            source.close()

    async def _follow(self, following: Following) -> None:
        await following.begin()
        while True:
            await following.beat()
            if self.why:
                _log.info("the witness at %s has all of this record's signed heads", self._witness)
                self.why = ""
            self._telling.say(WitnessSays.HAS)
            beaten = time.monotonic()
            while time.monotonic() - beaten < BEAT_EVERY:
                await asyncio.sleep(LOOK_EVERY)
                await following.new()

    def _lost(self, fault: Exception) -> None:
        contradicts = isinstance(fault, WitnessContradictsError)
        self._telling.say(WitnessSays.CONTRADICTS if contradicts else WitnessSays.AWAY)
        words = in_words(self._witness, fault)
        if words != self.why:
            _log.warning("%s", words)
        self.why = words


class _Connection:
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    async def ask(self, line: str) -> str:
        self._writer.write(f"{line}\n".encode())
        if line.startswith(GREETING):
            return ""  # with the next line
        async with asyncio.timeout(ANSWER_WITHIN):
            await self._writer.drain()
            return (await self._reader.readuntil(b"\n"))[:-1].decode("ascii")


def table_at(place: Path) -> Callable[[], Source]:
    """The heads of the table whose door has this socket."""
    return lambda: SocketRecord(place)


def in_words(witness: Address, fault: Exception) -> str:
    """What keeps a sender from its witness, with the remedy."""
    if isinstance(fault, ssl.SSLCertVerificationError):
        return (
            f"{witness}: its certificate is not good: {fault.verify_message}. See that --authority is who signed it, "
            "and that it is made for this address and has not run out"
        )
    if isinstance(fault, FeltdError):
        return f"{witness}: {fault}"
    words = getattr(fault, "strerror", None) or str(fault) or type(fault).__name__
    return f"{witness}: is not reached: {words}. See that it runs and the network leads there; the table plays on"
