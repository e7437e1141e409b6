"""The commitment comes before the first entry, and each secret that is told must be the one committed to.

A draw is one for each secret. Where the book has it so, nobody draws again before a hand: two people annul the draw.
"""

from dataclasses import replace
from typing import Final

from floor_fsm.core.parts import Parts, Step, Subject
from floor_fsm.drawing import commitment_of, seed_of
from floor_fsm.errors import Reason, Refused
from floor_fsm.law.law import Law
from floor_fsm.messages.draw import (
    AssociatesNamed,
    Committed,
    DrawAnnulled,
    DrawCommitted,
    DrawObjected,
    DrawTold,
    NotStanding,
    SeatsDrawn,
)
from floor_fsm.messages.hands import HandOver, HandReleased
from floor_fsm.messages.seating import Redrawn, SeatLate, TableBreaks
from floor_fsm.messages.sessions import SessionBegan, SessionEnded
from floor_fsm.messages.tables import HandBegan
from floor_fsm.state.draw import Draw, Drawn, Said, undealt_draw
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
    now = replace(draw, commitment=event.commitment, kept_by=event.kept_by)
    return Step(now, (Committed(event.commitment, event.kept_by),))


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
    step = _draw_many(parts, event)
    assert isinstance(step.part, Draw)
    told = step.outputs[0]
    assert isinstance(told, DrawTold)
    return Step(replace(step.part, seed=told.seed), step.outputs)


def _draw_many(parts: Parts, event: SeatsDrawn | TableBreaks | Redrawn) -> Step:
    """A draw of many seats. Refuses a second one before a hand, where the book has it so."""
    table = event.table if isinstance(event, TableBreaks) else None
    step = _reveal(parts, event)
    _require_no_second(parts, event.ev, table)
    draw, told = step.part, step.outputs[0]
    assert isinstance(draw, Draw)
    assert isinstance(told, DrawTold)
    number = len(draw.drawn)
    others = () if table is None else tuple(one for one in draw.undealt if draw.drawn[one].table != table)
    drawn = (*draw.drawn, Drawn(event.ev, table, told.secret, told.entries))
    return replace(step, part=replace(draw, drawn=drawn, undealt=(*others, number)))


def _require_no_second(parts: Parts, ev: str, table: str | None) -> None:
    draw, rule = parts.of(Draw), parts.law.book.draw
    number = draw.number_of(table)
    if rule is None or rule.again != "after_a_hand" or number is None or draw.drawn[number].annulled is not None:
        return
    raise Refused(
        Reason.DRAWN_ALREADY,
        f"{ev}: these seats were drawn, and no hand was dealt since: deal one, or let two people annul that draw",
        rule.clause,
    )


def _object(parts: Parts, event: DrawObjected) -> Step:
    draw, rule = parts.of(Draw), parts.law.book.draw
    number, done = undealt_draw(parts, event.ev, event.table)
    if done.objected is not None:
        clause = None if rule is None else rule.clause
        words = f"{done.objected.who} has objected to this draw: another person annuls it"
        raise Refused(Reason.WRONG_STATE, words, clause)
    return Step(_with(draw, number, replace(done, objected=_said(event))))


def _annul(parts: Parts, event: DrawAnnulled) -> Step:
    """The draw does not count. Refuses one to which nobody has objected, and who has objected to it."""
    draw, rule = parts.of(Draw), parts.law.book.draw
    clause = None if rule is None else rule.clause
    number, done = undealt_draw(parts, event.ev, event.table)
    said = _said(event)
    if done.objected is None:
        raise Refused(
            Reason.NOT_DECIDED, "nobody has objected to this draw: one person does, another annuls it", clause
        )
    if done.objected.who.casefold() == said.who.casefold():
        raise Refused(Reason.ONE_PERSON, f"{said.who} has objected to this draw: another person annuls it", clause)
    now = _with(draw, number, replace(done, annulled=said))
    told = NotStanding(done.secret, done.objected.who, said.who)
    return Step(replace(now, seed=None) if done.ev == SeatsDrawn.ev else now, (told,))


def _said(event: DrawObjected | DrawAnnulled) -> Said:
    assert event.by is not None  # it needs a person
    return Said(event.by.who, event.by.why, event.t)


def _with(draw: Draw, number: int, done: Drawn) -> Draw:
    return replace(draw, drawn=(*draw.drawn[:number], done, *draw.drawn[number + 1 :]))


def _dealt(parts: Parts, event: HandBegan | HandOver | HandReleased | SessionEnded) -> Step:
    """What a hand was dealt by is no draw that anybody annuls."""
    draw = parts.of(Draw)
    if not draw.undealt:
        return Step(draw)
    tables = (None, event.table) if isinstance(event, HandBegan | HandOver) else None
    left = () if tables is None else tuple(one for one in draw.undealt if draw.drawn[one].table not in tables)
    return Step(draw if left == draw.undealt else replace(draw, undealt=left))


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
        TableBreaks: _draw_many,
        Redrawn: _draw_many,
        DrawObjected: _object,
        DrawAnnulled: _annul,
        HandBegan: _dealt,
        HandOver: _dealt,
        HandReleased: _dealt,
        SessionBegan: _session_began,
        SessionEnded: _dealt,
    },
)
