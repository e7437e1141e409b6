"""Sufficient action: enough that the hand is no longer taken back.

Onyx, "Sufficient Action": three checks or folds in turn, or two actions in turn of which one is a bet or call. The Star
7.36, "Substantial Action": any two actions in turn of which one puts chips into the pot, or any three. It is the same
notion, since three actions of which one is a bet or call hold two that are enough. Posts do not count.

Without a keypad no action is seen. A betting round that was closed, and in which somebody could bet, says that there
has been action: of two players or more all have acted, and one of them has called, bet or folded.
"""

from dataclasses import dataclass, replace

MOST_WITHOUT_CHIPS = 3
MOST_WITH_CHIPS = 2


@dataclass(slots=True)
class ActionTally:
    """A count of actions in turn.

    It counts since the deal, or, as the difference to an earlier tally, since that moment.
    """

    taken: int = 0
    with_chips: int = 0
    """Actions that put chips into the pot."""
    rounds: int = 0
    """Betting rounds that were closed after somebody could bet."""

    def note(self, *, chips: bool) -> None:
        """Count an action in turn.

        `chips`: a bet, call, raise or all-in.
        """
        self.taken += 1
        self.with_chips += chips

    def close_round(self) -> None:
        """Count a betting round that the dealer closed and in which somebody could bet."""
        self.rounds += 1

    def mark(self) -> "ActionTally":
        """A copy of the tally as it is now, for a later `since`."""
        return replace(self)

    def since(self, mark: "ActionTally") -> "ActionTally":
        """The count of the actions since `mark`."""
        return ActionTally(self.taken - mark.taken, self.with_chips - mark.with_chips, self.rounds - mark.rounds)

    @property
    def sufficient(self) -> bool:
        """Whether the actions counted are sufficient action."""
        if self.rounds > 0 or self.taken >= MOST_WITHOUT_CHIPS:
            return True
        return self.taken >= MOST_WITH_CHIPS and self.with_chips > 0

    @property
    def sufficient_fact(self) -> str:
        """The fact `sufficient` of a ruling: "yes" or "no"."""
        return "yes" if self.sufficient else "no"
