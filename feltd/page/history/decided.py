"""What became of rulings: who decided on them and why, and which wait no more though nobody decided on them by number.

A floor decision names no ruling; a fault that ends takes what waited for it along: then the record has a
note of them. What the table itself still holds for waiting stands in its snapshot at the end of each round, and is
believed before anything else.
"""

import sqlite3
from collections.abc import Iterable
from typing import Any, Final, Protocol

from feltd.record import Entry
from table_fsm.felt import LEAVES_WAITING

_UPDATE: Final = (
    "UPDATE rulings SET decision = ?, decided_by = ?, decided = ?, decided_outcome = ?, reason = ?,"
    " decision_seq = ?, waits = ? WHERE id = ?"
)
_ROW: Final = (
    "SELECT decision, decided_by, decided, decided_outcome, reason, decision_seq, waits, id FROM rulings WHERE id = ?"
)
_NOBODY: Final = (None,) * 6


class Reading(Protocol):
    """The part of the index's reading state that decisions need.

    `decision`: the last event, if it was a decision: its values (`told`) and the row as it was before it (`before`).
    """

    decision: dict[str, Any] | None


def decides(now: Reading, database: sqlite3.Connection, entry: Entry) -> None:
    """Write a person's decision into the index.

    If the table refuses the decision, `refuses` takes it back; it follows at once.
    """
    body = entry.body
    if body.get("decision") in LEAVES_WAITING:
        return
    values = [body.get("decision"), body.get("staff"), entry.wall, body.get("outcome"), body.get("reason"), entry.seq]
    ruling = body.get("ruling")
    now.decision = {"told": values, "before": [list(row) for row in database.execute(_ROW, (ruling,))]}
    if ruling is not None:
        database.execute(_UPDATE, (*values, 0, ruling))


def gives_reason(database: sqlite3.Connection, entry: Entry) -> None:
    """Write the reason of a decision into the index, once it is no longer sealed."""
    database.execute("UPDATE rulings SET reason = ? WHERE decision_seq = ?", (entry.body.get("reason"), entry.seq))


def refuses(now: Reading, database: sqlite3.Connection, entry: Entry) -> None:
    """The table refuses an event. A decision that was refused decided nothing."""
    error = entry.body.get("error") or {}
    if now.decision is None or error.get("ev") != "supervisor":
        return
    database.executemany(_UPDATE, now.decision["before"])
    now.decision = None


def settles(now: Reading, database: sqlite3.Connection, rulings: Iterable[int]) -> None:
    """Mark these rulings in the index as decided by the last event, or ended with their cause."""
    values = _NOBODY if now.decision is None else now.decision["told"]
    database.executemany(_UPDATE, [(*values, 0, ruling) for ruling in rulings])


def agrees(now: Reading, database: sqlite3.Connection, pending: Iterable[int]) -> None:
    """A snapshot: these wait, by the table's own word."""
    still = set(pending)
    waiting = {row["id"] for row in database.execute("SELECT id FROM rulings WHERE waits")}
    settles(now, database, sorted(waiting - still))
    database.executemany(_UPDATE, [(*_NOBODY, 1, ruling) for ruling in sorted(still - waiting)])
