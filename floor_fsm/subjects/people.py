"""People: what a player carries from table to table, and what becomes of who must leave."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from floor_fsm.core.output import Output
from floor_fsm.core.parts import Parts, Step, Subject
from floor_fsm.errors import Reason, Refused
from floor_fsm.law.law import Law
from floor_fsm.messages.draw import DrawAnnulled, SeatsDrawn
from floor_fsm.messages.entries import EntryBack
from floor_fsm.messages.people import (
    AbsenceTold,
    Carried,
    Gone,
    PenaltyImposed,
    PenaltyTold,
    PersonLeft,
    TimeBanksTold,
)
from floor_fsm.messages.seating import Moved, Redrawn, SeatGiven, SeatLate, TableBreaks, TableBroken
from floor_fsm.messages.tables import Balanced
from floor_fsm.messages.undone import SessionTakenBack, TableTakenBack
from floor_fsm.play.people import Conduct, leaving
from floor_fsm.state.entries import entry_of
from floor_fsm.state.floor import People
from floor_fsm.state.seating import Seating, place_of


def _imposed(parts: Parts, event: PenaltyImposed) -> Step:
    people, table = parts.of(People), place_of(parts, event.entry).table
    players = len(parts.of(Seating).at(table))
    conduct = people.of(event.entry).penalised(parts.law.book.penalties, event.penalty, event.number, players)
    return _kept(people, event.entry, conduct)


def _left(parts: Parts, event: PenaltyTold) -> Step:
    people = parts.of(People)
    conduct = people.of(event.entry)
    if event.imposed is not None:
        entry_of(parts, event.entry)
        now = conduct.counted(left=event.left, imposed=event.imposed, in_rounds=event.rounds, order=event.order)
    elif event.by is not None:
        now = conduct.shortened(left=event.left, in_rounds=event.rounds)
    else:
        now = conduct.told(left=event.left, in_rounds=event.rounds)
    return _kept(people, event.entry, now)


def _banks(parts: Parts, event: TimeBanksTold) -> Step:
    entry_of(parts, event.entry)
    people = parts.of(People)
    conduct = people.of(event.entry).with_time_banks(event.number)
    return _kept(people, event.entry, conduct if event.by is None else conduct.decided(banks=True))


def _absent(parts: Parts, event: AbsenceTold) -> Step:
    entry_of(parts, event.entry)
    people = parts.of(People)
    conduct = replace(people.of(event.entry), absent=event.absent)
    return _kept(people, event.entry, conduct if event.by is None else conduct.decided(absence=True))


def _kept(people: People, entry: int, conduct: Conduct) -> Step:
    return Step(replace(people, conducts={**people.conducts, entry: conduct}))


def _moved(
    parts: Parts, event: Moved | Balanced | TableBreaks | TableBroken | TableTakenBack | Redrawn | DrawAnnulled
) -> Step:
    """What goes along with each player that the event has moved."""
    return _sit(parts, parts.of(Seating).moved, event.t)


def _annulled(parts: Parts, event: DrawAnnulled) -> Step:
    """Of a broken table's draw nobody has moved: that its table stands ready again was told before."""
    return _moved(parts, event) if event.table is None else Step(parts.of(People))


def _seated(parts: Parts, event: SeatsDrawn | SeatLate | SeatGiven | SessionTakenBack) -> Step:
    """What goes along with who sits down again, in another session."""
    people, places = parts.of(People), parts.of(Seating).places
    sits = people.conducts if isinstance(event, SeatsDrawn | SessionTakenBack) else [event.entry]
    return _sit(parts, [entry for entry in sits if entry in places], event.t)


def _sit(parts: Parts, entries: Iterable[int], t: float) -> Step:
    """These have another seat: its table takes over what each carries, where there is anything."""
    people, places, outputs = parts.of(People), parts.of(Seating).places, list[Output]()
    conducts = dict(people.conducts)
    for entry in entries:
        before = people.of(entry)
        now = before.seated(t)
        if now is before:
            continue
        conducts[entry] = now
        if not now.is_anything:
            continue
        table, banks = places[entry].table, now.time_banks
        outputs.append(Carried(entry, table, now.hands_left, now.rounds_left, banks, absent=now.absent))
    return Step(replace(people, conducts=conducts), tuple(outputs))


def _gone(parts: Parts, event: PersonLeft) -> Step:
    said = leaving(parts.law.book.leaving, event.why, refund=event.refund, prize=event.prize)
    people, entry = parts.of(People), entry_of(parts, event.entry)
    new = replace(
        people,
        barred_for=(*people.barred_for, event.entry) if said.barred else people.barred_for,
        unpaid=people.unpaid if said.prize else (*people.unpaid, event.entry),
        refunded=(*people.refunded, event.entry) if said.refund else people.refunded,
        barred=(*people.barred, entry.person) if said.barred else people.barred,
    )
    told = Gone(event.entry, refund=said.refund, prize=said.prize, barred=said.barred, clause=said.clause)
    return Step(new, (told,))


def _back(parts: Parts, event: EntryBack) -> Step:
    """Who was told to leave by mistake is paid and enters again as anybody. Refuses whose fee went back."""
    people, entry = parts.of(People), entry_of(parts, event.entry)
    if event.entry in people.refunded:
        raise Refused(Reason.NOT_ALLOWED, f"the fee of entry {event.entry} went back: {entry.name} enters anew")
    barred, barred_for = list(people.barred), people.barred_for
    if event.entry in barred_for:
        del barred[barred_for.index(event.entry)]
        barred_for = tuple(one for one in barred_for if one != event.entry)
    unpaid = tuple(one for one in people.unpaid if one != event.entry)
    return Step(replace(people, unpaid=unpaid, barred=tuple(barred), barred_for=barred_for))


def _begin(_law: Law) -> People:
    return People()


SUBJECT: Final = Subject(
    People,
    _begin,
    {
        PenaltyImposed: _imposed,
        PenaltyTold: _left,
        TimeBanksTold: _banks,
        AbsenceTold: _absent,
        SeatsDrawn: _seated,
        SeatLate: _seated,
        SeatGiven: _seated,
        SessionTakenBack: _seated,
        Moved: _moved,
        Balanced: _moved,
        TableBreaks: _moved,
        TableBroken: _moved,
        TableTakenBack: _moved,
        Redrawn: _moved,
        DrawAnnulled: _annulled,
        PersonLeft: _gone,
        EntryBack: _back,
    },
)
