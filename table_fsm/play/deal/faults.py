"""Faults of the deal: under which irregularity the book has each, and what a player's look makes of it."""

from table_fsm.core import questions
from table_fsm.core.core import Core
from table_fsm.core.deal_state import DealError
from table_fsm.felt import SEAT_ZONE
from table_fsm.play.deal import counts
from table_fsm.play.deal import exposures as deal_exposures
from table_fsm.play.stud import deal as stud_deal
from table_fsm.poker.dealing import DealFault
from table_fsm.rulebook.irregularities import ANY_IRREGULARITY, Irregularity
from table_fsm.rulebook.model import Row

_LOOK_ANYWHERE = frozenset(
    {Irregularity.PLAYER_MISSED.value, Irregularity.EXTRA_HAND.value, Irregularity.EXCESS_CARD.value}
)


def find(core: Core, fault: DealFault, seat: int) -> None:
    """Name the irregularity of a fault that the deal shows at a seat, with its facts."""
    if deal_exposures.is_wrong_count(core, fault, seat):
        _rule_count(core, seat)
        return
    if _hand_is_void(core, fault):
        counts.find_wrong(core, seat, "betting")
        return
    irregularity = _irregularity_of(core, fault)
    lies_open = core.round.tracker.lies_up(SEAT_ZONE[seat])
    all_saw = lies_open and irregularity is Irregularity.DEALT_OUT_OF_TURN
    looked = "no" if all_saw or not questions.looks_matter(core) else _looked(core, irregularity)
    during = questions.during(core)
    unseen = stud_deal.unseen(core, fault, seat)
    open_card = lies_open and unseen == "yes"
    facts = {"looked": looked, "during": during, "unseen": unseen, **_facts_of(open_card=open_card)}
    deals = core.round.deals

    def ruled(number: int, _: Row) -> None:
        deals.note_error(DealError(number, irregularity.value, seat, grave=looked == "yes", open_card=open_card))

    core.find(irregularity, facts, seat=seat, then=ruled)


def _facts_of(*, open_card: bool) -> dict[str, str]:
    """Facts of a fault of the deal that is found as the card comes, while it can still be put right."""
    return {"card": "other", "put_right": "open", "lies": "up" if open_card else "down"}


def _hand_is_void(core: Core, fault: DealFault) -> bool:
    """Whether a card too many after the first betting round, when nobody is due one, is for the count alone.

    It is in a book that has a row for wrong counts and none for a card too many (TAS 2018, B 17.3).
    """
    deal = core.round.deals.current
    if fault is not DealFault.EXCESS_CARD or core.round.street == 0 or deal is None or deal.due() is not None:
        return False
    return core.has_row(Irregularity.WRONG_CARD_COUNT) and not core.has_row(Irregularity.EXCESS_CARD)


def _irregularity_of(core: Core, fault: DealFault) -> Irregularity:
    """The irregularity under which the book has a fault of the deal.

    A fault without a row of its own counts as a card out of turn, if it is one.
    """
    irregularity = Irregularity(fault.value)
    deal = core.round.deals.current
    belongs_elsewhere = fault is DealFault.EXCESS_CARD and deal is not None and deal.due() is not None
    if belongs_elsewhere and core.round.street > 0 and not questions.looks_matter(core):
        return Irregularity.DEALT_OUT_OF_TURN  # an open card, and no hole card too many
    if belongs_elsewhere and core.book.dealing.excess_from > 1:
        return Irregularity.DEALT_OUT_OF_TURN  # one card too many is no fault of its own there
    if core.has_row(irregularity) and not _only_of_the_first_deal(core, irregularity):
        return irregularity
    if fault is DealFault.WRONG_FIRST_SEAT or (belongs_elsewhere and questions.next_to_players(core)):
        return Irregularity.DEALT_OUT_OF_TURN
    return irregularity


def _only_of_the_first_deal(core: Core, irregularity: Irregularity) -> bool:
    """Whether the book's rows for an irregularity leave out the street that is being dealt."""
    facts = {"looked": "no", "during": questions.during(core)}
    return core.round.street > 0 and core.row(irregularity, facts).irregularity == ANY_IRREGULARITY


def _rule_count(core: Core, seat: int) -> None:
    """Rule on a hand with the wrong number of cards and no graver fault.

    Looks do not matter, and the hand may be corrected.
    """
    deals = core.round.deals

    def ruled(number: int, _: Row) -> None:
        deals.note_error(DealError(number, Irregularity.WRONG_CARD_COUNT.value, seat, grave=True))

    counts.find_wrong(core, seat, "deal", then=ruled)


def _looked(core: Core, irregularity: Irregularity) -> str:
    if core.options.look_sensor is False:
        return "unknown"
    if irregularity.value in _LOOK_ANYWHERE and core.round.looks.seats:
        return "yes"
    return "no"


def looked(core: Core, seat: int) -> None:
    """Make a deal error graver because a player has looked at their cards.

    Only while it is not corrected and betting has not begun, and where the book's rows depend on it.
    """
    round_ = core.round
    if not round_.tracker.holds(SEAT_ZONE[seat]):  # else the player looks at the cards that still lie there
        round_.deals.looked_at(seat)
    during = questions.during(core)
    for error in list(round_.deals.errors):
        anywhere = error.irregularity in _LOOK_ANYWHERE and not error.own_look
        all_saw = error.open_card and error.irregularity == Irregularity.DEALT_OUT_OF_TURN.value
        if error.grave or all_saw or not (anywhere or error.seat == seat):
            continue
        error.grave = True
        facts = {"looked": "yes", "during": during, "unseen": "yes", **_facts_of(open_card=error.open_card)}
        irregularity = Irregularity(error.irregularity)
        if core.row(irregularity, facts) == core.row(irregularity, {**facts, "looked": "no"}):
            continue  # the book says the same of both: the fault has been told
        core.rule(irregularity, facts, seat=error.seat, supersedes=error.ruling)
        if core.collecting():
            return
