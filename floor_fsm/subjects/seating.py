"""The seats: drawn, given late, changed, freed. Nobody sits in two seats, and no seat holds two."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Final

from floor_fsm.core.output import Output
from floor_fsm.core.parts import Parts, Step, Subject
from floor_fsm.drawing import Place
from floor_fsm.errors import Reason, Refused
from floor_fsm.law.law import Law, ruled
from floor_fsm.messages.draw import DrawAnnulled, SeatsDrawn
from floor_fsm.messages.entries import (
    EntryBack,
    EntryCame,
    EntryGivenUp,
    EntryNeverCame,
    EntryNoShow,
    EntryOut,
    Rebuy,
)
from floor_fsm.messages.hands import HandOver
from floor_fsm.messages.opening import TournamentCancelled
from floor_fsm.messages.people import PersonLeft
from floor_fsm.messages.seating import (
    Moved,
    Redrawn,
    Seated,
    SeatFree,
    SeatGiven,
    SeatLate,
    TableBreaks,
    TableBroken,
    TableGone,
    Why,
)
from floor_fsm.messages.sessions import SessionBegan, SessionEnded
from floor_fsm.messages.tables import Balanced, HandBegan
from floor_fsm.messages.undone import Players, SessionTakenBack, TableReady, TableTakenBack
from floor_fsm.state.annulling import seats_before
from floor_fsm.state.entries import Entries, Entry, Standing, entry_of
from floor_fsm.state.floor import Stacks
from floor_fsm.state.giving import first_places, late_place, places_of_broken, redrawn_places
from floor_fsm.state.hands import Hands
from floor_fsm.state.opening import opened, seats_of
from floor_fsm.state.rebuys import Rebuys
from floor_fsm.state.seating import BeforeRedraw, Break, Seating, in_use, place_of, require_free
from floor_fsm.state.sessions import taken_back
from floor_fsm.state.tables import Tables, blinds_of, move_by_book, position_of


def _seated(parts: Parts, now: Seating, why: Why, entries: Iterable[int]) -> tuple[Output, ...]:
    """What is said of entries that have sat down: `parts` as it was before, `now` the seats after."""
    before, after = parts.of(Seating).places, parts.having(now)
    told: list[Output] = []
    for entry in entries:
        place = now.places[entry]
        position = None if why is Why.REDRAWN else position_of(after, place)  # the button begins anew there
        where = (None, False) if position is None else (position.to_big_blind, position.dealt_out)
        told.append(Seated(entry, place, why, before.get(entry), *where))
    return tuple(told)


def _with(parts: Parts, places: Mapping[int, Place], why: Why, broken: tuple[str, ...] = ()) -> Step:
    """The seats with these entries at these places, and these tables broken."""
    seating = parts.of(Seating)
    now = replace(
        seating.sitting(places),
        broken=(*seating.broken, *broken),
        moved=tuple(entry for entry in places if entry in seating.places),
    )
    return Step(now, (*_seated(parts, now, why, places), *(TableGone(table) for table in broken)))


def _drawn(parts: Parts, event: SeatsDrawn) -> Step:
    return _with(parts, dict(sorted(first_places(parts, event).items())), Why.DRAWN)


def _waiting(parts: Parts, number: int) -> Entry:
    entry = entry_of(parts, number)
    if entry.standing is not Standing.WAITING:
        raise Refused(Reason.SEATED_ALREADY, f"entry {entry.number} is {entry.standing}: only who waits gets a seat")
    _require_turn(parts, entry)
    return entry


def _late(parts: Parts, event: SeatLate) -> Step:
    _waiting(parts, event.entry)
    return _with(parts, {event.entry: late_place(parts, event)}, Why.LATE)


def _given(parts: Parts, event: SeatGiven) -> Step:
    _waiting(parts, event.entry)
    place = Place(event.table, event.seat)
    require_free(parts, place)
    return _with(parts, {event.entry: place}, Why.GIVEN)


def _require_turn(parts: Parts, entry: Entry) -> None:
    """Refuse who enters again while an alternate waits, where the book has it so."""
    rule = parts.law.book.alternates
    if rule is None or not rule.before_re_entries or entry.again == 1:
        return
    first = [one for one in parts.of(Entries).standing(Standing.WAITING) if one.again == 1]
    if first:
        raise Refused(
            Reason.OTHERS_WAIT_LONGER, f"{first[0].name} (entry {first[0].number}) waits for a first seat", rule.clause
        )


def _move(parts: Parts, event: Moved) -> Step:
    place_of(parts, event.entry)
    place = Place(event.table, event.seat)
    require_free(parts, place)
    return _with(parts, {event.entry: place}, Why.GIVEN)


def _balance(parts: Parts, event: Balanced) -> Step:
    wanted = move_by_book(parts, event.table, event.to)
    last = blinds_of(parts, event.table).hand
    if event.hand != last:
        raise Refused(
            Reason.WRONG_HAND, f"table {event.table} is at hand {last}, not {event.hand}: look again who is next there"
        )
    return _with(parts, {wanted.entry: wanted.target}, Why.BALANCED)


def _break_by_draw(parts: Parts, event: TableBreaks) -> Step:
    return _broken(parts, event.table, places_of_broken(parts, event))


def _broken(parts: Parts, table: str, places: Mapping[int, Place]) -> Step:
    """The seats without a table, whose players sit here now."""
    blinds, targets = parts.of(Tables).blinds, {place.table for place in places.values()}
    was = {entry: parts.of(Seating).places[entry] for entry in places}
    done = Break(was, places, {one: blinds[one].hand for one in sorted(targets) if one in blinds})
    step = _with(parts, places, Why.BROKEN, (table,))
    assert isinstance(step.part, Seating)
    return replace(step, part=replace(step.part, breaks={**step.part.breaks, table: done}))


def _break(parts: Parts, event: TableBroken) -> Step:
    there = parts.of(Seating).at(event.table)
    if event.table not in in_use(parts):
        seats_of(parts, event.table)  # a table that there never was is told as that
        raise Refused(Reason.TABLE_IS_BROKEN, f"table {event.table} is broken already")
    if sorted(entry for entry, _, _ in event.to) != sorted(there.values()):
        raise Refused(
            Reason.NOT_SEATED, f"table {event.table} has the entries {sorted(there.values())}: give each a seat, once"
        )
    now = replace(parts.of(Seating), broken=(*parts.of(Seating).broken, event.table))
    places: dict[int, Place] = {}
    for entry, table, seat in event.to:
        places[entry] = Place(table, seat)
        require_free(parts.having(now), places[entry])
        now = now.sitting({entry: places[entry]})
    return _broken(parts, event.table, places)


def _table_taken_back(parts: Parts, event: TableTakenBack) -> Step:
    """A broken table stands ready again; its players have their seats again, or stay where they are."""
    seating, rule, stacks = parts.of(Seating), parts.law.book.breaking, parts.of(Stacks)
    clause = None if rule is None else rule.clause
    seats_of(parts, event.table)
    if event.table not in seating.broken:
        raise Refused(Reason.WRONG_STATE, f"table {event.table} is not broken: it deals", clause)
    if parts.of(Hands).play is not None:
        raise Refused(Reason.WRONG_STATE, "hand for hand is played without this table: end it first", clause)
    if stacks.night:
        raise Refused(Reason.WRONG_STATE, "the tournament is suspended: let it go on first", clause)
    if stacks.race is not None:
        raise Refused(Reason.WRONG_STATE, "a chip race is on without this table: let it end first", clause)
    back = {} if event.players is Players.STAY else _seats_left(parts, event.table, clause)
    ready = replace(
        seating,
        broken=tuple(table for table in seating.broken if table != event.table),
        breaks={table: one for table, one in seating.breaks.items() if table != event.table},
    )
    step = _with(parts.having(ready), back, Why.GIVEN)
    return replace(step, outputs=(TableReady(event.table), *step.outputs))


def _seats_left(parts: Parts, table: str, clause: str | None) -> Mapping[int, Place]:
    """The seats that the players of a broken table had. Refuses once play has gone on with them elsewhere."""
    seating, blinds = parts.of(Seating), parts.of(Tables).blinds
    done = seating.breaks.get(table)
    if done is None:
        raise Refused(
            Reason.WRONG_STATE, f"all seats were drawn anew when table {table} was broken: let its players stay", clause
        )
    gone = [entry for entry, place in done.given.items() if seating.places.get(entry) != place]
    if gone:
        names = ", ".join(map(str, sorted(gone)))
        raise Refused(
            Reason.WRONG_STATE,
            f"entries {names} have left the seats that they came to: let all stay, and move some",
            clause,
        )
    dealt = [name for name in sorted({place.table for place in done.given.values()})
             if name in blinds and blinds[name].hand != done.hands.get(name)]  # fmt: skip
    if dealt:
        raise Refused(
            Reason.WRONG_STATE, f"table {', '.join(dealt)} has played a hand since: let all stay, and move some", clause
        )
    return done.was


def _session_taken_back(parts: Parts, _event: SessionTakenBack) -> Step:
    """Everybody sits where they sat when the session ended."""
    seating = parts.of(Seating)
    places = {entry: seating.left[entry] for entry in taken_back(parts).chips}
    return _with(parts, places, Why.GIVEN)


def _redraw(parts: Parts, event: Redrawn) -> Step:
    others = tuple(table for table in in_use(parts) if table not in event.tables)
    before = parts.of(Seating)
    step = _with(parts, dict(sorted(redrawn_places(parts, event).items())), Why.REDRAWN, others)
    assert isinstance(step.part, Seating)
    return replace(step, part=replace(step.part, redrawn=BeforeRedraw(before.places, before.broken, before.breaks)))


def _annulled(parts: Parts, event: DrawAnnulled) -> Step:
    """Nobody has a seat by this draw: all wait again, or sit where they sat before."""
    seating = parts.of(Seating)
    before, waits = seats_before(parts, event)
    if before is seating:
        return Step(seating)
    ready = [TableReady(table) for table in seating.broken if table not in before.broken]
    told = _seated(parts, before, Why.GIVEN, (one for one in before.places if one in before.moved))
    return Step(before, (*(SeatFree(entry, seating.places[entry]) for entry in waits), *ready, *told))


def _dealt(parts: Parts, _event: HandBegan) -> Step:
    seating = parts.of(Seating)
    return Step(seating if seating.redrawn is None else replace(seating, redrawn=None))


def _leave(parts: Parts, event: EntryOut | EntryGivenUp | EntryNoShow | EntryNeverCame | PersonLeft) -> Step:
    place = place_of(parts, event.entry)
    return Step(parts.of(Seating).without((event.entry,)), (SeatFree(event.entry, place),))


def _back(parts: Parts, event: EntryBack | EntryCame | Rebuy) -> Step:
    """Who was out sits down again: where it sat, or where the director says."""
    seating, entry = parts.of(Seating), entry_of(parts, event.entry)
    if isinstance(event, Rebuy):
        if entry.standing is not Standing.OUT:
            return Step(seating)
        rules = ruled(parts.law.book.rebuys, "rebuys")
        if not rules.after_bust or event.stake or event.entry not in parts.of(Rebuys).just_out:
            raise Refused(
                Reason.ENTRY_IS_OVER,
                f"entry {event.entry} is out: it could buy before the next hand of its table, if the book lets it",
                rules.clause,
            )
    elif entry.standing is not Standing.OUT and not (isinstance(event, EntryBack) and _has_forfeited(parts, entry)):
        raise Refused(Reason.NOT_ALLOWED, f"entry {event.entry} is {entry.standing}: only who is out comes back")
    table, seat = (None, None) if isinstance(event, Rebuy) else (event.table, event.seat)
    if (table is None) is not (seat is None):
        raise Refused(Reason.NO_SUCH_SEAT, "name table and seat, or neither: then it is the place that was left")
    place = seating.left[event.entry] if table is None or seat is None else Place(table, seat)
    require_free(parts, place)
    return _with(parts, {event.entry: place}, Why.GIVEN)


def _has_forfeited(parts: Parts, entry: Entry) -> bool:
    """Whether it was told that who had this seat did not come."""
    return entry.standing is Standing.WITHDRAWN and entry.number in parts.of(Stacks).departed


def _all_leave(parts: Parts, _event: TournamentCancelled | SessionEnded) -> Step:
    seating = parts.of(Seating)
    freed = tuple(SeatFree(entry, place) for entry, place in sorted(seating.places.items()))
    return Step(replace(seating.without(seating.places), moved=()), freed)


def _session_began(parts: Parts, event: SessionBegan) -> Step:
    """Every table of the session stands ready again, whatever was broken in one before it."""
    others = () if not event.tables else tuple(
        table.table for table in opened(parts).tables if table.table not in event.tables
    )  # fmt: skip
    return Step(replace(parts.of(Seating), broken=others, moved=(), breaks={}))


def _over(parts: Parts, event: HandOver) -> Step:
    """Who lost the last chips in a hand of this table leaves the seat."""
    seating, outputs = parts.of(Seating), list[Output]()
    for one in event.out:
        place = place_of(parts.having(seating), one.entry)
        if place.table != event.table:
            raise Refused(
                Reason.NOT_SEATED, f"entry {one.entry} sits at {place.table}, and {event.table} tells that it is out"
            )
        seating = seating.without((one.entry,))
        outputs.append(SeatFree(one.entry, place))
    return Step(seating, tuple(outputs))


def _begin(_law: Law) -> Seating:
    return Seating()


SUBJECT: Final = Subject(
    Seating,
    _begin,
    {
        SeatsDrawn: _drawn,
        SeatLate: _late,
        SeatGiven: _given,
        Moved: _move,
        Balanced: _balance,
        TableBreaks: _break_by_draw,
        TableBroken: _break,
        Redrawn: _redraw,
        DrawAnnulled: _annulled,
        HandBegan: _dealt,
        EntryOut: _leave,
        EntryGivenUp: _leave,
        EntryNoShow: _leave,
        EntryNeverCame: _leave,
        EntryBack: _back,
        EntryCame: _back,
        Rebuy: _back,
        TournamentCancelled: _all_leave,
        SessionBegan: _session_began,
        SessionEnded: _all_leave,
        SessionTakenBack: _session_taken_back,
        TableTakenBack: _table_taken_back,
        HandOver: _over,
        PersonLeft: _leave,
    },
)
