"""One connection to the floor: questions with their answers, and commands that come in between."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, Final, TypeVar

from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosed

from feltd.custody.errors import CustodyRefusedError, CustodyWireError, FloorAwayError
from feltd.custody.messages import FROM_FLOOR, Answer, Command, Refused, Up, from_bytes, to_bytes

ANSWER_WITHIN: Final = 60.0
"""Seconds for the floor's answer: a primary that changes takes its time."""
OBEYING_MOST: Final = 8
"""Commands under way at once; the table takes two a second."""
_R = TypeVar("_R")


class Line:
    """Belongs to one loop, in which `listen` must run."""

    def __init__(self, connection: ClientConnection, obey: Callable[[Command], Awaitable[Answer]]) -> None:
        self._connection = connection
        self._obey = obey
        self._answers: asyncio.Queue[Any] = asyncio.Queue()
        self._tasks: set[asyncio.Task[None]] = set()

    async def listen(self) -> None:
        """Take what the floor says until the connection ends or this is cancelled."""
        try:
            while True:
                data = await self._connection.recv()
                if isinstance(data, str):
                    raise CustodyWireError("the floor sent text", "message", "Report it as a fault")
                message: Any = from_bytes(data, FROM_FLOOR)
                if isinstance(message, Command):
                    self._begin(message)
                else:
                    self._answers.put_nowait(message)
        except (ConnectionClosed, CustodyWireError) as fault:
            self._answers.put_nowait(fault)
        finally:
            for task in self._tasks:
                task.cancel()

    async def ask(self, message: Up, kind: type[_R]) -> _R:
        """The floor's answer. Raises CustodyError, TimeoutError, ConnectionClosed."""
        with suppress(ConnectionClosed):  # what ended it is in the queue: the floor's reason first, where it gave one
            await self._connection.send(to_bytes(message))
        async with asyncio.timeout(ANSWER_WITHIN):
            answer = await self._answers.get()
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, Refused):
            raise (FloorAwayError if answer.again else CustodyRefusedError)(answer.what, answer.place, answer.remedy)
        if not isinstance(answer, kind):
            raise CustodyWireError("the floor answered something else", "message", "Report it as a fault")
        return answer

    def _begin(self, command: Command) -> None:
        if len(self._tasks) < OBEYING_MOST:  # more is not taken, and comes again under its id
            task = asyncio.get_running_loop().create_task(self._done(command), name="command")
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _done(self, command: Command) -> None:
        answer = await self._obey(command)
        with suppress(ConnectionClosed):  # the journal tells the floor
            await self._connection.send(to_bytes(answer))
