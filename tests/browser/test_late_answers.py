"""Answers that come late, in a real browser: none undoes what a person has done since, or what was told since."""

from collections.abc import Iterator
from itertools import count

import pytest
from playwright.sync_api import Page, expect

from feltd.page.access.roles import Role
from tests.browser.conftest import sign_in
from tests.browser.late import Late
from tests.browser.test_desk import DESK, REBUYS, choose, made, say
from tests.floor.desk_support import House
from tests.floor.pit_support import ServedPit, served_pit

_NUMBERS = count(1)


@pytest.fixture(scope="module")
def house() -> House:
    return House()


@pytest.fixture(scope="module")
def pit(tmp_path_factory: pytest.TempPathFactory, house: House) -> Iterator[ServedPit]:
    with served_pit(tmp_path_factory.mktemp("late"), house.directing) as made:
        yield made


@pytest.fixture
def table(pit: ServedPit) -> ServedPit:
    return pit


@pytest.fixture
def desk(tab: Page, pit: ServedPit, house: House) -> Page:
    """A tournament of this test's own, at its counter."""
    own = f"late-{next(_NUMBERS)}"
    made(pit, house, own, playing=True, **REBUYS)
    tab.set_viewport_size(DESK)  # type: ignore[arg-type]  # a plain dict is what it takes
    sign_in(tab, pit, Role.DIRECTOR, f"/tournaments/{own}")  # type: ignore[arg-type]  # what it asks of a table a pit has too
    expect(tab.locator("#desk-counts")).to_contain_text("8 in play")  # before that the counter hears no key
    return tab


def tournament_of(desk: Page) -> str:
    return desk.url.split("#", maxsplit=1)[0].rsplit("/", 1)[1]


@pytest.mark.parametrize("chips", [9900, 10000], ids=["done", "refused"])
def test_a_step_whose_form_was_left_does_nothing_to_the_form_of_the_next(desk: Page, chips: int) -> None:
    choose(desk, "ben")
    desk.get_by_role("button", name="Rebuy…").click()
    desk.locator("#field-stake").fill(f"{chips}")
    late = Late(desk, "**/steps")
    desk.locator("#step-do").click()
    late.given()
    desk.keyboard.press("Escape")
    choose(desk, "cleo")
    desk.get_by_role("button", name="Correct…").click()
    desk.locator("#field-name").fill("Cleo Sanz")
    late.come()
    refused = desk.locator("#notices", has_text="Ben Okafor, entry 2")
    if chips == 10000:
        expect(refused).to_contain_text("Not done: entry 2 has 10000 chips")
    else:
        expect(refused).to_have_count(0)
    expect(desk.locator("#step-title")).to_have_text("Correct")
    assert "".join(desk.locator("#step .refusal").all_inner_texts()) == ""
    desk.locator("#step-why").fill("misheard at the counter")
    desk.locator("#step-do").click()
    expect(desk.locator("#at-counter h3")).to_have_text("Cleo Sanz")
    choose(desk, "ben")
    expect(desk.locator("#at-counter", has_text="1 rebuys")).to_have_count(int(chips == 9900))


@pytest.mark.parametrize("paid", ["250", "1"], ids=["taken", "refused"])
def test_an_entry_that_is_taken_late_leaves_who_was_chosen_since(desk: Page, paid: str) -> None:
    desk.locator("#find").fill("Ida Berg")
    desk.keyboard.press("Enter")
    desk.locator("#enter-person").fill("2001")
    desk.locator("#enter-paid").fill(paid)
    late = Late(desk, "**/steps")
    desk.get_by_role("button", name="Take the entry").click()
    late.given()
    choose(desk, "ben")
    late.come()
    if paid == "1":
        expect(desk.locator("#notices")).to_contain_text("Ida Berg, entry 9: ")
    else:
        expect(desk.locator("#desk-counts")).to_contain_text("9 entries")
    assert desk.locator("#at-counter h3").inner_text() == "Ben Okafor"
    assert desk.locator("#find").input_value() == "ben"
    expect(desk.locator("#enter")).to_be_hidden()
    desk.locator("#find").fill("ida")
    expect(desk.locator("#found li")).to_have_count(int(paid != "1"))


def test_an_entry_that_is_taken_while_somebody_types_leaves_what_is_typed(desk: Page) -> None:
    desk.locator("#find").fill("Ida Berg")
    desk.keyboard.press("Enter")
    desk.locator("#enter-person").fill("2001")
    late = Late(desk, "**/steps")
    desk.get_by_role("button", name="Take the entry").click()
    late.given()
    expect(desk.get_by_role("button", name="Take the entry")).to_be_disabled()
    desk.locator("#find").fill("cl")
    late.come()
    expect(desk.locator("#enter")).to_be_hidden()
    expect(desk.locator("#find")).to_be_focused()
    assert desk.locator("#find").input_value() == "cl"


def test_an_older_look_does_not_put_the_desk_back(desk: Page, pit: ServedPit, house: House) -> None:
    own = tournament_of(desk)
    choose(desk, "ben")
    desk.get_by_role("button", name="Rebuy…").click()
    desk.locator("#field-stake").fill("9900")
    say(pit, house, own, "clock.stands")
    late = Late(desk, f"**/tournaments/{own}?after=*")
    late.given()
    desk.locator("#step-do").click()
    expect(desk.locator("#step-refusal")).to_contain_text("came first")
    desk.locator("#step-do").click()
    expect(desk.locator("#at-counter")).to_contain_text("1 rebuys")
    late.come()
    assert "1 rebuys" in desk.locator("#at-counter").inner_text()
    say(pit, house, own, "clock.runs")
    expect(desk.locator("#desk-clock")).not_to_contain_text("clock paused")  # it goes on looking


def test_who_is_pointed_at_stays_so_when_another_desk_enters_a_namesake(
    desk: Page, pit: ServedPit, house: House
) -> None:
    desk.locator("#find").fill("ben")
    expect(desk.locator("#found-2")).to_have_attribute("aria-selected", "true")
    say(pit, house, tournament_of(desk), "entry", entry=9, person="2001", name="Benno Alt", paid=25_000)
    expect(desk.locator("#found li")).to_have_count(2)
    expect(desk.locator("#found-2")).to_have_attribute("aria-selected", "true")
    desk.keyboard.press("ArrowUp")
    expect(desk.locator("#found-9")).to_have_attribute("aria-selected", "true")
    desk.keyboard.press("ArrowDown")
    desk.keyboard.press("Enter")
    expect(desk.locator("#at-counter h3")).to_have_text("Ben Okafor")
