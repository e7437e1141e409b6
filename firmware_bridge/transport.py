"""Ways for bytes: what a transport is, and ports read by their descriptor.

A USB transport has its place beside `SerialTransport`: whatever implements `Transport` will do for a link.
"""

import asyncio
import errno
import fcntl
import os
import termios
from collections.abc import Callable, Collection
from contextlib import suppress
from pathlib import Path
from typing import Final, Protocol

import serial

from firmware_bridge.errors import FaultCode, TransportError
from firmware_bridge.limits import CONGESTED_ABOVE, READ_CHUNK, STALLED_ABOVE

_STABLE: Final = ("/dev/serial/by-id/", "/dev/serial/by-path/")


class Receiver(Protocol):
    """Whoever a transport hands its bytes to. All calls come from the event loop, never from within `write`."""

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
        """Write now, as far as the port takes it, and keep the rest in order. Never blocks; failures reach `lost`.

        Ignored once the transport is lost or closed.
        """
        ...

    def close(self) -> None:
        """Release the port. What waits to be written is dropped. Idempotent."""
        ...


class DescriptorTransport:
    """A transport over an open, non-blocking descriptor, which it owns. Made and used in one event loop."""

    def __init__(self, descriptor: int, name: str) -> None:
        os.set_blocking(descriptor, False)
        self.name = name
        self._descriptor = descriptor
        self._loop = asyncio.get_running_loop()
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
            self._loop.add_reader(self._descriptor, self._readable)

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
        """Stop watching at once, tell the receiver a little later: it may be in the middle of a write."""
        self._open = False
        self._unwatch()
        self._loop.call_soon(self._announce, TransportError(code, text))

    def _announce(self, error: TransportError) -> None:
        if self._receiver is not None:
            self._receiver.lost(error)

    def _unwatch(self) -> None:
        self._loop.remove_reader(self._descriptor)
        self._loop.remove_writer(self._descriptor)


class SerialTransport(DescriptorTransport):
    """A serial port or pseudo-terminal, exclusive, read by descriptor. Made by `open_serial`."""

    def __init__(self, port: serial.Serial, *, low_latency: bool) -> None:
        super().__init__(port.fileno(), str(port.port))
        self.low_latency = low_latency  # whether the driver has that mode, and is in it
        self._port = port

    def _release(self) -> None:
        self._port.close()


async def open_serial(path: str, *, baud: int = 115200, allowed: Collection[str] = ()) -> SerialTransport:
    """Open the port at a stable path (`/dev/serial/by-id/…`, `/dev/serial/by-path/…`), or one listed in `allowed`.

    Exclusive; does not reset the board by DTR; what waits in it is dropped. Opened beside the loop: a driver may take
    its time. Raises TransportError with code PORT_MISSING, PORT_DENIED, PORT_BUSY, PORT_UNSTABLE or PORT_FAILED.
    """
    if path not in allowed and not (path.startswith(_STABLE) and ".." not in Path(path).parts):
        text = (
            f"{path}: this name may mean another device tomorrow: use the port's link in {_STABLE[0]} or {_STABLE[1]}"
        )
        raise TransportError(FaultCode.PORT_UNSTABLE, text)
    opening = asyncio.get_running_loop().run_in_executor(None, _open, path, baud)
    try:
        port, low_latency = await asyncio.shield(opening)
    except asyncio.CancelledError:
        opening.add_done_callback(_abandon)
        raise
    return SerialTransport(port, low_latency=low_latency)


def _abandon(opening: "asyncio.Future[tuple[serial.Serial, bool]]") -> None:
    """Nobody waits for this port any more."""
    if not opening.cancelled() and opening.exception() is None:
        opening.result()[0].close()


def _open(path: str, baud: int) -> tuple[serial.Serial, bool]:
    """Blocking. The open port, and whether it is in low-latency mode."""
    try:
        port = serial.Serial(baudrate=baud, exclusive=True, timeout=0, write_timeout=0)
        port.port = path
        port.open()
        try:
            return port, _configure(port)
        except BaseException:
            port.close()
            raise
    except (serial.SerialException, OSError, termios.error) as error:
        raise _named(path, error) from error
    except ValueError as error:
        raise TransportError(FaultCode.PORT_FAILED, f"{path}: {error}: choose a baud rate that the port has") from error


def _configure(port: serial.Serial) -> bool:
    """What pyserial does not do. DTR stays asserted, as the kernel left it: a board resets on its edge."""
    descriptor = port.fileno()
    attributes = termios.tcgetattr(descriptor)
    attributes[2] &= ~termios.HUPCL  # closing the port must not drop DTR
    control = attributes[6]
    assert isinstance(control, list)
    # With VMIN 0 an empty port reads as its end; with 1 a read finds nothing (EAGAIN), and the end is the end.
    control[termios.VMIN], control[termios.VTIME] = 1, 0
    termios.tcsetattr(descriptor, termios.TCSANOW, attributes)
    if not os.ttyname(descriptor).startswith("/dev/pts/"):
        # Against programs that ask for no lock. A pseudo-terminal that its device holds open would keep this after us.
        fcntl.ioctl(descriptor, termios.TIOCEXCL)
    termios.tcflush(descriptor, termios.TCIFLUSH)
    return _succeeds(lambda: port.set_low_latency_mode(True))


def _succeeds(attempt: Callable[[], None]) -> bool:
    try:
        attempt()
    except (ValueError, OSError):  # the driver has no such mode
        return False
    return True


def _named(path: str, error: Exception) -> TransportError:
    """Why a port does not open, with the remedy."""
    number = getattr(error, "errno", None) or (error.args[0] if error.args else None)
    if number in (errno.ENOENT, errno.ENODEV, errno.ENXIO):
        return TransportError(FaultCode.PORT_MISSING, f"{path}: there is no such port: is the device plugged in?")
    if number in (errno.EACCES, errno.EPERM):
        text = f"{path}: permission denied: let the service's user into the port's group"
        return TransportError(FaultCode.PORT_DENIED, text)
    if number in (errno.EBUSY, errno.EAGAIN):
        return TransportError(FaultCode.PORT_BUSY, f"{path}: another program has it open: stop that one")
    return TransportError(FaultCode.PORT_FAILED, f"{path}: cannot be used as a port ({error}): check the path")
