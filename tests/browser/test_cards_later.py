"""The broadcast of cards is turned on by two persons, in a real browser: each gives their password once more."""

from playwright.sync_api import Page, expect

from feltd.page.access.roles import Role
from feltd.record.unseal_keys import PrivateKey
from feltd.table.keeper.broadcast import Broadcast, BroadcastTo
from tests.browser.conftest import sign_in
from tests.browser.served import Served
from tests.browser.test_door import violations
from tests.feltd.page_support import Page as TablePage


def made_for(page: TablePage, to: BroadcastTo) -> Broadcast:
    """The broadcast of a page's table."""
    return Broadcast(page.bench.keeper, page.bench.journal, page.workshop.together, to)


def test_each_of_two_gives_their_password_and_one_turns_it_off(tab: Page, table: Served) -> None:
    to = BroadcastTo(PrivateKey(bytes(range(50, 82))).public, 15)
    table.do(lambda page: setattr(page.door, "broadcasting", made_for(page, to)))
    stands = tab.locator("#stands")
    for role, words in ((Role.SUPERVISOR, "supervisor wants it on"), (Role.DIRECTOR, "by supervisor and director")):
        tab.context.clear_cookies()
        sign_in(tab, table, role, "/broadcast")
        tab.get_by_role("button", name="Turn on…").click()
        dialog = tab.get_by_role("dialog", name="Turn the broadcast on")
        assert violations(tab) == []
        dialog.get_by_label("Your password").fill("something else, and long")
        dialog.get_by_role("button", name="Turn on").click()
        expect(dialog.get_by_role("alert")).to_contain_text("the password is wrong")
        dialog.get_by_label("Your password").fill(table.account(role)[1])
        dialog.get_by_role("button", name="Turn on").click()
        expect(dialog).to_be_hidden()
        tab.reload()
        expect(stands).to_contain_text(words)
    for page in ("/", "/overlay", "/clock", "/wall"):
        tab.goto(f"{table.address}{page}")
        expect(tab.locator("#broadcast")).to_be_visible()
        expect(tab.locator("#broadcast")).to_contain_text("go to a broadcast, folded hands too")
        assert violations(tab, "#broadcast") == []
    sign_in(tab, table, Role.DIRECTOR, "/broadcast")
    tab.get_by_role("button", name="Turn off").click()
    tab.reload()
    expect(stands).to_contain_text("It is off.")
    for page in ("/", "/overlay", "/clock", "/wall"):
        tab.goto(f"{table.address}{page}")
        expect(tab.locator("#broadcast")).to_be_hidden()
