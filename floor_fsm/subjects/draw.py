"""The commitment comes before the first entry, and each secret that is told must be the one committed to."""

from dataclasses import replace
from typing import Final

from floor_fsm.core.parts import Parts, Step, Subject
from floor_fsm.drawing import commitment_of, seed_of
from floor_fsm.errors import Reason, Refused
from floor_fsm.law.law import Law
from floor_fsm.messages.draw import AssociatesNamed, Committed, DrawCommitted, DrawTold, SeatsDrawn
from floor_fsm.messages.seating import Redrawn, SeatLate, TableBreaks
from floor_fsm.messages.sessions import SessionBegan
from floor_fsm.state.draw import Draw
from floor_fsm.state.entries import Entries
from floor_fsm.state.giving import drawn_list


def _commit(parts: Parts, event: DrawCommitted) -> Step:
    draw = parts.of(Draw)
    if draw.commitment is not None:
        raise Refused(Reason.COMMITTED_ALREADY, f"the draw is committed to {draw.commitment} already")
    if parts.of(Entries).by_number:
        raise Refused(
            Reason.COMMITTED_TOO_LATE,
            "there are entries already: who commits now could choose the draw; give the seats by hand, by a ballot",
        )
    return Step(replace(draw, commitment=event.commitment), (Committed(event.commitment),))


def _name(parts: Parts, event: AssociatesNamed) -> Step:
    draw = parts.of(Draw)
    if draw.seed is not None:
        raise Refused(Reason.DRAWN_ALREADY, "the seats are drawn: move one of them")
    if parts.law.book.draw is None or not parts.law.book.draw.associates_apart:
        raise Refused(Reason.NOT_IN_THE_BOOK, "the book keeps nobody apart: a person moves them")
    return Step(replace(draw, groups=(*draw.groups, event.persons)))


def _draw(parts: Parts, event: SeatsDrawn) -> Step:
    if parts.of(Draw).seed is not None:
        raise Refused(Reason.DRAWN_ALREADY, "the seats are drawn: who comes now is seated late")
    step = _reveal(parts, event)
    assert isinstance(step.part, Draw)
    told = step.outputs[0]
    assert isinstance(told, DrawTold)
    return Step(replace(step.part, seed=told.seed), step.outputs)


def _reveal(parts: Parts, event: SeatsDrawn | SeatLate | TableBreaks | Redrawn) -> Step:
    """A secret is told. What was committed to next is the secret of which this one is the SHA-256."""
    draw = parts.of(Draw)
    if draw.commitment is None:
        raise Refused(Reason.NOT_COMMITTED, "no commitment was published: a draw without one proves nothing")
    secret = bytes.fromhex(event.secret)
    if commitment_of(secret) != draw.commitment:
        raise Refused(Reason.NOT_AS_COMMITTED, "this is not the secret that was committed to")
    persons = drawn_list(parts, event)
    if not persons:
        raise Refused(Reason.UNKNOWN_ENTRY, "there is nobody to draw a seat for")
    told = DrawTold(event.secret, seed_of(secret, persons).hex(), len(persons))
    return Step(replace(draw, commitment=event.secret), (told,))


def _late(parts: Parts, event: SeatLate) -> Step:
    if parts.of(Draw).seed is None:
        raise Refused(Reason.NOT_COMMITTED, "the seats are not drawn yet: who waits is seated by the draw")
    return _reveal(parts, event)


def _session_began(parts: Parts, _event: SessionBegan) -> Step:
    """Its seats are drawn by the next secret."""
    return Step(replace(parts.of(Draw), seed=None))


def _begin(_law: Law) -> Draw:
    return Draw()


SUBJECT: Final = Subject(
    Draw,
    _begin,
    {
        DrawCommitted: _commit,
        AssociatesNamed: _name,
        SeatsDrawn: _draw,
        SeatLate: _late,
        TableBreaks: _reveal,
        Redrawn: _reveal,
        SessionBegan: _session_began,
    },
)
