"""How long entries may wait to be committed together: each commit writes whole pages, and a memory card wears by pages.

Only what its device keeps until it is acknowledged waits. So nothing that anybody was told is recorded is at stake: the
acknowledgement waits with the entry.
"""

import time
from collections.abc import Callable, Sequence
from typing import Final

from feltd.record.drafts import Draft
from feltd.record.entries import EntryKind, HostEntry

GATHER_EVENTS: Final = 16
"""Events that are committed without waiting on: half of what a device may have sent unacknowledged. With more of them a
quick device would stand still until its acknowledgements come."""
_AT_ONCE: Final = frozenset({HostEntry.ROUND_END, HostEntry.SNAPSHOT})


def ends_a_round(drafts: Sequence[Draft]) -> bool:
    """Whether these are written at once: the keys of a round that is over are destroyed only after its end is."""
    return any(draft.kind is EntryKind.HOST and draft.name in _AT_ONCE for draft in drafts)


class Gathering:
    """Since when and how many events wait. It belongs to the writer's thread.

    `seconds`: how long the first of them may wait; 0: nothing waits.
    """

    def __init__(self, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self.seconds = seconds
        self._clock = clock
        self._until: float | None = None
        self._events = 0

    def take(self, drafts: Sequence[Draft]) -> bool:
        """Take note of drafts that may wait; return whether all that waits is to be committed now."""
        if self._until is None:
            self._until = self._clock() + self.seconds
        self._events += sum(draft.kind is EntryKind.EVENT for draft in drafts)
        return self._events >= GATHER_EVENTS or self.left() == 0.0

    def over(self) -> None:
        """Take note that nothing waits any more."""
        self._until, self._events = None, 0

    def left(self) -> float | None:
        """Seconds until what waits is to be committed, 0.0 where that is now; None where nothing waits."""
        return None if self._until is None else max(0.0, self._until - self._clock())
