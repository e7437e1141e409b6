"""The entries of each table by seat, reckoned once for each arrangement of seats.

Five hundred tables that each look through five thousand places take a second an event. What is remembered here follows
from the places alone, which never change: it saves time and says nothing of its own.
"""

from collections.abc import Iterable, Mapping
from typing import Final

from floor_fsm.drawing import Place

ByTable = Mapping[str, Mapping[int, int]]
_MOST: Final = 16
"""Arrangements that are remembered: of some tournaments, each with the one before."""
_known: dict[int, tuple[Mapping[int, Place], ByTable]] = {}
"""By the identity of the places, which are kept too: so no other object has it."""


def by_table(places: Mapping[int, Place]) -> ByTable:
    """The entries of each table by seat, ascending; no table at which nobody sits."""
    known = _known.get(id(places))
    if known is not None:
        return known[1]
    found: dict[str, dict[int, int]] = {}
    for entry, place in sorted(places.items(), key=lambda one: one[1].seat):
        found.setdefault(place.table, {})[place.seat] = entry
    return _remembered(places, found)


def after(before: Mapping[int, Place], now: Mapping[int, Place], changed: Iterable[int]) -> None:
    """Remember an arrangement that differs from another one in these entries alone."""
    tables = dict(by_table(before))
    touched = {place.table for entry in changed for place in (before.get(entry), now.get(entry)) if place is not None}
    seats = {table: dict(tables.pop(table, {})) for table in touched}
    for entry in changed:
        if entry in before:
            seats[before[entry].table].pop(before[entry].seat, None)
    for entry in changed:
        if entry in now:
            seats[now[entry].table][now[entry].seat] = entry
    tables |= {table: dict(sorted(there.items())) for table, there in seats.items() if there}
    _remembered(now, tables)


def _remembered(places: Mapping[int, Place], found: ByTable) -> ByTable:
    while len(_known) >= _MOST:
        del _known[next(iter(_known))]
    _known[id(places)] = places, found
    return found
