"""A long time of play, compressed: `python -m tests.soak`, `make soak`.

Each rulebook has a table of its own in processes of its own, dealt as fast as it goes: dealers who err in every third
round, wires that are noisy or silent, devices that start anew, and a reader at the page. Where this machine has a
PostgreSQL server, a floor is beside it: the table's uplink and floord, which must have the same record at the end.
Afterwards the record is verified and replayed; memory and open files of table, uplink and floord at the end are held
against those after a fifth of the run. Exits with 1 where something is wrong.
"""

import argparse
import asyncio
import sys
import tempfile
from pathlib import Path

from table_fsm.rulebook import Rulebook
from tests.bench.report import machine
from tests.devices.direct_play import books
from tests.floor.postgres_support import WHY_NOT, binaries
from tests.soak.floor_beside import floor_beside
from tests.soak.looking import compared
from tests.soak.running import Soaked, door_of, soak


def line(soaked: Soaked) -> str:
    """What one run has shown, on a line."""
    beside = "".join(f"; {name}: {compared(samples)}" for name, samples in soaked.others.items() if samples)
    return (
        f"{soaked.book}: {soaked.rounds:,} rounds, {soaked.events:,} events in {soaked.seconds:,.0f} s "
        f"({soaked.events / soaked.seconds:,.0f}/s); {compared(soaked.samples)}{beside}; "
        f"record {soaked.record_bytes / soaked.events:,.0f} bytes an event; "
        f"the page's reader got {soaked.read:,} bytes; " + ("; ".join(soaked.faults) or "nothing is wrong")
    )


def one(book: Rulebook, folder: Path, events: int, seed: int, *, floor: bool) -> Soaked:
    """Play one book."""
    if not floor:
        return asyncio.run(soak(book, folder, events, seed))
    with floor_beside(folder, door_of(folder)) as start_floor:
        return asyncio.run(soak(book, folder, events, seed, start_floor))


def main() -> int:
    """The program; its exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description="A long time of play, compressed.")
    parser.add_argument("--events", type=int, default=2_000_000, help="in all, shared by the books (2,000,000)")
    parser.add_argument("--book", action="append", choices=sorted(books()), help="this one alone; may be given again")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", type=Path, default=Path("/var/tmp"), help="for the records (default: /var/tmp)")
    parser.add_argument("--no-floor", action="store_true", help="no uplink, floord and PostgreSQL beside the table")
    given = parser.parse_args()
    chosen = given.book or sorted(books())
    wrong = False
    with tempfile.TemporaryDirectory(prefix="feltd-soak-", dir=given.folder) as directory:
        print(machine(Path(directory)), flush=True)
        floor = not given.no_floor and binaries() is not None
        if not floor:
            print(f"no floor is beside the tables: {'as wanted' if given.no_floor else WHY_NOT}", flush=True)
        for name in chosen:
            share = given.events // len(chosen)
            soaked = one(books()[name], Path(directory) / name, share, given.seed, floor=floor)
            print(line(soaked), flush=True)
            wrong = wrong or bool(soaked.faults)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
