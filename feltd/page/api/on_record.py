"""Nothing of the record is handed out before the table's record says to whom."""

from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from math import inf
from typing import Final

from feltd.door import CommandRefused, ExportFact, NotOnDiskError, PlayStopped, TableDoor
from feltd.page.api.guard import Caller
from feltd.page.api.problems import ApiProblem
from feltd.page.limits.buckets import Buckets
from feltd.record.access import Part

AT_ONCE: Final = 20
A_MINUTE: Final = 2.0
"""Exports of one person: the table's budget is everybody's, and nobody may take all of it."""
REPLAYS_AT_ONCE: Final = 40
REPLAYS_A_MINUTE: Final = 4.0
"""Rounds that one person begins to read step by step: who looks for something opens many."""
REMEMBERED: Final = 1024
"""Readings step by step that are remembered, so that a page which asks for more steps makes no second entry; and
lists."""
LIST_ANEW: Final = 3600.0
"""Seconds for which an entry stands for who asks for the same list again: a program asks every few seconds."""
NOW: Final = 60.0
"""Seconds before the present from which a list reaches to it: a program's clock says until when it asks."""
_LATER: Final = {"retry-after": "30"}


@dataclass(frozen=True, slots=True)
class _ListTold:
    """A list of the time from `since` to `until` (wall seconds) was asked for at `at`, monotonic seconds."""

    since: float
    until: float
    at: float

    def has(self, other: "_ListTold") -> bool:
        return self.since <= other.since and other.until <= self.until and other.at - self.at < LIST_ANEW


class OnRecord:
    """Puts on record what is about to be handed out."""

    def __init__(self, door: TableDoor, clock: Callable[[], float], wall: Callable[[], float]) -> None:
        """`clock`: monotonic seconds; `wall`: seconds since 1970."""
        self._door = door
        self._clock = clock
        self._wall = wall
        self._pace = Buckets(A_MINUTE / 60.0, AT_ONCE, clock)
        self._replay_pace = Buckets(REPLAYS_A_MINUTE / 60.0, REPLAYS_AT_ONCE, clock)
        self._replayed: dict[tuple[str, int], None] = {}
        self._lists: dict[tuple[str, Part], _ListTold] = {}

    async def put(
        self,
        caller: Caller,
        of: Part,
        *,
        number: int | None = None,
        span: tuple[int, int] = (0, 0),
        cards: bool | None = None,
    ) -> None:
        """Return when it is on the disk. Raises ApiProblem: then hand nothing out.

        `number`: the round; `span`: the first and the last entry; `cards`: with cards that lay face down.
        """
        self._in_time(self._pace, caller, f"more than {A_MINUTE:.0f} exports a minute: wait a little")
        await self._put(caller, ExportFact(of, self._wall(), number, span[0] or None, span[1] or None, cards))

    async def put_list(self, caller: Caller, of: Part, since: float | None, until: float | None) -> None:
        """As `put`, for a list of a time (wall seconds, None does not limit): once for a person and an hour.

        What is within a list that was put on record is not put there again, nor what came since, where that list
        reached to its present.
        """
        asked = _ListTold(since or 0.0, inf if until is None or until >= self._wall() - NOW else until, self._clock())
        key = caller.visitor.key, of
        told = self._lists.get(key)
        if told is not None and told.has(asked):
            return
        self._in_time(self._pace, caller, f"more than {A_MINUTE:.0f} exports a minute: wait a little")
        await self._put(caller, ExportFact(of, self._wall(), since=since, until=until))
        self._lists.pop(key, None)
        self._lists[key] = asked
        if len(self._lists) > REMEMBERED:
            del self._lists[next(iter(self._lists))]

    async def _put(self, caller: Caller, export: ExportFact) -> None:
        try:
            await self._door.note_export(caller.person(), export)
        except (CommandRefused, PlayStopped, NotOnDiskError) as why:
            words = f"nothing is handed out that cannot be put on record: {why}"
            raise ApiProblem(HTTPStatus.SERVICE_UNAVAILABLE, words, _LATER) from None

    async def put_replay(self, caller: Caller, number: int) -> None:
        """As `put`, for a round step by step: once for a person and a round, however many steps are asked for."""
        asked = caller.visitor.key, number
        if asked in self._replayed:
            return
        words = f"more than {REPLAYS_A_MINUTE:.0f} rounds a minute to read step by step: wait a little"
        self._in_time(self._replay_pace, caller, words)
        await self._put(caller, ExportFact(Part.REPLAY, self._wall(), number, cards=True))
        self._replayed[asked] = None
        if len(self._replayed) > REMEMBERED:
            del self._replayed[next(iter(self._replayed))]

    @staticmethod
    def _in_time(pace: Buckets, caller: Caller, words: str) -> None:
        wait = pace.take(caller.visitor.key)
        if wait > 0:
            raise ApiProblem(HTTPStatus.TOO_MANY_REQUESTS, words, {"retry-after": str(int(wait) + 1)})
