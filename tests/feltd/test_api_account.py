"""A person's own account at the page: another password, where they are signed in, and the entries of it all."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from feltd.page.access.account_news import AccountNews
from feltd.page.access.roles import Role
from feltd.page.access.sessions import IDLE_SECONDS
from feltd.page.access.throttle import FREE_FAILURES
from feltd.page.api.guard import CSRF_HEADER
from feltd.record import EntryKind, HostEntry, JournalReader, Span
from tests.feltd.page_support import SECRET, Browser, Page

NEW = "seven lamps beside a quiet harbour"
PASSWORD = "/api/v1/account/password"
SESSIONS = "/api/v1/account/sessions"


@pytest.fixture
def page(tmp_path: Path) -> Iterator[Page]:
    async def make() -> Page:
        made = Page(tmp_path, open_here=True)
        made.bench.open_table()
        await made.bench.synced()
        return made

    page = asyncio.run(make())
    yield page
    page.close()


def on(answer: httpx.Response) -> dict[str, str]:
    """The headers of a browser that got a new cookie."""
    cookie = next(said for said in answer.headers.get_list("set-cookie") if said.startswith("feltd="))
    return {"cookie": cookie.split(";")[0]}


def entries(page: Page) -> list[dict[str, Any]]:
    """What is on record of accounts and sessions, without times."""

    async def told() -> None:
        await page.record.tell()
        await page.bench.synced()

    asyncio.run(told())
    shown = ("what", "who", "change", "from", "how")
    with JournalReader.open(page.bench.journal.path) as reader:
        bodies = [entry.body for entry in reader.entries(Span(kind=EntryKind.HOST, name=HostEntry.ACCESS))]
    return [{name: body[name] for name in shown if name in body} for body in bodies]


def test_another_password_ends_the_other_sessions_and_this_one_goes_on(page: Page) -> None:
    here, there = page.session(Role.SUPERVISOR), page.session(Role.SUPERVISOR)
    answer = Browser(page, here).post(PASSWORD, {"old": SECRET, "new": NEW})
    assert answer.status_code == 204
    assert Browser(page, there, "192.0.2.1").get("/api/v1/state").status_code == 401
    assert Browser(page, here, "192.0.2.1").get("/api/v1/state").status_code == 401, "the old cookie opens nothing"
    again = Browser(page, on(answer))
    assert again.get("/api/v1/session").json()["name"] == "supervisor"
    assert again.get("/api/v1/session").json()["csrf"] != here[CSRF_HEADER]
    assert Browser(page).post("/api/v1/session", {"name": "supervisor", "password": SECRET}).status_code == 401
    assert Browser(page).post("/api/v1/session", {"name": "supervisor", "password": NEW}).status_code == 200


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("a wrong one, and a staple", NEW, "the old password is wrong"),
        (SECRET, "short", "characters"),
        (SECRET, "Password2024!", "guessed first"),
        (SECRET, SECRET, "this is the old password"),
    ],
)
def test_a_password_that_may_not_be_is_told_why_and_nothing_changes(page: Page, old: str, new: str, why: str) -> None:
    browser = Browser(page, page.session(Role.OBSERVER))
    answer = browser.post(PASSWORD, {"old": old, "new": new})
    assert answer.status_code == 409
    assert why in answer.json()["detail"]
    assert old not in answer.text
    assert new not in answer.text
    assert browser.get("/api/v1/session").json()["name"] == "observer"


def test_guesses_at_the_old_password_wait(page: Page) -> None:
    browser = Browser(page, page.session(Role.SUPERVISOR))
    for _ in range(FREE_FAILURES + 1):
        assert browser.post(PASSWORD, {"old": "wrong wrong wrong", "new": NEW}).status_code == 409
    answer = browser.post(PASSWORD, {"old": SECRET, "new": NEW})
    assert answer.status_code == 429
    assert int(answer.headers["retry-after"]) > 0


def test_where_somebody_is_signed_in_and_out_elsewhere(page: Page) -> None:
    first, second, third = (page.session(Role.SUPERVISOR) for _ in range(3))
    others = page.session(Role.DIRECTOR)
    browser = Browser(page, first)
    told = browser.get(SESSIONS).json()
    assert len(told) == 3
    assert [one["here"] for one in told].count(True) == 1
    assert all(one["since"] == page.bench.time.wall for one in told)
    here = next(one for one in told if one["here"])
    gone = next(one for one in told if not one["here"])
    assert browser.request("delete", f"{SESSIONS}/{gone['id']}").status_code == 204
    assert browser.request("delete", f"{SESSIONS}/{gone['id']}").status_code == 404
    assert Browser(page, others).request("delete", f"{SESSIONS}/{here['id']}").status_code == 404, "not another's"
    assert browser.request("delete", SESSIONS).status_code == 204
    assert [one["id"] for one in browser.get(SESSIONS).json()] == [here["id"]]
    outside = [Browser(page, headers, "192.0.2.1").get("/api/v1/state").status_code for headers in (second, third)]
    assert outside == [401, 401]
    assert Browser(page, others).get("/api/v1/state").status_code == 200


def test_a_page_left_alone_or_not_signed_in_changes_nothing(page: Page) -> None:
    headers = page.session(Role.SUPERVISOR)
    page.bench.time.pass_(IDLE_SECONDS + 1)
    browser = Browser(page, headers)
    assert browser.get(SESSIONS).json()[0]["read_only"] is True
    assert browser.post(PASSWORD, {"old": SECRET, "new": NEW}).status_code == 401
    assert browser.request("delete", SESSIONS).status_code == 401
    assert Browser(page).get(SESSIONS).status_code == 401, "open to read on this machine, and nobody's account"
    assert Browser(page).get("/account").headers["location"] == "/sign-in?to=/account"


def test_each_change_of_an_account_is_an_entry_once(page: Page) -> None:
    page.news.look()
    page.accounts.add("berta", Role.OBSERVER, SECRET)
    page.news.look()
    page.accounts.change("berta", role=Role.SUPERVISOR, enabled=False)
    page.accounts.change("berta", password=NEW)
    page.news.look()
    page.accounts.change("berta", enabled=True)
    page.news.look()
    director = Browser(page, page.session(Role.DIRECTOR))
    page.news.look()
    director.post(PASSWORD, {"old": SECRET, "new": NEW})
    page.news.look()
    page.accounts.remove("berta")
    page.news.look()
    page.news.look()
    told = [entry for entry in entries(page) if entry["what"] == "account_changed"]
    assert told == [
        {"what": "account_changed", "who": "berta", "change": "created"},
        {"what": "account_changed", "who": "berta", "change": "role"},
        {"what": "account_changed", "who": "berta", "change": "password"},
        {"what": "account_changed", "who": "berta", "change": "shut"},
        {"what": "account_changed", "who": "berta", "change": "opened"},
        {"what": "account_changed", "who": "director", "change": "created"},
        {"what": "account_changed", "who": "director", "change": "password", "from": "127.0.0.1"},
        {"what": "account_changed", "who": "berta", "change": "removed"},
    ]


def test_what_changed_while_no_page_ran_is_told_by_the_next(page: Page, tmp_path: Path) -> None:
    page.accounts.add("berta", Role.OBSERVER, SECRET)
    page.news.look()
    page.accounts.change("berta", role=Role.DIRECTOR)
    AccountNews(page.accounts, tmp_path, page.record).look()
    told = [(entry["who"], entry["change"]) for entry in entries(page) if entry["what"] == "account_changed"]
    assert told == [("berta", "created"), ("berta", "role")]
    kept = (tmp_path / "accounts-told.json").read_text()
    assert "argon2" not in kept


def test_a_file_that_is_none_has_every_account_told_anew(page: Page, tmp_path: Path) -> None:
    page.accounts.add("berta", Role.OBSERVER, SECRET)
    (tmp_path / "accounts-told.json").write_text("[1]")
    AccountNews(page.accounts, tmp_path, page.record).look()
    assert [entry["change"] for entry in entries(page) if entry["what"] == "account_changed"] == ["created"]
