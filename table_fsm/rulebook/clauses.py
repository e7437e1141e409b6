"""The clauses of a source document and who carries each: table, devices, floor or people.

A list is a file beside the books, and a book names its list (`clauses`). The list does not say which rows, behaviours
and options of a book carry a clause: that is read from the book and compared with the list.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, TypeVar

from pydantic import Field, ValidationError

from table_fsm.errors import RulebookError
from table_fsm.rulebook.book import Rulebook
from table_fsm.rulebook.model import Clause, Row, Section
from toml_text.faults import Fault
from toml_text.lines import line_of, locate
from toml_text.schema import schema_faults
from toml_text.syntax import TomlSyntaxError, read_toml

HOUSE: Final = "F "
"""Prefix of the house clauses, which belong to the table itself and to no source."""
_LETTER: Final = "{appendix}"

_ItemT = TypeVar("_ItemT")


class By(StrEnum):
    """The carrier of a clause."""

    RULINGS = "rulings"
    BEHAVIOUR = "behaviour"
    HARDWARE = "hardware"
    FLOOR = "floor"
    """Tournaments and waiting lists that the floor runs; people where it does not."""
    PEOPLE = "people"
    DEFINITION = "definition"


class SourceClause(Section):
    """A clause of the document.

    `why`: the reason why people carry it; of any other clause, the part that is left to people.
    """

    clause: Clause
    by: By
    words: str = Field(min_length=3, max_length=120)
    why: str | None = Field(default=None, min_length=5, max_length=240)


class Part(Section):
    """Clauses that hold in every game of the source, or in those of the named appendices only."""

    appendices: tuple[str, ...] = ()
    clauses: tuple[SourceClause, ...]


class ClauseList(Section):
    """A source document, clause by clause, in its own order."""

    id: str = Field(pattern=r"^[a-z0-9-]+$")
    title: str
    source: str
    parts: tuple[Part, ...]

    def of(self, appendix: str | None) -> tuple[SourceClause, ...]:
        """The clauses that hold in a game, with {appendix} replaced by its letter."""
        parts = [part for part in self.parts if not part.appendices or appendix in part.appendices]
        clauses = [clause for part in parts for clause in part.clauses]
        if appendix is None:
            return tuple(clauses)
        return tuple(one.model_copy(update={"clause": one.clause.replace(_LETTER, appendix)}) for one in clauses)


@dataclass(frozen=True, slots=True)
class ClauseInBook:
    """A clause of the source with the parts of a book that carry it."""

    clause: SourceClause
    rows: tuple[Row, ...]
    behaviours: tuple[str, ...]
    options: tuple[str, ...]

    @property
    def carried(self) -> bool:
        """Whether a row, behaviour or option of the book names the clause."""
        return bool(self.rows or self.behaviours or self.options)


def load_clauses(sources: Mapping[str, str]) -> dict[str, ClauseList]:
    """Load the lists of clauses by id from `sources`: file name → TOML text.

    Raises RulebookError; its `problems` name every fault of every file as `file:line: key: what`.
    """
    problems: list[str] = []
    lists: dict[str, ClauseList] = {}
    for file, text in sources.items():
        try:
            clause_list = _read(file, text)
        except RulebookError as faults:
            problems += faults.problems
            continue
        if clause_list.id in lists:
            problems.append(f'{file}:1: id: "{clause_list.id}" is the id of another list too; give each its own')
        lists[clause_list.id] = clause_list
    if problems:
        raise RulebookError(problems)
    return lists


def clauses_in(book: Rulebook, source: ClauseList) -> list[ClauseInBook]:
    """Every clause of the source that holds in the book's game, with its carriers in the book."""
    rows, behaviours, options = _by_clause(book)
    return [
        ClauseInBook(
            clause,
            tuple(rows.get(clause.clause, ())),
            tuple(behaviours.get(clause.clause, ())),
            tuple(options.get(clause.clause, ())),
        )
        for clause in source.of(book.book.appendix)
    ]


def clauses_of_its_own(book: Rulebook, source: ClauseList | None) -> list[str]:
    """Clauses that the book names and the source lacks, in the book's order.

    They are the house's own, or an operator's.
    """
    known = {clause.clause for clause in source.of(book.book.appendix)} if source else set()
    return [clause for clause in named_clauses(book) if clause not in known]


def named_clauses(book: Rulebook) -> list[str]:
    """The clauses named by rows, behaviours and options of a book, each once."""
    return list(dict.fromkeys(clause for part in _by_clause(book) for clause in part))


def _by_clause(book: Rulebook) -> tuple[dict[str, list[Row]], dict[str, list[str]], dict[str, list[str]]]:
    options = [(rule.clause, name) for name, rule in sorted(book.options.items()) if rule.clause]
    return (
        _gathered((row.rule, row) for row in book.rulings),
        _gathered((behaviour.rule, behaviour.text) for behaviour in book.behaviours),
        _gathered(options),
    )


def _gathered(pairs: Iterable[tuple[str, _ItemT]]) -> dict[str, list[_ItemT]]:
    by_clause: dict[str, list[_ItemT]] = {}
    for clause, item in pairs:
        by_clause.setdefault(clause, []).append(item)
    return by_clause


# --- reading a file


def _read(file: str, text: str) -> ClauseList:
    try:
        raw = read_toml(text)
    except TomlSyntaxError as fault:
        raise RulebookError([f"{file}:{fault.line}: {fault}"]) from None
    try:
        clause_list = ClauseList.model_validate_json(json.dumps(raw, default=str), strict=True)
    except ValidationError as error:
        raise RulebookError(_told(file, text, schema_faults(ClauseList, raw, error))) from None
    faults = list(_list_faults(clause_list))
    if faults:
        raise RulebookError(_told(file, text, faults))
    return clause_list


def _list_faults(source: ClauseList) -> Iterator[Fault]:
    letters: list[str | None] = [letter for part in source.parts for letter in part.appendices]
    for letter in letters or [None]:
        seen: set[str] = set()
        for clause in source.of(letter):
            if clause.clause in seen:
                yield Fault(_place(source, clause.clause, letter), f"{clause.clause} stands here twice; list each once")
            seen.add(clause.clause)
    for at, part in enumerate(source.parts):
        for number, part_clause in enumerate(part.clauses):
            path: tuple[Any, ...] = ("parts", at, "clauses", number)
            if part_clause.by is By.PEOPLE and part_clause.why is None:
                yield Fault(path, f"{part_clause.clause}: people see to it; say why")
            if _LETTER in part_clause.clause and not part.appendices:
                yield Fault(path, f"{part_clause.clause}: of which appendices? give the part `appendices`")


def _place(source: ClauseList, clause: str, letter: str | None) -> tuple[Any, ...]:
    """The last place of a clause in the list."""
    places = [
        ("parts", at, "clauses", number)
        for at, part in enumerate(source.parts)
        for number, one in enumerate(part.clauses)
        if one.clause.replace(_LETTER, letter or _LETTER) == clause
    ]
    return places[-1]


def _told(file: str, text: str, faults: Sequence[Fault]) -> list[str]:
    lines = locate(text)
    return list(dict.fromkeys(f"{file}:{line_of(lines, fault.path) or 1}: {fault}" for fault in faults))
