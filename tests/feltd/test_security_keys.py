"""Security keys as a second factor: what they sign counts once, here alone, and a copy of one gives itself away."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from feltd.page.access.account_news import AccountNews
from feltd.page.access.accounts import Account, AccountBook
from feltd.page.access.factors import Factors, Proof
from feltd.page.access.roles import Right, Role
from feltd.page.access.security_keys import (
    ASKED_MOST,
    ASKED_OF_ONE,
    MOST,
    Counters,
    KeysPlace,
    Made,
    Questions,
    SecurityKey,
    SecurityKeyError,
    Signed,
    as_bytes,
    as_text,
    count_told,
    key_made,
)
from feltd.page.api import guard as guard_module
from tests.feltd.page_support import SECRET, Browser, Page
from tests.feltd.security_key_support import ORIGIN, Key, as_json
from tests.feltd.test_access_record import told
from tests.feltd.test_page_attacks import asking
from tests.feltd.test_second_factor import code_of, set_up
from tests.running import eventually, turns

PLACE: Final = KeysPlace(ORIGIN)
KEYS: Final = "/api/v1/account/keys"
CHALLENGE: Final = b"asked by the page, in 32 bytes  "


def registered(key: Key, name: str = "blue", place: KeysPlace = PLACE) -> SecurityKey:
    return key_made(place, CHALLENGE, key.made(as_text(CHALLENGE)), name, 5.0)


# -- what a key answers


def test_a_key_is_what_the_browser_had_made_and_its_signature_is_its_own() -> None:
    key = Key(count=3)
    kept = registered(key)
    assert (kept.name, kept.count, kept.made, kept.id) == ("blue", 3, 5.0, as_text(key.id))
    assert count_told(PLACE, kept, CHALLENGE, key.signed(as_text(CHALLENGE))) == 4


@pytest.mark.parametrize(
    "other",
    [
        {"origin": "https://evil.example"},
        {"origin": "http://localhost"},
        {"origin": "https://localhost:8443"},
        {"host": "evil.example"},
        {"flags": 0x00},
    ],
    ids=["another site", "without TLS", "another port", "for another site", "nobody touched it"],
)
def test_what_was_signed_elsewhere_or_by_nobody_counts_not(other: dict[str, Any]) -> None:
    sound = Key()
    kept = registered(sound)
    forged = replace(sound, **other)
    assert count_told(PLACE, kept, CHALLENGE, forged.signed(as_text(CHALLENGE))) is None
    with pytest.raises(SecurityKeyError, match="no security key for this page"):
        registered(forged)


def test_nor_does_another_challenge_another_key_or_a_changed_counter() -> None:
    key, other = Key(), Key()
    kept = registered(key)
    assert count_told(PLACE, kept, CHALLENGE, key.signed(as_text(b"asked yesterday"))) is None
    assert count_told(PLACE, kept, CHALLENGE, replace(other, id=key.id).signed(as_text(CHALLENGE))) is None
    answer = key.signed(as_text(CHALLENGE))
    said = bytearray(as_bytes(answer.authenticator_data))
    said[-1] ^= 0x40
    assert count_told(PLACE, kept, CHALLENGE, replace(answer, authenticator_data=as_text(bytes(said)))) is None


KEPT: Final = registered(Key())


@given(st.binary(max_size=200), st.binary(max_size=200), st.binary(max_size=80))
@settings(max_examples=60, deadline=None)
def test_bytes_that_a_stranger_made_up_are_no_signature_and_no_key(one: bytes, other: bytes, third: bytes) -> None:
    client = Key().signed(as_text(CHALLENGE)).client_data
    answer = Signed(KEPT.id, client, as_text(other), as_text(third))
    assert count_told(PLACE, KEPT, CHALLENGE, answer) is None
    assert count_told(PLACE, KEPT, CHALLENGE, replace(answer, client_data=as_text(one))) is None
    made = Key().made(as_text(CHALLENGE)).client_data
    with pytest.raises(SecurityKeyError):
        key_made(PLACE, CHALLENGE, Made(KEPT.id, made, as_text(other)), "blue", 5.0)


@pytest.mark.parametrize(
    ("origin", "host", "there"),
    [
        ("https://table7.example", "table7.example", True),
        ("https://table7.example", "TABLE7.example:443", True),
        ("https://table7.example", "table7.example:8443", False),
        ("https://table7.example:8443", "table7.example:8443", True),
        ("https://table7.example:8443", "table7.example", False),
        ("https://table7.example", "10.0.0.7", False),
        ("http://localhost:8080", "localhost:8080", True),
    ],
)
def test_where_keys_work_is_one_address(origin: str, host: str, there: bool) -> None:
    assert KeysPlace(origin).is_at(host) is there


# -- questions and counters


def client(challenge: bytes) -> str:
    return Key().signed(as_text(challenge)).client_data


def test_a_question_counts_once_for_whom_it_was_and_not_for_long() -> None:
    now = [0.0]
    questions = Questions(lambda: now[0])
    first, second = questions.ask("door 10.0.0.7, anna"), questions.ask("session 1, anna")
    assert questions.take("session 1, anna", client(first)) is None
    assert questions.take("door 10.0.0.7, anna", client(first)) is not None
    assert questions.take("door 10.0.0.7, anna", client(first)) is None
    now[0] = 120.1
    assert questions.take("session 1, anna", client(second)) is None
    for nonsense in ("", "AA", as_text(b"[]"), as_text(b'{"challenge": 7}'), as_text(b"[" * 9999)):
        assert questions.take("session 1, anna", nonsense) is None


def test_who_asks_again_and_again_forgets_their_own_questions_first() -> None:
    questions = Questions(lambda: 0.0)
    berts = questions.ask("bert")
    annas = [questions.ask("anna") for _ in range(ASKED_OF_ONE + 1)]
    assert questions.take("anna", client(annas[0])) is None
    assert questions.take("anna", client(annas[1])) is not None
    for number in range(ASKED_MOST - ASKED_OF_ONE):
        questions.ask(f"person {number}")
    assert questions.take("bert", client(berts)) is not None
    for number in range(ASKED_MOST):
        questions.ask(f"crowd {number}")
    assert len(questions._waiting) == ASKED_MOST


def test_counters_of_a_sound_key_may_come_out_of_order_and_none_comes_twice_or_from_before() -> None:
    counters = Counters()
    assert counters.is_sound("k", 5, 8)
    assert counters.is_sound("k", 5, 7)  # asked at the same time, answered later
    assert not counters.is_sound("k", 5, 7)
    assert not counters.is_sound("k", 8, 8)
    assert not counters.is_sound("k", 8, 6)
    assert not counters.is_sound("k", 8, 0)
    assert counters.is_sound("k", 8, 9)
    assert all(counters.is_sound("does not count", 0, 0) for _ in range(3))


# -- at the page


@pytest.fixture
def page(tmp_path: Path) -> Iterator[Page]:
    async def made() -> Page:
        page = Page(tmp_path, address=ORIGIN)
        page.bench.open_table()
        await page.bench.synced()
        return page

    page = asyncio.run(made())
    yield page
    page.close()


@pytest.fixture
def browser(page: Page) -> Browser:
    return Browser(page, page.session(Role.SUPERVISOR))


def register(browser: Browser, new: Key, name: str = "blue", **proof: Any) -> Any:
    wanted = browser.post(f"{KEYS}/wanted", {"password": SECRET, **proof})
    if wanted.status_code != 200:
        return wanted
    assert wanted.headers["cache-control"] == "no-store"
    assert (wanted.json()["rp_id"], wanted.json()["origin"]) == ("localhost", ORIGIN)
    return browser.post(KEYS, {"name": name, **as_json(new.made(wanted.json()["challenge"]))})


def sign_in(page: Page, address: str = "127.0.0.1", **more: Any) -> Any:
    asked = {"name": "supervisor", "password": SECRET, **more}
    return Browser(page, address=address).post("/api/v1/session", asked)


def signed(answer: Any, key: Key, **how: Any) -> dict[str, Any]:
    """What the key makes of the question in an answer of the API."""
    question = answer.json().get("key") or answer.json()
    assert as_text(key.id) in question["ids"]
    return as_json(key.signed(question["challenge"], **how))


def changes(page: Page) -> list[str]:
    return [entry["change"] for entry in told(page) if entry["what"] == "account_changed"]


def account(page: Page) -> Account:
    found = page.accounts.get("supervisor")
    assert found is not None
    return found


def test_from_registering_over_signing_in_to_taking_away(page: Page, browser: Browser) -> None:
    elsewhere = Browser(page, page.session(Role.SUPERVISOR))
    key = Key()
    assert register(browser, key).status_code == 201
    assert elsewhere.get("/api/v1/session").json()["name"] is None  # only here one goes on
    me = browser.get("/api/v1/session").json()
    assert (me["second_factor"], me["app"]) == ("set", False)
    listed = browser.get(KEYS).json()
    assert [(one["name"], one["copied"]) for one in listed["keys"]] == [("blue", False)]
    assert (listed["origin"], listed["here"]) == (ORIGIN, True)

    without = sign_in(page)
    assert (without.status_code, without.headers["x-second-factor"]) == (401, "key")
    answer = signed(without, key)
    assert sign_in(page, key=answer).status_code == 200
    again = sign_in(page, key=answer)
    assert (again.status_code, "was not taken: try again" in again.text) == (401, True)

    removal = f"{KEYS}/{as_text(key.id)}/removal"
    assert browser.post(removal, {"password": SECRET}).status_code == 409
    asked = browser.post(f"{KEYS}/question")
    wrong = browser.post(removal, {"password": "wrong wrong wrong", "key": signed(asked, key)})
    assert wrong.status_code == 409
    asked = browser.post(f"{KEYS}/question")
    assert browser.post(removal, {"password": SECRET, "key": signed(asked, key)}).status_code == 204
    assert browser.post(removal, {"password": SECRET}).status_code == 404
    assert sign_in(page).status_code == 200
    assert changes(page)[-2:] == ["key", "no_key"]


def test_no_key_no_challenge_and_no_signature_is_in_the_record(page: Page, browser: Browser) -> None:
    key = Key()
    register(browser, key)
    without = sign_in(page)
    answer = signed(without, key)
    sign_in(page, key=answer)
    written = str(told(page))
    for hidden in (without.json()["key"]["challenge"], answer["signature"], account(page).keys[0].public_key):
        assert hidden not in written


def test_the_answer_to_one_question_is_none_to_another(page: Page, browser: Browser) -> None:
    """Asked at the door it proves nothing within, asked of one address nothing at another, and the other way round."""
    key = Key()
    register(browser, key)
    within = signed(browser.post(f"{KEYS}/question"), key)
    assert sign_in(page, key=within).status_code == 401
    at_the_door = signed(sign_in(page), key)
    refused = browser.post(f"{KEYS}/{as_text(key.id)}/removal", {"password": SECRET, "key": at_the_door})
    assert refused.status_code == 409
    assert sign_in(page, address="192.0.2.9", key=signed(sign_in(page), key)).status_code == 401
    other = Browser(page, page.session(Role.SUPERVISOR))
    of_another_session = signed(other.post(f"{KEYS}/question"), key)
    asked = {"password": SECRET, "key": of_another_session}
    assert browser.post(f"{KEYS}/{as_text(key.id)}/removal", asked).status_code == 409


def test_a_challenge_for_a_new_key_is_the_sessions_that_asked(page: Page, browser: Browser) -> None:
    other = Browser(page, page.session(Role.DIRECTOR))
    wanted = browser.post(f"{KEYS}/wanted", {"password": SECRET}).json()
    made = {"name": "blue", **as_json(Key().made(wanted["challenge"]))}
    assert "begin again" in other.post(KEYS, made).text
    assert browser.post(KEYS, made).status_code == 201
    assert "begin again" in browser.post(KEYS, made).text
    assert browser.post(f"{KEYS}/wanted", {"password": "wrong wrong wrong"}).status_code == 409


def test_of_a_key_and_a_code_either_signs_in_and_either_is_taken_away_by_the_other(
    page: Page, browser: Browser
) -> None:
    secret, key = set_up(page, browser), Key()
    assert register(browser, key).status_code == 409  # the code is missing
    page.bench.time.pass_(30.0)
    assert register(browser, key, code=code_of(secret, page.bench.time.wall)).status_code == 201
    without = sign_in(page)
    assert without.headers["x-second-factor"] == "needed"
    assert sign_in(page, key=signed(without, key)).status_code == 200
    page.bench.time.pass_(30.0)
    assert sign_in(page, code=code_of(secret, page.bench.time.wall)).status_code == 200
    proof = {"password": SECRET, "key": signed(browser.post(f"{KEYS}/question"), key)}
    assert browser.post("/api/v1/account/second-factor/removal", proof).status_code == 204
    assert sign_in(page).headers["x-second-factor"] == "key"


def test_keys_of_a_name_or_too_many_are_refused_with_the_remedy(page: Page, browser: Browser) -> None:
    first = Key()
    register(browser, first, "key 0")
    for number in range(1, MOST):
        question = browser.post(f"{KEYS}/question")
        assert register(browser, Key(), f"key {number}", key=signed(question, first)).status_code == 201
    asked = signed(browser.post(f"{KEYS}/question"), first)
    assert f"{MOST} security keys already" in register(browser, Key(), "more", key=asked).text
    page.accounts.remove_key("supervisor", account(page).keys[-1].id)
    browser = Browser(page, page.session(Role.SUPERVISOR))
    asked = signed(browser.post(f"{KEYS}/question"), first)
    assert "choose another name" in register(browser, Key(), "key 0", key=asked).text
    asked = signed(browser.post(f"{KEYS}/question"), first)
    assert "is there already" in register(browser, first, "twice", key=asked).text


def test_a_key_that_was_copied_counts_no_more_and_everybody_it_let_in_is_out(page: Page, browser: Browser) -> None:
    key = Key(count=10)
    register(browser, key)
    thief = replace(key)
    assert sign_in(page, key=signed(sign_in(page), thief)).status_code == 200
    assert sign_in(page, key=signed(sign_in(page), key)).status_code == 401  # 11 for the second time
    assert account(page).keys[0].copied
    assert changes(page)[-1] == "key_copied"
    assert browser.get("/api/v1/session").json()["name"] is None
    refused = sign_in(page)
    assert (refused.status_code, "ask at the console" in refused.text) == (401, True)
    assert "x-second-factor" not in refused.headers


def test_two_browsers_that_ask_a_key_at_once_do_not_make_it_a_copy(page: Page, browser: Browser) -> None:
    key = Key(count=10)
    register(browser, key)
    first, second = sign_in(page), sign_in(page)
    early, late = signed(first, key), signed(second, key)
    assert sign_in(page, key=late).status_code == 200
    assert sign_in(page, key=early).status_code == 200
    assert (account(page).keys[0].count, account(page).keys[0].copied) == (12, False)
    assert sign_in(page, key=signed(sign_in(page), key, count=11)).status_code == 401
    assert account(page).keys[0].copied


def test_a_key_that_does_not_count_is_good_for_ever(page: Page, browser: Browser) -> None:
    key = Key(count=None)
    register(browser, key)
    assert [sign_in(page, key=signed(sign_in(page), key)).status_code for _ in range(3)] == [200] * 3


def test_a_role_that_needs_one_is_content_with_a_key(page: Page) -> None:
    page.sessions._factor_for = frozenset({Role.DIRECTOR})
    director = Browser(page, page.session(Role.DIRECTOR))
    assert director.get("/api/v1/session").json()["rights"] == ["see"]
    assert register(director, Key()).status_code == 201
    assert "decide" in director.get("/api/v1/session").json()["rights"]


def test_at_another_address_no_key_is_asked_for_and_none_is_made(page: Page, browser: Browser) -> None:
    register(browser, Key())
    there = {"host": "testserver"}
    refused = Browser(page, there).post("/api/v1/session", {"name": "supervisor", "password": SECRET})
    assert (refused.status_code, f"works at {ORIGIN} alone" in refused.text) == (401, True)
    assert "key" not in refused.json()
    elsewhere = Browser(page, {**page.session(Role.DIRECTOR), **there})
    assert elsewhere.get(KEYS).json()["here"] is False
    assert "use a code" in elsewhere.post(f"{KEYS}/wanted", {"password": SECRET}).text


def test_a_wrong_password_is_answered_as_ever_and_asks_for_no_key(page: Page, browser: Browser) -> None:
    register(browser, Key())
    refused = sign_in(page, password="wrong wrong wrong")
    assert (refused.status_code, "key" in refused.json()) == (401, False)
    assert "x-second-factor" not in refused.headers


def test_wrong_signatures_are_slowed_down_and_a_missing_one_is_not(page: Page, browser: Browser) -> None:
    key = Key()
    register(browser, key)
    assert {sign_in(page).status_code for _ in range(12)} == {401}
    forger = replace(Key(), id=key.id)
    answer = sign_in(page)
    for _ in range(12):
        answer = sign_in(page, key=signed(answer, forger))
        if answer.status_code == 429:
            break
    assert answer.status_code == 429


# -- what happens meanwhile


def meanwhile(tmp_path: Path, change: Callable[[AccountBook], object]) -> bool:
    """Whether a key's answer is taken though this was done since it was asked."""
    accounts = AccountBook(tmp_path / "accounts.json")
    accounts.add("anna", Role.DIRECTOR, SECRET)
    key = Key(count=10)
    anna = accounts.add_key("anna", registered(key))
    factors = Factors(accounts, lambda: 0.0, lambda: 0.0, PLACE)
    question = factors.question(anna, "door")
    assert question is not None
    change(accounts)
    proof = Proof(key=key.signed(question["challenge"]))
    now = accounts.get("anna")
    assert now is not None
    return asyncio.run(factors.proven(now, proof, "door", lambda: None))


def test_a_key_that_was_taken_away_since_it_was_asked_answers_no_more(tmp_path: Path) -> None:
    assert meanwhile(tmp_path, lambda _: None)


def test_nor_does_one_that_was_copied_or_is_gone(tmp_path: Path) -> None:
    for number, change in enumerate(
        [
            lambda book: book.note_key("anna", book.get("anna").keys[0].id, copied=True),
            lambda book: book.take_second_factors("anna"),
        ]
    ):
        folder = tmp_path / str(number)
        folder.mkdir()
        assert not meanwhile(folder, change)


@pytest.mark.parametrize("change", ["gone", "copied", "another factor"])
def test_a_sign_in_does_not_outrun_a_change_of_its_factors(
    page: Page, browser: Browser, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    key = Key(count=10)
    register(browser, key)
    answer = signed(sign_in(page), key)
    proven = Factors.proven

    async def changed_meanwhile(self: Factors, *asked: Any) -> bool:
        right = await proven(self, *asked)
        if change == "gone":
            page.accounts.take_second_factors("supervisor")
        elif change == "copied":
            page.accounts.note_key("supervisor", as_text(key.id), copied=True)
        else:
            page.accounts.put_second_factor("supervisor", "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ")
        return right

    monkeypatch.setattr(Factors, "proven", changed_meanwhile)
    assert sign_in(page, key=answer).status_code == 401


def test_what_the_console_takes_ends_the_sessions_and_is_news_to_the_record(page: Page, tmp_path: Path) -> None:
    director = Browser(page, page.session(Role.DIRECTOR))
    register(director, Key())
    news = AccountNews(page.accounts, tmp_path / "other", page.record)
    (tmp_path / "other").mkdir()
    news.look()
    page.accounts.take_second_factors("director")
    assert director.get("/api/v1/session").json()["name"] is None
    news.look()
    assert changes(page)[-1] == "no_key"


def test_a_stream_on_which_nothing_comes_ends_with_its_session(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard_module, "LOOK_EVERY", 0.01)
    director = Browser(page, page.session(Role.DIRECTOR), address="192.0.2.1")

    async def scene() -> int:
        streams = [asyncio.ensure_future(director.ask("get", f"/api/v1/{one}")) for one in ("stream", "events")]
        await eventually(lambda: page.hub.browsers and page.feed.listeners)
        page.accounts.put_second_factor("director", "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ")
        page.sessions.end_elsewhere("director", lambda _: True)
        answers = await asyncio.gather(*streams)
        return max(answer.status_code for answer in answers)

    assert asyncio.run(scene()) == 200
    assert (page.hub.browsers, page.feed.listeners, len(page.places)) == (0, 0, 0)


def test_a_reader_who_goes_leaves_no_stream_open(page: Page) -> None:
    """The server cancels every wait of an answer whose reader has gone, those that clear up too."""
    request = asking(page.session(Role.DIRECTOR))

    async def scene() -> list[str]:
        said: list[str] = []

        async def waiting() -> AsyncGenerator[str, None]:
            try:
                yield "first"
                await asyncio.Event().wait()
            finally:
                await asyncio.sleep(0)
                said.append("closed")

        async def follow() -> None:
            async for text in page.guard.while_allowed(request, Right.SEE, waiting()):
                said.append(text)  # noqa: PERF401 - each as it comes

        async with anyio.create_task_group() as group:
            group.start_soon(follow)
            await eventually(lambda: said)
            await turns(5)
            group.cancel_scope.cancel()
        await eventually(lambda: not page.guard._closing)
        return said

    assert asyncio.run(scene()) == ["first", "closed"]


# -- the file


def test_the_file_keeps_keys_and_without_them_is_as_an_earlier_feltd_writes_it(tmp_path: Path) -> None:
    accounts = AccountBook(tmp_path / "accounts.json")
    accounts.add("anna", Role.DIRECTOR, SECRET)
    kept = accounts.add_key("anna", registered(Key(count=4)))
    assert AccountBook(accounts.path).get("anna") == kept
    assert accounts.note_key("anna", kept.keys[0].id, count=2).keys[0].count == 4  # it never goes back
    accounts.take_second_factors("anna")
    assert '"keys"' not in accounts.path.read_text()
    with pytest.raises(SecurityKeyError, match="no such security key"):
        accounts.remove_key("anna", kept.keys[0].id)


# -- another site's page, and a proxy that speaks TLS


@pytest.mark.parametrize(
    ("origin", "host", "status"),
    [
        (ORIGIN, "localhost", 200),
        ("http://localhost", "localhost", 200),
        ("https://evil.example", "localhost", 403),
        (f"{ORIGIN}:8443", "localhost", 403),
        (ORIGIN, "testserver", 403),
        ("null", "localhost", 403),
    ],
)
def test_behind_a_proxy_that_speaks_tls_the_pages_own_address_is_no_other_site(
    page: Page, origin: str, host: str, status: int
) -> None:
    page.accounts.add("supervisor", Role.SUPERVISOR, SECRET)
    asked = {"name": "supervisor", "password": SECRET}
    assert Browser(page, {"origin": origin, "host": host}).post("/api/v1/session", asked).status_code == status
