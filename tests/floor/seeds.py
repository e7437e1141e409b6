"""Custody's simulation over many seeds: `make floor-seeds [SEEDS=10000]`. It says which seed breaks what, and that each
fault that is put in on purpose is found, with the first seed that finds it."""

import argparse
import logging
import os
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import Final

from tests.floor.simulation import BrokenInvariantError, play
from tests.floor.test_simulation import MUTANTS, STEPS, TABLES

_PIECE: Final = 50


def broken_in(seeds: Sequence[int], mutant: str | None = None) -> tuple[int, str] | None:
    """The first of these seeds that breaks an invariant, and which; None where none does."""
    for seed in seeds:
        try:
            if mutant is None:
                play(seed, tables=TABLES, steps=STEPS)
            else:
                play(seed, tables=TABLES, steps=STEPS, parts=MUTANTS[mutant])
        except BrokenInvariantError as broken:
            return seed, str(broken)
    return None


def looked_at(seeds: int, jobs: int) -> Iterator[str]:
    """Play the seeds, then the mutants; a line for each that is not as it must be, and one for each mutant."""
    pieces = [range(first, min(first + _PIECE, seeds)) for first in range(0, seeds, _PIECE)]
    with ProcessPoolExecutor(jobs, initializer=logging.disable, initargs=(logging.CRITICAL,)) as pool:
        for found in pool.map(broken_in, pieces):
            if found is not None:
                yield f"FAILED seed {found[0]}: {found[1]}"
        names = list(MUTANTS)
        for name, found in zip(names, pool.map(broken_in, [range(seeds)] * len(names), names), strict=True):
            yield f"FAILED mutant lives: {name}" if found is None else f"mutant {name}: dies with seed {found[0]}"


def main(words: Sequence[str]) -> int:
    """Play; 1 where a seed breaks an invariant, or a mutant lives."""
    parser = argparse.ArgumentParser(prog="python -m tests.floor.seeds")
    parser.add_argument("--seeds", type=int, default=10_000)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    asked = parser.parse_args(words)
    begun, failed = time.perf_counter(), False
    for line in looked_at(asked.seeds, asked.jobs):
        print(line)
        failed = failed or line.startswith("FAILED")
    seconds = time.perf_counter() - begun
    print(
        f"{asked.seeds} seeds of {TABLES} tables and {STEPS} steps each, in {seconds:.0f} s with {asked.jobs} processes"
    )
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
