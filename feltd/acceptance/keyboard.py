"""The keyboard of whoever stands at the table: single keys and short texts, each with a time limit.

On a terminal a key counts at once; from a file or a pipe a line's first character does.
"""

import os
import select
import termios
import time
import tty
from collections.abc import Callable
from types import TracebackType
from typing import Any, Final

from feltd.acceptance.run import StopRunError

ENTER: Final = "\n"
_END: Final = b"\x04"
_RUBOUT: Final = (b"\x7f", b"\x08")
_GONE: Final = "the keyboard is gone"


class Keyboard:
    """Reads a keyboard; leaving the block restores the terminal.

    `out`: shows a text while it is typed.
    """

    def __init__(self, descriptor: int = 0, out: Callable[[str], None] = lambda text: None) -> None:
        self._descriptor = descriptor
        self._out = out
        self._terminal = os.isatty(descriptor)
        self._before: list[Any] | None = None
        self._ended = False

    def __enter__(self) -> "Keyboard":
        if self._terminal:
            self._before = termios.tcgetattr(self._descriptor)
            tty.setcbreak(self._descriptor, termios.TCSANOW)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._before is not None:
            termios.tcsetattr(self._descriptor, termios.TCSANOW, self._before)

    def forget(self) -> None:
        """Discard what was typed before a question, so that it does not answer it."""
        if self._terminal:
            termios.tcflush(self._descriptor, termios.TCIFLUSH)

    def key(self, seconds: float) -> str | None:
        """Return the next key in small letters; None if none comes within `seconds`.

        Raises StopRunError if the keyboard is gone.
        """
        if not self._terminal:
            line = self._line(seconds)
            return None if line is None else (line.strip()[:1].lower() or ENTER)
        typed = self._byte(seconds)
        if typed == _END:
            raise StopRunError(_GONE)
        return None if typed is None else (ENTER if typed in (b"\r", b"\n") else typed.decode(errors="replace").lower())

    def text(self, seconds: float) -> str | None:
        """A line of text; None where it is not ended in time. Raises StopRunError as `key`."""
        line = self._line(seconds)
        return None if line is None else line.strip()

    def _line(self, seconds: float) -> str | None:
        until, typed = time.monotonic() + seconds, b""
        while (left := until - time.monotonic()) > 0 or not typed:
            byte = self._byte(max(0.0, left))
            if byte is None:
                return None
            if byte == _END:
                raise StopRunError(_GONE)
            if byte in (b"\r", b"\n"):
                self._echo("\n")
                break
            if byte in _RUBOUT:
                if typed:
                    typed = typed.decode(errors="ignore")[:-1].encode()
                    self._echo("\b \b")
                continue
            typed += byte
            self._echo(byte.decode(errors="ignore"))
        return typed.decode(errors="replace")

    def _byte(self, seconds: float) -> bytes | None:
        if self._ended:
            raise StopRunError(_GONE)
        ready, _, _ = select.select([self._descriptor], [], [], seconds)
        if not ready:
            return None
        try:
            byte = os.read(self._descriptor, 1)
        except OSError:  # the terminal has been closed
            byte = b""
        if not byte:
            self._ended = True
            raise StopRunError(_GONE)
        return byte

    def _echo(self, text: str) -> None:
        if self._terminal:
            self._out(text)
