"""The device's end of a link in Python: simulated devices, tests and the bench use it."""

import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from firmware_bridge.transport import Transport


@dataclass(frozen=True, slots=True)
class PeerIdentity:
    """What a device says of itself."""

    role: str
    serial: str
    key: bytes = field(repr=False)
    firmware: str = "simulated"


class PeerHandler(Protocol):
    """The device behind the peer. Calls come from the event loop; none may block."""

    def state(self) -> Mapping[str, Any]:
        """The full state, as it is after the last event emitted."""
        ...

    def status(self) -> Mapping[str, Any]:
        """The status sent every second."""
        ...

    def command(self, name: str, args: Mapping[str, Any]) -> Mapping[str, Any] | Awaitable[Mapping[str, Any]]:
        """Carry out a command; raise CommandRefused to refuse it."""
        ...

    def post(self, name: str, args: Mapping[str, Any]) -> None:
        """Set something to a level; what is not known is ignored."""
        ...


class DevicePeer:
    """A device's end: keeps events until they are acknowledged, answers the host. One instance is one boot."""

    def __init__(
        self,
        identity: PeerIdentity,
        handler: PeerHandler,
        *,
        store: object | None = None,  # a PendingStore; None: kept in memory, lost with the process
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.boot_id = b""

    async def serve(self, transport: Transport) -> None:
        """Speak over this transport until it is lost (returns) or the caller cancels."""
        raise NotImplementedError

    def emit(self, body: Mapping[str, Any]) -> int:
        """Keep an event, send it as soon as may be; returns its sequence number. Raises PendingFullError, MessageError."""
        raise NotImplementedError

    async def emit_when_room(self, body: Mapping[str, Any]) -> int:
        """As `emit`, but waits while the store is full."""
        raise NotImplementedError
