"""USB devices as udev reports them. The only module that uses `pyudev`, which has no types.

Facts come from sysfs and from udev's own list; no device is opened.
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
# The subsystems of a USB device's nodes, and of the device itself.
_SUBSYSTEMS: Final = ("usb", "tty", "hidraw", "input")


class Happened(StrEnum):
    """The events that udev reports of a device."""

    CAME = "came"
    WENT = "went"


@dataclass(frozen=True, slots=True)
class Plugged:
    """One USB device.

    `place`: its socket as the kernel names it (`1-1.2`). `names`: the paths in /dev that lead to it, the stable ones of
    its ports included.
    """

    id: UsbId
    place: str
    product: str
    names: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class News:
    """A device came or went.

    `place`: the socket of its USB device; None for a device that is not on USB.
    """

    happened: Happened
    place: str | None
    whole: bool
    """True for the USB device itself, False for one of its interfaces' nodes."""


class Udev:
    """The computer's devices, now and as they come and go."""

    def __init__(self, context: Any = None) -> None:
        """`context`: pyudev's context, or a substitute in tests."""
        self._context = pyudev.Context() if context is None else context
        self._monitor: Any = None

    def usb_devices(self) -> list[Plugged]:
        """Every USB device except hubs."""
        return self._listed()

    def _listed(self, **match: str) -> list[Plugged]:
        for _ in range(_TRIES):
            with suppress(pyudev.DeviceNotFoundError):  # a device disappeared between listing and reading
                found = self._context.list_devices(subsystem="usb", DEVTYPE="usb_device", **match)
                return [plugged for device in found if (plugged := _plugged(device)) is not None]
        return []

    def usb_device(self, place: str) -> Plugged | None:
        """The device in a socket; None for an empty socket or a hub.

        Reads this one device only: reading a full bus takes long enough to delay the event loop of a slow computer,
        several times at each plug.
        """
        return next((plugged for plugged in self._listed(sys_name=place) if plugged.place == place), None)

    def nodes(self, subsystem: str, wanted: UsbId) -> list[Path]:
        """The device files of a USB device in one subsystem, ordered by number.

        `subsystem`: `hidraw` or `input`.
        """
        for _ in range(_TRIES):
            with suppress(pyudev.DeviceNotFoundError):
                nodes = [
                    node for device in self._context.list_devices(subsystem=subsystem) for node in _of(device, wanted)
                ]
                return sorted(nodes, key=lambda path: (len(path.name), path.name))
        return []

    # -- as they come and go

    def listen(self) -> int:
        """Begin to listen; returns a descriptor that is readable when there is news. Raises OSError."""
        monitor = pyudev.Monitor.from_netlink(self._context, source="udev")
        for subsystem in _SUBSYSTEMS:
            monitor.filter_by(subsystem)
        monitor.start()
        self._monitor = monitor
        return int(monitor.fileno())

    def news(self) -> Iterator[News]:
        """Give what has happened since the last call. Does not wait."""
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
    """A device's facts; None for a hub, and for a device that disappears while it is read."""
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
    """The path of a device's node, if it belongs to the wanted USB device."""
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
    for node in (device, *children):
        if node.device_node is not None:
            yield str(node.device_node)
        yield from (str(link) for link in node.device_links)
