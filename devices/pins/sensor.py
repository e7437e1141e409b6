"""One input of the table: its changes while it works, and whether it works.

An input that is on for too long is *stuck*; one with too many edges in a second *chatters*. Either is disabled: it
reports no change until it has been quiet for a time, or a person says that it is in order. Pure: times are seconds of
one clock that only goes forward.
"""

from collections import deque
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from devices.pins.debounce import Change, Debounce

CHATTER_SPAN: Final = 1.0
"""Seconds over which edges are counted."""
REST: Final = 1.0
"""Seconds for which a chattering input is not listened to before it is tried again."""


class Trouble(StrEnum):
    """The reasons for which an input is disabled."""

    STUCK = "stuck"
    CHATTER = "chattering"
    CONTRADICTED = "in contradiction with another"


@dataclass(frozen=True, slots=True)
class Timing:
    """The times, in seconds, by which an input is judged.

    `stuck`: None if it may be on for any time. `chatter`: edges in a second.
    """

    on_after: float
    off_after: float
    stuck: float | None = None
    quiet: float = 5.0
    chatter: int = 60


class Sensor:
    """One input."""

    def __init__(self, timing: Timing) -> None:
        self.trouble: Trouble | None = None
        self.since = 0.0
        """When its trouble began."""
        self._timing = timing
        self._debounce = Debounce(timing.on_after, timing.off_after)
        self._edges: deque[float] = deque(maxlen=timing.chatter)
        self._quiet_since = 0.0
        self._on_since = 0.0
        self._deaf_until: float | None = None

    @property
    def on(self) -> bool:
        """Its believed state."""
        return self._debounce.on

    @property
    def level(self) -> bool:
        """The line's level as of its last edge."""
        return self._debounce.level

    @property
    def in_doubt(self) -> bool:
        """Whether its level differs from its believed state."""
        return self._debounce.due is not None

    def listens(self) -> bool:
        """Whether to listen to its edges: not for a while after it has chattered."""
        return self._deaf_until is None

    @property
    def glitches(self) -> int:
        """Level changes that were too short to be believed."""
        return self._debounce.glitches

    def start(self, t: float, level: bool) -> None:
        """Set the first level; it is no change. An input that is on from the start may be stuck."""
        self._debounce.start(t, level)
        self._on_since = self._quiet_since = t

    def edge(self, t: float, level: bool) -> list[Change]:
        """Take an edge to this level."""
        self._quiet_since = t
        self._edges.append(t)
        changes = self._taken(self._debounce.edge(t, level))
        if len(self._edges) == self._timing.chatter and t - self._edges[0] <= CHATTER_SPAN:
            self._disable(Trouble.CHATTER, t)
            self._deaf_until = t + REST
            self._edges.clear()
        return changes

    def sample(self, t: float, level: bool) -> list[Change]:
        """Take a sample of the level. Call it at `due`, or at any time."""
        if self._deaf_until is not None:
            if t < self._deaf_until:
                return []
            self._deaf_until = None
            self._quiet_since = t
        if level != self._debounce.level:
            return self.edge(t, level)  # an edge was lost
        changes = self._taken(self._debounce.sample(t))
        if self.trouble is None and _passed(self._stuck_at(), t):
            self._disable(Trouble.STUCK, t)
        elif self.trouble is not None and _passed(self._quiet_at(), t):
            self.trouble = None
            self._edges.clear()
        return changes

    @property
    def due(self) -> float | None:
        """When to sample it again; None: at its next edge."""
        if self._deaf_until is not None:
            return self._deaf_until
        times = [self._debounce.due, self._stuck_at() if self.trouble is None else self._quiet_at()]
        known = [time for time in times if time is not None]
        return min(known) if known else None

    def in_order(self, t: float, level: bool) -> None:
        """A person says that it is in order: use it again from its present state."""
        self.trouble = None
        self._deaf_until = None
        self._edges.clear()
        self.start(t, level)

    def _taken(self, change: Change | None) -> list[Change]:
        if change is None:
            return []
        if change.on:
            self._on_since = change.t
        return [] if self.trouble is not None else [change]

    def _disable(self, trouble: Trouble, t: float) -> None:
        if self.trouble is None:
            self.trouble, self.since = trouble, t

    def _stuck_at(self) -> float | None:
        stuck = self._timing.stuck
        return None if stuck is None or not self.on else self._on_since + stuck

    def _quiet_at(self) -> float | None:
        """When it will have been quiet for long enough; None while it is on."""
        held = self.on and self._timing.stuck is not None
        return None if held else self._quiet_since + self._timing.quiet


def _passed(due: float | None, t: float) -> bool:
    return due is not None and t >= due
