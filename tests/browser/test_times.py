"""Times as the table's file wants them, in the texts of the server and in those of the page's script alike."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from feltd.page.access.roles import Role
from feltd.text.zone import choose, moment
from tests.browser.conftest import sign_in
from tests.browser.served import Served, served

MIDNIGHT = 1_800_018_000
"""In Melbourne."""
SUMMER_ENDS = 1_806_766_200
"""Half past two at night on 2027-04-04, which Melbourne has twice: the offset tells them apart."""


@pytest.fixture
def table(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A table in Melbourne, where people read a clock of twelve hours."""
    choose("Australia/Melbourne", twelve_hours=True)
    try:
        with served(tmp_path_factory.mktemp("melbourne"), rounds=4) as made:
            yield made
    finally:
        choose(None, twelve_hours=False)


def test_zone_and_clock_are_those_of_the_tables_file(tab: Page, table: Served) -> None:
    sign_in(tab, table, Role.SUPERVISOR)
    expect(tab.locator("footer")).to_contain_text("Australia/Melbourne")
    expect(tab.locator("#rulings .when").first).to_have_text(re.compile(r"^\d\d:\d\d:\d\d [ap]m \+1[01]:00 · "))
    wall = 1_800_000_000.0
    told = tab.evaluate(f"import('/static/shell.js').then((shell) => shell.moment({wall}))")
    assert told == moment(wall) == "2027-01-15 07:00:00 pm +11:00"
    assert tab.evaluate("import('/static/shell.js').then((shell) => shell.fromTableTime('2027-01-15T19:00'))") == wall
    walls = [1_800_000_000 + 997 * 3600 * hours for hours in range(12)] + [MIDNIGHT, SUMMER_ENDS, SUMMER_ENDS + 3600]
    again = """async (walls) => {
        const [shell, field] = await Promise.all(["shell", "time-field"].map((name) => import(`/static/${name}.js`)));
        return walls.map((wall) => field.fromWritten(shell.moment(wall)));
    }"""
    assert tab.evaluate(again, walls) == walls
    tab.goto(f"{table.address}/language/de?to=/history")
    expect(tab.get_by_label("Von")).to_have_attribute("placeholder", "28.11.2026 02:05 pm")
    assert tab.evaluate(again, walls) == walls
    assert tab.evaluate("import('/static/shell.js').then((shell) => shell.moment(1_800_000_000))") == (
        "15.01.2027 07:00:00 pm +11:00"
    )
    in_german = tab.get_by_label("Von")
    for written in ("28.11.2026", "28.11.2026, 12:00 am", "28.11.2026 12:00 AM +1100"):
        in_german.fill(written)
        in_german.press("Tab")
        expect(in_german).to_have_value("28.11.2026 12:00 am +11:00")
    in_german.fill("0026-11-28 10:00")
    in_german.press("Enter")
    expect(tab.locator("#told")).to_have_text(
        "„0026-11-28 10:00“ liegt nicht zwischen 1970 und 2100. Bitte das Jahr berichtigen."
    )
    tab.goto(f"{table.address}/language/en?to=/history")
    tab.goto(f"{table.address}/history")
    since, until = tab.get_by_label("From"), tab.get_by_label("Until")
    expect(since).to_have_attribute("placeholder", "2026-11-28 02:05 pm")
    since.fill("2026-01-15 7:00 pm")
    until.fill("15.1.2026")
    until.press("Enter")
    expect(since).to_have_value("2026-01-15 07:00 pm +11:00")
    expect(until).to_have_value("2026-01-16 12:00 am +11:00")  # a day's end
    expect(tab.locator("#told")).to_have_text("Nothing found.")
    for wrong in ("yesterday", "2027-02-30 10:00", "2027-01-15 25:00", "2027-01-15 13:00 pm"):
        since.fill(wrong)
        since.press("Enter")
        expect(tab.locator("#told")).to_contain_text(f"“{wrong}” is no time. Write it as 2026-11-28 02:05 pm")
        expect(since).to_be_focused()
        expect(since).to_have_attribute("aria-invalid", "true")
    for year in ("0026", "2206"):
        since.fill(f"{year}-11-28 10:00")
        since.press("Enter")
        told = f"“{year}-11-28 10:00” is not between 1970 and 2100. Correct the year."
        expect(tab.locator("#told")).to_have_text(told)
    since.fill("2026-01-17 7:00 pm")
    since.press("Enter")
    expect(tab.locator("#told")).to_have_text(
        "From (2026-01-17 07:00 pm +11:00) is later than Until (2026-01-16 12:00 am +11:00). Correct one of them."
    )
    for field in (since, until):
        expect(field).to_have_attribute("aria-invalid", "true")
    until.fill("2026-01-18")
    until.press("Enter")
    expect(since).to_have_attribute("aria-invalid", "false")
    expect(tab.locator("#told")).to_have_text("Nothing found.")
    since.fill("")
    until.fill("")
    until.press("Enter")
    expect(tab.locator("#found tr").first).to_be_visible()
    tab.goto(f"{table.address}/alarms?since=2028-01-15T19:00")  # an address that somebody has kept
    expect(tab.get_by_label("From")).to_have_value("2028-01-15T19:00")
    expect(tab.locator("#told")).to_contain_text("No such alarm")
    tab.goto(f"{table.address}/history/round/1")
    expect(tab.locator("#when")).to_contain_text(re.compile(r"\d\d:\d\d:\d\d [ap]m \+1[01]:00, step 1"))
    expect(tab.locator("#steps button").first).to_have_text(re.compile(r"^\d\d:\d\d:\d\d [ap]m \+1[01]:00 "))
    tab.goto(f"{table.address}/history/round/1/report")
    expect(tab.locator("article .walk .quiet").first).to_have_text(re.compile(r"^\d\d:\d\d:\d\d [ap]m \+1[01]:00$"))
    expect(tab.locator("article.report")).to_contain_text(re.compile(r"\d\d:\d\d:\d\d [ap]m \+11:00"))
