"""What somebody who has the page's user can make a table write, and whether its keypad waits longer for it.

`python -m tests.bench.insiders`, or `make bench-insider`. The insider (`insider`) speaks the table's socket as the
page does. For each kind of flood: entries, bytes and syncs of the record while the table is at rest, as it begins and
in the long run; then one keypad's waits, with the insider and without, in turn.
"""

import argparse
import asyncio
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Final

from feltd.door.asking.socket_door import SocketDoor
from feltd.table.config.config import load_config
from tests.bench import chatterers, insider
from tests.bench.chattering import chattering, lay_out
from tests.bench.pairs import rows_of, take_pairs
from tests.bench.report import Row, machine, table
from tests.bench.starting import ready
from tests.bench.toggled import toggled
from tests.bench.turns import turns_told
from tests.ports import free_port
from tests.running import running

GOAL: Final = 1.1
"""Times the table that nobody floods, at p99."""


class InsiderBenchError(Exception):
    """The insider ended."""


@dataclass(frozen=True, slots=True)
class Written:
    """How far the record is. `size`: bytes of its files."""

    at: float
    entries: int
    size: int
    syncs: int

    def per_minute(self, before: "Written") -> str:
        """What came since, for a minute."""
        minutes = (self.at - before.at) / 60
        entries, size, syncs = self.entries - before.entries, self.size - before.size, self.syncs - before.syncs
        return f"{entries / minutes:.0f} entries, {size / minutes / 1024:.0f} KiB, {syncs / minutes:.0f} syncs a minute"


def measure(
    directory: Path, pairs: int, seconds: float, burst: float, kinds: Sequence[str] = tuple(insider.KINDS)
) -> list[Row]:
    """The lines; files go to `directory`. `burst`: seconds before it is the long run. Raises ChatterBenchError,
    StartBenchError, InsiderBenchError."""
    directory.mkdir(exist_ok=True)
    rows: list[Row] = []
    for kind in kinds:
        _tell(kind)
        folder = directory / kind.replace(" ", "-")
        folder.mkdir()
        rows += asyncio.run(_measure(folder, kind, pairs, seconds, burst))
    return rows


async def _measure(folder: Path, kind: str, pairs: int, seconds: float, burst: float) -> list[Row]:
    file = lay_out(folder, str(folder), f"{folder}/table.journal", lambda name: f"{folder}/{name}", free_port(), 1)
    place = load_config(file).door_socket
    async with chattering(folder, chatterers.names(1)) as devices, ready(file) as daemon:
        await devices.all_up(2)
        door = SocketDoor(place)
        async with running(door.run()), toggled(_ended, insider.__name__, str(place), kind) as floods:
            await door.reached()
            marks = [await _written(door, folder)]
            async with floods.at_work():
                for wait in (burst, seconds):
                    await asyncio.sleep(wait)
                    marks.append(await _written(door, folder))
            with turns_told(daemon.process.pid):
                taken = await take_pairs(devices, floods.at_work, pairs, seconds)
    return [
        Row(f"An insider floods with {kind}: it writes at first", marks[1].per_minute(marks[0])),
        Row(f"– after {burst:g} s", marks[2].per_minute(marks[1])),
        *rows_of(f"– beside it, {kind}", taken, GOAL),
    ]


async def _written(door: SocketDoor, folder: Path) -> Written:
    record = (await door.state()).journal
    size = sum(file.stat().st_size for file in folder.glob("table.journal*"))  # noqa: ASYNC240 - three files
    return Written(perf_counter(), record.appended, size, record.commits)


def _ended() -> InsiderBenchError:
    return InsiderBenchError("the insider ended: its message is above")


def _tell(what: str) -> None:
    sys.stderr.write(f"bench: {what}\n")


def main() -> None:
    """The program."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.insiders", description=__doc__.partition("\n")[0])
    parser.add_argument("kinds", nargs="*", default=list(insider.KINDS), metavar="KIND", help=", ".join(insider.KINDS))
    parser.add_argument("--pairs", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=6.0, help="of each turn (default: 6)")
    parser.add_argument("--burst", type=float, default=60.0, help="seconds before it is the long run (default: 60)")
    parser.add_argument("--folder", type=Path, default=Path("/var/tmp"), help="on the disk that is measured")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="feltd-bench-", dir=given.folder) as directory:
        print(machine(Path(directory)))
        print(table(measure(Path(directory) / "table", given.pairs, given.seconds, given.burst, given.kinds)))


if __name__ == "__main__":
    main()
