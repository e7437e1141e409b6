"""What the table's process holds goes into large pages, where nearly all of it is there, and nothing else does."""

import asyncio
import os
import platform
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from feltd.table.daemon import daemon
from feltd.table.host import large_pages, mapped

KIB = 1024
ENABLED = Path("/sys/kernel/mm/transparent_hugepage/enabled")


def told(begin: int, size: int, resident: int, name: str = "", access: str = "rw-p", inode: int = 0) -> list[str]:
    """A range as `/proc/PID/smaps` has it; sizes in KiB."""
    head = f"{begin:x}-{begin + size * KIB:x} {access} 00000000 00:00 {inode} ".ljust(73 if name else 0) + name
    return [
        f"{head}\n",
        f"Size:{size:>15} kB\n",
        f"Rss:{resident:>16} kB\n",
        "Pss:   1 kB\n",
        "VmFlags: rd wr mr mw me\n",
    ]


def held(lines: list[str]) -> list[tuple[int, int]]:
    """The begin and the bytes of each range that is put into large pages."""
    return [(one.begin, one.end - one.begin) for one in mapped.ranges(lines) if large_pages.is_held(one)]


def test_heap_and_mappings_of_its_own_that_are_nearly_all_there_are_taken() -> None:
    lines = [
        *told(0x1000000, 4096, 4096, "[heap]"),
        *told(0x2000000, 4000, 3800),
        *told(0x3000000, 4000, 3799),
    ]
    assert held(lines) == [(0x1000000, 4096 * KIB), (0x2000000, 4000 * KIB)]


@pytest.mark.parametrize(
    "lines",
    [
        told(0x1000000, 132, 132, "[stack]"),
        told(0x1000000, 4096, 4096, "/usr/bin/python3.11", inode=77),
        told(0x1000000, 4096, 4096, access="r--p"),
        told(0x1000000, 4096, 4096, access="rw-s"),
        told(0x1000000, 4096, 4096, "/dev/zero (deleted)", access="rw-p", inode=5),
        told(0x1000000, 8192, 12),
    ],
    ids=["stack", "file", "read only", "shared", "deleted file", "a thread's stack"],
)
def test_what_is_not_its_own_or_mostly_not_there_is_left_be(lines: list[str]) -> None:
    assert held([*lines, *told(0x9000000, 64, 64)]) == [(0x9000000, 64 * KIB)]


TAKEN = """
import re
from feltd.table.host.large_pages import take_large_pages
from feltd.table.host.memory import keep_to_itself
held = [bytes([number % 251]) * 400 for number in range(100_000)]
def now(name):
    rollup = open("/proc/self/smaps_rollup").read()
    return int(re.search(name + r":\\s+(\\d+)", rollup)[1]) // 1024
keep_to_itself()
before = now("Rss")
take_large_pages()
assert held == [bytes([number % 251]) * 400 for number in range(100_000)]
print(now("AnonHugePages"), now("Rss") - before)
"""
"""Prints MiB in large pages, and by how many the process has grown by them."""


def test_a_process_that_is_closed_to_others_takes_them_and_keeps_what_it_holds() -> None:
    done = subprocess.run([sys.executable, "-c", TAKEN], capture_output=True, text=True, check=True, env=os.environ)
    large, grown = (int(number) for number in done.stdout.split())
    assert grown <= 4  # a twentieth of what it holds, and what the comparison takes
    release = tuple(int(part) for part in platform.release().split(".")[:2])
    if release >= (6, 1) and ENABLED.exists() and "[never]" not in ENABLED.read_text():
        assert large > 0


def test_where_the_kernel_tells_no_ranges_all_is_as_it_was(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(mapped, "MAPPED", tmp_path / "none")
    large_pages.take_large_pages()


def test_a_table_takes_them_once_it_has_given_back_what_its_start_took(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []
    monkeypatch.setattr(daemon, "GRACE", 0.0)
    monkeypatch.setattr(daemon, "say_if_nobody_signs", lambda *_: None)
    monkeypatch.setattr(daemon, "give_back", lambda: done.append("given back"))
    monkeypatch.setattr(daemon, "take_large_pages", lambda: done.append("taken"))
    here = cast("Any", SimpleNamespace(complete=True))
    asyncio.run(daemon._first_moments(here, here, here))
    assert done == ["given back", "taken"]


def test_a_mapped_file_may_have_any_name(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    ranges = tmp_path / "smaps"
    ranges.write_bytes(b"1000-2000 r--p 00000000 08:01 77 /srv/T\xfcr/table.journal\nRss:       4 kB\n")
    monkeypatch.setattr(mapped, "MAPPED", ranges)
    large_pages.take_large_pages()
