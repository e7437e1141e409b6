"""What goes back for an entry, and what the cage gives back of it.

It comes before the entries and what was bought beside them: there is nothing to read of them behind that.
"""

from dataclasses import replace
from typing import Final

from floor_fsm.core.parts import Parts, Step, Subject
from floor_fsm.errors import Reason, Refused
from floor_fsm.law.law import Law
from floor_fsm.messages.entries import EntryWithdrawn
from floor_fsm.messages.opening import TournamentCancelled
from floor_fsm.messages.people import PersonLeft
from floor_fsm.messages.refunds import RefundPaid, RefundTakenBack
from floor_fsm.messages.undone import AddOnTakenBack, RebuyTakenBack
from floor_fsm.play.people import leaving
from floor_fsm.state.entries import Entries, entry_of
from floor_fsm.state.floor import People
from floor_fsm.state.opening import opened
from floor_fsm.state.rebuys import Bought, Rebuys
from floor_fsm.state.refunds import Refunds, fee_goes_back


def _withdrawn(parts: Parts, event: EntryWithdrawn) -> Step:
    entry = entry_of(parts, event.entry)
    return _owes(parts, {entry.number: entry.paid if fee_goes_back(parts, event) else 0})


def _gone(parts: Parts, event: PersonLeft) -> Step:
    entry = entry_of(parts, event.entry)
    said = leaving(parts.law.book.leaving, event.why, refund=event.refund, prize=event.prize)
    return _owes(parts, {entry.number: entry.paid if said.refund else 0})


def _bought_back(parts: Parts, event: RebuyTakenBack | AddOnTakenBack) -> Step:
    """The chips are nobody's. Whether that can be, the subject of what is bought says."""
    terms = opened(parts).rebuy if isinstance(event, RebuyTakenBack) else opened(parts).add_on
    if terms is None or event.to is not None:
        return Step(parts.of(Refunds))
    return _owes(parts, {event.entry: terms.price + terms.house})


def _cancelled(parts: Parts, event: TournamentCancelled) -> Step:
    """All that was paid and has not gone back, where the book or the director says so."""
    if event.refund is False:
        return Step(parts.of(Refunds))
    given, bought = parts.of(People).refunded, parts.of(Rebuys).bought
    more: dict[int, int] = {}
    for number, entry in parts.of(Entries).by_number.items():
        beside = bought.get(number, Bought())
        more[number] = (0 if number in given else entry.paid) + beside.pool + beside.house
    return _owes(parts, more)


def _owes(parts: Parts, more: dict[int, int]) -> Step:
    return Step(parts.of(Refunds).owing(more))


def _paid(parts: Parts, event: RefundPaid) -> Step:
    refunds = parts.of(Refunds)
    entry_of(parts, event.entry)
    left = refunds.left(event.entry)
    if not left and event.entry in refunds.paid:
        raise Refused(
            Reason.PAID_ALREADY, f"the cage has given back {refunds.paid[event.entry]} cents for entry {event.entry}"
        )
    if not left:
        raise Refused(Reason.WRONG_STATE, f"nothing goes back for entry {event.entry}")
    if event.cents != left:
        raise Refused(Reason.WRONG_AMOUNT, f"{left} cents go back for entry {event.entry}, not {event.cents}")
    now = refunds.paid.get(event.entry, 0) + event.cents
    return Step(replace(refunds, paid={**refunds.paid, event.entry: now}))


def _taken_back(parts: Parts, event: RefundTakenBack) -> Step:
    refunds = parts.of(Refunds)
    entry_of(parts, event.entry)
    paid = refunds.paid.get(event.entry, 0)
    if not paid:
        raise Refused(Reason.NOT_PAID, f"the cage has given back nothing for entry {event.entry}")
    back = paid if event.cents is None else event.cents
    if not 0 < back <= paid:
        words = f"from 1 to {paid} cents can be at the cage again for entry {event.entry}, not {back}"
        raise Refused(Reason.WRONG_AMOUNT, words)
    now = {**refunds.paid, event.entry: paid - back}
    return Step(replace(refunds, paid={entry: cents for entry, cents in now.items() if cents}))


def _begin(_law: Law) -> Refunds:
    return Refunds()


SUBJECT: Final = Subject(
    Refunds,
    _begin,
    {
        EntryWithdrawn: _withdrawn,
        PersonLeft: _gone,
        RebuyTakenBack: _bought_back,
        AddOnTakenBack: _bought_back,
        TournamentCancelled: _cancelled,
        RefundPaid: _paid,
        RefundTakenBack: _taken_back,
    },
)
