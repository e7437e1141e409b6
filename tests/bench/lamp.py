"""From a device's frame at the pseudo-terminal to the lamp's frame there, beside a bare echo of the same frames.

The device is another process. The host's side is as in the daemon: link, driver, `Table.apply`, indicators' driver,
post; the record, which the daemon keeps after it has posted, is not in it. The bare host is a reader in the same event
loop that writes back the frames that the protocol's host wrote, one by one.
"""

import asyncio
import json
import os
import secrets
import sys
import tty
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from devices.registry import driver_for
from devices.vocabulary import ZONES
from firmware_bridge.errors import LinkFault
from firmware_bridge.link import DeviceIdentity, Link, LinkSpec
from firmware_bridge.transport import SerialTransport, open_serial
from table_fsm.events import Event
from table_fsm.rulebook import Rulebook
from table_fsm.table import Table
from tests.bench import errands, lamp_device
from tests.bench.report import Row, Spread, micro

GOAL: Final = 1.5  # times the bare echo, p50
RESTS: Final = {"at a busy table": 0.0, "after 20 ms of rest": 0.02}
"""Seconds that both processes rest before each exchange. At a table cards are far apart: the longer the rest, the more
of the caches belongs to somebody else by the next."""
WARM_UP: Final = 20
"""Exchanges before the first that counts."""
_ROOT: Final = Path(__file__).resolve().parents[2]


class LampBenchError(Exception):
    """The device did not do its part."""


def measure(rulebooks: Mapping[str, Rulebook], directory: Path, exchanges: int) -> list[Row]:
    """The lines; files go to `directory`. Raises LampBenchError."""
    errand_list = errands.errands(rulebooks, WARM_UP + exchanges)
    file = directory / "errands.json"
    errands.write(file, errand_list)
    rows: list[Row] = []
    for when, rest in RESTS.items():
        said = asyncio.run(_exchange(_Host(rulebooks, errand_list), file, rest))
        rows += _rows(when, Spread.of(said["protocol"][WARM_UP:]), Spread.of(said["echo"][WARM_UP:]))
    return rows


def _rows(when: str, protocol: Spread, echo: Spread) -> list[Row]:
    ratio = protocol.p50 / echo.p50
    name = f"Frame at the terminal to the lamp's frame, {when}, {protocol.count} times"
    goal = f"p50 under {GOAL} × a bare echo"
    return [
        Row(name, str(protocol), str(echo), ratio, goal, ratio < GOAL),
        Row("– p99", micro(protocol.p99), micro(echo.p99), protocol.p99 / echo.p99),
    ]


async def _exchange(host: "_Host", file: Path, rest: float) -> dict[str, list[float]]:
    """Let the device run its errands; what it measured."""
    key = secrets.token_bytes(32)
    device = await asyncio.create_subprocess_exec(
        sys.executable, "-m", lamp_device.__name__, str(file), key.hex(), str(rest),
        stdout=asyncio.subprocess.PIPE, cwd=_ROOT, limit=1 << 24,
    )  # fmt: skip
    assert device.stdout is not None
    try:
        paths = json.loads(await device.stdout.readline() or "null")
        if paths is None:
            raise LampBenchError("the bench's device did not start: its message is above")
        host.listen(key, paths["wire"])
        bare = _BareHost(paths["bare"], host)
        line = await host.until(device.stdout.readline())
        bare.close()
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
    """The host's port; keeps the frames it writes."""

    def __init__(self, port: SerialTransport, frames: list[bytes]) -> None:
        self._port = port
        self._frames = frames
        self.name = port.name
        self.start = port.start
        self.close = port.close

    @property
    def congested(self) -> bool:
        return self._port.congested

    def write(self, data: bytes) -> None:
        self._frames.append(data)
        self._port.write(data)


class _Host:
    """Takes each errand's message from the wire and posts what the table says to it; then lets the table hear what
    comes before the next, and acknowledges."""

    def __init__(self, rulebooks: Mapping[str, Rulebook], errand_list: list[errands.Errand]) -> None:
        self.lamp_frames: list[bytes] = []
        """What was written of the last exchange, up to the first lamp's frame."""
        self._errands = iter(errand_list)
        self._errand = next(self._errands)
        self._table = Table(rulebooks)
        zones = sorted(ZONES - {"shoe", "muck"})
        roles = ("shoe", "reader", "markers", "dropbox", "keys", "badge", "indicators")
        self._drivers = {role: driver_for(role)(role, {"zones": zones} if role == "reader" else {}) for role in roles}
        self._frames: list[bytes] = []
        self._lamp_at: int | None = None
        self._hear_before()

    def listen(self, key: bytes, path: str) -> None:
        """Begin to supervise the wire."""

        async def connect() -> Any:
            return _Recorded(await open_serial(path, allowed=(path,)), self._frames)

        spec = LinkSpec("bench", lamp_device.ROLE, key, lamp_device.SERIAL)
        self._link = Link(spec, connect, self)
        self._running = asyncio.ensure_future(self._link.run())

    async def until(self, line: Any) -> bytes:
        """What the device says at last, unless this host fails first, which is raised."""
        reading = asyncio.ensure_future(line)
        done, _ = await asyncio.wait((reading, self._running), return_when=asyncio.FIRST_COMPLETED)
        if reading in done:
            return bytes(reading.result())
        reading.cancel()
        self._running.result()
        raise LampBenchError("the link ended")

    async def stop(self) -> None:
        """Hang up."""
        if hasattr(self, "_running"):
            self._running.cancel()
            await asyncio.gather(self._running, return_exceptions=True)

    # -- what the link calls

    def on_up(self, _name: str, _identity: DeviceIdentity, _state: Mapping[str, Any]) -> None:
        """Nothing is shown yet."""

    def on_status(self, _name: str, _status: Mapping[str, Any]) -> None:
        """Says nothing."""

    def on_down(self, _name: str, fault: LinkFault) -> None:
        """No part of the bench."""
        raise LampBenchError(fault.text)

    def on_event(self, _name: str, boot_id: bytes, seq: int, body: Mapping[str, Any]) -> None:
        """One message: to the table, and the indicators are told."""
        message = self._errand.message
        assert message.role is not None
        self._frames.clear()
        self._lamp_at = None
        for event in self._drivers[message.role].events(body, message.t):
            self._take(event, post=True)
        self.lamp_frames = self._frames[: self._lamp_at]
        # later: the device must not have to wait for a core that is busy with the bench's own work
        asyncio.get_running_loop().call_later(lamp_device.SETTLE, self._go_on, boot_id, seq)

    def _take(self, event: Event, *, post: bool) -> None:
        outputs = self._table.apply(event)
        for driver in self._drivers.values():
            driver.observe(event)
        indicators = self._drivers["indicators"]
        for output in outputs:
            for name, args in indicators.commands(output.to_dict()):
                if post:
                    self._link.post(name, args)
                    if name == "lamps" and self._lamp_at is None:
                        self._lamp_at = len(self._frames)

    def _go_on(self, boot_id: bytes, seq: int) -> None:
        following = next(self._errands, None)
        if following is not None:
            self._errand = following
            self._hear_before()
        self._link.acknowledge(boot_id, seq)

    def _hear_before(self) -> None:
        for message in self._errand.before:
            if message.role is None:
                self._take(message.event(), post=False)
                continue
            for event in self._drivers[message.role].events(message.body, message.t):
                self._take(event, post=False)


class _BareHost:
    """Reads a frame, writes frames; no protocol, no table."""

    def __init__(self, path: str, host: _Host) -> None:
        self._host = host
        self._port = os.open(path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        tty.setraw(self._port)
        self._zeros = 0
        asyncio.get_running_loop().add_reader(self._port, self._readable)

    def _readable(self) -> None:
        self._zeros += os.read(self._port, 16384).count(0)
        if self._zeros == 2:  # a frame stands between two
            self._zeros = 0
            for frame in self._host.lamp_frames:
                os.write(self._port, frame)

    def close(self) -> None:
        """Stop reading."""
        asyncio.get_running_loop().remove_reader(self._port)
        os.close(self._port)
