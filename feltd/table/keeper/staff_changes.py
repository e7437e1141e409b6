"""Changes of the table's list of badges, as the page sends them: each an entry, within a budget that the table keeps.

A page changes a badge now and then, and all of them once. One that somebody has taken over may change a thousand again
and again: each would be an entry, and all at once would hold up the table's loop.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Sequence
from typing import Final

from feltd.door import CommandRefused, Person, PlayStopped, StaffMember
from feltd.door.decisions import STAFF_MOST
from feltd.table.keeper.keeper import TableKeeper
from feltd.table.keeper.pace import Pace
from feltd.table.keeper.staff import STAFF_KEPT_NOTE, STAFF_LOST_NOTE, STAFF_NOTE, StaffError, StaffList

AT_ONCE: Final = 2 * STAFF_MOST
"""Changes of badges: everybody is taken out and others put in their place."""
A_MINUTE: Final = 10.0
"""Changes beyond that: a night of floods writes some 5,000."""
TOGETHER: Final = 8
"""Entries that are written before the table looks at its devices again."""
_WHOSE: Final = "badges"


class StaffChanges:
    """Takes lists of one table, one after the other. Belongs to the loop."""

    def __init__(self, staff: StaffList, keeper: TableKeeper, on_disk: Callable[[], Awaitable[None]]) -> None:
        """`on_disk`: returns when the entries so far are on the disk."""
        self._staff = staff
        self._keeper = keeper
        self._on_disk = on_disk
        self._pace = Pace(AT_ONCE, A_MINUTE, lambda: keeper.now)
        self._keeping = asyncio.Lock()

    async def keep(self, person: Person, why: str, members: Sequence[StaffMember]) -> bool:
        """Put this list in the place of the one there is, each change an entry before; False where it is the same.

        The entries are on the disk before the list, and one behind them says that the list is: where the power is cut,
        the next start knows by it that nobody has changed the list while the table was stopped. One says too that the
        disk did not take it: the next start would name those badges as changed by nobody.

        Raises CommandRefused, and then writes nothing; PlayStopped, StaffError, and what `on_disk` does.
        """
        async with self._keeping:
            changes = list(self._staff.changes(members))
            if not changes and self._staff.members is not None:
                return False
            self._take(max(1, len(changes)))
            for first in range(0, len(changes), TOGETHER):
                for change in changes[first : first + TOGETHER]:
                    self._keeper.note_by_hand(person, STAFF_NOTE, why, **change)
                await asyncio.sleep(0)
            await self._on_disk()
            try:
                await self._staff.keep(members)
            except StaffError:
                with contextlib.suppress(PlayStopped):  # the disk takes no entry either: then nothing can say it
                    self._keeper.note_by_hand(person, STAFF_LOST_NOTE, why)
                raise
            if changes:
                self._keeper.note_by_hand(person, STAFF_KEPT_NOTE, why)
            return True

    def _take(self, count: int) -> None:
        wait = self._pace.wait(_WHOSE, count)
        if wait > 0:
            raise CommandRefused(
                f"the list of badges was changed too often: {count} more changes wait for {int(wait) + 1} seconds"
            )
        self._pace.take(_WHOSE, count)
