"""One clock and one schedule of levels for all tables.

The Star 7.19, 7.20 and 7.46(k); ACT 2001, 3.4 to 3.6 of each appendix; UTH 16.18; TAS 2018, C 20.12; Onyx, Hand for
Hand 6.

Times are seconds of the floor's clock, and come in with each call. A level holds from the next deal on (The Star 7.20):
that is the table's to say. A table counts on alone from what it was last told: with `level_at` as the floor does.
"""

from dataclasses import dataclass, replace
from math import isfinite
from typing import ClassVar

from floor_fsm.core.output import Output
from floor_fsm.errors import Reason, Refused
from floor_fsm.law.matters import HandForHandRules, Pace
from table_fsm.structures.levels import LevelNow, level_at
from table_fsm.structures.structure import Structure


@dataclass(frozen=True, slots=True)
class ClockTold(Output):
    """What a table is told: whether the clock runs, and the seconds of play. It counts on from there."""

    kind: ClassVar[str] = "clock"
    running: bool
    elapsed: float


@dataclass(frozen=True, slots=True)
class Clock:
    """The tournament's clock.

    `elapsed`: seconds of play at `since`. `hands`: the book's hand for hand, while it is played. `hand_since`: the
    release of the hand that is played. `stops_at`: the seconds of play at which a running clock stands.
    """

    structure: Structure
    elapsed: float = 0.0
    since: float = 0.0
    running: bool = False
    hands: HandForHandRules | None = None
    hand_since: float | None = None
    stops_at: float | None = None
    action_clock: bool = False

    def reading(self, t: float) -> LevelNow:
        """The level for a deal that begins at second `t`, and how long it has to go."""
        if self.charged:
            return level_at(self.structure, self.elapsed + self._cost(t))
        if not self.running:
            return level_at(self.structure, self.elapsed)
        gone = max(0.0, t - self.since)
        if self.stops_at is not None:
            gone = min(gone, max(0.0, self.stops_at - self.elapsed))
        return level_at(self.structure, self.elapsed, running_for=gone)

    def told(self, t: float) -> ClockTold:
        """What a table is told at second `t`.

        In a break the clock is told as standing: a table that heard of a running one would take the break for over.
        The end of the break is told by itself.
        """
        now = self.reading(t)
        runs = self.running and not self.charged and not now.in_break
        stands = self.stops_at is not None and now.elapsed_seconds >= self.stops_at
        return ClockTold(runs and not stands, now.elapsed_seconds)

    def changes_at(self, t: float) -> float | None:
        """The second at which the level, or a break, ends as things are; None while nothing moves the clock."""
        now = self.reading(t)
        if now.break_left_seconds is not None:
            return t + now.break_left_seconds
        if self.charged:
            assert self.hands is not None
            left = self.hands.hand_seconds - self._cost(t)
            return t + now.left_seconds if self.hand_since is not None and 0 < now.left_seconds <= left else None
        return t + now.left_seconds if self.told(t).running and now.left_seconds else None

    def end_of_level(self, elapsed: float) -> float:
        """The seconds of play at which the level ends that a deal at `elapsed` seconds of play has."""
        now = level_at(self.structure, elapsed)
        return now.elapsed_seconds + now.left_seconds

    def put(self, t: float, *, running: bool, elapsed: float) -> "Clock":
        """The director sets the clock. Refuses seconds of play below 0 or without end."""
        if not (isfinite(elapsed) and elapsed >= 0):
            raise Refused(Reason.DOES_NOT_ADD_UP, f"elapsed {elapsed}: seconds of play, 0 or more")
        new = replace(self, elapsed=elapsed, since=t, running=running, hand_since=None)
        return new._stopping(t) if self.stops_at is not None else new

    def stand(self, t: float) -> "Clock":
        """The director stops the clock: a break that no schedule has (ACT 3.5), or an interruption.

        Refuses a clock that stands.
        """
        if not self.running:
            raise Refused(Reason.WRONG_STATE, "the clock is paused already")
        return replace(self._settled(t), running=False)

    def run(self, t: float) -> "Clock":
        """The director lets the clock run on. A break in which it was stopped is over. Refuses one that runs."""
        if self.running:
            raise Refused(Reason.WRONG_STATE, "the clock runs already")
        return replace(self, since=t, running=True)

    def hand_for_hand(self, t: float, rules: HandForHandRules | None) -> "Clock":
        """Hand for hand begins under these rules, or with None ends: the clock goes on from where it is."""
        new = replace(self._settled(t), hands=rules, hand_since=None, stops_at=None)
        return new._stopping(t) if rules is not None and rules.pace is Pace.RUNNING else new

    def hand_released(self, t: float) -> "Clock":
        """A hand of hand for hand begins. Where the clock stands at the end of a level, it runs on (Onyx)."""
        if self.charged:
            return replace(self, hand_since=t)
        stood = self.stops_at is not None and self.reading(t).elapsed_seconds >= self.stops_at
        return replace(self._settled(t), stops_at=None)._stopping(t) if stood else self

    def hand_finished(self) -> "Clock":
        """A hand of hand for hand is over everywhere: where hands are charged, it has cost its whole time."""
        if not self.charged or self.hand_since is None:
            return self
        assert self.hands is not None
        return replace(self, elapsed=self.elapsed + self.hands.hand_seconds, hand_since=None)

    def with_action_clock(self, *, on: bool, clause: str | None = None) -> "Clock":
        """The action clock is brought into play. Refuses to suspend it (The Star 7.46(k))."""
        if self.action_clock and not on:
            raise Refused(
                Reason.NOT_ALLOWED, "once in play, the action clock is used until the tournament is over", clause
            )
        return replace(self, action_clock=on)

    @property
    def charged(self) -> bool:
        """Whether hand for hand is played, and each hand costs the clock its whole time."""
        return self.hands is not None and self.hands.pace is Pace.CHARGED

    def _cost(self, t: float) -> float:
        """Seconds that the hand which is played has cost so far."""
        if self.hands is None or self.hand_since is None:
            return 0.0
        return min(max(0.0, t - self.hand_since), float(self.hands.hand_seconds))

    def _settled(self, t: float) -> "Clock":
        return replace(self, elapsed=self.reading(t).elapsed_seconds, since=t, hand_since=None)

    def _stopping(self, t: float) -> "Clock":
        now = self.reading(t)
        return replace(self, stops_at=now.elapsed_seconds + now.left_seconds)
