"""A device's place at the table, with facts for page, metrics and technician."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from devices.drivers.base import Driver
from devices.drivers.status import DeviceStatus, ZoneReading
from devices.pins.watch import DisabledInput
from feltd.door import Trust
from feltd.table.links.links import DeviceLink, adapter_in, trust_in
from feltd.table.links.zone_watch import ZoneWatch
from firmware_bridge.link import DeviceIdentity, Jump, LinkFault
from firmware_bridge.trail import PassedFrame


@dataclass(frozen=True, slots=True)
class FaultSeen:
    """The last reason why a link went down, or did not come up.

    `frames`: the last before it, sizes and no content.
    """

    wall: float
    fault: LinkFault
    frames: tuple[PassedFrame, ...]


class Place(Protocol):
    """The parts of a device's configuration that are used.

    `place`: where it is, for people.
    """

    @property
    def name(self) -> str: ...
    @property
    def role(self) -> str: ...
    @property
    def place(self) -> str: ...
    @property
    def serial(self) -> str | None: ...


@dataclass(slots=True)
class Slot:
    """One device of the table."""

    config: Place
    driver: Driver[Any]
    link: DeviceLink
    listens: bool
    """The device has a use for outputs of the table."""
    identity: DeviceIdentity | None = None
    session: DeviceIdentity | None = None
    """Who is at the other end in the latest session, which need not have come up."""
    status: DeviceStatus = field(default_factory=DeviceStatus)
    online: bool | None = None
    """The state reported to the table; None before any report since the start."""
    faults: int = 0
    there: bool | None = None
    """Whether its link is up; None before anything is known."""
    since: float | None = None
    """Wall seconds since when that is so."""
    last_fault: FaultSeen | None = None
    replaced: str | None = None
    """The serial number of the device before, while this one is not accepted."""
    keypad: bool | None = None
    """Whether a PIN can be keyed at it, by its own word, which it does not take back; None where it has not said so."""
    told: float | None = None
    """Wall seconds of its last status."""
    readings: Mapping[str, ZoneReading] = field(default_factory=dict)
    """How well a reader read its zones when it said so last between two rounds."""
    zones: ZoneWatch = field(default_factory=ZoneWatch)
    """Which zones it does not read."""
    posted: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    """The last arguments of each command."""
    jump: Jump | None = None
    """What the record lacks of its events, as its link told it last."""
    missing: str | None = None
    """The same in words, until a person has accepted it: over restarts too."""
    put_back: bool = False
    """The record was put back to an older state, or the one before it is gone, and no person has accepted that."""
    disabled: Mapping[DisabledInput, float] = field(default_factory=dict)
    """Its disabled inputs, each with the wall seconds since when."""

    @property
    def trust(self) -> Trust:
        """The authentication of its messages: by a session, an adapter, pins, or nothing."""
        return trust_in(self.link)

    @property
    def adapter(self) -> str | None:
        """The adapter that speaks with it; None where none does."""
        return adapter_in(self.link)
