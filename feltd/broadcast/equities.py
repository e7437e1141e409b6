"""What each hand of a round was worth as a street began: its share of the pot over the cards that may still come.

The table's own order of hands ranks them, with the book's options in force, so a hand that wins here wins at the table.
That order is held against pokerkit (`tests/second_opinion`).
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb
from random import Random
from typing import Final

from table_fsm.felt import full_deck
from table_fsm.poker.hands.order import HandOrder
from table_fsm.poker.hands.values import HandValue

ALL_CARDS: Final = 1000
"""Ways in which cards may still come to one place, up to which each is looked at: to a board from the flop on."""
SAMPLES: Final = 20_000
"""Ways that are drawn where there are more: of a hundred equities 99 are right within one in a hundred then."""


@dataclass(frozen=True, slots=True)
class Own:
    """A player's own cards that count to the end, and how many come to them yet."""

    cards: tuple[str, ...]
    coming: int = 0


def equities(
    order: HandOrder, board: Sequence[str], board_coming: int, live: Mapping[int, Own], gone: Collection[str]
) -> dict[int, float]:
    """The share of the pot of each seat that is still in it; none where the cards make no hands of this order.

    `gone`: cards that come no more, folded and discarded ones; those of the board and of the live hands go without
    saying.
    """
    if len(live) == 1:
        return dict.fromkeys(live, 1.0)
    lying = {*gone, *board, *(card for own in live.values() for card in own.cards)}
    deck = sorted(full_deck(order.deck, order.joker) - lying)
    places = [board_coming, *(own.coming for own in live.values())]
    if not live or min(places) < 0 or sum(places) > len(deck):
        return {}
    shares, ways = dict.fromkeys(live, 0.0), 0
    try:
        for drawn in _ways(deck, places):
            coming = [*board, *drawn[0]]
            hands = {seat: (*own.cards, *more) for (seat, own), more in zip(live.items(), drawn[1:], strict=True)}
            for seat, share in _divided(order, coming, hands):
                shares[seat] += share
            ways += 1
    except ValueError:  # a hand with a card too many or too few, as a misdeal leaves it
        return {}
    return {seat: share / ways for seat, share in shares.items()}


def _ways(deck: Sequence[str], places: Sequence[int]) -> Iterator[list[tuple[str, ...]]]:
    """The cards that may come to each place: all ways where they are few, or a draw that is the same each time."""
    filled = [place for place, count in enumerate(places) if count]
    if not filled:
        yield [() for _ in places]
    elif len(filled) == 1 and comb(len(deck), places[filled[0]]) <= ALL_CARDS:
        for cards in combinations(deck, places[filled[0]]):
            yield [cards if place == filled[0] else () for place in range(len(places))]
    else:
        # Of the cards: were the draws those of another hand too, a street's error would be the same each time.
        chance = Random(" ".join(deck))  # noqa: S311 - no secret: the same hand has the same figures each time
        for _ in range(SAMPLES):
            drawn = iter(chance.sample(deck, sum(places)))
            yield [tuple(next(drawn) for _ in range(count)) for count in places]


def _divided(order: HandOrder, board: Sequence[str], hands: Mapping[int, Sequence[str]]) -> Iterator[tuple[int, float]]:
    """The shares of one end. Where high and low split, and no hand qualifies for low, the high ones have it all."""
    low: dict[int, HandValue] = {}
    if order.low_wins:
        ranks = {seat: order.best_low(own, board) for seat, own in hands.items()}
        low = {seat: rank for seat, rank in ranks.items() if rank is not None}
    high = {seat: order.high_value(own, board) for seat, own in hands.items()} if order.high_wins else {}
    halves = [values for values in (high, low) if values]
    for values in halves:
        best = max(values.values())
        winners = [seat for seat, value in values.items() if value == best]
        yield from ((seat, 1.0 / len(halves) / len(winners)) for seat in winners)
