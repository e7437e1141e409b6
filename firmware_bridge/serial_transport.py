"""A serial port as a transport: opened in a thread, read by descriptor."""

import asyncio
from collections.abc import Collection

from firmware_bridge.errors import FaultCode, TransportError
from firmware_bridge.limits import PRESENCE_EVERY
from firmware_bridge.opening import Opening
from firmware_bridge.serial_port import ORDINARY, LineSettings, OpenPort, absent, open_port
from firmware_bridge.transport import DescriptorTransport, Receiver


class SerialTransport(DescriptorTransport):
    """A serial port or pseudo-terminal, exclusive, read by descriptor. Made by `open_serial`."""

    def __init__(self, opened: OpenPort) -> None:
        super().__init__(opened.port.fileno(), str(opened.port.port))
        self.low_latency = opened.low_latency  # whether the driver has that mode, and is in it
        self._opened = opened
        self._looking: asyncio.TimerHandle | None = None

    def start(self, receiver: Receiver) -> None:
        super().start(receiver)
        if self._opened.line.present is not None and self._looking is None and not self.closed:
            self._looking = self._loop.call_later(PRESENCE_EVERY, self._look)

    def close(self) -> None:
        if self._looking is not None:
            self._looking.cancel()
        super().close()

    def _look(self) -> None:
        """Poll the modem line with one system call: its changes are not reported."""
        line = self._opened.line.present
        if self.closed or line is None:
            return
        try:
            present = self._opened.present()
        except OSError as error:
            text = f"{self.name}: its modem lines cannot be read ({error.strerror}): is it unplugged?"
            self._lose(FaultCode.UNPLUGGED, text)
            return
        if not present:
            self._lose(FaultCode.UNPLUGGED, absent(self.name, line))
            return
        self._looking = self._loop.call_later(PRESENCE_EVERY, self._look)

    def _release(self) -> None:
        self._opened.port.close()


async def open_serial(path: str, line: LineSettings = ORDINARY, *, allowed: Collection[str] = ()) -> SerialTransport:
    """Open a port as `open_port` does, beside the loop. Raises TransportError."""
    opening = Opening(lambda: open_port(path, line, allowed=allowed), lambda opened: opened.port.close())
    opened = await opening.done()
    try:
        return SerialTransport(opened)
    except OSError as error:
        opened.port.close()
        text = f"{path}: cannot be watched ({error.strerror}): this process has too many files open, start it anew"
        raise TransportError(FaultCode.PORT_FAILED, text) from error
