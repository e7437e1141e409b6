"""What is wrong between tournaments and their tables, in words for a table's tile: what was not sent, and not taken."""

import logging
from collections.abc import Set
from dataclasses import dataclass
from typing import Final

from floor_fsm.state.reports import Reports

_FAILS: Final = "what this table has told could not be looked at: floord's log says why. Report it as a fault"
_UNTAKEN_MOST: Final = 5
_REPORTS_SHOWN: Final = 3
"""Of a table at once: a tile with hundreds of lines hides all others."""
_log = logging.getLogger("feltd.floor")


@dataclass(frozen=True, slots=True)
class Untaken:
    """What a table told that was not taken, in words. `entries`: who is out by it, and plays on until it is told."""

    words: str
    entries: frozenset[int]


class TableTroubles:
    """The troubles of tables of tournaments, of each table its own."""

    def __init__(self) -> None:
        self._unsent: dict[str, str] = {}
        """By table: why it is not what the tournament says, in words."""
        self._untaken: dict[str, tuple[Untaken, ...]] = {}
        """By table: what it told that was not taken, and why; the last ones. Who is out by one keeps it until they are,
        others stay until something of the table is taken again."""

    def not_sent(self, table: str, words: str) -> None:
        """An order for the table was not sent, or not taken there."""
        if self._unsent.get(table) != words:
            _log.warning("table %s: %s", table, words)
        self._unsent[table] = words

    def sent(self, table: str) -> None:
        """The table is what the tournament says."""
        self._unsent.pop(table, None)

    def not_taken(self, table: str, words: str, entries: frozenset[int] = frozenset()) -> None:
        """What the table told was not taken. `entries`: who is out by it."""
        _log.warning("table %s: %s", table, words)
        before = tuple(one for one in self._untaken.get(table, ()) if one.words != words)
        self._untaken[table] = (*before, Untaken(words, entries))[-_UNTAKEN_MOST:]

    def taken(self, table: str) -> None:
        """Something that the table told is taken again: forget what was not, but that by which somebody is out."""
        self._untaken[table] = tuple(one for one in self._untaken.get(table, ()) if one.entries)

    def settle(self, table: str, playing: Set[int]) -> None:
        """Forget what is not taken of players who are out meanwhile: a person has said it, or another report."""
        before = self._untaken.get(table, ())
        self._untaken[table] = tuple(one for one in before if not one.entries or one.entries & playing)

    def fails(self, table: str) -> None:
        """Tell, once, that the table could not be looked at. Call it where the failure is handled: the log names it."""
        if all(one.words != _FAILS for one in self._untaken.get(table, ())):
            _log.exception("table %s", table)
            self.not_taken(table, _FAILS)

    def keep_only(self, tables: Set[str]) -> None:
        """Forget the troubles of all tables but these: no tournament plays there."""
        for table in (self._unsent.keys() | self._untaken.keys()) - tables:
            self._unsent.pop(table, None)
            self._untaken.pop(table, None)

    def of(self, table: str) -> tuple[str, ...]:
        """The table's troubles, in words."""
        unsent = (self._unsent[table],) if table in self._unsent else ()
        return unsent + tuple(one.words for one in self._untaken.get(table, ()))


def in_words(reports: Reports, table: str) -> tuple[str, ...]:
    """What a table told that cannot be, for its tile: the last few, and how many more there are."""
    theirs = reports.of(table)
    shown = tuple(f"look at it, then settle it at the desk: {one.words}" for one in theirs[-_REPORTS_SHOWN:])
    more = len(theirs) - len(shown) + reports.left_out.get(table, 0)
    return (*shown, f"and {more} more of what this table told that cannot be") if more else shown
