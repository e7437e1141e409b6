"""The tables' part: the blinds of each table's last hand, the order of breaking, and which tables wait for a player."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from floor_fsm.core.parts import Parts
from floor_fsm.drawing import Place
from floor_fsm.errors import Reason, Refused
from floor_fsm.law.law import ruled
from floor_fsm.positions import clockwise, hands_to_big_blind, is_between
from floor_fsm.state.by_table import by_table
from floor_fsm.state.entries import Entries, Standing
from floor_fsm.state.opening import opened
from floor_fsm.state.seating import Seating, free_seats, in_use, require_in_use, require_plays


@dataclass(frozen=True, slots=True)
class Blinds:
    """The blinds of a table's last hand: seats."""

    hand: int
    big_blind: int
    small_blind: int | None


@dataclass(frozen=True, slots=True)
class Tables:
    """The tables' part. `waits`: the seat at which a table waits for a player. `dealt`: a table has told of a hand."""

    blinds: Mapping[str, Blinds] = field(default_factory=dict)
    order: tuple[str, ...] = ()
    waits: Mapping[str, int] = field(default_factory=dict)
    dealt: bool = False


@dataclass(frozen=True, slots=True)
class Position:
    """What a place means for its player. `to_big_blind`: hands until it has the big blind, 0: the next hand.

    `dealt_out`: it lies between the button and the small blind in the next hand, so its player waits for one.
    """

    to_big_blind: int
    dealt_out: bool


@dataclass(frozen=True, slots=True)
class Wanted:
    """A move that the book wants. `clause`: of the book."""

    entry: int
    source: Place
    target: Place
    clause: str


def position_of(parts: Parts, place: Place) -> Position | None:
    """What a place means in the next hand of its table; None where the table has told of no hand yet."""
    blinds = parts.of(Tables).blinds.get(place.table)
    if blinds is None:
        return None
    others = [seat for seat in parts.of(Seating).at(place.table) if seat != place.seat]
    breaking = parts.law.book.breaking
    waits = breaking is None or breaking.newcomer == "waits_between_button_and_small_blind"
    between = bool(others) and is_between(place.seat, others, blinds.small_blind, blinds.big_blind)
    return Position(hands_to_big_blind(place.seat, others, blinds.big_blind), waits and between)


def move_by_book(parts: Parts, table: str, to: str) -> Wanted:
    """Who moves from a table to another, and where to.

    Refuses where the book leaves it to a person, where a table has told of no hand, and where neither table would be
    better off.
    """
    rule = ruled(parts.law.book.balancing, "balancing")
    if "a_person_decides" in (rule.mover, rule.to):
        raise Refused(Reason.NOT_IN_THE_BOOK, "the book leaves it to the director who moves, and where to", rule.clause)
    for name in (table, to):
        require_in_use(parts, name)
    require_plays(parts, to)
    seating, free = parts.of(Seating), free_seats(parts)[to]
    more, fewer = len(seating.at(table)), len(seating.at(to))
    if more - fewer <= rule.apart or not free:
        raise Refused(
            Reason.BALANCED_ALREADY,
            f"table {table} has {more} players and table {to} has {fewer}: nobody moves between them",
            rule.clause,
        )
    source, target = blinds_of(parts, table), blinds_of(parts, to)
    seat = clockwise(seating.at(table), source.big_blind)[0 if rule.mover == "next_big_blind" else -1]
    taken = clockwise(free, target.big_blind)[0 if rule.to == "worst_position" else -1]
    return Wanted(seating.at(table)[seat], Place(table, seat), Place(to, taken), rule.clause)


def blinds_of(parts: Parts, table: str) -> Blinds:
    """The blinds of a table's last hand. Refuses a table that has told of none."""
    blinds = parts.of(Tables).blinds.get(table)
    if blinds is None:
        raise Refused(
            Reason.NO_HAND_TOLD, f"table {table} has told of no hand: nobody knows whose big blind is next there"
        )
    return blinds


def next_move(parts: Parts) -> Wanted | None:
    """The move that the book wants next: from the fullest table to the emptiest, by the order of the opening.

    None where the tables are balanced, where the book leaves it to a person, or where a table has told of no hand.
    """
    seating, tables = parts.of(Seating), in_use(parts)
    emptiest = min(tables, key=lambda table: len(seating.at(table)))
    fullest = max(tables, key=lambda table: len(seating.at(table)))
    try:
        return move_by_book(parts, fullest, emptiest)
    except Refused:  # why not is at the desk, which asks `move_by_book` itself
        return None


def next_to_break(parts: Parts) -> str | None:
    """The table that breaks next by the announced order, where the others can seat its players; else None."""
    seating, free = parts.of(Seating), free_seats(parts)
    for table in parts.of(Tables).order:
        if table in free:
            elsewhere = sum(len(seats) for name, seats in free.items() if name != table)
            return table if len(free) > 1 and elsewhere >= len(seating.at(table)) else None
    return None


def waiting_tables(parts: Parts) -> dict[str, int]:
    """The tables that must not deal, with the seat that waits for a player.

    By the book's row: a table that is so many players short, when its big blind would reach a free seat. Only while
    somebody can come: another table has players to give, or people wait for a seat.
    """
    rule = parts.law.book.balancing
    if rule is None or rule.stops_when_short is None:
        return {}
    blinds, found = parts.of(Tables).blinds, dict[str, int]()
    if not blinds:
        return {}
    there_at, broken = by_table(parts.of(Seating).places), frozenset(parts.of(Seating).broken)
    used = [known for known in opened(parts).tables if known.table not in broken]
    short = [
        known
        for known in used
        if known.table in blinds and 0 < len(there_at.get(known.table, ())) <= len(known.seats) - rule.stops_when_short
    ]
    if not short:
        return {}
    fullest = max(len(there_at.get(known.table, ())) for known in used)
    people: bool | None = None
    for known in short:
        there = there_at[known.table]
        reached = clockwise(known.seats, blinds[known.table].big_blind)[0]
        if reached in there:
            continue
        if fullest - len(there) <= rule.apart:
            people = bool(parts.of(Entries).standing(Standing.WAITING)) if people is None else people
            if not people:
                continue
        found[known.table] = reached
    return found
