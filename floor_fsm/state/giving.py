"""Which seats a draw gives: to all at the beginning, to who comes late, to a broken table's players, in a redraw."""

from collections.abc import Iterable, Mapping

from floor_fsm.core.parts import Parts
from floor_fsm.drawing import Chance, Place, drawn, seed_of
from floor_fsm.errors import Reason, Refused
from floor_fsm.law.law import ruled
from floor_fsm.law.occasions import Occasion
from floor_fsm.messages.draw import SeatsDrawn
from floor_fsm.messages.seating import Redrawn, SeatLate, TableBreaks
from floor_fsm.state.draw import Draw
from floor_fsm.state.entries import Entries, Standing, card_of, entry_of, waiting_persons
from floor_fsm.state.floor import Stacks
from floor_fsm.state.opening import opened, seats_of
from floor_fsm.state.rebuys import game_of
from floor_fsm.state.seating import Seating, free_seats, in_use, require_in_use, require_plays
from floor_fsm.state.sessions import Sessions
from floor_fsm.state.tables import Tables


def drawn_list(parts: Parts, event: SeatsDrawn | SeatLate | TableBreaks | Redrawn) -> dict[int, str]:
    """The entries that a draw is for, each with its person. Refuses an entry or a table that there is not."""
    match event:
        case SeatsDrawn():
            return waiting_persons(parts)
        case SeatLate():
            return _persons(parts, (event.entry,))
        case TableBreaks():
            require_in_use(parts, event.table)
            return _persons(parts, parts.of(Seating).at(event.table).values())
        case Redrawn():
            return _persons(parts, (entry.number for entry in parts.of(Entries).standing(Standing.IN_PLAY)))


def first_places(parts: Parts, event: SeatsDrawn) -> dict[int, Place]:
    """The place of each entry that waits. Refuses a list for which there are not the right tables."""
    persons = drawn_list(parts, event)
    _require_enough(parts, len(persons))
    rule = parts.law.book.draw
    least = 1 if rule is None or event.short_tables else rule.least_to_begin
    chosen = _enough(free_seats(parts), len(persons), max(1, len(persons) // least))
    return _drawn(parts, event.secret, persons, chosen)


def _require_enough(parts: Parts, waiting: int) -> None:
    """Refuse to begin with fewer players than the book has it."""
    row, rule = game_of(parts.law, opened(parts)), parts.law.book.entries
    least, clause = (0, None) if row is None else (row.least, row.clause)
    if row is None and rule is not None and rule.least_to_begin is not None:
        least, clause = rule.least_to_begin, rule.numbers_clause or rule.clause
    if waiting + len(parts.of(Seating).places) < least:
        raise Refused(Reason.NOT_ALLOWED, f"{waiting} entries wait: play begins with {least}", clause)


def late_place(parts: Parts, event: SeatLate) -> Place:
    """The place of one who waits: at a table with the fewest players. Refuses where no seat is free.

    A table that nobody plays at comes only when all others are full: who came late would sit there alone.
    """
    entry, listed = entry_of(parts, event.entry), drawn_list(parts, event)
    free = {table: seats for table, seats in free_seats(parts).items() if seats}
    free = {table: seats for table, seats in free.items() if parts.of(Seating).at(table)} or free
    rule = parts.law.book.entries
    if rule is not None and rule.away_from_last_table:
        ended = [parts.of(Seating).ended.get(one.number) for one in parts.of(Entries).of_person(entry.person)]
        free = {table: seats for table, seats in free.items() if table not in ended[-2:-1]} or free
    if not free:
        raise Refused(Reason.FULL, "no table has a free seat: the entry waits")
    chance = Chance(seed_of(bytes.fromhex(event.secret), listed))
    fewest = min(len(parts.of(Seating).at(table)) for table in free)
    tables = [table for table in free if len(parts.of(Seating).at(table)) == fewest]
    table = tables[chance.below(len(tables))]
    return Place(table, free[table][chance.below(len(free[table]))])


def places_of_broken(parts: Parts, event: TableBreaks) -> dict[int, Place]:
    """The place of each player of a table that breaks.

    So many seats of other tables as there are players: each a free seat, by chance, of the first of the tables that
    then have the fewest players. They are shuffled as cards, and each player takes one, from the first seat on.
    Refuses a table that is not the next to break by the book, and one whose players have no room elsewhere.
    """
    _require_next(parts, event.table)
    there = parts.of(Seating).at(event.table)
    free = {table: list(seats) for table, seats in free_seats(parts).items() if table != event.table}
    if sum(map(len, free.values())) < len(there):
        raise Refused(
            Reason.TOO_MANY_ENTRIES,
            f"table {event.table} has {len(there)} players, and the others have {sum(map(len, free.values()))} seats",
        )
    chance = Chance(seed_of(bytes.fromhex(event.secret), drawn_list(parts, event)))
    sizes = {table: len(parts.of(Seating).at(table)) for table in free}
    cards: list[Place] = []
    for _ in there:
        table = min((name for name, seats in free.items() if seats), key=sizes.__getitem__)
        seat = free[table][chance.below(len(free[table]))]
        free[table].remove(seat)
        sizes[table] += 1
        cards.append(Place(table, seat))
    return dict(zip(there.values(), chance.shuffled(cards), strict=True))


def redrawn_places(parts: Parts, event: Redrawn) -> dict[int, Place]:
    """The new place of each player. Refuses an occasion that the book does not have, and tables that do not fit."""
    rule = ruled(parts.law.book.redraws, "redraws")
    if event.occasion not in rule.at and not (event.occasion is Occasion.DIRECTOR and rule.director_may_add):
        allowed = ", ".join(occasion.value for occasion in rule.at)
        raise Refused(Reason.NOT_IN_THE_BOOK, f"the book redraws at: {allowed}; not at {event.occasion}", rule.clause)
    if event.occasion in rule.of_several_days and not _takes_several_days(parts):
        raise Refused(
            Reason.NOT_ALLOWED,
            f"a tournament of one day has no redraw at {event.occasion}: redraw as players were told before (director)",
            rule.clause,
        )
    for table in event.tables:
        require_in_use(parts, table)
        require_plays(parts, table)
    playing = drawn_list(parts, event)
    if event.occasion is Occasion.FINAL_TABLE and len(event.tables) != 1:
        raise Refused(Reason.NO_SUCH_SEAT, "the final table is one table: name one", rule.clause)
    if event.occasion is Occasion.LAST_NINE and len(playing) > 9:
        raise Refused(Reason.TOO_MANY_ENTRIES, f"{len(playing)} players are left, not nine", rule.clause)
    seats = {table: seats_of(parts, table) for table in event.tables}
    room = sum(map(len, seats.values()))
    if len(playing) > room:
        raise Refused(Reason.TOO_MANY_ENTRIES, f"{len(playing)} players are left, and these tables have {room} seats")
    return _drawn(parts, event.secret, playing, seats)


def _takes_several_days(parts: Parts) -> bool:
    """Whether the tournament was suspended for a night, or has had a session before the one that is on."""
    return parts.of(Stacks).nights > 0 or len(parts.of(Sessions).names) > 1


def _require_next(parts: Parts, table: str) -> None:
    require_in_use(parts, table)
    rule = ruled(parts.law.book.breaking, "breaking tables")
    if rule.order != "announced":
        return
    left = [name for name in parts.of(Tables).order if name in in_use(parts)]
    if table not in left[:1]:
        told = f"table {left[0]} is the next to break" if left else "no order of breaking was announced"
        raise Refused(Reason.NOT_NEXT_TO_BREAK, f"{told}: announce another order first", rule.clause)


def _persons(parts: Parts, entries: Iterable[int]) -> dict[int, str]:
    return {entry: entry_of(parts, entry).person for entry in entries}


def _drawn(
    parts: Parts, secret: str, persons: Mapping[int, str], seats: Mapping[str, tuple[int, ...]]
) -> dict[int, Place]:
    entry_of_person: dict[str, list[int]] = {}
    for entry, person in persons.items():
        entry_of_person.setdefault(card_of(person), []).append(entry)
    associates: dict[int, frozenset[int]] = {}
    for group in parts.of(Draw).groups:
        there = frozenset(entry for person in group for entry in entry_of_person.get(card_of(person), ()))
        associates |= {entry: associates.get(entry, frozenset()) | there - {entry} for entry in there}
    rule = parts.law.book.draw
    not_beside = rule is not None and rule.apart_at_one_table
    seed = seed_of(bytes.fromhex(secret), persons)
    return drawn(seed, sorted(persons), seats, associates, not_beside=not_beside)


def _enough(free: Mapping[str, tuple[int, ...]], entries: int, most: int) -> dict[str, tuple[int, ...]]:
    """The first tables that hold all, and not so many that one would begin with too few."""
    chosen: dict[str, tuple[int, ...]] = {}
    room = 0
    for table, seats in free.items():
        if room >= entries:
            break
        chosen[table] = seats
        room += len(seats)
    if room < entries:
        raise Refused(
            Reason.TOO_MANY_ENTRIES, f"{entries} entries wait, and there are {sum(map(len, free.values()))} seats"
        )
    if len(chosen) > most:
        raise Refused(
            Reason.TOO_MANY_ENTRIES, f"{entries} entries at {len(chosen)} tables: one would begin with too few"
        )
    return chosen
