"""The player due the small blind, and the round that has none because they have left (Tasmania 2018, C 19.9)."""

from collections.abc import Collection

from table_fsm.core.core import Core
from table_fsm.felt import clockwise
from table_fsm.play.button.button import expected_button, in_game


def left(core: Core, seats: Collection[int]) -> None:
    """Let the next round have no small blind where the player due it is among those who leave.

    `seats`: their seats, which the table still has.
    """
    standing = core.standing
    if core.book.button.small_blind_may_be_missing and (due := _due(core)) is not None and due in seats:
        standing.no_small_blind, standing.small_blind_due = True, None


def _due(core: Core) -> int | None:
    """The seat due the small blind; None where it is not known, or where its player has left already.

    A round's end fixes it for the round after. In the table's first round it is the first seat behind the button, from
    the shuffle, the first blind or the first card on: who gets up before that leaves no game that has begun.
    """
    standing = core.standing
    if standing.played or standing.no_small_blind:
        return standing.small_blind_due
    begun = standing.commenced or core.round.forced.posts or any(deck.shuffled for deck in standing.decks.values())
    button = expected_button(core)
    if not begun or button is None:
        return None
    there = [seat for seat in in_game(core) if seat != button and standing.seats[seat].away_since is None]
    return clockwise(there, button)[0] if there else None
