"""A table that cannot start: its page says why, nothing is played, and the start is tried again when it is worth it."""

import asyncio
import os
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from feltd.cli.exits import AGAIN
from feltd.door import Away
from feltd.door.asking.connecting import PLAYS_ON
from feltd.launcher import process as launcher_process
from feltd.launcher import table_process
from feltd.launcher.page_process import where
from feltd.launcher.process import worth_a_try
from feltd.launcher.table_process import TheWayIn, run_table
from feltd.launcher.trouble import Known, known_of, trouble_of
from feltd.page.out_of_order import make_app
from feltd.record import JournalReader
from feltd.table.config.config import ConfigFileError, Door, Page, load_config
from feltd.table.config.key_files import KeyFileError
from feltd.table.daemon.out_of_order import stopped_devices
from feltd.table.keeper.edition import RecoveryError
from feltd.table.links.bridge import Bridge
from feltd.text.errors import FeltdError, JournalCorrupt
from firmware_bridge.errors import FaultCode, LinkFault
from firmware_bridge.link import DeviceIdentity
from tests.feltd.test_daemon_run import write
from tests.ports import free_port
from tests.running import eventually, until

WORDS = "the table's file /etc/feltd/table.toml has a fault (line 4)"
TROUBLE = Away(WORDS, out_of_order=True, details=('table.toml:4: "Zz9" is not allowed',))
GONE = Away("the table does not answer at /run/x (nothing listens there)")
IDENTITY = DeviceIdentity("shoe", "S1", "1.0", 1, b"bootboot", persistent=True)


def change(file: Path, old: str, new: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")


def fault_of(file: Path) -> FeltdError:
    with pytest.raises(FeltdError) as caught:
        load_config(file)
    return caught.value


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return write(tmp_path, free_port())


# -- what is said


def test_faults_of_the_file_are_named_by_their_lines_and_in_full_to_the_board_alone(file: Path) -> None:
    change(file, "seats = [1, 2, 3]", "seats = [1, 2, 34]")
    change(file, 'role = "shoe"', 'role = "Zz9"')
    trouble = trouble_of(fault_of(file), file)
    assert trouble.words == f"the table's file {file} has 2 faults (lines 5, 11)"
    assert '"Zz9" is not allowed' in trouble.details[1]
    assert trouble.may_pass is False


@pytest.mark.parametrize(
    ("fault", "words"), [
        (ConfigFileError("/etc/feltd/table.toml: no such file"), "the table's file cannot be read"),
        (JournalCorrupt("damaged", "/x", "Bring the copy"), "the record of the table cannot be opened: damaged"),
        (RecoveryError("it is 9.1's", "/x", "Start 9.1"), "the round in progress cannot go on: it is 9.1's"),
        (KeyFileError("/x/deadbeef: no such key file"), "a key cannot be read"),
        (FeltdError("rulebooks with faults:\na.toml:3: x"), "something that the table needs cannot be used"),
    ],
)  # fmt: skip
def test_what_may_pass_by_itself_is_tried_again(fault: FeltdError, words: str) -> None:
    trouble = trouble_of(fault, Path("/etc/feltd/table.toml"))
    assert (trouble.words, trouble.may_pass) == (words, True)
    assert trouble.details == tuple(str(fault).splitlines())


# -- what of the file is used all the same


def test_devices_are_held_where_nothing_plugged_in_is_at_fault(file: Path) -> None:
    change(file, "blinds = [100, 200]", "blinds = { a = 1 }")
    known = known_of(file, fault_of(file))
    assert known.name == "Table 9"
    assert known.devices is not None
    assert [device.name for device in known.devices.devices.values()] == ["shoe"]
    assert known.folder == file.parent
    assert known.socket == file.parent / "table.journal.door"


@pytest.mark.parametrize(
    ("old", "new"), [('role = "shoe"', 'role = "sho"'), ("[[device]]", "[pins]\nkees = 1\n[[device]]")]
)
def test_where_devices_are_at_fault_none_is_touched(file: Path, old: str, new: str) -> None:
    change(file, old, new)
    assert known_of(file, fault_of(file)).devices is None


@pytest.mark.parametrize("text", ["[table\n", "\x00", "[a]\n" * 2])
def test_of_a_file_that_is_no_toml_nothing_is_known_and_the_page_is_where_it_is_without_one(
    file: Path, text: str
) -> None:
    file.write_text(text, encoding="utf-8")
    known = known_of(file, fault_of(file))
    assert (known.devices, known.page.host, known.page.port) == (None, "127.0.0.1", 8080)


def test_a_page_for_other_machines_wants_a_certificate_or_stays_here(file: Path, tmp_path: Path) -> None:
    change(file, "[page]", '[page]\nhost = "0.0.0.0"')
    config = load_config(file)
    host, certificate = where(known_at(config.page, tmp_path))
    assert host == "0.0.0.0"
    assert certificate is not None
    assert where(known_at(config.page, None)) == ("127.0.0.1", None)
    assert where(known_at(config.page, tmp_path / "not there")) == ("127.0.0.1", None)


def known_at(page: Page, folder: Path | None) -> Known:
    return Known("t", page, folder, Door(), None, None)


# -- devices at the level of a stop


def held(file: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Bridge, list[tuple[str, Mapping[str, Any]]]]:
    change(
        file, "[page]", '[[device]]\nname = "indicators"\nrole = "indicators"\nport = "/x"\nkey_file = "none"\n[page]'
    )
    posts: list[tuple[str, Mapping[str, Any]]] = []
    monkeypatch.setattr("firmware_bridge.link.Link.post", lambda _, name, args: posts.append((name, dict(args))))
    known = known_of(file, KeyFileError("none: no such key file"))
    assert known.devices is not None
    return stopped_devices(known.devices, "why"), posts


def test_devices_are_told_to_stop_but_those_without_a_key(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bridge, posts = held(file, monkeypatch)
    assert list(bridge.slots) == ["shoe"]
    assert posts == [("gate", {"locked": True})]
    (file.parent / "none").write_bytes(bytes(32))
    bridge = stopped_devices(known_of(file, KeyFileError("")).devices, "why")  # type: ignore[arg-type]
    assert list(bridge.slots) == ["shoe", "indicators"]
    [lines] = [args["lines"] for name, args in posts if name == "display"]
    assert lines[0].startswith("OUT OF ORDER")


def test_what_a_device_says_is_left_with_it_and_it_is_set_when_it_comes(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bridge, posts = held(file, monkeypatch)
    acknowledged: list[int] = []
    monkeypatch.setattr("firmware_bridge.link.Link.acknowledge", lambda _, __, seq: acknowledged.append(seq))
    posts.clear()
    bridge.on_up("shoe", IDENTITY, {"locked": False, "faults": []})
    assert ("gate", {"locked": True}) in posts
    bridge.on_event("shoe", b"bootboot", 1, {"ev": "card_out", "card": "Kd", "face": "down"})
    bridge.on_down("shoe", LinkFault(FaultCode.SILENT, "silent"))
    bridge.on_inputs("shoe", [], {})
    assert acknowledged == []


# -- the page


def ask(
    path: str,
    *,
    method: str = "GET",
    at: str = "127.0.0.1",
    away: Away = TROUBLE,
    forwarded_for: str | None = None,
    language: str = "en",
) -> httpx.Response:
    headers = {"accept-language": language}
    if forwarded_for is not None:
        headers["x-forwarded-for"] = forwarded_for

    async def asked() -> httpx.Response:
        transport = httpx.ASGITransport(make_app("Table <9>", lambda: away, "0.0.0.0"), client=(at, 4000))
        async with httpx.AsyncClient(transport=transport, base_url=f"http://{at}") as browser:
            return await browser.request(method, path, headers=headers)

    return asyncio.run(asked())


@pytest.mark.parametrize("path", ["/", "/sign-in", "/history/7", "/devices"])
def test_every_page_says_what_is_wrong_and_that_nothing_may_be_dealt(path: str) -> None:
    answer = ask(path)
    assert answer.status_code == 503
    assert "Deal nothing" in answer.text
    assert "Table &lt;9&gt;: out of order" in answer.text
    assert "&#34;Zz9&#34; is not allowed" in answer.text
    assert "script-src 'self'" in answer.headers["content-security-policy"]
    assert answer.headers["retry-after"] == "5"


def test_another_machine_hears_where_and_no_value_of_the_file() -> None:
    for answer in (ask("/", at="192.168.20.9"), ask("/", forwarded_for="192.168.20.9")):
        assert "has a fault (line 4)" in answer.text
        assert "Zz9" not in answer.text
        assert "journalctl -u felt-table" in answer.text


def test_a_table_that_is_not_reached_is_not_called_out_of_order() -> None:
    answer = ask("/", away=GONE)
    assert answer.status_code == 503
    assert "Table &lt;9&gt;: not reached" in answer.text
    assert "Believe the table&#39;s own display" in answer.text or "Believe the table's own display" in answer.text
    assert "The table does not answer at /run/x" in answer.text
    assert ask("/healthz", away=GONE).text == f"{GONE.words}\n"


ENDED = Away(
    "systemd cannot hand over a key to the table (243/CREDENTIALS)",
    out_of_order=True,
    nobody=True,
    remedy="bring back the file that LoadCredential names (systemctl cat felt-table): the record's is in "
    "/etc/feltd/keys, and no other one opens the record",
)


@pytest.mark.parametrize("at", ["127.0.0.1", "192.168.20.9"])
def test_one_that_systemd_cannot_begin_is_out_of_order_and_what_to_do_is_said_to_all(at: str) -> None:
    answer = ask("/", at=at, away=ENDED)
    assert "Table &lt;9&gt;: out of order" in answer.text
    assert "cannot start: systemd cannot hand over a key to the table (243/CREDENTIALS)." in answer.text
    assert "Bring back the file that LoadCredential names" in answer.text
    assert "is started again by itself, again and again" in answer.text
    assert "every half minute" not in answer.text
    assert ask("/healthz", away=ENDED).text == f"out of order: {ENDED.words}\n"


def test_it_is_said_in_german_too() -> None:
    answer = ask("/", away=ENDED, language="de")
    assert "systemd kann dem Tisch einen Schlüssel nicht übergeben (243/CREDENTIALS)." in answer.text
    assert "Die Datei zurückbringen, die LoadCredential nennt" in answer.text
    assert ask("/healthz", away=ENDED, language="de").text == f"out of order: {ENDED.words}\n"


def test_a_table_that_plays_on_by_another_version_needs_no_technician() -> None:
    answer = ask("/", away=Away(PLAYS_ON, plays_on=True))
    assert "The table runs another version of feltd than its page and plays on" in answer.text
    assert "Play the round to its end." in answer.text
    for wrong in ("A technician", "journalctl", "again and again"):
        assert wrong not in answer.text


def test_programs_hear_it_too() -> None:
    said = f"out of order: {WORDS}"
    assert (ask("/healthz").status_code, ask("/healthz").text) == (503, f"{said}\n")
    assert ask("/metrics").status_code == 503
    for method in ("GET", "POST"):
        answer = ask("/api/v1/state", method=method)
        assert (answer.status_code, answer.json()["detail"]) == (503, said)


def test_it_has_what_it_is_drawn_with_and_no_other_file() -> None:
    assert [ask(f"/static/{name}").status_code for name in ("page.css", "icon.svg", "out-of-order.js")] == [200] * 3
    assert ask("/static/table.js").status_code == 404


# -- the process


def listens(port: int) -> bool:
    with socket.socket() as tried:
        return tried.connect_ex(("127.0.0.1", port)) == 0


def get(address: str) -> tuple[int, str]:
    """What the page answers, once it serves: on a busy machine systemd is told that the table is ready before."""
    asyncio.run(eventually(partial(listens, urlsplit(address).port or 80)))
    try:
        with urllib.request.urlopen(address) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as refusal:
        return refusal.code, refusal.read().decode()


@contextmanager
def standing(file: Path) -> Iterator[tuple["subprocess.Popen[str]", str]]:
    """A process that stands by, once it has told systemd that it is ready; what it told."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notices:
        notices.bind(str(file.parent / "notify"))
        notices.settimeout(600)
        process = subprocess.Popen(
            [sys.executable, "-m", "feltd.cli", "run", "--stand-by", str(file)],
            env={**os.environ, "NOTIFY_SOCKET": str(file.parent / "notify")}, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        try:
            while "READY=1" not in (told := notices.recv(4096).decode()):
                pass
            yield process, told
        finally:
            process.kill()
            process.communicate()


@pytest.mark.slow
def test_a_fault_in_the_file_is_on_the_page_until_the_file_is_changed(file: Path) -> None:
    port = load_config(file).page.port
    change(file, "seats = [1, 2, 3]", "seats = [44]")
    with standing(file) as (process, told):
        assert "STATUS=OUT OF ORDER: the table's file" in told
        status, text = get(f"http://127.0.0.1:{port}/")
        assert status == 503
        assert f"{file}:5: table.seats" in text
        assert process.poll() is None
        change(file, "seats = [44]", "seats = [1, 2, 3]")
        assert process.wait(600) == AGAIN


def test_a_record_that_cannot_be_opened_is_on_the_page_and_a_signal_ends_it(file: Path) -> None:
    config = load_config(file)
    config.journal.path.write_bytes(b"not a database" * 1000)
    with standing(file) as (process, _):
        status, text = get(f"http://127.0.0.1:{config.page.port}/")
        assert status == 503
        assert "the record of the table cannot be opened" in text
        assert str(config.journal.path) in text
        process.send_signal(signal.SIGTERM)
        assert process.wait(600) == 0
    assert config.journal.path.read_bytes() == b"not a database" * 1000


def test_where_nothing_is_wrong_the_table_runs(file: Path) -> None:
    port = load_config(file).page.port
    with standing(file) as (process, told):
        assert "OUT OF ORDER" not in told
        until(lambda: get(f"http://127.0.0.1:{port}/healthz") == (200, "well\n"))  # a busy page may not reach it yet
        process.send_signal(signal.SIGTERM)
        assert process.wait(600) == 0


def test_where_the_page_cannot_be_served_the_table_works_until_it_can(file: Path) -> None:
    config = load_config(file)
    with socket.socket() as other:
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        other.bind(("127.0.0.1", config.page.port))
        other.listen()
        with standing(file) as (process, told):
            assert "NO PAGE YET" in told
            assert process.stderr is not None
            said = ""
            while "another program listens there" not in said:
                said = process.stderr.readline()
            with JournalReader.open(config.journal.path) as reader:
                assert any(entry.name == "table.open" for entry in reader.entries()), "the table is at work"
            other.close()
            while "page at" not in said:
                said = process.stderr.readline()
            until(lambda: get(f"http://127.0.0.1:{config.page.port}/healthz") == (200, "well\n"))


def test_where_its_door_is_taken_the_page_says_so_and_no_device_is_touched(
    file: Path,
) -> None:
    config = load_config(file)
    with socket.socket(socket.AF_UNIX) as other:
        other.bind(str(config.door_socket))
        other.listen()
        with standing(file) as (process, told):
            assert "OUT OF ORDER: the table's door to its page cannot be opened" in told
            status, text = get(f"http://127.0.0.1:{config.page.port}/")
            assert (status, "another table listens at" in text) == (503, True)
            process.send_signal(signal.SIGTERM)
            assert process.wait() == 0
            assert process.stderr is not None
            assert "feltd.devices" not in process.stderr.read()
    assert config.door_socket.is_socket(), "it is the other's"


def test_a_table_that_ran_and_failed_is_no_table_that_cannot_start(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    @asynccontextmanager
    async def fails(*_: object) -> AsyncIterator[None]:
        yield
        raise FeltdError("it ran, and failed")

    monkeypatch.setattr(table_process, "playing", fails)
    monkeypatch.setattr(table_process, "set_up_process", lambda: None)
    monkeypatch.setattr(table_process, "asked_to_stop", _stopped_event)
    with pytest.raises(FeltdError, match="it ran, and failed"):
        run_table(file, stand_by=True, way_in=TheWayIn())


def _stopped_event() -> asyncio.Event:
    event = asyncio.Event()
    event.set()
    return event


def test_what_may_pass_is_tried_again_after_a_while_and_a_fault_of_the_file_is_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(launcher_process, "LOOK_EVERY", 0.01)

    async def scene() -> None:
        stop = asyncio.Event()
        assert await worth_a_try(stop, lambda: False, 0.03) is True
        looks: list[None] = []

        def changed() -> bool:
            looks.append(None)
            return False

        waits = asyncio.ensure_future(worth_a_try(stop, changed, None))
        await eventually(lambda: len(looks) > 10)
        assert not waits.done()
        stop.set()
        assert await waits is False

    asyncio.run(scene())
