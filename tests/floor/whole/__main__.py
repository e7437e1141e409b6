"""Play whole tournaments through real tables and the real floor.

`python -m tests.floor.whole --entries 40 --tables 6 --seed 1` plays one by its seed: real tables deal its hands, a real
floor tends them, and a nemesis cuts tables off, restarts the floor and sends orders twice. The tournament's invariants
are held after each event. `--postgres` keeps it on a PostgreSQL server of its own instead of in memory.

`--structure ID` plays a structure of The Star or of ACT 2001 from its first level to the last place, by the books of
its tables and tournaments; `--structure all` plays each of them once.
"""

import argparse
import asyncio
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import Any

from feltd.floor.postgres import PostgresEngine, prepare
from tests.floor.conftest import as_owner
from tests.floor.postgres_support import server
from tests.floor.whole.structured import STRUCTURES, Structured
from tests.floor.whole.tournament import Figures, Whole


async def play(folder: Path, given: argparse.Namespace) -> Figures:
    """Play one in memory."""
    return await _whole(folder, given).play()


def _whole(folder: Path, given: argparse.Namespace, engine: Any = None) -> Whole:
    size = given.entries, given.tables, given.seed, given.seats, engine, _teller(given)
    if given.structure is None:
        return Whole(folder, *size)
    return Structured(STRUCTURES[given.structure], folder, *size)


def _within(given: argparse.Namespace) -> argparse.Namespace:
    """What is asked, with no more players and tables than the structure has."""
    if given.structure is None:
        return given
    limits = STRUCTURES[given.structure].seats
    one = {"tables": 1, "seats": limits.per_table} if limits.per_table == limits.most_players else {}
    return argparse.Namespace(**{**vars(given), "entries": min(given.entries, limits.most_players), **one})


async def play_kept(folder: Path, given: argparse.Namespace) -> Figures:
    """Play one on a PostgreSQL server that is made for it."""
    with server() as running:
        await prepare(running.address("owner"))
        await as_owner(running, "CREATE ROLE floord LOGIN IN ROLE floor_custody")
        engine = await PostgresEngine.open(running.address("floord"))
        try:
            return await _whole(folder, given, engine).play()
        finally:
            await engine.close()


def _teller(given: argparse.Namespace) -> Callable[[str], None]:
    """Says how far it is on the standard error, where somebody follows it."""
    return (lambda words: print(words, file=sys.stderr, flush=True)) if given.follow else (lambda _: None)


def main(arguments: Sequence[str] | None = None) -> int:
    """Play, and say what happened."""
    parser = argparse.ArgumentParser(prog="python -m tests.floor.whole", description=__doc__)
    parser.add_argument("--entries", type=int, default=40)
    parser.add_argument("--tables", type=int, default=7)
    parser.add_argument("--seats", type=int, default=6, help="at each table")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--structure", choices=["all", *sorted(STRUCTURES)])
    parser.add_argument("--postgres", action="store_true")
    parser.add_argument("--follow", action="store_true", help="say how far it is after each turn")
    given = parser.parse_args(arguments)
    for name in sorted(STRUCTURES) if given.structure == "all" else [given.structure]:
        _play_one(_within(argparse.Namespace(**{**vars(given), "structure": name})))
    return 0


def _play_one(given: argparse.Namespace) -> None:
    """Play one tournament, and write its two lines."""
    begun, used = perf_counter(), process_time()
    with TemporaryDirectory(prefix="feltd-whole-") as folder:
        figures = asyncio.run((play_kept if given.postgres else play)(Path(folder), given))
    played = "" if given.structure is None else f"{given.structure}, {figures.levels} levels, "
    sys.stdout.write(
        f"{played}seed {given.seed}: {given.entries} entries, {given.tables} tables: {figures.hands} hands, "
        f"{figures.events} events, {figures.moves} moves, {figures.broken} tables broken, hand for hand "
        f"{figures.hand_for_hand} times, {figures.alone} hands released by a table alone, {figures.not_played} owed "
        f"hands not played; {figures.cuts} tables cut off, {figures.restarts} floors restarted, {figures.twice} orders "
        f"sent twice; quiet {figures.quiet} times; {perf_counter() - begun:.0f} s, {process_time() - used:.1f} s of a "
        "processor\n"
    )
    sys.stdout.write(", ".join(f"{name} {number}" for name, number in sorted(figures.by_event.items())) + "\n")


if __name__ == "__main__":
    sys.exit(main())
