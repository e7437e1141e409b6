"""Faults between keys of a table's file that are each valid."""

from collections.abc import Iterator
from typing import Any

from pydantic import TypeAdapter, ValidationError

from devices.drivers.registry import ROLES, driver_for
from feltd.table.config.built import built_faults, faces_faults
from feltd.table.config.devices import plug_faults
from feltd.table.config.limits import HALVES, Limits
from feltd.table.config.pins import name_faults, pin_faults
from toml_text.lines import KeyPath
from toml_text.schema import schema_faults


def across(document: dict[str, Any]) -> Iterator[tuple[KeyPath, str]]:
    """Faults between keys that are each valid, found beside faults of single keys."""
    devices: list[tuple[KeyPath, dict[str, Any]]] = [(("device", n), d) for n, d in tables_of(document.get("device"))]
    yield from _twice(devices, "name", "each device has a name of its own")
    yield from _twice(devices, "port", "each device has a port of its own")
    yield from plug_faults([device for _, device in devices])
    yield from _settings(devices)
    yield from _zones(devices)
    table = document.get("table")
    if isinstance(table, dict):
        yield from _seats(table)
        yield from _option_values(table.get("options"))
        yield from _look_sensor(table.get("options", {}), [device for _, device in devices])
        yield from built_faults(table.get("options", {}), devices)
        yield from faces_faults(table.get("options", {}), [device for _, device in devices])
    floor = document.get("floor")
    for key in ("books", "settings", "versions"):
        if isinstance(floor, dict) and floor.get(key) and not floor.get("keys"):
            yield ("floor", key), "a wish is taken where the floor has signed it alone: name its key in `keys`"
    page = document.get("page")
    if isinstance(page, dict) and isinstance(page.get("limits"), dict):
        yield from _halves(page["limits"])
    yield from _one_key(document.get("record"), document.get("broadcast"))
    pins = document.get("pins")
    if isinstance(pins, dict):
        yield from pin_faults(pins)
        yield from name_faults(pins, [((*path, "name"), device.get("name")) for path, device in devices])


def tables_of(value: Any) -> list[tuple[int, dict[str, Any]]]:
    """The tables of an array of tables, by position; what is none is left out."""
    items = value if isinstance(value, list) else []
    return [(number, item) for number, item in enumerate(items) if isinstance(item, dict)]


def _twice(tables: list[tuple[KeyPath, dict[str, Any]]], key: str, rule: str) -> Iterator[tuple[KeyPath, str]]:
    seen: set[str] = set()
    for path, table in tables:
        value = table.get(key)
        if not isinstance(value, str | int) or isinstance(value, bool):
            continue
        if str(value) in seen:
            yield (*path, key), f'"{value}" is used twice: {rule}'
        seen.add(str(value))


def _settings(devices: list[tuple[KeyPath, dict[str, Any]]]) -> Iterator[tuple[KeyPath, str]]:
    """Faults that each device's driver finds in its settings."""
    for path, device in devices:
        role, settings = device.get("role"), device.get("settings", {})
        if not isinstance(role, str) or role not in ROLES or not isinstance(settings, dict):
            continue
        kind = driver_for(role).settings_type
        try:
            TypeAdapter(kind).validate_python(settings)
        except ValidationError as faults:
            yield from (
                ((*path, "settings", *fault.path), fault.what) for fault in schema_faults(kind, settings, faults)
            )


def _zones(devices: list[tuple[KeyPath, dict[str, Any]]]) -> Iterator[tuple[KeyPath, str]]:
    read: dict[str, str] = {}
    for path, device in devices:
        settings = device.get("settings")
        zones = settings.get("zones") if isinstance(settings, dict) else None
        for number, zone in enumerate(zones if isinstance(zones, list) else []):
            place = (*path, "settings", "zones", number)
            if isinstance(zone, str) and zone in read:
                yield place, f'"{zone}" is read by "{read[zone]}" already: one reader for each zone'
            elif isinstance(zone, str):
                read[zone] = str(device.get("name"))


def _seats(table: dict[str, Any]) -> Iterator[tuple[KeyPath, str]]:
    seats = table.get("seats")
    if not isinstance(seats, list):
        return
    for number, seat in enumerate(seats):
        if seat in seats[:number]:
            yield ("table", "seats", number), f"seat {seat} is named twice"


def _option_values(options: Any) -> Iterator[tuple[KeyPath, str]]:
    for name, value in (options if isinstance(options, dict) else {}).items():
        if isinstance(value, bool | int | float | str):
            continue
        if isinstance(value, list) and (all(type(v) is int for v in value) or all(type(v) is str for v in value)):
            continue
        yield ("table", "options", name), "must be true or false, a number, a text, or a list of whole numbers or texts"


def _halves(limits: dict[str, Any]) -> Iterator[tuple[KeyPath, str]]:
    """Limits with which one visitor could take all that there is for everybody."""
    for part, whole in HALVES:
        of_one, of_all = (limits.get(key, Limits.model_fields[key].default) for key in (part, whole))
        if type(of_one) is int and type(of_all) is int and of_one > of_all // 2 > 0:
            key = part if part in limits else whole
            yield ("page", "limits", key), f"{part} is {of_one} and {whole} is {of_all}: it may be half of that at most"


def _one_key(record: Any, broadcast: Any) -> Iterator[tuple[KeyPath, str]]:
    """A pair for both: whoever holds it has each round's cards at its end, and the delay is none."""
    lines = [section.get("sealed_to") if isinstance(section, dict) else None for section in (record, broadcast)]
    keys = [line.lower().split()[2:3] if isinstance(line, str) else [] for line in lines]
    if keys[0] and keys[0] == keys[1]:
        yield ("broadcast", "sealed_to"), "is the key of [record] too, which opens a round as it ends: make another"


def _look_sensor(options: Any, devices: list[dict[str, Any]]) -> Iterator[tuple[KeyPath, str]]:
    """Fault of a table that waits for looks at cards that no reader can see.

    It would take a graver case for the milder one.
    """
    readers = [device.get("settings") for device in devices if device.get("role") == "reader"]
    blind = bool(readers) and all(isinstance(told, dict) and told.get("look") is False for told in readers)
    if blind and isinstance(options, dict) and options.get("look_sensor") is not False:
        yield ("table", "options", "look_sensor"), "no reader sees a player lift cards (look = false): must be false"
