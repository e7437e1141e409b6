"""The commitment comes before the entries close, and the secret that is told must be the one committed to."""

from dataclasses import replace
from typing import Final

from floor_fsm.core.parts import Parts, Step, Subject
from floor_fsm.drawing import commitment_of, seed_of
from floor_fsm.errors import Reason, Refused
from floor_fsm.law.law import Law
from floor_fsm.messages.draw import AssociatesNamed, Committed, DrawCommitted, DrawTold, SeatsDrawn
from floor_fsm.state.draw import Draw
from floor_fsm.state.entries import Entries, waiting_persons


def _commit(parts: Parts, event: DrawCommitted) -> Step:
    draw = parts.of(Draw)
    if draw.commitment is not None:
        raise Refused(Reason.COMMITTED_ALREADY, f"the draw is committed to {draw.commitment} already")
    if parts.of(Entries).closed:
        raise Refused(Reason.LATE_ENTRY_IS_OVER, "the entries are closed: who commits now could choose the draw")
    return Step(replace(draw, commitment=event.commitment), (Committed(event.commitment),))


def _name(parts: Parts, event: AssociatesNamed) -> Step:
    draw = parts.of(Draw)
    if draw.seed is not None:
        raise Refused(Reason.DRAWN_ALREADY, "the seats are drawn: move one of them")
    if parts.law.book.draw is None or not parts.law.book.draw.associates_apart:
        raise Refused(Reason.NOT_IN_THE_BOOK, "the book keeps nobody apart: a person moves them")
    return Step(replace(draw, groups=(*draw.groups, event.persons)))


def _draw(parts: Parts, event: SeatsDrawn) -> Step:
    draw, persons = parts.of(Draw), waiting_persons(parts)
    if draw.commitment is None:
        raise Refused(Reason.NOT_COMMITTED, "no commitment was published: a draw without one proves nothing")
    if draw.seed is not None:
        raise Refused(Reason.DRAWN_ALREADY, "the seats are drawn: who comes now is seated late")
    secret = bytes.fromhex(event.secret)
    if commitment_of(secret) != draw.commitment:
        raise Refused(Reason.NOT_AS_COMMITTED, "this is not the secret that was committed to")
    if not persons:
        raise Refused(Reason.UNKNOWN_ENTRY, "nobody waits for a seat")
    seed = seed_of(secret, persons).hex()
    return Step(replace(draw, seed=seed), (DrawTold(event.secret, seed, len(persons)),))


def _begin(_law: Law) -> Draw:
    return Draw()


SUBJECT: Final = Subject(Draw, _begin, {DrawCommitted: _commit, AssociatesNamed: _name, SeatsDrawn: _draw})
