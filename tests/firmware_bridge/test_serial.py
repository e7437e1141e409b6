"""Real pseudo-terminals through the code that serves real ports."""

import asyncio
import contextlib
import fcntl
import os
import termios
import threading
from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import serial

from firmware_bridge.errors import FaultCode, TransportError
from firmware_bridge.limits import CONGESTED_ABOVE, STALLED_ABOVE
from firmware_bridge.link import Link, LinkSpec
from firmware_bridge.peer import DevicePeer
from firmware_bridge.pseudo_terminal import PseudoTerminal
from firmware_bridge.serial_port import LineSettings, OpenPort, open_port
from firmware_bridge.serial_transport import SerialTransport, open_serial
from firmware_bridge.store import MemoryStore
from firmware_bridge.transport import DescriptorTransport
from tests.firmware_bridge.support import IDENTITY, KEY, Collector, Device, Journal, run
from tests.running import eventually, turns


def here(scene: Any) -> None:
    run(scene, jumping=False)


async def opened(terminal: PseudoTerminal) -> SerialTransport:
    return await open_serial(terminal.path, allowed=[terminal.path])


def test_a_link_over_a_pseudo_terminal() -> None:
    async def scene() -> None:
        terminal = PseudoTerminal()
        os.write(terminal._slave, b"boot messages, never read")
        journal, device = Journal(), Device()
        peer = DevicePeer(IDENTITY, device, store=MemoryStore())
        serving = asyncio.ensure_future(peer.serve(terminal))
        for n in range(100):
            device.last = n
            peer.emit({"n": n, "filler": "x" * 200})
        link = Link(LinkSpec("shoe", "shoe", KEY), lambda: opened(terminal), journal)
        journal.link = link
        running = asyncio.ensure_future(link.run())
        await eventually(lambda: journal.ups)
        assert journal.bodies == list(range(100))
        assert journal.ups[0][1] == {"last": 99}
        assert await link.command("echo", {"all": bytes(range(256))}) == {"all": bytes(range(256))}
        link.post("lamp", {"on": True})
        await eventually(lambda: device.posts)
        terminal.unplug()
        await serving_ended(serving, running)
        await eventually(lambda: journal.downs)
        assert journal.codes == ["unplugged"]
        running.cancel()
        await asyncio.gather(running, serving, return_exceptions=True)

    async def serving_ended(serving: "asyncio.Task[None]", _running: Any) -> None:
        serving.cancel()
        await asyncio.gather(serving, return_exceptions=True)

    here(scene())


def test_a_link_comes_back_when_the_device_is_plugged_in_again(tmp_path: Path) -> None:
    async def scene() -> None:
        path = tmp_path / "shoe"
        journal, device, store = Journal(), Device(), MemoryStore(persistent=True)
        link = Link(LinkSpec("shoe", "shoe", KEY), lambda: open_serial(str(path), allowed=[str(path)]), journal)
        journal.link = link
        running = asyncio.ensure_future(link.run())
        for boot in range(3):
            terminal = PseudoTerminal(path)
            peer = DevicePeer(IDENTITY, device, store=store)
            serving = asyncio.ensure_future(peer.serve(terminal))
            peer.emit({"n": boot})
            await eventually(lambda boot=boot: len(journal.ups) > boot)
            serving.cancel()
            await asyncio.gather(serving, return_exceptions=True)
            terminal.write(b"\0\x03half a fra")  # the power goes in the middle of a frame
            terminal.unplug()
            assert not path.exists()
        assert journal.bodies == [0, 1, 2]
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)

    here(scene())


def test_a_port_is_raw_exclusive_keeps_dtr_and_starts_empty() -> None:
    async def scene() -> None:
        terminal = PseudoTerminal()
        os.write(terminal.fileno(), b"stale bytes from before")
        transport = await opened(terminal)
        attributes = termios.tcgetattr(transport.fileno())
        assert not attributes[2] & termios.HUPCL
        assert not attributes[3] & (termios.ECHO | termios.ICANON)
        assert attributes[6][termios.VMIN] in (1, b"\x01")
        assert not transport.low_latency  # a pseudo-terminal has no such mode
        assert transport.name == terminal.path
        with pytest.raises(TransportError) as caught:
            await opened(terminal)
        assert caught.value.fault.code is FaultCode.PORT_BUSY
        assert "another program has it open" in caught.value.fault.text
        heard = Collector()
        transport.start(heard)
        os.write(terminal.fileno(), bytes(range(256)))
        await eventually(lambda: len(heard.data) >= 256)
        assert bytes(heard.data) == bytes(range(256))
        transport.close()
        transport.close()
        assert transport.closed
        again = await opened(terminal)
        again.close()
        terminal.close()

    here(scene())


def test_ports_without_a_stable_name_are_refused_unless_allowed() -> None:
    async def scene() -> None:
        for path in ("/dev/ttyUSB0", "/dev/serial/by-id/../../ttyS0"):
            with pytest.raises(TransportError) as caught:
                await open_serial(path)
            assert caught.value.fault.code is FaultCode.PORT_UNSTABLE
            assert "/dev/serial/by-id/" in caught.value.fault.text

    here(scene())


def test_a_port_that_is_not_there_or_is_none_is_named(tmp_path: Path) -> None:
    async def scene() -> None:
        with pytest.raises(TransportError) as caught:
            await open_serial("/dev/serial/by-id/usb-nothing")
        assert caught.value.fault.code is FaultCode.PORT_MISSING
        plain = tmp_path / "file"
        plain.write_bytes(b"")
        with pytest.raises(TransportError) as caught:
            await open_serial(str(plain), allowed=[str(plain)])
        assert caught.value.fault.code is FaultCode.PORT_FAILED
        terminal = PseudoTerminal()
        with pytest.raises(TransportError, match="baud"):
            await open_serial(terminal.path, LineSettings(baud=-1), allowed=[terminal.path])
        terminal.close()

    here(scene())


@pytest.mark.parametrize(
    ("number", "code"), [(13, FaultCode.PORT_DENIED), (16, FaultCode.PORT_BUSY), (5, FaultCode.PORT_FAILED)]
)
def test_what_the_system_says_of_a_port_becomes_a_named_fault(
    monkeypatch: pytest.MonkeyPatch, number: int, code: FaultCode
) -> None:
    def refuse(self: serial.Serial) -> None:
        raise serial.SerialException(number, f"could not open port: {os.strerror(number)}")

    monkeypatch.setattr(serial.Serial, "open", refuse)

    async def scene() -> None:
        with pytest.raises(TransportError) as caught:
            await open_serial("/dev/serial/by-id/usb-x")
        assert caught.value.fault.code is code

    here(scene())


def test_a_real_port_is_also_exclusive_for_programs_that_ask_for_no_lock(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    real = fcntl.ioctl

    def ioctl(descriptor: Any, request: int, *rest: Any) -> Any:
        asked.append(request)
        return 0 if request == termios.TIOCEXCL else real(descriptor, request, *rest)

    monkeypatch.setattr(fcntl, "ioctl", ioctl)
    monkeypatch.setattr(os, "ttyname", lambda _descriptor: "/dev/ttyUSB0")
    monkeypatch.setattr(serial.Serial, "set_low_latency_mode", lambda _self, _on: None)

    async def scene() -> None:
        terminal = PseudoTerminal()
        name = os.readlink(f"/proc/self/fd/{terminal._slave}")
        transport = await open_serial(name, allowed=[name])
        assert termios.TIOCEXCL in asked
        assert transport.low_latency
        transport.close()
        terminal.close()

    here(scene())


def test_a_port_whose_settings_fail_is_closed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("firmware_bridge.serial_port._configure", lambda _port: (_ for _ in ()).throw(OSError(5, "no")))

    async def scene() -> None:
        terminal = PseudoTerminal()
        for _ in range(2):  # were it left open, the second time would find it locked
            with pytest.raises(TransportError) as caught:
                await opened(terminal)
            assert caught.value.fault.code is FaultCode.PORT_FAILED
        terminal.close()

    here(scene())


def test_opening_given_up_half_way_leaves_no_port_open() -> None:
    async def scene() -> None:
        terminal = PseudoTerminal()
        attempt = asyncio.ensure_future(opened(terminal))
        await asyncio.sleep(0)
        attempt.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await attempt
        failing = asyncio.ensure_future(open_serial("/dev/serial/by-id/usb-x"))
        await asyncio.sleep(0)
        failing.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await failing

        left = 1
        while left:
            try:
                (await opened(terminal)).close()
                left = 0
            except TransportError:  # busy: the abandoned one is closed when its thread is done
                await asyncio.sleep(0.002)
        terminal.close()

    here(scene())


def test_a_port_that_is_still_being_opened_when_its_loop_ends_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    (device, end), begun, go_on = os.openpty(), threading.Event(), threading.Event()
    path = os.ttyname(end)
    kept: list[OpenPort] = []

    def slowly(path: str, line: LineSettings, *, allowed: Collection[str]) -> OpenPort:
        begun.set()
        go_on.wait()
        kept.append(open_port(path, line, allowed=allowed))
        return kept[0]

    monkeypatch.setattr("firmware_bridge.serial_transport.open_port", slowly)
    workers, loop = ThreadPoolExecutor(2), asyncio.new_event_loop()
    loop.set_default_executor(workers)

    async def given_up() -> None:
        attempt = asyncio.ensure_future(open_serial(path, allowed=[path]))
        await asyncio.to_thread(begun.wait)
        attempt.cancel()
        await asyncio.gather(attempt, return_exceptions=True)

    loop.run_until_complete(given_up())
    loop.close()  # as a table's start ends its own, which asks nobody for what its threads have still in hand
    go_on.set()
    workers.shutdown()
    assert [one.port.is_open for one in kept] == [False]
    os.close(device)
    os.close(end)


def test_what_the_port_does_not_take_waits_in_order_and_congestion_ends() -> None:
    async def scene() -> None:
        read_end, write_end = os.pipe()
        transport = DescriptorTransport(write_end, "pipe")
        heard = Collector()
        transport._receiver = heard
        filler = bytes(range(256)) * 256  # 64 KiB, what a pipe holds
        transport.write(filler)
        congested = [transport.congested]
        transport.write(b"a" * CONGESTED_ABOVE)
        transport.write(b"b")
        congested.append(transport.congested)
        assert congested == [False, True]
        got = b""
        while len(got) < len(filler) + CONGESTED_ABOVE + 1:
            got += os.read(read_end, 10_000)
            await asyncio.sleep(0)
        assert got == filler + b"a" * CONGESTED_ABOVE + b"b"
        await eventually(lambda: heard.writables)
        assert not transport.congested
        assert heard.writables == 1
        transport.close()
        transport.write(b"ignored")
        os.close(read_end)

    here(scene())


def test_an_other_end_that_does_not_read_is_stalled() -> None:
    async def scene() -> None:
        read_end, write_end = os.pipe()
        transport = DescriptorTransport(write_end, "pipe")
        heard = Collector()
        transport._receiver = heard
        for _ in range(2):
            transport.write(bytes(STALLED_ABOVE))
        transport.write(b"more")
        assert len(heard.errors) == 0  # never from within a write
        await eventually(lambda: heard.errors)
        assert [error.fault.code for error in heard.errors] == [FaultCode.STALLED]
        transport.write(b"ignored")
        transport.close()
        os.close(read_end)

    here(scene())


def test_a_port_that_is_gone_is_lost_once_whether_read_or_written() -> None:
    async def scene() -> None:
        # read: the end of a pipe
        read_end, write_end = os.pipe()
        reader, heard = DescriptorTransport(read_end, "pipe"), Collector()
        reader.start(heard)
        os.close(write_end)
        await eventually(lambda: heard.errors)
        assert "the other end is gone" in heard.errors[0].fault.text
        reader.start(heard)  # too late, and harmless
        reader.close()
        # written at once
        read_end, write_end = os.pipe()
        writer, heard = DescriptorTransport(write_end, "pipe"), Collector()
        writer._receiver = heard
        os.close(read_end)
        writer.write(b"x")
        await eventually(lambda: heard.errors)
        assert "cannot be written" in heard.errors[0].fault.text
        writer.close()
        # written later
        read_end, write_end = os.pipe()
        writer, heard = DescriptorTransport(write_end, "pipe"), Collector()
        writer._receiver = heard
        writer.write(bytes(70_000))
        os.close(read_end)
        await eventually(lambda: heard.errors)
        assert [error.fault.code for error in heard.errors] == [FaultCode.UNPLUGGED]
        writer.close()
        # lost and closed before it could be told
        read_end, write_end = os.pipe()
        writer, heard = DescriptorTransport(write_end, "pipe"), Collector()
        writer._receiver = heard
        os.close(read_end)
        writer.write(b"x")
        writer.close()
        await turns()
        assert heard.errors == []

    here(scene())


def test_wake_ups_with_nothing_to_do_are_nothing() -> None:
    async def scene() -> None:
        read_end, write_end = os.pipe()
        reader, heard = DescriptorTransport(read_end, "pipe"), Collector()
        reader.start(heard)
        reader._readable()
        writer = DescriptorTransport(write_end, "pipe")
        writer.write(bytes(70_000))
        writer._writable()
        assert heard.errors == []
        reader.close()
        writer.close()

    here(scene())


def test_a_terminal_replaced_by_another_leaves_the_others_link_alone(tmp_path: Path) -> None:
    async def scene() -> None:
        first = PseudoTerminal(tmp_path / "shoe")
        second = PseudoTerminal(tmp_path / "shoe")
        first.close()
        assert os.readlink(tmp_path / "shoe") == second.name
        second.close()
        assert not (tmp_path / "shoe").is_symlink()

    here(scene())
