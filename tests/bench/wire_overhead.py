"""Bytes on the wire for an event and its acknowledgement, in protocol 1 and 2: `python -m tests.bench.wire_overhead`.

A device and a host over a wire in memory whose bytes are counted: 1,000 cards placed, each acknowledged by itself.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import cbor2

from firmware_bridge.budget import Budget
from firmware_bridge.facts import DeviceIdentity, Jump, LinkSpec
from firmware_bridge.framing import FrameDecoder, FrameType
from firmware_bridge.limits import PROTOCOL_MAX, PROTOCOL_MIN, TAG_SIZE
from firmware_bridge.link import Link, LinkFault
from firmware_bridge.memory import MemoryTransport, memory_pair
from firmware_bridge.peer import DevicePeer, PeerIdentity
from firmware_bridge.transport import HostTransport

EVENTS = 1000
BODY = {"ev": "placed", "zone": "seat:3", "card": "As", "face": "down"}
_KEY = bytes(range(32))
_UNBOUNDED = Budget(bytes_per_second=1e9, bytes_at_once=1e9, events_per_second=1e6, events_at_once=1e6)
"""Else statuses and pings of ten seconds would be counted as well."""


@dataclass(frozen=True, slots=True)
class Overhead:
    """What one version spends on an event. All are bytes, averages over `EVENTS`."""

    version: int
    payload: float
    event: float
    acknowledgement: float

    def __str__(self) -> str:
        both = self.event + self.acknowledgement
        return (
            f"protocol {self.version}: map {self.payload:.1f}, event {self.event:.2f}, overhead "
            f"{self.event - self.payload:.2f}, acknowledgement {self.acknowledgement:.2f}, both {both:.2f}"
        )


class _Device:
    def state(self) -> Mapping[str, Any]:
        return {}

    def status(self) -> Mapping[str, Any]:
        return {}

    def command(self, name: str, args: Mapping[str, Any]) -> Mapping[str, Any]:
        return {}

    def post(self, name: str, args: Mapping[str, Any]) -> None:
        return


class _Host:
    """Acknowledges each event as it comes."""

    link: Link

    def __init__(self) -> None:
        self.up = asyncio.Event()
        self.taken = 0

    def on_session(self, name: str, identity: DeviceIdentity) -> None:
        return

    def on_jump(self, name: str, jump: Jump) -> None:
        raise AssertionError(f"{name}: {jump}")

    def on_up(self, name: str, identity: DeviceIdentity, state: Mapping[str, Any]) -> None:
        self.up.set()

    def on_event(self, name: str, boot_id: bytes, seq: int, body: Mapping[str, Any]) -> None:
        self.taken += 1
        self.link.acknowledge(boot_id, seq)

    def on_status(self, name: str, status: Mapping[str, Any]) -> None:
        return

    def on_down(self, name: str, fault: LinkFault) -> None:
        raise AssertionError(str(fault))


class _Counted:
    """The writes of one end of a memory wire."""

    def __init__(self, end: MemoryTransport) -> None:
        self.written = 0
        write = end.write

        def counting(data: bytes) -> None:
            [frame] = FrameDecoder().feed(data)
            if frame.type is FrameType.TRANSPORT and len(frame.body) > TAG_SIZE:
                self.written += len(data)
            write(data)

        end.write = counting  # type: ignore[method-assign]


async def _measure(version: int) -> Overhead:
    host, device = memory_pair()
    to_device, to_host = _Counted(host), _Counted(device)
    identity = PeerIdentity("reader", "R-1", _KEY, versions=(PROTOCOL_MIN, PROTOCOL_MAX))
    peer = DevicePeer(identity, _Device())
    handler = _Host()

    async def connect() -> HostTransport:
        return host

    spec = LinkSpec("reader", "reader", _KEY)
    handler.link = Link(spec, connect, handler, versions=(1, version), budget=_UNBOUNDED)
    tasks = [asyncio.ensure_future(peer.serve(device)), asyncio.ensure_future(handler.link.run())]
    await handler.up.wait()
    before = to_device.written, to_host.written
    for number in range(EVENTS):
        await peer.emit_when_room(BODY)
        while handler.taken <= number or peer.pending:  # noqa: ASYNC110 - a turn of the loop brings it
            await asyncio.sleep(0)
    after = to_device.written, to_host.written
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    event, acknowledgement = (
        (now - then) / EVENTS for then, now in zip(reversed(before), reversed(after), strict=True)
    )
    return Overhead(version, len(cbor2.dumps(BODY)), event, acknowledgement)


def measure() -> list[Overhead]:
    """Each version, the first one first."""
    return [asyncio.run(_measure(version)) for version in range(PROTOCOL_MIN, PROTOCOL_MAX + 1)]


if __name__ == "__main__":
    for overhead in measure():
        print(overhead)
