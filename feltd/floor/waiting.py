"""Waiting lists of cash games, run by floord: a desk's step is tried on the fold, and kept behind what the desk knew.

Nothing is kept that the lists refuse.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from feltd.custody.errors import FloorAwayError
from feltd.door.commands import CommandRefused, MovedOn, StepNotKnownError, StepRefused
from feltd.door.pit.directing import Opening, Step, Stepped
from feltd.door.pit.waiting import RoomAsk, RoomNews, RoomTile, SeatsKnown, TableFree
from feltd.floor.free_seats import Known, free_seats
from feltd.floor.given_seats import given_at, require_of_no_other_room
from feltd.floor.groups import EVERYTHING, NOTHING, Sight
from feltd.floor.pit_book import Line
from feltd.floor.players import Player
from feltd.floor.refusals_kept import RefusalsKept
from feltd.floor.stream_desk import Run, StreamDesk, kept
from feltd.floor.stream_fold import output_as_json
from feltd.floor.streams import StreamEvent, Streams, Told
from feltd.floor.trying import decided, require_no_cause
from feltd.floor.waiting_fold import MADE, WaitingFold
from floor_fsm.core.event import By, Event
from floor_fsm.errors import EventSyntaxError, Refused
from floor_fsm.lines import to_line
from floor_fsm.waiting.book import load_waiting_books
from floor_fsm.waiting.messages import Called, TablesNamed
from floor_fsm.waiting.room import KINDS

LOOK_EVERY: Final = 0.5
"""Seconds between two looks at what another floord has kept."""
LOOKS_MOST: Final = 5
"""Times that a step is tried anew because other lists have gone on meanwhile."""


class _OthersMovedOnError(Exception):
    """Other lists have gone on since this step was held against them."""


class Waiting(StreamDesk[WaitingFold]):
    """The floor's waiting lists. Belongs to one loop."""

    def __init__(
        self, streams: Streams, books: Mapping[str, str], clock: Callable[[], float] = time.time,
        refusals: RefusalsKept | None = None, line_of: Callable[[str], Line | None] = lambda _: None,
    ) -> None:  # fmt: skip
        """`books`: the books' TOML by file name. `clock`: seconds since 1970. Raises LawError.

        `refusals`: who puts what is refused on record; None where nobody does. `line_of`: what the pit has of a table.
        """
        super().__init__(streams, clock, LOOK_EVERY)
        self._refusals = refusals
        self._line_of = line_of
        self._books = {book.id: text for text in books.values() for book in load_waiting_books({"book": text}).values()}

    def _fold(self, stream: str) -> WaitingFold:
        return WaitingFold(stream)

    # -- asked

    def folds(self) -> tuple[WaitingFold, ...]:
        """Every room that was begun."""
        return tuple(run.fold for run in self._runs.values() if run.fold.is_there)

    def tiles(self, sight: Sight = EVERYTHING) -> tuple[RoomTile, ...]:
        """Every room, in the order in which they were made; none for who sees no table."""
        return () if sight == NOTHING else tuple(self._tile(fold, sight) for fold in self.folds())

    def _tile(self, fold: WaitingFold, sight: Sight) -> RoomTile:
        free = sum(len(one.free) for one in self._free(fold, sight) if one.known is SeatsKnown.NOW)
        return replace(fold.tile(), free=free)

    def _free(self, fold: WaitingFold, sight: Sight) -> tuple[TableFree, ...]:
        if fold.room is None:
            return ()
        known = Known(self._line_of, self._given_at)
        return free_seats(fold.room.lists, known, sight, balanced=fold.room.book.balance is not None)

    def _given_at(self, table: str) -> frozenset[int]:
        return given_at(self.folds(), table, self._line_of(table), self._clock())

    def news(self, asked: RoomAsk, sight: Sight = EVERYTHING) -> RoomNews:
        """How the lists of a room stand. Raises CommandRefused where there is none of this id for this person."""
        run = self._run(asked.id, sight)
        fold, names = run.fold, run.names
        title, book, wall = ("", "", 0.0) if fold.made is None else (fold.made.title, fold.made.book, fold.made.wall)
        lists = {} if fold.room is None else names.in_lists(fold.room.told())
        lines = tuple(
            line if line.name is None else replace(line, name=names.in_words(line.name)) for line in fold.lines
        )
        t = fold.second(self._clock())
        return RoomNews(
            asked.id, title, book, fold.seq, t, wall, lists, fold.rules(), lines, fold.wrong, self._free(fold, sight)
        )

    def _run(self, room: str, sight: Sight) -> Run[WaitingFold]:
        run = self._runs.get(room)
        if run is None or sight == NOTHING or not run.fold.is_there:
            known = ", ".join(tile.id for tile in self.tiles(sight)) or "none yet"
            raise CommandRefused(f"there are no waiting lists {room[:40]}; there are: {known}")
        return run

    # -- steps

    async def open(self, asked: Opening, sight: Sight = EVERYTHING) -> Stepped:
        """Make the lists of a room, under a book. Raises CommandRefused, StepNotKnownError."""
        by = decided(asked.by)
        if sight == NOTHING:
            raise CommandRefused(f"{asked.by.person.account[:64]} sees no table of the floor")
        if asked.book not in self._books:
            known = ", ".join(self._books)
            raise CommandRefused(f"there is no book of waiting lists {asked.book[:40]}; there are: {known}")
        made = self._made(MADE, asked, self._books[asked.book], by)
        there = await kept(self._streams.begin(asked.id)) or asked.id in {
            end.tournament for end in await kept(self._streams.all())
        }
        if not there or (await self._begun(asked.id, made)).told is not Told.ADDED:
            raise CommandRefused(f"the floor has something of the short name {asked.id} already: choose another one")
        return Stepped(1, ())

    async def step(self, asked: Step, sight: Sight = EVERYTHING) -> Stepped:
        """Take a desk's step. Raises StepRefused, MovedOn, another CommandRefused, StepNotKnownError.

        `sight`: of the person: nobody is called to a table that they do not see, nor is it named or left out.
        """
        require_no_cause(asked.event)
        for _ in range(LOOKS_MOST):
            try:
                return await self._step(asked, sight)
            except _OthersMovedOnError:  # no run's lock is held here: two steps that look would wait for each other
                await kept(self.look())
        raise MovedOn("other waiting lists keep changing: look again, then decide")

    async def _step(self, asked: Step, sight: Sight) -> Stepped:
        run, by = self._run(asked.tournament, sight), decided(asked.by)
        async with run.lock:
            await self._require_at(run, asked.expected)
            said, people = run.names.in_tokens(asked.event)
            event = self._event(run.fold, said, by)
            for table in _tables_of(event, run.fold):
                if not sight.sees(table):
                    raise CommandRefused(f"{table} is none of the tables that you see")
            return await self._taken(run, event, people)

    async def _taken(self, run: Run[WaitingFold], event: Event, people: Sequence[Player]) -> Stepped:
        fold = run.fold
        assert fold.room is not None  # `_run` gives none that was not made
        trial, others = fold.room.copied(), self._others(run)
        try:
            require_of_no_other_room(self.folds(), fold, event)
            outputs = trial.apply(event)
        except Refused as refused:
            if self._refusals is not None:
                await self._refusals.keep(fold.id, fold.seq, event, refused)
            words = run.names.beside(people).in_words(refused.words)
            raise StepRefused(refused.reason, words, refused.clause) from None
        await self._keep(run, people)
        line, expected = to_line(event), fold.seq
        if isinstance(event, Called | TablesNamed):  # of two rooms one takes a table first, here or at another floord
            answer = await self._asked(run, self._streams.add_beside(fold.id, expected, line, others))
        else:
            answer = await self._add(run, expected, line)
        if answer.told is Told.OTHERS_MOVED_ON:
            raise _OthersMovedOnError
        if answer.told is not Told.ADDED:
            await self._caught_up(run)
            if answer.told is not Told.THERE:
                raise self._moved_on(run, expected)
        else:
            fold.advance(trial, event, StreamEvent(answer.seq, answer.chain, line))
            run.names = run.names.having(people)
        return Stepped(expected + 1, tuple(output_as_json(output) for output in outputs))

    def _others(self, run: Run[WaitingFold]) -> dict[str, bytes | None]:
        """Where this floord knows the other lists to stand; None for lists that it cannot read."""
        others = (one for one in self._runs.values() if one is not run)
        return {one.fold.id: None if one.fold.wrong is not None else one.fold.end.chain for one in others}

    def _stands_elsewhere(self, seq: int, expected: int) -> MovedOn:
        return MovedOn(f"the lists are at event {seq}, not at {expected}: look again, then decide")

    def _at_its_end(self, wrong: str) -> CommandRefused:
        return CommandRefused(f"nobody can go on with these lists: {wrong}")

    def _unread(self, fault: FloorAwayError) -> StepNotKnownError:
        return StepNotKnownError(f"the lists cannot be read now: {fault}")

    def _no_event(self, fault: EventSyntaxError) -> CommandRefused:
        return CommandRefused(f"this is no event of waiting lists: {fault}")

    def _event(self, fold: WaitingFold, said: Mapping[str, Any], by: By) -> Event:
        told = {**said, "t": fold.second(self._clock()), "by": by.model_dump(mode="json", exclude_none=True)}
        return self._read(told, KINDS)


def _tables_of(event: Event, fold: WaitingFold) -> Iterator[str]:
    """The tables that a step brings in, or takes from a game."""
    if isinstance(event, Called):
        yield event.table
    elif isinstance(event, TablesNamed):
        game = None if fold.room is None else fold.room.lists.game(event.game)
        yield from (one.table for one in event.tables)
        yield from (one.table for one in (() if game is None else game.tables))
