"""The markers' sensors on pins: each reports when its marker is placed at its seat."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any, ClassVar

from devices.drivers.base import Driver
from devices.drivers.markers import MarkersDriver
from devices.pins.facts import PinMarker, Pins
from devices.pins.groups import Group, InputFacts
from devices.pins.sensor import Timing


class MarkersGroup(Group):
    """A sensor for each marker and seat. Two that sense the same marker contradict each other."""

    role: ClassVar[str] = "markers"

    def __init__(self, pins: Pins) -> None:
        self._seen = {_name(sensor): sensor for sensor in pins.markers}
        self._markers = tuple(sorted({sensor.marker for sensor in pins.markers}))
        self.patience = pins.stuck_seconds
        self.inputs = tuple(
            InputFacts(name, sensor.line, sensor.active, sensor.resistor, _timing(sensor, pins))
            for name, sensor in self._seen.items()
        )
        seats = tuple(sorted({sensor.seat for sensor in pins.markers}))
        self._driver = MarkersDriver(self.name, {"markers": self._markers, "seats": seats})

    def driver(self) -> Driver[Any]:
        """The driver of a markers' sensor on a wire."""
        return self._driver

    def says(self, name: str, on: bool, now: Mapping[str, bool]) -> Sequence[Mapping[str, Any]]:
        """A placed marker is reported; a lifted one is not."""
        sensor = self._seen[name]
        return [{"ev": "placed", "marker": sensor.marker, "seat": sensor.seat}] if on else []

    def state(self, now: Mapping[str, bool]) -> Mapping[str, Any]:
        """Each marker's seat; null if no sensor or more than one senses it."""
        stands: dict[str, int | None] = {}
        for marker in self._markers:
            seats = [
                sensor.seat for name, sensor in self._seen.items() if sensor.marker == marker and now.get(name, False)
            ]
            stands[marker] = seats[0] if len(seats) == 1 else None
        return {"markers": stands}

    def contradicting(self, now: Mapping[str, bool]) -> frozenset[str]:
        """Sensors that sense a marker which another senses too."""
        seeing = sorted((self._seen[name].marker, name) for name, on in now.items() if on)
        together = [[name for _, name in group] for _, group in groupby(seeing, key=lambda pair: pair[0])]
        return frozenset(name for names in together if len(names) > 1 for name in names)


def _name(sensor: PinMarker) -> str:
    return f"{sensor.marker}_seat_{sensor.seat}"


def _timing(sensor: PinMarker, pins: Pins) -> Timing:
    rests = sensor.debounce_ms / 1000
    return Timing(rests, rests, None, pins.quiet_seconds, pins.chatter)
