"""The drills as streams: each as it stands, and, for a random stream, with something in it changed."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Final

from tests.identity.felt import RANKS, SUITS
from tests.identity.streams import Fresh, Item, Outputs, Raw
from tests.identity.words import ACTIONS, OUTCOMES, ZONES

STEP: Final = 0.5
"""Seconds between two events of a changed drill that says nothing of its own."""


@dataclass(frozen=True, slots=True)
class Drill:
    """The events of one drill, each with its time."""

    name: str
    events: tuple[Raw, ...]

    @property
    def book(self) -> str | None:
        """The book that the drill's table is opened with first."""
        return next((raw["rulebook"] for raw in self.events if raw["ev"] == "table.open"), None)


def read_drill(text: str, name: str) -> Drill:
    """The events of a drill: the header gives the step to those without a `t`; what is expected is left out."""
    lines = [line for line in text.split("\n") if line.strip() and line.strip()[0] != "#"]
    header = json.loads(lines[0])
    events: list[Raw] = []
    t: float | None = None
    for line in lines[1:]:
        raw = json.loads(line)
        if "expect" in raw:
            continue
        if raw.get("t") is None and "step" in header:
            raw["t"] = 0.0 if t is None else round(t + header["step"], 6)
        t = raw.get("t", t)
        events.append({"t": raw.get("t"), **raw})
    return Drill(name, tuple(events))


def read_drills(folder: Path, book: str | None = None) -> list[Drill]:
    """Every drill below a folder, by name; only those whose table is opened with the `book`, where one is given."""
    drills: list[Drill] = []
    for file in sorted(folder.rglob("*.jsonl")):
        text = file.read_text(encoding="utf-8")
        if book is None or f'"{book}"' in text:
            drills.append(read_drill(text, file.relative_to(folder).as_posix()))
    return [drill for drill in drills if book in {None, drill.book}]


class Drills:
    """Every drill below a folder, each on a table of its own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def items(self) -> Iterator[Item]:
        """All of them, one after the other."""
        for drill in read_drills(self._folder):
            yield Fresh(f"drill {drill.name}")
            yield from map(json.dumps, drill.events)

    def heard(self, outputs: Outputs, view: dict[str, object] | None) -> None:
        """A drill does not listen."""


def changed(chance: Random, drill: Drill, others: list[Drill]) -> list[Raw]:
    """The events of a drill with a few of them changed, left out, said twice, or others put between."""
    events = [dict(raw) for raw in drill.events]
    for _ in range(chance.choice([1, 1, 1, 2, 3, 5])):
        _change(chance, events, others)
    t = 0.0
    for raw in events:
        own = raw.get("t")
        t = own if isinstance(own, int | float) and own >= t else round(t + STEP, 6)
        raw["t"] = t
    return events


def _change(chance: Random, events: list[Raw], others: list[Drill]) -> None:
    if not events:
        return
    at = chance.randrange(len(events))
    roll = chance.random()
    if roll < 0.2:
        del events[at]
    elif roll < 0.3:
        events.insert(at, dict(events[at]))
    elif roll < 0.45 and at:
        events[at - 1], events[at] = events[at], events[at - 1]
    elif roll < 0.6:
        strangers = chance.choice(others).events
        if strangers:
            events.insert(at, {**chance.choice(strangers), "t": None})
    elif roll < 0.65:
        del events[at + 1 : at + 1 + chance.randrange(6)]
    else:
        _change_field(chance, events[at])


def _change_field(chance: Random, raw: Raw) -> None:
    name = chance.choice([key for key in raw if key != "ev"])
    value = raw[name]
    if name == "t":
        raw["t"] = (value or 0) + chance.choice([0.1, 20, 31, 61, 200])
    elif name == "seat":
        raw[name] = chance.randrange(1, 7)
    elif name == "card":
        raw[name] = chance.choice([None, chance.choice(RANKS) + chance.choice(SUITS)])
    elif name == "zone":
        raw[name] = chance.choice(ZONES)
    elif name == "face":
        raw[name] = "down" if value == "up" else "up"
    elif name == "action":
        raw[name] = chance.choice(ACTIONS)
    elif name == "outcome":
        raw[name] = chance.choice(OUTCOMES)
    elif name == "options":
        raw[name] = {**value, **chance.choice([{"burn": 0}, {"look_sensor": False}, {"table_min": 500}, {"burn": 2}])}
    elif name == "seats":
        raw[name] = sorted(set(value) ^ {chance.randrange(1, 9)})
    elif isinstance(value, int) and not isinstance(value, bool):
        raw[name] = max(0, value + chance.choice([-1, 1, 100, -100, value, -value // 2]))
