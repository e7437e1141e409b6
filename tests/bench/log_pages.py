"""Which pages of the record a commit writes to SQLite's log: `python -m tests.bench.log_pages`. Half a minute.

Rounds of Hold'em with six players are played through keeper and journal, each event a commit of its own. After each
the new frames of the log are read: which page each one has, by its number or by the kind that its first byte names.
"""

import argparse
import asyncio
import sqlite3
import struct
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Final

from feltd.record import Source
from feltd.record.database import PAGE_BYTES
from feltd.table.keeper.deliveries import Delivery
from table_fsm.events import Event
from tests.bench import rounds
from tests.bench.card import BLOCK_BYTES, ROUND_SECONDS, WARMING
from tests.feltd.table_support import BOOT, Bench, FakeTime

_HEADER, _FRAME_HEADER, _FILE_HEADER = 32, 24, 100
"""Bytes before the log's first frame, before each frame's page, and before the first page's own kind."""
FIRST: Final = "the first page"
"""Its header has how many pages there are."""
_KINDS: Final = {
    2: "an index, within",
    5: "entries, within",
    10: "an index, leaf",
    13: "entries, leaf",
    0: "what is left of a long entry",
}
"""By a page's first byte (SQLite's file format, 1.6); 0 is none and the first byte of the next page's number."""


@dataclass(frozen=True, slots=True)
class Counted:
    """Pages by kind, over commits that were counted; `blocks`: of `BLOCK_BYTES` that the log's writes touched."""

    commits: int
    entries: int
    pages: Mapping[str, int]
    blocks: int

    def __str__(self) -> str:
        head = f"{self.commits} commits, {self.entries} entries, {sum(self.pages.values())} pages"
        lines = [f"| {kind} | {count / self.commits:.2f} |" for kind, count in Counter(self.pages).most_common()]
        told = f"{head}, {self.blocks / self.commits:.2f} blocks of {BLOCK_BYTES} bytes a commit"
        return "\n".join([told, "", "| page | a commit |", "| --- | --- |", *lines])


class LogReader:
    """Reads the frames that each commit has added to a record's log."""

    def __init__(self, journal: Path) -> None:
        self._log = journal.with_name(f"{journal.name}-wal")
        with closing(sqlite3.connect(f"file:{journal}?mode=ro", uri=True)) as record:
            self._head: int = record.execute("SELECT rootpage FROM sqlite_master WHERE name = 'head'").fetchone()[0]
        self._salt = b""
        self._place = _HEADER

    def added(self) -> tuple[list[str], int]:
        """The kinds of the pages that came since the last look, and how many blocks they lie in."""
        data = self._log.read_bytes()
        if data[16:24] != self._salt:  # it began anew
            self._salt, self._place = data[16:24], _HEADER
        begin = self._place
        kinds = list(self._frames(data))
        blocks = (self._place - 1) // BLOCK_BYTES - begin // BLOCK_BYTES + 1 if kinds else 0
        return kinds, blocks

    def _frames(self, data: bytes) -> Iterator[str]:
        size = _FRAME_HEADER + PAGE_BYTES
        while (frame := data[self._place : self._place + size])[8:16] == self._salt and len(frame) == size:
            self._place += size
            yield self._kind(frame)

    def _kind(self, frame: bytes) -> str:
        [number] = struct.unpack(">I", frame[:4])
        if number == 1:
            return FIRST
        return "the head" if number == self._head else _KINDS[frame[_FRAME_HEADER]]


def _at(event: Event, t: float) -> list[Event]:
    return [replace(event, t=t)]


async def count(folder: Path, played: Sequence[Sequence[Event]]) -> Counted:
    """Play these rounds onto a journal in `folder`; what their commits wrote, once `WARMING` of them are over."""
    bench = Bench(folder, FakeTime())
    await bench.synced()
    counters, log = bench.journal.health.counters, LogReader(folder / "table.journal")
    pages: Counter[str] = Counter()
    number = commits = blocks = entries_before = 0
    for round_number, events in enumerate(played):
        if round_number == WARMING:
            entries_before = counters.entries
        for event in events:
            number += 1
            bench.keeper.deliver(Delivery("table", partial(_at, event), Source("table", BOOT, number)))
            bench.time.pass_(ROUND_SECONDS / len(events))
            await bench.synced()
            kinds, touched = log.added()
            if round_number >= WARMING:
                commits, blocks = commits + 1, blocks + touched
                pages.update(kinds)
    entries = counters.entries - entries_before
    bench.journal.close()
    return Counted(commits, entries, pages, blocks)


def main() -> None:
    """The program."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.log_pages", description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=6)
    given = parser.parse_args()
    played = rounds.play(rounds.books(), rounds.HOLDEM, WARMING + given.rounds).rounds
    with tempfile.TemporaryDirectory(prefix="feltd-pages-", dir="/var/tmp") as place:
        print(asyncio.run(count(Path(place), played)))


if __name__ == "__main__":
    main()
