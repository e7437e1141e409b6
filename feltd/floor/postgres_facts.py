"""Facts in PostgreSQL, by the functions of `exports.sql`."""

import json
from collections.abc import Sequence
from typing import Any, Final

from feltd.floor.facts import Behind, Fact, FactKind, Made, RoundFound, RoundsWanted, Told
from feltd.floor.postgres_streams import Do


class PostgresFacts:
    """See `Facts`."""

    def __init__(self, do: Do) -> None:
        self._do: Final = do

    async def behind(self) -> list[Behind]:
        """See `Facts`."""
        found = await self._do(lambda one: one.fetch("SELECT * FROM floor.facts_behind()"))
        return [Behind(row["journal"], row["head"], row["seq"], row["state"]) for row in found]

    async def keep(self, made: Sequence[Made]) -> list[bool]:
        """See `Facts`."""
        facts = [(n, fact) for n, one in enumerate(made, 1) for fact in one.facts]
        values = (
            [one.behind.journal for one in made], [one.behind.seq for one in made], [one.after for one in made],
            [one.state for one in made],
            [n for n, _ in facts], [fact.seq for _, fact in facts], [fact.kind.value for _, fact in facts],
            [fact.round for _, fact in facts], [fact.wall for _, fact in facts],
            [json.dumps(fact.body) for _, fact in facts],
        )  # fmt: skip
        ask = "SELECT floor.keep_facts_of_many($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)"
        kept = set(await self._do(lambda one: one.fetchval(ask, *values)))
        return [n in kept for n in range(1, len(made) + 1)]

    async def news(self, after: int, most: int) -> list[Told]:
        """See `Facts`."""
        found = await self._do(lambda one: one.fetch("SELECT * FROM floor.facts_from($1, $2)", after, most))
        return [_told(row) for row in found]

    async def last(self) -> int:
        """See `Facts`."""
        return int(await self._do(lambda one: one.fetchval("SELECT floor.last_fact()")))

    async def taken(self, follower: str) -> int | None:
        """See `Facts`."""
        found = await self._do(lambda one: one.fetchval("SELECT floor.taken_to($1)", follower))
        return None if found is None else int(found)

    async def keep_taken(self, follower: str, number: int) -> None:
        """See `Facts`."""
        await self._do(lambda one: one.execute("SELECT floor.keep_taken($1, $2)", follower, number))

    async def rounds(self, wanted: RoundsWanted) -> list[RoundFound]:
        """See `Facts`."""
        tables = None if wanted.tables is None else list(wanted.tables)
        values = (
            wanted.table, tables, wanted.since, wanted.until, wanted.book, wanted.dealer, wanted.kind, wanted.result,
            wanted.before, wanted.most,
        )  # fmt: skip
        found = await self._do(
            lambda one: one.fetch("SELECT * FROM floor.find_rounds($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)", *values)
        )
        return [
            RoundFound(
                row["owner"], row["journal"], row["round"], row["first"], row["last"], row["began"], row["ended"],
                row["book"], row["dealer"], row["result"], row["rulings"],
            )
            for row in found
        ]  # fmt: skip


def _told(row: Any) -> Told:
    fact = Fact(row["seq"], FactKind(row["kind"]), row["round"], row["wall"], json.loads(row["body"]))
    return Told(row["number"], row["owner"], row["journal"], fact)
