"""From edges to changes that really happened: bouncing contacts settled, short presses kept, glitches dropped.

Pure. All times are the edges' own, in seconds of any clock that only goes forward.

A contact that closes bounces, and so does one that opens. An *on* is believed once the level has held for `on_after`,
an *off* once it has held for `off_after`; the level is sampled again when that time has passed, so an edge that was
lost does no harm. For a key `on_after` is short (longer than any glitch) and `off_after` is the time in which its
contacts may bounce: a short press is believed though it is over, and a contact that opens for a moment while it is
held is no second press. For a switch or a sensor both are the same.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Change:
    """The input went on or off. `t`: the edge after which its level held."""

    t: float
    on: bool


class Debounce:
    """One input."""

    def __init__(self, on_after: float, off_after: float) -> None:
        self._after = {True: on_after, False: off_after}
        self.on = False
        """What is believed."""
        self.glitches = 0
        """Times that the level left what is believed and came back before it was believed."""
        self.level = False
        """The line's level as of its last edge."""
        self._since = 0.0

    def start(self, t: float, level: bool) -> None:
        """The level at the beginning, which is no change."""
        self.on = self.level = level
        self._since = t

    @property
    def due(self) -> float | None:
        """When to sample the level again; None while nothing is in doubt."""
        return None if self.level == self.on else self._since + self._after[self.level]

    def edge(self, t: float, level: bool) -> Change | None:
        """The line went to this level."""
        t = max(t, self._since)
        change = self._believe(t)
        if change is None and self.level != self.on and level == self.on:
            self.glitches += 1
        self.level, self._since = level, t
        return change

    def sample(self, t: float) -> Change | None:
        """The line is still at the level of its last edge. Ask at `due`, or whenever."""
        return self._believe(t)

    def _believe(self, t: float) -> Change | None:
        due = self.due
        if due is None or t < due:
            return None
        self.on = self.level
        return Change(self._since, self.on)
