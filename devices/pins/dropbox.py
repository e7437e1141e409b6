"""The drop box on pins: presence, lock, and a light beam in each channel of its slot."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from devices.drivers.base import Driver
from devices.drivers.dropbox import DropboxDriver
from devices.pins.facts import PinDropbox, PinInput, Pins
from devices.pins.groups import Group, InputFacts
from devices.pins.sensor import Timing

PRESENT, LOCKED = "present", "locked"


class DropboxGroup(Group):
    """The box's switches and its channels.

    A switch without a sensor, or with a disabled one, counts as in order; the disabled sensor is reported separately.
    """

    role: ClassVar[str] = "dropbox"

    def __init__(self, pins: Pins, box: PinDropbox) -> None:
        self._cents = {f"channel_{number}": channel.cents for number, channel in enumerate(box.channels, start=1)}
        switches = [(PRESENT, box.present), (LOCKED, box.locked)]
        self.inputs = (
            *(_switch(name, switch, pins) for name, switch in switches if switch is not None),
            *(
                InputFacts(
                    name,
                    channel.line,
                    channel.active,
                    channel.resistor,
                    Timing(
                        min(channel.glitch_ms, channel.debounce_ms) / 1000,
                        channel.debounce_ms / 1000,
                        pins.stuck_seconds,
                        pins.quiet_seconds,
                        pins.chatter,
                    ),
                )
                for name, channel in zip(self._cents, box.channels, strict=True)
            ),
        )
        self._driver = DropboxDriver(self.name, {"chips": tuple(sorted(set(self._cents.values())))})

    def driver(self) -> Driver[Any]:
        """The driver of a box on a wire."""
        return self._driver

    def says(self, name: str, on: bool, now: Mapping[str, bool]) -> Sequence[Mapping[str, Any]]:
        """A chip for each broken beam; the state of the box when either switch changes."""
        if name in self._cents:
            return [{"ev": "chip", "cents": self._cents[name]}] if on else []
        return [{"ev": "box", **self.state(now)}]

    def state(self, now: Mapping[str, bool]) -> Mapping[str, Any]:
        """Whether the box is present and locked."""
        return {PRESENT: now.get(PRESENT, True), LOCKED: now.get(LOCKED, True)}


def _switch(name: str, switch: PinInput, pins: Pins) -> InputFacts:
    holds = switch.debounce_ms / 1000
    timing = Timing(holds, holds, None, pins.quiet_seconds, pins.chatter)
    return InputFacts(name, switch.line, switch.active, switch.resistor, timing)
