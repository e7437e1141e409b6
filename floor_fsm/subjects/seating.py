"""The seats: drawn, given late, changed, freed. Nobody sits in two seats, and no seat holds two."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from floor_fsm.core.output import Output
from floor_fsm.core.parts import Parts, Step, Subject
from floor_fsm.drawing import Chance, Place, drawn, seed_of
from floor_fsm.errors import Reason, Refused
from floor_fsm.law.law import Law
from floor_fsm.messages.draw import SeatsDrawn
from floor_fsm.messages.entries import EntryGivenUp, EntryOut
from floor_fsm.messages.hands import HandOver
from floor_fsm.messages.people import PersonLeft
from floor_fsm.messages.seating import Moved, Seated, SeatFree, SeatLate, TableBroken, TableGone
from floor_fsm.state.draw import Draw, seed_for_late
from floor_fsm.state.entries import Entries, Standing, entry_of, waiting_persons
from floor_fsm.state.opening import seats_of
from floor_fsm.state.seating import Seating, free_seats, in_use, place_of, require_free


def _places(parts: Parts, event: SeatsDrawn) -> dict[int, Place]:
    """The place of each entry that waits. Raises Refused."""
    persons = waiting_persons(parts)
    groups = parts.of(Draw).groups
    associates = {
        entry: frozenset(
            other for other in persons if other != entry and _together(groups, persons[entry], persons[other])
        )
        for entry in persons
    }
    rule = parts.law.book.draw
    least = 1 if rule is None or event.short_tables else rule.least_to_begin
    most = max(1, len(persons) // least)
    chosen = _enough(free_seats(parts), len(persons), most)
    return drawn(seed_of(bytes.fromhex(event.secret), persons), sorted(persons), chosen, associates)


def _enough(free: Mapping[str, tuple[int, ...]], entries: int, most: int) -> dict[str, tuple[int, ...]]:
    """The first tables that hold all, and not so many that one would begin with too few."""
    chosen: dict[str, tuple[int, ...]] = {}
    for table, seats in free.items():
        if sum(map(len, chosen.values())) >= entries:
            break
        chosen[table] = seats
    if sum(map(len, chosen.values())) < entries:
        raise Refused(
            Reason.TOO_MANY_ENTRIES, f"{entries} entries wait, and there are {sum(map(len, free.values()))} seats"
        )
    if len(chosen) > most:
        raise Refused(
            Reason.TOO_MANY_ENTRIES, f"{entries} entries at {len(chosen)} tables: one would begin with too few"
        )
    return chosen


def _together(groups: tuple[tuple[str, ...], ...], one: str, other: str) -> bool:
    return any(one in group and other in group for group in groups)


def _drawn(parts: Parts, event: SeatsDrawn) -> Step:
    places = _places(parts, event)
    seating = parts.of(Seating)
    outputs = tuple(Seated(entry, place) for entry, place in sorted(places.items()))
    return Step(replace(seating, places={**seating.places, **places}), outputs)


def _late(parts: Parts, event: SeatLate) -> Step:
    entry = entry_of(parts, event.entry)
    if entry.standing is not Standing.WAITING:
        raise Refused(Reason.SEATED_ALREADY, f"entry {entry.number} is {entry.standing}: only who waits gets a seat")
    _require_turn(parts, event.entry)
    free = {table: seats for table, seats in free_seats(parts).items() if seats}
    rule = parts.law.book.entries
    if rule is not None and rule.away_from_last_table:
        ended = [parts.of(Seating).ended.get(one.number) for one in parts.of(Entries).of_person(entry.person)]
        elsewhere = {table: seats for table, seats in free.items() if table not in ended[-2:-1]}
        free = elsewhere or free  # "wherever possible"
    if not free:
        raise Refused(Reason.FULL, "no table has a free seat: the entry waits")
    chance = Chance(seed_for_late(parts, event.entry))
    seating = parts.of(Seating)
    fewest = min(len(seating.at(table)) for table in free)
    tables = [table for table in free if len(seating.at(table)) == fewest]
    table = tables[chance.below(len(tables))]
    place = Place(table, free[table][chance.below(len(free[table]))])
    return Step(replace(seating, places={**seating.places, event.entry: place}), (Seated(event.entry, place),))


def _require_turn(parts: Parts, number: int) -> None:
    """Refuse who enters again while an alternate waits, where the book has it so."""
    rule = parts.law.book.alternates
    entry = entry_of(parts, number)
    if rule is None or not rule.before_re_entries or entry.again == 1:
        return
    first = [one for one in parts.of(Entries).standing(Standing.WAITING) if one.again == 1]
    if first:
        raise Refused(
            Reason.OTHERS_WAIT_LONGER, f"{first[0].name} (entry {first[0].number}) waits for a first seat", rule.clause
        )


def _move(parts: Parts, event: Moved) -> Step:
    seating, before, place = parts.of(Seating), place_of(parts, event.entry), Place(event.table, event.seat)
    require_free(parts, place)
    places = {**seating.places, event.entry: place}
    return Step(replace(seating, places=places), (Seated(event.entry, place, before),))


def _break(parts: Parts, event: TableBroken) -> Step:
    seating, there = parts.of(Seating), parts.of(Seating).at(event.table)
    if event.table not in in_use(parts):
        seats_of(parts, event.table)  # a table that there never was is told as that
        raise Refused(Reason.TABLE_IS_BROKEN, f"table {event.table} is broken already")
    if sorted(entry for entry, _, _ in event.to) != sorted(there.values()):
        raise Refused(
            Reason.NOT_SEATED, f"table {event.table} has the entries {sorted(there.values())}: give each a seat, once"
        )
    now, outputs = replace(seating, broken=(*seating.broken, event.table)), list[Output]()
    for entry, table, seat in event.to:
        place = Place(table, seat)
        require_free(parts.having(now), place)
        outputs.append(Seated(entry, place, seating.places[entry]))
        now = replace(now, places={**now.places, entry: place})
    return Step(now, (*outputs, TableGone(event.table)))


def _leave(parts: Parts, event: EntryOut | EntryGivenUp | PersonLeft) -> Step:
    seating, place = parts.of(Seating), place_of(parts, event.entry)
    places = {entry: there for entry, there in seating.places.items() if entry != event.entry}
    ended = {**seating.ended, event.entry: place.table}
    return Step(replace(seating, places=places, ended=ended), (SeatFree(event.entry, place),))


def _over(parts: Parts, event: HandOver) -> Step:
    """Who lost the last chips in a hand of this table leaves the seat."""
    seating, outputs = parts.of(Seating), list[Output]()
    for one in event.out:
        place = place_of(parts.having(seating), one.entry)
        if place.table != event.table:
            raise Refused(
                Reason.NOT_SEATED, f"entry {one.entry} sits at {place.table}, and {event.table} tells that it is out"
            )
        places = {entry: there for entry, there in seating.places.items() if entry != one.entry}
        seating = replace(seating, places=places, ended={**seating.ended, one.entry: place.table})
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
        Moved: _move,
        TableBroken: _break,
        EntryOut: _leave,
        EntryGivenUp: _leave,
        HandOver: _over,
        PersonLeft: _leave,
    },
)
