"""Waiting lists of cash games, run by floord: a desk's step is tried on the fold, and kept behind what the desk knew.

It is done as with tournaments (`directing`): nothing is kept that the lists refuse, of two desks at once the second is
told to look again, and names stand beside the stream.
"""

import asyncio
import json
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, Final

from feltd.custody.errors import CustodyError, FloorAwayError
from feltd.door.commands import CommandRefused, MovedOn, StepNotKnownError, StepRefused
from feltd.door.pit.directing import Opening, Step, Stepped
from feltd.door.pit.waiting import RoomAsk, RoomNews, RoomTile
from feltd.floor.groups import EVERYTHING, NOTHING, Sight
from feltd.floor.players import Names, Player
from feltd.floor.streams import StreamAnswer, StreamEvent, Streams, Told, start_of
from feltd.floor.tournament_fold import Made, output_as_json
from feltd.floor.trying import decided, require_no_cause, require_tokens
from feltd.floor.waiting_fold import MADE, WaitingFold
from floor_fsm.core.event import By, Event
from floor_fsm.errors import EventSyntaxError, Refused
from floor_fsm.lines import from_line, to_line
from floor_fsm.waiting.book import load_waiting_books
from floor_fsm.waiting.messages import Called
from floor_fsm.waiting.room import KINDS

LOOK_EVERY: Final = 0.5
"""Seconds between two looks at what another floord has kept."""
_READ_MOST: Final = 500
_TITLE_MOST: Final = 80
_TAKEN: Final = "the floor has something of the short name {id} already: choose another one"


@dataclass(slots=True)
class _Run:
    """The lists of one room. `unsure`: an answer was lost, so the stream is read before the next step."""

    fold: WaitingFold
    names: Names = field(default_factory=Names)
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    unsure: bool = False


class Waiting:
    """The floor's waiting lists. Belongs to one loop."""

    def __init__(self, streams: Streams, books: Mapping[str, str], clock: Callable[[], float] = time.time) -> None:
        """`books`: the books' TOML by file name. `clock`: seconds since 1970. Raises LawError."""
        self._streams = streams
        self._clock = clock
        self._books = {
            book.id: text for text in books.values() for book in [*load_waiting_books({"book": text}).values()]
        }
        self._runs: dict[str, _Run] = {}
        self._erased = 0

    # -- what others have kept

    async def look(self) -> None:
        """Take what is kept and not folded yet, and read names anew where some were erased. Raises FloorAwayError."""
        erased = await self._streams.players.erased()
        if erased != self._erased:
            for run in self._runs.values():
                run.names = await self._read_names(run.fold.id)
            self._erased = erased
        for end in await self._streams.all():
            run = self._runs.setdefault(end.tournament, _Run(WaitingFold(end.tournament)))
            if run.fold.end != end and run.fold.wrong is None:
                async with run.lock:
                    await self._follow(run)

    async def watch(self) -> None:
        """Look again and again, until cancelled. A database that is away is asked again."""
        while True:
            with suppress(FloorAwayError):  # custody says it aloud
                await self.look()
            await asyncio.sleep(LOOK_EVERY)

    async def _follow(self, run: _Run) -> None:
        """Catch up; from the beginning where the database was put back, and has another history or a shorter one."""
        fold = run.fold
        if fold.seq:
            kept = await self._streams.events(fold.id, fold.seq - 1, 1)
            if not kept or kept[0].chain != fold.end.chain:
                fold = run.fold = WaitingFold(fold.id)
        before = fold.seq
        while fold.wrong is None and (events := await self._streams.events(fold.id, fold.seq, _READ_MOST)):
            fold.take(events)
        if fold.seq != before:
            run.names = await self._read_names(fold.id)
        run.unsure = False

    async def _read_names(self, room: str) -> Names:
        return Names(await self._streams.players.of(room))

    # -- asked

    def folds(self) -> tuple[WaitingFold, ...]:
        """Every room that was begun."""
        return tuple(run.fold for run in self._runs.values() if run.fold.seq or run.fold.wrong is not None)

    def tiles(self, sight: Sight = EVERYTHING) -> tuple[RoomTile, ...]:
        """Every room, in the order in which they were made; none for who sees no table."""
        return () if sight == NOTHING else tuple(fold.tile() for fold in self.folds())

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
        return RoomNews(asked.id, title, book, fold.seq, t, wall, lists, fold.rules(), lines, fold.wrong)

    def _run(self, room: str, sight: Sight) -> _Run:
        run = self._runs.get(room)
        if run is None or sight == NOTHING or (not run.fold.seq and run.fold.wrong is None):
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
        if not (0 < len(asked.title) <= _TITLE_MOST and asked.title.isprintable()):
            raise CommandRefused(f"a title has 1 to {_TITLE_MOST} printable characters")
        try:
            start_of(asked.id)
        except ValueError as fault:
            raise CommandRefused(str(fault)) from None
        made = Made(
            MADE, asked.title, asked.book, self._books[asked.book], self._clock(), by.who, by.role or "",
            by.place or "", by.why,
        )  # fmt: skip
        try:
            there = await self._streams.begin(asked.id) or asked.id in {
                end.tournament for end in await self._streams.all()
            }
        except FloorAwayError as fault:
            raise CommandRefused(f"nothing was kept: {fault}") from None
        if not there:
            raise CommandRefused(_TAKEN.format(id=asked.id))
        run = self._runs.setdefault(asked.id, _Run(WaitingFold(asked.id)))
        async with run.lock:
            answer = await self._add(run, 0, made.to_line())
            await self._caught_up(run)
        if answer.told is not Told.ADDED:
            raise CommandRefused(_TAKEN.format(id=asked.id))
        return Stepped(1, ())

    async def step(self, asked: Step, sight: Sight = EVERYTHING) -> Stepped:
        """Take a desk's step. Raises StepRefused, MovedOn, another CommandRefused, StepNotKnownError.

        `sight`: of the person: nobody is called to a table that they do not see.
        """
        require_no_cause(asked.event)
        run, by = self._run(asked.tournament, sight), decided(asked.by)
        async with run.lock:
            await self._require_at(run, asked.expected)
            said, people = run.names.in_tokens(asked.event)
            event = self._event(run.fold, said, by)
            if isinstance(event, Called) and not sight.sees(event.table):
                raise CommandRefused(f"{event.table} is none of the tables that you see")
            return await self._taken(run, event, people)

    async def _taken(self, run: _Run, event: Event, people: Sequence[Player]) -> Stepped:
        fold = run.fold
        assert fold.room is not None  # `_run` gives none that was not made
        trial = fold.room.copied()
        try:
            outputs = trial.apply(event)
        except Refused as refused:
            words = run.names.beside(people).in_words(refused.words)
            raise StepRefused(refused.reason, words, refused.clause) from None
        await self._keep(run, people)
        line, expected = to_line(event), fold.seq
        answer = await self._add(run, expected, line)
        if answer.told is not Told.ADDED:
            await self._caught_up(run)
            if answer.told is not Told.THERE:
                raise _moved_on(run.fold, expected)
        else:
            fold.advance(trial, event, StreamEvent(answer.seq, answer.chain, line))
            run.names = run.names.having(people)
        return Stepped(expected + 1, tuple(output_as_json(output) for output in outputs))

    async def _require_at(self, run: _Run, expected: int) -> None:
        """Refuse whoever does not know the lists as they are."""
        if run.unsure or expected > run.fold.seq:
            await self._caught_up(run)
        if run.fold.wrong is not None:
            raise CommandRefused(f"nobody can go on with these lists: {run.fold.wrong}")
        if expected != run.fold.seq:
            raise _moved_on(run.fold, expected)

    async def _keep(self, run: _Run, people: Sequence[Player]) -> None:
        """Keep names. Raises CommandRefused, MovedOn where another desk has named one of them meanwhile."""
        if not people:
            return
        try:
            tokens = await self._streams.players.keep_all(run.fold.id, people)
            if tokens == [player.token for player in people]:
                return
            run.unsure = True  # the stream has that token by now, or will have
            run.names = await self._read_names(run.fold.id)
        except FloorAwayError as fault:
            raise CommandRefused(f"nothing was kept: {fault}") from None
        raise MovedOn("another desk has named this person first: look again, then decide")

    async def _add(self, run: _Run, expected: int, line: str) -> StreamAnswer:
        """What became of an event that is added. Raises StepNotKnownError where nobody knows."""
        try:
            return await self._streams.add(run.fold.id, expected, line)
        except BaseException as fault:
            run.unsure = True
            if isinstance(fault, CustodyError):
                words = f"nobody knows whether it was kept ({fault}): look again, then decide"
                raise StepNotKnownError(words) from None
            raise

    async def _caught_up(self, run: _Run) -> None:
        try:
            await self._follow(run)
        except FloorAwayError as fault:
            run.unsure = True
            raise StepNotKnownError(f"the lists cannot be read now: {fault}") from None

    def _event(self, fold: WaitingFold, said: Mapping[str, Any], by: By) -> Event:
        told = {**said, "t": fold.second(self._clock()), "by": by.model_dump(mode="json", exclude_none=True)}
        try:
            event = from_line(json.dumps(told), KINDS)
        except EventSyntaxError as fault:
            raise CommandRefused(f"this is no event of waiting lists: {fault}") from None
        require_tokens(told)
        return event


def _moved_on(fold: WaitingFold, expected: int) -> MovedOn:
    first = next((line for line in fold.lines if line.seq > expected), None)
    if first is None:
        return MovedOn(f"the lists are at event {fold.seq}, not at {expected}: look again, then decide")
    return MovedOn(f"{first.who} came first, with {first.ev} (event {first.seq}): look again, then decide")
