"""A device that floods, in a process of its own: `python -m tests.bench.flooder FOLDER NAME WHAT`.

Its terminal is FOLDER/NAME and its key FOLDER/NAME.key. WHAT: `statuses` as fast as the terminal takes them, or
`events` as fast as they are acknowledged. A line on standard input begins, the next one ends, and so on; each is
answered by a line: how many were sent since the line before. Ends with its input.
"""

import asyncio
import sys
from itertools import count
from pathlib import Path
from typing import Final

from firmware_bridge.framing import FrameType, encode_frame
from firmware_bridge.messages import Status
from firmware_bridge.peer import DevicePeer
from tests.bench.chatterers import Chatterer, Lamps

SAYS: Final = tuple({"ev": "stack", "seat": 2, "cents": cents} for cents in (40_000, 50_000))
"""In turn: no lamp is lit by these, since another keypad's lamps are measured."""


class FloodingPeer(DevicePeer):
    """A device that does not keep to one status a second."""

    def flood(self) -> int:
        """Send statuses until the terminal is full; how many these were."""
        session, transport = self._session, self._transport
        if session is None or transport is None or session.window == 0:
            return 0
        for number in count():
            if transport.congested:
                return number
            status = session.language.encode(Status({}))
            transport.write(encode_frame(FrameType.TRANSPORT, session.channel.encrypt(status)))
        raise AssertionError("count() has no end")


class Flooder:
    """The device and what it has sent."""

    def __init__(self, folder: Path, name: str) -> None:
        self._device = Chatterer(folder, name, Lamps(), says=SAYS, peer=FloodingPeer)
        self.sent = 0

    async def serve(self) -> None:
        """Speak until cancelled."""
        await self._device.serve()

    async def statuses(self) -> None:
        """Flood until cancelled."""
        assert isinstance(self._device.peer, FloodingPeer)
        while True:
            self.sent += self._device.peer.flood()
            await asyncio.sleep(0)

    async def events(self) -> None:
        """Flood until cancelled."""
        before = self._device.store.forgotten
        try:
            await self._device.talk(float("inf"), 0.0)
        finally:
            self.sent += self._device.store.forgotten - before


async def _run(folder: Path, name: str, what: str) -> None:
    flooder = Flooder(folder, name)
    serving = asyncio.create_task(flooder.serve())
    flooding: asyncio.Task[None] | None = None
    while await asyncio.to_thread(sys.stdin.readline):
        if flooding is None:
            flooding = asyncio.create_task(flooder.statuses() if what == "statuses" else flooder.events())
        else:
            flooding.cancel()
            await asyncio.gather(flooding, return_exceptions=True)
            flooding = None
        sys.stdout.write(f"{flooder.sent}\n")
        sys.stdout.flush()
        flooder.sent = 0
    serving.cancel()


if __name__ == "__main__":
    asyncio.run(_run(Path(sys.argv[1]), sys.argv[2], sys.argv[3]))
