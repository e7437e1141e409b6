"""What ten hands of Hold'em take to judge, with tables of hands that are made and with those of the package's file.

`python -m tests.bench.hands`. Each in an interpreter of its own, in turn: a process keeps the tables that it has.
"""

import random
import subprocess
import sys
import timeit
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from feltd.table.host.hand_tables import map_hand_tables
from table_fsm.felt import full_deck
from table_fsm.poker.hands.evaluation import STANDARD
from table_fsm.poker.hands.made_before import hand_file

SHOWDOWNS: Final = 200
REPEATED: Final = 25
TURNS: Final = 3
_HANDS: Final = 10
_BOARD: Final = 5
_SEED: Final = 3
_ROOT: Final = Path(__file__).resolve().parents[2]


def measure(showdowns: int = SHOWDOWNS, repeated: int = REPEATED) -> float:
    """Seconds of a showdown, the least of the repetitions."""
    STANDARD.warm_up()
    rnd, deck = random.Random(_SEED), sorted(full_deck())
    dealt = [rnd.sample(deck, _BOARD + 2 * _HANDS) for _ in range(showdowns)]

    def judge() -> None:
        for cards in dealt:
            board = cards[:_BOARD]
            for place in range(_BOARD, len(cards), 2):
                STANDARD.high_value(cards[place : place + 2], board)

    return min(timeit.repeat(judge, number=1, repeat=repeated)) / showdowns


def main() -> None:
    """The program; with a file's path it measures with that one, else without and with one in turn."""
    if len(sys.argv) > 1:
        map_hand_tables(Path(sys.argv[1]))
        print(f"{measure() * 1e6:.1f}")
        return
    with TemporaryDirectory(prefix="feltd-bench-") as folder:
        file, none = Path(folder) / "hands", Path(folder) / "none"
        file.write_bytes(hand_file())
        for turn in range(1, TURNS + 1):
            for words, place in (("made", none), ("of the file", file)):
                command = [sys.executable, "-m", "tests.bench.hands", str(place)]
                said = subprocess.run(command, cwd=_ROOT, capture_output=True, text=True, check=True).stdout
                print(f"{turn}: tables {words}: {said.strip()} µs a showdown of {_HANDS} hands")


if __name__ == "__main__":
    main()
