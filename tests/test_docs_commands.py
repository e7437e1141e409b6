"""Every command in the documentation is one that there is; what needs no machine of its own is run.

A fenced block without a language, or with `sh`, holds commands; a block of anything else names its language. Where a
line begins with `$ `, the lines without it are what the command prints.
"""

import asyncio
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import click
import pytest

from devices.simulated.direct import play_rounds
from devices.simulated.people.game import Game
from feltd.cli import cli
from feltd.simulated.games import FLOOR
from feltd.table.keeper.deliveries import Delivery
from feltd.tournaments.results import Result, to_csv
from floor_fsm.state.entries import Standing
from table_fsm.events import Event, event_to_dict
from table_fsm.outputs import Output
from tests.feltd.history_support import OPTIONS
from tests.feltd.seal_support import KEY_LINE, PUBLIC
from tests.feltd.table_support import HOLDEM, Bench

ROOT: Final = Path(__file__).parents[1]
_BLOCK: Final = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)
_HEREDOC: Final = re.compile(r"<<'(\w+)'")
_ENDS: Final = frozenset({">", "|", "&&", "||", ";", "<<"})
ROUNDS: Final = 17
"""The last round that a page speaks of."""

ELSEWHERE: Final = {
    "docs/api.md": "tests/feltd/test_api_page.py runs it against a table",
    "docs/fuzzing.md": "tests/fuzz has a test of each target",
    "docs/second-opinion.md": "tests/test_second_opinion.py plays fewer hands",
    "firmware/README.md": "tests/firmware builds and runs the devices",
    "firmware/c/README.md": "tests/firmware builds and runs the devices",
    "firmware/micropython/README.md": "it needs a board; tests/firmware runs the same files",
    "tests/feltd/editions/README.md": "it needs the code of old versions, whose records are kept",
}
NOT_RUN: Final = {
    r"(sudo|sudoedit|apt|systemctl|journalctl|rsync|wget|gpg|ls -l /dev|FELTD_SIGNING_KEY=|openssl)\b": (
        "it changes or asks an installed system: hil_tests installs the package"
    ),
    r"make ": "it sets up a checkout, or runs these tests",
    r"feltd update\b": "it needs a board with two systems: tests/feltd/test_cli_update.py",
    r"feltd (run|accept|check|identify)\b": "it needs an installed table: tests/feltd starts them on files of its own",
    r"feltd tournament redraw\b": "it needs what a draw published: tests/feltd/test_cli_tournament.py does one again",
    r"feltd bench\b": "it measures for half a minute: tests/feltd/test_bench.py runs it on less",
    r"feltd record (agree|unseal .* --agreed)\b": "it needs a record sealed to two: tests/feltd/test_two_halves.py",
    r"feltd floor seal\b": "it needs an authority and asks for a passphrase: tests/floor/test_backup.py seals one",
    r"(cat|feltd journal verify) /srv/": "it needs the exports of a board: test_journal_export verifies such files",
    r"feltd deck (keys|stickers)\b": "it needs a reader over PC/SC: tests/devices/test_chip_keys.py plays one",
    r"feltd drill tests/drills": "tests/test_drills.py plays them all",
    r"feltd rules (\S+ --(moments|coverage)|--coverage)": "tests/moments and test_cli_coverage run it, for minutes",
}


@dataclass(frozen=True)
class Block:
    """The commands of one fenced block, each with what a heredoc feeds it."""

    page: str
    line: int
    commands: tuple[str, ...]

    def run(self) -> list[str]:
        """Return the commands that a test can run."""
        return [] if self.page in ELSEWHERE else [one for one in self.commands if not _why_not(one)]


def _why_not(command: str) -> str | None:
    return next((reason for begins, reason in NOT_RUN.items() if re.match(begins, command)), None)


def _pages() -> list[str]:
    told = subprocess.run(["git", "ls-files", "*.md"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return told.split()


def _commands(text: str) -> Iterator[str]:
    """Yield the commands of a block's text, comments left out."""
    prompted = re.search(r"^\$ ", text, re.M) is not None
    lines = iter(text.splitlines())
    for line in lines:
        if not line.strip() or (prompted and not line.startswith("$ ")):
            continue
        command = re.sub(r"\s+# .*", "", line.removeprefix("$ "))
        while command.endswith("\\"):
            command = command[:-1] + next(lines).strip()
        heredoc = _HEREDOC.search(command)
        for fed in lines if heredoc else ():
            command += "\n" + fed
            if heredoc and fed == heredoc[1]:
                break
        yield command


def _blocks() -> list[Block]:
    found = []
    for page in _pages():
        text = (ROOT / page).read_text(encoding="utf-8")
        for block in _BLOCK.finditer(text):
            if block[1] in ("", "sh"):
                line = text.count("\n", 0, block.start()) + 1
                found.append(Block(page, line, tuple(_commands(block[2]))))
    return found


BLOCKS: Final = _blocks()


def _asked(command: str) -> Iterator[list[str]]:
    """Yield the words behind each `feltd` of a command."""
    if "feltd " not in command:
        return
    words = list(shlex.shlex(command.split("\n")[0], posix=True, punctuation_chars="><|&;"))
    for at, word in enumerate(words):
        if word == "feltd" and not (at and words[at - 1].startswith("-")):  # `sudo -u feltd` names the user
            rest = words[at + 1 :]
            ends = next((end for end, one in enumerate(rest) if set(one) <= set("><|&;")), len(rest))
            yield rest[:ends]


def _refusal(words: list[str]) -> str | None:
    """Return why feltd does not know these words as a command of its own with its options; None where it does."""
    command: click.Command = cli
    # With the group's own settings: a command keeps the first help option that it is asked for, also for later tests.
    context = click.Context(command, info_name="feltd", **cli.context_settings)
    try:
        while isinstance(command, click.Group):
            name, found, words = command.resolve_command(context, words)
            if found is None:
                return f"no command {name}"
            command, context = found, click.Context(found, info_name=name, parent=context)
        command.make_parser(context).parse_args(list(words))
    except click.UsageError as fault:
        return fault.format_message()
    return None


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what the pages' commands speak of: the checkout's files, a record, events, a key, sheets."""
    folder = tmp_path_factory.mktemp("desk")
    for name in ("docs", "tests", "config"):
        (folder / name).symlink_to(ROOT / name)
    events = asyncio.run(_record(folder))
    lines = (json.dumps(event_to_dict(event)) for event in events)
    (folder / "events.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "surveillance.key").write_text(KEY_LINE, encoding="ascii")
    shutil.copyfile(ROOT / "config/tables.example.csv", folder / "tables.csv")
    for number, month in enumerate(("may", "june", "july"), 1):
        won = Result(1, 1, number, f"10{number:02}", "Anna", Standing.IN_PLAY, provisional=False, prize=0)
        (folder / f"{month}.csv").write_text(to_csv([won]), encoding="utf-8")
    return folder


async def _record(folder: Path) -> list[Event]:
    """Write a record of as many rounds as the pages speak of; return their events."""
    bench = Bench(folder, sealed_to=PUBLIC)
    said: list[Output] = []
    bench.keeper.on_outputs(lambda _, outputs: said.extend(outputs))

    def apply(event: Event) -> list[dict[str, Any]]:
        said.clear()
        bench.keeper.deliver(Delivery("the table", lambda _: [event]))
        return [output.to_dict() for output in said]

    game = Game(rulebook=HOLDEM, floor=FLOOR, seats=(1, 2, 3), decks=("blue",), rounds=ROUNDS + 1)
    events = play_rounds(game, apply, options=OPTIONS)
    bench.journal.flush_blocking()
    bench.journal.close()
    return events


def test_a_block_holds_commands_or_names_its_language() -> None:
    known = re.compile(r"[A-Z_0-9]+=|[a-z_]+(\(\)|=| |$)|\. ")
    strange = [(one.page, one.line) for one in BLOCKS for command in one.commands if not known.match(command)]
    assert strange == [], "a block that holds no commands begins with ```text"


@pytest.mark.parametrize("block", BLOCKS, ids=lambda one: f"{one.page}:{one.line}")
def test_feltd_knows_each_command_and_its_options(block: Block) -> None:
    assert [(words, why) for one in block.commands for words in _asked(one) if (why := _refusal(words))] == []


@pytest.mark.slow
@pytest.mark.parametrize("block", [one for one in BLOCKS if one.run()], ids=lambda one: f"{one.page}:{one.line}")
def test_the_commands_do_what_the_page_says(block: Block, desk: Path, tmp_path: Path) -> None:
    script = "set -eu\n" + "\n".join(block.run())
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT)}
    shutil.copytree(desk, tmp_path, symlinks=True, dirs_exist_ok=True)
    if "feltd record key " in script:
        (tmp_path / "surveillance.key").unlink()  # it is made, and never written over
    done = subprocess.run(
        ["bash", "-c", script], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-500:] + done.stderr


def test_some_are_run() -> None:
    assert {"README.md", "docs/rules.md", "docs/record.md"} <= {one.page for one in BLOCKS if one.run()}


def test_no_reason_outlives_what_it_is_about() -> None:
    told = [command for one in BLOCKS for command in one.commands]
    assert [begins for begins in NOT_RUN if not any(re.match(begins, one) for one in told)] == []
    assert [page for page in ELSEWHERE if page not in {one.page for one in BLOCKS}] == []


def test_an_unknown_command_and_an_unknown_option_are_found() -> None:
    said = [_refusal(words) for words in _asked("sudo feltd user add anna --roll x && feltd jurnal show > out")]
    assert said == ["No such option '--roll'. Did you mean '--role'?", "No such command 'jurnal'."]
