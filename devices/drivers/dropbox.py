"""The drop box: chips, presence, lock, and the float areas for commission."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import pydantic

from devices.drivers.base import SETTINGS, Driver, Reading
from devices.drivers.cleaning import quoted
from devices.drivers.fields import PLACE_REMEDY, Fields
from devices.limits import CENTS_MAX
from table_fsm.events import DropboxChip, DropboxState, Event, FloatColourChange, FloatCommission, TableOpen

Cents = Annotated[int, pydantic.Field(ge=1, le=CENTS_MAX)]


@pydantic.with_config(SETTINGS)
@dataclass(frozen=True, slots=True, kw_only=True)
class DropboxSettings:
    """The sensors of the drop box.

    `chips`: the chips that the slot can tell apart, by value in cents; if empty, any. `float_areas`: it watches the
    float areas too.
    """

    chips: tuple[Cents, ...] = ()
    float_areas: bool = False


class DropboxDriver(Driver[DropboxSettings]):
    """The drop box's driver. State: present and locked, both True until reported otherwise."""

    role: ClassVar[str] = "dropbox"
    settings_type = DropboxSettings

    def __init__(self, name: str, settings: Mapping[str, Any]) -> None:
        super().__init__(name, settings)
        self._present = True
        self._locked = True

    def _events_read(self) -> Mapping[str, Reading]:
        readings: dict[str, Reading] = {"chip": self._chip, "box": self._box}
        if self.settings.float_areas:
            readings["float_commission"] = lambda read, t: FloatCommission(
                t=t, cents=read.integer("cents", 1, CENTS_MAX)
            )
            readings["float_colour_change"] = lambda read, t: FloatColourChange(
                t=t, cents=read.integer("cents", 1, CENTS_MAX)
            )
        return readings

    def _chip(self, read: Fields, t: float) -> Event:
        cents = read.integer("cents", 1, CENTS_MAX)
        if self.settings.chips and cents not in self.settings.chips:
            raise read.fault("cents", f"no chip of this table is worth {quoted(cents)} cents", PLACE_REMEDY)
        return DropboxChip(t=t, cents=cents)

    def _box(self, read: Fields, t: float) -> DropboxState:
        return DropboxState(t=t, present=read.yes_no("present"), locked=read.yes_no("locked"))

    def _compare(self, read: Fields, t: float) -> list[Event]:
        found = self._box(read, t)
        return [] if (found.present, found.locked) == (self._present, self._locked) else [found]

    def observe(self, event: Event) -> None:
        if isinstance(event, DropboxState):
            self._present, self._locked = event.present, event.locked
        elif isinstance(event, TableOpen):
            self._present = self._locked = True
