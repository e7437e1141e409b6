"""Every table of the floor as the pit page shows it: facts alone, folded from what tables have written."""

from dataclasses import dataclass, replace
from typing import Any, Final

from feltd.door.access import AccessFact
from feltd.door.wire.calls import Call

HEARD_WITHIN: Final = 20.0
"""Seconds within which `heard` of a table that is connected is true. A living one says something every ten."""


@dataclass(frozen=True, slots=True)
class PitAlarm:
    """An alarm that stands.

    `since`: seconds since 1970; `over`: its cause has gone, and nobody has seen it yet; `t`: the table second at
    which it was raised last, None from a floord that does not say it. `zones`: of an alarm about a reader's zones.
    """

    kind: str
    deck: str | None
    device: str | None
    seat: int | None
    since: float
    escalated: bool = False
    over: bool = False
    acknowledged: bool = False
    t: float | None = None
    zones: tuple[str, ...] = ()

    @property
    def about(self) -> dict[str, Any]:
        """Return the alarm's kind and what it is about, from which `feltd.text` makes its words."""
        return {
            "kind": self.kind, "deck": self.deck, "device": self.device, "seat": self.seat, "zones": self.zones
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class PitShelved:
    """An alarm that is not told until a time, seconds since 1970, by somebody's decision; None where not known.

    `of_device`, `of_seat`: as that decision names them, None for each of the kind. `ends`: whether that is known.
    """

    kind: str
    deck: str | None
    device: str | None
    seat: int | None
    by: str | None
    until: float | None
    of_device: str | None = None
    of_seat: int | None = None
    ends: bool = False

    @property
    def about(self) -> dict[str, Any]:
        """Return the alarm's kind and what it is about, from which `feltd.text` makes its words."""
        return {"kind": self.kind, "deck": self.deck, "device": self.device, "seat": self.seat}


@dataclass(frozen=True, slots=True)
class PitPutBack:
    """The table's record was put back to an older state, and play is stopped until a person accepts it there.

    `devices`: by whose memory; `since`: seconds since 1970.
    """

    devices: tuple[str, ...]
    since: float


@dataclass(frozen=True, slots=True)
class PitRuling:
    """A ruling that waits for a person. `since`: seconds since 1970."""

    id: int
    rulebook: str
    rule: str
    irregularity: str
    outcome: str
    authority: str
    text: str
    seat: int | None
    since: float


@dataclass(frozen=True, slots=True)
class PitDevice:
    """A device of a table."""

    name: str
    online: bool


@dataclass(frozen=True, slots=True)
class PitCustody:
    """An alarm of a table's custody that nobody has closed.

    `since`, `latest`: when it was told first and last, seconds since 1970; `state`: `open` or `acknowledged`, by `who`.
    """

    number: int
    kind: str
    words: str
    times: int
    since: float
    latest: float
    state: str
    who: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True)
class PitProof:
    """The last proof of everything that the floor keeps.

    `ended`: seconds since 1970; `faults`: how many journals have one.
    """

    ended: float
    journals: int
    entries: int
    faults: int


@dataclass(frozen=True, slots=True)
class PitTable:
    """One table.

    `connected`: its uplink is here now; `heard`: when it last said something, seconds since 1970, within
    `HEARD_WITHIN` while it is connected; `lag`: entries that
    it has and the floor has not; `round_since`: when its round began; `wrong`: what is wrong with its custody now and
    is over by itself, in words; `custody`: its alarms that a person answers; `locked`: it wants the gate of its shoe
    shut; `box`: what is wrong with its drop box, `missing` or `not_locked`; `floord`: the floord that it is connected
    to, where that is another one on the same database; `unread`: entries of its record that cannot be read, and are
    kept; `more_alarms`: how many it has beyond `alarms`; `put_back`: None where its
    record was not. `page`: the address of its own page; `zone`: the time zone that people read there; each empty where
    it does not say. `broadcast`: cards of rounds that are over go to a broadcast there.
    """

    name: str
    connected: bool
    heard: float | None
    lag: int | None
    forked: bool
    phase: str | None
    street: str | None
    level: int | None
    round: int | None
    round_since: float | None
    devices: tuple[PitDevice, ...]
    alarms: tuple[PitAlarm, ...]
    waiting: tuple[PitRuling, ...]
    wrong: tuple[str, ...] = ()
    custody: tuple[PitCustody, ...] = ()
    locked: bool = False
    testing: bool = False
    box: str | None = None
    shelved: tuple[PitShelved, ...] = ()
    floord: str = ""
    unread: int = 0
    more_alarms: int = 0
    put_back: PitPutBack | None = None
    page: str = ""
    zone: str = ""
    broadcast: bool = False

    def looks_like(self, before: "PitTable") -> bool:
        """Whether a page shows it as it was before: a connected table that was heard again is no news for a while."""
        if self.heard == before.heard:
            return self == before
        if not self.connected or self.heard is None or before.heard is None:
            return False
        return abs(self.heard - before.heard) < HEARD_WITHIN and replace(self, heard=before.heard) == before


@dataclass(frozen=True, slots=True)
class PitSince:
    """What has changed since `revision` of the run `run` of floord; 0 and an empty run for all.

    `account`: in whose name; empty where nobody has signed in.
    """

    run: str
    revision: int
    account: str = ""


@dataclass(frozen=True, slots=True)
class PitNews:
    """The tables that have changed since.

    `whole`: these are all; `wall`: the floor's clock; `wrong`: what is wrong with the floor itself now, in words;
    `proof`: None where nothing was proved yet, and for whoever does not see all tables; `sight`: the mark of what they
    see.
    """

    run: str
    revision: int
    wall: float
    whole: bool
    tables: tuple[PitTable, ...]
    wrong: tuple[str, ...] = ()
    proof: PitProof | None = None
    sight: str = ""


@dataclass(frozen=True, slots=True)
class PitAccess:
    """What happened at the pit page. `page`: its mark, new at each start."""

    page: str
    facts: tuple[AccessFact, ...]


NEWS: Final[Call[PitSince, PitNews]] = Call("news", PitSince, PitNews)
PIT_ACCESS: Final[Call[PitAccess, None]] = Call("pit_access", PitAccess, None)
