"""Every page, for everybody: by axe, on a tablet and on a wide screen, by keyboard alone, by touch, with no eye for
colours, and without motion for those who have asked for none."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, StorageState, expect

from feltd.page.access.roles import Role
from feltd.text.look import colour
from table_fsm.events import DeviceState, ShoeShuffled
from tests.browser.conftest import PATIENT, TABLET, WIDE, sign_in
from tests.browser.served import Served, served
from tests.browser.test_door import violations

PAGES = {
    "/": "#seats button",
    "/history": "#found tr",
    "/alarms": "#found tr",
    "/history/round/2": "#steps li",
    "/history/round/2/report": "article.report",
    "/trends": "#pictures img",
    "/tournament": "#content",
    "/clock": "header",
    "/wall": "#words",
    "/overlay": "#phase",
    "/broadcast": "#stands",
    "/devices": "#devices > *",
    "/packs": "#packs li",
    "/account": "#sessions tr",
    "/rules": ".books",
    "/rules/tas-2018-holdem": "table",
    "/sign-in": "#sign-in",
}
"""Each page, and what is on it when it is there."""
FINGER = 44
"""Pixels that a thing to touch has at least, either way (WCAG 2.2, 2.5.5)."""

CONTROLS = """() => {
    const found = [...document.querySelectorAll(
        'a[href], button, input, select, textarea, summary, [tabindex="0"]'
    )].filter((one) => !one.disabled && !one.closest("dialog:not([open])"))
      .filter((one) => one.checkVisibility({ visibilityProperty: true }));
    found.forEach((one, number) => (one.walk = number));
    return found.map((one) => `${one.tagName} ${one.id || one.getAttribute("aria-label") || one.textContent.trim()}`);
}"""
FOCUSED = """() => {
    const one = document.activeElement;
    if (!one || one === document.body) return null;
    const style = getComputedStyle(one);
    return { walk: one.walk ?? null, name: `${one.tagName} ${one.id || one.textContent.trim().slice(0, 40)}`,
             ring: style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2 };
}"""
SMALL = """(least) => [...document.querySelectorAll(
        "button, select, input, textarea, summary, nav a, a.button, .looks a, footer a,"
        + " .trail a, .books a, .band a, header a"
    )]
    .filter((one) => one.checkVisibility({ visibilityProperty: true }))
    .map((one) => [one.getBoundingClientRect(), one])
    .filter(([box]) => box.width < least || box.height < least)
    .map(([box, one]) => `${one.tagName} ${one.id || one.textContent.trim()}: ${box.width} × ${box.height}`)"""


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A table with a record, an alarm, and a ruling that waits: one for all pages."""
    with served(tmp_path_factory.mktemp("house"), rounds=4) as made:
        made.take(DeviceState, device="shoe", online=False, reason="unplugged")
        made.take(ShoeShuffled, deck="blue", count=36)
        yield made


@pytest.fixture(scope="module")
def cookies(chromium: Browser, house: Served) -> StorageState:
    """A director who has signed in once, for all tabs."""
    context = chromium.new_context()
    context.set_default_timeout(PATIENT)
    sign_in(context.new_page(), house, Role.DIRECTOR)
    kept = context.storage_state()
    context.close()
    return kept


@pytest.fixture
def seen(chromium: Browser, cookies: StorageState) -> Iterator[Page]:
    """A director's tab."""
    context = chromium.new_context(viewport=TABLET, storage_state=cookies)  # type: ignore[arg-type]  # plain dicts are what it takes
    context.set_default_timeout(PATIENT)
    yield context.new_page()
    context.close()


def go(tab: Page, house: Served, page: str) -> None:
    tab.goto(house.address + page)
    expect(tab.locator(PAGES[page]).first).to_be_visible()


@pytest.mark.parametrize("page", PAGES)
def test_a_page_is_fit_for_eye_finger_and_keyboard(seen: Page, house: Served, page: str) -> None:
    """A page is loaded once for all of it: a load takes longer than what is looked at."""
    go(seen, house, page)
    for viewport in (WIDE, TABLET):
        seen.set_viewport_size(viewport)  # type: ignore[arg-type]  # a plain dict is what it takes
        assert violations(seen) == []
        wide = seen.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wide <= 0, "the page is wider than its window"
    assert seen.evaluate(SMALL, FINGER) == []
    the_keyboard_reaches_every_control(seen)


def the_keyboard_reaches_every_control(seen: Page) -> None:
    """And shows where it is."""
    controls: list[str] = seen.evaluate(CONTROLS)
    reached: set[int] = set()
    without_ring: set[str] = set()
    for _ in range(3 * len(controls) + 30):  # a date has a place for each of its parts
        seen.keyboard.press("Tab")
        focused: dict[str, Any] | None = seen.evaluate(FOCUSED)
        if focused is None or focused["walk"] is None:
            continue
        reached.add(int(focused["walk"]))
        if not focused["ring"]:
            without_ring.add(focused["name"])
        if len(reached) == len(controls):
            break
    assert [name for number, name in enumerate(controls) if number not in reached] == []
    assert without_ring == set()


def test_who_has_forgotten_a_password_is_told_what_to_do(seen: Page, house: Served) -> None:
    go(seen, house, "/sign-in")
    seen.get_by_text("Forgot your password?").click()
    expect(seen.get_by_text("feltd user password NAME")).to_be_visible()
    assert violations(seen) == []


def test_a_dialog_holds_the_keyboard_and_gives_it_back(seen: Page, house: Served) -> None:
    go(seen, house, "/")
    opener = seen.get_by_role("button", name="Have the deck checked")
    opener.focus()
    seen.keyboard.press("Enter")
    dialog = seen.get_by_role("dialog")
    expect(dialog.get_by_label("Reason")).to_be_focused()
    for _ in range(12):
        seen.keyboard.press("Tab")
        at = "document.activeElement"
        assert seen.evaluate(f"{at} === document.body || !!{at}.closest('dialog')"), "it left the dialog"
    seen.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(opener).to_be_focused()


@pytest.mark.parametrize(
    ("page", "name"),
    [("/", "Seat 7"), ("/", "Overrule…"), ("/tournament", "Sign out"), ("/devices", "Sign out")],
)
def test_what_happens_at_the_table_takes_the_keyboard_from_nobody(
    seen: Page, house: Served, page: str, name: str
) -> None:
    go(seen, house, page)
    control = seen.get_by_role("button", name=re.compile(f"^{name}")).first
    control.focus()
    for count in (30, 31):
        house.take(ShoeShuffled, deck="blue", count=count)
        rulings = house.do(lambda served: len(served.state()["rulings"]))
        if page == "/":
            expect(seen.locator("#rulings > li")).to_have_count(rulings)
        house.do(lambda served: served.hub.changed())
    assert seen.evaluate("document.activeElement.textContent").startswith(name.removeprefix("Seat "))


def test_what_is_pressed_and_what_was_ruled_on_is_told_by_more_than_colour(seen: Page, house: Served) -> None:
    go(seen, house, "/trends")
    pressed = "one => getComputedStyle(one, '::before').content"
    assert seen.get_by_role("button", name="This shift").evaluate(pressed) != "none"
    assert seen.get_by_role("button", name="A month").evaluate(pressed) == "none"
    told = []
    for number in (1, 2, 3, 4):
        seen.goto(f"{house.address}/history/round/{number}")
        expect(seen.locator("#steps li").first).to_be_visible()
        for step in seen.locator("#steps li").all():
            word = step.locator("button").evaluate("one => getComputedStyle(one, '::after').content")
            assert ("ruling" in word) is ("waits" in (step.get_attribute("class") or ""))
            told.append(word)
    assert any("ruling" in word for word in told)
    go(seen, house, "/")
    waits = seen.locator("#rulings li.waits")
    expect(waits.first).to_contain_text("decides")
    expect(seen.locator("#alarms li").first).to_contain_text("not acknowledged")


def test_nothing_moves_for_who_has_asked_for_no_motion(chromium: Browser, house: Served) -> None:
    context = chromium.new_context(reduced_motion="reduce")
    context.set_default_timeout(PATIENT)
    tab = context.new_page()
    sign_in(tab, house, Role.DIRECTOR)
    for page in PAGES:
        go(tab, house, page)
        assert tab.evaluate("document.getAnimations().length") == 0, page
        assert tab.evaluate("getComputedStyle(document.documentElement).scrollBehavior") == "auto", page
    context.close()


def test_a_look_is_chosen_kept_for_every_page_and_left_off_paper(seen: Page, house: Served) -> None:
    ground = "getComputedStyle(document.body).backgroundColor"
    light, dark = ([f"rgb{_rgb(colour(name, light=one))}" for name in ("ground", "screen")] for one in (True, False))
    go(seen, house, "/history")
    assert seen.evaluate(ground) == light[0]
    seen.get_by_role("link", name="Dark").click()
    expect(seen.get_by_role("link", name="Dark")).to_have_attribute("aria-current", "true")
    assert seen.url == f"{house.address}/history"
    for page in ("/history", "/rules", "/sign-in", "/clock", "/wall"):
        go(seen, house, page)
        assert seen.evaluate(ground) == dark[page in {"/clock", "/wall"}], page
    go(seen, house, "/history/round/2/report")
    seen.emulate_media(media="print")
    assert seen.evaluate("getComputedStyle(document.body).color") == "rgb(0, 0, 0)"
    assert seen.evaluate(ground) == "rgb(255, 255, 255)"
    seen.emulate_media(media="screen", color_scheme="dark")
    seen.get_by_role("link", name="Light").click()
    expect(seen.get_by_role("link", name="Light")).to_have_attribute("aria-current", "true")
    expect(seen.locator("body")).to_have_css("background-color", light[0])  # its sheet may come behind its links


def _rgb(hexadecimal: str) -> tuple[int, ...]:
    return tuple(int(hexadecimal[at : at + 2], 16) for at in (1, 3, 5))


def test_the_tree_of_pages_is_whole(house: Served) -> None:
    """A page that is added is added here."""
    shown = {route.path for route in house.page.app.routes if "GET" in getattr(route, "methods", ())}  # type: ignore[attr-defined]
    none = ("/static", "/healthz", "/metrics", "/rules/rules.css", "/language/", "/look/")
    pages = {path for path in shown if not path.startswith(none)}
    assert {re.sub(r"\{\w+\}", "2", path) for path in pages} == {re.sub("tas-2018-holdem", "2", page) for page in PAGES}
