"""Turn edges into the changes of an input: debounced, short presses kept, glitches dropped.

Pure. All times are seconds of one clock that only goes forward, as the edges give them.

A contact bounces when it closes and when it opens. *On* is believed once the level has held for `on_after`, *off* once
it has held for `off_after`. The level is sampled again when that time has passed, so a lost edge does no harm. For a
key, `on_after` is short (longer than any glitch) and `off_after` is the time in which its contacts may bounce: a short
press is believed although it is over, and a contact that opens for a moment while held is no second press. For a switch
or a sensor both are the same.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Change:
    """The input went on or off. `t`: the time of the edge after which its level held."""

    t: float
    on: bool


class Debounce:
    """One input, debounced."""

    def __init__(self, on_after: float, off_after: float) -> None:
        self._after = {True: on_after, False: off_after}
        self.on = False
        """The believed state."""
        self.glitches = 0
        """How often the level left the believed state and came back too soon to be believed."""
        self.level = False
        """The line's level as of its last edge."""
        self._since = 0.0

    def start(self, t: float, level: bool) -> None:
        """Set the first level; it is no change."""
        self.on = self.level = level
        self._since = t

    @property
    def due(self) -> float | None:
        """When to sample the level again; None while there is no doubt."""
        return None if self.level == self.on else self._since + self._after[self.level]

    def edge(self, t: float, level: bool) -> Change | None:
        """Take an edge to this level."""
        t = max(t, self._since)
        change = self._believe(t)
        if change is None and self.level != self.on and level == self.on:
            self.glitches += 1
        self.level, self._since = level, t
        return change

    def sample(self, t: float) -> Change | None:
        """Take a sample equal to the level of the last edge. Call it at `due`, or at any time."""
        return self._believe(t)

    def _believe(self, t: float) -> Change | None:
        due = self.due
        if due is None or t < due:
            return None
        self.on = self.level
        return Change(self._since, self.on)
