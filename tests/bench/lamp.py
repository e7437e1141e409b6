"""From a device's frame at the pseudo-terminal to the lamp's frame there, beside a bare echo of the same frames.

The device is another process. The host's side is the daemon's: link, bridge, driver, `Table.apply`, indicators' driver,
post; the record, which the daemon keeps after it has posted, is not in it. The bare host is a reader in the same event
loop, of a port that the same library opened, that writes back the frames that the protocol's host wrote, one by one.

As a program it is the host's side alone, for a device that is elsewhere:
`python -m tests.bench.lamp ERRANDS KEY PATHS`, where PATHS is the JSON that the device tells, with the ports as they
are called here.
"""

import asyncio
import json
import os
import secrets
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from devices.drivers.base import Driver
from devices.drivers.keys import KeysDriver
from devices.drivers.registry import driver_for
from feltd.record import Source
from feltd.table.config.devices import DeviceConfig
from feltd.table.host.large_pages import take_large_pages
from feltd.table.keeper.deliveries import Delivery
from feltd.table.links.bridge import Bridge
from feltd.table.links.ends import TableEnds
from feltd.table.links.links import Reach
from firmware_bridge.limits import PROTOCOL_MAX
from firmware_bridge.link import Connect
from firmware_bridge.serial_port import open_port
from firmware_bridge.serial_transport import SerialTransport, open_serial
from firmware_bridge.transport import HostTransport
from table_fsm.events import Event
from table_fsm.felt import ZONES
from table_fsm.rulebook import Rulebook
from table_fsm.table import Table
from tests.bench import errands, lamp_device, rounds
from tests.bench.report import Row, Spread, micro

GOAL: Final = 2.5  # times the bare echo, p50
RESTS: Final = {"at a busy table": 0.0, "after 20 ms of rest": 0.02}
"""Seconds that both processes rest before each exchange. At a table cards are far apart: the longer the rest, the more
of the caches belongs to somebody else by the next."""
WARM_UP: Final = 20
"""Exchanges before the first that counts."""
_ROOT: Final = Path(__file__).resolve().parents[2]


class LampBenchError(Exception):
    """The device did not do its part, or a link paused: then its pauses were measured and not the way to a lamp."""


def measure(rulebooks: Mapping[str, Rulebook], directory: Path, exchanges: int) -> list[Row]:
    """The lines; files go to `directory`. Raises LampBenchError."""
    errand_list = errands.errands(rulebooks, WARM_UP + exchanges)
    file = directory / "errands.json"
    errands.write(file, errand_list)
    rows: list[Row] = []
    for when, rest in RESTS.items():
        said = asyncio.run(exchange(rulebooks, errand_list, file, rest))
        rows += rows_of(f"Frame at the terminal to the lamp's frame, {when}", said, GOAL)
    return rows


def rows_of(name: str, said: Mapping[str, list[float]], goal: float | None = None) -> list[Row]:
    """The lines of what the device measured. `goal`: times the bare echo."""
    protocol, echo = Spread.of(said["protocol"][WARM_UP:]), Spread.of(said["echo"][WARM_UP:])
    ratio = protocol.p50 / echo.p50
    first = Row(f"{name}, {protocol.count} times", str(protocol), str(echo), ratio)
    if goal is not None:
        first = replace(first, goal=f"p50 under {goal} × a bare echo", reached=ratio < goal)
    return [first, Row("– p99", micro(protocol.p99), micro(echo.p99), protocol.p99 / echo.p99)]


async def serve(errand_list: list[errands.Errand], key: bytes, paths: Mapping[str, str]) -> None:
    """The host's side until cancelled."""
    host = _Host(rounds.books(), errand_list)
    take_large_pages()  # as the daemon does
    host.listen(key, paths)
    bare = _BareHost(paths["bare"], host)
    try:
        await host.until(asyncio.get_running_loop().create_future())
    finally:
        bare.close()
        await host.stop()


Paths = Mapping[str, str]
Wires = Callable[[Paths], AbstractAsyncContextManager[Paths]]
"""What lies between the device's ports and the host's: the paths that the host opens for those that the device made."""


@asynccontextmanager
async def directly(paths: Paths) -> AsyncIterator[Paths]:
    """Nothing lies between."""
    yield paths


async def exchange(
    rulebooks: Mapping[str, Rulebook],
    errand_list: list[errands.Errand],
    file: Path,
    rest: float,
    *,
    version: int = PROTOCOL_MAX,
    wires: Wires = directly,
) -> dict[str, list[float]]:
    """Let the device run its errands; what it measured. `file`: the errands, for the device. Raises LampBenchError."""
    host, key = _Host(rulebooks, errand_list), secrets.token_bytes(32)
    take_large_pages()  # as the daemon does
    device = await asyncio.create_subprocess_exec(
        sys.executable, "-m", lamp_device.__name__, str(file), key.hex(), str(rest), str(version),
        stdout=asyncio.subprocess.PIPE, cwd=_ROOT, limit=1 << 24,
    )  # fmt: skip
    assert device.stdout is not None
    try:
        made = json.loads(await device.stdout.readline() or "null")
        if made is None:
            raise LampBenchError("the bench's device did not start: its message is above")
        async with wires(made) as paths:
            host.listen(key, paths)
            bare = _BareHost(paths["bare"], host)
            line = await host.until(device.stdout.readline())
            bare.close()
            await host.stop()  # before its wires end, which are no fault
        host.must_not_have_paused()
        if not line:
            raise LampBenchError("the bench's device ended before its errands were done: its message is above")
        said: dict[str, list[float]] = json.loads(line)
        return said
    finally:
        await host.stop()
        if device.returncode is None:
            device.terminate()
        await device.wait()


class _Recorded:
    """The port of the indicators; keeps the frames that are written."""

    def __init__(self, port: SerialTransport, frames: list[bytes]) -> None:
        self._port = port
        self._frames = frames
        self.name = port.name
        self.start = port.start
        self.hold = port.hold
        self.resume = port.resume
        self.close = port.close

    @property
    def congested(self) -> bool:
        return self._port.congested

    def write(self, data: bytes) -> None:
        self._frames.append(data)
        self._port.write(data)


class _Mouthpiece(KeysDriver):
    """The driver of the device that says what all devices of a table say: hands each message to its role's driver."""

    def __init__(self, host: "_Host") -> None:
        super().__init__(lamp_device.ROLE, {})
        self._host = host

    def events(self, body: Mapping[str, Any], t: float) -> list[Event]:
        return self._host.read(body, t)

    def observe(self, event: Event) -> None:
        self._host.observe(event)


class _Host:
    """The daemon's bridge, with a table behind it. Takes each errand's message; when that is over, the table hears what
    comes before the next, and the message is acknowledged."""

    def __init__(self, rulebooks: Mapping[str, Rulebook], errand_list: list[errands.Errand]) -> None:
        self.frames: list[bytes] = []
        """What was written to the indicators in the last exchange."""
        self._errands = iter(errand_list)
        self._errand = next(self._errands)
        self._table = Table(rulebooks)
        zones = sorted(ZONES - {"shoe", "muck"})
        roles = ("shoe", "reader", "markers", "dropbox", "keys", "badge")
        self._drivers = {role: driver_for(role)(role, {"zones": zones} if role == "reader" else {}) for role in roles}
        self._written: list[bytes] = []
        self._running: asyncio.Future[None] | None = None
        self._hear_before()

    def listen(self, key: bytes, paths: Mapping[str, str]) -> None:
        """Begin to supervise the two wires."""
        ports = {lamp_device.ROLE: paths["wire"], lamp_device.LIGHTS: paths["lights"]}
        devices = [
            DeviceConfig.model_validate({"name": role, "role": role, "port": port, "key_file": "unused.key"})
            for role, port in ports.items()
        ]
        drivers: dict[str, Driver[Any]] = {
            lamp_device.ROLE: _Mouthpiece(self),
            lamp_device.LIGHTS: driver_for(lamp_device.LIGHTS)(lamp_device.LIGHTS, {}),
        }
        keys = dict.fromkeys(ports, key)
        self._bridge = Bridge(devices, keys, {}, drivers, wall=time.time, reach=Reach(self._connect_to))
        self._bridge.connect(TableEnds(self._deliver))
        self._running = asyncio.ensure_future(self._bridge.run())

    def _connect_to(self, device: DeviceConfig) -> Connect:
        port = str(device.port)

        async def connect() -> HostTransport:
            opened = await open_serial(port, allowed=(port,))
            return _Recorded(opened, self._written) if device.name == lamp_device.LIGHTS else opened

        return connect

    async def until(self, line: Awaitable[bytes]) -> bytes:
        """What the device says at last, unless this host fails first, which is raised."""
        assert self._running is not None
        reading = asyncio.ensure_future(line)
        done, _ = await asyncio.wait((reading, self._running), return_when=asyncio.FIRST_COMPLETED)
        if reading in done:
            return reading.result()
        reading.cancel()
        self._running.result()
        raise LampBenchError("the links ended")

    async def stop(self) -> None:
        """Hang up."""
        if self._running is not None:
            self._running.cancel()
            await asyncio.gather(self._running, return_exceptions=True)

    def must_not_have_paused(self) -> None:
        """Raise LampBenchError where a link has been read no further for a while: its device was above its budget."""
        for name, slot in self._bridge.slots.items():
            counters = slot.link.counters
            if counters.pauses:
                raise LampBenchError(
                    f"the link of {name} paused {counters.pauses} times, {counters.paused * 1000:.0f} ms in all: "
                    "what was measured is its budget; the device must send fewer events a second (APART)"
                )

    # -- in the keeper's place

    def read(self, body: Mapping[str, Any], t: float) -> list[Event]:
        """A message's events."""
        role = self._errand.message.role
        assert role is not None
        return self._drivers[role].events(body, t)

    def observe(self, event: Event) -> None:
        """Drivers keep in mind what the table was told."""
        for driver in self._drivers.values():
            driver.observe(event)

    def _deliver(self, delivery: Delivery) -> None:
        source = delivery.source
        if source is None:
            return  # devices that come up: the table has been told without them
        self._written.clear()
        for event in delivery.translate(self._errand.message.t):
            outputs = self._table.apply(event)
            if outputs:
                self._bridge.send(outputs)
            self._bridge.observe(event)
        self.frames = self._written.copy()
        # later: the device must not have to wait for a core that is busy with the bench's own work
        asyncio.get_running_loop().call_later(lamp_device.SETTLE, self._go_on, source)

    def _go_on(self, source: Source) -> None:
        following = next(self._errands, None)
        if following is not None:
            self._errand = following
            self._hear_before()
        self._bridge.acknowledge(source)

    def _hear_before(self) -> None:
        for message in self._errand.before:
            heard = (
                [message.event()]
                if message.role is None
                else self._drivers[message.role].events(message.body, message.t)
            )
            for event in heard:
                self._table.apply(event)
                self.observe(event)


class _BareHost:
    """Reads a frame, writes frames; no protocol, no table."""

    def __init__(self, path: str, host: _Host) -> None:
        self._host = host
        self._opened = open_port(path, allowed=(path,))
        self._port = self._opened.port.fileno()
        self._zeros = 0
        asyncio.get_running_loop().add_reader(self._port, self._readable)

    def _readable(self) -> None:
        self._zeros += os.read(self._port, 16384).count(0)
        if self._zeros == 2:  # a frame stands between two
            self._zeros = 0
            for frame in self._host.frames:
                os.write(self._port, frame)

    def close(self) -> None:
        """Stop reading."""
        asyncio.get_running_loop().remove_reader(self._port)
        self._opened.port.close()


if __name__ == "__main__":
    asyncio.run(serve(errands.read(Path(sys.argv[1])), bytes.fromhex(sys.argv[2]), json.loads(sys.argv[3])))
