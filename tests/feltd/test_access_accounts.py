"""Accounts: made at the console, kept as argon2id, changed while feltd runs, never a password in clear."""

import errno
import json
import stat
from pathlib import Path

import pytest

from feltd.page.access.accounts import AccountBook, AccountError
from feltd.page.access.passwords import PasswordError, fits
from feltd.page.access.roles import RIGHTS, Right, Role

SECRET = "a horse, and a staple"
KEPT = "$argon2id$of-a-code"


@pytest.fixture
def book(tmp_path: Path) -> AccountBook:
    return AccountBook(tmp_path / "accounts.json")


def test_a_table_begins_with_nobody(book: AccountBook) -> None:
    assert len(book) == 0
    assert book.get("admin") is None


def test_an_account_is_kept_for_the_service_alone_and_its_password_by_argon2id(book: AccountBook) -> None:
    book.add("anna", Role.SUPERVISOR, SECRET, "S1042")
    text = book.path.read_text()
    assert SECRET not in text
    [row] = json.loads(text)["accounts"]
    assert row["password"].startswith("$argon2id$")
    assert stat.S_IMODE(book.path.stat().st_mode) == 0o600
    kept = AccountBook(book.path).get("anna")
    assert kept is not None
    assert fits(kept.password, SECRET)
    assert not fits(kept.password, SECRET + "r")
    assert kept.signature == "S1042"
    assert kept.password not in repr(kept)


def test_a_change_by_another_process_is_seen_at_once(book: AccountBook) -> None:
    book.add("anna", Role.SUPERVISOR, SECRET)
    other = AccountBook(book.path)
    other.change("anna", role=Role.OBSERVER)
    now = book.get("anna")
    assert now is not None
    assert now.role is Role.OBSERVER
    other.remove("anna")
    assert book.get("anna") is None


def test_a_badge_finds_its_account_open_or_shut(book: AccountBook) -> None:
    book.add("anna", Role.SUPERVISOR, SECRET, "S1042")
    found = book.of_badge("S1042")
    assert found is not None
    assert found.name == "anna"
    book.change("anna", enabled=False)
    shut = book.of_badge("S1042")
    assert shut is not None
    assert not shut.enabled
    assert book.of_badge("S1043") is None


@pytest.mark.parametrize("name", ["", "Anna", "an na", "../x", "a" * 33, "-anna", "anna\n"])
def test_a_name_is_small_and_plain(book: AccountBook, name: str) -> None:
    with pytest.raises(AccountError, match="is no name for an account"):
        book.add(name, Role.SUPERVISOR, SECRET)
    assert not book.path.exists()


@pytest.mark.parametrize(
    ("password", "why"),
    [("short", "5 characters"), ("elevenlong.", "11 characters"), ("x" * 257, "257 characters"),
     ("annaannaanna", "guessed"), ("password1234", "guessed"), ("anna12345678", "guessed"),
     ("Summer2024!!", "guessed"), ("P@ssw0rd2024!", "guessed"), ("qwertzuiop1234", "guessed"),
     ("Casino-Table-7!", "guessed"), ("aaaaaaaaaaaaaaaa", "guessed"), ("1qaz2wsx3edc", "guessed"),
     ("Dragon-Monkey", "guessed"), ("1984-1984-1984", "guessed"), ("Summer2024!Summer", "guessed"),
     ("xkwq7xkwq7xkwq7", "guessed"), ("summer dragon soccer", "guessed"), ("administrator", "guessed"),
     ("Administrator#1", "guessed"),
     ("waterhouseschool", "guessed"), ("CasinoFloorManager", "guessed"), ("spielbankaufsicht", "guessed"),
     ("thequickbrownfox", "guessed"), ("governmentuniversity", "guessed")],
)  # fmt: skip
def test_a_password_that_is_guessed_at_once_is_refused_and_not_repeated(
    book: AccountBook, password: str, why: str
) -> None:
    with pytest.raises(PasswordError, match=why) as refusal:
        book.add("anna", Role.SUPERVISOR, password)
    assert password not in str(refusal.value)


def test_a_name_or_badge_that_is_taken_is_refused(book: AccountBook) -> None:
    book.add("anna", Role.SUPERVISOR, SECRET, "S1042")
    with pytest.raises(AccountError, match='there is an account "anna" already'):
        book.add("anna", Role.DIRECTOR, SECRET)
    with pytest.raises(AccountError, match="belongs to another account"):
        book.add("bert", Role.DIRECTOR, SECRET, "S1042")
    book.add_kept_code("carl", Role.OBSERVER, KEPT, 1.0, "s7")
    for name, badge, why in (
        ("bert", "anna", "the name of another account"),
        ("bert", "Anna", "the name of another account"),
        ("s1042", None, "another account's badge"),
        ("s7", "s8", "another account's badge"),
    ):
        with pytest.raises(AccountError, match=why):
            book.add_kept_code(name, Role.OBSERVER, KEPT, 1.0, badge)
    assert book.add_kept_code("bert", Role.OBSERVER, KEPT, 1.0, "bert").signature == "bert", (
        "one's own name is no other's"
    )


@pytest.mark.parametrize("badge", ["S1042 ", " S1042", "S\u200b1042", "S1042\u00a0", "S1042\n", " "])
def test_a_badge_that_reads_like_another_is_refused(book: AccountBook, badge: str) -> None:
    with pytest.raises(AccountError, match="cannot be seen"):
        book.require_free("bert", badge)


@pytest.mark.parametrize("text", ["", "{", "[]", '{"accounts": [{"name": "x"}]}', '{"accounts": [], "more": 1}'])
def test_a_file_that_is_none_is_named_with_the_remedy_and_left_alone(book: AccountBook, text: str) -> None:
    book.path.write_text(text)
    with pytest.raises(AccountError, match=r"accounts\.json: no file of accounts .* bring back a copy"):
        book.get("anna")
    with pytest.raises(AccountError):
        book.add("anna", Role.SUPERVISOR, SECRET)
    assert book.path.read_text() == text


def test_a_file_in_a_folder_that_is_not_there_says_so(tmp_path: Path) -> None:
    with pytest.raises(AccountError, match=r"none/accounts\.json: cannot be written"):
        AccountBook(tmp_path / "none" / "accounts.json").add("anna", Role.OBSERVER, SECRET)


def test_a_full_disk_leaves_the_accounts_as_they_were_and_nothing_beside_them(
    book: AccountBook, monkeypatch: pytest.MonkeyPatch
) -> None:
    book.add("anna", Role.OBSERVER, SECRET)
    before = book.path.read_bytes()

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(AccountError, match="cannot be written: No space left on device"):
        book.add("bert", Role.OBSERVER, SECRET)
    assert [file.name for file in book.path.parent.iterdir()] == [book.path.name]
    assert book.path.read_bytes() == before


def test_nobody_both_sees_cards_and_tests_devices_and_surveillance_changes_nothing() -> None:
    changing = {Right.DECIDE, Right.SEAT, Right.TOURNAMENT, Right.DEVICES}
    assert set(RIGHTS) == set(Role)
    assert all(Right.SEE in rights for rights in RIGHTS.values())
    assert not any({Right.SEE_CARDS, Right.DEVICES} <= rights for rights in RIGHTS.values())
    assert not RIGHTS[Role.SURVEILLANCE] & changing
    assert not RIGHTS[Role.OBSERVER] & (changing | {Right.SEE_CARDS, Right.EXPORT})
