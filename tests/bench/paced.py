"""A card's frame to the lamp's over wires of a serial line's speed: `python -m tests.bench.paced`, `make bench-wire`.

As `tests.bench.lamp`, with wires that carry so many bytes a second as a line of this speed does. What counts is the
median, over the time that the wire alone needs for the bytes of the event's frame and of the frames up to the lamp's.
Beside it stands a bare echo over wires of the same speed. About two minutes.
"""

import argparse
import asyncio
import json
import sys
import tempfile
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from statistics import mean, median
from typing import Final

from firmware_bridge.limits import PROTOCOL_MAX, PROTOCOL_MIN
from table_fsm.rulebook import Rulebook
from tests.bench import errands, lamp, paced_wire, rounds
from tests.bench.report import Row, Spread, machine, micro, table

SPEEDS: Final = (115_200, 1_000_000)
GOAL: Final = 1.15
"""Times what the wire needs for the bytes."""
REST: Final = 0.02
_ROOT: Final = Path(__file__).resolve().parents[2]


class PacedBenchError(Exception):
    """The wires' process did not start."""


def measure(rulebooks: Mapping[str, Rulebook], directory: Path, exchanges: int) -> list[Row]:
    """The lines; files go to `directory`. Raises LampBenchError, PacedBenchError."""
    errand_list = errands.errands(rulebooks, lamp.WARM_UP + exchanges)
    file = directory / "errands.json"
    errands.write(file, errand_list)
    rows = []
    for baud in SPEEDS:
        for version in range(PROTOCOL_MIN, PROTOCOL_MAX + 1):
            over = partial(wires, baud)
            said = asyncio.run(lamp.exchange(rulebooks, errand_list, file, REST, version=version, wires=over))
            rows.append(_row(baud, version, said))
    return rows


@asynccontextmanager
async def wires(baud: int, paths: lamp.Paths) -> AsyncIterator[lamp.Paths]:
    """Paths for the host that carry what these carry, at this speed. Raises PacedBenchError."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", paced_wire.__name__, str(baud), *paths.values(),
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, cwd=_ROOT,
    )  # fmt: skip
    assert process.stdout is not None
    line = await process.stdout.readline()
    if not line:
        raise PacedBenchError("the wires' process ended: its message is above")
    try:
        yield dict(zip(paths, json.loads(line), strict=True))
    finally:
        await process.communicate(b"")


def _row(baud: int, version: int, said: Mapping[str, list[float]]) -> Row:
    waits, carried = said["protocol"][lamp.WARM_UP :], said["bytes"][lamp.WARM_UP :]
    ratio = median(
        wait / (paced_wire.seconds(int(count), baud) * 1e6) for wait, count in zip(waits, carried, strict=True)
    )
    wire = median(paced_wire.seconds(int(count), baud) * 1e6 for count in carried)
    echo = Spread.of(said["echo"][lamp.WARM_UP :])
    return Row(
        f"Frame to lamp at {baud:,} baud, protocol {version}, {mean(carried):.0f} bytes, {len(waits)} times",
        str(Spread.of(waits)),
        f"the wire alone p50 {micro(wire)}; a bare echo over it p50 {micro(echo.p50)}",
        ratio,
        f"p50 under {GOAL} × the wire's own time",
        ratio <= GOAL,
    )


def main() -> None:
    """The program."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.paced", description=__doc__.partition("\n")[0])
    parser.add_argument("--exchanges", type=int, default=300, help="of each speed and protocol (default: 300)")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="feltd-bench-") as directory:
        print(machine(Path(directory)))
        print(table(measure(rounds.books(), Path(directory), given.exchanges)))


if __name__ == "__main__":
    main()
