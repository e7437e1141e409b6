"""What every desk of streams does: it follows what is kept, and keeps an event behind the last one that a person knew.

Of two people at once the second is told who came first. A fold is made of its stream alone, so it is the same after a
restart, and beside another floord. Names stand beside the streams.
"""

import asyncio
import json
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final, Generic, TypeVar

from feltd.custody.errors import CustodyError, FloorAwayError
from feltd.door.commands import CommandRefused, MovedOn, StepNotKnownError
from feltd.door.pit.directing import Opening
from feltd.floor.players import Names, Player
from feltd.floor.stream_fold import Made, StreamFold
from feltd.floor.streams import StreamAnswer, Streams, TableEntry, start_of
from feltd.floor.trying import require_tokens
from floor_fsm.core.event import By, Event
from floor_fsm.errors import EventSyntaxError
from floor_fsm.lines import from_line

_READ_MOST: Final = 500
_TITLE_MOST: Final = 80
_R = TypeVar("_R")
_F = TypeVar("_F", bound=StreamFold[Any])


@dataclass(slots=True)
class Run(Generic[_F]):
    """One stream. `unsure`: an answer was lost, so the stream is read before the next step."""

    fold: _F
    names: Names = field(default_factory=Names)
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    unsure: bool = False


class StreamDesk(ABC, Generic[_F]):
    """The floor's streams of one kind. Belongs to one loop."""

    def __init__(self, streams: Streams, clock: Callable[[], float], every: float) -> None:
        """`clock`: seconds since 1970. `every`: seconds between two looks at what another floord has kept."""
        self._streams = streams
        self._clock = clock
        self._every = every
        self._runs: dict[str, Run[_F]] = {}
        self._erased = 0
        """Names that had been erased when they were last read."""
        self._on_changed: list[Callable[[], object]] = []

    @abstractmethod
    def _fold(self, stream: str) -> _F:
        """The fold of a stream, before its first event."""

    def on_changed(self, call: Callable[[], object]) -> None:
        """Have this called when a stream has gone on."""
        self._on_changed.append(call)

    def _changed(self) -> None:
        for call in self._on_changed:
            call()

    # -- what others have kept

    async def look(self) -> None:
        """Take what is kept and not folded yet, and read names anew where some were erased. Raises FloorAwayError."""
        erased = await self._streams.players.erased()
        if erased != self._erased:
            for run in self._runs.values():
                run.names = await self._read_names(run.fold.id)
            self._erased = erased
            self._changed()
        for end in await self._streams.all():
            run = self._run_of(end.tournament)
            if run.fold.end != end and run.fold.wrong is None:
                async with run.lock:
                    await self._follow(run)

    async def watch(self) -> None:
        """Look again and again, until cancelled. A database that is away is asked again."""
        while True:
            with suppress(FloorAwayError):  # custody says it aloud
                await self.look()
            await asyncio.sleep(self._every)

    def _run_of(self, stream: str) -> Run[_F]:
        """The run of a stream, which may have no event yet."""
        return self._runs.setdefault(stream, Run(self._fold(stream)))

    async def _follow(self, run: Run[_F]) -> None:
        """Catch up; from the beginning where the database was put back, and has another history or a shorter one."""
        seq, chain = run.fold.seq, run.fold.end.chain
        if seq:
            kept = await self._streams.events(run.fold.id, seq - 1, 1)
            if not kept or kept[0].chain != chain:
                run.fold = self._fold(run.fold.id)
                self._changed()
        await self._catch_up(run)

    async def _catch_up(self, run: Run[_F]) -> None:
        fold = run.fold
        before, named = fold.seq, False
        while fold.wrong is None and (events := await self._streams.events(fold.id, fold.seq, _READ_MOST)):
            fold.take(events)
            named = named or any('"person' in event.line for event in events)
        if named:
            run.names = await self._read_names(fold.id)
        run.unsure = False
        if fold.seq != before:
            self._changed()

    async def _caught_up(self, run: Run[_F]) -> None:
        try:
            await self._follow(run)
        except FloorAwayError as fault:
            run.unsure = True
            raise self._unread(fault) from None

    async def _read_names(self, stream: str) -> Names:
        return Names(await self._streams.players.of(stream))

    # -- steps

    def _made(self, ev: str, asked: Opening, law: str, by: By) -> Made:
        """The first event of a stream. Raises CommandRefused for a title or an id that nothing can have."""
        if not (0 < len(asked.title) <= _TITLE_MOST and asked.title.isprintable()):
            raise CommandRefused(f"a title has 1 to {_TITLE_MOST} printable characters")
        try:
            start_of(asked.id)
        except ValueError as fault:
            raise CommandRefused(str(fault)) from None
        return Made(
            ev, asked.title, asked.book, law, self._clock(), by.who, by.role or "", by.place or "", by.why
        )  # fmt: skip

    async def _begun(self, stream: str, made: Made) -> StreamAnswer:
        """What became of the first event of a stream that has its place. Raises StepNotKnownError."""
        run = self._run_of(stream)
        async with run.lock:
            answer = await self._add(run, 0, made.to_line())
            await self._caught_up(run)
        return answer

    async def _require_at(self, run: Run[_F], expected: int) -> None:
        """Refuse whoever does not know the stream as it is."""
        if run.unsure or expected > run.fold.seq:
            await self._caught_up(run)
        self._require_good(run)
        if expected != run.fold.seq:
            raise self._moved_on(run, expected)

    def _require_good(self, run: Run[_F]) -> None:
        if run.fold.wrong is not None:
            raise self._at_its_end(run.fold.wrong)

    async def _keep(self, run: Run[_F], people: Sequence[Player]) -> None:
        """Keep names. Raises CommandRefused, MovedOn where another desk has named one of them meanwhile."""
        if not people:
            return
        tokens = await kept(self._streams.players.keep_all(run.fold.id, people))
        if tokens != [player.token for player in people]:
            run.unsure = True  # the stream has that token by now, or will have
            run.names = await kept(self._read_names(run.fold.id))
            raise MovedOn("another desk has named this person first: look again, then decide")

    async def _add(self, run: Run[_F], expected: int, line: str, cause: TableEntry | None = None) -> StreamAnswer:
        return await self._asked(run, self._streams.add(run.fold.id, expected, line, cause))

    async def _asked(self, run: Run[_F], adding: Awaitable[_R]) -> _R:
        """What became of events that are added. Raises CommandRefused, StepNotKnownError."""
        try:
            return await adding
        except ValueError as fault:
            raise CommandRefused(f"the event is too long: {fault}") from None
        except BaseException as fault:
            run.unsure = True
            if isinstance(fault, CustodyError):
                words = f"nobody knows whether it was kept ({fault}): look again, then decide"
                raise StepNotKnownError(words) from None
            raise

    def _read(self, said: Mapping[str, Any], kinds: Mapping[str, type[Event]]) -> Event:
        """The event that is said, of one of these kinds. Raises CommandRefused."""
        try:
            event = from_line(json.dumps(said), kinds)
        except EventSyntaxError as fault:
            raise self._no_event(fault) from None
        require_tokens(said)
        return event

    # -- in whose words it refuses

    def _moved_on(self, run: Run[_F], expected: int) -> MovedOn:
        first = next((line for line in run.fold.lines if line.seq > expected), None)
        if first is None:
            return self._stands_elsewhere(run.fold.seq, expected)
        who = "a table" if first.who is None else first.who
        return MovedOn(f"{who} came first, with {first.ev} (event {first.seq}): look again, then decide")

    @abstractmethod
    def _stands_elsewhere(self, seq: int, expected: int) -> MovedOn:
        """A stream stands at event `seq`, and somebody expected another one."""

    @abstractmethod
    def _at_its_end(self, wrong: str) -> CommandRefused:
        """Nobody can go on with a stream, for this reason."""

    @abstractmethod
    def _unread(self, fault: FloorAwayError) -> StepNotKnownError:
        """A stream cannot be read now."""

    @abstractmethod
    def _no_event(self, fault: EventSyntaxError) -> CommandRefused:
        """What is said is no event of such a stream."""


async def kept(asked: Awaitable[_R]) -> _R:
    """What the database answers. Raises CommandRefused where it is away: nothing has changed then."""
    try:
        return await asked
    except FloorAwayError as fault:
        raise CommandRefused(f"nothing was kept: {fault}") from None
