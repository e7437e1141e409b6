"""The order in which the cards of a round left the shoe, as far as readers named them.

A card has a number, its place in that order, from the shoe's mouth on; on a table with no shoe sensor, from where it
first came to rest. Its name may come much later, as it is turned. Once the undealt cards have been shuffled in the
round later cards have no number: they lie at no place of the shuffled deck. The order also keeps which names readers
read by chance.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import permutations
from math import factorial
from typing import Final

MOST_ARRANGEMENTS: Final = 24
"""The most arrangements that are tried of cards that were turned at one place."""


@dataclass(slots=True)
class DealtOrder:
    """The cards of a round in the order in which they left the shoe.

    `cards`: by number, None where no reader has named the card (so far). `by_chance`: the names read wherever the card
    fell, not because of what it is. `groups`: numbers of cards that came unread to one zone and were named there later:
    which of them was which is not known.
    """

    cards: list[str | None] = field(default_factory=list)
    by_chance: set[str] = field(default_factory=set)
    groups: list[tuple[int, ...]] = field(default_factory=list)
    mixed: bool = False
    """The undealt cards have been shuffled, or a card put back on them."""
    named: int = 0

    def come(self, card: str | None) -> int | None:
        """Add a card that left the shoe; return its number, None once the stub was shuffled."""
        if self.mixed:
            return None
        self.cards.append(card)
        if card is not None:
            self.by_chance.add(card)
            self.named += 1
        return len(self.cards) - 1

    def name(self, number: int | None, card: str, *, by_chance: bool) -> None:
        """Name a card that was unread; an earlier name stays."""
        if number is None:
            return
        if by_chance:
            self.by_chance.add(card)
        if self.cards[number] is None:
            self.cards[number] = card
            self.named += 1

    def unname(self, number: int | None) -> None:
        """Remove a name, because another card than the named one was found there."""
        if number is None or self.cards[number] is None:
            return
        self.by_chance.discard(self.cards[number] or "")
        self.cards[number] = None
        self.named -= 1

    def group(self, numbers: list[int | None]) -> None:
        """Note that one of these cards is being named or lifted, and it is not known which."""
        known = tuple([number for number in numbers if number is not None and self.cards[number] is None])
        if len(known) > 1 and not any(known[0] in group for group in self.groups):
            self.groups.append(known)

    def arrangements(self, enough: int) -> tuple[int, Iterator[list[str | None]]]:
        """Return the number of orders in which the cards may have come, and those orders.

        Groups that are not needed for `enough` cards, or for which there are too many ways, are left out: their cards
        lie at no known place.
        """
        if not self.groups:
            return 1, iter([self.cards])
        ways, taken, cards = 1, [], list(self.cards)
        known = self.named - sum(cards[number] is not None for group in self.groups for number in group)
        for group in self.groups:
            here = sum(cards[number] is not None for number in group)
            if here and known < enough and ways * factorial(len(group)) <= MOST_ARRANGEMENTS:
                ways *= factorial(len(group))
                known += here
                taken.append(group)
            else:
                for number in group:
                    cards[number] = None
        return ways, _arranged(cards, taken)


def _arranged(cards: list[str | None], groups: list[tuple[int, ...]]) -> Iterator[list[str | None]]:
    if not groups:
        yield cards
        return
    first, *rest = groups
    for numbers in permutations(first):
        turned = list(cards)
        for place, number in zip(first, numbers, strict=True):
            turned[place] = cards[number]
        yield from _arranged(turned, rest)
