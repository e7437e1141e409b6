"""A station: the supervisor of one group's lines, which stands where a link stands for a device on a wire.

It takes the lines, watches them, says what happens there in the group's messages, and sets what is posted. A pin has
no memory and says nothing twice: what happens while nobody has its line is lost, and what is a level (a marker's
place, the box) is read again when the lines are taken.

Everything belongs to the loop's thread but `_heard`, which the library calls on its own.
"""

import asyncio
import secrets
import time
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final, Protocol

from devices.pins.board import Board
from devices.pins.debounce import Change
from devices.pins.errors import PinError
from devices.pins.groups import CellFacts, Group, InputFacts, OutputFacts
from devices.pins.lines import InputLine, LineChip, OutputLine
from devices.pins.sensor import Sensor, Trouble
from firmware_bridge.errors import FaultCode, LinkFault
from firmware_bridge.facts import DeviceIdentity, LinkCounters, LinkHandler, LinkState
from firmware_bridge.limits import BACKOFF_CAP, BACKOFF_FIRST
from firmware_bridge.trail import PassedFrame

_HEARD_MAX: Final = 4096
"""Edges that wait for the loop at most; of more, which only a broken line has, the oldest are forgotten."""


@dataclass(frozen=True, slots=True)
class DisabledInput:
    """An input that is not believed. `since`: monotonic seconds."""

    name: str
    place: str
    trouble: Trouble
    since: float

    def __str__(self) -> str:
        return f"{self.name} ({self.place}) is {self.trouble.value}"


class StationHandler(LinkHandler, Protocol):
    """Whoever a station reports to: as a link, with the time of each event, and what is not believed."""

    def on_event(self, name: str, boot_id: bytes, seq: int, body: Mapping[str, Any], at: float | None = None) -> None:
        """`at`: when it happened, in monotonic seconds."""

    def on_inputs(self, name: str, disabled: tuple[DisabledInput, ...], state: Mapping[str, Any]) -> None:
        """Which inputs are disabled now, and the state that the others give."""


class PinStation:
    """The lines of one group, on a board that others use too."""

    def __init__(
        self, group: Group, board: Board, handler: StationHandler, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.name = group.name
        self.group = group
        self.counters = LinkCounters()
        self.state = LinkState.STOPPED
        self.fault: LinkFault | None = None
        self.disabled: tuple[DisabledInput, ...] = ()
        self._board = board
        self._handler = handler
        self._clock = clock
        self._boot_id = secrets.token_bytes(8)
        self._seq = 0
        self._wanted: dict[str, bool] = {}
        self._facts: dict[str, InputFacts | CellFacts] = {facts.name: facts for facts in group.inputs}
        self._sensors: dict[str, Sensor] = {}
        self._inputs: dict[str, InputLine] = {}
        self._outputs: dict[str, OutputLine] = {}
        self._steps: dict[str, list[asyncio.TimerHandle]] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._heard_edges: deque[tuple[str, float, bool]] = deque(maxlen=_HEARD_MAX)
        self._called = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._broken: asyncio.Future[LinkFault] | None = None
        self._errors: tuple[type[Exception], ...] = (PinError,)

    # -- as a link

    async def run(self) -> None:
        """Supervise until cancelled; then every output is as it should be when feltd stops. Once at a time."""
        self._loop = asyncio.get_running_loop()
        failures = 0
        try:
            while True:
                self.state = LinkState.CONNECTING
                was_up = False
                try:
                    chip = await self._board.join()
                except PinError as error:
                    fault = error.fault
                else:
                    try:
                        fault = await self._serve(chip)
                        was_up, failures = True, 0
                    except PinError as error:
                        fault = error.fault
                    finally:
                        self._give_back()
                        self._board.leave()
                self._down(fault, was_up=was_up)
                await asyncio.sleep(min(BACKOFF_CAP, BACKOFF_FIRST * 2.0 ** min(failures, 16)))
                failures += 1
        finally:
            self.state = LinkState.STOPPED

    def post(self, name: str, args: Mapping[str, Any]) -> None:
        """Set outputs; before the lines are taken this is what they are taken with."""
        self.counters.posts += 1
        steps = self.group.post(name, args)
        for output in {step.output for step in steps}:
            self._cancel_steps(output)
        for step in steps:
            if step.after == 0.0:
                self._set(step.output, step.on)
            elif self._outputs and self._loop is not None:
                handle = self._loop.call_later(step.after, self._set, step.output, step.on)
                self._steps.setdefault(step.output, []).append(handle)
            else:
                self._wanted.pop(step.output, None)  # a sound that nobody could hear

    def acknowledge(self, boot_id: bytes, seq: int) -> None:
        """Nothing: a pin keeps no events."""

    def last_frames(self) -> tuple[PassedFrame, ...]:
        """None: a pin has no frames."""
        return ()

    def is_proven(self) -> bool:
        """Never: a pin has no key."""
        return False

    def in_order(self) -> None:
        """Somebody says that every disabled input is in order: each is used again as it stands."""
        now = self._clock()
        for name, sensor in self._sensors.items():
            if sensor.trouble is not None:
                sensor.in_order(now, self._level(name))
                self._attend(name)
        self._after()

    # -- lines

    async def _serve(self, chip: LineChip) -> LinkFault:
        """Take the lines and watch them until one fails: why. Raises PinError where they cannot be taken."""
        self._errors = (PinError, *chip.errors)
        self._broken = asyncio.get_running_loop().create_future()
        self._take(chip)
        self.counters.sessions += 1
        self.counters.reconnects += self.counters.sessions > 1
        self.state, self.fault = LinkState.UP, None
        identity = DeviceIdentity(self.group.role, chip.label, chip.library, 0, self._boot_id, persistent=False)
        self._handler.on_up(self.name, identity, self.group.state(self._now()))
        self._look()
        return await self._broken

    def _take(self, chip: LineChip) -> None:
        for output in self.group.outputs:
            on = self._wanted.get(output.name, output.first)
            self._outputs[output.name] = chip.output(output.line, _high(output, on))
        now = self._clock()
        for facts in self.group.inputs:
            line = chip.input(facts.line, facts.pull)
            self._inputs[facts.name] = line
            self._sensors[facts.name] = sensor = Sensor(facts.timing)
            sensor.start(now, self._level(facts.name))
            self._attend(facts.name)

    def _give_back(self) -> None:
        """Everything as it should be when nobody drives it, as far as it still can be."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        for facts in self.group.outputs:
            self._cancel_steps(facts.name)
            line = self._outputs.pop(facts.name, None)
            if line is None:
                continue
            with suppress(*self._errors):
                if facts.last is not None:
                    line.write(_high(facts, facts.last))
            with suppress(*self._errors):
                line.close()
        for line_in in self._inputs.values():
            with suppress(*self._errors):
                line_in.close()
        self._inputs.clear()
        self._sensors.clear()
        self._heard_edges.clear()
        self.disabled = ()

    def _down(self, fault: LinkFault, *, was_up: bool) -> None:
        self.state = LinkState.WAITING
        told = self.fault is not None and self.fault.code is fault.code
        self.fault = fault
        if was_up or not told:
            self._handler.on_down(self.name, fault)

    def _fail(self, error: Exception) -> None:
        if self._broken is not None and not self._broken.done():
            fault = error.fault if isinstance(error, PinError) else LinkFault(FaultCode.PORT_FAILED, _words(error))
            self._broken.set_result(fault)

    # -- outputs

    def _set(self, name: str, on: bool) -> None:
        self._wanted[name] = on
        line = self._outputs.get(name)
        if line is None:
            return
        try:
            line.write(_high(self._output_facts(name), on))
        except self._errors as error:
            self._fail(error)

    def _output_facts(self, name: str) -> OutputFacts:
        return next(facts for facts in self.group.outputs if facts.name == name)

    def _cancel_steps(self, name: str) -> None:
        for handle in self._steps.pop(name, []):
            handle.cancel()

    # -- inputs

    def _level(self, name: str) -> bool:
        facts = self._facts[name]
        assert isinstance(facts, InputFacts)
        return self._inputs[name].high is (facts.active == "high")

    def _attend(self, name: str) -> None:
        """Listen to a line, unless it chatters."""
        line = self._inputs[name]
        if not self._sensors[name].listens():
            line.listen(None)
            return
        facts = self._facts[name]
        assert isinstance(facts, InputFacts)
        active = facts.active == "high"
        line.listen(lambda t, high: self._heard(name, t, high is active))

    def _heard(self, name: str, t: float, on: bool) -> None:
        """On the library's thread."""
        self._heard_edges.append((name, t, on))
        loop = self._loop
        if loop is not None and not self._called:
            self._called = True
            with suppress(RuntimeError):  # the loop has just ended
                loop.call_soon_threadsafe(self._take_heard)

    def _take_heard(self) -> None:
        self._called = False
        while self._heard_edges:
            name, t, on = self._heard_edges.popleft()
            sensor = self._sensors.get(name)
            if sensor is None or not sensor.listens():
                continue
            self._report(name, sensor.edge(t, on))
            if not sensor.listens():
                self._attend(name)
        self._look()

    def _look(self) -> None:
        """Sample what is in doubt, and come again when the next is due."""
        if self.state is not LinkState.UP:
            return
        now = self._clock()
        try:
            for name, sensor in self._sensors.items():
                if sensor.due is not None and sensor.due <= now:
                    listened = sensor.listens()
                    self._report(name, sensor.sample(now, self._level(name)))
                    if sensor.listens() != listened:
                        self._attend(name)
        except self._errors as error:
            self._fail(error)
            return
        self._after()

    def _after(self) -> None:
        self._tell_disabled()
        due = [sensor.due for sensor in self._sensors.values() if sensor.due is not None]
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if due and self._loop is not None:
            self._timer = self._loop.call_later(max(0.0, min(due) - self._clock()), self._look)

    def _report(self, name: str, changes: list[Change]) -> None:
        for change in changes:
            now = {**self._now(), name: change.on}
            for body in self.group.says(name, change.on, now):
                self._seq += 1
                self.counters.events += 1
                self._handler.on_event(self.name, self._boot_id, self._seq, body, change.t)

    def _now(self) -> dict[str, bool]:
        return {name: sensor.on for name, sensor in self._sensors.items() if sensor.trouble is None}

    def _tell_disabled(self) -> None:
        disabled = tuple(
            DisabledInput(name, self._facts[name].place, sensor.trouble, sensor.since)
            for name, sensor in self._sensors.items()
            if sensor.trouble is not None
        )
        if disabled != self.disabled:
            self.disabled = disabled
            self._handler.on_inputs(self.name, disabled, self.group.state(self._now()))


def _high(facts: OutputFacts, on: bool) -> bool:
    return on is (facts.active == "high")


def _words(error: Exception) -> str:
    return f"the pins cannot be read or driven any more: {error}"
