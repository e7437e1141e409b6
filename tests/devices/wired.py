"""A host for simulated devices on their real wires: links, drivers and a table, with nothing kept."""

import asyncio
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

from devices.drivers.registry import driver_for
from devices.simulated.things.control import Control
from devices.simulated.things.equipment import Equipment
from firmware_bridge.facts import DeviceIdentity, Jump
from firmware_bridge.link import Link, LinkFault, LinkSpec, LinkState
from firmware_bridge.serial_transport import open_serial
from table_fsm.events import Event, TableOpen
from table_fsm.table import Table
from tests.devices.direct_play import books


class Wired:
    """The host's end of some devices. `bodies`: every event as it came, with its device's name."""

    def __init__(self, equipment: Equipment, names: Sequence[str]) -> None:
        self.bodies: list[tuple[str, Mapping[str, Any]]] = []
        self.faults: list[tuple[str, str]] = []
        self.boots: list[tuple[str, bytes]] = []
        self.states: list[Mapping[str, Any]] = []
        self.table: Table | None = None
        self.events: list[Event] = []
        self.acknowledging = True
        self._said: list[dict[str, Any]] = []
        self._start = time.monotonic()
        self.drivers = {name: driver_for(equipment.device(name).role)(name, equipment.settings(name)) for name in names}
        self.links = {name: self._link(equipment, name) for name in names}

    def _link(self, equipment: Equipment, name: str) -> Link:
        device = equipment.device(name)
        port = str(device.port_link)
        spec = LinkSpec(name, device.role, equipment.key(name))
        return Link(spec, lambda: open_serial(port, allowed=(port,)), self)

    def open(self, opened: TableOpen) -> None:
        """Play starts on a table of its own."""
        self.table = Table(books())
        self._take(opened)

    def _take(self, event: Event) -> None:
        self.events.append(event)
        outputs = [] if self.table is None else [output.to_dict() for output in self.table.apply(event)]
        self._said += outputs
        for name, driver in self.drivers.items():
            driver.observe(event)
            for output in outputs:
                for command, arguments in driver.commands(output):
                    self.links[name].post(command, arguments)

    async def outputs(self) -> Sequence[dict[str, Any]]:
        """For the dealer."""
        said, self._said = self._said, []
        return said

    def on_session(self, name: str, identity: DeviceIdentity) -> None:
        return

    def on_jump(self, name: str, jump: Jump) -> None:
        raise AssertionError(f"{name}: {jump}")

    def on_up(self, name: str, identity: DeviceIdentity, state: Mapping[str, Any]) -> None:
        self.boots.append((name, identity.boot_id))
        self.states.append(state)
        for event in self.drivers[name].state_events(state, self._now()):
            self._take(event)

    def on_event(self, name: str, boot_id: bytes, seq: int, body: Mapping[str, Any]) -> None:
        self.bodies.append((name, body))
        for event in self.drivers[name].events(body, self._now()):
            self._take(event)
        if self.acknowledging:
            self.links[name].acknowledge(boot_id, seq)

    def on_status(self, name: str, status: Mapping[str, Any]) -> None:
        return

    def on_down(self, name: str, fault: LinkFault) -> None:
        self.faults.append((name, fault.code.value))

    def _now(self) -> float:
        return time.monotonic() - self._start

    async def all_up(self) -> None:
        """Until every link is up."""
        await until(lambda: all(link.state is LinkState.UP for link in self.links.values()))

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """The links run."""
        tasks = [asyncio.create_task(link.run()) for link in self.links.values()]
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)


async def until(what: Any) -> None:
    """Wait for a condition. The test's own time limit is the end of patience."""
    while not what():  # noqa: ASYNC110 - what other processes bring about sets no event
        await asyncio.sleep(0.01)


async def settled(control: Control) -> None:
    """Wait until the device has nothing left that the host has not acknowledged."""
    while (await control.order("settle", seconds=5))["pending"]:
        pass
