"""Bookmarks for a surveillance system: each ruling and alarm with its moment and a span for the cameras around it.

They are evidence and go to other programs, so they are English whatever their reader or the table speaks.
"""

import csv
import io
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from feltd.door import Answer
from feltd.page.history.cut import newest_alone
from feltd.page.history.index import HistoryIndex
from feltd.text.language import Language, speaking
from feltd.text.words import alarm_in_words, words_of
from feltd.text.zone import at_the_table
from table_fsm.outputs import AlarmState, Kind
from table_fsm.rulebook.irregularities import Irregularity

BEFORE: Final = 30.0
"""Seconds before the moment at which the span begins: what led to it."""
AFTER: Final = 30.0
MOST: Final = 5000
"""Bookmarks in one list; the newest."""
COLUMNS: Final = ("time", "begins", "ends", "kind", "what", "seat", "round", "ruling", "entry", "name")


@dataclass(frozen=True, slots=True)
class Bookmark:
    """A moment to look up. Times are ISO 8601 in the table's zone, with its offset and milliseconds.

    `kind`: "ruling" or "alarm". `entry`: of the record. `round` and `ruling` are None for an alarm.
    `name`: of the irregularity or the alarm, as the API has it; `what` is its words.
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
    name: str


@dataclass(frozen=True, slots=True)
class Bookmarks:
    """The bookmarks of a time, the oldest first. `cut`: earlier ones, beyond `MOST`, are left out."""

    found: list[Bookmark]
    cut: bool


_FOUND: Final = (
    "SELECT * FROM (SELECT wall, irregularity AS what, seat, round, id AS ruling, seq, NULL AS device, NULL AS deck "
    "FROM rulings UNION ALL "
    "SELECT wall, kind, seat, NULL, NULL, seq, device, deck FROM alarms WHERE state = 'raised') "
    "WHERE wall >= ? AND wall <= ? ORDER BY wall DESC, seq DESC LIMIT ?"
)


def find_bookmarks(index: HistoryIndex, since: float, until: float) -> Bookmarks:
    """Return the bookmarks of a time (wall seconds); of more than `MOST`, the newest."""
    rows = index.select(_FOUND, (since, until, MOST + 1))
    with speaking(Language.ENGLISH):
        return Bookmarks([_bookmark(row) for row in reversed(rows[:MOST])], cut=len(rows) > MOST)


def _bookmark(row: sqlite3.Row) -> Bookmark:
    wall = row["wall"]
    if row["ruling"] is None:
        kind, what = "alarm", alarm_in_words({"kind": row["what"], "device": row["device"], "deck": row["deck"]})
    else:
        kind, what = "ruling", words_of(Irregularity, row["what"])
    return Bookmark(
        _iso(wall), _iso(wall - BEFORE), _iso(wall + AFTER), kind, what, row["seat"], row["round"], row["ruling"],
        row["seq"], row["what"],
    )  # fmt: skip


def bookmark_of(answer: Answer) -> Bookmark | None:
    """Return the bookmark of an answer of the table; None where it is neither a ruling nor an alarm that is raised."""
    told = answer.output.get(answer.kind)
    if not isinstance(told, Mapping):
        return None
    with speaking(Language.ENGLISH):
        if answer.kind == Kind.RULING:
            kind, name, ruling = "ruling", told["irregularity"], told["id"]
            what = words_of(Irregularity, name)
        elif answer.kind == Kind.ALARM and told["state"] == AlarmState.RAISED:
            kind, name, ruling = "alarm", told["kind"], None
            what = alarm_in_words({**told, "seat": None})
        else:
            return None
    wall, round_ = answer.wall, answer.round if ruling is not None else None
    return Bookmark(
        _iso(wall), _iso(wall - BEFORE), _iso(wall + AFTER), kind, what, told.get("seat"), round_, ruling,
        answer.seq, name,
    )  # fmt: skip


def as_csv(bookmarks: Bookmarks) -> str:
    """Write them as CSV (RFC 4180), a head line first; a last line says if earlier ones are left out."""
    text = io.StringIO(newline="")
    lines = csv.writer(text)
    lines.writerow(COLUMNS)
    lines.writerows([getattr(one, name) for name in COLUMNS] for one in bookmarks.found)
    if bookmarks.cut:
        lines.writerow([newest_alone(MOST)])
    return text.getvalue()


def _iso(wall: float) -> str:
    return at_the_table(wall).isoformat("T", "milliseconds")
