"""The script that prints the first key of each record at an installation: on a tree of its own, with no right."""

import os
import secrets
import subprocess
from pathlib import Path

import pytest

from debian.layout import ROOT
from feltd.record.signed_heads import FirstKey, heads_file

RUNUSER = '#!/bin/sh\necho "$2" >>"$USERS"\nshift 3\nexec "$@"\n'
"""Stands for the program: notes the user, and does what it is to do."""


@pytest.fixture
def board(tmp_path: Path) -> Path:
    for made in ("etc/feltd", "var/lib/feltd/8", "bin"):
        (tmp_path / made).mkdir(parents=True)
    (tmp_path / "bin/runuser").write_text(RUNUSER, encoding="ascii")
    (tmp_path / "bin/runuser").chmod(0o755)
    return tmp_path


def told(board: Path) -> list[str]:
    script = board / "script"
    text = (ROOT / "debian/first-keys.sh").read_text(encoding="utf-8")
    script.write_text(text.replace("=/etc/feltd", f"={board}/etc/feltd").replace("=/var/lib", f"={board}/var/lib"))
    environment = os.environ | {"PATH": f"{board}/bin:{os.environ['PATH']}", "USERS": str(board / "users")}
    done = subprocess.run(["sh", script], check=True, capture_output=True, text=True, env=environment)
    assert done.stderr == ""
    return done.stdout.replace(f"{board}", "").splitlines()


def begun(board: Path, name: str) -> str:
    """Begin a file of heads as the table's signer does; the key in it."""
    key = secrets.token_bytes(32)
    heads_file(board / name).write_text(f"{FirstKey(secrets.token_bytes(16), key)}\n", encoding="ascii")
    return key.hex()


def test_each_tables_key_is_printed_with_its_record_and_read_by_the_tables_user(board: Path) -> None:
    (board / "etc/feltd/8.toml").touch()
    keys = [begun(board, name) for name in ("var/lib/feltd/table.journal", "var/lib/feltd/8/table.journal")]
    *lines, remedy = told(board)
    assert lines == [
        f"feltd: first key of the record /var/lib/feltd/table.journal: {keys[0]}",
        f"feltd: first key of the record /var/lib/feltd/8/table.journal: {keys[1]}",
    ]
    assert "keep it elsewhere" in remedy
    assert set((board / "users").read_text().split()) == {"feltd"}


def test_of_a_record_that_was_put_aside_nothing_is_said(board: Path) -> None:
    key = begun(board, "var/lib/feltd/table.journal")
    (board / "var/lib/feltd/table-aside").mkdir()
    begun(board, "var/lib/feltd/table-aside/table.journal")
    assert [line.rpartition(" ")[2] for line in told(board)][:1] == [key]
    assert len(told(board)) == 2


def test_before_a_first_start_nothing_is_said(board: Path) -> None:
    assert told(board) == []
    (board / "var/lib/feltd/8").rmdir()
    (board / "var/lib/feltd").rmdir()
    assert told(board) == []


@pytest.mark.parametrize(
    "laid",
    [
        b"",
        b"\x1b]0;root\x07feltd-heads 1\n",
        b"feltd-heads 1 " + b"0" * 32 + b" " + b"0" * 63 + b"\n",
        b"feltd-heads 1 " + b"0" * 32 + b" " + b"0" * 64 + b" \x1b[2J\n",
        b"no\nfeltd-heads 1 " + b"0" * 32 + b" " + b"0" * 64 + b"\n",
        bytes(range(256)) * 9,
    ],
)
def test_nothing_that_the_tables_user_lays_there_reaches_the_terminal(board: Path, laid: bytes) -> None:
    (board / "var/lib/feltd/table.journal.heads").write_bytes(laid)
    assert told(board) == []


def test_a_name_reaches_the_terminal_without_what_steers_it(board: Path) -> None:
    key = begun(board, "var/lib/feltd/x\x1b[2J")
    assert told(board)[0] == f"feltd: first key of the record /var/lib/feltd/x2J: {key}"


def test_a_pipe_in_place_of_the_file_is_not_read(board: Path) -> None:
    os.mkfifo(board / "var/lib/feltd/table.journal.heads")
    assert told(board) == []
