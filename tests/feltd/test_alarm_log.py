"""The alarm log: each alarm once, with when it was first seen, who acknowledged it, and when it ended."""

import asyncio
import csv
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from feltd.page.access.roles import Role
from feltd.page.api import alarm_routes
from feltd.page.history import alarm_log
from feltd.page.history.alarm_log import COLUMNS, LoggedAlarm, as_csv
from feltd.text.alarms import Priority
from table_fsm.events import DeviceState, FloorCalled, ShoeCleared, ShoeFault, Supervisor, Tick
from tests.feltd.history_support import recorded_page
from tests.feltd.page_support import Browser, Page

ALARMS = "/api/v1/alarms"


@pytest.fixture
def page(tmp_path: Path) -> Iterator[Page]:
    made = recorded_page(tmp_path, rounds=1)
    yield made
    made.close()


def log(page: Page, query: str = "") -> list[dict[str, Any]]:
    asyncio.run(page.bench.synced())  # the index reads what is in the database
    answer = Browser(page, page.session(Role.OBSERVER)).get(f"{ALARMS}{query}")
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()
    return found


def course(page: Page) -> None:
    """A jam that comes twice, is acknowledged and ends; a call for the floor that waits; a device that is away."""
    bench = page.bench
    bench.take(ShoeFault, kind="jam", deck="blue")
    bench.time.pass_(2.0)
    bench.take(ShoeCleared, kind="jam", deck="blue")
    bench.take(ShoeFault, kind="jam", deck="blue")
    bench.time.pass_(3.0)
    bench.take(Supervisor, decision="acknowledge", staff="anna")
    bench.time.pass_(4.0)
    bench.take(ShoeCleared, kind="jam", deck="blue")
    bench.take(DeviceState, device="badge", online=False)
    bench.take(FloorCalled)


def test_an_alarm_is_one_line_with_its_times_and_who_acknowledged_it(page: Page) -> None:
    course(page)
    [jam] = log(page, "?kind=jam")
    [offline] = log(page, "?kind=device_offline")
    called = log(page, "?kind=floor_called")[0]
    assert (jam["text"], jam["priority"], jam["times"], jam["acknowledged_by"]) == (
        "Jam: shoe, blue deck",
        "high",
        2,
        "anna",
    )
    assert jam["acknowledged"] - jam["first_seen"] == pytest.approx(5.0, abs=0.1)
    assert jam["ended"] - jam["first_seen"] == pytest.approx(9.0, abs=0.1)
    assert (offline["device"], offline["ended"], offline["acknowledged"]) == ("badge", None, None)
    assert (called["text"], called["priority"]) == ("Floor called", "medium")


def test_an_alarm_that_comes_after_it_was_acknowledged_is_a_line_of_its_own(page: Page) -> None:
    course(page)
    page.bench.take(ShoeFault, kind="jam", deck="blue")
    jams = log(page, "?kind=jam")[:2]
    assert [one["acknowledged_by"] for one in jams] == [None, "anna"]
    page.bench.time.pass_(61.0)
    page.bench.take(Tick)
    assert log(page, "?kind=jam")[0]["escalated"] is not None


@pytest.mark.parametrize(
    ("query", "kinds"),
    [
        ("?priority=medium&acknowledged=false", {"floor_called"}),
        ("?kind=device_offline", {"device_offline"}),
        ("?stands=true&priority=high", {"device_offline"}),
        ("?stands=false&kind=jam", {"jam"}),
    ],
)
def test_it_is_filtered(page: Page, query: str, kinds: set[str]) -> None:
    page.bench.take(Supervisor, decision="acknowledge", staff="anna")
    course(page)
    assert {one["kind"] for one in log(page, query)} == kinds


def test_it_goes_on_before_an_entry_and_within_a_time(page: Page) -> None:
    course(page)
    every = log(page)
    assert log(page, "?limit=1") == every[:1]
    assert log(page, f"?before={every[0]['entry']}") == every[1:]
    moment = every[0]["first_seen"]
    assert all(one["first_seen"] >= moment for one in log(page, f"?since={moment}"))
    assert log(page, "?until=1") == []


def test_the_csv_says_the_same_and_is_for_who_may_export(page: Page) -> None:
    course(page)
    assert Browser(page, page.session(Role.OBSERVER)).get(f"{ALARMS}/export").status_code == 403
    answer = Browser(page, page.session(Role.SURVEILLANCE)).get(f"{ALARMS}/export?kind=jam")
    assert answer.headers["content-disposition"] == 'attachment; filename="alarms.csv"'
    rows = list(csv.DictReader(io.StringIO(answer.text, newline="")))
    assert tuple(rows[0]) == COLUMNS
    assert [row["acknowledged_by"] for row in rows] == [one["acknowledged_by"] or "" for one in log(page, "?kind=jam")]


def test_the_csv_is_english_for_a_german_reader(page: Page) -> None:
    course(page)
    asyncio.run(page.bench.synced())
    answer = Browser(page, page.session(Role.SURVEILLANCE)).get(f"{ALARMS}/export", headers={"accept-language": "de"})
    rows = list(csv.DictReader(io.StringIO(answer.text, newline="")))
    assert [(row["alarm"], row["kind"]) for row in rows] == [(one["text"], one["kind"]) for one in log(page)]


def test_a_csv_that_has_the_newest_alone_says_so(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    course(page)
    every = log(page)
    browser = Browser(page, page.session(Role.SURVEILLANCE))
    assert "x-feltd-newest" not in browser.get(f"{ALARMS}/export").headers
    monkeypatch.setattr(alarm_log, "EXPORTED_MOST", 2)
    monkeypatch.setattr(alarm_routes, "EXPORTED_MOST", 2)
    answer = browser.get(f"{ALARMS}/export")
    assert answer.headers["x-feltd-newest"] == "2"
    *rows, last = answer.text.splitlines()[1:]
    assert [int(row.rpartition(",")[2]) for row in rows] == [one["entry"] for one in every[:2]]
    assert last.startswith('"NOT COMPLETE: the newest 2 alone')


def test_no_cell_of_the_csv_is_a_formula() -> None:
    alarm = LoggedAlarm(1, "jam", "Jam", Priority.HIGH, None, None, None, 0.0, 1, None, 1.0, "=cmd()", None)
    assert "'=cmd()" in as_csv([alarm])
