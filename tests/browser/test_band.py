"""The status band on every page, and the wall view for the pit, in a real browser."""

import pytest
from playwright.sync_api import Browser, Page, expect

from feltd.page.access.roles import Role
from table_fsm.events import DeviceState, ShoeCard, ShoeCleared, ShoeFault, ShoeShuffled, Supervisor, TestMode
from table_fsm.felt import Decision
from tests.browser.conftest import PATIENT, WIDE, sign_in
from tests.browser.served import Served
from tests.browser.test_alarms import PAGES
from tests.browser.test_door import violations

MILLIMETRE = 1080 / 299
"""Pixels of a 24-inch screen of 1920×1080."""
NINE = ("shoe", "reader:seats", "reader:board", "reader:dealer", "markers", "badge", "dropbox", "keys", "indicators")
"""Every device of a table."""
CAPITAL = 0.7
"""The height of a capital letter in its font's size."""


def test_the_band_is_on_every_page_and_follows_the_table(tab: Page, table: Served) -> None:
    sign_in(tab, table, Role.SUPERVISOR)
    band = tab.locator("#band")
    for page in PAGES:
        tab.goto(table.address + page)
        expect(tab.locator("#live")).to_have_text("live")
        expect(band).to_contain_text("NORMAL")
    table.take(ShoeShuffled, deck="blue", count=36)
    expect(band).to_contain_text("DECIDE")
    expect(band).to_contain_text("Supervisor decides: The deck is short")
    assert violations(tab, "#band") == []
    table.take(ShoeFault, kind="jam")
    expect(band).to_contain_text("STOPPED")
    expect(band).to_contain_text("Jam: shoe")
    assert violations(tab, "#band") == []
    table.do(lambda page: page.hub.close())
    expect(band).to_contain_text("NOT LIVE")


def test_the_rulebooks_the_clock_and_the_door_have_the_band_too(tab: Page, table: Served) -> None:
    level, words = tab.locator("#band-level"), tab.locator("#band-words")
    outside = ("/sign-in", "/rules", "/rules/tas-2018-holdem")
    for page in outside:
        tab.goto(table.address + page)
        expect(level).to_have_text("NORMAL")
    table.take(ShoeFault, kind="jam")
    for page in outside:
        tab.goto(table.address + page)
        expect(level).to_have_text("STOPPED")
        expect(words).to_have_text("Deal nothing")  # nobody is signed in: no cause
        assert violations(tab, "#band") == []
    sign_in(tab, table, Role.OBSERVER)
    for page in (*outside[1:], "/clock", "/account"):
        tab.goto(table.address + page)
        expect(level).to_have_text("STOPPED")
        expect(words).to_contain_text("Jam: shoe")
        assert violations(tab, "#band") == []
    tab.goto(table.address + "/rules")
    expect(level).to_have_text("STOPPED")
    tab.context.set_offline(True)
    expect(level).to_have_text("NOT LIVE")


def test_the_wall_view_is_readable_at_four_metres(tab: Page, table: Served) -> None:
    sign_in(tab, table, Role.OBSERVER)
    tab.set_viewport_size(WIDE)  # type: ignore[arg-type]  # a plain dict is what it takes
    tab.get_by_role("link", name="Wall view").click()
    expect(tab.locator("#level")).to_have_text("NORMAL")
    table.take(ShoeFault, kind="jam")
    expect(tab.locator("#level")).to_have_text("STOPPED")
    expect(tab.locator("#words")).to_contain_text("Jam: shoe")
    for name in ("#level", "#words", "#prompt"):
        size = float(tab.locator(name).evaluate("one => parseFloat(getComputedStyle(one).fontSize)"))
        assert size * CAPITAL / MILLIMETRE >= 19, name
    for width, height in ((1920, 1080), (1280, 800), (768, 1024), (1024, 768), (390, 844)):
        tab.set_viewport_size({"width": width, "height": height})
        outside = tab.evaluate(
            "[...document.querySelectorAll('#pit > *')].filter(one => one.getBoundingClientRect().bottom > innerHeight"
            " || one.scrollWidth > innerWidth).map(one => one.id)"
        )
        assert outside == [], (width, height)
        assert violations(tab) == []


@pytest.mark.parametrize("language", ["en", "de"])
def test_the_wall_view_shows_the_whole_remedy_of_many_causes(
    chromium: Browser, tab: Page, table: Served, language: str
) -> None:
    sign_in(tab, table, Role.OBSERVER)
    table.take(ShoeShuffled, deck="blue", count=52)
    table.take(ShoeCard, deck="blue")
    table.take(ShoeFault, kind="jam")
    for device in ("reader:seats", "reader:board", "reader:dealer", "shoe", "markers", "badge", "dropbox", "keys"):
        table.take(DeviceState, device=device, online=False, reason="unplugged")
    context = chromium.new_context(locale=language, storage_state=tab.context.storage_state())
    context.set_default_timeout(PATIENT)
    wall = context.new_page()
    for width, height in ((1920, 1080), (1280, 800), (768, 1024), (1024, 768), (390, 844)):
        wall.set_viewport_size({"width": width, "height": height})
        wall.goto(f"{table.address}/wall")
        remedy = "Decide on the card." if language == "en" else "Über die Karte entscheiden."
        expect(wall.locator("#prompt")).to_contain_text(remedy)
        expect(wall.locator("#here")).not_to_be_empty()
        assert wall.locator("#words").inner_text().split("; ")[0] not in wall.locator("#prompt").inner_text()
        cut = wall.evaluate(
            """() => {
                const room = document.getElementById("pit").getBoundingClientRect();
                const lines = [...document.querySelectorAll("#pit > *")].filter((one) => {
                    const box = one.getBoundingClientRect();
                    return box.bottom > Math.min(room.bottom, innerHeight) + 2 || box.top < room.top - 2
                        || one.scrollWidth > one.clientWidth + 2 || getComputedStyle(one).webkitLineClamp !== "none";
                });
                return lines.map((one) => one.id);
            }"""
        )
        assert cut == [], (width, height)
    context.close()


def test_while_play_is_stopped_no_screen_orders_a_card(tab: Page, table: Served) -> None:
    sign_in(tab, table, Role.SUPERVISOR)
    table.take(ShoeFault, kind="jam")
    remedy = "Stop dealing. Free the card in the supervisor's sight. Decide on the card."
    sizes = ((1920, 1080), (1280, 800), (768, 1024), (1024, 768), (390, 844))
    for page, prompt in (("/", f"Jam: shoe. {remedy}"), ("/wall", remedy)):
        tab.goto(table.address + page)
        expect(tab.locator("#prompt")).to_have_text(prompt)
        for width, height in sizes:
            tab.set_viewport_size({"width": width, "height": height})
            expect(tab.locator("#prompt")).to_be_visible()
            assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth"), (page, width)
    table.take(ShoeCleared, kind="jam")
    table.take(Supervisor, decision=Decision.ACKNOWLEDGE, staff="s1")
    expect(tab.locator("#prompt")).not_to_contain_text("Stop dealing")
    tab.goto(table.address + "/")
    tab.context.set_offline(True)
    expect(tab.locator("#band-level")).to_have_text("NOT LIVE")
    expect(tab.locator("#prompt")).to_be_hidden()  # an old order is none


@pytest.mark.parametrize("page", ["/", "/wall"])
def test_where_nine_devices_are_away_every_screen_says_that_and_orders_no_card(
    tab: Page, table: Served, page: str
) -> None:
    sign_in(tab, table, Role.SUPERVISOR, page)
    table.take(ShoeShuffled, deck="blue", count=52)
    prompt, ordered = tab.locator("#prompt"), "Cut the cards"
    expect(prompt).to_contain_text(ordered)  # not the prompt of before the shuffle, which a slow page still shows
    for device in NINE:
        table.take(DeviceState, device=device, online=False, reason="unplugged")
    shown = tab.locator("#prompt, #words, #band-words").filter(has_text="9 devices offline: check the USB hub")
    expect(shown.first).to_be_visible()
    expect(tab.locator("#band-level, #level")).to_have_text("STOPPED")
    expect(prompt).to_contain_text("Check the device's plug and its supply.")
    expect(prompt).not_to_contain_text(ordered)
    for device in NINE:
        table.take(DeviceState, device=device, online=True)
    expect(prompt).to_contain_text(ordered)


def test_state_and_order_are_read_at_two_metres_and_the_whole_width_is_used(tab: Page, table: Served) -> None:
    sign_in(tab, table, Role.SUPERVISOR)
    tab.set_viewport_size(WIDE)  # type: ignore[arg-type]  # a plain dict is what it takes
    table.take(ShoeFault, kind="jam")
    for name, least in (("#band-level", 9), ("#prompt", 8.5), ("#band-words", 6)):
        expect(tab.locator(name)).not_to_be_empty()
        size = float(tab.locator(name).evaluate("one => parseFloat(getComputedStyle(one).fontSize)"))
        assert size * CAPITAL / MILLIMETRE >= least, name
    boxes = tab.locator("#content .column").evaluate_all("all => all.map((one) => one.getBoundingClientRect())")
    assert min(box["left"] for box in boxes) <= 24
    assert max(box["right"] for box in boxes) >= WIDE["width"] - 24


@pytest.mark.parametrize("page", ["/", "/wall"])
def test_the_level_is_told_by_a_word_and_a_sign_beside_its_colour(tab: Page, table: Served, page: str) -> None:
    sign_in(tab, table, Role.SUPERVISOR, page)
    level = tab.locator("#band-level, #level")
    signs = []
    for event, fields, word in (
        (None, {}, "NORMAL"),
        (ShoeShuffled, {"deck": "blue", "count": 36}, "DECIDE"),
        (ShoeFault, {"kind": "jam"}, "STOPPED"),
    ):
        if event is not None:
            table.take(event, **fields)
        expect(level).to_have_text(word)
        signs.append(level.evaluate("one => getComputedStyle(one, '::before').content"))
    assert len(set(signs)) == 3


def test_test_mode_is_told_on_every_page(tab: Page, table: Served) -> None:
    sign_in(tab, table, Role.SUPERVISOR)
    banner = tab.get_by_text("Test mode: devices are being tested, no round starts")
    expect(tab.locator("#live")).to_have_text("live")
    expect(banner).to_be_hidden()
    table.take(TestMode, on=True)
    expect(banner).to_be_visible()
    for page in (*PAGES, "/clock", "/wall"):
        tab.goto(table.address + page)
        expect(banner).to_be_visible()
        assert violations(tab, "#testing") == []
    tab.set_viewport_size(WIDE)  # type: ignore[arg-type]  # a plain dict is what it takes
    assert tab.evaluate("document.documentElement.scrollHeight <= innerHeight"), "the wall view does not scroll"
    table.take(TestMode, on=False)
    expect(banner).to_be_hidden()
