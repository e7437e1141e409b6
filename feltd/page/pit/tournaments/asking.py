"""The floor's tournaments as the page has them: asked for what is new, put together from the parts that are told."""

import asyncio
import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from pydantic import TypeAdapter, ValidationError

from feltd.door import CommandRefused, Person
from feltd.door.commands import NoDatabaseError
from feltd.door.pit.directing import (
    DecidedBy,
    Entering,
    Opening,
    Step,
    Stepped,
    TournamentAsk,
    TournamentLine,
    TournamentNews,
    TournamentPhase,
    TournamentTile,
)
from feltd.text.errors import FeltdError
from floor_fsm.core.parts import Parts, Subject
from floor_fsm.errors import LawError
from floor_fsm.law.law import Law, load_laws
from floor_fsm.messages.opening import TournamentOpen
from floor_fsm.state.refunds import Refunds
from floor_fsm.subjects import SUBJECTS
from floor_fsm.tournament import Tournament

LOG_MOST: Final = 60
"""Events that a desk shows, the last ones."""
KEPT_MOST: Final = 16
"""Tournaments whose state is kept here: the floor is asked anew for others."""


class Directs(Protocol):
    """What the pages of tournaments ask of the floor. Each call raises TableAwayError where it does not answer."""

    async def tournaments(self, account: str) -> tuple[TournamentTile, ...]:
        """Every tournament of whose tables the person sees all, in the order in which they were made."""

    async def tournament(self, asked: TournamentAsk) -> TournamentNews:
        """What has happened to a tournament. Raises CommandRefused where there is none of this id."""

    async def open(self, opening: Opening) -> Stepped:
        """Make a tournament. Raises CommandRefused, StepNotKnownError."""

    async def step(self, step: Step) -> Stepped:
        """Take a director's step. Raises StepRefused, MovedOn, another CommandRefused, StepNotKnownError."""

    async def enter(self, entering: Entering) -> Stepped:
        """Take many entries, or none. Raises StepRefused, MovedOn, another CommandRefused, StepNotKnownError."""


class NoSuchTournamentError(FeltdError):
    """There is no tournament of this id."""


class NotShownError(FeltdError):
    """A tournament that cannot be shown now; the message says why, and what to do."""


@dataclass(frozen=True, slots=True)
class Logged:
    """An event that was taken. `who`, `why`: None where a table told it; `entry`, `table`: what it is about."""

    seq: int
    t: float
    ev: str
    who: str | None
    role: str | None
    why: str | None
    entry: int | None
    table: str | None


@dataclass(frozen=True, slots=True)
class Known:
    """A tournament as the floor has it now. `t`: seconds of its clock; `log`: its last events, the newest last.

    `draws`: how many secrets the floor has left for draws; None where it keeps none, and the desk tells them. `texts`:
    what was made of it for browsers, by its name: all that know this event share it. `wall`: when its clock began,
    seconds since 1970.
    """

    seq: int
    t: float
    wall: float
    phase: TournamentPhase
    parts: Parts
    log: Sequence[Logged] = field(default_factory=tuple)
    draws: int | None = None
    texts: dict[str, str] = field(default_factory=dict)

    async def text(self, name: str, make: Callable[[], Any]) -> str:
        """What `make` gives, as JSON: made once, in a thread, for all who ask for it."""
        if name not in self.texts:
            self.texts[name] = await asyncio.to_thread(lambda: json.dumps(make(), separators=(",", ":")))
        return self.texts[name]


@dataclass(slots=True)
class _Kept:
    seq: int
    parts: Parts
    log: tuple[Logged, ...]
    texts: dict[str, str] = field(default_factory=dict)


class FloorTournaments:
    """The floor's tournaments. Belongs to one loop."""

    def __init__(self, door: Directs, laws: Mapping[str, Law]) -> None:
        """`laws`: the tournament books by id."""
        self.laws: Final = laws
        self._door = door
        self._kept: dict[str, _Kept] = {}
        self._asking = asyncio.Lock()

    async def every(self, account: str) -> tuple[TournamentTile, ...]:
        """Every tournament of whose tables the person sees all, in the order in which they were made."""
        return await self._door.tournaments(account)

    async def known(self, tournament: str, account: str) -> Known:
        """A tournament as it is now, in a person's name. Raises NoSuchTournamentError, NotShownError.

        What is kept here is shown to nobody whom floord does not answer.
        """
        async with self._asking:  # of many who ask at once, one has the state read
            return await self._asked(tournament, account)

    async def _asked(self, tournament: str, account: str) -> Known:
        kept = self._kept.get(tournament)
        try:
            news = await self._door.tournament(TournamentAsk(tournament, 0 if kept is None else kept.seq, account))
        except NoDatabaseError as refused:
            raise NotShownError(str(refused)) from None
        except CommandRefused as refused:
            raise NoSuchTournamentError(str(refused)) from None
        self._require_shown(news)
        if news.state is not None:
            law = await asyncio.to_thread(law_of, news.book, news.law) if kept is None else kept.parts.law
            parts = await asyncio.to_thread(parts_of, law, news.state)
            before = () if kept is None or news.seq < kept.seq else kept.log
            log = (*before, *(_logged(line) for line in news.lines))[-LOG_MOST:]
            self._kept.pop(tournament, None)
            kept = self._kept[tournament] = _Kept(news.seq, parts, log)
            while len(self._kept) > KEPT_MOST:
                del self._kept[next(iter(self._kept))]
        assert kept is not None  # without what was kept, `since` is 0, and every tournament has an event
        wall = time.time() - news.t if news.wall is None else news.wall
        return Known(news.seq, news.t, wall, news.phase, kept.parts, kept.log, news.draws, kept.texts)

    async def open(self, tournament: str, book: str, event: Mapping[str, Any], by: DecidedBy) -> Stepped:
        """Make a tournament and give it its terms. Raises CommandRefused, StepNotKnownError.

        `event`: a `tournament.open` that was read. One that was made and has no terms yet gets them.
        """
        made = [tile for tile in await self.every(by.person.account) if tile.id == tournament]
        if not made or made[0].phase is not TournamentPhase.MADE:
            await self._door.open(Opening(tournament, event["name"], book, by))
        return await self._door.step(Step(tournament, 1, event, by))

    async def step(self, tournament: str, expected: int, event: Mapping[str, Any], by: DecidedBy) -> Stepped:
        """Take a step. Raises StepRefused, MovedOn, another CommandRefused, StepNotKnownError."""
        return await self._door.step(Step(tournament, expected, event, by))

    async def enter(
        self, tournament: str, expected: int, entries: Sequence[Mapping[str, Any]], by: DecidedBy
    ) -> Stepped:
        """Take many entries, or none. Raises StepRefused, MovedOn, another CommandRefused, StepNotKnownError."""
        return await self._door.enter(Entering(tournament, expected, tuple(entries), by))

    @staticmethod
    def _require_shown(news: TournamentNews) -> None:
        if news.wrong is not None:
            raise NotShownError(f"nobody can go on with this tournament: {news.wrong}")
        if news.phase is TournamentPhase.MADE:
            raise NotShownError("this tournament has no terms yet: announce it again under the same short name")


def require_opening(law: Law, event: TournamentOpen) -> None:
    """Raises Refused for terms that a tournament under this law does not take: before it is made."""
    Tournament(law).apply(event)


def decided_by(person: Person, why: str) -> DecidedBy:
    """Who takes a step, and why."""
    return DecidedBy(person, why)


_ADAPTERS: Final[Mapping[type[Any], TypeAdapter[Any]]] = {
    subject.part: TypeAdapter(subject.part) for subject in SUBJECTS
}
"""One for each part: to make one takes as long as to read a thousand times."""
_NEW: Final[Mapping[str, Subject]] = {subject.part.__name__: subject for subject in SUBJECTS if subject.part is Refunds}
"""Parts that a floord of 0.9 does not tell of, by name: nothing has happened to them there."""


def parts_of(law: Law, told: Mapping[str, Any]) -> Parts:
    """The state that `Tournament.told` tells of. Raises NotShownError where it is none."""
    begun = {subject.part: subject.begin(law) for name, subject in _NEW.items() if name not in told}
    try:
        read = {
            kind: adapter.validate_json(json.dumps(told[kind.__name__]))
            for kind, adapter in _ADAPTERS.items()
            if kind not in begun
        }
    except (KeyError, ValidationError):
        raise NotShownError(
            "the floor tells of this tournament in another way: bring floord and this page to one version, floord first"
        ) from None
    return Parts(law, {kind: begun[kind] if kind in begun else read[kind] for kind in _ADAPTERS})


def _logged(line: TournamentLine) -> Logged:
    """An event as a desk lists it: no secret that it told, and no seat that it gave."""
    entry, table = line.event.get("entry"), line.event.get("table")
    return Logged(line.seq, line.t, line.ev, line.who, line.role, line.why,
                  entry if isinstance(entry, int) else None, table if isinstance(table, str) else None)  # fmt: skip


def law_of(book: str, text: str) -> Law:
    """The book that a tournament was made under, whatever this page ships. Raises NotShownError."""
    try:
        return load_laws({f"{book}.toml": text})[book]
    except (LawError, KeyError):
        raise NotShownError(f"this page cannot read tournament book {book}: bring it to the floor's version") from None
