"""Which of the faults of one event are ruled on: the book's rows, else the graver outcome.

The law, for two faults of which the first is the graver (`Precedence.order`):

1. Where a row of the book (`[[stands]]`) names both, the row decides.
2. A fault whose ruling ends the round leaves standing what a new round does not mend: warnings, and what is about the
   pack, the shoe, the players or the money. It hides the rest.
3. Faults about one subject (`subjects`), of one seat or of no seat, are one matter: the graver one is ruled on.
4. All others are ruled on each by itself. A warning never hides another irregularity.

A fault that is not ruled on hides nothing, by a row of the book neither.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Protocol, TypeVar

from table_fsm.rulebook.irregularities import Irregularity
from table_fsm.rulebook.model import Book, Row, StandsRow
from table_fsm.rulebook.outcomes import Outcome
from table_fsm.rulebook.subjects import SUBJECT_OF, Subject

ENDS_ROUND: Final = frozenset({Outcome.MISDEAL, Outcome.VOID_ROUND})
"""Outcomes after which the cards are collected."""
ONLY_TELLS: Final = frozenset({Outcome.WARN, Outcome.PLAY_ON, Outcome.PENALTY_FLOOR})
"""Outcomes that change nothing in the round."""
_OF_THE_PACK: Final = frozenset({Outcome.CHECK_DECK, Outcome.REPLACE_SHOE})
_PLACE: Final = {
    irregularity: at
    for at, irregularity in enumerate(
        sorted(Irregularity, key=lambda irregularity: list(Subject).index(SUBJECT_OF[irregularity]))
    )
}


class Fault(Protocol):
    """What the law must know of a fault: its irregularity, the row that answers it, its seat and its pack."""

    @property
    def irregularity(self) -> Irregularity: ...
    @property
    def row(self) -> Row: ...
    @property
    def seat(self) -> int | None: ...
    @property
    def deck(self) -> str | None: ...


_FaultT = TypeVar("_FaultT", bound=Fault)


@dataclass(frozen=True, slots=True)
class Precedence:
    """The precedence of a book."""

    gravity: tuple[Outcome, ...]
    """All outcomes, the gravest first."""
    over: frozenset[tuple[Irregularity, Outcome, Irregularity]]
    """An irregularity, with its ruling's outcome, that the book rules on alone, and the one that it hides."""
    beside: frozenset[tuple[Irregularity, Outcome, Irregularity]]
    """An irregularity, with its ruling's outcome, and one that the book rules on beside it.

    The same one where two of its rows may answer faults at one seat, each with its clause.
    """

    @classmethod
    def of(cls, book: Book) -> "Precedence":
        """The precedence that a merged book states."""
        return cls(
            book.precedence.gravity,
            frozenset(named for row in book.stands for other in row.over for named in _pairs(row, other)),
            frozenset(named for row in book.stands for other in row.beside for named in _pairs(row, other)),
        )

    def order(self, irregularity: Irregularity, row: Row) -> tuple[int, int, str, str]:
        """Where a fault stands among others, the gravest first.

        By its gravest outcome; of two outcomes equally grave the irregularity that its subject lists first comes first;
        of two rows of one irregularity the one with the lower clause.
        """
        gravest = min(self.gravity.index(outcome) for outcome in (row.outcome, *row.also))
        return gravest, _PLACE[irregularity], row.rule, row.text

    def first_alike(self, irregularity: Irregularity, rows: Sequence[Row]) -> list[tuple[Row, Row]]:
        """Rows of one irregularity that say different things and have the same place in the order, by pairs."""
        first: dict[tuple[int, int, str, str], Row] = {}
        alike = []
        for row in rows:
            other = first.setdefault(self.order(irregularity, row), row)
            if (row.outcome, row.also, row.authority) != (other.outcome, other.also, other.authority):
                alike.append((other, row))
        return alike

    def standing(self, faults: Sequence[_FaultT], ruled: Iterable[Fault] = ()) -> list[_FaultT]:
        """The faults of one event that are ruled on, the mildest first.

        `ruled`: those that have been ruled on already. Faults equally grave keep the order in which they were found.
        """
        stand: list[_FaultT] = []
        by_row: list[_FaultT] = []
        earlier = list(ruled)
        for fault in sorted(faults, key=lambda fault: (self.order(fault.irregularity, fault.row), fault.seat or 0)):
            by_law: list[Fault] = [*earlier, *stand]
            if any(_named(self.over, other, fault) for other in faults):
                by_row.append(fault)
            elif not any(self._hides(other, fault) for other in by_law):
                stand.append(fault)
        for fault in by_row:  # what a row sets over it may be hidden itself, and then hides nothing
            by_law = [*earlier, *stand]
            if not any(self._hides(other, fault) or self._hides(fault, other) for other in by_law):
                stand.append(fault)
        gravity = {id(fault): self.order(fault.irregularity, fault.row)[0] for fault in stand}
        found = {id(fault): at for at, fault in enumerate(faults)}
        return sorted(stand, key=lambda fault: (-gravity[id(fault)], found[id(fault)]))

    def _hides(self, graver: Fault, other: Fault) -> bool:
        beside = _named(self.beside, graver, other) or _named(self.beside, other, graver)
        if (beside and graver.row is not other.row) or _named(self.over, other, graver):
            return False
        if _named(self.over, graver, other):
            return True
        if _outcomes(graver) & ENDS_ROUND and not outlasts_round(other.irregularity, other.row):
            return True
        return _one_matter(graver, other)


def _pairs(row: StandsRow, other: Irregularity) -> list[tuple[Irregularity, Outcome, Irregularity]]:
    outcomes = Outcome if row.outcome is None else [row.outcome]
    return [(row.irregularity, outcome, other) for outcome in outcomes]


def _named(pairs: frozenset[tuple[Irregularity, Outcome, Irregularity]], first: Fault, other: Fault) -> bool:
    """Whether a rule of precedence names the first fault, as it is ruled on, before the other."""
    return (first.irregularity, first.row.outcome, other.irregularity) in pairs


def outlasts_round(irregularity: Irregularity, row: Row) -> bool:
    """Whether a ruling says something that holds when the round has been ended too."""
    outcomes = {row.outcome, *row.also}
    if outcomes <= ONLY_TELLS or outcomes & _OF_THE_PACK:
        return True
    return SUBJECT_OF[irregularity].outlasts_round and not outcomes <= ENDS_ROUND


def _one_matter(graver: Fault, other: Fault) -> bool:
    """Whether two faults are one matter, so that the graver one speaks for both."""
    if graver.irregularity is other.irregularity:
        return graver.seat == other.seat and graver.deck == other.deck
    one_seat = graver.seat == other.seat or None in {graver.seat, other.seat}
    one_pack = graver.deck == other.deck or None in {graver.deck, other.deck}
    if _outcomes(graver) <= ONLY_TELLS:
        return False
    return one_seat and one_pack and SUBJECT_OF[graver.irregularity] is SUBJECT_OF[other.irregularity]


def _outcomes(fault: Fault) -> frozenset[Outcome]:
    return frozenset((fault.row.outcome, *fault.row.also))
