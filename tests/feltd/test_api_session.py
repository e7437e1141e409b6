"""A session that was left alone: it looks, and everything else asks for the password again, on the server."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from feltd.page.access.roles import Role
from feltd.page.access.sessions import IDLE_SECONDS
from feltd.page.api.guard import CSRF_HEADER
from tests.feltd.history_support import record
from tests.feltd.page_support import SECRET, Browser, Page


@pytest.fixture
def page(tmp_path: Path) -> Iterator[Page]:
    async def make() -> Page:
        made = Page(tmp_path, open_here=False)
        record(made.bench, rounds=1)
        await made.bench.synced()
        return made

    page = asyncio.run(make())
    yield page
    page.close()


def left_alone(page: Page, role: Role = Role.DIRECTOR) -> Browser:
    browser = Browser(page, page.session(role))
    page.bench.time.monotonic += IDLE_SECONDS + 1
    return browser


def test_what_a_read_only_session_may_is_looking_alone(page: Page) -> None:
    browser = left_alone(page)
    for looked_at in ("/", "/history", "/api/v1/state", "/api/v1/rounds", "/api/v1/devices"):
        assert browser.get(looked_at).status_code == 200, looked_at
    asked = [
        ("post", "/api/v1/decisions", {"decision": "misdeal"}),
        ("post", "/api/v1/decisions", {"decision": "misdeal", "signature": "badge"}),
        ("post", "/api/v1/seats/3", {"change": "out"}),
        ("get", "/api/v1/export", None),
        ("get", "/api/v1/rounds/1/export", None),
        ("get", "/api/v1/rounds/1/phh", None),
    ]
    for method, address, body in asked:
        answer = browser.request(method, address, body=body)
        assert answer.status_code == 401, address
        assert "sign in again" in answer.json()["detail"]
    assert browser.get("/history/round/1/report").headers["location"] == "/sign-in?to=/history/round/1/report"


def test_cards_of_past_rounds_are_no_more_for_a_read_only_session(page: Page) -> None:
    headers = page.session(Role.SUPERVISOR)
    steps = "/api/v1/rounds/1/steps"
    assert any(step["cards"] for step in Browser(page, headers).get(steps).json())
    page.bench.time.monotonic += IDLE_SECONDS + 1
    assert not any(step["cards"] for step in Browser(page, headers).get(steps).json())


def test_it_says_so_and_signing_in_over_it_gives_the_rights_back(page: Page) -> None:
    browser = left_alone(page)
    me = browser.get("/api/v1/session").json()
    assert (me["rights"], me["read_only"]) == (["see"], True)
    assert {"decide", "export", "tournament"} <= set(me["rights_paused"])
    answer = browser.post("/api/v1/session", {"name": "director", "password": SECRET})
    assert (answer.json()["read_only"], answer.json()["rights_paused"]) == (False, [])
    cookie = answer.headers["set-cookie"].split(";")[0]
    again = Browser(page, {"cookie": cookie, CSRF_HEADER: answer.json()["csrf"]})
    assert again.post("/api/v1/decisions", {"decision": "misdeal"}).status_code != 401
    assert browser.get("/api/v1/session").status_code == 401, "the old session is over"


def test_an_observer_left_alone_asks_for_no_badge(page: Page) -> None:
    browser = left_alone(page, Role.OBSERVER)
    assert browser.get("/api/v1/state").status_code == 200
    assert browser.post("/api/v1/decisions", {"decision": "misdeal", "signature": "badge"}).status_code == 401
