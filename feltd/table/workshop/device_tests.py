"""Tests of devices by a technician: lamp, display, buzzer, action clock, key or card.

Only in test mode and between two rounds. A test never changes the game: messages of a tested device go into the record
as an event without meaning, and of a card only that one was read is shown. When a test ends, when test mode ends or a
round begins, every indicator is set as it should be.
"""

import asyncio
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from devices.limits import EXTENSION
from feltd.door import CommandRefused, Person, PlayStopped
from feltd.door.devices import TrialKind
from feltd.table.keeper.keeper import TableKeeper
from feltd.table.links.bridge import Bridge
from feltd.table.links.slots import Slot
from table_fsm.events import Event, TestMode

LIT_SECONDS: Final = 2.0
SHOWN_SECONDS: Final = 5.0
LISTEN_SECONDS: Final = 30.0
SEEN_MAX: Final = 50
TEST_NOTE: Final = "device.test"
TESTED_NOTE: Final = "device.tested"
_PASSES: Final = "test_mode"
"""The key that ends test mode is never waited for: it does what it says."""

_NOT_SHOWN: Final = frozenset({"ev", "pin"})

_log = logging.getLogger("feltd.devices")

Later = Callable[[float, Callable[[], None]], Callable[[], None]]
"""(seconds, what) → what takes it back."""


class DeviceTestRefused(CommandRefused):
    """The test is not possible now; the message says why."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A message of a tested device.

    `read`: of a card, whether it was read; never which. `said`: of a key, the rest of its message, so that keys can be
    distinguished.
    """

    wall: float
    event: str
    place: str | None
    read: bool | None
    said: Mapping[str, str | int | bool] = field(default_factory=dict)


@dataclass(slots=True)
class Trial:
    """One test.

    `until`: table seconds; `expect`: the event waited for, None takes any; `over`: why it ended.
    """

    number: int
    device: str
    kind: TrialKind
    lamp: str | None
    expect: str | None
    person: Person
    began: float
    until: float
    seen: list[Seen] = field(default_factory=list)
    over: str | None = None

    @property
    def passed(self) -> bool | None:
        """Whether the awaited event came; None where only an eye or an ear can tell."""
        if self.kind is not TrialKind.LISTEN:
            return None
        return any(self.expect in (None, seen.event) for seen in self.seen)


class DeviceTests:
    """The tests of one table, one at a time: a new one ends the one before."""

    def __init__(
        self, keeper: TableKeeper, bridge: Bridge, wall: Callable[[], float], later: Later | None = None
    ) -> None:
        self.latest: Trial | None = None
        """The test that runs, or the last one."""
        self._keeper = keeper
        self._bridge = bridge
        self._wall = wall
        self._later = later or _in_the_loop
        self._take_back: Callable[[], None] = _nothing
        self._count = 0
        keeper.on_outputs(lambda event, _: self._happened(event))

    @property
    def running(self) -> Trial | None:
        """The test that runs."""
        return self.latest if self.latest is not None and self.latest.over is None else None

    def begin(
        self, person: Person, device: str, kind: TrialKind, *, lamp: str | None = None, expect: str | None = None
    ) -> Trial:
        """Begin a test and note it. Raises DeviceTestRefused, PlayStopped."""
        slot = self._bridge.slots[device]
        self._check(slot, kind, lamp, expect)
        more = {"lamp": lamp} if lamp else {"expect": expect} if expect else {}
        self._keeper.note_by_hand(person, TEST_NOTE, None, device=device, test=kind.value, **more)
        self.end("another test")
        self._count += 1
        seconds = _SECONDS[kind]
        trial = Trial(self._count, device, kind, lamp, expect, person, self._wall(), self._keeper.now + seconds)
        self.latest = trial
        self._show(slot, trial)
        self._take_back = self._later(seconds, lambda: self._time_is_up(trial))
        self._bridge.changed()
        return trial

    def end(self, why: str = "ended by hand") -> None:
        """End the test that runs, if one does, and set every indicator as it should be."""
        trial = self.running
        if trial is None:
            return
        trial.over = why
        self._take_back()
        if trial.lamp is not None:
            self._bridge.indicating.show({"lamp": {"name": trial.lamp, "on": False}}, trial.device)
        if trial.kind is TrialKind.CLOCK:
            self._bridge.indicating.show({"clock": None}, trial.device)
        if trial.kind is TrialKind.LISTEN:
            self._note_end(trial)
        else:
            self._bridge.indicating.set_again()
        self._bridge.changed()

    # -- what may be tested

    def _check(self, slot: Slot, kind: TrialKind, lamp: str | None, expect: str | None) -> None:
        if not self._keeper.standing.testing:
            raise DeviceTestRefused("devices are tested in test mode only: begin it first")
        if not self._keeper.between_rounds:
            raise DeviceTestRefused("a round is in progress: devices are tested between two rounds")
        if self._keeper.stopped is not None:
            raise DeviceTestRefused(f"play stops: {self._keeper.stopped}")
        if self._bridge.indicating.put_back:
            raise DeviceTestRefused("play stops: the record was put back to an older state; accept that first")
        name = slot.config.name
        if kind not in slot.driver.trials:
            raise DeviceTestRefused(f"{name}: a device of role {slot.config.role} has nothing of the kind to be tested")
        if slot.there is not True:
            raise DeviceTestRefused(f"{name} is not there: its link must be up")
        if (lamp is not None) != (kind is TrialKind.LAMP):
            raise DeviceTestRefused("name the lamp where a lamp is tested, and only there")
        if lamp is not None and lamp not in slot.driver.lamps:
            raise DeviceTestRefused(f'{name} has no lamp "{lamp}"; it has {", ".join(slot.driver.lamps)}')
        if expect is not None and (kind is not TrialKind.LISTEN or expect not in slot.driver.event_names):
            raise DeviceTestRefused(f'{name} never says "{expect}"')

    # -- what happens meanwhile

    def _show(self, slot: Slot, trial: Trial) -> None:
        output = slot.driver.trial_output(trial.kind, trial.lamp, SHOWN_SECONDS, self._keeper.now)
        if output is not None:
            self._bridge.indicating.show(output, trial.device)

    def says(self, slot: Slot, body: Mapping[str, Any]) -> bool:
        """Note a device's event in the running test; False if it does not belong to the test."""
        trial = self.running
        if trial is None or trial.kind is not TrialKind.LISTEN or trial.device != slot.config.name:
            return False
        event = str(body["ev"])
        if event == _PASSES:
            return False
        if len(trial.seen) < SEEN_MAX:
            read = body["card"] is not None if "card" in body else None
            rest = _rest(body) if slot.driver.names_no_card else {}
            trial.seen.append(Seen(self._wall(), event, _place(body), read, rest))
        self._bridge.changed()
        return True

    def _happened(self, event: Event) -> None:
        if isinstance(event, TestMode) and not event.on:
            self.end("test mode ended")
            self._bridge.indicating.set_again()
        elif self.running is not None and not self._keeper.between_rounds:
            self.end("a round began")

    def _time_is_up(self, trial: Trial) -> None:
        if trial is self.running:
            self.end("its time is over")

    def _note_end(self, trial: Trial) -> None:
        try:
            self._keeper.note_by_hand(
                trial.person, TESTED_NOTE, None, device=trial.device, passed=bool(trial.passed), seen=len(trial.seen)
            )
        except PlayStopped as stopped:
            _log.warning("the end of a test is not in the record: %s", stopped)


_SECONDS: Final[Mapping[TrialKind, float]] = {
    TrialKind.LAMP: LIT_SECONDS,
    TrialKind.DISPLAY: SHOWN_SECONDS,
    TrialKind.BUZZER: LIT_SECONDS,
    TrialKind.CLOCK: SHOWN_SECONDS,
    TrialKind.LISTEN: LISTEN_SECONDS,
}


def _place(body: Mapping[str, Any]) -> str | None:
    """The zone or the seat that an event names."""
    if isinstance(body.get("zone"), str):
        return str(body["zone"])
    return f"seat:{body['seat']}" if isinstance(body.get("seat"), int) else None


def _rest(body: Mapping[str, Any]) -> dict[str, str | int | bool]:
    """A key's message without its event, without lists and without a PIN.

    Lists are left out because they are of cards.
    """
    return {
        name: value
        for name, value in body.items()
        if name not in _NOT_SHOWN and isinstance(value, str | int | bool) and not EXTENSION.fullmatch(name)
    }


def _in_the_loop(seconds: float, callback: Callable[[], None]) -> Callable[[], None]:
    return asyncio.get_running_loop().call_later(seconds, callback).cancel


def _nothing() -> None:
    """No timer runs."""
