"""What the table shows of itself at one moment: public things only, no card that lies face down and no key."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from feltd.door.decisions import SignatureFacts
from feltd.door.trust import Trust
from firmware_bridge.errors import FaultCode
from firmware_bridge.facts import LinkState
from table_fsm.view.shapes import TableView


@dataclass(frozen=True, slots=True)
class RulebookInForce:
    """The rulebook that the table is open with. `digest`: SHA-256 of its text, as hex."""

    id: str
    title: str
    digest: str


@dataclass(frozen=True, slots=True)
class Resolution:
    """What became of a ruling. `by`: who decided, None where its cause ended; `outcome`: what was put in its place."""

    by: str | None = None
    decision: str | None = None
    outcome: str | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class GivenRuling:
    """A ruling and when the table gave it: wall seconds since 1970."""

    wall: float
    ruling: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ShownRuling:
    """A ruling with what can be done about it. `waits`: for a person; `may_overrule`: a person still may."""

    given: GivenRuling
    waits: bool
    may_overrule: bool
    resolution: Resolution | None


@dataclass(frozen=True, slots=True)
class LinkTrouble:
    """Why a link is not up."""

    code: FaultCode
    text: str


@dataclass(frozen=True, slots=True)
class DeviceState:
    """One device in short: its link, who is there, what its counters say.

    `replaced`: the serial number of the device before, where nobody has accepted this one yet; `disabled`: inputs on
    pins that are not believed, in words.
    """

    name: str
    role: str
    state: LinkState
    up: bool
    fault: LinkTrouble | None
    serial: str | None
    firmware: str | None
    round_trip_ms: float | None
    events: int
    frames: int
    bad_frames: int
    resynchronised_bytes: int
    retransmissions: int
    authentication_failures: int
    reconnects: int
    faults: int
    millivolts: int | None
    note: str | None
    replaced: str | None
    disabled: tuple[str, ...]
    trust: Trust


@dataclass(frozen=True, slots=True)
class ToldFault:
    """Something that the staff is told of a device. `wall`: the last time, in seconds since 1970."""

    wall: float
    device: str
    text: str


@dataclass(frozen=True, slots=True)
class TestState:
    """The device test that runs, or the last one. `over`: why it ended; `seen`: how much the device has said."""

    __test__ = False  # pytest: this is no test class

    number: int
    device: str
    over: str | None
    seen: int


@dataclass(frozen=True, slots=True)
class JournalFacts:
    """Whether the record is kept, and how far it is. `waiting`: deliveries of devices that are not taken yet."""

    state: str
    error: str | None
    appended: int
    synced: int
    backlog: int
    accepting: bool
    waiting: int
    commits: int
    last_commit_ms: float
    longest_commit_ms: float


@dataclass(frozen=True, slots=True)
class LoopFacts:
    """How late the table's loop ran last, and at worst in the last minute. Milliseconds."""

    lag_ms: float
    worst_ms: float


@dataclass(frozen=True, slots=True)
class TableState:
    """A running table. `t`: table seconds now; `wall`: seconds since 1970; `view`: the table as anybody may see it.

    `stopped`: why play stops, where the record cannot be kept; `prompt`: what the dealer should do now, in words, empty
    where there is nothing. Lists have the newest first.
    """

    name: str
    rulebook: RulebookInForce | None
    t: float
    wall: float
    stopped: str | None
    view: TableView
    prompt: str
    rulings: tuple[ShownRuling, ...]
    devices: tuple[DeviceState, ...]
    faults: tuple[ToldFault, ...]
    signatures: tuple[SignatureFacts, ...]
    test: TestState | None
    journal: JournalFacts
    loop: LoopFacts


@dataclass(frozen=True, slots=True)
class TableCounters:
    """Counts since the start, for the metrics. `disabled_inputs`: by device, the names of inputs not believed."""

    events: Mapping[str, int]
    outputs: Mapping[str, int]
    rulings: Mapping[str, int]
    refused: int
    round: int
    disabled_inputs: Mapping[str, tuple[str, ...]]
    loop_lag: float
    """Seconds, as is the worst of the last minute."""
    worst_loop_lag: float
