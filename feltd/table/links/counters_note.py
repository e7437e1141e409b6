"""Notes of errors on links and at readers, written to the record for trends.

A note holds the increase since the note before, so a restart, which begins every counter anew, loses nothing but the
last minutes.
"""

from collections.abc import Mapping
from typing import Final

from feltd.record.notes import COUNTERS_NOTE
from feltd.table.journal import Journal
from feltd.table.keeper.keeper import TableKeeper
from feltd.table.links.bridge import Bridge

EVERY: Final = 600.0
"""Least seconds between two notes; there is no note without an increase."""

Counters = Mapping[str, Mapping[str, int]]


class CountersNote:
    """Writes the notes of one table."""

    def __init__(self, bridge: Bridge, keeper: TableKeeper, journal: Journal) -> None:
        self._bridge = bridge
        self._keeper = keeper
        self._journal = journal
        self._told: Counters = {}
        self._since: float | None = None

    def beat(self, now: float) -> None:
        """Write a note if one is due; call it about once a second.

        `now`: monotonic seconds.
        """
        if self._since is None:
            self._since = now
        if now - self._since >= EVERY and self.write():
            self._since = now

    def write(self) -> bool:
        """Note the increase since the last note; return whether there was any and it was recorded."""
        counted = self._counted()
        added = {
            device: more
            for device, counters in counted.items()
            if (more := {name: n for name, n in _added(counters, self._told.get(device, {})).items() if n})
        }
        if not added or not self._journal.health.accepting:
            return False
        self._journal.append_note(COUNTERS_NOTE, {"devices": added})
        self._told = counted
        return True

    def _counted(self) -> Counters:
        return {
            name: {
                "link errors": (
                    slot.link.counters.bad_frames + slot.link.counters.authentication_failures + slot.faults
                ),
                "reconnects": slot.link.counters.reconnects,
                "sent again": slot.link.counters.retransmissions,
                "unread cards": self._keeper.tally.unread[name],
            }
            for name, slot in self._bridge.slots.items()
        }


def _added(now: Mapping[str, int], before: Mapping[str, int]) -> dict[str, int]:
    return {name: count - before.get(name, 0) for name, count in now.items()}
