"""The commands of one session: a limited number in flight, the others queued in order."""

import asyncio
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import count
from typing import Any

from firmware_bridge.errors import CommandRefused, FaultCode, LinkDown, LinkFault, MessageError
from firmware_bridge.limits import COMMAND_TIMEOUT, COMMANDS_QUEUED_MAX
from firmware_bridge.messages import Command, Refusal, Result


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A command and the future of its result, which the caller may have cancelled."""

    id: int
    name: str
    message: bytes
    result: asyncio.Future[Mapping[str, Any]]


class CommandDesk:
    """Sends commands and matches results."""

    def __init__(
        self,
        link: str,
        in_flight_max: int,
        encode: Callable[[Command], bytes],
        send: Callable[[bytes], None],
        overdue: Callable[[LinkFault], None],
    ) -> None:
        """`encode` and `send` say a message to the device; `overdue` is called for a late result."""
        self._link = link
        self._in_flight_max = in_flight_max
        self._encode = encode
        self._send = send
        self._overdue = overdue
        self._loop = asyncio.get_running_loop()
        self._ids = count(1)
        self._in_flight: dict[int, tuple[_Waiting, asyncio.TimerHandle]] = {}
        self._queue: deque[_Waiting] = deque()

    async def command(self, name: str, args: Mapping[str, Any]) -> Mapping[str, Any]:
        """Raises CommandRefused, LinkDown, MessageError."""
        number = next(self._ids)
        message = self._encode(Command(number, name, dict(args)))
        if len(self._queue) >= COMMANDS_QUEUED_MAX:
            raise CommandRefused(name, "queue_full", f"{COMMANDS_QUEUED_MAX} commands wait for {self._link}: slow down")
        waiting = _Waiting(number, name, message, self._loop.create_future())
        self._queue.append(waiting)
        self._pump()
        return await waiting.result

    def settle(self, result: Result | Refusal) -> None:
        """Take a result. Raises MessageError if no command waits for it."""
        entry = self._in_flight.pop(result.id, None)
        if entry is None:
            raise MessageError(f"a result for command {result.id}, which is not in flight")
        waiting, timer = entry
        timer.cancel()
        if not waiting.result.done():
            if isinstance(result, Result):
                waiting.result.set_result(result.value)
            else:
                waiting.result.set_exception(CommandRefused(waiting.name, result.code, result.text))
        self._pump()

    def close(self, fault: LinkFault) -> None:
        """The session is over: every waiting caller gets LinkDown."""
        for _waiting, timer in self._in_flight.values():
            timer.cancel()
        left = [waiting for waiting, _timer in self._in_flight.values()] + list(self._queue)
        self._in_flight.clear()
        self._queue.clear()
        for waiting in left:
            if not waiting.result.done():
                waiting.result.set_exception(LinkDown(self._link, fault))

    def _pump(self) -> None:
        while self._queue and len(self._in_flight) < self._in_flight_max:
            waiting = self._queue.popleft()
            if waiting.result.done():  # the caller has cancelled it before it was sent
                continue
            timer = self._loop.call_later(COMMAND_TIMEOUT, self._late, waiting)
            self._in_flight[waiting.id] = (waiting, timer)
            self._send(waiting.message)

    def _late(self, waiting: _Waiting) -> None:
        text = f"{self._link}: no result of command {waiting.name!r} within {COMMAND_TIMEOUT:g} s: check the device"
        self._overdue(LinkFault(FaultCode.NO_RESULT, text))
