"""Trends over all tables that a person sees: counted in PostgreSQL, drawn by the pit page."""

import asyncio
import os
from pathlib import Path

import httpx
import pytest

from feltd.door import CommandRefused
from feltd.door.pit.trending import PARTS_MOST, PitAmount, PitAmounts, PitTrend
from feltd.door.serving.listener import listening
from feltd.floor.deriving import Deriving
from feltd.floor.pit_socket import Pit, PitReception
from feltd.page.access.roles import Role
from feltd.page.history.charts import chart
from feltd.page.history.trends import TrendSpan, edges_of
from feltd.page.pit import trending
from feltd.page.pit.opening import open_pit
from feltd.page.pit.trending import TABLES_MOST, pit_trends
from tests.floor.desk_support import settings_in
from tests.floor.pit_support import NOW, Floor, alarm
from tests.floor.postgres_support import Server
from tests.floor.test_groups import Browser
from tests.floor.test_searching import two_tables
from tests.running import eventually, running

EDGES = edges_of(TrendSpan.DAY, NOW)
CALLED = ("output", "alarm", {"alarm": alarm(kind="floor_called", device=None)})


def asked(account: str = "berg", **changed: object) -> PitTrend:
    return PitTrend(**{"account": account, "since": EDGES[0], "seconds": 3600.0, "parts": 24} | changed)  # type: ignore[arg-type]


def test_counts_are_of_the_persons_tables_by_table_and_by_part(postgres: Server, tmp_path: Path) -> None:
    async def work() -> None:
        async with two_tables(postgres, tmp_path) as (at, pit):
            await at.table("1", CALLED)
            await Deriving(at.engine).turn()
            whole = PitAmounts((PitAmount("1", None, 1, 1, 1, 2, 1), PitAmount("2", None, 1, 1, 1, 1, 1),
                                PitAmount(None, 23, 2, 2, 2, 3, 2)))  # fmt: skip
            assert await pit.trends(asked()) == whole
            theirs = await pit.trends(asked("lea"))
            assert [one.table for one in theirs.amounts] == ["2", None]
            for nothing in (asked("max"), asked(since=NOW + 1), asked(parts=23)):
                assert await pit.trends(nothing) == PitAmounts(())
            wrong = ({"parts": 0}, {"parts": PARTS_MOST + 1}, {"seconds": 0.0}, {"since": float("nan")},
                     {"seconds": 86_400.0, "parts": 32}, {"seconds": float("inf")})  # fmt: skip
            for one in wrong:
                with pytest.raises(CommandRefused, match="trends are of a time of at most 31 days"):
                    await pit.trends(asked(**one))

    asyncio.run(work())


def test_the_page_has_them_as_figures_and_as_pictures(
    postgres: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def work() -> None:
        async with two_tables(postgres, tmp_path) as (at, pit):
            monkeypatch.setattr("feltd.page.pit.opening.time.time", lambda: NOW)
            page, reception = open_pit(settings_in(tmp_path), at.door), PitReception(pit, at.book)
            lea = Browser(page, "lea", Role.SUPERVISOR)
            async with (
                listening(tmp_path / "pit", os.getuid(), reception),
                running(at.door.run()),
                running(at.book.run()),
            ):
                await eventually(lambda: at.door.away is None)
                found = (await lea.ask("get", "/api/v1/trends?span=day")).json()
                rounds, by_table = found[0], found[1]
                assert (rounds["title"], rounds["parts"][-1]["value"]) == ("Rounds an hour", 1.0)
                assert [part["label"] for part in by_table["parts"]] == ["2"]
                drawn = await lea.ask("get", "/api/v1/trends/devices-by-table.svg?span=day")
                assert "Device faults, by table: 2 1" in drawn.text
                assert (await lea.ask("get", "/api/v1/trends/none.svg")).status_code == 404
                assert 'id="pictures"' in (await lea.ask("get", "/trends")).text
                await at.engine.close()  # type: ignore[attr-defined]
                refused = await lea.ask("get", "/api/v1/trends")
                assert (refused.status_code, refused.headers["retry-after"]) == (409, "30")

    asyncio.run(work())


def test_who_has_not_signed_in_is_led_to_the_door(tmp_path: Path) -> None:
    async def work() -> None:
        at = Floor(tmp_path)
        assert await Pit(at.desk, at.book, at.engine).trends(asked("lea")) == PitAmounts(())
        page = open_pit(settings_in(tmp_path), at.door)
        transport = httpx.ASGITransport(app=page.app)
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as stranger:
            for address in ("/trends", "/wall"):
                assert (await stranger.get(address)).headers["location"] == f"/sign-in?to={address}"
            assert (await stranger.get("/api/v1/trends")).status_code == 401

    asyncio.run(work())


def test_a_picture_by_table_has_those_with_the_most_and_says_so() -> None:
    many = [PitAmount(f"table-{number}", None, number, 0, 0, 0, 0) for number in range(TABLES_MOST + 4)]
    named = PitAmount("a name that is longer than what has room beside a bar", None, 99, 0, 0, 0, 0)
    found = {trend.name: trend for trend in pit_trends([*many, named], TrendSpan.DAY, EDGES)}
    rounds = found["rounds-by-table"]
    assert rounds.title == f"Rounds, by table: {TABLES_MOST} of {TABLES_MOST + 4} with the most"
    assert [part.value for part in rounds.parts] == [99.0, *map(float, range(19, 4, -1))]
    assert rounds.parts[0].label == f"{named.table[: trending._NAME_MOST - 1]}…"  # type: ignore[index]
    assert "nothing in this time" in chart(found["alarms-by-table"])
    assert all(part.value == 0 for part in found["alarms"].parts)
    assert len(found) == 10


def test_a_shift_has_rounds_by_the_hour_though_its_parts_are_half_hours() -> None:
    edges = edges_of(TrendSpan.SHIFT, NOW)
    [rounds, *_] = pit_trends([PitAmount(None, 15, 20, 0, 0, 0, 0)], TrendSpan.SHIFT, edges)
    assert rounds.parts[-1].value == 40.0
    assert edges[15] <= NOW < edges[16]
