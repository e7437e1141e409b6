"""The model of a room's tables: a table's file with places that the sheet fills."""

from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, Final

from feltd.table.config.config import ConfigError
from feltd.table.config.key_files import CREDENTIAL
from toml_text.faults import Places, Problem
from toml_text.lines import locate
from toml_text.syntax import TomlSyntaxError, read_toml

SERIAL: Final = "{serial}"
"""Stands in a device of the model where its serial number comes."""
NAME_MOST: Final = 40
"""Letters of a device's name: its label has two lines for it, and shortens a wide one."""


@dataclass(frozen=True, slots=True)
class Model:
    """A sound model. `document`: as its file has it. `devices`: the names that are columns of the sheet."""

    document: dict[str, Any]
    devices: tuple[str, ...]
    places: Places


def read_model(text: str, file: str) -> Model:
    """Read a model.

    `file`: its name in messages. What a table's file must be is looked at when tables are made of it. Raises
    ConfigError with every fault that no table could be made with.
    """
    try:
        document = read_toml(text)
    except TomlSyntaxError as fault:
        raise ConfigError([Problem(file, fault.line, "", str(fault))]) from None
    places, devices = Places(file, locate(text)), document.get("device", [])
    if not isinstance(devices, list) or not all(
        isinstance(device, dict) and isinstance(device.get("name"), str) for device in devices
    ):
        raise ConfigError([places.problem(("device",), "give each device as [[device]] with a name")])
    problems = [
        places.problem(("table", key), "comes from the sheet: leave it out here")
        for key in ("name", "rulebook", "seats", "options")
        if key in _section(document, "table")
    ]
    if str(_section(document, "table").get("rulebooks", "/"))[:1] != "/":
        problems.append(places.problem(("table", "rulebooks"), "give its full path, as on the boards"))
    problems += [
        places.problem(("device", number, "name"), f"is longer than {NAME_MOST} letters: no label has room for it")
        for number, device in enumerate(devices)
        if len(device["name"]) > NAME_MOST
    ]
    names: list[str] = []
    for number, device in enumerate(devices):
        key = device.get("key_file")
        if not isinstance(key, str) or device.get("adapter") is not None:
            continue
        path, name = ("device", number, "key_file"), PurePosixPath(key).name
        if key.startswith(CREDENTIAL) or not key.startswith("/") or not name:
            problems.append(places.problem(path, "give the key's full path on the boards: a file is made for it"))
        elif name in names:
            problems.append(places.problem(path, f"another device's key is called {name}, too: they lie in one folder"))
        names.append(name)
    if problems:
        raise ConfigError(problems)
    return Model(document, tuple(str(device["name"]) for device in devices if has_serial(device)), places)


def has_serial(value: Any) -> bool:
    """Whether a serial number comes anywhere in it."""
    if isinstance(value, dict):
        return any(map(has_serial, value.values()))
    if isinstance(value, list):
        return any(map(has_serial, value))
    return isinstance(value, str) and SERIAL in value


def with_serial(value: Any, serial: str) -> Any:
    """The same with the serial number in its places."""
    if isinstance(value, dict):
        return {key: with_serial(one, serial) for key, one in value.items()}
    if isinstance(value, list):
        return [with_serial(one, serial) for one in value]
    return value.replace(SERIAL, serial) if isinstance(value, str) else value


def _section(document: dict[str, Any], name: str) -> dict[str, Any]:
    section = document.get(name, {})
    return section if isinstance(section, dict) else {}
