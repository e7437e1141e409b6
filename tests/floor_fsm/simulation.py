"""Whole tournaments through `Tournament.apply`, at random by a seed, from the first entry to the winner.

`python -m tests.floor_fsm.simulation --entries 500 --tables 60 --seed 1` plays one, holds the invariants after each
event (`--every`), and prints what an event costs.
"""

import argparse
import random
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import quantiles
from time import process_time_ns
from typing import Any

from floor_fsm.core.event import By, Event
from floor_fsm.core.output import Output
from floor_fsm.law.matters import Across
from floor_fsm.messages.chips import ChipsTaken, RaceOrdered, RaceTold
from floor_fsm.messages.entries import EntryGivenUp, EntryOut, LateClosed
from floor_fsm.messages.hands import (
    AllInHeld,
    AllInsTurned,
    HandForHandBegan,
    HandForHandEnded,
    HandOver,
    HandReleased,
    PlaceDecided,
    TableAway,
    TableBack,
    TableExcused,
    ToDecide,
    WentOut,
)
from floor_fsm.messages.money import PayoutsSet
from floor_fsm.messages.people import PenaltyImposed, PersonLeft
from floor_fsm.messages.seating import Moved, TableBroken
from floor_fsm.play.hand_for_hand import At, Turn
from floor_fsm.state.by_table import by_table
from floor_fsm.state.entries import Entries, Standing
from floor_fsm.state.floor import Stacks
from floor_fsm.state.hands import Hands, Places, field_of, left, unreported
from floor_fsm.state.money import Money, amounts_of, pool_of
from floor_fsm.state.seating import Seating, free_seats, in_use
from tests.floor_fsm.support import DIRECTOR, Desk


@dataclass
class Costs:
    """Nanoseconds of a processor that each event took, by its name: a busy machine counts nothing."""

    by_event: dict[str, list[int]] = field(default_factory=dict)

    def said(self) -> list[str]:
        """A line for each event: how many, the middle one and the slowest hundredth, in microseconds."""
        lines = []
        for name, taken in sorted(self.by_event.items()):
            cuts = quantiles(taken, n=100) if len(taken) > 1 else taken * 99
            lines.append(f"{name:22} {len(taken):7} p50 {cuts[49] / 1000:9.1f} us  p99 {cuts[98] / 1000:9.1f} us")
        return lines


class Whole(Desk):
    """A whole tournament by one seed."""

    def __init__(self, law: str, entries: int, tables: int, seed: int, every: int = 1, seats: int = 9) -> None:
        self.chance = random.Random(seed)
        self.costs, self.every = Costs(), every
        self.kept: list[Event] = []
        super().__init__(law, tables=tables, seats=seats, late_until=2)
        self.everybody = entries

    def say(
        self, kind: type[Event], by: By | None = DIRECTOR, expected: int | None = None, **fields: Any
    ) -> list[Output]:
        """Apply an event, and measure it; hold the invariants after every so many."""
        self.t += 1
        event = kind(t=self.t, by=by, **fields)
        begun = process_time_ns()
        outcome = self.tournament.apply(event, expected=expected)
        self.costs.by_event.setdefault(event.ev, []).append(process_time_ns() - begun)
        self.kept.append(event)
        if len(self.kept) % self.every == 0:
            self.require()
        return list(outcome.outputs)

    def play(self) -> None:
        """Play from the first entry to the winner."""
        self.enter(*(f"P{number}" for number in range(self.everybody)))
        self.draw()
        rules = self.tournament.parts.law.book.pool
        if rules is None or rules.payouts is None or self.everybody > 150:  # the shipped table ends with 200
            self.say(PayoutsSet, percent=("50", "30", "20"))
        for _ in range(self.everybody // 10):
            self._give_up()
        self.say(LateClosed)
        while len(left(self.tournament.parts)) > 1:
            self._turn()
        self._settle()
        self.require()
        self.require_end()

    def require(self) -> None:
        """Nobody in two seats, every entry somewhere, chips that were issued, places a partition."""
        parts = self.tournament.parts
        entries, seating, stacks = parts.of(Entries), parts.of(Seating), parts.of(Stacks)
        assert len(set(seating.places.values())) == len(seating.places), "a seat holds two"
        looked: dict[str, dict[int, int]] = {}
        for entry, place in seating.places.items():
            looked.setdefault(place.table, {})[place.seat] = entry
        assert by_table(seating.places) == looked, "what is remembered is what the places say"
        in_play = {one.number for one in entries.standing(Standing.IN_PLAY)}
        assert in_play == set(seating.places), "who plays has a seat"
        ledger = stacks.ledger
        assert sum(ledger.held.values()) == ledger.in_play >= 0, "chips are conserved"
        ladder = parts.of(Places).ladder
        if ladder is None:
            return
        places = ladder.places(field_of(parts))
        out = {one.number for one in entries.standing(Standing.OUT)}
        assert set(places) == out, "who is out has a place, and nobody else"
        taken = sorted(rank for place in set(places.values()) for rank in range(place.first, place.last + 1))
        assert taken == list(range(field_of(parts) - len(out) + 1, field_of(parts) + 1)), "places are a partition"
        assert sum(parts.of(Money).told.values()) <= sum(amounts_of(parts)), "no more is paid than there is"
        paid = {entry for entry, cents in parts.of(Money).told.items() if cents}
        assert paid <= set(parts.of(Places).final), "no prize is told for a place that may still change"

    def require_end(self) -> None:
        """Prizes are the pool, and every place is final."""
        parts = self.tournament.parts
        assert len(parts.of(Places).final) == field_of(parts)
        assert sum(parts.of(Money).told.values()) == sum(amounts_of(parts)) == pool_of(parts)

    def _turn(self) -> None:
        """A hand at one table, or at all; tables that are kept equal; now and then something else."""
        self._even()
        parts = self.tournament.parts
        luck = self.chance.random()
        tables = [table for table in in_use(parts) if len(parts.of(Seating).at(table)) > 1]
        several = len([table for table in in_use(parts) if parts.of(Seating).at(table)]) > 1
        if luck < 0.05 and several and tables and parts.law.book.hand_for_hand is not None:
            self._hand_for_hand()
        elif luck < 0.07:
            self._race()
        elif luck < 0.09 and len(left(parts)) > 2:
            self._misbehave()
        elif tables:
            table = self.chance.choice(tables)
            self._decide(self.say(HandOver, by=None, table=table, out=self._outs(table)))

    def _outs(self, table: str) -> tuple[WentOut, ...]:
        """Some of a table, never all, and never the last of the tournament."""
        players = list(self.tournament.parts.of(Seating).at(table).values())
        most = min(len(players) - 1, len(left(self.tournament.parts)) - 1, 3)
        gone = self.chance.sample(players, self.chance.choice([0, 1, 1, 1, most]) if most > 0 else 0)
        stacks = [self.chance.choice([100, 200, 300]) for _ in gone]
        return tuple(WentOut(entry=one, stack=chips, put_in=chips) for one, chips in zip(gone, stacks, strict=True))

    def _decide(self, outputs: Sequence[Output]) -> None:
        for output in outputs:
            if isinstance(output, ToDecide):
                self.say(PlaceDecided, order=output.order, groups=tuple((entry,) for entry in output.entries))

    def _settle(self) -> None:
        """Everything that a person has to decide yet."""
        ladder = self.tournament.parts.of(Places).ladder
        for order in ladder.undecided if ladder else ():
            outs = next(one.outs for one in ladder.gone if one.order == order) if ladder else ()
            self.say(PlaceDecided, order=order, groups=tuple((out.entry,) for out in outs))

    def _hand_for_hand(self) -> None:
        """Some hands of hand for hand, with a table that goes away and all-ins that wait."""
        self.say(HandForHandBegan, why="bubble")
        for _ in range(self.chance.randint(1, 3)):
            seating = self.tournament.parts.of(Seating)
            if not any(len(seating.at(table)) > 1 for table in in_use(self.tournament.parts)):
                break
            self.say(HandReleased)
            play = self.tournament.parts.of(Hands).play
            assert play is not None
            hand, tables = play.hand, [name for name, one in play.tables.items() if one.at is not At.DONE]
            self.chance.shuffle(tables)
            lost = tables.pop() if len(tables) > 1 and self.chance.random() < 0.3 else None
            if lost is not None:
                self.say(TableAway, by=None, table=lost)
            held = tables[0] if self.chance.random() < 0.5 else None
            if self.chance.random() < 0.2 and len(left(self.tournament.parts)) > 2 and len(seating.at(tables[-1])) > 2:
                self._decide(self.say(EntryOut, entry=self.chance.choice(list(seating.at(tables[-1]).values()))))
            if held is not None:
                self.say(AllInHeld, by=None, table=held, hand=hand)
            for table in tables[1:] if held else tables:
                self._hand(table, hand)
            if lost is not None:
                told = self.say(TableExcused, table=lost)
                turned = any(isinstance(output, Turn) for output in told)
            else:
                turned = False
            if held is not None:
                self._turn_up(held, turned=turned)
                self._hand(held, hand)
            if lost is not None:
                if self.chance.random() < 0.7:
                    self._hand(lost, hand)
                else:
                    self._without_report()
                self.say(TableBack, by=None, table=lost)
        self.say(HandForHandEnded)

    def _without_report(self) -> None:
        """The director decides without the report of a table."""
        for one in unreported(self.tournament.parts):
            self.say(PlaceDecided, order=one.order, groups=tuple((entry,) for entry in one.entries))

    def _turn_up(self, table: str, *, turned: bool) -> None:
        play = self.tournament.parts.of(Hands).play
        assert play is not None
        if not turned and play.tables[table].at.value == "frozen":
            self.say(AllInsTurned)

    def _hand(self, table: str, hand: int) -> None:
        players = self.tournament.parts.of(Seating).at(table)
        out = self._outs(table) if len(players) > 1 else ()
        self._decide(self.say(HandOver, by=None, table=table, hand=hand, out=out))

    def _race(self) -> None:
        parts = self.tournament.parts
        if parts.law.book.races is None:
            return
        self.say(RaceOrdered, chip=25, new_chip=100)
        race = self.tournament.parts.of(Stacks).race
        for table in race.tables if race else ():
            self.say(RaceTold, by=None, table=table)

    def _misbehave(self) -> None:
        """A penalty, or the end for somebody."""
        parts = self.tournament.parts
        entry = self.chance.choice(sorted(parts.of(Seating).places))
        rules = parts.law.book.penalties
        if rules is not None and rules.most_rounds and self.chance.random() < 0.7:
            self.say(PenaltyImposed, entry=entry, penalty="rounds", number=1)
            return
        row = self.chance.choice([row for row in parts.law.book.leaving if row.why.value != "barred_before"])
        refund = False if row.refund.value == "director" else None
        prize = False if row.prize.value == "director" else None
        self.say(PersonLeft, entry=entry, why=row.why.value, chips=100, refund=refund, prize=prize)

    def _give_up(self) -> None:
        parts = self.tournament.parts
        rule = parts.law.book.entries
        seats = parts.of(Seating).places
        if rule is None or rule.re_entry == "never" or len(seats) < 3:
            return
        entry = self.chance.choice(sorted(seats))
        self.say(EntryGivenUp, entry=entry)
        self.say(ChipsTaken, entry=entry, why="forfeited", chips=1000)
        [again] = self.enter(parts.of(Entries).by_number[entry].person)
        self.late(again)

    def _even(self) -> None:
        """Break a table that the others can hold; else move somebody from the fullest to the emptiest."""
        parts = self.tournament.parts
        seating = parts.of(Seating)
        used = [table for table in in_use(parts) if seating.at(table)]
        if len(used) < 2:
            return
        fewest, most = min(used, key=lambda one: len(seating.at(one))), max(used, key=lambda one: len(seating.at(one)))
        free = [(table, seat) for table, seats in free_seats(parts).items() if table in used for seat in seats]
        elsewhere = [(table, seat) for table, seat in free if table != fewest]
        movers = list(seating.at(fewest).values())
        if len(elsewhere) >= len(movers):
            to = tuple((entry, *where) for entry, where in zip(movers, elsewhere, strict=False))
            self.say(TableBroken, table=fewest, to=to)
        elif len(seating.at(most)) - len(movers) > 1:
            seat = next(seat for table, seat in free if table == fewest)
            self.say(Moved, entry=self.chance.choice(list(seating.at(most).values())), table=fewest, seat=seat)


def main(arguments: Sequence[str] | None = None) -> int:
    """Play tournaments, and print what an event costs."""
    parser = argparse.ArgumentParser(prog="python -m tests.floor_fsm.simulation", description=__doc__)
    parser.add_argument("--law", default="star-2025")
    parser.add_argument("--entries", type=int, default=200)
    parser.add_argument("--tables", type=int, default=25)
    parser.add_argument("--seats", type=int, default=9, help="at each table")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--every", type=int, default=1, help="hold the invariants after every so many events")
    given = parser.parse_args(arguments)
    whole = Whole(given.law, given.entries, given.tables, given.seed, given.every, given.seats)
    begun = process_time_ns()
    whole.play()
    seconds = (process_time_ns() - begun) / 1e9
    across = whole.tournament.parts.law.book.places
    shared = "shared" if across is not None and across.across is Across.SHARED else "decided"
    sys.stdout.write(
        f"{given.law}, {given.entries} entries, {given.tables} tables, seed {given.seed}: {len(whole.kept)} events, "
        f"{seconds:.1f} s with the invariants after every {given.every}; places across tables {shared}\n"
    )
    sys.stdout.write("\n".join(whole.costs.said()) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
