"""The health of feltd: lag of the loop, the journal's thread, and systemd's watchdog."""

import asyncio
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from typing import Final, Protocol

from feltd.table.journal.health import Health, JournalState
from firmware_bridge.limits import PING_TOGETHER
from firmware_bridge.moments import last_moment

LAG_INTERVAL: Final = PING_TOGETHER
"""Seconds between two looks at the loop's lag: at its multiples, when links ping too, so that one moment wakes both."""
LAG_REMEMBERED: Final = 60.0
LAG_SANE: Final = 1.0
"""Seconds the loop may be late and still be called healthy."""
SYNC_PATIENCE: Final = 30.0
"""Seconds without progress of a disk that has not refused before it is taken to hang."""
JOURNAL_THREAD: Final = "journal"


class LoopLag:
    """The lag of the event loop in seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.last = 0.0
        self._clock = clock
        self._seen: deque[tuple[float, float]] = deque(maxlen=round(LAG_REMEMBERED / LAG_INTERVAL))

    @property
    def worst(self) -> float:
        """The worst lag of the last minute, by the clock: a late loop looks less often than it means to."""
        since = self._clock() - LAG_REMEMBERED
        return max((lag for seen, lag in self._seen if seen >= since), default=0.0)

    def note(self, lag: float) -> None:
        """One measurement."""
        self.last = max(0.0, lag)
        self._seen.append((self._clock(), self.last))

    async def measure(self) -> None:
        """Measure until cancelled. Each look is a timer's callback, which takes less than a task that sleeps."""
        loop = asyncio.get_running_loop()
        timer: asyncio.TimerHandle | None = None

        def look(due: float | None = None) -> None:
            nonlocal timer
            now = self._clock()
            if due is not None:
                self.note(now - due)
            due = last_moment(now) + LAG_INTERVAL
            timer = loop.call_later(due - now, look, due)

        look()
        try:
            await loop.create_future()
        finally:
            if timer is not None:
                timer.cancel()


class SyncProgress:
    """Knows since when the journal's disk has made no progress though it should."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._synced = -1
        self._since = clock()

    def hangs(self, health: Health) -> bool:
        """Whether entries have waited for `SYNC_PATIENCE` seconds without progress.

        Call it now and then.
        """
        now = self._clock()
        if health.backlog == 0 or health.synced != self._synced or health.state is not JournalState.RUNNING:
            self._synced, self._since = health.synced, now
            return False
        return now - self._since > SYNC_PATIENCE


def journal_thread_lives() -> bool:
    """Whether the thread that writes the journal is there."""
    return any(thread.name == JOURNAL_THREAD and thread.is_alive() for thread in threading.enumerate())


def loop_unwell(lag: LoopLag) -> str | None:
    """The reason why the loop is not healthy: it was too late at the last look; else None."""
    return f"the loop ran {lag.last:.1f} s late" if lag.last > LAG_SANE else None


class Notifier(Protocol):
    """A receiver of lines for the service manager."""

    def notify(self, state: str) -> None: ...


class ServiceManager:
    """Reports to systemd: ready, stopping, still alive.

    Without systemd the reports go nowhere.
    """

    def __init__(self, notifier: Notifier | None = None, environment: Mapping[str, str] = os.environ) -> None:
        self._environment = environment
        self._notifier = notifier
        if notifier is None and environment.get("NOTIFY_SOCKET"):
            import sdnotify

            self._notifier = sdnotify.SystemdNotifier()

    @property
    def watchdog_seconds(self) -> float | None:
        """Seconds within which systemd wants a report.

        None where there is no watchdog, or it watches another process.
        """
        if self._environment.get("WATCHDOG_PID", str(os.getpid())) != str(os.getpid()):
            return None
        try:
            seconds = int(self._environment.get("WATCHDOG_USEC", "0")) / 1e6
        except ValueError:
            return None
        return seconds or None

    def ready(self, status: str) -> None:
        """Start-up is complete."""
        self._tell(f"READY=1\nSTATUS={status}")

    def starting(self, status: str, *, seconds: float) -> None:
        """The start goes on: it may take as long again from now on. Without this the manager ends it."""
        self._tell(f"EXTEND_TIMEOUT_USEC={round(seconds * 1e6)}\nSTATUS={status}")

    def status(self, status: str) -> None:
        """One line for `systemctl status`."""
        self._tell(f"STATUS={status}")

    def stopping(self) -> None:
        """The orderly stop has begun."""
        self._tell("STOPPING=1")

    def alive(self) -> None:
        """Feed the watchdog."""
        self._tell("WATCHDOG=1")

    def _tell(self, state: str) -> None:
        if self._notifier is not None:
            self._notifier.notify(state)


async def feed_watchdog(manager: ServiceManager, unwell: Callable[[], str | None], warn: Callable[[str], None]) -> None:
    """Feed the watchdog three times in its period, but only while `unwell` gives no reason.

    Runs until cancelled. A bad state is looked at again soon: a few late moments, each just when the watchdog was due,
    do not end the daemon.
    """
    period, warned = manager.watchdog_seconds, False
    while period is not None:
        reason = unwell()
        if reason is None:
            manager.alive()
        elif not warned:
            warn(f"the watchdog is not fed: {reason}")
        warned = reason is not None
        await asyncio.sleep(period / 3 if reason is None else period / 15)
