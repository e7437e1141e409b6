"""The one open chip of a table's pins, shared by the stations."""

import asyncio
import threading
from collections.abc import Callable

from devices.pins.factories import open_chip
from devices.pins.facts import Factory
from devices.pins.lines import LineChip


class Board:
    """A chip that is open while at least one station uses it."""

    def __init__(
        self, factory: Factory, label: str | None, open_it: Callable[[Factory, str | None], LineChip] = open_chip
    ) -> None:
        self.factory = factory
        self.wanted = label
        self._open_it = open_it
        self._chip: LineChip | None = None
        self._users = 0
        self._lock = threading.Lock()

    async def join(self) -> LineChip:
        """The chip; the first call opens it, which may take a moment. Raises PinError."""
        return await asyncio.to_thread(self._join)

    def _join(self) -> LineChip:
        with self._lock:
            if self._chip is None:
                self._chip = self._open_it(self.factory, self.wanted)
            self._users += 1
            return self._chip

    def leave(self) -> None:
        """One user less. The last one closes the chip; its lines must be closed by then."""
        with self._lock:
            self._users -= 1
            if self._users == 0 and self._chip is not None:
                self._chip.close()
                self._chip = None
