"""The table's memory is locked where it may be, and closed to others of its user."""

import os
import resource
import subprocess
import sys

import pytest

ASKED = """
import resource, sys
limit = int(sys.argv[1])
resource.setrlimit(resource.RLIMIT_MEMLOCK, (limit, limit))
from feltd.table.host.memory import keep_to_itself
import ctypes
kept = keep_to_itself()
later = bytearray(30_000_000)
status = dict(line.split(":", 1) for line in open("/proc/self/status"))
print(kept.locked, kept.closed, ctypes.CDLL(None).prctl(3, 0, 0, 0, 0), int(status["VmLck"].split()[0]) > 30_000)
"""
"""Prints what was done, what the kernel says (3: PR_GET_DUMPABLE), and whether what came later is locked too."""


def asked(limit: int) -> list[str]:
    told = subprocess.run(
        [sys.executable, "-c", ASKED, str(limit)], capture_output=True, text=True, check=True, env=os.environ
    )
    return told.stdout.split()


def test_under_a_limit_it_is_closed_and_not_locked_and_the_table_has_its_memory() -> None:
    assert asked(65536) == ["False", "True", "0", "False"]


@pytest.mark.skipif(
    resource.getrlimit(resource.RLIMIT_MEMLOCK)[1] != resource.RLIM_INFINITY and os.geteuid() != 0,
    reason="the limit of locked memory cannot be lifted here",
)
def test_without_a_limit_all_of_it_is_locked_what_comes_later_included() -> None:
    try:
        assert asked(resource.RLIM_INFINITY) == ["True", "True", "0", "True"]
    except subprocess.CalledProcessError as refused:
        if "not allowed to raise" not in refused.stderr:
            raise
        pytest.skip("the limit of locked memory cannot be lifted here")
