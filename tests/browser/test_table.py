"""The table's page in a real browser: an alarm cannot be missed, a ruling opens, a decision is taken once."""

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from feltd.page.access.roles import Role
from table_fsm.events import DeviceState, ShoeFault, ShoeShuffled, TableClose, TableOpen
from table_fsm.felt import Blind
from tests.browser.conftest import PATIENT, TABLET, WIDE, sign_in
from tests.browser.late import Late
from tests.browser.served import Served
from tests.browser.test_door import violations, violations_at


def pending(table: Served) -> list[int]:
    return [one["id"] for one in table.do(lambda page: page.state()["table"]["pending"])]


@pytest.fixture
def short(table: Served) -> int:
    """A ruling that waits: the shoe has counted 36."""
    table.take(ShoeShuffled, deck="blue", count=36)
    [ruling] = pending(table)
    return ruling


def test_an_alarm_stands_out_with_its_words_and_how_long_until_it_is_seen(tab: Page, table: Served) -> None:
    sign_in(tab, table, Role.SUPERVISOR)
    expect(tab.get_by_role("region", name="Alarms")).to_be_hidden()
    table.take(ShoeFault, kind="jam", deck="blue")
    alarms = tab.get_by_role("region", name="Alarms")
    expect(alarms).to_contain_text("Jam: shoe, blue deck")
    expect(alarms).to_contain_text(re.compile(r"Active \d+ s, not acknowledged"))
    expect(tab).to_have_title(re.compile("^⚠"))
    alarms.get_by_role("button", name="Acknowledge all").click()
    expect(alarms).to_contain_text("acknowledged")
    expect(alarms).not_to_contain_text("not acknowledged")


def test_what_a_device_told_and_the_table_did_not_take_is_named(tab: Page, table: Served) -> None:
    sign_in(tab, table, Role.SUPERVISOR)
    told = tab.get_by_role("region", name="Told by devices, and not taken")
    expect(told).to_be_hidden()
    words = "device reader:board: message placed, field card: board:2: there is a card of another pack; take it away"
    table.do(lambda page: page.bridge.fault("reader:board", f"{words}, and look whether two packs are mixed"))
    expect(told.get_by_role("listitem")).to_contain_text(words)
    table.do(lambda page: page.bridge.fault("reader:board", f"{words}, and look whether two packs are mixed"))
    expect(told.get_by_role("listitem")).to_contain_text("(2 times)")
    assert violations(tab) == []


def test_a_table_whose_readers_know_no_side_says_what_it_cannot_see(tab: Page, table: Served) -> None:
    sign_in(tab, table, Role.SUPERVISOR)
    line = tab.locator("#faces")
    expect(line).to_be_hidden()
    table.take(TableClose)
    options = {"blinds": [100, 200], "faces": False}
    table.take(TableOpen, rulebook="tas-2018-holdem", seats=[1, 2, 3], options=options, button=3)
    expect(line).to_have_text(Blind.FACES.words)
    tab.reload()
    expect(line).to_have_text(Blind.FACES.words)
    assert violations(tab) == []


def test_a_ruling_is_overruled_with_a_reason_by_touch(tab: Page, table: Served, short: int) -> None:
    sign_in(tab, table, Role.SUPERVISOR)
    waiting = tab.locator("#rulings li.waits")
    expect(waiting).to_contain_text("supervisor decides")
    waiting.get_by_role("button", name="Overrule…").click()
    dialog = tab.get_by_role("dialog")
    expect(dialog).to_contain_text(f"Overrule: ruling {short}")
    dialog.get_by_label("Replace ruling with").select_option("warn")
    dialog.get_by_role("button", name="Overrule").click()
    expect(dialog).to_be_visible()  # it needs a reason
    dialog.get_by_label("Reason").fill("counted by hand: 52")
    dialog.get_by_role("button", name="Overrule").click()
    expect(dialog).to_be_hidden()
    expect(tab.locator("#rulings li.waits")).to_have_count(0)
    assert pending(table) == []


def test_the_second_of_two_supervisors_is_told(chromium: Browser, tab: Page, table: Served, short: int) -> None:
    sign_in(tab, table, Role.SUPERVISOR)
    other = chromium.new_context(viewport=TABLET)  # type: ignore[arg-type]  # a plain dict is what it takes
    other.set_default_timeout(PATIENT)
    second = other.new_page()
    sign_in(second, table, Role.DIRECTOR)
    second.locator("#rulings li.waits").get_by_role("button", name="Confirm").click()
    tab.locator("#rulings li.waits").get_by_role("button", name="Play on").click()
    tab.get_by_role("dialog").get_by_role("button", name="Play on").click()
    expect(tab.get_by_role("dialog")).to_be_hidden()
    expect(second.get_by_role("dialog")).to_contain_text("supervisor has decided it already: play on")
    second.get_by_role("dialog").get_by_role("button", name="Confirm").click()
    expect(second.get_by_role("dialog")).to_contain_text(f"ruling {short}: supervisor has decided it already")
    other.close()


def test_a_ruling_opens_to_what_happened_and_its_clause(tab: Page, table: Served, short: int) -> None:
    sign_in(tab, table, Role.SURVEILLANCE)
    tab.locator("#rulings summary").nth(1).click()
    opened = tab.locator("#rulings details[open]")
    expect(opened).to_contain_text("What happened")
    expect(opened.locator(".story li").first).to_be_visible()
    expect(opened).to_contain_text(
        re.compile(r"tas-2018-holdem, (clause [0-9.()a-z]+|House rule: [a-z ]+)\. Decided by: ")
    )
    with tab.context.expect_page() as page:
        opened.get_by_role("link", name="View rule").click(modifiers=["Control"])
    expect(page.value.locator("tr:target td").last).to_contain_text(opened.locator(".text").inner_text())
    page.value.close()
    tab.get_by_role("button", name="Overrule…").first.click()  # who may not decide can have a badge sign it
    dialog = tab.get_by_role("dialog")
    expect(dialog.get_by_role("button", name="Sign with a badge at the table")).to_be_visible()
    expect(dialog.get_by_role("button", name="Overrule")).to_be_hidden()


def test_a_seat_is_filled_by_keyboard_alone(tab: Page, table: Served) -> None:
    sign_in(tab, table, Role.SUPERVISOR)
    tab.get_by_role("button", name="Seat 7, empty").focus()
    tab.keyboard.press("Enter")
    tab.keyboard.press("Enter")
    expect(tab.get_by_role("button", name=re.compile("Seat 7, (?!empty)"))).to_be_visible()
    seats = table.do(lambda page: [seat["seat"] for seat in page.state()["table"]["seats"]])
    assert 7 in seats


def test_a_table_that_cannot_be_reached_is_not_shown_as_if_it_were_live(tab: Page, table: Served, short: int) -> None:
    sign_in(tab, table, Role.OBSERVER)
    expect(tab.locator(f"#ruling-{short} .clause")).to_contain_text("House rule")  # drawn again with the words
    expect(tab.locator("#live")).to_have_text("live")
    table.do(lambda page: page.hub.close())
    moment = r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d [+-]\d\d:\d\d"
    expect(tab.locator("#live")).to_contain_text(re.compile(f"no connection: as it was at {moment}"))


def test_nothing_an_axe_would_strike_on_the_table(tab: Page, table: Served, short: int) -> None:
    sign_in(tab, table, Role.DIRECTOR)
    table.take(DeviceState, device="shoe", online=False, reason="unplugged")
    expect(tab.get_by_role("region", name="Alarms")).to_be_visible()
    tab.locator("#rulings summary").first.click()
    assert violations_at(tab, WIDE, TABLET) == []
    tab.get_by_role("button", name="Overrule…").first.click()
    assert violations_at(tab, WIDE, TABLET) == []


def test_a_table_without_a_tournament_says_so(tab: Page, table: Served) -> None:
    sign_in(tab, table, Role.DIRECTOR, "/tournament")
    expect(tab.get_by_text("No tournament is played at this table")).to_be_visible()


def test_a_rulebook_is_searched_and_its_heads_stay_in_sight(tab: Page, table: Served) -> None:
    tab.goto(f"{table.address}/rules/tas-2018-holdem")
    rows = tab.locator("#rulings tbody tr:visible")
    every = rows.count()
    tab.get_by_label("Search this book").fill("misdeal burn")
    expect(tab.locator("#found")).to_have_text(re.compile(r"\d+ rows"))
    assert 0 < rows.count() < every
    for row in rows.all_inner_texts():
        assert {"misdeal", "burn"} <= set(re.findall("misdeal|burn", row.lower()))
    tab.get_by_label("Search this book").fill("")
    tab.set_viewport_size(WIDE)  # type: ignore[arg-type]  # a plain dict is what it takes
    rows.nth(every // 2).scroll_into_view_if_needed()
    expect(tab.locator("#rulings thead th").first).to_be_in_viewport()


def test_a_decision_whose_dialog_was_left_leaves_the_next_alone(tab: Page, table: Served, short: int) -> None:
    sign_in(tab, table, Role.SUPERVISOR)
    tab.locator("#rulings li.waits").get_by_role("button", name="Confirm").first.click()
    dialog = tab.get_by_role("dialog")
    late = Late(tab, "**/api/v1/decisions")
    dialog.get_by_role("button", name="Confirm").click()
    late.given()
    tab.keyboard.press("Escape")
    tab.get_by_role("button", name="Have the deck checked").click()
    dialog.get_by_label("Reason").fill("it looks marked")
    late.come()
    assert dialog.get_by_label("Reason").input_value() == "it looks marked"
    dialog.get_by_role("button", name="Have the deck checked").click()
    expect(dialog).to_be_hidden()


def test_of_two_matters_that_want_one_dialog_the_last_gets_it(tab: Page, table: Served) -> None:
    sign_in(tab, table, Role.SUPERVISOR)
    opened = """async () => {
        const { openKnowing } = await import("/static/late.js");
        const opened = [];
        const one = (name) => openKnowing(document.getElementById("decide"), () => opened.push(name));
        await Promise.all([one("first"), one("second")]);
        return opened;
    }"""
    assert tab.evaluate(opened) == ["second"]
    tab.route("**/api/v1/session", lambda asked: asked.abort("internetdisconnected"))
    assert tab.evaluate(opened) == []
    expect(tab.locator("#notices")).to_contain_text("Not done: the table does not answer")
