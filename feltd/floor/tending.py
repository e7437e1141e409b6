"""Tables of tournaments: what they tell becomes events, and what the tournament wants of them becomes orders.

Nothing is queued. A table's rows say who sits there and what it was told; where that is not what the tournament says,
floord sends the one order that is due, and looks at the rows again before the next. So a table that was away, or was
put back, comes to what the tournament says by itself, and nothing is done twice. What a table's hand brought is told
with its entry as the cause, which a tournament takes once.
"""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final

from feltd.custody.errors import FloorAwayError
from feltd.door.commands import CommandRefused, StepNotKnownError
from feltd.door.pit.directing import TournamentPhase, TournamentTable
from feltd.floor.commanding import Desk
from feltd.floor.directing import Directing
from feltd.floor.pit_book import Line, PitBook
from feltd.floor.streams import TableEntry
from feltd.floor.table_facts import TableFacts
from feltd.floor.table_orders import TableOrders
from feltd.floor.table_troubles import TableTroubles, in_words
from feltd.floor.table_values import HandEnded, RaceDone, WentOutAt
from feltd.floor.told_hands import (
    blinds,
    hand_number,
    has_told,
    is_out,
    of_seat,
    parts_of,
    race_told,
    told_around,
    went_out,
)
from feltd.floor.tournament_fold import Fold
from feltd.floor.wanted import carried_news, races_answering, wanted
from feltd.record.entries import LARGEST_INTEGER
from floor_fsm.play.hand_for_hand import At
from floor_fsm.state.entries import Entries
from floor_fsm.state.floor import People, Stacks
from floor_fsm.state.hands import Hands
from floor_fsm.state.opening import Opening, opened
from floor_fsm.state.reports import Reports
from floor_fsm.state.seating import Seating, level_begun
from floor_fsm.state.sessions import is_between

LOOK_EVERY: Final = 0.5
AWAY_AFTER: Final = 20.0
"""Seconds without a connection, after which hand for hand takes a table as away."""
_LIVE: Final = frozenset({TournamentPhase.PLAYING, TournamentPhase.HAND_FOR_HAND, TournamentPhase.OVER})
_SETTLES: Final = frozenset({"hand.over", "entry.out", "race.told"})
"""What a table tells when all is well again. A table that is reached again still has a hand that was not taken."""
_log = logging.getLogger("feltd.floor")


class Tending:
    """Belongs to one loop, in which `run` must run."""

    def __init__(self, directing: Directing, desk: Desk, book: PitBook, clock: Callable[[], float] = time.time) -> None:
        self._directing = directing
        directing.ask_in_round(self._in_round)
        self._desk = desk
        self._book = book
        self._clock = clock
        self._troubles = TableTroubles()
        self._orders = TableOrders(desk, self._troubles, clock)
        self._done: dict[bytes, int] = {}
        """By journal: the last hand that was looked at, taken or not."""
        self._raced: dict[bytes, int] = {}
        """By journal: the last race that was looked at."""
        self._stood: dict[tuple[str, int, bytes], int] = {}
        """By tournament, event and journal: what the floor had of the table when it kept the event."""
        self._news: dict[str, tuple[Mapping[str, Any], ...]] = {}
        """By table: what was told last of what its players carry."""
        self._double: dict[str, str] = {}
        """By table: that it is in two tournaments at once, in words."""
        self._told: set[str] = set()
        """The tables that the pit was told of."""
        self._reached: dict[str, float] = {}
        """By table: when a floord had its connection last, or when this one looked first."""
        self._stays: dict[str, tuple[tuple[int, int], str]] = {}
        """By tournament: the level that was not taken, upon which event, and why, in words."""

    async def run(self) -> None:
        """Look again and again, until cancelled. A database that is away is asked again."""
        try:
            while True:
                try:
                    await self.look()
                except (FloorAwayError, StepNotKnownError) as fault:
                    _log.debug("tables of tournaments: %s", fault)  # custody says it aloud
                except Exception:  # noqa: BLE001 - what one tournament brings about must not leave all tables alone
                    _log.exception("tables of tournaments")
                await asyncio.sleep(LOOK_EVERY)
        finally:
            self._orders.cancel()

    async def look(self) -> None:
        """Tell what tables have told, and begin the orders that are due. Raises FloorAwayError, StepNotKnownError."""
        for fold in self._directing.folds():
            await self._level(fold)
        tables = self._tables()
        lines = {table: line for table in tables if (line := self._whole(table)) is not None}
        failed = await self._hands(tables, lines)
        for table, line in lines.items():
            if table not in failed:
                await self._looked(table, self._tend(table, tables[table], line))
        self._troubles.keep_only(tables.keys())
        for table in self._told | tables.keys() | self._double.keys():
            self._book.note_tournament(table, self._wrong(table, tables.get(table)))
        self._told = {*tables, *self._double}

    def _whole(self, table: str) -> Line | None:
        """The table's line, where all that the floor has of it is folded."""
        line = self._book.line(table)
        return None if line is None or line.fold.seq < line.stand or line.forked else line

    async def _looked(self, table: str, looking: Awaitable[None]) -> bool:
        """Whether a table could be looked at. What one has written must not leave the others alone."""
        try:
            await looking
        except (FloorAwayError, StepNotKnownError):
            raise
        except Exception:  # noqa: BLE001 - whatever it is, floord's log has it
            self._troubles.fails(table)
            return False
        return True

    async def _tend(self, table: str, fold: Fold, line: Line) -> None:
        since = await self._race_since(fold, line)
        await self._races(table, fold, line, since)
        await self._hand_for_hand(table, fold, line)
        await self._carried(table, fold, line)
        self._troubles.settle(table, parts_of(fold).of(Seating).places.keys())
        if line.is_current and self._desk.reaches(table) and not self._desk.unsettled(table):
            self._begin(table, fold, line, since)

    async def settled(self) -> None:
        """Wait until every order that was begun has its answer."""
        await self._orders.settled()

    def _tables(self) -> dict[str, Fold]:
        """Each table that is played at, with its tournament; a table in two at once is nobody's."""
        found: dict[str, list[Fold]] = {}
        for fold in self._directing.folds():
            if fold.tournament is not None and _is_tended(fold):
                for known in opened(fold.tournament.parts).tables:
                    if known.table in fold.seated_at:
                        found.setdefault(known.table, []).append(fold)
        tables: dict[str, Fold] = {}
        self._double = {}
        for table, folds in found.items():
            playing = [fold for fold in folds if parts_of(fold).of(Seating).at(table)]
            if len(playing) > 1:
                self._double[table] = f"two tournaments seat players here: {', '.join(fold.id for fold in playing)}"
            else:
                tables[table] = (playing or folds)[-1]
        return tables

    async def _level(self, fold: Fold) -> None:
        """Tell that a level has begun, which may end late entry. What is refused is tried once more on another event.

        It is on the tile of each table of the tournament until then: without it entries would go on unseen.
        """
        parts = parts_of(fold)
        level = level_begun(parts, fold.second(self._clock()))
        if level <= parts.of(Entries).level:
            self._stays.pop(fold.id, None)
            return
        tried = level, fold.seq
        if fold.id in self._stays and self._stays[fold.id][0] == tried:
            return
        try:
            await self._directing.tell(fold.id, {"ev": "level.began", "level": level}, None)
        except CommandRefused as refused:
            words = f"level {level} is not begun: {refused}"
            _log.warning("tournament %s: %s", fold.id, words)
            self._stays[fold.id] = (level, fold.seq), words
        else:
            self._stays.pop(fold.id, None)

    # -- what tables tell

    async def _hands(self, tables: Mapping[str, Fold], lines: Mapping[str, Line]) -> set[str]:
        """Tell the hands that have ended since, in the order in which the floor got them; return who could not be.

        No table's clock says who was out first: that of one that is slow would place its players lower. Where nothing
        else can say it, for hands that came together, it does.
        """
        due = [(table, hand) for table, line in lines.items() for hand in await self._due(table, tables[table], line)]
        failed = set[str]()
        for table, hand in await self._as_they_came(due, lines):
            journal = lines[table].journal
            if table in failed or not await self._looked(table, self._hand(table, tables[table], journal, hand)):
                failed.add(table)
            else:
                self._done[journal] = hand.ended
        return failed

    async def _due(self, table: str, fold: Fold, line: Line) -> list[HandEnded]:
        """The hands of this tournament that were not looked at.

        They ended behind its first order, by the table's own record. One in front of that which the floor had before
        somebody was given a seat is none of them. One that came later was played without the floor: the table's clock
        alone says that somebody had a seat by then. How far that clock is off now says nothing of how far it was off
        then: a hand of before would put players out behind whoever sets it right.
        """
        assert fold.made is not None
        begins, facts = fold.made.wall + fold.seated_at[table], line.fold.facts
        first = facts.ordered.get(fold.id, LARGEST_INTEGER)
        known = max(fold.causes.get(line.journal, 0), self._done.get(line.journal, 0))
        due = [hand for hand in facts.hands if hand.ended > known and (hand.ended > first or hand.wall >= begins)]
        if not due or due[0].ended > first:
            return due
        stood = await self._stood_at(fold, fold.seated_by[table], line.journal)
        return [hand for hand in due if hand.ended > min(first, stood)]

    async def _stood_at(self, fold: Fold, event: int, journal: bytes) -> int:
        """The table's last entry that the floor had when it kept an event of the tournament."""
        key = fold.id, event, journal
        if key not in self._stood:
            self._stood[key] = await self._book.arrivals.stood(journal, fold.id, event)
        return self._stood[key]

    async def _as_they_came(
        self, due: Sequence[tuple[str, HandEnded]], lines: Mapping[str, Line]
    ) -> list[tuple[str, HandEnded]]:
        """Hands in the order in which the floor got them. Each table keeps its order.

        Of those that came together, in one write or in one pack, the tables' clocks alone say which was over first,
        each put right as far as it is known to be off.
        """
        if len({table for table, _ in due}) < 2:
            return list(due)
        came = await self._book.arrivals.came([(lines[table].journal, hand.ended) for table, hand in due])
        last, placed = dict[str, tuple[float, float]](), list[tuple[tuple[float, float], str, HandEnded]]()
        for (table, hand), at in zip(due, came, strict=True):
            wall = hand.wall + lines[table].offset
            before = last.get(table, (at, wall))
            last[table] = max(at, before[0]), max(wall, before[1])  # a clock may have been set back
            placed.append((last[table], table, hand))
        return [(table, hand) for _, table, hand in sorted(placed, key=lambda one: one[:2])]

    async def _hand(self, table: str, fold: Fold, journal: bytes, hand: HandEnded) -> None:
        began = blinds(fold, table, hand)
        if began is not None:
            await self._tell(table, fold, began, TableEntry(journal, hand.began))
        if hand.again:
            return  # the tournament waits for the new deal
        if fold.knows(TableEntry(journal, hand.ended)):
            return  # another floord has told it meanwhile: who is out has no seat any more
        out, sat, moved = [], list[WentOutAt](), list[tuple[int, WentOutAt]]()
        there, known = parts_of(fold).of(Seating).at(table), has_told(fold, journal, hand)
        for one in hand.out:
            entry = one.entry or there.get(one.seat)
            if entry is not None and there.get(one.seat) == entry:
                out.append(went_out(fold, entry, one))
                sat.append(one)
            elif entry is not None and entry in parts_of(fold).of(Seating).places and fold.had_seat(entry, table):
                # it was moved while it played its last hand here: the other table has not seen it
                moved.append((entry, one))
            elif not known and not is_out(fold, entry):
                told = {"ev": "seat.unclaimed", "table": table, "seat": one.seat}
                await self._tell(table, fold, told, of_seat(journal, hand, one))
        play = parts_of(fold).of(Hands).play
        stand = None if play is None else play.tables.get(table)
        before, behind = (moved, []) if play is not None else told_around(fold, moved, out)
        for entry, one in before:
            await self._tell(table, fold, {"ev": "entry.out", "entry": entry}, of_seat(journal, hand, one))
        if play is not None and (stand is None or (stand.at is At.DONE and not stand.away and not stand.untold)):
            # a hand that had begun before hand for hand: it has no number there
            for number, one_out in enumerate(out, 1 - len(out)):  # the hand's own entry last: with it the hand is done
                cause = TableEntry(journal, hand.ended + number)
                await self._tell(table, fold, {"ev": "entry.out", "entry": one_out["entry"]}, cause)
            return
        over: dict[str, Any] = {"ev": "hand.over", "table": table, "out": out}
        if stand is not None:
            over["hand"] = hand_number(stand)
        ended = TableEntry(journal, hand.ended)  # the last cause: with it the hand is done
        if out or stand is not None:
            await self._tell(table, fold, over, of_seat(journal, hand, sat[0]) if behind else ended)
        for number, (entry, one) in enumerate(behind, 1):
            cause = ended if number == len(behind) else of_seat(journal, hand, one)
            await self._tell(table, fold, {"ev": "entry.out", "entry": entry}, cause)

    async def _race_since(self, fold: Fold, line: Line) -> int:
        """The table's entry behind which a race is the one that is on, and one of this tournament."""
        return 0 if parts_of(fold).of(Stacks).race is None else await self._race_ordered_at(fold, line)

    async def _race_ordered_at(self, fold: Fold, line: Line) -> int:
        """The table's entry behind which a race is one that the tournament has ordered last."""
        stood = await self._stood_at(fold, fold.race_ordered, line.journal)
        return max(stood, line.fold.facts.ordered.get(fold.id, 0))

    def _last_raced(self, fold: Fold, journal: bytes) -> int:
        """The end of the last race of this record that was told."""
        return max(fold.raced.get(journal, 0), self._raced.get(journal, 0))

    async def _races(self, table: str, fold: Fold, line: Line, since: int) -> None:
        """Tell the race that was ordered, once it is decided here."""
        for race in tuple(races_answering(parts_of(fold), table, line.fold.facts, since)):
            ordered = parts_of(fold).of(Stacks).race
            if race.ended > self._last_raced(fold, line.journal) and ordered is not None and table in ordered.waits_for:
                told = race_told(fold, table, race, ordered)
                await self._raced_out(table, fold, line.journal, race)
                await self._tell(table, fold, told, TableEntry(line.journal, race.ended))
                self._raced[line.journal] = race.ended
        if parts_of(fold).of(Stacks).race is None and any(race.out for race in line.fold.facts.races):
            await self._raced_without_order(table, fold, line)

    async def _raced_without_order(self, table: str, fold: Fold, line: Line) -> None:
        """Tell who has lost the last chips in a race whose order was taken back while this table dealt it."""
        if fold.id not in line.fold.facts.ordered or not fold.race_ordered:
            return
        since = await self._race_ordered_at(fold, line)
        for race in line.fold.facts.races:
            if race.ended > max(since, self._last_raced(fold, line.journal)):
                await self._raced_out(table, fold, line.journal, race)
                self._raced[line.journal] = race.ended

    async def _raced_out(self, table: str, fold: Fold, journal: bytes, race: RaceDone) -> None:
        """Tell who has lost the last chips in a race, also who was moved meanwhile: else they are dealt to (ACT 4.8).

        Each has an entry of the race's own as its cause, in front of that by which the race is told.
        """
        there = parts_of(fold).of(Seating).places
        for number, (seat, entry) in enumerate(race.out):
            cause = TableEntry(journal, race.ended - len(race.out) + number)
            if entry in there and fold.had_seat(entry, table):
                await self._tell(table, fold, {"ev": "entry.out", "entry": entry}, cause)
            elif not is_out(fold, entry) and not fold.knows(cause):
                await self._tell(table, fold, {"ev": "seat.unclaimed", "table": table, "seat": seat}, cause)

    async def _hand_for_hand(self, table: str, fold: Fold, line: Line) -> None:
        """Tell an all-in whose cards stay down, and a table that cannot be reached, or can be again."""
        now, hands = self._clock(), parts_of(fold).of(Hands)
        if self._desk.reaches(table) or line.floord:
            self._reached[table] = now
        since = self._reached.setdefault(table, now)  # a table that nobody reaches since this floord began is away too
        stand = None if hands.play is None else hands.play.tables.get(table)
        if stand is None:
            return
        if line.fold.facts.held and stand.at is At.PLAYS:
            held = {"ev": "all_in.held", "table": table, "hand": stand.hand}
            await self._tell(table, fold, held, TableEntry(line.journal, line.fold.facts.held))
        if table in hands.away and self._desk.reaches(table):
            await self._tell(table, fold, {"ev": "table.back", "table": table}, None)
        elif table not in hands.away and now - since > AWAY_AFTER:
            await self._away(table, fold)
            self._reached[table] = now  # not told again at once: another floord may just have got it

    async def _away(self, table: str, fold: Fold) -> None:
        """Tell that a table cannot be reached. Another floord may be first: that is no fault of the table."""
        try:
            await self._directing.tell(fold.id, {"ev": "table.away", "table": table}, None)
        except CommandRefused as refused:
            if table not in parts_of(fold).of(Hands).away:
                self._troubles.not_taken(table, f"table.away of this table is not taken: {refused}")

    async def _carried(self, table: str, fold: Fold, line: Line) -> None:
        """Tell what a table counts of penalties, time banks and absence; what is refused is not told each time."""
        assert fold.made is not None
        elsewhere = partial(self._counts_elsewhere, table, fold)
        news = tuple(carried_news(parts_of(fold), table, line.fold.facts, elsewhere, fold.made.wall))
        for event in news:
            if event not in self._news.get(table, ()):
                await self._tell(table, fold, event, None)
        self._news[table] = news

    def _counts_elsewhere(self, table: str, fold: Fold, entry: int) -> bool:
        """Whether another table has taken over what an entry carries."""
        orders = parts_of(fold).of(People).of(entry).orders
        return any(facts.carries(entry) >= orders for facts in self._others(table, fold))

    def _plays_elsewhere(self, table: str, fold: Fold, entry: int) -> bool:
        """Whether an entry still plays a hand at another table, which can be reached."""
        return any(facts.in_round and facts.carries(entry) >= 0 for facts in self._others(table, fold, reached=True))

    def _others(self, table: str, fold: Fold, *, reached: bool = False) -> Iterator[TableFacts]:
        for known in fold.seated_at:
            line = None if known == table else self._book.line(known)
            if line is not None and (not reached or self._desk.reaches(known)):
                yield line.fold.facts

    async def _tell(self, table: str, fold: Fold, event: Mapping[str, Any], cause: TableEntry | None) -> None:
        try:
            await self._directing.tell(fold.id, event, cause)
        except CommandRefused as refused:
            self._troubles.not_taken(table, f"{event['ev']} of this table is not taken: {refused}", _out_in(event))
        else:
            if event["ev"] in _SETTLES:
                self._troubles.taken(table)

    # -- what the tournament wants of them

    def _begin(self, table: str, fold: Fold, line: Line, race_since: int) -> None:
        now = self._clock()
        if self._orders.may_begin(table, line.fold.seq, now):
            playing = partial(self._plays_elsewhere, table, fold)
            due = wanted(parts_of(fold), table, line.fold.facts, fold.second(now), now, race_since, playing)
            self._orders.begin(table, fold, list(due), now)

    def _in_round(self, fold: Fold) -> frozenset[str]:
        """The tables of a tournament that play a hand now, as far as they can be reached and their records are here."""
        lines = {table: self._book.line(table) for table in fold.seated_at if self._desk.reaches(table)}
        return frozenset(
            table for table, line in lines.items() if line is not None and line.is_current and line.fold.facts.in_round
        )

    # -- shown

    def _wrong(self, table: str, fold: Fold | None) -> tuple[str, ...]:
        double = (self._double[table],) if table in self._double else ()
        own = (*double, *self._troubles.of(table))
        if fold is not None:
            own += in_words(parts_of(fold).of(Reports), table)
        return own if fold is None or fold.id not in self._stays else (*own, self._stays[fold.id][1])

    def tables(self, fold: Fold) -> tuple[TournamentTable, ...]:
        """The tables of a tournament, as they are."""
        if fold.tournament is None or parts_of(fold).of(Opening).tournament is None:
            return ()
        shown = []
        for known in opened(parts_of(fold)).tables:
            line = self._book.line(known.table)
            facts = TableFacts() if line is None else line.fold.facts
            reached, wrong = self._desk.reaches(known.table), self._wrong(known.table, fold)
            shown.append(TournamentTable(known.table, reached, facts.seats, facts.in_round, wrong))
        return tuple(shown)


def _is_tended(fold: Fold) -> bool:
    """Whether tables are told what this tournament says. Between two sessions they are: their players have gone."""
    return fold.phase() in _LIVE or (fold.phase() is TournamentPhase.SUSPENDED and is_between(parts_of(fold)))


def _out_in(event: Mapping[str, Any]) -> frozenset[int]:
    """The entries that are out by an event of a table."""
    if event["ev"] == "entry.out":
        return frozenset({event["entry"]})
    return frozenset(one["entry"] for one in event.get("out", ())) if event["ev"] == "hand.over" else frozenset()
