"""What must not be missed, in a real browser: on every page, wherever it is scrolled to, to be seen and to be heard."""

import re
from functools import partial
from typing import Final

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from feltd.page.access.roles import Role
from feltd.table.keeper.deliveries import Delivery
from table_fsm.events import DeviceState, FloorCalled, ShoeCard, ShoeCleared, ShoeFault, ShoeShuffled, Supervisor
from table_fsm.felt import Decision
from tests.browser.conftest import sign_in
from tests.browser.served import Served
from tests.browser.sizes import SIZES, faults_of_layout
from tests.feltd.page_support import Page as TablePage

PAGES = [
    "/",
    "/history",
    "/alarms",
    "/history/round/2",
    "/history/round/2/report",
    "/trends",
    "/tournament",
    "/devices",
]
SOUNDS = """() => {
    window.sounded = 0;
    const start = OscillatorNode.prototype.start;
    OscillatorNode.prototype.start = function (...when) {
        document.documentElement.dataset.sounded = window.sounded += 1;
        return start.apply(this, when);
    };
}"""


def test_an_alarm_comes_to_every_page_and_stays_in_sight(tab: Page, table: Served) -> None:
    sign_in(tab, table, Role.SUPERVISOR)
    alarms = tab.get_by_role("region", name="Alarms")
    for page in PAGES:
        tab.goto(table.address + page)
        expect(tab.locator("#live")).to_have_text("live")
        expect(alarms, page).to_be_hidden()
        table.take(ShoeFault, kind="jam")
        expect(alarms, page).to_contain_text(re.compile(r"Jam: shoe\s*Active \d+ s, not acknowledged"))
        expect(tab.locator("#alarm-said")).to_contain_text("Jam: shoe")
        expect(tab).to_have_title(re.compile("^⚠ "))
        tab.mouse.wheel(0, 5000)
        expect(alarms.get_by_role("listitem").first, page).to_be_in_viewport()
        table.take(ShoeCleared, kind="jam")
        table.take(Supervisor, decision=Decision.ACKNOWLEDGE, staff="s1")
        expect(alarms, page).to_be_hidden()


def test_it_goes_when_it_is_over_and_was_seen_and_not_before(tab: Page, table: Served) -> None:
    sign_in(tab, table, Role.SUPERVISOR, "/trends")
    table.take(ShoeFault, kind="jam")
    table.take(ShoeCleared, kind="jam")
    alarms = tab.locator("#alarms")
    expect(alarms).to_contain_text("Cleared, not acknowledged")
    expect(tab.locator("#alarms-section")).to_have_css("position", "sticky")
    tab.get_by_role("button", name="Acknowledge all").click()
    expect(alarms).not_to_contain_text("Jam")


def test_who_may_not_decide_sees_it_and_cannot_put_it_away(tab: Page, table: Served) -> None:
    sign_in(tab, table, Role.TECHNICIAN)
    table.take(ShoeFault, kind="jam")
    expect(tab.get_by_role("region", name="Alarms")).to_be_visible()
    expect(tab.get_by_role("button", name="Acknowledge all")).to_be_hidden()


def test_a_ruling_that_waits_is_told_on_every_page_and_leads_to_itself(tab: Page, table: Served) -> None:
    sign_in(tab, table, Role.SUPERVISOR, "/history")
    table.take(ShoeShuffled, deck="blue", count=36)
    waits = tab.locator("#alarms > li")
    expect(waits).to_have_count(1)  # the alarm and its ruling are one line
    expect(waits).to_contain_text("The deck is short")
    expect(waits).to_contain_text("waits for the supervisor")
    waits.get_by_role("link", name="Decide").click()
    ruling = tab.locator("#rulings li.sought")
    expect(ruling).to_be_in_viewport()
    ruling.get_by_role("button", name="Play on").click()
    tab.get_by_label("Reason").fill("counted: 52")
    tab.get_by_role("dialog").get_by_role("button", name="Play on").click()
    expect(tab.locator("#rulings li").first).to_contain_text("play on, by supervisor (counted: 52)")
    expect(tab.locator("#alarms")).not_to_contain_text("waits for")


def test_it_is_heard_again_and_again_where_somebody_wants_that_and_on_the_next_page_too(
    tab: Page, table: Served
) -> None:
    tab.add_init_script(f"({SOUNDS})()")
    sign_in(tab, table, Role.SUPERVISOR)
    sound = tab.get_by_role("button", name="Sound")
    expect(sound).to_have_attribute("aria-pressed", "false")
    table.take(ShoeFault, kind="jam")
    expect(tab.get_by_role("region", name="Alarms")).to_be_visible()
    heard = tab.locator("html[data-sounded]")
    expect(heard).to_have_count(0)
    sound.click()
    expect(sound).to_have_attribute("aria-pressed", "true")
    expect(heard).to_have_count(1)
    tab.clock.install()
    tab.goto(f"{table.address}/history")
    expect(tab.get_by_role("region", name="Alarms")).to_be_visible()
    expect(tab.get_by_role("button", name=re.compile("^Sound"))).to_have_attribute("aria-pressed", "true")
    tab.get_by_role("heading", level=1).click()  # a browser lets a page sound once somebody has touched it
    expect(tab.get_by_role("button", name="Sound", exact=True)).to_be_visible()
    before = tab.evaluate("window.sounded")
    tab.clock.fast_forward(11_000)
    expect(heard).not_to_have_attribute("data-sounded", str(before))


def test_a_press_is_not_lost_when_everything_is_drawn_anew_under_it(tab: Page, table: Served) -> None:
    sign_in(tab, table, Role.SUPERVISOR)
    tab.get_by_role("button", name="Seat 7, empty").hover()
    tab.mouse.down()
    rulings = tab.locator("#rulings > li")
    before = rulings.count()
    table.take(ShoeShuffled, deck="blue", count=36)
    expect(rulings).to_have_count(before + 1)
    tab.mouse.up()
    expect(tab.get_by_role("dialog", name="Seat 7")).to_be_visible()
    tab.keyboard.press("Escape")
    confirm = tab.locator("#rulings li.waits").get_by_role("button", name="Confirm")
    confirm.hover()
    tab.mouse.down()
    table.take(ShoeFault, kind="jam")
    expect(tab.locator("#alarm-said")).to_contain_text("Jam")
    tab.mouse.up()
    expect(tab.get_by_role("dialog", name=re.compile("^Confirm: ruling"))).to_be_visible()
    expect(rulings).to_have_count(before + 2)


@pytest.mark.parametrize("size", [(1280, 800), (390, 844)], ids=["desk", "phone"])
def test_two_hundred_alarms_are_lines_by_cause_and_the_button_stays_in_sight(
    tab: Page, table: Served, size: tuple[int, int]
) -> None:
    tab.set_viewport_size({"width": size[0], "height": size[1]})
    sign_in(tab, table, Role.SUPERVISOR)
    expect(tab.locator("#live")).to_have_text("live")

    def flood(page: TablePage) -> None:
        for kind in ("jam", "motor", "sensor"):
            page.bench.take(ShoeFault, kind=kind)
        for number in range(197):
            page.bench.take(DeviceState, device=f"reader:{number}", online=False)

    table.do(flood)
    lines = tab.locator("#alarms > li")
    expect(lines).to_have_count(4)
    expect(lines.last).to_contain_text("197 devices offline: check the USB hub and its supply")
    expect(lines.last).to_contain_text("First: Device offline: reader:0. Active")
    every = tab.get_by_role("button", name="Acknowledge all (200)")
    lines.last.locator("summary").click()
    expect(lines.last.locator("ol > li")).to_have_count(197)
    tab.mouse.wheel(0, 5000)
    expect(every).to_be_in_viewport(ratio=1)
    height = tab.locator("#alarms-section").evaluate("one => one.offsetHeight / innerHeight")
    assert height < 0.6, "the alarms leave no room for the table"
    lines.last.get_by_role("button", name="Acknowledge these 197").click()
    expect(tab.get_by_role("button", name="Acknowledge all (3)")).to_be_in_viewport(ratio=1)
    tab.get_by_role("button", name="Acknowledge all (3)").click()
    expect(tab.locator("#acknowledge-all")).to_be_hidden()


NARROW = """lines => lines.map((one) => {
    const parts = [".times", "b"].map((part) => one.querySelector(`:scope > ${part}`));
    const words = parts.find((part) => part.checkVisibility()).getBoundingClientRect();
    return [words.width / one.getBoundingClientRect().width, one.querySelector("b").textContent];
}).filter(([share]) => share < 0.45)"""


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("size", SIZES)
def test_in_a_flood_at_a_table_that_waits_for_decisions_each_line_keeps_its_words(
    chromium: Browser, tab: Page, table: Served, size: str, language: str
) -> None:
    """A jam and two more faults of the shoe have a ruling each: one link, whose buttons leave the words their room."""
    sign_in(tab, table, Role.SUPERVISOR, f"/language/{language}")
    tab.set_viewport_size(SIZES[size])  # type: ignore[arg-type]  # a plain dict is what it takes
    tab.goto(table.address)
    expect(tab.locator("#live")).to_have_text("live")

    def flood(page: TablePage) -> None:
        page.bench.take(DeviceState, device="shoe", online=False)
        page.bench.take(ShoeShuffled, deck="blue", count=36)
        for kind in ("jam", "motor", "sensor"):
            page.bench.take(ShoeFault, kind=kind)
        for number in range(195):
            page.bench.take(DeviceState, device=f"reader:{number}", online=False)

    table.do(flood)
    lines = tab.locator("#alarms > li")
    expect(lines).to_have_count(5)
    first = lines.first
    expect(first).to_contain_text("Gerät offline: Schlitten." if language == "de" else "First: Device offline: shoe.")
    for part in ("b", ".times") if size == "phone" else ("b", ".times", "small"):  # a group's words have the remedy
        expect(lines.locator(f":scope > {part}").first).to_be_in_viewport(ratio=1)
    expect(lines.nth(1).locator(".tools a")).to_contain_text("Entscheiden (3)" if language == "de" else "Decide (3)")
    assert lines.evaluate_all(NARROW) == []
    assert faults_of_layout(tab) == []
    expect(tab.locator("#acknowledge-all")).to_be_in_viewport(ratio=1)


def test_on_a_phone_the_gravest_alarm_says_what_to_do_and_a_ruling_that_waits_stays_in_sight(
    tab: Page, table: Served
) -> None:
    tab.set_viewport_size({"width": 390, "height": 844})
    sign_in(tab, table, Role.SUPERVISOR)
    table.take(ShoeShuffled, deck="blue", count=52)
    table.take(ShoeCard, deck="blue")
    table.take(ShoeFault, kind="jam")
    for device in ("reader:seats", "reader:board", "reader:dealer", "shoe", "markers", "badge", "dropbox", "keys"):
        table.take(DeviceState, device=device, online=False, reason="unplugged")
    lines = tab.locator("#alarms > li")
    expect(lines.nth(1)).to_contain_text("8 devices offline")
    expect(lines.first.locator("small")).to_contain_text("Stop dealing.")
    expect(lines.first.locator("small")).to_be_in_viewport(ratio=1)
    expect(tab.locator("#alarms > li.decide a").first).to_be_in_viewport(ratio=1)
    expect(tab.locator("#acknowledge-all")).to_be_in_viewport(ratio=1)


COVERED: Final = """one => {
    const box = one.getBoundingClientRect();
    const corners = [box.top + 3, box.bottom - 3].map((y) => document.elementFromPoint(box.left + box.width / 2, y));
    return corners.some((seen) => seen !== one);
}"""


@pytest.mark.parametrize("language", ["en", "de"])
def test_on_a_phone_a_ruling_that_waits_covers_no_button_of_the_gravest_alarm(
    tab: Page, table: Served, language: str
) -> None:
    sign_in(tab, table, Role.SUPERVISOR, f"/language/{language}")
    tab.set_viewport_size(SIZES["phone"])  # type: ignore[arg-type]  # a plain dict is what it takes
    tab.goto(table.address)
    table.take(DeviceState, device="reader:seats", online=False, reason="unplugged")
    table.take(ShoeShuffled, deck="blue", count=36)
    waits = tab.locator("#alarms > li.decide")
    expect(waits).to_have_css("position", "sticky")
    expect(waits.locator("a, button")).to_have_count(2)
    first = tab.locator("#alarms > li").first
    expect(first).to_have_class("high")
    for button in (first.get_by_role("button"), *waits.locator("a, button").all(), tab.locator("#acknowledge-all")):
        expect(button).to_be_in_viewport(ratio=1)
        assert not button.evaluate(COVERED), button
    expect(first.locator("small")).to_be_in_viewport(ratio=1)
    assert faults_of_layout(tab) == []


def test_one_alarm_of_a_group_is_acknowledged_alone_and_the_gravest_is_on_top(tab: Page, table: Served) -> None:
    sign_in(tab, table, Role.SUPERVISOR)
    table.take(FloorCalled, by="dealer")
    for device in ("reader:board", "badge"):
        table.take(DeviceState, device=device, online=False)
    lines = tab.locator("#alarms > li")
    expect(lines).to_have_text(
        [
            re.compile("^[A-Z][a-z]+: 2 devices offline"),
            re.compile("^Medium: Floor called.*Go to the table", re.S),
        ]
    )
    signs = [line.evaluate("one => getComputedStyle(one, '::before').content") for line in lines.all()]
    assert len(set(signs)) == 2
    lines.first.locator("summary").click()
    badge = lines.first.locator("ol > li").filter(has_text="badge")
    box = badge.get_by_role("button", name="Acknowledge").bounding_box()
    assert box is not None
    assert box["height"] >= 44
    badge.get_by_role("button", name="Acknowledge").click()
    expect(lines).to_have_count(3)
    expect(lines.last).to_contain_text(re.compile(r"Device offline: badgeActive \d+ s, acknowledged"))


def calls_floor(page: TablePage, by: str) -> None:
    page.bench.time.pass_(1.0)
    page.bench.keeper.deliver(Delivery("keys", lambda t: [FloorCalled(t=t, by=by)], None))


def test_an_acknowledgement_takes_no_alarm_along_that_its_line_does_not_name(tab: Page, table: Served) -> None:
    sign_in(tab, table, Role.SUPERVISOR)
    for number in range(1, 7):
        table.take(DeviceState, device=f"reader:{number}", online=False)
    for number in range(1, 5):
        table.take(DeviceState, device=f"reader:{number}", online=True)
    for by in ("seat:2", "seat:4"):
        table.do(partial(calls_floor, by=by))
    table.take(ShoeFault, kind="jam")
    table.take(ShoeCleared, kind="jam")
    table.take(ShoeFault, kind="motor")
    lines = tab.locator("#alarms > li")
    lines.filter(has_text="4 devices offline").get_by_role("button", name="Acknowledge these 4").click()
    expect(lines.filter(has_text="4 devices offline")).to_have_count(0)
    active = lines.filter(has_text="2 devices offline")
    expect(active).to_contain_text("not acknowledged")
    calls = lines.filter(has_text="2 calls for the floor")
    calls.locator("summary").click()
    calls.locator("ol > li").filter(has_text="seat 2").get_by_role("button", name="Acknowledge").click()
    expect(lines.filter(has_text="Floor called: seat 4")).to_contain_text("not acknowledged")
    lines.filter(has_text="Jam").get_by_role("button", name="Acknowledge").click()
    expect(lines.filter(has_text="Jam")).to_have_count(0)
    expect(lines.filter(has_text="Motor")).to_contain_text("not acknowledged")
    lines.filter(has_text="Motor").get_by_role("button", name="Acknowledge").click()
    expect(lines.filter(has_text="Motor")).not_to_contain_text("not acknowledged")
    expect(active).to_contain_text("not acknowledged")
    every = tab.get_by_role("button", name="Acknowledge all (3)")

    def meanwhile(asked: Route) -> None:
        table.do(partial(calls_floor, by="seat:3"))
        asked.continue_()

    tab.route("**/api/v1/decisions", meanwhile)
    every.click()
    expect(tab.get_by_role("button", name="Acknowledge all (1)")).to_be_visible()
    expect(lines.filter(has_text="Floor called: seat 3")).to_contain_text("not acknowledged")


def test_an_alarm_is_silenced_until_the_next_comes(tab: Page, table: Served) -> None:
    tab.add_init_script(f"({SOUNDS})()")
    tab.clock.install()
    sign_in(tab, table, Role.SUPERVISOR)
    tab.get_by_role("button", name="Sound").click()
    table.take(FloorCalled, by="dealer")
    silence = tab.get_by_role("button", name="Silence")
    silence.click()
    expect(silence).to_be_hidden()
    before = tab.evaluate("window.sounded")
    tab.clock.fast_forward(11_000)
    assert tab.evaluate("window.sounded") == before
    expect(tab.get_by_role("region", name="Alarms")).to_contain_text("not acknowledged")
    table.take(ShoeFault, kind="jam")
    expect(silence).to_be_visible()
    assert tab.evaluate("window.sounded") >= before + 3, "a high alarm has three tones"


HIDDEN = """(hidden) => {
    Object.defineProperty(document, "hidden", { configurable: true, get: () => hidden });
    document.dispatchEvent(new Event("visibilitychange", { bubbles: true }));
}"""


SLOWED = """
const every = window.setInterval;
window.setInterval = (call, wait, ...more) => every(call, Math.max(wait, 600000), ...more);
"""
"""Timers of a page as a browser slows them where nobody sees it, and more so. A worker's are its own."""


def wait_for_lines(tab: Page, table: Served, count: int) -> None:
    """Until so many pages hold a line to the table."""
    while table.do(lambda page: page.hub.browsers) != count:
        tab.wait_for_timeout(50)


@pytest.mark.parametrize("page", ["/history", "/alarms", "/trends", "/history/round/2", "/account"])
def test_a_tab_behind_others_tells_an_alarm_and_never_an_old_state(tab: Page, table: Served, page: str) -> None:
    tab.add_init_script(SLOWED)
    sign_in(tab, table, Role.SUPERVISOR, page)
    expect(tab.locator("#live")).to_have_text("live")
    tab.evaluate(HIDDEN, True)
    wait_for_lines(tab, table, 0)
    table.take(ShoeFault, kind="jam")
    expect(tab).to_have_title(re.compile("^⚠ "))
    expect(tab.locator("#band")).to_contain_text("STOPPED")
    tab.context.set_offline(True)
    expect(tab.locator("#band")).to_contain_text("NOT LIVE")
    tab.context.set_offline(False)
    expect(tab.locator("#band")).to_contain_text("STOPPED")
    tab.evaluate(HIDDEN, False)
    wait_for_lines(tab, table, 1)
    expect(tab.locator("#live")).to_have_text("live")


def test_of_tabs_that_sound_behind_others_one_keeps_its_line(tab: Page, table: Served) -> None:
    tab.context.add_init_script(f"({SOUNDS})()")
    sign_in(tab, table, Role.SUPERVISOR, "/history")
    tab.get_by_role("button", name="Sound").click()
    expect(tab.locator("#live")).to_have_text("live")
    other = tab.context.new_page()
    other.goto(f"{table.address}/trends")
    other.get_by_role("heading", level=1).click()
    expect(other.get_by_role("button", name="Sound", exact=True)).to_have_attribute("aria-pressed", "true")
    wait_for_lines(tab, table, 2)
    tab.evaluate(HIDDEN, True)
    other.evaluate(HIDDEN, True)
    wait_for_lines(tab, table, 1)
    table.take(ShoeFault, kind="jam")
    expect(tab.locator("html")).to_have_attribute("data-sounded", re.compile(r"\d"))
    expect(other).to_have_title(re.compile("^⚠ "))
    tab.close()
    wait_for_lines(other, table, 1)
    other.evaluate(HIDDEN, False)
    expect(other.locator("#live")).to_have_text("live")


def test_a_rulebook_that_nobody_sees_shows_no_old_state(tab: Page, table: Served) -> None:
    tab.goto(f"{table.address}/rules")
    expect(tab.locator("#band")).to_contain_text("NORMAL")
    tab.evaluate(HIDDEN, True)
    expect(tab.locator("#band")).to_contain_text("NOT LIVE")
    table.take(ShoeFault, kind="jam")
    tab.evaluate(HIDDEN, False)
    expect(tab.locator("#band")).to_contain_text("STOPPED")


def test_a_cleared_alarm_orders_nothing_more_and_comes_behind_what_lasts(tab: Page, table: Served) -> None:
    sign_in(tab, table, Role.SUPERVISOR)
    table.take(ShoeFault, kind="jam")
    table.take(ShoeCleared, kind="jam")
    table.take(ShoeFault, kind="motor")
    lines = tab.locator("#alarms > li")
    expect(lines).to_have_count(2)
    expect(lines.last).to_contain_text("Jam: shoe")
    expect(lines.last.locator("small")).to_have_text("Its cause is over: acknowledge it.")
    expect(lines.first.locator("small")).to_contain_text("Call the technician.")


def test_an_alarm_says_its_priority_in_words_and_leads_to_its_device(tab: Page, table: Served) -> None:
    sign_in(tab, table, Role.SUPERVISOR, "/history")
    table.take(DeviceState, device="badge", online=False)
    line = tab.locator("#alarms > li")
    expect(line).to_have_text(re.compile("^(High|Medium|Low): Device offline: badge"))
    expect(line.get_by_role("link", name="Device offline: badge")).to_have_attribute("href", "/devices#device-badge")


def test_a_flood_is_said_by_its_lines_and_at_once(tab: Page, table: Served) -> None:
    sign_in(tab, table, Role.SUPERVISOR)
    expect(tab.locator("#live")).to_have_text("live")
    tab.evaluate(
        """() => {
            window.said = [];
            const told = () => window.said.push(document.getElementById("alarm-said").textContent);
            new MutationObserver(told).observe(document.getElementById("alarm-said"), { childList: true });
        }"""
    )

    def flood(page: TablePage) -> None:
        for number in range(60):
            page.bench.take(DeviceState, device=f"reader:{number}", online=False)

    table.do(flood)
    expect(tab.locator("#alarm-said")).to_contain_text(re.compile("60 devices offline: check the USB hub"))
    assert all("reader:1;" not in words for words in tab.evaluate("window.said"))
