"""What an event costs: the tools' words are read right, and what is counted is the events' alone."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.bench import cost
from tests.bench.card import Written, sectors
from tests.bench.cost import BOARDS, PARTS, Cost, CostError, allocations_of, calls_of, instructions_of, lines

STRACE = """\
17 execve("/usr/bin/python3", ["python3"], 0x7ffe /* 4 vars */) = 0
17 pwrite64(5, "ab\\0"..., 4096, 8192) = 4096
18 write(3, "x", 1) = 1
18 write(9, "x", 1) = -1 EBADF (Bad file descriptor)
18 read(3, "x", 1) = 1
18 clock_gettime(CLOCK_MONOTONIC, {tv_sec=9, tv_nsec=1}) = 0
17 +++ exited with 0 +++
"""


def test_the_tools_words_are_read() -> None:
    assert instructions_of("==6246== \n==6246== I   refs:      5,221,295,208\n") == 5_221_295_208
    assert allocations_of("==1==   total heap usage: 1,204 allocs, 1,100 frees, 9,000 bytes allocated\n") == 1_204
    assert calls_of(STRACE) == (5, 4097)


@pytest.mark.parametrize("read", [instructions_of, allocations_of])
def test_a_tool_that_tells_no_count_is_an_error_with_what_it_said(read: object) -> None:
    assert callable(read)
    with pytest.raises(CostError, match="bad option"):
        read("valgrind: bad option")


def test_the_start_is_in_no_events_cost(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[int, str]] = []

    def valgrind(_part: str, events: int, tool: str, *_more: str, **_environment: str) -> str:
        asked.append((events, tool))
        words = "I refs: {:,}" if tool.endswith("cachegrind") else "total heap usage: {:,} allocs"
        return words.format(5_000_000 + 140 * events)

    monkeypatch.setattr(cost, "_valgrind", valgrind)
    monkeypatch.setattr(cost, "_strace", lambda _part, events: "9 write(1, ...) = 10\n" * (70 + 3 * events))
    assert cost.cost("judged", 200) == Cost(140, 140, 3, 30)
    assert {events for events, _ in asked} == {cost.FEW, cost.FEW + 200}


def test_each_board_has_its_line() -> None:
    said = "\n".join(lines({"judged": Cost(900_000, 20, 0, 0), "recorded": Cost(100_000, 9, 4.5, 3_100)}))
    assert "| recorded | 100,000 | 9 | 4.5 | 3,100 |" in said
    assert "| Raspberry Pi Zero 2 W | Cortex-A53 | 1 GHz | 0.6 | 1.67 ms |" in said
    assert all(board.name in said for board in BOARDS)


@pytest.mark.parametrize("part", sorted(PARTS))
def test_each_part_works(part: str, tmp_path: Path) -> None:
    PARTS[part](2, tmp_path)


@pytest.mark.skipif(shutil.which("strace") is None, reason="no strace here")
def test_system_calls_of_a_real_program_are_counted(tmp_path: Path) -> None:
    def counted(times: int) -> tuple[int, int]:
        log, file = tmp_path / f"{times}.log", tmp_path / "written"
        write = f"[os.write(file, b'12345') for _ in range({times})]"
        program = f"import os; file = os.open({str(file)!r}, os.O_WRONLY | os.O_CREAT); {write}"
        subprocess.run(["strace", "-f", "-o", log, sys.executable, "-IS", "-c", program], check=True)
        return calls_of(log.read_text())

    few, many = counted(10), counted(1_010)
    assert 1_000 <= many[0] - few[0] < 1_100
    assert many[1] - few[1] == 5_000


QEMUS = """\
9363 fdatasync(16) = 0
9363 clock_gettime(CLOCK_MONOTONIC,0x000000550080e0a8) = 0 ({tv_sec = 71,tv_nsec = 1})
9363 pwrite64(17,20514224,4096,970752,0,10707392) = 4096
9363 openat(AT_FDCWD,"x",O_RDONLY) = -1 errno=2 (No such file or directory)
9363 exit(0)
"""


def test_what_qemu_traces_is_read_too() -> None:
    assert calls_of(QEMUS) == (3, 4096)


THREADS = """
import os, threading
down, up = os.pipe(), os.pipe()
def answer():
    for _ in range({times}):
        os.read(down[0], 1), os.write(up[1], b"x")
other = threading.Thread(target=answer)
other.start()
for _ in range({times}):
    os.write(down[1], b"x"), os.read(up[0], 1)
other.join()
"""
PASSED = re.compile(r'(?:read|write)\(\d+, "x", 1\) ')


@pytest.mark.skipif(shutil.which("strace") is None, reason="no strace here")
def test_calls_of_threads_that_wait_for_one_another_are_all_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    def work(_part: str, events: int, before: list[str], _environment: object) -> None:
        program = [sys.executable, "-IS", "-c", THREADS.format(times=events)]
        subprocess.run([*before, *program], check=True)

    monkeypatch.setattr(cost, "_work", work)
    few, many = (cost._strace("judged", times) for times in (10, 510))
    assert calls_of(many)[1] - calls_of(few)[1] == 2 * 500
    for log, times in ((few, 10), (many, 510)):  # how often threads wait at a start and an end is chance
        passed = "\n".join(line for line in log.splitlines() if PASSED.match(line))
        assert calls_of(passed) == (4 * times, 2 * times)


def test_without_its_tools_it_says_what_to_install() -> None:
    run = subprocess.run(
        [sys.executable, "-m", "tests.bench.cost"], env={"PATH": "/nowhere"}, cwd=cost.ROOT,
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.returncode == 2
    assert "apt install valgrind strace" in run.stderr


def test_what_a_card_takes_in_a_day_is_counted_by_the_disk() -> None:
    assert sectors("      54        0     2100      102        7        0     1234       10        0\n") == 1234
    written = Written(gather_seconds=10.0, bytes=20 * 1024 * 1024, events=1000, rounds=10, commits=100)
    assert written.a_day == 1200 * 1024 * 1024
    assert str(written) == "| 10 s | 10.0 | 20.5 KiB | 2048 KiB | 1200 MiB |"


def test_the_start_is_in_no_events_cost_on_arm64_either(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cost, "_qemu", lambda _system, _part, events: "9 write(1,0x1,10) = 10\n" * (70 + 3 * events))
    assert cost.arm64_lines(Path("/system"), 200)[2:] == ["| judged | 3.0 | 30 |", "| recorded | 3.0 | 30 |"]


def test_without_qemu_it_says_what_to_install(tmp_path: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-m", "tests.bench.cost", "--arm64", tmp_path], env={"PATH": "/nowhere"}, cwd=cost.ROOT,
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.returncode == 2
    assert "apt install qemu-user-static" in run.stderr
