"""Open a serial port: by a stable name, exclusively, without resetting the board behind it.

Blocking. FTDI and CDC-ACM ports and the computer's own UARTs are treated alike. `LineSettings` holds what a line needs
besides its rate (parity, RS-485, modem lines).
"""

import errno
import fcntl
import os
import termios
from collections.abc import Callable, Collection
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final

import serial
from serial.rs485 import RS485Settings

from firmware_bridge.errors import FaultCode, TransportError

STABLE: Final = ("/dev/serial/by-id/", "/dev/serial/by-path/")
_PSEUDO_TERMINALS: Final = "/dev/pts/"


class Parity(StrEnum):
    """A character's parity bit."""

    NONE = "none"
    EVEN = "even"
    ODD = "odd"


class Flow(StrEnum):
    """The flow control of a port."""

    NONE = "none"
    RTS_CTS = "rts_cts"


class ModemLine(StrEnum):
    """A line that the device drives."""

    CTS = "cts"
    DSR = "dsr"
    DCD = "dcd"


class Duplex(StrEnum):
    """RS-485 on two pairs (both ends may send at once) or on one (they take turns)."""

    FULL = "full"
    HALF = "half"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rs485:
    """RS-485 settings of the port's own driver, which switches the sender by RTS.

    Times in seconds, whole milliseconds.
    """

    duplex: Duplex
    rts_on_send: bool = True
    delay_before: float = 0.0
    delay_after: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class LineSettings:
    """The settings of a line.

    `dtr`, `rts`: their levels while the port is open. `present`: the modem line that a device drives while it is there
    and powered; None if none is wired.
    """

    baud: int = 115200
    bits: int = 8
    parity: Parity = Parity.NONE
    stop_bits: int = 1
    flow: Flow = Flow.NONE
    dtr: bool = True
    rts: bool = True
    present: ModemLine | None = None
    rs485: Rs485 | None = None


ORDINARY: Final = LineSettings()
"""115200 8N1, no flow control: what PROTOCOL.md asks for."""

_PARITY: Final = {Parity.NONE: serial.PARITY_NONE, Parity.EVEN: serial.PARITY_EVEN, Parity.ODD: serial.PARITY_ODD}


@dataclass(frozen=True, slots=True)
class OpenPort:
    """A port that was opened. `low_latency`: whether its driver has that mode, and is in it."""

    port: serial.Serial
    line: LineSettings
    low_latency: bool

    def present(self) -> bool:
        """Tell whether the device drives its presence line; True if none is wired.

        Raises OSError.
        """
        if self.line.present is None:
            return True
        if self.line.present is ModemLine.CTS:
            return bool(self.port.cts)
        return bool(self.port.dsr if self.line.present is ModemLine.DSR else self.port.cd)


def is_stable(path: str) -> bool:
    """Whether a port's name means the same port after a replug."""
    return path.startswith(STABLE) and ".." not in Path(path).parts


def may_change(path: str) -> bool:
    """Whether a port's name may mean another port after a replug: any unstable name in `/dev`."""
    real = os.path.realpath(path)
    return not is_stable(path) and real.startswith("/dev/") and not real.startswith(_PSEUDO_TERMINALS)


def is_simulated(path: str) -> bool:
    """Whether the path leads to a pseudo-terminal, which needs no stable name."""
    return os.path.realpath(path).startswith(_PSEUDO_TERMINALS)


def open_port(path: str, line: LineSettings = ORDINARY, *, allowed: Collection[str] = ()) -> OpenPort:
    """Open a serial port at a path that stays the same after a replug.

    Such a path is a link in `/dev/serial/by-id/` or `/dev/serial/by-path/`, a pseudo-terminal, or a path listed in
    `allowed`. Blocking: a driver may take its time. Exclusive; does not reset the board by DTR; what waits in it is
    dropped. Reads return at once with what is there, unless the caller sets a timeout. Raises TransportError with code
    PORT_MISSING, PORT_DENIED, PORT_BUSY, PORT_UNSTABLE or PORT_FAILED.
    """
    if path not in allowed and may_change(path):
        text = f"{path}: this name may mean another device tomorrow: use the port's link in {STABLE[0]} or {STABLE[1]}"
        raise TransportError(FaultCode.PORT_UNSTABLE, text)
    try:
        port = serial.Serial(
            baudrate=line.baud,
            bytesize=line.bits,
            parity=_PARITY[line.parity],
            stopbits=line.stop_bits,
            rtscts=line.flow is Flow.RTS_CTS,
            exclusive=True,
            timeout=0,
            write_timeout=0,
        )
        port.port, port.dtr, port.rts = path, line.dtr, line.rts
        port.open()
        try:
            _take_turns(port, line.rs485)  # first: it makes pyserial configure everything anew
            low_latency = _configure(port)
            opened = OpenPort(port, line, low_latency)
            _expect(opened)
        except BaseException:
            port.close()
            raise
    except (serial.SerialException, OSError, termios.error) as error:
        raise _named(path, error) from error
    except ValueError as error:
        text = f"{path}: {error}: choose a baud rate and a character that the port has"
        raise TransportError(FaultCode.PORT_FAILED, text) from error
    return opened


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
    if not os.ttyname(descriptor).startswith(_PSEUDO_TERMINALS):
        # Against programs that ask for no lock. A pseudo-terminal that its device holds open would keep this after us.
        fcntl.ioctl(descriptor, termios.TIOCEXCL)
    termios.tcflush(descriptor, termios.TCIFLUSH)
    return _succeeds(lambda: port.set_low_latency_mode(True))


def _take_turns(port: serial.Serial, rs485: Rs485 | None) -> None:
    if rs485 is None:
        return
    try:
        port.rs485_mode = RS485Settings(
            rts_level_for_tx=rs485.rts_on_send,
            rts_level_for_rx=not rs485.rts_on_send,
            loopback=rs485.duplex is Duplex.FULL,  # keep receiving while sending
            delay_before_tx=rs485.delay_before,
            delay_before_rx=rs485.delay_after,
        )
    except ValueError as error:
        text = (
            f"{port.port}: its driver has no RS-485 mode: take a port that has one, or an adapter that switches by "
            "itself and leave rs485 out of the line"
        )
        raise TransportError(FaultCode.PORT_FAILED, text) from error


def _expect(opened: OpenPort) -> None:
    line = opened.line.present
    try:
        present = opened.present()
    except OSError as error:
        text = f"{opened.port.port}: it has no modem lines: leave present out of the line, or take a port that has them"
        raise TransportError(FaultCode.PORT_FAILED, text) from error
    if not present and line is not None:
        raise TransportError(FaultCode.PORT_MISSING, absent(str(opened.port.port), line))


def absent(path: str, line: ModemLine) -> str:
    """The text for a modem line that no device drives although it should."""
    return f"{path}: {line.value.upper()} is down: is the device plugged in at its end, and has it power?"


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
