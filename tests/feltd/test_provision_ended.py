"""`feltd provision`, ended or killed between two files: nothing with keys stays, and what a kill left is known."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner

from feltd.books.shipped import shipped_folder
from feltd.cli import cli
from feltd.provision import making
from feltd.provision.ending import Ended, Noted
from feltd.provision.unfinished import MARK, clear_left
from feltd.text import atomic_file

SLOW = """
import os, signal, sys
from feltd.provision import making
for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
    signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)
signal.signal(signal.SIGHUP, signal.SIG_IGN if sys.argv.pop(1) == "nohup" else signal.SIG_DFL)
real, left = making.write_new, [7]
def write_new(*given):
    left[0] -= 1
    if not left[0]:
        print("half of it", flush=True)
        sys.stdin.readline()
    real(*given)
making.write_new = write_new
from feltd.cli import main
main()
"""
"""Waits, once a few files are written, until the test has seen to it."""


@contextmanager
def half_way(folder: Path, how: str = "plain") -> Iterator["subprocess.Popen[str]"]:
    """A run that has written the half of its files and waits for a line."""
    words = ["provision", str(shipped_folder() / "tables.example.csv"), "--into", str(folder)]
    with subprocess.Popen(
        [sys.executable, "-c", SLOW, how, *words],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as run:  # fmt: skip
        assert run.stdout is not None
        assert run.stdout.readline() == "half of it\n"
        yield run
        run.kill()


def _left(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT])
def test_a_run_that_is_ended_leaves_nothing_and_ends_by_that_signal(number: signal.Signals, tmp_path: Path) -> None:
    with half_way(tmp_path / "boards") as run:
        assert list(tmp_path.rglob("*.key"))
        run.send_signal(number)
        _, said = run.communicate("\n")
    assert run.returncode == -number
    assert f"feltd: ended by {number.name}: nothing was made" in said
    assert _left(tmp_path) == []


def test_a_signal_that_was_ignored_before_ends_nothing(tmp_path: Path) -> None:
    with half_way(tmp_path / "boards", "nohup") as run:
        run.send_signal(signal.SIGHUP)
        run.communicate("\n")
    assert run.returncode == 0
    assert _left(tmp_path) == ["boards"]


def _again(folder: Path) -> str:
    answer = CliRunner().invoke(cli, ["provision", str(shipped_folder() / "tables.example.csv"), "--into", str(folder)])
    assert answer.exit_code == 0, answer.output
    return answer.stderr


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that a killed run for `boards` has left. It is killed once: each test looks at a copy of its own."""
    place = tmp_path_factory.mktemp("killed")
    with half_way(place / "boards") as run:
        run.kill()
    (left,) = place.glob(".boards-*")
    assert list(left.rglob("*.key"))
    return left


@pytest.fixture
def left(killed: Path, tmp_path: Path) -> Path:
    """Such a folder, beside the places of this test's runs. Nobody holds it, as nobody holds the first."""
    copy = tmp_path / killed.name
    shutil.copytree(killed, copy)
    shutil.copystat(killed, copy)
    return copy


@pytest.mark.parametrize("name", ["boards", "others"])
def test_what_a_killed_run_left_is_removed_and_named_by_the_next_one(name: str, left: Path, tmp_path: Path) -> None:
    keys = len(list(left.rglob("*.key")))
    said = _again(tmp_path / name)
    assert said == f"{left}: a run that was killed had left it, with {keys} keys: it is removed\n"
    assert _left(tmp_path) == [name]
    assert not (tmp_path / name / MARK).exists()


def test_a_run_that_lives_keeps_its_folder(tmp_path: Path) -> None:
    with half_way(tmp_path / "boards") as run:
        assert _again(tmp_path / "others") == ""
        run.communicate("\n")
    assert run.returncode == 0
    assert len(list((tmp_path / "boards").rglob("*.key"))) == 27
    assert _left(tmp_path) == ["boards", "others"]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ("note", "1/note.txt in it is nothing that feltd makes"),
        ("link", "1/keys/link.key in it is nothing that feltd makes"),
        ("open", "others than you may write or read in it"),
        ("no mark", f"it has no {MARK} that says so"),
        ("another mark", f"it has no {MARK} that says so"),
    ],
)
def test_what_is_not_surely_its_own_is_named_and_left(change: str, reason: str, left: Path, tmp_path: Path) -> None:
    match change:
        case "note":
            (left / "1" / "note.txt").touch()
        case "link":
            (left / "1" / "keys" / "link.key").symlink_to("/etc/hostname")
        case "open":
            left.chmod(0o750)
        case "no mark":
            (left / MARK).unlink()
        case _:
            (left / MARK).write_text("other")
    before = sorted(left.rglob("*"))
    said = _again(tmp_path / "boards")
    assert said == f"{left}: may be left of a run that was killed, with keys; {reason}: look at it, and remove it\n"
    assert sorted(left.rglob("*")) == before


def test_folders_of_others_that_only_look_alike_are_not_spoken_of(tmp_path: Path) -> None:
    (tmp_path / ".others-12345678").mkdir()
    (tmp_path / ".boards-old").mkdir()
    (tmp_path / ".boards-abcdefgh").write_text("a file")
    said: list[str] = []
    clear_left(tmp_path / "boards", said.append)
    clear_left(tmp_path / "none" / "boards", said.append)
    assert said == []
    assert len(_left(tmp_path)) == 3


def test_signals_are_noted_the_first_one_counts_and_all_is_as_before_afterwards() -> None:
    before = signal.getsignal(signal.SIGTERM)
    with Noted() as signals:
        signals.check()
        os.kill(os.getpid(), signal.SIGTERM)
        os.kill(os.getpid(), signal.SIGHUP)
        with pytest.raises(Ended, match="SIGTERM"):
            signals.check()
    assert signal.getsignal(signal.SIGTERM) is before


def test_the_command_says_that_nothing_was_made_before_it_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[int] = []

    def write_new(file: Path, content: bytes, mode: int) -> None:
        atomic_file.write_new(file, content, mode)
        signal.raise_signal(signal.SIGTERM)

    def kill(_process: int, number: int) -> None:
        sent.append(number)

    monkeypatch.setattr(making, "write_new", write_new)
    monkeypatch.setattr(os, "kill", kill)
    before = signal.getsignal(signal.SIGTERM)
    try:
        words = ["provision", str(shipped_folder() / "tables.example.csv"), "--into", str(tmp_path / "boards")]
        answer = CliRunner().invoke(cli, words)
    finally:
        signal.signal(signal.SIGTERM, before)
    assert answer.stderr == "feltd: ended by SIGTERM: nothing was made\n"
    assert sent == [signal.SIGTERM]
    assert _left(tmp_path) == []
