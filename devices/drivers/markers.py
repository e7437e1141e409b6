"""The markers' sensor: the seats of the dealer button, the buck and the starting marker."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from pydantic import with_config

from devices.drivers.base import SETTINGS, Driver, Reading
from devices.drivers.fields import Fields
from devices.drivers.places import ALL_SEATS, SeatNumbers
from table_fsm.events import Event, MarkerPlaced, TableOpen
from table_fsm.felt import MARKERS, Marker


@with_config(SETTINGS)
@dataclass(frozen=True, slots=True, kw_only=True)
class MarkersSettings:
    """`markers`: those that it can tell apart. `seats`: those that it has a sensor for."""

    markers: tuple[Marker, ...] = MARKERS
    seats: SeatNumbers = ALL_SEATS


class MarkersDriver(Driver[MarkersSettings]):
    """The markers' driver.

    State: each marker's seat. A lifted marker reports nothing until it is placed again.
    """

    role: ClassVar[str] = "markers"
    settings_type = MarkersSettings

    def __init__(self, name: str, settings: Mapping[str, Any]) -> None:
        super().__init__(name, settings)
        self._stands: dict[str, int] = {}

    def _events_read(self) -> Mapping[str, Reading]:
        return {"placed": self._placed}

    @property
    def watches(self) -> tuple[str, ...]:
        return self.settings.markers

    def _placed(self, read: Fields, t: float) -> Event:
        marker = read.choice("marker", self.settings.markers)
        return MarkerPlaced(t=t, marker=marker, seat=read.seat("seat", self.settings.seats))

    def _compare(self, read: Fields, t: float) -> list[Event]:
        stands = Fields(self.name, "state", read.map_at("markers"))
        seats = {
            marker: stands.optional(marker, lambda key: stands.seat(key, self.settings.seats))
            for marker in self.settings.markers
        }
        stands.done()
        return [
            MarkerPlaced(t=t, marker=marker, seat=seat)
            for marker, seat in seats.items()
            if seat is not None and seat != self._stands.get(marker)
        ]

    def observe(self, event: Event) -> None:
        if isinstance(event, MarkerPlaced):
            self._stands[event.marker] = event.seat
        elif isinstance(event, TableOpen):
            self._stands = dict.fromkeys(MARKERS[:2], event.button) if event.button is not None else {}
