"""Devices that talk as fast as they are told to, in one process: `python -m tests.bench.chatterers FOLDER NAME …`.

Keypads and, last, the lamps, each on a pseudo-terminal FOLDER/NAME with its key in FOLDER/NAME.key. A line on
standard input is a number of events a second for each keypad: 0 is rest, inf is as fast as they are acknowledged. Each
is answered by one JSON line: how many devices are up, how many events have been acknowledged, how long each waited for
that since the line before, and how long the lamps took after a keypad called the floor, in microseconds: with one
keypad these are the lamps of that call. Ends with its input. Devices have processors of their own: here they have a
table's turns at the one that there is, so that what is measured is the table's wait and not theirs.
"""

import asyncio
import json
import math
import sys
from collections import deque
from collections.abc import Mapping, Sequence
from itertools import count, cycle
from pathlib import Path
from time import perf_counter
from typing import Any, Final

from feltd.text.processor import comes_first
from firmware_bridge.peer import DevicePeer, PeerIdentity
from firmware_bridge.pseudo_terminal import PseudoTerminal
from firmware_bridge.store import MemoryStore, PendingEvent

SAYS: Final[tuple[Mapping[str, Any], ...]] = (
    {"ev": "floor_called", "by": "dealer"},
    {"ev": "stack", "seat": 1, "cents": 40_000},
    {"ev": "decision", "decision": "acknowledge"},
    {"ev": "stack", "seat": 1, "cents": 50_000},
)
"""In turn: half of it changes lamps or the display, nothing of it piles up at the table."""
AHEAD: Final = 32
"""Events that a device which talks without a pause has waiting: as many as a host lets be on their way."""
LIGHTS: Final = "indicators"


def names(keypads: int) -> list[str]:
    """The devices, the lamps last."""
    return [*(f"keys-{number}" for number in range(1, keypads + 1)), LIGHTS]


class _Store(MemoryStore):
    """Knows how long each event waited."""

    def __init__(self) -> None:
        super().__init__()
        self.waited: list[float] = []
        self.forgotten = 0
        self.room = asyncio.Event()
        self._since: deque[float] = deque()

    def append(self, event: PendingEvent) -> None:
        super().append(event)
        self._since.append(perf_counter())

    def forget(self, count: int) -> None:
        super().forget(count)
        now = perf_counter()
        self.waited += [round((now - self._since.popleft()) * 1e6, 1) for _ in range(count)]
        self.forgotten += count
        self.room.set()


class Lamps:
    """How long the lamps took after the floor was called."""

    def __init__(self) -> None:
        self.took: list[float] = []
        self._called: float | None = None

    def called(self) -> None:
        """A keypad calls the floor now."""
        self._called = perf_counter()

    def set(self) -> None:
        """The lamps are told what to show."""
        if self._called is not None:
            self.took.append(round((perf_counter() - self._called) * 1e6, 1))
            self._called = None


class _Device:
    """What is behind the peers: nothing but a look at the lamps."""

    def __init__(self, name: str, lamps: Lamps) -> None:
        self._lamps = lamps
        self._state: dict[str, Any] = {"lamps": {}, "display": []} if name == LIGHTS else {"testing": False}

    def state(self) -> Mapping[str, Any]:
        return self._state

    def status(self) -> Mapping[str, Any]:
        return {}

    def command(self, _name: str, _args: Mapping[str, Any]) -> Mapping[str, Any]:
        return {}

    def post(self, name: str, _args: Mapping[str, Any]) -> None:
        if name == "lamps":
            self._lamps.set()


class Chatterer:
    """One device."""

    def __init__(
        self,
        folder: Path,
        name: str,
        lamps: Lamps,
        *,
        says: Sequence[Mapping[str, Any]] = SAYS,
        peer: type[DevicePeer] = DevicePeer,
    ) -> None:
        self._lamps = lamps
        self._says = says
        key = bytes.fromhex((folder / f"{name}.key").read_text(encoding="ascii"))
        self.store = _Store()
        identity = PeerIdentity(name.partition("-")[0], f"BENCH-{name}", key)
        self.peer = peer(identity, _Device(name, lamps), store=self.store)
        self._terminal = PseudoTerminal(folder / name)

    async def serve(self) -> None:
        """Speak until cancelled."""
        await self.peer.serve(self._terminal)

    async def talk(self, rate: float, part: float) -> None:
        """So many events a second until cancelled, the first after this part of the time between two."""
        loop = asyncio.get_running_loop()
        began, says = loop.time(), cycle(self._says)
        for number in count():
            if math.isinf(rate):
                while self.peer.pending >= AHEAD:
                    self.store.room.clear()
                    await self.store.room.wait()
            else:
                await asyncio.sleep(began + (number + part) / rate - loop.time())
            body = next(says)
            if body["ev"] == "floor_called":
                self._lamps.called()
            await self.peer.emit_when_room(body)


async def _run(folder: Path, names: list[str]) -> None:
    lamps = Lamps()
    devices = [Chatterer(folder, name, lamps) for name in names]
    serving = [asyncio.create_task(device.serve()) for device in devices]
    lines = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    talking: list[asyncio.Task[None]] = []
    now = 0.0
    while line := await lines.readline():
        if float(line) != now:
            now = float(line)
            for task in talking:
                task.cancel()
            talking = []
            if now:
                talking = [asyncio.create_task(one.talk(now, n / len(devices))) for n, one in enumerate(devices[:-1])]
        _tell(devices, lamps)
    for task in serving + talking:
        task.cancel()


def _tell(devices: list[Chatterer], lamps: Lamps) -> None:
    stores = [device.store for device in devices]
    up = sum(device.peer.up for device in devices)
    told = {"up": up, "acknowledged": sum(store.forgotten for store in stores)}
    waited = [one for store in stores for one in store.waited]
    for store in stores:
        store.waited.clear()
    lit, lamps.took = lamps.took, []
    sys.stdout.write(json.dumps({**told, "waited": waited, "lit": lit}) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    comes_first()
    asyncio.run(_run(Path(sys.argv[1]), sys.argv[2:]))
