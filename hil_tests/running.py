"""A table that plays while tests look at it: a loop in a thread of its own, for tests that are no coroutines."""

import asyncio
import threading
import time
from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeVar

from devices.simulated.things.control import Control
from feltd.record.notes import START_NOTE
from hil_tests.machine.chip import SimulatedHands
from hil_tests.machine.ground import HOST, Ground
from hil_tests.machine.qemu import POLL_SECONDS, Machine
from hil_tests.machine_table import START_SECONDS, MachineTable, machine_table
from hil_tests.wires import Fed

_T = TypeVar("_T")
PATIENCE: Final = 600.0
"""Seconds for what takes one on a board, and a few in an emulated machine whose host has nothing else to do."""
IN_A_ROUND: Final = ("dealing", "betting", "board", "draw", "showdown", "settling")


@dataclass(slots=True)
class RunningTable:
    """A table under systemd in a machine, a dealer at work at it."""

    table: MachineTable
    machine: Machine
    hands: SimulatedHands
    dealer: "asyncio.Task[None]"
    loop: asyncio.AbstractEventLoop
    power: AsyncExitStack
    """Closed, it switches the machine off."""

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
        """Wait until a round is being played, if none is; the last entry then."""
        entries = self.table.feed.look()
        phases = (entry.body["phase"] for entry in reversed(entries) if is_phase(entry))
        if next(phases, None) in IN_A_ROUND:
            return self.now()
        wanted = self.entry(
            lambda entry: is_phase(entry) and entry.body["phase"] in IN_A_ROUND, after=self.now(), seconds=seconds
        )
        return wanted.seq

    def at_a_deal(self) -> int:
        """Wait until a deal begins, with most of its round to come; the entry that says so."""
        return self.entry(
            lambda entry: is_phase(entry) and entry.body["phase"] == "dealing", after=self.now(), seconds=START_SECONDS
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

    def bitten(self) -> None:
        """Wait until the machine's hardware watchdog bites, and let it do what it does on a board: the machine starts
        anew, on what its disk holds. Raises TimeoutError."""
        until = time.monotonic() + PATIENCE
        while not self.machine.bitten:
            if time.monotonic() > until:
                raise TimeoutError(f"no watchdog has bitten within {PATIENCE:g} s")
            time.sleep(POLL_SECONDS)
        self._on_again("table-after-the-watchdog")

    def cut(self, seed: int) -> None:
        """The power fails in the middle of one of the disk's next requests, and comes back: the machine starts anew, on
        what a disk has kept that loses half of what it was not told to keep."""
        self.do(self.table.cut(self.machine, seed))
        self._on_again("table-after-the-cut")

    def _on_again(self, name: str) -> None:
        self.machine = self.do(self._start_anew(name))
        self.hands = SimulatedHands(self.machine)

    async def _start_anew(self, name: str) -> Machine:
        await self.power.aclose()
        return await self.power.enter_async_context(self.table.powered(name))

    def unit(self, *names: str) -> dict[str, str]:
        """Properties of feltd's unit, as systemd tells them."""
        said = self.machine.order("systemctl show felt-table " + " ".join(f"-p {name}" for name in names))
        return dict(line.split("=", 1) for line in said.splitlines() if "=" in line)


def is_phase(entry: Fed) -> bool:
    """The table says in which phase it is."""
    return entry.kind == "output" and "phase" in entry.body


def is_started(entry: Fed) -> bool:
    """The table has started, and tells it."""
    return entry.kind == "host" and entry.name == "note" and entry.body.get("note") == START_NOTE


@contextmanager
def running_table(folder: Path, seed: int, pins: str, usb_reader: str, ground: Ground = HOST) -> Iterator[RunningTable]:
    """Power on, a dealer sits down; at the end all is switched off. Raises GuestFailedError, CannotBeHadError."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="table", daemon=True)
    thread.start()

    def do(work: Coroutine[Any, Any, _T]) -> _T:
        return asyncio.run_coroutine_threadsafe(work, loop).result(START_SECONDS * 2)

    stack, power = AsyncExitStack(), AsyncExitStack()

    async def begin() -> tuple[MachineTable, Machine, asyncio.Task[None]]:
        # no mistakes: no misdeal ends a round that a test has begun with
        laid = machine_table(folder, seed, mistakes=0.0, pins=pins, usb_reader=usb_reader, ground=ground)
        table = await stack.enter_async_context(laid)
        stack.push_async_exit(power)
        machine = await power.enter_async_context(table.powered("table-under-systemd"))
        return table, machine, await stack.enter_async_context(table.dealt())

    try:
        table, machine, dealer = do(begin())
        yield RunningTable(table, machine, SimulatedHands(machine), dealer, loop, power)
    finally:
        try:
            do(stack.aclose())
        finally:
            do(_nothing_left())
            loop.call_soon_threadsafe(loop.stop)
            thread.join()
            loop.close()


async def _nothing_left() -> None:
    """End what the loop still does, as `asyncio.run` does. A connection or a task that outlives its loop is found by
    pytest when all tests have passed: the suite then fails, and no test of it."""
    left = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    for task in left:
        task.cancel()
    await asyncio.gather(*left, return_exceptions=True)
    loop = asyncio.get_running_loop()
    await loop.shutdown_asyncgens()
    await loop.shutdown_default_executor()
