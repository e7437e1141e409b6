"""Load structures from TOML texts: read, validate, check; all faults at once."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, Final, TypeVar

from pydantic import BaseModel, ValidationError

from table_fsm.errors import TableError
from table_fsm.structures.file_schema import Frame, LevelRow, StructureFile, row_faults, step_faults, whole_faults
from table_fsm.structures.structure import ActionClock, Level, Rebuys, SeatLimits, Structure
from toml_text.faults import Fault
from toml_text.lines import KeyPath, line_of, locate
from toml_text.schema import schema_faults
from toml_text.syntax import TomlSyntaxError, read_toml

_FILLING: Final = {
    "id": "unnamed",
    "title": "Untitled",
    "source": "Unknown",
    "clause": "0",
    "re_entry": "none",
    "seats": {"least_players": 2, "most_players": 100_000, "clause": "0"},
}
"""Values in place of a file's faulty keys while the others are checked. They cause no fault."""

_TOO_DEEP: Final = Fault((), "lists or tables are nested too deep; no key of a structure is so deep")

_ModelT = TypeVar("_ModelT", bound=BaseModel)


class StructureError(TableError):
    """Structures that cannot be used.

    `problems` lists every fault, each with file and line.
    """

    def __init__(self, problems: list[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


def load_structures(sources: Mapping[str, str]) -> dict[str, Structure]:
    """Load the structures by id from `sources`: file name → TOML text.

    Raises StructureError; its `problems` name every fault of every file as `file:line: key: what; allowed: …`.
    """
    problems: set[tuple[str, int, str]] = set()
    structures: dict[str, Structure] = {}
    first_with: dict[str, str] = {}
    for name, text in sources.items():
        sheet = _Sheet(name, text)
        problems.update(sheet.problem(fault) for fault in sheet.faults)
        if sheet.unread:
            problems.add((name, *sheet.unread))
        identity = sheet.raw.get("id")
        if isinstance(identity, str) and first_with.setdefault(identity, name) != name:
            problem = f'"{identity}" is the id of {first_with[identity]} too; give each structure its own'
            problems.add(sheet.problem(Fault(("id",), problem)))
        elif sheet.file is not None and not sheet.faults:
            structures[sheet.file.id] = _structure(sheet.file)
    if problems:
        raise StructureError([f"{name}:{line}: {problem}" for name, line, problem in sorted(problems)])
    return structures


@dataclass
class _Sheet:
    """One file: its text, its TOML content, its structure file, and its faults."""

    name: str
    text: str

    def __post_init__(self) -> None:
        self.raw: dict[str, Any] = {}
        self.unread: tuple[int, str] | None = None
        self.file: StructureFile | None = None
        self.faults: list[Fault] = []
        self._read()
        if self.unread is None:
            self._validate()

    def problem(self, fault: Fault) -> tuple[str, int, str]:
        """File, line and words of a fault.

        A missing key has the line of the table it should be in.
        """
        return self.name, line_of(self._lines, fault.path) or 1, str(fault)

    @cached_property
    def _lines(self) -> dict[KeyPath, int]:
        return locate(self.text)

    def _read(self) -> None:
        try:
            self.raw = read_toml(self.text)
        except TomlSyntaxError as error:
            self.unread = error.line, str(error)

    def _validate(self) -> None:
        try:
            self.file = StructureFile.model_validate_json(_as_json(self.raw), strict=True)
        except ValidationError as error:
            self.faults += schema_faults(StructureFile, self.raw, error)
        except RecursionError:
            self.faults = [_TOO_DEEP]
        if any(not fault.path for fault in self.faults):  # a depth that the reader of JSON, too, gives up at
            self.faults = [_TOO_DEEP]
            return
        known_paths = {fault.path for fault in self.faults}
        faulty_keys = {fault.path[0] for fault in self.faults if fault.path}
        rows = self._rows()
        for fault in (*_level_faults(rows or ()), *whole_faults(self._frame(rows or (), faulty_keys), rows)):
            of_faulty_key = fault.path[0] != "levels" and fault.path[0] in faulty_keys
            if not of_faulty_key and fault.path not in known_paths:
                self.faults.append(fault)

    def _rows(self) -> list[LevelRow | None] | None:
        """The levels; None for each that the schema does not accept, and for a missing list.

        Their faults are reported already.
        """
        if self.file is not None:
            return list(self.file.levels)
        raw = self.raw.get("levels")
        return [_tried(LevelRow, row) for row in raw] if isinstance(raw, list) else None

    def _frame(self, rows: Iterable[LevelRow | None], faulty: set[str | int]) -> Frame:
        if self.file is not None:
            return self.file
        scheduled = any(row is not None and row.break_after is not None for row in rows)
        good = {key: value for key, value in self.raw.items() if key in Frame.model_fields and key not in faulty}
        filled = {**_FILLING, "breaks": "scheduled" if scheduled else "director", **good}
        return Frame.model_validate_json(_as_json(filled), strict=True)


def _level_faults(rows: Sequence[LevelRow | None]) -> Iterator[Fault]:
    for at, row in enumerate(rows):
        if row is not None:
            yield from row_faults(at, row)
    for at, (before, row) in enumerate(pairwise(rows), 1):
        if before is not None and row is not None:
            yield from step_faults(at, before, row)


def _tried(model: type[_ModelT], raw: object) -> _ModelT | None:
    try:
        return model.model_validate_json(_as_json(raw), strict=True)
    except ValidationError:
        return None  # its faults are told already


def _as_json(content: object) -> str:
    """Return the content as JSON for strict reading.

    In JSON a list may be a tuple and a text an enum's name, but `"52"` is no number.
    """
    return json.dumps(content, default=lambda value: {"date": str(value)})


def _structure(file: StructureFile) -> Structure:
    rebuys, clock = file.rebuys, file.action_clock
    return Structure(
        id=file.id,
        title=file.title,
        source=file.source,
        levels=tuple(_level(row, file.clause) for row in file.levels),
        doubling_minutes=file.doubling_minutes,
        breaks=file.breaks,
        starting_stack=file.starting_stack,
        re_entry=file.re_entry,
        entry_closes_level=file.entry_closes_level,
        rebuys=Rebuys(**dict(rebuys)) if rebuys else None,
        seats=SeatLimits(**dict(file.seats)),
        action_clock=ActionClock(**dict(clock)) if clock else None,
        points=file.points,
    )


def _level(row: LevelRow, clause: str) -> Level:
    return Level(
        number=row.number,
        blinds=row.blinds,
        ante=row.any_ante,
        big_blind_ante=row.big_blind_ante is not None,
        seconds=(row.length or 0) * 60.0,
        race_off=row.race_off,
        break_after=None if row.break_after is None else row.break_after * 60.0,
        clause=clause,
    )
