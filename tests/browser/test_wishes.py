"""Wishes on the pit page in a real browser: one person wishes, another one approves."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from feltd.door.wishing import BookPlay
from feltd.floor.wishes import Wish
from feltd.page.access.roles import Role
from tests.browser.conftest import sign_in
from tests.feltd.page_support import SECRET
from tests.floor.pit_support import ServedPit, served_pit


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedPit]:
    """A pit with three tables."""
    with served_pit(tmp_path_factory.mktemp("pit")) as made:
        for name in ("table-1", "table-10", "table-2"):
            made.do(made.floor.table(name))
        yield made


def test_a_wish_waits_for_another_person_and_one_of_another_is_approved(tab: Page, table: ServedPit) -> None:
    sign_in(tab, table, Role.DIRECTOR)  # type: ignore[arg-type]  # what it asks of a table a pit has too
    tab.get_by_role("link", name="Wishes").click()
    expect(tab.locator("#no-wishes")).to_be_visible()
    expect(tab.locator("#choices label")).to_have_text([" table-1 ", " table-2 ", " table-10 "])
    tab.get_by_label("Rulebook").select_option("act-2019-uth")
    tab.get_by_label("Options, a line for each").fill("table_min 500")
    tab.get_by_label("table-2").check()
    tab.get_by_label("table-1", exact=True).check()
    tab.get_by_label("Takes it first").select_option("table-2")
    tab.locator("#new-reason").fill("from Monday on")
    tab.get_by_role("button", name="Wish it").click()
    expect(tab.locator("#new-refusal")).to_contain_text("no line of the form")
    tab.get_by_label("Options, a line for each").fill("table_min = 500")
    tab.get_by_role("button", name="Wish it").click()
    first = tab.locator('#wishes [data-item="1"]')
    expect(first).to_contain_text("waits for a second person")
    expect(first).to_contain_text("table_min=500")
    expect(first.get_by_role("button", name="Approve…")).to_have_count(0)

    play = BookPlay("onyx-cash", "ab" * 32, {})
    table.do(
        table.floor.engine.wishes.add(
            Wish(("table-1",), "table-1", 60.0, {"table-1": play}, "Lea (lea, director, here)", "lea", "a cash game")
        )
    )
    second = tab.locator('#wishes [data-item="2"]')
    second.get_by_role("button", name="Approve…").click()
    tab.locator("#say-reason").fill("seen")
    tab.get_by_label("Your password").fill("not this one, and long")
    tab.locator("#say-do").click()
    expect(tab.locator("#say-refusal")).to_contain_text("the password is wrong")
    tab.get_by_label("Your password").fill(SECRET)
    tab.locator("#say-do").click()
    expect(tab.locator("#say")).not_to_be_visible()
    expect(second).to_contain_text("table-1 takes it first")
    expect(second).to_contain_text("Approved by")


def test_settings_and_a_version_are_wished_each_by_its_own_form(tab: Page, table: ServedPit) -> None:
    sign_in(tab, table, Role.DIRECTOR)  # type: ignore[arg-type]  # what it asks of a table a pit has too
    tab.get_by_role("link", name="Wishes").click()
    tab.get_by_label("table-2").check()
    tab.locator("#new-reason").fill("case 4712")
    tab.get_by_label("What is wished").select_option("settings")
    expect(tab.get_by_label("Rulebook")).not_to_be_visible()
    tab.get_by_label("Settings, a line for each").fill("gather_seconds = 1.5")
    tab.get_by_role("button", name="Wish it").click()
    settings = tab.locator("#wishes section").filter(has_text="gather_seconds=1.5")
    expect(settings).to_contain_text("waits for a second person")
    tab.locator("#new-reason").fill("case 4711")
    tab.get_by_label("What is wished").select_option("version")
    tab.get_by_label("Version").fill("newest")
    tab.get_by_role("button", name="Wish it").click()
    expect(tab.locator("#new-refusal")).to_contain_text("Not kept")
    tab.get_by_label("Version").fill("0.9.0")
    tab.get_by_role("button", name="Wish it").click()
    expect(tab.locator("#wishes section").filter(has_text="version 0.9.0")).to_contain_text("waits for")
