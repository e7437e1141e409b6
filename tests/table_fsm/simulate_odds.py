"""The odds of the two statistical alarms, by simulation: false alarms over shuffled rounds, and how soon each comes.

    python -m tests.table_fsm.simulate_odds --rounds 1000000

takes some minutes. The tests run the same with fewer rounds. Everything is seeded.
"""

import argparse
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from random import Random

from table_fsm.felt import RANKS, SUITS, full_deck
from table_fsm.poker.cards.sorted_deck import FALSE_ALARMS, judge
from table_fsm.poker.cards.unseen_cards import UnseenCards

DECK = full_deck()
PLAYERS = 9
HOLES = 2 * PLAYERS
BOARD = (HOLES + 1, HOLES + 2, HOLES + 3, HOLES + 5, HOLES + 7)  # one card burnt before flop, turn and river
OUT = BOARD[-1] + 1

# -- orders a deck comes in


def new_deck(suits: str = "shdc", ranks: str = "A23456789TJQK") -> list[str]:
    """By suits."""
    return [rank + suit for suit in suits for rank in ranks]


def maker_deck() -> list[str]:
    """As makers pack them: ace to king in two suits, king to ace in two."""
    up = "A23456789TJQK"
    return [rank + suit for suit, ranks in zip("sdch", (up, up, up[::-1], up[::-1]), strict=True) for rank in ranks]


def by_ranks(suits: str = SUITS) -> list[str]:
    """By ranks, the deuces first."""
    return [rank + suit for rank in RANKS for suit in suits]


def cut(cards: Sequence[str], depth: int) -> list[str]:
    """Cut once."""
    return [*cards[depth:], *cards[:depth]]


def riffle(cards: Sequence[str], rng: Random) -> list[str]:
    """One riffle: cut binomially, the halves dropped in proportion to what is left of them."""
    at = sum(rng.random() < 0.5 for _ in cards)
    left, right = list(cards[:at]), list(cards[at:])
    mixed: list[str] = []
    while left or right:
        mixed.append((left if rng.random() * (len(left) + len(right)) < len(left) else right).pop(0))
    return mixed


def patterns(rng: Random) -> Iterator[tuple[str, list[str]]]:
    """Every pattern there is a name for, once, with its cut and riffles drawn from `rng`."""
    depth = rng.randrange(2, 51)
    suits = "".join(rng.sample(SUITS, 4))
    yield "by suits", new_deck(suits)
    yield "by suits, ace high", new_deck(suits, RANKS)
    yield "by suits, reversed", new_deck(suits)[::-1]
    yield "as the maker packs it", maker_deck()
    yield "by ranks", by_ranks(suits)
    yield "by ranks, reversed", by_ranks(suits)[::-1]
    yield "by suits, one cut", cut(new_deck(suits), depth)
    yield "as the maker packs it, one cut", cut(maker_deck(), depth)
    yield "by ranks, one cut", cut(by_ranks(suits), depth)
    once = riffle(new_deck(suits), rng)
    yield "by suits, one riffle", once
    yield "by suits, one riffle, one cut", cut(once, depth)
    twice = riffle(once, rng)
    yield "by suits, two riffles", twice
    thrice = riffle(twice, rng)
    yield "by suits, three riffles", thrice
    for _ in range(4):
        thrice = riffle(thrice, rng)
    yield "by suits, seven riffles", thrice


# -- what is seen of a round


def showdown(cards: Sequence[str], seats: Sequence[int]) -> list[str | None]:
    """A Hold'em round of nine with no reader but eyes: the board, and the hands tabled by these seats (0 to 8)."""
    known = {*BOARD, *seats, *(seat + PLAYERS for seat in seats)}
    return [card if place in known else None for place, card in enumerate(cards[:OUT])]


def best_two(cards: Sequence[str]) -> list[int]:
    """The seats with the two hands of the highest ranks, pairs before all: who shows is no chance."""

    def worth(seat: int) -> int:
        one, two = (RANKS.index(cards[place][0]) for place in (seat, seat + PLAYERS))
        return one + two + (20 if one == two else 0)

    return sorted(range(PLAYERS), key=worth)[-2:]


LOOKS: dict[str, Callable[[Sequence[str]], list[Sequence[str | None]]]] = {
    "named by the shoe, at 9, 18, 26 and all cards": lambda cards: [cards[:9], cards[:18], cards[:OUT], cards],
    "board and two hands, at river and showdown": lambda cards: [showdown(cards, []), showdown(cards, best_two(cards))],
}


def sorted_alarms(rounds: int, seed: int, odds: Fraction = FALSE_ALARMS) -> Counter[str]:
    """False alarms of `judge` over so many shuffled rounds, by what is seen of them."""
    rng, alarms = Random(seed), Counter(dict.fromkeys(LOOKS, 0))
    cards = sorted(DECK)
    for _ in range(rounds):
        rng.shuffle(cards)
        for name, looks in LOOKS.items():
            alarms[name] += any(judge(seen, DECK, odds) is not None for seen in looks(cards))
    return alarms


def cards_until_caught(cards: Sequence[str]) -> int | None:
    """How many cards the shoe has named when a deck in this order is caught; None if a whole deck is not enough."""
    return next((seen for seen in range(1, len(cards) + 1) if judge(cards[:seen], DECK) is not None), None)


# -- missing and doubled cards


@dataclass(frozen=True, slots=True)
class Incident:
    """A deck that is not whole. `caught`: what must be known for it to count as caught."""

    name: str
    cards: tuple[str, ...]
    caught: Callable[[UnseenCards], bool]


def _finds_unseen(memory: UnseenCards) -> bool:
    found = memory.judge()
    return found is not None and bool(found.unseen)


def _finds_doubled(memory: UnseenCards) -> bool:
    found = memory.judge()
    return found is not None and bool(found.doubled)


_WHOLE = sorted(DECK)
INCIDENTS = (
    Incident("one card missing", tuple(_WHOLE[1:]), _finds_unseen),
    Incident("two cards missing", tuple(_WHOLE[2:]), _finds_unseen),
    Incident("four cards missing", tuple(_WHOLE[4:]), _finds_unseen),
    Incident("sixteen cards missing", tuple(_WHOLE[16:]), _finds_unseen),
    Incident("one missing, one doubled: the missing", (*_WHOLE[1:], _WHOLE[9]), _finds_unseen),
    Incident("one missing, one doubled: the doubled", (*_WHOLE[1:], _WHOLE[9]), _finds_doubled),
)


def rounds_until_caught(incident: Incident, read: int, rng: Random, most: int = 3000) -> int | None:
    """After how many rounds with so many cards read by chance an incident is caught."""
    memory = UnseenCards.of(DECK)
    for played in range(1, most + 1):
        memory.add_round(rng.sample(incident.cards, read))
        if incident.caught(memory):
            return played
    return None


def unseen_alarms(rounds: int, seed: int, odds: float) -> int:
    """Rounds of a whole deck after which `UnseenCards.judge` raises; a person then finds the deck whole."""
    rng, memory, alarms = Random(seed), UnseenCards.of(DECK), 0
    for _ in range(rounds):
        memory.add_round(rng.sample(_WHOLE, rng.choice((3, 5, 9, 9, 12, 26))))
        if memory.judge(odds) is not None:
            alarms += 1
            memory = UnseenCards.of(DECK)
    return alarms


# -- the report


def main() -> None:
    """Print the whole report."""
    parser = argparse.ArgumentParser(
        description="False alarms over shuffled rounds, and how soon incidents are caught."
    )
    parser.add_argument("--rounds", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    rng = Random(asked.seed)
    print("A deck in order: cards named by the shoe when it is caught (least, median, most of 200), rounds not caught;")
    print("and with eyes only (board and two hands, nine players): rounds of 200 caught at the showdown.")
    found: dict[str, list[int]] = {}
    eyes: Counter[str] = Counter()
    for _ in range(200):
        for name, cards in patterns(rng):
            found.setdefault(name, []).append(cards_until_caught(cards) or 99)
            eyes[name] += judge(showdown(cards, rng.sample(range(PLAYERS), 2)), DECK) is not None
    for name, counts in found.items():
        caught = sorted(count for count in counts if count < 99)
        spread = f"{caught[0]:2} {caught[len(caught) // 2]:2} {caught[-1]:2}" if caught else " -  -  -"
        print(f"  {name:34} {spread}   not caught {len(counts) - len(caught):3}   with eyes only {eyes[name]:3}")
    print("Cards missing or doubled: rounds until caught (least, median, most of 30), by cards read a round")
    for incident in INCIDENTS:
        for read in (5, 9, 12, 26):
            took = sorted(rounds_until_caught(incident, read, rng) or 9999 for _ in range(30))
            print(f"  {incident.name:38} {read:3} a round: {took[0]:4} {took[15]:4} {took[-1]:4}")
    print(f"False alarms in {asked.rounds:,} shuffled rounds (bound: {float(FALSE_ALARMS) * asked.rounds:g} each)")
    for name, alarms in sorted_alarms(asked.rounds, asked.seed).items():
        print(f"  sorted deck, {name}: {alarms}")
    print(f"  missing or doubled cards: {unseen_alarms(asked.rounds, asked.seed, float(FALSE_ALARMS))}")
    print("The same machinery with the bound set to 1 in 100 a round, 100,000 rounds (at most 1,000 each):")
    for name, alarms in sorted_alarms(100_000, asked.seed, Fraction(1, 100)).items():
        print(f"  sorted deck, {name}: {alarms}")
    print(f"  missing or doubled cards: {unseen_alarms(100_000, asked.seed, 0.01)}")


if __name__ == "__main__":
    main()
