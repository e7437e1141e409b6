"""The witness's daemon: it takes heads, answers who asks for them, and alarms on contradictions and silence."""

import asyncio
import contextlib
import fcntl
import logging
import os
import ssl
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from feltd.record.signed_heads import FirstKey, size_of
from feltd.text.ip_addresses import counted_as
from feltd.witness.errors import WitnessError
from feltd.witness.ledger import WORD_FOR, AlarmKind, Contradiction, Differs, Ledger
from feltd.witness.silences import FILE, Clocks, Found, Silences
from feltd.witness.wire import GREETING, LONGEST

PATIENCE: Final = 60.0
"""Seconds for a caller's next line, and for it to take the next piece of what it asked for."""
CALLERS_MOST: Final = 64
"""Where all places are taken, an address with fewer of them gets one of the address with most.

Of IPv6 the leading 64 bits count: one machine may have all addresses behind them.
"""
_PIECE: Final = 65_536
LOOK_EVERY: Final = 1.0
_log = logging.getLogger("feltd.witness")


class Witness:
    """Keeps the heads of some tables in a folder. Belongs to one loop; one witness works in a folder."""

    def __init__(
        self,
        folder: Path,
        tables: Mapping[str, bytes],
        silent_after: float,
        *,
        wall: Callable[[], float],
        steady: Callable[[], float],
        boot: str = "",
        heads_alone: bool | None = None,
    ) -> None:
        """`tables`: by name, the first key of each record; `boot`: as `Clocks` has it. Raises WitnessError.

        `heads_alone`: a new head that the table's key has signed, within `silent_after`, is the only sign of life;
        None: of a table that has signed at rest.
        """
        self._lock = _locked(folder)
        try:
            self._ledgers = {
                name: Ledger(folder, name, key, wall, silent_after, heads_alone=heads_alone)
                for name, key in tables.items()
            }
            found = {name: _found_of(one) for name, one in self._ledgers.items()}
            self._silences = Silences(folder, tables, silent_after, Clocks(steady, wall, boot), found)
        except BaseException:
            os.close(self._lock)
            raise
        self._silent_after = silent_after
        self._late: dict[str, float] = {}
        """How old the newest head was that came, of tables of which nothing has been heard since."""
        self._writers: dict[asyncio.StreamWriter, str] = {}
        """Each caller's address as it is counted, in the order in which they came."""
        self._answering: set[asyncio.Task[None]] = set()

    def close(self) -> None:
        """Write down how long each table has been silent, and let the folder go."""
        try:
            self._keep(closing=True)
        except OSError as fault:
            _log.error("%s cannot be written: %s", FILE, fault)
        finally:
            os.close(self._lock)

    @asynccontextmanager
    async def listening(
        self, host: str, port: int, context: ssl.SSLContext | None
    ) -> AsyncIterator[asyncio.base_events.Server]:
        """Answer callers, and look for silence, for as long as the block runs. Raises OSError."""
        looking = asyncio.get_running_loop().create_task(self._look_on(), name="silence")
        try:
            async with await asyncio.start_server(self._called, host, port, ssl=context, limit=LONGEST) as server:
                yield server
        finally:
            looking.cancel()
            for writer in self._writers:
                writer.transport.abort()
            await asyncio.gather(looking, *self._answering, return_exceptions=True)

    def look(self) -> None:
        """Alarm on tables that have been silent for too long."""
        for name in self._silences.due():
            self._ledgers[name].tell(AlarmKind.SILENT, self._silence_of(name))
            self._silences.alarmed(name)
        self._keep()

    def _keep(self, *, closing: bool = False) -> None:
        """Write alarms that wait for the disk, and then how long each table has been silent. Raises OSError."""
        for ledger in self._ledgers.values():
            ledger.write_out()
        unwritten = {name for name, ledger in self._ledgers.items() if ledger.unwritten}
        self._silences.keep(closing=closing, unwritten=unwritten)

    def _silence_of(self, table: str) -> str:
        late, span = self._late.get(table), f"{self._silent_after:.0f} s"
        if late is not None:
            return (
                f"no head of the last {span} has come: the newest was signed {late:.0f} s before it came, by the "
                "table's clock. Somebody holds heads back, the table catches up, or its clock is behind the witness's"
            )
        ledger = self._ledgers[table]
        alone = ledger.heads_alone
        if not (alone or ledger.takes_any_word):
            return (
                f"no new head has come for {span}, and a caller's word that there is none counts only for "
                f"{WORD_FOR:.0f} s behind one, from the address that brought it: the table is at rest, or off. It "
                "signs at rest with [journal] witness"
            )
        return f"{'no new head has come' if alone else 'nothing that agrees has been heard'} for {span}"

    async def _look_on(self) -> None:
        told = ""
        while True:
            try:
                self.look()
                told = ""
            except OSError as fault:
                if told != str(fault):
                    _log.error("%s cannot be written: %s", FILE, fault)
                told = str(fault)
            await asyncio.sleep(LOOK_EVERY)

    async def _called(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        address = counted_as(str((writer.get_extra_info("peername") or ("",))[0]))
        if len(self._writers) >= CALLERS_MOST and not self._has_made_room(address):
            writer.close()
            return
        self._writers[writer] = address
        answering = asyncio.get_running_loop().create_task(self._answer(reader, writer), name="a caller")
        self._answering.add(answering)
        try:
            await answering
        except (OSError, TimeoutError, ValueError, EOFError, asyncio.LimitOverrunError) as fault:
            _log.info("a caller is let go: %s", str(fault) or type(fault).__name__)
        finally:
            self._writers.pop(writer, None)
            self._answering.discard(answering)
            writer.close()
            with contextlib.suppress(OSError):
                await writer.wait_closed()

    def _has_made_room(self, address: str) -> bool:
        """Let go the oldest caller of the address that has most places; False where this one has as many.

        Else one machine would keep every table's sender out, and people would see false silences until they looked at
        none.
        """
        places = Counter(self._writers.values())
        most, held = places.most_common(1)[0]
        if held <= places[address] + 1:
            return False
        oldest = next(writer for writer, whose in self._writers.items() if whose == most)
        del self._writers[oldest]
        oldest.transport.abort()
        return True

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        greeting = await _line(reader)
        words = greeting.removeprefix(GREETING + " ").split(" ")
        if not greeting.startswith(GREETING + " ") or words[0] not in ("send", "give"):
            await _say(writer, f"refused this is a witness of feltd, which is spoken to with `{GREETING}`")
        elif words[0] == "give":
            await self._give(writer, " ".join(words[1:]))
        else:
            await self._listen(reader, writer, self._writers.get(writer, ""))

    async def _give(self, writer: asyncio.StreamWriter, table: str) -> None:
        ledger = self._ledgers.get(table)
        if ledger is None or ledger.first is None:
            await _say(writer, f"refused this witness has no heads of a table {table!r}")
            return
        left = ledger.size  # what comes meanwhile is given to who asks next
        with ledger.heads.open("rb") as heads:
            await _say(writer, f"size {left}")
            while left:
                # Never the whole file: many callers who take nothing would fill the memory that the unit may have.
                piece = await asyncio.to_thread(heads.read, min(_PIECE, left))
                if not piece:
                    raise EOFError(f"{ledger.heads} is shorter than it was")
                left -= len(piece)
                writer.write(piece)
                async with asyncio.timeout(PATIENCE):  # who takes nothing holds a place
                    await writer.drain()

    async def _listen(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, address: str) -> None:
        first = FirstKey.parse(await _line(reader))
        ledger = next((one for one in self._ledgers.values() if one.first_key == first.key), None)
        if ledger is None:
            await _say(writer, "refused no table of this witness has this first key: see [witness.tables]")
            return
        caller, answer = _Caller(ledger, first, address), ""
        while answer in ("", "differs"):
            await _say(writer, answer or f"has {' '.join(map(str, ledger.has(first)))}")
            answer = self._taken(caller, await _line(reader))
        await _say(writer, answer)

    def _taken(self, caller: "_Caller", line: str) -> str:
        """What is answered to a line; empty for `has`. Syncs while others wait: a head comes every ten seconds."""
        word, _, rest = line.partition(" ")
        ledger = caller.ledger
        try:
            if word == "line":
                at, _, text = rest.partition(" ")
                before = ledger.size
                caller.take(_number(at), text)
                if ledger.size > before:
                    self._came(caller)
            elif word == "ends":
                if ledger.ends(caller.first, _number(rest)) and self._word_counts(caller):
                    ledger.touch()
                    self._agrees(ledger)
            else:
                return "refused neither `line` nor `ends`"
        except Differs:
            return "differs"
        except Contradiction as words:
            return f"contradiction {words}"
        return ""

    def _word_counts(self, caller: "_Caller") -> bool:
        """Whether this caller's word that there is no new head is a sign of life.

        Any program that reaches the port can say it. Who is not where the newest head came from could else keep the
        silence of a table that is off from being alarmed. Where nobody knows where that head came from, because it
        came to a witness of before 0.12.0, it is taken for the first address whose word counts: each table at rest
        would else be alarmed at the upgrade.
        """
        ledger = caller.ledger
        if not ledger.word_counts:
            return False
        home = self._silences.brought.setdefault(ledger.table, caller.address)
        return ledger.takes_any_word or home == caller.address

    def _came(self, caller: "_Caller") -> None:
        """A new head is kept."""
        ledger = caller.ledger
        self._silences.brought[ledger.table] = caller.address
        late = ledger.late
        if late is None:
            self._agrees(ledger)
        else:
            self._late[ledger.table] = late

    def _agrees(self, ledger: Ledger) -> None:
        self._late.pop(ledger.table, None)
        if self._silences.heard(ledger.table):
            ledger.tell(AlarmKind.HEARD, "the table is heard again")


def _found_of(ledger: Ledger) -> Found:
    told = ledger.newest_of_silence()
    return Found(ledger.heard_at) if told is None else Found(ledger.heard_at, told[0], told[1] is AlarmKind.HEARD)


class _Caller:
    """One sender: how much of its file has been compared from the beginning on."""

    def __init__(self, ledger: Ledger, first: FirstKey, address: str) -> None:
        """`address`: as it is counted."""
        self.ledger = ledger
        self.first = first
        self.address = address
        self._compared = 0

    def take(self, at: int, line: str) -> None:
        self.ledger.take(self.first, at, line, walked=at == self._compared)
        if at == self._compared:
            self._compared += size_of([line])


def _locked(folder: Path) -> int:
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as fault:
        raise WitnessError(
            f"cannot be used: {fault.strerror}", str(folder), "Make the folder, for the user who runs it"
        ) from None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        raise WitnessError("another witness works in it", str(folder), "Stop that one, or give each its own") from None
    return descriptor


async def _line(reader: asyncio.StreamReader) -> str:
    async with asyncio.timeout(PATIENCE):
        return (await reader.readuntil(b"\n"))[:-1].decode("ascii")


async def _say(writer: asyncio.StreamWriter, line: str) -> None:
    writer.write(f"{line}\n".encode())
    async with asyncio.timeout(PATIENCE):
        await writer.drain()


def _number(text: str) -> int:
    if not text.isdecimal() or len(text) > 15:
        raise ValueError("not a number of bytes")
    return int(text)
