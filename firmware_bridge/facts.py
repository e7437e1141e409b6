"""What callers and handlers of a link use: slots, identities, states, counters.

`link` exports them all.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol

from firmware_bridge.errors import LinkFault
from firmware_bridge.framing import FrameCounts
from firmware_bridge.limits import KEY_SIZE, PROTOCOL_MAX
from firmware_bridge.session import prologue


class LinkState(StrEnum):
    """The state of a link."""

    STOPPED = "stopped"
    CONNECTING = "connecting"
    HANDSHAKING = "handshaking"
    CATCHING_UP = "catching_up"  # session up; events kept by the device, then the full state, are coming in
    UP = "up"
    WAITING = "waiting"  # backing off after a fault


@dataclass(frozen=True, slots=True)
class LinkSpec:
    """One slot of the table. Raises ValueError for an impossible role or key.

    `name`: the slot's (`shoe`, `reader:board`). `key`: the 32 bytes of its device. `serial`: None takes any device that
    has the key.
    """

    name: str
    role: str
    key: bytes = field(repr=False)
    serial: str | None = None

    def __post_init__(self) -> None:
        prologue(self.role, PROTOCOL_MAX)
        if len(self.key) != KEY_SIZE:
            raise ValueError(f"slot {self.name}: a key has {KEY_SIZE} bytes, this one {len(self.key)}: check its file")


@dataclass(frozen=True, slots=True)
class ResumePoint:
    """The last event of a device that the journal holds."""

    boot_id: bytes
    seq: int

    def __str__(self) -> str:
        return f"{self.seq} of boot {self.boot_id.hex()}"


@dataclass(frozen=True, slots=True)
class Jump:
    """What the journal does not hold between its last event of a device and the device's next.

    `held`: the last that it holds, None where it holds none; `coming`: the device's next; `acknowledged`: the last that
    was acknowledged to the device, where it says so (protocol 2). `known`: False where the device says that it does not
    know `held`: this is not the journal that acknowledged its events, then.
    """

    held: ResumePoint | None
    coming: ResumePoint
    acknowledged: ResumePoint | None
    known: bool = True

    def __str__(self) -> str:
        ours = "holds none of its events" if self.held is None else f"ends with its event {self.held}"
        told = "" if self.acknowledged is None else f"; event {self.acknowledged} was acknowledged to it"
        return f"the record {ours}, and its next is {self.coming}{told}: events are missing, or the record was put back"


@dataclass(frozen=True, slots=True)
class DeviceIdentity:
    """The device's report of itself, authenticated by its key.

    It proves nothing about the firmware.
    """

    role: str
    serial: str
    firmware: str
    version: int  # of the protocol, in this session
    boot_id: bytes  # a new one: the device has restarted
    persistent: bool  # whether events not yet acknowledged survive its restart


@dataclass(slots=True)
class LinkCounters(FrameCounts):
    """Counts of a link over all its sessions; they rise before it dies. Times are seconds."""

    frames_received: int = 0
    frames_sent: int = 0
    stale_frames: int = 0  # good frames that have no place now: of an earlier session, reflected, replayed outside one
    authentication_failures: int = 0
    retransmissions: int = 0  # events received again, and dropped
    events: int = 0
    commands: int = 0
    posts: int = 0
    pauses: int = 0  # how often reading stopped because the device's budget was used up
    paused: float = 0.0  # how long for, altogether
    round_trip: float | None = None  # last ping to pong
    round_trip_max: float = 0.0
    sessions: int = 0
    reconnects: int = 0  # sessions that followed an earlier one


class LinkHandler(Protocol):
    """The receiver of a link's reports.

    Calls come from the event loop, from the reader itself; none may block.
    """

    def on_up(self, name: str, identity: DeviceIdentity, state: Mapping[str, Any]) -> None:
        """The session is up.

        All kept events are delivered, and the state was read after the last of them.
        """
        ...

    def on_event(self, name: str, boot_id: bytes, seq: int, body: Mapping[str, Any]) -> None:
        """An event: each once, in order.

        Those kept while a link was down come before `on_up`, after `on_session` (`SessionHandler`).
        """
        ...

    def on_status(self, name: str, status: Mapping[str, Any]) -> None:
        """The device's status, every second."""
        ...

    def on_down(self, name: str, fault: LinkFault) -> None:
        """The link went down, or (once for each code in a row) does not come up.

        It went down too when a session that had delivered events ends before `on_up`.
        """
        ...


class SessionHandler(LinkHandler, Protocol):
    """The receiver of a link's reports over a wire, whose device keeps events while the link is down."""

    def on_session(self, name: str, identity: DeviceIdentity) -> None:
        """A session has begun: the events that the device kept follow, then `on_up`."""
        ...

    def on_jump(self, name: str, jump: Jump) -> None:
        """Events of the device are missing, or the journal is not the one that the device was acknowledged by.

        In protocol 2 it comes again in each session until the journal holds the event that is coming.
        """
        ...
