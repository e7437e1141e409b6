"""A table whose shoe is on a wire that loses frames: real links, drivers and rulings, in a loop whose clock jumps."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from feltd.table.config.devices import DeviceConfig
from feltd.table.config.key_files import KeyFile
from feltd.table.daemon.shown import indicators_of
from feltd.table.keeper.deliveries import Delivery
from feltd.table.links.bridge import Bridge, make_drivers
from feltd.table.links.ends import TableEnds
from feltd.table.links.links import Reach
from firmware_bridge.link import LinkState
from firmware_bridge.memory import MemoryTransport, memory_pair
from firmware_bridge.peer import DevicePeer, PeerIdentity
from firmware_bridge.store import MemoryStore
from firmware_bridge.transport import HostTransport
from table_fsm.events import Cut, DeviceState, Event, TableOpen
from table_fsm.outputs import Output, Ruling
from table_fsm.table import Table
from tests.feltd.table_support import BOOKS, HOLDEM
from tests.firmware_bridge.support import KEY, Hindrance, now, until

SHOE = DeviceConfig.model_validate(
    {
        "name": "shoe",
        "role": "shoe",
        "port": "/dev/serial/by-id/shoe",
        "key_file": KeyFile(path=Path("unused")),
    }
)


class Forgetful(Hindrance):
    """Loses as many writes as it is told to."""

    def __init__(self, inner: MemoryTransport) -> None:
        super().__init__(inner)
        self.losing = 0

    def write(self, data: bytes) -> None:
        if self.losing:
            self.losing -= 1
        else:
            self.inner.write(data)


class Shoe:
    """The device: its gate, and nothing else."""

    def __init__(self) -> None:
        self.locked = True

    def state(self) -> Mapping[str, Any]:
        return {"locked": self.locked, "faults": []}

    def status(self) -> Mapping[str, Any]:
        return {}

    def command(self, _name: str, _args: Mapping[str, Any]) -> Mapping[str, Any]:
        return {}

    def post(self, name: str, args: Mapping[str, Any]) -> None:
        assert name == "gate"
        self.locked = args["locked"]


class ShoeTable:
    """The table, open and with a checked pack. Used in a running loop."""

    def __init__(self, **of_bridge: Any) -> None:
        self.table = Table(BOOKS)
        self.events: list[Event] = []
        self.outputs: list[Output] = []
        self.shoe = Shoe()
        self.peer = self._peer()
        self.wires: list[tuple[Forgetful, Forgetful]] = []
        self.plugged = asyncio.Event()
        self.plugged.set()
        self.bridge = Bridge(
            [SHOE], {"shoe": KEY}, {}, make_drivers([SHOE]), wall=now, reach=Reach(lambda _: self._connect), **of_bridge
        )
        self.bridge.connect(TableEnds(self.deliver, lambda: indicators_of(self.table), needed=self.table.needs))
        self._served: asyncio.Task[None] | None = None
        self._running: asyncio.Task[None] | None = None
        self._t = 0.0
        opened = TableOpen(t=0.0, rulebook=HOLDEM, seats=[1, 2, 3], options={"blinds": [100, 200]}, button=3)
        self.deliver(Delivery("test", lambda _: [opened]))

    def _peer(self) -> DevicePeer:
        return DevicePeer(PeerIdentity("shoe", "S-1", KEY), self.shoe, store=MemoryStore(), clock=now)

    async def _connect(self) -> HostTransport:
        await self.plugged.wait()
        host, device = (Forgetful(end) for end in memory_pair())
        self.wires.append((host, device))
        self._serve(device)
        return host

    def _serve(self, device: Forgetful) -> None:
        if self._served is not None:
            self._served.cancel()
        self._served = asyncio.ensure_future(self.peer.serve(device))

    def deliver(self, delivery: Delivery) -> None:
        self._t = max(self._t, now() - 1000.0)
        for event in delivery.translate(self._t):
            self.events.append(event)
            outputs = self.table.apply(event)
            self.bridge.observe(event)
            self.outputs += outputs
            self.bridge.send(outputs)
        if delivery.source is not None:
            self.bridge.acknowledge(delivery.source)
        if delivery.done is not None:
            delivery.done()

    # -- what a test does

    async def begin(self) -> None:
        """The shoe comes up, its pack is checked and shuffled."""
        self._running = asyncio.ensure_future(self.bridge.run())
        await self.up()
        self.peer.emit({"ev": "deck_checked", "count": 52, "missing": [], "foreign": [], "duplicate": []})
        self.peer.emit({"ev": "shuffled", "count": 52})
        await until(lambda: "shoe.shuffled" in self.told)
        self.deliver(Delivery("test", lambda t: [Cut(t=t)]))

    async def up(self) -> None:
        await until(lambda: self.bridge.slots["shoe"].link.state is LinkState.UP)

    async def down(self) -> None:
        await until(lambda: self.bridge.slots["shoe"].link.state is not LinkState.UP)

    def lose_frames_of_device(self, count: int = 1) -> None:
        self.wires[-1][1].losing += count

    def deal(self, card: str) -> None:
        """The shoe gives a card."""
        self.peer.emit({"ev": "card_out", "card": card, "face": "down"})

    def restart_shoe(self) -> None:
        """The shoe loses its power for a moment, and its store with it."""
        self.peer = self._peer()
        self._serve(self.wires[-1][1])

    def pull(self) -> None:
        """Take the cable out."""
        self.plugged.clear()
        for end in self.wires[-1]:
            end.lose()

    async def finish(self) -> None:
        for task in (self._running, self._served):
            if task is not None:
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)

    # -- what came of it

    @property
    def rulings(self) -> list[str]:
        return [output.value.irregularity for output in self.outputs if isinstance(output.value, Ruling)]

    @property
    def told(self) -> list[bool | str]:
        """Of the shoe in order: True it came, False it went, or the name of its event."""
        of_shoe = [event for event in self.events if not isinstance(event, TableOpen | Cut)]
        return [event.online if isinstance(event, DeviceState) else event.ev for event in of_shoe]
