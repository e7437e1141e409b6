"""The desk of waiting lists and the players' screen in a real browser."""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from playwright.sync_api import Page, expect

from feltd.floor.pit_book import Line
from feltd.floor.streams import MemoryStreams
from feltd.floor.table_facts import TableFacts
from feltd.page.access.roles import Role
from tests.browser.conftest import sign_in
from tests.browser.sizes import SIZES, faults_of_layout
from tests.browser.test_door import DRAWN, violations
from tests.floor.directing_support import Clock
from tests.floor.pit_support import ServedPit, served_pit
from tests.floor.waiting_support import AtDesk, joins, waiting

NAMES = ("Anna Meier", "Ben Okafor", "Cleo Sánchez", "Dan Li", "Eva Braun-Ott", "Finn O'Hara", "Gio Rossi")
PICTURES: Final[Path | None] = Path(os.environ["PIT_SHOTS"]) if "PIT_SHOTS" in os.environ else None


class Tables:
    """What the pit has of tables: T1 has told that seats 1 and 2 have a player."""

    def __init__(self) -> None:
        self.lines: dict[str, Line] = {}

    def here(self, name: str, seats: tuple[int, ...]) -> Line:
        """A table is connected, and its record says who sits there."""
        line = self.lines.setdefault(name, Line(name, b""))
        line.connections, line.head, line.stand, line.heard = 1, 9, 9, 1_700_000_000.0
        line.told_head = True
        line.fold.seq, line.fold.phase, line.fold.facts = 9, "waiting", TableFacts(seats=seats)
        return line


class Room:
    """A pit whose lists have two games and seven people; `clock`: the floor's, `tables`: what the pit has of them.

    Ask for it before `tab`: a page that is open while it ends is told of a lost connection.
    """

    def __init__(self, served: ServedPit, clock: Clock, desk: AtDesk, tables: Tables) -> None:
        self.served = served
        self.tables = tables
        self.clock = clock
        self.desk = desk

    def say(self, **event: Any) -> None:
        """A step of another desk."""
        self.served.do(self.desk.say(event))


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Room]:
    clock, tables = Clock(), Tables()
    lists = waiting(MemoryStreams(), clock, line_of=tables.lines.get)
    with served_pit(tmp_path, None, "short", waiting=lists) as served:
        desk = AtDesk(lists)
        served.do(desk.opened())
        made = Room(served, clock, desk, tables)
        made.say(ev="game.listed", game="plo-2-5", name="Omaha 2/5", hold_minutes=2)
        for number, name in enumerate(NAMES, 1):
            made.say(**joins(number, name, "nl-1-2" if number < 6 else "plo-2-5"))
        yield made


@pytest.fixture
def table(room: Room) -> ServedPit:
    return room.served


@pytest.fixture
def at_desk(room: Room, tab: Page) -> Page:
    tab.set_viewport_size(SIZES["desk"])  # type: ignore[arg-type]
    sign_in(tab, room.served, Role.SUPERVISOR)  # type: ignore[arg-type]  # what it asks of a table a pit has too
    tab.goto(f"{room.served.address}/waiting/cash")
    expect(tab.locator("#games li")).to_have_count(7)
    return tab


def list_of(tab: Page, game: str) -> Any:
    return tab.locator(f'#games section[data-game="{game}"]')


def test_somebody_is_added_called_and_seated_by_the_keyboard_alone(at_desk: Page, room: Room) -> None:
    tab = at_desk
    expect(tab.locator("#join-name")).to_be_focused()
    tab.keyboard.type("Hana Sato")
    tab.keyboard.press("Enter")
    holdem = list_of(tab, "nl-1-2")
    expect(holdem.locator("li")).to_have_count(6)
    expect(holdem.locator("li").last).to_contain_text("Hana Sato")
    expect(tab.locator("#join-name")).to_be_focused()
    tab.keyboard.press("Alt+1")
    tab.keyboard.press("Enter")
    expect(tab.locator("#step-title")).to_have_text("Call")
    tab.keyboard.type("table-1 4")
    tab.keyboard.press("Enter")
    first = holdem.locator("li").first
    expect(first).to_contain_text("table-1, seat 4: held for")
    tab.keyboard.press("Alt+1")
    tab.keyboard.press("Enter")
    expect(tab.locator("#step-title")).to_have_text("Sits down")
    tab.keyboard.press("Enter")
    expect(holdem.locator("li")).to_have_count(5)
    news = room.desk.news()
    assert [(line.ev, line.who, line.why) for line in news.lines][-3:] == [
        ("waiting.joined", "supervisor", "reported at the desk"),
        ("waiting.called", "supervisor", "a seat is free"),
        ("waiting.sat_down", "supervisor", "took the seat"),
    ]


def test_a_free_seat_is_offered_by_the_tables_record_and_two_presses_call_the_first(at_desk: Page, room: Room) -> None:
    tab = at_desk
    holdem = list_of(tab, "nl-1-2")
    holdem.get_by_role("button", name="Tables…").click()
    tab.locator("#field-tables").fill("table-1 1-4\ntable-2 1,2,4-6")
    tab.locator("#step-do").click()
    line = holdem.locator('[data-table="table-1"]')
    expect(line).to_contain_text("the floor has no record of it")
    room.tables.here("table-1", (1, 2))
    expect(line).to_contain_text("free, calls Anna Meier: 3 4")
    line.get_by_role("button", name="Call Anna Meier to table-1, seat 3").click()
    expect(tab.locator("#step-about")).to_have_text("Anna Meier, Hold'em 1/2: table-1, seat 3")
    assert [line.ev for line in room.desk.news().lines].count("waiting.called") == 0, "a slip of a finger holds no seat"
    tab.keyboard.press("Enter")
    expect(holdem.locator("li").first).to_contain_text("table-1, seat 3: held for")
    expect(line).to_contain_text("free, calls Ben Okafor: 4")
    last = room.desk.news().lines[-1]
    assert (last.ev, last.who, last.why, last.name) == ("waiting.called", "supervisor", "a seat is free", "Anna Meier")
    holdem.locator("li", has_text="Ben Okafor").get_by_role("button", name="Call…").click()
    expect(tab.locator("#field-place")).to_have_value("table-1 4")
    tab.locator("#step-leave").click()
    holdem.get_by_role("button", name="Tables…").click()
    expect(tab.locator("#field-tables")).to_have_value("table-1 1-4\ntable-2 1,2,4,5,6")
    tab.locator("#step-leave").click()
    room.tables.lines["table-1"].connections = 0
    expect(line).to_contain_text("by its record free: 4. Ask there")
    expect(line).to_contain_text("not connected since")
    expect(line.get_by_role("button")).to_have_count(0)
    room.tables.here("table-1", (1, 2, 3, 4))
    expect(line).to_contain_text("no seat is free")


def test_the_offer_names_nobody_who_has_a_seat_on_another_list(at_desk: Page, room: Room) -> None:
    room.tables.here("table-1", (1, 2))
    room.say(ev="game.tables", game="nl-1-2", tables=[{"table": "table-1", "seats": [1, 2, 3]}])
    line = list_of(at_desk, "nl-1-2").locator('[data-table="table-1"]')
    expect(line).to_contain_text("free, calls Anna Meier: 3")
    room.say(ev="game.listed", game="stud-5-10", name="Stud 5/10")
    room.say(ev="waiting.joined", number=8, person="p1", name="Anna Meier", game="stud-5-10")
    room.say(ev="waiting.called", number=8, table="table-9", seat=1)
    expect(line).to_contain_text("free, calls Ben Okafor: 3")


def test_a_seat_that_another_desk_gave_meanwhile_is_given_to_nobody_else(at_desk: Page, room: Room) -> None:
    tab = at_desk
    room.tables.here("table-1", (1, 2))
    room.say(ev="game.tables", game="nl-1-2", tables=[{"table": "table-1", "seats": [1, 2, 3]}])
    offered = list_of(tab, "nl-1-2").get_by_role("button", name="Call Anna Meier to table-1, seat 3")
    expect(offered).to_be_visible()
    with tab.expect_request("**/steps"):
        tab.route("**/waiting/cash", lambda route: route.abort())  # this desk does not hear of the other one
        room.say(ev="waiting.called", number=1, table="table-1", seat=3)
        offered.click()
        tab.locator("#step-do").click()
    tab.unroute("**/waiting/cash")
    expect(tab.locator("#step-refusal")).to_contain_text("came first")
    held = [one for one in room.desk.news().lists["waits"] if one["held"] is not None]
    assert [one["number"] for one in held] == [1]


def test_a_refusal_says_who_waits_longer_and_a_seat_is_passed_on_once_its_time_is_over(
    at_desk: Page, room: Room
) -> None:
    tab = at_desk
    holdem = list_of(tab, "nl-1-2")
    holdem.locator("li", has_text="Ben Okafor").get_by_role("button", name="Call…").click()
    tab.locator("#field-place").fill("table-1 4")
    tab.locator("#step-do").click()
    expect(tab.locator("#step-refusal")).to_contain_text("Anna Meier (number 1) waits longer")
    tab.locator("#step-leave").click()
    room.say(ev="waiting.called", number=1, table="table-1", seat=4)
    anna = holdem.locator("li", has_text="Anna Meier")
    expect(anna.get_by_role("button", name="Sits down")).to_have_class("main")
    room.clock.now += 400
    expect(anna).to_have_class(re.compile("over"))
    anna.get_by_role("button", name="Pass over…").click()
    expect(tab.locator("#step-why")).to_have_value("did not come")
    tab.locator("#step-do").click()
    expect(holdem.locator("li").last).to_contain_text("Anna Meier")
    expect(holdem.locator("li").last).to_contain_text("passed over: 1")
    tab.get_by_text("Rules with their clauses").click()
    expect(tab.locator("#rules")).to_contain_text("(Cash 14)")


def test_who_changes_tables_is_approved_first(at_desk: Page) -> None:
    tab = at_desk
    tab.locator("#join-name").fill("Ida Kunz")
    tab.locator("#join-game").select_option("plo-2-5")
    tab.locator("#join-from").fill("table-9 2")
    tab.keyboard.press("Enter")
    ida = list_of(tab, "plo-2-5").locator("li", has_text="Ida Kunz")
    expect(ida).to_contain_text("sits at table-9, seat 2, not approved yet")
    expect(ida.get_by_role("button", name="Call…")).to_have_count(0)
    ida.get_by_role("button", name="Approve the change…").click()
    tab.locator("#step-why").fill("table-9 is full enough")
    tab.locator("#step-do").click()
    expect(ida.get_by_role("button", name="Call…")).to_have_count(1)


def test_lists_are_opened_by_a_supervisor(room: Room, tab: Page) -> None:
    sign_in(tab, room.served, Role.SUPERVISOR)  # type: ignore[arg-type]
    tab.goto(f"{room.served.address}/waiting")
    expect(tab.locator("#rooms li")).to_contain_text("Cash games")
    tab.locator("#open-id").fill("late")
    tab.locator("#open-name").fill("Late games")
    tab.locator("#open-why").fill("the second room opens")
    tab.get_by_role("button", name="Open", exact=True).click()
    expect(tab.locator("#desk-title")).to_have_text("Late games")
    tab.get_by_role("button", name="Open a list…").click()
    tab.locator("#field-name").fill("Stud 5/10")
    tab.locator("#field-game").fill("stud-5-10")
    tab.locator("#step-do").click()
    expect(list_of(tab, "stud-5-10")).to_contain_text("Nobody waits.")


def test_the_screen_shows_who_is_called_and_who_waits_without_signing_in(room: Room, tab: Page) -> None:
    room.say(ev="waiting.called", number=1, table="table-1", seat=4)
    tab.goto(f"{room.served.address}/waiting/cash/screen")
    expect(tab.locator("#called li")).to_contain_text("Anna M.table-1, seat 4")
    expect(tab.locator("#games section").first).to_contain_text("Ben O.")
    assert "Okafor" not in tab.content()
    room.say(ev="waiting.sat_down", number=1)
    expect(tab.locator("#called li")).to_have_count(0)


def test_the_screen_counts_free_seats_anew_where_a_table_alone_has_told_something(room: Room, tab: Page) -> None:
    room.tables.here("table-1", (1, 2))
    room.say(ev="game.tables", game="nl-1-2", tables=[{"table": "table-1", "seats": [1, 2, 3, 4, 5]}])
    tab.goto(f"{room.served.address}/waiting/cash/screen")
    expect(tab.locator("#games section").first).to_contain_text("3 seats are free")
    room.tables.here("table-1", (1, 2, 3, 4))
    expect(tab.locator("#games section").first).to_contain_text("1 seat is free")


def test_desk_and_screen_fit_every_window_and_read_well(room: Room, tab: Page) -> None:
    room.tables.here("table-1", (1, 2))
    tables = [{"table": name, "seats": [1, 2, 3, 4, 5]} for name in ("table-1", "table-2")]
    room.say(ev="game.tables", game="nl-1-2", tables=tables)
    room.say(ev="waiting.called", number=1, table="table-1", seat=4)
    sign_in(tab, room.served, Role.SUPERVISOR)  # type: ignore[arg-type]
    for page in ("/waiting", "/waiting/cash", "/waiting/cash/screen"):
        tab.goto(room.served.address + page)
        expect(tab.locator("#live")).not_to_have_text("…")
        expect(tab.locator("#rooms li, #games section").first).to_be_visible()
        for size, viewport in SIZES.items():
            tab.set_viewport_size(viewport)  # type: ignore[arg-type]
            tab.evaluate(DRAWN)
            if PICTURES is not None:
                tab.screenshot(path=PICTURES / f"{size}{page.replace('/', '-')}.png")
            assert faults_of_layout(tab) == [], size
            if size in ("desk", "phone"):
                assert violations(tab) == [], size
