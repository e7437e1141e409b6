"""Tokens for programs: made and shown once, bounded by role, scope and end, revoked, and each on record."""

import asyncio
import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from click.testing import CliRunner, Result

from feltd.cli import cli
from feltd.page.access.account_news import AccountNews
from feltd.page.access.accounts import AccountBook
from feltd.page.access.roles import RIGHTS, Right, Role
from feltd.page.access.tokens import DAY, MOST, TokenError, make_token
from feltd.record import EntryKind, HostEntry, JournalReader, Span
from tests.feltd.history_support import recorded_page
from tests.feltd.page_support import SECRET, Browser, Page
from tests.feltd.test_access_record import told
from tests.feltd.test_cli_user import CONFIG
from tests.feltd.test_second_factor import code_of

TOKENS: Final = "/api/v1/account/tokens"
PENALTY: Final = {"kind": "exposed", "length": 1}


@pytest.fixture
def page(tmp_path: Path) -> Iterator[Page]:
    made = recorded_page(tmp_path, rounds=1)
    yield made
    made.close()


def asked(*scope: str, role: str = "supervisor", **more: Any) -> dict[str, Any]:
    return {"password": SECRET, "words": "archive", "role": role, "scope": list(scope), **more}


def made(page: Page, *scope: str, role: str = "supervisor", days: int = 30) -> dict[str, Any]:
    answer = Browser(page, page.session(Role.SUPERVISOR)).post(TOKENS, asked(*scope, role=role, days=days))
    assert answer.status_code == 201, answer.text
    assert answer.headers["cache-control"] == "no-store"
    token: dict[str, Any] = answer.json()
    return token


def program(page: Page, text: str) -> Browser:
    return Browser(page, {"authorization": f"Bearer {text}"}, "192.0.2.7")


def on_record(page: Page) -> list[dict[str, Any]]:
    return [body for body in told(page) if body.get("token")]


# -- one token


@pytest.mark.parametrize(
    ("owner", "role", "scope", "days", "words", "why"),
    [
        (Role.SUPERVISOR, Role.SUPERVISOR, [], 1, "x", "needs a scope"),
        (Role.SUPERVISOR, Role.DIRECTOR, [Right.TOURNAMENT], 1, "x", "supervisor does not have"),
        (Role.DIRECTOR, Role.OBSERVER, [Right.DECIDE], 1, "x", "observer does not have"),
        (Role.DIRECTOR, Role.DIRECTOR, [Right.TOKENS], 1, "x", "makes no tokens"),
        (Role.DIRECTOR, Role.DIRECTOR, [Right.APPROVE], 1, "x", "no second person"),
        (Role.DIRECTOR, Role.DIRECTOR, [Right.WISH, Right.SEE], 1, "x", "wishes nothing"),
        (Role.SUPERVISOR, Role.DIRECTOR, [Right.DECIDE], 1, "x", "makes no token of the role director"),
        (Role.TECHNICIAN, Role.SURVEILLANCE, [Right.SEE], 1, "x", "makes no token of the role surveillance"),
        (Role.DIRECTOR, Role.OBSERVER, [Right.SEE], 0, "x", "lasts 1 to"),
        (Role.DIRECTOR, Role.OBSERVER, [Right.SEE], 367, "x", "lasts 1 to"),
        (Role.DIRECTOR, Role.OBSERVER, [Right.SEE], 1, " ", "what the token is for"),
        (Role.DIRECTOR, Role.OBSERVER, [Right.SEE], 1, "a\nb", "what the token is for"),
    ],
)
def test_what_a_token_may_not_be_is_refused(
    owner: Role, role: Role, scope: list[Right], days: int, words: str, why: str
) -> None:
    with pytest.raises(TokenError, match=why):
        make_token(owner, words, role, scope, days, 0.0)


def test_a_token_has_what_its_scope_its_role_and_its_accounts_role_of_now_have_in_common() -> None:
    token, text = make_token(Role.DIRECTOR, "clock", Role.DIRECTOR, [Right.SEE, Right.TOURNAMENT], 1, 0.0)
    assert token.rights(Role.DIRECTOR) == {Right.SEE, Right.TOURNAMENT}
    for role in Role:
        assert token.rights(role) <= RIGHTS[role]
    assert text not in repr(token)
    assert token.digest not in repr(token)
    assert (token.over(DAY - 1), token.over(DAY)) == (False, True)


# -- at the page


def test_a_program_reads_with_a_token_and_does_nothing_beyond_its_scope(page: Page) -> None:
    token = made(page, "see", role="observer")
    robot = program(page, token["token"])
    assert robot.get("/api/v1/state").status_code == 200
    assert robot.get("/api/v1/rounds").status_code == 200
    export = robot.get("/api/v1/rounds/1/export")
    assert export.status_code == 403
    assert export.json()["detail"] == 'the scope of this token does not have "export"'
    assert robot.post("/api/v1/seats/1/clock", {}).status_code == 403
    me = robot.get("/api/v1/session").json()
    assert (me["name"], me["role"], me["rights"]) == (f"supervisor token {token['id']}", "observer", ["see"])
    assert me["csrf"] is None
    assert me["seconds_left"] == pytest.approx(30 * DAY)


def test_what_a_token_decides_names_its_account_and_itself_in_the_record(page: Page) -> None:
    token = made(page, "see", "seat")
    answer = program(page, token["token"]).post("/api/v1/seats/1", {"change": "away"})
    assert answer.status_code == 200, answer.text
    told(page)
    with JournalReader.open(page.bench.journal.path) as reader:
        notes = [entry.body for entry in reader.entries(Span(kind=EntryKind.HOST, name=HostEntry.NOTE))]
    assert f"supervisor token {token['id']}" in json.dumps(notes[-1])
    assert '"supervisor"' in json.dumps(notes[-1])


def test_a_token_acts_as_nobody_more_than_its_account_is_now(page: Page) -> None:
    """A supervisor who was a director, or whose token says director in an older file, decides as a supervisor."""
    page.session(Role.DIRECTOR)
    _, _, text = page.accounts.add_token("director", "x", Role.DIRECTOR, [Right.SEAT], 1, page.bench.time.wall)
    page.accounts.change("director", role=Role.SUPERVISOR)
    robot = program(page, text)
    assert robot.get("/api/v1/session").json()["role"] == "supervisor"
    assert robot.post("/api/v1/seats/1", {"change": "away"}).status_code == 200
    told(page)
    with JournalReader.open(page.bench.journal.path) as reader:
        [*_, note] = [entry.body or {} for entry in reader.entries(Span(kind=EntryKind.HOST, name=HostEntry.NOTE))]
    assert '"role": "supervisor"' in json.dumps(note)


def test_a_technicians_token_may_look_as_a_screen_does() -> None:
    token, _ = make_token(Role.TECHNICIAN, "screen", Role.OBSERVER, [Right.SEE], 1, 0.0)
    assert token.rights(Role.TECHNICIAN) == {Right.SEE}


def test_an_export_by_a_token_is_an_entry_that_names_it(page: Page) -> None:
    token = made(page, "export")
    assert program(page, token["token"]).get("/api/v1/rounds/1/export").status_code == 200
    exported = [body for body in told(page) if body["what"] == "exported"]
    assert exported[-1]["who"] == f"supervisor token {token['id']}"


def test_making_and_revoking_are_entries_without_the_text_or_what_people_say_of_it(page: Page) -> None:
    token = made(page, "see", "export")
    browser = Browser(page, page.session(Role.SUPERVISOR))
    [shown] = browser.get(TOKENS).json()
    assert "token" not in shown
    assert (shown["words"], shown["scope"], shown["over"]) == ("archive", ["export", "see"], False)
    assert browser.request("delete", f"{TOKENS}/{token['id']}").status_code == 204
    assert browser.request("delete", f"{TOKENS}/{token['id']}").status_code == 404
    assert browser.get(TOKENS).json() == []
    answer = program(page, token["token"]).get("/api/v1/state")
    assert answer.status_code == 401
    assert answer.json()["detail"] == "this token is not known here, or was revoked"
    assert answer.headers["www-authenticate"].startswith("Bearer")
    entries = on_record(page)
    assert [body["change"] for body in entries] == ["token", "no_token"]
    assert entries[0] == {
        **entries[0], "who": "supervisor", "role": "supervisor", "token": token["id"], "token_role": "supervisor",
        "scope": ["export", "see"], "until": pytest.approx(page.bench.time.wall + 30 * DAY), "from": "127.0.0.1",
    }  # fmt: skip
    assert entries[1]["token"] == token["id"]
    written = page.bench.journal.path.read_bytes() + page.accounts.path.read_bytes()
    assert token["token"].encode() not in written
    assert b"archive" not in page.bench.journal.path.read_bytes()


def test_a_token_that_has_ended_says_so_and_gives_way_to_a_new_one(page: Page) -> None:
    token = made(page, "see", days=1)
    page.bench.time.wall += DAY
    answer = program(page, token["token"]).get("/api/v1/state")
    assert answer.status_code == 401
    assert answer.json()["detail"] == "this token has ended: make another one"
    [shown] = Browser(page, page.session(Role.SUPERVISOR)).get(TOKENS).json()
    assert shown["over"]
    another = made(page, "see")
    assert [one["id"] for one in Browser(page, page.session(Role.SUPERVISOR)).get(TOKENS).json()] == [another["id"]]


def test_a_stream_ends_with_its_token(page: Page) -> None:
    token = made(page, "see")
    account = page.accounts.get("supervisor")
    assert account is not None

    class Asks:
        client = None
        cookies: Final[dict[str, str]] = {}
        headers: Final = {"authorization": f"Bearer {token['token']}"}
        method = "GET"

    async def texts() -> Any:
        yield "one"
        page.accounts.revoke_token("supervisor", token["id"])
        yield "two"

    async def read() -> list[str]:
        return [text async for text in page.guard.while_allowed(Asks(), Right.SEE, texts())]  # type: ignore[arg-type]

    assert asyncio.run(read()) == ["one"]


def test_tokens_go_with_their_account(page: Page) -> None:
    token = made(page, "see", "seat")
    robot = program(page, token["token"])
    page.accounts.change("supervisor", enabled=False)
    assert robot.get("/api/v1/state").json()["detail"] == "the account of this token is shut"
    page.accounts.change("supervisor", enabled=True, role=Role.OBSERVER)
    assert robot.get("/api/v1/state").status_code == 200
    assert robot.post("/api/v1/seats/1", {"change": "away"}).status_code == 403
    page.accounts.remove("supervisor")
    page.session(Role.SUPERVISOR)  # somebody else of this name
    assert robot.get("/api/v1/state").status_code == 401


@pytest.mark.parametrize("text", ["", "feltd_", "feltd_00000000_" + "A" * 43, "ey.ey.ey"])
def test_what_is_no_token_opens_nothing_not_even_with_a_cookie_beside_it(page: Page, text: str) -> None:
    headers = page.session(Role.DIRECTOR)
    sent = {**headers, "authorization": f"Bearer {text}"}
    answer = Browser(page, sent).get("/api/v1/state")
    assert answer.status_code == 401
    assert "token" in answer.json()["detail"]


def test_another_scheme_is_a_proxys_and_no_token(page: Page) -> None:
    headers = {**page.session(Role.OBSERVER), "authorization": "Basic YTpi"}
    assert Browser(page, headers).get("/api/v1/state").status_code == 200


def test_a_token_neither_changes_its_account_nor_makes_tokens(page: Page) -> None:
    robot = program(page, made(page, "see")["token"])
    for method, path, body in [
        ("get", "/account/sessions", None),
        ("delete", "/account/sessions", None),
        ("post", "/account/password", {"old": SECRET, "new": "quite another one"}),
        ("post", "/account/second-factor", {"password": SECRET}),
        ("get", "/account/tokens", None),
        ("delete", "/account/tokens/00000000", None),
        ("post", "/account/tokens", asked("see")),
    ]:
        assert robot.request(method, f"/api/v1{path}", body=body).status_code == 403, path


def test_who_may_only_look_makes_none_and_a_wrong_password_makes_none(page: Page) -> None:
    assert Browser(page, page.session(Role.OBSERVER)).post(TOKENS, asked("see", role="observer")).status_code == 403
    browser = Browser(page, page.session(Role.SUPERVISOR))
    wrong = browser.post(TOKENS, {**asked("see"), "password": "another one, and a staple"})
    assert (wrong.status_code, wrong.json()["detail"]) == (409, "the password is wrong")
    beyond = browser.post(TOKENS, asked("tournament", role="director"))
    assert beyond.status_code == 409
    assert browser.post(TOKENS, asked("nothing")).status_code == 422
    assert browser.get(TOKENS).json() == []


def test_who_has_a_second_factor_makes_one_with_its_code_only(page: Page) -> None:
    browser = Browser(page, page.session(Role.SUPERVISOR))
    secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
    page.accounts.put_second_factor("supervisor", secret)
    without = browser.post(TOKENS, asked("see"))
    assert (without.status_code, without.json()["detail"]) == (409, "the code of your second factor is needed too")
    code = code_of(secret, page.bench.time.wall)
    assert browser.post(TOKENS, asked("see", code=code)).status_code == 201
    assert browser.post(TOKENS, asked("see", code=code)).status_code == 409, "a code counts once"


def test_an_account_has_so_many_tokens_and_each_is_a_visitor_of_its_own(page: Page) -> None:
    page.session(Role.SUPERVISOR)
    texts = [
        page.accounts.add_token("supervisor", "x", Role.OBSERVER, [Right.SEE], 1, page.bench.time.wall)[2]
        for _ in range(MOST)
    ]
    with pytest.raises(TokenError, match="revoke one first"):
        page.accounts.add_token("supervisor", "x", Role.OBSERVER, [Right.SEE], 1, page.bench.time.wall)

    class Asks:
        client = None
        cookies: Final[dict[str, str]] = {}

        def __init__(self, text: str) -> None:
            self.headers = {"authorization": f"Bearer {text}"}

    keys = {page.guard.visitor(Asks(text)).key for text in texts}  # type: ignore[arg-type]  # what a visitor is told by
    assert len(keys) == MOST
    assert all(key.startswith("person supervisor token ") for key in keys)
    assert page.guard.visitor(Asks("feltd_wrong")).person is None  # type: ignore[arg-type]


def test_where_the_role_needs_a_second_factor_a_token_of_an_account_without_one_only_sees(page: Page) -> None:
    token = made(page, "see", "export")
    page.sessions._factor_for = frozenset({Role.SUPERVISOR})
    robot = program(page, token["token"])
    assert robot.get("/api/v1/state").status_code == 200
    refused = robot.get("/api/v1/rounds/1/export")
    assert (refused.status_code, "second factor" in refused.json()["detail"]) == (403, True)


def test_no_log_has_a_tokens_text(page: Page, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        token = made(page, "see")
        robot = program(page, token["token"])
        robot.get("/api/v1/state")
        page.accounts.revoke_token("supervisor", token["id"])
        assert robot.get("/api/v1/state").status_code == 401
    assert "a token was refused, from 192.0.2.7" in caplog.text
    assert token["token"] not in caplog.text
    assert token["token"][15:] not in caplog.text
    page.bench.time.monotonic += 61.0
    [failed] = [body for body in told(page) if body["what"] == "sign_in_failed"]
    assert (failed["from"], failed["times"], failed["unknown"]) == ("192.0.2.7", 1, 1)


def test_a_token_made_or_revoked_at_the_console_is_told_by_the_page(page: Page) -> None:
    page.session(Role.SUPERVISOR)
    page.news.look()
    console = AccountBook(page.accounts.path)
    _, token, _ = console.add_token("supervisor", "x", Role.OBSERVER, [Right.SEE], 1, page.bench.time.wall)
    page.news.look()
    page.news.look()
    again = AccountNews(page.accounts, page.accounts.path.parent, page.record)
    again.look()
    console.revoke_token("supervisor", token.id)
    again.look()
    entries = on_record(page)
    assert [(body["change"], body["token"], "from" in body) for body in entries] == [
        ("token", token.id, False),
        ("no_token", token.id, False),
    ]


# -- at the console


@pytest.fixture
def config(tmp_path: Path) -> Path:
    file = tmp_path / "table.toml"
    file.write_text(CONFIG)
    ask(file, "add", "anna", "--role", "director", "--password-stdin", said=f"{SECRET}\n")
    return file


def ask(config: Path, *words: str, said: str = "") -> Result:
    return CliRunner().invoke(cli, ["user", *words, "--config", str(config)], input=said)


def test_a_token_is_made_listed_and_revoked_at_the_console(config: Path) -> None:
    assert ask(config, "token", "list", "anna").output == "anna: no tokens\n"
    what = ("--role", "observer", "--scope", "see", "--for", "screen", "--days", "7")
    given = ask(config, "token", "add", "anna", *what)
    assert given.exit_code == 0, given.output
    text = given.stdout.strip()
    account = AccountBook(config.parent / "accounts.json").get("anna")
    assert account is not None
    [token] = account.tokens
    assert token.is_of(text)
    assert text not in (config.parent / "accounts.json").read_text()
    listed = ask(config, "token", "list", "anna").output
    assert listed.startswith(f"{token.id}  observer: see  ends ")
    assert listed.endswith("screen\n")
    assert ask(config, "token", "revoke", "anna", token.id).output == f"anna: token {token.id} is revoked\n"
    assert 'no token "' in ask(config, "token", "revoke", "anna", token.id).output
    for words in (["list", "bert"], ["revoke", "bert", "00000000"]):
        assert "no account" in ask(config, "token", *words).output


def test_a_scope_that_the_account_has_not_is_refused_at_the_console_too(config: Path) -> None:
    refused = ask(config, "token", "add", "anna", "--role", "technician", "--scope", "devices", "--for", "x")
    assert refused.exit_code != 0
    assert 'the role director does not have "devices"' in refused.output
