"""The example of USBGuard's rules: it lets in what the example table is made of, and nothing else."""

import re
import shutil
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

CONFIG = Path(__file__).parents[1] / "config"
RULES = CONFIG / "usbguard.example.conf"
PARSER = shutil.which("usbguard-rule-parser")


def rules() -> list[str]:
    lines = RULES.read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def in_the_example() -> Iterator[str]:
    """The numbers of USB devices in the example, those that are commented out included."""
    text = (CONFIG / "table.example.toml").read_text(encoding="utf-8")
    for written in re.findall(r"usb = \{ vendor = .*?\}", text):
        usb = tomllib.loads(written)["usb"]
        yield f"{usb['vendor']:04x}:{usb['product']:04x}"


def test_each_device_of_the_example_is_let_in_by_its_numbers_and_as_nothing_else() -> None:
    allowed = [line for line in rules() if line.startswith("allow id ")]
    assert sorted({line.split()[2] for line in allowed}) == sorted(set(in_the_example()))
    for line in allowed:
        assert re.search(r' (serial|via-port) "\S+" with-interface equals \{ ', line), line


def test_whatever_is_not_listed_stays_out() -> None:
    *before, last = rules()
    assert last == "block"
    others = [line for line in before if not line.startswith("allow id ")]
    assert others == ["allow with-interface one-of { 09:00:* }"], "hubs alone are let in without a number"


@pytest.mark.skipif(PARSER is None, reason="usbguard is not installed")
def test_usbguard_reads_them() -> None:
    assert PARSER is not None
    told = subprocess.run([PARSER, "-f", str(RULES)], capture_output=True, text=True, check=False)
    assert told.returncode == 0, told.stderr
    assert len(re.findall(r"^OUTPUT: \S", told.stdout, re.MULTILINE)) == len(rules())
