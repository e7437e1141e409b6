"""The suites of `make hil`, two at a time, for `.ci/run`: `python -m hil_tests.side_by_side FOLDER`.

One virtual machine keeps one processor busy. Two lanes take suite after suite, the longest of all first, so that
neither waits for the other for long, whatever a suite takes on this machine. What each has said is kept in FOLDER
(`tests/second_try.py`) and shown at its end; in the end all are judged, and the status is 1 where one has failed.

All suites take longer than a run of `.ci/run` may. Two run each time. The others take turns, by the commit's hash, and
what has no turn is named. `--all` runs them all, as `make hil` does one after the other.
"""

import argparse
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from tests.second_try import beside

LANES: Final = 2
Suites = tuple[tuple[str, ...], ...]
"""By the names of their files, where a part of one runs with the mark that its tests have. Those of one suite run one
after the other: each wants three servers of this machine."""

EACH_TIME: Final[Suites] = (("install",), ("elsewhere",))
"""What an owner does first: the package, on this Debian, on others and on arm64. The longest first."""
IN_TURN: Final[tuple[Suites, ...]] = (
    (("service -m in_play",),),
    (("service -m hung",),),
    (("power_cuts",), ("house_power",), ("badge_readers",)),
    (("grub",), ("floor_cluster_apart", "floor_cluster"), ("image",), ("update_by_rauc",), ("board",)),
)
"""One of these each time, the longest of each first. An emulated machine with a whole table (`service`) takes as long
as all others together, eighteen minutes of a processor: it runs in two halves, each with a machine of its own."""
LONGER: Final = IN_TURN[0] + IN_TURN[1]
"""What takes longer than the longest of those that run each time: begun behind one of them, it ran on alone."""
BY_HAND: Final = ("arm64", "update")
"""What takes a quarter of an hour of a processor, or hours."""
_TRY: Final = (sys.executable, "-m", "tests.second_try")
_ROOT: Final = Path(__file__).resolve().parents[1]


@dataclass
class Lanes:
    """Commands that run side by side. `shown` is told of each that has ended."""

    commands: Iterable[tuple[str, Sequence[str]]]
    shown: Callable[[str], None]
    _turn: threading.Lock = field(default_factory=threading.Lock)
    _running: dict[str, "subprocess.Popen[bytes]"] = field(default_factory=dict)
    _stopped: threading.Event = field(default_factory=threading.Event)

    def run(self, lanes: int = LANES) -> None:
        """Run all, so many at a time, in their order."""
        waiting = iter(self.commands)
        threads = [threading.Thread(target=self._lane, args=(waiting,)) for _ in range(lanes)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def stop(self) -> None:
        """Begin none any more, and tell those that run to end."""
        self._stopped.set()
        for process in tuple(self._running.values()):
            process.terminate()

    def _lane(self, waiting: Iterable[tuple[str, Sequence[str]]]) -> None:
        while (process := self._next(waiting)) is not None:
            name, begun = process
            begun.wait()
            with self._turn:
                del self._running[name]
                self.shown(name)

    def _next(self, waiting: Iterable[tuple[str, Sequence[str]]]) -> "tuple[str, subprocess.Popen[bytes]] | None":
        with self._turn:
            for name, command in waiting:
                if self._stopped.is_set():
                    return None
                begun = subprocess.Popen(
                    command, cwd=_ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
                )
                self._running[name] = begun
                if self._stopped.is_set():  # it was told while this one began
                    begun.terminate()
                return name, begun
        return None


def in_turn(commit: str) -> Suites:
    """The suites that have their turn at the commit of this hash (hexadecimal)."""
    return IN_TURN[int(commit, 16) % len(IN_TURN)]


def in_order(turns: Iterable[Suites]) -> Suites:
    """The suites that run each time and those of these turns, the longest first."""
    suites = (*EACH_TIME, *(suite for turn in turns for suite in turn))
    return tuple(sorted(suites, key=lambda suite: suite not in LONGER))


def _commit() -> str:
    command = ("git", "rev-parse", "--verify", "HEAD")
    return subprocess.run(command, cwd=_ROOT, capture_output=True, text=True, check=True).stdout.strip()


def files(suite: Iterable[str]) -> str:
    """What pytest is given for a suite."""
    named = (name.partition(" ") for name in suite)
    return " ".join(f"hil_tests/test_{name}.py{blank}{mark}" for name, blank, mark in named)


def place_of(suite: Sequence[str]) -> str:
    """The name of what a suite has said, in the folder of this run: its first file's."""
    return f"hil-{suite[0].replace(' -m ', '-')}"


def main(arguments: Sequence[str]) -> int:
    """The program; returns its exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m hil_tests.side_by_side", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--all", action="store_true", help="those that have no turn at this commit, too")
    given = parser.parse_args(arguments)
    turns = IN_TURN if given.all else (in_turn(_commit()),)
    suites = in_order(turns)
    places = {suite[0]: given.folder / place_of(suite) for suite in suites}
    commands = [
        (suite[0], (*_TRY, "keep", str(places[suite[0]]), "make", "hil", f"HIL={files(suite)}")) for suite in suites
    ]
    for left in (suite for turn in IN_TURN if turn not in turns for suite in turn):
        print(f"has no turn at this commit: make hil HIL='{files(left)}'", flush=True)

    def shown(name: str) -> None:
        output = beside(places[name], "output")
        said = output.read_text(encoding="utf-8", errors="replace") if output.exists() else "it has said nothing\n"
        print(f"== {name}\n{said}", flush=True)

    lanes = Lanes(commands, shown)
    signal.signal(signal.SIGTERM, lambda *_: lanes.stop())
    lanes.run()
    return subprocess.run((*_TRY, "judge", *map(str, places.values())), cwd=_ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
