"""What the record writes to a memory card in a day of 600 rounds: `python -m tests.bench.card`, `make card`. As root.

Rounds of Hold'em with six players are played through keeper and journal on an ext4 of their own, thirty an hour as on
a table, but quicker: all times are shorter by the same factor, those too that events may wait, after which a head is
signed, and after which ext4 commits its own journal. Its blocks are those of the image's data partition; `--blocks
4096` has those of a larger disk where nobody says otherwise. What the file system has written to its disk is counted
there, its own journal included, once the first rounds are over: files grow in them to the size that they keep.

The kernel's own time, after which it writes memory that nobody has synced, is not shortened: with `--quicker 1` a run
takes two minutes a round, and counts that as on a table.
"""

import argparse
import asyncio
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Final

from feltd.record import Source
from feltd.table.journal.signing import SPAN
from feltd.table.keeper.deliveries import Delivery
from table_fsm.events import Event
from tests.bench import rounds
from tests.feltd.table_support import BOOT, Bench, FakeTime

ROUNDS_A_DAY: Final = 600
"""Thirty an hour, twenty hours."""
ROUND_SECONDS: Final = 120.0
MEBIBYTES: Final = 256
BLOCK_BYTES: Final = 1024
"""As `image/genimage.cfg` and the install guide have them."""
WHOLE_AT_ONCE: Final = "lazy_itable_init=0,lazy_journal_init=0"
"""Else the kernel goes on making the file system while the rounds are played, and that is counted as theirs."""
EXT4_COMMIT_SECONDS: Final = 5.0
"""Its own default of the mount option `commit`: after which it writes files' times where no sync does sooner."""
QUICKER: Final = 5.0
"""The most that this option can follow: it takes whole seconds."""
TOOLS: Final = ("mke2fs", "mount", "umount", "losetup")
WARMING: Final = 2
"""Rounds that are not counted."""
_SECTOR: Final = 512
_WRITTEN: Final = 6
"""Of the fields of /sys/block/DISK/stat: sectors written."""


@dataclass(frozen=True, slots=True)
class Written:
    """Bytes that reached the disk, with what was played meanwhile."""

    gather_seconds: float
    bytes: int
    events: int
    rounds: int
    commits: int

    @property
    def a_day(self) -> float:
        """Bytes in a day of `ROUNDS_A_DAY` rounds."""
        return self.bytes / self.rounds * ROUNDS_A_DAY

    def __str__(self) -> str:
        together, an_event, a_round = self.events / self.commits, self.bytes / self.events, self.bytes / self.rounds
        kib = f"{an_event / 1024:.1f} KiB | {a_round / 1024:.0f} KiB"
        return f"| {self.gather_seconds:g} s | {together:.1f} | {kib} | {self.a_day / (1 << 20):.0f} MiB |"


@contextmanager
def own_disk(image: Path, folder: Path, options: str, block_bytes: int = BLOCK_BYTES) -> Iterator[Path]:
    """An empty ext4 in the file `image`, mounted at `folder`; gives the file in which the kernel counts its writes."""
    image.touch()
    os.truncate(image, MEBIBYTES << 20)
    subprocess.run(["mke2fs", "-q", "-t", "ext4", "-b", str(block_bytes), "-E", WHOLE_AT_ONCE, image], check=True)
    folder.mkdir()
    subprocess.run(["mount", "-o", f"loop,{options}", image, folder], check=True)
    try:
        asked = ["losetup", "--noheadings", "--output", "NAME", "--associated", str(image)]
        device = subprocess.run(asked, check=True, capture_output=True, text=True).stdout.strip()
        yield Path("/sys/block") / Path(device).name / "stat"
    finally:
        subprocess.run(["umount", folder], check=True)


def sectors(stat: str) -> int:
    """How many sectors were written, of what /sys/block/DISK/stat says."""
    return int(stat.split()[_WRITTEN])


def _at(event: Event, t: float) -> list[Event]:
    return [replace(event, t=t)]


async def play(
    folder: Path, stat: Path, played: Sequence[Sequence[Event]], gather_seconds: float, quicker: float
) -> Written:
    """Play these rounds onto the journal in `folder`, each event at its time; what was written after `WARMING` of them.

    `stat`: the kernel's count of that disk.
    """
    bench = Bench(folder, FakeTime(), gather_seconds=gather_seconds / quicker, sign_seconds=SPAN / quicker)
    number = bytes_before = commits_before = 0
    for round_number, events in enumerate(played):
        if round_number == WARMING:
            await bench.synced()
            bytes_before, commits_before = _written(stat), bench.journal.health.counters.groups
        pause = ROUND_SECONDS / len(events)
        for event in events:
            number += 1
            source = Source("table", BOOT, number)
            taken = Delivery("table", partial(_at, event), source, kept_by_device=True)
            bench.keeper.deliver(taken)
            bench.time.pass_(pause)
            await asyncio.sleep(pause / quicker)
    await bench.synced()
    commits = bench.journal.health.counters.groups - commits_before
    bench.journal.close()
    counted = played[WARMING:]
    return Written(gather_seconds, _written(stat) - bytes_before, sum(map(len, counted)), len(counted), commits)


def _written(stat: Path) -> int:
    """Bytes written to the disk, nothing left in the kernel's memory."""
    os.sync()
    return sectors(stat.read_text(encoding="ascii")) * _SECTOR


def mount_options(commit_seconds: float, quicker: float) -> str:
    """The options with which ext4 commits as often in a round as at a table where it does after so many seconds."""
    return f"noatime,commit={max(1, round(commit_seconds / quicker))}"


def measure(
    place: Path,
    played: Sequence[Sequence[Event]],
    gather_seconds: float,
    quicker: float,
    commit_seconds: float,
    block_bytes: int = BLOCK_BYTES,
) -> Written:
    """What these rounds write where events may wait for so long. `place`: an empty folder on a disk."""
    options = mount_options(commit_seconds, quicker)
    with own_disk(place / "disk.img", place / "disk", options, block_bytes) as stat:
        return asyncio.run(play(place / "disk", stat, played, gather_seconds, quicker))


def main() -> int:
    """The program; its exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.card", description=__doc__)
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--quicker", type=float, default=QUICKER, help="by how much the hours are shortened")
    parser.add_argument("--commit", type=float, default=EXT4_COMMIT_SECONDS, help="ext4's mount option, in seconds")
    parser.add_argument("--blocks", type=int, default=BLOCK_BYTES, metavar="BYTES", help="of its file system")
    parser.add_argument("--gather", type=float, nargs="+", default=[0.0, 2.0, 10.0], metavar="SECONDS")
    given = parser.parse_args()
    missing = [tool for tool in TOOLS if shutil.which(tool) is None]
    if missing or os.geteuid() != 0:
        lacking = f"{', '.join(missing)} is not here" if missing else "a disk of its own wants root"
        print(f"card: {lacking}: apt install e2fsprogs mount, then sudo make card", file=sys.stderr)
        return 2
    played = rounds.play(rounds.books(), rounds.HOLDEM, WARMING + given.rounds).rounds
    print("| events wait for | events a commit | an event | a round | a day of 600 rounds |")
    print("| --- | --- | --- | --- | --- |")
    for seconds in given.gather:
        with tempfile.TemporaryDirectory(prefix="feltd-card-", dir="/var/tmp") as place:
            print(measure(Path(place), played, seconds, given.quicker, given.commit, given.blocks), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
