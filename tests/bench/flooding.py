"""One keypad's waits beside a device that floods, and beside the same device at rest.

`python -m tests.bench.flooding`, or `make bench-flood`. The device sends statuses as fast as its terminal takes them,
then events as fast as they are acknowledged.
"""

import argparse
import asyncio
import sys
import tempfile
from pathlib import Path
from typing import Final

from tests.bench import flooder
from tests.bench.chatterers import LIGHTS
from tests.bench.chattering import chattering, lay_out
from tests.bench.pairs import rows_of, take_pairs
from tests.bench.report import Row, machine, table
from tests.bench.starting import ready
from tests.bench.toggled import toggled
from tests.bench.turns import turns_told
from tests.ports import free_port

GOAL: Final = 1.5
"""Times the table whose devices all keep their pace, at p99."""
FLOODS: Final = ("statuses", "events")


class FloodingBenchError(Exception):
    """The flooding device ended."""


def measure(directory: Path, pairs: int, seconds: float) -> list[Row]:
    """The lines; files go to `directory`. Raises ChatterBenchError, StartBenchError, FloodingBenchError."""
    directory.mkdir(exist_ok=True)
    rows: list[Row] = []
    for what in FLOODS:
        folder = directory / what
        folder.mkdir()
        rows += asyncio.run(_measure(folder, what, pairs, seconds))
    return rows


async def _measure(folder: Path, what: str, pairs: int, seconds: float) -> list[Row]:
    file = lay_out(folder, str(folder), f"{folder}/table.journal", lambda name: f"{folder}/{name}", free_port(), 2)
    flooding, others = (
        toggled(_ended, flooder.__name__, str(folder), "keys-2", what),
        chattering(folder, ("keys-1", LIGHTS)),
    )
    async with flooding as flood, others as devices, ready(file, "run") as daemon:
        await devices.all_up(2)
        with turns_told(daemon.process.pid):
            taken = await take_pairs(devices, flood.at_work, pairs, seconds)
    _tell(f"{what}: {sum(map(int, flood.answers))} sent in {pairs} turns")
    return rows_of(f"Beside a device that floods with {what}", taken, GOAL)


def _ended() -> FloodingBenchError:
    return FloodingBenchError("the flooding device ended: its message is above")


def _tell(what: str) -> None:
    sys.stderr.write(f"bench: {what}\n")


def main() -> None:
    """The program."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.flooding", description=__doc__.partition("\n")[0])
    parser.add_argument("--pairs", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=6.0, help="of each turn (default: 6)")
    parser.add_argument("--folder", type=Path, default=Path("/var/tmp"), help="on the disk that is measured")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="feltd-bench-", dir=given.folder) as directory:
        print(machine(Path(directory)))
        print(table(measure(Path(directory) / "table", given.pairs, given.seconds)))


if __name__ == "__main__":
    main()
