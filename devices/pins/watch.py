"""All inputs of one group, taken and watched: edges in, changes and disabled inputs out.

All methods run in the loop's thread except `_hear`, which the library's thread calls: it stores the edge and wakes the
loop.
"""

import logging
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from devices.pins.debounce import Change
from devices.pins.errors import PinError
from devices.pins.groups import CellFacts, Group, InputFacts
from devices.pins.lines import InputLine, LineChip
from devices.pins.matrix import Scanner
from devices.pins.sensor import Sensor, Trouble

HEARD_MAX: Final = 4096
"""The most edges that wait for the loop; beyond it the oldest are dropped.

Only a broken line has more.
"""
SAMPLE_EVERY: Final = 1.0
"""Seconds between two samples of every line: they make up for lost edges."""
UNHEARD_MAX: Final = 2
"""Changes of a line in a row that were found by samples only; then listen to it anew.

One may be an edge that is still on its way. lgpio's thread, if it was slow to start, reports no edge until another line
is listened to.
"""
SCAN_EVERY: Final = 0.004
"""Seconds between two scans of a matrix while a key of it is pressed."""
SCAN_SELDOM: Final = 0.1
"""Seconds between two scans while every pressed key is disabled."""

_log = logging.getLogger("feltd.devices")


@dataclass(frozen=True, slots=True)
class DisabledInput:
    """An input that is not believed. `since`: monotonic seconds."""

    name: str
    place: str
    trouble: Trouble
    since: float

    def __str__(self) -> str:
        return f"{self.name} ({self.place}) is {self.trouble.value}"


class Watch:
    """The inputs of one group.

    `report`: called with each change. `wake`: called on another thread when `hear` is due.
    """

    def __init__(self, group: Group, clock: Callable[[], float], report: Callable[[str, Change], None]) -> None:
        self._group = group
        self._clock = clock
        self._report = report
        self._wake: Callable[[], None] = _nobody
        self._hears: Callable[[], bool] = lambda: True
        self._facts: dict[str, InputFacts | CellFacts] = {facts.name: facts for facts in group.inputs}
        if group.matrix is not None:
            self._facts |= {cell.name: cell for cell in group.matrix.cells}
        self._sensors: dict[str, Sensor] = {}
        self._lines: dict[str, InputLine] = {}
        self._scanner: Scanner | None = None
        self._next_scan: float | None = None
        self._next_sample: float | None = None
        self._heard: deque[tuple[str | None, float, bool]] = deque(maxlen=HEARD_MAX)
        self._unheard: Counter[str] = Counter()
        self._ends_of_patience: dict[str, float] = {}
        """When inputs that contradict each other are reported."""

    # -- lines

    def take(self, chip: LineChip, wake: Callable[[], None]) -> None:
        """Take every line and begin to watch. Raises PinError, or an error of the chip."""
        self._wake = wake
        self._hears = chip.hears
        if self._group.matrix is not None:
            self._scanner = Scanner(self._group.matrix, lambda t: self._hear(None, t, True))
            self._scanner.take(chip)
            self._next_scan = self._clock()
        for facts in self._group.inputs:
            self._lines[facts.name] = chip.input(facts.line, facts.pull)
        for name, facts_of in self._facts.items():
            self._sensors[name] = Sensor(facts_of.timing)
            self._attend(name)  # first, so that a change after the level is read is heard
            self._sensors[name].start(self._clock(), self._level(name))
        self._next_sample = self._clock() + SAMPLE_EVERY if self._lines else None

    def close(self, give_back: Callable[[Callable[[], None]], None]) -> None:
        """Release every line by `give_back`, which handles errors."""
        for line in self._lines.values():
            give_back(line.close)
        if self._scanner is not None:
            give_back(self._scanner.close)
        self._scanner = None
        self._next_scan = self._next_sample = None
        self._lines.clear()
        self._sensors.clear()
        self._heard.clear()
        self._unheard.clear()
        self._ends_of_patience.clear()

    # -- what is so

    def now(self) -> dict[str, bool]:
        """Return every believed input, and whether it is on."""
        doubted = {disabled.name for disabled in self.disabled()}
        return {name: sensor.on for name, sensor in self._sensors.items() if name not in doubted}

    def disabled(self) -> tuple[DisabledInput, ...]:
        """The inputs that are not believed."""
        disabled = []
        now = self._clock()
        for name, sensor in self._sensors.items():
            place = self._facts[name].place
            if sensor.trouble is not None:
                disabled.append(DisabledInput(name, place, sensor.trouble, sensor.since))
            elif self._ends_of_patience.get(name, now + 1.0) <= now:
                disabled.append(DisabledInput(name, place, Trouble.CONTRADICTED, self._ends_of_patience[name]))
        return tuple(disabled)

    @property
    def due(self) -> float | None:
        """When to look again; None: at the next edge."""
        times = [sensor.due for sensor in self._sensors.values()]
        times += [self._next_scan, self._next_sample]
        now = self._clock()
        times += [end for end in self._ends_of_patience.values() if end > now]
        known = [time for time in times if time is not None]
        return min(known) if known else None

    # -- what happens

    def in_order(self) -> None:
        """A person says that every disabled input is in order: use each from its present state."""
        for name, sensor in self._sensors.items():
            if sensor.trouble is not None:
                sensor.in_order(self._clock(), self._level(name))
                self._attend(name)

    def hear(self) -> None:
        """Take the stored edges. Raises PinError, or an error of the chip."""
        while self._heard:
            name, t, on = self._heard.popleft()
            if name is None:
                self._scan(t)
                continue
            sensor = self._sensors.get(name)
            self._unheard.pop(name, None)
            if sensor is not None and sensor.listens():
                self._changed(name, sensor.edge(t, on))
                if not sensor.listens():
                    self._attend(name)
        self.look()

    def look(self) -> None:
        """Sample every input that is due. Raises PinError, or an error of the chip."""
        now = self._clock()
        if self._next_scan is not None and self._next_scan <= now:
            self._scan(now)
        everything = self._next_sample is not None and self._next_sample <= now
        if everything:
            self._next_sample = now + SAMPLE_EVERY
            if not self._hears():
                raise PinError("the library tells of no edges any more: restart feltd between two rounds")
        for name, sensor in self._sensors.items():
            if everything or (sensor.due is not None and sensor.due <= now):
                listened, level = sensor.listens(), self._level(name)
                if everything and listened and level != sensor.level:
                    self._lost(name)
                self._changed(name, sensor.sample(now, level))
                if sensor.listens() != listened:
                    self._attend(name)
                    self._changed(
                        name, sensor.sample(now, self._level(name))
                    )  # it may have changed just before listening began
        self._compare(now)

    def _lost(self, name: str) -> None:
        """Count a change that a sample found without an edge."""
        if name not in self._lines:
            return
        self._unheard[name] += 1
        if self._unheard[name] >= UNHEARD_MAX:
            _log.warning("%s (%s): its edges are not told: it is listened to anew", name, self._facts[name].place)
            self._lines[name].listen(None)
            self._attend(name)
            del self._unheard[name]

    def _compare(self, now: float) -> None:
        on = {name: sensor.on for name, sensor in self._sensors.items() if sensor.trouble is None}
        names = self._group.contradicting(on)
        end = now + self._group.patience
        self._ends_of_patience = {name: self._ends_of_patience.get(name, end) for name in sorted(names)}

    def _changed(self, name: str, changes: list[Change]) -> None:
        for change in changes:
            self._report(name, change)

    def _level(self, name: str) -> bool:
        facts = self._facts[name]
        if isinstance(facts, CellFacts):
            return self._scanner is not None and (facts.row, facts.column) in self._scanner.closed
        return self._lines[name].high is (facts.active == "high")

    def _attend(self, name: str) -> None:
        """Listen to a line, unless it chatters."""
        facts = self._facts[name]
        if isinstance(facts, CellFacts):
            return
        active = facts.active == "high"
        listens = self._sensors[name].listens()
        self._lines[name].listen((lambda t, high: self._hear(name, t, high is active)) if listens else None)

    def _hear(self, name: str | None, t: float, on: bool) -> None:
        self._heard.append((name, t, on))
        self._wake()

    # -- the matrix

    def _scan(self, t: float) -> None:
        """One scan. `t`: the time of what it finds: the edge that started it, or now."""
        if self._scanner is None:
            return
        self._scanner.scan()
        pressed, in_doubt = [], False
        for name, facts in self._facts.items():
            if not isinstance(facts, CellFacts):
                continue
            sensor, level = self._sensors[name], self._level(name)
            if sensor.listens() and level != sensor.level:
                self._changed(name, sensor.edge(t, level))
            if level:
                pressed.append(sensor)
            in_doubt |= sensor.in_doubt
        if not self._scanner.closed and not in_doubt and not self._scanner.rest():
            self._next_scan = None
            return
        seldom = bool(pressed) and not in_doubt and all(sensor.trouble is not None for sensor in pressed)
        self._next_scan = self._clock() + (SCAN_SELDOM if seldom else SCAN_EVERY)


def _nobody() -> None:
    """Placeholder before anything is watched."""
