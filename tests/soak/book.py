"""One book's run, on from where its folder is: `python -m tests.soak` starts one of these for each book.

Prints what the run has shown. Ends in good order, with all processes that it started, at SIGTERM, and where its
standard input ends. Exits with 0 where the book is played and nothing is wrong, with 1 where something is, with 3 where
it was ended before that.
"""

import argparse
import asyncio
import os
import signal
import sys
from contextlib import ExitStack
from enum import IntEnum
from pathlib import Path

from tests.devices.direct_play import books
from tests.soak.floor_beside import floor_beside
from tests.soak.judging import judged
from tests.soak.playing import Playing, door_of
from tests.soak.stretches import StretchFile, events_of, stretches


class Ended(IntEnum):
    """How a run ended, as its exit code."""

    FINE = 0
    WRONG = 1
    STOPPED = 3


def table_folder(folder: Path, book: str) -> Path:
    """Where the files of a book's table are, in the folder of the soak."""
    return folder / "tables" / book


def play(book: str, folder: Path, events: int, seed: int, *, floor: bool) -> Ended:
    """Play one book until its record has so many events, and judge it. `folder`: of the soak."""
    at = table_folder(folder, book)
    at.mkdir(parents=True, exist_ok=True)
    signal.signal(signal.SIGTERM, _leave)
    with StretchFile(at) as file, ExitStack() as stack:
        start_floor = None
        if floor:
            ours = folder / "floors" / book
            start_floor = stack.enter_context(floor_beside(at / "floor", ours, door_of(at)))
        playing = Playing(books()[book], at, events, seed + file.number - 1, file, start_floor)
        is_played = asyncio.run(_until_told(playing))
        signal.signal(signal.SIGTERM, signal.SIG_IGN)  # the database ends now
    signal.signal(signal.SIGTERM, _leave)
    if not is_played:
        return _not_played(book, at, events)
    soaked = judged(book, at)
    print(soaked.line(), flush=True)
    return Ended.WRONG if soaked.faults else Ended.FINE


def _not_played(book: str, at: Path, events: int) -> Ended:
    played = stretches(at)
    end = played[-1].end
    faults = () if end is None else end.faults
    words = "; ".join(faults) or "ended before its time: it goes on from there"
    print(f"{book}: {events_of(played):,} of {events:,} events; {words}", flush=True)
    return Ended.WRONG if faults else Ended.STOPPED


def _leave(*_: object) -> None:
    """End by an exception: what was started is ended on the way."""
    sys.exit(Ended.STOPPED)


async def _until_told(playing: Playing) -> bool:
    """Play on; whether the book is played."""
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, playing.stop)
    loop.add_reader(sys.stdin.fileno(), _heard, playing)
    return await playing.run()


def _heard(playing: Playing) -> None:
    """Whoever started this process has ended where nothing can be read any more."""
    if not os.read(sys.stdin.fileno(), 4096):
        asyncio.get_running_loop().remove_reader(sys.stdin.fileno())
        playing.stop()


def main() -> int:
    """The process; its exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.soak.book", description="One book of a soak.")
    parser.add_argument("book", choices=sorted(books()))
    parser.add_argument("--events", type=int, required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--no-floor", action="store_true")
    given = parser.parse_args()
    return play(given.book, given.folder, given.events, given.seed, floor=not given.no_floor)


if __name__ == "__main__":
    sys.exit(main())
