"""Short keys: shown by ?, they lead to the main jobs, decide nothing and can be put out; skip links beside them."""

import re

from playwright.sync_api import Page, expect

from feltd.page.access.roles import Role
from table_fsm.events import ShoeFault
from tests.browser.conftest import sign_in
from tests.browser.served import Served
from tests.browser.test_door import violations


def test_a_question_mark_shows_the_keys_and_they_lead_to_the_main_jobs(tab: Page, table: Served) -> None:
    sign_in(tab, table, Role.SUPERVISOR)
    expect(tab.locator("#live")).to_have_text("live")
    table.take(ShoeFault, kind="jam")
    expect(tab.locator("#alarms li").first).to_be_visible()
    tab.keyboard.press("?")
    keys = tab.get_by_role("dialog", name="Keys")
    expect(keys.get_by_role("row")).to_have_count(15)
    assert violations(tab) == []
    tab.keyboard.press("Escape")
    expect(keys).to_have_count(0)
    before = table.do(lambda page: len(page.state()["rulings"]))
    for key, where in {"a": "#alarms-section", "r": "#rulings", "f": "#acts", "e": "#seats"}.items():
        tab.keyboard.press(key)
        expect(tab.locator(f"{where} :focus, {where}:focus")).to_have_count(1)
    assert table.do(lambda page: (len(page.state()["rulings"]), page.state()["alarms"][0]["acknowledged"])) == (
        before,
        False,
    )
    tab.keyboard.press("2")
    expect(tab).to_have_url(re.compile("/history$"))


def test_what_is_typed_into_a_field_is_no_short_key_and_they_can_be_put_out(tab: Page, table: Served) -> None:
    sign_in(tab, table, Role.SUPERVISOR)
    tab.get_by_role("button", name="Have the deck checked").click()
    tab.get_by_label("Reason").press_sequentially("2 cards?")
    expect(tab.get_by_label("Reason")).to_have_value("2 cards?")
    tab.keyboard.press("Escape")
    tab.get_by_role("button", name="Keys (?)").click()
    tab.get_by_role("button", name="Keys are on").click()
    tab.get_by_role("button", name="Close").click()
    tab.evaluate("import('/static/keys.js').then((keys) => { keys.pressed('2'); keys.pressed('?'); })")
    expect(tab.get_by_role("dialog")).to_have_count(0)
    expect(tab).to_have_url(f"{table.address}/")


def test_skip_links_lead_past_the_head_of_the_page(tab: Page, table: Served) -> None:
    sign_in(tab, table, Role.SUPERVISOR)
    expect(tab.locator("#acts button").first).to_be_visible()
    for words, where in {
        "To the rulings": "rulings-section",
        "To the seats": "felt",
        "To the floor decisions": "acts-section",
    }.items():
        tab.get_by_role("link", name=words).focus()
        tab.keyboard.press("Enter")
        assert tab.evaluate("document.activeElement.id") == where
