"""Table and page as two processes: what the table's loads, and that the page's death is nothing to the table."""

import json
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from feltd.cli.exits import PROBLEMS
from feltd.launcher.page_child import YIELDS
from feltd.record import JournalReader
from tests.feltd.test_daemon_run import daemon, state, write
from tests.ports import free_port

pytestmark = pytest.mark.slow

FOR_BROWSERS = {"fastapi", "starlette", "uvicorn", "h11", "jinja2", "argon2", "prometheus_client", "http", "pokerkit"}


def in_time(answer: Callable[[], object]) -> None:
    """In real time; the test's own time limit is the end of patience."""
    while True:
        try:
            if answer():
                return
        except (OSError, KeyError, ValueError):
            pass
        time.sleep(0.02)


@contextmanager
def process(*words: str) -> Iterator["subprocess.Popen[str]"]:
    command = [sys.executable, "-m", "feltd.cli", *words]
    with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True) as started:
        try:
            yield started
        finally:
            started.kill()


def page_of(table: "subprocess.Popen[str]") -> int:
    """The process of the page beside a table."""
    children = Path(f"/proc/{table.pid}/task/{table.pid}/children").read_text().split()
    [page] = [int(child) for child in children if b"\0page\0" in Path(f"/proc/{child}/cmdline").read_bytes()]
    return page


LOADED = """
import sys
sys.argv = ["feltd", "table", "--stand-by", sys.argv[1]]
import asyncio
from feltd.launcher import table_process
stopped = table_process.asked_to_stop
def over():
    stop = stopped()
    asyncio.get_running_loop().call_later(1.5, stop.set)
    return stop
table_process.asked_to_stop = over
from feltd.cli import cli
try:
    cli()
finally:
    import json
    import socket
    print(json.dumps(sorted({name.partition(".")[0] for name in sys.modules})))
"""


def test_the_tables_process_loads_nothing_that_is_for_browsers(tmp_path: Path) -> None:
    file = write(tmp_path, free_port())
    said = subprocess.run([sys.executable, "-c", LOADED, file], capture_output=True, text=True, check=False)
    loaded = set(json.loads(said.stdout.splitlines()[-1]))
    assert "feltd" in loaded, said.stderr
    assert "ready, door at" in said.stderr
    assert loaded & FOR_BROWSERS == set()


def test_the_table_listens_at_no_network_address(tmp_path: Path) -> None:
    with process("table", str(write(tmp_path, free_port()))) as table:
        in_time(lambda: (tmp_path / "table.journal.door").is_socket())
        sockets = {os.readlink(one) for one in Path(f"/proc/{table.pid}/fd").iterdir()}
        numbers = {name.removeprefix("socket:[").rstrip("]") for name in sockets if name.startswith("socket:[")}
        for kind in ("tcp", "tcp6", "udp", "udp6"):
            rows = Path(f"/proc/net/{kind}").read_text().splitlines()[1:]
            assert not numbers & {row.split()[9] for row in rows}, kind
        assert numbers, "it has its door, so the check can fail"


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_page_that_dies_is_started_again_and_the_table_goes_on(tmp_path: Path, number: signal.Signals) -> None:
    with daemon(tmp_path) as (table, address, _):
        before = state(address)["journal"]["appended"]
        page = page_of(table)
        os.kill(page, number)
        in_time(lambda: page_of(table) != page and state(address)["journal"]["appended"] >= before)
        assert table.poll() is None
    with JournalReader.open(tmp_path / "table.journal") as reader:
        starts = [entry for entry in reader.entries() if entry.name == "note" and entry.body["note"] == "feltd starts"]
    assert len(starts) == 1


def test_the_page_is_nice_from_its_first_moment(tmp_path: Path) -> None:
    with daemon(tmp_path) as (table, _, __):
        own = os.getpriority(os.PRIO_PROCESS, table.pid)
        assert os.getpriority(os.PRIO_PROCESS, page_of(table)) == min(19, own + YIELDS)


def test_a_page_that_hangs_is_nothing_to_the_table(tmp_path: Path) -> None:
    with daemon(tmp_path) as (table, _, __):
        page = page_of(table)
        os.kill(page, signal.SIGSTOP)
        try:
            with JournalReader.open(tmp_path / "table.journal") as reader:
                in_time(lambda: reader.head().seq > 0)
            table.send_signal(signal.SIGTERM)
            assert table.wait(600) == 0  # it does not wait for the page's good will
        finally:
            in_time(lambda: not Path(f"/proc/{page}").exists() or _ended(page))


def _ended(page: int) -> bool:
    return Path(f"/proc/{page}/stat").read_text().rpartition(")")[2].split()[0] == "Z"


def test_the_page_goes_when_its_table_is_killed(tmp_path: Path) -> None:
    with daemon(tmp_path) as (table, _, __):
        page = page_of(table)
        table.kill()
        table.wait()
        in_time(lambda: not Path(f"/proc/{page}").exists() or _ended(page))


def said_at(address: str) -> str:
    try:
        with urllib.request.urlopen(f"{address}/healthz") as answer:
            return str(answer.read().decode())
    except urllib.error.HTTPError as refusal:
        return str(refusal.read().decode())


def test_apart_each_is_told_of_the_other_and_both_find_together_again(tmp_path: Path) -> None:
    port = free_port()
    file = str(write(tmp_path, port))
    address = f"http://127.0.0.1:{port}"
    with process("page", file):
        in_time(lambda: "does not answer at" in said_at(address))
        for _ in range(2):
            with process("table", file) as table:
                in_time(lambda: said_at(address) == "well\n")
                table.send_signal(signal.SIGTERM)
                assert table.wait(600) == 0
            in_time(lambda: "does not answer at" in said_at(address))
        (tmp_path / "table.journal").write_bytes(b"not a database" * 1000)
        with process("table", "--stand-by", file):
            in_time(lambda: said_at(address).startswith("out of order: the record of the table cannot be opened"))


def test_a_second_table_does_not_take_the_firsts_door(tmp_path: Path) -> None:
    file = str(write(tmp_path, free_port()))
    with process("table", file):
        in_time(lambda: (tmp_path / "table.journal.door").is_socket())
        command = [sys.executable, "-m", "feltd.cli", "table", file]
        second = subprocess.run(command, capture_output=True, text=True, check=False)
    assert second.returncode == PROBLEMS
    assert "Traceback" not in second.stderr
