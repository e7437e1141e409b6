"""The schema of `GET /state` and of what `GET /stream` sends: the page's whole state.

Nothing is made of these models and nothing is validated by them while a table runs: `feltd.page.api.state` puts the
state together for all readers at once. Tests hold the one to the other.
"""

from typing import Annotated

from pydantic import BaseModel, Field

from feltd.door import Trust
from feltd.door.together import StepKind, StepState
from feltd.page.api.amounts import AmountsView
from feltd.page.api.band import BandView
from feltd.page.api.offers import NotYetView, RefusedView
from feltd.page.api.signature_models import SignatureView
from feltd.text.alarms import Group, Priority
from firmware_bridge.errors import FaultCode
from firmware_bridge.facts import LinkState
from table_fsm.view.shapes import AlarmView, ShelfView, TableView


class RulebookView(BaseModel):
    """The rulebook of the open table."""

    id: str
    title: str
    digest: str = Field(description="SHA-256 of its text, as hex")


class SettledView(BaseModel):
    """What became of a ruling."""

    by: str | None = Field(description="who decided; null where it was cleared automatically")
    decision: str | None
    outcome: str | None = Field(description="the outcome put in its place")
    reason: str | None


class RulingView(BaseModel):
    """A ruling, and what can be done about it."""

    wall: float = Field(description="when it was given, in seconds since 1970")
    t: None
    id: int
    supersedes: int | None = Field(description="the ruling it takes the place of")
    rulebook: str
    rule: str = Field(description="the narrowest clause")
    irregularity: str
    outcome: str
    also: list[str]
    seat: int | None
    authority: str
    pending: bool = Field(description="as it was given, it waited for a person")
    text: str
    cards: list[str] | None = Field(default=None, description="the cards it is about; left out where there are none")
    translation: str | None = Field(
        description="the text in the reader's language; null in English, which is the approved text, and for own books"
    )
    irregularity_words: str
    row: str = Field(description="the anchor of its row on the rulebook's page, `/rules/RULEBOOK#ROW`")
    outcome_words: str
    also_words: list[str]
    waits: bool = Field(description="it waits for a person now")
    after: str = Field(description="what the table does once it has been confirmed; empty where it does not wait")
    not_yet: list[NotYetView] = Field(description="decisions on it that could not take effect yet")
    may_overrule: bool
    settled: SettledView | None


class AlarmInWords(AlarmView):
    """An alarm that stands, with its words for people and its row of the table of alarms."""

    text: str
    priority: Priority
    group: Group
    action: Annotated[str, Field(description="what to do")]
    may_shelve: Annotated[bool, Field(description="a person may shelve it")]
    many: Annotated[str, Field(description="words for several of this kind at once, `{}` for their number; or empty")]
    rulings: Annotated[list[int], Field(description="rulings that wait because of it: a decision on them ends it")]


class ShelfInWords(ShelfView):
    """Shelved alarms, with their words for people."""

    text: str


class LinkTroubleView(BaseModel):
    """Why a link is not up."""

    code: FaultCode
    text: str


class DeviceInShort(BaseModel):
    """A device: its link, who is there, what its counters say."""

    name: str
    role: str
    state: LinkState
    up: bool
    fault: LinkTroubleView | None
    serial: str | None
    firmware: str | None
    round_trip_ms: float | None
    events: int
    frames: int
    bad_frames: int
    resynchronised_bytes: int
    stale_frames: int = Field(description="sound frames that have no place in the session")
    pauses: int = Field(description="times that reading stopped because the device sent more than is read of one")
    retransmissions: int
    authentication_failures: int
    reconnects: int
    faults: int
    millivolts: int | None
    note: str | None
    replaced: str | None = Field(description="the serial number of the device before, until a person accepts this one")
    disabled: list[str] = Field(description="inputs on pins that are not believed")
    trust: Trust


class DeviceFaultView(BaseModel):
    """Something that the staff is told of a device."""

    wall: float = Field(description="seconds since 1970")
    device: str
    text: str


class TestInShort(BaseModel):
    """The test of a device that runs, or the last one."""

    number: int
    device: str
    over: str | None = Field(description="why it ended")
    seen: int = Field(description="how much the device has said")


class JournalView(BaseModel):
    """Whether the record is kept, and how far it is."""

    state: str = Field(description="running, failed or closed")
    error: str | None
    appended: int
    synced: int
    backlog: int
    accepting: bool
    waiting: int = Field(description="deliveries of devices that are not taken yet")
    commits: int
    last_commit_ms: float
    longest_commit_ms: float


class LoopView(BaseModel):
    """How late the table's loop ran."""

    lag_ms: float
    worst_ms: float = Field(description="in the last minute")


class StepInShort(BaseModel):
    """A step that takes two people; `GET /together` has the rest."""

    id: int
    kind: StepKind
    about: str
    asked_by: str
    state: StepState


class BroadcastView(BaseModel):
    """Whether cards of rounds that are over go to a broadcast."""

    on: bool
    by: list[str] = Field(description="the accounts of the two who turned it on")
    asked: str | None = Field(description="who wants it on, and waits for a second person")
    delay_minutes: int = Field(description="how long after a round's end the table holds its cards back")
    to: str = Field(description="the fingerprint of the broadcast's key")
    waiting: int = Field(description="rounds that are held back now")


class StateView(BaseModel):
    """One running table. Lists have the newest first."""

    name: str
    rulebook: RulebookView | None
    t: float = Field(description="table seconds now")
    wall: float = Field(description="seconds since 1970")
    stopped: str | None = Field(description="why play stops, where the record cannot be kept or was put back")
    phase: str = Field(description="the phase, and its street, in words")
    prompt: str = Field(
        description="what the dealer should do next, in words; "
        "while play is stopped its cause and remedy; empty where there is nothing to do"
    )
    built: str | None = Field(description="what the table cannot see because it is built with less, in words")
    faces: str | None = Field(
        description="what the table cannot see because its readers know no side of a card, in words"
    )
    band: BandView
    amounts: AmountsView | None = Field(description="what the amounts are; null while no game is open")
    table: TableView
    rulings: list[RulingView]
    refused: list[RefusedView] = Field(description="floor decisions that the table would refuse now")
    alarms: list[AlarmInWords]
    shelves: list[ShelfInWords] = Field(description="alarms that are not told for a time, by a person's decision")
    devices: list[DeviceInShort]
    faults: list[DeviceFaultView]
    signatures: list[SignatureView] = Field(description="decisions that wait for a badge, or did a moment ago")
    test: TestInShort | None
    journal: JournalView
    loop: LoopView
    testing: bool = Field(description="devices are being tested: no round starts")
    steps: list[StepInShort] = Field(description="steps that take two people, and those that ended a moment ago")
    broadcast: BroadcastView | None = Field(description="null where the table's file has no broadcast")
    upgrade: str | None = Field(
        description="which version is installed and which one runs until the round is over, in words; null where they "
        "are the same"
    )
