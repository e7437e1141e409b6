"""What rulings ask about the initial deal: whether it is still on, and which of its cards one is."""

from table_fsm.core.core import Core
from table_fsm.poker.dealing import DealFault

_FIRST = 2
"""Onyx, Misdeals 2: the first two cards dealt."""


def during(core: Core) -> str:
    """The fact `during`: the initial "deal", which lasts until betting has begun, or "later"."""
    betting = core.round.betting
    later = (betting is not None and betting.begun) or core.round.street > 0
    return "later" if later else "deal"


def which_card(core: Core, seat: int | None, card: str | None, *, dealt: bool) -> str:
    """The fact `which` of a hole card that was seen: one of the deal's "first_two", its "last", or an "other".

    A card of a seat that no reader named is taken for the seat's latest: cards are exposed as they are dealt.
    `dealt`: it lies before the player; else it is the next one to be dealt.
    """
    cards = core.round.dealt_cards
    number = _number(cards, seat, card) if dealt else len(cards)
    if number is None:
        return "other"
    if number < _FIRST:
        return "first_two"
    deal = core.round.deal
    return "last" if deal is not None and number + 1 == deal.need * len(deal.seats) else "other"


def _number(cards: list[tuple[int, str | None]], seat: int | None, card: str | None) -> int | None:
    named = [number for number, (_, name) in enumerate(cards) if card is not None and name == card]
    of_seat = [number for number, (owner, _) in enumerate(cards) if owner == seat]
    found = named or of_seat
    return found[-1] if found else None


def is_wrong_count(core: Core, fault: DealFault, seat: int) -> bool:
    """Whether the book takes a fault of the deal for a hand with the wrong number of cards."""
    deal, rules = core.round.deal, core.book.dealing
    if deal is None:
        return False
    if fault is DealFault.EXCESS_CARD:
        return sum(max(0, dealt - deal.need) for dealt in deal.dealt.values()) < rules.excess_from
    return fault is DealFault.PLAYER_MISSED and rules.short_hand == "wrong_card_count" and deal.dealt.get(seat, 0) > 0
