"""The seating's part: who sits where, and which tables are broken."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

from floor_fsm.core.parts import Parts
from floor_fsm.drawing import Place
from floor_fsm.errors import Reason, Refused
from floor_fsm.state.by_table import after, by_table
from floor_fsm.state.entries import entry_of
from floor_fsm.state.floor import Time
from floor_fsm.state.hands import Hands
from floor_fsm.state.opening import opened, seats_of


@dataclass(frozen=True, slots=True)
class Break:
    """How a table was broken: where its players sat, which seats they got, and the last hand of those tables then."""

    was: Mapping[int, Place]
    given: Mapping[int, Place]
    hands: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class BeforeRedraw:
    """Where everybody sat before all seats were drawn anew, and which tables were broken then."""

    places: Mapping[int, Place]
    broken: tuple[str, ...]
    breaks: Mapping[str, Break]


@dataclass(frozen=True, slots=True)
class Seating:
    """The seating's part: each entry's place, the table at which each entry ended, and the tables that are broken.

    `left`: the place that each entry which is out had last.

    `moved`: the entries that the last event which gave seats has moved from one seat to another. `breaks`: of the
    broken tables whose players got a seat each, by a draw for them or by hand. `redrawn`: what was before the last
    redraw, until a hand.
    """

    places: Mapping[int, Place] = field(default_factory=dict)
    ended: Mapping[int, str] = field(default_factory=dict)
    left: Mapping[int, Place] = field(default_factory=dict)
    broken: tuple[str, ...] = ()
    moved: tuple[int, ...] = ()
    breaks: Mapping[str, Break] = field(default_factory=dict)
    redrawn: BeforeRedraw | None = None

    @property
    def has_begun(self) -> bool:
        """Whether somebody has, or had, a seat."""
        return bool(self.places or self.ended)

    def at(self, table: str) -> Mapping[int, int]:
        """The entries of a table by seat."""
        return by_table(self.places).get(table, {})

    def sitting(self, places: Mapping[int, Place]) -> "Seating":
        """The same with these entries at these places, wherever they were."""
        now = {**self.places, **places}
        after(self.places, now, places)
        return replace(self, places=now)

    def without(self, entries: Collection[int]) -> "Seating":
        """The same without these entries, each of which has a seat."""
        now = dict(self.places)
        gone = {entry: now.pop(entry) for entry in entries}
        after(self.places, now, gone)
        ended = {**self.ended, **{entry: place.table for entry, place in gone.items()}}
        return replace(self, places=now, ended=ended, left={**self.left, **gone})


def level_begun(parts: Parts, t: float) -> int:
    """The level that has begun by the clock; 0 without a schedule, and in the first level before anybody has a seat."""
    clock = parts.of(Time).clock
    level = 0 if clock is None else clock.reading(t).level.number
    return level if level > 1 or parts.of(Seating).has_begun else 0


def in_use(parts: Parts) -> tuple[str, ...]:
    """The tables that are not broken, in the order of the opening."""
    broken = frozenset(parts.of(Seating).broken)
    return tuple(table.table for table in opened(parts).tables if table.table not in broken)


def free_seats(parts: Parts) -> dict[str, tuple[int, ...]]:
    """The free seats of each table in use; while hand for hand goes on, of each table that plays it."""
    seating, play = parts.of(Seating), parts.of(Hands).play
    broken = frozenset(seating.broken)
    found: dict[str, tuple[int, ...]] = {}
    for known in opened(parts).tables:
        if known.table not in broken and (play is None or known.table in play.tables):
            taken = seating.at(known.table)
            found[known.table] = tuple(seat for seat in known.seats if seat not in taken) if taken else known.seats
    return found


def place_of(parts: Parts, entry: int) -> Place:
    """Where an entry sits. Raises Refused for one that has no seat."""
    place = parts.of(Seating).places.get(entry)
    if place is None:
        raise Refused(Reason.NOT_SEATED, f"entry {entry} has no seat")
    return place


def require_in_use(parts: Parts, table: str) -> None:
    """Refuse a table that the tournament does not have, or that is broken."""
    seats_of(parts, table)
    if table in parts.of(Seating).broken:
        raise Refused(Reason.TABLE_IS_BROKEN, f"table {table} is broken: choose another")


def require_plays(parts: Parts, table: str) -> None:
    """Refuse a table outside hand for hand while it goes on: it would deal at its own pace, with no hand to tell."""
    play = parts.of(Hands).play
    if play is not None and table not in play.tables:
        raise Refused(
            Reason.WRONG_STATE,
            f"hand for hand is played without table {table}: choose a table that plays it, or end it first",
            play.rules.clause,
        )


def require_free(parts: Parts, place: Place) -> None:
    """Refuse a seat that there is not, that somebody has, or whose table is outside the hand for hand that goes on."""
    require_in_use(parts, place.table)
    require_plays(parts, place.table)
    if place.seat not in seats_of(parts, place.table):
        raise Refused(Reason.NO_SUCH_SEAT, f"table {place.table} has no seat {place.seat}")
    holder = parts.of(Seating).at(place.table).get(place.seat)
    if holder is not None:
        name = entry_of(parts, holder).name
        raise Refused(Reason.SEAT_IS_TAKEN, f"seat {place.seat} of table {place.table} is {name}'s (entry {holder})")
