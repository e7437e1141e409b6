"""The wall view of the pit in a real browser: all tables on one screen, the gravest first, read from four metres."""

from collections.abc import Iterator
from typing import Any, Final

import pytest
from playwright.sync_api import Browser, Page, expect

from feltd.page.access.roles import Role
from tests.browser.conftest import PATIENT, WIDE, sign_in
from tests.browser.sizes import SIZES, faults_of_layout
from tests.browser.test_door import violations
from tests.browser.test_pit import JAM, PLAYING
from tests.floor.pit_support import ServedPit, alarm, ruling, served_pit

LOCK = ("output", "gate", {"gate": "lock"})
WAITS = ("output", "ruling", {"ruling": ruling(5)})
OFFLINE = ("output", "alarm", {"alarm": alarm()})
STOPS: Final[tuple[Any, ...]] = ((WAITS,), (JAM, LOCK), (OFFLINE,))
CAPITAL: Final = 0.7
"""Of a letter's size: how high a capital is."""
MILLIMETRES: Final = {24: 0.2767, 43: 0.4958}
"""How large a pixel of 1920 × 1080 is, by the screen's inches."""
CUT: Final = """() => {
    const room = document.getElementById("pit").getBoundingClientRect();
    return [...document.querySelectorAll("#pit li, #head, #rest-title")].filter((one) => {
        const box = one.getBoundingClientRect();
        const below = box.bottom > Math.min(room.bottom, innerHeight) + 2;
        return one.checkVisibility() && (below || one.scrollWidth > one.clientWidth + 2);
    }).map((one) => one.textContent);
}"""


@pytest.fixture
def table(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedPit]:
    """A pit without tables."""
    with served_pit(tmp_path_factory.mktemp("pit")) as made:
        yield made


def play(pit: ServedPit, count: int, wrong: int) -> None:
    """So many tables play; the first `wrong` of them are not normal."""
    for number in range(1, count + 1):
        more = STOPS[number % 3] if number <= wrong else ()
        pit.do(pit.floor.table(f"table-{number}", *PLAYING, *more))


def looked_at(chromium: Browser, pit: ServedPit, language: str = "en") -> Page:
    context = chromium.new_context(locale=language, viewport=WIDE)  # type: ignore[arg-type]  # a plain dict
    context.set_default_timeout(PATIENT)
    tab = context.new_page()
    tab.goto(f"{pit.address}/language/en")
    sign_in(tab, pit, Role.OBSERVER, f"/language/{language}")  # type: ignore[arg-type]
    tab.goto(f"{pit.address}/wall")
    return tab


def millimetres(tab: Page, what: str, inches: int) -> float:
    """How high the capitals there are, on a screen of so many inches."""
    size = float(tab.locator(what).first.evaluate("one => parseFloat(getComputedStyle(one).fontSize)"))
    return size * CAPITAL * MILLIMETRES[inches]


@pytest.mark.parametrize(
    ("count", "wrong", "inches", "least", "causes"),
    [(12, 2, 24, 14, 2), (40, 5, 43, 17, 5), (120, 5, 43, 14, 3), (120, 120, 43, 14, 3)],
)
def test_all_tables_are_on_one_screen_readable_at_four_metres(
    chromium: Browser, table: ServedPit, count: int, wrong: int, inches: int, least: float, causes: int
) -> None:
    play(table, count, wrong)
    tab = looked_at(chromium, table)
    expect(tab.locator("#pit li")).to_have_count(count)
    expect(tab.locator("#level")).to_have_text("STOPPED")
    expect(tab.locator("#causes > li").first).to_contain_text("table-1")
    expect(tab.locator("#causes > li").first).to_contain_text("Jam: shoe")
    assert tab.locator("#causes > li").count() >= causes
    for what in ("#level", "#words", ".cause", "#normal li" if wrong < count else "#more li"):
        assert millimetres(tab, what, inches) >= least, what
    for size, viewport in SIZES.items():
        tab.set_viewport_size(viewport)  # type: ignore[arg-type]  # a plain dict is what it takes
        tab.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        assert tab.evaluate(CUT) == [], size
        assert faults_of_layout(tab) == [], size
    assert violations(tab) == []
    tab.context.close()


def test_the_gravest_and_oldest_come_first_and_colour_is_for_what_is_not_normal(
    chromium: Browser, table: ServedPit
) -> None:
    tab = looked_at(chromium, table)
    expect(tab.locator("#words")).to_have_text("No table yet")
    play(table, 6, 0)
    expect(tab.locator("#level")).to_have_text("NORMAL")
    expect(tab.locator("#words")).to_have_text("6 tables")
    expect(tab.locator("#rest-title")).to_have_text("6 normal: table-…")
    assert tab.locator("#normal > li").all_inner_texts() == [str(number) for number in range(1, 7)]
    expect(tab.locator("#causes")).to_be_hidden()
    table.do(table.floor.table("table-4", WAITS))
    table.do(table.floor.table("table-5", JAM, LOCK))
    table.floor.gone("table-2")
    rows = tab.locator("#causes > li")
    expect(rows).to_have_count(3)
    assert [words.split()[-1] for words in tab.locator("#causes b").all_inner_texts()] == [
        "table-5",
        "table-4",
        "table-2",
    ]
    expect(rows.nth(0)).to_have_class("stopped")
    expect(rows.nth(1)).to_contain_text("Supervisor decides: Card exposed")
    expect(rows.nth(2)).to_have_class("decide away")
    expect(tab.locator("#words")).to_have_text("1 of 6 stopped, 2 of 6 wait")
    expect(tab.locator("main button, main a")).to_have_count(0)
    expect(tab.get_by_text("observer")).to_have_count(0)
    looks = "getComputedStyle(document.querySelector('#normal li'))"
    assert tab.evaluate(f"{looks}.backgroundColor") == "rgba(0, 0, 0, 0)"
    table.do(table.floor.table("table-5", ("output", "gate", {"gate": "open"})))
    expect(tab.locator("#level")).to_have_text("DECIDE")
    tab.context.close()


def test_without_a_line_it_says_so_and_comes_back(chromium: Browser, table: ServedPit) -> None:
    play(table, 3, 1)
    tab = looked_at(chromium, table, "de")
    expect(tab.locator("#level")).to_have_text("GESTOPPT")
    expect(tab.locator("#words")).to_have_text("1 von 3 gestoppt")
    tab.route("**/api/v1/stream", lambda asked: asked.abort("internetdisconnected"))
    tab.reload()
    expect(tab.locator("#level")).to_have_text("NICHT LIVE")
    expect(tab.locator("#words")).to_contain_text("keine Verbindung")
    tab.unroute("**/api/v1/stream")
    expect(tab.locator("#level")).to_have_text("GESTOPPT")
    expect(tab.locator("#live")).to_have_text("Pit 3")
    tab.context.clear_cookies()
    tab.goto(f"{table.address}/wall")
    tab.wait_for_url("**/sign-in?to=/wall")
    tab.context.close()


def test_names_that_begin_alike_lose_that_beginning_alone(chromium: Browser, table: ServedPit) -> None:
    play(table, 1, 0)
    tab = looked_at(chromium, table)
    cut = "(names) => import('/static/pit-wall.js').then((wall) => wall.commonStart(names))"
    alike = (
        ["table-1", "table-12"],
        ["Pit 3/1", "Pit 3/2"],
        ["north", "south"],
        ["A1", "A2"],
        ["table-1"],
        ["Tisch 10", "Tisch 11"],
    )
    assert [tab.evaluate(cut, names) for names in alike] == ["table-", "Pit 3/", "", "", "", "Tisch "]
    tab.context.close()


def test_the_pit_leads_to_its_wall_view(tab: Page, table: ServedPit) -> None:
    sign_in(tab, table, Role.OBSERVER)  # type: ignore[arg-type]
    tab.get_by_role("link", name="Wall view").click()
    tab.wait_for_url("**/wall")
    expect(tab.locator("#words")).to_have_text("No table yet")
