"""The floor's simulations over many seeds: `make floor-seeds [SEEDS=10000]`. It says which seed breaks what, and that
each fault that is put in on purpose is found, with the first seed that finds it.

Custody and people's decisions play every seed; wishes of several floords play one in twenty, which takes as long."""

import argparse
import logging
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import Final

from tests.floor import commanded, many_floords, test_commanded, test_many_floords
from tests.floor.simulation import BrokenInvariantError, play
from tests.floor.test_simulation import MUTANTS, STEPS, TABLES

_PIECE: Final = 50
_OF_DECISIONS: Final = "decisions: "
_OF_WISHES: Final = "wishes: "
_RARER: Final = 20
Played = Callable[[int, str | None], None]
Broken = Callable[..., tuple[int, str] | None]


def _play(seed: int, mutant: str | None) -> None:
    play(seed, tables=TABLES, steps=STEPS, parts=None if mutant is None else MUTANTS[mutant])


def _play_decisions(seed: int, mutant: str | None) -> None:
    commanded.play(seed, parts=None if mutant is None else test_commanded.MUTANTS[mutant])


def _play_wishes(seed: int, mutant: str | None) -> None:
    parts = None if mutant is None else test_many_floords.MUTANTS[mutant]
    passes, books = mutant is None and seed % 3 == 0, mutant is None and seed // 2 % 2 == 1
    books = books or mutant in test_many_floords.WISH_BOOKS
    with test_many_floords.ruled(mutant):
        many_floords.play(seed, floords=2 + seed % 2, parts=parts, passes=passes, books=books)


def broken_in(seeds: Sequence[int], mutant: str | None = None) -> tuple[int, str] | None:
    """The first of these seeds that breaks an invariant of custody, and which; None where none does."""
    return _broken(_play, seeds, mutant)


def broken_decisions_in(seeds: Sequence[int], mutant: str | None = None) -> tuple[int, str] | None:
    """The same of people's decisions at one floord."""
    return _broken(_play_decisions, seeds, mutant)


def broken_wishes_in(seeds: Sequence[int], mutant: str | None = None) -> tuple[int, str] | None:
    """The same of commands and wishes of several floords."""
    return _broken(_play_wishes, seeds, mutant)


def _broken(played: Played, seeds: Sequence[int], mutant: str | None) -> tuple[int, str] | None:
    for seed in seeds:
        try:
            played(seed, mutant)
        except BrokenInvariantError as broken:
            return seed, str(broken)
    return None


def looked_at(seeds: int, jobs: int) -> Iterator[str]:
    """Play the seeds, then the mutants; a line for each that is not as it must be, and one for each mutant."""
    with ProcessPoolExecutor(jobs, initializer=logging.disable, initargs=(logging.CRITICAL,)) as pool:
        yield from _looked_at(pool, "", broken_in, seeds, dict.fromkeys(MUTANTS, ()))
        of_decisions = dict.fromkeys(test_commanded.MUTANTS, ())
        yield from _looked_at(pool, _OF_DECISIONS, broken_decisions_in, seeds, of_decisions)
        of_wishes = {name: test_many_floords.FOUND_BY.get(name, ()) for name in test_many_floords.MUTANTS}
        yield from _looked_at(pool, _OF_WISHES, broken_wishes_in, -(-seeds // _RARER), of_wishes)


def _looked_at(
    pool: ProcessPoolExecutor, what: str, broken: Broken, seeds: int, mutants: Mapping[str, Sequence[int]]
) -> Iterator[str]:
    """`mutants`: by name the seeds that are played first, which find a rare one."""
    pieces = [range(first, min(first + _PIECE, seeds)) for first in range(0, seeds, _PIECE)]
    for found in pool.map(broken, pieces):
        if found is not None:
            yield f"FAILED {what}seed {found[0]}: {found[1]}"
    first = [(*rare, *range(seeds)) for rare in mutants.values()]
    for name, found in zip(mutants, pool.map(broken, first, mutants), strict=True):
        yield (
            f"FAILED {what}mutant lives: {name}" if found is None else f"{what}mutant {name}: dies with seed {found[0]}"
        )


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
