"""Hands in the draw: the cards that players pass, folds, and how many cards each holds after it."""

from table_fsm.core.core import Core
from table_fsm.felt import SEAT_OF, SEAT_ZONE
from table_fsm.play.draw import faults, progress, undealt, wrong_cards
from table_fsm.poker.cards.places import Origin, Placement
from table_fsm.poker.draw_order import DrawOrder, SeatDraw


def mucked(core: Core, placement: Placement) -> bool:
    """Take a card that came to the discards; return whether the draw explains it.

    It does if a player replaces the card, or if it is the one of 2.5(b).
    """
    draw = progress.drawing(core)
    if draw is None:
        return False
    if placement.origin is not Origin.LIFTED:
        return undealt.discards(core, placement)
    seat = SEAT_OF.get(placement.zone_before or "")
    mine = draw.seats.get(seat) if seat is not None else None
    if seat is None or mine is None:
        return False
    if seat in draw.taken and draw.may_be_wrong(placement.card):  # a card that went wrong is taken out of play
        draw.lay_down(seat)
        wrong_cards.put_right(core, draw)
        return True
    if core.rounds.phase == "betting" and _beyond_the_draw(core, draw, seat, mine):
        return False  # everybody has drawn: the hand is folded
    mine.pass_one(placement.card)
    return True


def _beyond_the_draw(core: Core, draw: DrawOrder, seat: int, mine: SeatDraw) -> bool:
    """Whether a card passed after the draw is more than the player replaced.

    Without an announced number: whether it is the last one of a hand.
    """
    if mine.asked is not None:
        return mine.mucked >= mine.asked and not draw.outstanding(seat)
    return mine.mucked >= mine.given and _nothing_left(core, seat)


def replaced_unseen(core: Core, seat: int) -> int:
    """Number of cards lifted from the seat that the draw explains, though no reader saw them come to rest.

    The player replaced them, or a card that went wrong was taken back. They lie in no hand.
    """
    draw = core.round.draw
    if draw is None or seat not in draw.seats:
        return 0
    mine = draw.seats[seat]
    lifted = core.round.tracker.lifted_from(SEAT_ZONE[seat])
    return mine.passed(lifted) - mine.mucked + draw.taken.count(seat)


def _nothing_left(core: Core, seat: int) -> bool:
    """Whether no card of the player lies before them or is lifted."""
    tracker = core.round.tracker
    return not tracker.holds(SEAT_ZONE[seat]) and not tracker.lifted_from(SEAT_ZONE[seat])


def count_hands(core: Core) -> None:
    """Enter in the deal how many cards each player holds after the draw, as betting begins.

    A player whose cards were all seen in the discards has folded; no keypad reported it.
    """
    draw, deal = core.round.draw, core.round.deals.current
    if draw is None or deal is None:
        return
    for seat in [seat for seat in draw.order if draw.seats[seat].mucked and _nothing_left(core, seat)]:
        core.flow.fold(seat)
    for seat, lifted in progress.lifted_cards(core, draw).items():
        mine = draw.seats[seat]
        extra = draw.misplaced.count(seat)
        deal.count_anew(seat, deal.need - mine.passed(lifted) + mine.given + extra)


def folded(core: Core, seat: int) -> None:
    """Take a player who folds in the draw out of it."""
    if core.round.draw is not None and core.rounds.phase == "draw":
        core.round.draw.drop(seat)
        faults.judge_discard(core, core.round.draw)
        progress.end_if_complete(core)


def reinstated(core: Core, seat: int) -> None:
    """Take a player into the draw again whose fold a supervisor has undone."""
    if core.round.draw is not None and core.round.betting is not None:
        core.round.draw.rejoin(seat, core.round.betting.ring)
