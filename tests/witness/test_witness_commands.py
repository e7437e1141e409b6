"""`feltd witness`, and `feltd journal verify --witness` with an address."""

import asyncio
import os
import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from feltd.cli import cli
from feltd.cli.exits import FINE, PROBLEMS, USAGE
from feltd.custody.settings import SettingsError
from feltd.launcher import process, witness_process
from feltd.record.signed_heads import heads_file
from feltd.witness.errors import WitnessError
from feltd.witness.serving import Witness
from feltd.witness.settings import witness_settings
from feltd.witness.stamping import Stamper
from feltd.witness.wire import Address, is_address, parse_address
from tests.ports import free_port
from tests.record_verifier.forgeries import copied, rollback, sound
from tests.witness.witness_support import NOW, Clock, Table, listening

KEY = "4b" * 32
FILE = """
[witness]
folder = "kept"
{more}

[witness.tables]
table-7 = "{key}"
"""


def run(*words: object) -> Result:
    return CliRunner().invoke(cli, [str(word) for word in words])


def settings_file(folder: Path, more: str = "", key: str = KEY) -> Path:
    (folder / "kept").mkdir(exist_ok=True)
    file = folder / "witness.toml"
    file.write_text(FILE.format(more=more, key=key))
    return file


def test_settings_are_read_with_their_defaults(tmp_path: Path) -> None:
    settings = witness_settings(settings_file(tmp_path))
    assert settings.folder == tmp_path / "kept"
    assert (settings.host, settings.port, settings.silent_after) == ("127.0.0.1", 7453, 60.0)
    assert settings.tables == {"table-7": bytes.fromhex(KEY)}


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ('host = "0.0.0.0"', "is reached from other machines: give `certificate` and `key`"),
        ('certificate = "c.pem"', "give `certificate` and `key`, or neither"),
        ("silent_after = 1.0", "silent_after"),
        ("port = 70000", "port"),
        ("tabels = 1", "tabels"),
        ('time_stamps = "ftp://stamps"', "is no address of a server of time stamps"),
        ('time_stamps = "http://["', "is no address of a server of time stamps"),
    ],
)
def test_a_fault_of_the_file_is_told_and_nothing_is_served(tmp_path: Path, more: str, words: str) -> None:
    file = settings_file(tmp_path, more)
    with pytest.raises(SettingsError, match=words):
        witness_settings(file)
    for command in ("serve", "status"):
        answer = run("witness", command, file)
        assert answer.exit_code == USAGE
        assert words in answer.output


def test_a_key_and_a_name_that_are_none_are_told(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="is no first key"):
        witness_settings(settings_file(tmp_path, key="4b"))
    file = settings_file(tmp_path)
    file.write_text(file.read_text().replace("table-7", '"../7"'))
    with pytest.raises(SettingsError, match="is no name of a table"):
        witness_settings(file)
    file.write_text(file.read_text().replace('"../7"', "a") + f'b = "{KEY}"\n')
    with pytest.raises(SettingsError, match="two tables have one first key"):
        witness_settings(file)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("tcp://witness.example:1", "plain TCP leaves this machine"),
        ("tcp://10.0.0.1:1", "plain TCP leaves this machine"),
        ("tls://", "is no address"),
        ("tls://host:port", "is no address"),
        ("tls://host/table", "is no address"),
        ("http://host", "is no address"),
        ("tls://a@host", "is no address"),
    ],
)
def test_what_is_no_address_is_told_with_an_example(text: str, words: str) -> None:
    with pytest.raises(WitnessError, match=words) as refused:
        parse_address(text)
    assert "Write tls://witness.example:7453" in str(refused.value)
    assert run("witness", "send", "/nowhere", text).exit_code == USAGE


def test_addresses() -> None:
    assert parse_address("tls://host") == Address("host", 7453, True)
    assert parse_address("tcp://[::1]:8") == Address("::1", 8, False)
    assert parse_address("tcp://localhost:8/7", of_table=True) == Address("localhost", 8, False, "7")
    assert str(Address("host", 1, True)) == "tls://host:1"
    assert is_address("tls://x")
    assert not is_address("/mnt/heads")


def test_status_tells_what_is_there_and_what_was_alarmed(tmp_path: Path) -> None:
    table = Table(tmp_path, "table-7")
    file = settings_file(tmp_path, key=table.first.key.hex())
    answer = run("witness", "status", file)
    assert (answer.exit_code, answer.output) == (
        PROBLEMS,
        "table-7: up to entry 0, heard never\ntable-7: ALARM no head of it has come yet\n",
    )
    table.sign(3, 9)
    kept = tmp_path / "kept" / "table-7.heads"
    kept.write_text(table.file.read_text())
    answer = run("witness", "status", file)
    assert answer.exit_code == FINE
    assert answer.output.startswith("table-7: up to entry 9, heard ")
    os.utime(kept, (NOW, NOW))
    (tmp_path / "kept" / "table-7.alarms").write_text(
        '{"kind": "fork", "words": "two heads"}\n{"kind": "silent", "words": ""}\n{"kind"\n'
    )
    answer = run("witness", "status", file)
    assert answer.exit_code == PROBLEMS
    assert "ALARM silent for" in answer.output
    assert answer.output.splitlines()[2:] == [
        "table-7: ALARM fork: two heads",
        "table-7: ALARM a line of table-7.alarms cannot be read",
    ]
    kept.write_text("nothing\n")
    assert "does not begin as one" in run("witness", "status", file).output


def stop_when(ready: threading.Event) -> None:
    """Ask this process to stop, as the service manager does, once it works."""

    def wait() -> None:
        ready.wait()
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=wait, daemon=True).start()


@pytest.fixture
def ready(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Set when a process says that it is ready."""
    event = threading.Event()

    class Manager:
        def ready(self, _: str) -> None:
            event.set()

        def stopping(self) -> None:
            pass

    for module in (witness_process, process):  # the witness tells it itself, the sender through what all senders share
        monkeypatch.setattr(module, "ServiceManager", Manager)
    monkeypatch.setattr(witness_process, "set_up_process", lambda: None)
    return event


def test_the_witness_and_a_sender_run_until_they_are_asked_to_stop(tmp_path: Path, ready: threading.Event) -> None:
    stop_when(ready)
    assert run("witness", "serve", settings_file(tmp_path, f"port = {free_port()}")).exit_code == FINE
    ready.clear()
    stop_when(ready)
    assert run("witness", "send", tmp_path / "none.sock", f"tcp://127.0.0.1:{free_port()}").exit_code == FINE


def test_heads_are_stamped_where_a_server_is_configured(
    tmp_path: Path, ready: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = threading.Event()
    monkeypatch.setattr(Stamper, "stamp_or_say", lambda *_: asked.set())
    stop_when(asked)
    more = f'port = {free_port()}\ntime_stamps = "https://stamps.example/tsr"'
    assert run("witness", "serve", settings_file(tmp_path, more)).exit_code == FINE
    assert asked.is_set()


def test_a_port_that_is_taken_is_told(tmp_path: Path, ready: threading.Event) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        answer = run("witness", "serve", settings_file(tmp_path, f"port = {taken.getsockname()[1]}"))
    assert (answer.exit_code, "cannot be listened at" in answer.output) == (USAGE, True)
    assert not ready.is_set()


@contextmanager
def in_a_thread(witness: Witness) -> Iterator[Address]:
    """The witness at work beside the test, which blocks."""
    loop = asyncio.new_event_loop()
    found: list[Address] = []
    up, stop = threading.Event(), asyncio.Event()

    async def work() -> None:
        async with listening(witness) as address:
            found.append(address)
            up.set()
            await stop.wait()

    thread = threading.Thread(target=lambda: loop.run_until_complete(work()))
    thread.start()
    up.wait()
    try:
        yield found[0]
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join()
        loop.close()


def test_a_record_is_held_against_a_witness_that_is_asked(tmp_path: Path) -> None:
    record = sound(tmp_path / "record")
    folder = tmp_path / "kept"
    folder.mkdir()
    (folder / "table-7.heads").write_bytes(heads_file(record.path).read_bytes())
    tables = {"table-7": bytes.fromhex(record.first_key)}
    witness = Witness(folder, tables, 60.0, wall=lambda: NOW, steady=Clock())
    back = copied(record, tmp_path / "back")
    rollback(back)
    with in_a_thread(witness) as address:
        answer = run("journal", "verify", record.path, "--witness", f"{address}/table-7")
        assert answer.exit_code == FINE, answer.output
        answer = run("journal", "verify", back.path, "--witness", f"{address}/table-7")
        assert answer.exit_code == PROBLEMS
        assert "entry 17: cut off: the witness knows entries up to 32" in answer.output
        answer = run("journal", "verify", record.path, "--witness", f"{address}/table-8")
        assert (answer.exit_code, "no heads of a table 'table-8'" in answer.output) == (USAGE, True)
    witness.close()
    answer = run("journal", "verify", record.path, "--witness", tmp_path / "none")
    assert (answer.exit_code, "does not exist" in answer.output) == (USAGE, True)
