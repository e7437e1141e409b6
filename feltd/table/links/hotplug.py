"""Plugging in and out: waiting links retry at once; page and record are told.

On a board whose system reports nothing (no udev) links retry by themselves.
"""

import asyncio
import logging
from collections.abc import Callable, Sequence
from typing import Any, Final, Protocol

from devices.udev import Happened, News, Plugged, Udev
from feltd.table.config.config import TableConfig
from feltd.table.journal import Journal
from feltd.table.links.bridge import Bridge
from feltd.table.links.links import look_again
from feltd.table.links.usb_watch import UsbChange, watch_of

USB_NOTE: Final = "usb"
SETTLE: Final = 1.0
"""Seconds in which a device shows its ports before it counts as a stranger."""

_log = logging.getLogger("feltd.devices")


class Bus(Protocol):
    """The calls to the system."""

    def usb_devices(self) -> list[Plugged]: ...
    def usb_device(self, place: str) -> Plugged | None: ...
    def listen(self) -> int: ...
    def news(self) -> Any: ...


class HotPlug:
    """Listens for as long as the table runs."""

    def __init__(
        self,
        config: TableConfig,
        bridge: Bridge,
        journal: Journal,
        open_bus: Callable[[], Bus] = Udev,
        settle: float = SETTLE,
    ) -> None:
        self.watch = watch_of(config.devices, config.usb)
        self._bridge = bridge
        self._journal = journal
        self._open_bus = open_bus
        self._settle = settle
        self._bus: Bus | None = None
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._fresh: dict[str, Plugged] = {}

    async def run(self) -> None:
        """Listen until cancelled."""
        loop = asyncio.get_running_loop()
        try:
            bus = self._open_bus()
            descriptor = bus.listen()
            there = bus.usb_devices()
        except (OSError, ImportError) as fault:
            _log.warning("udev says nothing here (%s): plugs are noticed by looking again", type(fault).__name__)
            return
        self._bus = bus
        self._tell(self.watch.begin(there))
        loop.add_reader(descriptor, self._hear)
        try:
            await asyncio.Event().wait()
        finally:
            loop.remove_reader(descriptor)
            for timer in self._timers.values():
                timer.cancel()

    def _hear(self) -> None:
        assert self._bus is not None
        try:
            news: list[News] = list(self._bus.news())
        except OSError as fault:
            _log.warning("udev has told more than could be heard (%s): everything is looked at again", fault.strerror)
            news = self._all_anew(self._bus)
        for item in news:
            if item.place is None:
                continue
            if item.happened is Happened.WENT and item.whole:
                self._stop_timer(item.place)
                fleeting = self._fresh.pop(item.place, None)
                self._tell([] if fleeting is None else self.watch.came(fleeting))
                self._tell(self.watch.went(item.place))
            elif item.happened is Happened.CAME:
                self._look_soon(item.place)
        if any(item.happened is Happened.CAME for item in news):
            for slot in self._bridge.slots.values():
                look_again(slot.link)

    def _all_anew(self, bus: Bus) -> list[News]:
        """The news that may have been missed: all present devices came, all absent ones went."""
        there = {device.place for device in bus.usb_devices()}
        went = [News(Happened.WENT, place, whole=True) for place in self.watch.there if place not in there]
        return went + [News(Happened.CAME, place, whole=True) for place in sorted(there)]

    def _look_soon(self, place: str) -> None:
        """Judge a device when nothing more has come for a while, since its ports appear one by one."""
        self._stop_timer(place)
        plugged = self._bus.usb_device(place) if self._bus is not None else None
        if plugged is not None:
            self._fresh[place] = plugged  # a device that goes before it is judged is reported too
        self._timers[place] = asyncio.get_running_loop().call_later(self._settle, self._look, place)

    def _look(self, place: str) -> None:
        assert self._bus is not None
        self._timers.pop(place, None)
        plugged = self._bus.usb_device(place) or self._fresh.get(place)
        self._fresh.pop(place, None)
        if plugged is not None:
            self._tell(self.watch.came(plugged))

    def _stop_timer(self, place: str) -> None:
        timer = self._timers.pop(place, None)
        if timer is not None:
            timer.cancel()

    def _tell(self, changes: Sequence[UsbChange]) -> None:
        for change in changes:
            if self._journal.health.accepting:
                self._journal.append_note(USB_NOTE, _noted(change))
            self._bridge.tell(change.device or "usb", change.words)


def _noted(change: UsbChange) -> dict[str, Any]:
    plugged = change.plugged
    note: dict[str, Any] = {
        "change": change.change.value,
        "vendor": f"{plugged.id.vendor:04x}",
        "product": f"{plugged.id.product:04x}",
        "serial": plugged.id.serial,
        "socket": plugged.place,
    }
    if change.device is not None:
        note["device"] = change.device
    if change.before is not None:
        note["before"] = change.before
    return note
