"""When the short-lived keys are destroyed that open the rounds before a snapshot: once the database has the snapshot.

It belongs to the writer's thread.
"""

import logging
import sqlite3
from pathlib import Path

from feltd.record.database import empty_log, named
from feltd.record.short_keys import ShortKeys
from feltd.text.errors import JournalDisk, JournalError, JournalLocked

_log = logging.getLogger(__name__)


class KeysToDestroy:
    """The keys that are to be destroyed, and why they could not be."""

    def __init__(self, path: Path, keys: ShortKeys) -> None:
        self._path = path
        self._keys = keys
        self._coming: int | None = None
        """The generation of the newest snapshot among what is not yet written."""
        self._before: int | None = None if keys.next_ready else keys.generation
        """Keys before this generation are to be destroyed: its snapshot is written."""
        self._held = False
        """Whether a reader held the log at the last try."""
        self.error: str | None = None
        """Why the keys could not be destroyed; None where they were."""

    @property
    def wait(self) -> bool:
        """Whether keys are still to be destroyed."""
        return self._before is not None

    def take(self, generation: int) -> None:
        """Take note of a snapshot of this generation, which is about to be written."""
        self._coming = generation

    def written(self) -> None:
        """Take note that all of it is written."""
        if self._coming is not None and self._keys.holds_before(self._coming):
            self._before = self._coming
        self._coming = None

    def destroy(self, connection: sqlite3.Connection) -> bool:
        """Destroy what opens the rounds before a snapshot, once the database has it: a log alone can lose it.

        Returns whether the log is empty now. Nobody waits for it: what was written has been told. After a failure it is
        tried with the next snapshot; while a reader holds the log, at the next call.
        """
        if self._before is None:
            return False
        emptied = False
        try:
            emptied = empty_log(connection, self._path)
            if not emptied:
                if self._held:  # not at the first try: a page is read in milliseconds
                    self._still_there(held_by_reader(self._path))
                self._held = True
                return False
            self._keys.destroy_before(self._before)
        except JournalError as error:
            self._still_there(error)
        except sqlite3.Error as error:
            self._still_there(named(error, self._path))
        except OSError as error:
            self._still_there(JournalDisk(f"the log cannot be synced: {error.strerror}", self._path, "Look at `dmesg`"))
        else:
            self.error = None
        self._before, self._held = None, False
        return emptied

    def _still_there(self, error: JournalError) -> None:
        if self.error == str(error):
            return
        self.error = str(error)
        _log.error("the keys of the round before are still there: %s", error)


def held_by_reader(path: Path) -> JournalLocked:
    """The error where a program that reads holds the log."""
    return JournalLocked("a reader holds the log", path, "Close the programs that read it, then try again")
