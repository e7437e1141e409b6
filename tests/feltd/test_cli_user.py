"""`feltd user`: accounts are made at the console, and nowhere else."""

import re
import stat
import time
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from feltd.cli import cli
from feltd.page.access.accounts import AccountBook
from feltd.page.access.roles import Role

SECRET = "a horse, and a staple"
CONFIG = """
[table]
name = "Table 7"
rulebook = "tas-2018-holdem"
seats = [1, 2, 3]

[page]
accounts = "accounts.json"

[journal]
path = "table.journal"
sealing_key_file = "credential:journal-key"
"""


@pytest.fixture
def config(tmp_path: Path) -> Path:
    file = tmp_path / "table.toml"
    file.write_text(CONFIG)
    return file


def ask(config: Path, *words: str, said: str = "") -> Result:
    return CliRunner().invoke(cli, ["user", *words, "--config", str(config)], input=said)


def test_an_account_is_made_with_a_password_asked_for_twice_and_never_shown(config: Path) -> None:
    answer = ask(config, "add", "anna", "--role", "supervisor", "--badge", "S1042", said=f"{SECRET}\n{SECRET}\n")
    assert answer.exit_code == 0, answer.output
    assert "anna, supervisor: may sign in now" in answer.output
    assert SECRET not in answer.output
    account = AccountBook(config.parent / "accounts.json").get("anna")
    assert account is not None
    assert (account.role, account.staff) == (Role.SUPERVISOR, "S1042")


def test_two_passwords_that_differ_make_no_account(config: Path) -> None:
    answer = ask(config, "add", "anna", "--role", "supervisor", said=f"{SECRET}\nanother one, quite\n")
    assert answer.exit_code != 0
    assert not (config.parent / "accounts.json").exists()


def test_accounts_are_listed_changed_shut_opened_and_removed(config: Path) -> None:
    assert "no accounts: make one with" in ask(config, "list").output
    ask(config, "add", "anna", "--role", "supervisor", "--password-stdin", said=f"{SECRET}\n")
    assert ask(config, "role", "anna", "--role", "director").output == "anna: is director now\n"
    ask(config, "shut", "anna")
    assert ask(config, "list").output.split() == ["anna", "director", "(shut)"]
    ask(config, "open", "anna")
    ask(config, "password", "anna", "--password-stdin", said="quite another one\n")
    assert ask(config, "list").output.split() == ["anna", "director"]
    assert ask(config, "remove", "anna").output == "anna: removed\n"
    assert "no accounts" in ask(config, "list").output


def test_a_second_factor_is_given_shown_once_and_taken_away(config: Path) -> None:
    ask(config, "add", "anna", "--role", "director", "--password-stdin", said=f"{SECRET}\n")
    given = ask(config, "second-factor", "anna").output
    kept = AccountBook(config.parent / "accounts.json").get("anna")
    assert kept is not None
    assert kept.totp is not None
    assert f"\n{kept.totp}\notpauth://totp/feltd%20" in given
    listed = ask(config, "list").output
    assert "(second factor)" in listed
    assert kept.totp not in listed
    assert ask(config, "second-factor", "anna", "--remove").output == "anna: signs in by the password alone\n"
    assert "(second factor)" not in ask(config, "list").output
    assert "no account" in ask(config, "second-factor", "bert").output


def test_a_removed_accounts_badge_that_a_reader_lists_is_told(config: Path) -> None:
    reader = '[[device]]\nname = "badge"\nrole = "badge"\nport = "/dev/serial/by-id/b"\nkey_file = "k"\n'
    config.write_text(f'{reader}settings.staff = {{ S1042 = "supervisor" }}\n{CONFIG}')
    for name, badge in (("anna", "S1042"), ("bert", "S7")):
        ask(config, "add", name, "--role", "supervisor", "--badge", badge, "--password-stdin", said=f"{SECRET}\n")
    assert "lists it in settings.staff of badge; take it out there" in ask(config, "remove", "anna").output
    assert ask(config, "remove", "bert").output == "bert: removed\n"


@pytest.mark.parametrize("words", [["role", "bert", "--role", "director"], ["shut", "bert"], ["remove", "bert"]])
def test_an_account_that_is_not_there_is_named_with_the_remedy(config: Path, words: list[str]) -> None:
    answer = ask(config, *words)
    assert answer.exit_code == 2
    assert 'there is no account "bert"' in answer.output
    assert "feltd user list" in answer.output


def test_the_accounts_are_beside_the_journal_where_the_configuration_does_not_say(config: Path) -> None:
    config.write_text(CONFIG.replace('accounts = "accounts.json"\n', "").replace("table.journal", "record/t.journal"))
    (config.parent / "record").mkdir()
    ask(config, "add", "anna", "--role", "observer", "--password-stdin", said=f"{SECRET}\n")
    assert AccountBook(config.parent / "record" / "accounts.json").get("anna")


def test_the_list_says_where_a_second_person_is_lacking(config: Path) -> None:
    words = "nobody could approve what tess asks for"
    ask(config, "add", "tess", "--role", "technician", "--password-stdin", said=f"{SECRET}\n")
    ask(config, "add", "olga", "--role", "observer", "--password-stdin", said=f"{SECRET}\n")
    assert words in ask(config, "list").output
    ask(config, "add", "anna", "--role", "supervisor", "--password-stdin", said=f"{SECRET}\n")
    assert words not in ask(config, "list").output
    ask(config, "shut", "anna")
    assert words in ask(config, "list").output


def test_a_code_takes_the_place_of_a_password_and_is_shown_once(config: Path) -> None:
    made = ask(config, "add", "anna", "--role", "technician", "--badge", "T7", "--code", "--days", "3")
    assert made.exit_code == 0, made.output
    [code] = made.stdout.split()
    assert re.fullmatch(r"(?:[0-9A-Z]{4}-){3}[0-9A-Z]{4}", code)
    assert "anna, technician: signs in at the page with this code" in made.stderr
    kept = (config.parent / "accounts.json").read_text(encoding="utf-8")
    assert code.replace("-", "") not in kept.upper()
    account = AccountBook(config.parent / "accounts.json").get("anna")
    assert account is not None
    assert account.code_until is not None
    assert 2.9 < (account.code_until - time.time()) / 86400 < 3.1
    assert "badge T7  (code until 2" in ask(config, "list").output
    [another] = ask(config, "password", "anna", "--code").stdout.split()
    assert another != code
    ask(config, "password", "anna", "--password-stdin", said="quite another one\n")
    assert "code" not in ask(config, "list").output
    assert "belongs to another" in ask(config, "add", "bert", "--role", "observer", "--badge", "T7", "--code").output


def test_a_file_of_accounts_may_be_named_itself_for_a_board_that_has_not_started(tmp_path: Path) -> None:
    file = tmp_path / "accounts.json"
    assert ask(file, "add", "anna", "--role", "technician", "--code").exit_code == 0
    assert ask(file, "add", "bert", "--role", "supervisor", "--badge", "S1", "--code").exit_code == 0
    assert [account.name for account in AccountBook(file)] == ["anna", "bert"]
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert "otpauth://totp/feltd" in ask(file, "second-factor", "anna").output
    assert ask(file, "remove", "bert").output == "bert: removed\n"
