"""The page in German, in a browser that asks for it: every page draws itself, and its scripts speak German."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from feltd.page.access.roles import Role
from tests.browser.conftest import PATIENT
from tests.browser.served import Served, served
from tests.feltd.simulated_support import simulated_table
from tests.feltd.table_support import HOLDEM

PAGES = (
    "/",
    "/history",
    "/trends",
    "/tournament",
    "/devices",
    "/account",
    "/wall",
    "/clock",
    "/history/round/2",
    "/rules",
    f"/rules/{HOLDEM}",
)
ENGLISH = re.compile(r"\b(the|and|not|with|waits|seat|cards|acknowledged|ruling|no|of|empty|cards|up)\b|STOPPED|DECIDE")


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("german"), rounds=4) as made:
        yield made


@pytest.fixture
def german(chromium: Browser, table: Served) -> Iterator[Page]:
    context = chromium.new_context(locale="de-DE")
    context.set_default_timeout(PATIENT)
    page = context.new_page()
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    yield page
    context.close()
    assert faults == []


def shown_in_german(tab: Page) -> list[str]:
    """What heads, names and works the page, but for what says itself that it is English."""
    parts = "nav, header, h2, h3, th, dt, label, button, footer"
    shown: list[str] = tab.locator(parts).evaluate_all(
        """parts => parts.map((one) => {
            const copy = one.cloneNode(true);
            for (const english of copy.querySelectorAll('[lang="en"]')) english.remove();
            return one.closest('[lang="en"]') ? "" : copy.textContent;
        })"""
    )
    return shown


def sign_in(tab: Page, table: Served) -> None:
    name, password = table.account(Role.SUPERVISOR)
    tab.goto(f"{table.address}/sign-in")
    expect(tab.locator("#band-level")).to_have_text(re.compile("^(NORMAL|ENTSCHEIDEN|GESTOPPT)$"))
    tab.get_by_label("Name").fill(name)
    tab.get_by_label("Passwort").fill(password)
    tab.get_by_role("button", name="Anmelden").click()
    tab.wait_for_url(f"{table.address}/")


def test_every_page_draws_itself_in_german_and_a_person_may_choose(german: Page, table: Served) -> None:
    sign_in(german, table)
    expect(german.get_by_role("heading", name="Regelentscheidungen")).to_be_visible()
    expect(german.locator("#live")).not_to_have_class("lost")
    expect(german.locator("#health")).to_contain_text("noch nicht auf dem Datenträger")
    expect(german.locator("#rulings li").first).to_be_visible()
    expect(german.get_by_role("button", name=re.compile(r"^Platz \d+, frei$")).first).to_be_visible()
    german.locator("#rulings summary").first.click()
    expect(german.locator("#rulings li").first).to_contain_text("Entscheidet:")
    for path in PAGES:
        german.goto(f"{table.address}{path}")
        expect(german.locator("html")).to_have_attribute("lang", "de")
        german.wait_for_load_state("networkidle") if path in {"/history", "/devices"} else None
        shown = shown_in_german(german)
        told = german.locator("dd, .device").all_inner_texts()
        assert [text for text in told if re.search(r"\d\.\d+ (ms|GB|V|s|°C)\b|(^|\W)up($|\W)", text)] == [], path
        named = [one.get_attribute("aria-label") or "" for one in german.locator("[aria-label]").all()]
        assert [text for text in shown + named if ENGLISH.search(text)] == [], path
    german.goto(f"{table.address}/history")
    expect(german.locator("#found tr").first).to_be_visible()
    german.get_by_role("link", name="English").click()
    german.wait_for_url(f"{table.address}/history")
    expect(german.get_by_role("button", name="Find")).to_be_visible()


def test_the_simulated_table_and_its_tour_are_german_too(german: Page, tmp_path: Path) -> None:
    with simulated_table(tmp_path, more=("--tour",)) as address:
        german.goto(f"{address}/simulated")
        expect(german.locator("html")).to_have_attribute("lang", "de")
        expect(german.locator("#tour-on")).to_be_visible()
        expect(german.locator("#tour-where")).to_contain_text("Fehler 1 von 5")
        expect(german.locator("#prompt")).not_to_be_empty()
        expect(german.locator("#lamps li").first).to_be_visible()
        named = [one.get_attribute("aria-label") or "" for one in german.locator("[aria-label]").all()]
        shown = shown_in_german(german)
        told = german.locator("#prompt, #tour-title, #tour-shows, #whose, #lamps li, #phase, #sounds").all_inner_texts()
        assert [text for text in shown + named + told if ENGLISH.search(text)] == []
