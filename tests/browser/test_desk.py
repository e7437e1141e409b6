"""The director's desk, seat cards and the players' screens in a real browser, over real tournaments."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from feltd.door.pit.directing import Opening
from feltd.floor.streams import TableEntry
from feltd.page.access.roles import Role
from feltd.record.notes import BROADCAST_ON_NOTE, BY_HAND_NOTE
from floor_fsm.drawing import commitment_of
from floor_fsm.state.entries import Entries
from floor_fsm.state.hands import Hands, Places
from floor_fsm.state.seating import Seating
from tests.browser.conftest import sign_in
from tests.browser.late import Late
from tests.browser.sizes import faults_at_each_size
from tests.browser.test_door import violations, violations_at
from tests.browser.test_fit_for_all import FINGER, SMALL
from tests.floor.desk_support import OTHER, House, opening
from tests.floor.pit_support import ServedPit, served_pit
from tests.floor_fsm.support import SECRETS

PEOPLE = 10
"""How many are entered one after another."""
DESK = {"width": 1280, "height": 800}
PHONE = {"width": 390, "height": 844}
NAMES = ("Anna Meier", "Ben Okafor", "Cleo Sánchez", "Dan Li", "Eva Braun-Ott", "Finn O'Hara", "Gio Rossi", "Hana Sato")


def made(table: ServedPit, house: House, tournament: str, *, playing: bool, **more: Any) -> None:
    """A tournament with eight entries; `playing`: with seats and a clock; `more`: of its terms."""
    terms = opening(**more)["event"]
    table.do(house.directing.open(Opening(tournament, terms["name"], "onyx", OTHER)))
    table.do(house.other(tournament, {"ev": "tournament.open", **terms}))
    say(table, house, tournament, "draw.committed", commitment=commitment_of(SECRETS[0]))
    for number, person in enumerate(NAMES, 1):
        say(table, house, tournament, "entry", entry=number, person=f"10{number:02}", name=person, paid=25_000)
    if playing:
        say(table, house, tournament, "seats.drawn", secret=SECRETS[0].hex())
        levels = [{"seconds": 1200, "blinds": [100, 200], "ante": 200, "big_blind_ante": True},
                  {"seconds": 1200, "blinds": [200, 400], "break_after": 600}]  # fmt: skip
        say(table, house, tournament, "schedule", levels=levels)
        say(table, house, tournament, "clock.runs")


def say(table: ServedPit, house: House, tournament: str, ev: str, /, **fields: Any) -> None:
    """A step of another desk."""
    table.do(house.other(tournament, {"ev": ev, **fields}))


@pytest.fixture(scope="module")
def house() -> House:
    return House()


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory, house: House) -> Iterator[ServedPit]:
    """A pit with two tournaments: `tuesday` plays, `friday` takes entries."""
    with served_pit(tmp_path_factory.mktemp("desk"), house.directing, "short") as served:
        made(served, house, "tuesday", playing=True)
        made(served, house, "friday", playing=False)
        yield served


def choose(desk: Page, name: str) -> None:
    """Find a person at the counter, by a part of the name that one person alone has.

    The form of the step before has the keyboard until its answer is there, and the desk may show what the step has done
    before that.
    """
    expect(desk.locator("#step")).to_be_hidden()
    desk.locator("#find").fill(name)
    expect(desk.locator("#found li")).to_have_count(1)
    desk.keyboard.press("Enter")
    expect(desk.locator("#at-counter h3")).to_contain_text(re.compile(name, re.IGNORECASE))


@pytest.fixture
def desk(tab: Page, table: ServedPit) -> Page:
    tab.set_viewport_size(DESK)  # type: ignore[arg-type]
    sign_in(tab, table, Role.DIRECTOR)  # type: ignore[arg-type]  # what it asks of a table a pit has too
    return tab


def test_a_person_is_entered_seated_and_given_a_card_by_the_keyboard(desk: Page, table: ServedPit) -> None:
    desk.goto(f"{table.address}/tournaments")
    desk.get_by_role("link", name="Tuesday Deepstack").first.click()
    expect(desk.locator("#desk-counts")).to_contain_text("8 in play")
    expect(desk.locator("#find")).to_be_focused()
    desk.keyboard.type("2001")
    expect(desk.locator("#found-more")).to_contain_text("new entry")
    desk.keyboard.press("Enter")
    expect(desk.locator("#enter-name")).to_be_focused()
    desk.keyboard.type("Ida Berg")
    desk.keyboard.press("Enter")
    expect(desk.locator("#at-counter")).to_contain_text("Ida Berg")
    expect(desk.get_by_role("button", name="Draw a seat")).to_be_focused()
    desk.keyboard.press("Enter")
    desk.locator("#field-secret").fill("00" * 32)
    desk.locator("#step-do").click()
    expect(desk.locator('#step-fields [data-field="secret"]')).to_contain_text("not the secret")
    desk.locator("#field-secret").fill(SECRETS[1].hex())
    desk.locator("#step-do").click()
    expect(desk.locator("#at-counter")).to_contain_text("seat")
    expect(desk.get_by_role("link", name="Print the seat card")).to_be_focused()
    with desk.context.expect_page() as opened:
        desk.keyboard.press("Enter")
    expect(opened.value.locator(".card")).to_have_count(1)
    expect(opened.value.locator(".card")).to_contain_text("Ida Berg")
    opened.value.close()


def enter_by_keys(desk: Page, number: int) -> None:
    """A new person is entered: card and name are typed, no hand is on a mouse."""
    desk.keyboard.press("Alt+1")
    expect(desk.locator("#find")).to_be_focused()
    desk.keyboard.type(f"5{number:03}")
    desk.keyboard.press("Enter")
    expect(desk.locator("#enter-name")).to_be_focused()
    desk.keyboard.type(f"Player {number:03}")
    desk.keyboard.press("Enter")
    expect(desk.locator("#at-counter h3")).to_have_text(f"Player {number:03}")


def test_one_person_after_another_is_entered_by_the_keyboard_alone(desk: Page, table: ServedPit, house: House) -> None:
    made(table, house, "counter", playing=False)
    desk.goto(f"{table.address}/tournaments/counter")
    expect(desk.locator("#desk-counts")).to_contain_text("8 entries")
    for number in range(PEOPLE):
        enter_by_keys(desk, number)
    expect(desk.locator("#desk-counts")).to_contain_text(f"{8 + PEOPLE} entries")
    desk.keyboard.press("Alt+1")
    desk.keyboard.type("Player 003")
    desk.keyboard.press("Enter")
    expect(desk.locator("#at-counter")).to_contain_text("5003")
    tournament = house.directing.fold("counter").tournament
    assert tournament is not None
    entries = tournament.parts.of(Entries).by_number
    assert sorted(entries) == [*range(1, 9 + PEOPLE)], "each was entered once"


def test_enter_counts_that_was_pressed_before_the_tournament_was_there(tab: Page, table: ServedPit) -> None:
    tab.set_viewport_size(DESK)  # type: ignore[arg-type]
    sign_in(tab, table, Role.DIRECTOR, "/tournaments/tuesday")  # type: ignore[arg-type]  # what it asks of a table a pit has too
    expect(tab.locator("#desk-counts")).to_contain_text("entries")
    first = Late(tab, "**/api/v1/tournaments/tuesday")
    tab.reload()
    tab.locator("#find").fill("Cleo")
    tab.keyboard.press("Enter")
    tab.locator("#find").fill("Fin")
    tab.keyboard.press("Enter")
    first.come()
    expect(tab.locator("#at-counter h3")).to_have_text("Finn O'Hara")


def test_a_tournament_is_announced_at_the_tables_of_the_floor(desk: Page, table: ServedPit) -> None:
    table.do(table.floor.table("table-2"))
    desk.goto(f"{table.address}/tournaments")
    expect(desk.locator("#open-book option").first).to_be_attached()
    for name, words in (("id", "sunday"), ("name", "Sunday"), ("fee", "100"), ("stack", "20000"), ("why", "as usual")):
        desk.locator(f"#open-{name}").fill(words)
    desk.locator("#open-book").select_option("star-2025")
    desk.locator("#open-tables").fill("table-2 9-1")
    desk.get_by_role("button", name="Announce").click()
    expect(desk.locator("#open-refusal")).to_contain_text("Not done")
    desk.get_by_role("button", name="All tables of the floor").click()
    expect(desk.locator("#open-tables")).to_have_value("table-2 1-9")
    desk.get_by_role("button", name="Announce").click()
    desk.wait_for_url("**/tournaments/sunday#draw")
    expect(desk.locator("#desk-title")).to_have_text("Sunday")
    expect(desk.get_by_role("button", name="Publish the commitment")).to_be_visible()


def test_a_refusal_stands_beside_its_field_and_a_clause_with_it(desk: Page, table: ServedPit) -> None:
    desk.goto(f"{table.address}/tournaments/tuesday")
    desk.locator("#find").fill("anna")
    expect(desk.locator("#found li")).to_have_count(1)
    desk.keyboard.press("Control+Enter")
    desk.locator("#enter-person").fill("1001")
    desk.locator("#enter-name").fill("Anna Meier")
    desk.get_by_role("button", name="Take the entry").click()
    expect(desk.locator('#enter [data-field="person"]')).to_contain_text("has entry 1, which is not over")
    desk.locator("#enter-person").fill("3001")
    desk.locator("#enter-name").fill("Lea Moser")
    desk.locator("#enter-paid").fill("1")
    desk.get_by_role("button", name="Take the entry").click()
    expect(desk.locator('#enter [data-field="paid"]')).to_contain_text("Not done")
    desk.get_by_role("button", name="Draw (2)").click()
    desk.get_by_role("button", name="Draw all seats anew").click()
    desk.locator("#field-occasion").select_option("final_table")
    desk.locator("#field-secret").fill(SECRETS[2].hex())
    desk.locator("#step-why").fill("a try")
    desk.locator("#step-do").click()
    expect(desk.locator("#step-refusal")).to_contain_text("no hand was dealt since")
    expect(desk.locator("#step-refusal")).to_contain_text("(Seating 2, 7)")
    desk.keyboard.press("Escape")


@pytest.mark.parametrize(("who", "offender"), [("a table", "ben"), ("a person", "dan")])
def test_a_step_is_taken_behind_what_tables_tell_and_asked_again_behind_a_person(
    desk: Page, table: ServedPit, house: House, who: str, offender: str
) -> None:
    """Somebody comes first each time, between the desk's last look and its step."""

    def first(route: Route) -> None:
        if who == "a person":
            say(table, house, "tuesday", "clock.stands")
            say(table, house, "tuesday", "clock.runs")
        else:
            tournament = house.directing.fold("tuesday").tournament
            assert tournament is not None
            seat = min(tournament.parts.of(Seating).at("T1"))
            began = {"ev": "hand.began", "table": "T1", "hand": 1, "big_blind": seat}
            table.do(house.directing.tell("tuesday", began, TableEntry(bytes(16), 1)))
        route.continue_()

    desk.goto(f"{table.address}/tournaments/tuesday")
    choose(desk, offender)
    desk.get_by_role("button", name="Penalty").click()
    desk.locator("#step-why").fill("a telephone at the table")
    desk.route("**/steps", first, times=1)
    desk.locator("#step-do").click()
    if who == "a person":
        expect(desk.locator("#step-refusal")).to_contain_text("Max came first")
        desk.locator("#step-do").click()
    expect(desk.locator("#step")).not_to_be_visible()
    expect(desk.locator("#at-counter")).to_contain_text("warnings")


def test_a_sheet_with_faults_imports_nothing(desk: Page, table: ServedPit) -> None:
    desk.goto(f"{table.address}/tournaments/friday")
    desk.locator("#sheet-box summary").click()
    bad = "entry,person,name,paid\n9,1001,Anna,25000\n10,30!02,Jan,25000\n"
    sheet = {"name": "entries.csv", "mimeType": "text/csv", "buffer": bad.encode()}
    desk.locator("#sheet-file").set_input_files(sheet)  # type: ignore[arg-type]
    desk.locator("#sheet-why").fill("from the web")
    desk.get_by_role("button", name="Take all entries").click()
    expect(desk.locator("#sheet-faults")).to_contain_text("sheet:3: person")
    latin = {**sheet, "buffer": "entry,person,name,paid\n9,3001,Ida,25000\n10,3002,Jørg,25000\n".encode("latin-1")}
    desk.locator("#sheet-file").set_input_files(latin)  # type: ignore[arg-type]
    desk.get_by_role("button", name="Take all entries").click()
    expect(desk.locator("#sheet-faults")).to_contain_text("sheet:3: this is not UTF-8")
    expect(desk.locator("#desk-counts")).to_contain_text("8 entries")
    good = {**sheet, "buffer": b"entry,person,name,paid\n9,3001,Ida,25000\n10,3002,Jan,25000\n"}
    desk.locator("#sheet-file").set_input_files(good)  # type: ignore[arg-type]
    desk.get_by_role("button", name="Take all entries").click()
    expect(desk.locator("#desk-counts")).to_contain_text("10 entries")


def test_seats_are_drawn_with_the_file_of_secrets(desk: Page, table: ServedPit) -> None:
    desk.goto(f"{table.address}/tournaments/friday#draw")
    expect(desk.locator("#draw-facts")).to_contain_text(commitment_of(SECRETS[0]))
    lines = [
        f"commitment  {commitment_of(SECRETS[0])}",
        *(f"secret {n}  {s.hex()}" for n, s in enumerate(SECRETS[:9], 1)),
    ]
    file = {"name": "secrets.txt", "mimeType": "text/plain", "buffer": "\n".join(lines).encode()}
    desk.locator("#secrets-file").set_input_files(file)  # type: ignore[arg-type]
    expect(desk.locator("#secrets-told")).to_contain_text("The file was read")
    desk.get_by_role("button", name="Draw all seats").click()
    desk.locator("#step-do").click()
    expect(desk.locator("#draw-facts")).to_contain_text(SECRETS[0].hex())
    desk.get_by_role("button", name="Tables (3)").click()
    expect(desk.locator("#tables .sitting li").first).to_be_visible()
    desk.get_by_role("button", name="Announce the breaking order").click()
    desk.locator("#step-why").fill("as every night")
    desk.locator("#step-do").click()
    expect(desk.locator("#breaking")).to_contain_text("T3, T2, T1")
    desk.get_by_role("button", name="Log (7)").click()
    expect(desk.locator("#log tr").first).to_contain_text("as every night")
    expect(desk.locator("#log tr").first).to_contain_text("director")
    expect(desk.locator("#log tr").first).to_contain_text(re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \+00:00"))
    expect(desk.locator("#log tr").last).to_contain_text("tournament made")


def test_hand_for_hand_shows_each_table(desk: Page, table: ServedPit, house: House) -> None:
    desk.goto(f"{table.address}/tournaments/tuesday#hands")
    desk.get_by_role("button", name="Begin hand for hand").click()
    desk.locator("#step-why").fill("one from the money")
    desk.locator("#step-do").click()
    desk.get_by_role("button", name="Release the next hand").click()
    expect(desk.locator("#hands-told")).to_contain_text("Hand 1: waits for")
    expect(desk.get_by_role("button", name="Release the next hand")).to_be_disabled()
    tournament = house.directing.fold("tuesday").tournament
    assert tournament is not None
    play = tournament.parts.of(Hands).play
    assert play is not None
    for one in play.waits_for:
        say(table, house, "tuesday", "hand.over", table=one, hand=1)
    expect(desk.locator("#hands-told")).to_contain_text("every table has finished")
    expect(desk.locator("#hands li").first).to_contain_text("has finished")


def test_hand_for_hand_has_a_way_on_where_a_table_does_not_tell_its_hand(
    desk: Page, table: ServedPit, house: House
) -> None:
    """A person says the hand for the table; of the next one the places are decided without it."""
    made(table, house, "owing", playing=True)
    say(table, house, "owing", "late.closed")
    say(table, house, "owing", "hand_for_hand.began", why="bubble")
    tournament = house.directing.fold("owing").tournament
    assert tournament is not None
    there = {name: list(tournament.parts.of(Seating).at(name).values()) for name in ("T1", "T2")}

    def without(hand: int) -> None:
        say(table, house, "owing", "hand.released")
        table.do(house.directing.tell("owing", {"ev": "table.away", "table": "T1"}, None))
        gone = {"entry": there["T2"].pop(), "stack": 30_000, "put_in": 30_000}
        say(table, house, "owing", "hand.over", table="T2", hand=hand, out=[gone])
        say(table, house, "owing", "table.excused", table="T1")

    without(1)
    desk.goto(f"{table.address}/tournaments/owing#hands")
    expect(desk.locator("#due")).to_contain_text("T1: places stay provisional until it has told the hand")
    expect(desk.locator("#due")).to_contain_text("nobody has a prize before: nobody has said yet what each place gets")
    desk.get_by_role("button", name="End hand for hand…").click()
    desk.locator("#step-why").fill("the bubble has burst")
    desk.locator("#step-do").click()
    expect(desk.locator("#step-refusal")).to_contain_text("table T1 has not told the end of a hand")
    desk.keyboard.press("Escape")
    tile = desk.locator('#hands [data-item="T1"]')
    tile.get_by_role("button", name="Hand 1 is over…").click()
    desk.locator(f"#field-out-{there['T1'][0]}").fill("20000")
    desk.locator("#step-do").click()
    expect(tile).not_to_contain_text("has to tell of hand")
    expect(desk.locator("#due")).not_to_contain_text("Report missing")
    table.do(house.directing.tell("owing", {"ev": "table.back", "table": "T1"}, None))
    without(2)
    expect(tile).to_contain_text("has to tell of hand 2")
    tile.get_by_role("button", name="Places of hand 2 without the report…").click()
    expect(desk.locator("#step-about")).to_contain_text("T1 has not told this hand")
    desk.locator("#step-why").fill("the table is lost, and nobody there was all in")
    desk.locator("#step-do").click()
    expect(desk.locator("#due")).not_to_contain_text("Report missing")
    desk.locator("#to-places").click()
    expect(desk.locator("#places tr")).to_have_count(3)
    expect(desk.locator("#places")).not_to_contain_text("may still change")
    desk.locator("#to-hands").click()
    desk.get_by_role("button", name="End hand for hand…").click()
    desk.locator("#step-why").fill("the bubble has burst")
    desk.locator("#step-do").click()
    expect(desk.locator("#hands-told")).to_have_text("Tables deal at their own pace.")


def test_what_a_person_must_answer_is_one_press_away(desk: Page, table: ServedPit, house: House) -> None:
    """Of two who went out together one answer is enough; what a table told wrongly stays until somebody settles it."""
    made(table, house, "asked", playing=True)
    say(table, house, "asked", "late.closed")
    tournament = house.directing.fold("asked").tournament
    assert tournament is not None
    first, second = sorted(tournament.parts.of(Seating).at("T1").values())[:2]
    out = [{"entry": first, "stack": 100, "put_in": 200}, {"entry": second, "stack": 300, "put_in": 300}]
    table.do(house.directing.tell("asked", {"ev": "hand.over", "table": "T1", "out": out}, None))
    desk.goto(f"{table.address}/tournaments/asked#clock")
    due = desk.locator("#due")
    expect(due).to_contain_text(f"T1: entry {first} put 200 chips in, and had 100: count again (Hand for Hand 4, 5)")
    due.get_by_role("button", name=f"Decide the places of entries {first}, {second}…").click()
    expect(desk.locator("#step-about")).to_contain_text("at T1: chips not known")
    expect(desk.locator("#step-about")).to_contain_text("at T1: 300 chips (Hand for Hand 4, 5)")
    desk.get_by_label("Who had more chips before the hand?").select_option(label=NAMES[second - 1])
    desk.locator("#step-do").click()
    expect(due).not_to_contain_text("who is placed higher")
    due.get_by_role("button", name="Settled…").click()
    desk.locator("#step-why").fill("counted again: 200")
    desk.locator("#step-do").click()
    expect(due).not_to_contain_text("count again")
    ladder = house.directing.fold("asked").tournament
    assert ladder is not None
    placed = ladder.parts.of(Places).final
    assert (placed[second].first, placed[first].first) == (7, 8)


def test_who_went_out_in_one_race_is_placed_anew_by_keyboard(desk: Page, table: ServedPit, house: House) -> None:
    """They were placed by their odd chips, then by their seats, and no step of the desk changed that."""
    made(table, house, "together", playing=True)
    say(table, house, "together", "late.closed")
    desk.goto(f"{table.address}/tournaments/together#places")
    tools = desk.locator("#places-tools")
    expect(tools).to_contain_text("Set the payouts…")
    expect(tools.get_by_role("button", name="Place together…")).to_have_count(0)
    tournament = house.directing.fold("together").tournament
    assert tournament is not None
    first, second, third = sorted(tournament.parts.of(Seating).at("T1").values())[:3]
    for entry in (first, second, third):
        say(table, house, "together", "entry.out", entry=entry)
    tools.get_by_role("button", name="Place together…").press("Enter")
    numbers = desk.get_by_label("Their entry numbers, the highest place on top")
    why, do, refusal = desk.locator("#step-why"), desk.locator("#step-do"), desk.locator("#step-refusal")
    why.fill("they raced at the same time")
    numbers.fill(f"{first}\n{third}")
    do.press("Enter")
    expect(refusal).to_contain_text("are to be decided")
    numbers.fill("4711")
    do.press("Enter")
    expect(refusal).to_contain_text("4711 named")
    numbers.fill(f"{first}\n{third} {second}")
    do.press("Enter")
    expect(desk.locator("#step")).not_to_be_visible()
    tournament = house.directing.fold("together").tournament
    assert tournament is not None
    final = tournament.parts.of(Places).final
    assert final[first].last < final[second].first
    assert final[second] == final[third]


def test_players_see_seats_and_clock_without_signing_in(tab: Page, table: ServedPit, chromium: Browser) -> None:
    tab.set_viewport_size({"width": 1920, "height": 1080})
    tab.goto(f"{table.address}/tournaments/tuesday/seats")
    expect(tab.locator("#seats p").first).to_contain_text("Anna M.")
    size = tab.locator("#seats .name").first.evaluate("one => parseFloat(getComputedStyle(one).fontSize)")
    assert size >= 40, "letters of 1/27 of the height: 11 mm on a 24-inch screen, read at four metres"
    assert "1001" not in tab.content()
    tab.goto(f"{table.address}/tournaments/tuesday/clock")
    expect(tab.locator("#blinds")).to_have_text("100 / 200")
    expect(tab.locator("#next")).to_contain_text("200 / 400")
    tab.set_viewport_size(PHONE)  # type: ignore[arg-type]
    tab.goto(f"{table.address}/tournaments/tuesday/seats")
    expect(tab.locator("#seats p").first).to_contain_text("Anna M.")
    width = tab.evaluate("document.documentElement.scrollWidth")
    assert width <= PHONE["width"]


def test_players_go_out_enter_again_and_are_paid(desk: Page, table: ServedPit, house: House) -> None:
    """What a table tells that has no line to the floor, payouts, a count of chips and a re-entry."""
    desk.goto(f"{table.address}/tournaments/friday#tables")
    tile = desk.locator('#tables [data-item="T1"]')
    tile.get_by_role("button", name="Players out in a hand").click()
    first = desk.locator("#step-fields input").first
    entry = int((first.get_attribute("name") or "").removeprefix("out-"))
    first.fill("30000")
    desk.locator("#step-do").click()
    expect(desk.locator("#desk-counts")).to_contain_text("9 in play")
    desk.locator("#to-places").click()
    desk.get_by_role("button", name="Set the payouts").click()
    desk.locator("#field-percent").fill("60\n30")
    desk.locator("#step-why").fill("as announced")
    desk.locator("#step-do").click()
    expect(desk.locator("#step-refusal")).to_contain_text("add up to 100")
    desk.locator("#field-percent").fill("60\n40")
    desk.locator("#step-do").click()
    expect(desk.locator("#money")).to_contain_text("1: 1,200 · 2: 800")
    desk.get_by_role("button", name="Count all chips").click()
    desk.locator("#field-chips").fill("300000")
    desk.locator("#step-why").fill("end of the day")
    desk.locator("#step-do").click()
    expect(desk.locator("#step")).not_to_be_visible()
    desk.locator("#to-counter").click()
    desk.locator("#find").fill(str(entry))
    expect(desk.locator(f"#found-{entry}")).to_have_attribute("aria-selected", "true")
    desk.keyboard.press("Enter")
    expect(desk.get_by_role("button", name="Enter again")).to_be_focused()
    desk.keyboard.press("Enter")
    expect(desk.get_by_role("button", name="Take the entry")).to_be_focused()
    desk.keyboard.press("Enter")
    expect(desk.locator("#at-counter")).to_contain_text("entered 2 times")


def test_the_cage_gives_back_a_fee_and_takes_it_back_by_the_keyboard(
    desk: Page, table: ServedPit, house: House
) -> None:
    made(table, house, "saturday", playing=True)
    table.do(house.other("saturday", {"ev": "tournament.cancelled", "refund": True}))
    desk.goto(f"{table.address}/tournaments/saturday")
    choose(desk, "ben")
    facts = desk.locator("#at-counter")
    expect(facts).to_contain_text("Goes back250")
    back = desk.get_by_role("button", name="Give the fee back…")
    back.focus()
    desk.keyboard.press("Enter")
    expect(desk.locator("#field-cents")).to_have_value("250")
    expect(desk.locator("#step-why")).to_have_value("given back at the cage")
    desk.keyboard.press("Enter")
    expect(facts).to_contain_text("Given back250")
    desk.locator("#to-places").click()
    desk.get_by_role("button", name="It goes on…").click()
    desk.locator("#step-why").fill("the wrong tournament")
    desk.locator("#step-do").click()
    expect(desk.locator("#step-refusal")).to_contain_text("by entry in cents (2: 25000)")
    desk.locator("#step-leave").click()
    desk.locator("#to-counter").click()
    desk.get_by_role("button", name="Fee is back…").click()
    expect(desk.locator("#field-cents")).to_have_value("250")
    desk.locator("#step-why").fill("paid in again")
    desk.locator("#step-do").click()
    expect(facts).not_to_contain_text("Given back")
    expect(facts).to_contain_text("Goes back250")


REBUYS = {"re_entries": 0, "rebuy": {"price": 20_000, "chips": 30_000, "most": 2, "until_level": 6, "below": 10_000}}


def test_chips_are_bought_by_the_keyboard_and_what_was_told_wrong_is_put_right(
    desk: Page, table: ServedPit, house: House
) -> None:
    made(table, house, "monday", playing=True, **REBUYS)
    desk.goto(f"{table.address}/tournaments/monday")
    choose(desk, "ben")
    rebuy = desk.get_by_role("button", name="Rebuy…")
    rebuy.focus()
    desk.keyboard.press("Enter")
    expect(desk.locator("#step-about")).to_contain_text("30,000 chips for 200, through level 6; has had 0 of 2")
    desk.keyboard.press("Tab")
    desk.keyboard.type("10000")
    desk.keyboard.press("Enter")
    expect(desk.locator("#step-refusal")).to_contain_text("has 10000 chips: below 10000 alone (Formats)")
    desk.locator("#field-stake").fill("9900")
    desk.keyboard.press("Enter")
    expect(desk.locator("#at-counter")).to_contain_text("1 rebuys")
    desk.get_by_role("button", name="Rebuy taken back…").click()
    desk.locator("#field-to").fill("3")
    desk.locator("#step-why").fill("entry 3 has bought it")
    desk.locator("#step-do").click()
    expect(desk.locator("#at-counter")).not_to_contain_text("1 rebuys")
    choose(desk, "cleo")
    expect(desk.locator("#at-counter")).to_contain_text("1 rebuys")
    choose(desk, "ben")
    desk.get_by_role("button", name="Correct…").click()
    desk.locator("#field-name").fill("Ben Okoro")
    desk.locator("#step-why").fill("misheard at the counter")
    desk.locator("#step-do").click()
    expect(desk.locator("#at-counter h3")).to_have_text("Ben Okoro")
    desk.get_by_role("button", name="Out…").click()
    desk.locator("#step-do").click()
    back = desk.get_by_role("button", name="Back in play…")
    back.focus()
    desk.keyboard.press("Enter")
    expect(desk.locator("#field-place")).to_have_value("")
    desk.locator("#step-why").fill("the wrong entry was told")
    desk.keyboard.press("Enter")
    expect(desk.locator("#desk-counts")).to_contain_text("8 in play")
    desk.locator("#to-places").click()
    desk.get_by_role("button", name="Call the tournament off…").click()
    desk.locator("#field-refund").select_option("1")
    desk.locator("#step-why").fill("the room is flooded")
    desk.locator("#step-do").click()
    expect(desk.get_by_text("8 entries get 2,200 back")).to_be_visible()
    expect(desk.locator("#desk-counts")).to_contain_text("called off")
    desk.get_by_role("button", name="It goes on…").click()
    desk.locator("#step-why").fill("it was another tournament")
    desk.locator("#step-do").click()
    expect(desk.locator("#desk-counts")).to_contain_text("8 in play")
    desk.locator("#to-clock").click()
    desk.get_by_role("button", name="Chip race…").click()
    desk.locator("#field-chip").fill("25")
    desk.locator("#field-new_chip").fill("100")
    desk.locator("#step-why").fill("the break has begun")
    desk.locator("#step-do").click()
    desk.get_by_role("button", name="Take the chip race back…").click()
    expect(desk.locator("#step-about")).to_contain_text("These tables race no chips: T1, T2")
    desk.locator("#step-why").fill("one level too early")
    desk.locator("#step-do").click()
    expect(desk.get_by_role("button", name="Chip race…")).to_be_visible()


PARTS = ("counter", "draw", "tables", "hands", "clock", "places", "log")


def require_fit(tab: Page, *viewports: dict[str, int]) -> None:
    """What axe finds, what is too small for a finger, and what is out of sight, cut off or broken at any size."""
    assert violations_at(tab, *viewports) == []
    assert tab.evaluate(SMALL, FINGER) == []
    assert faults_at_each_size(tab) == {}


def test_every_part_is_fit_for_all(desk: Page, table: ServedPit) -> None:
    desk.goto(f"{table.address}/tournaments")
    expect(desk.locator("#tournaments li").first).to_be_visible()
    require_fit(desk, DESK, PHONE)
    desk.goto(f"{table.address}/tournaments/tuesday")
    choose(desk, "anna")
    for part in PARTS:
        desk.locator(f"#to-{part}").click()
        require_fit(desk, DESK, PHONE)
    desk.locator("#to-counter").click()
    desk.get_by_role("button", name="Move…").click()
    require_fit(desk, DESK, PHONE)
    for path, shown in (("cards", ".card"), ("seats", "#seats p"), ("clock", "#blinds")):
        desk.goto(f"{table.address}/tournaments/tuesday/{path}")
        expect(desk.locator(shown).first).to_be_visible()
        require_fit(desk, DESK, PHONE)


def test_a_table_that_was_broken_by_mistake_stands_ready_again(desk: Page, table: ServedPit, house: House) -> None:
    made(table, house, "undone", playing=True)
    before = house.directing.fold("undone").tournament
    assert before is not None
    were = before.parts.of(Seating).places
    there = before.parts.of(Seating).at("T2")
    say(table, house, "undone", "table.broken", table="T2", to=[[entry, "T3", seat] for seat, entry in there.items()])
    desk.goto(f"{table.address}/tournaments/undone#tables")
    tile = desk.locator('#tables [data-item="T2"]')
    tile.get_by_role("button", name="Stands ready again…").click()
    desk.locator("#step-why").fill("the other table breaks first")
    desk.locator("#step-do").click()
    expect(tile).to_contain_text(f"{len(there)} of")
    after = house.directing.fold("undone").tournament
    assert after is not None
    assert after.parts.of(Seating).places == were
    entry = next(iter(there.values()))
    tile.get_by_role("button", name="Stacks counted…").click()
    desk.locator(f"#field-stack-{entry}").fill("31000")
    desk.locator("#step-do").click()
    expect(tile).to_contain_text("31,000 chips counted")
    desk.locator("#to-draw").click()
    for words, told in (("Close late entry…", "late entry is over"), ("Open late entry again…", "8 in play")):
        desk.get_by_role("button", name=words).click()
        desk.locator("#step-why").fill("too early")
        desk.locator("#step-do").click()
        expect(desk.locator("#desk-counts")).to_contain_text(told)
    expect(desk.locator("#desk-counts")).not_to_contain_text("late entry is over")


def test_two_people_annul_a_draw_and_it_stays_in_sight(desk: Page, table: ServedPit, house: House) -> None:
    made(table, house, "again", playing=True)
    desk.goto(f"{table.address}/tournaments/again#draw")
    expect(desk.locator("#draw-facts")).to_contain_text(
        "the director's own. A person who has it knows the seats of any list"
    )
    desk.get_by_role("button", name="Object to this draw…").click()
    expect(desk.locator("#step-about")).to_contain_text("no hand was dealt by it yet")
    desk.locator("#step-why").fill("two cards were one person's")
    desk.locator("#step-do").click()
    expect(desk.locator("#drawn")).to_contain_text("two cards were one person's")
    desk.get_by_role("button", name="Annul it as the second person…").click()
    desk.locator("#step-why").fill("so it is")
    desk.locator("#step-do").click()
    expect(desk.locator("#step-refusal")).to_contain_text("has objected to this draw: another person annuls it")
    desk.keyboard.press("Escape")
    say(table, house, "again", "draw.annulled")
    expect(desk.locator("#drawn .annulled")).to_contain_text("annulled by")
    expect(desk.locator("#desk-counts")).to_contain_text("8 without a seat")
    require_fit(desk, DESK)
    desk.get_by_role("button", name="Draw all seats").click()
    desk.locator("#field-secret").fill(SECRETS[1].hex())
    desk.locator("#step-do").click()
    expect(desk.locator("#drawn li")).to_have_count(2)
    desk.goto(f"{table.address}/tournaments/again/seats")
    expect(desk.locator("#drawn")).to_contain_text("Draws that two people have annulled: 1.")
    expect(desk.locator("#drawn")).to_contain_text("the director's own secrets")


def test_who_sits_at_a_table_with_a_broadcast_reads_it_on_seat_card_and_screens(desk: Page, table: ServedPit) -> None:
    table.do(
        table.floor.table("T1", ("host", "note", {"note": BY_HAND_NOTE, "what": BROADCAST_ON_NOTE, "who": "anna"}))
    )
    words = "Cards of rounds that are over go to a broadcast, folded hands too"
    for path in ("seats", "clock"):
        desk.goto(f"{table.address}/tournaments/tuesday/{path}")
        expect(desk.locator("#broadcast")).to_have_text(f"{words}: T1")
        assert violations(desk, "#broadcast") == []
    desk.goto(f"{table.address}/tournaments/tuesday/cards")
    said = desk.locator(".card", has=desk.locator(".table", has_text="T1")).locator("p", has_text=words)
    expect(said).not_to_have_count(0)  # before they are counted: they are drawn once the floor has answered
    expect(desk.locator(".card p", has_text=words)).to_have_count(said.count())
    desk.goto(table.address)
    expect(desk.locator('#tables [data-item="T1"]')).to_contain_text("cards of rounds that are over go to it")
    desk.goto(f"{table.address}/wall")
    expect(desk.locator("#words")).to_contain_text("1 with a broadcast")


@pytest.mark.parametrize(("language", "paid", "pool"), [("en", "$250", "$1,600"), ("de", "250 $", "1.600 $")])
def test_money_is_of_the_houses_currency_as_the_language_writes_it(
    tab: Page, tmp_path: Path, language: str, paid: str, pool: str
) -> None:
    directors = House()
    with served_pit(tmp_path, directors.directing, "short", currency="AUD") as pit:
        made(pit, directors, "tuesday", playing=True)
        sign_in(tab, pit, Role.DIRECTOR, f"/language/{language}")  # type: ignore[arg-type]
        tab.goto(f"{pit.address}/tournaments/tuesday")
        choose(tab, "ben")
        expect(tab.locator("#at-counter")).to_contain_text(paid)
        tab.locator("#to-places").click()
        expect(tab.locator("#money")).to_contain_text(pool)
        told = tab.request.get(f"{pit.address}/api/v1/tournaments/tuesday").json()
        assert told["money"]["currency"] == "AUD"
        summary = tab.request.get(f"{pit.address}/api/v1/tournaments/tuesday/results?format=ots").json()
        assert summary["currency"] == "AUD"
        tab.goto("about:blank")  # what the pit's end would cut off is no fault of a page
