"""A long time of play, compressed: `python -m tests.soak`, `make soak`.

Each rulebook has a table of its own in processes of its own, dealt as fast as it goes: dealers who err in every third
round, wires that are noisy or silent, devices that start anew, and a reader at the page. Afterwards the record is
verified and replayed; memory and open files at the end are held against those after a fifth of the run. Exits with 1
where something is wrong.
"""

import argparse
import asyncio
import sys
import tempfile
from pathlib import Path

from tests.bench.report import machine
from tests.devices.direct_play import books
from tests.soak.running import Soaked, soak


def line(soaked: Soaked) -> str:
    """What one run has shown, on a line."""
    warm, last = soaked.warm, soaked.samples[-1]
    return (
        f"{soaked.book}: {soaked.rounds:,} rounds, {soaked.events:,} events in {soaked.seconds:,.0f} s "
        f"({soaked.events / soaked.seconds:,.0f}/s); memory {warm.resident:.1f} → {last.resident:.1f} MiB, open files "
        f"{warm.descriptors} → {last.descriptors}; record {soaked.record_bytes / soaked.events:,.0f} bytes an event; "
        f"the page's reader got {soaked.read:,} bytes; " + ("; ".join(soaked.faults) or "nothing is wrong")
    )


def main() -> int:
    """The program; its exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description="A long time of play, compressed.")
    parser.add_argument("--events", type=int, default=2_000_000, help="in all, shared by the books (2,000,000)")
    parser.add_argument("--book", action="append", choices=sorted(books()), help="this one alone; may be given again")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", type=Path, default=Path("/var/tmp"), help="for the records (default: /var/tmp)")
    given = parser.parse_args()
    chosen = given.book or sorted(books())
    wrong = False
    with tempfile.TemporaryDirectory(prefix="feltd-soak-", dir=given.folder) as directory:
        print(machine(Path(directory)), flush=True)
        for name in chosen:
            soaked = asyncio.run(soak(books()[name], Path(directory) / name, given.events // len(chosen), given.seed))
            print(line(soaked), flush=True)
            wrong = wrong or bool(soaked.faults)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
