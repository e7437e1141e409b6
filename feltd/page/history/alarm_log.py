"""The alarm log: each alarm of the record with when it was first seen, who acknowledged it, and when it ended.

An alarm that is raised again before somebody has acknowledged it is the same alarm, as it is at the table.
"""

import csv
import io
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from feltd.page.history.cut import newest_alone
from feltd.page.history.index import HistoryIndex
from feltd.text.alarms import Priority, row_of
from feltd.text.language import Language, speaking
from feltd.text.words import alarm_in_words
from feltd.text.zone import at_the_table
from table_fsm.felt import AlarmKind, FaultKind
from table_fsm.rulebook.irregularities import Irregularity

EXPORTED_MOST: Final = 5000
"""Alarms in one export; the newest."""
KINDS: Final = tuple(str(kind) for kind in (*AlarmKind, *FaultKind, *Irregularity))
COLUMNS: Final = (
    "first_seen", "priority", "alarm", "kind", "device", "deck", "seat", "times", "escalated", "acknowledged",
    "acknowledged_by", "ended", "shelved", "shelved_by", "shelved_until", "shelved_why", "entry",
)  # fmt: skip
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")
"""What a spreadsheet would work out instead of showing it, at the start of a cell."""


@dataclass(frozen=True, slots=True)
class Looked:
    """The conditions of a look into the log; None does not limit.

    `since` and `until`: wall seconds at which the alarm was first seen, both included. `before`: the entry after which
    the list goes on, newest first. `stands`: true for alarms that have not ended, false for those that have.
    `acknowledged`: whether somebody has acknowledged it.
    """

    since: float | None = None
    until: float | None = None
    kind: str | None = None
    priority: Priority | None = None
    stands: bool | None = None
    acknowledged: bool | None = None
    before: int | None = None
    limit: int = 50


@dataclass(frozen=True, slots=True)
class LoggedAlarm:
    """One alarm. Times are wall seconds since 1970; None for what has not happened.

    `entry`: of the record, where it was first raised. `times`: how often it was raised before somebody acknowledged it.
    `acknowledged_by`: the person; None where nobody has. `ended`: its cause was gone. `shelved`: when it was shelved
    last, by whom, until when, and why; the reason is sealed until the round is over in which it was given.
    """

    entry: int
    kind: str
    text: str
    priority: Priority
    device: str | None
    deck: str | None
    seat: int | None
    first_seen: float
    times: int
    escalated: float | None
    acknowledged: float | None
    acknowledged_by: str | None
    ended: float | None
    shelved: float | None = None
    shelved_by: str | None = None
    shelved_until: float | None = None
    shelved_why: str | None = None


def find_alarms(index: HistoryIndex, looked: Looked, *, most: int | None = None) -> list[LoggedAlarm]:
    """Return the alarms looked for, newest first, at most `looked.limit`, or `most` where it is given."""
    conditions = [
        ("wall >= :since", looked.since),
        ("wall <= :until", looked.until),
        ("kind = :kind", looked.kind),
        ("seq < :before", looked.before),
        ("ended IS NULL" if looked.stands else "ended IS NOT NULL", looked.stands),
        ("acknowledged IS NOT NULL" if looked.acknowledged else "acknowledged IS NULL", looked.acknowledged),
    ]
    limits = [condition for condition, value in conditions if value is not None]
    if looked.priority is not None:
        kinds = [kind for kind in KINDS if row_of(kind).priority is looked.priority]
        limits.append(f"kind IN ({', '.join(repr(kind) for kind in kinds)})")
    where = f" WHERE {' AND '.join(limits)}" if limits else ""
    values = {"since": looked.since, "until": looked.until, "kind": looked.kind, "before": looked.before}
    found = index.select(
        f"SELECT * FROM alarm_log{where} ORDER BY seq DESC LIMIT :limit",  # noqa: S608 - kinds are of closed sets
        {**values, "limit": looked.limit if most is None else most},
    )
    return [_logged(row) for row in found]


def _logged(row: sqlite3.Row) -> LoggedAlarm:
    kind, device, deck, seat = row["kind"], row["device"], row["deck"], row["seat"]
    return LoggedAlarm(
        entry=row["seq"],
        kind=kind,
        text=alarm_in_words({"kind": kind, "device": device, "deck": deck, "seat": seat}),
        priority=row_of(kind).priority,
        device=device,
        deck=deck,
        seat=seat,
        first_seen=row["wall"],
        times=row["times"],
        escalated=row["escalated"],
        acknowledged=row["acknowledged"],
        acknowledged_by=row["acknowledged_by"],
        ended=row["ended"],
        shelved=row["shelved"],
        shelved_by=row["shelved_by"],
        shelved_until=row["shelved_until"],
        shelved_why=row["shelved_why"],
    )


@dataclass(frozen=True, slots=True)
class AlarmList:
    """The log as CSV. `cut`: there are more than `EXPORTED_MOST`, and the earlier ones are left out."""

    text: str
    cut: bool


def export_alarms(index: HistoryIndex, looked: Looked) -> AlarmList:
    """Write the alarms looked for as CSV, the newest first, in English whatever the reader or the table speaks."""
    with speaking(Language.ENGLISH):
        found = find_alarms(index, looked, most=EXPORTED_MOST + 1)
    cut = len(found) > EXPORTED_MOST
    return AlarmList(as_csv(found[:EXPORTED_MOST], cut=cut), cut)


def as_csv(alarms: Iterable[LoggedAlarm], *, cut: bool = False) -> str:
    """Write them as CSV (RFC 4180), a head line first; times as ISO 8601 in the table's zone, with its offset.

    `cut`: a last line says that earlier ones are left out.
    """
    text = io.StringIO(newline="")
    lines = csv.writer(text)
    lines.writerow(COLUMNS)
    for one in alarms:
        lines.writerow(
            _cell(value)
            for value in (
                _iso(one.first_seen), one.priority.value, one.text, one.kind, one.device, one.deck, one.seat, one.times,
                _iso(one.escalated), _iso(one.acknowledged), one.acknowledged_by, _iso(one.ended),
                _iso(one.shelved), one.shelved_by, _iso(one.shelved_until), one.shelved_why, one.entry,
            )
        )  # fmt: skip
    if cut:
        lines.writerow([newest_alone(EXPORTED_MOST)])
    return text.getvalue()


def _cell(value: object) -> object:
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value


def _iso(wall: float | None) -> str | None:
    return None if wall is None else at_the_table(wall).isoformat("T", "milliseconds")
