"""The daemon as a process: ready though devices are missing, live to a browser, ended in good order by a signal."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from feltd.record import JournalReader, Span
from tests.ports import free_port

CONFIG = """
[table]
name = "Table 9"
rulebook = "tas-2018-holdem"
seats = [1, 2, 3]
button = 3
[table.options]
blinds = [100, 200]
[[device]]
name = "shoe"
role = "shoe"
port = "{folder}/shoe"
key_file = "{folder}/key"
[page]
open_on_loopback = true
port = {port}
[journal]
path = "{folder}/table.journal"
sealing_key_file = "{folder}/key"
"""


def write(folder: Path, port: int) -> Path:
    (folder / "key").write_bytes(bytes(range(32)))
    file = folder / "table.toml"
    file.write_text(CONFIG.format(folder=folder, port=port), encoding="utf-8")
    return file


@contextmanager
def daemon(folder: Path, **environment: str) -> Iterator[tuple["subprocess.Popen[str]", str, socket.socket]]:
    """A daemon that has said it is ready: its process, its address, and what it says to systemd."""
    port = free_port()
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notices:
        notices.bind(str(folder / "notify"))
        process = subprocess.Popen(
            [sys.executable, "-m", "feltd.cli", "run", str(write(folder, port))],
            env={**os.environ, "NOTIFY_SOCKET": str(folder / "notify"), **environment},
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            while "READY=1" not in notices.recv(4096).decode():
                pass
            yield process, f"http://127.0.0.1:{port}", notices
        finally:
            process.kill()
            process.communicate()


def state(address: str) -> dict[str, Any]:
    with urllib.request.urlopen(f"{address}/api/v1/state") as answer:
        return dict(json.load(answer))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_in_good_order(tmp_path: Path, number: signal.Signals) -> None:
    with daemon(tmp_path) as (process, _, notices):
        process.send_signal(number)
        assert process.wait() == 0
        assert notices.recv(4096).decode() == "STOPPING=1"
    with JournalReader.open(tmp_path / "table.journal") as reader:
        notes = [entry.body["note"] for entry in reader.entries(Span(name="note"))]
    assert notes[0] == "feltd starts"
    assert notes[-1] == "feltd stops"


def test_the_page_is_up_though_devices_are_missing_and_says_which(tmp_path: Path) -> None:
    with daemon(tmp_path) as (_, address, _notices):
        [device] = state(address)["devices"]
        assert device["name"] == "shoe"
        assert device["up"] is False
        while not state(address)["alarms"]:
            time.sleep(0.1)
        found = state(address)
        assert [alarm["text"] for alarm in found["alarms"]] == ["Device offline: shoe"]
        assert found["devices"][0]["fault"]["code"] == "port_missing"


def test_a_browser_hears_of_changes(tmp_path: Path) -> None:
    with (
        daemon(tmp_path) as (_, address, _notices),
        urllib.request.urlopen(f"{address}/api/v1/stream") as events,
    ):
        assert events.headers["content-type"].startswith("text/event-stream")
        told = [json.loads(line[6:]) for line in (events.readline().decode() for _ in range(8)) if line[:6] == "data: "]
    assert len(told) == 2
    assert told[0]["table"]["phase"] == told[1]["table"]["phase"]
    assert told[0] != told[1]


def test_the_watchdog_is_fed(tmp_path: Path) -> None:
    with daemon(tmp_path, WATCHDOG_USEC="600000") as (_, _, notices):
        assert [notices.recv(4096).decode() for _ in range(3)] == ["WATCHDOG=1"] * 3


def test_a_table_that_is_open_is_not_opened_again_by_a_restart(tmp_path: Path) -> None:
    for _ in range(2):
        with daemon(tmp_path) as (process, address, _notices):
            assert state(address)["table"]["open"] is True
            process.terminate()
            assert process.wait() == 0
        (tmp_path / "notify").unlink()
    with JournalReader.open(tmp_path / "table.journal") as reader:
        assert len(list(reader.entries(Span(name="table.open")))) == 1


def run(folder: Path, config: Path, command: str = "run") -> "subprocess.CompletedProcess[str]":
    words = [sys.executable, "-m", "feltd.cli", command, str(config)]
    return subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)


def test_a_pages_port_that_is_taken_is_named(tmp_path: Path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        ended = run(Path.cwd(), write(tmp_path, port), "page")
    assert ended.returncode == 1
    assert f"127.0.0.1:{port}: another program listens there" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_a_journal_that_is_no_journal_is_named(tmp_path: Path) -> None:
    config = write(tmp_path, free_port())
    (tmp_path / "table.journal").write_bytes(b"not a database" * 1000)
    ended = run(Path.cwd(), config)
    assert ended.returncode == 1
    assert str(tmp_path / "table.journal") in ended.stderr
    assert "Traceback" not in ended.stderr
