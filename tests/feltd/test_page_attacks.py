"""The page and the API as somebody asks them who means no good."""

import asyncio
import json
from collections.abc import AsyncGenerator, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from starlette.requests import Request

from feltd.page.access.roles import Right, Role
from feltd.page.access.sessions import LONGEST_LOOKING, LONGEST_SECONDS
from feltd.page.api import guard as guards
from feltd.page.app import ASSETS
from feltd.page.wrapping import BODY_MOST, HEADERS
from tests.feltd.history_support import recorded_page
from tests.feltd.page_support import SECRET, Browser, Page

SESSION = "/api/v1/session"
STATE = "/api/v1/state"


@pytest.fixture
def page(tmp_path: Path) -> Iterator[Page]:
    page = recorded_page(tmp_path, rounds=1)
    yield page
    page.close()


def asking(headers: dict[str, str], address: str = "127.0.0.1") -> Request:
    sent = [(name.encode(), value.encode()) for name, value in headers.items()]
    return Request({"type": "http", "method": "GET", "path": "/", "headers": sent, "client": (address, 1),
                    "scheme": "http", "query_string": b""})  # fmt: skip


# -- sessions


def test_a_session_that_somebody_else_has_chosen_is_none(page: Page) -> None:
    page.accounts.add("anna", Role.SUPERVISOR, SECRET)
    fixed = {"cookie": "feltd=chosen-by-somebody-else"}
    answer = Browser(page, fixed).post(SESSION, {"name": "anna", "password": SECRET})
    assert answer.cookies["feltd"] != "chosen-by-somebody-else"
    assert Browser(page, fixed, address="192.0.2.1").get(STATE).status_code == 401


def test_signing_in_again_ends_the_session_before(page: Page) -> None:
    before = page.session(Role.SUPERVISOR)
    Browser(page, before).post(SESSION, {"name": "supervisor", "password": SECRET})
    assert Browser(page, before, address="192.0.2.1").get(STATE).status_code == 401


def stream_of(page: Page, headers: dict[str, str], right: Right = Right.SEE) -> AsyncGenerator[str, None]:
    async def endless() -> AsyncGenerator[str, None]:
        while True:
            yield "state"

    return page.guard.while_allowed(asking(headers), right, endless())


def ends_of_sessions(page: Page, headers: dict[str, str]) -> dict[str, Any]:
    token = headers["cookie"].removeprefix("feltd=")
    return {
        "signed out": lambda: page.sessions.end(token),
        "the shift over": lambda: page.bench.time.pass_(LONGEST_SECONDS),
        "shut": lambda: page.accounts.change("supervisor", enabled=False),
        "another password": lambda: page.accounts.change("supervisor", password="another horse, another staple"),
        "removed": lambda: page.accounts.remove("supervisor"),
    }


@pytest.mark.parametrize("how", ["signed out", "the shift over", "shut", "another password", "removed"])
def test_a_stream_ends_with_the_session_it_was_asked_in(page: Page, how: str) -> None:
    headers = page.session(Role.SUPERVISOR)

    async def scene() -> None:
        stream = stream_of(page, headers)
        assert await anext(stream) == "state"
        page.bench.time.pass_(page.sessions.idle - 1)
        assert await anext(stream) == "state"  # and listening did not make the session last
        ends_of_sessions(page, headers)[how]()
        with pytest.raises(StopAsyncIteration):
            await anext(stream)

    asyncio.run(scene())


def test_a_session_left_alone_watches_on_and_takes_no_more_of_the_record(page: Page) -> None:
    headers = page.session(Role.SUPERVISOR)

    async def scene() -> None:
        table, export = stream_of(page, headers), stream_of(page, headers, Right.EXPORT)
        assert (await anext(table), await anext(export)) == ("state", "state")
        page.bench.time.pass_(page.sessions.idle + 1)
        assert await anext(table) == "state"
        with pytest.raises(StopAsyncIteration):
            await anext(export)

    asyncio.run(scene())


def test_who_may_only_look_may_look_all_evening_and_not_for_ever(page: Page) -> None:
    """A screen on the wall: nobody touches it, and nothing can be done at it."""
    headers = page.session(Role.OBSERVER)

    async def scene() -> int:
        stream, heard = stream_of(page, headers), 0
        async for _ in stream:
            heard += 1
            page.bench.time.pass_(600)
        return heard

    assert asyncio.run(scene()) == LONGEST_LOOKING / 600


@pytest.mark.parametrize("address", ["/api/v1/stream", "/api/v1/events"])
def test_the_streams_of_the_api_end_so(page: Page, address: str) -> None:
    """Through the application: the answer is whole once the account is shut, though the table goes on."""
    headers = page.session(Role.OBSERVER)

    async def scene() -> str:
        browser = Browser(page, headers, address="192.0.2.1")
        asked = asyncio.create_task(browser.ask("get", address))
        while not page.hub.browsers and not page.feed.listeners:  # noqa: ASYNC110 - a number, no event
            await asyncio.sleep(0)
        page.accounts.change("observer", enabled=False)
        page.hub.changed()
        page.bench.open_table()
        return (await asked).text

    said = asyncio.run(scene())
    assert said.count("event: state") <= 1
    assert not page.hub.browsers
    assert not page.feed.listeners


# -- other sites, other names, proxies


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"])
def test_a_form_of_another_site_is_no_request(page: Page, kind: str) -> None:
    """Kinds that a browser sends to any site without asking it first."""
    page.accounts.add("anna", Role.SUPERVISOR, SECRET)

    async def sent(address: str, headers: dict[str, str], body: dict[str, str]) -> int:
        browser = Browser(page, headers)
        answer = await browser.send("post", address, {"content-type": kind}, json.dumps(body).encode())
        return answer.status_code

    supervisor = page.session(Role.SUPERVISOR)
    assert asyncio.run(sent(SESSION, {}, {"name": "anna", "password": SECRET})) == 422
    assert asyncio.run(sent("/api/v1/decisions", supervisor, {"decision": "acknowledge"})) == 422
    without_token = {"cookie": supervisor["cookie"]}
    assert asyncio.run(sent("/api/v1/decisions", without_token, {"decision": "acknowledge"})) in {403, 422}


@pytest.mark.parametrize(
    "header", [*sorted(guards._OF_PROXIES), "x-forwarded-for", "X-Forwarded-Host", "x-forwarded-proto", "x-forwarded"]
)
def test_who_comes_through_a_proxy_on_this_machine_is_not_at_this_machine(page: Page, header: str) -> None:
    assert Browser(page).get(STATE).status_code == 200  # it is open to read here
    assert Browser(page).get(STATE, {header: "127.0.0.1"}).status_code == 401
    assert Browser(page, address="192.0.2.1").get(STATE, {header: "127.0.0.1"}).status_code == 401


@pytest.mark.parametrize(("version", "here"), [("1.0", False), ("1.1", True)])
def test_a_proxy_that_adds_no_header_and_says_this_machines_name_is_known_by_its_http(version: str, here: bool) -> None:
    """As nginx does with `proxy_pass` alone."""
    request = asking({"host": "127.0.0.1:8443"})
    request.scope["http_version"] = version
    assert guards.from_here(request) is here


def test_a_name_that_a_web_site_has_given_to_this_machine_opens_nothing(page: Page) -> None:
    assert Browser(page).get(STATE, {"host": "testserver"}).status_code == 401  # served, and yet not read by anybody
    assert Browser(page).get(STATE, {"host": "evil.example"}).status_code == 400
    for host in ("localhost:8443", "127.0.0.1", "[::1]:80"):
        assert Browser(page).get(STATE, {"host": host}).status_code in {200, 400}


# -- paths, bodies, headers


async def asked_as_it_stands(page: Page, path: str, cookie: str) -> tuple[int, str | None, str]:
    """Status, place and text for a path that no client has put in order."""
    said: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Any) -> None:
        said.append(dict(message))

    scope = {
        "type": "http", "method": "GET", "path": unquote(path), "raw_path": path.encode(), "root_path": "",
        "query_string": b"", "scheme": "http", "server": ("localhost", 80), "client": ("192.0.2.1", 1),
        "headers": [(b"host", b"localhost"), (b"cookie", cookie.encode())],
    }  # fmt: skip
    await page.app(scope, receive, send)
    headers = dict(said[0]["headers"])
    text = b"".join(message.get("body", b"") for message in said[1:])
    return said[0]["status"], headers.get(b"location"), text.decode()


@pytest.mark.parametrize(
    "path",
    ["/static/../app.py", "/static/..%2fapp.py", "/static/%2e%2e/app.py", "/static//etc/passwd", "//evil.example/",
     "/rules/../../accounts.json", "/rules/..%2f..%2faccounts.json", "/history/", "/api/v1//state", "/api/v1/state/",
     "/API/V1/STATE", "/history/round/1/../../..", "/history/round/0", "/history/round/1e3", "/static/page.css%00.js"],
)  # fmt: skip
def test_paths_that_try_to_get_elsewhere_get_nowhere(page: Page, path: str) -> None:
    status, location, text = asyncio.run(asked_as_it_stands(page, path, page.session(Role.DIRECTOR)["cookie"]))
    assert status in {404, 405, 422}
    assert location is None
    assert str(page.bench.journal.path.parent) not in text


def test_a_body_that_is_too_large_is_refused_by_what_it_says_and_by_what_it_sends(page: Page) -> None:
    async def sent(body: Any, headers: dict[str, str]) -> Any:
        return await Browser(page).send("post", SESSION, {"content-type": "application/json", **headers}, body)

    async def pieces() -> AsyncGenerator[bytes, None]:
        yield b'{"name": "'
        for _ in range(BODY_MOST // 1024 + 1):
            yield b"x" * 1024

    for answer in (
        asyncio.run(sent(b"x" * (BODY_MOST + 1), {})),
        asyncio.run(sent(pieces(), {})),
        asyncio.run(sent(b"{}", {"content-length": "9" * 30})),
    ):
        assert answer.status_code == 413
        assert answer.json()["status"] == 413


@pytest.mark.parametrize("body", [b"[" * 60_000, b'{"name":' * 8000, b"\xff\xfe", b"null", b"1e999", b'"\\ud800"'])
def test_bodies_that_are_traps_are_not_understood(page: Page, body: bytes) -> None:
    answer = asyncio.run(Browser(page).send("post", SESSION, {"content-type": "application/json"}, body))
    assert answer.status_code == 422
    assert answer.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize(
    "path", ["/", "/sign-in", STATE, SESSION, "/nothing", "/static/page.css", "/metrics", "/rules", "/api/v1/rounds",
             "/api/v1/rounds/1/export", "/api/v1/trends/rounds.svg"],
)  # fmt: skip
def test_every_answer_carries_the_headers_and_nothing_private_is_kept(page: Page, path: str) -> None:
    answer = Browser(page, page.session(Role.SUPERVISOR)).get(path)
    assert {name: answer.headers.get(name) for name in HEADERS} == HEADERS
    public = path.startswith(("/static/", "/rules"))
    assert (answer.headers["cache-control"] == "no-store") is not public
    policy = answer.headers["content-security-policy"]
    assert "unsafe" not in policy
    assert "default-src 'none'" in policy


def test_no_template_and_no_script_has_anything_inline() -> None:
    from importlib.resources import files

    for template in (files("feltd.page") / "templates").iterdir():
        text = template.read_text()
        assert " style=" not in text, template.name
        assert not any(f" on{kind}=" in text for kind in ("click", "load", "error", "submit", "change", "input"))
    for name in ASSETS:
        if name.endswith(".js"):
            text = (files("feltd.page") / "static" / name).read_text()
            assert not any(word in text for word in ("innerHTML", "outerHTML", "insertAdjacentHTML", "eval(")), name


def test_accounts_that_cannot_be_read_are_a_problem_that_names_no_file(page: Page) -> None:
    headers = page.session(Role.OBSERVER)
    page.accounts.path.write_text("{ no accounts")
    for answer in (
        Browser(page, headers).get(STATE),
        Browser(page, headers).get("/history"),
        Browser(page).post(SESSION, {"name": "anna", "password": SECRET}),
    ):
        assert answer.status_code == 503
        assert str(page.accounts.path) not in answer.text
        assert answer.json()["detail"] == "the accounts cannot be read: feltd's log says why"


def test_passwords_are_compared_one_at_a_time_and_few_wait(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each comparison takes 64 MiB: however many ask, one is computed, and a flood is told to come again."""
    import threading

    from feltd.page.access import signing_in
    from feltd.page.access.comparing import WAITING_MOST

    running, most = 0, 0
    lock, gate = threading.Lock(), threading.Event()

    def slow(*_: Any, **__: Any) -> bool:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        gate.wait(600)
        with lock:
            running -= 1
        return False

    monkeypatch.setattr(signing_in, "is_right", slow)
    waiting = WAITING_MOST + 1  # and the one that is computed

    async def scene() -> list[int]:
        asked = [
            asyncio.create_task(
                Browser(page, address=f"192.0.2.{n}").ask("post", SESSION, body={"name": f"n{n}", "password": "x"})
            )
            for n in range(30)
        ]
        while sum(one.done() for one in asked) < 30 - waiting:  # noqa: ASYNC110 - tasks, no event
            await asyncio.sleep(0)
        gate.set()
        return [answer.status_code for answer in await asyncio.gather(*asked)]

    answers = asyncio.run(scene())
    assert most == 1
    assert 30 - waiting <= answers.count(429) <= 30 - WAITING_MOST  # one may have begun before all have come
    assert page.refusals.counts["sign_ins"] == answers.count(429)
