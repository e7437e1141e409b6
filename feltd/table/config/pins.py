"""Faults between keys of `[pins]` that are each valid, found in any document."""

from collections.abc import Iterator
from typing import Any, Final

from pydantic import ValidationError

from devices.pins.facts import PinChannel, PinKey, Pins
from devices.pins.keys import message_fault
from toml_text.lines import KeyPath

Fault = tuple[KeyPath, str]

PLACES: Final = {
    "key": "keys:pins",
    "lamp": "indicators:pins",
    "buzzer": "indicators:pins",
    "marker": "markers:pins",
    "dropbox": "dropbox:pins",
    "gate": "gate:pins",
}
"""The names at the table of what hangs on pins, by section."""


def pin_faults(pins: dict[str, Any]) -> Iterator[Fault]:
    """Give every fault of the section `pins`, with its place."""
    yield from _lines_twice(pins)
    yield from _twice(pins, "key", ("name",), "each key has a name of its own")
    yield from _twice(pins, "key", ("row", "column"), "each place of the matrix has one key")
    yield from _twice(pins, "lamp", ("name",), "each lamp has a name of its own")
    yield from _twice(pins, "marker", ("seat", "marker"), "each marker has one sensor at a seat")
    yield from _places_of_keys(pins)
    yield from _unread_of_cells(pins)
    yield from _glitches(pins)
    yield from _messages(pins)
    box = pins.get("dropbox")
    if isinstance(box, dict) and not box:
        yield ("pins", "dropbox"), "is empty: give present, locked, or a [[pins.dropbox.channel]]"


def name_faults(pins: dict[str, Any], names: list[tuple[KeyPath, Any]]) -> Iterator[Fault]:
    """Faults of devices that have the name of something on pins."""
    taken = {name for section, name in PLACES.items() if pins.get(section)}
    for path, name in names:
        if isinstance(name, str) and name in taken:
            yield path, f'"{name}" is what hangs on [pins]: give the device another name'


def pin_roles(pins: dict[str, Any]) -> list[str]:
    """The roles of the section's parts at the table, valid or not."""
    return [name.partition(":")[0] for section, name in PLACES.items() if pins.get(section)]


def _tables(value: Any) -> Iterator[tuple[int, dict[str, Any]]]:
    for number, item in enumerate(value if isinstance(value, list | tuple) else ()):
        if isinstance(item, dict):
            yield number, item


def lines_of(pins: dict[str, Any]) -> Iterator[tuple[KeyPath, Any]]:
    """Give every line that the section names, with its place."""
    for kind in ("key", "lamp", "marker"):
        for number, item in _tables(pins.get(kind)):
            yield ("pins", kind, number, "line"), item.get("line")
    matrix = pins.get("matrix")
    for side in ("rows", "columns"):
        lines = matrix.get(side) if isinstance(matrix, dict) else None
        for number, line in enumerate(lines if isinstance(lines, list | tuple) else ()):
            yield ("pins", "matrix", side, number), line
    for kind in ("buzzer", "gate"):
        output = pins.get(kind)
        if isinstance(output, dict):
            yield ("pins", kind, "line"), output.get("line")
    box = pins.get("dropbox")
    if isinstance(box, dict):
        for sensor in ("present", "locked"):
            switch = box.get(sensor)
            if isinstance(switch, dict):
                yield ("pins", "dropbox", sensor, "line"), switch.get("line")
        for number, channel in _tables(box.get("channel")):
            yield ("pins", "dropbox", "channel", number, "line"), channel.get("line")


def _lines_twice(pins: dict[str, Any]) -> Iterator[Fault]:
    seen: set[int] = set()
    for path, line in lines_of(pins):
        if not isinstance(line, int) or isinstance(line, bool):
            continue
        if line in seen:
            yield path, f'"{line}" is used twice: each line serves one thing'
        seen.add(line)


def _twice(pins: dict[str, Any], kind: str, keys: tuple[str, ...], rule: str) -> Iterator[Fault]:
    seen: set[tuple[Any, ...]] = set()
    for number, item in _tables(pins.get(kind)):
        values = tuple(item.get(key, "button" if key == "marker" else None) for key in keys)
        if None in values or not all(isinstance(value, str | int) for value in values):
            continue
        if values in seen:
            words = " ".join(str(value) for value in values)
            yield ("pins", kind, number, keys[0]), f'"{words}" is used twice: {rule}'
        seen.add(values)


def _places_of_keys(pins: dict[str, Any]) -> Iterator[Fault]:
    """Faults of keys without a line or an existing place in the matrix."""
    matrix = pins.get("matrix")
    for number, key in _tables(pins.get("key")):
        place: KeyPath = ("pins", "key", number)
        alone, cell = "line" in key, "row" in key or "column" in key
        if alone and cell:
            yield (*place, "line"), "is on a line of its own or in the matrix, not both: give line, or row and column"
        elif not alone and not ("row" in key and "column" in key):
            yield (*place, "line"), "is missing: give line, or row and column of [pins.matrix]"
        elif cell and not isinstance(matrix, dict):
            yield (*place, "row"), "there is no [pins.matrix]: give its rows and columns"
        elif cell and isinstance(matrix, dict):
            yield from _beyond(place, key, matrix)


def _beyond(place: KeyPath, key: dict[str, Any], matrix: dict[str, Any]) -> Iterator[Fault]:
    for side in ("row", "column"):
        lines, value = matrix.get(f"{side}s"), key.get(side)
        if isinstance(lines, list) and isinstance(value, int) and value > len(lines):
            yield (*place, side), f"{value} is not allowed: [pins.matrix] has {len(lines)} {side}s"


def _unread_of_cells(pins: dict[str, Any]) -> Iterator[Fault]:
    """Faults of matrix keys with a level or pull of their own.

    A key of the matrix is pressed when it joins its row to its column.
    """
    for number, key in _tables(pins.get("key")):
        if "row" not in key and "column" not in key:
            continue
        for word in ("active", "pull"):
            if word in key and "line" not in key:
                yield ("pins", "key", number, word), "nobody reads it: only a key on a line of its own has one"
    matrix, keys = pins.get("matrix"), _tables(pins.get("key"))
    if isinstance(matrix, dict) and not any("row" in key or "column" in key for _, key in keys):
        yield ("pins", "matrix"), "no key is in it: give keys their row and column, or leave it out"


def _glitches(pins: dict[str, Any]) -> Iterator[Fault]:
    """Faults of glitch times that are not shorter than the settling time."""
    box = pins.get("dropbox")
    kinds: list[tuple[KeyPath, Any, type[PinKey] | type[PinChannel]]] = [
        (("pins", "key"), pins.get("key"), PinKey),
        (("pins", "dropbox", "channel"), box.get("channel") if isinstance(box, dict) else None, PinChannel),
    ]
    for path, items, kind in kinds:
        for number, item in _tables(items):
            glitch, settle = item.get("glitch_ms"), item.get("debounce_ms", kind.model_fields["debounce_ms"].default)
            if type(glitch) is int and type(settle) is int and glitch > settle:
                yield (*path, number, "glitch_ms"), f"{glitch} is not allowed: at most debounce_ms, which is {settle}"


def _messages(pins: dict[str, Any]) -> Iterator[Fault]:
    """Faults of messages that keys may not send; only for keys that are valid by themselves."""
    try:
        switch = pins.get("key_switch")
        switch_pins = Pins(key_switch=switch) if isinstance(switch, str) and switch else Pins()
    except ValidationError:
        switch_pins = Pins()
    for number, item in _tables(pins.get("key")):
        try:  # whatever is wrong with its line
            key = PinKey.model_validate({word: item[word] for word in ("name", "says") if word in item})
        except ValidationError:
            continue
        fault = message_fault(key, switch_pins.model_copy(update={"keys": (key,)}))
        if fault is not None:
            where: KeyPath = ("pins", "key", number, "says" if key.says is not None else "name")
            yield where, f"a press of it would be no message of keys (devices/MESSAGES.md): {fault}"
