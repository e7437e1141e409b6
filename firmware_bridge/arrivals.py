"""When bytes have arrived at a descriptor, asked of the kernel once for each arrival."""

import asyncio
import select
from collections.abc import Callable
from typing import Final

_EACH_ARRIVAL: Final = select.EPOLLIN | select.EPOLLRDHUP | select.EPOLLET


class Arrivals:
    """Calls back in the event loop when bytes have arrived at a descriptor that is read to its end each time.

    The loop itself looks again, after each read, whether there is more. At a terminal that look waits until the
    kernel's worker, which has just handed the bytes on, ends its work (`n_tty_poll`): this worker has everybody's turns
    at the processor, so a busy page beside a table had the table's whole loop wait for milliseconds. Here the kernel
    tells each arrival once (EPOLLET), and nobody looks again at a terminal that has been read.
    """

    def __init__(self, descriptor: int, came: Callable[[], None]) -> None:
        self._descriptor = descriptor
        self._came = came
        self._loop = asyncio.get_running_loop()
        self._edges = select.epoll(1)
        self._edges.register(descriptor, _EACH_ARRIVAL)

    def watch(self) -> None:
        """Call back from now on, also for what has arrived and was not told."""
        self._loop.add_reader(self._edges.fileno(), self._arrived)

    def pause(self) -> None:
        """Call back no more until `watch`."""
        self._loop.remove_reader(self._edges.fileno())

    def more(self) -> None:
        """The last read may have left some: call back again if it did."""
        self._edges.modify(self._descriptor, _EACH_ARRIVAL)

    def close(self) -> None:
        """Stop for good, before the descriptor is closed. Idempotent."""
        if not self._edges.closed:
            self.pause()
            self._edges.close()

    def _arrived(self) -> None:
        for _, what in self._edges.poll(0):
            self._came()
            if what != select.EPOLLIN and not self._edges.closed:
                self.more()  # the end stands behind bytes that were read: it would not be told again
