"""A USB reader as a transport, with one blocking thread for each direction."""

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

from firmware_bridge.errors import FaultCode, TransportError
from firmware_bridge.limits import CONGESTED_ABOVE, STALLED_ABOVE
from firmware_bridge.opening import Opening
from firmware_bridge.transport import Receiver
from firmware_bridge.usb_id import UsbId
from firmware_bridge.usb_port import UsbPort, open_usb_port

_READ_FOR: Final = 0.2  # seconds of one read: how long a thread may outlive the transport
_WRITE_FOR: Final = 0.2
_WRITE_AT_ONCE: Final = 4096  # bytes
_READ_AHEAD: Final = 16  # packets that may wait for the loop; then reading pauses


class UsbTransport:
    """A claimed interface, which it owns. Made by `open_usb`, used in one event loop."""

    def __init__(self, port: UsbPort, name: str) -> None:
        self.name = name
        self._port = port
        self._loop = asyncio.get_running_loop()
        self._receiver: Receiver | None = None
        self._open = True
        self._was_congested = False
        self._change = threading.Condition()
        self._waiting = bytearray()
        self._stop = False
        self._users = 0
        self._ahead = 0
        self._held = False

    @property
    def congested(self) -> bool:
        with self._change:
            return len(self._waiting) > CONGESTED_ABOVE

    @property
    def closed(self) -> bool:
        """True once lost or closed."""
        return not self._open

    def start(self, receiver: Receiver) -> None:
        self._receiver = receiver
        self.resume()
        if not self._open or self._users:
            return
        self._users = 2
        for work in (self._read, self._write):
            threading.Thread(target=self._work, args=(work,), name=f"{work.__name__} {self.name}", daemon=True).start()

    def hold(self) -> None:
        with self._change:
            self._held = True

    def resume(self) -> None:
        with self._change:
            self._held = False
            self._change.notify_all()

    def write(self, data: bytes) -> None:
        if not self._open:
            return
        with self._change:
            self._waiting += data
            waiting = len(self._waiting)
            self._change.notify_all()
        self._was_congested = self._was_congested or waiting > CONGESTED_ABOVE
        if waiting > STALLED_ABOVE:
            text = f"{self.name}: {waiting} bytes wait to be written: the device does not take them, restart it"
            self._open = False
            self._loop.call_soon(self._announce, TransportError(FaultCode.STALLED, text))

    def close(self) -> None:
        """Release the device, at the latest when the read under way has ended."""
        self._receiver = None
        self._open = False
        with self._change:
            if self._stop:
                return
            self._stop = True
            self._waiting.clear()
            self._change.notify_all()
            unused = self._users == 0
        if unused:
            self._port.close()

    # -- in the threads

    def _work(self, action: Callable[[], None]) -> None:
        try:
            action()
        except OSError as error:
            text = f"{self.name}: {error.strerror or 'it is gone'}: is it unplugged?"
            self._into_loop(self._lose, TransportError(FaultCode.UNPLUGGED, text))
        except Exception as error:  # noqa: BLE001 - a thread that ends without a word would leave the device held
            text = f"{self.name}: the USB library failed ({type(error).__name__}): plug it in again"
            self._into_loop(self._lose, TransportError(FaultCode.PORT_FAILED, text))
        with self._change:
            while not self._stop:  # the device is closed when nobody uses it, and the loop wants it no more
                self._change.wait()
            self._users -= 1
            last = self._users == 0
        if last:
            self._port.close()

    def _read(self) -> None:
        while not self._stop:
            with self._change:
                self._change.wait_for(lambda: self._stop or not self._held)
            data = self._port.read(_READ_FOR)
            if not data:
                continue
            with self._change:
                self._ahead += 1
            self._into_loop(self._received, data)
            with self._change:
                self._change.wait_for(lambda: self._stop or self._ahead < _READ_AHEAD)

    def _write(self) -> None:
        while True:
            with self._change:
                self._change.wait_for(lambda: self._stop or self._waiting)
                if self._stop:
                    return
                part = bytes(self._waiting[:_WRITE_AT_ONCE])
            written = self._port.write(part, _WRITE_FOR)
            with self._change:
                del self._waiting[:written]
                eased = len(self._waiting) <= CONGESTED_ABOVE
            if eased:
                self._into_loop(self._eased)

    def _into_loop(self, callback: Callable[..., None], *args: Any) -> None:
        with suppress(RuntimeError):  # the loop is no more
            self._loop.call_soon_threadsafe(callback, *args)

    # -- in the loop again

    def _received(self, data: bytes) -> None:
        with self._change:
            self._ahead -= 1
            if self._ahead == _READ_AHEAD - 1:
                self._change.notify_all()
        if self._open and self._receiver is not None:
            self._receiver.received(data)

    def _eased(self) -> None:
        if self._was_congested and self._open and not self.congested:
            self._was_congested = False
            if self._receiver is not None:
                self._receiver.writable()

    def _lose(self, error: TransportError) -> None:
        if self._open:
            self._open = False
            self._announce(error)

    def _announce(self, error: TransportError) -> None:
        if self._receiver is not None:
            self._receiver.lost(error)


async def open_usb(wanted: UsbId, backend: Any = None) -> UsbTransport:
    """Open a device as `open_usb_port` does, beside the loop. Raises TransportError."""
    port = await Opening(lambda: open_usb_port(wanted, backend), UsbPort.close).done()
    return UsbTransport(port, str(wanted))
