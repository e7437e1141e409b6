"""A long time of play, compressed: `python -m tests.soak`, `make soak`.

Each rulebook has a table of its own in processes of its own, dealt as fast as it goes: dealers who err in every third
round, wires that are noisy or silent, devices that start anew, and a reader at the page. Where this machine has a
PostgreSQL server, a floor is beside it: the table's uplink and floord, which must have the same record at the end.
Afterwards the record is verified and replayed; memory and open files of table, page, uplink and floord at the end are
held against those after a fifth of what they played.

Several books are played at once, those with the fewest events first. All of it is kept in a folder: SIGTERM or Ctrl-C
end a run with all of its processes, and the next one goes on where it was, with new processes: a stretch. So does one
that is asked for more events. Exits with 1 where something is wrong, with 3 where it was ended before its time.
"""

import argparse
import asyncio
import os
import signal
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tests.bench.report import machine
from tests.devices.direct_play import books
from tests.floor.postgres_support import WHY_NOT, binaries
from tests.soak.book import Ended, table_folder
from tests.soak.judging import Soaked, kept_judgement
from tests.soak.stretches import events_of, stretches


@dataclass(slots=True)
class Soak:
    """The books of a run, and the processes that play them. `words`: of each one's command, after its book."""

    left: list[str]
    words: tuple[str, ...]
    _playing: set[asyncio.subprocess.Process] = field(default_factory=set)
    _ended: list[int] = field(default_factory=list)
    _is_stopped: bool = False

    async def run(self, beside: int) -> Ended:
        """Play all books, so many at once."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self.stop)
        await asyncio.gather(*(self._play() for _ in range(beside)))
        if any(code not in (Ended.FINE, Ended.STOPPED) for code in self._ended):
            return Ended.WRONG
        return Ended.STOPPED if self._is_stopped or Ended.STOPPED in self._ended else Ended.FINE

    def stop(self) -> None:
        """End every book that is played, in good order, and begin no other."""
        self._is_stopped = True
        self.left.clear()
        for process in self._playing:
            process.terminate()

    async def _play(self) -> None:
        while self.left:
            command = (sys.executable, "-m", "tests.soak.book", self.left.pop(0), *self.words)
            process = await asyncio.create_subprocess_exec(
                *command, stdin=asyncio.subprocess.PIPE, start_new_session=True
            )
            self._playing.add(process)
            if self._is_stopped:
                process.terminate()
            self._ended.append(await process.wait())
            self._playing.discard(process)


def state(book: str, folder: Path, share: int) -> tuple[int, Soaked | None]:
    """How many events of a book are played, and its judgement where these are its share."""
    at = table_folder(folder, book)
    soaked = kept_judgement(at)
    if soaked is not None and soaked.events >= share:
        return soaked.events, soaked
    return events_of(stretches(at)), None


def fewest_first(found: Mapping[str, tuple[int, Soaked | None]]) -> list[str]:
    """The books that are not played yet, those with the fewest events first: no book is left to the end."""
    return sorted((book for book, (_, soaked) in found.items() if soaked is None), key=lambda book: found[book][0])


def main() -> int:
    """The program; its exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description="A long time of play, compressed.")
    parser.add_argument("--events", type=int, default=2_000_000, help="in all, shared by the books (2,000,000)")
    parser.add_argument("--book", action="append", choices=sorted(books()), help="this one alone; may be given again")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--folder", type=Path, default=Path("/var/tmp/feltd-soak"), help="where it is kept (/var/tmp/feltd-soak)"
    )
    parser.add_argument("--beside", type=int, default=os.cpu_count() or 1, help="books at once (one a processor)")
    parser.add_argument("--no-floor", action="store_true", help="no uplink, floord and PostgreSQL beside the table")
    parser.add_argument("--so-far", action="store_true", help="play nothing: print how far the run in the folder is")
    given = parser.parse_args()
    chosen = given.book or sorted(books())
    share = given.events // len(chosen)
    found = {book: state(book, given.folder, share) for book in chosen}
    for book, (events, soaked) in found.items():
        if soaked is not None:
            print(soaked.line(), flush=True)
        elif events or given.so_far:
            print(f"{book}: {events:,} of {share:,} events so far", flush=True)
    if given.so_far:
        return Ended.FINE
    given.folder.mkdir(parents=True, exist_ok=True)
    print(machine(given.folder), flush=True)
    floor = not given.no_floor and binaries() is not None
    if not floor:
        print(f"no floor is beside the tables: {'as wanted' if given.no_floor else WHY_NOT}", flush=True)
    words = ("--events", str(share), "--seed", str(given.seed), "--folder", str(given.folder))
    ended = asyncio.run(Soak(fewest_first(found), words if floor else (*words, "--no-floor")).run(given.beside))
    before = any(soaked is not None and soaked.faults for _, soaked in found.values())
    return Ended.WRONG if before else ended


if __name__ == "__main__":
    sys.exit(main())
