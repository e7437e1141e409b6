"""Bookmarks for the cameras: every ruling and every alarm once, with times that another system reads."""

import asyncio
import csv
import io
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest

from feltd.page.access.roles import Role
from feltd.page.api import export_routes
from feltd.page.history import bookmarks
from feltd.page.history.bookmarks import AFTER, BEFORE, COLUMNS
from table_fsm.events import ShoeFault
from tests.feltd.history_support import recorded_page
from tests.feltd.page_support import Browser, Page

BOOKMARKS = "/api/v1/bookmarks"


@pytest.fixture
def page(tmp_path: Path) -> Iterator[Page]:
    made = recorded_page(tmp_path, rounds=4)
    yield made
    made.close()


def test_each_ruling_and_alarm_is_there_with_its_moment_and_a_span(page: Page) -> None:
    page.bench.take(ShoeFault, kind="jam")
    asyncio.run(page.bench.synced())  # the bookmarks read what is in the database
    browser = Browser(page, page.session(Role.SURVEILLANCE))
    found = browser.get(BOOKMARKS).json()
    rulings = browser.get("/api/v1/rulings").json()
    assert {one["ruling"] for one in found if one["kind"] == "ruling"} == {one["id"] for one in rulings}
    assert "Jam: shoe" in {one["what"].split(",")[0] for one in found if one["kind"] == "alarm"}
    walls = {one["id"]: one["wall"] for one in rulings}
    moments = [datetime.fromisoformat(one["time"]) for one in found]
    assert moments == sorted(moments)
    for one in found:
        time, begins, ends = (datetime.fromisoformat(one[name]) for name in ("time", "begins", "ends"))
        assert time.utcoffset() is not None
        assert ((time - begins).total_seconds(), (ends - time).total_seconds()) == (BEFORE, AFTER)
        if one["ruling"] is not None:
            assert time.timestamp() == pytest.approx(walls[one["ruling"]], abs=0.001)


def test_the_csv_says_the_same_and_a_time_limits_it(page: Page) -> None:
    browser = Browser(page, page.session(Role.SUPERVISOR))
    found = browser.get(BOOKMARKS).json()
    answer = browser.get(f"{BOOKMARKS}?format=csv")
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    rows = list(csv.DictReader(io.StringIO(answer.text, newline="")))
    assert rows == [{name: "" if one[name] is None else str(one[name]) for name in COLUMNS} for one in found]
    moment = datetime.fromisoformat(found[0]["time"]).timestamp()
    assert browser.get(f"{BOOKMARKS}?since={moment + 0.5}").json() == found[1:]
    assert browser.get(f"{BOOKMARKS}?until={moment + 0.5}").json() == found[:1]


def test_they_are_english_for_a_german_reader_and_name_what_they_mark(page: Page) -> None:
    page.bench.take(ShoeFault, kind="jam")
    asyncio.run(page.bench.synced())
    browser = Browser(page, page.session(Role.SURVEILLANCE))
    found = browser.get(BOOKMARKS).json()
    german = {"accept-language": "de"}
    assert browser.get(BOOKMARKS, headers=german).json() == found
    assert browser.get(f"{BOOKMARKS}?format=csv", headers=german).text == browser.get(f"{BOOKMARKS}?format=csv").text
    names = {one["ruling"]: one["name"] for one in found if one["kind"] == "ruling"}
    assert names == {one["id"]: one["irregularity"] for one in browser.get("/api/v1/rulings").json()}
    assert "jam" in {one["name"] for one in found if one["kind"] == "alarm"}


def test_a_list_that_has_the_newest_alone_says_so(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    browser = Browser(page, page.session(Role.SURVEILLANCE))
    every = browser.get(BOOKMARKS)
    assert "x-feltd-newest" not in every.headers
    most = len(every.json()) - 1
    monkeypatch.setattr(bookmarks, "MOST", most)
    monkeypatch.setattr(export_routes, "MOST", most)
    assert browser.get(BOOKMARKS).json() == every.json()[1:]
    answer = browser.get(f"{BOOKMARKS}?format=csv")
    assert answer.headers["x-feltd-newest"] == str(most)
    assert answer.text.splitlines()[-1].startswith(f'"NOT COMPLETE: the newest {most} alone')


def test_they_are_for_who_may_export(page: Page) -> None:
    assert Browser(page, page.session(Role.OBSERVER)).get(BOOKMARKS).status_code == 403
