"""What a tournament wants of a table, beside what the table says of itself: the next thing to have it do. Pure."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from typing import Any, Final

from feltd.floor.table_facts import TableFacts
from feltd.floor.table_values import ConductAt, EntryAt, PenaltyAt, RaceDone
from floor_fsm.core.parts import Parts
from floor_fsm.drawing import Place
from floor_fsm.law.matters import RoundOf
from floor_fsm.play.clock import Clock
from floor_fsm.play.hand_for_hand import At, TableStand
from floor_fsm.state.entries import entry_of
from floor_fsm.state.floor import People, Stacks, Time
from floor_fsm.state.hands import Hands, Places, field_of, how_many_left
from floor_fsm.state.rebuys import bought_by, table_amount
from floor_fsm.state.seating import Seating
from floor_fsm.state.tables import Tables

CLOCK_APART: Final = 3.0
"""Seconds by which a table's clock may differ: it counts on by itself, and the machines' clocks are not one."""


def wanted(
    parts: Parts,
    table: str,
    facts: TableFacts,
    t: float,
    wall: float,
    race_since: int = 0,
    elsewhere: Callable[[int], bool] = lambda _entry: False,
) -> Iterator[tuple[dict[str, Any], str]]:
    """The events that would make a table what the tournament says, in their order, each with why.

    `t`: the second of the tournament; `wall`: now; `race_since`: the table's entry behind which a race is the one that
    is on.
    `elsewhere`: whether an entry still plays a hand at the table that it leaves: what it carries may change there.
    Who comes and goes waits for the end of a round: whoever is taken out of one would fold. During the night nobody is
    taken away.
    """
    if parts.of(Stacks).night:
        return
    there = parts.of(Seating).at(table)
    if not facts.in_round:
        for seat in facts.seats:
            if seat not in there:
                yield {"ev": "seat.out", "seat": seat}, "no player of the tournament sits here now"
            elif _other(facts, seat, there[seat]):
                yield {"ev": "seat.out", "seat": seat}, f"entry {there[seat]} has this seat now"
        for seat, entry in there.items():
            if seat not in facts.seats:
                yield {"ev": "seat.in", "seat": seat}, f"entry {entry} sits down here"
    yield from _entries(parts, there, facts)
    yield from _carried(parts, there, facts, elsewhere)
    yield from _places(parts, table, facts)
    if not there:
        moves = _moves(parts, table, facts)
        if moves is not None:
            yield moves, "who comes and goes"
        return
    entrants, remaining = field_of(parts), how_many_left(parts)
    if tuple(there) == facts.seats and (facts.told.entrants, facts.told.remaining) != (entrants, remaining):
        yield {"ev": "tournament.field", "entrants": entrants, "remaining": remaining}, "the field over all tables"
    yield from _hand_for_hand_on(parts, table, facts)
    clock = _clock(parts, table, facts, t, wall)
    if clock is not None:
        yield clock, "the clock of all tables"
    yield from _released(parts, table, facts)
    yield from _race(parts, table, facts, race_since)
    moves = _moves(parts, table, facts)
    if moves is not None:
        yield moves, "who comes and goes"


def _other(facts: TableFacts, seat: int, entry: int) -> bool:
    """Whether the table takes who sits there for another entry: the penalties and stack of that one are not theirs."""
    told = facts.entries.get(str(seat))
    return told is not None and told.entry != entry


def _entries(parts: Parts, there: Mapping[int, int], facts: TableFacts) -> Iterator[tuple[dict[str, Any], str]]:
    """Whose entry sits where, and what was bought beside it."""
    for seat, entry in there.items():
        if seat not in facts.seats or _other(facts, seat, entry):
            continue
        bought, known = bought_by(parts, entry), entry_of(parts, entry)
        due = EntryAt(entry, known.again, table_amount(parts.law, bought.chips), bought.rebuys, bought.add_ons)
        if facts.entries.get(str(seat)) != due:
            yield {"ev": "seat.entry", "seat": seat, **asdict(due)}, f"entry {entry} sits at seat {seat}"


def counts_rounds(parts: Parts) -> bool:
    """Whether a penalty is counted in rounds of the button, not in hands."""
    rules = parts.law.book.penalties
    return rules is not None and rules.round_of is RoundOf.BUTTON


def _carried(
    parts: Parts, there: Mapping[int, int], facts: TableFacts, elsewhere: Callable[[int], bool]
) -> Iterator[tuple[dict[str, Any], str]]:
    """What who sits there carries, where the floor has decided something since it told the table."""
    people = parts.of(People)
    for seat, entry in there.items():
        known, conduct = facts.entries.get(str(seat)), people.of(entry)
        told = facts.conducts.get(str(seat), ConductAt())
        if known is None or known.entry != entry or conduct.orders <= told.order or elsewhere(entry):
            continue
        due: dict[str, Any] = {"ev": "seat.conduct", "seat": seat, "entry": entry, "order": conduct.orders}
        due |= {"left": conduct.left(in_rounds=counts_rounds(parts)), "imposed": conduct.imposed}
        if conduct.banks_order > told.order and conduct.time_banks is not None:
            due["banks"] = conduct.time_banks
        if conduct.absent_order > told.order:
            due["absent"] = conduct.absent
        yield due, f"what entry {entry} carries"


def carried_news(
    parts: Parts, table: str, facts: TableFacts, elsewhere: Callable[[int], bool], began: float = 0.0
) -> Iterator[dict[str, Any]]:
    """What a table counts of penalties, time banks and absence, where the tournament has it otherwise.

    `elsewhere`: whether another table has taken over what an entry carries: it counts from there. What a desk decided,
    and the table has not taken over yet, stands. `began`: the tournament's second 0, in seconds since 1970.
    """
    people, seated, in_rounds = parts.of(People), parts.of(Seating).places, counts_rounds(parts)
    yield from _counted_before_moves(parts, table, facts, began)
    for seat, told in facts.conducts.items():
        known = facts.entries.get(seat)
        if known is None or known.entry not in seated:
            continue
        news, entry, conduct = list[dict[str, Any]](), known.entry, people.of(known.entry)
        takes_over = conduct.handed is not None and told.order < conduct.handed.order
        if not takes_over and conduct.left(in_rounds=in_rounds) != max(0, told.left + conduct.imposed - told.imposed):
            left = {"left": told.left, "imposed": told.imposed, "rounds": in_rounds, "order": told.order}
            news.append({"ev": "penalty.left", "entry": entry, **left})
        if told.banks is not None and conduct.banks_order <= told.order and told.banks != conduct.time_banks:
            news.append({"ev": "time_banks", "entry": entry, "number": told.banks})
        if conduct.absent_order <= told.order and told.absent is not conduct.absent:
            news.append({"ev": "absence", "entry": entry, "absent": told.absent})
        if news and (seated[entry].table == table or not elsewhere(entry)):
            yield from news


def _counted_before_moves(parts: Parts, table: str, facts: TableFacts, began: float) -> Iterator[dict[str, Any]]:
    """What a table has counted of a penalty in the last hand of a player who has moved from it.

    A hand that began after the move is none: the chair was empty, and the penalty is sat out at the other table.
    """
    people, seated, in_rounds = parts.of(People), parts.of(Seating).places, counts_rounds(parts)
    last: dict[int, PenaltyAt] = {}
    for one in facts.penalties:
        handed = people.of(one.entry).handed
        if handed is not None and handed.before <= one.order < handed.order and one.since < began + handed.at:
            last[one.entry] = one
    for entry, one in last.items():
        handed = people.of(entry).handed
        assert handed is not None  # else it has no last one
        moved = entry in seated and seated[entry].table != table
        if moved and handed.left(in_rounds=in_rounds) != one.left + handed.imposed - one.imposed:
            left = {"left": one.left, "imposed": one.imposed, "rounds": in_rounds, "order": one.order}
            yield {"ev": "penalty.left", "entry": entry, **left}


def _places(parts: Parts, table: str, facts: TableFacts) -> Iterator[tuple[dict[str, Any], str]]:
    """Final places of entries that the table knows, each once; and that one has none any more.

    A place that the table reckoned itself stays provisional until then.
    """
    final, seated = parts.of(Places).final_of, parts.of(Seating).places
    for place in facts.places:
        finish = final(place.entry)
        if finish is not None and (place.first, place.last, place.final) != (finish.first, finish.last, True):
            told = {"ev": "tournament.placed", "entry": place.entry, "first": finish.first, "last": finish.last}
            yield told, "the place over all tables"
        elif finish is None and (place.final or seated.get(place.entry, Place(table, 0)).table != table):
            yield {"ev": "tournament.placed", "entry": place.entry}, "this entry has no place any more"
    known = {place.entry for place in facts.places}
    for told_of in facts.entries.values():
        finish = final(told_of.entry)
        if finish is not None and told_of.entry not in known:
            won = {"ev": "tournament.placed", "entry": told_of.entry, "first": finish.first, "last": finish.last}
            yield won, "the place over all tables"


def races_answering(parts: Parts, table: str, facts: TableFacts, since: int) -> Iterator[RaceDone]:
    """The races of a table that may be the one that all tables race now; none where it has told its own.

    `since`: what the floor had of the table when it was ordered. A race of the same chips in front of that is none; one
    that the floor did not have yet is, also where the table raced these chips by itself while it was cut off. No clock
    says so: that of a slow table had it race the same chips again and again.
    """
    race = parts.of(Stacks).race
    if race is None or table not in race.waits_for:
        return
    chips = table_amount(parts.law, race.chip), table_amount(parts.law, race.new_chip)
    yield from (done for done in facts.races if (done.chip, done.new_chip) == chips and done.ended > since)


def _race(parts: Parts, table: str, facts: TableFacts, since: int) -> Iterator[tuple[dict[str, Any], str]]:
    """The chip race of all tables, until this one has told its own."""
    race = parts.of(Stacks).race
    due = None
    if race is not None and table in race.waits_for:
        due = table_amount(parts.law, race.chip), table_amount(parts.law, race.new_chip)
    if any(races_answering(parts, table, facts, since)):
        return  # it has raced them: that is told to the tournament, or somebody must look
    if facts.told.race != due:
        chip, new = due or (None, None)
        yield {"ev": "tournament.race", "chip": chip, "new_chip": new}, "the chip race of all tables"


def _moves(parts: Parts, table: str, facts: TableFacts) -> dict[str, Any] | None:
    """Who comes and goes, where the display does not say it: in a round that is still to come."""
    there, waits = parts.of(Seating).at(table), parts.of(Tables).waits.get(table)
    comes = tuple(seat for seat in there if seat not in facts.seats) if facts.in_round else ()
    goes = tuple(seat for seat in facts.seats if seat not in there) if facts.in_round else ()
    if (comes, goes, waits) == (facts.told.comes, facts.told.goes, facts.told.waits):
        return None
    return {"ev": "tournament.moves", "comes": list(comes), "goes": list(goes), "waits": waits}


def _stand(parts: Parts, table: str) -> TableStand | None:
    play = parts.of(Hands).play
    return None if play is None else play.tables.get(table)


def _hand_for_hand_on(parts: Parts, table: str, facts: TableFacts) -> Iterator[tuple[dict[str, Any], str]]:
    on = _stand(parts, table) is not None
    if facts.told.hand_for_hand is not on:
        yield {"ev": "tournament.hand_for_hand", "on": on}, f"hand for hand {'begins' if on else 'is over'}"


def _released(parts: Parts, table: str, facts: TableFacts) -> Iterator[tuple[dict[str, Any], str]]:
    stand = _stand(parts, table)
    if stand is None or not facts.told.hand_for_hand:
        return
    if _is_due(stand, facts):
        yield {"ev": "tournament.go"}, f"hand {stand.hand} is released to all tables"
    if stand.at is At.TURNS and facts.held:
        yield {"ev": "tournament.go"}, f"the cards of all-ins in hand {stand.hand} are turned"


def _is_due(stand: TableStand, facts: TableFacts) -> bool:
    """Whether the table was given a hand that it has not begun, and that it was not told of."""
    return stand.at is At.PLAYS and not facts.in_round and not facts.told.released


def _clock(parts: Parts, table: str, facts: TableFacts, t: float, wall: float) -> dict[str, Any] | None:
    """The clock, where the table's differs; in front of a hand's release, so that the hand has the right level."""
    clock, stand, told = parts.of(Time).clock, _stand(parts, table), facts.told
    if clock is None or told.hand_for_hand is not (stand is not None):
        return None
    if stand is not None and clock.charged:
        return _clock_of_hands(parts, clock, stand, facts)
    now = clock.told(t)
    shown = told.elapsed + (max(0.0, wall - told.wall) if told.running else 0.0)
    if stand is not None:  # the table's own clock stands where its level ends
        shown = min(shown, clock.end_of_level(told.elapsed))
    stands = clock.running and not now.running and stand is not None
    if (told.running is now.running or (told.running and stands)) and abs(shown - now.elapsed) <= CLOCK_APART:
        return None
    return {"ev": "tournament.clock", "running": now.running, "elapsed": round(now.elapsed, 1)}


def _clock_of_hands(parts: Parts, clock: Clock, stand: TableStand, facts: TableFacts) -> dict[str, Any] | None:
    """The clock where each hand is charged: the seconds before the next hand. A table counts the hands that it plays.

    So the clock of one that had no hand to play stays behind. A table that has finished a hand before the others, or
    has played one alone, is in front until they have.
    """
    play, told = parts.of(Hands).play, facts.told
    settled = stand.at is At.DONE and clock.hand_since is None and play is not None and stand.hand <= play.hand
    if facts.in_round or not (settled or _is_due(stand, facts)):
        return None
    apart = CLOCK_APART + 1.0 if told.charged is None else abs(told.charged - clock.elapsed)
    if told.running is clock.running and apart <= CLOCK_APART:
        return None
    return {"ev": "tournament.clock", "running": clock.running, "elapsed": round(clock.elapsed, 1)}
