"""Judgement of USB devices: the table's own, allowed ones, and strangers.

Pure: it is told which devices came and went, and returns what that means. Each change is reported once.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from devices.udev import Plugged
from feltd.table.config.devices import DeviceConfig, UsbSection
from firmware_bridge.usb_id import UsbId


class Change(StrEnum):
    """The kind of a change."""

    CAME = "came"
    """One of the table's devices, or an allowed one, was plugged in."""
    GONE = "gone"
    REPLACED = "replaced"
    """Another device of the same kind, with another serial number than the last time."""
    STRANGER = "not allowed"
    """A device that the configuration does not name."""


@dataclass(frozen=True, slots=True)
class UsbChange:
    """A change for the staff and the record.

    `device`: the table's, where it is one of them; `before`: the serial number of the one before, with REPLACED.
    """

    change: Change
    plugged: Plugged
    device: str | None
    before: str | None = None

    @property
    def words(self) -> str:
        """The change in words for people."""
        thing = (
            f"{self.plugged.product or 'a device without a name'} ({self.plugged.id}) in socket {self.plugged.place}"
        )
        whose = "" if self.device is None else f"{self.device}: "
        if self.change is Change.REPLACED:
            return f"{whose}another one than before was plugged in: {thing}, was {self.before or 'without a number'}"
        if self.change is Change.STRANGER:
            return (
                f"{thing} was plugged in and belongs to nobody here: take it out, or name it under [usb] allow in the "
                "table's configuration"
            )
        return f"{whose}{thing} {'was plugged in' if self.change is Change.CAME else 'was taken out'}"


class UsbWatch:
    """The known devices on USB."""

    def __init__(self, own: Mapping[str, UsbId], ports: Mapping[str, str], allowed: Sequence[UsbId] | None) -> None:
        """Watch the devices on USB.

        `own`: the table's USB devices by name; `ports`: its serial ports, path by name; `allowed`: further devices
        allowed, None where none were named and so nothing is a stranger.
        """
        self._own = own
        self._ports = ports
        self._allowed = allowed
        self._there: dict[str, Plugged] = {}
        self._serials: dict[tuple[str | None, int, int], str | None] = {}
        self._strangers: set[str] = set()

    @property
    def there(self) -> Mapping[str, Plugged]:
        """The plugged devices, by socket."""
        return self._there

    def begin(self, plugged: Sequence[Plugged]) -> list[UsbChange]:
        """Take the devices present at the start; only strangers are reported."""
        return [change for one in plugged for change in self.came(one) if change.change is Change.STRANGER]

    def came(self, plugged: Plugged) -> list[UsbChange]:
        """Take a device in a socket: a new one, or a known one seen again with its ports."""
        changes = []
        known = self._there.get(plugged.place)
        if known is not None and known.id != plugged.id:
            changes += self.went(plugged.place)
            known = None
        self._there[plugged.place] = plugged
        owner = self._owner(plugged)
        if owner is None and not self._is_allowed(plugged):
            if plugged.place in self._strangers or self._allowed is None:
                return changes
            self._strangers.add(plugged.place)
            return [*changes, UsbChange(Change.STRANGER, plugged, None)]
        self._strangers.discard(plugged.place)
        if known is not None and self._owner(known) == owner:
            return changes
        kind = (owner, plugged.id.vendor, plugged.id.product)
        before = self._serials.get(kind, plugged.id.serial)
        self._serials[kind] = plugged.id.serial
        if before != plugged.id.serial:
            return [*changes, UsbChange(Change.REPLACED, plugged, owner, before)]
        return [*changes, UsbChange(Change.CAME, plugged, owner)]

    def went(self, place: str) -> list[UsbChange]:
        """Take a device away from a socket."""
        plugged = self._there.pop(place, None)
        if plugged is None:
            return []
        self._strangers.discard(place)
        owner = self._owner(plugged)
        if owner is None and self._allowed is None:
            return []
        return [UsbChange(Change.GONE, plugged, owner)]

    def _owner(self, plugged: Plugged) -> str | None:
        for name, wanted in self._own.items():
            if wanted.takes(plugged.id):
                return name
        return next((name for name, path in self._ports.items() if path in plugged.names), None)

    def _is_allowed(self, plugged: Plugged) -> bool:
        return any(wanted.takes(plugged.id) for wanted in self._allowed or ())


def watch_of(devices: Sequence[DeviceConfig], usb: UsbSection | None) -> UsbWatch:
    """Make the watch that the configuration asks for."""
    own = {device.name: device.usb.id() for device in devices if device.usb is not None}
    ports = {device.name: str(device.port) for device in devices if device.port is not None}
    return UsbWatch(own, ports, None if usb is None else [place.id() for place in usb.allow])
