"""The tour of the simulated table, read by a newcomer to its end."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from feltd.simulated.tour import STOPS
from tests.browser.test_door import violations
from tests.feltd.simulated_support import simulated_table


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A simulated table that begins with the tour: its address."""
    with simulated_table(tmp_path_factory.mktemp("tour"), more=("--tour",)) as address:
        yield address


def test_each_mistake_is_ruled_on_held_until_read_and_put_right(tab: Page, table: str) -> None:
    tab.goto(f"{table}/simulated")
    german: list[str] = []
    for number, stop in enumerate(STOPS, 1):
        expect(tab.locator("#tour-title")).to_have_text(stop.title)
        expect(tab.locator("#tour-where")).to_contain_text(f"mistake {number} of {len(STOPS)}")
        expect(tab.locator("#tour-on")).to_be_visible()
        expect(tab.locator("#tour-ruling p").first).to_be_visible()
        told = tab.request.get(f"{table}/api/v1/simulated/tour", headers={"accept-language": "de"}).json()
        german += [told["title"], told["shows"]]
        assert told["ruling"] is None or told["ruling"]["translation"]
        if number in (1, 3):
            assert violations(tab) == []
        if stop.undone is not None:
            tab.wait_for_timeout(9000)  # as long as somebody reads: nothing comes back by itself
            alarms = tab.request.get(f"{table}/api/v1/state").json()["alarms"]
            assert [alarm["over"] for alarm in alarms if alarm["kind"] in stop.kinds] == [False]
            expect(tab.locator("#band-level")).to_have_text("STOPPED")
        tab.locator("#tour-on").click()
        expect(tab.locator("#tour-on")).to_be_hidden()
    expect(tab.locator("#tour")).to_be_hidden()
    assert {text for stop in STOPS for text in (stop.title, stop.shows)} & set(german) == set()
    rulings = tab.request.get(f"{table}/api/v1/state").json()
    assert rulings["table"]["pending"] == []
    assert [alarm for alarm in rulings["alarms"] if not alarm["over"]] == []
