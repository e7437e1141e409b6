"""What survives a simulated device's process: owed events, its state, the last order.

SQLite. An order is carried out in two steps, so that a kill at any moment loses nothing: first the new state, the
answer and the bodies to report are written together; then each body becomes an event of the store, leaving the first
list in the same transaction. A restarted device reports what is left, and answers a repeated order without doing it
again. The file is not synced to disk: it survives the process, not the computer.
"""

import json
import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from devices.simulated.errors import SimulatedDeviceError
from firmware_bridge.limits import PENDING_CAPACITY
from firmware_bridge.store import PendingEvent

_SCHEMA: Final = """
PRAGMA journal_mode = WAL;
PRAGMA synchronous = OFF;
CREATE TABLE IF NOT EXISTS event (place INTEGER PRIMARY KEY AUTOINCREMENT, boot_id BLOB, seq INTEGER, message BLOB);
CREATE TABLE IF NOT EXISTS owed (place INTEGER PRIMARY KEY AUTOINCREMENT, body TEXT);
CREATE TABLE IF NOT EXISTS kept (name TEXT PRIMARY KEY, value TEXT);
"""


class DeviceMemory:
    """The file, as a DevicePeer's store of pending events and as the device's memory."""

    persistent = True

    def __init__(self, file: Path, capacity: int = PENDING_CAPACITY) -> None:
        """Open or make the file. Raises SimulatedDeviceError."""
        self.capacity = capacity
        try:
            self._file = sqlite3.connect(file, isolation_level=None)
            self._file.executescript(_SCHEMA)
        except sqlite3.Error as error:
            raise SimulatedDeviceError(
                f"memory file {file}: {error}: give a file in a folder that can be written"
            ) from None

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    # -- the store of a DevicePeer

    def load(self) -> list[PendingEvent]:
        """Events not yet acknowledged, oldest first."""
        rows = self._file.execute("SELECT boot_id, seq, message FROM event ORDER BY place")
        return [PendingEvent(boot_id, seq, message) for boot_id, seq, message in rows]

    def append(self, event: PendingEvent) -> None:
        """Keep one more event; its body is no longer owed."""
        with self._file:
            self._file.execute("BEGIN")
            self._file.execute(
                "INSERT INTO event (boot_id, seq, message) VALUES (?, ?, ?)", (event.boot_id, event.seq, event.message)
            )
            self._file.execute("DELETE FROM owed WHERE place = (SELECT min(place) FROM owed)")

    def forget(self, count: int) -> None:
        """Drop the oldest events, and remember the last of them."""
        if count < 1:
            return
        with self._file:
            self._file.execute("BEGIN")
            self._file.execute(
                "INSERT OR REPLACE INTO kept SELECT 'acknowledged', lower(hex(boot_id)) || ' ' || seq FROM event "
                "ORDER BY place LIMIT 1 OFFSET ?",
                (count - 1,),
            )
            self._file.execute(
                "DELETE FROM event WHERE place IN (SELECT place FROM event ORDER BY place LIMIT ?)", (count,)
            )

    @property
    def acknowledged(self) -> tuple[bytes, int] | None:
        """The name of the last event that was dropped."""
        kept = self._kept("acknowledged")
        if kept is None:
            return None
        boot_id, seq = kept.split()
        return bytes.fromhex(boot_id), int(seq)

    # -- the device's memory

    def carried_out(
        self, order: str, reply: Mapping[str, Any], memory: Mapping[str, Any], bodies: Sequence[Mapping[str, Any]]
    ) -> None:
        """Write the answer to an order, the new state, and the bodies to report."""
        kept = {"order": order, "reply": json.dumps(reply), "memory": json.dumps(memory)}
        with self._file:
            self._file.execute("BEGIN")
            self._file.executemany("INSERT OR REPLACE INTO kept VALUES (?, ?)", kept.items())
            self._file.executemany("INSERT INTO owed (body) VALUES (?)", [(json.dumps(body),) for body in bodies])

    def memory(self) -> dict[str, Any] | None:
        """The saved state; None in a new file."""
        kept = self._kept("memory")
        return None if kept is None else dict(json.loads(kept))

    def reply_to(self, order: str) -> dict[str, Any] | None:
        """The answer given to this order, if it was the last one."""
        reply = self._kept("reply")
        return dict(json.loads(reply)) if reply is not None and order and self._kept("order") == order else None

    def owed(self) -> list[dict[str, Any]]:
        """Bodies still to be reported, oldest first."""
        return [dict(json.loads(body)) for (body,) in self._file.execute("SELECT body FROM owed ORDER BY place")]

    def drop_owed(self) -> None:
        """Drop the oldest body: it cannot be reported as an event."""
        self._file.execute("DELETE FROM owed WHERE place = (SELECT min(place) FROM owed)")

    def _kept(self, name: str) -> str | None:
        row = self._file.execute("SELECT value FROM kept WHERE name = ?", (name,)).fetchone()
        return None if row is None else str(row[0])
