"""`python -m tests.second_opinion`: random legal hands by feltd and by pokerkit. Status 1 where they differ."""

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from typing import Final

from tests.second_opinion.compare import Tally, play
from tests.second_opinion.differences import Seen
from tests.second_opinion.games import GAMES

SHOWN: Final = 5
"""Differences of a book that are printed."""
SEEDS: Final = 1_000_000
"""Hands that one seed of the command leads to, before those of the next."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Play, compare and tell. Gives the exit status: 0 all the same, 1 a difference, 2 a book that is not here."""
    asked = _parser().parse_args(arguments)
    names = asked.books.split(",") if asked.books else list(GAMES)
    if strangers := [name for name in names if name not in GAMES]:
        print(f"no such book: {', '.join(strangers)}; there are {', '.join(GAMES)}", file=sys.stderr)
        return 2
    seen, differ = Seen(), 0
    first = (asked.seed - 1) * SEEDS
    for name in names:
        began = time.monotonic()
        tally = play(GAMES[name], range(first, first + asked.hands))
        print("\n".join(_lines(name, tally, time.monotonic() - began)), flush=True)
        seen.update(tally.seen)
        differ += len(tally.differences)
    print("\nWhere pokerkit plays otherwise, and the text decides:")
    for known, times in seen.most_common():
        print(f"  {times:7} × {known.value}")
    print(f"\n{differ} hands differ" if differ else "\nno hand differs")
    return 1 if differ else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.second_opinion", description=__doc__)
    parser.add_argument("--books", help="only these, by id, with commas; default all")
    parser.add_argument("--hands", type=int, default=10_000, help="hands a book")
    parser.add_argument("--seed", type=int, default=1, help="another seed gives other hands")
    return parser


def _lines(name: str, tally: Tally, seconds: float) -> Iterator[str]:
    yield (
        f"{name}: {tally.hands} hands of {min(tally.players)} to {max(tally.players)} players, "
        f"{tally.actions} actions, {tally.all_ins} all-ins, {tally.short_posts} short of a blind or ante, "
        f"{tally.showdowns} showdowns, {tally.side_pots} with side pots (up to {tally.most_pots} pots), "
        f"{tally.illegal} illegal actions; {len(tally.differences)} differ ({seconds:.0f} s)"
    )
    for difference in tally.differences[:SHOWN]:
        yield f"  {difference}"


if __name__ == "__main__":
    sys.exit(main())
