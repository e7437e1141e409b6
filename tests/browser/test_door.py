"""The door, with a real browser: in with the right password, not with a wrong one, and nothing an axe would strike."""

from typing import Any, Final

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from feltd.page.access.roles import Role
from table_fsm.events import ShoeFault
from tests.browser.conftest import sign_in, through_the_door
from tests.browser.served import Served

DRAWN = "() => new Promise(drawn => requestAnimationFrame(() => requestAnimationFrame(drawn)))"
"""Colours that are asked for before they are drawn are those of before."""
AXE: Final = Axe().axe_script
RUN: Final = """async ([within, options]) => (await axe.run(
        within ?? document.querySelector("dialog:modal") ?? document, options
    )).violations
    .flatMap((one) => one.nodes.map((node) => `${one.id}: ${node.html}`))"""
"""What axe strikes alone: what it has found in order is ten times as much, and takes as long as the search."""
WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]


def violations(tab: Page, within: str | None = None) -> list[str]:
    """What axe-core finds against WCAG 2.2 AA, and in dark colours: in what a selector (`within`) names, in the dialog
    that is open, or on the whole page.

    To search a page takes half a second of a processor, a long rulebook some seconds. What lies behind a dialog, and
    around a part that many pages have, is searched where there is no dialog, and on the pages in `test_fit_for_all`.

    While it searches a page hears nothing. On a busy machine a live page takes its line for lost then, and shows all in
    pale colours until it hears again: the search goes on behind that.
    """
    live = tab.locator("body:not(.lost)").count()
    found = _struck(tab, within, {"type": "tag", "values": WCAG})
    tab.emulate_media(color_scheme="dark")
    _is_live_again(tab, live)
    tab.evaluate(DRAWN)
    found += [f"dark: {one}" for one in _struck(tab, within, {"type": "rule", "values": ["color-contrast"]})]
    tab.emulate_media(color_scheme="light")
    _is_live_again(tab, live)
    tab.evaluate(DRAWN)
    return found


def violations_at(tab: Page, *viewports: dict[str, int]) -> list[str]:
    """What axe finds at each of these sizes, and that a page is wider than its window. A page is loaded once for all of
    them, and axe with it: that takes longer than a search."""
    found = []
    for viewport in viewports:
        tab.set_viewport_size(viewport)  # type: ignore[arg-type]  # a plain dict is what it takes
        _is_live_again(tab, live=1)  # a busy machine may have lost its line since the search before
        tab.evaluate(DRAWN)
        found += violations(tab)
        wider = tab.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        found += ["the page is wider than its window"] if wider > 0 else []
    return found


def _is_live_again(tab: Page, live: int) -> None:
    if live:
        expect(tab.locator("body.lost")).to_have_count(0)


def _struck(tab: Page, within: str | None, run_only: dict[str, Any]) -> list[str]:
    if not tab.evaluate("'axe' in window"):  # half a megabyte: once for each page that is loaded
        tab.evaluate(AXE)
    return list(tab.evaluate(RUN, [within, {"runOnly": run_only, "resultTypes": ["violations"]}]))


def test_somebody_signs_in_and_sees_the_table_live(tab: Page, table: Served) -> None:
    through_the_door(tab, table, Role.SUPERVISOR)
    expect(tab.get_by_role("heading", level=1)).to_have_text("Table 7")
    expect(tab.locator("#live")).to_have_text("live")


def test_the_door_leads_to_where_somebody_wanted_to_go_and_to_no_other_site(tab: Page, table: Served) -> None:
    name, password = table.account(Role.SUPERVISOR)

    def through(asked: str, comes_to: str) -> None:
        tab.goto(table.address + asked)
        tab.get_by_label("Name").fill(name)
        tab.get_by_label("Password").fill(password)
        tab.keyboard.press("Enter")
        expect(tab).to_have_url(table.address + comes_to)

    through("/history/round/2", "/history/round/2")
    expect(tab.locator("#live")).to_have_text("live")  # the address comes before the script that hears the button
    tab.get_by_role("button", name="Sign out").click()
    expect(tab).to_have_url(f"{table.address}/sign-in")
    for elsewhere in ("https://example.com/", "//example.com/", "/%5Cexample.com", "javascript:alert(1)", "http://["):
        through(f"/sign-in?to={elsewhere}", "/")
    through("/sign-in?to=/..//example.com/", "//example.com/")  # an address of this table, and no other host's


def test_whose_session_is_over_is_told_and_comes_back(tab: Page, table: Served) -> None:
    sign_in(tab, table, Role.SUPERVISOR, "/trends")
    expect(tab.locator("#live")).to_have_text("live")
    name, password = table.account(Role.SUPERVISOR)
    table.do(lambda page: page.accounts.change(name, enabled=False))
    table.take(ShoeFault, kind="jam")  # the next word on the line finds the session over, and ends it
    expect(tab.locator("#over")).to_be_visible()
    table.do(lambda page: page.accounts.change(name, enabled=True))
    tab.get_by_label("Name").fill(name)
    tab.get_by_label("Password").fill(password)
    tab.keyboard.press("Enter")
    expect(tab).to_have_url(f"{table.address}/trends")


def test_a_wrong_password_is_told_and_the_field_is_ready_again(tab: Page, table: Served) -> None:
    name, _ = table.account(Role.SUPERVISOR)
    tab.goto(f"{table.address}/")
    expect(tab).to_have_url(f"{table.address}/sign-in")
    tab.get_by_label("Name").fill(name)
    tab.get_by_label("Password").fill("wrong wrong wrong")
    tab.keyboard.press("Enter")
    expect(tab.get_by_role("alert")).to_have_text("Not signed in: name or password is wrong.")
    expect(tab.get_by_label("Password")).to_be_focused()


def test_who_comes_by_a_code_chooses_a_password_at_the_door_and_is_in(tab: Page, table: Served) -> None:
    until = table.page.bench.time.wall + 86400.0
    code = table.do(lambda page: page.accounts.add_by_code("tom", Role.TECHNICIAN, until)[1])
    tab.goto(f"{table.address}/")
    tab.get_by_label("Name").fill("tom")
    tab.get_by_label("Password").fill(code.lower())
    tab.keyboard.press("Enter")
    expect(tab.get_by_label("New password", exact=True)).to_be_focused()
    expect(tab.get_by_role("alert")).to_have_text("")
    assert violations(tab) == []

    def chooses(new: str, again: str) -> None:
        tab.get_by_label("New password", exact=True).fill(new)
        tab.get_by_label("New password once more").fill(again)
        tab.keyboard.press("Enter")

    chooses("four words of my choice", "four words of my choise")
    expect(tab.get_by_role("alert")).to_have_text("The two new passwords are not the same.")
    chooses("password password", "password password")
    expect(tab.get_by_role("alert")).to_contain_text("Not signed in: the password is made of what is guessed first")
    chooses("four words of my choice", "four words of my choice")
    expect(tab.locator("#live")).to_have_text("live")
    assert table.do(lambda page: page.accounts.get("tom").code_until) is None  # type: ignore[union-attr]


def test_the_door_is_fit_for_all(tab: Page, table: Served) -> None:
    tab.goto(f"{table.address}/sign-in")
    assert violations(tab) == []
