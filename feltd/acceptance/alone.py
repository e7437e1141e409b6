"""One acceptance run at a time on a board: two would press each other's keys."""

import fcntl
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from feltd.text.errors import FeltdError


class OtherRunError(FeltdError):
    """Another run is at work on this board, or it cannot be known."""


@contextmanager
def alone(table: str, lock: Path) -> Iterator[None]:
    """Hold the lock of this board, so that one acceptance runs at a time.

    `table`: its name, for the message of a run that finds the lock held. The kernel lets go of the lock when its
    holder ends, however it ends: a file that is left behind bars nobody. Raises OtherRunError.
    """
    try:
        descriptor = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o644)
    except OSError as fault:
        raise OtherRunError(
            f"{lock}: the lock of this board cannot be used: {fault.strerror}; run this as root (sudo feltd accept)"
        ) from None
    try:
        _require_own_file(os.fstat(descriptor), lock)
    except OtherRunError:
        os.close(descriptor)
        raise
    with os.fdopen(descriptor, "r+", encoding="utf-8", errors="replace") as mark:
        try:
            fcntl.flock(mark, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = mark.read(200).strip() or "nobody says which"
            raise OtherRunError(
                f"{lock}: another acceptance run is at work on this board ({holder}); wait for its end"
            ) from None
        mark.truncate(0)
        mark.write(f"process {os.getpid()}, {table}\n")
        mark.flush()
        try:
            yield
        finally:
            mark.seek(0)
            mark.truncate(0)


def _require_own_file(state: os.stat_result, lock: Path) -> None:
    """Raise OtherRunError for a file that somebody else laid there, or whose other name is another file's own.

    In a folder for all anybody may do so, and the lock is written to.
    """
    if not stat.S_ISREG(state.st_mode) or state.st_nlink > 1 or state.st_uid != os.geteuid():
        raise OtherRunError(f"{lock}: is no lock of this user's, and was laid there by somebody: take it away")
