"""Who reads the record for the page: a process of its own, which has no key, yields to the table, and dies alone.

Reading, opening what is published and writing it all as JSON is much work; in a thread it would take the interpreter
from the table's loop for milliseconds. The table hands over the connection and has no more to do with it.
"""

import contextlib
import logging
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from feltd.door.serving.record_process import STORED_TOO
from feltd.text.errors import FeltdError

START_EVERY: Final = 5.0
"""Seconds between two starts of a reader that ends again and again."""
_MODULE: Final = "feltd.door.serving.record_process"

_log = logging.getLogger("feltd.door")


class RecordReaders:
    """The process that reads one journal, started again where it ends. Belongs to the loop; nothing here waits."""

    def __init__(self, journal: Path, clock: Callable[[], float] = time.monotonic) -> None:
        self._journal = journal
        self._clock = clock
        self._process: subprocess.Popen[bytes] | None = None
        self._way: socket.socket | None = None
        self._started: float | None = None

    def start(self) -> None:
        """Start the process, or start it again. Raises FeltdError where the machine does not let it."""
        self.close()
        self._started = self._clock()
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        ours.setblocking(False)
        python = [sys.executable, *(["-I"] if sys.flags.isolated else [])]
        try:
            self._process = subprocess.Popen(  # noqa: S603 - our own program
                [*python, "-m", _MODULE, str(self._journal), str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                # Ctrl-C at a terminal is for the table, which then ends this. No session of its own: Linux shares
                # the processors among sessions first (autogroups), and that this is nice would count for nothing.
                process_group=0,
            )
        except OSError as fault:
            ours.close()
            raise FeltdError(f"the record's reader cannot be started: {fault.strerror}") from None
        finally:
            theirs.close()
        self._way = ours

    def hand_over(self, connection: socket.socket, *, stored: bool) -> bool:
        """Give a connection to the process; False where it takes none now. The caller closes its own end.

        `stored`: the connection may have entries as they are stored.
        """
        if not self._alive() and not self._again():
            return False
        assert self._way is not None
        try:
            socket.send_fds(self._way, [STORED_TOO if stored else b"record"], [connection.fileno()])
        except OSError:  # it is busy with those before, or has just ended
            return False
        return True

    def close(self) -> None:
        """End the process. It keeps nothing, so nothing is lost with it."""
        if self._way is not None:
            self._way.close()
            self._way = None
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def _alive(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def _again(self) -> bool:
        if self._started is not None and self._clock() - self._started < START_EVERY:
            return False
        if self._process is not None:
            _log.warning("the record's reader has ended (%s): it is started again", self._process.returncode)
        with contextlib.suppress(FeltdError):
            self.start()
        return self._alive()
