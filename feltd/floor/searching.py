"""What is looked for over all tables at the pit: from the facts, within the tables that a person sees."""

import asyncio
import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from feltd.door.commands import CommandRefused
from feltd.door.pit.searching import (
    DAYS_MOST,
    IN_A_REPORT,
    ROUNDS_MOST,
    RULINGS_MOST,
    PitFound,
    PitReport,
    PitRound,
    PitSearch,
)
from feltd.door.pit.trending import PARTS_MOST, PitAmounts, PitTrend
from feltd.floor.facts import Facts, RoundsWanted
from feltd.floor.groups import Sight
from feltd.floor.own_record import OwnRecord
from feltd.floor.searched import Asked, Searched
from feltd.record.access import AccessKind, Part, WordOf
from feltd.record.entries import HostEntry


class Searching:
    """Answers the pit's questions, one at a time: custody has the database's other connections."""

    def __init__(self, facts: Facts, searched: Searched, record: OwnRecord) -> None:
        self._facts = facts
        self._searched = searched
        self._record = record
        self._one = asyncio.Lock()

    async def search(self, search: PitSearch, sight: Sight) -> PitFound:
        """What is found among the tables that the person sees. Raises CommandRefused, FloorAwayError."""
        return await self._found(search, sight, RULINGS_MOST)

    async def report(self, asked: PitReport, sight: Sight) -> PitFound:
        """What goes into a printed report; who has it is on record before. Raises CommandRefused, FloorAwayError."""
        search = replace(asked.search, account=asked.person.account, before=None)
        require_search(search)
        await self._record.write([(HostEntry.ACCESS, _handed_out(asked, search))])
        return await self._found(search, sight, IN_A_REPORT)

    async def trends(self, asked: PitTrend, sight: Sight) -> PitAmounts:
        """How much there was at the tables that the person sees. Raises CommandRefused, FloorAwayError."""
        require_trend(asked)
        async with self._one:
            return PitAmounts(tuple(await self._searched.amounts(asked, _tables(sight))))

    async def _found(self, search: PitSearch, sight: Sight, most: int) -> PitFound:
        require_search(search)
        tables = _tables(sight)
        asked = Asked(search, tables, most)
        wanted = RoundsWanted(
            table=search.table, tables=tables, since=search.since, until=search.until, kind=search.kind,
            before=search.before, most=ROUNDS_MOST,
        )  # fmt: skip
        async with self._one:
            rounds = await self._facts.rounds(wanted)
            rulings = await self._searched.rulings(asked)
            counts = await self._searched.counts(asked)
        return PitFound(
            tuple(
                PitRound(one.table, one.number, one.began, one.ended, one.book, one.dealer, one.result, one.rulings)
                for one in rounds
            ),
            tuple(rulings),
            tuple(counts),
        )


def require_search(search: PitSearch) -> None:
    """Raises CommandRefused for a time that is none, or too long."""
    times = (search.since, search.until, 0.0 if search.before is None else search.before)
    if not all(map(math.isfinite, times)) or not 0 <= search.until - search.since <= DAYS_MOST * 86_400:
        raise CommandRefused(f"a search is over a time of at most {DAYS_MOST} days, which ends after it begins")


def require_trend(asked: PitTrend) -> None:
    """Raises CommandRefused for a time that is none, or too long."""
    are_times = math.isfinite(asked.since) and math.isfinite(asked.seconds)
    if not are_times or not 1 <= asked.parts <= PARTS_MOST or not 0 < asked.seconds * asked.parts <= DAYS_MOST * 86_400:
        raise CommandRefused(f"trends are of a time of at most {DAYS_MOST} days, in at most {PARTS_MOST} parts")


def _tables(sight: Sight) -> tuple[str, ...] | None:
    return None if sight.tables is None else tuple(sorted(sight.tables))


def _handed_out(asked: PitReport, search: PitSearch) -> Mapping[str, Any]:
    person = asked.person
    body = {
        "what": AccessKind.EXPORTED, "by": WordOf.PAGE, "who": person.account[:64], "role": person.role[:64],
        "from": person.address[:64], "of": Part.REPORT, "table": search.table, "since": search.since,
        "until": search.until,
    }  # fmt: skip
    return {name: value for name, value in body.items() if value is not None}
