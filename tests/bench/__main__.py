"""`python -m tests.bench`: everything, at its full size, in some minutes."""

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Final

from tests.bench import (
    acknowledging,
    applying,
    browsing,
    chattering,
    crowding,
    lamp,
    pins,
    replaying,
    rounds,
    starting,
    tournaments,
    watching,
)
from tests.bench.report import Row, load, machine, table


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much of each."""

    rounds: int
    """Of the two books that are measured longest."""
    few_rounds: int
    """Of each of the others."""
    entries: tuple[int, ...]
    """Of the tournaments that are played."""
    loadings: int
    exchanges: int
    presses: int
    acknowledgements: int
    replays: int
    starts: int
    idle_seconds: float
    chatter_seconds: float
    watched: int
    """Events that readers and tabs are told of."""
    views: int
    idle: int
    """Connections to the page that say nothing."""
    streams: int
    sign_ins: int


FULL: Final = Sizes(
    rounds=1500,
    few_rounds=100,
    entries=(500, 5000),
    loadings=5,
    exchanges=500,
    presses=100,
    acknowledgements=1000,
    replays=3,
    starts=5,
    idle_seconds=10.0,
    chatter_seconds=10.0,
    watched=600,
    views=5,
    idle=1000,
    streams=200,
    sign_ins=20,
)
TINY: Final = Sizes(
    rounds=3,
    few_rounds=3,
    entries=(20,),
    loadings=1,
    exchanges=5,
    presses=2,
    acknowledgements=10,
    replays=1,
    starts=1,
    idle_seconds=0.5,
    chatter_seconds=0.5,
    watched=12,
    views=1,
    idle=20,
    streams=4,
    sign_ins=2,
)


@dataclass(frozen=True, slots=True)
class Part:
    """One part of the bench: what it measures, in words, and its lines."""

    words: str
    measure: Callable[[], list[Row]]


def parts(sizes: Sizes, directory: Path) -> Iterator[Part]:
    """All parts, in their order; files go to `directory`, whose disk is the one measured."""
    rulebooks = rounds.books()
    _tell("playing the rounds that are measured")
    long = (rounds.HOLDEM, rounds.ULTIMATE)
    played = {book: rounds.play(rulebooks, book, sizes.rounds) for book in long}
    played |= {book: rounds.play(rulebooks, book, sizes.few_rounds) for book in rulebooks if book not in long}
    holdem = played[rounds.HOLDEM]
    told = holdem.events[: sizes.watched]
    yield Part("Table.apply", partial(applying.measure, rulebooks, played))
    yield Part("Tournament.apply", partial(tournaments.measure, sizes.entries))
    yield Part("loading the books", partial(applying.measure_loading, sizes.loadings))
    yield Part("frame to lamp", partial(lamp.measure, rulebooks, directory, sizes.exchanges))
    yield Part("key to lamp over pins", partial(pins.measure, directory / "pins", sizes.presses))
    yield Part("acknowledgement", partial(acknowledging.measure, directory, sizes.acknowledgements))
    yield Part("replay", partial(replaying.measure, rulebooks, holdem, directory, sizes.replays))
    yield Part("start, memory, idling", partial(starting.measure, directory, sizes.starts, sizes.idle_seconds))
    yield Part("twelve keypads that chatter", partial(chattering.measure, directory / "chatter", sizes.chatter_seconds))
    yield Part("what readers of the page wait for", partial(watching.measure, directory, told))
    yield Part("the page in a browser", partial(browsing.measure, directory, told, sizes.views))
    crowd = partial(crowding.measure, directory, sizes.idle, sizes.streams, sizes.sign_ins)
    yield Part("a page that many lean on", crowd)


@dataclass(slots=True)
class Measured:
    """What the bench has found: its lines, and the parts that could not be measured, with the reason."""

    rows: list[Row] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)


def measure(of: Iterable[Part]) -> Measured:
    """Measure part after part. One that fails takes none of the others' lines with it: they took minutes."""
    found = Measured()
    for part in of:
        _tell(part.words)
        try:
            found.rows += part.measure()
        except Exception as reason:  # noqa: BLE001 - whatever it is, it is told, and the program's status is 1
            found.failed.append(f"{part.words}: {type(reason).__name__}: {reason}")
            _tell(f"NOT MEASURED: {found.failed[-1]}")
    return found


def _tell(what: str) -> None:
    sys.stderr.write(f"bench: {what}\n")


def main() -> int:
    """The program; returns its exit status, 1 where a part could not be measured."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description="Measure what the goals speak of.")
    parser.add_argument("--tiny", action="store_true", help="at sizes that say nothing, to see that it runs")
    parser.add_argument(
        "--folder", type=Path, default=Path("/var/tmp"), help="on the disk that is measured (default: /var/tmp)"
    )
    parser.add_argument("--only", metavar="WORDS", default="", help="those parts alone whose name has these words")
    given = parser.parse_args()
    start = monotonic()
    with tempfile.TemporaryDirectory(prefix="feltd-bench-", dir=given.folder) as directory:
        print(machine(Path(directory)))
        every = parts(TINY if given.tiny else FULL, Path(directory))
        found = measure(part for part in every if given.only in part.words)
        if not found.rows and not found.failed:
            parser.error(f"--only {given.only}: no part has these words in its name")
        print(table(found.rows))
    for failed in found.failed:
        print(f"not measured: {failed}")
    print(f"{monotonic() - start:.0f} s in all, {load()} at the end. A ratio is value by beside, or by goal.")
    return int(bool(found.failed))


if __name__ == "__main__":
    sys.exit(main())
