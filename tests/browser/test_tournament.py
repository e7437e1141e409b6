"""The tournament's page and the clock for the wall, with a real browser."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from feltd.page.access.roles import Role
from table_fsm.events import TournamentClock
from tests.browser.conftest import TABLET, WIDE, sign_in
from tests.browser.served import Served, served
from tests.browser.test_door import violations, violations_at
from tests.feltd.table_support import tournament_opening


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Served]:
    """A table of a tournament, in its first level."""
    with served(tmp_path, opened=tournament_opening()) as made:
        yield made


@pytest.fixture
def star(table: Served) -> Served:
    """The same, by the name of its house."""
    return table


def tournament(table: Served) -> dict[str, object]:
    found = table.do(lambda page: page.state()["table"]["tournament"])
    assert isinstance(found, dict)
    return found


def to_the_tournament(tab: Page, table: Served, role: Role) -> None:
    sign_in(tab, table, role)
    tab.get_by_role("link", name="Tournament", exact=True).click()
    expect(tab.locator("#structure")).to_have_text("The Star, $250 Two Bullet Tuesday")


@pytest.mark.parametrize("page", ["/", "/clock", "/wall", "/history", "/alarms"])
def test_no_page_tells_points_as_money(tab: Page, star: Served, page: str) -> None:
    to_the_tournament(tab, star, Role.DIRECTOR)
    tab.goto(star.address + page)
    expect(tab.locator("#band, #level").first).not_to_be_empty()
    words = tab.locator("body").inner_text().replace("The Star, $250 Two Bullet Tuesday", "")
    assert "$" not in words
    if page == "/clock":
        assert re.search(r"\d+ / \d+", words), "the blinds"


def test_the_director_runs_the_clock_by_touch(tab: Page, star: Served) -> None:
    to_the_tournament(tab, star, Role.DIRECTOR)
    expect(tab.locator("#left")).to_have_text("20:00")
    tab.get_by_label("Play so far").fill("0:05:00")
    tab.get_by_role("button", name="Set", exact=True).click()
    expect(tab.locator("#left")).to_have_text("15:00")
    tab.get_by_role("button", name="Start", exact=True).click()
    expect(tab.get_by_role("button", name="Start", exact=True)).to_be_disabled()
    star.do(lambda page: page.bench.time.pass_(60.0))
    star.do(lambda page: page.hub.changed())
    expect(tab.locator("#left")).to_have_text(re.compile(r"13:5\d|14:00"))
    tab.get_by_role("button", name="Pause", exact=True).click()
    expect(tab.get_by_text("Clock paused")).to_be_visible()
    tab.get_by_role("button", name="+1 min").click()
    expect(tab.locator("#left")).to_have_text(re.compile("14:5|15:00"))
    tab.get_by_label("Play so far").fill("soon")
    tab.get_by_role("button", name="Set", exact=True).click()
    expect(tab.locator("#clock-refusal")).to_contain_text("h:mm:ss")


def test_the_director_goes_a_level_on_and_back(tab: Page, star: Served) -> None:
    to_the_tournament(tab, star, Role.DIRECTOR)
    back = tab.get_by_role("button", name="Previous level")
    expect(back).to_be_disabled()
    tab.get_by_label("Play so far").fill("0:05:00")
    tab.get_by_role("button", name="Set", exact=True).click()
    expect(tab.locator("#left")).to_have_text("15:00")
    tab.get_by_role("button", name="−1 min").click()
    expect(tab.locator("#left")).to_have_text("14:00")
    tab.get_by_role("button", name="Next level").click()
    expect(tab.locator("#elapsed")).to_have_text("20:00")
    back.click()
    expect(tab.locator("#elapsed")).to_have_text("00:00")
    empty = "[...document.querySelectorAll('section')].filter(one => one.checkVisibility() && !one.innerText.trim())"
    assert tab.evaluate(f"{empty}.length") == 0


def test_the_clock_goes_on_between_two_states(tab: Page, star: Served) -> None:
    star.take(TournamentClock, running=True, elapsed=600.0)
    to_the_tournament(tab, star, Role.OBSERVER)
    expect(tab.locator("#left")).to_have_text(re.compile(r"09:5[0-7]"))


def test_hand_for_hand_waits_and_goes_on(tab: Page, star: Served) -> None:
    to_the_tournament(tab, star, Role.DIRECTOR)
    tab.get_by_role("button", name="Hand for hand").click()
    expect(tab.get_by_role("button", name="Hand for hand")).to_have_attribute("aria-pressed", "true")
    expect(tab.locator("#notes")).to_contain_text("Waiting for the director")
    tab.get_by_role("button", name="Release next hand").click()
    expect(tab.locator("#notes")).not_to_contain_text("Waiting for the director")
    assert tournament(star)["waits_for_go"] is False


def test_a_race_begins_and_its_refusal_is_told(tab: Page, star: Served) -> None:
    to_the_tournament(tab, star, Role.DIRECTOR)
    tab.get_by_label("Chip to be raced off").fill("25")
    tab.get_by_label("New chip").fill("100")
    tab.get_by_label("Odd chips at seat 2").fill("7")
    tab.get_by_role("button", name="Begin the race").click()
    expect(tab.locator("#chip-unit")).to_have_text("in points")
    expect(tab.locator("#race-refusal")).to_contain_text("seat 2 has 7 chips of 25: change them for 100 first")
    tab.get_by_label("Odd chips at seat 2").fill("3")
    tab.get_by_label("Odd chips at seat 4").fill("2")
    tab.get_by_label("Seat 4 has nothing else").check()
    tab.get_by_role("button", name="Begin the race").click()
    expect(tab.locator("#notes")).to_contain_text("Chip race: 25, seat 2 is due a card")
    assert tournament(star)["race"] == {"chip": 25, "new_chip": 100, "due": 2}


def test_a_penalty_is_imposed_and_told(tab: Page, star: Served) -> None:
    to_the_tournament(tab, star, Role.DIRECTOR)
    tab.get_by_label("Player", exact=True).first.select_option("3")
    tab.get_by_label("sits out").fill("4")
    tab.get_by_label("Reason").fill("acted out of turn again")
    tab.get_by_role("button", name="Impose it").click()
    expect(tab.locator("#players")).to_contain_text("penalty: 4 hands left")


def test_payouts_with_odd_cents(tab: Page, star: Served) -> None:
    to_the_tournament(tab, star, Role.OBSERVER)
    tab.get_by_label("Players entered").fill("20")
    tab.get_by_label("Prize pool").fill("1000.01")
    tab.get_by_role("button", name="Show").click()
    rows = tab.locator("#payouts-rows tr")
    expect(rows).to_have_count(3)
    expect(tab.locator("#pool-unit")).to_have_text("AUD")
    expect(rows.first).to_have_text(re.compile(r"1\s*50\.000 %\s*\$500\s*$"))
    expect(tab.locator("#payouts-words")).to_contain_text("1 odd cents are left over")


def test_an_observer_sees_and_does_nothing(tab: Page, star: Served) -> None:
    to_the_tournament(tab, star, Role.OBSERVER)
    for name in ("Start", "Hand for hand", "Begin the race", "Impose it"):
        expect(tab.get_by_role("button", name=name, exact=True)).to_have_count(0)


def test_the_clock_for_the_wall_has_huge_figures_and_nothing_to_press_but_its_size(tab: Page, star: Served) -> None:
    star.take(TournamentClock, running=True, elapsed=600.0)
    sign_in(tab, star, Role.OBSERVER)
    tab.set_viewport_size(WIDE)  # type: ignore[arg-type]  # a plain dict is what it takes
    tab.goto(f"{star.address}/clock")
    expect(tab.locator("#left")).to_have_text(re.compile("09:5|10:00"))
    expect(tab.locator("#blinds")).to_have_text("100 / 100")
    expect(tab.locator("#next")).to_have_text("Next: 100 / 200, ante 200")
    tall = float(tab.locator("#left").evaluate("element => parseFloat(getComputedStyle(element).fontSize)"))
    assert tall >= 0.3 * WIDE["height"]
    assert tab.get_by_role("button").all_inner_texts() == ["Full screen (F)"]
    for viewport in (WIDE, TABLET):
        tab.set_viewport_size(viewport)  # type: ignore[arg-type]  # a plain dict is what it takes
        over = tab.evaluate(
            "[...document.querySelectorAll('#wall > *')].map(one => [one, one.getBoundingClientRect()])"
            ".filter(([one, box]) => box.bottom > innerHeight || one.scrollWidth > innerWidth).map(([one]) => one.id)"
        )
        assert over == []
        assert violations(tab) == []
    tab.keyboard.press("f")
    expect(tab.locator(":fullscreen")).to_have_count(1)  # a function asked again and again the page's policy forbids


def test_the_clock_finds_its_way_back_by_itself(tab: Page, star: Served) -> None:
    sign_in(tab, star, Role.OBSERVER, "/clock")
    expect(tab.locator("#live")).to_have_text("Table 7")
    tab.context.set_offline(True)
    star.do(lambda page: page.hub.close())
    expect(tab.locator("#live")).to_contain_text("no connection, as it was at")
    star.do(lambda page: setattr(page.hub._browsers, "_closed", False))
    tab.context.set_offline(False)
    expect(tab.locator("#live")).to_have_text("Table 7")


def test_nothing_an_axe_would_strike(tab: Page, star: Served) -> None:
    to_the_tournament(tab, star, Role.DIRECTOR)
    expect(tab.get_by_role("button", name="Begin the race")).to_be_visible()
    tab.get_by_label("Players entered").fill("120")
    tab.get_by_role("button", name="Show").click()
    expect(tab.locator("#payouts-rows tr").first).to_be_visible()
    assert violations_at(tab, WIDE, TABLET) == []
