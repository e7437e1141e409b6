"""Which process runs a table already, and whether it is the one that listens."""

import os
import socket
from pathlib import Path

import pytest

from feltd.table.check.running_table import at_work, listens, pages_of


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "table.toml").touch()
    return tmp_path / "table.toml"


def process(folder: Path, number: int, *words: str) -> None:
    (folder / str(number)).mkdir(parents=True)
    (folder / str(number) / "cmdline").write_bytes(b"".join(word.encode() + b"\0" for word in words))


@pytest.mark.parametrize(
    "words",
    [
        ("/opt/feltd/bin/python3", "-I", "/opt/feltd/bin/feltd", "run", "--stand-by", "FILE"),
        ("python", "-m", "feltd.cli", "run", "FILE"),
        ("/opt/feltd/bin/python3", "-I", "/opt/feltd/bin/feltd", "table", "--door", "/run/feltd-door/table", "FILE"),
    ],
)
def test_who_runs_the_file_is_found(file: Path, words: tuple[str, ...]) -> None:
    processes = file.parent / "proc"
    (processes / "7").mkdir(parents=True)  # one that has just ended
    process(processes, 812, *(word.replace("FILE", str(file)) for word in words))
    assert at_work(file, processes) == 812


@pytest.mark.parametrize(
    "words",
    [
        ("feltd", "check", "FILE"),
        ("feltd", "run", "/etc/feltd/another.toml"),
        ("run", "feltd", "FILE"),
        ("grep", "run", "FILE"),
        (),
    ],
)
def test_who_does_something_else_does_not_run_it(file: Path, words: tuple[str, ...]) -> None:
    processes = file.parent / "proc"
    process(processes, 812, *(word.replace("FILE", str(file)) for word in words))
    assert at_work(file, processes) is None


def test_who_serves_its_page_is_found(file: Path) -> None:
    processes = file.parent / "proc"
    process(processes, 7, "feltd", "table", str(file))
    process(processes, 8, "feltd", "page", "--door", "/run/feltd-door/table", str(file))
    process(processes, 9, "feltd", "run", str(file))
    process(processes, 10, "feltd", "page", "/etc/feltd/another.toml")
    assert sorted(pages_of(file, processes)) == [8, 9]
    assert at_work(file, processes) in (7, 9)


def test_a_process_of_another_user_is_believed_to_listen_where_somebody_does(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuses(_: Path) -> None:
        raise PermissionError

    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        monkeypatch.setattr(Path, "iterdir", refuses)
        assert listens(1, port)
    assert not listens(1, port)


@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
def test_a_process_listens_on_its_own_port_only(host: str) -> None:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.create_server((host, 0), family=family) as server:
        port = server.getsockname()[1]
        assert listens(os.getpid(), port)
        assert not listens(os.getppid(), port)
    assert not listens(os.getpid(), port)
    assert not listens(2**22 + 1, port)  # no such process
