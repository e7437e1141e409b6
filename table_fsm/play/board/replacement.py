"""The first burn card replaces a hole card that the initial deal exposed.

ACT 2001, C 4.3, E 4.3 to I 4.3; TAS 2018, C 19.4; Onyx, Misdeals. The card comes once the deal is complete, or as the
first card is burnt after the betting; straight from the shoe, or by way of the burn pile. The flop ends the waiting.
"""

from table_fsm.core import questions
from table_fsm.core.core import Core
from table_fsm.felt import SEAT_OF, SEAT_ZONE
from table_fsm.poker.cards.places import Placement
from table_fsm.rulebook.irregularities import Irregularity

_ELSEWHERE = frozenset(
    {i.value for i in (Irregularity.DEALT_OUT_OF_TURN, Irregularity.EXTRA_HAND, Irregularity.EXCESS_CARD)}
)
"""Faults of a card that lies before another seat than its owner's, or is nobody's."""


def is_due(core: Core, seat: int) -> bool:
    """Whether the player at this seat still gets the first burn card."""
    exposures = core.round.exposures
    return exposures.replace_seat == seat and not exposures.replaced


def awaited(core: Core) -> int | None:
    """The seat of a player in the round who still gets the first burn card; None for nobody."""
    exposures, betting = core.round.exposures, core.round.betting
    seat = exposures.replace_seat
    if seat is None or exposures.replaced:
        return None
    out = betting is not None and seat in betting.players and not betting.is_live(seat)
    return None if out else seat


def left_lying(core: Core) -> int | None:
    """The seat where the exposed card still lies beside the card that replaced it; None for nobody."""
    exposures, deal = core.round.exposures, core.round.deals.current
    seat = exposures.replace_seat
    if seat is None or not exposures.replaced or exposures.removed or deal is None:
        return None
    return seat if core.round.tracker.holds(SEAT_ZONE[seat]) > deal.need else None


def came(core: Core) -> None:
    """Note that the first burn card has come to the player."""
    core.round.exposures.replaced = True


def may_come(core: Core) -> bool:
    """Whether the first burn card is still to come, because no communal card shows."""
    return not core.round.board.shown


def burn_waits(core: Core) -> bool:
    """Whether a card that came to the burn pile is the one that goes to the player; notes it.

    A second one is a burn.
    """
    exposures = core.round.exposures
    if awaited(core) is None or exposures.burnt or not may_come(core):
        return False
    exposures.burnt = True
    return True


def comes_unread(core: Core, seat: int, placement: Placement) -> bool:
    """Note that a card no reader named came back to the seat from which the exposed one was taken.

    With the first burn card taken up too it is that one. Returns whether it is.
    """
    exposures = core.round.exposures
    back = placement.card is None and placement.zone_before == SEAT_ZONE[seat]
    if not back or not (exposures.burnt and exposures.removed and is_due(core, seat)):
        return False
    came(core)
    return True


def stays_burnt(core: Core) -> bool:
    """Whether that card still lies in the burn pile although the flop comes: it was burnt; notes it."""
    exposures = core.round.exposures
    if not exposures.burnt or exposures.replaced:
        return False
    exposures.burnt = False
    return True


def lacking(core: Core) -> int | None:
    """The seat whose exposed card was taken and not replaced before the flop; None for nobody."""
    exposures = core.round.exposures
    owed = exposures.removed and not exposures.replaced and not may_come(core)
    return exposures.replace_seat if owed else None


def card_leaves(core: Core, seat: int) -> bool:
    """Note that the exposed card leaves the seat; return whether a card of this seat may be that one.

    A card that was dealt to the wrong seat counts as its owner's from now on; one too many is replaced for nobody.
    """
    exposures, deals = core.round.exposures, core.round.deals
    if exposures.replace_seat != seat or exposures.removed or _other_leaves(core, seat):
        return False
    exposures.gone(seat, core.round.tracker.lifted[-1].card)
    deal = deals.current
    if _is_nobodys(core, seat):
        exposures.replace(None)
        return False
    exposures.removed = True
    of_seat = {error.irregularity for error in deals.errors if error.seat == seat}
    elsewhere = bool(deals.errors) and (exposures.misplaced or not of_seat.isdisjoint(_ELSEWHERE))
    if deal is None or not elsewhere or not questions.deal_open(core):
        return True
    deal.give_back(seat)
    owner = deal.due()
    if owner is not None:
        deal.put(owner)
        exposures.card_goes_to(seat, owner)
    return True


def _is_nobodys(core: Core, seat: int) -> bool:
    """Whether a card of the seat that leaves now is one too many, and everybody else has theirs: it goes back."""
    deal = core.round.deals.current
    if deal is None or deal.due() is not None or not (core.round.deals.errors and questions.deal_open(core)):
        return False
    return bool(deal.extra.get(seat)) or deal.dealt.get(seat, 0) > deal.need


def _other_leaves(core: Core, seat: int) -> bool:
    """Whether it is another player's that leaves the seat, or one too many, and not the exposed card beside it.

    The exposed one has not come yet where it was seen on top of the pack.
    """
    exposures, errors = core.round.exposures, core.round.deals.errors
    others = any(error.seat == seat and error.irregularity in _ELSEWHERE for error in errors)
    card = core.round.tracker.lifted[-1].card
    named = card is not None and card not in exposures.seen and seat not in exposures.unnamed
    return core.round.stud.top_seen or (others and named)


def card_comes_to_owner(core: Core, seat: int, placement: Placement) -> bool:
    """Note that the exposed card is laid before its owner, from where it is discarded; return whether it is."""
    exposures = core.round.exposures
    moved = placement.zone_before in SEAT_OF and placement.zone_before != SEAT_ZONE[seat]
    if not moved or exposures.replace_seat != seat or not exposures.removed or exposures.discarded:
        return False
    if placement.card is not None and placement.card not in exposures.seen:
        return False
    exposures.removed = False
    return True


def discarded(core: Core, seat: int, card: str | None) -> bool:
    """Note that the exposed card comes to the discards, as was ruled; return whether it is that card."""
    exposures = core.round.exposures
    if exposures.replace_seat is None or exposures.discarded:
        return False
    named = card is not None and card in exposures.seen
    if not named and not (exposures.removed and exposures.replace_seat == seat):
        return False
    exposures.removed = exposures.discarded = True
    return True
