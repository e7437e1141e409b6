"""What the system says of plugged things, read from its list without opening anything."""

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import pyudev

from devices.udev import Happened, News, Plugged, Udev
from firmware_bridge.usb_id import UsbId


class Attributes(dict[str, bytes]):
    """As pyudev's: a missing one is a KeyError, one that cannot be read an OSError."""

    def asstring(self, name: str) -> str:
        if self[name] == b"gone":
            raise OSError(19, "No such device")
        return self[name].decode("utf-8")


@dataclass
class FakeEntry:
    """A device as pyudev has it."""

    sys_name: str
    subsystem: str = "usb"
    device_type: str | None = "usb_device"
    device_node: str | None = None
    device_links: tuple[str, ...] = ()
    attributes: Attributes = field(default_factory=Attributes)
    children: tuple["FakeEntry", ...] = ()
    parent: "FakeEntry | None" = None
    action: str | None = None

    def find_parent(self, _subsystem: str, _type: str) -> "FakeEntry | None":
        return self.parent


def usb(place: str, serial: str | None = "R1", **more: Any) -> FakeEntry:
    attributes = Attributes(bDeviceClass=b"00", idVendor=b"1209", idProduct=b"c0de", product=b"Reader\x1b[31m")
    if serial is not None:
        attributes["serial"] = serial.encode()
    return FakeEntry(place, attributes=attributes, **more)


class FakeContext:
    """A system with these devices. `vanishing`: how often listing them fails half way."""

    def __init__(self, *entries: FakeEntry, vanishing: int = 0) -> None:
        self.entries = entries
        self.vanishing = vanishing
        self.looked_at: list[str] = []

    def list_devices(self, subsystem: str, sys_name: str | None = None, **_match: str) -> Iterator[FakeEntry]:
        for entry in self.entries:
            if sys_name not in (None, entry.sys_name):
                continue
            self.looked_at.append(entry.sys_name)
            if self.vanishing:
                self.vanishing -= 1
                raise pyudev.DeviceNotFoundAtPathError("/sys/x")
            if entry.subsystem == subsystem:
                yield entry


def test_a_device_is_known_by_its_numbers_its_socket_and_the_paths_that_lead_to_it() -> None:
    port = FakeEntry("ttyUSB0", "tty", None, "/dev/ttyUSB0", ("/dev/serial/by-id/usb-x",))
    entry = usb("1-1.2", device_node="/dev/bus/usb/001/004", children=(FakeEntry("1-1.2:1.0"), port))
    names = {"/dev/bus/usb/001/004", "/dev/ttyUSB0", "/dev/serial/by-id/usb-x"}
    [found] = Udev(FakeContext(entry)).usb_devices()
    assert found == Plugged(UsbId(0x1209, 0xC0DE, "R1"), "1-1.2", "Reader[31m", frozenset(names))
    assert Udev(FakeContext(entry)).usb_device("1-1.2") == found
    assert Udev(FakeContext(entry)).usb_device("1-1.3") is None


def test_of_a_full_bus_only_the_socket_that_is_asked_for_is_looked_at() -> None:
    context = FakeContext(*(usb(f"1-{number}") for number in range(1, 13)))
    assert Udev(context).usb_device("1-7") is not None
    assert context.looked_at == ["1-7"]


def test_hubs_and_what_is_going_away_are_passed_over() -> None:
    hub, gone, half = usb("1-0"), usb("1-1"), usb("1-2")
    hub.attributes["bDeviceClass"] = b"09"
    gone.attributes["idVendor"] = b"gone"
    del half.attributes["idProduct"]
    assert [one.place for one in Udev(FakeContext(hub, gone, half, usb("1-3"))).usb_devices()] == ["1-3"]


def test_one_that_vanishes_from_the_list_has_it_read_again() -> None:
    assert len(Udev(FakeContext(usb("1-1"), vanishing=2)).usb_devices()) == 1
    assert Udev(FakeContext(usb("1-1"), vanishing=9)).usb_devices() == []
    assert Udev(FakeContext(usb("1-1"), vanishing=9)).nodes("usb", UsbId(1, 2)) == []


def test_device_files_of_a_subsystem_belong_to_their_usb_device() -> None:
    mine, other = usb("1-1"), usb("1-2", serial="R2")
    files = [
        FakeEntry("hidraw10", "hidraw", None, "/dev/hidraw10", parent=mine),
        FakeEntry("hidraw2", "hidraw", None, "/dev/hidraw2", parent=mine),
        FakeEntry("hidraw3", "hidraw", None, "/dev/hidraw3", parent=other),
        FakeEntry("hidraw4", "hidraw", None, "/dev/hidraw4", parent=None),
        FakeEntry("hidraw5", "hidraw", None, None, parent=mine),
    ]
    udev = Udev(FakeContext(*files))
    wanted = [Path("/dev/hidraw2"), Path("/dev/hidraw10")]
    assert udev.nodes("hidraw", UsbId(0x1209, 0xC0DE, "R1")) == wanted
    assert udev.nodes("input", UsbId(0x1209, 0xC0DE)) == []


def test_news_is_told_of_the_socket_it_happened_in(monkeypatch: pytest.MonkeyPatch) -> None:
    device = usb("1-1", action="add")
    heard = [
        device,
        usb("1-1", action="remove"),
        usb("1-1", action="change"),
        FakeEntry("1-1:1.0", device_type="usb_interface", action="add", parent=device),
        FakeEntry("ttyUSB0", "tty", None, action="add", parent=device),
        FakeEntry("ttyS0", "tty", None, action="remove"),
    ]
    read, write = os.pipe()

    class Monitor:
        def filter_by(self, subsystem: str) -> None:
            filters.append(subsystem)

        def start(self) -> None: ...

        def fileno(self) -> int:
            return read

        def poll(self, timeout: float) -> FakeEntry | None:
            assert timeout == 0
            return heard.pop(0) if heard else None

    filters: list[str] = []
    monkeypatch.setattr(pyudev.Monitor, "from_netlink", lambda _context, source: Monitor())
    udev = Udev(FakeContext())
    assert udev.listen() == read
    assert filters == ["usb", "tty", "hidraw", "input"]
    assert list(udev.news()) == [
        News(Happened.CAME, "1-1", whole=True),
        News(Happened.WENT, "1-1", whole=True),
        News(Happened.CAME, "1-1", whole=False),
        News(Happened.WENT, None, whole=False),
    ]
    os.close(read)
    os.close(write)


def test_this_machine_answers() -> None:
    udev = Udev()
    assert all(isinstance(one, Plugged) for one in udev.usb_devices())
    assert udev.listen() > 0
    assert list(udev.news()) == []
