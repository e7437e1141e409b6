"""The door of the API: nobody without a session, nothing changed by another site's page, nothing told to a guesser."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from feltd.page.access.roles import Role
from feltd.page.api.guard import BY_ITSELF_HEADER, CSRF_HEADER
from tests.feltd.page_support import SECRET, Browser, Page

SESSION = "/api/v1/session"


def made(folder: Path, *, open_here: bool, secure: bool = False) -> Page:
    async def make() -> Page:
        page = Page(folder, open_here=open_here, secure=secure)
        page.bench.open_table()
        await page.bench.synced()
        return page

    return asyncio.run(make())


@pytest.fixture
def page(tmp_path: Path) -> Iterator[Page]:
    page = made(tmp_path, open_here=False)
    yield page
    page.close()


@pytest.mark.parametrize("address", ["/api/v1/state", "/api/v1/stream", "/api/v1/events", SESSION])
def test_nobody_reads_without_signing_in(page: Page, address: str) -> None:
    answer = Browser(page).get(address)
    assert answer.status_code == 401
    assert answer.json() == {"status": 401, "title": "Unauthorized", "detail": "sign in first"}


def test_the_page_leads_to_the_door_and_says_how_the_first_account_is_made(page: Page) -> None:
    answer = Browser(page).get("/")
    assert (answer.status_code, answer.headers["location"]) == (303, "/sign-in")
    assert "feltd user add NAME --role supervisor" in Browser(page).get("/sign-in").text
    page.accounts.add("anna", Role.OBSERVER, SECRET)
    assert "feltd user add" not in Browser(page).get("/sign-in").text


def test_on_this_machine_it_may_be_read_only_where_that_is_configured_and_from_no_other(tmp_path: Path) -> None:
    page = made(tmp_path, open_here=True)
    assert Browser(page).get("/api/v1/state").status_code == 200
    assert Browser(page, address="192.0.2.9").get("/api/v1/state").status_code == 401
    page.close()


@pytest.mark.parametrize("secure", [False, True])
def test_the_session_is_in_a_cookie_that_scripts_and_other_sites_cannot_use(tmp_path: Path, secure: bool) -> None:
    page = made(tmp_path, open_here=False, secure=secure)
    page.accounts.add("anna", Role.SUPERVISOR, SECRET)
    answer = Browser(page).post(SESSION, {"name": "anna", "password": SECRET})
    assert answer.status_code == 200
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert ("Secure" in cookie) is secure
    assert cookie.startswith("__Host-feltd=" if secure else "feltd=")
    assert answer.json()["role"] == "supervisor"
    signed_in = Browser(page, {"cookie": cookie.split(";")[0]})
    assert signed_in.get(SESSION).json()["name"] == "anna"
    page.close()


def test_a_wrong_password_is_refused_and_after_some_the_next_has_to_wait(page: Page) -> None:
    page.accounts.add("anna", Role.SUPERVISOR, SECRET)
    browser = Browser(page)
    for _ in range(5):
        answer = browser.post(SESSION, {"name": "anna", "password": "wrong wrong wrong"})
        assert (answer.status_code, answer.json()["detail"]) == (401, "name or password is wrong")
    answer = browser.post(SESSION, {"name": "anna", "password": SECRET})
    assert answer.status_code == 429
    assert int(answer.headers["retry-after"]) >= 1


def test_a_password_that_cannot_be_one_is_not_repeated(page: Page) -> None:
    answer = Browser(page).post(SESSION, {"name": "anna", "password": ["hunter2hunter2"]})
    assert answer.status_code == 422
    assert "hunter2" not in answer.text


def test_a_change_needs_the_token_that_only_the_page_knows(page: Page) -> None:
    headers = page.session(Role.SUPERVISOR)
    decide = {"decision": "acknowledge"}
    assert Browser(page, headers).post("/api/v1/decisions", decide).status_code == 200
    for wrong in ({}, {CSRF_HEADER: "x"}):
        browser = Browser(page, {"cookie": headers["cookie"], **wrong})
        assert browser.post("/api/v1/decisions", decide).status_code == 403


@pytest.mark.parametrize(
    "sent",
    [{"origin": "https://evil.example"}, {"sec-fetch-site": "cross-site"}, {"sec-fetch-site": "same-site"},
     {"origin": "null"}],
)  # fmt: skip
def test_what_another_sites_page_sends_is_refused(page: Page, sent: dict[str, str]) -> None:
    page.accounts.add("anna", Role.SUPERVISOR, SECRET)
    browser = Browser(page, page.session(Role.SUPERVISOR))
    assert browser.post("/api/v1/decisions", {"decision": "acknowledge"}, sent).status_code == 403
    assert browser.post(SESSION, {"name": "anna", "password": SECRET}, sent).status_code == 403
    assert browser.request("delete", SESSION, sent).status_code == 403


def test_signing_out_ends_it_for_everybody_who_has_the_cookie(page: Page) -> None:
    headers = page.session(Role.OBSERVER)
    assert Browser(page, headers).request("delete", SESSION).status_code == 204
    assert Browser(page, headers).get("/api/v1/state").status_code == 401
    assert Browser(page).request("delete", SESSION).status_code == 204


def test_a_page_that_asks_by_itself_does_not_keep_the_sessions_rights(page: Page) -> None:
    browser = Browser(page, page.session(Role.OBSERVER))
    page.bench.time.pass_(800)
    assert browser.get("/api/v1/state", {BY_ITSELF_HEADER: "1"}).status_code == 200
    page.bench.time.pass_(200)
    assert browser.get("/api/v1/state").status_code == 200
    assert browser.get(SESSION).json()["read_only"] is True


def test_asking_who_is_signed_in_does_not_keep_the_sessions_rights(page: Page) -> None:
    browser = Browser(page, page.session(Role.OBSERVER))
    for _ in range(28):  # as an open page does, twice a minute
        page.bench.time.pass_(30)
        assert browser.get(SESSION).json()["read_only"] is False
    page.bench.time.pass_(61)
    assert browser.get(SESSION).json()["read_only"] is True


def test_the_description_names_every_route_and_how_it_fails(page: Page) -> None:
    described = Browser(page).get("/api/v1/openapi.json").json()
    assert described["info"]["version"] == "1"
    assert {"/session", "/state", "/stream", "/events", "/decisions", "/seats/{seat}"} <= described["paths"].keys()
    post = described["paths"]["/decisions"]["post"]["responses"]
    assert {"200", "401", "403", "409", "422", "503"} <= post.keys()
    assert "application/problem+json" in post["422"]["content"]
    assert "HTTPValidationError" not in described["components"]["schemas"]


@pytest.mark.parametrize("secure", [False, True])
def test_a_browser_has_a_place_from_the_door_on_and_keeps_it(tmp_path: Path, secure: bool) -> None:
    page = made(tmp_path, open_here=False, secure=secure)
    page.accounts.add("anna", Role.SUPERVISOR, SECRET)
    given = Browser(page).get("/sign-in").headers["set-cookie"]
    assert given.startswith("__Host-feltd-place=" if secure else "feltd-place=")
    assert "HttpOnly" in given
    assert "SameSite=strict" in given
    assert ("Secure" in given) is secure
    browser = Browser(page, {"cookie": given.split(";")[0]})
    assert "set-cookie" not in browser.get("/sign-in").headers
    for _ in range(5):
        Browser(page).post(SESSION, {"name": "anna", "password": "wrong wrong wrong"})
    told = Browser(page).post(SESSION, {"name": "anna", "password": SECRET})
    assert told.status_code == 429
    assert "feltd-place=" in told.headers["set-cookie"], "a program has one, too, when it is told to wait"
    assert "set-cookie" not in browser.post(SESSION, {"name": "anna", "password": SECRET}).headers
    page.close()


def test_the_turn_behind_a_guessers_address_is_the_owners_by_the_cookie(page: Page) -> None:
    page.accounts.add("anna", Role.SUPERVISOR, SECRET)
    owner = Browser(page, {"cookie": Browser(page).get("/sign-in").headers["set-cookie"].split(";")[0]})
    wrong = {"name": "anna", "password": "wrong wrong wrong"}
    while Browser(page).post(SESSION, wrong).status_code == 401:
        pass
    told = owner.post(SESSION, {"name": "anna", "password": SECRET})
    assert told.status_code == 429
    page.bench.time.pass_(float(told.headers["retry-after"]))
    assert Browser(page).post(SESSION, wrong).status_code == 429
    assert owner.post(SESSION, {"name": "anna", "password": SECRET}).status_code == 200
