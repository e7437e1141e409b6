"""A process behind a Unix socket, asked: one connection, made again for as long as it takes.

While it does not answer, everything that is asked raises TableAwayError in words, and `away` has them for the page.
"""

import asyncio
import contextlib
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypeVar

from feltd.door.answers import NewAnswers
from feltd.door.asking.connecting import greeting, welcome_of
from feltd.door.away import Away
from feltd.door.commands import TableAwayError
from feltd.door.place import address_of
from feltd.door.wire.calls import Call
from feltd.door.wire.codec import from_json, parse, to_json
from feltd.door.wire.errors import WireError
from feltd.door.wire.messages import (
    FROM_TABLE,
    MOST_TO_PAGE,
    VERSION,
    Answers,
    Ask,
    Changed,
    Fault,
    Purpose,
    Refused,
    Reply,
    line_of,
    message_of,
)
from feltd.door.wire.refusals import error_of
from feltd.text.errors import FeltdError

ANSWER_WITHIN: Final = 15.0
"""Seconds for one answer."""
AGAIN_AFTER: Final = 0.25
"""Seconds between two attempts to reach the table."""
WELCOME_WITHIN: Final = 10.0
SILENT_FOR: Final = 10.0
"""Seconds: a living table tells of a change each second."""
LOOKS: Final = 10
"""How often in that time it is seen whether something has come."""
ASKED_MOST: Final = 256
"""Questions that wait for an answer at once."""
UNSURE: Final = "look at the table whether it was done"
_R = TypeVar("_R")
_log = logging.getLogger("feltd.page")


class SocketLine:
    """Questions and commands to a process behind a socket, and what it tells. One loop's, in which `run` must run."""

    def __init__(self, place: Path, purpose: Purpose) -> None:
        """`place`: the socket."""
        self._place = place
        self._purpose = purpose
        self.away: Away | None = Away(_not_there(place, "not yet reached"))
        """Why the table does not answer; None while it does."""
        self._writer: asyncio.StreamWriter | None = None
        self._open: dict[int, asyncio.Future[Any]] = {}
        self._count = 0
        self._changes: list[Callable[[], None]] = []
        self._followers: list[Callable[[NewAnswers], None]] = []
        self._turned = asyncio.Event()

    # -- the connection

    async def run(self) -> None:
        """Keep the connection up until cancelled."""
        while True:
            try:
                away = await self._connected()
            except (FeltdError, OSError, TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError) as fault:
                nobody = isinstance(fault, FileNotFoundError | ConnectionRefusedError)
                away = Away(_not_there(self._place, _in_words(fault)), nobody=nobody)
            self._lost(away)
            await asyncio.sleep(AGAIN_AFTER)

    async def reached(self) -> bool:
        """Wait until the table has answered or cannot be reached for the first time; whether it answers."""
        while not self._turned.is_set():
            await self._turned.wait()
        return self.away is None

    async def _connected(self) -> Away:
        """Connect and follow the table until it goes; return why it went."""
        with address_of(self._place) as address:
            reader, writer = await asyncio.open_unix_connection(address, limit=MOST_TO_PAGE)
        try:
            writer.write(greeting(self._purpose))
            async with asyncio.timeout(WELCOME_WITHIN):
                welcome = welcome_of((await reader.readuntil(b"\n"))[:-1])
            if isinstance(welcome, Refused):
                return _away_of(welcome)
            self._joined(writer)
            while True:
                self._take((await _next_line(reader))[:-1])
        finally:
            self._writer = None
            writer.close()
            with contextlib.suppress(OSError):
                await writer.wait_closed()

    def _joined(self, writer: asyncio.StreamWriter) -> None:
        _log.info("the table answers at %s", self._place)
        self._writer = writer
        self.away = None
        self._turn()

    def _lost(self, away: Away) -> None:
        if self.away is None or away.words != self.away.words:
            _log.warning("%s", away.words)
        self.away = away
        waiting, self._open = self._open, {}
        for future in waiting.values():
            if not future.done():
                future.set_exception(TableAwayError(f"the table went away before it answered: {UNSURE}"))
        self._turn()

    def _turn(self) -> None:
        """The table has come or gone, or is no longer as it was."""
        self._turned.set()
        for listener in self._changes:
            listener()

    def _take(self, line: bytes) -> None:
        message: Reply | Fault | Changed | Answers | Refused = message_of(line, FROM_TABLE | {Refused})
        match message:
            case Changed():
                self._turn()
            case Answers(new):
                for follower in self._followers:
                    follower(new)
            case Reply(number, value):
                self._settle(number, value, None)
            case Fault(number):
                self._settle(number, None, error_of(message))
            case Refused(why):
                raise WireError(why, "refused")

    def _settle(self, number: int, value: Any, error: FeltdError | None) -> None:
        future = self._open.pop(number, None)
        if future is None or future.done():  # whoever asked has gone
            return
        if error is None:
            future.set_result(value)
        else:
            future.set_exception(error)

    async def _ask(self, call: Call[Any, _R], what: Any, within: float | None = None) -> _R:
        seconds = ANSWER_WITHIN if within is None else within
        if self.away is not None or self._writer is None:
            raise TableAwayError((self.away or Away("the table does not answer")).words)
        if len(self._open) >= ASKED_MOST:
            raise TableAwayError("too much is asked of the table at once: ask again in a few seconds")
        self._count += 1
        number = self._count
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._open[number] = future
        try:
            self._writer.write(line_of(Ask(number, call.name, parse(to_json(what)))))
            async with asyncio.timeout(seconds):
                value: _R = from_json(call.gives, await future, call.name)
                return value
        except TimeoutError:
            raise TableAwayError(f"the table has not answered for {seconds:.0f} s: {UNSURE}") from None
        finally:
            self._open.pop(number, None)

    # -- following

    def on_changed(self, listener: Callable[[], None]) -> None:
        """Call `listener` after each change, and when the table goes or comes back."""
        self._changes.append(listener)

    def on_answers(self, listener: Callable[[NewAnswers], None]) -> None:
        """Call `listener` with the answers to each event."""
        self._followers.append(listener)


async def _next_line(reader: asyncio.StreamReader) -> bytes:
    """What the table tells next. Raises TimeoutError where it is silent.

    A process that was held up itself finds a time run out and what came meanwhile at once: with one time for it all it
    gave up a table that had told it something each second. So each look is short, and the next one finds what has come.
    """
    for _ in range(LOOKS):
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(SILENT_FOR / LOOKS):
                return await reader.readuntil(b"\n")
    raise TimeoutError


def _away_of(refused: Refused) -> Away:
    return Away(
        refused.why,
        refused.out_of_order,
        refused.details,
        refused.may_pass,
        refused.starting,
        plays_on=refused.version != VERSION,
    )


def _not_there(place: Path, why: str) -> str:
    return f"the table does not answer at {place} ({why}); it is started again by itself, if it is the service's"


def _in_words(fault: BaseException) -> str:
    match fault:
        case FileNotFoundError():
            return "nothing listens there"
        case TimeoutError():
            return "it says nothing"
        case asyncio.IncompleteReadError() | ConnectionResetError() | BrokenPipeError():
            return "it has ended the connection"
        case OSError(strerror=str(words)):
            return words
        case _:
            return str(fault)
