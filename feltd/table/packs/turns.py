"""Who may change a table's list of packs, and when: one at a time, and nobody while a round is played.

Both are locks of the kernel (flock), which end with the process that holds them: a table that is killed in a round
keeps nobody from the list.
"""

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from feltd.text.errors import FeltdError

_ROUND: Final = "packs.round"
"""Beside the list. Empty: only its lock says something."""


class PackFileError(FeltdError):
    """A file of packs that cannot be read or written, and the remedy."""


@contextmanager
def alone(file: Path, *, wait: bool) -> Iterator[None]:
    """Keep the page and the commands from undoing each other's changes of this file: read and write within it.

    `wait`: until nobody else changes the list. Else raises PackFileError where somebody does: a table's loop waits for
    nobody.
    """
    try:
        folder = os.open(file.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as fault:
        raise PackFileError(f"{file}: cannot be written: {fault.strerror}") from None
    try:
        fcntl.flock(folder, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError:
        raise PackFileError(f"{file}: another command is changing it: try again") from None
    finally:
        os.close(folder)


@contextmanager
def between_rounds(file: Path, wait: Callable[[], None] | None = None) -> Iterator[None]:
    """Keep a round from holding the list meanwhile. For a command: a table asks its own keeper.

    `wait`: called once where the table of this list is in a round, whose end is waited for then. Without it raises
    PackFileError there.
    """
    try:
        held = os.open(file.with_name(_ROUND), os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except FileNotFoundError:
        yield  # no table with a list has been in a round here
        return
    except OSError as fault:
        raise PackFileError(f"{file.with_name(_ROUND)}: cannot be read: {fault.strerror}") from None
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        if wait is None:
            os.close(held)
            raise PackFileError("the table is in a round: packs change between two rounds. Wait for its end") from None
        wait()
        fcntl.flock(held, fcntl.LOCK_EX)
    try:
        yield
    finally:
        os.close(held)


class RoundHold:
    """A table's word that it is in a round, for commands that would change its list. Belongs to the loop."""

    def __init__(self, file: Path) -> None:
        self._place = file.with_name(_ROUND)
        self._opened: int | None = None
        self._holds = False

    def be(self, *, in_a_round: bool) -> None:
        """Hold the list, or let it go. Where a command changes it now, or the disk refuses, the next call tries.

        The file is opened once: a round's beginning waits for no disk.
        """
        if in_a_round == self._holds:
            return
        with suppress(OSError):
            if self._opened is None:
                flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
                self._opened = os.open(self._place, flags, 0o600)
            fcntl.flock(self._opened, fcntl.LOCK_SH | fcntl.LOCK_NB if in_a_round else fcntl.LOCK_UN)
            self._holds = in_a_round
