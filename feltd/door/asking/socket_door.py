"""The table in another process, asked over its socket: the door as the page has it.

It connects again for as long as it takes. While the table does not answer, everything that is asked raises
TableAwayError in words, and `away` has them for the page.
"""

import asyncio
import contextlib
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypeVar

from feltd.door.access import AccessFact, ExportFact
from feltd.door.answers import NewAnswers
from feltd.door.asking.connecting import greeting, welcome_of
from feltd.door.asking.record import SocketRecord
from feltd.door.asking.shared import Shared
from feltd.door.away import Away
from feltd.door.commands import Answered, Person, TableAwayError
from feltd.door.decisions import DecisionRequest, SignatureFacts, StaffMember
from feltd.door.devices import DevicesFacts, TestFacts, TrialKind
from feltd.door.place import address_of
from feltd.door.record_rows import RecordRows
from feltd.door.state import TableCounters, TableState
from feltd.door.wire import calls
from feltd.door.wire.calls import Call, Nothing
from feltd.door.wire.codec import from_json, parse, to_json
from feltd.door.wire.errors import WireError
from feltd.door.wire.messages import (
    FROM_TABLE,
    MOST_TO_PAGE,
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
from table_fsm.events import Event, event_to_dict

ANSWER_WITHIN: Final = 15.0
"""Seconds for one answer."""
AGAIN_AFTER: Final = 0.25
"""Seconds between two attempts to reach the table."""
WELCOME_WITHIN: Final = 10.0
SILENT_FOR: Final = 10.0
"""Seconds: a living table tells of a change each second."""
ASKED_MOST: Final = 256
"""Questions that wait for an answer at once."""
UNSURE: Final = "look at the table whether it was done"
_R = TypeVar("_R")
_log = logging.getLogger("feltd.page")


class SocketDoor:
    """The door of a table that another process keeps. Belongs to one loop, in which `run` must run."""

    def __init__(self, place: Path) -> None:
        """`place`: the table's socket."""
        self._place = place
        self.away: Away | None = Away(_not_there(place, "not yet reached"))
        """Why the table does not answer; None while it does."""
        self._writer: asyncio.StreamWriter | None = None
        self._open: dict[int, asyncio.Future[Any]] = {}
        self._count = 0
        self._changes: list[Callable[[], None]] = []
        self._followers: list[Callable[[NewAnswers], None]] = []
        self._turned = asyncio.Event()
        self._state = Shared(lambda: self._ask(calls.STATE, Nothing()))
        self._counters = Shared(lambda: self._ask(calls.COUNTERS, Nothing()))
        self._devices = Shared(lambda: self._ask(calls.DEVICES, Nothing()))

    # -- the connection

    async def run(self) -> None:
        """Keep the connection up until cancelled."""
        while True:
            try:
                away = await self._connected()
            except (FeltdError, OSError, TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError) as fault:
                away = Away(_not_there(self._place, _in_words(fault)))
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
            writer.write(greeting(Purpose.TABLE))
            async with asyncio.timeout(WELCOME_WITHIN):
                welcome = welcome_of((await reader.readuntil(b"\n"))[:-1])
            if isinstance(welcome, Refused):
                return Away(welcome.why, welcome.out_of_order, welcome.details, welcome.may_pass)
            self._joined(writer)
            while True:
                async with asyncio.timeout(SILENT_FOR):
                    line = await reader.readuntil(b"\n")
                self._take(line[:-1])
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

    async def _ask(self, call: Call[Any, _R], what: Any) -> _R:
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
            async with asyncio.timeout(ANSWER_WITHIN):
                value: _R = from_json(call.gives, await future, call.name)
                return value
        except TimeoutError:
            raise TableAwayError(f"the table has not answered for {ANSWER_WITHIN:.0f} s: {UNSURE}") from None
        finally:
            self._open.pop(number, None)

    # -- looking

    async def state(self) -> TableState:
        """The table as it is now or later: never as it was before the call. All who want it meanwhile get the same."""
        return await self._state.get()

    async def counters(self) -> TableCounters:
        """The counts for the metrics; shared as the state is."""
        return await self._counters.get()

    async def devices(self) -> DevicesFacts:
        """Devices, their tests, the computer and the record in full; shared as the state is."""
        return await self._devices.get()

    async def signature(self, number: int) -> SignatureFacts | None:
        """A decision that a badge was to sign; None for no such number."""
        return await self._ask(calls.SIGNATURE, calls.ByNumber(number))

    async def staff(self) -> tuple[StaffMember, ...] | None:
        """The people whose badges count; None where the table cannot read its list."""
        return await self._ask(calls.STAFF, Nothing())

    # -- the record

    def open_record(self) -> RecordRows:
        """The record, over a connection of its own. Blocks."""
        return SocketRecord(self._place)

    # -- following

    def on_changed(self, listener: Callable[[], None]) -> None:
        """Call `listener` after each change, and when the table goes or comes back."""
        self._changes.append(listener)

    def on_answers(self, listener: Callable[[NewAnswers], None]) -> None:
        """Call `listener` with the answers to each event."""
        self._followers.append(listener)

    # -- doing

    async def act(self, person: Person, why: str | None, event: Event) -> Answered:
        """Take an event by hand."""
        return await self._ask(calls.ACT, calls.ByHand(person, why, event_to_dict(event)))

    async def decide(self, person: Person, decision: DecisionRequest) -> Answered:
        """Take a decision in the person's own name."""
        return await self._ask(calls.DECIDE, calls.Decided(person, decision))

    async def ask_for_badge(self, person: Person, decision: DecisionRequest) -> SignatureFacts:
        """Have the next badge of somebody who may decide sign a decision."""
        return await self._ask(calls.ASK_FOR_BADGE, calls.Decided(person, decision))

    async def withdraw(self, person: Person, number: int) -> None:
        """Withdraw the person's request for a badge."""
        await self._ask(calls.WITHDRAW, calls.OfSignature(person, number))

    async def keep_staff(self, person: Person, why: str, members: tuple[StaffMember, ...]) -> None:
        """Have the table keep this list of people with a badge."""
        await self._ask(calls.KEEP_STAFF, calls.NewStaff(person, why, members))

    async def begin_test(
        self, person: Person, device: str, kind: TrialKind, *, lamp: str | None = None, expect: str | None = None
    ) -> TestFacts:
        """Begin a test of a device."""
        return await self._ask(calls.BEGIN_TEST, calls.NewTest(person, device, kind, lamp, expect))

    async def end_test(self, device: str) -> None:
        """End the test of this device, if one runs."""
        await self._ask(calls.END_TEST, calls.Named(device))

    async def new_key(self, person: Person, device: str, given: str | None) -> str | None:
        """Give a device another key; return it if it was made."""
        return await self._ask(calls.NEW_KEY, calls.NewKey(person, device, given))

    async def key_back(self, person: Person, device: str) -> None:
        """Give a device back the key that it had before."""
        await self._ask(calls.KEY_BACK, calls.OfDevice(person, device))

    async def accept(self, person: Person, device: str) -> str | None:
        """Accept the device that is there in place of another; return its serial number."""
        return await self._ask(calls.ACCEPT, calls.OfDevice(person, device))

    # -- who comes and goes

    async def tell_access(self, page: str, facts: tuple[AccessFact, ...]) -> None:
        """Put what happened at the page on record."""
        await self._ask(calls.TELL_ACCESS, calls.NewAccess(page, facts))

    async def note_export(self, person: Person, export: ExportFact) -> int:
        """Put on record that a person is handed a part of the record; return the entry."""
        return await self._ask(calls.NOTE_EXPORT, calls.NewExport(person, export))


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
