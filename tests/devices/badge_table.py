"""A table's end for badge readers, and a system in which a reader is plugged in."""

import contextlib
from collections.abc import AsyncIterator, Callable, Mapping
from pathlib import Path
from typing import Any

from devices.adapters import Adapter, Place
from devices.adapters.link import AdapterLink
from devices.drivers.badge import BadgeDriver
from devices.errors import DeviceMessageError
from devices.udev import Plugged
from firmware_bridge.facts import DeviceIdentity
from firmware_bridge.link import LinkFault
from firmware_bridge.usb_id import UsbId
from tests.running import running

READER = UsbId(0x1209, 0xBEEF, "G1")
PLACE = Place("badge", usb=READER)


class FakeUdev:
    """A system with this reader's files."""

    files: list[Path] = []  # noqa: RUF012 - each test sets it
    there: list[Plugged] = []  # noqa: RUF012

    def nodes(self, _subsystem: str, _wanted: UsbId) -> list[Path]:
        return self.files

    def usb_devices(self) -> list[Plugged]:
        return self.there


class BadgeTable:
    """The daemon's end with the ordinary badge driver."""

    def __init__(self) -> None:
        self.driver = BadgeDriver("badge", {"staff": {"04A1B2C3": "supervisor", "1042": "director"}})
        self.told: list[Any] = []
        self.ups: list[DeviceIdentity] = []
        self.downs: list[LinkFault] = []
        self.faults: list[str] = []
        self.bodies: list[Mapping[str, Any]] = []

    def on_up(self, _name: str, identity: DeviceIdentity, state: Mapping[str, Any]) -> None:
        self.ups.append(identity)
        assert self.driver.state_events(state, 1.0) == []

    def on_event(self, _name: str, _boot: bytes, _seq: int, body: Mapping[str, Any]) -> None:
        self.bodies.append(body)
        try:
            self.told += self.driver.events(body, 1.0)
        except DeviceMessageError as fault:
            self.faults.append(str(fault))

    def on_status(self, _name: str, _status: Mapping[str, Any]) -> None: ...

    def on_down(self, _name: str, fault: LinkFault) -> None:
        self.downs.append(fault)


@contextlib.asynccontextmanager
async def played(make: Callable[[], Adapter[Any]]) -> AsyncIterator[tuple[BadgeTable, AdapterLink]]:
    table = BadgeTable()
    link = AdapterLink("badge", "a-badge", "badge", make, table)
    async with running(link.run()):
        yield table, link
