"""The simulated table as a person starts it: it plays, rules, ends, and leaves nothing behind."""

import json
import re
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import Any, cast

import pytest

from devices.simulated.things.equipment import lay_out
from feltd.record import JournalReader, Seal, Span
from feltd.simulated.errors import SimulationError
from feltd.simulated.feed import state_as_outputs
from feltd.simulated.games import DECKS, options_for
from feltd.simulated.plan import Plan, game_of, opening_options
from feltd.simulated.setting_up import write_config
from feltd.simulated.simulate import _alone_in
from feltd.simulated.terminal import ruling_line
from feltd.table.config.config import load_config
from table_fsm.outputs import Ruling
from table_fsm.view.shapes import TableView
from tests.devices.direct_play import BOOKS, books
from tests.feltd.table_support import HOLDEM, UTH
from tests.running import until
from tests.some_outputs import ruling


def command(*words: str) -> list[str]:
    return [sys.executable, "-m", "feltd.cli", "simulate", "--port", "0", *words]


def state_at(address: str) -> dict[str, Any]:
    with urllib.request.urlopen(f"{address}api/v1/state") as answer:
        return dict(json.load(answer))


def orphans(folder: Path) -> list[str]:
    """Processes that still work on this folder."""
    found = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout.splitlines()
    return [line for line in found if "devices.simulated.things.device" in line and str(folder) in line]


@pytest.mark.slow
def test_both_games_are_played_ruled_on_and_ended(tmp_path: Path) -> None:
    words = ("--rounds", "6", "--pace", "1000", "--mistakes", "1", "--seed", "5", "--folder", str(tmp_path))
    ended = subprocess.run(command(*words), capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    assert "Traceback" not in ended.stderr
    assert re.search(r"is open: http://127\.0\.0\.1:\d+/ +\(seed 5", ended.stdout)
    assert len(re.findall(r"^ +[\d.]+ s  #", ended.stdout, re.MULTILINE)) >= 3
    assert orphans(tmp_path) == []
    with JournalReader.open(tmp_path / "table.journal") as reader:
        books = [entry.body["rulebook"] for entry in reader.entries(Span(name="table.open"))]
        assert list(reader.entries(Span(name="error"))) == []
    assert books == [HOLDEM, UTH]


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_all(tmp_path: Path, number: signal.Signals) -> None:
    words = ("--pace", "50", "--seed", "1", "--folder", str(tmp_path))
    with subprocess.Popen(command(*words), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        address = re.search(r"http://\S+", process.stdout.readline())
        assert address is not None
        asked = address[0]
        until(lambda: state_at(asked)["table"]["phase"] in ("dealing", "betting"))
        assert all(device["up"] for device in state_at(asked)["devices"])
        process.send_signal(number)
        _, errors = process.communicate()
    assert process.returncode == 0
    assert "Traceback" not in errors
    assert orphans(tmp_path) == []


@pytest.mark.parametrize("name", BOOKS)
def test_the_configuration_it_writes_is_one_that_run_takes(tmp_path: Path, name: str) -> None:
    book = books()[name]
    game = game_of(Plan((book,), 1, 0.5, None, 4.0), book, None)
    config = load_config(write_config(lay_out(tmp_path, game), game, options_for(book), "127.0.0.1", 8080))
    assert config.table.rulebook == name
    assert config.table.seats == game.seats
    assert {device.role for device in config.devices} >= {"shoe", "reader", "keys", "indicators"}
    assert set(game.decks) <= set(DECKS)


@pytest.mark.parametrize(("name", "settings"), [("reader:seats", {"look": False, "faces": False}), ("keys", {})])
def test_a_table_whose_readers_know_no_side_is_written_so(tmp_path: Path, name: str, settings: dict[str, bool]) -> None:
    book = books()[HOLDEM]
    plan = Plan((book,), 1, 0.5, None, 4.0, faces=False)
    game = game_of(plan, book, None)
    assert (game.faces, game.look_sensor) == (False, False)
    laid = lay_out(tmp_path, game, faces=False)
    config = load_config(write_config(laid, game, opening_options(plan, book), "127.0.0.1", 8080))
    assert {config.table.options[option] for option in ("faces", "look_sensor")} == {False}
    [written] = [device.settings for device in config.devices if device.name == name]
    assert {key: value for key, value in written.items() if key != "zones"} == settings


@pytest.mark.slow
def test_contested_hands_end_where_no_reader_knows_a_side(tmp_path: Path) -> None:
    words = ("--rounds", "3", "--pace", "1000", "--mistakes", "0", "--seed", "5", "--no-faces", "--chips")
    ended = subprocess.run(
        command(*words, "--book", HOLDEM, "--folder", str(tmp_path)), capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr
    with JournalReader.open(tmp_path / "table.journal") as reader:
        entries = list(reader.entries())
    names = [entry.name for entry in entries]
    assert {"hand.shown", "showdown"} <= set(names)
    assert not {"ruling", "error", "card.turned"} & set(names)
    opened = [entry for entry in entries if entry.name == "card.placed" and entry.seal is Seal.OPENED]
    assert len(opened) == 2 * names.count("hand.shown")


def test_a_rulebook_that_is_none_is_named() -> None:
    ended = subprocess.run(command("--book", "snap"), capture_output=True, text=True, check=False)
    assert ended.returncode in (1, 2)
    assert 'no rulebook "snap"' in ended.stderr


def test_a_ruling_is_one_line() -> None:
    given = ruling(1.0, id=7, outcome="misdeal").value
    assert isinstance(given, Ruling)
    assert ruling_line(given) == "#7    19.4         A hole card was exposed, seat 3: misdeal (a person must decide)"


def test_a_new_dealer_hears_where_the_table_stands() -> None:
    view = {"phase": "betting", "street": "flop", "button": 2, "pending": [{"id": 1}], "prompt": {"act": 3}}
    assert state_as_outputs(cast(TableView, view)) == [
        {"phase": "betting", "street": "flop"},
        {"button": {"seat": 2}},
        {"ruling": {"id": 1, "pending": True, "supersedes": None}},
        {"prompt": {"act": 3}},
    ]


def test_a_folder_in_use_is_refused_before_any_device_starts(tmp_path: Path) -> None:
    with _alone_in(tmp_path):
        with pytest.raises(SimulationError, match="another simulated table plays here"), _alone_in(tmp_path):
            pytest.fail("the second one got in")
        assert sorted(path.name for path in tmp_path.iterdir()) == ["in-use"]
    with _alone_in(tmp_path):  # and free again when the first has left
        pass
