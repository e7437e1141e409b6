"""The service unit: what feltd counts on from systemd, and that systemd itself finds no fault with it."""

import configparser
import shutil
import subprocess
from pathlib import Path

import pytest

UNIT = Path(__file__).parents[2] / "systemd" / "feltd.service"


def unit() -> configparser.ConfigParser:
    parser = configparser.ConfigParser(strict=False, interpolation=None)
    parser.optionxform = str  # type: ignore[assignment, method-assign]  # systemd's names have capitals
    parser.read(UNIT, encoding="utf-8")
    return parser


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("Type", "notify"),
        ("Restart", "on-failure"),
        ("User", "feltd"),
        ("LoadCredential", "journal-key:/etc/feltd/keys/journal.key"),
        ("ExecStart", "/opt/feltd/bin/feltd run /etc/feltd/table.toml"),
        ("NoNewPrivileges", "yes"),
        ("ProtectSystem", "strict"),
        ("DevicePolicy", "closed"),
    ],
)
def test_what_feltd_counts_on(key: str, value: str) -> None:
    assert unit()["Service"][key] == value


def test_the_watchdog_waits_longer_than_the_loop_may_be_late_and_the_disk_slow() -> None:
    assert 10 <= int(unit()["Service"]["WatchdogSec"]) <= 60


def test_serial_ports_stay_open_to_it() -> None:
    allowed = [line for line in UNIT.read_text(encoding="utf-8").splitlines() if line.startswith("DeviceAllow=")]
    assert "DeviceAllow=char-ttyACM rw" in allowed
    assert "DeviceAllow=char-ttyUSB rw" in allowed
    assert "PrivateDevices" not in unit()["Service"]


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="needs systemd-analyze")
def test_systemd_finds_no_fault(tmp_path: Path) -> None:
    copy = tmp_path / UNIT.name
    text = UNIT.read_text(encoding="utf-8")
    copy.write_text(text.replace("ExecStart=/opt/feltd/bin/feltd", "ExecStart=/bin/true"), encoding="utf-8")
    verdict = subprocess.run(["systemd-analyze", "verify", copy], capture_output=True, text=True, check=False)
    assert "feltd.service" not in verdict.stderr, verdict.stderr
