"""History and trends in a real browser: found, walked through, printed; cards only for those who may see them."""

import re

from playwright.sync_api import Browser, Page, expect

from feltd.page.access.roles import Role
from feltd.text.zone import moment, zone_name
from tests.browser.conftest import PATIENT, sign_in
from tests.browser.late import Late
from tests.browser.served import Served
from tests.browser.test_door import violations


def test_rulings_are_found_and_lead_to_their_round(tab: Page, table: Served) -> None:
    sign_in(tab, table, Role.SURVEILLANCE)
    tab.get_by_role("link", name="History").click()
    rows = tab.locator("#found tr")
    expect(rows.first).to_be_visible()
    kind = rows.first.locator("td").nth(2).inner_text()
    tab.get_by_label("Kind").select_option(label=kind)
    tab.get_by_role("button", name="Find").click()
    expect(tab).to_have_url(re.compile("kind="))
    expect(rows.first.locator("td").nth(2)).to_have_text(kind)
    rows.first.get_by_role("link").click()
    expect(tab.locator("#steps li").first).to_be_visible()


def test_a_round_is_walked_through_by_keyboard_and_its_cards_are_for_some(tab: Page, table: Served) -> None:
    sign_in(tab, table, Role.SURVEILLANCE, "/history/round/1")
    expect(tab.locator("#words")).not_to_be_empty()
    tab.get_by_role("button", name="First step").click()
    first = tab.locator("#when").inner_text()
    tab.get_by_role("button", name="Next step").focus()
    for _ in range(30):
        tab.keyboard.press("Enter")
    assert tab.locator("#when").inner_text() != first
    expect(tab.locator("#table .pips").first).to_be_visible()
    tab.get_by_role("button", name="Last step").click()
    expect(tab.locator("#words")).to_contain_text(re.compile("collected|shuffled", re.IGNORECASE))


def test_a_round_opens_at_the_ruling_that_led_there(tab: Page, table: Served) -> None:
    sign_in(tab, table, Role.SUPERVISOR, "/history")
    row = tab.locator("#found tr").first
    clause = row.locator(".clause").inner_text()
    row.get_by_role("link").click()
    step = tab.locator("#steps li[aria-current]")
    expect(step).to_have_class("waits")
    expect(tab.locator("#words")).to_be_in_viewport()
    within = "one => one.offsetTop - one.parentElement.offsetTop - one.parentElement.scrollTop"
    assert 0 <= step.evaluate(within) < tab.locator("#steps").evaluate("one => one.clientHeight"), "not in its list"
    expect(tab.locator("#answers")).to_contain_text(clause)


def test_an_observer_sees_backs(tab: Page, table: Served) -> None:
    sign_in(tab, table, Role.OBSERVER, "/history/round/2")
    expect(tab.locator("#steps li").first).to_be_visible()
    down = tab.locator("#steps li", has_text=re.compile(r"comes to seat \d+, face down"))
    expect(down.first).to_be_visible()
    assert all("A card comes" in words for words in down.all_inner_texts())
    expect(tab.get_by_role("link", name="Incident report")).to_be_hidden()


def test_an_incident_report_says_who_when_and_what(tab: Page, table: Served) -> None:
    sign_in(tab, table, Role.SUPERVISOR)
    ruling = table.do(lambda page: page.bench.keeper.rulings[0])
    tab.goto(f"{table.address}/history")
    tab.locator("#found tr").first.get_by_role("link").click()
    tab.get_by_role("link", name="Incident report").click()
    report = tab.locator("article.report")
    expect(report).to_contain_text("Dealer")
    expect(report).to_contain_text(f"times in {zone_name()}")
    expect(report).to_contain_text(re.compile(r"feltd journal verify round-\d+\.jsonl checks it"))
    expect(report).to_contain_text("D77")
    expect(report).to_contain_text(str(ruling.ruling["text"]))
    expect(tab.get_by_role("button", name="Print")).to_be_visible()
    assert violations(tab) == []


def test_trends_are_pictures_with_words_and_figures(tab: Page, table: Served) -> None:
    sign_in(tab, table, Role.OBSERVER)
    tab.get_by_role("link", name="Trends").click()
    pictures = tab.locator("#pictures img")
    expect(pictures).to_have_count(8)
    for picture in pictures.all():
        assert picture.evaluate("image => image.decode().then(() => image.naturalWidth)") > 0
        assert picture.get_attribute("alt")
    tab.get_by_role("button", name="A month").click()
    expect(tab.get_by_role("button", name="A month")).to_have_attribute("aria-pressed", "true")


def test_a_browser_elsewhere_tells_and_takes_the_times_of_the_table(chromium: Browser, table: Served) -> None:
    context = chromium.new_context(timezone_id="Pacific/Kiritimati")
    context.set_default_timeout(PATIENT)
    tab = context.new_page()
    sign_in(tab, table, Role.SUPERVISOR, "/history")
    whens = tab.locator("#found tr td:first-child")
    expect(whens.first).to_have_text(re.compile(r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d [+-]\d\d:\d\d$"))
    walls = tab.evaluate("async () => (await (await fetch('/api/v1/rulings')).json()).map((ruling) => ruling.wall)")
    told = whens.all_inner_texts()
    assert told == [moment(wall) for wall in walls]
    wall = tab.evaluate(
        "async (text) => (await import('/static/shell.js')).fromTableTime(text)", told[0][:19].replace(" ", "T")
    )
    assert moment(wall) == told[0]
    context.close()


COVERED = """async () => {
    const [{ markFaults }, { place }] = await Promise.all([import("/static/replayed.js"), import("/static/felt.js")]);
    const shown = document.getElementById("table");
    const svg = shown.cloneNode(false);
    shown.after(svg);
    const wrong = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].filter((seat) => {
        svg.replaceChildren();
        markFaults(svg, { outputs: [{ ruling: { seat } }] });
        const flag = svg.querySelector(".fault-flag").getBBox(), cards = place(seat, 80);
        const across = flag.x < cards.x + 45 && flag.x + flag.width > cards.x - 45;
        const down = flag.y < cards.y + 32 && flag.y + flag.height > cards.y - 32;
        return (across && down) || flag.x < 0 || flag.x + flag.width > 1000 || flag.y < 0 || flag.y + flag.height > 590;
    });
    svg.remove();
    return wrong;
}"""
"""Seats whose flag of a fault lies over two cards of theirs."""


def test_a_replay_shows_the_dispute_bets_pot_who_was_to_act_and_the_fault(tab: Page, table: Served) -> None:
    sign_in(tab, table, Role.SURVEILLANCE)
    rulings = tab.request.get(f"{table.address}/api/v1/rulings").json()
    ruling = next(one for one in rulings if one["seat"] and one["round"])
    tab.goto(f"{table.address}/history/round/{ruling['round']}#ruling-{ruling['id']}")
    expect(tab.locator("#steps [aria-current] .fault-mark")).to_contain_text(f"seat {ruling['seat']}")
    expect(tab.locator("#table .fault-ring")).to_have_count(1)
    expect(tab.locator("#to-act")).to_contain_text(f"Next was seat {ruling['seat']}.")
    assert tab.evaluate(COVERED) == [], "a flag covers the cards of its seat, or leaves the picture"
    assert violations(tab) == []
    steps = tab.request.get(f"{table.address}/api/v1/rounds/{ruling['round']}/steps?most=500").json()
    bet = next(step for step in steps if step["event"]["ev"] == "action" and step["chips"])
    due = steps[bet["number"] - 2]["view"]["to_act"]
    tab.locator("#steps li").nth(bet["number"] - 1).get_by_role("button").click()
    expect(tab.locator("#to-act")).to_contain_text(f"Seat {due} was to act. Pot: $")
    expect(tab.locator("#table .pot")).to_have_text(re.compile(r"Pot \$\d"))
    expect(tab.locator("#money-rows tr")).to_have_count(len(bet["chips"]))
    assert bet["pot"] == sum(one["put_in"] for one in bet["chips"]) > 0
    expect(tab.locator("#table .fault-ring")).to_have_count(0)
    assert violations(tab) == []


def test_a_replay_says_who_won_with_what_hand_in_words(tab: Page, table: Served) -> None:
    sign_in(tab, table, Role.SURVEILLANCE)
    steps = tab.request.get(f"{table.address}/api/v1/rounds/2/steps?most=500").json()
    won = next(step for step in steps if any("showdown" in output for output in step["outputs"]))
    tab.goto(f"{table.address}/history/round/2")
    tab.locator("#steps li").nth(won["number"] - 1).get_by_role("button").click()
    expect(tab.locator("#answers")).to_contain_text(re.compile(r"Seats? \d.*(wins|share) pot 1"))
    for step in steps:
        for told in step["answers"]:
            assert not re.search(r"[{}_]|\bnull\b|object Object", told["words"]), told


def test_bookmarks_for_the_cameras_are_a_file(tab: Page, table: Served) -> None:
    sign_in(tab, table, Role.SURVEILLANCE, "/history")
    expect(tab.locator("#found tr").first).to_be_visible()
    with tab.expect_download() as download:
        tab.get_by_role("button", name="Bookmarks for the cameras").click()
    assert download.value.suggested_filename == "bookmarks.csv"
    lines = download.value.path().read_text(encoding="utf-8").splitlines()
    assert lines[0] == "time,begins,ends,kind,what,seat,round,ruling,entry,name"
    assert len(lines) > table.do(lambda page: len(page.bench.keeper.rulings))


def test_what_was_looked_for_before_does_not_come_into_what_is_looked_for_now(tab: Page, table: Served) -> None:
    sign_in(tab, table, Role.SURVEILLANCE, "/history")
    expect(tab.locator("#heads")).to_contain_text("Clause")
    late = Late(tab, "**/api/v1/rounds?*")
    tab.get_by_label("Show").select_option("rounds")
    tab.get_by_role("button", name="Find").click()
    late.given()
    tab.get_by_label("Show").select_option("rulings")
    tab.get_by_role("button", name="Find").click()
    expect(tab.locator("#more")).to_be_enabled()
    late.come()
    assert "Clause" in tab.locator("#heads").inner_text()
