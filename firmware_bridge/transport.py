"""Ways for bytes: what a transport is, and serial ports read by their descriptor."""

from collections.abc import Collection
from typing import Protocol

from firmware_bridge.errors import TransportError


class Receiver(Protocol):
    """Whoever a transport hands its bytes to. All calls come from the event loop, none of them may block."""

    def received(self, data: bytes) -> None:
        """Bytes arrived, in any chunks."""
        ...

    def lost(self, error: TransportError) -> None:
        """The transport is gone; nothing follows. Not called after `close`."""
        ...

    def writable(self) -> None:
        """`congested` has become False again."""
        ...


class Transport(Protocol):
    """A way for bytes in both directions, open when handed out. A USB transport implements just this."""

    @property
    def name(self) -> str:
        """What a person calls it: the path of the port."""
        ...

    @property
    def congested(self) -> bool:
        """True while so much waits to be written that what can wait should."""
        ...

    def start(self, receiver: Receiver) -> None:
        """Begin to hand over what arrives. A second call changes the receiver."""
        ...

    def write(self, data: bytes) -> None:
        """Write now, as far as the port takes it, and keep the rest in order. Never blocks; failures reach `lost`."""
        ...

    def close(self) -> None:
        """Release the port. What waits to be written is dropped. Idempotent."""
        ...


class SerialTransport:
    """A serial port or pseudo-terminal, exclusive, read by descriptor."""


async def open_serial(path: str, *, baud: int = 115200, allowed: Collection[str] = ()) -> SerialTransport:
    """Open the port at a stable path (`/dev/serial/by-id/…`, `/dev/serial/by-path/…`), or one listed in `allowed`.

    Raises TransportError with code PORT_MISSING, PORT_DENIED, PORT_BUSY, PORT_UNSTABLE or PORT_FAILED.
    """
    raise NotImplementedError
