"""Is a card of the deck missing, or doubled? Told from which cards readers see, round after round.

`UnseenCards` is what is remembered of one deck since it was last found whole; `after_round` adds a round, `judge` says
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
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import islice
from math import comb, exp, log
from typing import Final, Self

FALSE_ALARMS: Final = 1e-6
"""Upper bound for the probability of an alarm after a round of a whole and properly shuffled deck."""

LONGEST_WAIT: Final = 1_000
"""Rounds remembered: with one card read a round, a missing one is raised after fewer."""

MOST_MISSING: Final = 20
"""More cards than these do not go missing together: every hand would feel it."""
MOST_DOUBLED: Final = 4
"""As with those missing: more than so many do not get into a deck beside others."""

_ONE_MISSING: Final = 0.5
_SEVERAL_MISSING: Final = 0.25
_DOUBLED: Final = 0.25


@dataclass(frozen=True, slots=True)
class CardsInDoubt:
    """What the rounds say about the deck. It names cards: for use after a round only.

    `unseen`: the cards not seen for too long; `rounds`: for how many rounds, those in which nothing was read by chance
    not counted. `doubled`: the cards seen too often. `odds`: upper bound for the probability of either in a whole deck.
    """

    unseen: tuple[str, ...]
    rounds: int
    doubled: tuple[str, ...]
    odds: float


@dataclass(frozen=True, slots=True)
class UnseenCards:
    """What is remembered of one deck. Rounds in which nothing was read by chance are not counted.

    `deck`: its cards. `waited`: for each, the rounds since it was seen. `came`: for each, the rounds in which it was
    read by chance. `read`: how many cards were, round by round, the last round last, as far back as the longest wait.
    `rounds` and `read_in_all`: the same over all rounds.
    """

    deck: tuple[str, ...]
    waited: tuple[int, ...]
    came: tuple[int, ...]
    read: tuple[int, ...] = ()
    rounds: int = 0
    read_in_all: int = 0

    @classmethod
    def of(cls, deck: Collection[str]) -> Self:
        """Nothing remembered yet: a deck that has just been found whole."""
        cards = tuple(sorted(deck))
        return cls(cards, (0,) * len(cards), (0,) * len(cards))

    def after_round(self, by_chance: Collection[str], shown: Collection[str] = ()) -> Self:
        """What is remembered after one more round.

        `by_chance`: the cards read wherever they fell. `shown`: those seen because of what they are. A card may be in
        both; names that are not of the deck are passed over, they have their own rulings.
        """
        read = set(by_chance)
        seen = read | set(shown)
        count = len(read.intersection(self.deck))
        step = 1 if count else 0
        longer = [min(n + step, LONGEST_WAIT) for n in self.waited]
        waited = [0 if card in seen else n for card, n in zip(self.deck, longer, strict=True)]
        history = (*self.read, count) if count else self.read
        return type(self)(
            self.deck,
            tuple(waited),
            tuple([n + (card in read) for card, n in zip(self.deck, self.came, strict=True)]),
            history[len(history) - max(waited, default=0) :],
            self.rounds + step,
            self.read_in_all + count,
        )

    def judge(self, odds: float = FALSE_ALARMS) -> CardsInDoubt | None:
        """The cards that are missing or doubled beyond chance, None if none are. `odds`: bound for a false alarm."""
        wait, unseen_odds = self._unseen(odds)
        doubled, doubled_odds = self._doubled(odds)
        if not wait and not doubled:
            return None
        unseen = tuple(card for card, n in zip(self.deck, self.waited, strict=True) if wait and n >= wait)
        return CardsInDoubt(unseen, wait, doubled, min(unseen_odds, doubled_odds))

    def _unseen(self, odds: float) -> tuple[int, float]:
        """The longest wait that can be no chance, and its odds; 0 if every wait can be."""
        found = 0, 1.0
        for wait, missing, chance in self._chances():
            if missing > MOST_MISSING:
                continue
            share = odds * (_ONE_MISSING if missing == 1 else _SEVERAL_MISSING / (missing * (missing - 1)))
            if chance <= log(share):
                found = wait, exp(chance)
        return found

    def _chances(self) -> Iterator[tuple[int, int, float]]:
        """Each wait there is, how many cards have waited so long, and the logarithm of the bound for that."""
        size = len(self.deck)
        cards_by_wait = Counter(self.waited)
        missing = size - cards_by_wait.pop(0, 0)
        rounds = reversed(self.read)
        counts: Counter[int] = Counter()
        before = 0
        for wait in sorted(cards_by_wait):
            counts.update(islice(rounds, wait - before))
            chance = sum([times * _unseen_chance(size, missing, read) for read, times in counts.items()])
            yield wait, missing, chance + log(comb(size, missing))
            missing, before = missing - cards_by_wait[wait], wait

    def _doubled(self, odds: float) -> tuple[tuple[str, ...], float]:
        """The cards that came too often to be chance, and the odds of the least likely; none and 1 if none did."""
        size, rounds, most = len(self.deck), self.rounds, max(self.came, default=0)
        expected = self.read_in_all / size if size else 0.0
        limit = log(odds * _DOUBLED)
        if most <= expected or log(size) + _often_chance(most, rounds, expected) > limit:
            return (), 1.0
        doubled = tuple(
            card
            for card, n in zip(self.deck, self.came, strict=True)
            if n > expected and log(size) + _often_chance(n, rounds, expected) <= limit
        )
        if len(doubled) > MOST_DOUBLED:
            return (), 1.0
        return doubled, size * exp(_often_chance(most, rounds, expected))


@cache
def _unseen_chance(size: int, missing: int, read: int) -> float:
    """Logarithm of P(none of `missing` cards is among `read` of a deck of `size`)."""
    return log(comb(size - missing, read)) - log(comb(size, read))


def _often_chance(came: int, rounds: int, expected: float) -> float:
    """Logarithm of the bound for one card to come in `came` rounds or more, where fewer were to be expected."""
    part, mean = came / rounds, expected / rounds
    never = (1 - part) * log((1 - part) / (1 - mean)) if came < rounds else 0.0
    return -rounds * (part * log(part / mean) + never)
