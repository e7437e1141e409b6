"""Processes that begin warm are the program's own in what they do, and end as it does."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.warm import WarmStart

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def warm() -> Iterator[WarmStart]:
    with WarmStart("table") as starts:
        yield starts


def test_a_command_ends_with_its_own_code_and_words(warm: WarmStart, tmp_path: Path) -> None:
    log = tmp_path / "log"
    faulty = warm.start(("table", str(tmp_path / "none.toml")), log, os.environ)
    assert faulty.wait() == faulty.poll() == 2
    assert "none.toml" in log.read_text(encoding="utf-8")
    helped = warm.start(("table", "--help"), log, os.environ)
    assert helped.wait() == 0
    assert helped.pid != faulty.pid
    assert "Run the table that CONFIG describes" in log.read_text(encoding="utf-8")


def test_one_that_runs_is_killed_and_told(tmp_path: Path) -> None:
    """A witness that waits for its own input would do as well: what counts is that it runs until it is killed."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)  # to open it for reading waits for somebody who writes
    with WarmStart("table") as starts:
        killed, left = (starts.start(("table", str(pipe)), tmp_path / "log", os.environ) for _ in range(2))
        assert killed.poll() is None
        killed.kill()
        assert killed.wait() == -signal.SIGKILL
        killed.kill()  # nobody any more: no other process that has its number now
        assert left.poll() is None
    assert left.wait() == -signal.SIGKILL, "it has outlived who started it"


def test_where_nothing_can_be_started_any_more_it_is_said(tmp_path: Path) -> None:
    with WarmStart("table") as starts:
        assert starts.start(("table", "--help"), tmp_path / "log", os.environ).wait() == 0
    with pytest.raises((AssertionError, ValueError, BrokenPipeError)):
        starts.start(("table", "--help"), tmp_path / "log", os.environ)
