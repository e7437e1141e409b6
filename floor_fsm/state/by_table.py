"""The entries of each table by seat, reckoned once for each arrangement of seats."""

from collections.abc import Iterable, Mapping
from typing import Final

from floor_fsm.drawing import Place
from floor_fsm.state.remembered import Remembered

ByTable = Mapping[str, Mapping[int, int]]
_known: Final = Remembered[ByTable]()


def by_table(places: Mapping[int, Place]) -> ByTable:
    """The entries of each table by seat, ascending; no table at which nobody sits."""
    known = _known.of(places)
    if known is not None:
        return known
    found: dict[str, dict[int, int]] = {}
    for entry, place in sorted(places.items(), key=lambda one: one[1].seat):
        found.setdefault(place.table, {})[place.seat] = entry
    return _known.keep(places, found)


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
    _known.keep(now, tables)
