"""The rate of `feltd replay`: the whole program, from its start to its end, with its output thrown away."""

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Final

from pydantic_core import to_json

from table_fsm.events import Event, event_to_dict
from table_fsm.rulebook import Rulebook
from table_fsm.table import Table
from tests.bench.report import Row
from tests.bench.rounds import Played

GOAL: Final = 45_000  # events a second
_ROOT: Final = Path(__file__).resolve().parents[2]


def measure(rulebooks: Mapping[str, Rulebook], played: Played, directory: Path, times: int) -> list[Row]:
    """The line: the rounds played again so many `times`, in turn with `Table.apply` alone in this process."""
    events = played.events
    file = directory / "events.jsonl"
    file.write_bytes(b"".join(to_json(event_to_dict(event)) + b"\n" for event in events))
    whole: list[float] = []
    alone: list[float] = []
    for _ in range(times):
        whole.append(len(events) / _replay(file))
        alone.append(len(events) / _apply(rulebooks, events))
    rate, beside = median(whole), median(alone)
    return [
        Row(
            f"feltd replay, Hold'em, {len(played.rounds)} rounds, {len(events)} events, median of {times}",
            f"{rate:,.0f} events/s",
            f"Table.apply alone {beside:,.0f} events/s",
            rate / beside,
            f"{GOAL:,} events/s",
            rate >= GOAL,
        )
    ]


def _replay(file: Path) -> float:
    start = perf_counter()
    subprocess.run(
        [sys.executable, "-m", "feltd.cli", "replay", str(file)], stdout=subprocess.DEVNULL, cwd=_ROOT, check=True
    )
    return perf_counter() - start


def _apply(rulebooks: Mapping[str, Rulebook], events: list[Event]) -> float:
    table = Table(rulebooks)
    start = perf_counter()
    for event in events:
        table.apply(event)
    return perf_counter() - start
