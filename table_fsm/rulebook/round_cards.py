"""Number of cards of a round."""

from table_fsm.rulebook.model import Book


def cards_needed(book: Book, players: int, burns: int) -> int:
    """Number of cards of a round that nobody leaves, without those of a draw.

    `burns`: cards burnt where a street burns.
    """
    hands = {"seats": players, "boxes": players, "board": 1, "dealer": 1, "discards": 0}
    dealt = sum(step.cards * hands[step.to] for street in book.streets for step in street.deal)
    return dealt + sum(street.burn for street in book.streets) * burns
