"""Debian's own Chromium, driven by Playwright. A browser for all tests that follow each other here, a fresh profile for
each test."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, expect, sync_playwright

from feltd.page.access.roles import Role
from tests.browser.served import Served, served
from tests.chromium import CHROMIUM, REMEDY

TABLET = {"width": 768, "height": 1024}
WIDE = {"width": 1920, "height": 1080}
PATIENT = 600_000  # milliseconds: a machine with other work draws late
expect.set_options(timeout=PATIENT)


def pytest_itemcollected(item: pytest.Item) -> None:
    """Every test here starts a browser."""
    item.add_marker(pytest.mark.slow)


@pytest.fixture(scope="package")
def chromium() -> Iterator[Browser]:
    """It costs 0.7 s of a processor to start. While Playwright is at work no other loop can run in this thread, so it
    ends before a test of another folder begins."""
    if CHROMIUM is None:
        pytest.skip(REMEDY)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def table(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A table that has played four rounds, with rulings in its record. Its folder is its own. A file whose tabs look at
    another table has a fixture of this name: what a tab looks at is there for longer than the tab."""
    with served(tmp_path_factory.mktemp("table"), rounds=4) as made:
        yield made


_TOLD = ("responded with a status of 4", "responded with a status of 503", "net::ERR_INTERNET_DISCONNECTED")
"""A refusal, a floor that a busy machine has kept silent for ten seconds, and a network that a test has cut: the page
tells them, and they are no fault of its script."""


def _is_fault(said: ConsoleMessage) -> bool:
    return said.type == "error" and not any(words in said.text for words in _TOLD)


@pytest.fixture
def tab(chromium: Browser, table: object) -> Iterator[Page]:  # gone before the table is
    """A tablet's browser. Whatever its console calls an error fails the test; a refusal that the page tells is none."""
    context = chromium.new_context(viewport=TABLET)  # type: ignore[arg-type]  # a plain dict is what it takes
    context.set_default_timeout(PATIENT)
    page = context.new_page()
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda said: faults.append(said.text) if _is_fault(said) else None)
    yield page
    context.close()
    assert faults == []


def sign_in(tab: Page, table: Served, role: Role, page: str = "/") -> None:
    """Somebody of this role is in, and at a page. The page of the door is for the tests of the door: a load more."""
    name, password = table.account(role)
    said = {"name": name, "password": password}
    answer = tab.context.request.post(f"{table.address}/api/v1/session", data=said, timeout=PATIENT)
    assert answer.ok, answer.text()
    tab.goto(table.address + page)


def through_the_door(tab: Page, table: Served, role: Role) -> None:
    """As a person does."""
    name, password = table.account(role)
    tab.goto(f"{table.address}/sign-in")
    tab.get_by_label("Name").fill(name)
    tab.get_by_label("Password").fill(password)
    tab.get_by_role("button", name="Sign in").click()
    tab.wait_for_url(f"{table.address}/")
