"""Signing in and staying so: slow for a guesser; over when idle, with a new password, with an account that is shut."""

import asyncio
from pathlib import Path

import pytest

from feltd.page.access import sessions
from feltd.page.access.accounts import AccountBook
from feltd.page.access.known_devices import KnownDevices
from feltd.page.access.roles import Right, Role
from feltd.page.access.sessions import LONGEST_SECONDS, MOST_OF_ONE, Sessions, same
from feltd.page.access.signing_in import FREE_OF_ADDRESS, SigningIn, SignInRefused
from feltd.page.access.telling import AccessTeller
from feltd.page.access.throttle import FORGOTTEN_AFTER, FREE_FAILURES, LONGEST_WAIT, REMEMBERED, Throttle
from feltd.page.limits.refusals import Refusals
from feltd.record.access import AccessKind
from tests.feltd.access_support import Register

SECRET = "a horse, and a staple"


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


class Door:
    """A table with one supervisor."""

    def __init__(self, folder: Path) -> None:
        self.clock = Clock()
        self.accounts = AccountBook(folder / "accounts.json")
        self.account = self.accounts.add("anna", Role.SUPERVISOR, SECRET)
        self.register = Register()
        self.record = AccessTeller(self.register, self.clock, self.clock)
        self.sessions = Sessions(
            self.accounts, self.clock, self.record.session_over, self.record.session_paused, idle=900.0
        )
        self.devices = KnownDevices(self.accounts, b"a secret of the page" * 2, self.clock)
        self.refusals = Refusals()
        self.door = SigningIn(
            self.accounts, self.sessions, self.devices, self.clock, self.clock, self.refusals, self.record
        )

    def sign_in(
        self, name: str = "anna", password: str = SECRET, address: str = "10.0.0.7", device: str | None = None
    ) -> str:
        return asyncio.run(self.door.sign_in(name, password, address, device))[0]

    def refused(self, name: str, password: str, address: str = "10.0.0.7", device: str | None = None) -> SignInRefused:
        with pytest.raises(SignInRefused) as refusal:
            self.sign_in(name, password, address, device)
        return refusal.value


@pytest.fixture
def at(tmp_path: Path) -> Door:
    return Door(tmp_path)


def test_the_right_password_opens_a_session_and_signing_out_ends_it(at: Door) -> None:
    token = at.sign_in()
    found = at.sessions.find(token)
    assert found is not None
    assert found[1].name == "anna"
    at.sessions.end(token)
    assert at.sessions.find(token) is None


def test_neither_name_nor_password_is_said_to_be_the_wrong_one(at: Door) -> None:
    assert str(at.refused("anna", "another horse")) == str(at.refused("nobody", SECRET)) == "name or password is wrong"


def test_a_guesser_waits_longer_each_time_and_never_for_ever(at: Door) -> None:
    for _ in range(FREE_FAILURES + 1):
        assert at.refused("anna", "wrong wrong wrong").wait == 0
    first = at.refused("anna", SECRET)
    assert 0 < first.wait <= 2
    at.clock.now += first.wait
    assert at.refused("anna", "wrong wrong wrong").wait == 0
    assert 2 < at.refused("anna", SECRET).wait <= 4
    at.clock.now += LONGEST_WAIT
    at.sign_in()
    assert at.refused("anna", "wrong wrong wrong").wait == 0, "a right password starts the count anew"


def test_one_address_that_tries_many_names_waits_too_and_others_do_not(at: Door) -> None:
    for number in range(FREE_OF_ADDRESS + 1):
        at.refused(f"name{number}", "wrong wrong wrong")
    assert at.refused("anna", SECRET).wait > 0
    assert at.sign_in(address="10.0.0.8")


def test_an_idle_session_only_looks_and_reading_alone_does_not_keep_it(at: Door) -> None:
    token = at.sign_in()
    at.clock.now += 899
    found = at.sessions.find(token, by_hand=False)
    assert found is not None
    session, account = found
    assert session.may(account, Right.DECIDE)
    at.clock.now += 2
    assert at.sessions.find(token)
    assert [right for right in Right if session.may(account, right)] == [Right.SEE]
    assert at.sessions.find(token)
    assert session.read_only, "what a person does gives no right back"


def test_a_read_only_session_ends_with_the_shift(at: Door) -> None:
    token = at.sign_in()
    at.clock.now += 901
    found = at.sessions.find(token)
    assert found is not None
    assert at.sessions.left(found[0]) == LONGEST_SECONDS - 901
    at.clock.now += LONGEST_SECONDS - 901
    assert at.sessions.find(token) is None


def test_a_session_is_paused_where_nobody_asks_any_more_and_the_record_is_told_once(at: Door) -> None:
    token = at.sign_in()
    at.clock.now += 901
    at.sessions.sweep()
    at.sessions.sweep()
    assert at.sessions.find(token)
    asyncio.run(at.record.tell())
    told = [(fact.what, fact.who, fact.role) for fact in at.register.facts]
    assert told[1:] == [
        (AccessKind.SIGNED_IN, "anna", "supervisor"), (AccessKind.READ_ONLY, "anna", "supervisor"),
    ]  # fmt: skip


def test_what_a_person_does_keeps_the_session_but_not_beyond_a_shift(at: Door) -> None:
    token = at.sign_in()
    for _ in range(int(LONGEST_SECONDS // 800) - 1):
        at.clock.now += 800
        assert at.sessions.find(token)
    at.clock.now += 800
    assert at.sessions.find(token) is None


def test_who_may_only_look_stays_longer_and_no_longer_once_they_may_do_something(at: Door) -> None:
    at.accounts.change("anna", role=Role.OBSERVER)
    token = at.sign_in()
    for _ in range(int(LONGEST_SECONDS // 800) + 5):
        at.clock.now += 800
        assert at.sessions.find(token)
    at.accounts.change("anna", role=Role.SUPERVISOR)
    assert at.sessions.find(token) is None


def test_a_new_password_a_shut_account_and_a_removed_one_end_the_session(at: Door) -> None:
    token = at.sign_in()
    at.accounts.change("anna", password="quite another one")
    assert at.sessions.find(token) is None
    token = asyncio.run(at.door.sign_in("anna", "quite another one", "x"))[0]
    at.accounts.change("anna", enabled=False)
    assert at.sessions.find(token) is None
    assert at.refused("anna", "quite another one").wait == 0
    at.accounts.change("anna", enabled=True)
    token = asyncio.run(at.door.sign_in("anna", "quite another one", "x"))[0]
    at.accounts.remove("anna")
    assert at.sessions.find(token) is None


def test_another_role_counts_at_once(at: Door) -> None:
    token = at.sign_in()
    at.accounts.change("anna", role=Role.OBSERVER)
    found = at.sessions.find(token)
    assert found is not None
    assert found[1].role is Role.OBSERVER


def test_sessions_do_not_pile_up_and_nobody_ends_anothers(at: Door) -> None:
    berta = at.accounts.add("berta", Role.OBSERVER, "another, and a staple")
    hers, _ = at.sessions.begin(berta, "x")
    first, _ = at.sessions.begin(at.account, "x")
    at.clock.now += 1
    for _ in range(MOST_OF_ONE - 1):
        at.sessions.begin(at.account, "x")
    assert at.sessions.find(first, by_hand=False)
    at.sessions.begin(at.account, "x")
    assert at.sessions.find(first) is None
    assert at.sessions.find(hers), "hers had been idle for longer, and is hers"


def test_where_all_sessions_are_taken_the_account_with_most_gives_one(
    at: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sessions, "MOST", 3)
    berta = at.accounts.add("berta", Role.OBSERVER, "another, and a staple")
    hers, _ = at.sessions.begin(berta, "x")
    at.clock.now += 1
    annas = [at.sessions.begin(at.account, "x")[0] for _ in range(2)]
    newest, _ = at.sessions.begin(berta, "x")
    assert [at.sessions.find(token) is not None for token in (hers, *annas, newest)] == [True, False, True, True]


@pytest.mark.parametrize("token", [None, "", "x", "\ud800", "é" * 50])
def test_a_token_that_is_none_finds_nothing(at: Door, token: str | None) -> None:
    assert at.sessions.find(token) is None
    at.sessions.end(token)


def test_tokens_are_compared_whole() -> None:
    assert same("abc", "abc")
    assert not same("abc", "abd")
    assert not same("abc", "é\ud800")


def test_failures_are_forgotten_with_time_and_cannot_fill_the_memory() -> None:
    clock = Clock()
    throttle = Throttle(clock)
    for _ in range(FREE_FAILURES + 20):
        throttle.begin("one")
    assert throttle.wait_for("one") == LONGEST_WAIT
    clock.now += FORGOTTEN_AFTER
    assert throttle.wait_for("one") == 0
    throttle.begin("first")
    for number in range(REMEMBERED):
        for _ in range(FREE_FAILURES + 1):
            throttle.begin(f"key{number}")
    assert throttle.wait_for("first") == 0
    assert throttle.wait_for("key0") > 0


def test_an_attempt_that_was_none_leaves_no_trace() -> None:
    clock = Clock()
    throttle = Throttle(clock, free=0)
    throttle.begin("one")
    clock.now += 2
    before = throttle.wait_for("one")
    throttle.undo(throttle.begin("one"))
    assert throttle.wait_for("one") == before == 0.0
    throttle.undo(throttle.begin("other"))
    assert throttle.failures("other") == 0
    begun = throttle.begin("other")
    throttle.succeeded("other")
    throttle.undo(begun)
    assert throttle.failures("other") == 0
