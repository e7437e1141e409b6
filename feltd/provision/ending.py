"""Signals that would end a run between two of its files: it notes them, and ends where it can leave nothing."""

import os
import signal
from types import FrameType, TracebackType
from typing import Final, NoReturn, Self

_SIGNALS: Final = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT)


class Ended(Exception):  # noqa: N818 - no error: somebody wanted it
    """Somebody ends the run by the signal `number`."""

    def __init__(self, number: signal.Signals) -> None:
        super().__init__(number.name)
        self.number = number


class Noted:
    """For as long as its block runs, signals end nothing by themselves: `check` raises Ended for the first one.

    A signal that was ignored before stays so (nohup). For the main thread.
    """

    def __init__(self) -> None:
        self._noted: signal.Signals | None = None
        self._before: dict[signal.Signals, signal.Handlers | object] = {}

    def __enter__(self) -> Self:
        heard = [number for number in _SIGNALS if signal.getsignal(number) is not signal.SIG_IGN]
        self._before = {number: signal.signal(number, self._note) for number in heard}
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _fault: BaseException | None, _trace: TracebackType | None
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)  # type: ignore[arg-type]  # what signal.signal gave

    def check(self) -> None:
        """Raise Ended where a signal has come."""
        if self._noted is not None:
            raise Ended(self._noted)

    def _note(self, number: int, _frame: FrameType | None) -> None:
        self._noted = self._noted or signal.Signals(number)


def end_by(number: signal.Signals) -> NoReturn:
    """End this process as the signal would have: who waits for it sees by what it ended."""
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
    raise SystemExit(128 + number)  # pragma: no cover - the signal comes before
