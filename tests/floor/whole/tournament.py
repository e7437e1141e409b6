"""A whole tournament: a director at a real floor, real tables whose hands are dealt, and a nemesis.

Everything follows from a seed. After each event of the tournament its invariants are held; whenever all is quiet, each
table seats whom the tournament says, and the chips on the tables are the ledger's.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Any, Final
from unittest.mock import patch

from feltd.custody.messages import Command, from_bytes
from feltd.door.pit.directing import TournamentLine
from feltd.door.signed_orders import command_of
from feltd.floor import players
from feltd.floor.tending import AWAY_AFTER
from feltd.floor.tournament_fold import Fold
from feltd.record.rows import JournalRows
from floor_fsm.core.parts import Parts
from floor_fsm.drawing import commitment_of
from floor_fsm.messages.seating import Why
from floor_fsm.play.hand_for_hand import At as HandAt
from floor_fsm.play.hand_for_hand import HandForHand
from floor_fsm.state.entries import ALIVE, Entries, Standing
from floor_fsm.state.floor import Stacks
from floor_fsm.state.hands import Hands, Places, field_of, left
from floor_fsm.state.money import Money, amounts_of, pool_of
from floor_fsm.state.rebuys import table_amount
from floor_fsm.state.seating import Seating, in_use
from floor_fsm.state.tables import Tables, next_move, next_to_break
from table_fsm.events import TableOpen
from tests.feltd.table_support import FakeTime
from tests.floor.directing_support import CUP
from tests.floor.tending_support import TableHere, TendedFloor
from tests.floor.whole.dealer import Dealer, Plan, Stand
from tests.floor_fsm.support import SECRETS

STACK: Final = 30_000
SHORT: Final = 2_500
"""Who has no more goes all in at the next chance, before the blinds have taken all."""
MANY: Final = 100
"""Entries from which on fifteen percent of them are paid, and hand for hand comes at the bubble."""
_BLINDS: Final = ((100, 200), (150, 300), (200, 400))
_LEVEL_SECONDS: Final = 400.0
_FEE, _HOUSE = 20_000, 5_000
_ALL_BACK: Final = 0.7
"""Of so many tables some are away always, and none breaks while one is."""
_KEPT_EACH: Final = 5
"""Turns after which floord keeps its tables' lines, as it does each so many seconds."""
_LOSERS_MOST: Final = 3
_TURNS_MOST: Final = 12
"""For each entry."""


def percents(places: int) -> list[str]:
    """What each place gets: 50, 30 and 20 percent, or each a little less than the one before."""
    if places == 3:
        return ["50", "30", "20"]
    weights = [1 / (place + 9) for place in range(1, places + 1)]
    least = [int(weight / sum(weights) * 10**8) for weight in weights]  # millionths of a percent
    least[0] += 10**8 - sum(least)
    return [f"{one // 10**6}.{one % 10**6:06}" for one in least]


@dataclass
class Figures:
    """What happened."""

    hands: int = 0
    cuts: int = 0
    restarts: int = 0
    twice: int = 0
    moves: int = 0
    broken: int = 0
    events: int = 0
    quiet: int = 0
    hand_for_hand: int = 0
    not_played: int = 0
    alone: int = 0
    levels: int = 0
    """At which hands were dealt."""
    by_event: dict[str, int] = field(default_factory=dict)


class Floor(TendedFloor):
    """A floor whose orders reach a table twice now and then."""

    def __init__(
        self, folder: Path, names: tuple[str, ...], chance: Random, figures: Figures, engine: Any,
        opening: TableOpen | None = None,
    ) -> None:  # fmt: skip
        self.chance, self.figures = chance, figures
        super().__init__(folder, names=names, engine=engine, time=FakeTime(), opening=opening)

    async def _obey(self, table: TableHere, data: bytes) -> None:
        await super()._obey(table, data)
        if self.chance.random() < 0.1:
            command: Command = from_bytes(data, {"command": Command})
            before, seats = await _head(table), table.seats
            await table.obeying.take(command_of(command.id, command.order, command.until))
            assert (await _head(table), table.seats) == (before, seats), "an order was carried out twice"
            self.figures.twice += 1


async def _head(table: TableHere) -> int:
    """The last entry of a table's record."""
    await table.bench.synced()
    with JournalRows(table.bench.journal.path) as rows:
        return rows.stored(0, 1, 1).head


class _Tokens:
    """Players' tokens by a seed, in place of the module `secrets`."""

    def __init__(self, seed: int) -> None:
        self._chance = Random(f"{seed} tokens")

    def token_hex(self, count: int) -> str:
        """So many bytes, as hexadecimal digits."""
        return self._chance.randbytes(count).hex()


class Blinds:
    """Who had the big blind when: nobody has it twice running, and nobody goes without it for long."""

    def __init__(self, seats: int) -> None:
        self.most = 2 * seats
        self.since: dict[int, int] = {}
        """By entry: hands since its last big blind, or since it came by a draw or by hand."""
        self.new: set[int] = set()
        """Who came so, and has had none since: they may get any position."""

    def moved(self, line: TournamentLine) -> None:
        """An event may give seats."""
        for one in line.outputs:
            if one["kind"] == "seat" and one["why"] != Why.BALANCED:
                self.since[one["entry"]] = 0
                self.new.add(one["entry"])

    def hand(self, here: Mapping[int, int], posted: Mapping[int, int]) -> None:
        """A hand is over. `here`: entries by seat as it began; `posted`: what the blinds were, by seat."""
        if not posted:
            return  # a game on antes alone
        for entry in here.values():
            self.since[entry] = self.since.get(entry, 0) + 1
            assert self.since[entry] <= self.most, f"entry {entry} had no big blind for {self.since[entry]} hands"
        paid = here[list(posted)[-1]]  # who posts last: a short stack may have less for it than another's small blind
        assert len(here) < 3 or self.since[paid] > 1 or paid in self.new, f"entry {paid} has the big blind twice"
        self.since[paid] = 0
        self.new.discard(paid)


class Whole:
    """One tournament, under Onyx's book."""

    law = "onyx"
    stack = STACK
    """Chips of an entry, as tables count them."""
    pays = True
    """Whether the director says what each place gets: no book does."""
    opening: TableOpen | None = None
    """How each table is opened; None: for Onyx's tournaments."""

    def __init__(
        self, folder: Path, entries: int, tables: int, seed: int, seats: int = 6, engine: Any = None,
        tell: Callable[[str], None] = lambda _: None,
    ) -> None:  # fmt: skip
        """`tell`: is told after each turn how far it is."""
        self.tell = tell
        self.seed, self.chance = seed, Random(seed)
        self.figures = Figures()
        self.names = tuple(f"T{number}" for number in range(1, tables + 1))
        # Its own chance: which table obeys first is the threads' matter, and must not change what is played.
        self.floor = Floor(folder, self.names, Random(f"{seed} twice"), self.figures, engine, self.opening)
        self.entries, self.seats = entries, seats
        self.paid = 3 if entries < MANY else entries * 15 // 100
        """Places that have a prize."""
        self.folds, self.joins = (0.3, 0.2) if entries < MANY else (0.1, 0.7)
        """How often all fold to one, and how often one more is all in: of thousands most go out early."""
        self.at_once = max(1, tables // 10)
        """Steps of the director, and deeds of the nemesis, between two hands."""
        self.secrets = [secret.hex() for secret in SECRETS]
        self.dealers = {name: self._dealer(name) for name in self.names}
        self.stacks: dict[int, int] = {}
        self.persons: dict[int, str] = {}
        """Of each entry; in the tournament's state they have tokens."""
        self.here: dict[str, dict[int, int]] = {}
        """By table: who sat where when its hand began, by seat."""
        self.away: set[str] = set()
        self.checked = 0
        self.held: tuple[object, ...] = ()
        """The state of which all was held last."""
        self.blinds = Blinds(seats)
        self.next_entry = 1

    def _dealer(self, name: str) -> Any:
        """Who deals at this table."""
        return Dealer(self.floor.tables[name], self.chance)

    # -- the director

    @property
    def fold(self) -> Fold:
        """The tournament."""
        return self.floor.directing.fold("cup")

    @property
    def parts(self) -> Parts:
        """Its state."""
        assert self.fold.tournament is not None
        return self.fold.tournament.parts

    async def say(self, ev: str, **fields: Any) -> None:
        """A step of the director."""
        await self.floor.at.say({"ev": ev, **fields})
        self.require()

    async def say_drawn(self, ev: str, **fields: Any) -> None:
        """A step that tells the next secret."""
        await self.say(ev, secret=self.secrets.pop(0), **fields)

    async def play(self) -> Figures:
        """From the first entry to the winner."""
        with patch.object(players, "secrets", _Tokens(self.seed)):  # else each run draws other seats
            return await self._played()

    async def _played(self) -> Figures:
        await self._open()
        for turn in range(_TURNS_MOST * self.entries):
            if len(left(self.parts)) <= 1 and self.parts.of(Entries).closed:
                await self._everybody_back()
                if self._is_settled:
                    break
            await self._turn(turn)
            still, tables = len(left(self.parts)), len(in_use(self.parts))
            self.tell(f"turn {turn}: {still} left at {tables} tables, {self.figures.hands} hands")
        await self._settle()
        self.require_end()
        self.floor.close()
        self.figures.events = self.fold.seq
        return self.figures

    @property
    def _is_settled(self) -> bool:
        return not self.here and len(self.parts.of(Places).final) == field_of(self.parts)

    async def _open(self) -> None:
        for name in self.names:
            await self.floor.connect(name)
        await self.floor.directing.open(replace(CUP, book=self.law))
        seats = list(range(1, self.seats + 1))
        tables = [{"table": name, "seats": seats} for name in self.names]
        await self.say("tournament.open", name="Whole", fee=_FEE, house=_HOUSE, tables=tables, **self._terms())
        await self.say("draw.committed", commitment=commitment_of(SECRETS[0]))
        for number in range(self.entries):
            await self._enter(f"p{number}")
        if self.pays:
            await self.say("payouts.set", percent=percents(self.paid))
        await self.say_drawn("seats.drawn", short_tables=True)
        await self.say("breaking.order", tables=list(reversed(self.names)))
        await self.say("schedule", **self._schedule())
        await self.say("clock.runs")
        await self._settle()

    def _terms(self) -> dict[str, Any]:
        """What the tournament is opened with, beside its fees and tables."""
        return {"stack": STACK, "late_until": 50, "re_entries": 1}

    def _schedule(self) -> dict[str, Any]:
        """The levels."""
        seconds = _LEVEL_SECONDS * len(self.names)  # tables share one clock: what passes at one passes at all
        return {"levels": [{"seconds": seconds, "blinds": list(blinds)} for blinds in _BLINDS]}

    async def _enter(self, person: str) -> int:
        number, self.next_entry = self.next_entry, self.next_entry + 1
        await self.say("entry", entry=number, person=person, name=f"Mx {person}", paid=_FEE + _HOUSE)
        self.stacks[number], self.persons[number] = self.stack, person
        return number

    # -- a turn

    async def _turn(self, turn: int) -> None:
        """Something of the nemesis, a hand at each table, then what the director does between hands."""
        for _ in range(self.at_once):
            await self._nemesis()
        if turn % _KEPT_EACH == 0:
            await self.floor.book.keep()  # else each floord that starts reads every table's record from its beginning
        for name in self.names:
            self._hand(name)
        await self._settle()
        await self._hand_for_hand()
        await self._decide()
        parts = self.parts
        if not parts.of(Entries).closed:
            await self._late(turn)
        if self.at_once > 1 and self.chance.random() < _ALL_BACK:
            await self._everybody_back()
            await self._settle()
        if parts.of(Hands).play is None and not self.away:
            await self._even()

    def _hand(self, name: str) -> None:
        """Deal a hand at a table, or go on with the one that was held."""
        dealer, table = self.dealers[name], self.floor.tables[name]
        if name in self.here:
            if name in self.away and dealer.waits_for_go and not self._is_frozen(name):
                table.play({"ev": "tournament.go"})  # the table's own director has its all-in turned
                self.figures.alone += 1
            stand = dealer.go_on()
        else:
            seating = self.parts.of(Seating).at(name)
            seats = table.seats
            if len(seats) < 2 or any(seat not in seating for seat in seats):
                return
            if name in self.away and dealer.waits_for_go:
                if self.chance.random() < 0.5:
                    return
                table.play({"ev": "tournament.go"})  # the table's own director releases its hand
                self.figures.alone += 1
            self.here[name] = {seat: seating[seat] for seat in seats}
            stacks = {seat: self.stacks[entry] for seat, entry in self.here[name].items()}
            stand = dealer.begin(self._plan, stacks)
        if stand is Stand.HELD:
            return
        here = self.here.pop(name)
        if stand is Stand.OVER:
            self.figures.hands += 1
            self.blinds.hand(here, dealer.posted)
            for seat, entry in here.items():
                self.stacks[entry] = dealer.stacks[seat]
                if name in self.away and not self.stacks[entry]:
                    table.play({"ev": "seat.out", "seat": seat})  # a table alone: nobody without chips is dealt to

    def _is_frozen(self, name: str) -> bool:
        """Whether the floor has heard of the table's all-in: then it waits for the floor's word, cut off or not."""
        play = self.parts.of(Hands).play
        return play is not None and name in play.tables and play.tables[name].at is HandAt.FROZEN

    def _plan(self, stacks: Mapping[int, int]) -> Plan:
        """All fold to one; or some go all in, and lose to one who has as much or more, or win from one who has more."""
        short = min(stacks, key=lambda seat: (stacks[seat], seat))
        if stacks[short] > SHORT and self.chance.random() < self.folds:
            return Plan()
        able = [seat for seat in sorted(stacks) if seat != short]
        other = self.chance.choice(able)
        small, big = sorted((short, other), key=lambda seat: (stacks[seat], seat))
        if stacks[big] - stacks[small] > SHORT and self.chance.random() < 0.3:
            return Plan(small, (big,), (small,))
        losers = [small]
        able = [seat for seat in able if seat not in (small, big) and stacks[seat] <= stacks[big]]
        while able and len(losers) < _LOSERS_MOST and self.chance.random() < self.joins:
            losers.append(able.pop(self.chance.randrange(len(able))))
        return Plan(big, tuple(losers), tuple(losers))

    async def _nemesis(self) -> None:
        luck = self.chance.random()
        connected = [name for name in self.names if name not in self.away]
        if luck < 0.15 and len(connected) > 1:
            name = self.chance.choice(connected)
            self.floor.cut(name)
            self.away.add(name)
            self.figures.cuts += 1
        elif luck < 0.35 and self.away:
            await self._back(self.chance.choice(sorted(self.away)))
        elif 0.35 <= luck < 0.35 + 0.07 / self.at_once:
            await self.floor.restart()
            self.figures.restarts += 1

    async def _back(self, name: str) -> None:
        await self.floor.connect(name)
        self.away.discard(name)

    async def _everybody_back(self) -> None:
        for name in sorted(self.away):
            await self._back(name)

    async def _settle(self) -> None:
        await self.floor.settle()
        self.require()
        if not self.away and not self.here:
            self.require_quiet()

    def _near(self) -> int:
        """How many are left when hand for hand begins: twice at once, or late entry's end and then the bubble."""
        if self.entries < MANY or not self.figures.hand_for_hand:
            return self.entries * 2 // 3
        return self.paid + len(in_use(self.parts))

    async def _hand_for_hand(self) -> None:
        """Hand for hand near the bubble: begun once, released, all-ins turned, ended after some hands."""
        play = self.parts.of(Hands).play
        if play is None:
            tables = [name for name in in_use(self.parts) if self.parts.of(Seating).at(name)]
            tables = [name for name in tables if len(self.parts.of(Seating).at(name)) > 1]
            near = self.parts.of(Entries).closed and len(left(self.parts)) <= self._near()
            if near and self.figures.hand_for_hand < 2 and len(tables) > 1 and not self.away and not self.here:
                self.figures.hand_for_hand += 1
                await self.say("hand_for_hand.began", why="bubble")
                await self.say("hand.released")
                await self._settle()
            return
        if self.away:
            self.floor.time.pass_(AWAY_AFTER + 1)
            await self.floor.tending.look()
            self.floor.time.pass_(AWAY_AFTER + 1)
            await self.floor.tending.look()
            play = self.parts.of(Hands).play
            assert play is not None
        if play.waits_for and all(play.tables[name].at is HandAt.FROZEN for name in play.waits_for):
            await self.say("all_ins.turned")
        elif (alone := self._without_a_hand(play)) is not None:
            await self.say("hand.over", table=alone, hand=play.hand)
            self.figures.not_played += 1
        elif play.waits_for and all(play.tables[name].away for name in play.waits_for):
            for name in play.waits_for:
                await self.say("table.excused", table=name)
        elif not play.waits_for and not any(one.owes for one in play.tables.values()):
            plays = any(len(self.parts.of(Seating).at(name)) > 1 for name in play.tables)
            await self.say("hand_for_hand.ended" if play.hand >= 3 or self.away or not plays else "hand.released")
        elif not play.waits_for:
            await self._everybody_back()
            await self._settle()
            await self._not_played()
        await self._settle()

    def _without_a_hand(self, play: HandForHand) -> str | None:
        """A table that was given a hand, and has not two players for one."""
        for name in play.waits_for:
            few = len(self.floor.tables[name].seats) < 2
            if few and name not in self.here and play.tables[name].at is HandAt.PLAYS:
                return name
        return None

    async def _not_played(self) -> None:
        """The director says of hands which a table owes that it never had them."""
        play = self.parts.of(Hands).play
        for name, one in play.tables.items() if play is not None else ():
            if name not in self.here:
                for hand in sorted(one.owes):
                    await self.say("hand.over", table=name, hand=hand)
                    self.figures.not_played += 1

    async def _decide(self) -> None:
        """What the book leaves to a person."""
        ladder = self.parts.of(Places).ladder
        for order in ladder.undecided if ladder is not None else ():
            gone = ladder.under(order) if ladder is not None else None
            assert gone is not None
            if not gone.awaited:
                await self.say("place.decided", order=order, groups=[[one.entry] for one in gone.outs])

    async def _late(self, turn: int) -> None:
        """Some enter again, until late entry is over."""
        entered = 0
        for _ in range(self.at_once):
            entered += await self._again()
        if entered:
            await self._settle()
        if turn >= 4 or len(left(self.parts)) <= max(3, self.entries // 2):
            await self.say("late.closed")

    async def _again(self) -> bool:
        """Somebody who is out enters again, where the chance has it so and a seat is free."""
        out = self.parts.of(Entries).standing(Standing.OUT)
        alive = {one.person for one in self.parts.of(Entries).by_number.values() if one.standing in ALIVE}
        again = [
            one for one in out if one.person not in alive and len(self.parts.of(Entries).of_person(one.person)) < 2
        ]
        free = len(self.parts.of(Seating).places) < self.seats * len(in_use(self.parts))
        if not again or not free or self.chance.random() >= 0.5:
            return False
        number = await self._enter(self.persons[self.chance.choice(again).number])
        await self.say_drawn("seat.late", entry=number)
        return True

    async def _even(self) -> None:
        """Tables break where the others have room; else whom the book names moves."""
        if self.here:
            return
        for _ in range(self.at_once):
            await self._even_once()
        await self._settle()

    async def _even_once(self) -> None:
        breaks = next_to_break(self.parts)
        if breaks is not None and self.chance.random() < (0.3 if self.at_once == 1 else 0.9):
            if self.parts.of(Seating).at(breaks):
                await self.say_drawn("table.breaks", table=breaks)
            else:
                await self.say("table.broken", table=breaks, to=[])
            self.figures.broken += 1
        elif (move := next_move(self.parts)) is not None:
            hand = self.parts.of(Tables).blinds[move.source.table].hand
            await self.say("balanced", table=move.source.table, to=move.target.table, hand=hand)
            self.figures.moves += 1
        elif self._alone() is not None:
            await self._join()

    def _alone(self) -> str | None:
        """A table with one player, where no hand was told and so the book moves nobody."""
        sizes = {name: len(self.parts.of(Seating).at(name)) for name in in_use(self.parts)}
        return next((name for name, size in sizes.items() if size == 1 and sum(sizes.values()) > 1), None)

    async def _join(self) -> None:
        """The director moves who sits alone."""
        name = self._alone()
        assert name is not None
        [entry] = self.parts.of(Seating).at(name).values()
        others = [other for other in in_use(self.parts) if other != name]
        there = min(others, key=lambda other: (len(self.parts.of(Seating).at(other)) in (0, self.seats), other))
        taken = self.parts.of(Seating).at(there)
        seat = next((seat for seat in range(1, self.seats + 1) if seat not in taken), None)
        if seat is not None:
            await self.say("moved", entry=entry, table=there, seat=seat)
            self.figures.moves += 1

    # -- what must hold

    def require(self) -> None:
        """After each event: nobody in two seats, each entry somewhere, places a partition, not too much paid."""
        parts = self.parts
        for line in self.fold.lines:
            if line.seq > self.checked:
                self.figures.by_event[line.ev] = self.figures.by_event.get(line.ev, 0) + 1
                self.blinds.moved(line)
        self.checked = self.fold.seq
        if not self.fold.phase() or self.fold.seq < 2:
            return
        entries, seating = parts.of(Entries), parts.of(Seating)
        state = entries, seating, parts.of(Hands), parts.of(Places), parts.of(Money)
        if len(self.held) == len(state) and all(one is other for one, other in zip(state, self.held, strict=True)):
            return  # the event has changed nothing of what is held
        self.held = state
        assert len(set(seating.places.values())) == len(seating.places), "a seat holds two"
        assert {one.number for one in entries.standing(Standing.IN_PLAY)} == set(seating.places)
        counts = [len(entries.standing(standing)) for standing in Standing]
        assert sum(counts) == len(entries.by_number), "entries are in play, waiting, between, out or withdrawn"
        alive = [one.person for one in entries.by_number.values() if one.standing in ALIVE]
        assert len(set(alive)) == len(alive), "a person is in play twice"
        play = parts.of(Hands).play
        if play is not None:
            assert all(play.hand - one.hand <= 1 or one.away for one in play.tables.values()), "a table is hands behind"
        ladder = parts.of(Places).ladder
        if ladder is not None:
            places = ladder.places(field_of(parts))
            assert set(places) == {one.number for one in entries.standing(Standing.OUT)}
            taken = sorted(rank for place in set(places.values()) for rank in range(place.first, place.last + 1))
            assert taken == list(range(field_of(parts) - len(places) + 1, field_of(parts) + 1)), "no partition"
        assert sum(parts.of(Money).told.values()) <= sum(amounts_of(parts))

    def require_quiet(self) -> None:
        """Each table seats whom the tournament says, and who is in has chips: together those of the ledger."""
        self.figures.quiet += 1
        seating = self.parts.of(Seating)
        for name in self.names:
            here, there = self.floor.tables[name].seats, list(seating.at(name))
            assert here == there, f"{name} seats {here}, not {there}; {self._told()}"
        playing = {entry: self.stacks[entry] for entry in seating.places}
        broke = {entry: seating.places[entry] for entry, chips in playing.items() if not chips}
        assert not broke, f"without chips: {broke}; {self._told()}"
        in_play = table_amount(self.parts.law, self.parts.of(Stacks).ledger.in_play)
        assert sum(playing.values()) == in_play, f"chips came or went: {sum(playing.values())}, {in_play}"

    def _told(self) -> str:
        """What stands on the tables' tiles, and the last events: for who must see what went wrong."""
        wrong = {table.name: table.wrong for table in self.floor.tending.tables(self.fold) if table.wrong}
        lines = [f"{line.seq} {json.dumps(line.event)}" for line in list(self.fold.lines)[-15:]]
        for name in {place.table for entry, place in self.parts.of(Seating).places.items() if not self.stacks[entry]}:
            sent = [output.to_dict() for output in self.floor.tables[name].bench.indicators.sent[-300:]]
            lines += [f"{name}: {one}" for one in sent if not {"prompt", "phase"} & set(one)][-30:]
            lines.append(f"{name}: {self.dealers[name].plan} {self.dealers[name].put_in} {self.dealers[name].stacks}")
        seats = {name: (dict(self.parts.of(Seating).at(name)), self.floor.tables[name].seats) for name in self.names}
        lines += [str(self.parts.of(Hands)), f"{seats}, away {self.away}, in hands {self.here}"]
        return f"{wrong}\n" + "\n".join(lines)

    def require_end(self) -> None:
        """Prizes are the pool, every place is final, and who has won has all the chips."""
        parts = self.parts
        assert len(parts.of(Places).final) == field_of(parts), self._told()
        assert sum(parts.of(Money).told.values()) == sum(amounts_of(parts)) == pool_of(parts)
        [winner] = left(parts)
        assert self.stacks[winner] == table_amount(parts.law, parts.of(Stacks).ledger.in_play)
        assert parts.of(Places).final[winner].first == 1
