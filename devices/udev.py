"""What the system says of things plugged into the board. `pyudev`, which has no types, is used here and nowhere else.

Facts are read from sysfs and from udev's own list; nothing is opened.
"""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

import pyudev

from devices.drivers.cleaning import clean_text
from firmware_bridge.usb_id import UsbId

_HUB: Final = "09"
_TEXT_MAX: Final = 64
_TRIES: Final = 3
# What devices show themselves as, beside the USB device itself.
_SUBSYSTEMS: Final = ("usb", "tty", "hidraw", "input")


class Happened(StrEnum):
    """What udev tells."""

    CAME = "came"
    WENT = "went"


@dataclass(frozen=True, slots=True)
class Plugged:
    """One USB device. `place`: the socket it is in, as the kernel names it (`1-1.2`); `names`: paths in /dev that lead
    to it, its ports' stable ones among them."""

    id: UsbId
    place: str
    product: str
    names: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class News:
    """Something came or went. `place`: the socket of the USB device it belongs to; None for what is on no USB."""

    happened: Happened
    place: str | None
    whole: bool
    """It is the USB device itself, not one of the things it shows itself as."""


class Udev:
    """The board's devices, now and as they come and go."""

    def __init__(self, context: Any = None) -> None:
        """`context`: pyudev's, or a test's own."""
        self._context = pyudev.Context() if context is None else context
        self._monitor: Any = None

    def usb_devices(self) -> list[Plugged]:
        """Everything on USB but hubs."""
        return self._listed()

    def _listed(self, **match: str) -> list[Plugged]:
        for _ in range(_TRIES):
            with suppress(pyudev.DeviceNotFoundError):  # one went away between being listed and being looked at
                found = self._context.list_devices(subsystem="usb", DEVTYPE="usb_device", **match)
                return [plugged for device in found if (plugged := _plugged(device)) is not None]
        return []

    def usb_device(self, place: str) -> Plugged | None:
        """What is in a socket now; None where nothing is, or a hub. Only this one is looked at: everything on a full
        bus would keep the loop for a moment that a slow board feels, several times at each plug."""
        return next((one for one in self._listed(sys_name=place) if one.place == place), None)

    def nodes(self, subsystem: str, wanted: UsbId) -> list[Path]:
        """The device files of one subsystem (`hidraw`, `input`) that belong to a USB device, by number."""
        for _ in range(_TRIES):
            with suppress(pyudev.DeviceNotFoundError):
                found = [
                    node for device in self._context.list_devices(subsystem=subsystem) for node in _of(device, wanted)
                ]
                return sorted(found, key=lambda path: (len(path.name), path.name))
        return []

    # -- as they come and go

    def listen(self) -> int:
        """Begin to listen; gives a descriptor that can be read when there is news. Raises OSError."""
        monitor = pyudev.Monitor.from_netlink(self._context, source="udev")
        for subsystem in _SUBSYSTEMS:
            monitor.filter_by(subsystem)
        monitor.start()
        self._monitor = monitor
        return int(monitor.fileno())

    def news(self) -> Iterator[News]:
        """What has happened since the last call. Does not wait."""
        while (device := self._monitor.poll(timeout=0)) is not None:
            news = _news(device)
            if news is not None:
                yield news


def _news(device: Any) -> News | None:
    happened = {"add": Happened.CAME, "bind": Happened.CAME, "remove": Happened.WENT}.get(device.action)
    if happened is None:
        return None
    whole = device.subsystem == "usb" and device.device_type == "usb_device"
    if device.subsystem == "usb" and not whole:
        return None  # an interface
    if whole:
        return News(happened, str(device.sys_name), whole=True)
    parent = None
    with suppress(pyudev.DeviceNotFoundError):
        parent = device.find_parent("usb", "usb_device")
    return News(happened, None if parent is None else str(parent.sys_name), whole=False)


def _plugged(device: Any) -> Plugged | None:
    """None for a hub, and for one that is going away as it is looked at."""
    attributes = device.attributes
    try:
        if attributes.asstring("bDeviceClass").strip() == _HUB:
            return None
        vendor, product = (int(attributes.asstring(name), 16) for name in ("idVendor", "idProduct"))
    except (KeyError, OSError, ValueError):
        return None
    found = UsbId(vendor, product, _text(attributes, "serial"))
    return Plugged(found, str(device.sys_name), _text(attributes, "product") or "", frozenset(_names(device)))


def _of(device: Any, wanted: UsbId) -> Iterator[Path]:
    """The device file of something that a USB device shows itself as, if it is the one wanted."""
    parent = None if device.device_node is None else device.find_parent("usb", "usb_device")
    plugged = None if parent is None else _plugged(parent)
    if plugged is not None and wanted.takes(plugged.id):
        yield Path(device.device_node)


def _text(attributes: Any, name: str) -> str | None:
    try:
        return clean_text(attributes.asstring(name), _TEXT_MAX) or None
    except (KeyError, OSError, UnicodeDecodeError):
        return None


def _names(device: Any) -> Iterator[str]:
    children: Iterable[Any] = device.children
    for one in (device, *children):
        if one.device_node is not None:
            yield str(one.device_node)
        yield from (str(link) for link in one.device_links)
