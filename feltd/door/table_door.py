"""What the page asks of a table."""

from collections.abc import Callable
from typing import Protocol

from feltd.door.access import AccessFact, ExportFact
from feltd.door.answers import NewAnswers
from feltd.door.away import Away
from feltd.door.commands import Answered, Person
from feltd.door.decisions import DecisionRequest, SignatureFacts, StaffMember
from feltd.door.devices import DevicesFacts, TestFacts, TrialKind
from feltd.door.packs import PacksFacts, PackState, PackStep, PackWanted
from feltd.door.record_rows import RecordRows
from feltd.door.state import TableCounters, TableState
from feltd.door.together import StepFacts, StepKind
from table_fsm.events import Event


class TableDoor(Protocol):
    """One running table, in another process as a rule. Call it in the loop, save for what says that it blocks.

    Everything that is asked raises TableAwayError while the table does not answer.

    A command returns once the record of it is on the disk. It raises CommandRefused where the table does not do it,
    PlayStopped while nothing can be recorded, NotOnDiskError where it was done and the disk then failed.
    """

    @property
    def away(self) -> Away | None:
        """Why the table does not answer; None while it does."""

    # -- looking

    async def state(self) -> TableState:
        """The table as it is, or is in a moment; never as it was before the call."""

    async def counters(self) -> TableCounters:
        """The counts for the metrics."""

    async def devices(self) -> DevicesFacts:
        """Devices, their tests, the computer and the record in full."""

    async def signature(self, number: int) -> SignatureFacts | None:
        """Return a decision that a badge was to sign.

        None if there is none of this number, or it is long over.
        """

    async def staff(self) -> tuple[StaffMember, ...] | None:
        """Everybody whose badge the table knows; None where it cannot read its list."""

    async def packs(self) -> PacksFacts:
        """The packs of cards that are chips, and what is being laid; never a chip's number."""

    # -- the record

    def open_record(self) -> RecordRows:
        """The record as it may be read. Blocks: call it in a thread. Raises JournalError, TableAwayError."""

    # -- following

    def on_changed(self, listener: Callable[[], None]) -> None:
        """Call `listener` after each change of `state()`."""

    def on_answers(self, listener: Callable[[NewAnswers], None]) -> None:
        """Call `listener` with the answers to each event, once they are numbered.

        The first call says only up to which entry there are answers already.
        """

    # -- doing

    async def act(self, person: Person, why: str | None, event: Event) -> Answered:
        """Take an event by hand. Its `t` is not looked at: the table puts its own time in.

        Raises CommandRefused for an event that no person at the page makes.
        """

    async def decide(self, person: Person, decision: DecisionRequest) -> Answered:
        """Take a decision in the person's own name.

        Raises CommandRefused if its ruling no longer waits.
        """

    async def ask_for_badge(self, person: Person, decision: DecisionRequest) -> SignatureFacts:
        """Have the next badge of somebody who may decide sign a decision at the table."""

    async def withdraw(self, person: Person, number: int) -> None:
        """Withdraw the person's request for a badge."""

    async def keep_staff(self, person: Person, why: str, members: tuple[StaffMember, ...]) -> None:
        """Have the table keep this list of people with a badge in place of its own."""

    async def broadcast(self, person: Person, *, on: bool) -> None:
        """Want the broadcast of cards on, or turn it off. It goes on once a second person wants it too."""

    async def show_fingerprint(self, fingerprint: str) -> bool:
        """Show on the display the fingerprint of the page's own certificate; whether there is one with room for it.

        It is shown while no round is in progress, for a minute, or until it is given once more; "" shows none any more.
        Raises CommandRefused for what is none: sixteen groups of four hexadecimal digits, as `4F0A 91C2 …`.
        """

    async def begin_test(
        self, person: Person, device: str, kind: TrialKind, *, lamp: str | None = None, expect: str | None = None
    ) -> TestFacts:
        """Begin a test of a device. Raises UnknownDeviceError, as do all of these."""

    async def end_test(self, person: Person, device: str) -> None:
        """End the test of this device, if one runs."""

    async def ask_step(self, person: Person, kind: StepKind, about: str, reason: str) -> StepFacts:
        """Ask for a step that takes two people. `about`: as of `StepFacts`."""

    async def approve_step(self, person: Person, number: int) -> StepFacts:
        """Approve another person's step: they may do it now, once. Raises CommandRefused for one's own."""

    async def tell_step(self, second: Person, number: int, fault: str | None) -> StepFacts:
        """Tell how a change of an account went that `second` has approved. `fault`: why it could not be done."""

    async def end_step(self, person: Person, number: int) -> StepFacts:
        """Take back one's own step, or refuse another's."""

    async def take_step(self, user: Person, kind: StepKind, about: str) -> StepFacts:
        """Let the machine do an update that two people want. It counts once, from now. `user`: of the machine."""

    async def new_key(self, person: Person, device: str, given: str | None) -> str | None:
        """Give a device another key, from its next session on: a step that another person has approved.

        `given`: 64 hexadecimal digits, or None to have one made. Returns the key that was made, to be shown this once;
        None if it was given.
        """

    async def key_back(self, person: Person, device: str) -> None:
        """Give a device back the key that it had before the last change: a step as `new_key`."""

    async def accept(self, person: Person, device: str) -> str | None:
        """Accept the device that is there in place of another, and its disabled inputs.

        Returns its serial number.
        """

    async def begin_pack(self, person: Person, wanted: PackWanted) -> PacksFacts:
        """Begin to lay cards on the table's readers, in test mode and between two rounds."""

    async def step_pack(self, person: Person, step: PackStep) -> PacksFacts:
        """Take the next step of laying cards, as a person says it."""

    async def swap_cards(self, person: Person, name: str, card: str, other: str) -> PacksFacts:
        """Exchange the chips of two cards of a pack, between two rounds: they were laid the wrong way round."""

    async def put_pack(self, person: Person, name: str, state: PackState) -> PacksFacts:
        """Put a pack to use, to rest, or retire it for good, between two rounds."""

    # -- who comes and goes

    async def tell_access(self, page: str, facts: tuple[AccessFact, ...]) -> None:
        """Put what happened at the page on record.

        `page`: its mark, new at each start. Facts beyond the table's budget are counted and left out. Raises
        CommandRefused for facts that are none, and then takes none of them.
        """

    async def note_export(self, person: Person, export: ExportFact) -> int:
        """Put on record that a person is handed a part of the record; return the entry.

        Raises CommandRefused where there were too many. Hand nothing out unless this returns.
        """
