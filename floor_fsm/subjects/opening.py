"""The opening is taken once, first."""

from dataclasses import replace
from typing import Final

from floor_fsm.core.parts import Parts, Step, Subject
from floor_fsm.errors import Reason, Refused
from floor_fsm.law.law import Law
from floor_fsm.messages.opening import Opened, TournamentCancelled, TournamentOpen
from floor_fsm.messages.undone import CancelTakenBack
from floor_fsm.state.calling_off import all_goes_back
from floor_fsm.state.money import Money
from floor_fsm.state.opening import Opening


def _open(parts: Parts, event: TournamentOpen) -> Step:
    if parts.of(Opening).tournament is not None:
        raise Refused(Reason.OPEN_ALREADY, "this tournament is open already: make another one for other terms")
    return Step(Opening(event), (Opened(parts.law.id),))


def _cancel(parts: Parts, event: TournamentCancelled) -> Step:
    """Refuse to keep what the book gives back, and to call off what has been paid out."""
    rule, paid = parts.law.book.cancelling, sorted(parts.of(Money).paid)
    if all_goes_back(parts):
        if rule is not None and event.refund is False:
            raise Refused(Reason.NOT_ALLOWED, "all that was paid goes back", rule.clause)
    elif event.refund is None:
        raise Refused(
            Reason.NOT_DECIDED,
            "the book does not say whether fees go back: the director says it (refund)",
            None if rule is None else rule.clause,
        )
    if paid:
        raise Refused(
            Reason.PAID_ALREADY, f"prizes of entries {', '.join(map(str, paid))} are paid: take them back first"
        )
    return Step(replace(parts.of(Opening), cancelled=True))


def _called_back(parts: Parts, _event: CancelTakenBack) -> Step:
    """What the other parts were, `Tournament.apply` knows."""
    opening, rule = parts.of(Opening), parts.law.book.cancelling
    if not opening.cancelled:
        clause = None if rule is None else rule.clause
        raise Refused(Reason.WRONG_STATE, "the tournament is not called off: there is nothing to take back", clause)
    return Step(replace(opening, cancelled=False))


def _begin(_law: Law) -> Opening:
    return Opening()


SUBJECT: Final = Subject(
    Opening, _begin, {TournamentOpen: _open, TournamentCancelled: _cancel, CancelTakenBack: _called_back}
)
