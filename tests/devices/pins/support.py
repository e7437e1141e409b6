"""A station over mock pins, and notes of what it tells."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any

from devices.pins.board import Board
from devices.pins.facts import Pins
from devices.pins.groups import Group
from devices.pins.lines import LineChip
from devices.pins.on_mock import MockChip
from devices.pins.station import PinStation
from devices.pins.watch import DisabledInput
from firmware_bridge.errors import LinkFault
from firmware_bridge.facts import DeviceIdentity

SOON = 5.0


class Notes:
    """Notes what a station tells."""

    def __init__(self) -> None:
        self.ups: list[tuple[DeviceIdentity, Mapping[str, Any]]] = []
        self.events: list[tuple[int, dict[str, Any], float | None]] = []
        self.downs: list[LinkFault] = []
        self.inputs: list[tuple[tuple[DisabledInput, ...], Mapping[str, Any]]] = []
        self._told = asyncio.Event()

    def on_up(self, name: str, identity: DeviceIdentity, state: Mapping[str, Any]) -> None:
        self.ups.append((identity, state))
        self._told.set()

    def on_event(self, name: str, boot_id: bytes, seq: int, body: Mapping[str, Any], at: float | None = None) -> None:
        self.events.append((seq, dict(body), at))
        self._told.set()

    def on_status(self, name: str, status: Mapping[str, Any]) -> None:
        raise AssertionError("pins have no status")

    def on_down(self, name: str, fault: LinkFault) -> None:
        self.downs.append(fault)
        self._told.set()

    def on_inputs(self, name: str, disabled: tuple[DisabledInput, ...], state: Mapping[str, Any]) -> None:
        self.inputs.append((disabled, state))
        self._told.set()

    def tell(self) -> None:
        """Something happened."""
        self._told.set()

    async def until(self, what: Callable[[], object]) -> None:
        """Something is so, because the station told something."""
        async with asyncio.timeout(SOON):
            while not what():
                self._told.clear()
                await self._told.wait()


class Wired:
    """A station that runs."""

    def __init__(self, station: PinStation, notes: Notes, chip: MockChip, task: asyncio.Task[None]) -> None:
        self.task = task
        self.station = station
        self.notes = notes
        self.chip = chip

    def press(self, line: int) -> None:
        self.chip.pin(line).drive_low()

    def let_go(self, line: int) -> None:
        self.chip.pin(line).drive_high()

    def lit(self, line: int) -> bool:
        return bool(self.chip.pin(line).state)

    async def driven(self, line: int, times: int) -> None:
        """The line has been at so many levels."""
        pin = self.chip.pin(line)
        change = pin._change_state

        def changed(level: bool) -> bool:
            self.notes.tell()
            return bool(change(level))

        pin._change_state = changed
        await self.notes.until(lambda: len(pin.states) >= times)


class _Board(Board):
    """Opened with no thread."""

    def __init__(self, chip: MockChip) -> None:
        super().__init__("mock", None, lambda _factory, _label: chip)

    async def join(self) -> LineChip:
        return self._join()


@asynccontextmanager
async def running(group: Group, chip: MockChip | None = None, **posts: Mapping[str, Any]) -> AsyncIterator[Wired]:
    """The group's station, its lines taken. `posts`: what is posted before."""
    clock = asyncio.get_running_loop().time
    chip = chip or MockChip()
    chip.clock = clock
    notes = Notes()
    station = PinStation(group, _Board(chip), notes, clock)
    for name, args in posts.items():
        station.post(name, args)
    task = asyncio.create_task(station.run())
    try:
        await notes.until(lambda: notes.ups or notes.downs)
        yield Wired(station, notes, chip, task)
    finally:
        task.cancel()
        await asyncio.wait([task])


def pins(**section: Any) -> Pins:
    return Pins.model_validate({"factory": "mock", **section})
