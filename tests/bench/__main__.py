"""`python -m tests.bench`: everything, at its full size, in some minutes."""

import argparse
import sys
import tempfile
from dataclasses import dataclass
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


def measure(sizes: Sizes, directory: Path) -> list[Row]:
    """All lines; files go to `directory`, whose disk is the one measured."""
    rulebooks = rounds.books()
    _tell("playing the rounds that are measured")
    long = (rounds.HOLDEM, rounds.ULTIMATE)
    played = {book: rounds.play(rulebooks, book, sizes.rounds) for book in long}
    played |= {book: rounds.play(rulebooks, book, sizes.few_rounds) for book in rulebooks if book not in long}
    _tell("Table.apply")
    rows = applying.measure(rulebooks, played)
    _tell("Tournament.apply")
    rows += tournaments.measure(sizes.entries)
    _tell("loading the books")
    rows += applying.measure_loading(sizes.loadings)
    _tell("frame to lamp")
    rows += lamp.measure(rulebooks, directory, sizes.exchanges)
    _tell("key to lamp over pins")
    rows += pins.measure(directory / "pins", sizes.presses)
    _tell("acknowledgement")
    rows += acknowledging.measure(directory, sizes.acknowledgements)
    _tell("replay")
    rows += replaying.measure(rulebooks, played[rounds.HOLDEM], directory, sizes.replays)
    _tell("start, memory, idling")
    rows += starting.measure(directory, sizes.starts, sizes.idle_seconds)
    _tell("twelve keypads that chatter")
    rows += chattering.measure(directory / "chatter", sizes.chatter_seconds)
    _tell("the page")
    told = played[rounds.HOLDEM].events[: sizes.watched]
    rows += watching.measure(directory, told)
    rows += browsing.measure(directory, told, sizes.views)
    _tell("a page that many lean on")
    rows += crowding.measure(directory, sizes.idle, sizes.streams, sizes.sign_ins)
    return rows


def _tell(what: str) -> None:
    sys.stderr.write(f"bench: {what}\n")


def main() -> None:
    """The program."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description="Measure what the goals speak of.")
    parser.add_argument("--tiny", action="store_true", help="at sizes that say nothing, to see that it runs")
    parser.add_argument(
        "--folder", type=Path, default=Path("/var/tmp"), help="on the disk that is measured (default: /var/tmp)"
    )
    given = parser.parse_args()
    start = monotonic()
    with tempfile.TemporaryDirectory(prefix="feltd-bench-", dir=given.folder) as directory:
        print(machine(Path(directory)))
        print(table(measure(TINY if given.tiny else FULL, Path(directory))))
    print(f"{monotonic() - start:.0f} s in all, {load()} at the end. A ratio is value by beside, or by goal.")


if __name__ == "__main__":
    main()
