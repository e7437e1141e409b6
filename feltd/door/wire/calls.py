"""What may be asked over the socket: each question and command with its values and its answer, once for both ends."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final, Generic, TypeVar

from devices.drivers.trials import TrialKind
from feltd.door.access import FACTS_MOST, AccessFact, ExportFact
from feltd.door.bounds import LARGEST, Count, Fields, Many, Name, Number, Text, Words
from feltd.door.commands import Answered, Person
from feltd.door.decisions import STAFF_MOST, DecisionRequest, SignatureFacts, StaffMember
from feltd.door.devices import DevicesFacts, TestFacts
from feltd.door.obeying import FloorCommand, FloorReceipt, Obeyed, ShownCode, SignedCommand, TournamentCommand
from feltd.door.packs import PacksFacts, PackState, PackStep, PackWanted
from feltd.door.state import TableCounters, TableState
from feltd.door.together import StepFacts, StepKind
from feltd.door.wire.codec import from_json
from feltd.door.wire.messages import MOST_TO_TABLE
from feltd.door.witnessing import WitnessWord
from feltd.record import Entry, Reveal, Span
from feltd.record.rows import StoredRows
from feltd.record.signed_heads import HeadLines

_Q = TypeVar("_Q")
_R = TypeVar("_R")


@dataclass(frozen=True, slots=True)
class Call(Generic[_Q, _R]):
    """One thing that may be asked. `asks`: its values; `gives`: the type of its answer; `most`: bytes of its line."""

    name: str
    asks: type[_Q]
    gives: Any
    most: int = 16 * 1024


@dataclass(frozen=True, slots=True)
class Nothing:
    """A question without values."""


# -- of the table


@dataclass(frozen=True, slots=True)
class ByNumber:
    """`number`: of a signature, or of a round."""

    number: Count


@dataclass(frozen=True, slots=True)
class ByHand:
    """An event by hand, as `table_fsm.events` writes it."""

    person: Person
    why: Words | None
    event: Annotated[Mapping[str, Any], Many(16)]


@dataclass(frozen=True, slots=True)
class Decided:
    """A decision, in the person's own name or to be signed."""

    person: Person
    decision: DecisionRequest


@dataclass(frozen=True, slots=True)
class OfSignature:
    """A person's request for a badge."""

    person: Person
    number: Count


@dataclass(frozen=True, slots=True)
class OfDevice:
    """Something that a person does with a device."""

    person: Person
    device: Name


@dataclass(frozen=True, slots=True)
class NewBroadcast:
    """A person wants the broadcast of cards on or off."""

    person: Person
    on: bool


@dataclass(frozen=True, slots=True)
class ShownFingerprint:
    """What the display is to show, for a person who compares it with what the browser shows; "" for none any more."""

    fingerprint: Annotated[str, Text(80)]


@dataclass(frozen=True, slots=True)
class EndedTest:
    """The device whose test is to end. `person`: who ends it; None of a page of before 0.12.0."""

    device: Name
    person: Person | None = None


@dataclass(frozen=True, slots=True)
class NewTest:
    """A test of a device that is to begin."""

    person: Person
    device: Name
    kind: TrialKind
    lamp: Name | None
    expect: Name | None


@dataclass(frozen=True, slots=True)
class NewKey:
    """Another key for a device."""

    person: Person
    device: Name
    given: Annotated[str, Text(128)] | None

    def __repr__(self) -> str:
        return f"NewKey({self.device!r})"


@dataclass(frozen=True, slots=True)
class NewStep:
    """A step for which a second person is asked."""

    person: Person
    kind: StepKind
    about: Name
    reason: Words


@dataclass(frozen=True, slots=True)
class TakenStep:
    """An approved step that the machine is about to do. `user`: of the machine."""

    user: Person
    kind: StepKind
    about: Name


@dataclass(frozen=True, slots=True)
class ToldStep:
    """How an approved step went that the page does itself. `fault`: why it could not be done."""

    second: Person
    number: Count
    fault: Words | None


@dataclass(frozen=True, slots=True)
class OfStep:
    """What a person says of a step that waits for a second one."""

    person: Person
    number: Count


@dataclass(frozen=True, slots=True)
class NewPackWork:
    """For what a person has cards laid."""

    person: Person
    wanted: PackWanted


@dataclass(frozen=True, slots=True)
class OfPackWork:
    """What a person says of the cards that are laid."""

    person: Person
    step: PackStep


@dataclass(frozen=True, slots=True)
class PutPack:
    """What a person makes of a pack."""

    person: Person
    name: Name
    state: PackState


@dataclass(frozen=True, slots=True)
class SwapCards:
    """Two cards of a pack that have each other's chip from now on."""

    person: Person
    name: Name
    card: Name
    other: Name


@dataclass(frozen=True, slots=True)
class NewStaff:
    """The people with a badge from now on."""

    person: Person
    why: Words
    members: Annotated[tuple[StaffMember, ...], Many(STAFF_MOST)]


@dataclass(frozen=True, slots=True)
class NewAccess:
    """What happened at the page."""

    page: Name
    facts: Annotated[tuple[AccessFact, ...], Many(FACTS_MOST)]


@dataclass(frozen=True, slots=True)
class NewExport:
    """A part of the record that a person is to be handed."""

    person: Person
    export: ExportFact


_SEEN: Final = 64 * 1024
"""Bytes of a line that may name all devices that a person saw."""
STATE: Final[Call[Nothing, TableState]] = Call("state", Nothing, TableState)
COUNTERS: Final[Call[Nothing, TableCounters]] = Call("counters", Nothing, TableCounters)
DEVICES: Final[Call[Nothing, DevicesFacts]] = Call("devices", Nothing, DevicesFacts)
SIGNATURE: Final[Call[ByNumber, SignatureFacts | None]] = Call("signature", ByNumber, SignatureFacts | None)
ACT: Final[Call[ByHand, Answered]] = Call("act", ByHand, Answered)
DECIDE: Final[Call[Decided, Answered]] = Call("decide", Decided, Answered, _SEEN)
ASK_FOR_BADGE: Final[Call[Decided, SignatureFacts]] = Call("ask_for_badge", Decided, SignatureFacts, _SEEN)
WITHDRAW: Final[Call[OfSignature, None]] = Call("withdraw", OfSignature, None)
BEGIN_TEST: Final[Call[NewTest, TestFacts]] = Call("begin_test", NewTest, TestFacts)
END_TEST: Final[Call[EndedTest, None]] = Call("end_test", EndedTest, None)
NEW_KEY: Final[Call[NewKey, str | None]] = Call("new_key", NewKey, str | None)
KEY_BACK: Final[Call[OfDevice, None]] = Call("key_back", OfDevice, None)
ACCEPT: Final[Call[OfDevice, str | None]] = Call("accept", OfDevice, str | None)
STAFF: Final[Call[Nothing, tuple[StaffMember, ...] | None]] = Call("staff", Nothing, tuple[StaffMember, ...] | None)
KEEP_STAFF: Final[Call[NewStaff, None]] = Call("keep_staff", NewStaff, None, MOST_TO_TABLE)
ASK_STEP: Final[Call[NewStep, StepFacts]] = Call("ask_step", NewStep, StepFacts)
APPROVE_STEP: Final[Call[OfStep, StepFacts]] = Call("approve_step", OfStep, StepFacts)
TELL_STEP: Final[Call[ToldStep, StepFacts]] = Call("tell_step", ToldStep, StepFacts)
END_STEP: Final[Call[OfStep, StepFacts]] = Call("end_step", OfStep, StepFacts)
TAKE_STEP: Final[Call[TakenStep, StepFacts]] = Call("take_step", TakenStep, StepFacts)
BROADCAST: Final[Call[NewBroadcast, None]] = Call("broadcast", NewBroadcast, None)
SHOW_FINGERPRINT: Final[Call[ShownFingerprint, bool]] = Call("show_fingerprint", ShownFingerprint, bool)
PACKS: Final[Call[Nothing, PacksFacts]] = Call("packs", Nothing, PacksFacts)
BEGIN_PACK: Final[Call[NewPackWork, PacksFacts]] = Call("begin_pack", NewPackWork, PacksFacts)
STEP_PACK: Final[Call[OfPackWork, PacksFacts]] = Call("step_pack", OfPackWork, PacksFacts)
SWAP_CARDS: Final[Call[SwapCards, PacksFacts]] = Call("swap_cards", SwapCards, PacksFacts)
PUT_PACK: Final[Call[PutPack, PacksFacts]] = Call("put_pack", PutPack, PacksFacts)
TELL_ACCESS: Final[Call[NewAccess, None]] = Call("tell_access", NewAccess, None, MOST_TO_TABLE)
NOTE_EXPORT: Final[Call[NewExport, int]] = Call("note_export", NewExport, int)
OBEY: Final[Call[FloorCommand, Obeyed]] = Call("obey", FloorCommand, Obeyed, _SEEN)
OBEY_TOURNAMENT: Final[Call[TournamentCommand, Obeyed]] = Call("obey_tournament", TournamentCommand, Obeyed, _SEEN)
TAKE_RECEIPT: Final[Call[FloorReceipt, bool]] = Call("take_receipt", FloorReceipt, bool)
OBEY_SIGNED: Final[Call[SignedCommand, Obeyed]] = Call("obey_signed", SignedCommand, Obeyed, MOST_TO_TABLE)
SHOW_CODE: Final[Call[ShownCode, bool]] = Call("show_code", ShownCode, bool)
HEAR_WITNESS: Final[Call[WitnessWord, None]] = Call("hear_witness", WitnessWord, None)

OF_TABLE: Final[Mapping[str, Call[Any, Any]]] = {
    call.name: call
    for call in (
        STATE, COUNTERS, DEVICES, SIGNATURE, ACT, DECIDE, ASK_FOR_BADGE, WITHDRAW, BEGIN_TEST, END_TEST, NEW_KEY,
        KEY_BACK, ACCEPT, STAFF, KEEP_STAFF, ASK_STEP, APPROVE_STEP, TELL_STEP, END_STEP, TAKE_STEP,
        TELL_ACCESS, NOTE_EXPORT, OBEY, OBEY_TOURNAMENT, OBEY_SIGNED, TAKE_RECEIPT, SHOW_CODE, HEAR_WITNESS,
        BROADCAST, PACKS, BEGIN_PACK, STEP_PACK, SWAP_CARDS, PUT_PACK, SHOW_FINGERPRINT,
    )
}  # fmt: skip


# -- of its record

_ENTRY: Final = Number(-1, LARGEST)
_SPAN: Final = Fields(
    (
        *((name, _ENTRY) for name in ("after", "until", "round")),
        *((name, Number(-LARGEST, LARGEST)) for name in ("wall_from", "wall_to")),
        *((name, Text(64)) for name in ("name", "device")),
    )
)
_Entry = Annotated[int, _ENTRY]


@dataclass(frozen=True, slots=True)
class SomeEntries:
    """The first entries of a span, at most `most`."""

    span: Annotated[Span, _SPAN]
    reveal: Reveal
    newest_first: bool
    most: Count


@dataclass(frozen=True, slots=True)
class Entries:
    """`more`: the span has others behind these."""

    entries: tuple[Entry, ...]
    more: bool


@dataclass(frozen=True, slots=True)
class Between:
    """Two moments in wall seconds; None does not limit."""

    since: Annotated[float, Number(-LARGEST, LARGEST)] | None
    until: Annotated[float, Number(-LARGEST, LARGEST)] | None


@dataclass(frozen=True, slots=True)
class Range:
    """The entries from `first` to `last`."""

    first: _Entry
    last: _Entry


@dataclass(frozen=True, slots=True)
class Behind:
    """The entries behind entry `after`, at most `most`."""

    after: _Entry
    most: Count


@dataclass(frozen=True, slots=True)
class HeadsFrom:
    """The lines of the signed heads from byte `at` of their file on, at most `most`."""

    at: Count
    most: Count


@dataclass(frozen=True, slots=True)
class ExportLines:
    """The next lines of the export that was begun. `over`: these are the last."""

    lines: tuple[str, ...]
    over: bool


LAST_ENTRY: Final[Call[Nothing, int]] = Call("last_entry", Nothing, int)
ENTRIES: Final[Call[SomeEntries, Entries]] = Call("entries", SomeEntries, Entries)
SPAN_BETWEEN: Final[Call[Between, tuple[int, int] | None]] = Call("span_between", Between, tuple[int, int] | None)
EXPORT: Final[Call[Range, ExportLines]] = Call("export", Range, ExportLines)
EXPORT_ROUND: Final[Call[ByNumber, ExportLines]] = Call("export_round", ByNumber, ExportLines)
STORED: Final[Call[Behind, StoredRows]] = Call("stored", Behind, StoredRows)
HEADS: Final[Call[HeadsFrom, HeadLines]] = Call("heads", HeadsFrom, HeadLines)
MORE_LINES: Final[Call[Nothing, ExportLines]] = Call("more_lines", Nothing, ExportLines)

OF_RECORD: Final[Mapping[str, Call[Any, Any]]] = {
    call.name: call for call in (LAST_ENTRY, ENTRIES, SPAN_BETWEEN, EXPORT, EXPORT_ROUND, MORE_LINES, STORED, HEADS)
}


def values_of(what: Mapping[str, Any], call: Call[_Q, Any]) -> _Q:
    """Return the values of an `ask`, every one of them known here.

    Raises WireError, and OutOfBounds for one that says more than it may.
    """
    values: _Q = from_json(call.asks, what, call.name, strict=True)
    return values
