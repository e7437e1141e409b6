"""Wishes of the floor for its tables, pure: what is wished, what people and tables have said to it, what that makes.

A wish names tables and what they shall play, which settings hold there, or which version of feltd they shall run.
Nothing of it goes to a table before a second person has approved it. Then one table, the canary, takes it; when that
has held it for the time that was set, and no alarm has come there since, the others do. A person may stop it at any
moment, and an alarm at the canary does: nothing more of it goes out then, and who took it keeps it. The latest wish of
a kind that is approved holds for a table. What a table had before it took a wish is kept: another wish brings it back.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Final, Protocol

from feltd.door.wishing import BookPlay, TableSettings, is_too_far, number_at

TABLES_MOST: Final = 1000
"""Of one wish."""
NUMBER_MOST: Final = 2**63 - 1
"""No wish has a higher number: as many as the database counts."""
CLOCKS_APART: Final = 5.0
"""Seconds by which a table's clock may be slow without an alarm, and more."""
_MADE_BY: Final = " token "
"""A token of lea's is on record as `lea token 1a2b3c4d`."""


class StepKind(StrEnum):
    """What was said to a wish."""

    APPROVED = "approved"
    """By a second person."""
    STOPPED = "stopped"
    """By a person, or by floord for an alarm at the canary."""
    RELEASED = "released"
    """The canary has held it: the others take it now."""
    TAKEN = "taken"
    """By a table. `words`: what it played before, or which settings held, as JSON; empty where that is not known."""
    HELD = "held"
    """By a table, whose record said so for the first time."""
    REFUSED = "refused"
    """By a table. `words`: why."""


OF_PEOPLE: Final = frozenset({StepKind.APPROVED, StepKind.STOPPED})


class Said(StrEnum):
    """What became of a step."""

    DONE = "done"
    UNKNOWN = "unknown"
    """There is no wish of this number."""
    SAME_PERSON = "same person"
    """Who wished it does not approve it."""
    OVER = "over"
    """It is approved, or stopped, already; or it was not approved."""


class WishKind(StrEnum):
    """What is wished."""

    BOOK = "book"
    SETTINGS = "settings"
    VERSION = "version"


class Stage(StrEnum):
    """How far a wish is."""

    PROPOSED = "proposed"
    CANARY = "canary"
    ROLLING = "rolling"
    STOPPED = "stopped"


Governs = dict[tuple[WishKind, str], int]
"""By kind and table, the number of the wish that holds."""


class Holds(StrEnum):
    """How a table stands to a wish."""

    HELD = "held"
    WISHED = "wished"
    """It is to be sent, or on its way."""
    TAKEN = "taken"
    """The table has it on record, and plays it from the next time between two rounds."""
    LEFT = "left"
    """It held it, and does not any more: somebody has changed its own file, or its card is a new one."""
    WAITS = "waits"
    """For a second person, or for the canary."""
    REFUSED = "refused"
    AWAY = "away"
    REPLACED = "replaced"
    """A later wish holds for this table."""
    STOPPED = "stopped"


@dataclass(frozen=True, slots=True)
class Wish:
    """What somebody wishes. `number`: 0 before it is kept; `canary`: empty where all tables take it at once.

    `hold`: seconds for which the canary must hold it; `plays`: by table, none in a wish for a `version` of feltd or for
    `settings`, which are by table too;
    `back_of`: the wish that it takes back;
    `account`: of whoever wished it, and `who`: the same for people; `at`: seconds since 1970.
    """

    tables: tuple[str, ...]
    canary: str
    hold: float
    plays: Mapping[str, BookPlay]
    who: str
    account: str
    why: str
    back_of: int | None = None
    number: int = 0
    at: float = 0.0
    version: str = ""
    settings: Mapping[str, TableSettings] = field(default_factory=dict)

    @property
    def kind(self) -> WishKind:
        """What it is for: of each kind, one wish holds for a table."""
        if self.settings:
            return WishKind.SETTINGS
        return WishKind.VERSION if self.version else WishKind.BOOK

    def held_by(self, table: str, now: "TableNow") -> bool:
        """Whether a table is as this wishes it, by its record."""
        if self.version:
            return now.software == self.version
        if self.settings:
            return now.settings == self.settings[table]
        return now.play is not None and now.play.is_as(self.plays[table])


@dataclass(frozen=True, slots=True)
class Step:
    """Something that was said to a wish. `table`: empty where a person or floord said it; `at`: seconds since 1970."""

    wish: int
    kind: StepKind
    who: str
    account: str
    words: str
    table: str = ""
    at: float = 0.0


@dataclass(frozen=True, slots=True)
class HeldBefore:
    """What held before a table's start. `wall`: of the start, by the table's clock.

    `number`: of the wish that the table remembered at the start, 0 for none; None where the start did not say.
    """

    wall: float
    held: BookPlay | TableSettings
    number: int | None = None


@dataclass(frozen=True, slots=True)
class TakenWish:
    """A wish as a table's record has it: what it `said` there, and what held `before`, None where that is not known.

    `starts`: of a table that had the wish in force already, what held before each of its last starts.
    """

    number: int
    said: Mapping[str, Any]
    before: BookPlay | TableSettings | None
    starts: Sequence[HeldBefore] = ()

    def had(self, steps: Iterable["Step"]) -> BookPlay | TableSettings | None:
        """What held before it was taken. `steps`: that were said to it."""
        return before_start(self.number, self.starts, steps) or self.before

    def says(self, wish: Wish, table: str) -> bool:
        """Whether it is this wish: a floor that was put back to a backup counts the same numbers once more."""
        if wish.version:
            return bool(self.said["version"] == wish.version)
        if wish.settings:
            return bool(self.said == wish.settings[table].values)
        return BookPlay(**self.said).is_as(wish.plays[table])


@dataclass(frozen=True, slots=True)
class TableNow:
    """A table as the floor knows it. `reached`: something can be sent to it; `play`: None where it is not known."""

    reached: bool
    play: BookPlay | None
    software: str | None = None
    """The version of feltd that it runs; None where it is not known."""
    settings: TableSettings | None = None
    """Those that hold by a wish; None where that is not known."""
    taken: Mapping[WishKind, "TakenWish"] = field(default_factory=dict)
    """What it took last of each kind, by its record."""
    had: Mapping[WishKind, Sequence[HeldBefore]] = field(default_factory=dict)
    """What it had before its last starts, of each kind of which it has taken no wish since."""

    def took(self, wish: Wish, table: str) -> "TakenWish | None":
        """What this table's record says of this wish, if it is the last of its kind there; None where it is not."""
        taken = self.taken.get(wish.kind)
        if taken is None or taken.number != wish.number:
            return None
        return taken if taken.says(wish, table) else None

    def as_before(self, wish: Wish, steps: Iterable["Step"], table: str) -> BookPlay | TableSettings | None:
        """What a wish would change, for the way back; None where that is not known, or there is none.

        A table whose process ended between its memory and its record has what is wished since a start behind its
        approval. One that had it before is so by its own file.
        """
        had = before_start(wish.number, self.had.get(wish.kind, ()), steps) if wish.held_by(table, self) else None
        return had or {WishKind.BOOK: self.play, WishKind.SETTINGS: self.settings, WishKind.VERSION: None}[wish.kind]


def before_start(number: int, starts: Iterable[HeldBefore], steps: Iterable["Step"]) -> BookPlay | TableSettings | None:
    """What held before the first start that had this wish; None for none. `steps`: said to the wish.

    A start says which wish the table remembered. Of one that does not, of an older feltd, the clocks tell whether it
    lies behind the approval.
    """
    approved = next((step.at for step in steps if step.kind is StepKind.APPROVED), None)
    for one in starts:
        by_clock = approved is not None and one.wall >= approved - CLOCKS_APART
        if by_clock if one.number is None else one.number == number:
            return one.held
    return None


class Wishes(Protocol):
    """Where they are kept. Each call raises FloorAwayError."""

    async def add(self, wish: Wish, above: int = 0, most: int = NUMBER_MOST) -> int:
        """Keep a wish for good; return its number, which is `above` this one too (`number_behind`).

        0 where that would be more than `most`: nothing is kept.
        """

    async def say(self, step: Step) -> Said:
        """Keep what was said to a wish, for good."""

    async def all(self, most: int, near: int = NUMBER_MOST) -> list[tuple[Wish, list[Step]]]:
        """The last wishes, latest first, each with what was said to it, in order.

        Those whose number is more than `near` come behind all others: so many of them hide no other.
        """


AWAY: Final = TableNow(reached=False, play=None)


def said_to(wish: Wish, steps: Sequence[Step], step: Step) -> Said:
    """What becomes of a step to a wish that has these already: the law, as the database has it too."""
    stage = stage_of(wish, steps)
    if stage is Stage.STOPPED:
        approved = is_approved(steps)
        return Said.DONE if approved and step.kind is StepKind.TAKEN else Said.OVER
    if step.kind is StepKind.APPROVED:
        if stage is not Stage.PROPOSED:
            return Said.OVER
        return Said.SAME_PERSON if same_person(step.account, wish.account) else Said.DONE
    if step.kind is StepKind.STOPPED:
        return Said.DONE
    return Said.OVER if stage is Stage.PROPOSED else Said.DONE


def same_person(one: str, other: str) -> bool:
    """Whether two accounts are of one person: a token's is that of whoever made it."""
    return one.partition(_MADE_BY)[0] == other.partition(_MADE_BY)[0]


def stage_of(wish: Wish, steps: Iterable[Step]) -> Stage:
    """How far a wish is, by what was said to it."""
    said = {step.kind for step in steps}
    if StepKind.STOPPED in said:
        return Stage.STOPPED
    if StepKind.APPROVED not in said:
        return Stage.PROPOSED
    return Stage.ROLLING if not wish.canary or StepKind.RELEASED in said else Stage.CANARY


def number_behind(last: int, now: float) -> int:
    """The number of a new wish. `last`: the highest that is known; `now`: seconds since 1970.

    It passes with time: a floor that was put back to a backup does not know which numbers were given since, and tables
    that took them may not be here. Given a second time, a number would say of an older wish that it is the later one.
    """
    return max(last + 1, number_at(now))


def _nothing(kind: WishKind, table: str) -> int:
    return 0


def governing(
    wishes: Iterable[tuple[Wish, Sequence[Step]]], on_record: Callable[[WishKind, str], int] = _nothing
) -> Governs:
    """By kind and table, the number of the wish that holds: one that was stopped too, where the table took it.

    `on_record`: the number of the wish of a kind that a table took last, as its record says: a floor that was put back
    to a backup may not know that wish, and its own are older.
    """
    held: Governs = {}
    for wish, steps in wishes:
        stage = stage_of(wish, steps)
        took = {step.table for step in steps if step.kind is StepKind.TAKEN}
        for table in wish.tables if stage in {Stage.CANARY, Stage.ROLLING} else took:
            held[wish.kind, table] = max(wish.number, held.get((wish.kind, table), 0))
    return {(kind, table): max(number, on_record(kind, table)) for (kind, table), number in held.items()}


def first_of(wish: Wish, governs: Governs) -> str:
    """The table that takes a wish first: the one that was named, or another where a later wish holds for that one.

    Else such a wish would wait for ever at all its tables. Empty where all take it at once.
    """
    if not wish.canary or governs.get((wish.kind, wish.canary)) == wish.number:
        return wish.canary
    left = (table for table in wish.tables if governs.get((wish.kind, table)) == wish.number)
    return next(left, wish.canary)


def holds(wish: Wish, steps: Sequence[Step], table: str, now: TableNow, governs: Governs) -> Holds:
    """How a table stands to a wish. `governs`: which wish holds for each table."""
    stage = stage_of(wish, steps)
    if stage is Stage.STOPPED:
        return Holds.STOPPED
    if stage is Stage.PROPOSED:
        return Holds.WAITS
    if governs.get((wish.kind, table)) != wish.number:
        return Holds.REPLACED
    last = last_of(steps, table)
    taken = last is not None and last.kind in {StepKind.TAKEN, StepKind.HELD}
    if taken and wish.held_by(table, now):
        return Holds.HELD
    if taken and now.reached:
        return Holds.LEFT if last is not None and last.kind is StepKind.HELD else Holds.TAKEN
    if stage is Stage.CANARY and table != first_of(wish, governs):
        return Holds.WAITS
    if not now.reached:
        return Holds.AWAY
    return Holds.REFUSED if last is not None and last.kind is StepKind.REFUSED else Holds.WISHED


def last_of(steps: Sequence[Step], table: str) -> Step | None:
    """The last thing that a table said. What it refuses once it has taken the wish is the same wish once more."""
    refused = None
    for step in reversed(steps):
        if step.table == table and step.kind is not StepKind.REFUSED:
            return step
        if step.table == table:
            refused = refused or step
    return refused


def is_approved(steps: Iterable[Step]) -> bool:
    """Whether somebody has approved the wish of these steps."""
    return any(step.kind is StepKind.APPROVED for step in steps)


def held_before(steps: Iterable[Step]) -> dict[str, str]:
    """What tables played, or had set, before they took a wish, as JSON, by table; those of whom it is known."""
    before: dict[str, str] = {}
    for step in steps:
        if step.kind is StepKind.TAKEN and step.words:
            before.setdefault(step.table, step.words)  # taken again, it played the wish itself before
    return before


class MemoryWishes:
    """In memory. `saved` and `put_back` are a backup and its return."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._wishes: dict[int, tuple[Wish, list[Step]]] = {}

    def saved(self) -> dict[int, tuple[Wish, list[Step]]]:
        """A backup."""
        return {number: (wish, list(steps)) for number, (wish, steps) in self._wishes.items()}

    def put_back(self, backup: dict[int, tuple[Wish, list[Step]]]) -> None:
        """Everything as it was at a backup, which is used up."""
        self._wishes = backup

    async def add(self, wish: Wish, above: int = 0, most: int = NUMBER_MOST) -> int:
        """See `Wishes`."""
        now = self._clock()
        known = (number for number in self._wishes if not is_too_far(number, now))
        number = number_behind(max(above, *known, 0), now)
        if number > most:
            return 0
        self._wishes[number] = replace(wish, number=number, at=self._clock()), []
        return number

    async def say(self, step: Step) -> Said:
        """See `Wishes`."""
        if step.wish not in self._wishes:
            return Said.UNKNOWN
        wish, steps = self._wishes[step.wish]
        said = said_to(wish, steps, step)
        if said is Said.DONE:
            steps.append(replace(step, at=self._clock()))
        return said

    async def all(self, most: int, near: int = NUMBER_MOST) -> list[tuple[Wish, list[Step]]]:
        """See `Wishes`."""
        numbers = sorted(self._wishes, key=lambda number: (number > near, -number))[:most]
        return [(wish, list(steps)) for wish, steps in (self._wishes[number] for number in numbers)]
