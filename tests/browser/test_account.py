"""A person's own account in the browser: another password, and out of a browser that was left elsewhere."""

import re

from playwright.sync_api import Browser, Page, expect

from feltd.page.access.first_codes import is_right
from feltd.page.access.roles import Role
from tests.browser.conftest import PATIENT, sign_in
from tests.browser.served import Served
from tests.browser.test_door import violations
from tests.feltd.page_support import SECRET
from tests.feltd.test_second_factor import code_of

HALF = re.compile(r"^[0-9A-Z]{4}-[0-9A-Z]{4}$")
NEW = "seven lamps beside a quiet harbour"


def fill(tab: Page, old: str, new: str, again: str) -> None:
    tab.get_by_label("Old password").fill(old)
    tab.get_by_label("New password", exact=True).fill(new)
    tab.get_by_label("New password once more").fill(again)
    tab.get_by_role("button", name="Change password").click()


def test_somebody_takes_another_password_and_goes_on(tab: Page, table: Served) -> None:
    sign_in(tab, table, Role.SUPERVISOR)
    tab.get_by_role("link", name="supervisor, supervisor").click()
    expect(tab.locator("#sessions tr")).to_have_count(1)
    told = tab.locator("#password-told")
    fill(tab, SECRET, NEW, "seven lamps beside a quiet harbou")
    expect(told).to_have_text("The two new passwords are not the same.")
    fill(tab, "wrong wrong wrong", NEW, NEW)
    expect(told).to_have_text("Not changed: the old password is wrong.")
    fill(tab, SECRET, "Password2024!", "Password2024!")
    expect(told).to_contain_text("guessed first")
    assert violations(tab) == []
    fill(tab, SECRET, NEW, NEW)
    expect(tab.locator("#notices")).to_contain_text("Your password is changed.")
    tab.goto(f"{table.address}/")
    expect(tab.locator("#live")).to_have_text("live")
    tab.get_by_role("button", name="Have the deck checked").click()
    tab.locator("#decide-do").click()
    expect(tab.locator("#decide")).to_be_hidden()


def test_somebody_sets_up_a_second_factor_signs_in_by_it_and_takes_it_away(tab: Page, table: Served) -> None:
    sign_in(tab, table, Role.TECHNICIAN, "/account")
    tab.locator("#second-password").fill(SECRET)
    tab.get_by_role("button", name="Set up").click()
    expect(tab.locator("#second-code")).to_be_focused()
    secret = tab.locator("#second-secret").inner_text().replace(" ", "")
    assert (tab.locator("#second-uri").get_attribute("href") or "").startswith("otpauth://totp/")
    assert violations(tab) == []
    tab.locator("#second-code").fill("000000")
    tab.get_by_role("button", name="Use it").click()
    expect(tab.locator("#second-told")).to_contain_text("no code of the secret")
    tab.locator("#second-code").fill(
        code_of(secret, table.page.bench.time.wall - 30)
    )  # the next intervals' are not used up
    tab.get_by_role("button", name="Use it").click()
    expect(tab.locator("#second-state")).to_contain_text("a code")
    tab.context.clear_cookies()
    tab.goto(f"{table.address}/sign-in?to=/account")
    tab.locator("#name").fill("technician")
    tab.locator("#password").fill(SECRET)
    tab.get_by_role("button", name="Sign in").click()
    expect(tab.locator("#code")).to_be_focused()
    assert violations(tab) == []
    tab.locator("#code").fill(code_of(secret, table.page.bench.time.wall))
    tab.get_by_role("button", name="Sign in").click()
    expect(tab.locator("#second-state")).to_contain_text("a code")
    tab.locator("#remove-password").fill(SECRET)
    tab.locator("#remove-code").fill(code_of(secret, table.page.bench.time.wall + 30))
    tab.get_by_role("button", name="Take it away").click()
    expect(tab.locator("#second-state")).to_have_text("You sign in by your password alone.")


def test_somebody_signs_out_a_browser_that_they_left(tab: Page, table: Served, chromium: Browser) -> None:
    left = chromium.new_context()
    left.set_default_timeout(PATIENT)
    other = left.new_page()
    sign_in(other, table, Role.SUPERVISOR)
    sign_in(tab, table, Role.SUPERVISOR, "/account")
    expect(tab.locator("#sessions tr")).to_have_count(2)
    tab.locator("#sessions").get_by_role("button", name="Sign out").click()
    expect(tab.locator("#sessions tr")).to_have_count(1)
    expect(tab.locator("#elsewhere")).to_be_hidden()
    other.goto(f"{table.address}/history")
    expect(other).to_have_url(f"{table.address}/sign-in?to=/history")
    left.close()


def test_somebody_makes_a_token_copies_it_and_revokes_it(tab: Page, table: Served) -> None:
    sign_in(tab, table, Role.DIRECTOR, "/account")
    tab.locator("#token-words").fill("archive")
    tab.get_by_label("Take parts of the record away").check()
    tab.locator("#token-password").fill(SECRET)
    tab.get_by_role("button", name="Make a token").click()
    expect(tab.locator("#token-text")).to_contain_text("feltd_")
    assert violations(tab) == []
    text = tab.locator("#token-text").inner_text()
    account = table.page.accounts.get("director")
    assert account is not None
    [token] = account.tokens
    assert token.is_of(text)
    assert (token.words, sorted(token.scope)) == ("archive", ["export", "see"])
    expect(tab.locator("#tokens tr")).to_have_count(1)
    tab.get_by_role("button", name="Revoke archive").click()
    expect(tab.locator("#tokens tr")).to_have_count(0)


def test_two_people_make_an_account_and_each_sees_half_of_its_code(tab: Page, table: Served, chromium: Browser) -> None:
    table.account(Role.SUPERVISOR)
    sign_in(tab, table, Role.TECHNICIAN)
    tab.goto(f"{table.address}/account")
    expect(tab.locator("#people tr")).to_have_count(2)
    tab.get_by_label("Name of the account").fill("bert")
    tab.get_by_label("Role", exact=True).select_option("supervisor")
    tab.get_by_label("What the badge says").fill("S1042")
    tab.get_by_label("Reason, for the record").fill("new since monday")
    tab.get_by_role("button", name="Ask a second person").click()
    first = tab.locator("#people-half")
    expect(first).to_have_text(HALF)
    assert violations(tab) == []
    context = chromium.new_context()
    context.set_default_timeout(PATIENT)
    other = context.new_page()
    sign_in(other, table, Role.SUPERVISOR)
    waits = other.locator("#together li").first
    expect(waits).to_contain_text("Make the account bert (Supervisor, S1042)")
    waits.get_by_role("button", name="Approve…").click()
    dialog = other.get_by_role("dialog")
    dialog.get_by_label("Your password").fill(SECRET)
    dialog.get_by_role("button", name="Approve", exact=True).click()
    second = other.locator("#approve-half")
    expect(second).to_have_text(HALF)
    expect(other.locator("#approve-do")).to_be_hidden()
    account = table.page.accounts.get("bert")
    assert account is not None
    assert is_right(account.password, first.inner_text() + second.inner_text(), code=True)
    tab.get_by_label("What is to be done").select_option("shut")
    expect(tab.locator("#people-new")).to_be_hidden()
    tab.get_by_label("Name of the account").fill("nobody")
    tab.get_by_label("Reason, for the record").fill("it was a mistake")
    tab.get_by_role("button", name="Ask a second person").click()
    expect(tab.locator("#people-told")).to_have_text('Not asked: there is no account "nobody".')
    expect(tab.locator("#people-half-box")).to_be_hidden()
    context.close()
