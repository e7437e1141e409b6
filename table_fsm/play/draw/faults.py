"""Faults of the draw (ACT 2001, B 2.3 to 2.6, 4.2).

Somebody draws too late, the cards are too few, no card is discarded before the last fifth one, or a card is seen.
"""

from typing import Final

from table_fsm.core.core import Core
from table_fsm.play.draw import progress
from table_fsm.poker.draw_order import WHOLE_HAND, DrawOrder
from table_fsm.rulebook.irregularities import Irregularity

_LATE: Final = {"action": "draw", "earlier": "same", "passed_over": "acted", "sufficient": "no"}


def judge_late(core: Core, draw: DrawOrder, seat: int) -> None:
    """Rule on a player who draws after others have got cards as if this player had stood pat.

    If it is one before this player who got the fifth card at once, that card is at fault and not this player.
    """
    mine = draw.seats[seat]
    too_soon = draw.fifth_given_before(seat)
    if too_soon is not None:
        theirs = draw.seats[too_soon]
        if not theirs.fifth_ruled:
            core.find(
                Irregularity.DEALT_OUT_OF_TURN,
                {"looked": "unknown", "during": "later", "card": "fifth"},
                seat=too_soon,
                then=lambda _, __: theirs.rule_fifth(),
            )
    if draw.is_late(seat) and not mine.late_ruled:
        core.find(Irregularity.ACTION_OUT_OF_TURN, _LATE, seat=seat, then=lambda _, __: mine.rule_late())


def judge_enough(core: Core, draw: DrawOrder, seat: int) -> None:
    """Rule on a draw for which there are too few cards, even with the others' discards."""
    whole = seat == draw.order[-1] and draw.seats[seat].asked == WHOLE_HAND
    needed = draw.outstanding(seat) + (whole and not draw.discarded)
    if needed > draw.stub + draw.returnable(progress.lifted_cards(core, draw)) and not draw.short_ruled:
        draw.short_ruled = True
        core.find(Irregularity.INSUFFICIENT_CARDS, {"short": "earlier"}, seat=seat)


def judge_discard(core: Core, draw: DrawOrder) -> None:
    """Rule on the fifth card of the last player to replace cards if none was discarded before it (2.5(b)).

    Where players behind are to draw still it is not known yet who the last one is.
    """
    seat = draw.last_to_replace()
    if seat is not None and draw.seats[seat].fifth_at_once and not draw.seats[seat].fifth_ruled:
        mine = draw.seats[seat]
        core.find(Irregularity.BURN_MISSING, seat=seat, then=lambda _, __: mine.rule_fifth())


def seen(core: Core, seat: int | None, card: str | None) -> bool:
    """Rule on a hole card seen in the draw, which lasts until betting has begun (4.2).

    Returns whether a draw is in progress.
    """
    if progress.drawing(core) is None:
        return False
    exposures = core.round.exposures
    if card is None or card not in exposures.seen:
        core.find(Irregularity.HOLE_EXPOSED_IN_DRAW, seat=seat, then=lambda _, __: exposures.note_seen(card))
    return True


def next_seen(core: Core) -> bool:
    """Rule on the top card of the undealt cards if it is seen in the draw.

    It is a player's card there, and is ruled on once. Returns whether a draw is in progress.
    """
    draw = progress.drawing(core)
    if draw is None:
        return False
    if not core.round.stud.top_seen:
        seen(core, draw.due(), None)
    core.round.stud.see_top()
    return True
