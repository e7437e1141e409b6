"""The suites of `make hil`, two at a time, for `.ci/run`: `python -m hil_tests.side_by_side FOLDER`.

One virtual machine keeps one processor busy. Two lanes take suite after suite, the longest first, so that neither waits
for the other for long, whatever a suite takes on this machine. What each has said is kept in FOLDER
(`tests/second_try.py`) and shown at its end; in the end all are judged, and the status is 1 where one has failed.
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
SUITES: Final[tuple[tuple[str, ...], ...]] = (
    ("install",),
    ("elsewhere",),
    ("service",),
    ("power_cuts",),
    ("badge_readers",),
    ("floor_cluster_apart", "floor_cluster"),  # one after the other: each wants three servers of this machine
    ("image", "grub"),
    ("update_by_rauc", "board"),
)
"""What runs by itself, by the names of its files, the longest first."""
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


def main(arguments: Sequence[str]) -> int:
    """The program; returns its exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m hil_tests.side_by_side", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("folder", type=Path)
    folder: Path = parser.parse_args(arguments).folder
    places = {suite[0]: folder / f"hil-{suite[0]}" for suite in SUITES}
    commands = []
    for suite in SUITES:
        files = " ".join(f"hil_tests/test_{name}.py" for name in suite)
        commands.append((suite[0], (*_TRY, "keep", str(places[suite[0]]), "make", "hil", f"HIL={files}")))

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
