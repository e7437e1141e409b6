"""Does the steps and looks into the record; what came of each."""

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any, Final, Protocol

from feltd.journal import EntryKind, JournalReader, Span
from hil_tests.acceptance.hands import CannotDoError, Hands
from hil_tests.acceptance.steps import Expected, Step

PATIENCE: Final = 15.0
_POLL: Final = 0.05


class Outcome(Enum):
    """What came of a step."""

    PASSED = "passed"
    FAILED = "FAILED"
    LEFT_OUT = "left out"


@dataclass(frozen=True, slots=True)
class Result:
    """One line of the report. `seconds`: until the record had it; `why`: where it is not passed."""

    step: str
    outcome: Outcome
    seconds: float | None = None
    why: str = ""


class Record(Protocol):
    """The table's record."""

    def last(self) -> int:
        """Its last entry now."""

    def has(self, expected: Expected, after: int, seconds: float) -> bool:
        """Wait for an event after this entry; whether it came."""


class JournalRecord:
    """The journal of a table that runs on this board."""

    def __init__(self, path: Path) -> None:
        """Raises JournalError."""
        self._reader = JournalReader.open(path)

    def last(self) -> int:
        return self._reader.head().seq

    def has(self, expected: Expected, after: int, seconds: float) -> bool:
        until = time.monotonic() + seconds
        while True:
            span = Span(after=after, kind=EntryKind.EVENT, name=expected.event)
            if any(fits(entry.body, expected.where) for entry in self._reader.entries(span)):
                return True
            if time.monotonic() > until:
                return False
            time.sleep(_POLL)

    def close(self) -> None:
        """Let go of the file."""
        self._reader.close()


def fits(body: Any, where: Mapping[str, Any]) -> bool:
    """Whether an event has at least these fields."""
    return isinstance(body, Mapping) and all(body.get(name) == value for name, value in where.items())


def carry_out(
    steps: Iterable[Step],
    hands: Hands,
    record: Record,
    lamps: Mapping[str, int],
    tell: Callable[[Result], None] = lambda _result: None,
    patience: float = PATIENCE,
) -> list[Result]:
    """Do every step. `lamps`: their lines, by name; `tell` hears of each result at once."""
    results = []
    for step in steps:
        result = _one(step, hands, record, lamps, patience)
        results.append(result)
        tell(result)
    return results


def _one(step: Step, hands: Hands, record: Record, lamps: Mapping[str, int], patience: float) -> Result:
    before, started = record.last(), time.monotonic()
    try:
        hands.do(step.motion)
        if step.expected is None:
            return Result(step.name, Outcome.PASSED)
        if not record.has(step.expected, before, patience):
            fields = ", ".join(f"{name} {value}" for name, value in step.expected.where.items())
            return Result(step.name, Outcome.FAILED, why=f"no {step.expected.event} ({fields}) in {patience:g} s")
        seconds = time.monotonic() - started
        if step.lamp is not None and not hands.lit(step.lamp, lamps[step.lamp]):
            return Result(step.name, Outcome.FAILED, seconds, f"the lamp {step.lamp} is not lit")
    except CannotDoError as reason:
        return Result(step.name, Outcome.LEFT_OUT, why=str(reason))
    return Result(step.name, Outcome.PASSED, seconds)
