"""Ranking in the ordinary game: the best five of five to seven cards of a full deck.

The order is the ordinary one of a full deck, suits all equal: TAS 2018 C 4.1 to 4.3 and ACT 2019 3.1, 3.2, which agree.
The ace counts high or low in a straight. Other decks, jokers and low hands: `table_fsm.poker.hands.order`.

No error message and no `repr` here names a card: a hand may be ranked before it is public.
"""

from collections.abc import Sequence
from typing import Final

from table_fsm.poker.hands.order import HandOrder
from table_fsm.poker.hands.values import HandName, HandRank

__all__ = ["STANDARD", "HandName", "HandRank", "rank_hand"]

STANDARD: Final = HandOrder()


def rank_hand(hole: Sequence[str], board: Sequence[str]) -> HandRank:
    """Return the best hand that `hole` and `board` make together: any five of both.

    TAS 2018 C 11.1, ACT 2019 8.8, 9.3. Five to seven cards in all, each a different one of the full deck without joker.
    The answer does not depend on the order of the cards. Where two choices are worth the same, the spade comes before
    heart, diamond and club.

    Raises ValueError where the cards cannot be a hand; the message counts cards and names none.
    """
    return STANDARD.best_high(hole, board)
