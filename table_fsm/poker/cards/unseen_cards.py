"""Is a card of the deck missing, or doubled?

Told from which cards readers see, round after round.

`UnseenCards` is what is remembered of one deck since it was last found whole; `add_round` adds a round, `judge` says
what can no longer be chance. Everything rests on the cards read **by chance**: read wherever they fell, not because of
what they are (out of the shoe, before a seat, on the board, burnt). Cards **shown** because of what they are (a hand
that its player tabled, a fold turned over) prove that the card is there, and count for nothing else.

**Odds.** With n(i) cards of a whole, shuffled deck of N read by chance in round i:

- *Unseen*: P(some m cards were in none of the last w rounds) <= C(N, m) times the product of
  C(N - m, n(i)) / C(N, n(i)). For each m the window w is the shortest that brings this below its share of
  `FALSE_ALARMS`: a half for one card, a quarter divided among two and more. So the more cards are missing together, the
  sooner it is noticed.
- *Doubled*: a card that came in x of T rounds, where s = sum of n(i) / N were to be expected (x > s):
  P <= N exp(-T KL(x/T, s/T)) (Hoeffding 1963, theorem 1), with the last quarter for its share.

Each is a bound for the one round that is judged: the shares together are the most that false alarms can be in a round.
"""

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field
from functools import cache
from itertools import compress, islice
from math import comb, exp, inf, log
from operator import ge
from typing import Final, Self

FALSE_ALARMS: Final = 1e-6
"""Upper bound for the probability of an alarm after a round of a whole and properly shuffled deck."""

LONGEST_WAIT: Final = 1_000
"""Rounds remembered. With one card read a round, a missing one is raised after fewer."""

MOST_MISSING: Final = 20
"""The most cards that may be missing together. With more, every hand would be affected."""
MOST_DOUBLED: Final = 4
"""The most cards that may be doubled together."""

_ROUNDING: Final = 1e-6
_ONE_MISSING: Final = 0.5
_SEVERAL_MISSING: Final = 0.25
_DOUBLED: Final = 0.25


@dataclass(frozen=True, slots=True)
class CardsInDoubt:
    """Cards in doubt after many rounds; it names cards, so use it after a round only.

    `unseen`: the cards not seen for too long; `rounds`: for how many rounds, those in which nothing was read by chance
    not counted. `doubled`: the cards seen too often. `odds`: upper bound for the probability of either in a whole deck.
    """

    unseen: tuple[str, ...]
    rounds: int
    doubled: tuple[str, ...]
    odds: float


@dataclass(slots=True)
class UnseenCards:
    """The memory of one deck.

    Rounds in which nothing was read by chance are not counted. `last_seen`: for each card of the deck, the number of
    the round in which it was seen last, 0 for none. `came`: for each, the rounds in which it was read by chance.
    `read`: how many cards were, round by round, the last round last, as far back as the longest wait. `rounds` and
    `read_in_all`: the same over all rounds; `most_read`: in one round.
    """

    last_seen: dict[str, int]
    came: dict[str, int]
    read: list[int] = field(default_factory=list)
    rounds: int = 0
    read_in_all: int = 0
    most_read: int = 0

    @classmethod
    def of(cls, deck: Collection[str]) -> Self:
        """The empty memory of a deck that has just been found complete."""
        cards = sorted(deck)
        return cls(dict.fromkeys(cards, 0), dict.fromkeys(cards, 0))

    @property
    def waited(self) -> dict[str, int]:
        """Rounds since each card was seen."""
        return {card: min(self.rounds - last, LONGEST_WAIT) for card, last in self.last_seen.items()}

    def is_of(self, deck: Collection[str]) -> bool:
        """Whether the memory is about a deck of these cards."""
        return self.last_seen.keys() == deck

    def add_round(self, by_chance: Collection[str], shown: Collection[str] = ()) -> None:
        """Add a round.

        `by_chance`: the cards read wherever they fell. `shown`: those seen because of what they are. A card may be in
        both; names that are not of the deck are passed over, they have their own rulings.
        """
        last_seen, came = self.last_seen, self.came
        read = came.keys() & by_chance
        if read:
            self.rounds += 1
            self.read.append(len(read))
            self.read_in_all += len(read)
            self.most_read = max(self.most_read, len(read))
        rounds = self.rounds
        for card in read:
            came[card] += 1
        last_seen.update(dict.fromkeys(read, rounds))
        last_seen.update(dict.fromkeys(last_seen.keys() & shown, rounds))
        longest = min(rounds - min(last_seen.values(), default=rounds), LONGEST_WAIT)
        del self.read[: len(self.read) - longest]

    def judge(self, odds: float = FALSE_ALARMS) -> CardsInDoubt | None:
        """The cards that are missing or doubled beyond chance; None if none are.

        `odds`: bound for a false alarm.
        """
        wait, unseen_odds = self._unseen(odds)
        doubled, doubled_odds = self._doubled(odds)
        if not wait and not doubled:
            return None
        unseen = tuple(card for card, n in self.waited.items() if wait and n >= wait)
        return CardsInDoubt(unseen, wait, doubled, min(unseen_odds, doubled_odds))

    def _unseen(self, odds: float) -> tuple[int, float]:
        """The longest wait that is beyond chance, and its odds; wait 0 if none is."""
        longest = 0, 1.0
        for wait, missing in self._long_waits(odds):
            chance = self._chance(wait, missing)
            if chance <= log(odds * _share(missing)):
                longest = wait, exp(chance)
        return longest

    def _long_waits(self, odds: float) -> list[tuple[int, int]]:
        """The waits that may be beyond chance, each with the number of cards that have waited so long, ascending.

        A cheap test, mostly negative: it takes each round for one in which as many cards were read as in any.
        """
        size, rounds = len(self.last_seen), self.rounds
        if not rounds:
            return []
        least, lasts = _least_waits(size, self.most_read, odds), sorted(self.last_seen.values())
        if not any(map(ge, map(rounds.__sub__, lasts), least)):
            return []
        waits = [rounds - last for last in lasts[: len(least) + 1]]
        if waits[0] > LONGEST_WAIT:
            waits = [min(wait, LONGEST_WAIT) for wait in waits]
        found = [
            (waits[at], at + 1)
            for at in compress(range(len(least)), map(ge, waits, least))
            if waits[at] and (at + 1 == size or waits[at + 1] != waits[at])
        ]
        return found[::-1]

    def _chance(self, wait: int, missing: int) -> float:
        """The log of the bound for so many cards that have waited so long."""
        size = len(self.last_seen)
        counts = Counter(islice(reversed(self.read), wait))
        chance = sum([times * _unseen_chance(size, missing, read) for read, times in counts.items()])
        return chance + log(comb(size, missing))

    def _doubled(self, odds: float) -> tuple[tuple[str, ...], float]:
        """Cards that came too often for chance, and the odds of the least likely.

        No cards and 1 if there are none.
        """
        size, rounds, most = len(self.came), self.rounds, max(self.came.values(), default=0)
        expected = self.read_in_all / size if size else 0.0
        limit = log(odds * _DOUBLED)
        if most <= expected or log(size) + _often_chance(most, rounds, expected) > limit:
            return (), 1.0
        doubled = tuple(
            card
            for card, n in self.came.items()
            if n > expected and log(size) + _often_chance(n, rounds, expected) <= limit
        )
        if len(doubled) > MOST_DOUBLED:
            return (), 1.0
        return doubled, size * exp(_often_chance(most, rounds, expected))


def _share(missing: int) -> float:
    """The share of the odds for `missing` missing cards."""
    return _ONE_MISSING if missing == 1 else _SEVERAL_MISSING / (missing * (missing - 1))


@cache
def _least_waits(size: int, read: int, odds: float) -> tuple[float, ...]:
    """Rounds after which one missing card, two, three, … are beyond chance.

    `read`: cards read in each round.
    """
    waits = []
    for missing in range(1, min(size, MOST_MISSING) + 1):
        chance = _unseen_chance(size, missing, read)
        needed = log(odds * _share(missing)) - log(comb(size, missing))
        waits.append(min(needed / chance, LONGEST_WAIT) - _ROUNDING if chance else LONGEST_WAIT + 1)
    return tuple(waits)


@cache
def _unseen_chance(size: int, missing: int, read: int) -> float:
    """Logarithm of P(none of `missing` cards is among `read` of a deck of `size`).

    A deck read whole misses none.
    """
    return log(comb(size - missing, read)) - log(comb(size, read)) if missing + read <= size else -inf


def _often_chance(came: int, rounds: int, expected: float) -> float:
    """Logarithm of the bound for one card to come in `came` rounds or more.

    `expected`: the smaller number of rounds to be expected.
    """
    part, mean = came / rounds, expected / rounds
    never = (1 - part) * log((1 - part) / (1 - mean)) if came < rounds else 0.0
    return -rounds * (part * log(part / mean) + never)
