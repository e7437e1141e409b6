"""The dealer's keys on pins: a press is a message of the role `keys`."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Final

from devices.drivers.base import Driver
from devices.drivers.keys import KeysDriver
from devices.errors import DeviceMessageError
from devices.pins.facts import PinKey, Pins
from devices.pins.groups import CellFacts, Group, InputFacts, MatrixFacts
from devices.pins.sensor import Timing

SWITCH: Final = "test_mode"
"""The key that is a switch: it reports on and off, and may stay on."""


class KeysGroup(Group):
    """Keys, each on a line of its own or in the matrix."""

    role: ClassVar[str] = "keys"

    def __init__(self, pins: Pins) -> None:
        self._messages = {key.name: key.message for key in pins.keys}
        self._driver = KeysDriver(self.name, driver_settings(pins))
        self.inputs = tuple(
            InputFacts(key.name, key.line, key.active, key.resistor, _timing(key, pins))
            for key in pins.keys
            if key.line is not None
        )
        if pins.matrix is not None:
            cells = tuple(
                CellFacts(key.name, key.row - 1, key.column - 1, _timing(key, pins))
                for key in pins.keys
                if key.row is not None and key.column is not None
            )
            self.matrix = MatrixFacts(pins.matrix.rows, pins.matrix.columns, pins.matrix.diodes, cells)

    def driver(self) -> Driver[Any]:
        """The driver of keys on a wire."""
        return self._driver

    def says(self, name: str, on: bool, now: Mapping[str, bool]) -> Sequence[Mapping[str, Any]]:
        """A press reports its message; a release reports nothing, except for the switch."""
        message = self._messages[name]
        if message.get("ev") == SWITCH:
            return [{**message, "on": on}]
        return [dict(message)] if on else []

    def state(self, now: Mapping[str, bool]) -> Mapping[str, Any]:
        """Whether the maintenance switch is on."""
        switches = [name for name, message in self._messages.items() if message.get("ev") == SWITCH]
        return {"testing": any(now.get(name, False) for name in switches)}


def driver_settings(pins: Pins) -> dict[str, Any]:
    """The settings of the keys' driver.

    Without a switch for test mode on the pins, the driver leaves test mode to the page.
    """
    parts = ["deal", "seats", "keypad", "clock", "decisions", "cards", "tournament"]
    if any(key.message.get("ev") == SWITCH for key in pins.keys):
        parts.append("maintenance")
    settings: dict[str, Any] = {"parts": parts}
    if pins.key_switch is not None:
        settings["key_switch"] = pins.key_switch
    return settings


def message_fault(key: PinKey, pins: Pins) -> str | None:
    """Return why a key's message is not one that keys may send; None if it is."""
    message = key.message
    if message.get("ev") == SWITCH:
        message["on"] = True
    try:
        KeysDriver(f"key {key.name}", driver_settings(pins)).events(message, 0.0)
    except DeviceMessageError as fault:
        return f"{f'{fault.field}: ' if fault.field else ''}{fault.problem}"
    return None


def _timing(key: PinKey, pins: Pins) -> Timing:
    settle, glitch = key.debounce_ms / 1000, min(key.glitch_ms, key.debounce_ms) / 1000
    if key.message.get("ev") == SWITCH:
        return Timing(settle, settle, None, pins.quiet_seconds, pins.chatter)
    return Timing(glitch, settle, pins.stuck_seconds, pins.quiet_seconds, pins.chatter)
