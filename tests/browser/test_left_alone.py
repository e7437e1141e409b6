"""A page that nobody touches: it watches on, decides nothing, and somebody signs in over it."""

from playwright.sync_api import Page, expect

from feltd.page.access.roles import Role
from feltd.page.access.sessions import IDLE_SECONDS
from table_fsm.events import ShoeFault
from tests.browser.conftest import sign_in
from tests.browser.served import Served
from tests.browser.test_door import violations
from tests.feltd.page_support import SECRET

LOOK_NOW = "async () => (await import('/static/shell.js')).watchSession()"
"""What the page does by itself twice a minute."""


def leave_alone(tab: Page, table: Served) -> None:
    """For longer than a session keeps its rights, and until the page has seen it."""
    table.do(lambda page: page.bench.time.pass_(IDLE_SECONDS + 1))
    tab.evaluate(LOOK_NOW)
    expect(tab.locator("#read-only")).to_be_visible()


def answers(tab: Page) -> list[int]:
    """The statuses of the decisions that this page sends from now on."""
    heard: list[int] = []
    tab.on("response", lambda said: heard.append(said.status) if said.url.endswith("/decisions") else None)
    return heard


def test_an_idle_page_watches_on_and_a_decision_asks_for_the_password(tab: Page, table: Served) -> None:
    sign_in(tab, table, Role.SUPERVISOR)
    expect(tab.locator("#live")).to_have_text("live")
    tab.evaluate("window.stayed = true")
    leave_alone(tab, table)
    table.take(ShoeFault, kind="jam")
    expect(tab.locator("#alarms li").first).to_contain_text("Jam")
    assert violations(tab) == []

    decided = answers(tab)
    tab.get_by_role("button", name="Have the deck checked").click()
    tab.locator("#decide-do").click()
    asked = tab.get_by_role("dialog", name="Sign in to go on")
    expect(asked.get_by_label("Password")).to_be_focused()
    assert violations(tab) == []
    asked.get_by_label("Password").fill("wrong wrong wrong")
    asked.get_by_role("button", name="Sign in").click()
    expect(asked.get_by_role("alert")).to_have_text("Not signed in: name or password is wrong.")
    asked.get_by_label("Password").fill(SECRET)
    asked.get_by_role("button", name="Sign in").click()

    expect(asked).to_be_hidden()
    expect(tab.locator("#decide")).to_be_hidden()
    expect(tab.locator("#read-only")).to_have_count(0)
    assert decided == [401, 200], "what was pressed is done"
    assert tab.evaluate("window.stayed"), "the page was not left"
    expect(tab.locator("#live")).to_have_text("live")


def test_who_stays_read_only_has_decided_nothing(tab: Page, table: Served) -> None:
    sign_in(tab, table, Role.SUPERVISOR)
    expect(tab.locator("#live")).to_have_text("live")
    leave_alone(tab, table)
    decided = answers(tab)
    tab.get_by_role("button", name="Have the deck checked").click()
    tab.locator("#decide-do").click()
    tab.get_by_role("button", name="Stay read-only").click()
    expect(tab.locator("#decide-refusal")).to_contain_text("sign in again")
    assert decided == [401]


def test_a_page_that_is_opened_read_only_says_so_and_somebody_else_gets_their_own(tab: Page, table: Served) -> None:
    sign_in(tab, table, Role.SUPERVISOR)
    name, password = table.account(Role.DIRECTOR)
    leave_alone(tab, table)
    tab.goto(f"{table.address}/tournament")
    expect(tab.locator("#read-only")).to_be_visible()
    tab.get_by_role("button", name="Sign in to decide").click()
    asked = tab.get_by_role("dialog", name="Sign in to go on")
    asked.get_by_label("Name").fill(name)
    asked.get_by_label("Password").fill(password)
    tab.keyboard.press("Enter")
    expect(tab.locator(".who")).to_contain_text("director")
    expect(tab).to_have_url(f"{table.address}/tournament")
    expect(tab.locator("#read-only")).to_have_count(0)
