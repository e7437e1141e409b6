"""What a line needs besides its rate: RS-485, modem lines, names that stay through renumbering."""

import fcntl
import os
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import serial

from firmware_bridge import serial_transport
from firmware_bridge.errors import FaultCode, TransportError
from firmware_bridge.pseudo_terminal import PseudoTerminal
from firmware_bridge.serial_port import (
    Duplex,
    Flow,
    LineSettings,
    ModemLine,
    OpenPort,
    Parity,
    Rs485,
    is_stable,
    open_port,
)
from firmware_bridge.serial_transport import open_serial
from tests.firmware_bridge.support import Collector, run
from tests.running import eventually, turns

GET_RS485, SET_RS485 = 0x542E, 0x542F
ENABLED, RTS_ON_SEND, RTS_AFTER_SEND, HEARS_WHILE_SENDING = 1, 2, 4, 16


def on_a_terminal(scene: Callable[[PseudoTerminal], Any]) -> None:
    async def whole() -> None:
        terminal = PseudoTerminal()
        try:
            await scene(terminal)
        finally:
            terminal.close()

    run(whole(), jumping=False)


def refusal(attempt: Callable[[], OpenPort]) -> TransportError:
    with pytest.raises(TransportError) as caught:
        attempt()
    return caught.value


@pytest.fixture
def rs485(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, ...]]:
    """A driver with an RS-485 mode: what it was told, as the kernel's `struct serial_rs485`."""
    told: list[tuple[int, ...]] = []
    real = fcntl.ioctl

    def ioctl(descriptor: Any, request: int, *rest: Any) -> Any:
        if request == GET_RS485:
            return 0
        if request == SET_RS485:
            told.append(struct.unpack("8I", bytes(rest[0])))
            return 0
        return real(descriptor, request, *rest)

    monkeypatch.setattr(fcntl, "ioctl", ioctl)
    return told


@pytest.mark.parametrize(
    ("setting", "flags", "delays"),
    [
        (Rs485(duplex=Duplex.FULL), ENABLED | RTS_ON_SEND | HEARS_WHILE_SENDING, (0, 0)),
        (Rs485(duplex=Duplex.HALF, delay_before=0.002, delay_after=0.005), ENABLED | RTS_ON_SEND, (2, 5)),
        (Rs485(duplex=Duplex.HALF, rts_on_send=False), ENABLED | RTS_AFTER_SEND, (0, 0)),
    ],
)
def test_the_driver_switches_the_sender_as_configured(
    rs485: list[tuple[int, ...]], setting: Rs485, flags: int, delays: tuple[int, int]
) -> None:
    async def scene(terminal: PseudoTerminal) -> None:
        opened = open_port(terminal.path, LineSettings(rs485=setting))
        assert rs485[0][:3] == (flags, *delays)
        heard = Collector()
        opened.port.close()
        transport = await open_serial(terminal.path, LineSettings(rs485=setting))
        transport.start(heard)
        await turns()  # an empty port is no end of it: VMIN outlives the RS-485 mode
        os.write(terminal.fileno(), b"later")
        await eventually(lambda: heard.data)
        assert heard.errors == []
        transport.close()

    on_a_terminal(scene)


def test_a_driver_without_rs485_is_named_with_the_remedy() -> None:
    async def scene(terminal: PseudoTerminal) -> None:
        error = refusal(lambda: open_port(terminal.path, LineSettings(rs485=Rs485(duplex=Duplex.HALF))))
        assert error.fault.code is FaultCode.PORT_FAILED
        assert "no RS-485 mode" in error.fault.text
        open_port(terminal.path).port.close()  # and it was left closed

    on_a_terminal(scene)


def test_character_and_lines_are_set_as_configured(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[serial.Serial] = []
    driven: list[tuple[str, bool]] = []

    def drive_dtr(port: serial.Serial) -> None:
        made.append(port)
        driven.append(("dtr", port.dtr))

    monkeypatch.setattr(serial.Serial, "_update_dtr_state", drive_dtr)
    monkeypatch.setattr(serial.Serial, "_update_rts_state", lambda port: driven.append(("rts", port.rts)))
    line = LineSettings(baud=9600, bits=7, parity=Parity.EVEN, stop_bits=2, dtr=False)

    async def scene(terminal: PseudoTerminal) -> None:
        open_port(terminal.path, line).port.close()
        open_port(terminal.path, LineSettings(flow=Flow.RTS_CTS)).port.close()

    on_a_terminal(scene)
    port, other = made
    assert (port.baudrate, port.bytesize, port.parity, port.stopbits) == (9600, 7, "E", 2)
    assert driven == [("dtr", False), ("rts", True), ("dtr", True)]  # with flow control RTS is the driver's
    assert other.rtscts is True


@pytest.mark.parametrize("line", list(ModemLine))
def test_a_port_without_modem_lines_cannot_say_who_is_there(line: ModemLine) -> None:
    async def scene(terminal: PseudoTerminal) -> None:
        error = refusal(lambda: open_port(terminal.path, LineSettings(present=line)))
        assert "no modem lines" in error.fault.text
        assert error.fault.code is FaultCode.PORT_FAILED

    on_a_terminal(scene)


@pytest.mark.parametrize(("line", "attribute"), [("cts", "cts"), ("dsr", "dsr"), ("dcd", "cd")])
def test_a_line_that_drops_is_an_unplugged_device(monkeypatch: pytest.MonkeyPatch, line: str, attribute: str) -> None:
    level: list[bool | OSError] = [False]
    looks: list[None] = []
    monkeypatch.setattr(serial_transport, "PRESENCE_EVERY", 0.002)

    def read(_port: serial.Serial) -> bool:
        looks.append(None)
        if isinstance(level[0], OSError):
            raise level[0]
        return level[0]

    monkeypatch.setattr(serial.Serial, attribute, property(read))
    settings = LineSettings(present=ModemLine(line))

    async def scene(terminal: PseudoTerminal) -> None:
        error = refusal(lambda: open_port(terminal.path, settings))
        assert (error.fault.code, line.upper() in error.fault.text) == (FaultCode.PORT_MISSING, True)
        for end in (False, OSError(5, "Input/output error")):
            level[0] = True
            transport, heard = await open_serial(terminal.path, settings), Collector()
            transport.start(heard)
            transport.start(heard)  # watched once all the same
            looks.clear()
            await eventually(lambda: len(looks) > 10)
            assert heard.errors == []
            level[0] = end
            await eventually(lambda heard=heard: heard.errors)
            await turns()
            [lost] = heard.errors
            assert lost.fault.code is FaultCode.UNPLUGGED
            transport.close()

    on_a_terminal(scene)


def test_a_port_that_is_renumbered_is_found_by_its_name(tmp_path: Path) -> None:
    async def scene(first: PseudoTerminal) -> None:
        second, name = PseudoTerminal(), tmp_path / "by-id"
        name.symlink_to(first.path)
        transport, heard = await open_serial(str(name)), Collector()
        assert transport.name == str(name)
        transport.close()
        name.unlink()
        name.symlink_to(second.path)  # as udev makes it when the number has changed
        transport = await open_serial(str(name))
        transport.start(heard)
        os.write(second.fileno(), b"the same device")
        await eventually(lambda: heard.data)
        assert bytes(heard.data) == b"the same device"
        transport.close()
        second.close()

    on_a_terminal(scene)


def test_names_that_stay() -> None:
    assert is_stable("/dev/serial/by-path/platform-fe201000.serial")
    assert not is_stable("/dev/ttyUSB0")
    assert not is_stable("/dev/serial/by-id/../../ttyS0")


def test_a_name_of_ones_own_for_a_port_that_changes_is_refused(tmp_path: Path) -> None:
    own = tmp_path / "shoe"
    own.symlink_to("/dev/ttyUSB0")
    error = refusal(lambda: open_port(str(own)))
    assert error.fault.code is FaultCode.PORT_UNSTABLE
    assert "/dev/serial/by-id/" in error.fault.text
