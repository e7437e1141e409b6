"""Runs of a target: so many inputs, or for so long, by chance or the same each time."""

import hashlib
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, seed, settings

from tests.fuzz.changing import inputs
from tests.fuzz.target import Judge, Target

_AT_ONCE = 400
"""Inputs between two looks at the clock."""


class FindingError(AssertionError):
    """An input that a target does not take as it should: the smallest that was found."""

    def __init__(self, target: Target, data: bytes) -> None:
        super().__init__(f"{target.name}: {data[:200]!r}")
        self.data = data


@dataclass(frozen=True, slots=True)
class Ran:
    """What a run was: how many inputs in how many seconds."""

    inputs: int
    seconds: float


def play(target: Target, judge: Judge, most: int, chance: int | None = None) -> int:
    """Judge `most` inputs, the same ones each time or, with a number for `chance`, others; return how many.

    Raises FindingError for one that is a finding, made as small as hypothesis can.
    """
    count, last = 0, b""

    @settings(
        max_examples=most, deadline=None, database=None, derandomize=chance is None,
        phases=(Phase.generate, Phase.shrink), suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(inputs(target))
    def each(data: bytes) -> None:
        nonlocal count, last
        count, last = count + 1, data
        judge(data)

    try:
        (each if chance is None else seed(chance)(each))()
    except Exception as fault:  # whatever it is, it is what is looked for
        raise FindingError(target, last) from fault
    return count


def play_for(target: Target, seconds: float, first: int, clock: Callable[[], float] = time.monotonic) -> Ran:
    """Judge the kept inputs, and then new ones for so many seconds, beginning with chance `first`.

    Raises FindingError.
    """
    with target.opened() as judge:
        for path in target.kept():
            _judge_kept(target, judge, path)
        began, count, number = clock(), 0, first
        while clock() - began < seconds:
            count += play(target, judge, _AT_ONCE, number)
            number += 1
        return Ran(count, clock() - began)


def replay(target: Target, file: Path) -> None:
    """Judge the input in a file. Raises whatever it brings about."""
    with target.opened() as judge:
        judge(file.read_bytes())


def save(finding: FindingError, target: Target) -> Path:
    """Keep a finding's input among those that the tests play; return its file."""
    file = target.folder / f"found-{hashlib.sha256(finding.data).hexdigest()[:12]}"
    target.folder.mkdir(parents=True, exist_ok=True)
    file.write_bytes(finding.data)
    return file


def _judge_kept(target: Target, judge: Judge, path: Path) -> None:
    try:
        judge(path.read_bytes())
    except Exception as fault:  # as above
        raise FindingError(target, path.read_bytes()) from fault
