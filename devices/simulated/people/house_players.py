"""The simulated players of a house-banked game: what they wager, when they play or fold."""

import random
from collections.abc import Sequence
from dataclasses import dataclass

from devices.simulated.people.players import CHECK, FOLD, Act, strength


@dataclass(frozen=True, slots=True)
class Wagers:
    """One seat's wagers before a deal, in cents; trips may be 0."""

    ante: int
    trips: int


@dataclass(frozen=True, slots=True)
class PlayWager:
    """A wager in the box `play`, in cents."""

    cents: int


class HousePlayers:
    """Players of Ultimate Texas Hold'em. Amounts in cents."""

    def __init__(self, seats: Sequence[int], chance: random.Random, *, table_min: int) -> None:
        self._seats = tuple(seats)
        self._chance = chance
        self._least = table_min
        self.wagers: dict[int, Wagers] = {}
        self.played: set[int] = set()
        self.folded: set[int] = set()

    def new_round(self) -> None:
        """Forget the last round."""
        self.wagers, self.played, self.folded = {}, set(), set()

    def place_wagers(self) -> dict[int, Wagers]:
        """The wagers by seat; at least one player wagers."""
        takers = [seat for seat in self._seats if self._chance.random() < 0.9] or [self._chance.choice(self._seats)]
        for seat in takers:
            trips = self._least * self._chance.choice((0, 0, 1, 2))
            self.wagers[seat] = Wagers(self._least * self._chance.choice((1, 1, 2, 4)), trips)
        return self.wagers

    def decide(self, seat: int, street: str | None, cards: Sequence[str], board: Sequence[str]) -> Act | PlayWager:
        """Fold, check, or wager on playing on this street."""
        ante = self.wagers[seat].ante if seat in self.wagers else self._least
        lot = self._chance.random()
        if street == "pre_flop":
            if lot < strength(cards):
                return PlayWager(ante * (4 if lot < 0.9 * strength(cards) else 3))
            return FOLD if lot > 0.98 else CHECK
        paired = len({card[0] for card in (*cards, *board)}) < len(cards) + len(board)
        if street == "flop":
            if paired and lot < 0.8:
                return PlayWager(ante * 2)
            return FOLD if lot > 0.97 else CHECK
        return PlayWager(ante) if paired or lot < 0.3 else FOLD
