"""Decisions passed on between floords of one database: kept until the floord that has the table sends them.

The floord at which a person decides signs the command and keeps it, under its id, as if it had the table itself. The
one that has the table sends it as it was signed, and keeps the answer. So it acts once at most, whoever ends meanwhile,
and nobody can make one in the database.
"""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

from feltd.custody.messages import Result
from feltd.floor.engine import Ordered


class MemoryPassed:
    """In memory. `orders`: the commands of the engine."""

    def __init__(self, orders: Callable[[], dict[str, Ordered]]) -> None:
        self._orders = orders
        self._messages: dict[str, bytes] = {}

    async def add(self, ordered: Ordered, message: bytes) -> None:
        """See `Passed`."""
        self._orders()[ordered.id] = ordered
        self._messages[ordered.id] = message

    async def open(self) -> list[tuple[Ordered, bytes]]:
        """See `Passed`."""
        kept = [one for one in self._orders().values() if one.result is Result.NOT_KNOWN]
        return [(one, self._messages[one.id]) for one in kept if one.id in self._messages]

    async def told(self, ordered: Ordered) -> Ordered:
        """See `Passed`."""
        return self._orders().get(ordered.id, ordered)


class PostgresPassed:
    """In PostgreSQL, by the functions of `passing.sql`."""

    def __init__(self, do: Callable[[Callable[[Any], Awaitable[Any]]], Awaitable[Any]]) -> None:
        """`do`: does one statement on a connection."""
        self._do = do

    async def add(self, ordered: Ordered, message: bytes) -> None:
        """See `Passed`."""
        values = (ordered.id, ordered.table, ordered.journal, ordered.head, ordered.until, ordered.order, message)
        await self._do(lambda one: one.execute("SELECT floor.pass_order($1, $2, $3, $4, $5, $6, $7)", *values))

    async def open(self) -> list[tuple[Ordered, bytes]]:
        """See `Passed`."""
        found = await self._do(lambda one: one.fetch("SELECT * FROM floor.passed_orders()"))
        return [
            (Ordered(row["id"], row["owner"], row["journal"], row["head"], row["until"], row["what"]), row["message"])
            for row in found
        ]

    async def told(self, ordered: Ordered) -> Ordered:
        """See `Passed`."""
        row = await self._do(lambda one: one.fetchrow("SELECT * FROM floor.order_told($1)", ordered.id))
        if row is None:
            return ordered
        return replace(ordered, result=Result(row["result"]), entry=row["entry"], words=row["words"])
