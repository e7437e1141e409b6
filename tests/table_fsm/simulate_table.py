"""The alarms about the deck through the table itself: whole rounds of every book, dealt as the table's prompts ask.

    python -m tests.table_fsm.simulate_table --rounds 20000

plays so many shuffled rounds of each book, which must raise nothing, and then lets each incident happen again and
again: in which round it was told (median, 99 %), with the hole cards read and with only open ones. All seeded.
"""

import argparse
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from table_fsm.events import BY_NAME
from table_fsm.felt import full_deck
from table_fsm.outputs import Refusal, Ruling
from table_fsm.table import Table
from tests.table_fsm.simulate_odds import cut, maker_deck, new_deck, riffle
from tests.table_fsm.streams import books

STEP = 0.5
MOST_STEPS = 400
"""A round that has not ended after so many prompts never will."""
PLAYERS = 6


class PromptNotFollowedError(Exception):
    """The table asked for something that this dealer cannot do, or the round does not end."""


def deck_of(book: str) -> list[str]:
    """The cards of a book's deck, in an order of no meaning."""
    rules = books()[book].deck
    return sorted(full_deck(rules.size, rules.joker))


@dataclass
class Dealer:
    """A table under a book, and a dealer with no keypad who does what each prompt says.

    The shoe tells its cards only where the book has every card from it.

    `reads_holes`: the seats' readers name the cards. `told`: the rulings so far, by irregularity.
    `deck`: the pack in play.
    """

    book: str
    players: int = PLAYERS
    reads_holes: bool = True
    told: Counter[str] = field(default_factory=Counter)
    lie: dict[str, list[str]] = field(default_factory=dict)
    opened: set[str] = field(default_factory=set)
    deck: str = "blue"
    over: bool = False
    t: float = 0.0

    def __post_init__(self) -> None:
        self.table = Table(books())
        decks = ("blue", "red") if books()[self.book].deck.packs > 1 else ("blue",)
        for deck in decks:
            self.send("shoe.deck_checked", deck=deck, count=self._count())
        seats = list(range(1, self.players + 1))
        self.send("table.open", rulebook=self.book, seats=seats, button=self._button(seats), options={})

    def _count(self) -> int:
        return len(deck_of(self.book))

    def _button(self, seats: list[int]) -> int | None:
        return seats[-1] if books()[self.book].button.used else None

    def send(self, ev: str, **fields: Any) -> None:
        """One event. Raises PromptNotFollowedError where the table refuses it."""
        self.t += STEP
        outputs = self.table.apply(BY_NAME[ev](t=self.t, **fields))
        self.over = self.over or self.table.at_round_boundary
        for output in outputs:
            if isinstance(output.value, Ruling):
                self.told[output.value.irregularity] += 1
            elif isinstance(output.value, Refusal):
                raise PromptNotFollowedError(f"{self.book}: {output.value}")

    def round(self, cards: Sequence[str]) -> None:
        """One round with these cards, to its end."""
        pack = iter(cards)
        before = self.table.round_number
        self.lie, self.opened, self.over = {}, set(), False
        for _ in range(MOST_STEPS):
            todo = self.table.prompt()
            self._follow(None if todo is None else dict(todo.to_json()), pack)
            if self.over and self.table.round_number > before:
                return
        raise PromptNotFollowedError(f"{self.book}: the round does not end: {self.table.prompt()}")

    def _follow(self, prompt: dict[str, Any] | None, pack: Iterator[str]) -> None:
        if prompt is None:
            self.send("hand.end")
            return
        asked = next(iter(prompt))
        deed = _DEEDS.get(asked)
        if deed is None:
            raise PromptNotFollowedError(f"{self.book}: no answer to {prompt}")
        deed(self, prompt, pack)

    def shuffle(self, prompt: dict[str, Any], pack: Iterator[str]) -> None:
        """The pack that is asked for."""
        self.deck = prompt["shuffle"] or "blue"
        self.send("shoe.shuffled", deck=self.deck, count=self._count())

    def wager(self, prompt: dict[str, Any], pack: Iterator[str]) -> None:
        """Ante and blind in each box."""
        for seat in range(1, self.players + 1):
            self.send("wager", seat=seat, box="ante", cents=1500)
            self.send("wager", seat=seat, box="blind", cents=1500)
        self.send("deal.start")

    def pay(self, action: str, due: dict[str, int | None]) -> None:
        """Blinds or antes, as they are due."""
        for seat, cents in due.items():
            self.send("action", seat=int(seat), action=action, cents=cents)

    def deal(self, prompt: dict[str, Any], pack: Iterator[str]) -> None:
        """The next card to its zone."""
        zone, face = prompt["deal"], prompt.get("face") or "down"
        card = next(pack)
        self.lie.setdefault(zone, []).append(card)
        read = self.reads_holes or face == "up" or zone.startswith("board")
        self._place(zone, card if read else None, face)

    def burn(self, prompt: dict[str, Any], pack: Iterator[str]) -> None:
        """A card to the burn, read where the seats' cards are."""
        card = next(pack)
        self._place("burn", card if self.reads_holes else None, "down")

    def _place(self, zone: str, card: str | None, face: str) -> None:
        """A card to its zone, out of the shoe where the book has every card from it."""
        if books()[self.book].deck.from_shoe:
            self.send("shoe.card", card=card, face="down", deck=self.deck)
        self.send("card.placed", zone=zone, card=card, face=face)

    def showdown(self, prompt: dict[str, Any], pack: Iterator[str]) -> None:
        """Two hands are tabled, the others are mucked unseen."""
        for seat in prompt["show"][:2]:
            self._turned(f"seat:{seat}")
        self.send("hand.end")

    def go_on(self, prompt: dict[str, Any], pack: Iterator[str]) -> None:
        """A person sees what waits, and lets play go on."""
        for decision in ("acknowledge", "resume"):
            self.send("supervisor", decision=decision, staff="S-1")

    def turn(self, prompt: dict[str, Any], pack: Iterator[str]) -> None:
        """The cards of these zones face up. Where that was done, and a card alike has no name, the round is ended."""
        if self.opened.issuperset(prompt["turn"]):
            self.send("hand.end")
            return
        self.opened.update(prompt["turn"])
        for zone in prompt["turn"]:
            self._turned(zone)

    def _turned(self, zone: str) -> None:
        """Every card of the zone; of two alike a reader names one."""
        lie = self.lie[zone]
        for number, card in enumerate(lie):
            self.send("card.turned", zone=zone, card=card if card not in lie[:number] else None, face="up")


def _sends(ev: str) -> Callable[[Dealer, dict[str, Any], Iterator[str]], None]:
    return lambda dealer, prompt, pack: dealer.send(ev)


_DEEDS: dict[str, Callable[[Dealer, dict[str, Any], Iterator[str]], None]] = {
    "shuffle": Dealer.shuffle,
    "cut": lambda dealer, prompt, pack: dealer.send("cut", by="dealer", depth=20),
    "move": lambda dealer, prompt, pack: dealer.send("marker.placed", marker=prompt["move"], seat=prompt["to"]),
    "wagers": Dealer.wager,
    "deal": Dealer.deal,
    "burn": Dealer.burn,
    "turn": Dealer.turn,
    "post": lambda dealer, prompt, pack: dealer.pay("post", prompt["post"]),
    "ante": lambda dealer, prompt, pack: dealer.pay("ante", prompt["ante"]),
    "act": _sends("betting.closed"),
    "close": _sends("betting.closed"),
    "decide": _sends("betting.closed"),
    "wait": Dealer.go_on,
    "draw": _sends("betting.closed"),
    "show": Dealer.showdown,
    "collect": _sends("hand.end"),
}


# -- what is measured


def rulings(book: str, rounds: int, seed: int, *, reads_holes: bool = True) -> Counter[str]:
    """All rulings, by irregularity, over so many rounds of a whole deck that was shuffled each time."""
    rng, cards, dealer = Random(seed), deck_of(book), Dealer(book, reads_holes=reads_holes)
    for _ in range(rounds):
        rng.shuffle(cards)
        dealer.round(cards)
    return dealer.told


def rounds_until(book: str, irregularity: str, packs: Iterator[Sequence[str]], **dealt: Any) -> int | None:
    """In which round the irregularity is told, where each round is dealt from the next of these packs."""
    dealer = Dealer(book, **dealt)
    for number, cards in enumerate(packs, 1):
        dealer.round(cards)
        if dealer.told[irregularity]:
            return number
    return None


def shuffled(cards: Sequence[str], rng: Random, most: int = 600) -> Iterator[list[str]]:
    """So many shuffles of these cards."""
    for _ in range(most):
        yield rng.sample(cards, len(cards))


def in_order(book: str, rng: Random, riffles: int, most: int = 20) -> Iterator[list[str]]:
    """A sorted deck of the book, riffled so many times and cut, round after round."""
    deck = set(deck_of(book))
    for _ in range(most):
        cards = [card for card in rng.choice((new_deck(), maker_deck())) if card in deck]
        for _ in range(riffles):
            cards = riffle(cards, rng)
        yield cut(cards, rng.randrange(len(cards)))


def incidents(book: str, rng: Random) -> Iterator[tuple[str, str, Iterator[Sequence[str]]]]:
    """Name, irregularity and packs of each incident, drawn anew."""
    cards = deck_of(book)
    rng.shuffle(cards)
    yield "sorted, cut", "not_shuffled", in_order(book, rng, 0)
    yield "sorted, one riffle, cut", "not_shuffled", in_order(book, rng, 1)
    yield "one card missing", "short_deck", shuffled(cards[1:], rng)
    yield "four cards missing", "short_deck", shuffled(cards[4:], rng)
    yield "sixteen cards missing", "short_deck", shuffled(cards[16:], rng)
    yield "one missing, one doubled: the doubled", "duplicate_card", shuffled([*cards[1:], cards[9]], rng)
    yield "one missing, one doubled: the missing", "short_deck", shuffled([*cards[1:], cards[9]], rng)


def caught(book: str, times: int, seed: int, **dealt: Any) -> dict[str, list[int | None]]:
    """For each incident, in which round it was told, so many times, in rising order; None, never."""
    rng = Random(seed)
    found: dict[str, list[int | None]] = {}
    for _ in range(times):
        for name, irregularity, packs in incidents(book, rng):
            found.setdefault(name, []).append(rounds_until(book, irregularity, packs, **dealt))
    return {name: sorted(took, key=lambda n: (n is None, n)) for name, took in found.items()}


def main() -> None:
    """Print the whole report."""
    parser = argparse.ArgumentParser(description="The alarms about the deck, through the table, for every book.")
    parser.add_argument("--rounds", type=int, default=20_000)
    parser.add_argument("--times", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--book", action="append")
    asked = parser.parse_args()
    chosen = asked.book or sorted(books())
    for book in chosen:
        told = rulings(book, asked.rounds, asked.seed)
        print(f"{book}: {asked.rounds:,} shuffled rounds, rulings: {dict(told) or 'none'}", flush=True)
    for book in chosen:
        for reads in (True, False):
            print(f"{book}, six players, {'hole cards read' if reads else 'only open cards read'}: told in round")
            for name, took in caught(book, asked.times, asked.seed, reads_holes=reads).items():
                median, late = took[len(took) // 2], took[int(len(took) * 0.99)]
                print(f"  {name:40} median {median or 'never':>5}   99 % {late or 'never':>5}", flush=True)


if __name__ == "__main__":
    main()
