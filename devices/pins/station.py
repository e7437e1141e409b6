"""A station: the supervisor of one group's lines, in the place of a device's link.

It takes the lines, watches them, reports changes in the group's messages, and sets what is posted. A pin has no memory
and repeats nothing: a change while the lines are not taken is lost; a level (a marker's place, the box) is read again
when they are taken. All methods run in the loop's thread except `_heard`, which the library's thread calls.
"""

import asyncio
import secrets
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import Any, Protocol

from devices.pins.board import Board
from devices.pins.debounce import Change
from devices.pins.errors import PinError, together
from devices.pins.groups import Group, OutputFacts
from devices.pins.lines import LineChip, OutputLine
from devices.pins.watch import DisabledInput, Watch
from firmware_bridge.errors import FaultCode, LinkFault
from firmware_bridge.facts import DeviceIdentity, LinkCounters, LinkHandler, LinkState
from firmware_bridge.limits import BACKOFF_CAP, BACKOFF_FIRST
from firmware_bridge.trail import PassedFrame


class StationHandler(LinkHandler, Protocol):
    """The receiver of a station's reports: as for a link, with event times and disabled inputs."""

    def on_event(self, name: str, boot_id: bytes, seq: int, body: Mapping[str, Any], at: float | None = None) -> None:
        """`at`: when it happened, in monotonic seconds."""

    def on_inputs(self, name: str, disabled: tuple[DisabledInput, ...], state: Mapping[str, Any]) -> None:
        """The inputs that are disabled now, and the state from the others."""


class PinStation:
    """The lines of one group, on a board shared with other stations."""

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
        self._watch = Watch(group, clock, self._report)
        self._outputs: dict[str, OutputLine] = {}
        self._steps: dict[str, list[asyncio.TimerHandle]] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._called = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._broken: asyncio.Future[LinkFault] | None = None
        self._errors: tuple[type[Exception], ...] = (PinError,)

    # -- as a link

    async def run(self) -> None:
        """Supervise until cancelled; then set every output to its level for a stopped table.

        A failure of the handler ends it and is raised here. Only one call may run at a time.
        """
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
        """Set outputs. Before the lines are taken, this sets the levels they are taken with."""
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
                self._wanted.pop(step.output, None)  # no output is taken: nobody could hear the sound

    def acknowledge(self, boot_id: bytes, seq: int) -> None:
        """Does nothing: a pin keeps no events."""

    def last_frames(self) -> tuple[PassedFrame, ...]:
        """Empty: a pin has no frames."""
        return ()

    def is_proven(self) -> bool:
        """False: a pin has no key."""
        return False

    def in_order(self) -> None:
        """A person says that every disabled input is in order: use each from its present state."""
        self._attempt(self._watch.in_order)

    # -- lines

    async def _serve(self, chip: LineChip) -> LinkFault:
        """Take the lines and watch them until one fails; returns the fault. Raises PinError."""
        self._errors = (PinError, *chip.errors)
        self._broken = asyncio.get_running_loop().create_future()
        self._take(chip)
        self.counters.sessions += 1
        self.counters.reconnects += self.counters.sessions > 1
        self.state, self.fault = LinkState.UP, None
        identity = DeviceIdentity(self.group.role, chip.label, chip.library, 0, self._boot_id, persistent=False)
        self._handler.on_up(self.name, identity, self.group.state(self._watch.now()))
        self._look()
        return await self._broken

    def _take(self, chip: LineChip) -> None:
        self._check(chip)  # first: a lamp must not blink at each attempt while another line cannot be taken
        for output in self.group.outputs:
            on = self._wanted.get(output.name, output.first)
            self._outputs[output.name] = chip.output(output.line, _high(output, on))
        self._watch.take(chip, self._heard)

    def _check(self, chip: LineChip) -> None:
        """Raises PinError with every line that cannot be taken."""
        faults = []
        for line in self.group.lines:
            try:
                chip.check(line)
            except PinError as fault:
                faults.append(fault)
        if faults:
            raise together(faults)

    def _give_back(self) -> None:
        """Set every output to its level for a stopped table, if possible, and release all lines."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        for facts in self.group.outputs:
            self._cancel_steps(facts.name)
            line = self._outputs.pop(facts.name, None)
            if line is None:
                continue
            if facts.last is not None:
                self._carefully(partial(line.write, _high(facts, facts.last)))
            self._carefully(line.close)
        self._watch.close(self._carefully)
        self.disabled = ()

    def _carefully(self, action: Callable[[], None]) -> None:
        with suppress(*self._errors):
            action()

    def _down(self, fault: LinkFault, *, was_up: bool) -> None:
        self.state = LinkState.WAITING
        reported = self.fault is not None and self.fault.code is fault.code
        self.fault = fault
        if was_up or not reported:
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

    def _heard(self) -> None:
        """On the library's thread: wake the loop to take the edges."""
        loop = self._loop
        if loop is not None and not self._called:
            self._called = True
            with suppress(RuntimeError):  # the loop has just ended
                loop.call_soon_threadsafe(self._take_heard)

    def _take_heard(self) -> None:
        self._called = False
        self._attempt(self._watch.hear)

    def _look(self) -> None:
        self._attempt(self._watch.look)

    def _attempt(self, action: Callable[[], None]) -> None:
        """Do something with the lines; report a failure; then schedule the next look."""
        if self.state is not LinkState.UP:
            return
        try:
            action()
            self._tell_disabled()
        except self._errors as error:
            self._fail(error)
            return
        except Exception as error:  # noqa: BLE001 - a failure of the handler's: it ends `run` and is raised there
            if self._broken is not None and not self._broken.done():
                self._broken.set_exception(error)
            return
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        due = self._watch.due
        if due is not None and self._loop is not None:
            self._timer = self._loop.call_later(max(0.0, due - self._clock()), self._look)

    def _report(self, name: str, change: Change) -> None:
        now = {**self._watch.now(), name: change.on}
        for body in self.group.says(name, change.on, now):
            self._seq += 1
            self.counters.events += 1
            self._handler.on_event(self.name, self._boot_id, self._seq, body, change.t)

    def _tell_disabled(self) -> None:
        disabled = self._watch.disabled()
        if disabled != self.disabled:
            self.disabled = disabled
            self._handler.on_inputs(self.name, disabled, self.group.state(self._watch.now()))


def _high(facts: OutputFacts, on: bool) -> bool:
    return on is (facts.active == "high")


def _words(error: Exception) -> str:
    return f"the pins cannot be read or driven any more: {error}"
