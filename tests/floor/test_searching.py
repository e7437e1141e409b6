"""Search, trends and a printed report over all tables that a person sees."""

import asyncio
import json
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from feltd.door import CommandRefused
from feltd.door.pit.searching import DAYS_MOST, PitFound, PitReport, PitRound, PitSearch
from feltd.door.serving.listener import listening
from feltd.floor.deriving import Deriving
from feltd.floor.facts import OWN
from feltd.floor.groups import Sights
from feltd.floor.memory import MemoryEngine
from feltd.floor.pit_book import PitBook
from feltd.floor.pit_socket import Pit, PitReception
from feltd.floor.postgres import PostgresEngine
from feltd.page.access.roles import Role
from feltd.page.pit.opening import open_pit
from feltd.page.pit.searching import FoundView, _view
from tests.floor.conftest import emptied
from tests.floor.desk_support import settings_in
from tests.floor.pit_support import NOW, Floor, alarm, ruling
from tests.floor.postgres_support import Server
from tests.floor.test_groups import Browser, person
from tests.running import eventually, running

ROUND: tuple[tuple[str, str, object], ...] = (
    ("event", "table.open", {"ev": "table.open", "rulebook": "tas-2018-holdem"}),
    ("host", "round.begin", {}),
    ("output", "ruling", {"ruling": ruling(5)}),
    ("event", "supervisor", {"ruling": 5, "decision": "confirm", "staff": "Lea"}),
    ("output", "alarm", {"alarm": alarm()}),
    ("output", "phase", {"phase": "misdeal"}),
    ("host", "round.end", {}),
)
SPAN = {"since": NOW - 100, "until": NOW + 100}


@asynccontextmanager
async def two_tables(postgres: Server, folder: Path) -> AsyncIterator[tuple[Floor, Pit]]:
    """Tables 1 and 2 have played a round each; lea sees 2 alone, berg all."""
    await emptied(postgres)
    at = Floor(folder)
    engine = await PostgresEngine.open(postgres.address("floord"))
    try:
        at.engine, at.book, at.sights = engine, PitBook(engine, lambda: NOW), Sights(engine.groups)  # type: ignore[assignment]
        for table in ("1", "2"):
            await at.table(table, *ROUND)
        await at.lets("group", "pit 2", "2")
        await at.lets("person", "lea", "pit 2")
        await at.lets("person", "berg", everything=True)
        await Deriving(engine).turn()
        yield at, Pit(at.desk, at.book, engine, sights=at.sights)
    finally:
        await engine.close()


def test_what_is_found_is_of_the_persons_tables_alone(postgres: Server, tmp_path: Path) -> None:
    async def work() -> None:
        async with two_tables(postgres, tmp_path) as (_, pit):

            async def found(account: str, **more: object) -> PitFound:
                return await pit.search(PitSearch(account, **{**SPAN, **more}))  # type: ignore[arg-type]

            whole = await found("berg")
            assert {one.table for one in whole.rounds} == {one.table for one in whole.rulings} == {"1", "2"}
            theirs = await found("lea")
            [one] = theirs.rounds
            assert (one.table, one.number, one.book, one.result, one.rulings) == (
                "2",
                7,
                "tas-2018-holdem",
                "misdeal",
                1,
            )
            [ruled] = theirs.rulings
            assert (ruled.table, ruled.entry, ruled.rule, ruled.irregularity, ruled.seat) == (
                "2", 3, "tas-2018 12.3", "card_exposed", 3,
            )  # fmt: skip
            assert (ruled.decision, ruled.staff, ruled.pending) == ("confirm", "Lea", True)
            counted = [
                (one.table, one.hour, one.rounds, one.misdeals, one.rulings, one.alarms) for one in theirs.counts
            ]
            assert counted == [("2", None, 1, 1, 1, 1), (None, NOW // 3600 * 3600, 1, 1, 1, 1)]
            assert (whole.counts[-1].rounds, len(whole.counts)) == (2, 3)
            for account, more in (("lea", {"table": "1"}), ("max", {}), ("lea", {"since": NOW + 1})):
                assert await found(account, **more) == PitFound((), (), ())
            assert (await found("lea", kind="misdeal")).rulings == ()
            assert len((await found("lea", kind="card_exposed")).rulings) == 1
            assert (await found("lea", before=NOW)).rulings == ()
            for wrong in ({"until": NOW - 200}, {"since": NOW - (DAYS_MOST + 1) * 86_400}, {"since": float("nan")}):
                with pytest.raises(CommandRefused, match="at most 31 days"):
                    await found("lea", **wrong)

    asyncio.run(work())


def test_the_page_shows_what_is_found_and_a_report_is_on_record_before_it_is_handed_out(
    postgres: Server, tmp_path: Path
) -> None:
    async def work() -> None:
        async with two_tables(postgres, tmp_path) as (at, pit):
            page, reception = open_pit(settings_in(tmp_path), at.door), PitReception(pit, at.book)
            lea, eve = Browser(page, "lea", Role.SUPERVISOR), Browser(page, "eve", Role.OBSERVER)
            async with (
                listening(tmp_path / "pit", os.getuid(), reception),
                running(at.door.run()),
                running(at.book.run()),
            ):
                await eventually(lambda: at.door.away is None)
                asked = f"since={SPAN['since']}&until={SPAN['until']}"
                found = (await lea.ask("get", f"/api/v1/search?{asked}")).json()
                assert [one["table"] for one in found["rounds"]] == ["2"]
                assert ([one["table"] for one in found["tables"]], found["before"]) == (["2"], None)
                assert (await lea.ask("get", f"/api/v1/search?since=5&until={NOW}")).status_code == 409
                assert (await lea.ask("get", "/api/v1/search?since=x&until=1")).status_code == 422
                assert 'id="filter"' in (await lea.ask("get", "/reports")).text

                printed = await lea.ask("get", f"/reports/print?{asked}")
                assert printed.status_code == 200
                assert ("<h4>2: " in printed.text, "<h4>1: " in printed.text) == (True, False)
                assert 'data-hours="24"' in printed.text
                assert (await eve.ask("get", f"/reports/print?{asked}")).status_code == 303
                [own] = [one for one in await at.engine.status() if one.table == OWN]
                [batch] = await at.engine.batches(own.journal, 0, 9)
                assert len(batch.rows) == 1
                assert b'"what":"exported"' in batch.rows[0]
                assert b'"who":"lea"' in batch.rows[0]

    asyncio.run(work())


def test_a_floor_in_memory_keeps_nothing_to_be_looked_for(tmp_path: Path) -> None:
    async def work() -> None:
        at = Floor(tmp_path)
        pit = Pit(at.desk, at.book, at.engine)
        assert await pit.search(PitSearch("lea", 0.0, 1.0)) == PitFound((), (), ())
        at.engine.journals = None  # type: ignore[assignment]
        assert isinstance(at.engine, MemoryEngine)
        with pytest.raises(CommandRefused, match="at most 31 days"):
            await pit.report(PitReport(person("lea"), PitSearch("lea", 2.0, 1.0)))

    asyncio.run(work())


def test_the_lists_go_on_where_the_one_that_is_full_ends() -> None:
    rounds = tuple(PitRound("1", n, 1000.0 - n, None, None, None, None, 0) for n in range(50))
    view: FoundView = _view(PitFound(rounds, (), ()))
    assert view.before == 951.0
    assert json.loads(view.model_dump_json())["rounds"][0]["number"] == 0
    assert _view(PitFound(rounds[:49], (), ())).before is None
