"""What became of alarms: an alarm's outputs put together, as they are read from the record.

An alarm that is raised again before somebody has acknowledged it is the same alarm, as it is at the table.
"""

import sqlite3
from typing import Any, Final, Protocol

from feltd.record import Entry
from table_fsm.outputs import AlarmState


class Reading(Protocol):
    """The part of the index's reading state that the log needs.

    `by`: who decided, for how many `minutes`, why and in which entry, where the last event was a person's decision.
    """

    by: dict[str, Any] | None


_ABOUT: Final = "kind = ? AND device IS ? AND deck IS ? AND seat IS ?"
_OPEN: Final = f"SELECT seq FROM alarm_log WHERE {_ABOUT} AND {{}} IS NULL ORDER BY seq LIMIT 1"  # noqa: S608 - no word of others


def takes(now: Reading, database: sqlite3.Connection, seq: int, wall: float, alarm: dict[str, Any]) -> None:
    """Write an alarm's new state into the log, from its output."""
    about = (alarm["kind"], alarm["device"], alarm["deck"], alarm.get("seat"))

    def update(change: str, values: tuple[Any, ...], still_open: str) -> bool:
        found = database.execute(_OPEN.format(still_open), about).fetchone()
        if found is not None:
            database.execute(f"UPDATE alarm_log SET {change} WHERE seq = ?", (*values, found[0]))  # noqa: S608 - as above
        return found is not None

    match alarm["state"]:
        case AlarmState.RAISED:
            if not update("times = times + 1, ended = NULL", (), "acknowledged"):
                database.execute(
                    "INSERT OR REPLACE INTO alarm_log (kind, device, deck, seat, seq, wall) VALUES (?, ?, ?, ?, ?, ?)",
                    (*about, seq, wall),
                )
        case AlarmState.ESCALATED:
            update("escalated = ?", (wall,), "acknowledged")
        case AlarmState.ACKNOWLEDGED:
            update("acknowledged = ?, acknowledged_by = ?", (wall, (now.by or {}).get("staff")), "acknowledged")
        case AlarmState.SHELVED if now.by is not None and now.by["minutes"] is not None:
            until = wall + 60.0 * now.by["minutes"]
            values = (wall, now.by["staff"], until, now.by["reason"], now.by["seq"])
            update("shelved = ?, shelved_by = ?, shelved_until = ?, shelved_why = ?, shelf_seq = ?", values, "ended")
        case AlarmState.UNSHELVED:
            update("shelved_until = min(shelved_until, ?)", (wall,), "ended")
        case AlarmState.CLEARED:
            update("ended = ?", (wall,), "ended")


def gives_reason(database: sqlite3.Connection, entry: Entry) -> None:
    """Write why alarms were shelved into the log, once it is no longer sealed."""
    database.execute("UPDATE alarm_log SET shelved_why = ? WHERE shelf_seq = ?", (entry.body.get("reason"), entry.seq))
