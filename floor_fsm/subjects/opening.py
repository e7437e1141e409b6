"""The opening is taken once, first."""

from typing import Final

from floor_fsm.core.parts import Parts, Step, Subject
from floor_fsm.errors import Reason, Refused
from floor_fsm.law.law import Law
from floor_fsm.messages.opening import Opened, TournamentOpen
from floor_fsm.state.opening import Opening


def _open(parts: Parts, event: TournamentOpen) -> Step:
    if parts.of(Opening).tournament is not None:
        raise Refused(Reason.OPEN_ALREADY, "this tournament is open already: make another one for other terms")
    return Step(Opening(event), (Opened(parts.law.id),))


def _begin(_law: Law) -> Opening:
    return Opening()


SUBJECT: Final = Subject(Opening, _begin, {TournamentOpen: _open})
