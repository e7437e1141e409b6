"""Nothing of the record is handed out before the table's record says to whom."""

from collections.abc import Callable
from http import HTTPStatus
from typing import Final

from feltd.door import CommandRefused, ExportFact, NotOnDiskError, PlayStopped, TableDoor
from feltd.page.api.guard import Caller
from feltd.page.api.problems import ApiProblem
from feltd.page.limits.buckets import Buckets
from feltd.record.access import Part

AT_ONCE: Final = 20
A_MINUTE: Final = 2.0
"""Exports of one person: the table's budget is everybody's, and nobody may take all of it."""
_LATER: Final = {"retry-after": "30"}


class OnRecord:
    """Puts on record what is about to be handed out."""

    def __init__(self, door: TableDoor, clock: Callable[[], float], wall: Callable[[], float]) -> None:
        """`clock`: monotonic seconds; `wall`: seconds since 1970."""
        self._door = door
        self._wall = wall
        self._pace = Buckets(A_MINUTE / 60.0, AT_ONCE, clock)

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
        wait = self._pace.take(caller.visitor.key)
        if wait > 0:
            words = f"more than {A_MINUTE:.0f} exports a minute: wait a little"
            raise ApiProblem(HTTPStatus.TOO_MANY_REQUESTS, words, {"retry-after": str(int(wait) + 1)})
        export = ExportFact(of, self._wall(), number, span[0] or None, span[1] or None, cards)
        try:
            await self._door.note_export(caller.person(), export)
        except (CommandRefused, PlayStopped, NotOnDiskError) as why:
            words = f"nothing is handed out that cannot be put on record: {why}"
            raise ApiProblem(HTTPStatus.SERVICE_UNAVAILABLE, words, _LATER) from None
