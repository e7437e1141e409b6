"""One slot of the table: the supervisor that keeps a session with its device, and what callers see of it."""

import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol

from firmware_bridge.errors import CommandRefused, FaultCode, LinkDown, LinkFault
from firmware_bridge.transport import Transport

__all__ = [
    "CommandRefused",
    "DeviceIdentity",
    "FaultCode",
    "Link",
    "LinkCounters",
    "LinkDown",
    "LinkFault",
    "LinkHandler",
    "LinkSpec",
    "LinkState",
    "ResumePoint",
]


class LinkState(StrEnum):
    """Where a link stands."""

    STOPPED = "stopped"
    CONNECTING = "connecting"
    HANDSHAKING = "handshaking"
    CATCHING_UP = "catching_up"  # session up; events kept by the device, then the full state, are coming in
    UP = "up"
    WAITING = "waiting"  # backing off after a fault


@dataclass(frozen=True, slots=True)
class LinkSpec:
    """One slot of the table. `name` is the slot's (`shoe`, `reader:board`); `serial` None takes any device that has the key."""

    name: str
    role: str
    key: bytes = field(repr=False)
    serial: str | None = None


@dataclass(frozen=True, slots=True)
class ResumePoint:
    """The last event of a device that the journal holds."""

    boot_id: bytes
    seq: int


@dataclass(frozen=True, slots=True)
class DeviceIdentity:
    """What the device said of itself, under its key. Proves nothing about its firmware."""

    role: str
    serial: str
    firmware: str
    version: int  # of the protocol, in this session
    boot_id: bytes  # a new one: the device has restarted
    persistent: bool  # whether events not yet acknowledged survive its restart


@dataclass(slots=True)
class LinkCounters:
    """What rises before a link dies. Times are seconds."""

    frames_received: int = 0
    frames_sent: int = 0
    bad_frames: int = 0  # runs between two delimiters that are no frame
    resynchronised_bytes: int = 0  # bytes of such runs
    stale_frames: int = 0  # good frames that have no place now: of an earlier session, reflected, replayed outside one
    authentication_failures: int = 0
    retransmissions: int = 0  # events received again, and dropped
    events: int = 0
    commands: int = 0
    posts: int = 0
    round_trip: float | None = None  # last ping to pong
    round_trip_max: float = 0.0
    sessions: int = 0
    reconnects: int = 0  # sessions that followed an earlier one


class LinkHandler(Protocol):
    """Whoever a link reports to. Calls come from the event loop, synchronously from the reader; none may block."""

    def on_up(self, name: str, identity: DeviceIdentity, state: Mapping[str, Any]) -> None:
        """Session up, everything the device had kept delivered, full state read just after the last of it."""
        ...

    def on_event(self, name: str, boot_id: bytes, seq: int, body: Mapping[str, Any]) -> None:
        """Each event once, in order. Those a device kept while the link was down come before `on_up`."""
        ...

    def on_status(self, name: str, status: Mapping[str, Any]) -> None:
        """The device's status, every second."""
        ...

    def on_down(self, name: str, fault: LinkFault) -> None:
        """The link went down, or (once for each kind of fault in a row) does not come up."""
        ...


Connect = Callable[[], Awaitable[Transport]]


class Link:
    """The supervisor of one slot: connects, checks who is there, delivers, reconnects with capped backoff."""

    def __init__(
        self,
        spec: LinkSpec,
        connect: Connect,
        handler: LinkHandler,
        *,
        resume: ResumePoint | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.spec = spec
        self.counters = LinkCounters()
        self.state = LinkState.STOPPED

    async def run(self) -> None:
        """Supervise until cancelled. An exception of the handler ends it and is raised here."""
        raise NotImplementedError

    def acknowledge(self, boot_id: bytes, seq: int) -> None:
        """The journal has synced everything up to this event: the device may forget it. Works in any state."""
        raise NotImplementedError

    async def command(self, name: str, args: Mapping[str, Any]) -> Mapping[str, Any]:
        """Have the device do something and wait for its result. Raises CommandRefused, LinkDown, MessageError."""
        raise NotImplementedError

    async def read_state(self) -> Mapping[str, Any]:
        """Read the full state again; every event that it includes has been delivered. Raises LinkDown."""
        raise NotImplementedError

    def post(self, name: str, args: Mapping[str, Any]) -> None:
        """Set something to a level (a lamp, the display): no waiting, the latest of a name wins, sent again after a reconnect."""
        raise NotImplementedError
