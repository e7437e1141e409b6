"""The entries' part: who entered, what was paid, who waits, plays, is out, or never came."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Final

from floor_fsm.core.parts import Parts
from floor_fsm.errors import Reason, Refused
from floor_fsm.state.opening import opened
from floor_fsm.state.remembered import Remembered


class Standing(StrEnum):
    """Where an entry stands. Every entry has one at any time."""

    WAITING = "waiting"
    """It has no seat: before the draw, as an alternate, or while a table for it is looked for."""
    IN_PLAY = "in_play"
    BETWEEN = "between"
    """It has no seat until its next session."""
    OUT = "out"
    """Its chips are gone, or were taken out of play."""
    WITHDRAWN = "withdrawn"
    """It never played: cancelled, or forfeited by who did not come."""


ALIVE: Final = (Standing.WAITING, Standing.IN_PLAY, Standing.BETWEEN)
"""Of entries that are not over."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry. `paid`: cents, 0 after a refund. `again`: which time of its person it is, from 1."""

    number: int
    person: str
    name: str
    paid: int
    again: int
    standing: Standing = Standing.WAITING

    @property
    def has_been_used(self) -> bool:
        """Whether it counts as one that its person has had: all but those whose fee went back."""
        return self.standing is not Standing.WITHDRAWN or self.paid > 0


@dataclass(frozen=True, slots=True)
class Tally:
    """How many entries stand where. `kept`: of those that were withdrawn, whose fee stayed."""

    at: Mapping[Standing, int]
    kept: int

    @property
    def alive(self) -> int:
        """Entries that are not over."""
        return sum(self.at[standing] for standing in ALIVE)

    def changed(self, gone: Iterable[Entry], come: Iterable[Entry]) -> "Tally":
        """The tally with these entries in the place of those."""
        at, kept = dict(self.at), self.kept
        for entries, number in ((gone, -1), (come, 1)):
            for entry in entries:
                at[entry.standing] += number
                kept += number * (entry.standing is Standing.WITHDRAWN and entry.paid > 0)
        return Tally(at, kept)


_NONE: Final = Tally(dict.fromkeys(Standing, 0), 0)
_tallies: Final = Remembered[Tally]()
_cards: Final = Remembered[Mapping[str, tuple[int, ...]]]()
"""By card, its person's entries: to look through five thousand for each one that enters takes half a minute."""


@dataclass(frozen=True, slots=True)
class Entries:
    """The entries' part: all of them by number, in the order in which they were taken."""

    by_number: Mapping[int, Entry] = field(default_factory=dict)
    closed: bool = False
    level: int = 0

    def having(self, entry: Entry) -> "Entries":
        """The same with this entry."""
        return self._with({entry.number: entry})

    def _with(self, entries: Mapping[int, Entry]) -> "Entries":
        now = {**self.by_number, **entries}
        gone = [self.by_number[number] for number in entries if number in self.by_number]
        _tallies.keep(now, self.tally.changed(gone, entries.values()))
        if all(one.person == entries[one.number].person for one in gone):
            cards, new = self._by_card, dict[str, tuple[int, ...]]()
            for entry in entries.values():
                if entry.number not in self.by_number:
                    card = card_of(entry.person)
                    new[card] = (*new.get(card, cards.get(card, ())), entry.number)
            _cards.keep(now, {**cards, **new} if new else cards)
        return replace(self, by_number=now)

    @property
    def tally(self) -> Tally:
        """How many stand where."""
        return _tallies.of(self.by_number) or _tallies.keep(self.by_number, _NONE.changed((), self.by_number.values()))

    def at(self, numbers: Iterable[int], standing: Standing) -> "Entries":
        """The same with these entries at another standing."""
        return self._with({number: replace(self.by_number[number], standing=standing) for number in numbers})

    def standing(self, standing: Standing) -> tuple[Entry, ...]:
        """The entries that stand so, in the order in which they were taken."""
        return tuple(entry for entry in self.by_number.values() if entry.standing is standing)

    def of_person(self, person: str) -> tuple[Entry, ...]:
        """A person's entries, in order, however the number of the card is spelled."""
        return tuple(self.by_number[number] for number in self._by_card.get(card_of(person), ()))

    @property
    def _by_card(self) -> Mapping[str, tuple[int, ...]]:
        known = _cards.of(self.by_number)
        if known is not None:
            return known
        found: dict[str, list[int]] = {}
        for entry in self.by_number.values():
            found.setdefault(card_of(entry.person), []).append(entry.number)
        return _cards.keep(self.by_number, {card: tuple(numbers) for card, numbers in found.items()})

    @property
    def counted(self) -> int:
        """The entries that count for the pool: all that were paid for."""
        return len(self.by_number) - self.tally.at[Standing.WITHDRAWN] + self.tally.kept


def card_of(person: str) -> str:
    """What tells a person apart: the number of the card without blanks, capital letters as small ones."""
    return "".join(person.split()).lower()


def entry_of(parts: Parts, number: int) -> Entry:
    """Return an entry. Raises Refused for a number that nobody has."""
    entry = parts.of(Entries).by_number.get(number)
    if entry is None:
        raise Refused(Reason.UNKNOWN_ENTRY, f"there is no entry {number}: look for the person by name or card")
    return entry


def require_forfeitable(parts: Parts, entry: int, chips: int) -> None:
    """Refuse more chips than the book lets a player give up to enter again."""
    rule, stack = parts.law.book.entries, opened(parts).stack
    if rule is not None and rule.forfeit_up_to is not None and chips > stack:
        clause = rule.forfeit_clause or rule.clause
        raise Refused(
            Reason.NOT_ALLOWED, f"entry {entry} has {chips} chips: who has {stack} or less may give them up", clause
        )


def waiting_persons(parts: Parts) -> dict[int, str]:
    """The person of each entry that waits for a seat."""
    return {entry.number: entry.person for entry in parts.of(Entries).standing(Standing.WAITING)}


def with_standing(entries: Entries, numbers: Iterable[int], standing: Standing) -> Entries:
    """The entries with these at another standing."""
    return entries.at(numbers, standing)
