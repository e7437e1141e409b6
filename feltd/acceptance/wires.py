"""A board with loop-back wires: from its own spare lines to those that feltd reads, and from those that it drives.

`FELTD_WIRE_17=5`: a wire joins line 17, which is the table's, and line 5, which nobody uses. `FELTD_WIRE_R2C3=6`: line
6 closes, while it is high, an electronic switch (a relay, an optocoupler) between row 2 and column 3 of the matrix.
"""

import re
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from devices.pins.errors import PinError
from devices.pins.facts import LINE_MAX, Pins
from devices.pins.lines import InputLine, LineChip, OutputLine
from feltd.acceptance.run import CannotDoError, Result, StepFailedError
from feltd.acceptance.steps import Act, Motion, Sense, Shows, Step
from feltd.table.config.pins import lines_of
from feltd.text.errors import FeltdError

PREFIX: Final = "FELTD_WIRE_"
PRESSED_SECONDS: Final = 0.15
SEEN_WITHIN: Final = 5.0
"""Seconds in which an output does what it should: a test lights a lamp for two."""
_LOOK_EVERY: Final = 0.02
_SETTLES: Final = 1.0
_LINE: Final = re.compile(r"[0-9]{1,3}")
_CELL: Final = re.compile(r"R([1-8])C([1-8])")

Cell = tuple[int, int]


class WireError(FeltdError):
    """The environment's wires are not usable.

    The message has every fault with its variable and the remedy.
    """


@dataclass(frozen=True, slots=True)
class Wires:
    """The spare lines that are wired to the table's.

    `lines`: the spare line for each line of the table. `cells`: the spare line for the switch of each key in the
    matrix.
    """

    lines: Mapping[int, int]
    cells: Mapping[Cell, int]

    @property
    def spare(self) -> tuple[int, ...]:
        """Every line that is not the table's."""
        return (*self.lines.values(), *self.cells.values())


def read_wires(environment: Mapping[str, str], pins: Pins) -> Wires:
    """The wires that the environment names. Raises WireError with every fault at once."""
    named = lines_of(pins.model_dump(by_alias=True))
    own = {line: ".".join(map(str, path[:-1])) for path, line in named if isinstance(line, int)}
    keys = {(key.row, key.column) for key in pins.keys}
    lines: dict[int, int] = {}
    cells: dict[Cell, int] = {}
    ends: dict[int, str] = {}
    faults: list[str] = []
    for name, value in sorted(environment.items()):
        if not name.startswith(PREFIX):
            continue
        given, end = name.removeprefix(PREFIX), _line(value.strip())
        cell = _CELL.fullmatch(given)
        here = _line(given)
        if cell is None and here is None:
            faults.append(f"{name}: names no line of the table: write {PREFIX}17=5, or {PREFIX}R2C3=6 for a matrix")
        elif end is None:
            faults.append(f'{name}: "{value}" is no line: write the number of a spare line, 0 to {LINE_MAX}')
        elif here == end:
            faults.append(f"{name}={value}: both ends are line {end}: a wire joins two lines")
        elif here is not None and here not in own:
            faults.append(f"{name}: line {here} is no part of this table: [pins] has {_listed(own)}")
        elif cell is not None and (int(cell[1]), int(cell[2])) not in keys:
            faults.append(f"{name}: there is no key in row {cell[1]}, column {cell[2]} of [pins.matrix]")
        elif end in own:
            faults.append(
                f"{name}={value}: line {end} is the table's own ({own[end]}), and feltd holds it: use a spare one"
            )
        elif end in ends:
            faults.append(f"{name}={value}: line {end} is the other end of {ends[end]} already: one wire for each line")
        else:
            ends[end] = name
            if here is not None:
                lines[here] = end
            elif cell is not None:
                cells[int(cell[1]), int(cell[2])] = end
    if not faults and not ends:
        faults.append(
            f"no wire is named: {PREFIX}17=5 says that line 5, which nobody uses, is joined to line 17; or --guided "
            "has a person do it"
        )
    if faults:
        raise WireError("\n".join(faults))
    return Wires(lines, cells)


def check_spare(chip: LineChip, wires: Wires) -> None:
    """Check that the spare lines are free, without taking any.

    Raises WireError with every line that is not.
    """
    faults = list(_held(chip, wires))
    if faults:
        raise WireError("\n".join(faults))


def _held(chip: LineChip, wires: Wires) -> Iterator[str]:
    for line in wires.spare:
        try:
            chip.check(line)
        except PinError as fault:
            yield str(fault)


def _line(text: str) -> int | None:
    if _LINE.fullmatch(text) is None or int(text) > LINE_MAX:
        return None
    return int(text)


def _listed(own: Mapping[int, str]) -> str:
    return ", ".join(f"{line} ({place})" for line, place in sorted(own.items()))


class WiredHands:
    """Does by wires what a hand would do.

    Takes a line when it is needed; `close` gives all of them back.
    """

    def __init__(
        self,
        chip: LineChip,
        wires: Wires,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._chip = chip
        self._wires = wires
        self._sleep = sleep
        self._clock = clock
        self._driven: dict[int, OutputLine] = {}
        self._errors: tuple[type[Exception], ...] = (PinError, *chip.errors)
        self._watched: InputLine | None = None
        self._levels: list[bool] = []

    def put_in_order(self, pins: Pins) -> None:
        """Bring everything that wires reach to rest, and wait until disabled inputs count again.

        At rest: no key pressed, no beam broken, the drop box in its place and locked.
        """
        box = pins.dropbox
        switches = [] if box is None else [one for one in (box.present, box.locked) if one is not None]
        levels = [(key.line, key.active != "high") for key in pins.keys]
        levels += [(marker.line, marker.active != "high") for marker in pins.markers]
        levels += [(channel.line, channel.active != "high") for channel in (box.channels if box else ())]
        levels += [(switch.line, switch.active == "high") for switch in switches]
        for line, high in levels:
            if line is not None and line in self._wires.lines:
                self._drive(self._wires.lines[line], high)
        for end in self._wires.cells.values():
            self._drive(end, False)
        self._sleep(pins.quiet_seconds + _SETTLES)

    def begin(self, step: Step, number: int, of: int) -> None:
        self._unwatch()
        line = None if step.sense is None else step.sense.line
        end = None if line is None else self._wires.lines.get(line)
        if end is not None:
            self._watched = self._taken(end)
            self._levels = [self._watched.high]
            self._watched.listen(lambda _t, high: self._levels.append(high))

    def do(self, motion: Motion) -> None:
        if motion.act is Act.LOOK:
            return
        if motion.act not in (Act.PRESS, Act.ON, Act.OFF):
            raise CannotDoError("a wire does not do that: by hand, with --guided")
        line, low = self._end(motion), motion.active_low if motion.cell is None else False
        if motion.act is Act.PRESS:
            self._drive(line, not low)
            self._sleep(PRESSED_SECONDS)
            self._drive(line, low)
        else:
            self._drive(line, (motion.act is Act.ON) is not low)

    def done(self, motion: Motion) -> None:
        """A wire's work is done when it is done."""

    def wait(self, seconds: float) -> None:
        self._sleep(seconds)

    def sees(self, sense: Sense) -> bool:
        if self._watched is None:
            where = "it hangs on no pin" if sense.line is None else f"no wire: {PREFIX}{sense.line} is not set"
            raise CannotDoError(f"nobody looks here: {where}; by eye and ear, with --guided")
        on, watched = not sense.active_low, self._watched
        until = self._clock() + SEEN_WITHIN
        while not self._is_so(sense, on, watched.high) and self._clock() < until:
            self._sleep(_LOOK_EVERY)
        so = self._is_so(sense, on, watched.high)
        self._unwatch()
        return so

    def again(self, result: Result) -> bool:
        return False

    def close(self) -> None:
        """Give every line back."""
        self._unwatch()
        for line in self._driven.values():
            line.close()
        self._driven.clear()

    def _is_so(self, sense: Sense, on: bool, high: bool) -> bool:
        if sense.shows is Shows.ONCE:
            was_off = next((n for n, level in enumerate(self._levels) if level is not on), None)
            return was_off is not None and on in self._levels[was_off:] and high is not on
        return (high is on) is (sense.shows is Shows.ON)

    def _taken(self, line: int) -> InputLine:
        try:
            return self._chip.input(line, "none")
        except self._errors as fault:
            raise StepFailedError(f"the wire's own end: {fault}") from None

    def _unwatch(self) -> None:
        if self._watched is not None:
            self._watched.close()
            self._watched = None

    def _end(self, motion: Motion) -> int:
        if motion.cell is not None:
            end, name = self._wires.cells.get(motion.cell), f"R{motion.cell[0]}C{motion.cell[1]}"
        elif motion.line is not None:
            end, name = self._wires.lines.get(motion.line), str(motion.line)
        else:
            raise CannotDoError("a wire does not do that: by hand, with --guided")
        if end is None:
            raise CannotDoError(f"no wire: {PREFIX}{name} is not set")
        return end

    def _drive(self, line: int, high: bool) -> None:
        try:
            if line in self._driven:
                self._driven[line].write(high)
            else:
                self._driven[line] = self._chip.output(line, high)
        except self._errors as fault:
            raise StepFailedError(f"the wire's own end: {fault}") from None
