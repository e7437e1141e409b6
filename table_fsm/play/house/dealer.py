"""The dealer's next step in a house-banked round: deal, wait for decisions, turn, collect."""

from table_fsm.core.core import Core
from table_fsm.felt import BOARD, SEAT_ZONE
from table_fsm.play.house import boxes, cards
from table_fsm.prompts import types as ask
from table_fsm.prompts.types import Prompt


def prompt(core: Core) -> Prompt:
    """What the dealer should do next in a house-banked round."""
    phase = core.rounds.phase
    tracker = core.round.tracker
    if phase == "dealing":
        free = [zone for zone in BOARD if not cards.given(core, zone)]
        if free:
            return ask.deal(free[0], "down")
        for seat in boxes.playing(core):
            if cards.given(core, SEAT_ZONE[seat]) < 2:
                return ask.deal(SEAT_ZONE[seat], "down")
        return ask.deal("dealer", "down")
    if phase == "betting":
        waiting = boxes.undecided(core)
        if waiting:
            return ask.decide(tuple(waiting))
        following = core.round.street + 1
        if following < len(core.book.streets):
            return ask.turn(tuple(core.book.streets[following].turn))
        return ask.turn(("dealer",))
    if phase == "board":
        return ask.turn(tuple(zone for zone in core.street.turn if not tracker.ups(zone)))
    if phase == "showdown":
        if not core.round.house.dealer_open:
            return ask.turn(("dealer",))
        closed = [s for s in reversed(boxes.playing(core)) if not core.round.house.boxes[s].settled]
        return ask.turn((SEAT_ZONE[closed[0]],)) if closed else ask.Collect()
    return ask.Collect()
