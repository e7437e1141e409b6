"""The seats without a draw that two people have annulled."""

from dataclasses import replace

from floor_fsm.core.parts import Parts
from floor_fsm.errors import Reason, Refused
from floor_fsm.messages.draw import DrawAnnulled, SeatsDrawn
from floor_fsm.state.draw import Draw
from floor_fsm.state.floor import Stacks
from floor_fsm.state.hands import Hands
from floor_fsm.state.rebuys import Rebuys
from floor_fsm.state.seating import Seating


def seats_before(parts: Parts, event: DrawAnnulled) -> tuple[Seating, tuple[int, ...]]:
    """The seats as they are without the draw, and who has none then. `parts`: the draw's part has it annulled.

    After a first draw nobody has a seat; after a redraw each who is left sits where they sat. The draw of a broken
    table is annulled once that table stands ready again. Refuses hand for hand, a chip race, a night, chips that were
    bought by who would wait, and a seat from before that another has now.
    """
    seating, clause = parts.of(Seating), _clause(parts)
    if event.table is not None:
        if event.table in seating.broken:
            words = f"{event.ev}: table {event.table} is broken: let it stand ready again first (table.taken_back)"
            raise Refused(Reason.TABLE_IS_BROKEN, words, clause)
        return seating, ()
    stacks = parts.of(Stacks)
    if parts.of(Hands).play is not None or stacks.race is not None or stacks.night:
        words = f"{event.ev}: end hand for hand or the chip race first, or let the suspended tournament go on"
        raise Refused(Reason.WRONG_STATE, words, clause)
    draw = parts.of(Draw)
    number = draw.number_of(None)
    assert number is not None  # the subject of draws comes first
    if draw.drawn[number].ev == SeatsDrawn.ev:
        _require_nothing_bought(parts, event)
        return replace(seating, places={}, moved=()), tuple(sorted(seating.places))
    return _sat_before(parts, event), ()


def _clause(parts: Parts) -> str | None:
    return None if parts.law.book.draw is None else parts.law.book.draw.clause


def _require_nothing_bought(parts: Parts, event: DrawAnnulled) -> None:
    bought = [entry for entry in sorted(parts.of(Seating).places) if entry in parts.of(Rebuys).unplayed]
    if bought:
        words = f"{event.ev}: entries {', '.join(map(str, bought))} have bought chips: take that back first"
        raise Refused(Reason.WRONG_STATE, words, _clause(parts))


def _sat_before(parts: Parts, event: DrawAnnulled) -> Seating:
    seating = parts.of(Seating)
    before = seating.redrawn
    assert before is not None  # a hand takes it away, and the draw from those that can be annulled
    now = {entry: before.places.get(entry, place) for entry, place in seating.places.items()}
    held = dict[object, int]()
    for entry, place in now.items():
        other = held.setdefault(place, entry)
        if other != entry:
            words = f"{event.ev}: entries {entry} and {other} would have one seat: move who has come since the draw"
            raise Refused(Reason.SEAT_IS_TAKEN, words, _clause(parts))
    moved = tuple(entry for entry, place in now.items() if place != seating.places[entry])
    return replace(seating.sitting(now), broken=before.broken, breaks=before.breaks, moved=moved, redrawn=None)
