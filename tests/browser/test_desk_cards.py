"""At the counter: one person after another is entered, gets a seat by the draw and a printed card, by keys alone."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from feltd.books.shipped import tournament_sources
from feltd.door.pit.directing import Opening
from feltd.floor.directing import Directing
from feltd.floor.draws import Draws
from feltd.floor.streams import MemoryStreams
from feltd.page.access.roles import Role
from floor_fsm.state.seating import Seating
from tests.browser.conftest import sign_in
from tests.browser.test_desk import DESK, NAMES, enter_by_keys, say
from tests.floor.desk_support import OTHER, House, opening
from tests.floor.pit_support import ServedPit, served_pit

PEOPLE = 3
"""How many come one after another."""
TABLES = [{"table": f"T{number}", "seats": [*range(1, 10)]} for number in range(1, 9)]


def playing(served: ServedPit, house: House) -> None:
    """A tournament whose first eight players have their seats; floord keeps the secrets of its draws."""
    terms = {**opening()["event"], "tables": TABLES}
    served.do(house.directing.open(Opening("cup", "Cup", "onyx", OTHER)))
    served.do(house.other("cup", {"ev": "tournament.open", **terms}))
    say(served, house, "cup", "draw.committed")
    for number, person in enumerate(NAMES, 1):
        say(served, house, "cup", "entry", entry=number, person=f"10{number:02}", name=person, paid=25_000)
    say(served, house, "cup", "seats.drawn")


def enter(desk: Page, number: int) -> None:
    """A new person: card and name are typed, the seat is drawn, the card is printed; no hand is on a mouse."""
    enter_by_keys(desk, number)
    expect(desk.get_by_role("button", name="Draw a seat")).to_be_focused()
    desk.keyboard.press("Enter")
    expect(desk.locator("#step")).to_be_visible()
    desk.keyboard.press("Enter")
    expect(desk.get_by_role("link", name="Print the seat card")).to_be_focused()
    with desk.context.expect_page() as opened:
        desk.keyboard.press("Enter")
    expect(opened.value.locator(".card")).to_have_count(1)
    expect(opened.value.locator(".card")).to_contain_text(f"Player {number:03}")
    opened.value.close()


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> House:
    """A floord that keeps the secrets of its draws."""
    made = House()
    secrets = Draws(tmp_path_factory.mktemp("draws"))
    made.directing = Directing(MemoryStreams(), tournament_sources(), made.clock, secrets)
    return made


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory, house: House) -> Iterator[ServedPit]:
    with served_pit(tmp_path_factory.mktemp("cards"), house.directing, "short") as served:
        playing(served, house)
        yield served


def test_each_of_many_has_a_seat_and_a_card_by_keys_alone(tab: Page, table: ServedPit, house: House) -> None:
    tab.set_viewport_size(DESK)  # type: ignore[arg-type]
    sign_in(tab, table, Role.DIRECTOR)  # type: ignore[arg-type]  # what it asks of a table a pit has too
    tab.goto(f"{table.address}/tournaments/cup")
    expect(tab.locator("#desk-counts")).to_contain_text(f"{len(NAMES)} in play")
    for number in range(PEOPLE):
        enter(tab, number)
    tournament = house.directing.fold("cup").tournament
    assert tournament is not None
    places = tournament.parts.of(Seating).places
    assert len(set(places.values())) == len(places) == len(NAMES) + PEOPLE, "each has a seat of their own"
