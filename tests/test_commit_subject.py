"""What `tests/commit_subject.py` lets through and what it refuses."""

import subprocess
from pathlib import Path

import pytest

from tests.commit_subject import LONGEST, faults, faults_of_message, judge_history, main


@pytest.mark.parametrize(
    "subject",
    [
        "tests: hold the random streams to reach showdowns and rulings",
        "firmware/c: pass the counter by value",
        "hil_tests: bring the second table up",
        "docs: name /etc/feltd in the guide",
        "a: " + "b" * (LONGEST - 3),
        "Merge branch 'tooling'",
        'Revert "play: name the flow of a round"',
        "fixup! play: name the flow of a round",
    ],
)
def test_a_good_subject_passes(subject: str) -> None:
    assert faults(subject) == []


@pytest.mark.parametrize(
    ("subject", "words"),
    [
        ("a: " + "b" * (LONGEST - 2), "it has 73 characters; at most 72 are allowed"),
        ("name the flow of a round", "does not have the form"),
        ("Play: name the flow of a round", "does not have the form"),
        ("play:name the flow of a round", "does not have the form"),
        ("play, view: name the flow of a round", "does not have the form"),
        ("play: Name the flow of a round", "begins with a verb in small letters"),
        ("play: name the flow of a round.", "ends with a dot"),
        ("play: names the flow of a round", "begins with an imperative"),
        ("play: named the flow of a round", "begins with an imperative"),
        ("play: naming the flow of a round", "begins with an imperative"),
    ],
)
def test_what_is_wrong_is_said(subject: str, words: str) -> None:
    [fault] = faults(subject)
    assert words in fault


def test_a_message_has_an_empty_line_after_its_subject() -> None:
    assert faults_of_message("play: name the flow\n\nIt had none.\n# a line of git's\n") == []
    assert faults_of_message("# a line of git's\nplay: name the flow\n# another\n") == []
    [fault] = faults_of_message("play: name the flow\nIt had none.\n")
    assert "second line" in fault
    assert faults_of_message("# a line of git's\n\n") == ["it is empty"]


def test_the_hook_refuses_by_its_status(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    message = tmp_path / "message"
    message.write_text("play: name the flow\n", encoding="utf-8")
    assert main([str(message)]) == 0
    message.write_text("Names\n", encoding="utf-8")
    assert main([str(message)]) == 1
    assert "does not have the form" in capsys.readouterr().err
    assert main([]) == 2


class Checkout:
    """A repository with commits of its own, apart from this machine's git settings."""

    def __init__(self, root: Path) -> None:
        self.root = root
        root.mkdir(exist_ok=True)
        self.git("init", "--quiet")

    def git(self, *arguments: str) -> None:
        who = ("-c", "user.name=Tester", "-c", "user.email=tester@example.org", "-c", "commit.gpgsign=false")
        subprocess.run(["git", *who, "-C", str(self.root), *arguments], check=True, capture_output=True)

    def commit(self, subject: str) -> None:
        self.git("commit", "--quiet", "--no-verify", "--allow-empty", "-m", subject)

    def bring_the_check(self) -> None:
        (self.root / "tests").mkdir()
        (self.root / "tests" / "commit_subject.py").write_text("", encoding="utf-8")
        self.git("add", "tests")
        self.commit("The check comes, in the old form")


def test_history_is_judged_from_the_check_on(tmp_path: Path) -> None:
    checkout = Checkout(tmp_path)
    checkout.commit("What was said before any check")
    assert judge_history(tmp_path) == ([], "no commit was judged: this check is not committed yet")
    checkout.bring_the_check()
    assert judge_history(tmp_path)[0] == []
    checkout.commit("play: name the flow")
    checkout.commit("Naming it")
    found, words = judge_history(tmp_path)
    assert len(found) == 1
    assert "Naming it: it does not have the form" in found[0]
    assert words.startswith("2 commits were judged")
    checkout.git("tag", "v1")
    assert judge_history(tmp_path)[0] == []


def test_a_shallow_clone_says_that_it_judges_a_part(tmp_path: Path) -> None:
    checkout = Checkout(tmp_path / "whole")
    checkout.bring_the_check()
    checkout.commit("Naming it")
    checkout.commit("play: name the flow")
    checkout.commit("play: name it again")
    checkout.git("clone", "--quiet", "--depth", "2", (tmp_path / "whole").as_uri(), str(tmp_path / "part"))
    found, words = judge_history(tmp_path / "part")
    assert found == []
    assert words.startswith("1 commits were judged")
    assert "the clone is shallow" in words


def test_without_git_nothing_is_judged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert judge_history(tmp_path) == ([], "no commit was judged: git reads no checkout here")
