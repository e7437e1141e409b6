"""The log: one line for each record, repeats collapsed, on standard error.

Under systemd each line begins with its priority. A face-down card never comes here: faults, links, rulings and feltd's
own acts are logged, no events.
"""

import logging
import os
import sys
import time
from collections.abc import Callable, Mapping
from typing import Final, TextIO

REPEATS_FOR: Final = 60.0
"""Seconds in which the same line is not written again, only counted."""
_REMEMBERED: Final = 200
CHATTY: Final = ("transitions", "asyncio", "uvicorn")
"""Libraries whose everyday doings are no news: each move of the round's machine, each browser."""
_PRIORITY: Final = {"DEBUG": 7, "INFO": 6, "WARNING": 4, "ERROR": 3, "CRITICAL": 2}


class OneLine(logging.Formatter):
    """Formats a record as one line, with any content.

    `bare`: no time, but the priority that journald reads.
    """

    def __init__(self, *, bare: bool) -> None:
        super().__init__("%(name)s: %(message)s" if bare else "%(asctime)s %(levelname)s %(name)s: %(message)s")
        self._bare = bare

    def format(self, record: logging.LogRecord) -> str:
        line = " | ".join(part for part in super().format(record).splitlines() if part.strip())
        return f"<{_PRIORITY.get(record.levelname, 6)}>{line}" if self._bare else line


class Repeats(logging.Filter):
    """Lets a message through once in `REPEATS_FOR` seconds.

    The next time it adds how often the message came in between.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._told: dict[tuple[str, str], tuple[float, int]] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        message = record.getMessage()
        key, now = (record.name, message), self._clock()
        told_at, more = self._told.pop(key, (None, 0))
        if told_at is not None and now - told_at < REPEATS_FOR:
            self._told[key] = (told_at, more + 1)
            return False
        self._told[key] = (now, 0)
        if len(self._told) > _REMEMBERED:
            del self._told[next(iter(self._told))]
        if more:
            record.msg, record.args = f"{message} (and {more} times more since)", None
        return True


def set_up_logging(stream: TextIO | None = None, environment: Mapping[str, str] = os.environ) -> None:
    """Write records from INFO on to `stream` (standard error)."""
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(OneLine(bare="JOURNAL_STREAM" in environment))
    handler.addFilter(Repeats())
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(logging.INFO)
    for name in CHATTY:
        logging.getLogger(name).setLevel(logging.WARNING)
