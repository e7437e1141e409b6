"""`feltd device key`: a technician gives a device another key at the console."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from feltd.cli import cli
from feltd.table.config.key_files import read_key

SHOE = bytes(range(32))
BOARD = bytes(range(60, 92))
CONFIG = """
[table]
name = "Table 7"
rulebook = "tas-2018-holdem"
seats = [1, 2, 3]
[[device]]
name = "shoe"
role = "shoe"
port = "/dev/serial/by-id/shoe"
key_file = "shoe.key"
[[device]]
name = "reader:board"
role = "reader"
port = "/dev/serial/by-id/board"
key_file = "board.key"
settings.zones = ["board:1"]
[[device]]
name = "badge"
role = "badge"
port = "/dev/serial/by-id/badge"
key_file = "credential:badge-key"
[journal]
path = "table.journal"
sealing_key_file = "credential:journal-key"
"""


@pytest.fixture
def config(tmp_path: Path) -> Path:
    file = tmp_path / "table.toml"
    file.write_text(CONFIG)
    (tmp_path / "shoe.key").write_bytes(SHOE)
    (tmp_path / "board.key").write_bytes(BOARD)
    return file


def ask(config: Path, *words: str, said: str = "") -> Result:
    return CliRunner().invoke(cli, ["device", "key", *words, "--config", str(config)], input=said)


def test_a_new_key_is_shown_once_and_is_the_one_in_the_file(config: Path) -> None:
    answer = ask(config, "shoe")
    assert answer.exit_code == 0, answer.output
    shown = answer.stdout.splitlines()
    assert shown == [read_key(config.parent / "shoe.key").hex()]
    assert "it is not shown again" in answer.stderr
    assert read_key(config.parent / "shoe.key.old") == SHOE
    assert ask(config, "shoe").stdout.splitlines() != shown


def test_a_given_key_is_taken_and_not_shown(config: Path) -> None:
    given = bytes(range(200, 232)).hex()
    answer = ask(config, "reader:board", "--given", said=given + "\n")
    assert answer.exit_code == 0
    assert given not in answer.output
    assert read_key(config.parent / "board.key").hex() == given


def test_the_key_before_can_be_had_back(config: Path) -> None:
    ask(config, "shoe")
    answer = ask(config, "shoe", "--back")
    assert answer.stdout == "shoe: has the key again that it had before\n"
    assert read_key(config.parent / "shoe.key") == SHOE
    assert ask(config, "shoe", "--back").exit_code == 2


@pytest.mark.parametrize(
    ("words", "said", "told"),
    [
        (("tray",), "", 'no device "tray"; there are: shoe, reader:board, badge'),
        (("badge",), "", "handed over by the service manager (credential:badge-key)"),
        (("shoe", "--given"), "no key\n", "64 hexadecimal digits"),
        (("shoe", "--given"), BOARD.hex(), "the key of reader:board already"),
        (("shoe", "--given", "--back"), "", "one of the two"),
    ],
)
def test_what_cannot_be_is_refused_and_nothing_changes(
    config: Path, words: tuple[str, ...], said: str, told: str
) -> None:
    answer = ask(config, *words, said=said)
    assert answer.exit_code == 2
    assert told in answer.output
    assert read_key(config.parent / "shoe.key") == SHOE
    assert read_key(config.parent / "board.key") == BOARD
