"""`feltd floor …` and `feltd uplink`: what they print, and the two daemons as processes of their own."""

import asyncio
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from feltd.cli import cli
from feltd.cli.exits import FINE, PROBLEMS, USAGE
from feltd.custody.certificates import Own, context_of_floor, context_of_table
from feltd.custody.errors import CertificateWrongError
from feltd.custody.settings import SettingsError, floor_settings, uplink_settings
from feltd.floor.authority import make_certificate
from feltd.floor.postgres import EDITION, PostgresEngine
from tests.feltd.door_support import apart
from tests.floor.conftest import as_owner, emptied
from tests.floor.custody_support import FakeJournal
from tests.floor.postgres_support import Server
from tests.floor.test_heads import told
from tests.floor.test_scenes import Line
from tests.floor.tls_support import casino, own
from tests.ports import free_port
from tests.running import eventually

pytestmark = pytest.mark.slow

UPLINK = """\
[uplink]
table = "{table}"
floors = ["wss://127.0.0.1:{port}"]
certificate = "7.pem"
key = "7.key"
authority = "authority.pem"
"""
FLOOR = """\
[floor]
host = "127.0.0.1"
port = {port}
database = "{database}"
certificate = "floor.pem"
key = "floor.key"
authority = "authority.pem"
"""


def run(*arguments: str | Path) -> Result:
    result = CliRunner().invoke(cli, [str(argument) for argument in arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


@contextmanager
def process(*arguments: str | Path) -> Iterator["subprocess.Popen[bytes]"]:
    """A daemon, ended in good order."""
    command = [sys.executable, "-m", "feltd.cli", *map(str, arguments)]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as daemon:
        try:
            yield daemon
        finally:
            daemon.send_signal(signal.SIGTERM)
            assert daemon.wait() == FINE


def test_a_table_goes_up_through_both_daemons_and_the_commands_tell_of_it(tmp_path: Path, postgres: Server) -> None:
    folder = casino(tmp_path / "casino", "7")
    port = free_port()
    floor, uplink = folder / "floor.toml", folder / "uplink.toml"
    floor.write_text(FLOOR.format(port=port, database=postgres.address("floord")))

    async def work() -> None:
        await emptied(postgres)
        engine = await PostgresEngine.open(postgres.address("floord"))
        async with apart(tmp_path) as at:
            uplink.write_text(UPLINK.format(table=at.place, port=port))
            head = at.bench.journal.reader.head()
            with process("floor", "run", "--config", floor), process("uplink", uplink):
                while [status.stand.seq for status in await engine.status()] != [head.seq]:  # noqa: ASYNC110 - others' work
                    await asyncio.sleep(0.05)
                while await engine.facts.behind():  # noqa: ASYNC110 - floord's work
                    await asyncio.sleep(0.05)
                await eventually(lambda: True)
            [status] = await engine.status()
            assert (status.table, status.stand.chain) == ("7", head.chain)
        await engine.close()

    asyncio.run(work())
    told = run("floor", "status", "--config", floor)
    assert told.exit_code == FINE
    assert told.output.startswith("table 7, journal ")
    proved = run("floor", "verify", "--config", floor)
    assert (proved.exit_code, proved.output) == (FINE, "1 journals looked at, 0 with faults\n")


def test_a_fork_and_a_changed_row_are_told_and_are_the_exit_code(tmp_path: Path, postgres: Server) -> None:
    file = tmp_path / "floor.toml"
    file.write_text(FLOOR.format(port=1, database=postgres.address("floord")))

    async def work() -> None:
        await emptied(postgres)
        engine = await PostgresEngine.open(postgres.address("floord"))
        for history in (0, 1):
            journal = FakeJournal(1, history)
            journal.play(5)
            journal.sign()
            line = await Line(journal, engine).hello()
            await line.all_up()
            await told(line)
        await engine.close()
        await as_owner(postgres, "SET session_replication_role = replica; UPDATE floor.batch SET chain = before")

    asyncio.run(work())
    status = run("floor", "status", "--config", file)
    assert status.exit_code == PROBLEMS
    assert "FORKED" in status.output
    assert "ALARM fork" in status.output
    heads = run("floor", "heads", "--config", file, "7")
    assert heads.exit_code == FINE
    assert heads.output.startswith("feltd-heads 1 ")
    none = run("floor", "heads", "--config", file, "8")
    assert none.exit_code == PROBLEMS
    proved = run("floor", "verify", "--config", file)
    assert proved.exit_code == PROBLEMS
    assert "ALARM proof: table 7, journal" in proved.output
    assert "entries 1 to 5 are not as they were taken in" in proved.output
    assert "ALARM proof" in run("floor", "status", "--config", file).output, "the pit page shows the same alarms"
    asyncio.run(emptied(postgres))
    assert run("floor", "status", "--config", file).output == "no table has called in yet\n"
    assert run("floor", "prepare", postgres.address("owner")).output.endswith(f"the schema is of edition {EDITION}\n")


def test_a_database_that_is_not_there_is_told_in_words(tmp_path: Path) -> None:
    file = casino(tmp_path / "casino") / "floor.toml"
    file.write_text(FLOOR.format(port=1, database=f"postgresql://floord@/floor?host={tmp_path}"))
    for command in ("status", "verify"):
        told = run("floor", command, "--config", file)
        assert told.exit_code == USAGE
        assert "tables keep their rows" in told.output
    started = run("floor", "run", "--config", file)
    assert started.exit_code == PROBLEMS
    assert "tables keep their rows" in started.output


def test_certificates_are_made_once_and_written_over_never(tmp_path: Path) -> None:
    assert "feltd floor authority" in run("floor", "certificate", tmp_path, "7").output
    assert run("floor", "authority", tmp_path).exit_code == FINE
    assert "Nothing is written over" in run("floor", "authority", tmp_path).output
    assert run("floor", "certificate", tmp_path, "floor", "--host", "floor.example", "--host", "::1").exit_code == FINE
    assert run("floor", "certificate", tmp_path, "7").exit_code == FINE
    assert (tmp_path / "7.key").stat().st_mode & 0o777 == 0o600
    context_of_table(own(tmp_path, "7"))
    for name in ("", "a/b", "authority", "x" * 65):
        assert "no name for a certificate" in run("floor", "certificate", tmp_path, name).output


def test_what_is_wrong_with_a_certificate_is_told_with_its_file(tmp_path: Path) -> None:
    folder = casino(tmp_path / "casino", "7", "8")
    make_certificate(folder, "old", days=-1)
    good = own(folder, "7")
    for wrong, words in (
        (Own(folder / "none.pem", good.key, good.authority), "none.pem: cannot be read"),
        (Own(good.certificate, own(folder, "8").key, good.authority), "not the key of the certificate"),
        (Own(good.certificate, good.key, good.key), "no certificate of an authority"),
        (Own(good.key, good.certificate, good.authority), "no certificate and its key"),
        (own(folder, "old"), "ran out on"),
    ):
        with pytest.raises(CertificateWrongError, match=words):
            context_of_floor(wrong)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", r"the section \[uplink\] is missing"),
        ("[uplink", "not TOML"),
        (UPLINK + "[page]\n", r"page: is no section of this file, which has \[uplink\]"),
        (UPLINK.replace("wss", "http"), "is no address of a floor: write wss://"),
        (UPLINK.replace('table = "{table}"', 'table = ""'), "must not be empty"),
        (UPLINK.replace("authority =", "autority ="), "autority"),
        (UPLINK.replace('["wss://127.0.0.1:{port}"]', "[]"), "uplink.floors"),
    ],
)
def test_faults_of_a_file_are_told_with_their_line(tmp_path: Path, text: str, words: str) -> None:
    file = tmp_path / "uplink.toml"
    file.write_text(text.replace("{port}", "7443"))
    with pytest.raises(SettingsError, match=words):
        uplink_settings(file)
    assert run("uplink", file).exit_code == USAGE


def test_files_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="cannot be read"):
        floor_settings(tmp_path / "floor.toml")
    (tmp_path / "floor.toml").write_bytes(b"\xff")
    with pytest.raises(SettingsError, match="no UTF-8"):
        floor_settings(tmp_path / "floor.toml")
