"""A person at a whole table: told what to do, asked what they see, free to repeat, to leave out and to stop."""

import time
from collections.abc import Callable
from textwrap import fill
from typing import Final, Protocol

from feltd.acceptance.keyboard import ENTER
from feltd.acceptance.run import AgainError, CannotDoError, Result, StepFailedError, StopRunError
from feltd.acceptance.steps import OF_FELTD, Act, Motion, Sense, Step

AGAIN, LEAVE, STOP, YES, NO = "r", "s", "q", "y", "n"
LEGEND: Final = (
    "What you do is seen by itself; then the next step comes. At any time:\n"
    "  r  begin the step again   s  leave it out, with a reason   q  stop and report"
)
WIDTH: Final = 78
INDENT: Final = " " * 10
_REMINDS: Final = 15.0
"""Seconds between two words that it still waits."""


class Keys(Protocol):
    """The keyboard as a guided run needs it."""

    def forget(self) -> None: ...
    def key(self, seconds: float) -> str | None: ...
    def text(self, seconds: float) -> str | None: ...


class GuidedHands:
    """`limit`: seconds for each thing that is asked for."""

    def __init__(
        self, keys: Keys, say: Callable[[str], None], limit: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._keys = keys
        self._say = say
        self._limit = limit
        self._clock = clock
        self._since = 0.0
        self._reminded = 0.0
        self._waits_for_feltd = False

    def begin(self, step: Step, number: int, of: int) -> None:
        self._since = self._reminded = self._clock()
        self._keys.forget()
        self._say("")
        words = step.motion.words or step.name
        self._say(fill(words, WIDTH, initial_indent=f"{f'{number}/{of}':>8}  ", subsequent_indent=INDENT))
        if step.motion.act is Act.TEST:
            self._more("Enter begins it.")
            self._wait_for(lambda key: key == ENTER, "nobody began it")

    def do(self, motion: Motion) -> None:
        """The person does it, and what follows tells."""

    def done(self, motion: Motion) -> None:
        if motion.act in OF_FELTD or motion.act is Act.LOOK:
            return
        self._more("Enter when it is done.")
        self._wait_for(lambda key: key == ENTER, "nobody said that it was done")

    def wait(self, seconds: float) -> None:
        self._heed(self._keys.key(seconds))
        now = self._clock()
        if now - self._reminded >= _REMINDS:
            self._reminded = now
            left = max(0.0, self._limit - (now - self._since))
            self._more(f"… waits, {left:.0f} s left (r again, s leave it out, q stop)")

    def sees(self, sense: Sense) -> bool:
        self._keys.forget()
        self._more(f"{sense.question} (y/n)")
        return self._wait_for(lambda key: key in (YES, NO), "nobody answered") == YES

    def again(self, result: Result) -> bool:
        self._keys.forget()
        self._more(f"FAILED: {result.why}")
        self._more("r begin again, Enter go on (it stays failed), s leave it out, q stop")
        try:
            key = self._wait_for(lambda key: key == ENTER, "nobody answered")
        except StepFailedError:
            return False
        except AgainError:
            return True
        return key != ENTER

    def _more(self, words: str) -> None:
        self._say(fill(words, WIDTH, initial_indent=INDENT, subsequent_indent=INDENT))

    def _wait_for(self, wanted: Callable[[str], bool], missing: str) -> str:
        until = self._clock() + self._limit
        while (left := until - self._clock()) > 0:
            key = self._keys.key(left)
            if key is not None and wanted(key):
                return key
            self._heed(key)
        raise StepFailedError(f"{missing} within {self._limit:g} s")

    def _heed(self, key: str | None) -> None:
        if key == AGAIN:
            self._more("Again:")
            raise AgainError
        if key == STOP:
            raise StopRunError("stopped by the technician")
        if key == LEAVE:
            raise CannotDoError(f"by the technician: {self._reason()}")

    def _reason(self) -> str:
        until = self._clock() + self._limit
        while (left := until - self._clock()) > 0:
            self._more("Why is it left out? (a few words, then Enter)")
            reason = self._keys.text(left)
            if reason:
                return reason
        return "no reason was given"
