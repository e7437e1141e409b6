"""How many cards a player replaces, as it is keyed (ACT 2001, B 2.3, 2.4)."""

from table_fsm.core.core import Core
from table_fsm.errors import Refused
from table_fsm.events import Draw
from table_fsm.felt import SEAT_ZONE
from table_fsm.play.draw import faults, progress, wrong_cards
from table_fsm.poker.draw_order import WHOLE_HAND


def on_draw(core: Core, event: Draw) -> None:
    """Take the number of cards that a player replaces."""
    if not any(street.draw for street in core.book.streets):
        raise Refused(f"draw has no meaning under {core.standing.rulebook}")
    if event.seat not in SEAT_ZONE:
        raise Refused(f"there is no seat {event.seat}: 1 to 10")
    if not 0 <= event.count <= WHOLE_HAND:
        raise Refused(f"draw of {event.count} cards: 0 to {WHOLE_HAND}")
    if core.collecting():
        return
    betting = core.round.betting
    if betting is None or (progress.drawing(core) is None and not _next_after_idle(core)):
        raise Refused("no draw is in progress: it comes between the betting rounds")
    if not betting.is_live(event.seat) or (core.round.draw and event.seat not in core.round.draw.order):
        raise Refused(f"seat {event.seat} is not in this round, or has folded: no cards to replace")
    core.flow.end_idle_street()
    draw = progress.drawing(core)
    assert draw is not None
    mine = draw.seats[event.seat]
    if event.count and mine.asked is None and not mine.given:
        faults.judge_late(core, draw, event.seat)
    mine.asked = event.count
    progress.has_decided(core, event.seat)
    wrong_cards.was_asked_for(core, draw, event.seat)
    faults.judge_enough(core, draw, event.seat)
    faults.judge_discard(core, draw)
    progress.end_if_complete(core)


def _next_after_idle(core: Core) -> bool:
    """Whether the draw comes next, after a betting round in which nobody can bet.

    Nobody has closed that round.
    """
    betting, following = core.round.betting, core.round.street + 1
    idle = betting is not None and betting.open and betting.certain and not betting.contested
    return idle and following < len(core.book.streets) and core.book.streets[following].draw
