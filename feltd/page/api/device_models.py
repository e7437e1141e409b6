"""Devices, their tests and the board under the table, as the API tells them."""

from collections.abc import Iterable
from typing import Annotated

from fastapi import Path
from pydantic import BaseModel, ConfigDict, Field, computed_field, field_validator

from feltd.door import Trust
from feltd.door.devices import FrameKind, TrialKind
from feltd.installed.mark import SignatureState
from feltd.text.alarms import row_of, row_text
from feltd.text.board import BoardTrouble, remedy_of
from feltd.text.catalogue import device_fault, word
from feltd.text.words import begin_sentence, zone_in_words
from firmware_bridge.link import FaultCode, LinkState
from table_fsm.felt import AlarmKind

DeviceName = Annotated[str, Path(pattern=r"^[a-z0-9][a-z0-9:_-]*$", max_length=64, description="e.g. reader:board")]
Word = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,39}$")]


class _View(BaseModel):
    """A view is made of the door's facts of the same names."""

    model_config = ConfigDict(from_attributes=True)


def _for_their_reader(english: str | None) -> str | None:
    """Texts that the table wrote in English."""
    return None if english is None else device_fault(english)


class PassedFrameView(_View):
    """One frame before a fault: which way, what, how long. What was in it is kept nowhere."""

    seconds_before: float
    sent: bool = Field(description="true: to the device")
    kind: FrameKind
    bytes: int


class FaultView(_View):
    """Why a link went down, or does not come up."""

    code: FaultCode
    text: str
    remedy: str | None = Field(description="what a technician does about it, where the text does not say all")

    _for_reader = field_validator("text", "remedy")(_for_their_reader)


class LastFaultView(FaultView):
    """The last fault of a link, also when it is up again."""

    wall: float = Field(description="seconds since 1970")
    frames: list[PassedFrameView] = Field(description="the last before it, oldest first")


class CountersView(_View):
    """What a link has counted since the start."""

    events: int
    frames_received: int
    frames_sent: int
    bad_frames: int
    resynchronised_bytes: int
    stale_frames: int
    authentication_failures: int
    retransmissions: int
    pauses: int = Field(description="times that reading stopped because the device sent more than is read of one")
    sessions: int
    reconnects: int
    faults: int = Field(description="messages that broke the rules, and outputs that could not be commanded")


class LinkView(_View):
    """A device's link."""

    state: LinkState
    up: bool
    since: float | None = Field(
        description="since when it is up or down, in seconds since 1970; null: never since start"
    )
    round_trip_ms: float | None
    longest_round_trip_ms: float
    fault: FaultView | None = Field(description="why it is not up")
    last_fault: LastFaultView | None
    counters: CountersView


class IdentityView(_View):
    """What the device says of itself under its key. That it says so proves nothing about its firmware."""

    serial: str
    says_firmware: str
    protocol: int
    keeps_events: bool = Field(description="events that were not acknowledged survive its restart")


class StatusView(_View):
    """What the device said of itself a moment ago. Nothing at the table depends on it."""

    wall: float = Field(description="when it said so, in seconds since 1970")
    says_up_seconds: float | None = Field(description="by its own clock")
    millivolts: int | None
    celsius: float | None
    free_bytes: int | None
    waiting_events: int | None
    note: str | None


class ZoneView(_View):
    """A zone of a reader. Its numbers are those that the reader told last between two rounds; null: it never did."""

    zone: str
    trouble: AlarmKind | None = Field(description="the alarm about it; null where it is read whole")
    whole: int | None = Field(description="of a hundred scans, how many read all that lay there")
    torn: int | None = Field(description="answers that were torn, of a hundred scans")
    milliseconds: int | None = Field(description="one scan")

    @computed_field(description="the zone in the reader's language")  # type: ignore[prop-decorator]
    @property
    def words(self) -> str:
        return begin_sentence(zone_in_words(self.zone))

    @computed_field(description="the trouble and what to do about it, in the reader's language")  # type: ignore[prop-decorator]
    @property
    def trouble_words(self) -> str | None:
        if self.trouble is None:
            return None
        return f"{word(self.trouble)}. {row_text(row_of(self.trouble).action)}"


class ReplacedView(_View):
    """Another device than the last time is in this place, and nobody has accepted it."""

    serial: str | None = Field(description="of the one that is there")
    before: str


class DisabledView(_View):
    """An input on the controller's pins that is not believed, until it has been quiet or somebody says it is well."""

    name: str
    place: str = Field(description="where it is wired")
    trouble: str = Field(description="stuck or chattering")
    since: float = Field(description="seconds since 1970")

    @computed_field(description="the trouble in the reader's language")  # type: ignore[prop-decorator]
    @property
    def words(self) -> str:
        return device_fault(self.trouble)


class KeyView(_View):
    """Where a device's key is. Never the key."""

    changeable: bool
    why_not: str | None
    _for_reader = field_validator("why_not")(_for_their_reader)
    old_kept: bool = Field(description="feltd keeps the old key until the device has connected with the new one")


class SeenView(_View):
    """Something that a tested device said. Of a card only whether it was read."""

    wall: float
    event: str
    place: str | None
    read: bool | None
    said: dict[str, str | int | bool] = Field(description="of a key, the rest of its message; else nothing")


class TestView(_View):
    """A test that runs, or the last one."""

    __test__ = False  # pytest: this is no test class

    number: int
    device: str
    test: TrialKind
    lamp: str | None
    expect: str | None
    by: str
    began: float = Field(description="seconds since 1970")
    seconds_left: float
    over: str | None = Field(description="why it ended; null while it runs")
    passed: bool | None = Field(description="whether what was waited for came; null where only an eye or ear can tell")
    seen: list[SeenView]

    @computed_field(description="`over` in the reader's language")  # type: ignore[prop-decorator]
    @property
    def over_words(self) -> str | None:
        return _for_their_reader(self.over)


class DeviceView(_View):
    """One device of the table."""

    name: str
    role: str
    port: str
    trust: Trust = Field(description="what stands behind its word: a session under its key, its adapter, or nothing")
    adapter: str | None = Field(description="the adapter that speaks with it; null where it speaks feltd's own wire")
    watches: list[str] = Field(description="the zones, seats or groups of keys that it is configured for")
    wanted_serial: str | None = Field(description="the only serial number that is let in; null takes any with the key")
    link: LinkView
    identity: IdentityView | None
    status: StatusView | None
    replaced: ReplacedView | None
    missing: str | None = Field(description="events of it that the record lacks, until a person has accepted that")
    disabled: list[DisabledView]
    key: KeyView
    tests: list[TrialKind]
    lamps: list[str]
    says: list[str] = Field(description="the events that it may send, where it can be listened to")
    zones: list[ZoneView] = Field(description="of a reader that says how well it reads them")
    _for_reader = field_validator("missing")(_for_their_reader)


class DropBoxView(_View):
    """The drop box as last reported."""

    present: bool
    locked: bool


class UnderVoltageView(_View):
    """The board's supply is too low."""

    now: bool
    before: bool | None = Field(description="since the start; null where the board does not report it")


class BoardTroubleView(_View):
    """Something that is wrong with the computer itself."""

    name: BoardTrouble
    words: str
    remedy: str = Field(description="what a technician does about it")


class BoardView(_View):
    """The computer under the table; null is what it does not tell."""

    celsius: float | None
    under_voltage: UnderVoltageView | None
    up_seconds: float
    disk_free_bytes: int | None
    disk_bytes: int | None
    loop_lag_ms: float
    worst_loop_lag_ms: float = Field(description="of the last minute")
    clock_steps: int = Field(description="how often the wall clock was set since feltd started")
    last_clock_step: float | None = Field(description="seconds")
    troubles: list[BoardTroubleView]

    @field_validator("troubles", mode="before")
    @classmethod
    def _in_words(cls, troubles: Iterable[BoardTrouble]) -> list[BoardTroubleView]:
        return [BoardTroubleView(name=one, words=word(one), remedy=remedy_of(one)) for one in troubles]


class RecordView(_View):
    """The journal."""

    state: str
    error: str | None
    bytes: int | None
    entries: int
    not_yet_on_disk: int
    accepting: bool
    last_commit_ms: float
    longest_commit_ms: float


class PackageView(_View):
    """The package that the table was installed from, by the manifest of its files. `feltd identify` says whether the
    files are as it says."""

    manifest: str = Field(description="SHA-256 of the manifest")
    signature: SignatureState
    key: str | None = Field(description="the public key that signed it; null where its signature is not good")


class ProgramView(_View):
    """The program that is the table."""

    version: str
    package: PackageView | None = Field(description="null where it was not installed from its package")


class DevicesView(_View):
    """The technician's side of a table, at one moment."""

    wall: float
    test_mode: bool
    between_rounds: bool
    test: TestView | None
    devices: list[DeviceView]
    drop_box: DropBoxView | None
    board: BoardView
    record: RecordView
    program: ProgramView | None = Field(description="null where the table is of a version that does not say it")


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class TestWanted(_Body):
    """A test. `lamp`: which, with a lamp; `expect`: the event that is waited for, null takes any."""

    __test__ = False  # pytest: this is no test class

    test: Annotated[TrialKind, Field(strict=False)]
    lamp: Word | None = None
    expect: Word | None = None


class KeyWanted(_Body):
    """Another key. `given`: one that the device has already; null has one made."""

    model_config = ConfigDict(extra="forbid", strict=True, hide_input_in_errors=True)

    given: Annotated[str, Field(pattern=r"^[0-9A-Fa-f]{64}$")] | None = Field(default=None, repr=False)


class KeyMade(BaseModel):
    """The device has another key, from its next session on. `key` is shown this once; null where it was given."""

    device: str
    key: str | None = Field(repr=False, description="64 hexadecimal digits, to be loaded into the device now")
    takes_effect: str


class Accepted(BaseModel):
    """Accept the device that is there now."""

    device: str
    serial: str | None
