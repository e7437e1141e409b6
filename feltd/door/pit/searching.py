"""What people look for over all tables that they see: rounds, rulings, and how much there was of each."""

from dataclasses import dataclass
from typing import Final

from feltd.door.commands import Person
from feltd.door.wire.calls import Call

DAYS_MOST: Final = 31
ROUNDS_MOST: Final = 50
RULINGS_MOST: Final = 100
IN_A_REPORT: Final = 1000
"""Rulings in a printed report."""


@dataclass(frozen=True, slots=True)
class PitSearch:
    """What is looked for, in a person's name.

    `since`, `until`: seconds since 1970, both ends included. `table`: of this table alone; `kind`: an irregularity that
    was ruled on. `before`: the lists go on with what was before then; None from the end.
    """

    account: str
    since: float
    until: float
    table: str | None = None
    kind: str | None = None
    before: float | None = None


@dataclass(frozen=True, slots=True)
class PitReport:
    """A search that is handed out: it goes on record with who has it, first."""

    person: Person
    search: PitSearch


@dataclass(frozen=True, slots=True)
class PitRound:
    """A round. `ended`, `result`: None while it goes on; times are seconds since 1970, by the table's clock."""

    table: str
    number: int
    began: float
    ended: float | None
    book: str | None
    dealer: str | None
    result: str | None
    rulings: int


@dataclass(frozen=True, slots=True)
class PitRuled:
    """A ruling. `decision`, `staff`: what a person made of it, and who; None where nobody did."""

    table: str
    entry: int
    round: int | None
    at: float
    rulebook: str | None
    rule: str | None
    irregularity: str | None
    outcome: str | None
    seat: int | None
    text: str | None
    pending: bool
    decision: str | None = None
    staff: str | None = None


@dataclass(frozen=True, slots=True)
class PitCount:
    """How much there was at a table, or within an hour of all of them.

    `table`: None for an hour; `hour`: when it began, None for a table. `seconds`: how long the rounds that ended took.
    """

    table: str | None
    hour: float | None
    rounds: int
    misdeals: int
    seconds: float
    rulings: int
    alarms: int


@dataclass(frozen=True, slots=True)
class PitFound:
    """What a search found: rounds and rulings, the latest first; and the counts, which know no `kind` and `before`."""

    rounds: tuple[PitRound, ...]
    rulings: tuple[PitRuled, ...]
    counts: tuple[PitCount, ...]


SEARCH: Final[Call[PitSearch, PitFound]] = Call("search", PitSearch, PitFound)
REPORT: Final[Call[PitReport, PitFound]] = Call("report", PitReport, PitFound)
