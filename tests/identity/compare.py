"""Plays streams on two trees, each play in a process of its own, and compares what they answered."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final

from tests.identity.kept import Kept
from tests.identity.player import DIGEST_BYTES, Task

_PLAYER: Final = "tests.identity.player"


class PlayError(Exception):
    """A play that broke off. The message is what the process said."""


@dataclass(frozen=True, slots=True)
class Difference:
    """The first event to which two trees answered differently. `old` and `new` are what the player tells of it; None
    where that tree's stream had ended before."""

    number: int
    old: Mapping[str, Any] | None
    new: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class Compared:
    """What came of one stream."""

    name: str
    statistics: Mapping[str, Any]
    difference: Difference | None


@dataclass(frozen=True, slots=True)
class Pair:
    """The two trees, the program that plays them, and a folder for what the players write. `kept`: earlier plays."""

    old: Path
    new: Path
    program: Path
    folder: Path
    kept: Kept | None = None

    def compare(self, named: Mapping[str, Task], jobs: int) -> Iterator[Compared]:
        """Play each task on both trees, so many at once, and give the results in order. Raises PlayError."""
        with ThreadPoolExecutor(jobs) as pool:
            plays = {name: [pool.submit(self._play, name, task, tree) for tree in "on"] for name, task in named.items()}
            try:
                for name, task in named.items():
                    yield self._compared(name, task, plays[name])
            finally:
                pool.shutdown(cancel_futures=True)

    def _task(self, name: str, task: Task, tree: str) -> Task:
        return replace(task, tree=str(self.old if tree == "o" else self.new), out=str(self.folder / f"{name}.{tree}"))

    def _play(self, name: str, task: Task, tree: str) -> dict[str, Any]:
        task = self._task(name, task, tree)
        if self.kept is not None and (found := self.kept.find(task, self.program)) is not None:
            return found
        statistics = run_player(task, self.program)
        if self.kept is not None:
            self.kept.keep(task, self.program, statistics)
        return statistics

    def _compared(self, name: str, task: Task, plays: list[Future[dict[str, Any]]]) -> Compared:
        statistics = [play.result() for play in plays][1]
        digests = [Path(self._task(name, task, tree).out).read_bytes() for tree in "on"]
        number = first_difference(*digests)
        if number is None:
            return Compared(name, statistics, None)
        told = [
            self._all_about(self._task(name, task, tree), number) if number < len(digest) // DIGEST_BYTES else None
            for tree, digest in zip("on", digests, strict=True)
        ]
        return Compared(name, statistics, Difference(number, *told))

    def _all_about(self, task: Task, number: int) -> dict[str, Any]:
        return run_player(replace(task, show=number), self.program)


def first_difference(old: bytes, new: bytes) -> int | None:
    """The number of the first event whose digests are not the same; None where all are."""
    if old == new:
        return None
    for at in range(0, min(len(old), len(new)), DIGEST_BYTES):
        if old[at : at + DIGEST_BYTES] != new[at : at + DIGEST_BYTES]:
            return at // DIGEST_BYTES
    return min(len(old), len(new)) // DIGEST_BYTES


def run_player(task: Task, program: Path) -> dict[str, Any]:
    """Carry out a task in a process whose `table_fsm` is the tree's, and give what it prints. Raises PlayError."""
    command = [sys.executable, "-P", "-m", _PLAYER, json.dumps(asdict(task))]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([task.tree, str(program)])}
    done = subprocess.run(command, cwd=task.tree, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise PlayError(f"{task.stream} {task.book} on {task.tree}:\n{done.stderr.strip()}")
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer
