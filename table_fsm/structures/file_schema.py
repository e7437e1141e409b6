"""The schema of a structure's TOML file, and checks of parts that contradict each other.

Rows stand as their source prints them.
"""

from collections.abc import Iterator, Sequence
from typing import Annotated, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

from table_fsm.structures.structure import Breaks, ReEntry
from toml_text.faults import Fault

Amount: TypeAlias = Annotated[int, Field(ge=1, le=10**12)]
Minutes: TypeAlias = Annotated[int, Field(ge=1, le=1440)]
Minute: TypeAlias = Annotated[int, Field(ge=0, le=100_000)]
Clause: TypeAlias = Annotated[str, Field(min_length=1, max_length=40)]
Words: TypeAlias = Annotated[str, Field(min_length=1, max_length=240)]


class Section(BaseModel):
    """The base of every section: immutable, and no unknown keys."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class LevelRow(Section):
    """One level.

    Its length is given as `span` (from and to, minutes of play) or as `minutes`, as its source has it.
    """

    number: int = Field(ge=1, le=1000)
    span: tuple[Minute, ...] | None = None
    minutes: Minutes | None = None
    blinds: tuple[Amount, ...] = ()
    ante: Amount | None = None
    """Posted by each player."""
    big_blind_ante: Amount | None = None
    """Posted by the big blind for all."""
    race_off: Amount | None = None
    break_after: Minutes | None = None
    """Length in minutes of the break after the level."""

    @property
    def length(self) -> int | None:
        """Length of the level in minutes; None where the row does not say."""
        if self.span is None:
            return self.minutes
        return self.span[1] - self.span[0] if len(self.span) == 2 else None

    @property
    def any_ante(self) -> int | None:
        """The ante, posted by each player or by the big blind."""
        return self.ante if self.big_blind_ante is None else self.big_blind_ante


class RebuysSection(Section):
    """See `Rebuys`."""

    last_level: int = Field(ge=1)
    stake_below: Amount
    top_up: bool
    clause: Clause


class SeatsSection(Section):
    """See `SeatLimits`."""

    least_players: int = Field(ge=2, le=100_000)
    most_players: int = Field(ge=2, le=100_000)
    per_table: int | None = Field(default=None, ge=2, le=10)
    clause: Clause


class ActionClockSection(Section):
    """See `ActionClock`."""

    seconds: int = Field(ge=1, le=3600)
    time_banks: int = Field(ge=0, le=100)
    time_bank_seconds: int = Field(ge=1, le=3600)
    clause: Clause


class Frame(Section):
    """All of a file without its levels, which are read one by one."""

    id: str = Field(pattern=r"^[a-z0-9-]+$")
    title: Words
    source: Words
    clause: Clause
    """The clause of the schedule; each level has it."""
    points: bool = False
    """Amounts are points, without a currency."""
    doubling_minutes: Minutes | None = None
    breaks: Breaks
    starting_stack: Amount | None = None
    re_entry: ReEntry
    entry_closes_level: int | None = Field(default=None, ge=1)
    rebuys: RebuysSection | None = None
    seats: SeatsSection
    action_clock: ActionClockSection | None = None


class StructureFile(Frame):
    """A whole file."""

    levels: tuple[LevelRow, ...]


def row_faults(at: int, row: LevelRow) -> Iterator[Fault]:
    """Faults of one row by itself.

    `at`: its place in the list, from 0.
    """
    path = ("levels", at)
    if row.number != at + 1:
        yield Fault((*path, "number"), f"{row.number} stands in place {at + 1}; number the levels 1, 2, 3, …")
    if (row.span is None) == (row.minutes is None):
        yield Fault(path, "a level's length stands once: give either span = [from, to] or minutes")
    elif row.span is not None and not (len(row.span) == 2 and row.span[0] < row.span[1]):
        yield Fault((*path, "span"), "give two minutes of play, from and to, the second later than the first")
    if len(row.blinds) > 3 or list(row.blinds) != sorted(row.blinds):
        yield Fault(
            (*path, "blinds"), "give at most three blinds, in order of posting, none smaller than the one before"
        )
    if not row.blinds and row.ante is None:
        yield Fault(path, "nobody posts anything; give blinds, an ante, or both")
    if row.ante is not None and row.big_blind_ante is not None:
        yield Fault((*path, "big_blind_ante"), "each player or the big blind posts the ante; leave ante or this out")
    if row.big_blind_ante is not None and len(row.blinds) < 2:
        yield Fault((*path, "big_blind_ante"), "there is no big blind to post it; give a small and a big blind")


def step_faults(at: int, before: LevelRow, row: LevelRow) -> Iterator[Fault]:
    """Faults of a row after the row before it: times join, and no amount goes down."""
    path = ("levels", at)
    if before.span and row.span and len(before.span) == 2 and row.span[0] != before.span[1]:
        text = f"the level begins at minute {row.span[0]} but the one before ends at {before.span[1]}; join them"
        yield Fault((*path, "span"), text)
    if len(row.blinds) != len(before.blinds):
        text = f"{len(row.blinds)} blinds after {len(before.blinds)}; give every level the same number"
        yield Fault((*path, "blinds"), text)
    elif any(now < then for then, now in zip(before.blinds, row.blinds, strict=True)):
        yield Fault((*path, "blinds"), "a blind is lower than in the level before; blinds stay or rise")
    if (row.any_ante or 0) < (before.any_ante or 0):
        key = "ante" if row.big_blind_ante is None else "big_blind_ante"
        yield Fault((*path, key), "the ante is lower than in the level before; antes stay or rise")


def whole_faults(frame: Frame, rows: Sequence[LevelRow | None] | None) -> Iterator[Fault]:
    """Faults of the sections of a file beside each other.

    None stands for a row, or all rows, that cannot be read.
    """
    if rows is not None:
        yield from _schedule_faults(rows)
        yield from _break_faults(frame, rows)
        yield from _number_faults(frame, len(rows))
    if frame.re_entry is not ReEntry.NONE and frame.entry_closes_level is None:
        yield Fault(("entry_closes_level",), f're_entry = "{frame.re_entry.value}" needs an end; say when entry closes')
    seats = frame.seats
    if seats.least_players > seats.most_players:
        text = f"at least {seats.least_players} and at most {seats.most_players} players; put the smaller first"
        yield Fault(("seats", "least_players"), text)
    if seats.per_table is not None and seats.per_table > seats.most_players:
        yield Fault(("seats", "per_table"), f"a table takes more than the tournament's {seats.most_players} players")


def _schedule_faults(rows: Sequence[LevelRow | None]) -> Iterator[Fault]:
    if not rows:
        yield Fault(("levels",), "a structure without levels; give at least one")
    if rows and rows[0] and rows[0].span and rows[0].span[0] != 0:
        yield Fault(("levels", 0, "span"), f"the first level begins at minute {rows[0].span[0]}; play begins at 0")
    if len({row.span is None for row in rows if row}) > 1:
        yield Fault(("levels",), "some levels have a span and some minutes; give all of them the same")


def _break_faults(frame: Frame, rows: Sequence[LevelRow | None]) -> Iterator[Fault]:
    with_break = [at for at, row in enumerate(rows) if row and row.break_after is not None]
    if frame.breaks is Breaks.DIRECTOR:
        for at in with_break:
            text = 'breaks are at the director\'s discretion here; leave it out, or say breaks = "scheduled"'
            yield Fault(("levels", at, "break_after"), text)
    elif not with_break and None not in rows:
        yield Fault(("breaks",), 'no level has a break_after; give one, or breaks = "director"')


def _number_faults(frame: Frame, levels: int) -> Iterator[Fault]:
    rebuys_end = frame.rebuys.last_level if frame.rebuys else None
    for path, level in ((("entry_closes_level",), frame.entry_closes_level), (("rebuys", "last_level"), rebuys_end)):
        if level is not None and level > levels:
            yield Fault(path, f"there is no level {level}; the schedule has 1 to {levels}")
