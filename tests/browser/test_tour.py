"""The tour of the simulated table, read by a newcomer to its end."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from feltd.simulated.tour import STOPS
from tests.browser.sizes import faults_at_each_size
from tests.browser.test_door import violations
from tests.feltd.simulated_support import simulated_table

DURING = {
    "en": "This table is simulated: watch the tour of five mistakes",
    "de": "Dieser Tisch ist simuliert: die Tour durch fünf Fehler ansehen",
}
"""What the table's page says below its prompt while the tour goes on."""
AFTER = {
    "en": "This table is simulated: deal yourself, and make mistakes",
    "de": "Dieser Tisch ist simuliert: selbst geben und Fehler machen",
}
"""The same once the tour is over."""


def page_in(language: str, tab: Page, table: str) -> str:
    """The table's page as a browser of this language gets it."""
    return tab.request.get(f"{table}/", headers={"accept-language": language}).text()


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A simulated table that begins with the tour: its address."""
    with simulated_table(tmp_path_factory.mktemp("tour"), more=("--tour",)) as address:
        yield address


def test_each_mistake_is_ruled_on_held_until_read_and_put_right(tab: Page, table: str) -> None:
    tab.goto(f"{table}/")
    tab.locator("#now").get_by_role("link", name=DURING["en"]).click()
    tab.wait_for_url(f"{table}/simulated")
    assert f'<a href="/simulated">{DURING["de"]}</a>' in page_in("de", tab, table)
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
    assert f'<a href="/simulated">{AFTER["de"]}</a>' in page_in("de", tab, table)
    tab.goto(f"{table}/")
    expect(tab.locator("#now").get_by_role("link")).to_have_text(AFTER["en"])
    assert faults_at_each_size(tab) == {}
    assert violations(tab) == []
