"""How many requests a visitor may send: the last one, one more, what comes back with time; others beside them."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.types import Receive, Scope, Send

from feltd.page.access.roles import Role
from feltd.page.api.app import PREFIX
from feltd.page.turnstile import CHANGE, BehindProxies, Turnstile
from feltd.table.config.config import Page as PageSection
from tests.feltd.page_support import SECRET, Page, limits

STATE = f"{PREFIX}/state"


@pytest.fixture
def page(tmp_path: Path) -> Iterator[Page]:
    async def made() -> Page:
        page = Page(tmp_path, open_here=False)
        page.bench.open_table()
        await page.bench.synced()
        return page

    page = asyncio.run(made())
    yield page
    page.close()


def before(page: Page, **changed: float) -> Turnstile:
    return Turnstile(page.app, limits(**changed), page.guard.visitor, lambda: page.bench.time.monotonic, page.refusals)


async def asked(
    app: Any, path: str = "/healthz", headers: dict[str, str] | None = None, *, address: str = "192.0.2.7",
    method: str = "GET", body: Any = None,
) -> httpx.Response:  # fmt: skip
    transport = httpx.ASGITransport(app=app, client=(address, 4711))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost", timeout=None) as client:
        return await client.request(method, path, headers=headers, json=body)


def statuses(
    app: Any, times: int, path: str = "/healthz", headers: dict[str, str] | None = None, **how: Any
) -> list[int]:
    async def scene() -> list[int]:
        return [(await asked(app, path, headers, **how)).status_code for _ in range(times)]

    return asyncio.run(scene())


def test_the_last_request_passes_one_more_waits_and_time_brings_it_back(page: Page) -> None:
    app = before(page, burst_per_address=3, requests_per_address=0.5)
    assert statuses(app, 4) == [200, 200, 200, 429]
    refused = asyncio.run(asked(app))
    assert refused.headers["retry-after"] == "2"
    assert refused.text == "too many requests from this address without signing in: come again in 2 seconds\n"
    page.bench.time.pass_(1.9)
    assert statuses(app, 1) == [429]
    page.bench.time.pass_(0.1)
    assert statuses(app, 2) == [200, 429]
    assert page.refusals.counts["requests"] == 4


def test_another_address_is_another_and_a_network_of_ipv6_is_one(page: Page) -> None:
    app = before(page, burst_per_address=1)
    assert statuses(app, 2) == [200, 429]
    assert statuses(app, 1, address="192.0.2.8") == [200]
    assert statuses(app, 1, address="2001:db8::1") == [200]
    assert statuses(app, 1, address="2001:db8::2") == [429]
    assert statuses(app, 1, address="2001:db8:0:1::1") == [200]


def test_whoever_is_signed_in_gets_in_while_an_observer_and_a_stranger_flood(page: Page) -> None:
    """All of them behind one address."""
    app = before(page, burst_per_address=2, burst_per_person=5)
    observer, supervisor = page.session(Role.OBSERVER), page.session(Role.SUPERVISOR)
    assert statuses(app, 7, STATE, observer) == [200] * 5 + [429] * 2
    assert statuses(app, 4, STATE) == [401, 401, 429, 429]
    assert statuses(app, 5, STATE, supervisor) == [200] * 5
    refused = asyncio.run(asked(app, STATE, observer))
    assert refused.headers["content-type"] == "application/problem+json"
    assert refused.json()["detail"].startswith("too many requests by observer: come again in ")


def test_one_account_is_one_from_wherever_it_asks(page: Page) -> None:
    app = before(page, burst_per_person=2)
    observer = page.session(Role.OBSERVER)
    again = page.session(Role.OBSERVER)
    assert statuses(app, 2, STATE, observer, address="192.0.2.1") == [200, 200]
    assert statuses(app, 1, STATE, again, address="192.0.2.2") == [429]


def test_a_browser_that_is_known_reaches_the_door_through_a_flood_from_its_own_address(page: Page) -> None:
    """Signed out, behind the same address as a stranger who floods."""
    app = before(page, burst_per_address=2)
    account = page.accounts.add("anna", Role.SUPERVISOR, SECRET)
    known = {"cookie": f"feltd-device-anna={page.guard.signing_in.devices.token(account)}"}
    forged = {"cookie": "feltd-device-anna=anna.1.2.3; feltd=none"}
    assert statuses(app, 3, "/sign-in") == [200, 200, 429]
    assert statuses(app, 1, "/sign-in", forged) == [429]
    assert statuses(app, 1, "/sign-in", known) == [200]
    signed_in = asyncio.run(
        asked(app, f"{PREFIX}/session", known, method="POST", body={"name": "anna", "password": SECRET})
    )
    assert signed_in.status_code == 200
    assert [name for name in signed_in.cookies if name.startswith("feltd-device")] == [], "it has one already"


def test_a_browser_is_known_from_the_first_sign_in_on(page: Page) -> None:
    page.accounts.add("anna", Role.SUPERVISOR, SECRET)
    signed_in = asyncio.run(
        asked(page.app, f"{PREFIX}/session", method="POST", body={"name": "anna", "password": SECRET})
    )
    token = signed_in.cookies["feltd-device-anna"]
    found = page.guard.signing_in.devices.find(token)
    assert found is not None
    assert found.account.name == "anna"
    assert asyncio.run(asked(page.app, STATE, {"cookie": f"feltd-device-anna={token}"})).status_code == 401


def test_what_changes_something_counts_more(page: Page) -> None:
    app = before(page, burst_per_person=int(CHANGE) + 1)
    supervisor = page.session(Role.SUPERVISOR)
    assert statuses(app, 2, f"{PREFIX}/decisions", supervisor, method="POST") == [422, 429]
    assert statuses(app, 2, STATE, supervisor) == [200, 429]


def test_so_many_are_under_way_and_their_end_makes_room(page: Page) -> None:
    gate = asyncio.Event()

    async def slow(scope: Scope, receive: Receive, send: Send) -> None:
        await gate.wait()
        await page.app(scope, receive, send)

    turnstile = Turnstile(slow, limits(at_once_per_address=2), page.guard.visitor, lambda: 0.0, page.refusals)

    async def scene() -> list[int]:
        first = [asyncio.ensure_future(asked(turnstile)) for _ in range(2)]
        while turnstile._under_way["address 192.0.2.7"] < 2:  # noqa: ASYNC110 - a number, no event
            await asyncio.sleep(0)
        refused = await asked(turnstile)
        assert refused.headers["retry-after"] == "1"
        gate.set()
        answers = [refused, await asked(turnstile, address="192.0.2.8"), *await asyncio.gather(*first)]
        answers.append(await asked(turnstile))
        return [answer.status_code for answer in answers]

    assert asyncio.run(scene()) == [429, 200, 200, 200, 200]
    assert not turnstile._under_way
    assert page.refusals.counts["at_once"] == 1


def test_a_request_that_fails_is_no_longer_under_way(page: Page) -> None:
    async def broken(scope: Scope, receive: Receive, send: Send) -> None:
        raise RuntimeError("broken")

    turnstile = Turnstile(broken, limits(), page.guard.visitor, lambda: 0.0, page.refusals)
    with pytest.raises(RuntimeError, match="broken"):
        asyncio.run(asked(turnstile))
    assert not turnstile._under_way


def test_accounts_that_cannot_be_read_make_everybody_a_stranger(page: Page) -> None:
    headers = page.session(Role.OBSERVER)
    page.accounts.path.write_text("{ no accounts")
    assert statuses(before(page, burst_per_address=2), 3, STATE, headers) == [503, 503, 429]


def test_a_proxy_that_is_named_says_who_asks_and_nobody_else_does(page: Page) -> None:
    named = PageSection.model_validate({"proxies": ["10.0.0.2"]}).proxies
    app = BehindProxies(before(page, burst_per_address=1), named)
    one, other = {"x-forwarded-for": "198.51.100.1"}, {"x-forwarded-for": "127.0.0.1, 198.51.100.2"}
    assert statuses(app, 2, "/healthz", one, address="10.0.0.2") == [200, 429]
    assert statuses(app, 1, "/healthz", other, address="10.0.0.2") == [200]
    assert statuses(app, 1, "/healthz", one, address="192.0.2.9") == [200]
    assert statuses(app, 1, "/healthz", other, address="192.0.2.9") == [429], "a visitor's own word makes no difference"
