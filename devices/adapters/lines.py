"""Lines of text over a serial port, for adapters: bounded, with the port's faults named."""

import errno
import termios
import time
from typing import Final

import serial

from devices.adapters.interface import AdapterFault, Place
from firmware_bridge.errors import FaultCode
from firmware_bridge.serial_port import OpenPort, absent

_LONGEST: Final = 256
_WAIT: Final = 0.05  # seconds; set once: pyserial configures the whole port anew at each change

_NO_MODEM_LINES: Final = (errno.ENOTTY, errno.EINVAL)


class TextLine:
    """One open port. A context manager, which closes it."""

    def __init__(self, place: Place, *, longest: int = _LONGEST, ending: bytes = b"\r\n") -> None:
        """Open the port. Raises TransportError.

        `longest`: bytes of a line; a longer one is dropped as noise. `ending`: of the lines that are written; lines
        that are read end with CR, LF or both.
        """
        self._opened: OpenPort = place.open_serial(timeout=_WAIT)
        self._name = place.name
        self._longest = longest
        self._ending = ending
        self._waiting = bytearray()
        self._overlong = False
        self.dropped = 0
        """Lines that were dropped as noise since the port was opened."""

    def __enter__(self) -> "TextLine":
        return self

    def __exit__(self, *_reason: object) -> None:
        self.close()

    def close(self) -> None:
        """Release the port."""
        self._opened.port.close()

    def restart_board(self, seconds: float = 0.1) -> None:
        """Restart a board of the ESP family by its modem lines: RTS without DTR holds its reset.

        A port without modem lines (a pseudo-terminal) leaves the board as it is. What was received before is dropped.
        Raises AdapterFault where the port is gone.
        """
        port = self._opened.port
        try:
            port.dtr = False
            port.rts = True
            time.sleep(seconds)
            port.rts = False
            port.reset_input_buffer()
        except (serial.SerialException, OSError, termios.error) as error:
            if getattr(error, "errno", None) not in _NO_MODEM_LINES:
                raise self._fault("cannot be restarted: is it unplugged?") from None

    def write(self, text: str) -> None:
        """Write one line, given without its ending.

        Raises AdapterFault, and ValueError for text that is not printable ASCII.
        """
        if not (text.isascii() and text.isprintable()):
            raise ValueError("a line is printable ASCII")
        try:
            self._opened.port.write(text.encode("ascii") + self._ending)
        except serial.SerialTimeoutException:
            raise self._fault("takes nothing: does the device hold it back, or has it no power?", FaultCode.STALLED)  # noqa: B904 - the cause says no more
        except (serial.SerialException, OSError):
            raise self._fault("cannot be written: is it unplugged?") from None

    def read(self, seconds: float) -> str | None:
        """The next line that is not empty, without its ending; None at the timeout.

        Drops what is not ASCII or too long. Raises AdapterFault.
        """
        until = time.monotonic() + seconds
        while True:
            line = self._next()
            if line is not None:
                return line
            if time.monotonic() >= until:
                return None
            self._more()

    def _more(self) -> None:
        line = self._opened.line.present
        try:
            if not self._opened.present() and line is not None:
                raise AdapterFault(absent(str(self._opened.port.port), line), FaultCode.UNPLUGGED)
            self._waiting += self._opened.port.read(1)
            self._waiting += self._opened.port.read(self._opened.port.in_waiting)
        except (serial.SerialException, OSError):
            raise self._fault("cannot be read: is it unplugged?") from None

    def _next(self) -> str | None:
        """Take a complete line out of the received bytes; None if there is none."""
        while (end := min((at for at in map(self._waiting.find, (b"\r", b"\n")) if at >= 0), default=-1)) >= 0:
            line, overlong = bytes(self._waiting[:end]), self._overlong
            del self._waiting[: end + 1]
            self._overlong = False
            if line and not overlong and len(line) <= self._longest and line.isascii():
                return line.decode("ascii")
            self.dropped += bool(line) and not overlong
        if len(self._waiting) > self._longest:
            self._waiting.clear()
            self._overlong = True
            self.dropped += 1
        return None

    def _fault(self, problem: str, code: FaultCode = FaultCode.UNPLUGGED) -> AdapterFault:
        return AdapterFault(f"{self._name} at {self._opened.port.port} {problem}", code)
