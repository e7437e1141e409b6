"""A connection to a simulated device's control socket."""

import asyncio
import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from devices.simulated.errors import ControlError, OrderRefused

RETRY_SECONDS: Final = 0.05
PATIENCE_SECONDS: Final = 30.0


class Control:
    """A connection that survives the device's process.

    An order is sent again, with its number, until it is answered.
    """

    def __init__(self, socket: Path, *, name: str, patience: float = PATIENCE_SECONDS) -> None:
        """`patience`: seconds to wait for a device that is not there."""
        self._socket = socket
        self._name = name
        self._patience = patience
        self._orders = 0
        self._prefix = f"{name}/{time.time_ns()}"
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
        self._turn = asyncio.Lock()

    async def order(self, do: str, /, **fields: Any) -> dict[str, Any]:
        """Order the device to do something; returns its reply. Raises OrderRefused, ControlError."""
        answer = await self.answer({"do": do, **fields})
        return dict(answer.get("reply") or {})

    async def answer(self, order: Mapping[str, Any]) -> dict[str, Any]:
        """As `order`; returns the whole answer: `reply`, `boot`, `seq`."""
        self._orders += 1
        line = json.dumps({**order, "id": f"{self._prefix}/{self._orders}"}).encode() + b"\n"
        until = time.monotonic() + self._patience
        while True:
            try:
                async with self._turn:  # answers come in the order of the orders
                    answer = await self._exchange(line)
            except (OSError, EOFError, asyncio.IncompleteReadError) as error:
                await self.close()
                if time.monotonic() >= until:
                    problem = f"no answer at {self._socket}: {error}: is it running?"
                    raise ControlError(f"device {self._name}: {problem}") from None
                await asyncio.sleep(RETRY_SECONDS)
                continue
            if answer.get("ok") is not True:
                raise OrderRefused(f"device {self._name}: {answer.get('refused')}")
            return answer

    async def _exchange(self, line: bytes) -> dict[str, Any]:
        if self._streams is None:
            self._streams = await asyncio.open_unix_connection(str(self._socket))
        reader, writer = self._streams
        try:
            writer.write(line)
            await writer.drain()
            answer = await reader.readline()
        except asyncio.CancelledError:
            await self.close()  # else its answer would be taken for the next order's
            raise
        if not answer.endswith(b"\n"):
            raise EOFError("the device closed its control socket")
        return dict(json.loads(answer))

    async def close(self) -> None:
        """Close the connection."""
        streams, self._streams = self._streams, None
        if streams is not None:
            streams[1].close()
