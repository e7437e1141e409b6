"""A USB reader as a link's transport, against a bus that plays every trick."""

import asyncio
import errno
import threading
from typing import Any

import pytest
import usb.core

from firmware_bridge import usb_port
from firmware_bridge.errors import FaultCode, TransportError
from firmware_bridge.limits import CONGESTED_ABOVE, STALLED_ABOVE
from firmware_bridge.link import Link, LinkSpec
from firmware_bridge.peer import DevicePeer
from firmware_bridge.store import MemoryStore
from firmware_bridge.usb_id import UsbId
from firmware_bridge.usb_port import open_usb_port
from firmware_bridge.usb_transport import UsbTransport, open_usb
from tests.firmware_bridge.support import IDENTITY, KEY, Collector, Device, Journal, run
from tests.firmware_bridge.usb_backend import BULK_OUT, INTERRUPT_IN, DeviceEnd, FakeBackend, FakeDevice
from tests.running import eventually

READER = UsbId(0x1209, 0xC0DE, "R1")


def here(scene: Any) -> None:
    run(scene, jumping=False)


@pytest.fixture(autouse=True)
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(usb_port, "_BUSY_FOR", 0.05)
    monkeypatch.setattr(usb_port, "_BUSY_EVERY", 0.01)


def refusal(backend: FakeBackend, wanted: UsbId = READER) -> TransportError:
    with pytest.raises(TransportError) as caught:
        open_usb_port(wanted, backend)
    assert all(device.opened == 0 for device in backend.devices)
    return caught.value


def test_the_same_session_and_messages_as_on_a_serial_port() -> None:
    async def scene() -> None:
        reader = FakeDevice()
        bus = FakeBackend(reader, FakeDevice(serial="R2"))
        journal, device, store = Journal(), Device(), MemoryStore(persistent=True)
        peer = DevicePeer(IDENTITY, device, store=store)
        serving = asyncio.ensure_future(peer.serve(DeviceEnd(reader, asyncio.get_running_loop())))
        link = Link(LinkSpec("shoe", "shoe", KEY), lambda: open_usb(READER, bus), journal)
        journal.link = link
        running = asyncio.ensure_future(link.run())
        for n in range(60):
            device.last = n
            await peer.emit_when_room({"n": n, "filler": "x" * 300})
        await eventually(lambda: len(journal.bodies) == 60 and journal.ups)
        assert journal.bodies == list(range(60))
        assert await link.command("echo", {"all": bytes(range(256)) * 4}) == {"all": bytes(range(256)) * 4}
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        await eventually(lambda: reader.opened == 0)
        assert reader.claimed is False
        serving.cancel()
        await asyncio.gather(serving, return_exceptions=True)

    here(scene())


def test_unplugged_and_plugged_in_again_while_the_list_still_has_the_old_one() -> None:
    async def scene() -> None:
        journal, device, store = Journal(), Device(), MemoryStore(persistent=True)
        bus = FakeBackend()
        link = Link(LinkSpec("shoe", "shoe", KEY), lambda: open_usb(READER, bus), journal)
        journal.link = link
        running = asyncio.ensure_future(link.run())
        await eventually(lambda: journal.codes)
        for boot in range(3):
            reader = FakeDevice()
            bus.devices.append(reader)
            link.look_again()
            peer = DevicePeer(IDENTITY, device, store=store)
            serving = asyncio.ensure_future(peer.serve(DeviceEnd(reader, asyncio.get_running_loop())))
            peer.emit({"n": boot})
            await eventually(lambda boot=boot: len(journal.ups) > boot)
            serving.cancel()
            await asyncio.gather(serving, return_exceptions=True)
            bus.unplug(reader, stale=True)
            await eventually(lambda boot=boot: journal.codes.count("unplugged") > boot)
            await eventually(lambda reader=reader: reader.opened == 0)
        assert journal.bodies == [0, 1, 2]
        assert journal.codes[0] == "port_missing"
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)

    here(scene())


def test_a_kernel_driver_is_detached_and_given_the_interface_back() -> None:
    reader = FakeDevice(kernel_driver=True)
    port = open_usb_port(READER, FakeBackend(reader))
    assert (reader.calls, reader.claimed) == (["detach"], True)
    port.close()
    assert reader.calls == ["detach", "attach"]
    assert (reader.claimed, reader.kernel_driver, reader.opened) == (False, True, 0)


def test_a_driver_gets_it_back_where_the_claim_fails_too() -> None:
    reader = FakeDevice(kernel_driver=True, claimed=True)
    assert refusal(FakeBackend(reader)).fault.code is FaultCode.PORT_BUSY
    assert reader.kernel_driver is True


def test_a_bus_without_kernel_drivers_is_none_the_worse(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*_args: object) -> bool:
        raise NotImplementedError

    monkeypatch.setattr(FakeBackend, "is_kernel_driver_active", unknown)
    reader = FakeDevice()
    open_usb_port(READER, FakeBackend(reader)).close()
    assert reader.calls == []


def test_a_configured_device_is_taken_as_it_stands_and_another_is_configured() -> None:
    reader = FakeDevice(configured=False)
    open_usb_port(READER, FakeBackend(reader)).close()
    assert reader.calls == ["configure 1"]
    open_usb_port(READER, FakeBackend(reader)).close()
    assert reader.calls == ["configure 1"]


@pytest.mark.parametrize(
    ("device", "code", "words"),
    [
        (FakeDevice(serial="R2"), FaultCode.PORT_MISSING, "there is no such device"),
        (FakeDevice(serial=None), FaultCode.PORT_MISSING, "there is no such device"),
        (FakeDevice(product=1), FaultCode.PORT_MISSING, "is it plugged in?"),
        (FakeDevice(answers=errno.ENODEV), FaultCode.PORT_MISSING, "is it plugged in?"),
        (FakeDevice(answers=errno.EACCES), FaultCode.PORT_DENIED, "start it again"),
        (FakeDevice(answers=errno.ENOMEM), FaultCode.PORT_FAILED, "cannot be used (ENOMEM)"),
        (FakeDevice(claimed=True), FaultCode.PORT_BUSY, "another program has it open"),
        (FakeDevice(interface_class=3), FaultCode.PORT_FAILED, "no interface of vendor class"),
        (FakeDevice(endpoints=((INTERRUPT_IN, 3),)), FaultCode.PORT_FAILED, "a bulk endpoint out"),
        (FakeDevice(endpoints=((0x81, 2), (BULK_OUT, 2))), FaultCode.PORT_FAILED, "an interrupt endpoint in"),
    ],
)
def test_why_a_device_does_not_open_is_named(device: FakeDevice, code: FaultCode, words: str) -> None:
    error = refusal(FakeBackend(device))
    assert (error.fault.code, words in error.fault.text) == (code, True)
    assert error.fault.text.startswith("USB 1209:c0de serial R1: ")


def test_without_a_serial_number_any_one_is_taken_but_not_any_of_two() -> None:
    anyone = UsbId(0x1209, 0xC0DE)
    open_usb_port(anyone, FakeBackend(FakeDevice(serial=None))).close()
    error = refusal(FakeBackend(FakeDevice(), FakeDevice(serial="R2")), anyone)
    assert "there are 2 of them: unplug all but one, or give its serial number" in error.fault.text


def test_a_machine_without_libusb_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(**_args: object) -> None:
        raise usb.core.NoBackendError("No backend available")

    monkeypatch.setattr(usb.core, "find", missing)
    with pytest.raises(TransportError, match="install Debian's package libusb"):
        open_usb_port(READER)


def test_a_device_that_went_away_between_finding_and_claiming(monkeypatch: pytest.MonkeyPatch) -> None:
    def gone(_backend: FakeBackend, dev: FakeDevice, _intf: int) -> None:
        raise usb.core.USBError("No such device", -4, errno.ENODEV)

    monkeypatch.setattr(FakeBackend, "claim_interface", gone)
    assert refusal(FakeBackend(FakeDevice())).fault.code is FaultCode.PORT_MISSING


def test_one_that_takes_nothing_is_congested_then_stalled_and_lost_once() -> None:
    async def scene() -> None:
        reader = FakeDevice(takes=False)
        transport, heard = await open_usb(READER, FakeBackend(reader)), Collector()
        transport.start(heard)
        transport.start(heard)
        transport.write(bytes(CONGESTED_ABOVE + 1))
        assert transport.congested
        got = bytearray()
        reader.hears = got.extend
        reader.takes = True
        await eventually(lambda: heard.writables)
        assert (heard.writables, transport.congested) == (1, False)
        reader.takes = False
        transport.write(bytes(STALLED_ABOVE))
        transport.write(bytes(STALLED_ABOVE))
        transport.write(b"ignored")
        await eventually(lambda: heard.errors)
        assert [error.fault.code for error in heard.errors] == [FaultCode.STALLED]
        assert transport.closed
        transport.close()
        transport.close()
        await eventually(lambda: reader.opened == 0)

    here(scene())


def test_of_a_reader_that_floods_only_a_few_packets_wait_for_the_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    fetched = [0]

    def flood(_backend: object, _dev: object, _ep: int, _intf: int, buff: Any, _timeout: int) -> int:
        fetched[0] += 1
        buff[0] = 1
        return 1

    monkeypatch.setattr(FakeBackend, "intr_read", flood)

    async def scene() -> None:
        reader = FakeDevice()
        transport, heard = await open_usb(READER, FakeBackend(reader)), Collector()
        transport.start(heard)
        await eventually(lambda: len(heard.data) > 100)
        threading.Event().wait(0.05)  # the loop has something else to do
        assert fetched[0] - len(heard.data) <= 17
        there = len(heard.data)
        await eventually(lambda: len(heard.data) > there + 100)
        transport.close()
        await eventually(lambda: reader.opened == 0)

    here(scene())


def test_a_library_that_fails_in_its_own_way_loses_the_device_and_gives_it_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(*_args: object) -> int:
        raise NotImplementedError

    monkeypatch.setattr(FakeBackend, "intr_read", fail)

    async def scene() -> None:
        reader = FakeDevice()
        transport, heard = await open_usb(READER, FakeBackend(reader)), Collector()
        transport.start(heard)
        await eventually(lambda: heard.errors)
        assert heard.errors[0].fault.code is FaultCode.PORT_FAILED
        assert "NotImplementedError" in heard.errors[0].fault.text
        transport.close()
        await eventually(lambda: reader.opened == 0)

    here(scene())


def test_closed_before_it_was_started_and_given_up_while_it_was_opened() -> None:
    async def scene() -> None:
        reader = FakeDevice()
        bus = FakeBackend(reader)
        transport: UsbTransport = await open_usb(READER, bus)
        transport.close()
        assert reader.opened == 0
        transport.write(b"ignored")
        transport.start(Collector())
        attempt = asyncio.ensure_future(open_usb(READER, bus))
        await asyncio.sleep(0)
        attempt.cancel()
        await asyncio.gather(attempt, return_exceptions=True)
        await eventually(lambda: reader.opened == 0 and not reader.claimed)

    here(scene())
