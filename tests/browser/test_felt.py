"""The drawn table: hands beside each other, a game without a board, points as points, and the same in words."""

import re
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from feltd.page.access.roles import Role
from table_fsm.events import ShoeShuffled
from tests.browser.conftest import PATIENT, sign_in
from tests.browser.served import Served
from tests.browser.sizes import faults_of_layout
from tests.browser.test_door import violations

PHONE = {"width": 390, "height": 844}
WAGERS = {"ante": 10_000, "blind": 10_000, "trips": 2500, "play": 40_000}
DRAW = """async ([table, counted]) => {
    const { drawTable } = await import("/static/felt.js");
    document.getElementById("drawn")?.remove();
    const svg = document.getElementById("table").cloneNode(false);  // the table's own is drawn again each second
    svg.id = "drawn";
    document.getElementById("table").before(svg);
    drawTable(svg, table, counted);
}"""
OVERLAP = """() => {
    const boxes = [...document.querySelectorAll("#drawn > g > g")].map((one) => one.getBoundingClientRect());
    const met = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
    return [boxes.length, boxes.flatMap((a, at) => boxes.slice(at + 1).filter((b) => met(a, b))).length];
}"""
COVERED = """() => {
    const of = (what) => [...document.querySelectorAll(what)]
        .map((one) => [one.textContent, one.getBoundingClientRect()]);
    const all = [...of("#drawn text.wager"), ...of("#drawn text.label, #drawn .seat, #drawn .card, #drawn .back")];
    const met = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2
        && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 4;
    const found = of("#drawn text.wager").flatMap(([words, a], at) => all.slice(at + 1).filter(([, b]) => met(a, b))
        .map(([other]) => `${words} / ${other}`));
    const shoe = document.querySelector("#drawn .shoe-text").getBoundingClientRect();
    const box = document.querySelector("#drawn > .back").getBoundingClientRect();
    return shoe.left < box.left || shoe.right > box.right ? [...found, "shoe"] : found;
}"""
SMALLEST = """() => Math.min(...[...document.querySelectorAll("#drawn text")].map(
    (one) => parseFloat(getComputedStyle(one).fontSize) * one.getScreenCTM().a))"""


def seats(cards: int) -> list[dict[str, Any]]:
    """Ten players with so many cards each, the first one face up."""
    one = {"state": "in", "folded": False, "cards": cards, "tabled": ["Th"] if cards else None, "wagers": None}
    return [{**one, "seat": number} for number in range(1, 11)]


def drawn(tab: Page, table: dict[str, Any], counted: dict[str, Any] | None = None) -> None:
    tab.evaluate(DRAW, [table, counted])


@pytest.mark.parametrize("count", [2, 4, 5, 7])
def test_hands_of_a_full_table_do_not_overlap(tab: Page, table: Served, count: int) -> None:
    sign_in(tab, table, Role.OBSERVER)
    drawn(tab, {"seats": seats(count), "board": [], "street": "seventh"})
    assert tab.evaluate(OVERLAP) == [10, 0]


@pytest.mark.parametrize("language", ["en", "de"])
def test_wagers_of_a_full_table_lie_over_nothing(chromium: Browser, tab: Page, table: Served, language: str) -> None:
    sign_in(tab, table, Role.OBSERVER)
    context = chromium.new_context(locale=language, storage_state=tab.context.storage_state())
    context.set_default_timeout(PATIENT)
    felt = context.new_page()
    felt.goto(table.address)
    expect(felt.locator("#seat-words tr").first).to_be_visible()
    players = [{**one, "tabled": ["Th", "Td"], "wagers": WAGERS} for one in seats(2)]
    full = {"seats": players, "board": ["4c", "Ah", "Kd", "4d", "6s"], "street": "river", "deck": "green", "muck": 12}
    more = {"burn": 3, "dealer": {"cards": 2, "tabled": ["Ks", "7h"]}}
    counted = {"unit": "cents", "currency": "AUD", "sign": "$"}
    for width, height in ((1920, 1080), (768, 1024)):
        felt.set_viewport_size({"width": width, "height": height})
        drawn(felt, {**full, **more}, counted)
        assert felt.locator("#drawn .wager").count() == 40
        assert felt.evaluate(COVERED) == [], (width, height)
    context.close()


def test_a_game_without_a_board_has_no_places_for_one(tab: Page, table: Served) -> None:
    sign_in(tab, table, Role.OBSERVER)
    board = [None] * 5
    drawn(tab, {"seats": seats(3), "board": board, "street": "third"})
    expect(tab.locator("#drawn .place")).to_have_count(0)
    drawn(tab, {"seats": seats(2), "board": board, "street": "pre_flop"})
    expect(tab.locator("#drawn .place")).to_have_count(5)


def test_points_are_no_money(tab: Page, table: Served) -> None:
    sign_in(tab, table, Role.OBSERVER)
    posted = {"seats": seats(2), "board": [], "posts": {"2": 300}}
    drawn(tab, posted, {"unit": "points", "currency": "AUD", "sign": "$"})
    expect(tab.locator("#drawn")).to_contain_text("300")
    expect(tab.locator("#drawn")).not_to_contain_text("$")
    drawn(tab, posted, {"unit": "cents", "currency": "AUD", "sign": "$"})
    expect(tab.locator("#drawn")).to_contain_text("$3")


def test_no_letter_of_the_felt_is_too_small_to_read(tab: Page, table: Served) -> None:
    sign_in(tab, table, Role.OBSERVER)
    for width, height in ((1920, 1080), (1280, 800), (1024, 768), (768, 1024)):
        tab.set_viewport_size({"width": width, "height": height})
        drawn(tab, {"seats": seats(7), "board": [], "street": "seventh", "posts": {"2": 300}})
        assert tab.evaluate(SMALLEST) >= 8.5, (width, height)


def test_the_felt_is_told_in_words_and_on_a_phone_they_are_in_sight(tab: Page, table: Served) -> None:
    sign_in(tab, table, Role.OBSERVER)
    rows = tab.get_by_role("table", name="Seats").get_by_role("row")
    players = table.do(lambda page: len(page.state()["table"]["seats"]))
    expect(rows).to_have_count(players + 1)
    expect(rows.filter(has_text="button")).to_have_count(1)
    expect(tab.locator("#felt-words")).to_contain_text(re.compile("Board: .*Gate of the shoe: (open|locked)"))
    tab.set_viewport_size(PHONE)  # type: ignore[arg-type]  # a plain dict is what it takes
    assert tab.locator(".seat-words").evaluate("one => one.clientWidth") > PHONE["width"] / 2
    assert violations(tab) == []
    wide = tab.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert wide <= 0, "the page is wider than its window"


@pytest.mark.parametrize("language", ["en", "de"])
def test_long_bets_in_words_do_not_pan_the_page_on_a_phone(chromium: Browser, table: Served, language: str) -> None:
    context = chromium.new_context(viewport=PHONE, locale=language)  # type: ignore[arg-type]  # a plain dict does
    context.set_default_timeout(PATIENT)
    tab = context.new_page()
    name, password = table.account(Role.OBSERVER)
    tab.goto(f"{table.address}/sign-in")
    tab.locator("#name").fill(name)
    tab.locator("input[type=password]").fill(password)
    tab.keyboard.press("Enter")
    expect(tab.locator("#seat-words tr").first).to_be_visible()
    players = [{**one, "tabled": ["Qd", "Ts"], "wagers": WAGERS} for one in seats(2)]
    wide = tab.evaluate(
        """async (seats) => {
            const { drawSeatWords } = await import("/static/seat-words.js");
            const counted = { unit: "cents", currency: "AUD", sign: "$" };
            const told = { seats, board: [], button: 1, to_act: 1, clock: { seat: 1 } };
            drawSeatWords({ table: told, amounts: counted });  // no state comes between
            return document.documentElement.scrollWidth;
        }""",
        players,
    )
    faults = faults_of_layout(tab)
    context.close()
    assert faults == []
    assert wide <= PHONE["width"]


def test_who_is_not_in_the_hand_and_who_sits_out_a_penalty_is_told_in_words(tab: Page, table: Served) -> None:
    sign_in(tab, table, Role.OBSERVER)
    tab.goto(f"{table.address}/trends")  # where no state comes between
    away = {**seats(2)[0], "state": "away", "penalty": None}
    punished = seats(2)[1]
    rows = tab.evaluate(
        """async (players) => {
            const { drawSeatWords } = await import("/static/seat-words.js");
            const add = (name, id) => document.body.appendChild(Object.assign(document.createElement(name), { id }));
            const body = add("tbody", "seat-words");
            add("p", "felt-words");
            const told = (penalties, left) => {
                const tournament = { takes: { penalties } };
                players[1].penalty = left;
                drawSeatWords({ table: { seats: players, board: [], tournament }, amounts: null });
                return [...body.rows].map((row) => [row.cells[1].textContent, row.cells[4].textContent]);
            };
            return [told("hands_or_orbits", 3), told("button_rounds", 2)];
        }""",
        [away, punished],
    )
    assert rows == [
        [["away", "–"], ["at the table", "penalty: 3 hands left"]],
        [["away", "–"], ["at the table", "penalty: 2 rounds left"]],
    ]


def test_of_steps_that_follow_each_other_the_last_is_said(tab: Page, table: Served) -> None:
    sign_in(tab, table, Role.SUPERVISOR)
    prompt = table.do(lambda page: page.state()["prompt"])
    expect(tab.locator("#said")).to_have_text(prompt)
    tab.goto(f"{table.address}/trends")  # where no state comes between
    tab.evaluate(
        """async () => {
            const { say } = await import("/static/seat-words.js");
            const said = document.body.appendChild(Object.assign(document.createElement("p"), { id: "said" }));
            const heard = [];
            new MutationObserver(() => {
                heard.push(said.textContent);
                said.dataset.heard = heard.join();
            }).observe(said, { childList: true });
            for (const step of ["first", "second", "third"]) say(step);
        }"""
    )
    expect(tab.locator("#said")).to_have_attribute("data-heard", "third")


def test_who_only_looks_sees_no_button_that_decides(tab: Page, table: Served) -> None:
    sign_in(tab, table, Role.OBSERVER)
    table.take(ShoeShuffled, deck="blue", count=36)
    expect(tab.locator("#rulings li.waits")).to_be_visible()
    expect(tab.locator("#rulings").get_by_role("button")).to_have_count(0)
    expect(tab.locator("#acts-section")).to_be_hidden()
