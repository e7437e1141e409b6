"""Where rulings and counts over all tables are found: in PostgreSQL, by `searching.sql` and `trends.sql`."""

from dataclasses import dataclass
from typing import Final, Protocol

from feltd.door.pit.searching import RULINGS_MOST, PitCount, PitRuled, PitSearch
from feltd.door.pit.trending import PitAmount, PitTrend
from feltd.floor.postgres_streams import Do

WITHIN: Final = 20.0
"""Seconds for one question: a long one gives its connection back."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A search as the facts are asked. `tables`: of these alone, None for all."""

    search: PitSearch
    tables: tuple[str, ...] | None
    most: int = RULINGS_MOST


class Searched(Protocol):
    """Where rulings and counts are found. Each call raises FloorAwayError."""

    async def rulings(self, asked: Asked) -> list[PitRuled]:
        """The rulings of a time, the latest first."""

    async def counts(self, asked: Asked) -> list[PitCount]:
        """How much there was at each table, then in each hour."""

    async def amounts(self, trend: PitTrend, tables: tuple[str, ...] | None) -> list[PitAmount]:
        """How much there was at each of these tables, None for all, and in each part of a time."""


class PostgresSearched:
    """In PostgreSQL, by the functions of `searching.sql` and `trends.sql`."""

    def __init__(self, do: Do) -> None:
        self._do: Final = do

    async def rulings(self, asked: Asked) -> list[PitRuled]:
        """See `Searched`."""
        one = asked.search
        values = (one.table, _list(asked.tables), one.since, one.until, one.kind, one.before, asked.most)
        ask = "SELECT * FROM floor.find_rulings($1, $2, $3, $4, $5, $6, $7)"
        found = await self._do(lambda connection: connection.fetch(ask, *values, timeout=WITHIN))
        return [
            PitRuled(
                row["owner"], row["entry"], row["round"], row["at"], row["rulebook"], row["rule"], row["irregularity"],
                row["outcome"], row["seat"], row["words"], row["pending"], row["decision"], row["staff"],
            )
            for row in found
        ]  # fmt: skip

    async def counts(self, asked: Asked) -> list[PitCount]:
        """See `Searched`."""
        one = asked.search
        values = (one.table, _list(asked.tables), one.since, one.until)
        ask = "SELECT * FROM floor.count_facts($1, $2, $3, $4)"
        found = await self._do(lambda connection: connection.fetch(ask, *values, timeout=WITHIN))
        return [
            PitCount(
                row["owner"], row["hour"], row["rounds"], row["misdeals"], row["seconds"], row["rulings"],
                row["alarms"],
            )
            for row in found
        ]  # fmt: skip

    async def amounts(self, trend: PitTrend, tables: tuple[str, ...] | None) -> list[PitAmount]:
        """See `Searched`."""
        values = (_list(tables), trend.since, trend.since + trend.parts * trend.seconds, trend.seconds)
        ask = "SELECT * FROM floor.count_parts($1, $2, $3, $4)"
        found = await self._do(lambda connection: connection.fetch(ask, *values, timeout=WITHIN))
        return [PitAmount(row["owner"], row["part"], *row[2:]) for row in found]


class NothingSearched:
    """A floor that keeps nothing to be looked for."""

    async def rulings(self, asked: Asked) -> list[PitRuled]:
        """See `Searched`."""
        return []

    async def counts(self, asked: Asked) -> list[PitCount]:
        """See `Searched`."""
        return []

    async def amounts(self, trend: PitTrend, tables: tuple[str, ...] | None) -> list[PitAmount]:
        """See `Searched`."""
        return []


def _list(tables: tuple[str, ...] | None) -> list[str] | None:
    return None if tables is None else list(tables)
