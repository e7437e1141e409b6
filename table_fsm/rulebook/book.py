"""A rulebook ready for play: the merged book, its digest, and a lookup of its rows."""

import json
import math
from collections.abc import Callable, Iterable, Mapping
from hashlib import sha256
from types import MappingProxyType
from typing import Final, Literal, TypeAlias

from table_fsm.errors import RulebookError, TableError
from table_fsm.events import OptionValue
from table_fsm.felt import AmountUnit
from table_fsm.rulebook.cases import Case, first_rows, takes
from table_fsm.rulebook.irregularities import ANY_IRREGULARITY, Irregularity
from table_fsm.rulebook.model import (
    AmountRules,
    Behaviour,
    BettingRules,
    Book,
    BoxRules,
    ButtonRules,
    ClockRules,
    CutRules,
    DeckRules,
    OptionKind,
    OptionRule,
    Row,
    SeatRules,
    ShowdownRules,
    Street,
    TournamentRules,
)
from table_fsm.rulebook.named_structures import STRUCTURE_OPTION, structures_content
from table_fsm.rulebook.precedence import Precedence
from table_fsm.structures.structure import Structure
from toml_text.words import did_you_mean, value_in_words, values_in_words

Value: TypeAlias = bool | int | float | str | tuple[int, ...] | None
"""An option's value as the table holds it: lists are tuples; None where neither the table nor the book gives one."""

MOST_BLINDS: Final = 3
SEATS_OPTION: Final = "seats_max"
"""The option whose values are bounded by the book's seats."""

_NOT_DIGESTED: Final = {"amounts"}
"""Sections that no answer depends on: with another digest a round begun before could not go on."""
_NOTE_BEFORE: Final = "note_before"

_Cases: TypeAlias = tuple[tuple[str, ...], dict[Case, Row]]


class OptionError(TableError):
    """Options that a book does not take.

    `problems` names each option, its value and the allowed ones.
    """

    def __init__(self, problems: list[str]) -> None:
        super().__init__("; ".join(problems))
        self.problems = problems


class Rulebook:
    """A merged, immutable book; equal, with the same digest, to one of the same content (but `amounts`).

    `row_sources`: for each of `rulings` the id of the book whose file holds it; left out, they are all the book's own.
    `structures`: the blind structures that its option `structure` names, by id; they are part of the content.
    """

    __slots__ = ("_cases", "_digest", "_digest_before", "_named", "_row_sources", "_structures", "book", "precedence")

    def __init__(
        self,
        book: Book,
        row_sources: Iterable[str] | None = None,
        structures: Mapping[str, Structure] = MappingProxyType({}),
    ) -> None:
        self.book: Final = book
        """The merged book, whole."""
        self.precedence: Final = Precedence.of(book)
        """Which of the faults of one event are ruled on."""
        self._structures = structures
        self._row_sources = tuple(row_sources) if row_sources is not None else (book.id,) * len(book.rulings)
        self._digest = _digest(book, structures)
        self._digest_before: str | None = None
        self._named = frozenset(row.irregularity for row in book.rulings if row.irregularity != ANY_IRREGULARITY)
        self._cases: dict[Irregularity, _Cases] = {
            irregularity: (tuple(irregularity.facts), {case: book.rulings[at] for case, at in takers.items()})
            for irregularity, takers in first_rows(book.rulings).items()
        }

    def row(self, irregularity: Irregularity, facts: Mapping[str, str]) -> Row:
        """Return the first row that answers the irregularity with these facts.

        Where no row names the irregularity, the row `*` answers. Facts that the irregularity does not have are ignored;
        a missing fact meets no condition, so that the answer is a row without that condition.

        Raises RulebookError if the book has no answer: only a book that was not loaded and checked can lack one.
        """
        names, by_case = self._cases[irregularity]
        found = by_case.get(tuple(map(facts.get, names)))  # type: ignore[arg-type]  # a missing fact is None: no such case
        return found if found is not None else self._searched(irregularity, facts)

    def _searched(self, irregularity: Irregularity, facts: Mapping[str, str]) -> Row:
        by_name = sorted(self.book.rulings, key=lambda row: row.irregularity == ANY_IRREGULARITY)
        for row in by_name:
            if takes(row, irregularity, facts):
                return row
        raise RulebookError([f"{self.id}: no row answers {irregularity} with {dict(facts)}; add one, or a row '*'"])

    def has_own_row(self, irregularity: Irregularity) -> bool:
        """Whether a row names the irregularity; if not, the row `*` answers it."""
        return irregularity in self._named

    @property
    def row_sources(self) -> tuple[str, ...]:
        """The id of the book whose file holds each row, in the order of `rulings`."""
        return self._row_sources

    @property
    def digest(self) -> str:
        """SHA-256, as hex, of the merged content that answers depend on: all but `amounts`."""
        return self._digest

    def rules_as(self, digest: str) -> bool:
        """Whether the text with this digest rules as this book does: it is this text, or the one before its last notes.

        The digest of that one is made of this book with the notes of then, so every other word is the same in both.
        """
        if digest == self._digest:
            return True
        if self._digest_before is None:
            self._digest_before = _digest(self.book, self._structures, notes_before=True)
        return digest == self._digest_before

    @property
    def id(self) -> str:
        """The id, with which a table is opened."""
        return self.book.id

    @property
    def title(self) -> str:
        """The title for people."""
        return self.book.title

    @property
    def source(self) -> str:
        """The source document of the book."""
        return self.book.source

    @property
    def banked(self) -> Literal["player", "house"]:
        """The bank of the game: `player` or `house`."""
        return self.book.banked

    @property
    def needs(self) -> tuple[str, ...]:
        """Kinds of device without which no round starts."""
        return self.book.needs

    @property
    def amounts(self) -> AmountRules:
        """The unit of amounts."""
        return self.book.amounts

    @property
    def deck(self) -> DeckRules:
        """The pack of cards."""
        return self.book.deck

    @property
    def seats(self) -> SeatRules:
        """The rules of seats and players."""
        return self.book.seats

    @property
    def cut(self) -> CutRules:
        """The cut."""
        return self.book.cut

    @property
    def streets(self) -> tuple[Street, ...]:
        """The stages of the round."""
        return self.book.streets

    @property
    def button(self) -> ButtonRules:
        """The dealer button."""
        return self.book.button

    @property
    def betting(self) -> BettingRules:
        """Player-banked betting."""
        return self.book.betting

    @property
    def clock(self) -> ClockRules:
        """The rules of a clock on a player."""
        return self.book.clock

    @property
    def box(self) -> BoxRules:
        """Drop box and float."""
        return self.book.box

    @property
    def showdown(self) -> ShowdownRules:
        """The rules of the showdown: who shows first, and where an odd amount goes."""
        return self.book.showdown

    @property
    def tournament(self) -> TournamentRules:
        """Levels, chip races, hand for hand, penalties and placings."""
        return self.book.tournament

    @property
    def structures(self) -> Mapping[str, Structure]:
        """The blind structures that a table may open with, by id."""
        return self._structures

    @property
    def options(self) -> Mapping[str, OptionRule]:
        """The options of `table.open` that the book takes."""
        return MappingProxyType(self.book.options)

    @property
    def rulings(self) -> tuple[Row, ...]:
        """The rows in the order in which they are tried."""
        return self.book.rulings

    @property
    def behaviours(self) -> tuple[Behaviour, ...]:
        """Clauses that the table follows without a ruling."""
        return self.book.behaviours

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Rulebook) and self._digest == other._digest

    def __hash__(self) -> int:
        return hash(self._digest)

    def __repr__(self) -> str:
        return f"Rulebook({self.id!r}, digest={self._digest[:12]!r})"


def _digest(book: Book, structures: Mapping[str, Structure], *, notes_before: bool = False) -> str:
    whole = book.model_dump(mode="json", exclude=_NOT_DIGESTED)
    for row in whole["rulings"]:
        before = row.pop(_NOTE_BEFORE)
        if notes_before and before is not None:
            row["note"] = before or None
    if structures:
        whole["structures"] = structures_content(structures)
    content = json.dumps(whole, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return sha256(content.encode("ascii")).hexdigest()


def check_options(book: Rulebook, options: Mapping[str, OptionValue]) -> dict[str, Value]:
    """Return a value for each option of the book: as given, else its default, else None.

    A given None counts as not given. Money is cents, times are seconds. Raises OptionError, naming every option that
    the book does not take and every value that it does not allow.
    """
    problems = [problem for name, value in options.items() if (problem := _option_problem(book, name, value))]
    if problems:
        raise OptionError(problems)
    return {name: _settled(rule, options.get(name)) for name, rule in book.options.items()}


def _settled(rule: OptionRule, given: OptionValue) -> Value:
    value = rule.default if given is None else given
    return tuple(value) if isinstance(value, list) else value  # type: ignore[arg-type]  # a list of text is never allowed


def _option_problem(book: Rulebook, name: str, value: OptionValue) -> str | None:
    rule = book.options.get(name)
    if rule is None:
        known = sorted(book.options)
        meant = did_you_mean(name, known)
        return f"option {name}: {book.id} does not take it; allowed: {values_in_words(known)}{meant}"
    if value is None:
        return None
    if allows(rule, value) and _fits_book(book, name, value):
        return None
    allowed = allowed_words(book, name)
    return f"option {name}: {value_in_words(value)} is not allowed; allowed: {allowed}{_meant(rule, value)}"


def _fits_book(book: Rulebook, name: str, value: OptionValue) -> bool:
    """Whether a value fits the book beyond the option's own rule: its seats, its structures."""
    if name == SEATS_OPTION:
        return _fits_seats(book, value)
    free = name == STRUCTURE_OPTION and book.options[name].values is None
    return not free or value in book.structures


def _fits_seats(book: Rulebook, value: OptionValue) -> bool:
    return _whole(value) and book.seats.least_players <= value <= book.seats.most  # type: ignore[operator]  # whole: an int


def _meant(rule: OptionRule, value: OptionValue) -> str:
    names = [allowed for allowed in rule.values or () if isinstance(allowed, str)]
    return did_you_mean(value, names) if isinstance(value, str) else ""


def allows(rule: OptionRule, value: object) -> bool:
    """Whether an option may have the value; a truth value is no number."""
    if rule.values is not None and not any(
        type(value) is type(allowed) and value == allowed for allowed in rule.values
    ):
        return False
    return _IS_OF_KIND[rule.kind](value)


def allowed_words(book: Rulebook, name: str, unit: str = AmountUnit.CENTS) -> str:
    """The values that an option of the book may have, for an error message or a printed book.

    `unit`: the unit of amounts; an error message names the field's, as events do.
    """
    if name == SEATS_OPTION:
        return f"{book.seats.least_players} to {book.seats.most}"
    if name == STRUCTURE_OPTION and book.options[name].values is None:
        return values_in_words(book.structures) if book.structures else "the id of a blind structure"
    return kind_words(book.options[name], unit)


def kind_words(rule: OptionRule, unit: str = AmountUnit.CENTS) -> str:
    """The values that a rule by itself allows. `unit`: the unit of amounts."""
    if rule.values is not None:
        return values_in_words(map(_worded, rule.values))
    return _KIND_WORDS[rule.kind].format(unit=unit)


def _worded(value: object) -> str:
    return value_in_words(value) if isinstance(value, bool) else str(value)


def _whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _positive_seconds(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value) and value > 0


def _cents(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def _cents_list(value: object) -> bool:
    if not isinstance(value, list | tuple) or not 1 <= len(value) <= MOST_BLINDS:
        return False
    return all(map(_cents, value)) and list(value) == sorted(value)


_ALL_OF_IT: Final = 100  # percent

_IS_OF_KIND: Final[Mapping[OptionKind, Callable[[object], bool]]] = {
    "flag": lambda value: isinstance(value, bool),
    "number": lambda value: isinstance(value, int) and not isinstance(value, bool) and value >= 0,
    "percent": lambda value: _whole(value) and 0 <= value <= _ALL_OF_IT,  # type: ignore[operator]  # whole: an int
    "cents": _cents,
    "seconds": _positive_seconds,
    "choice": lambda value: isinstance(value, str) or _whole(value),
    "cents_list": _cents_list,
}
_KIND_WORDS: Final[Mapping[OptionKind, str]] = {
    "flag": "true, false",
    "number": "a whole number, 0 or more",
    "percent": f"a whole number from 0 to {_ALL_OF_IT}",
    "cents": "a whole number of {unit}, 1 or more",
    "seconds": "a number of seconds above 0",
    "choice": "a name",
    "cents_list": f"a list of 1 to {MOST_BLINDS} amounts in {{unit}}, 1 or more each, none below the one before",
}
