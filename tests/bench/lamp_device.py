"""The device of the lamp's bench, a process of its own: `python -m tests.bench.lamp_device ERRANDS KEY REST [VERSION]`.

In turn, it reports an errand in the real protocol and waits for the lamp's frame, then sends the bytes of the same
frame over a bare pseudo-terminal and waits until the same frames have come back. Both are timed alike: from before the
write until the read that brings the end. What came is decoded afterwards, so that no time of this device's own
counts. It prints where its terminals are, and at last the microseconds and the bytes on the wires (the event's frame,
and what came until the lamp's), one JSON line each. VERSION: the highest of the protocol that it speaks.
"""

import asyncio
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from time import perf_counter, perf_counter_ns
from typing import Any, Final

from firmware_bridge.budget import BUDGET
from firmware_bridge.errors import TransportError
from firmware_bridge.limits import PROTOCOL_MAX, PROTOCOL_MIN
from firmware_bridge.peer import DevicePeer, PeerIdentity
from firmware_bridge.pseudo_terminal import PseudoTerminal
from firmware_bridge.transport import Receiver
from tests.bench.errands import bodies

ROLE: Final = "keys"
"""What reports; the lamps are another device, with a wire of its own, in the same process."""
LIGHTS: Final = "indicators"
LOST: Final = 10.0
"""Seconds after which a frame comes no more: a link that fell silent on a busy machine keeps no lamps for later, and
one that came back tells lamps again, of which the bare host knows nothing. The exchange is not counted."""
SETTLE: Final = 0.001
"""Seconds that everybody is still after a frame has come: what has to be done then must not hold up the other side."""

APART: Final = 1.25 / BUDGET.events_per_second
"""Seconds from one errand to the next, at least: above its budget the link pauses, and the pause would be measured."""


class _Stamped:
    """A terminal that notes when bytes went and came, and hands on what came a little later."""

    def __init__(self, terminal: PseudoTerminal) -> None:
        self.terminal = terminal
        self.name = terminal.name
        self.sent = 0
        self.frame = b""
        self.came = 0
        """When the bytes came that the receiver is being given."""
        self.taken = 0
        """Bytes that it was given so far."""
        self._receiver: Receiver | None = None
        self._loop = asyncio.get_running_loop()

    @property
    def congested(self) -> bool:
        return self.terminal.congested

    def start(self, receiver: Receiver) -> None:
        self._receiver = receiver
        self.terminal.start(self)

    def write(self, data: bytes) -> None:
        self.frame = data
        self.sent = perf_counter_ns()
        self.terminal.write(data)

    def close(self) -> None:
        self.terminal.close()

    def received(self, data: bytes) -> None:
        self._loop.call_later(SETTLE, self._hand_on, perf_counter_ns(), data)

    def _hand_on(self, came: int, data: bytes) -> None:
        assert self._receiver is not None
        self.came = came
        self.taken += len(data)
        self._receiver.received(data)

    def lost(self, error: TransportError) -> None:
        raise error

    def writable(self) -> None:
        """Nothing waits here: one frame goes at a time."""


class _Bare:
    """The other terminal: counts the frames that come back."""

    def __init__(self, terminal: PseudoTerminal) -> None:
        self._terminal = terminal
        self._left = 0
        self._done: asyncio.Future[int] | None = None
        terminal.start(self)

    async def exchange(self, frame: bytes, frames: int) -> int:
        """Nanoseconds until so many have come."""
        self._done = asyncio.get_running_loop().create_future()
        self._left = 2 * frames
        sent = perf_counter_ns()
        self._terminal.write(frame)
        return await self._done - sent

    def received(self, data: bytes) -> None:
        came = perf_counter_ns()
        self._left -= data.count(0)
        if self._left <= 0 and self._done is not None:
            self._done.set_result(came)
            self._done = None

    def lost(self, error: TransportError) -> None:
        raise error

    def writable(self) -> None:
        """Nothing waits here."""


class _Device:
    """What is behind the peers: it only watches for lamps."""

    def __init__(self, wire: _Stamped) -> None:
        self._wire = wire
        self.asked = 0
        """How often a state was asked for: once a link, when it comes up."""
        self._posts = 0
        self._before = 0
        self._lit: asyncio.Future[tuple[int, int, int]] | None = None

    def watch(self) -> "asyncio.Future[tuple[int, int, int]]":
        """When the next lamp's frame came (nanoseconds), the how manieth frame it was, and the bytes so far."""
        self._posts = 0
        self._before = self._wire.taken
        self._lit = asyncio.get_running_loop().create_future()
        return self._lit

    def state(self) -> Mapping[str, Any]:
        self.asked += 1
        return {}

    def status(self) -> Mapping[str, Any]:
        return {}

    def command(self, _name: str, _args: Mapping[str, Any]) -> Mapping[str, Any]:
        return {}

    def post(self, name: str, _args: Mapping[str, Any]) -> None:
        self._posts += 1
        if name == "lamps" and self._lit is not None:
            self._lit.set_result((self._wire.came, self._posts, self._wire.taken - self._before))
            self._lit = None


async def _run(errands: Path, key: bytes, rest: float, version: int = PROTOCOL_MAX) -> None:
    wire, lights, bare_terminal = _Stamped(PseudoTerminal()), _Stamped(PseudoTerminal()), PseudoTerminal()
    device, bare = _Device(lights), _Bare(bare_terminal)
    speaks = (PROTOCOL_MIN, version)
    peer, lamps = (DevicePeer(PeerIdentity(role, "BENCH", key, versions=speaks), device) for role in (ROLE, LIGHTS))
    serving = [asyncio.create_task(peer.serve(wire)), asyncio.create_task(lamps.serve(lights))]
    _say({"wire": wire.terminal.path, "lights": lights.terminal.path, "bare": bare_terminal.path})
    while not (peer.up and lamps.up and device.asked >= len(serving)):  # noqa: ASYNC110 - a peer has no event for it
        await asyncio.sleep(SETTLE)
    protocol: list[float] = []
    echo: list[float] = []
    carried: list[int] = []
    following = 0.0
    for body in bodies(errands):
        await _quiet(peer, rest)
        await asyncio.sleep(following - perf_counter())
        following = perf_counter() + APART
        lit = device.watch()
        peer.emit(body)
        sent, frame = wire.sent, wire.frame
        try:
            came, frames, answered = await asyncio.wait_for(lit, LOST)
            await _quiet(peer, rest)
            back = await asyncio.wait_for(bare.exchange(frame, frames), LOST)
        except TimeoutError:
            continue
        protocol.append((came - sent) / 1000)
        carried.append(len(frame) + answered)
        echo.append(back / 1000)
    _say({"protocol": protocol, "echo": echo, "bytes": carried})
    for task in serving:
        task.cancel()


async def _quiet(peer: DevicePeer, rest: float) -> None:
    """The host holds everything that was sent, and has rested for so many seconds."""
    while peer.pending:  # noqa: ASYNC110 - a peer has no event for it
        await asyncio.sleep(SETTLE)
    await asyncio.sleep(SETTLE + rest)


def _say(line: Mapping[str, Any]) -> None:
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(_run(Path(sys.argv[1]), bytes.fromhex(sys.argv[2]), float(sys.argv[3]), *map(int, sys.argv[4:])))
