"""The page of a table that cannot start, with a real browser: to be read by everybody, and gone when its reason is."""

import asyncio
import threading
from collections.abc import Coroutine, Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from feltd.door import Away
from feltd.page.out_of_order import make_app
from feltd.page.server import PageServer, listen
from tests.browser.conftest import PATIENT
from tests.browser.test_door import violations
from tests.feltd.page_support import connections

LINES = ("table.toml:4: table.seats: seat 34 is not allowed", "table.toml:9: device.role: is missing")


class OutOfOrder:
    """A page that says why, and another reason when it is told to. In a thread with a loop of its own."""

    def __init__(self) -> None:
        self.reason = "a"
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever)
        self._thread.start()
        app = make_app("Table 9", self._away, "127.0.0.1")
        self.server = PageServer(app, listen("127.0.0.1", 0, connections()), None)
        self._do(self.server.start())

    def _away(self) -> Away:
        return Away(self.reason, out_of_order=True, details=LINES, may_pass=False)

    def close(self) -> None:
        self._do(self.server.stop())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _do(self, what: Coroutine[None, None, None]) -> None:
        asyncio.run_coroutine_threadsafe(what, self._loop).result()


@pytest.fixture
def out_of_order() -> Iterator[OutOfOrder]:
    made = OutOfOrder()
    yield made
    made.close()


@pytest.fixture
def tab(chromium: Browser) -> Iterator[Page]:
    context = chromium.new_context()
    context.set_default_timeout(PATIENT)
    yield context.new_page()
    context.close()


def test_it_says_what_is_wrong_an_axe_strikes_nothing_and_another_reason_takes_its_place(
    out_of_order: OutOfOrder, tab: Page
) -> None:
    tab.goto(out_of_order.server.address)
    expect(tab.get_by_role("heading", level=1)).to_have_text("Table 9: out of order")
    expect(tab.get_by_role("alert")).to_contain_text("Deal nothing")
    expect(tab.locator("#band")).to_have_text("STOPPED Out of order: deal nothing")
    expect(tab.get_by_role("listitem")).to_have_text(list(LINES))
    assert violations(tab) == []
    out_of_order.reason = "b"
    expect(tab.get_by_role("alert")).to_contain_text("cannot start: b.")
