"""A table that plays while tests look at it: a loop in a thread of its own, for tests that are no coroutines."""

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeVar

from devices.simulated.control import Control
from hil_tests.machine.chip import SimulatedHands
from hil_tests.machine.qemu import Machine
from hil_tests.machine_table import START_SECONDS, MachineTable, machine_table
from hil_tests.wires import Fed

_T = TypeVar("_T")
_WARM: Final = """\
used() { systemctl show feltd -P CPUUsageNSec; }
for attempt in $(seq 60); do
    before=$(used); sleep 2; after=$(used)
    [ $((after - before)) -gt 600000000 ] || exit 0
done
"""
"""feltd loads what a showdown needs when it is up; an emulated machine is busy with that for half a minute."""
PATIENCE: Final = 60.0
"""Seconds for what takes one on a board."""
IN_A_ROUND: Final = ("dealing", "betting", "board", "draw", "showdown", "settling")


@dataclass(slots=True)
class RunningTable:
    """A table under systemd in a machine, a dealer at work at it."""

    table: MachineTable
    machine: Machine
    hands: SimulatedHands
    dealer: "asyncio.Task[None]"
    loop: asyncio.AbstractEventLoop

    def do(self, work: Coroutine[Any, Any, _T], seconds: float = START_SECONDS * 2) -> _T:
        """Have the loop do something, and wait."""
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(seconds)

    def now(self) -> int:
        """The last entry of the journal so far."""
        return self.table.feed.last

    def entry(self, wanted: Callable[[Fed], bool], *, after: int, seconds: float = PATIENCE) -> Fed:
        """The first entry after this one that is wanted. Raises TimeoutError."""
        return self.do(self.table.feed.until(wanted, seconds, after=after), seconds + 10)

    def in_a_round(self, *, seconds: float = START_SECONDS) -> int:
        """Wait until a round is being played; the entry that says so."""
        return self.entry(
            lambda entry: entry.kind == "output" and entry.body.get("phase") in IN_A_ROUND,
            after=self.now(),
            seconds=seconds,
        ).seq

    def plays_on(self, after: int, *, seconds: float = START_SECONDS) -> Fed:
        """Wait until devices' events are taken again."""
        return self.entry(
            lambda entry: entry.kind == "event" and entry.device is not None, after=after, seconds=seconds
        )

    def event(self, name: str, *, after: int, where: Mapping[str, object]) -> Fed:
        """The next event of this name, with at least these fields."""
        return self.entry(
            lambda entry: (
                entry.kind == "event"
                and entry.name == name
                and all(entry.body.get(key) == value for key, value in where.items())
            ),
            after=after,
        )

    def order(self, device: str, do: str, **fields: Any) -> dict[str, Any]:
        """Have one of the devices outside do something."""

        async def ask() -> dict[str, Any]:
            control = Control(self.table.equipment.device(device).control, name=device)
            try:
                return await control.order(do, **fields)
            finally:
                await control.close()

        return self.do(ask())

    def unit(self, *names: str) -> dict[str, str]:
        """Properties of feltd's unit, as systemd tells them."""
        said = self.machine.order("systemctl show feltd " + " ".join(f"-p {name}" for name in names))
        return dict(line.split("=", 1) for line in said.splitlines() if "=" in line)


@contextmanager
def running_table(folder: Path, seed: int, pins: str, usb_reader: str) -> Iterator[RunningTable]:
    """Power on, a dealer sits down; at the end all is switched off. Raises GuestFailedError, CannotBeHadError."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="table", daemon=True)
    thread.start()

    def do(work: Coroutine[Any, Any, _T]) -> _T:
        return asyncio.run_coroutine_threadsafe(work, loop).result(START_SECONDS * 2)

    stack = AsyncExitStack()

    async def begin() -> tuple[MachineTable, Machine, asyncio.Task[None]]:
        table = await stack.enter_async_context(machine_table(folder, seed, pins=pins, usb_reader=usb_reader))
        machine = await stack.enter_async_context(table.powered("table-under-systemd"))
        await asyncio.to_thread(machine.order, _WARM, START_SECONDS)
        return table, machine, await stack.enter_async_context(table.dealt())

    try:
        table, machine, dealer = do(begin())
        yield RunningTable(table, machine, SimulatedHands(machine), dealer, loop)
    finally:
        do(stack.aclose())
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
