"""Who may enter, when and how often: each rule by itself, so that a sheet is told every rule that a line breaks."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from floor_fsm.core.parts import Parts
from floor_fsm.errors import Reason, Refused
from floor_fsm.law.law import ruled
from floor_fsm.state.draw import Draw
from floor_fsm.state.entries import ALIVE, Entries, Entry, Standing, card_of
from floor_fsm.state.floor import People
from floor_fsm.state.hands import field_of
from floor_fsm.state.opening import opened
from floor_fsm.state.rebuys import game_of
from floor_fsm.state.seating import free_seats, level_begun


@dataclass(frozen=True, slots=True)
class Wish:
    """An entry that somebody wants. `paid`: cents; a field is None where it is not known, and then no rule is about it.

    `name`: what the person is called in a refusal.
    """

    entry: int | None
    person: str | None
    name: str
    paid: int | None


def rules_broken(parts: Parts, wish: Wish) -> Iterator[Refused]:
    """Every rule that lets this entry not be taken, the first one first; whether entries are open is not looked at."""
    for rule in _rules(parts, wish):
        try:
            rule()
        except Refused as refused:
            yield refused


def _rules(parts: Parts, wish: Wish) -> Iterator[Callable[[], None]]:
    if wish.entry is not None:
        yield partial(_require_free, parts, wish.entry)
    if wish.person is not None:
        yield partial(require_not_barred, parts, wish.person, wish.name)
        yield partial(require_room, parts, wish.person)
        yield partial(_require_seat, parts)
        yield partial(require_eligible, parts, wish.person)
    if wish.paid is not None:
        yield partial(_require_price, parts, wish.paid)


def require_open(parts: Parts, t: float) -> None:
    """Refuse once late entry is over: also where nobody has told yet that the level began which ends it."""
    entries, rule = parts.of(Entries), parts.law.book.entries
    if entries.closed or level_begun(parts, t) >= closes_with(parts):
        raise Refused(Reason.LATE_ENTRY_IS_OVER, "late entry is over", None if rule is None else rule.clause)


def closes_with(parts: Parts) -> int:
    """The level with whose beginning late entry ends."""
    until = opened(parts).late_until
    return 1 if until is None else until


def _require_free(parts: Parts, number: int) -> None:
    """Refuse a number that an entry has."""
    known = parts.of(Entries).by_number.get(number)
    if known is not None:
        raise Refused(Reason.NUMBER_IS_TAKEN, f"entry {number} is {known.name}'s")


def require_not_barred(parts: Parts, person: str, name: str) -> None:
    """Refuse who was shut out of what follows."""
    if card_of(person) in map(card_of, parts.of(People).barred):
        clause = next((row.clause for row in parts.law.book.leaving if row.barred), None)
        raise Refused(Reason.BARRED, f"{name} is barred from entering", clause)


def require_room(parts: Parts, person: str) -> None:
    """Refuse one entry, or one person, too many; those that were withdrawn are none."""
    terms, rule = opened(parts), parts.law.book.entries
    entered = field_of(parts)
    if terms.most is not None and entered >= terms.most:
        raise Refused(Reason.FULL, f"the tournament takes {terms.most} entries, and has them")
    row = game_of(parts.law, terms)
    if row is not None:
        most, clause = row.most, row.clause
    elif rule is not None and rule.most_persons is not None:
        most, clause = rule.most_persons, rule.numbers_clause or rule.clause
    else:
        return
    if entered < most:
        return
    entries = parts.of(Entries).by_number.values()
    persons = {card_of(one.person) for one in entries if one.standing is not Standing.WITHDRAWN}
    if card_of(person) not in persons and len(persons) >= most:
        raise Refused(Reason.FULL, f"{most} people may enter, and have", clause)


def _require_seat(parts: Parts) -> None:
    """Refuse who would have no seat once the seats are drawn, where the book lets nobody wait for one."""
    rule = parts.law.book.alternates
    if rule is None or rule.allowed or parts.of(Draw).seed is None:
        return
    free = sum(map(len, free_seats(parts).values()))
    if free <= parts.of(Entries).tally.at[Standing.WAITING]:
        raise Refused(Reason.FULL, "no seat is free, and nobody waits for one here", rule.clause)


def require_eligible(parts: Parts, person: str) -> None:
    """Refuse a person who is in play, or who may not enter once more."""
    row = parts.law.book.entries
    before = [one for one in parts.of(Entries).of_person(person) if one.has_been_used]
    alive = [one for one in before if one.standing in ALIVE]
    if alive:
        words = f"{alive[0].name} has entry {alive[0].number}, which is not over"
        raise Refused(Reason.IN_PLAY_ALREADY, words, None if row is None else row.clause)
    if not before:
        return
    rule, most = ruled(row, "entering again"), opened(parts).re_entries
    if rule.re_entry == "never":
        raise Refused(Reason.NO_RE_ENTRY, f"{before[-1].name} has played; a person enters once", rule.clause)
    if most is not None and len(before) > most:
        times = "once" if most == 0 else f"{most + 1} times"
        raise Refused(Reason.NO_RE_ENTRY, f"{before[-1].name} has entered {times}, the most here", rule.clause)


def require_way_back(parts: Parts, entry: Entry, t: float) -> None:
    """Refuse to take the chips of who could not enter again now, where the book has them given up for that alone."""
    rule, most = parts.law.book.entries, opened(parts).re_entries
    if rule is None or rule.forfeit is None:
        return
    used = sum(one.has_been_used for one in parts.of(Entries).of_person(entry.person))
    if rule.re_entry == "never" or (most is not None and used > most):
        words = f"{entry.name} has no entry left, and keeps the chips in play"
        raise Refused(Reason.NO_RE_ENTRY, words, rule.forfeit_clause or rule.clause)
    require_open(parts, t)
    require_room(parts, entry.person)


def _require_price(parts: Parts, paid: int) -> None:
    terms = opened(parts)
    if paid != terms.fee + terms.house:
        raise Refused(Reason.WRONG_AMOUNT, f"an entry costs {terms.fee + terms.house} cents, and {paid} were paid")
