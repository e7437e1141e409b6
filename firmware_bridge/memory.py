"""Two transports in memory, back to back, for tests and simulated devices."""

import asyncio

from firmware_bridge.errors import FaultCode, TransportError
from firmware_bridge.transport import Receiver


class MemoryTransport:
    """One end. A write arrives whole at the other end in the next turn of the loop.

    Never congested.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.congested = False
        self.closed = False
        self._loop = asyncio.get_running_loop()
        self._receiver: Receiver | None = None
        self._other: MemoryTransport | None = None
        self._early: list[bytes] = []
        self._held = False

    def start(self, receiver: Receiver) -> None:
        self._receiver = receiver
        self.resume()

    def hold(self) -> None:
        self._held = True

    def resume(self) -> None:
        self._held = False
        if self._early:
            self._loop.call_soon(self._catch_up)

    def _catch_up(self) -> None:
        while self._early and not self._held and not self.closed and self._receiver is not None:
            self._receiver.received(self._early.pop(0))

    def write(self, data: bytes) -> None:
        if not self.closed and self._other is not None:
            self._loop.call_soon(self._other.arrive, data)

    def arrive(self, data: bytes) -> None:
        """Deliver bytes as from the other end; they are kept until `start`, and while it is held."""
        if self.closed:
            return
        if self._receiver is None or self._held or self._early:
            self._early.append(data)
        else:
            self._receiver.received(data)

    def close(self) -> None:
        """Close this end; the other end is lost after it has received what was written before."""
        if self.closed:
            return
        self.closed = True
        if self._other is not None:
            self._loop.call_soon(self._other.lose)

    def lose(self) -> None:
        """Lose the connection, as if the cable were taken out."""
        if self.closed:
            return
        self.closed = True
        if self._receiver is not None:
            self._receiver.lost(TransportError(FaultCode.UNPLUGGED, f"{self.name}: the other end is gone"))


def memory_pair(name: str = "memory") -> tuple[MemoryTransport, MemoryTransport]:
    """The controller's end and the device's."""
    host, device = MemoryTransport(name), MemoryTransport(f"{name} (device)")
    host._other, device._other = device, host
    return host, device
