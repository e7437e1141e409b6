"""People's decisions on their way to tables, each carried out at most once.

A command is kept before it is sent. It is sent again under its id until the table has answered or `until` is past; the
table takes an id once. Where no answer comes it is *not known* what became of it, and the table's journal settles it:
the note before its event has the id.
"""

import asyncio
import logging
import secrets
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection
from contextlib import aclosing, suppress
from dataclasses import dataclass, replace
from typing import Any, Final

from websockets.exceptions import ConnectionClosed

from feltd.custody.errors import CustodyError, FloorAwayError
from feltd.custody.messages import Answer, Command, Result, Stand, Time, from_bytes, to_bytes
from feltd.door.floor_signing import command_text, is_signed
from feltd.door.obeying import CUT_OFF
from feltd.floor.again import again_and_again
from feltd.floor.engine import Engine, Ordered
from feltd.floor.open_rows import RowUnreadError, body_of, read
from feltd.floor.signing import FloorKey
from feltd.record.entries import EntryKind, Row
from feltd.record.notes import WISH_NOTES

PASSED_EVERY: Final = 0.5
"""Seconds between two looks at what other floords pass on, and at what became of it."""
NOT_DONE_AFTER: Final = 30.0
"""Seconds after `until` in which a table may still write what it took in time."""
HOLDS_MOST: Final = 60.0
"""Seconds for which what is passed on may hold from now on. A table takes no command that holds for longer."""
_BATCHES: Final = 20
_WORDS_MOST: Final = 1000
_UNSAID: Final = "the table has not answered"
_UNSURE: Final = "its record will tell what became of it"

_FORGED: Final = (
    "Name the public half of each other floord's signing_key in signing_keys of this floord's floor.toml; if they are "
    "there, find out who writes in the database"
)
_log = logging.getLogger("feltd.floor")

Send = Callable[[bytes], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class Patience:
    """Seconds. `until`: for which a decision holds; `again`: before it is sent again; `grace`: for the last answer."""

    until: float = 5.0
    again: float = 1.0
    grace: float = 1.0


@dataclass(slots=True, eq=False)
class Reach:
    """A connection to a table. `head`: the floor's last entry of its journal."""

    send: Send
    journal: bytes = b""
    head: int = 0

    def stand(self, answer: Stand | Time) -> Stand:
        """The floor's head as an answer has it; noted."""
        self.head = answer.seq
        return answer if isinstance(answer, Stand) else answer.stand


class Desk:
    """Passes decisions on. Belongs to one loop."""

    def __init__(
        self,
        engine: Engine,
        clock: Callable[[], float] = time.time,
        patience: Patience | None = None,
        key: FloorKey | None = None,
        others: Collection[bytes] = (),
    ) -> None:
        """`key`: signs what goes to tables; None: nothing is signed, and tables that know a key refuse it.

        `others`: public keys of other floords of this database, which may pass on what they have signed.
        """
        self._engine = engine
        self._key = key
        self._keys = (*(() if key is None else (key.public,)), *others)
        self._unfit: set[str] = set()
        """What was passed on and is never sent: told once."""
        self._made = 0
        self.clock = clock
        """Says until when a decision holds. Tables must be told the time by it too: they compare the two."""
        self._patience = patience or Patience()
        self._reached: dict[str, list[Reach]] = {}
        self._open: dict[str, Ordered] = {}
        self._waiting: dict[str, asyncio.Future[Ordered]] = {}
        self._sending: set[asyncio.Task[Ordered]] = set()
        self._never: set[str] = set()
        """What no record will tell any more: its table has begun another one."""

    async def load(self) -> None:
        """Take up what an earlier process, or another floord, has left open. Raises FloorAwayError."""
        kept = {ordered.id: ordered for ordered in await self._engine.open_orders()}
        self._open = kept | {one: ordered for one, ordered in self._open.items() if one in self._waiting}

    # -- tables come and go

    def join(self, table: str, reach: Reach, *, obeys: bool) -> None:
        """A table is connected."""
        if obeys:
            self._reached.setdefault(table, []).append(reach)

    def leave(self, table: str, reach: Reach) -> None:
        """A connection has ended."""
        with suppress(KeyError, ValueError):  # one that obeys nobody never joined
            self._reached[table].remove(reach)

    def reaches(self, table: str) -> bool:
        """Whether a decision could be sent to this table now."""
        return bool(self._reached.get(table))

    def unsettled(self, table: str) -> bool:
        """Whether it is not known what became of something that this table was sent, for the record that it has."""
        here = {reach.journal for reach in self._reached.get(table, ())}
        return any(ordered.table == table and (not here or ordered.journal in here) for ordered in self._open.values())

    # -- a decision

    async def order(self, table: str, order: str) -> Ordered:
        """Have a table do something; return what is known of it after a few seconds. Raises FloorAwayError."""
        now = self.clock()
        ordered = Ordered(secrets.token_hex(16), table, b"", 0, now + self._patience.until, order)
        if not self.reaches(table):
            words = "the table is not connected to the floor: nothing was sent. Decide at the table itself"
            return replace(ordered, result=Result.REFUSED, words=words)
        reach = self._reached[table][-1]
        ordered = replace(ordered, journal=reach.journal, head=reach.head)
        await self._engine.add_order(ordered)
        return await self._sent(ordered, to_bytes(self._signed(ordered)))

    @property
    def signs(self) -> bool:
        """Whether what goes to tables is signed."""
        return self._key is not None

    async def pass_on(self, table: str, order: str, journal: bytes, head: int) -> Ordered:
        """Have another floord, which a table is connected to, send it something; return what is known after a few
        seconds. `journal`: of the table; `head`: the floor's last entry of it.
        """
        until = self.clock() + self._patience.until
        ordered = Ordered(secrets.token_hex(16), table, journal, head, until, order)
        with suppress(FloorAwayError):  # it may be kept all the same, and be sent
            await self._engine.passed.add(ordered, to_bytes(self._signed(ordered)))
        told = ordered
        while told.result is Result.NOT_KNOWN and self.clock() < until + self._patience.grace:
            await asyncio.sleep(PASSED_EVERY)
            with suppress(FloorAwayError):  # asked again until the time is over, then told as not known
                told = await self._engine.passed.told(ordered)
        return told if told.result is not Result.NOT_KNOWN else replace(ordered, words=f"{_UNSAID}: {_UNSURE}")

    async def run(self, others: Callable[[], bool]) -> None:
        """Send what other floords pass on, until cancelled. `others`: whether there are any."""

        async def turn() -> None:
            if others():
                await self.take_passed()

        await again_and_again(turn, "passed on", PASSED_EVERY)

    async def take_passed(self) -> None:
        """Send what other floords pass on to tables that are connected here. Raises FloorAwayError."""
        passed = await self._engine.passed.open()
        self._unfit &= {ordered.id for ordered, _ in passed}
        for ordered, message in passed:
            here = any(reach.journal == ordered.journal for reach in self._reached.get(ordered.table, []))
            if not here or ordered.id in self._waiting or ordered.id in self._unfit or self.clock() >= ordered.until:
                continue
            try:
                command = self._passed(ordered, message)
            except CustodyError as fault:
                self._unfit.add(ordered.id)
                _log.error("what the database passes on for %s is not sent: %s", ordered.table, fault)
                continue
            task = asyncio.get_running_loop().create_task(self._sent(ordered, to_bytes(command)), name="passed on")
            self._sending.add(task)
            task.add_done_callback(self._sending.discard)

    def _passed(self, ordered: Ordered, message: bytes) -> Command:
        """The command that another floord has signed. Raises CustodyError for what only the database says."""
        command: Command = from_bytes(message, {"command": Command})
        if (command.id, command.until, command.order) != (ordered.id, ordered.until, ordered.order):
            raise _unfit("it says something else than its own row", _FORGED)
        if ordered.until > self.clock() + HOLDS_MOST:
            raise _unfit(f"it holds for longer than {HOLDS_MOST:.0f} s", "See that chrony runs at both floords")
        text = command_text(command.id, ordered.journal, command.made, command.until, command.order)
        if not is_signed(text, command.signature, self._keys):
            raise _unfit("no key that this floord knows has signed it", _FORGED)
        return command

    async def _sent(self, ordered: Ordered, message: bytes) -> Ordered:
        self._open[ordered.id] = ordered
        self._waiting[ordered.id] = asyncio.get_running_loop().create_future()
        try:
            return await self._answer_to(ordered, message)
        finally:
            del self._waiting[ordered.id]

    async def _answer_to(self, ordered: Ordered, message: bytes) -> Ordered:
        future = self._waiting[ordered.id]
        while True:
            for reach in self._reached.get(ordered.table, [])[-1:]:
                with suppress(ConnectionClosed):  # it goes again, by the next connection
                    await reach.send(message)
            with suppress(TimeoutError):  # it goes again until it is too late, which is told
                async with asyncio.timeout(self._patience.again):
                    return await asyncio.shield(future)
            if self.clock() >= ordered.until + self._patience.grace:
                known = self._open.get(ordered.id, ordered)
                return replace(known, words=f"{known.words or _UNSAID}: {_UNSURE}")

    def _signed(self, ordered: Ordered) -> Command:
        if self._key is None:
            return Command(ordered.id, ordered.until, ordered.order)
        self._made = max(self._made + 1, round((ordered.until - self._patience.until) * 1e6))
        signature = self._key.command(ordered.id, ordered.journal, self._made, ordered.until, ordered.order)
        return Command(ordered.id, ordered.until, ordered.order, self._made, signature)

    async def answered(self, table: str, answer: Answer) -> None:
        """A table says what became of a command. Raises FloorAwayError."""
        ordered = self._open.get(answer.command)
        if ordered is None or ordered.table != table or answer.result not in set(Result):
            return
        result = Result(answer.result)
        if result is Result.NOT_KNOWN:
            self._open[ordered.id] = replace(ordered, words=answer.words)
            return
        await self._settle(replace(ordered, result=result, entry=answer.entry, words=answer.words))

    # -- the journal settles it

    async def look(self, table: str, journal: bytes, head: int, stand: int) -> None:
        """Settle a table's open commands by what the floor has of its journal. Raises FloorAwayError.

        `journal`: the table's own now; `head`: the last entry of it that the table spoke of; `stand`: the floor's.
        """
        if head > stand:
            return  # the rest is still on its way
        for ordered in tuple(self._open.values()):
            if ordered.table != table or ordered.id in self._waiting or ordered.id in self._never:
                continue
            late = self.clock() > ordered.until + NOT_DONE_AFTER
            if ordered.journal != journal and not late:
                continue
            found = await found_in_journal(self._engine, ordered, whole=late)
            if found is not None:
                await self._settle(found)
            elif ordered.journal != journal:  # what the old record had more is gone with its card
                self._never.add(ordered.id)
            elif late:
                words = "the table's record does not have it: it was not done"
                await self._settle(replace(ordered, result=Result.REFUSED, words=words))

    async def _settle(self, ordered: Ordered) -> None:
        await self._engine.settle_order(ordered)
        self._open.pop(ordered.id, None)
        future = self._waiting.get(ordered.id)
        if future is not None and not future.done():
            future.set_result(ordered)


def _unfit(what: str, remedy: str) -> CustodyError:
    return CustodyError(what, "passed on", remedy)


async def found_in_journal(engine: Engine, ordered: Ordered, *, whole: bool = True) -> Ordered | None:
    """What the journal says of a command; None where it has no note of it. Raises FloorAwayError.

    `whole`: nothing comes behind a note that is the last entry of all; else None is returned for it.
    """
    note, last, refusal = 0, 0, None
    async with aclosing(_rows_behind(engine, ordered)) as rows:
        async for number, row, body in rows:
            if note == 0:
                note = number if body.get("command") == ordered.id else 0
                if note and body.get("what") in WISH_NOTES:  # what comes next is no answer
                    return replace(ordered, result=Result.DONE, entry=note, words="")
            elif number == note + 1 and row.kind != EntryKind.EVENT:
                return _cut_off(ordered, note)
            elif number == note + 1 or row.answers == note + 1:
                last = number
                if row.name == "error":
                    error = body.get("error")
                    refusal = str(error.get("reason", ""))[:_WORDS_MOST] if isinstance(error, dict) else ""
            else:
                break
    if note == 0 or (last == 0 and not whole):
        return None
    if last == 0:
        return _cut_off(ordered, note)
    result = Result.DONE if refusal is None else Result.REFUSED
    return replace(ordered, result=result, entry=last or note, words=refusal or "")


async def _rows_behind(engine: Engine, ordered: Ordered) -> AsyncGenerator[tuple[int, Row, dict[str, Any]]]:
    """What the floor has of a command's journal behind the head that it had before: each row that can be read, once."""
    seq = ordered.head
    while batches := await engine.batches(ordered.journal, seq, _BATCHES):
        for batch in batches:
            for number, data in batch.behind(seq):
                if (found := _opened(data)) is not None:
                    yield number, *found
            seq = batch.last


def _opened(data: bytes) -> tuple[Row, dict[str, Any]] | None:
    """A row and its body; None for one that cannot be read."""
    try:
        row = read(data)
        return row, body_of(row)
    except RowUnreadError:
        return None


def _cut_off(ordered: Ordered, note: int) -> Ordered:
    """The answer where no event follows the note: the table ended between the two."""
    return replace(ordered, result=Result.REFUSED, entry=note, words=CUT_OFF)
