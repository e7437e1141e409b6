"""Tabling of hands when a player is all in and nobody can bet any more.

The Star 7.28, 7.29; Onyx, Showdown 9 and 13. The hands lie open before the next card of the board. Without a keypad an
all-in is not known, and nothing is judged.
"""

from typing import Final

from table_fsm.core.core import Core
from table_fsm.core.round import Matter
from table_fsm.felt import SEAT_ZONE
from table_fsm.play.tournament import hand_for_hand
from table_fsm.rulebook.irregularities import Irregularity

_HANDS_DOWN: Final = (Matter.HANDS_DOWN, None)


def hands_due(core: Core) -> list[int]:
    """Seats whose hands should lie open by now and do not, in dealing order.

    Empty where the book does not require it.
    """
    if core.book.showdown.all_in != "before_the_next_card" or not _nothing_to_bet(core):
        return []
    if hand_for_hand.showdown_held(core):  # hands stay down until the other tables are done
        return []
    betting, tracker = core.round.betting, core.round.tracker
    assert betting is not None
    zones = [(seat, SEAT_ZONE[seat]) for seat in betting.live]
    return [seat for seat, zone in zones if tracker.ups(zone) < tracker.holds(zone)]


def judge(core: Core) -> None:
    """Rule, once a round, on a board card dealt while hands that must be open lie face down."""
    if _HANDS_DOWN in core.round.rulings.matters:
        return
    down = hands_due(core)
    if down:
        core.find(Irregularity.NOT_TABLED, seat=down[0], once=_HANDS_DOWN)


def _nothing_to_bet(core: Core) -> bool:
    """Whether a live player is all in and no two live players can bet against each other."""
    betting = core.round.betting
    if betting is None or core.round.showdown.decided or core.rounds.phase not in {"betting", "board", "showdown"}:
        return False
    live = betting.live
    if len(live) < 2 or not any(betting.players[seat].all_in for seat in live):
        return False
    if betting.open:
        return betting.certain and not betting.contested
    return len(betting.able) < 2
