"""The table in another process, asked over its socket: the door as the page has it.

It connects again for as long as it takes. While the table does not answer, everything that is asked raises
TableAwayError in words, and `away` has them for the page.
"""

import logging
from pathlib import Path
from typing import Final, TypeVar

from feltd.door.access import AccessFact, ExportFact
from feltd.door.asking.record import SocketRecord
from feltd.door.asking.shared import Shared
from feltd.door.asking.socket_line import SocketLine
from feltd.door.commands import Answered, Person
from feltd.door.decisions import DecisionRequest, SignatureFacts, StaffMember
from feltd.door.devices import DevicesFacts, TestFacts, TrialKind
from feltd.door.packs import PacksFacts, PackState, PackStep, PackWanted
from feltd.door.record_rows import RecordRows
from feltd.door.state import TableCounters, TableState
from feltd.door.together import StepFacts, StepKind
from feltd.door.wire import calls
from feltd.door.wire.calls import Nothing
from feltd.door.wire.messages import (
    Purpose,
)
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


class SocketDoor(SocketLine):
    """The door of a table that another process keeps. Belongs to one loop, in which `run` must run."""

    def __init__(self, place: Path) -> None:
        """`place`: the table's socket."""
        super().__init__(place, Purpose.TABLE)
        self._state = Shared(lambda: self._ask(calls.STATE, Nothing()))
        self._counters = Shared(lambda: self._ask(calls.COUNTERS, Nothing()))
        self._devices = Shared(lambda: self._ask(calls.DEVICES, Nothing()))

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

    async def packs(self) -> PacksFacts:
        """The packs of cards that are chips, and what is being laid."""
        return await self._ask(calls.PACKS, Nothing())

    # -- the record

    def open_record(self) -> RecordRows:
        """The record, over a connection of its own. Blocks."""
        return SocketRecord(self._place)

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

    async def broadcast(self, person: Person, *, on: bool) -> None:
        """Want the broadcast of cards on, or turn it off."""
        await self._ask(calls.BROADCAST, calls.NewBroadcast(person, on))

    async def show_fingerprint(self, fingerprint: str) -> bool:
        """Show on the display the fingerprint of the page's own certificate."""
        return await self._ask(calls.SHOW_FINGERPRINT, calls.ShownFingerprint(fingerprint))

    async def begin_test(
        self, person: Person, device: str, kind: TrialKind, *, lamp: str | None = None, expect: str | None = None
    ) -> TestFacts:
        """Begin a test of a device."""
        return await self._ask(calls.BEGIN_TEST, calls.NewTest(person, device, kind, lamp, expect))

    async def end_test(self, person: Person, device: str) -> None:
        """End the test of this device, if one runs."""
        await self._ask(calls.END_TEST, calls.EndedTest(device, person))

    async def ask_step(self, person: Person, kind: StepKind, about: str, reason: str) -> StepFacts:
        """Ask for a step that takes two people."""
        return await self._ask(calls.ASK_STEP, calls.NewStep(person, kind, about, reason))

    async def approve_step(self, person: Person, number: int) -> StepFacts:
        """Approve another person's step."""
        return await self._ask(calls.APPROVE_STEP, calls.OfStep(person, number))

    async def tell_step(self, second: Person, number: int, fault: str | None) -> StepFacts:
        """Tell how a change of an account went."""
        return await self._ask(calls.TELL_STEP, calls.ToldStep(second, number, fault))

    async def end_step(self, person: Person, number: int) -> StepFacts:
        """Take back one's own step, or refuse another's."""
        return await self._ask(calls.END_STEP, calls.OfStep(person, number))

    async def take_step(self, user: Person, kind: StepKind, about: str) -> StepFacts:
        """Let the machine do an update that two people want."""
        return await self._ask(calls.TAKE_STEP, calls.TakenStep(user, kind, about))

    async def new_key(self, person: Person, device: str, given: str | None) -> str | None:
        """Give a device another key; return it if it was made."""
        return await self._ask(calls.NEW_KEY, calls.NewKey(person, device, given))

    async def key_back(self, person: Person, device: str) -> None:
        """Give a device back the key that it had before."""
        await self._ask(calls.KEY_BACK, calls.OfDevice(person, device))

    async def accept(self, person: Person, device: str) -> str | None:
        """Accept the device that is there in place of another; return its serial number."""
        return await self._ask(calls.ACCEPT, calls.OfDevice(person, device))

    async def begin_pack(self, person: Person, wanted: PackWanted) -> PacksFacts:
        """Begin to lay cards on the table's readers."""
        return await self._ask(calls.BEGIN_PACK, calls.NewPackWork(person, wanted))

    async def step_pack(self, person: Person, step: PackStep) -> PacksFacts:
        """Take the next step of laying cards, as a person says it."""
        return await self._ask(calls.STEP_PACK, calls.OfPackWork(person, step))

    async def swap_cards(self, person: Person, name: str, card: str, other: str) -> PacksFacts:
        """Exchange the chips of two cards of a pack."""
        return await self._ask(calls.SWAP_CARDS, calls.SwapCards(person, name, card, other))

    async def put_pack(self, person: Person, name: str, state: PackState) -> PacksFacts:
        """Put a pack to use, to rest, or retire it for good."""
        return await self._ask(calls.PUT_PACK, calls.PutPack(person, name, state))

    # -- who comes and goes

    async def tell_access(self, page: str, facts: tuple[AccessFact, ...]) -> None:
        """Put what happened at the page on record."""
        await self._ask(calls.TELL_ACCESS, calls.NewAccess(page, facts))

    async def note_export(self, person: Person, export: ExportFact) -> int:
        """Put on record that a person is handed a part of the record; return the entry."""
        return await self._ask(calls.NOTE_EXPORT, calls.NewExport(person, export))
