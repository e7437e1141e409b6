"""A second factor: codes that count once, set up and taken away by their person, asked at the door."""

import base64
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from cryptography.hazmat.primitives.hashes import SHA1
from cryptography.hazmat.primitives.twofactor.totp import TOTP
from hypothesis import given
from hypothesis import strategies as st

from feltd.page.access import signing_in
from feltd.page.access.account_news import AccountNews
from feltd.page.access.accounts import AccountBook
from feltd.page.access.roles import Role
from feltd.page.access.second_factor import Codes, Offers, interval_of, new_secret, uri_of
from feltd.page.access.sessions import Sessions
from feltd.page.access.signing_in import FactorNeeded, SignInRefused
from tests.feltd.history_support import recorded_page
from tests.feltd.page_support import SECRET, Browser, Page
from tests.feltd.test_access_record import told
from tests.feltd.test_access_sessions import Door

RFC: Final = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
"""The secret of RFC 6238's examples, "12345678901234567890"."""
OTHER: Final = RFC[::-1]
FACTOR: Final = "/api/v1/account/second-factor"


def code_of(secret: str, wall: float) -> str:
    return TOTP(base64.b32decode(secret), 6, SHA1(), 30).generate(int(wall)).decode()


# -- codes


@pytest.mark.parametrize(
    ("wall", "code"),
    [(59, "287082"), (1111111109, "081804"), (1111111111, "050471"), (1234567890, "005924"), (20000000000, "353130")],
)
def test_the_codes_are_those_of_rfc_6238(wall: int, code: str) -> None:
    assert interval_of(RFC, code, wall) == wall // 30
    assert interval_of(RFC, code, wall + 30) == wall // 30
    assert interval_of(RFC, code, wall + 61) is None


def test_a_code_of_much_later_counts_no_more_than_one_of_much_earlier() -> None:
    assert interval_of(RFC, "081804", 1111111109 - 61) is None


@pytest.mark.parametrize("wall", [0.0, 29.0, -1.0, -1e9])
def test_a_clock_that_was_never_set_is_no_failure(wall: float) -> None:
    assert interval_of(RFC, "000000", wall) is None


@given(st.one_of(st.text(max_size=8), st.integers(0, 999_999).map("{:06}".format)))
def test_what_is_no_code_of_the_moment_is_refused(code: str) -> None:
    right = {code_of(RFC, 1_000_000 + 30 * before) for before in (-1, 0, 1)}
    assert (interval_of(RFC, code, 1_000_000) is not None) == (code in right)


def test_a_code_counts_once_and_none_before_it_any_more() -> None:
    now = [1_000_000.0]
    codes = Codes(lambda: now[0])
    older, newer = code_of(RFC, now[0] - 30), code_of(RFC, now[0])
    assert codes.take("anna", RFC, newer)
    assert not codes.take("anna", RFC, newer)
    assert not codes.take("anna", RFC, older)
    assert codes.take("bert", RFC, newer)
    now[0] += 30
    assert codes.take("anna", RFC, code_of(RFC, now[0]))


def test_a_secret_that_was_shown_is_good_for_ten_minutes_and_of_many_the_newest_are_kept() -> None:
    now = [0.0]
    offers = Offers(lambda: now[0])
    first = offers.make("a")
    assert offers.make("a") != first
    now[0] = 600.0
    assert offers.of("a") is not None
    now[0] = 600.1
    assert offers.of("a") is None
    for number in range(300):
        offers.make(str(number))
    assert offers.of("43") is None
    assert offers.of("299") is not None
    offers.forget("299")
    assert offers.of("299") is None


def test_the_address_names_table_and_person() -> None:
    assert uri_of(RFC, "anna", "Table 7/8") == (
        f"otpauth://totp/feltd%20Table%207%2F8:anna?secret={RFC}&issuer=feltd%20Table%207%2F8"
    )
    assert new_secret() != new_secret()


# -- at the page


@pytest.fixture
def page(tmp_path: Path) -> Iterator[Page]:
    made = recorded_page(tmp_path, rounds=1)
    yield made
    made.close()


def set_up(page: Page, browser: Browser) -> str:
    """Set up a second factor; its secret."""
    offered = browser.post(FACTOR, {"password": SECRET})
    assert offered.status_code == 200, offered.text
    assert offered.headers["cache-control"] == "no-store"
    secret: str = offered.json()["secret"]
    assert browser.request("put", FACTOR, body={"code": code_of(secret, page.bench.time.wall)}).status_code == 204
    return secret


def sign_in(page: Page, **more: Any) -> Any:
    return Browser(page).post("/api/v1/session", {"name": "supervisor", "password": SECRET, **more})


def test_from_setting_up_over_signing_in_to_taking_away(page: Page) -> None:
    browser = Browser(page, page.session(Role.SUPERVISOR))
    elsewhere = Browser(page, page.session(Role.SUPERVISOR))
    secret = set_up(page, browser)
    assert browser.get("/api/v1/session").json()["second_factor"] == "set"
    assert elsewhere.get("/api/v1/session").json()["name"] is None  # on this machine anybody may read
    assert secret not in repr(page.accounts.get("supervisor"))

    without = sign_in(page)
    assert (without.status_code, without.headers["x-second-factor"]) == (401, "needed")
    used = sign_in(page, code=code_of(secret, page.bench.time.wall))
    assert (used.status_code, "used already" in used.text) == (401, True)
    page.bench.time.pass_(30.0)
    right = sign_in(page, code=code_of(secret, page.bench.time.wall))
    assert (right.status_code, right.json()["second_factor"]) == (200, "set")

    page.bench.time.pass_(30.0)
    removal = f"{FACTOR}/removal"
    wrong = browser.post(removal, {"password": SECRET, "code": "000000"})
    assert (wrong.status_code, "the code is wrong" in wrong.text) == (409, True)
    code = code_of(secret, page.bench.time.wall)
    assert browser.post(removal, {"password": SECRET, "code": code}).status_code == 204
    assert browser.post(removal, {"password": SECRET, "code": code}).status_code == 409
    assert sign_in(page).status_code == 200
    changes = [entry["change"] for entry in told(page) if entry["what"] == "account_changed"]
    assert changes[-2:] == ["second_factor", "no_second_factor"]


def test_the_secret_and_the_codes_are_nowhere_in_the_record(page: Page) -> None:
    secret = set_up(page, Browser(page, page.session(Role.SUPERVISOR)))
    written = str(told(page))
    assert secret not in written
    assert code_of(secret, page.bench.time.wall) not in written


def test_a_wrong_password_is_answered_as_ever_and_shows_no_second_factor(page: Page) -> None:
    set_up(page, Browser(page, page.session(Role.SUPERVISOR)))
    refused = sign_in(page, password="wrong wrong wrong")
    assert refused.status_code == 401
    assert "x-second-factor" not in refused.headers


def test_wrong_codes_are_slowed_down_and_a_missing_one_is_not(page: Page) -> None:
    set_up(page, Browser(page, page.session(Role.SUPERVISOR)))
    assert {sign_in(page).status_code for _ in range(12)} == {401}
    answers = [sign_in(page, code="000000").status_code for _ in range(12)]
    assert answers[-1] == 429


def test_a_secret_is_shown_for_the_password_alone_and_taken_by_its_code_alone(page: Page) -> None:
    browser = Browser(page, page.session(Role.SUPERVISOR))
    assert browser.post(FACTOR, {"password": "wrong wrong wrong"}).status_code == 409
    assert "begin again" in browser.request("put", FACTOR, body={"code": "123456"}).text
    browser.post(FACTOR, {"password": SECRET})
    assert "the clock of your device" in browser.request("put", FACTOR, body={"code": "000000"}).text
    account = page.accounts.get("supervisor")
    assert account is not None
    assert account.totp is None
    secret = set_up(page, browser)
    again = browser.post(FACTOR, {"password": SECRET})
    assert (again.status_code, "take it away first" in again.text) == (409, True)
    assert page.accounts.get("supervisor").totp == secret  # type: ignore[union-attr]  # it is there


def test_a_role_that_needs_one_does_nothing_before_it_is_set_up(page: Page) -> None:
    page.sessions._factor_for = frozenset({Role.DIRECTOR})
    director = Browser(page, page.session(Role.DIRECTOR))
    me = director.get("/api/v1/session").json()
    assert (me["second_factor"], me["rights"]) == ("needed", ["see"])
    assert director.get("/api/v1/state").status_code == 200
    refused = director.post("/api/v1/decisions", {"decision": "resume"})
    assert refused.status_code == 403
    assert "needs a second factor" in refused.text
    set_up(page, director)
    assert "decide" in director.get("/api/v1/session").json()["rights"]
    supervisor = Browser(page, page.session(Role.SUPERVISOR)).get("/api/v1/session").json()
    assert supervisor["second_factor"] == "none"


def test_sessions_are_told_of_each_role(tmp_path: Path) -> None:
    accounts = AccountBook(tmp_path / "accounts.json")
    account = accounts.add("anna", Role.DIRECTOR, SECRET)
    sessions = Sessions(accounts, lambda: 0.0, lambda *_: None, lambda _: None, factor_for=[Role.DIRECTOR])
    token, session = sessions.begin(account, "10.0.0.7")
    assert session.lacks_factor
    accounts.put_second_factor("anna", RFC)
    found = sessions.find(token)
    assert found is not None
    assert not found[0].lacks_factor


def test_a_sign_in_does_not_outrun_a_second_factor_that_is_set_up_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = Door(tmp_path)

    def compared(_kept: str | None, _given: str, *, code: bool) -> bool:
        at.accounts.put_second_factor("anna", RFC)
        return True

    monkeypatch.setattr(signing_in, "is_right", compared)
    with pytest.raises(FactorNeeded, match="the code of your second factor is needed too"):
        at.sign_in()
    assert at.sessions.of("anna") == []


@pytest.mark.parametrize("change", ["gone", "another password", "shut"])
def test_nor_what_is_changed_of_the_account_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    at = Door(tmp_path)

    def compared(_kept: str | None, _given: str, *, code: bool) -> bool:
        if change == "gone":
            at.accounts.remove("anna")
        elif change == "shut":
            at.accounts.change("anna", enabled=False)
        else:
            at.accounts.change("anna", password="another horse, and a staple")
        return True

    monkeypatch.setattr(signing_in, "is_right", compared)
    with pytest.raises(SignInRefused, match="name or password is wrong"):
        at.sign_in()


@pytest.mark.parametrize("after", [None, OTHER])
def test_a_session_ends_with_the_second_factor_that_it_began_with(tmp_path: Path, after: str | None) -> None:
    """The console takes away what somebody else may hold: whoever is signed in by it is not any more."""
    at = Door(tmp_path)
    token, _ = at.sessions.begin(at.accounts.put_second_factor("anna", RFC), "10.0.0.7")
    assert at.sessions.find(token) is not None
    at.accounts.put_second_factor("anna", after)
    assert at.sessions.find(token) is None


def test_who_changes_their_own_goes_on_and_their_other_sessions_end(tmp_path: Path) -> None:
    at = Door(tmp_path)
    before = at.accounts.put_second_factor("anna", RFC)
    (here, session), (elsewhere, _) = at.sessions.begin(before, "10.0.0.7"), at.sessions.begin(before, "10.0.0.8")
    at.sessions.know_factors(session, at.accounts.put_second_factor("anna", None))
    assert at.sessions.find(here) is not None
    assert at.sessions.find(elsewhere) is None


def test_what_the_console_gives_and_takes_is_news_to_the_record(page: Page, tmp_path: Path) -> None:
    page.accounts.add("anna", Role.DIRECTOR, SECRET)
    news = AccountNews(page.accounts, tmp_path, page.record)
    news.look()
    for secret in (RFC, None):
        page.accounts.put_second_factor("anna", secret)
        news.look()
    told_ = [entry["change"] for entry in told(page) if entry.get("who") == "anna"]
    assert told_[-2:] == ["second_factor", "no_second_factor"]


def test_a_file_without_second_factors_is_as_an_earlier_feltd_writes_it(tmp_path: Path) -> None:
    accounts = AccountBook(tmp_path / "accounts.json")
    accounts.add("anna", Role.DIRECTOR, SECRET)
    assert "totp" not in accounts.path.read_text()
    accounts.put_second_factor("anna", RFC)
    accounts.put_second_factor("anna", None)
    assert "totp" not in accounts.path.read_text()
