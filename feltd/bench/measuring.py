"""The measurements. Each needs the board alone: no device, no configuration, no right but to write in a folder."""

import asyncio
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, median
from tempfile import TemporaryDirectory
from typing import Final

from feltd.bench import playing
from feltd.bench.acknowledging import measure_acknowledgements
from feltd.bench.figures import SYNC, Figure, Unit, percentile
from feltd.books.shipped import rulebook_sources, structure_sources
from feltd.page.access.passwords import hash_password
from feltd.text.as_owner import as_owner_of
from feltd.text.errors import FeltdError
from table_fsm.library import load_library
from table_fsm.rulebook import Rulebook

MICRO: Final = 1e6
MILLI: Final = 1e3
_KIB_A_MIB: Final = 1024
_START: Final = """
import feltd.table.daemon
from feltd.books.shipped import rulebook_sources, structure_sources
from table_fsm.library import load_library
load_library(rulebook_sources(), structure_sources())
print(next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")))
"""
"""What a table's process does before it opens its record; then it tells the most memory that it had, in KiB."""
_PREFIX: Final = "feltd-bench-"
_BOARD: Final = "Take a quicker board"
_CARD: Final = "Take a quicker memory card, or an SSD"


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much is measured: rounds that are judged, events that are recorded, times that the rest is done."""

    rounds: int = 150
    events: int = 500
    times: int = 5


class BenchError(FeltdError):
    """Something could not be measured."""


def measure(folder: Path, sizes: Sizes, tell: Callable[[str], None]) -> tuple[Figure, ...]:
    """Measure everything. `tell` gets the name of each part as it begins.

    What is written goes into a folder of its own within `folder`, as the user whose that is, and is gone at the end.
    Raises BenchError, JournalError, PlaceError, OSError.
    """
    parts = _interpreter, _start, _rules, _record, _password
    found: list[Figure] = []
    for part in parts:
        tell(part.__doc__ or "")
        found += part(folder, sizes)
    return tuple(found)


def _interpreter(_folder: Path, sizes: Sizes) -> Iterator[Figure]:
    """a bare loop in Python"""
    turns = 100_000

    def loop() -> None:
        total, known = 0, {"a": 1}
        for number in range(turns):
            total += known["a"] + len(str(number))

    taken = min(_seconds(loop) for _ in range(sizes.times))
    yield Figure(
        "a turn of a bare loop in Python, to hold boards against each other", taken / turns * 1e9, Unit.NANOSECONDS
    )


def _start(_folder: Path, sizes: Sizes) -> Iterator[Figure]:
    """a table's start"""
    taken: list[float] = []
    said = ""
    for _ in range(sizes.times):
        started = time.perf_counter()
        child = subprocess.run(  # noqa: S603 - this interpreter, and a program of ours
            [sys.executable, "-c", _START], capture_output=True, text=True, check=False
        )
        taken.append(time.perf_counter() - started)
        if child.returncode != 0:
            raise BenchError(f"a table's process does not start here; it says: {child.stderr.strip()[-500:]}")
        said = child.stdout
    yield Figure("start of a table's process, all rulebooks loaded", median(taken), Unit.SECONDS, 10, _BOARD)
    yield Figure(
        "memory of that process at most", int(said) / _KIB_A_MIB, Unit.MEBIBYTES, 128, "Report this: it is too much"
    )


def _rules(_folder: Path, sizes: Sizes) -> Iterator[Figure]:
    """the rules"""
    books = _books()
    events = playing.events_of(books, sizes.rounds)
    playing.judge(books, events)  # the caches of the interpreter fill
    taken = playing.judge(books, events)
    yield Figure("an event, judged by the rules, mean", fmean(taken) * MICRO, Unit.MICROSECONDS, 2_000, _BOARD)
    yield Figure(
        "an event, judged by the rules, in 99 of 100 within",
        percentile(taken, 0.99) * MILLI,
        Unit.MILLISECONDS,
        10,
        _BOARD,
    )


def _record(folder: Path, sizes: Sizes) -> Iterator[Figure]:
    """the record on this disk"""
    # As that user: with root's right a link that the user lays in there has a file of root's written over.
    with as_owner_of(folder / _PREFIX), TemporaryDirectory(prefix=_PREFIX, dir=folder) as place:
        measured = asyncio.run(measure_acknowledgements(Path(place), events=sizes.events))
    acknowledged, bare = measured.acknowledged, measured.bare_overwrite
    yield Figure(
        "an event until it is recorded and acknowledged, median",
        median(acknowledged) * MILLI,
        Unit.MILLISECONDS,
        50,
        _CARD,
    )
    yield Figure(
        "an event until it is acknowledged, in 99 of 100 within",
        percentile(acknowledged, 0.99) * MILLI,
        Unit.MILLISECONDS,
        250,
        _CARD,
    )
    yield Figure(SYNC, median(bare) * MILLI, Unit.MILLISECONDS)
    yield Figure("that bare write and sync, in 99 of 100 within", percentile(bare, 0.99) * MILLI, Unit.MILLISECONDS)


def _password(_folder: Path, sizes: Sizes) -> Iterator[Figure]:
    """a sign-in"""
    taken = [_seconds(lambda: hash_password("as long as a good one is")) for _ in range(sizes.times)]
    yield Figure("a password compared, when somebody signs in", median(taken), Unit.SECONDS, 2, _BOARD)


def _books() -> Mapping[str, Rulebook]:
    return load_library(rulebook_sources(), structure_sources())


def _seconds(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started
