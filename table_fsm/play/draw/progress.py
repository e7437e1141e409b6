"""The draw in progress: who is in it, what is due next, and its end (ACT 2001, B 2.3 to 2.6).

`table_fsm.poker.draw_order` counts what each player is due.
"""

from table_fsm.core.core import Core
from table_fsm.felt import SEAT_ZONE
from table_fsm.poker.draw_order import DrawOrder
from table_fsm.prompts import types as ask


def begin(core: Core) -> None:
    """Begin the draw: the players still in the round replace cards, from the buck on."""
    betting, tracker = core.round.betting, core.round.tracker
    assert betting is not None
    out = max(tracker.left_shoe, sum(map(len, tracker.zones.values())) + len(tracker.lifted))
    core.round.draw = DrawOrder(betting.live, max(0, core.deck_size - out))


def drawing(core: Core) -> DrawOrder | None:
    """The draw in progress, until the betting after it has begun; else None."""
    draw, betting = core.round.draw, core.round.betting
    if draw is None or betting is None or core.rounds.phase not in {"draw", "betting"}:
        return None
    return None if betting.open and betting.begun else draw


def is_deciding(core: Core, seat: int) -> bool:
    """Whether the player at this seat still has to say, or show, how many cards they replace."""
    draw = drawing(core)
    if draw is None or core.rounds.phase != "draw" or seat not in draw.order:
        return False
    next_one = draw.to_draw()
    if next_one is not None and any(mine.asked is not None for mine in draw.seats.values()):
        return next_one == seat
    return draw.seats[seat].asked is None and not draw.seats[seat].given


def lifted_cards(core: Core, draw: DrawOrder) -> dict[int, int]:
    return {seat: core.round.tracker.lifted_from(SEAT_ZONE[seat]) for seat in draw.order}


def has_decided(core: Core, seat: int) -> None:
    """Stop the clock that runs on this player: the number of cards is known, or one has come."""
    if core.round.clock.seat == seat:
        core.round.clock.stop()


def may_end(core: Core) -> bool:
    """Whether a draw is in progress that an action ends, because somebody can bet after it."""
    betting = core.round.betting
    return core.rounds.phase == "draw" and betting is not None and betting.contested


def close_refused(core: Core) -> bool:
    """Whether the betting after the draw cannot be closed yet.

    At a table that keys actions no action has been keyed then.
    """
    betting = core.round.betting
    return may_end(core) and betting is not None and betting.ever_keyed


def end(core: Core) -> None:
    """End a draw in progress: the final betting round opens."""
    if core.rounds.phase == "draw" and not core.collecting():
        core.round.clock.stop()
        core.flow.open_next_street()


def end_if_complete(core: Core) -> None:
    draw = core.round.draw
    if draw is not None and draw.complete(lifted_cards(core, draw)):
        end(core)


def prompt(core: Core, draw: DrawOrder) -> ask.Prompt:
    """What the dealer should do next in the draw."""
    due = draw.due()
    if due is None:
        asked = draw.to_draw()
        return ask.DrawCards(asked) if asked is not None else ask.Close()
    if draw.stub <= 0:
        return ask.ShuffleStub()
    if core.round.cut.discards_due:
        return ask.Cut()
    return ask.Burn(1) if draw.discard_due() else ask.deal(SEAT_ZONE[due], "down")
