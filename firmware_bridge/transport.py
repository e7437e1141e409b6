"""What a transport is, and one over a file descriptor.

Serial ports (`serial_transport`) and USB readers (`usb_transport`) are two; a link works with any `Transport`.
"""

import asyncio
import os
import termios
from contextlib import suppress
from typing import Protocol

from firmware_bridge.arrivals import Arrivals
from firmware_bridge.errors import FaultCode, TransportError
from firmware_bridge.limits import CONGESTED_ABOVE, READ_CHUNK, STALLED_ABOVE


class Receiver(Protocol):
    """Takes a transport's bytes. All calls come from the event loop, never from within `write`."""

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
    """A connection for bytes in both directions, open when handed out."""

    @property
    def name(self) -> str:
        """Its name for people: the path of the port."""
        ...

    @property
    def congested(self) -> bool:
        """True while so much waits to be written that anything that can wait should."""
        ...

    def start(self, receiver: Receiver) -> None:
        """Begin to deliver what arrives. A second call changes the receiver."""
        ...

    def write(self, data: bytes) -> None:
        """Write as much as the port takes now and keep the rest in order. Never blocks.

        Failures reach `lost`. Ignored once the transport is lost or closed.
        """
        ...

    def close(self) -> None:
        """Release the port; what waits to be written is dropped. Idempotent."""
        ...


class HostTransport(Transport, Protocol):
    """The controller's end: its reading can be held."""

    def hold(self) -> None:
        """Stop reading: what arrives waits in the port until `resume` or `start`.

        What has been read already may still be delivered.
        """
        ...

    def resume(self) -> None:
        """Read again after `hold`."""
        ...


class DescriptorTransport:
    """A transport over an open, non-blocking descriptor, which it owns. For one event loop."""

    def __init__(self, descriptor: int, name: str) -> None:
        os.set_blocking(descriptor, False)
        self.name = name
        self._descriptor = descriptor
        self._loop = asyncio.get_running_loop()
        self._arrivals = Arrivals(descriptor, self._readable)
        self._receiver: Receiver | None = None
        self._waiting = bytearray()
        self._open = True
        self._was_congested = False

    @property
    def congested(self) -> bool:
        return len(self._waiting) > CONGESTED_ABOVE

    @property
    def closed(self) -> bool:
        """True once lost or closed."""
        return not self._open

    def fileno(self) -> int:
        """The descriptor, for options of the port."""
        return self._descriptor

    def start(self, receiver: Receiver) -> None:
        self._receiver = receiver
        if self._open:
            self._arrivals.watch()

    def hold(self) -> None:
        if self._open:
            self._arrivals.pause()

    def resume(self) -> None:
        if self._open:
            self._arrivals.watch()

    def write(self, data: bytes) -> None:
        if not self._open:
            return
        if self._waiting:
            self._keep(data)
            return
        try:
            written = os.write(self._descriptor, data)
        except (BlockingIOError, InterruptedError):
            written = 0
        except OSError as error:
            self._lose(FaultCode.UNPLUGGED, f"{self.name}: cannot be written ({error.strerror}): is it unplugged?")
            return
        if written < len(data):
            self._loop.add_writer(self._descriptor, self._writable)
            self._keep(data[written:])

    def close(self) -> None:
        self._receiver = None
        if self._open:
            self._open = False
            self._unwatch()
        if self._descriptor >= 0:
            if self._waiting:  # what the port would not take must not hold up the closing
                self._waiting.clear()
                with suppress(OSError, termios.error):
                    termios.tcflush(self._descriptor, termios.TCOFLUSH)
            self._release()
            self._descriptor = -1

    def _release(self) -> None:
        os.close(self._descriptor)

    def _keep(self, data: bytes) -> None:
        self._waiting += data
        self._was_congested = self._was_congested or self.congested
        if len(self._waiting) > STALLED_ABOVE:
            text = (
                f"{self.name}: {len(self._waiting)} bytes wait to be written: the other end does not read, restart it"
            )
            self._lose(FaultCode.STALLED, text)

    def _readable(self) -> None:
        try:
            data = os.read(self._descriptor, READ_CHUNK)
        except (BlockingIOError, InterruptedError):
            return
        except OSError as error:
            self._lose(FaultCode.UNPLUGGED, f"{self.name}: cannot be read ({error.strerror}): is it unplugged?")
            return
        if not data:
            self._lose(FaultCode.UNPLUGGED, f"{self.name}: the other end is gone: is it unplugged?")
            return
        if len(data) == READ_CHUNK:
            self._arrivals.more()
        if self._receiver is not None:
            self._receiver.received(data)

    def _writable(self) -> None:
        try:
            written = os.write(self._descriptor, self._waiting)
        except (BlockingIOError, InterruptedError):
            return
        except OSError as error:
            self._lose(FaultCode.UNPLUGGED, f"{self.name}: cannot be written ({error.strerror}): is it unplugged?")
            return
        del self._waiting[:written]
        if not self._waiting:
            self._loop.remove_writer(self._descriptor)
        if self._was_congested and not self.congested:
            self._was_congested = False
            if self._receiver is not None:
                self._receiver.writable()

    def _lose(self, code: FaultCode, text: str) -> None:
        """Stop watching at once; inform the receiver later: it may be in the middle of a write."""
        self._open = False
        self._unwatch()
        self._loop.call_soon(self._announce, TransportError(code, text))

    def _announce(self, error: TransportError) -> None:
        if self._receiver is not None:
            self._receiver.lost(error)

    def _unwatch(self) -> None:
        self._arrivals.close()
        self._loop.remove_writer(self._descriptor)
