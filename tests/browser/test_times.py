"""Times as the table's file wants them, in the texts of the server and in those of the page's script alike."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from feltd.page.access.roles import Role
from feltd.text.zone import choose, moment
from tests.browser.conftest import sign_in
from tests.browser.served import Served, served


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
    tab.goto(f"{table.address}/history/round/1")
    expect(tab.locator("#when")).to_contain_text(re.compile(r"\d\d:\d\d:\d\d [ap]m \+1[01]:00, step 1"))
    expect(tab.locator("#steps button").first).to_have_text(re.compile(r"^\d\d:\d\d:\d\d [ap]m \+1[01]:00 "))
    tab.goto(f"{table.address}/history/round/1/report")
    expect(tab.locator("article .walk .quiet").first).to_have_text(re.compile(r"^\d\d:\d\d:\d\d [ap]m \+1[01]:00$"))
    expect(tab.locator("article.report")).to_contain_text(re.compile(r"\d\d:\d\d:\d\d [ap]m \+11:00"))
