"""A process's turns at the processor, as the kernel tells them."""

import ctypes
import os
import platform
import subprocess
import sys

import pytest

from feltd.text import processor
from tests.bench.turns import has_tables_turns, turns_told

_TOLD = {"x86_64": 315, "aarch64": 275}
"""sched_getattr(2)."""


def turn_of(pid: int) -> float:
    """Seconds of a process's turn; 0 where the kernel gives everybody the same."""
    told = ctypes.create_string_buffer(processor._ATTRIBUTES.size)
    assert ctypes.CDLL(None).syscall(_TOLD[platform.machine()], pid, told, len(told), 0) == 0
    turn: int = processor._ATTRIBUTES.unpack(told.raw)[5]
    return turn / 1e9


pytestmark = pytest.mark.skipif(platform.machine() not in _TOLD, reason="another machine's numbers of calls")


def test_a_table_and_its_threads_have_short_turns_and_a_child_may_be_made_to_yield() -> None:
    code = """if True:
    import os, threading
    from feltd.text import processor
    from tests.feltd.test_processor import turn_of
    before = os.sched_getscheduler(0), os.getpriority(os.PRIO_PROCESS, 0)
    processor.comes_at_once()
    turns = [turn_of(0)]
    thread = threading.Thread(target=lambda: turns.append(turn_of(threading.get_native_id())))
    thread.start(), thread.join()
    assert (os.sched_getscheduler(0), os.getpriority(os.PRIO_PROCESS, 0)) == before
    processor.comes_last(0, before[1] + 3)
    assert os.sched_getscheduler(0) == os.SCHED_BATCH
    assert os.getpriority(os.PRIO_PROCESS, 0) == min(19, before[1] + 3)
    print(*turns, turn_of(0))
    """
    told = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    turns = [float(one) for one in told.split()]
    assert turns == [0.0] * 3 or (turns[:2] == [processor.TABLES_TURN] * 2 and turns[2] > processor.TABLES_TURN)


def test_a_table_that_plays_comes_first_and_what_it_starts_then_does_not() -> None:
    code = """if True:
    import os, subprocess, sys, threading
    from feltd.text import processor
    told, ready, done = [], threading.Event(), threading.Event()
    def before():
        ready.wait()
        told.append(os.sched_getscheduler(0))
        done.set()
    thread = threading.Thread(target=before)
    thread.start()
    processor.comes_first()
    ready.set(), done.wait(), thread.join()
    told.append(os.sched_getscheduler(0))
    later = threading.Thread(target=lambda: told.append(os.sched_getscheduler(0)))
    later.start(), later.join()
    asks = "import os; print(os.sched_getscheduler(0))"
    told.append(int(subprocess.run([sys.executable, "-c", asks], capture_output=True, text=True).stdout))
    first, others = os.SCHED_RR | os.SCHED_RESET_ON_FORK, os.SCHED_OTHER
    print(told == [first, first, others, others], told == [others] * 4)
    """
    told = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    assert told.split() == (["True", "False"] if may_come_first() else ["False", "True"])


def test_the_bench_says_where_the_table_has_no_turns_before_all_else(capsys: pytest.CaptureFixture[str]) -> None:
    # Not this process: a test that played a table in it has left it the table's turns.
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as other:
        with turns_told(other.pid):
            pass
        other.communicate(b"\n")
    assert "refuses the table its turns" in capsys.readouterr().err


def test_a_table_that_takes_its_turns_once_it_is_ready_was_refused_none(capsys: pytest.CaptureFixture[str]) -> None:
    code = """if True:
    import sys
    from feltd.text import processor
    print("ready", flush=True)
    sys.stdin.readline()
    processor.comes_first()
    print("plays", flush=True)
    sys.stdin.readline()
    """
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as table:
        assert table.stdin is not None
        assert table.stdout is not None
        assert table.stdout.readline() == b"ready\n"
        with turns_told(table.pid):
            assert not has_tables_turns(table.pid)
            table.stdin.write(b"\n")
            table.stdin.flush()
            assert table.stdout.readline() == b"plays\n"
            assert has_tables_turns(table.pid) == may_come_first()
    assert (capsys.readouterr().err == "") == may_come_first()


def may_come_first() -> bool:
    """Whether the kernel gives a process of this user a real-time turn, asked of a process that ends at once."""
    asks = "import os; os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))"
    return subprocess.run([sys.executable, "-c", asks], check=False, stderr=subprocess.DEVNULL).returncode == 0


def test_what_the_system_does_not_allow_is_left_be(monkeypatch: pytest.MonkeyPatch) -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as ended:
        ended.wait()
        processor.comes_last(ended.pid, 5)
    before = os.sched_getscheduler(0)
    monkeypatch.setattr(platform, "machine", lambda: "a machine that nobody has heard of")
    processor.comes_at_once()
    processor.comes_first()
    assert os.sched_getscheduler(0) == before
