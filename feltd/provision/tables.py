"""From sheet and model to tables: each line's configuration, judged as `feltd check` judges a table's file.

All faults of all lines are found at once, each with its line and column. A fault that the model brings is told once,
with its place there.
"""

import re
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, Final

from feltd.provision.addresses import PageAddress
from feltd.provision.judging import ON_THE_BOARD, judged, rules_read_once
from feltd.provision.model import Model, has_serial, with_serial
from feltd.provision.sheet import FIXED, NAME, OPTION, PAGE, RULEBOOK, SEATS, TABLE, Row, Sheet
from feltd.table.config.config import TableConfig, read_config
from toml_text.faults import Problem
from toml_text.lines import KeyPath
from toml_text.syntax import TomlSyntaxError, read_toml
from toml_text.writing import write_toml

_FOLDER: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,31}")
_SERIAL: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_SEATS: Final = re.compile(r"([0-9]{1,2})(?:-([0-9]{1,2}))?")
_SERIAL_NUMBER: Final = "serial number"
_ONCE: Final = {
    TABLE: "each table has a folder of its own",
    NAME: "each table has a name of its own",
    PAGE: "each board has an address of its own",
    _SERIAL_NUMBER: "a device is at one table, in one place",
}
"""What may be in one cell of the sheet only, and why."""
_PINS: Final = "badge_pins"
"""A new table wants a PIN of each badge that decides, where its model says nothing else."""
_UNKNOWN: Final = "unknown-{}"
"""The serial number of a device whose cell a line that is too short has not: it is not missing for that."""


@dataclass(frozen=True, slots=True)
class Device:
    """A device of a table. `key`: the file's name of its key; None where an adapter speaks with it."""

    name: str
    role: str
    serial: str | None
    place: str
    key: str | None


@dataclass(frozen=True, slots=True)
class NewTable:
    """A table that can be made. `folder`: its name in the sheet. `text`: its table.toml. `keys_in`: on the board."""

    folder: str
    name: str
    text: str
    rulebook: str
    seats: tuple[int, ...]
    page: PageAddress
    devices: tuple[Device, ...]
    keys_in: str


class _Draft:
    """A line on its way to a table: the document, and which cell each of its values comes from."""

    def __init__(self, row: Row, model: Model) -> None:
        self.row = row
        self.document: dict[str, Any] = {"table": {}}
        self.columns: dict[KeyPath, str] = {}
        self.faults: list[tuple[str, str]] = []
        self.model_devices: list[int] = []
        self.page: PageAddress | None = None
        self._fill(deepcopy(model.document), model)

    def _fill(self, document: dict[str, Any], model: Model) -> None:
        play = self.document["table"]
        for column, value in ((NAME, self._cell(NAME)), (RULEBOOK, self._cell(RULEBOOK)), (SEATS, self._seats())):
            play[column] = value
            self.columns["table", column] = column
        if not _FOLDER.fullmatch(self._cell(TABLE)) and self._cell(TABLE):
            words = f'"{self._cell(TABLE)}" names no folder: letters, digits, "-" and "_", 32 at most'
            self.faults.append((TABLE, words))
        play |= {_PINS: True} | document.pop("table", {})
        options = dict(self._options())
        if options:
            play["options"] = options
        self.document["device"] = list(self._devices(document.pop("device", [])))
        self.document |= document
        if not self.document["device"]:
            del self.document["device"]
        try:
            self.page = PageAddress.parse(self._cell(PAGE))
        except ValueError as fault:
            self.faults += [(PAGE, str(fault))] if self._cell(PAGE) else []
        else:
            self.document["page"] = {
                "host": self.page.host,
                "port": self.page.port,
                **{key: value for key, value in self.document.get("page", {}).items() if key not in ("host", "port")},
            }
        self.columns["page", "host"] = self.columns["page", "port"] = PAGE

    def _cell(self, column: str) -> str:
        """Its text; empty where the sheet lacks the column, which is told once, of its first line."""
        text = self.row.cells.get(column, "")
        if not text and column in self.row.cells and (column, "is empty") not in self.faults:
            self.faults.append((column, "is empty"))
        return text

    def _seats(self) -> list[int]:
        text, seats = self._cell(SEATS), list[int]()
        for part in text.replace(",", " ").split():
            found = _SEATS.fullmatch(part)
            if found is None or int(found[2] or found[1]) < int(found[1]):
                self.faults.append((SEATS, f'"{part}" names no seats: write 1-9, or 1 2 3 5'))
                continue
            seats += range(int(found[1]), int(found[2] or found[1]) + 1)
        return seats

    def _options(self) -> Iterator[tuple[str, Any]]:
        for column, text in self.row.cells.items():
            if not column.startswith(OPTION) or not text:
                continue
            name = column.removeprefix(OPTION)
            self.columns["table", "options", name] = column
            try:
                read = read_toml(f"value = {text}")
            except TomlSyntaxError:
                read = {}
            if set(read) == {"value"}:
                yield name, read["value"]
            else:
                words = f'{text!r} is no value: write it as in a table\'s file, e.g. [100, 200], true or "one"'
                self.faults.append((column, words))

    def _devices(self, devices: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        for number, device in enumerate(devices):
            column, serial = str(device["name"]), ""
            if has_serial(device):
                serial = _UNKNOWN.format(number) if column in self.row.cut else self.row.cells.get(column, "")
                if not serial:
                    continue
                if not _SERIAL.fullmatch(serial):
                    words = f'"{serial}" is no serial number: letters, digits, ".", "_" and "-", 64 at most'
                    self.faults.append((column, words))
            at = len(self.model_devices)
            self.columns |= {("device", at, key): column for key, value in device.items() if has_serial(value)}
            self.model_devices.append(number)
            yield with_serial(device, serial)

    @property
    def faulty(self) -> set[str]:
        """The columns whose cells gave the document no value, or a wrong one: what it says of them follows from that.

        Of seats it may have got some, and what is wrong with those is news.
        """
        lacking = {column for column in FIXED if column not in self.row.cells}
        return (lacking | {column for column, _ in self.faults}) - ({SEATS} if self.document["table"][SEATS] else set())

    def column_of(self, path: KeyPath) -> str | None:
        """The column of the cell that `path` has its value from; None where it is the model's."""
        return next((self.columns[path[:end]] for end in range(len(path), 0, -1) if path[:end] in self.columns), None)

    def in_model(self, path: KeyPath) -> KeyPath:
        """The place in the model of what is at `path` here."""
        if len(path) > 1 and path[0] == "device" and isinstance(path[1], int):
            return ("device", self.model_devices[path[1]], *path[2:])
        return path


def plan_tables(sheet: Sheet, model: Model) -> tuple[list[NewTable], list[Problem]]:
    """Make a table of each line of the sheet.

    Returns the tables, and every fault: with a single one, none of the tables is to be made.
    """
    tables, of_model = list[NewTable](), dict[str, Problem]()
    problems = [*sheet.problems, *_twice(sheet, model)]
    rules = rules_read_once()
    for row in sheet.rows:
        draft = _Draft(row, model)
        faulty = draft.faulty
        problems += [sheet.problem(row.line, column, text) for column, text in draft.faults]
        text = write_toml(draft.document)
        for path, words in judged(text, rules, seats_known=SEATS not in {column for column, _ in draft.faults}):
            column = draft.column_of(path)
            if column is not None and column not in faulty:
                problems.append(sheet.problem(row.line, column, words))
            elif column is None and path == ("table",) and RULEBOOK not in faulty:
                problems.append(sheet.problem(row.line, RULEBOOK, words))
            elif column is None:
                found = model.places.problem(draft.in_model(path), words)
                of_model[str(found)] = found
        if not problems and not of_model:
            tables.append(_table(draft, text))
    order = {sheet.problem(None, column, "").key: at for at, column in enumerate(sheet.columns)}
    ordered = sorted(problems, key=lambda problem: (problem.line or 0, order.get(problem.key, -1)))
    return ([], [*of_model.values(), *ordered]) if ordered or of_model else (tables, [])


def _twice(sheet: Sheet, model: Model) -> Iterator[Problem]:
    """What may be in one line only: a folder, a name, an address, a device. Spellings of one address are the same."""
    seen: dict[tuple[str, str], tuple[int, str, str]] = {}
    for row in sheet.rows:
        for column, text in row.cells.items():
            kind = _SERIAL_NUMBER if column in model.devices else column
            if kind not in _ONCE or not text or (kind == PAGE and _loopback(text)):
                continue
            meant = PageAddress.meant(text) if kind == PAGE else text.casefold()
            line, where, written = seen.setdefault((kind, meant), (row.line, column, text))
            if (line, where) != (row.line, column):
                place = f"line {line}" if where == column else f"line {line}, {where}"
                spelling = "" if written.casefold() == text.casefold() else f', written "{written}"'
                yield sheet.problem(row.line, column, f'"{text}" is at {place} already{spelling}: {_ONCE[kind]}')


def _loopback(text: str) -> bool:
    try:
        return PageAddress.parse(text).loopback
    except ValueError:
        return False


def _table(draft: _Draft, text: str) -> NewTable:
    config = read_config(text, "table.toml", ON_THE_BOARD)
    assert draft.page is not None
    return NewTable(
        folder=draft.row.cells[TABLE],
        name=config.table.name,
        text=text,
        rulebook=config.table.rulebook,
        seats=config.table.seats,
        page=draft.page,
        devices=tuple(_devices(config)),
        keys_in=_keys_folder(config),
    )


def _devices(config: TableConfig) -> Iterator[Device]:
    for device in config.devices:
        key = device.wire_key
        name = None if key is None or key.path is None else key.path.name
        yield Device(device.name, device.role, device.serial, device.place, name)


def _keys_folder(config: TableConfig) -> str:
    """The folder of the devices' keys on the board."""
    files = [device.wire_key.path for device in config.devices if device.wire_key and device.wire_key.path]
    return str(PurePosixPath(files[0]).parent) if files else "/var/lib/feltd/keys"
