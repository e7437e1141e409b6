"""Security keys in the browser: registered on the account's page, asked at the door, taken away, and then refused."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from feltd.page.access.roles import Role
from feltd.page.access.second_factor import new_secret
from tests.browser.authenticator import SecurityKey, give_password, register, sign_out
from tests.browser.conftest import sign_in
from tests.browser.served import Served, served
from tests.browser.test_door import violations
from tests.feltd.page_support import SECRET
from tests.floor.pit_support import ServedPit, served_pit


@pytest.fixture
def table(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A table at a host name, as security keys want one."""
    with served(tmp_path_factory.mktemp("table"), keys=True) as made:
        yield made


@pytest.fixture
def key(tab: Page) -> SecurityKey:
    return SecurityKey(tab)


@pytest.fixture
def account(tab: Page, table: Served, key: SecurityKey) -> Page:
    """The account's page of a technician who has just registered a key."""
    sign_in(tab, table, Role.TECHNICIAN, "/account")
    expect(tab.locator("#keys-where")).to_contain_text("You touch it after your password")
    register(tab, "blue")
    return tab


def test_a_key_is_registered_and_signs_its_person_in(account: Page, table: Served, key: SecurityKey) -> None:
    expect(account.locator("#second-state")).to_have_text("You sign in by your password and a security key.")
    assert violations(account) == []
    registered = key.signatures
    sign_out(account)
    give_password(account, "technician")
    account.wait_for_url(f"{table.address}/")
    assert [after > before for before, after in zip(registered, key.signatures, strict=True)] == [True]


def test_without_the_key_the_password_opens_nothing(account: Page, table: Served, key: SecurityKey) -> None:
    sign_out(account)
    key.pull_out()
    key.plug_in()  # somebody else's
    give_password(account, "technician")
    expect(account.locator("#refusal")).to_contain_text("Not signed in:")
    account.goto(f"{table.address}/devices")
    expect(account).to_have_url(f"{table.address}/sign-in?to=/devices")


def test_a_key_that_was_taken_away_is_refused(account: Page, table: Served, key: SecurityKey) -> None:
    """It was asked to sign while it still counted, and it signs: that opens nothing any more."""
    accounts = table.page.accounts
    accounts.put_second_factor("technician", new_secret())  # so that there is still a second factor to ask for
    sign_out(account)
    give_password(account, "technician")
    expect(account.locator("#key-use")).to_be_visible()
    [blue] = accounts.change("technician").keys
    accounts.remove_key("technician", blue.id)
    signed = key.signatures
    account.locator("#key-use").click()
    expect(account.locator("#refusal")).to_contain_text("Not signed in:")
    assert key.signatures > signed
    account.goto(f"{table.address}/devices")
    expect(account).to_have_url(f"{table.address}/sign-in?to=/devices")


def test_whose_last_key_was_taken_away_signs_in_by_password_alone(
    account: Page, table: Served, key: SecurityKey
) -> None:
    account.get_by_role("button", name="Take away blue").click()
    account.locator("#key-remove-password").fill(SECRET)
    account.get_by_role("button", name="Take it away").last.click()
    expect(account.locator("#second-state")).to_have_text("You sign in by your password alone.")
    sign_out(account)
    signed = key.signatures
    give_password(account, "technician")
    account.wait_for_url(f"{table.address}/")
    assert key.signatures == signed


class TestAtThePit:
    """The pit's page takes them as a table's page does."""

    @pytest.fixture
    def table(self, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedPit]:
        with served_pit(tmp_path_factory.mktemp("pit"), keys=True) as made:
            yield made

    def test_a_key_signs_its_person_in_and_counts_no_more_once_it_was_taken_away(
        self, tab: Page, table: ServedPit, key: SecurityKey
    ) -> None:
        sign_in(tab, table, Role.SUPERVISOR, "/account")  # type: ignore[arg-type]  # what it asks of a table a pit has too
        register(tab, "blue")
        assert violations(tab) == []
        sign_out(tab)
        registered = key.signatures
        give_password(tab, "supervisor")
        tab.wait_for_url(f"{table.address}/")
        assert key.signatures > registered
        tab.goto(f"{table.address}/account")
        sign_out(tab)
        accounts = table.floor.accounts
        accounts.put_second_factor("supervisor", new_secret())
        give_password(tab, "supervisor")
        expect(tab.locator("#key-use")).to_be_visible()
        [blue] = accounts.change("supervisor").keys
        accounts.remove_key("supervisor", blue.id)
        tab.locator("#key-use").click()
        expect(tab.locator("#refusal")).to_contain_text("Not signed in:")
        tab.goto(f"{table.address}/reports")
        expect(tab).to_have_url(f"{table.address}/sign-in?to=/reports")
