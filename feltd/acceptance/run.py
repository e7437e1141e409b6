"""Does the steps, one after the other, and says what came of each."""

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Final, Protocol

from feltd.acceptance.steps import OF_FELTD, Expected, Listening, Motion, Sense, Step

PATIENCE: Final = 15.0
"""Seconds in which what a step must bring about has to come, where no person has to find the place first."""
LOOK_EVERY: Final = 0.05
SETTLES: Final = 0.4
"""Seconds in which a second sensor that answers too would have been recorded."""
_BY_HAND: Final = "by hand"
NOBODY: Final = "nobody is signed in at the table: name a technician's account (--account)"


class CannotDoError(Exception):
    """This place has no way to do that: the step is left out, with the reason."""


class StepFailedError(Exception):
    """The expected event did not come or came with others, or the table refused."""


class AgainError(Exception):
    """The person asks to begin the step again."""


class StopRunError(Exception):
    """The run is stopped, for the reason in the message; the remaining steps are left out."""


class StepResult(Enum):
    """The outcome of a step."""

    PASSED = "passed"
    FAILED = "FAILED"
    LEFT_OUT = "left out"


@dataclass(frozen=True, slots=True)
class Result:
    """One line of the report.

    `seconds`: until the expected event came, for a passed step that waited for one. `why`: the reason if it is not
    passed. `at`: when it was known, in seconds since 1970. `tries`: how often it was begun.
    """

    step: str
    outcome: StepResult
    seconds: float | None = None
    why: str = ""
    at: float = 0.0
    tries: int = 1


class Record(Protocol):
    """The table's record."""

    def last(self) -> int:
        """Its last entry now."""

    def found(self, expected: Expected, after: int) -> bool:
        """Whether it has that event after this entry."""

    def others(self, expected: Expected, after: int) -> Sequence[str]:
        """Return other events of the expected event's device after this entry, in words."""


class Hands(Protocol):
    """Carries out the motions of a step: by wires, or by telling a person.

    Where a person works, each call may raise AgainError, CannotDoError or StopRunError.
    """

    def begin(self, step: Step, number: int, of: int) -> None:
        """Begin a step: show it to the person, or watch the lines from here on."""

    def do(self, motion: Motion) -> None:
        """Do it. Raises CannotDoError."""

    def done(self, motion: Motion) -> None:
        """Wait until the motion is done, if no event shows it."""

    def wait(self, seconds: float) -> None:
        """Let time pass."""

    def sees(self, sense: Sense) -> bool:
        """Whether an output does that. Raises CannotDoError."""

    def again(self, result: Result) -> bool:
        """A step has failed: whether to begin it anew."""


class Technician(Protocol):
    """Uses feltd's own functions: tests, test mode. Each call may raise StepFailedError."""

    def do(self, motion: Motion) -> None:
        """Start a test, or test mode."""

    def listen(self, listening: Listening) -> None:
        """Route the messages of this device to a test from now on."""

    def heard(self, listening: Listening) -> str | None:
        """Return the verdict on the messages heard so far.

        Empty: all have come and nothing else. A text: what is wrong. None: some are still to come.
        """

    def listened(self) -> None:
        """The device speaks to the table again."""


@dataclass(frozen=True, slots=True)
class Place:
    """The means of a run: hands, the record and, if somebody is signed in, their account.

    `patience`: seconds to wait for each expected event.
    """

    hands: Hands
    record: Record
    technician: Technician | None = None
    patience: float = PATIENCE
    clock: Callable[[], float] = time.monotonic
    wall: Callable[[], float] = time.time


def carry_out(
    steps: Iterable[Step], place: Place, tell: Callable[[Result], None] = lambda _result: None
) -> tuple[list[Result], str | None]:
    """Do every step; return one result for each and why the run was stopped, if it was.

    `tell`: called with each result at once. Steps after a stop are left out.
    """
    everything = list(steps)
    results: list[Result] = []
    stopped = None
    for number, step in enumerate(everything, start=1):
        result = None
        try:
            if stopped is None:
                result, stopped = _with_tries(step, number, len(everything), place)
        except StopRunError as stop:
            stopped = str(stop)
        except KeyboardInterrupt:
            stopped = _BY_HAND
        if result is None:
            result = Result(step.name, StepResult.LEFT_OUT, why=f"the run was stopped: {stopped}")
        results.append(replace(result, at=place.wall()))
        tell(results[-1])
    return results, stopped


def _with_tries(step: Step, number: int, of: int, place: Place) -> tuple[Result, str | None]:
    """What came of a step in the end, and why the run is stopped after it, if it is: that it had failed stays so."""
    tries = 0
    while True:
        tries += 1
        try:
            result = replace(_one(step, number, of, place), tries=tries)
        except AgainError:
            continue
        if result.outcome is not StepResult.FAILED:
            return result, None
        try:
            if not place.hands.again(result):
                return result, None
        except CannotDoError as reason:
            why = f"{reason} (before that it had failed: {result.why})"
            return replace(result, outcome=StepResult.LEFT_OUT, why=why), None
        except StopRunError as stop:
            return result, str(stop)
        except KeyboardInterrupt:
            return result, _BY_HAND


def _one(step: Step, number: int, of: int, place: Place) -> Result:
    if (step.in_tests or step.motion.act in OF_FELTD) and place.technician is None:
        return Result(step.name, StepResult.LEFT_OUT, why=NOBODY)
    try:
        if step.listening is not None and place.technician is not None:
            seconds: float | None = _listen(step, step.listening, number, of, place, place.technician)
        else:
            seconds = _do(step, number, of, place)
        if step.sense is not None and not place.hands.sees(step.sense):
            return Result(step.name, StepResult.FAILED, seconds, step.sense.fault)
    except CannotDoError as reason:
        return Result(step.name, StepResult.LEFT_OUT, why=str(reason))
    except StepFailedError as failed:
        return Result(step.name, StepResult.FAILED, why=str(failed))
    return Result(step.name, StepResult.PASSED, seconds)


def _do(step: Step, number: int, of: int, place: Place) -> float | None:
    """The motion, and what the record must have then: the seconds until it had."""
    before = place.record.last()  # before anybody is told: a quick hand is seen, too
    place.hands.begin(step, number, of)
    began = place.clock()
    if step.motion.act in OF_FELTD and place.technician is not None:
        place.technician.do(step.motion)
    else:
        place.hands.do(step.motion)
    expected = step.expected
    if expected is None:
        if step.listening is not None:
            raise CannotDoError(NOBODY)
        place.hands.done(step.motion)
        return None
    if not _until(lambda: place.record.found(expected, before), place):
        besides = _told(place.record.others(expected, before))
        raise StepFailedError(f"the record has no {expected} within {place.patience:g} s{besides}")
    seconds = place.clock() - began
    if expected.alone:
        place.hands.wait(SETTLES)
        others = place.record.others(expected, before)
        if others:
            raise StepFailedError(f"with {expected} came {', '.join(others)}: two parts answer, or one bounces")
    return seconds


def _listen(step: Step, listening: Listening, number: int, of: int, place: Place, technician: Technician) -> float:
    """The motion, and what the device must say then to a test: the seconds until it had."""
    try:
        technician.listen(listening)
    except StepFailedError:
        place.hands.begin(step, number, of)
        raise
    try:
        place.hands.begin(step, number, of)
        began = place.clock()
        place.hands.do(step.motion)
        came = _until(lambda: technician.heard(listening) is not None, place)
        seconds = place.clock() - began
        if came and listening.alone:
            place.hands.wait(SETTLES)
        wrong = technician.heard(listening)
    finally:
        technician.listened()
    if wrong is None:
        awaited = ", then ".join(map(str, listening.messages))
        raise StepFailedError(f"{listening.device} did not say {awaited} within {place.patience:g} s")
    if wrong:
        raise StepFailedError(wrong)
    return seconds


def _until(come: Callable[[], bool], place: Place) -> bool:
    """Whether it comes, as long as anybody has patience."""
    since = place.clock()
    while not come():
        if place.clock() - since > place.patience:
            return False
        place.hands.wait(LOOK_EVERY)
    return True


def _told(others: Sequence[str]) -> str:
    return f", but {', '.join(others)}" if others else ""
