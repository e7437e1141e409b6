"""The command line: what each command prints, and its exit code."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner, Result

from feltd.cli import cli
from feltd.cli.exits import AGAIN
from feltd.launcher import page_process, table_process
from feltd.launcher.table_process import TheWayIn
from feltd.simulated.errors import UnknownBookError
from feltd.text.errors import FeltdError

OWN = "own-2020-holdem"


def run(*arguments: str, stdin: str | None = None) -> Result:
    result = CliRunner().invoke(cli, arguments, input=stdin)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def process(*arguments: str, stdin: int | None = None) -> "subprocess.Popen[bytes]":
    """The program itself, in a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "feltd.cli", *arguments], stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )


@pytest.fixture
def own_books(tmp_path: Path) -> Path:
    """A folder with a rulebook of one's own, which stands on a shipped one."""
    folder = tmp_path / "books"
    folder.mkdir()
    (folder / f"{OWN}.toml").write_text(f'id = "{OWN}"\ntitle = "Our own"\nextends = ["tas-2018-holdem"]\n')
    return folder


def test_help_names_every_command_and_the_exit_codes() -> None:
    result = run("--help")
    assert result.exit_code == 0
    for command in (
        "run",
        "simulate",
        "check",
        "identify",
        "accept",
        "rules",
        "replay",
        "drill",
        "journal",
        "completion",
    ):
        assert f"\n  {command} " in result.output
    assert "Exit codes of every command: 0 fine, 1 problems found, 2 wrong usage" in result.output


@pytest.mark.parametrize(
    "command", ["run", "simulate", "check", "identify", "accept", "rules", "replay", "drill", "completion"]
)
def test_each_commands_help_has_examples_and_its_exit_codes(command: str) -> None:
    result = run(command, "-h")
    assert result.exit_code == 0
    assert f"feltd {command}" in result.output.split("Examples:")[1]
    assert "Exit codes: 0 " in result.output


def test_help_and_version_load_no_more_than_they_need() -> None:
    heavy = ["pydantic", "fastapi", "uvicorn", "transitions", "pokerkit", "sqlite3", "cryptography", "asyncio"]
    code = (
        "import sys; from feltd.cli import cli\n"
        "for arguments in (['--help'], ['drill', '--help'], ['--version']):\n"
        "    cli(arguments, standalone_mode=False)\n"
        f"print([name for name in {heavy} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-2].startswith("feltd ")
    assert done.stdout.splitlines()[-1] == "[]"


def test_a_command_loads_no_other() -> None:
    code = (
        "import sys; from feltd.cli import cli\n"
        "cli(['table', '--help'], standalone_mode=False)\n"
        "print(*sorted(name for name in sys.modules if name.startswith('feltd.cli.')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1].split() == ["feltd.cli.exits", "feltd.cli.run_command"]


@pytest.mark.parametrize("arguments", [["nonsense"], ["check"], ["drill"], ["completion", "tcsh"], ["rules", "--no"]])
def test_wrong_usage_is_2(arguments: list[str]) -> None:
    assert run(*arguments).exit_code == 2


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_prints_the_shells_own_lines(shell: str) -> None:
    result = run("completion", shell)
    assert result.exit_code == 0
    assert f"_FELTD_COMPLETE={shell}_complete" in result.output


def test_rulebooks_a_table_can_open_with_are_completed() -> None:
    asked = {"_FELTD_COMPLETE": "bash_complete", "COMP_WORDS": "feltd rules tas", "COMP_CWORD": "2"}
    code = "from feltd.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=os.environ | asked, check=True
    )
    assert "plain,tas-2018-holdem" in done.stdout.splitlines()
    assert not any(line.endswith("base") for line in done.stdout.splitlines())


# ---- rules


def test_rules_lists_the_books_and_ones_own_beside_them(own_books: Path) -> None:
    shipped = run("rules")
    assert shipped.exit_code == 0
    listed = [line.split()[0] for line in shipped.output.splitlines()]
    assert {"act-2019-uth", "tas-2018-holdem"} <= set(listed)
    assert listed == sorted(listed)
    assert OWN not in shipped.output
    assert OWN in run("rules", "--book-dir", str(own_books)).output


def test_rules_prints_a_book_and_its_diagram() -> None:
    printed = run("rules", "tas-2018-holdem")
    assert printed.exit_code == 0
    assert printed.output.startswith("# Tasmania 2018, Hold'em\n")
    assert "| 19.4 " in printed.output
    drawn = run("rules", "act-2019-uth", "--diagram", "mermaid")
    assert drawn.exit_code == 0
    assert "stateDiagram" in drawn.output


def test_rules_check_proves_each_book() -> None:
    result = run("rules", "--check")
    assert result.exit_code == 0
    assert "tas-2018-holdem: complete, no dead rows\n" in result.output


def test_a_misspelt_book_is_suggested() -> None:
    result = run("rules", "tas-2018-holden")
    assert result.exit_code == 2
    assert 'no rulebook "tas-2018-holden"; did you mean "tas-2018-holdem"?' in result.stderr


def test_questions_that_do_not_go_together_are_refused() -> None:
    assert "--diagram needs a BOOK" in run("rules", "--diagram", "mermaid").stderr
    assert "ask one" in run("rules", "tas-2018-holdem", "--check", "--diagram", "mermaid").stderr


def test_a_rulebook_with_faults_names_them_all(tmp_path: Path) -> None:
    (tmp_path / "bad.toml").write_text('id = "bad"\ntitle = 3\nextends = ["nowhere"]\n')
    result = run("rules", "--book-dir", str(tmp_path))
    assert result.exit_code == 2
    assert result.stderr.startswith("feltd: rulebooks with faults:\n")
    assert "bad.toml:2" in result.stderr
    assert "bad.toml:3" in result.stderr


# ---- replay

UNKNOWN = '{"t": 1, "ev": "card.eaten"}'
UNKNOWN_ANSWER = {
    "t": 1.0,
    "error": {"ev": "card.eaten", "reason": "unknown event 'card.eaten': see the list of events"},
}
OPEN = '{"t": 0, "ev": "table.open", "rulebook": "tas-2018-holdem", "seats": [1, 2, 3], "button": 3}'


def test_replay_prints_what_the_table_answers(tmp_path: Path) -> None:
    (tmp_path / "events.jsonl").write_text(f"# a table opens\n\n{OPEN}\n{UNKNOWN}\n")
    result = run("replay", str(tmp_path / "events.jsonl"))
    outputs = [json.loads(line) for line in result.stdout.splitlines()]
    assert result.exit_code == 0
    assert any("phase" in output for output in outputs)
    assert outputs[-1] == UNKNOWN_ANSWER
    assert run("replay", str(tmp_path / "events.jsonl"), "--rulings").stdout == ""


def test_replay_stops_at_a_malformed_line_after_the_outputs_before_it(tmp_path: Path) -> None:
    (tmp_path / "events.jsonl").write_text(f"{UNKNOWN}\n{{oops\n{UNKNOWN}\n")
    result = run("replay", str(tmp_path / "events.jsonl"))
    assert result.exit_code == 2
    assert [json.loads(line) for line in result.stdout.splitlines()] == [UNKNOWN_ANSWER]
    assert result.stderr.startswith(f"feltd: {tmp_path}/events.jsonl:2: not JSON: ")


def test_replay_warns_of_fields_that_nothing_reads(tmp_path: Path) -> None:
    (tmp_path / "events.jsonl").write_text('{"t": 0, "ev": "tick", "tock": 1}\n' * 2)
    result = run("replay", str(tmp_path / "events.jsonl"))
    assert result.exit_code == 0
    assert result.stderr == f'warning: {tmp_path}/events.jsonl:1: tick: nothing reads the field "tock"\n'


def test_replay_takes_rulebooks_of_ones_own(tmp_path: Path, own_books: Path) -> None:
    (tmp_path / "events.jsonl").write_text(OPEN.replace("tas-2018-holdem", OWN))
    ours = run("replay", str(tmp_path / "events.jsonl"), "--book-dir", str(own_books))
    assert "error" not in ours.stdout
    assert "error" in run("replay", str(tmp_path / "events.jsonl")).stdout


def test_replay_answers_each_line_before_the_next_is_asked() -> None:
    with process("replay", "-", stdin=subprocess.PIPE) as replay:
        assert replay.stdin is not None
        assert replay.stdout is not None
        for _ in range(3):
            replay.stdin.write(f"{UNKNOWN}\n".encode())
            replay.stdin.flush()
            assert json.loads(replay.stdout.readline()) == UNKNOWN_ANSWER
        replay.stdin.close()
        assert replay.wait() == 0


def test_replay_names_standard_input() -> None:
    with process("replay", "-", stdin=subprocess.PIPE) as replay:
        _, told = replay.communicate(b"\n\noops")
    assert replay.returncode == 2
    assert told.startswith(b"feltd: standard input:3: not JSON: ")


def test_a_full_disk_is_told_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "events.jsonl").write_text(f"{UNKNOWN}\n" * 1000)
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "feltd.cli", "replay", str(tmp_path / "events.jsonl")],
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert done.returncode != 0
    assert done.stderr.startswith(b"feltd: cannot write: No space left on device\n")


# ---- drill


def drill_file(path: Path, expected: str) -> Path:
    header = '{"title": "Nobody eats cards", "rows": ["tas-2018-holdem 1"]}'
    path.write_text(f'{header}\n{UNKNOWN}\n{{"expect": {expected}}}\n')
    return path


def test_drill_counts_what_passed_and_shows_what_failed(tmp_path: Path) -> None:
    good = drill_file(tmp_path / "good.jsonl", '[{"error": {"ev": "card.eaten"}}]')
    passed = run("drill", str(good))
    assert (passed.exit_code, passed.stdout, passed.stderr) == (0, "1 passed, 0 failed\n", "")
    bad = drill_file(tmp_path / "bad.jsonl", '[{"ruling": {}}]')
    failed = run("drill", str(tmp_path))
    assert failed.exit_code == 1
    assert failed.stdout.splitlines()[:2] == ["FAILED Nobody eats cards (tas-2018-holdem 1)", f"  {bad}:3"]
    assert failed.stdout.splitlines()[-1] == "1 passed, 1 failed"
    assert "ok     Nobody eats cards" in run("drill", "-v", str(tmp_path)).stdout


def test_drill_goes_on_past_a_file_that_is_no_drill_and_ends_with_2(tmp_path: Path) -> None:
    drill_file(tmp_path / "good.jsonl", '[{"error": {"ev": "card.eaten"}}]')
    (tmp_path / "a.jsonl").write_text("{}\n")
    result = run("drill", str(tmp_path))
    assert result.exit_code == 2
    assert result.stderr.startswith(f"{tmp_path}/a.jsonl:1: the first line is the header")
    assert result.stdout == "1 passed, 1 failed\n"
    assert run("drill", str(tmp_path / "nowhere")).exit_code == 2


def test_drill_shows_how_far_it_is_on_a_terminal_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from feltd.cli import drill_command

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    assert list(drill_command._progress([tmp_path / "one", tmp_path / "two"])) == [tmp_path / "one", tmp_path / "two"]
    assert "\r\x1b[K2/2 two" in terminal.getvalue()
    assert terminal.getvalue().endswith("\r\x1b[K")


# ---- check and run


def test_check_tells_every_problem_and_ends_with_1(tmp_path: Path) -> None:
    (tmp_path / "table.toml").write_text('[table]\nname = 3\nrulebook = "tas-2018-holden"\nseats = []\n[pgae]\n')
    result = run("check", str(tmp_path / "table.toml"))
    assert result.exit_code == 1
    assert (
        f"{tmp_path}/table.toml:2: table.name: 3 is not allowed; allowed: a text in quotes, not empty\n"
        in result.stdout
    )
    assert (
        "pgae: unknown key; allowed: table, device, pins, usb, links, page, door, floor, journal, record, broadcast; "
        'did you mean "page"?' in result.stdout
    )
    assert f"{tmp_path}/table.toml: 3 problems\n" in result.stderr


def test_check_ends_with_2_where_there_is_no_file(tmp_path: Path) -> None:
    result = run("check", str(tmp_path / "nowhere.toml"))
    assert result.exit_code == 2
    assert result.stderr == f"feltd: {tmp_path}/nowhere.toml: no such file\n"


def test_run_refuses_a_configuration_with_faults_before_it_starts(tmp_path: Path) -> None:
    (tmp_path / "table.toml").write_text("[table]\nname = 3\n")
    result = run("run", str(tmp_path / "table.toml"))
    assert result.exit_code == 2
    assert (
        f"{tmp_path}/table.toml:2: table.name: 3 is not allowed; allowed: a text in quotes, not empty" in result.stderr
    )
    assert f"{tmp_path}/table.toml: journal: is missing" in result.stderr


@pytest.mark.parametrize(
    ("words", "stand_by", "way_in", "has_page"),
    [
        (("run",), False, TheWayIn(None, str(os.geteuid())), True),
        (("run", "--stand-by"), True, TheWayIn(None, str(os.geteuid())), True),
        (("table",), False, TheWayIn(None, None), False),
        (
            ("table", "--stand-by", "--door", "/run/x", "--page-user", "felt", "--upgraded", "/run/y"),
            True, TheWayIn(Path("/run/x"), "felt"), False,
        ),
    ],
)  # fmt: skip
def test_run_and_table_hand_the_configuration_on(
    monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], stand_by: bool, way_in: TheWayIn, has_page: bool
) -> None:
    started: list[tuple[Any, ...]] = []

    def run_table(
        file: Path, *, stand_by: bool, way_in: TheWayIn, beside: Any = None, upgraded: Path | None = None
    ) -> bool:
        started.append((file, stand_by, way_in, beside is not None))
        assert (upgraded == Path("/run/y")) is ("--upgraded" in words)
        return stand_by

    monkeypatch.setattr(table_process, "run_table", run_table)
    assert run(*words, "table.toml").exit_code == (AGAIN if stand_by else 0)
    assert started == [(Path("table.toml"), stand_by, way_in, has_page)]


def test_page_hands_the_configuration_on(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[tuple[Any, ...]] = []

    def run_page(file: Path, socket: Path | None, *, for_another: bool, ended: Path | None) -> bool:
        started.append((file, socket, for_another, ended))
        return False

    monkeypatch.setattr(page_process, "run_page", run_page)
    assert run("page", "--door", "/run/x", "--ended", "/run/y", "table.toml").exit_code == 0
    assert run("page", "--for-another", "table.toml").exit_code == 0
    file = Path("table.toml")
    assert started == [(file, Path("/run/x"), False, Path("/run/y")), (file, None, True, None)]


@pytest.mark.parametrize("command", ["run", "table", "page"])
def test_a_failure_that_stops_a_process_is_1(monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    def fail(*_: object, **__: object) -> bool:
        raise FeltdError("the disk is full; make room")

    monkeypatch.setattr(table_process, "run_table", fail)
    monkeypatch.setattr(page_process, "run_page", fail)
    result = run(command, "table.toml")
    assert (result.exit_code, result.stderr) == (1, "feltd: the disk is full; make room\n")


def _simulation(wishes: list[dict[str, Any]]) -> SimpleNamespace:
    return SimpleNamespace(simulate=lambda **kept: wishes.append(kept), UnknownBookError=UnknownBookError)


def test_simulate_hands_its_wishes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wishes: list[dict[str, Any]] = []
    monkeypatch.setitem(sys.modules, "feltd.simulated.simulate", _simulation(wishes))
    assert run("simulate").exit_code == 0
    assert run("simulate", "--book", "act-2019-uth", "--seed", "7", "--rounds", "3", "--port", "0").exit_code == 0
    assert wishes[0]["books"] == ("tas-2018-holdem", "act-2019-uth", "act-2001-stud7", "act-2001-draw")
    assert (wishes[1]["books"], wishes[1]["seed"], wishes[1]["rounds"]) == (("act-2019-uth",), 7, 3)
    assert [wish["tour"] for wish in wishes] == [True, False]
    assert run("simulate", "--mistakes", "0.5").exit_code == run("simulate", "--rounds", "3", "--tour").exit_code == 0
    assert [wish["tour"] for wish in wishes[2:]] == [False, True]
    assert run("simulate", "--mistakes", "2").exit_code == 2
