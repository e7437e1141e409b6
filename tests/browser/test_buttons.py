"""Each button says what happens when it is pressed; what cannot take effect yet is disabled, with why."""

import re

from playwright.sync_api import Locator, Page, expect

from feltd.page.access.roles import Role
from table_fsm.events import ShoeCard, ShoeCleared, ShoeFault, ShoeShuffled, Tick
from tests.browser.conftest import sign_in
from tests.browser.served import Served
from tests.browser.test_door import violations


def described(button: Locator) -> str:
    """The words that a reader of the screen says of a button after its name."""
    return str(button.evaluate("one => document.getElementById(one.getAttribute('aria-describedby')).innerText"))


def test_every_button_says_what_it_does_and_what_cannot_be_is_disabled_with_why(tab: Page, table: Served) -> None:
    sign_in(tab, table, Role.SUPERVISOR)
    acts = tab.locator("#acts")
    expect(acts.get_by_role("button")).to_have_count(5)
    for button in acts.get_by_role("button").all():
        assert len(described(button)) > len("Play goes on.")
    void = acts.get_by_role("button", name="Void the round")
    expect(void).to_be_disabled()
    expect(acts.get_by_text("Not now: no round is in progress: the last one is over and counts").first).to_be_visible()
    table.take(ShoeShuffled, deck="blue", count=52)
    expect(void).to_be_enabled()
    assert "wagered goes back" in described(void)
    table.take(ShoeCard, deck="blue")
    table.take(ShoeFault, kind="jam")
    waits = tab.locator("#rulings li.waits").first
    waits.locator("summary").click()
    expect(waits.locator(".steps")).to_have_text("You decide: each button below says what it does")
    tab.get_by_role("button", name=re.compile("^Seat 1,")).click()
    dialog = tab.get_by_role("dialog", name="Seat 1")
    expect(dialog.get_by_role("button", name="Exclude from the round…")).to_be_disabled()
    expect(dialog).to_contain_text("Not now: seat 1 has no hand in play to exclude")
    expect(dialog.get_by_role("button", name="Stop the clock")).to_be_disabled()
    expect(dialog).to_contain_text("The seat is free once this round is over.")
    assert violations(tab) == []


def test_play_cannot_go_on_while_a_jam_stands_and_confirming_says_so(tab: Page, table: Served) -> None:
    sign_in(tab, table, Role.SUPERVISOR)
    table.take(ShoeFault, kind="jam")
    waits = tab.locator("#rulings li.waits")
    play_on, confirm = (waits.get_by_role("button", name=name) for name in ("Play on", "Confirm"))
    expect(play_on).to_be_disabled()
    assert described(play_on).startswith("Not now: Jam: shoe is not cleared. Stop dealing.")
    expect(confirm).to_be_enabled()
    assert described(confirm).endswith("Play stays stopped: Jam: shoe.")
    resume = tab.locator("#acts").get_by_role("button", name="Resume after a fault")
    expect(resume).to_be_disabled()
    assert violations(tab) == []
    table.take(ShoeCleared, kind="jam")
    expect(play_on).to_be_enabled()
    expect(waits).to_contain_text("Then play goes on.")
    confirm.click()
    expect(tab.get_by_role("dialog")).to_contain_text("The ruling is confirmed")
    tab.get_by_role("dialog").get_by_role("button", name="Confirm").click()
    expect(tab.locator("#band")).to_contain_text("NORMAL")
    expect(tab.locator("#rulings li.waits")).to_have_count(0)


def test_a_decision_acknowledges_the_alarm_of_its_cause_which_then_escalates_no_more(tab: Page, table: Served) -> None:
    sign_in(tab, table, Role.SUPERVISOR)
    table.take(ShoeFault, kind="jam")
    expect(tab.locator("#acknowledge-all")).to_have_text("Acknowledge all (1)")
    tab.locator("#rulings li.waits").get_by_role("button", name="Confirm").click()
    tab.get_by_role("dialog").get_by_role("button", name="Confirm").click()
    expect(tab.locator("#acknowledge-all")).to_be_hidden()
    expect(tab.locator("#prompt")).to_have_text(re.compile("^Jam: shoe. Stop dealing."))  # no card, while it lasts
    alarm = tab.locator("#alarms > li").filter(has_text="Jam: shoe")
    expect(alarm).to_contain_text(", acknowledged")
    table.do(lambda page: page.bench.time.pass_(600.0))
    table.take(Tick)
    table.do(lambda page: page.hub.changed())
    expect(alarm).to_contain_text("10 min")
    expect(alarm).not_to_contain_text("escalated")
    expect(tab.locator("#rulings li.waits")).to_have_count(0)
