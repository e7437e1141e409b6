"""One connection of the page to the table: greeted, asked, answered, and let go where it breaks the protocol."""

import asyncio
import logging
import socket
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, Protocol

from feltd.door.commands import CommandRefused, OutOfBounds, PlayStopped, UnknownDeviceError
from feltd.door.serving.allowance import Allowance
from feltd.door.serving.budget import CommandBudget, Taken
from feltd.door.serving.outbox import Outbox
from feltd.door.serving.refused import DoorRefusals, Why
from feltd.door.serving.requests import DOING, LOOKING, OWN_BUDGET, Handle, giver_of
from feltd.door.wire.calls import DECIDE, OF_TABLE, Call, values_of
from feltd.door.wire.errors import OtherVersionError, WireError
from feltd.door.wire.lines import Lines
from feltd.door.wire.messages import (
    FROM_PAGE,
    MOST_HELLO,
    MOST_TO_FLOOR,
    MOST_TO_TABLE,
    VERSION,
    Ask,
    Hello,
    Purpose,
    Refused,
    Reply,
    Welcome,
    hello_of,
    line_of,
    message_of,
)
from feltd.door.wire.refusals import fault_of
from feltd.text.errors import FeltdError

GREETING_WITHIN: Final = 5.0
"""Seconds in which a connection must say what it wants."""
WAITING_MOST: Final = 32
"""Lines that wait before no more are read."""
DOING_MOST: Final = 16
"""Commands under way at once."""
_WROTE_NOTHING: Final = (CommandRefused, PlayStopped, UnknownDeviceError)
"""Refusals of a command that has left no entry. A step that counts once may have left its own before."""

_Work = Callable[[], Awaitable[Any]]
_log = logging.getLogger("feltd.door")


@dataclass(frozen=True, slots=True)
class Served:
    """What a visit is about. `looking`, `doing`: what may be asked; `calls`: its values; `refused`: counts, by why.

    `budget`: of what commands may write; None where nobody's are limited in the long run.
    """

    door: object
    allowance: Allowance
    looking: Mapping[str, Handle] = field(default_factory=lambda: LOOKING)
    doing: Mapping[str, Handle] = field(default_factory=lambda: DOING)
    calls: Mapping[str, Call[Any, Any]] = field(default_factory=lambda: OF_TABLE)
    refused: DoorRefusals = field(default_factory=DoorRefusals)
    budget: CommandBudget | None = None

    def taken(self, call: str, values: object) -> Taken | None:
        """Count a command; None where it is not counted. Raises CommandRefused where its giver must wait."""
        if self.budget is None or call in OWN_BUDGET:
            return None
        return self.budget.take(giver_of(call, values), decides=call == DECIDE.name)


class Reception(Protocol):
    """Says who may come in, and hears of those who come and go."""

    @property
    def obeying(self) -> Served | None:
        """What an uplink may ask here; None where no uplink is served."""

    def receive(self, hello: Hello) -> Welcome | Refused:
        """Who may stay, and what they are told."""

    def hand_over(self, connection: socket.socket, *, stored: bool) -> bool:
        """Give a connection to who reads the record; False where there is no room for it. The caller closes it.

        `stored`: it may have entries as they are stored, what is sealed in them too.
        """

    def joined(self, visit: "Visit") -> None:
        """A connection stands."""

    def left(self, visit: "Visit") -> None:
        """A connection has ended."""


class Visit(asyncio.Protocol):
    """One connection. It never makes the table wait."""

    def __init__(self, reception: Reception, served: Served | None, *, stored: bool = False) -> None:
        """`served`: None where nobody can be, and each is told why. `stored`: as of `Reception.hand_over`."""
        self._reception = reception
        self._served = served
        self._stored = stored
        self._lines = Lines(MOST_HELLO)
        self._waiting: deque[bytes] = deque()
        self._come = asyncio.Event()
        self._transport: asyncio.Transport | None = None
        self._greeting: asyncio.TimerHandle | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._doing = asyncio.Semaphore(DOING_MOST)
        self.purpose = Purpose.TABLE
        self.outbox: Outbox | None = None
        """None before the connection stands."""

    # -- asyncio's calls

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Somebody has come in: they are to say what they want."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._greeting = asyncio.get_running_loop().call_later(GREETING_WITHIN, transport.abort)

    def data_received(self, data: bytes) -> None:
        """Take what came apart into lines; it is looked at in turn."""
        try:
            lines = self._lines.feed(data)
        except WireError as fault:
            self._refuse(str(fault))
            return
        if self.outbox is None and lines:
            first, *lines = lines
            if not self._greeted(first, more=bool(lines) or self._lines.unfinished):
                return
        self._waiting.extend(lines)
        self._come.set()
        if len(self._waiting) > WAITING_MOST and self._transport is not None:
            self._transport.pause_reading()

    def pause_writing(self) -> None:
        """The page does not read."""
        if self.outbox is not None:
            self.outbox.pause()

    def resume_writing(self) -> None:
        """The page reads again."""
        if self.outbox is not None:
            self.outbox.resume()

    def connection_lost(self, exc: Exception | None) -> None:
        """The connection has ended. Commands that were begun go on: they are the table's now."""
        if self._greeting is not None:
            self._greeting.cancel()
        if self.outbox is not None:
            self.outbox.close()
            self._reception.left(self)
        for task in self._tasks:
            if task.get_name() == "door":
                task.cancel()

    # -- greeting

    def _greeted(self, line: bytes, *, more: bool) -> bool:
        """Whether the connection stands as one of the table."""
        assert self._transport is not None
        if self._greeting is not None:
            self._greeting.cancel()
        try:
            hello = hello_of(line)
        except OtherVersionError as fault:
            self._end(Refused(str(fault), version=VERSION))
            return False
        except WireError as fault:
            self._refuse(str(fault))
            return False
        answer = self._reception.receive(hello)
        if isinstance(answer, Refused):
            self._end(answer)
            return False
        if more:
            self._refuse("the page asks before it is welcome: it must wait for the answer to its hello")
            return False
        if hello.purpose is Purpose.RECORD:
            self._pass_on()
            return False
        self.purpose = hello.purpose
        if hello.purpose is Purpose.COMMANDS:
            self._served = self._reception.obeying
        if self._served is None:
            self._end(Refused("there is no table here"))
            return False
        self._lines = Lines(MOST_TO_FLOOR if hello.purpose is Purpose.PIT else MOST_TO_TABLE)
        self.outbox = Outbox(self._transport)
        self.outbox.send(answer)
        self._reception.joined(self)
        self._start(self._serve(self._served, self.outbox), "door")
        return True

    def _pass_on(self) -> None:
        """The record is read in a process of its own: the table has no more to do with this connection."""
        assert self._transport is not None
        connection = self._transport.get_extra_info("socket")
        if self._reception.hand_over(connection, stored=self._stored):
            self._transport.abort()
        else:
            self._end(Refused("the record cannot be read now: too many read it, or its reader starts again"))

    # -- asked

    async def _serve(self, served: Served, outbox: Outbox) -> None:
        while True:
            while not self._waiting:
                self._come.clear()
                await self._come.wait()
            await outbox.drained()
            await served.allowance.turn()
            line = self._waiting.popleft()
            if len(self._waiting) == WAITING_MOST // 2 and self._transport is not None:
                self._transport.resume_reading()
            with served.allowance.working():
                try:
                    ask: Ask = message_of(line, FROM_PAGE, strict=True)
                except WireError as fault:
                    self._refuse(str(fault))
                    return
                try:
                    handle, values = _asked(ask, len(line), served)
                except FeltdError as refusal:
                    served.refused.count(refusal)
                    outbox.send(fault_of(ask.id, refusal))
                    continue
                work = partial(handle, served.door, values)
                if ask.call in served.looking:
                    await self._answer(ask, work, served, outbox)
                    continue
                try:
                    taken = served.taken(ask.call, values)
                except CommandRefused as refusal:
                    served.refused.add(Why.BUDGET)
                    outbox.send(fault_of(ask.id, refusal))
                    continue
            await served.allowance.command()
            await self._doing.acquire()
            self._start(self._do(ask, work, served, outbox, taken), "command")

    async def _do(self, ask: Ask, work: _Work, served: Served, outbox: Outbox, taken: Taken | None) -> None:
        try:
            refusal = await self._answer(ask, work, served, outbox)
            if isinstance(refusal, _WROTE_NOTHING) and taken is not None and served.budget is not None:
                served.budget.give_back(taken)
        finally:
            self._doing.release()

    async def _answer(self, ask: Ask, work: _Work, served: Served, outbox: Outbox) -> FeltdError | None:
        """Send the answer, or the refusal, and return that."""
        try:
            outbox.send(Reply(ask.id, await work()))
        except FeltdError as refusal:
            if isinstance(refusal, OutOfBounds):
                served.refused.add(Why.BOUNDS)
            outbox.send(fault_of(ask.id, refusal))
            return refusal
        return None

    # -- ending

    def drop(self, why: str) -> None:
        """Let the page go without waiting for it."""
        _log.warning("the page is let go: %s", why)
        if self._transport is not None:
            self._transport.abort()

    def close(self) -> None:
        """The table stops."""
        if self._transport is not None:
            self._transport.close()

    def _refuse(self, why: str) -> None:
        self._end(Refused(why))

    def _end(self, refused: Refused) -> None:
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write(line_of(refused))
            self._transport.close()

    def _start(self, work: Any, name: str) -> None:
        task = asyncio.get_running_loop().create_task(work, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._over)

    def _over(self, task: "asyncio.Task[None]") -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (failure := task.exception()) is not None:
            _log.error("a question of the page has failed: %s", failure, exc_info=failure)
            if self._transport is not None:
                self._transport.abort()


def _asked(ask: Ask, size: int, served: Served) -> tuple[Handle, Any]:
    """What is to be done, and the values. `size`: bytes of the line. Raises FeltdError where it is not looked at."""
    handle = served.looking.get(ask.call) or served.doing.get(ask.call)
    if handle is None:
        raise CommandRefused(f'the table knows no "{ask.call[:64]}": the page is newer, restart the table')
    call = served.calls[ask.call]
    if size > call.most:
        raise OutOfBounds(f"{call.name}: its line must have {call.most} bytes at most")
    return handle, values_of(ask.what, call)
