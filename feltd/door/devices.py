"""Devices, their tests and the computer under the table in full, as a technician sees them. No card and no key."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from devices.drivers.trials import TrialKind as TrialKind  # the page asks the door alone
from feltd.door.trust import Trust
from feltd.installed.mark import PackageMark
from feltd.text.board import BoardTrouble
from firmware_bridge.errors import FaultCode
from firmware_bridge.facts import LinkState

FrameKind = Literal["handshake request", "handshake answer", "transport", "reject", "no frame"]


@dataclass(frozen=True, slots=True)
class PassedFrameFacts:
    """One frame before a fault.

    `sent`: to the device. `bytes`: its length; its content is kept nowhere.
    """

    seconds_before: float
    sent: bool
    kind: FrameKind
    bytes: int


@dataclass(frozen=True, slots=True)
class FaultFacts:
    """The reason why a link is down.

    `remedy`: what a technician does about it, if the text does not say all.
    """

    code: FaultCode
    text: str
    remedy: str | None


@dataclass(frozen=True, slots=True)
class LastFaultFacts:
    """The last fault of a link, which may be up again.

    `wall`: seconds since 1970. `frames`: oldest first.
    """

    code: FaultCode
    text: str
    remedy: str | None
    wall: float
    frames: tuple[PassedFrameFacts, ...]


@dataclass(frozen=True, slots=True)
class CountersFacts:
    """What a link has counted since the start."""

    events: int
    frames_received: int
    frames_sent: int
    bad_frames: int
    resynchronised_bytes: int
    stale_frames: int
    authentication_failures: int
    retransmissions: int
    pauses: int
    sessions: int
    reconnects: int
    faults: int


@dataclass(frozen=True, slots=True)
class LinkFacts:
    """The state of a device's link.

    `since`: seconds since 1970; None if it has neither come up nor gone down since the start.
    """

    state: LinkState
    up: bool
    since: float | None
    round_trip_ms: float | None
    longest_round_trip_ms: float
    fault: FaultFacts | None
    last_fault: LastFaultFacts | None
    counters: CountersFacts


@dataclass(frozen=True, slots=True)
class IdentityFacts:
    """A device's account of itself, authenticated by its key.

    `keeps_events`: unacknowledged events survive its restart.
    """

    serial: str
    says_firmware: str
    protocol: int
    keeps_events: bool


@dataclass(frozen=True, slots=True)
class StatusFacts:
    """The status that a device sent last. `wall`: when, in seconds since 1970."""

    wall: float
    says_up_seconds: float | None
    millivolts: int | None
    celsius: float | None
    free_bytes: int | None
    waiting_events: int | None
    note: str | None


@dataclass(frozen=True, slots=True)
class ZoneFacts:
    """A zone of a reader. `trouble`: the kind of the alarm about it; None: it is read whole, or nothing is known.

    `whole`: of a hundred scans, how many read all that lay there. `torn`: answers that were torn, of a hundred scans.
    `milliseconds`: one scan. All three as the reader told them last between two rounds; None where it never did.
    """

    zone: str
    trouble: str | None
    whole: int | None
    torn: int | None
    milliseconds: int | None


@dataclass(frozen=True, slots=True)
class ReplacedFacts:
    """Another device is in this place and nobody has accepted it.

    `serial`: its own. `before`: that of the device before.
    """

    serial: str | None
    before: str


@dataclass(frozen=True, slots=True)
class DisabledFacts:
    """An input on pins that is not believed. `since`: seconds since 1970."""

    name: str
    place: str
    trouble: str
    since: float


@dataclass(frozen=True, slots=True)
class KeyFacts:
    """Whether a device's key can be changed.

    `old_kept`: the key before can still be restored.
    """

    changeable: bool
    why_not: str | None
    old_kept: bool


@dataclass(frozen=True, slots=True)
class SeenFacts:
    """Something that a tested device said. `read`: of a card, whether it was read, never which."""

    wall: float
    event: str
    place: str | None
    read: bool | None
    said: Mapping[str, str | int | bool]


@dataclass(frozen=True, slots=True)
class TestFacts:
    """The device test that runs, or the last one.

    `by`: the account. `over`: why it ended. `passed`: None if a person's eye judges.
    """

    __test__ = False  # pytest: this is no test class

    number: int
    device: str
    test: TrialKind
    lamp: str | None
    expect: str | None
    by: str
    began: float
    seconds_left: float
    over: str | None
    passed: bool | None
    seen: tuple[SeenFacts, ...]


@dataclass(frozen=True, slots=True)
class DeviceFacts:
    """One device in full.

    `tests`: the tests that it offers. `says`: the events it may send while it is tested.
    """

    name: str
    role: str
    port: str
    trust: Trust
    adapter: str | None
    watches: tuple[str, ...]
    wanted_serial: str | None
    link: LinkFacts
    identity: IdentityFacts | None
    status: StatusFacts | None
    replaced: ReplacedFacts | None
    missing: str | None
    disabled: tuple[DisabledFacts, ...]
    key: KeyFacts
    tests: tuple[TrialKind, ...]
    lamps: tuple[str, ...]
    says: tuple[str, ...]
    zones: tuple[ZoneFacts, ...] = ()


@dataclass(frozen=True, slots=True)
class DropBoxFacts:
    """The drop box as last reported."""

    present: bool
    locked: bool


@dataclass(frozen=True, slots=True)
class UnderVoltageFacts:
    """Whether the computer's supply voltage is too low.

    `before`: it was since the start; None if the computer does not report it.
    """

    now: bool
    before: bool | None


@dataclass(frozen=True, slots=True)
class ComputerFacts:
    """The computer under the table; None for a value that it does not report.

    `disk_free_bytes`: in whole MiB. `troubles`: what is wrong with it now.
    """

    celsius: float | None
    under_voltage: UnderVoltageFacts | None
    up_seconds: float
    disk_free_bytes: int | None
    disk_bytes: int | None
    loop_lag_ms: float
    worst_loop_lag_ms: float
    clock_steps: int
    last_clock_step: float | None
    troubles: tuple[BoardTrouble, ...] = ()


@dataclass(frozen=True, slots=True)
class RecordFacts:
    """The health of the record.

    `bytes`: its size on the disk, in whole MiB.
    """

    state: str
    error: str | None
    bytes: int | None
    entries: int
    not_yet_on_disk: int
    accepting: bool
    last_commit_ms: float
    longest_commit_ms: float


@dataclass(frozen=True, slots=True)
class ProgramFacts:
    """The program that is the table. `package`: what it was installed from; None in a checkout."""

    version: str
    package: PackageMark | None


@dataclass(frozen=True, slots=True)
class DevicesFacts:
    """The technician's side of a table at one moment.

    `wall`: seconds since 1970. `program`: None where the table does not say it.
    """

    wall: float
    test_mode: bool
    between_rounds: bool
    test: TestFacts | None
    devices: tuple[DeviceFacts, ...]
    drop_box: DropBoxFacts | None
    board: ComputerFacts
    record: RecordFacts
    program: ProgramFacts | None = None
