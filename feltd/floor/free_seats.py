"""Which seats are free at the tables of a cash game, by each table's own record: a person decides whom to call."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from feltd.door.pit.waiting import SeatsKnown, TableFree
from feltd.floor.groups import Sight
from feltd.floor.pit_book import Line
from floor_fsm.waiting.state import Game, GameTable, Lists

LAG_MOST: Final = 50
"""Entries on their way: a table that plays has some at any time, and a third of a round is not old."""


@dataclass(frozen=True, slots=True)
class Known:
    """What the floor knows of a table. `line_of`: its record; `given_at`: seats that any room's lists give."""

    line_of: Callable[[str], Line | None]
    given_at: Callable[[str], frozenset[int]]


def free_seats(lists: Lists, floor: Known, sight: Sight, *, balanced: bool) -> tuple[TableFree, ...]:
    """The free seats of each table that a list names, but those that are given; of tables that somebody sees.

    `balanced`: of each game first the table with the fewest players of those that have a free seat for sure.
    """
    return tuple(one for game in lists.games for one in _of_game(game, floor, sight, balanced=balanced))


def _of_game(game: Game, floor: Known, sight: Sight, *, balanced: bool) -> list[TableFree]:
    tables = [table for table in game.tables if sight.sees(table.table)]
    seats = {table.table: len(table.seats) for table in tables}
    free = [_free_at(game.id, table, floor.given_at(table.table), floor.line_of(table.table)) for table in tables]
    if not balanced:
        return free
    offers = [one for one in free if one.known is SeatsKnown.NOW and one.free]
    offers.sort(key=lambda one: seats[one.table] - len(one.free))
    return [*offers, *(one for one in free if one not in offers)]


def _free_at(game: str, table: GameTable, given: frozenset[int], line: Line | None) -> TableFree:
    if line is None or not line.fold.seq:
        return TableFree(game, table.table, (), SeatsKnown.NEVER)
    plays = _plays(line)
    taken = given | {*line.fold.facts.seats}
    free = tuple(seat for seat in table.seats if seat not in taken) if plays is SeatsKnown.NOW else ()
    return TableFree(game, table.table, free, _unsure(line) or plays, line.heard)


def _plays(line: Line) -> SeatsKnown:
    """What a table plays by its record: NOW for a cash game."""
    if line.fold.phase in (None, "closed"):
        return SeatsKnown.CLOSED
    options = (line.fold.play or {}).get("options")
    is_tournament = isinstance(options, dict) and options.get("tournament") is True
    return SeatsKnown.TOURNAMENT if is_tournament else SeatsKnown.NOW


def _unsure(line: Line) -> SeatsKnown | None:
    """Why a record is not as new as the table; None where it is. That of a table that is away is what it was."""
    if not line.connections and not line.floord:
        return SeatsKnown.AWAY
    if line.connections and not line.told_head:
        return SeatsKnown.BEHIND  # the end of its record is that of the connection before
    lag = LAG_MOST + 1 if line.head is None else line.head - line.fold.seq
    return SeatsKnown.BEHIND if line.forked or lag > LAG_MOST else None
