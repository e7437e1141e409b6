"""Load rulebooks from TOML texts: read, validate, merge with bases, check.

All faults of all files are reported at once. A book takes from its bases what it leaves out. The nearest comes first:
the book, its first base with that one's bases, its second base, and so on; a base reached twice comes after all that
extend it. Tables merge key by key and the nearest wins; a list is taken whole from the nearest that has it. Exceptions:
`rulings`, `stands` and `behaviours`, where the nearer books' stand above the others'; and `options`, where the nearest
that has the option has all of it, so that no clause of one book stands beside the values of another. Id, title,
abstract and extends are each file's own.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import Any, Final, TypeVar

from pydantic import BaseModel, ValidationError

from table_fsm.errors import RulebookError
from table_fsm.rulebook.book import Rulebook
from table_fsm.rulebook.cases import without_overridden
from table_fsm.rulebook.checker import book_faults, file_faults, row_faults
from table_fsm.rulebook.model import Behaviour, Book, OptionRule, Row, StandsRow
from table_fsm.rulebook.named_structures import named_structures, structure_faults
from table_fsm.structures.structure import Structure
from toml_text.faults import Fault
from toml_text.lines import KeyPath, line_of, locate
from toml_text.schema import schema_faults
from toml_text.syntax import TomlSyntaxError, read_toml
from toml_text.words import did_you_mean, values_in_words

_OWN_KEYS: Final = frozenset({"id", "title", "abstract", "extends"})
_JOINED_KEYS: Final = frozenset({"rulings", "stands", "behaviours"})
_LARGEST_INT: Final = 2**63 - 1
_DEEPEST: Final = 8
"""The deepest nesting of tables and lists; the schema needs five."""

_FILLING: Final = {"outcome": "warn", "authority": "supervisor", "rule": "0", "text": "Not readable."}
"""Values in place of a row's faulty keys while the others are checked. They cause no fault."""

_SectionT = TypeVar("_SectionT", bound=BaseModel)


def load_rulebooks(
    sources: Mapping[str, str], structures: Mapping[str, Structure] | None = None
) -> dict[str, Rulebook]:
    """Load the books that a table can open with, by id, from `sources`: file name → TOML text.

    `structures`: the blind structures there are, by id. A book gets those that its option `structure` names, and one
    that is not there is a fault. None: the books alone, without any (a table opened with one has no levels).

    Raises RulebookError; its `problems` name every fault of every file as `file:line: key: what; allowed: …`.
    """
    return {name: book for name, book in load_with_bases(sources, structures).items() if not book.book.abstract}


def load_with_bases(
    sources: Mapping[str, str], structures: Mapping[str, Structure] | None = None
) -> dict[str, Rulebook]:
    """Load the books as `load_rulebooks` does, and the abstract books too."""
    return _Shelf(sources, structures).load()


@dataclass(slots=True)
class _Sheet:
    """One file: its text, its TOML content, and its book without bases."""

    file: str
    text: str
    raw: dict[str, Any]
    book: Book | None = None
    _lines: dict[KeyPath, int] | None = field(default=None)

    @property
    def id(self) -> str:
        """The book's id, or the file's name where the file has no valid id."""
        name = self.raw.get("id")
        return name if isinstance(name, str) else _stem(self.file)

    @property
    def extends(self) -> tuple[str, ...]:
        bases = self.raw.get("extends")
        return tuple(base for base in bases if isinstance(base, str)) if isinstance(bases, list) else ()

    def line(self, path: KeyPath) -> int:
        """The line of a key in the file.

        A key that is missing has the line of the table it should be in; at last line 1.
        """
        if self._lines is None:
            self._lines = locate(self.text)
        return line_of(self._lines, path) or 1

    def has(self, path: KeyPath) -> bool:
        value: Any = self.raw
        for part in path:
            if not (
                part in value if isinstance(value, dict) else isinstance(value, list) and part in range(len(value))
            ):
                return False
            value = value[part]
        return True


@dataclass(frozen=True, slots=True)
class _Merged:
    """A book merged with its bases, and the origin of each part."""

    chain: tuple[_Sheet, ...]
    content: dict[str, Any]
    rows: tuple[tuple[str, int, Row], ...]

    def origin(self, path: KeyPath) -> tuple[_Sheet, KeyPath]:
        """The file and key path from which a merged key was taken; at last the book's own file."""
        if path[:1] == ("rulings",) and len(path) > 1 and isinstance(path[1], int):
            book, at, _ = self.rows[path[1]]
            return next(sheet for sheet in self.chain if sheet.id == book), ("rulings", at, *path[2:])
        for end in range(len(path), 0, -1):
            for sheet in self.chain:
                if sheet.has(path[:end]):
                    return sheet, path
        return self.chain[0], path


class _Shelf:
    """All files of one load, and the faults found so far."""

    def __init__(self, sources: Mapping[str, str], structures: Mapping[str, Structure] | None) -> None:
        self._structures = structures
        self._problems: dict[tuple[str, int, str], None] = {}
        self._unread: set[str] = set()
        self._sheets = [sheet for file, text in sources.items() if (sheet := self._read(file, text))]
        self._by_id: dict[str, _Sheet] = {}

    def load(self) -> dict[str, Rulebook]:
        for sheet in self._sheets:
            self._validate(sheet)
        self._check_ids()
        for sheet in self._sheets:
            self._check_bases(sheet)
        books = {sheet.id: book for sheet in self._sheets if (book := self._build(sheet))}
        if self._problems:
            order = sorted(self._problems, key=lambda problem: problem[:2])
            raise RulebookError([f"{file}:{line}: {what}" for file, line, what in order])
        return books

    def _add(self, sheet: _Sheet, fault: Fault, suffix: str = "") -> None:
        text, line = str(fault), sheet.line(fault.path)
        if (sheet.file, line, text) not in self._problems:
            self._problems[sheet.file, line, text + suffix] = None

    # --- one file

    def _read(self, file: str, text: str) -> _Sheet | None:
        try:
            return _Sheet(file, text, read_toml(text))
        except TomlSyntaxError as error:
            self._problems[file, error.line, str(error)] = None
            self._unread.add(_stem(file))
            return None

    def _validate(self, sheet: _Sheet) -> None:
        strange = list(_strange_values(sheet.raw))
        if strange:
            for fault in strange:
                self._add(sheet, fault)
            return
        try:
            sheet.book = Book.model_validate_json(_as_json(sheet.raw), strict=True)
        except ValidationError as error:
            for fault in schema_faults(Book, sheet.raw, error):
                self._add(sheet, fault)
        own = _good_rows(sheet), _good_options(sheet), _good_behaviours(sheet), _good_stands(sheet)
        for fault in file_faults(*own):
            self._add(sheet, fault)
        for at, row in _mended_rows(sheet):
            for fault in row_faults(at, row):
                self._add(sheet, fault)

    # --- all files

    def _check_ids(self) -> None:
        for sheet in self._sheets:
            first = self._by_id.setdefault(sheet.id, sheet)
            if first is not sheet and "id" in sheet.raw:
                self._add(sheet, Fault(("id",), f'"{sheet.id}" is the id of {first.file} too; give each book its own'))

    def _check_bases(self, sheet: _Sheet) -> None:
        known = sorted(self._by_id)
        for at, base in enumerate(sheet.extends):
            path = ("extends", at)
            if base in sheet.extends[:at]:
                self._add(sheet, Fault(path, f'"{base}" stands here twice; name each base once'))
            elif base not in self._by_id and base not in self._unread:
                meant = did_you_mean(base, known)
                self._add(sheet, Fault(path, f'no book has the id "{base}"; allowed: {values_in_words(known)}{meant}'))
        circle = self._circle(sheet)
        if circle and sheet.id == min(circle) and self._by_id[sheet.id] is sheet:
            way = " → ".join((*circle, circle[0]))
            self._add(
                sheet, Fault(("extends",), f"the books stand on each other in a circle: {way}; leave one step out")
            )

    def _circle(self, start: _Sheet) -> tuple[str, ...]:
        """The ids on the way from a book over its bases back to itself; empty without a circle."""
        ways: list[tuple[str, ...]] = [(start.id,)]
        seen: set[str] = set()
        while ways:
            way = ways.pop()
            for base in self._by_id[way[-1]].extends if way[-1] in self._by_id else ():
                if base == start.id:
                    return way
                if base not in seen:
                    seen.add(base)
                    ways.append((*way, base))
        return ()

    def _chain(self, sheet: _Sheet) -> tuple[_Sheet, ...] | None:
        """The book and its bases, nearest first.

        None where one of them is missing, faulty or in a circle.
        """
        if self._by_id.get(sheet.id) is not sheet:
            return None
        furthest_first: dict[str, _Sheet] = {}

        def walk(name: str, above: tuple[str, ...]) -> bool:
            sheet = self._by_id.get(name)
            if sheet is None or sheet.book is None or name in above:
                return False
            if name not in furthest_first:
                if not all(walk(base, (*above, name)) for base in reversed(sheet.extends)):
                    return False
                furthest_first[name] = sheet
            return True

        return tuple(reversed(furthest_first.values())) if walk(sheet.id, ()) else None

    def _build(self, sheet: _Sheet) -> Rulebook | None:
        chain = self._chain(sheet)
        if chain is None:
            return None
        merged = _merge(chain)
        try:
            book = Book.model_validate_json(_as_json(merged.content), strict=True)
        except ValidationError as error:  # each file is valid by itself: only faults of the merger can be left
            self._add_merged(sheet, merged, schema_faults(Book, merged.content, error))
            return None
        known = self._structures
        if known is not None:
            self._add_merged(sheet, merged, list(structure_faults(book, known)))
        named = named_structures(book, {} if known is None else known)
        rulebook = Rulebook(book, [source for source, _, _ in merged.rows], named)
        if not book.abstract:
            self._add_merged(sheet, merged, book_faults(rulebook))
        return rulebook

    def _add_merged(self, sheet: _Sheet, merged: _Merged, faults: Sequence[Fault]) -> None:
        for fault in faults:
            origin, path = merged.origin(fault.path)
            suffix = "" if origin is sheet else f" (in the book {sheet.id}, which stands on this one)"
            self._add(origin, Fault(path, fault.what), suffix)


def _stem(file: str) -> str:
    return re.split(r"[/\\]", file)[-1].removesuffix(".toml")


def _strange_values(value: object, path: KeyPath = ()) -> Iterator[Fault]:
    """Faults of values that TOML allows and a rulebook does not.

    They are dates, infinite numbers, and numbers beyond 64 bits.
    """
    if isinstance(value, dict | list) and len(path) > _DEEPEST:
        yield Fault(path, "lists or tables are nested too deep; no key of a rulebook is so deep")
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from _strange_values(inner, (*path, key))
    elif isinstance(value, list):
        for at, inner in enumerate(value):
            yield from _strange_values(inner, (*path, at))
    elif not isinstance(value, str | int | float):  # of TOML's types, that leaves dates and times
        yield Fault(path, f'{value} is a date or time; a rulebook has none: write it in quotes, "{value}"')
    elif isinstance(value, float) and not isfinite(value):
        yield Fault(path, f"{value} is no number to play by; allowed: finite numbers")
    elif isinstance(value, int) and abs(value) > _LARGEST_INT:
        yield Fault(path, "the number is beyond TOML's 64 bits; write a smaller one")


def _as_json(content: dict[str, Any]) -> str:
    """Return the content as JSON for strict reading.

    In JSON a list may be a tuple and a text an enum's name, but `"52"` is no number.
    """
    return json.dumps(content)


def _each(raw: object) -> Iterator[tuple[int, object]]:
    return enumerate(raw) if isinstance(raw, list) else iter(())


def _good_rows(sheet: _Sheet) -> list[tuple[int, Row]]:
    """The rows of a file that the schema accepts, with their places."""
    if sheet.book is not None:
        return list(enumerate(sheet.book.rulings))
    return [(at, row) for at, raw in _each(sheet.raw.get("rulings")) if (row := _tried(Row, raw))]


def _mended_rows(sheet: _Sheet) -> list[tuple[int, Row]]:
    """The rows that the schema does not accept, without their faulty keys.

    Their other faults can then be found too.
    """
    if sheet.book is not None:
        return []
    good = {at for at, _ in _good_rows(sheet)}
    rest = [(at, raw) for at, raw in _each(sheet.raw.get("rulings")) if at not in good and isinstance(raw, dict)]
    return [(at, row) for at, raw in rest if (row := _tried(Row, _mended(raw)))]


def _mended(raw: dict[str, Any]) -> dict[str, Any]:
    try:
        Row.model_validate_json(json.dumps(raw), strict=True)
    except ValidationError as error:
        faulty = {detail["loc"][0] for detail in error.errors() if detail["loc"]}
        return {**_FILLING, **{key: value for key, value in raw.items() if key not in faulty}}
    return raw


def _good_options(sheet: _Sheet) -> list[tuple[str, OptionRule]]:
    if sheet.book is not None:
        return list(sheet.book.options.items())
    raw = sheet.raw.get("options")
    entries = raw.items() if isinstance(raw, dict) else ()
    return [(name, rule) for name, inner in entries if (rule := _tried(OptionRule, inner))]


def _good_behaviours(sheet: _Sheet) -> list[tuple[int, Behaviour]]:
    if sheet.book is not None:
        return list(enumerate(sheet.book.behaviours))
    return [(at, item) for at, raw in _each(sheet.raw.get("behaviours")) if (item := _tried(Behaviour, raw))]


def _good_stands(sheet: _Sheet) -> list[tuple[int, StandsRow]]:
    if sheet.book is not None:
        return list(enumerate(sheet.book.stands))
    return [(at, rule) for at, raw in _each(sheet.raw.get("stands")) if (rule := _tried(StandsRow, raw))]


def _tried(model: type[_SectionT], raw: object) -> _SectionT | None:
    try:
        return model.model_validate_json(json.dumps(raw), strict=True)
    except ValidationError:
        return None  # its faults are reported already


def _merge(chain: tuple[_Sheet, ...]) -> _Merged:
    content: dict[str, Any] = {}
    for sheet in reversed(chain):
        inherited = {key: value for key, value in content.items() if key not in _OWN_KEYS}
        own = {key: value for key, value in sheet.raw.items() if key not in _JOINED_KEYS}
        content = {
            **_tables_merged(inherited, own),
            "options": {**content.get("options", {}), **own.get("options", {})},
        }
    rows = without_overridden((sheet.id, sheet.book.rulings) for sheet in chain if sheet.book)
    by_id = {sheet.id: sheet for sheet in chain}
    content["rulings"] = [by_id[book].raw["rulings"][at] for book, at, _ in rows]
    for key in ("stands", "behaviours"):
        items = [item for sheet in chain for item in sheet.raw.get(key, ())]
        content[key] = [item for at, item in enumerate(items) if item not in items[:at]]
    if isinstance(content.get("appendix"), str):
        for key in _JOINED_KEYS:
            content[key] = [_in_appendix(item, "rule", content["appendix"]) for item in content[key]]
        content["options"] = {
            name: _in_appendix(option, "clause", content["appendix"]) for name, option in content["options"].items()
        }
    return _Merged(chain, content, tuple(rows))


def _in_appendix(item: Any, key: str, letter: str) -> Any:
    """A row, behaviour or option of a shared base, with its clause in this book's appendix."""
    if not isinstance(item, dict) or not isinstance(item.get(key), str):
        return item
    return {**item, key: item[key].replace("{appendix}", letter)}


def _tables_merged(below: dict[str, Any], above: dict[str, Any]) -> dict[str, Any]:
    merged = {**below, **above}
    for key in below.keys() & above.keys():
        if isinstance(below[key], dict) and isinstance(above[key], dict):
            merged[key] = _tables_merged(below[key], above[key])
    return merged
