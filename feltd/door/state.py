"""What the table shows of itself at one moment: public things only, no card that lies face down and no key."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from feltd.door.decisions import SignatureFacts
from feltd.door.together import StepFacts
from feltd.door.trust import Trust
from feltd.installed.upgrade import Upgrade
from firmware_bridge.errors import FaultCode
from firmware_bridge.facts import LinkState
from table_fsm.rulebook.denomination import Denomination
from table_fsm.view.shapes import TableView


@dataclass(frozen=True, slots=True)
class RulebookInForce:
    """The rulebook that the table is open with. `digest`: SHA-256 of its text, as hex."""

    id: str
    title: str
    digest: str


@dataclass(frozen=True, slots=True)
class Resolution:
    """The decision on a ruling.

    `by`: who decided; None if it was cleared automatically. `outcome`: what replaced the ruling's.
    """

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
    """A ruling, and the decisions that are possible on it.

    `waits`: it waits for a person. `may_overrule`: a person may still overrule it.
    """

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
    stale_frames: int
    pauses: int
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
    """A fault of a device that is shown to the staff.

    `wall`: the last time it occurred, in seconds since 1970.
    """

    wall: float
    device: str
    text: str


@dataclass(frozen=True, slots=True)
class TestState:
    """The device test that runs, or the last one, in short.

    `over`: why it ended. `seen`: how many messages the device has sent.
    """

    __test__ = False  # pytest: this is no test class

    number: int
    device: str
    over: str | None
    seen: int


@dataclass(frozen=True, slots=True)
class JournalFacts:
    """Whether the record is kept, and how far it is.

    `waiting`: deliveries of devices that are not taken yet.
    """

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
    """The lag of the table's event loop: the last, and the worst of the last minute.

    Milliseconds.
    """

    lag_ms: float
    worst_ms: float


@dataclass(frozen=True, slots=True)
class RefusedDecision:
    """A floor decision that the table would refuse now.

    `seat`: the player that it would be about, None where it is about none. `why`: the reason, in words.
    """

    decision: str
    seat: int | None
    why: str


@dataclass(frozen=True, slots=True)
class BroadcastFacts:
    """Whether cards of rounds that are over go to the broadcast.

    `on`: they do, of rounds that begin now. `by`: the accounts of the two who turned it on. `asked`: who wants it on
    and waits for a second person. `delay_minutes`: how long the table holds them back. `to`: the key's fingerprint.
    `waiting`: rounds that are held back now.
    """

    on: bool
    by: tuple[str, ...]
    asked: str | None
    delay_minutes: int
    to: str
    waiting: int


@dataclass(frozen=True, slots=True)
class TableState:
    """The state of a running table.

    `t`: table seconds now. `wall`: seconds since 1970. `view`: the table as anybody may see it. `stopped`: why play is
    stopped, if the record cannot be kept. `prompt`: the dealer's next step in words, empty without one. `amounts`: the
    denomination of the table's amounts, None while it is closed. `testing`: devices are being tested, and no round
    starts. `refused`: floor decisions that the table would refuse now. `needed_away`: a device without which no round
    starts is offline. `steps`: those that take two people. `broadcast`: None where the table's file has none.
    `put_back`: play is stopped because the record was put back to an older state. `upgrade`: another version is
    installed than plays; the table starts anew after the round. Lists have the newest first.
    """

    name: str
    rulebook: RulebookInForce | None
    t: float
    wall: float
    stopped: str | None
    view: TableView
    prompt: str
    amounts: Denomination | None
    rulings: tuple[ShownRuling, ...]
    devices: tuple[DeviceState, ...]
    faults: tuple[ToldFault, ...]
    signatures: tuple[SignatureFacts, ...]
    test: TestState | None
    journal: JournalFacts
    loop: LoopFacts
    testing: bool = False
    refused: tuple[RefusedDecision, ...] = ()
    needed_away: bool = True
    steps: tuple[StepFacts, ...] = ()
    broadcast: BroadcastFacts | None = None
    put_back: bool = False
    upgrade: Upgrade | None = None


@dataclass(frozen=True, slots=True)
class TableCounters:
    """Counts since the start, for the metrics.

    `disabled_inputs`: the names of disabled inputs, by device. `door_refused`: what the page asked and nobody looked
    at, by why (`feltd.door.serving.refused.Why`).
    """

    events: Mapping[str, int]
    outputs: Mapping[str, int]
    rulings: Mapping[str, int]
    refused: int
    round: int
    disabled_inputs: Mapping[str, tuple[str, ...]]
    loop_lag: float
    """Seconds, as is the worst of the last minute."""
    worst_loop_lag: float
    door_refused: Mapping[str, int] = field(default_factory=dict)
