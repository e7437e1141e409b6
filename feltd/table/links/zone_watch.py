"""Which zones a reader does not read, as its statuses tell it: what lasts, and not what passes as cards are moved."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from devices.drivers.status import ZoneReading
from table_fsm.events import Event, ZoneState

BEGINS_AFTER: Final = 2
"""Statuses in a row that must name a trouble. A hand that lays cards down tangles them for a moment."""
ENDS_AFTER: Final = 5
"""Statuses in a row without it. A wire that is loose comes and goes: it is one alarm and not one a second."""

_PILES: Final = frozenset({"burn", "muck"})
"""Where cards lie on one another: that one gets too little power is no news there, and the floor could do nothing."""


@dataclass(slots=True)
class _Told:
    trouble: str | None
    times: int = 0


class ZoneWatch:
    """The zones of one reader."""

    def __init__(self) -> None:
        self._lasts: dict[str, str] = {}
        self._told: dict[str, _Told] = {}

    def begin(self, lasts: Mapping[str, str]) -> None:
        """A session begins. `lasts`: what the table believes of its zones."""
        self._lasts = dict(lasts)
        self._told.clear()

    def take(self, zones: Mapping[str, ZoneReading]) -> Mapping[str, str]:
        """Take what a status says; return the trouble of each zone that has one. A zone that it leaves out has none."""
        for zone in {*zones, *self._lasts}:
            trouble = _trouble(zone, zones.get(zone))
            told = self._told.get(zone)
            if told is None or told.trouble != trouble:
                told = self._told[zone] = _Told(trouble)
            told.times += 1
            if trouble is not None and told.times >= BEGINS_AFTER:
                self._lasts[zone] = trouble
            elif trouble is None and told.times >= ENDS_AFTER:
                self._lasts.pop(zone, None)
        return dict(self._lasts)


def _trouble(zone: str, reading: ZoneReading | None) -> str | None:
    if reading is None or (reading.trouble == "weak" and zone in _PILES):
        return None
    return reading.trouble


def zone_changes(device: str, before: Mapping[str, str], now: Mapping[str, str], t: float) -> list[Event]:
    """Return the events that lead the table from what it believes of a reader's zones to what lasts now."""
    zones = sorted(zone for zone in {*before, *now} if before.get(zone) != now.get(zone))
    return [ZoneState(t=t, device=device, zone=zone, trouble=now.get(zone)) for zone in zones]
