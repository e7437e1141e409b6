"""The main pages on the five screens that people have: nothing out of the window, cut off, or over something else."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, StorageState, expect

from feltd.page.access.roles import Role
from table_fsm.events import DeviceState, ShoeShuffled
from tests.browser.conftest import PATIENT, sign_in
from tests.browser.served import Served, served
from tests.browser.sizes import SIZES, faults_of_layout
from tests.browser.test_door import DRAWN
from tests.browser.test_fit_for_all import PAGES

LANGUAGES = ("en", "de")
NO_ALARM_YET = {**PAGES, "/alarms": "#told", "/histroy": "#content a.button"}
"""With an address that has no page."""


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A table in the middle of a hand."""
    with served(tmp_path_factory.mktemp("sizes"), rounds=4) as made:
        yield made


@pytest.fixture(scope="module")
def cookies(chromium: Browser, table: Served) -> StorageState:
    """A director who has signed in once, for all tabs."""
    context = chromium.new_context()
    context.set_default_timeout(PATIENT)
    sign_in(context.new_page(), table, Role.DIRECTOR)
    kept = context.storage_state()
    context.close()
    return kept


@pytest.fixture(params=LANGUAGES)
def seen(request: pytest.FixtureRequest, chromium: Browser, cookies: StorageState) -> Iterator[Page]:
    """A director's tab, in each language: German words are longer."""
    context = chromium.new_context(storage_state=cookies, locale=request.param)
    context.set_default_timeout(PATIENT)
    yield context.new_page()
    context.close()


def layouts(tab: Page, table: Served, pages: dict[str, str]) -> dict[tuple[str, str], list[str]]:
    """What is wrong on each page at each size. `pages`: each with what is on it when it is there.

    A page is loaded once: a load takes ten times as long as to lay it out for another screen.
    """
    found = {}
    for page, there in pages.items():
        tab.goto(table.address + page)
        expect(tab.locator(there).first).to_be_visible()
        for size, viewport in SIZES.items():
            tab.set_viewport_size(viewport)  # type: ignore[arg-type]  # a plain dict is what it takes
            tab.evaluate(DRAWN)
            found[page, size] = faults_of_layout(tab)
    return {where: faults for where, faults in found.items() if faults}


def test_every_page_fits_while_a_hand_is_played(seen: Page, table: Served) -> None:
    assert layouts(seen, table, NO_ALARM_YET) == {}


def test_every_page_fits_with_alarms_and_a_ruling_that_waits(seen: Page, table: Served) -> None:
    table.take(DeviceState, device="shoe", online=False, reason="unplugged")
    table.take(ShoeShuffled, deck="blue", count=36)
    assert layouts(seen, table, PAGES) == {}


def test_on_a_phone_a_ruling_that_waits_is_seen_beside_the_alarms(seen: Page, table: Served) -> None:
    table.take(DeviceState, device="shoe", online=False, reason="unplugged")
    table.take(ShoeShuffled, deck="blue", count=36)
    seen.set_viewport_size(SIZES["phone"])  # type: ignore[arg-type]  # a plain dict is what it takes
    for page in ("/", "/history"):
        seen.goto(table.address + page)
        expect(seen.locator("#alarms > li.decide a").first).to_be_in_viewport(ratio=1)
        expect(seen.locator("#acknowledge-all")).to_be_in_viewport(ratio=1)
        part = seen.locator("#alarms-section").evaluate("one => one.offsetHeight / innerHeight")
        assert part < 0.6, "the alarms leave no room for the page"


def test_on_a_tablet_the_alarms_have_the_whole_width(seen: Page, table: Served) -> None:
    table.take(DeviceState, device="shoe", online=False, reason="unplugged")
    table.take(ShoeShuffled, deck="blue", count=36)
    seen.set_viewport_size(SIZES["tablet"])  # type: ignore[arg-type]  # a plain dict is what it takes
    seen.goto(table.address)
    expect(seen.locator("#acknowledge-all")).to_be_visible()
    widths = seen.evaluate("['alarms', 'alarms-section'].map((id) => document.getElementById(id).offsetWidth)")
    assert widths[0] > widths[1] - 50, "a button beside them takes their room"


def test_a_replay_does_not_move_the_page_under_who_steps_through_it(seen: Page, table: Served) -> None:
    seen.set_viewport_size(SIZES["phone"])  # type: ignore[arg-type]  # a plain dict is what it takes
    seen.goto(f"{table.address}/history/round/2")
    expect(seen.locator("#steps li [aria-current]").or_(seen.locator("#steps li[aria-current]"))).to_have_count(1)
    assert seen.evaluate("scrollY") == 0
    seen.locator("#on").scroll_into_view_if_needed()
    before = seen.evaluate("scrollY")
    for step in range(2, 40):
        seen.locator("#on").click()
        expect(seen.locator("#when")).to_contain_text(re.compile(rf"\b{step}\b"))
    assert seen.evaluate("scrollY") == before
    expect(seen.locator("#steps [aria-current]")).to_be_attached()
    shown = seen.locator("#steps [aria-current]").evaluate(
        "one => { const box = one.getBoundingClientRect(), list = one.parentElement.getBoundingClientRect();"
        " return box.top >= list.top - 1 && box.bottom <= list.bottom + 1; }"
    )
    assert shown, "the step that is shown is out of sight in its list"


@pytest.mark.parametrize("size", ["wide", "desk"])
def test_the_head_of_the_page_is_one_line_on_a_desk(seen: Page, table: Served, size: str) -> None:
    seen.set_viewport_size(SIZES[size])  # type: ignore[arg-type]  # a plain dict is what it takes
    seen.goto(table.address)
    expect(seen.locator("#sign-out")).to_be_visible()
    expect(seen.locator("#live")).to_be_visible()  # without words it has no place in the line
    assert one_line(seen), "its parts do not stand in one line"
    seen.evaluate(LONGEST)
    assert one_line(seen), "those of a simulated table do not stand in one line"


def one_line(seen: Page) -> bool:
    tops = seen.evaluate(
        "[...document.querySelectorAll('body > header > *')].map((one) => one.getBoundingClientRect())"
        ".map((box) => (box.top + box.bottom) / 2)"
    )
    return bool(max(tops) - min(tops) < 12)


LONGEST = """() => {
    const items = document.querySelector("nav ul");
    const more = items.lastElementChild.cloneNode(true);
    more.firstElementChild.textContent = "Simulated";
    items.append(more);
    document.querySelector("h1").textContent = "Simulated table";
    document.querySelector(".me").textContent = "surveillance, surveillance";
}"""
"""The name of a simulated table, its menu, and the account with the longest name there."""


SIDEWAYS = """() => [...document.querySelectorAll(".scroll, figure")]
    .filter((one) => one.checkVisibility() && one.scrollWidth > one.clientWidth + 1)
    .map((one) => `${one.getAttribute("aria-label") || one.tagName}: ${one.scrollWidth} px in ${one.clientWidth}`)"""


def test_no_table_and_no_picture_scrolls_sideways_on_a_phone(seen: Page, table: Served) -> None:
    seen.set_viewport_size(SIZES["phone"])  # type: ignore[arg-type]  # a plain dict is what it takes
    for page in ("/history", "/trends", "/account"):
        seen.goto(table.address + page)
        expect(seen.locator(PAGES[page]).first).to_be_visible()
        assert seen.evaluate(SIDEWAYS) == [], page
    heads = "rows => rows[0] && [...rows[0].cells].map((cell) => getComputedStyle(cell, '::before').content)"
    seen.goto(f"{table.address}/history")
    expect(seen.locator("#found tr").first).to_be_visible()
    named = seen.locator("#found tr").evaluate_all(heads)
    assert len(named) == 8
    assert "none" not in named, "each cell is named by its head"
