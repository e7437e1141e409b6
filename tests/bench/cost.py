"""What an event costs, counted and so the same on every machine: `python -m tests.bench.cost`, `make cost`.

Instructions and allocations are counted by valgrind, system calls and bytes by strace, each in two runs of one program
that differ in nothing but how many events they take; the difference is the events'. Then a model says what that comes
to on some boards. With `--arm64` system calls and bytes alone, those of a system for arm64, by QEMU's own trace. Exits
with 2 where a tool is missing.
"""

import argparse
import asyncio
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Final

from feltd.bench.acknowledging import measure_acknowledgements
from table_fsm.table import Table
from tests.bench import rounds

ROOT: Final = Path(__file__).resolve().parents[2]
FEW: Final = 50
ROUNDS: Final = 20
TOOLS: Final = ("valgrind", "strace")
QEMU: Final = "qemu-aarch64-static"
PACKAGES: Final = "opt/feltd/lib/python3.11/site-packages"
ON_DISK: Final = "/var/tmp"
_REFS: Final = re.compile(r"I\s+refs:\s+([\d,]+)")
_HEAP: Final = re.compile(r"total heap usage: ([\d,]+) allocs")
_CALL: Final = re.compile(r"^(?:\d+ +)?(\w+)\(.*\) += (-?\d+)")
_CLOCKS: Final = ("clock_gettime", "gettimeofday", "time")
"""A kernel answers these in the program itself, without a call; under QEMU of Debian 12 each is a call."""
_WRITES: Final = ("write", "pwrite64", "writev", "pwritev", "sendto", "sendmsg")


@dataclass(frozen=True, slots=True)
class Board:
    """A board of the model: its processor's clock, and the instructions of CPython that it does in a tick of it."""

    name: str
    core: str
    hertz: float
    per_tick: float

    def seconds(self, instructions: float) -> float:
        """How long it takes over so many, with nothing else to do and its caches warm."""
        return instructions / (self.hertz * self.per_tick)


BOARDS: Final = (
    Board("Raspberry Pi Zero 2 W", "Cortex-A53", 1.0e9, 0.6),
    Board("Raspberry Pi 3 B+", "Cortex-A53", 1.4e9, 0.6),
    Board("Raspberry Pi 4", "Cortex-A72", 1.8e9, 1.1),
    Board("Raspberry Pi 5", "Cortex-A76", 2.4e9, 1.8),
)
"""The clocks are the makers'; the instructions a tick are assumed: an in-order core of two ways waits for memory more
often than it works, an A72 does about one a tick in interpreters, an A76 not quite two. No board was measured."""


class CostError(Exception):
    """Something could not be counted."""


def judged(events: int, _folder: Path) -> None:
    """The rules alone: `Table.apply` of so many events of Hold'em."""
    books = rounds.books()
    played = rounds.play(books, rounds.HOLDEM, ROUNDS).events
    table = Table(books)
    for event in played[:events]:
        table.apply(event)


def recorded(events: int, folder: Path) -> None:
    """An event with two outputs through the journal, synced, with one bare write and sync of either kind beside it."""
    asyncio.run(measure_acknowledgements(folder, events=events, pause=0.0))


PARTS: Final[Mapping[str, Callable[[int, Path], None]]] = MappingProxyType({"judged": judged, "recorded": recorded})


@dataclass(frozen=True, slots=True)
class Cost:
    """What one event costs."""

    instructions: float
    allocations: float
    calls: float
    written: float


def instructions_of(log: str) -> int:
    """The instructions that cachegrind tells. Raises CostError."""
    return _number(_REFS, log, "cachegrind")


def allocations_of(log: str) -> int:
    """The allocations that memcheck tells. Raises CostError."""
    return _number(_HEAP, log, "memcheck")


def calls_of(log: str) -> tuple[int, int]:
    """The system calls that strace or QEMU tells but those for the time, and the bytes that they wrote."""
    calls = [match for line in log.splitlines() if (match := _CALL.match(line)) and match[1] not in _CLOCKS]
    return len(calls), sum(max(0, int(call[2])) for call in calls if call[1] in _WRITES)


def _number(pattern: re.Pattern[str], log: str, tool: str) -> int:
    found = pattern.search(log)
    if found is None:
        raise CostError(f"{tool} told no count; it said: {log.strip()[-300:]}")
    return int(found[1].replace(",", ""))


def _work(
    part: str, events: int, before: list[str], environment: Mapping[str, str], python: str = sys.executable
) -> None:
    with tempfile.TemporaryDirectory(prefix="feltd-cost-", dir=ON_DISK) as folder:
        program = [python, "-m", "tests.bench.cost", "--work", part, str(events), folder]
        fixed = {
            "PATH": "/usr/bin:/bin",
            "PYTHONHASHSEED": "0",
        }  # else dicts of words cost more in one run than another
        done = subprocess.run(
            [*before, *program], cwd=ROOT, env={**fixed, **environment}, capture_output=True, text=True, check=False
        )
    if done.returncode != 0:
        raise CostError(f"{' '.join(before)}: {done.stderr.strip()[-500:]}")


def _valgrind(part: str, events: int, *tool: str, **environment: str) -> str:
    with tempfile.NamedTemporaryFile(mode="r") as log:
        _work(part, events, ["valgrind", f"--log-file={log.name}", *tool], environment)
        return log.read()


def _strace(part: str, events: int) -> str:
    return _traced(lambda logs: _work(part, events, ["strace", "-ff", "-o", f"{logs}/log"], {}))


def _qemu(system: Path, part: str, events: int) -> str:
    path = {"PYTHONPATH": f"{ROOT}:{system / PACKAGES}"}
    python = str(system / "usr/bin/python3")

    def run(logs: str) -> None:
        trace = ["-d", "strace,tid", "-D", f"{logs}/log.%d"]
        _work(part, events, [QEMU, "-L", str(system), *trace], path, python)

    return _traced(run)


def _traced(run: Callable[[str], None]) -> str:
    """What each thread did, one after the other: in one log for all a call is torn where another thread's comes."""
    with tempfile.TemporaryDirectory() as logs:
        run(logs)
        return "".join(log.read_text(errors="replace") for log in sorted(Path(logs).iterdir()))


def _between(events: int, count: Callable[[int], float]) -> float:
    """The cost of one event: what so many more of them add."""
    return (count(FEW + events) - count(FEW)) / events


def _calls_between(events: int, trace: Callable[[int], str]) -> tuple[float, float]:
    """The system calls of one event, and the bytes that they write. `trace`: what is told of a run."""
    (few, less), (many, more) = (calls_of(trace(count)) for count in (FEW, FEW + events))
    return (many - few) / events, (more - less) / events


def cost(part: str, events: int) -> Cost:
    """Count what one event of a part costs, over so many. Takes minutes. Raises CostError."""
    cachegrind = ("--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null")
    return Cost(
        _between(events, lambda n: instructions_of(_valgrind(part, n, *cachegrind))),
        _between(events, lambda n: allocations_of(_valgrind(part, n, "--tool=memcheck", PYTHONMALLOC="malloc"))),
        *_calls_between(events, partial(_strace, part)),
    )


def arm64_lines(system: Path, events: int) -> list[str]:
    """A table of system calls and bytes written on arm64, in Markdown. Takes minutes. Raises CostError.

    `system` is a Debian 12 for arm64 with feltd's package in it, unpacked.
    """
    said = ["| an event, arm64 | system calls | bytes written |", "| --- | --- | --- |"]
    for part in PARTS:
        calls, written = _calls_between(events, partial(_qemu, system, part))
        said.append(f"| {part} | {calls:.1f} | {written:,.0f} |")
    return said


def lines(costs: Mapping[str, Cost]) -> list[str]:
    """The two tables, in Markdown."""
    said = [
        "| an event | instructions | allocations | system calls | bytes written |",
        "| --- | --- | --- | --- | --- |",
    ]
    said += [
        f"| {part} | {each.instructions:,.0f} | {each.allocations:,.0f} | {each.calls:.1f} | {each.written:,.0f} |"
        for part, each in costs.items()
    ]
    both = sum(each.instructions for each in costs.values())
    said += [
        "",
        "| board | core | clock | instructions a tick, assumed | judged and recorded, without the disk |",
        "| --- | --- | --- | --- | --- |",
    ]
    for board in BOARDS:
        both_there = f"{board.seconds(both) * 1e3:.2f} ms"
        said.append(f"| {board.name} | {board.core} | {board.hertz / 1e9:g} GHz | {board.per_tick:g} | {both_there} |")
    return said


def main() -> int:
    """The program; its exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.cost", description=__doc__)
    parser.add_argument("--events", type=int, default=1000)
    parser.add_argument("--arm64", type=Path, metavar="SYSTEM", help="an unpacked Debian for arm64 with feltd in it")
    parser.add_argument("--work", nargs=3, metavar=("PART", "EVENTS", "FOLDER"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.work:
        part, events, folder = given.work
        PARTS[part](int(events), Path(folder))
        return 0
    tools = {QEMU: "qemu-user-static"} if given.arm64 else {tool: tool for tool in TOOLS}
    missing = {tool: package for tool, package in tools.items() if shutil.which(tool) is None}
    if missing:
        print(f"{', '.join(missing)} is not here: apt install {' '.join(missing.values())}", file=sys.stderr)
        return 2
    if given.arm64:
        print("\n".join(arm64_lines(given.arm64.resolve(), given.events)))
        return 0
    print("\n".join(lines({part: cost(part, given.events) for part in PARTS})))
    return 0


if __name__ == "__main__":
    sys.exit(main())
