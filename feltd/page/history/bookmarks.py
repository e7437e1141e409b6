"""Bookmarks for a surveillance system: each ruling and alarm with its moment and a span for the cameras around it."""

import csv
import io
import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from feltd.door import Answer
from feltd.page.history.index import HistoryIndex
from feltd.text.words import alarm_in_words, words_of
from feltd.text.zone import at_the_table
from table_fsm.outputs import AlarmState, Kind
from table_fsm.rulebook.irregularities import Irregularity

BEFORE: Final = 30.0
"""Seconds before the moment at which the span begins: what led to it."""
AFTER: Final = 30.0
MOST: Final = 5000
"""Bookmarks in one list; the newest."""
COLUMNS: Final = ("time", "begins", "ends", "kind", "what", "seat", "round", "ruling", "entry")


@dataclass(frozen=True, slots=True)
class Bookmark:
    """A moment to look up. Times are ISO 8601 in the table's zone, with its offset and milliseconds.

    `kind`: "ruling" or "alarm". `entry`: of the record. `round` and `ruling` are None for an alarm.
    """

    time: str
    begins: str
    ends: str
    kind: str
    what: str
    seat: int | None
    round: int | None
    ruling: int | None
    entry: int


_FOUND: Final = (
    "SELECT * FROM (SELECT wall, irregularity AS what, seat, round, id AS ruling, seq, NULL AS device, NULL AS deck "
    "FROM rulings UNION ALL "
    "SELECT wall, kind, seat, NULL, NULL, seq, device, deck FROM alarms WHERE state = 'raised') "
    "WHERE wall >= ? AND wall <= ? ORDER BY wall DESC, seq DESC LIMIT ?"
)


def find_bookmarks(index: HistoryIndex, since: float, until: float) -> list[Bookmark]:
    """Return the bookmarks of a time (wall seconds), the oldest first; of more than `MOST`, the newest."""
    rows = index.select(_FOUND, (since, until, MOST))
    return [_bookmark(row) for row in reversed(rows)]


def _bookmark(row: sqlite3.Row) -> Bookmark:
    wall = row["wall"]
    if row["ruling"] is None:
        kind, what = "alarm", alarm_in_words({"kind": row["what"], "device": row["device"], "deck": row["deck"]})
    else:
        kind, what = "ruling", words_of(Irregularity, row["what"])
    return Bookmark(
        _iso(wall), _iso(wall - BEFORE), _iso(wall + AFTER), kind, what, row["seat"], row["round"], row["ruling"],
        row["seq"],
    )  # fmt: skip


def bookmark_of(answer: Answer) -> Bookmark | None:
    """Return the bookmark of an answer of the table; None where it is neither a ruling nor an alarm that is raised."""
    told = answer.output.get(answer.kind)
    if not isinstance(told, Mapping):
        return None
    if answer.kind == Kind.RULING:
        kind, what, ruling = "ruling", words_of(Irregularity, told["irregularity"]), told["id"]
    elif answer.kind == Kind.ALARM and told["state"] == AlarmState.RAISED:
        kind, what, ruling = "alarm", alarm_in_words({**told, "seat": None}), None
    else:
        return None
    wall, round_ = answer.wall, answer.round if ruling is not None else None
    return Bookmark(
        _iso(wall), _iso(wall - BEFORE), _iso(wall + AFTER), kind, what, told.get("seat"), round_, ruling, answer.seq
    )


def as_csv(bookmarks: Iterable[Bookmark]) -> str:
    """Write them as CSV (RFC 4180), a head line first."""
    text = io.StringIO(newline="")
    lines = csv.writer(text)
    lines.writerow(COLUMNS)
    lines.writerows([getattr(one, name) for name in COLUMNS] for one in bookmarks)
    return text.getvalue()


def _iso(wall: float) -> str:
    return at_the_table(wall).isoformat("T", "milliseconds")
