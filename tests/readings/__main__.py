"""Read random clean rounds of every book in every way.

    python -m tests.readings --rounds 20000
    python -m tests.readings --rounds 500 --book onyx-cash --seed 7
    python -m tests.readings --reading unread --reading unnamed --reading no-keys     these, and as it is

Prints what each reading told, with the seeds of tables that show it; the status is 1 if anything was told.
"""

import argparse
import time

from tests.readings.readings import READINGS, read
from tests.table_fsm.streams import books


def main() -> int:
    """Read, and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=20_000, help="of each book, in each reading")
    parser.add_argument("--book", action="append", choices=sorted(books()))
    parser.add_argument("--reading", action="append", choices=[reading.name for reading in READINGS])
    parser.add_argument("--seed", type=int, default=0, help="of the first table")
    asked = parser.parse_args()
    wrong = 0
    for book in asked.book or sorted(books()):
        begun = time.monotonic()
        results = read(books()[book], books(), asked.rounds, asked.seed, among=asked.reading)
        print(f"{book}: {time.monotonic() - begun:.0f} s", flush=True)
        for reading in READINGS:
            if reading.name not in results:
                if reading.name in (asked.reading or [reading.name]):
                    print(f"  {reading.words}: the book has no such table", flush=True)
                continue
            result = results[reading.name]
            wrong += len(result.told)
            print(f"  {reading.words}: {result.rounds:,} rounds, {len(result.told)} told", flush=True)
            for words, seeds in result.told.items():
                print(f"    {words} (seeds {', '.join(map(str, seeds))})", flush=True)
    return int(wrong > 0)


if __name__ == "__main__":
    raise SystemExit(main())
