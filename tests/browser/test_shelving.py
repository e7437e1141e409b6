"""An alarm is shelved for a time with a reason, in a real browser: shown as that, and never one that stops play."""

import re

from playwright.sync_api import Page, expect

from feltd.page.access.roles import Role
from table_fsm.events import FloorCalled, ShoeFault, Tick
from tests.browser.conftest import sign_in
from tests.browser.served import Served
from tests.browser.test_door import violations


def test_an_alarm_is_shelved_with_a_reason_shown_and_put_back(tab: Page, table: Served) -> None:
    sign_in(tab, table, Role.SUPERVISOR)
    table.take(ShoeFault, kind="jam")
    table.take(FloorCalled)
    lines = tab.locator("#alarms > li")
    expect(lines).to_have_count(2)
    expect(lines.filter(has_text="Jam").get_by_role("button", name="Shelve…")).to_have_count(0)
    lines.filter(has_text="Floor called").get_by_role("button", name="Shelve…").click()
    dialog = tab.get_by_role("dialog", name="Shelve: Floor called")
    assert violations(tab) == []
    dialog.get_by_role("button", name="Shelve").click()
    expect(dialog).to_be_visible()  # it needs a reason
    dialog.get_by_label("For how long").select_option("30 min")
    dialog.get_by_label("Reason").fill("the key sticks")
    dialog.get_by_role("button", name="Shelve").click()
    shelved = tab.locator("#shelves li")
    expect(shelved).to_contain_text(
        re.compile(r"Shelved until \d{4}-\d\d-\d\d \d\d:\d\d:\d\d [+-]\d\d:\d\d by supervisor: Floor called")
    )
    expect(lines).to_have_count(1)
    assert violations(tab) == []
    tab.goto(f"{table.address}/alarms?kind=floor_called")
    expect(tab.locator("#found tr").first).to_contain_text("supervisor: the key sticks")
    shelved.get_by_role("button", name="End shelving").click()
    expect(lines).to_have_count(2)
    expect(shelved).to_have_count(0)


def test_it_comes_back_by_itself(tab: Page, table: Served) -> None:
    sign_in(tab, table, Role.DIRECTOR)
    table.take(FloorCalled)
    tab.get_by_role("button", name="Shelve…").click()
    tab.get_by_role("dialog").get_by_label("Reason").fill("the key sticks")
    tab.get_by_role("dialog").get_by_role("button", name="Shelve").click()
    expect(tab.locator("#band")).to_contain_text("NORMAL")
    table.do(lambda page: page.bench.time.pass_(901.0))
    table.take(Tick)
    expect(tab.locator("#alarms")).to_contain_text("Floor called")
    expect(tab.locator("#band")).to_contain_text("DECIDE")
