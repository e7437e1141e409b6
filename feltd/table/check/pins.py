"""Faults of `[pins]` before a start, found without taking a line."""

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from devices.pins.chips import LGPIO, Ask, busy, find_chip, line_info
from devices.pins.errors import PinError
from devices.pins.facts import HEADER_MAX, Pins, not_on_header
from feltd.table.config.pins import lines_of
from toml_text.lines import KeyPath

_MODULES: Final = {"lgpio": "lgpio", "rpigpio": "RPi"}
_INSTALL: Final = {
    "lgpio": "pip install lgpio, or Debian's python3-lgpio",
    "rpigpio": "pip install rpi-lgpio, or RPi.GPIO on a board before the Raspberry Pi 5; not both",
}


def pin_problems(pins: Pins, folder: Path, ask: Ask, *, lgpio_is_ours: bool = False) -> Iterator[tuple[KeyPath, str]]:
    """Faults: a missing library, a missing or forbidden chip, lines that others hold.

    `lgpio_is_ours`: the table runs, so a line that is held over lgpio (by whom, the kernel does not say) is its own.
    """
    module = _MODULES.get(pins.factory)
    if module is None:
        return
    if find_spec(module) is None:
        yield ("pins", "factory"), f"{pins.factory}: the module {module} is not installed: {_INSTALL[pins.factory]}"
    try:
        chip = find_chip(pins.chip, folder, ask)
    except PinError as fault:
        yield ("pins", "chip"), str(fault)
        return
    for path, line in lines_of(pins.model_dump(by_alias=True)):
        if isinstance(line, int):
            if pins.factory == "rpigpio" and line > HEADER_MAX:
                yield path, not_on_header(line)
                continue
            try:
                info = line_info(chip, line, ask)
            except PinError as fault:
                yield path, str(fault)
                continue
            if info.holder is not None and not (lgpio_is_ours and info.holder == LGPIO):
                yield path, str(busy(chip.label, line, info))


def pin_notes(pins: Pins) -> Iterator[str]:
    """Notes that are no faults."""
    if pins.factory == "mock":
        yield "[pins]: the factory is mock: no line of this board is read or driven"
        return
    for lamp in pins.lamps:
        high = (lamp.at_crash == "on") is (lamp.active == "high")
        yield _resistor(f"lamp {lamp.name}", lamp.line, lamp.at_crash, high)
    if pins.buzzer is not None:
        yield _resistor("buzzer", pins.buzzer.line, "silent", pins.buzzer.active == "low")
    if pins.gate is not None:
        yield _resistor("gate", pins.gate.line, "locked", pins.gate.active == "low")


def _resistor(part: str, line: int, state: str, high: bool) -> str:
    to = "3.3 V" if high else "ground"
    return f"[pins]: {part} (line {line}) is {state} while nobody drives it: a resistor to {to} gives it that"
