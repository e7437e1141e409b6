"""A card that is seen before the wrong player: whose card it is.

A ruling has it moved to the player who was due it (TAS 2018, B 10.2(d), C 19.1(d) and (e); ACT 2001, 17.1(d) and (e)):
it is that player's card which was seen.
"""

from table_fsm.core import questions
from table_fsm.core.core import Core
from table_fsm.felt import SEAT_ZONE
from table_fsm.play.deal import counts
from table_fsm.poker.dealing import Deal
from table_fsm.rulebook.outcomes import Outcome
from table_fsm.rulebook.subjects import SUBJECT_OF, Subject


def owner(core: Core, seat: int | None, card: str | None) -> int | None:
    """The player whose card it is that was seen at a seat: the seat's, or whoever a ruling has it moved to."""
    moved = moved_to(core, seat, card)
    return seat if moved is None else moved[0]


def moved_to(core: Core, seat: int | None, card: str | None) -> tuple[int, int] | None:
    """The player to whom a ruling has a card moved that was seen at a seat, and which one of that player's it is.

    From 1, once cards that lie too far on before it are moved as well. None where it stays.
    """
    current = core.round.deals.current
    if seat is None or current is None or current.in_order or not _is_moved(core, seat, card):
        return None
    deal = current.copy()
    deal.give_back(seat)
    _put_right(deal)
    due = deal.due()
    return None if due is None else (due, deal.dealt[due] + 1)


def _is_moved(core: Core, seat: int, card: str | None) -> bool:
    """Whether a ruling has the card moved, one on the event in hand or on one before."""
    found = [fault.row.outcome for fault in core.found if SUBJECT_OF[fault.irregularity] is Subject.CARD_PLACE]
    if found:
        return Outcome.RECONSTRUCT in found
    if not (core.round.deals.errors and questions.deal_open(core) and is_latest(core, seat, card)):
        return False
    return seat == counts.out_of_place(core) or seat in counts.one_too_many(core)


def next_due(core: Core) -> tuple[int | None, int]:
    """The seat due the next card out of the pack, and which one of its cards in the deal that is, from 1.

    Cards that a ruling has moved come to their places first. None where nobody is due one, or no card has come.
    """
    deals = core.round.deals
    if deals.current is None:
        return None, 1
    deal = deals.current.copy()
    for _ in range(deals.in_hand):
        _give_to_owner(deal)
    for seat in counts.one_too_many(core):
        deal.give_back(seat)
        _give_to_owner(deal)
    if counts.out_of_place(core) is not None:
        _put_right(deal)
    due = deal.due()
    return due, 1 if due is None else deal.dealt[due] + 1


def _put_right(deal: Deal) -> None:
    """Move cards that lie too far on to the players whose they are."""
    for _ in deal.ring:
        seat = deal.misplaced()
        if seat is None:
            return
        deal.give_back(seat)
        _give_to_owner(deal)


def _give_to_owner(deal: Deal) -> None:
    owed = deal.due()
    if owed is not None:
        deal.put(owed)


def is_latest(core: Core, seat: int, card: str | None) -> bool:
    """Whether the card seen is the last one dealt to the seat, as far as the readers can tell."""
    names = core.round.tracker.names(SEAT_ZONE[seat])
    return card is None or card not in names[:-1]


def stays(core: Core) -> None:
    """Take a card that was seen before the wrong player for that player's own, where the deal is in order with it.

    The dealer has given its owner another one.
    """
    exposures, stud, deal = core.round.exposures, core.round.stud, core.round.deals.current
    if exposures.astray is None or deal is None or core.round.deals.in_hand or not deal.in_order:
        return
    lies, whose = exposures.astray
    exposures.change_owner(lies, lies)
    if whose in stud.closed:
        stud.reopen(whose)
        stud.close(lies)
