"""Tournaments at random: whatever directors do and tables tell, what must hold holds after each event."""

import random
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from floor_fsm.core.event import By, Event
from floor_fsm.errors import Refused
from floor_fsm.law.occasions import Occasion
from floor_fsm.lines import from_line, to_line
from floor_fsm.messages.draw import SeatsDrawn
from floor_fsm.messages.entries import EntryGivenUp, EntryOut, EntryTaken, EntryWithdrawn, LateClosed
from floor_fsm.messages.seating import Moved, Redrawn, Seated, SeatGiven, SeatLate, TableBreaks, Why
from floor_fsm.messages.tables import Balanced, BreakingOrder, HandBegan
from floor_fsm.messages.undone import TableTakenBack
from floor_fsm.positions import clockwise
from floor_fsm.state.entries import Entries, Standing
from floor_fsm.state.seating import Seating, free_seats, in_use
from floor_fsm.state.tables import Tables, next_move, next_to_break
from tests.floor_fsm.support import DIRECTOR, FEE, HOUSE, Desk

TABLES = tuple(f"T{number}" for number in range(1, 5))


class Walk:
    """A tournament that goes where numbers lead it. Events that are refused are part of the way."""

    def __init__(self, law: str) -> None:
        self.desk = Desk(law, tables=len(TABLES), seats=6, late_until=None)
        self.kept: list[Event] = []
        self.had_big_blind: dict[str, int] = {}
        self.refused = 0

    def step(self, number: int) -> None:
        """One event, perhaps one that is refused."""
        action, rest = number % 16, number // 16
        parts = self.desk.tournament.parts
        seating, entries = parts.of(Seating), parts.of(Entries)
        tables = in_use(parts)
        table, other = tables[rest % len(tables)], TABLES[rest // 7 % len(TABLES)]
        some = 1 + rest % max(1, len(entries.by_number))
        waits = [entry.number for entry in entries.standing(Standing.WAITING)] or [some]
        plays = sorted(seating.places) or [some]
        match action:
            case 0 | 1 | 2 | 3:
                self._enter(rest)
            case 4:
                self._draws(SeatsDrawn, short_tables=True)
            case 5 | 6:
                self._draws(SeatLate, entry=waits[rest % len(waits)])
            case 7:
                self._say(SeatGiven, entry=waits[rest % len(waits)], table=other, seat=1 + rest // 5 % 6)
            case 8 | 9 | 10:
                self._hand(table)
            case 11:
                self._balance()
            case 12:
                self._out(plays[rest % len(plays)] if rest % 3 else some, rest)
            case 13 if rest % 5 == 0:
                self._say(BreakingOrder, tables=tuple(reversed(tables)))
                self._draws(TableBreaks, table=next_to_break(parts) or other)
            case 13 if rest % 2:
                self._say(TableTakenBack, table=other, players=("back", "stay")[rest // 2 % 2])
            case 14:
                self._say(Moved, entry=some, table=other, seat=1 + rest // 11 % 6)
            case 15 if rest % 12 == 0:
                fits = len(seating.places) <= sum(map(len, free_seats(parts).values()))
                self._draws(Redrawn, occasion=Occasion.FINAL_TABLE, tables=(table,) if fits else (other,))
            case _:
                self._balance()

    def _say(self, kind: type[Event], by: By | None = DIRECTOR, **fields: Any) -> list[object]:
        try:
            outputs = self.desk.say(kind, by=by, **fields)
        except Refused:
            self.refused += 1
            return []
        self.kept.append(kind(t=self.desk.t, by=by, **fields))
        return [*outputs]

    def _draws(self, kind: type[Event], **fields: Any) -> None:
        if self._say(kind, secret=self.desk.secrets[0], **fields):
            del self.desk.secrets[0]

    def _enter(self, rest: int) -> None:
        number = len(self.desk.tournament.parts.of(Entries).by_number) + 1
        person = f"P{rest % 30}"
        self._say(EntryTaken, entry=number, person=person, name=person, paid=FEE + HOUSE)

    def _out(self, entry: int, rest: int) -> None:
        kind = (EntryOut, EntryOut, EntryGivenUp, EntryWithdrawn, LateClosed)[rest // 3 % 5]
        if kind is not LateClosed:
            self._say(kind, entry=entry)
        elif rest % 13 == 0:
            self._say(kind)

    def _hand(self, table: str) -> None:
        """The next hand of a table, where it may deal one: its big blind goes on by one player."""
        parts = self.desk.tournament.parts
        players, tables = parts.of(Seating).at(table), parts.of(Tables)
        if len(players) < 2 or table in tables.waits:
            return
        last = tables.blinds.get(table)
        big = clockwise(players, 6 if last is None else last.big_blind)[0]
        small = None if last is None else last.big_blind
        number = 1 if last is None else last.hand + 1
        self._say(HandBegan, None, table=table, hand=number, big_blind=big, small_blind=small)
        self.had_big_blind[table] = players[big]

    def _balance(self) -> None:
        """The move that the book wants, which is never of who has just paid the big blind, and to the worst seat."""
        before = self.desk.tournament.parts
        wanted = next_move(before)
        if wanted is None:
            return
        sizes = Counter(place.table for place in before.of(Seating).places.values())
        assert sizes[wanted.source.table] - sizes[wanted.target.table] >= 2
        assert wanted.entry != self.had_big_blind.get(wanted.source.table), "the big blind twice"
        hand = before.of(Tables).blinds[wanted.source.table].hand
        [moved, *_] = self._say(Balanced, table=wanted.source.table, hand=hand, to=wanted.target.table)
        assert isinstance(moved, Seated)
        assert (moved.entry, moved.why, moved.place) == (wanted.entry, Why.BALANCED, wanted.target)
        blinds = before.of(Tables).blinds[wanted.target.table]
        others = free_seats(before)[wanted.target.table]
        assert moved.place.seat == clockwise(others, blinds.big_blind)[0], "the big blind later than it could be"

    def require_whole(self) -> None:
        """What must hold at the end, beside what the desk holds after each event."""
        parts = self.desk.tournament.parts
        entries = parts.of(Entries)
        counts = [len(entries.standing(standing)) for standing in Standing]
        assert sum(counts) == len(entries.by_number), "entries = waiting + in play + out + withdrawn"
        waits = parts.of(Tables).waits
        assert all(table in in_use(parts) and seat in free_seats(parts)[table] for table, seat in waits.items())


@settings(max_examples=25, deadline=None)
@given(st.sampled_from(("onyx", "star-2025", "act-2001")), st.lists(st.integers(0, 2**24), min_size=20, max_size=80))
def test_a_tournament_stays_sound_wherever_it_goes(law: str, numbers: list[int]) -> None:
    walk = Walk(law)
    for number in numbers:
        walk.step(number)
    walk.require_whole()


@settings(max_examples=10, deadline=None)
@given(st.lists(st.integers(0, 2**24), min_size=40, max_size=80))
def test_its_lines_make_the_same_tournament_again(numbers: list[int]) -> None:
    walk = Walk("onyx")
    for number in numbers:
        walk.step(number)
    again = Desk("onyx", tables=len(TABLES), seats=6, late_until=None).tournament
    for event in walk.kept:
        assert from_line(to_line(event)) == event
        again.apply(from_line(to_line(event)), expected=again.seq)
    assert again.digest() == walk.desk.tournament.digest()


def played_out(seed: int, people: int, seats: int) -> tuple[Desk, Counter[str]]:
    """A tournament of Onyx from the draw to the last player, its tables broken, balanced and redrawn by the book."""
    chance, told = random.Random(seed), Counter[str]()
    desk = Desk("onyx", tables=-(-people // seats), seats=seats)
    entries = desk.enter(*(f"P{n}" for n in range(people)))
    desk.draw()
    desk.say(BreakingOrder, tables=tuple(reversed(in_use(desk.tournament.parts))))
    blinds = BlindsOfAll(entries)
    while len(desk.tournament.parts.of(Seating).places) > 1:
        played = [table for table in in_use(desk.tournament.parts) if blinds.hand(desk, table)]
        assert played, "no table may deal"
        for table in played:
            players = list(desk.tournament.parts.of(Seating).at(table).values())
            if chance.random() < 0.2 and len(players) > 1:
                desk.out(chance.choice(players))
        for output in settled(desk, seats):
            told[output.why.value] += 1
            blinds.moved(output)
    return desk, told


def settled(desk: Desk, seats: int) -> list[Seated]:
    """After a hand of every table: break what may break, redraw the final table, then balance."""
    outputs: list[object] = []
    while (table := next_to_break(desk.tournament.parts)) is not None:
        parts = desk.tournament.parts
        if len(parts.of(Seating).places) <= seats:
            outputs += desk.by_draw(Redrawn, occasion=Occasion.FINAL_TABLE, tables=(in_use(parts)[0],))
        else:
            outputs += desk.by_draw(TableBreaks, table=table)
    while (wanted := next_move(desk.tournament.parts)) is not None:
        hand = desk.tournament.parts.of(Tables).blinds[wanted.source.table].hand
        outputs += desk.say(Balanced, table=wanted.source.table, hand=hand, to=wanted.target.table)
    return [output for output in outputs if isinstance(output, Seated)]


class BlindsOfAll:
    """Who had the big blind when: nobody has it twice running, and nobody goes without for long."""

    def __init__(self, entries: Sequence[int]) -> None:
        self.since = dict.fromkeys(entries, 0)
        """Hands that an entry was dealt since its last big blind, or since it came by a draw."""
        self.new = set(entries)

    def hand(self, desk: Desk, table: str) -> bool:
        """Play a hand where the table may; whether it did."""
        parts = desk.tournament.parts
        players, tables = parts.of(Seating).at(table), parts.of(Tables)
        if len(players) < 2 or table in tables.waits:
            return False
        last = tables.blinds.get(table)
        big = clockwise(players, 9 if last is None else last.big_blind)[0]
        number, small = (1, None) if last is None else (last.hand + 1, last.big_blind)
        desk.say(HandBegan, by=None, table=table, hand=number, big_blind=big, small_blind=small)
        for entry in players.values():
            self.since[entry] += 1
            assert self.since[entry] <= 2 * 9, f"entry {entry} has had no big blind for {self.since[entry]} hands"
        paid = players[big]
        assert len(players) < 3 or self.since[paid] > 1 or paid in self.new, f"entry {paid} has the big blind twice"
        self.since[paid] = 0
        self.new -= {paid}
        return True

    def moved(self, output: Seated) -> None:
        """Who comes by a draw may get any position."""
        if output.why is not Why.BALANCED:
            self.since[output.entry] = 0
            self.new.add(output.entry)


@pytest.mark.parametrize(("seed", "people", "seats"), [(1, 40, 8), (2, 23, 6), (3, 30, 9)])
def test_nobody_has_the_big_blind_twice_or_never_and_one_player_is_left(seed: int, people: int, seats: int) -> None:
    desk, told = played_out(seed, people, seats)
    assert len(desk.standing(Standing.OUT)) == people - 1
    assert told["broken"]
    assert told["redrawn"]
    assert told["balanced"] or people < 30
    assert played_out(seed, people, seats)[0].tournament.digest() == desk.tournament.digest()
