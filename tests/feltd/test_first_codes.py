"""A code that is good once: by it a person signs in for the first time, and chooses a password of their own."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from feltd.page.access.first_codes import is_right, new_code
from feltd.page.access.passwords import PasswordError
from feltd.page.access.roles import Role
from feltd.page.access.second_factor import new_secret
from feltd.page.access.signing_in import FactorNeeded, PasswordNeeded, SignInRefused
from feltd.page.access.throttle import FREE_FAILURES
from tests.feltd.history_support import recorded_page
from tests.feltd.page_support import Browser, Page
from tests.feltd.test_access_record import told
from tests.feltd.test_access_sessions import Door

OWN: Final = "four words of my choice"
DAY: Final = 86400.0


class Waiting(Door):
    """A table whose technician waits for a first password."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        _, self.code = self.accounts.add_by_code("tom", Role.TECHNICIAN, self.clock() + 3 * DAY)

    def comes(self, given: str, new: str | None = None) -> str:
        return asyncio.run(self.door.sign_in("tom", given, "10.0.0.7", new=new))[0]


@pytest.fixture
def at(tmp_path: Path) -> Waiting:
    return Waiting(tmp_path)


def test_a_code_is_right_however_it_is_typed_and_a_password_only_as_it_is() -> None:
    code, kept = new_code()
    assert all(is_right(kept, typed, code=True) for typed in (code, code.lower(), code.replace("-", " ")))
    assert not is_right(kept, code.lower(), code=False)
    assert not is_right(None, code, code=True)
    assert not is_right(kept, code + " " * 300, code=True)


def test_no_session_begins_by_a_code_alone(at: Waiting) -> None:
    for _ in range(FREE_FAILURES + 3):  # a right code is no failure
        with pytest.raises(PasswordNeeded):
            at.comes(at.code)
    assert at.sessions.of("tom") == []
    assert not at.register.facts


def test_a_code_is_over_once_its_person_has_chosen_a_password(at: Waiting) -> None:
    found = at.sessions.find(at.comes(at.code.lower(), OWN))
    assert found is not None
    account = at.accounts.get("tom")
    assert found[1] == account
    assert account is not None
    assert account.code_until is None
    for given, new in ((at.code, None), (at.code, "another four words here")):
        with pytest.raises(SignInRefused, match="name or password is wrong"):
            at.comes(given, new)
    assert at.comes(OWN)


def test_a_wrong_code_is_told_from_nobodys_name_by_nothing(at: Waiting) -> None:
    wrong, _ = new_code()
    with pytest.raises(SignInRefused, match="name or password is wrong"):
        at.comes(wrong, OWN)
    assert str(at.refused("nobody", wrong)) == "name or password is wrong"


@pytest.mark.parametrize("new", ["short", "password1234", "the code"])
def test_a_password_that_may_not_be_used_leaves_the_code_as_it_was(at: Waiting, new: str) -> None:
    with pytest.raises(PasswordError):
        at.comes(at.code, at.code.lower() if new == "the code" else new)
    assert at.comes(at.code, OWN)


def test_a_code_ends_and_is_told_so_to_who_has_it_alone(at: Waiting) -> None:
    at.clock.now += 3 * DAY
    with pytest.raises(SignInRefused, match="this code is over"):
        at.comes(at.code, OWN)
    with pytest.raises(SignInRefused, match="name or password is wrong"):
        at.comes(new_code()[0], OWN)
    _, code = at.accounts.put_code("tom", at.clock() + DAY)
    assert at.comes(code, OWN)


def test_a_shut_account_has_no_use_for_its_code(at: Waiting) -> None:
    at.accounts.change("tom", enabled=False)
    for new in (None, "short", OWN):
        with pytest.raises(SignInRefused, match="name or password is wrong"):
            at.comes(at.code, new)


def test_who_has_a_password_chooses_none_at_the_door(at: Waiting) -> None:
    at.comes(at.code, OWN)
    with pytest.raises(PasswordError, match="has a password"):
        at.comes(OWN, "another four words here")
    assert at.comes(OWN)


def test_a_new_code_ends_sessions_and_asks_for_the_second_factor_after_the_password(at: Waiting) -> None:
    token = at.comes(at.code, OWN)
    at.accounts.put_second_factor("tom", new_secret())
    _, code = at.accounts.put_code("tom", at.clock() + DAY)
    assert at.sessions.find(token) is None
    with pytest.raises(PasswordNeeded):
        at.comes(code)
    with pytest.raises(FactorNeeded):
        at.comes(code, "another four words here")
    account = at.accounts.get("tom")
    assert account is not None
    assert account.code_until is not None, "nothing is chosen before the factor is proven"


# -- the page


@pytest.fixture
def page(tmp_path: Path) -> Iterator[Page]:
    made = recorded_page(tmp_path, rounds=1)
    yield made
    made.close()


def test_the_page_asks_for_a_password_and_puts_on_record_that_one_was_chosen(page: Page) -> None:
    _, code = page.accounts.add_by_code("tom", Role.TECHNICIAN, page.bench.time.wall + DAY)
    page.news.look()
    browser = Browser(page)

    def comes(**body: str) -> Any:
        return browser.post("/api/v1/session", {"name": "tom", **body})

    answer = comes(password=code)
    assert (answer.status_code, answer.headers["x-new-password"]) == (401, "needed")
    answer = comes(password=code, new="short")
    assert (answer.status_code, answer.headers["x-new-password"]) == (409, "needed")
    answer = comes(password=code, new=OWN)
    assert answer.status_code == 200
    assert answer.json()["role"] == "technician"
    answer = comes(password=code)
    assert answer.status_code == 401
    assert "x-new-password" not in answer.headers
    page.news.look()  # nothing is told twice
    entries = told(page)
    changes = [(one["change"], one.get("from")) for one in entries if one.get("who") == "tom" and "change" in one]
    assert changes == [("created", None), ("password", "127.0.0.1")]
    assert code not in str(entries)
    assert OWN not in str(entries)
