"""Plays one stream of events on the table of one tree, and writes down a digest of what it answered to each.

    PYTHONPATH=TREE:PROGRAM python -P -m tests.identity.player TASK

The tree is a folder with `table_fsm` and `config`, the program one with `tests`; the tree comes first, so that its
`table_fsm` is the one that plays. TASK is the JSON of a `Task`. The outputs count byte by byte, in the order in which
they come; so does the view, every 25th event and after each ruling, and every 50th event what sets lamps and gate.
About every 500 events the table is put away and restored, between two rounds.
"""

import json
import sys
from collections import Counter, deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Any, BinaryIO, Final

import table_fsm.table
from table_fsm.errors import TableError
from table_fsm.events import parse_event
from table_fsm.library import load_library
from table_fsm.table import Table
from tests.identity.streams import Fresh, Outputs, Stream

DIGEST_BYTES: Final = 8
VIEW_EVERY: Final = 25
INDICATORS_EVERY: Final = 50
RESTORE_EVERY: Final = 500
LINES_BEFORE: Final = 12
FAULT: Final = "a fault of the controller itself"
"""So begins the reason of an error that should never be."""


class WrongTreeError(Exception):
    """Python has imported another tree than the one that is to be played."""


@dataclass(frozen=True, slots=True)
class Task:
    """One play. `stream`: random, drills or recorded; `source`: what the stream reads; `options`: the `config` folder
    from which options are taken. `show`: the number of the event to tell all about, instead of writing digests."""

    tree: str
    stream: str
    options: str
    source: str = ""
    book: str = ""
    events: int = 0
    seed: int = 0
    out: str = ""
    show: int | None = None


@dataclass
class Statistics:
    """What a stream has reached."""

    events: int = 0
    refusals: int = 0
    rounds: int = 0
    restored: int = 0
    faults: Counter[str] = field(default_factory=Counter)
    """What the code itself has failed in, and at what event. They are compared like all else."""
    phases: Counter[str] = field(default_factory=Counter)
    rulings: Counter[str] = field(default_factory=Counter)
    """By irregularity and text, as JSON."""
    kinds: Counter[str] = field(default_factory=Counter)
    """Events by name."""

    def count(self, outputs: Outputs) -> bool:
        """Count what was answered to one event. Says whether a ruling was among it."""
        ruled = False
        for output in outputs:
            if "ruling" in output:
                ruling = output["ruling"]
                self.rulings[json.dumps([ruling["irregularity"], ruling["text"]])] += 1
                ruled = True
            elif "error" in output or "not_an_event" in output:
                self.refusals += 1
                self._count_fault(output)
            elif "phase" in output:
                street = output.get("street")
                self.phases[f"{output['phase']}.{street}" if street else output["phase"]] += 1
        return ruled

    def _count_fault(self, output: Mapping[str, Any]) -> None:
        error = output.get("error", {})
        if error.get("reason", "").startswith(FAULT):
            self.faults[f"{error['ev']}: {error['reason']}"] += 1


def books_of(tree: Path) -> Mapping[str, Any]:
    """The rulebooks of a tree, ready for play."""
    texts = {
        name: {file.name: file.read_text(encoding="utf-8") for file in sorted((tree / "config" / name).glob("*.toml"))}
        for name in ("rulebooks", "structures")
    }
    return load_library(texts["rulebooks"], texts["structures"])


class Player:
    """Plays a stream on tables of this process's `table_fsm`."""

    def __init__(self, books: Mapping[str, Any]) -> None:
        self.books = books
        self.table = Table(books)
        self.label = ""
        self.statistics = Statistics()
        self.recent: deque[str] = deque(maxlen=LINES_BEFORE)
        self._since_restored = 0
        self._round = 0
        self._view: dict[str, Any] | None = None
        self._beside: list[Any] = []
        """What counts beside the outputs of the last event: view, indicators, what became of a restored table."""

    def play(self, stream: Stream, sink: BinaryIO | None, show: int | None = None) -> dict[str, Any] | None:
        """Play to the end, or to the event `show`, and give all about that one. Digests go to the `sink`."""
        for item in stream.items():
            if isinstance(item, Fresh):
                self.set_up(item)
                continue
            number = self.statistics.events
            outputs = self.take(item)
            if show == number:
                return self._all_about(item, outputs)
            if sink is not None:
                sink.write(self._digest(item, outputs))
            stream.heard(outputs, self._view)
            self.recent.append(item)
            self._restore_now_and_then()
        return None

    def take(self, line: str) -> Outputs:
        """What the table answers to the line of one event."""
        number = self.statistics.events
        self.statistics.events += 1
        try:
            event = parse_event(line)
        except TableError as fault:
            outputs: Outputs = [{"not_an_event": type(fault).__name__, "reason": str(fault)}]
        else:
            self.statistics.kinds[event.ev] += 1
            outputs = [output.to_dict() for output in self.table.apply(event)]
        ruled = self.statistics.count(outputs)
        self._view = None
        if ruled or number % VIEW_EVERY == 0:
            self._look()
        if number % INDICATORS_EVERY == 0:
            self._beside.append(self._tried("indicators", self._indicators))
        self._since_restored += 1
        return outputs

    def _look(self) -> None:
        seen = self._tried("view", self.table.view)
        self._beside.append(seen)
        if "raised" not in seen:
            self._view = seen
            self._round = seen["round"]

    def _indicators(self) -> Outputs:
        return [output.to_dict() for output in self.table.indicators()]

    def _tried(self, what: str, ask: Callable[[], Any]) -> Any:
        """What the table gives; or, where its code fails, that it has: so both trees are compared beyond that."""
        try:
            return ask()
        except Exception as fault:  # noqa: BLE001 - whatever it is, the other tree must fail in the same
            self.statistics.faults[f"{what}: {type(fault).__name__}"] += 1
            return {"raised": type(fault).__name__}

    def _digest(self, line: str, outputs: Outputs) -> bytes:
        told = [line, json.dumps(outputs), *map(json.dumps, self._beside)]
        self._beside.clear()
        return blake2b("\n".join(told).encode(), digest_size=DIGEST_BYTES).digest()

    def set_up(self, fresh: Fresh) -> None:
        """Begin with a new table."""
        self.count_rounds()
        self.table = Table(self.books)
        self.label = fresh.label
        self.recent.clear()
        self._since_restored = 0

    def count_rounds(self) -> None:
        """Add the rounds of the table that is given up to the statistics."""
        self.statistics.rounds += self._round
        self._round = 0

    def _restore_now_and_then(self) -> None:
        if self._since_restored < RESTORE_EVERY or not self.table.at_round_boundary:
            return
        self._since_restored = 0
        restored = self._tried("restoring", lambda: Table.restore(self.books, self.table.snapshot()))
        if isinstance(restored, Table):
            self.table = restored
            self.statistics.restored += 1
        else:
            self._beside.append(restored)

    def _all_about(self, line: str, outputs: Outputs) -> dict[str, Any]:
        return {
            "label": self.label,
            "before": list(self.recent),
            "event": line,
            "outputs": list(map(json.dumps, outputs)),
            "view": {key: json.dumps(value) for key, value in self._tried("view", self.table.view).items()},
            "indicators": json.dumps(self._tried("indicators", self._indicators)),
        }


def stream_of(task: Task) -> Stream:
    """The stream that a task names."""
    from tests.identity import drills, random_stream, recorded

    if task.stream == "drills":
        return drills.Drills(Path(task.source))
    if task.stream == "recorded":
        return recorded.Recorded(Path(task.source))
    return random_stream.RandomStream(
        task.book, Path(task.options), Path(task.source), events=task.events, seed=task.seed
    )


def main(text: str) -> None:
    """Carry out one task. Raises WrongTreeError."""
    task = Task(**json.loads(text))
    tree = Path(task.tree).resolve()
    if not Path(table_fsm.table.__file__).resolve().is_relative_to(tree):
        raise WrongTreeError(f"{table_fsm.table.__file__} is not of {tree}: the tree comes first in PYTHONPATH")
    player = Player(books_of(tree))
    if task.show is not None:
        print(json.dumps(player.play(stream_of(task), None, task.show)))
        return
    with Path(task.out).open("wb") as sink:
        player.play(stream_of(task), sink)
    player.count_rounds()
    print(json.dumps(vars(player.statistics)))


if __name__ == "__main__":
    main(sys.argv[1])
