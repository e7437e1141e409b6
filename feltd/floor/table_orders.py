"""Orders of tournaments to their tables: one at a time for each table, and what was refused is tried again later."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from feltd.custody.errors import FloorAwayError
from feltd.custody.messages import Result
from feltd.door.commands import Person
from feltd.door.wire.codec import to_json
from feltd.floor.commanding import Desk
from feltd.floor.table_facts import ORDERED_BY
from feltd.floor.table_troubles import TableTroubles
from feltd.floor.tournament_fold import Fold

AGAIN_AFTER: Final = 5.0
"""Seconds before an order that was refused is tried again; each time twice as long as before, up to `AGAIN_MOST`."""
AGAIN_MOST: Final = 320.0
"""Each try is a row of the database, and a table's file may stay as it is for days."""


class TableOrders:
    """The orders under way, and when each table may have the next. Belongs to one loop."""

    def __init__(self, desk: Desk, troubles: TableTroubles, clock: Callable[[], float]) -> None:
        self._desk = desk
        self._troubles = troubles
        self._clock = clock
        self._under_way: dict[str, asyncio.Task[None]] = {}
        self._until: dict[str, tuple[int, float]] = {}
        """By table: the entry that must be here, and the second that must be past, before the next order."""
        self._refused: dict[str, dict[str, tuple[float, float]]] = {}
        """By table and event that was refused: when it is tried again, and how long that was put off; others go on."""

    def cancel(self) -> None:
        """Wait for no answer any more."""
        for task in self._under_way.values():
            task.cancel()

    async def settled(self) -> None:
        """Wait until every order that was begun has its answer."""
        await asyncio.gather(*self._under_way.values())

    def may_begin(self, table: str, seq: int, now: float) -> bool:
        """Whether the table may be sent an order. `seq`: its last entry that is here."""
        entry, second = self._until.get(table, (0, 0.0))
        return table not in self._under_way and seq >= entry and now >= second

    def begin(self, table: str, fold: Fold, due: Sequence[tuple[Mapping[str, Any], str]], now: float) -> None:
        """Send the first of these orders that is not put off. Each has the reason for which it is sent."""
        if not due:
            self._troubles.sent(table)
            return
        refused = self._refused.get(table, {})
        ready = [one for one in due if now >= refused.get(one[0]["ev"], (0.0, 0.0))[0]]
        if not ready:
            return
        task = asyncio.create_task(self._order(table, fold, *ready[0]), name=f"tournament at {table}")
        self._under_way[table] = task
        task.add_done_callback(lambda _: self._under_way.pop(table, None))

    async def _order(self, table: str, fold: Fold, event: Mapping[str, Any], why: str) -> None:
        name = ORDERED_BY + fold.id
        person = Person(name, name, "tournament", "floor")
        order = {"person": person, "event": event, "why": f"event {fold.seq}: {why}"}
        try:
            done = await self._desk.order(table, to_json(order).decode())
        except FloorAwayError as fault:
            self._until[table] = 0, self._clock() + AGAIN_AFTER
            self._troubles.not_sent(table, f"{event['ev']} was not sent: {fault}")
            return
        if done.result is Result.DONE:
            self._until[table] = done.entry, 0.0
            self._refused.get(table, {}).pop(event["ev"], None)
            if not self._refused.get(table):
                self._troubles.sent(table)
            return
        refused = self._refused.setdefault(table, {})
        wait = min(AGAIN_MOST, 2 * refused.get(event["ev"], (0.0, AGAIN_AFTER / 2))[1])
        refused[event["ev"]] = self._clock() + wait, wait
        self._troubles.not_sent(table, f"{event['ev']} is {done.result.value}: {done.words}")
