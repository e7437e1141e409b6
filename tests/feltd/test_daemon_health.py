"""The loop's lag, the watchdog that is fed only while all is well, time, and the log's manners."""

import asyncio
import io
import logging
import threading
from collections.abc import Callable, Iterator
from unittest.mock import Mock

import pytest

from feltd.table.host.health import (
    JOURNAL_THREAD,
    LAG_INTERVAL,
    LAG_REMEMBERED,
    LAG_SANE,
    SYNC_PATIENCE,
    LoopLag,
    ServiceManager,
    SyncProgress,
    feed_watchdog,
    journal_thread_lives,
    loop_unwell,
)
from feltd.table.host.logs import REPEATS_FOR, OneLine, Repeats, set_up_logging
from feltd.table.journal.health import Health, JournalState
from feltd.table.journal.writer import Counters
from feltd.table.keeper.clock import TableClock
from tests.feltd.table_support import FakeTime


class Told:
    """Whom systemd is played by."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def notify(self, state: str) -> None:
        self.lines.append(state)


def health(backlog: int, synced: int, state: JournalState = JournalState.RUNNING) -> Health:
    return Health(state, None, synced + backlog, synced, backlog, True, Counters())


def test_the_service_manager_hears_of_ready_status_and_stop() -> None:
    told = Told()
    manager = ServiceManager(told, {})
    manager.ready("at work")
    manager.status("busy")
    manager.starting("plays", seconds=30)
    manager.alive()
    manager.stopping()
    assert told.lines == [
        "READY=1\nSTATUS=at work",
        "STATUS=busy",
        "EXTEND_TIMEOUT_USEC=30000000\nSTATUS=plays",
        "WATCHDOG=1",
        "STOPPING=1",
    ]


@pytest.mark.parametrize(
    ("environment", "seconds"),
    [
        ({}, None),
        ({"WATCHDOG_USEC": "15000000"}, 15.0),
        ({"WATCHDOG_USEC": "15000000", "WATCHDOG_PID": "1"}, None),
        ({"WATCHDOG_USEC": "soon"}, None),
    ],
)
def test_the_watchdogs_period_is_read_from_the_environment(environment: dict[str, str], seconds: float | None) -> None:
    assert ServiceManager(Told(), environment).watchdog_seconds == seconds


def test_without_systemd_nobody_is_told() -> None:
    ServiceManager(environment={}).ready("alone")


def test_the_watchdog_is_fed_only_while_all_is_well() -> None:
    told = Told()
    reasons: Iterator[str | None] = iter([None, "the disk is silent", "the disk is silent", None])
    warnings: list[str] = []

    async def scene() -> None:
        manager = ServiceManager(told, {"WATCHDOG_USEC": "30000"})
        feeding = asyncio.create_task(feed_watchdog(manager, lambda: next(reasons), warnings.append))
        with pytest.raises(RuntimeError):  # the list of reasons ends: what `next` raises ends the task
            await feeding

    asyncio.run(scene())
    assert told.lines == ["WATCHDOG=1", "WATCHDOG=1"]
    assert warnings == ["the watchdog is not fed: the disk is silent"]


def test_what_was_late_just_when_it_was_to_feed_the_watchdog_feeds_it_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    told, naps = Told(), list[float]()
    reasons: Iterator[str | None] = iter([None, "the loop ran 1.5 s late", "the loop ran 1.2 s late", None])

    async def nap(seconds: float) -> None:
        naps.append(seconds)
        if len(naps) == 4:
            raise EOFError

    monkeypatch.setattr("feltd.table.host.health.asyncio.sleep", nap)
    manager = ServiceManager(told, {"WATCHDOG_USEC": "15000000"})
    with pytest.raises(EOFError):
        asyncio.run(feed_watchdog(manager, lambda: next(reasons), lambda text: None))
    assert naps == [5.0, 1.0, 1.0, 5.0]
    assert told.lines == ["WATCHDOG=1", "WATCHDOG=1"]


def test_no_watchdog_no_feeding() -> None:
    asyncio.run(feed_watchdog(ServiceManager(Told(), {}), lambda: None, lambda text: None))


def test_a_loop_that_is_late_is_not_well() -> None:
    lag = LoopLag()
    assert loop_unwell(lag) is None
    lag.note(LAG_SANE + 1)
    assert loop_unwell(lag) == "the loop ran 2.0 s late"
    lag.note(0.001)
    assert loop_unwell(lag) is None
    assert lag.worst == LAG_SANE + 1


def test_the_worst_lag_is_that_of_the_last_minute_however_seldom_the_loop_looked() -> None:
    time = FakeTime()
    lag = LoopLag(lambda: time.monotonic)
    lag.note(948.8)  # it was stopped for a quarter of an hour
    for _ in range(12):
        time.pass_(LAG_REMEMBERED / 12)
        lag.note(0.25)
    assert lag.worst == 948.8
    time.pass_(1.0)
    lag.note(0.5)
    assert lag.worst == 0.5


def test_the_lag_is_looked_at_at_multiples_of_its_interval_also_by_a_timer_that_is_early(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    time, timers = FakeTime(), list[tuple[float, Callable[[], None], Mock]]()
    lag = LoopLag(lambda: time.monotonic)

    def call_later(seconds: float, look: Callable[[float], None], due: float) -> Mock:
        timers.append((seconds, lambda: look(due), handle := Mock()))
        return handle

    async def scene() -> None:
        measuring = asyncio.create_task(lag.measure())
        with monkeypatch.context() as patched:
            patched.setattr(asyncio.get_running_loop(), "call_later", call_later)
            await asyncio.sleep(0)
            for late in (0.0, -1e-9, 0.3, 0.0):
                seconds, look, _ = timers[-1]
                time.pass_(seconds + late)
                look()
            measuring.cancel()
            with pytest.raises(asyncio.CancelledError):
                await measuring

    time.pass_(0.1 - time.monotonic % LAG_INTERVAL)
    asyncio.run(scene())
    assert [seconds for seconds, _, _ in timers] == pytest.approx([0.15, 0.25, 0.25, 0.2, 0.25])
    assert [handle.cancel.called for _, _, handle in timers] == [False] * 4 + [True]
    assert lag.worst == pytest.approx(0.3)


def test_a_disk_that_says_nothing_hangs_one_that_refuses_does_not() -> None:
    time = FakeTime()
    progress = SyncProgress(lambda: time.monotonic)
    assert not progress.hangs(health(5, 10))
    time.pass_(SYNC_PATIENCE + 1)
    assert progress.hangs(health(5, 10))
    assert not progress.hangs(health(5, 11))
    time.pass_(SYNC_PATIENCE + 1)
    assert not progress.hangs(health(5, 11, JournalState.FAILED))
    assert not progress.hangs(health(0, 11))


def test_the_journal_lives_while_its_thread_does(monkeypatch: pytest.MonkeyPatch) -> None:
    stop = threading.Event()
    threads = [threading.Thread(target=stop.wait, name=name) for name in ("another", JOURNAL_THREAD)]
    # Other tests of this process have journals of their own.
    monkeypatch.setattr("feltd.table.host.health.threading.enumerate", lambda: threads)
    threads[0].start()
    assert journal_thread_lives() is False
    threads[1].start()
    assert journal_thread_lives() is True
    stop.set()
    for thread in threads:
        thread.join()
    assert journal_thread_lives() is False


def test_table_time_never_goes_back_and_counts_microseconds() -> None:
    time = FakeTime()
    clock = TableClock(10.0, monotonic=lambda: time.monotonic, wall=lambda: time.wall)
    time.pass_(0.1234567)
    assert clock.now() == 10.123457
    time.monotonic -= 1
    assert clock.now() == 10.123457


def test_a_clock_that_is_slewed_is_not_said_to_be_set() -> None:
    time = FakeTime()
    clock = TableClock(0.0, monotonic=lambda: time.monotonic, wall=lambda: time.wall)
    for _ in range(100):
        time.pass_(1.0)
        time.wall += 0.1
        assert clock.wall_step() is None
    time.wall -= 30
    assert clock.wall_step() == pytest.approx(-30)


def record(message: str, level: int = logging.INFO, *args: object) -> logging.LogRecord:
    return logging.LogRecord("feltd", level, __file__, 1, message, args, None)


def test_a_record_is_one_line_whatever_is_in_it() -> None:
    assert OneLine(bare=True).format(record("two\nlines\r\n", logging.ERROR)) == "<3>feltd: two | lines"


def test_repeats_are_counted_not_written() -> None:
    time = FakeTime()
    repeats = Repeats(lambda: time.monotonic)
    assert repeats.filter(record("shoe is %s", logging.INFO, "down"))
    assert not repeats.filter(record("shoe is %s", logging.INFO, "down"))
    assert repeats.filter(record("shoe is %s", logging.INFO, "up"))
    assert not repeats.filter(record("shoe is %s", logging.INFO, "down"))
    time.pass_(REPEATS_FOR)
    late = record("shoe is %s", logging.INFO, "down")
    assert repeats.filter(late)
    assert late.getMessage() == "shoe is down (and 2 times more since)"


def test_the_log_goes_to_one_stream_and_leaves_out_the_small_talk_of_libraries() -> None:
    stream, root = io.StringIO(), logging.getLogger()
    handlers, level = root.handlers, root.level
    try:
        set_up_logging(stream, {"JOURNAL_STREAM": "8:1"})
        logging.getLogger("feltd.test").warning("said %d times", 1)
        logging.getLogger("transitions.core").info("moved")
    finally:
        root.handlers, root.level = handlers, level
    assert stream.getvalue() == "<4>feltd.test: said 1 times\n"
