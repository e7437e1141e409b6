"""A device's place at the table, and what is known of who is in it: for the page, the metrics and whoever mends it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from devices.drivers.base import Driver
from devices.drivers.status import DeviceStatus
from devices.pins.watch import DisabledInput
from feltd.door import Trust
from feltd.table.links.links import DeviceLink, adapter_in, trust_in
from firmware_bridge.link import DeviceIdentity, LinkFault
from firmware_bridge.trail import PassedFrame


@dataclass(frozen=True, slots=True)
class FaultSeen:
    """Why a link went down, or did not come up, the last time. `frames`: the last before it, sizes and no content."""

    wall: float
    fault: LinkFault
    frames: tuple[PassedFrame, ...]


class Place(Protocol):
    """What is asked of a device's configuration. `place`: where it is, for people."""

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
    """Outputs of the table mean something to it."""
    identity: DeviceIdentity | None = None
    status: DeviceStatus = field(default_factory=DeviceStatus)
    online: bool | None = None
    """As the table was told; None: nothing since the start."""
    faults: int = 0
    there: bool | None = None
    """Whether its link is up; None: nothing since the start."""
    since: float | None = None
    """Since when that is so, in wall seconds."""
    last_fault: FaultSeen | None = None
    replaced: str | None = None
    """The serial number of the device before, where this is another one and nobody has said that it is in order."""
    told: float | None = None
    """When it last sent its status, in wall seconds."""
    disabled: Mapping[DisabledInput, float] = field(default_factory=dict)
    """Inputs of it that are not believed, and since when, in wall seconds."""

    @property
    def trust(self) -> Trust:
        """What stands behind its word."""
        return trust_in(self.link)

    @property
    def adapter(self) -> str | None:
        """The adapter that speaks with it; None where none does."""
        return adapter_in(self.link)
