"""From an open transport's bytes to the frames of the present conversation, no faster than the device's budget."""

import asyncio
from collections import deque
from collections.abc import Callable

from firmware_bridge.budget import SLICE, Pace
from firmware_bridge.facts import LinkCounters
from firmware_bridge.framing import Frame, FrameDecoder
from firmware_bridge.trail import FrameTrail
from firmware_bridge.transport import HostTransport


class Inflow:
    """What arrives over one transport. For one event loop.

    A read that is small and within the budget goes to its frames at once. Of more, a slice is taken in each turn of the
    loop; beyond the budget the transport is held until there is room again. So one device costs the others at most a
    slice a turn, and is never left waiting for longer than its budget asks.
    """

    def __init__(
        self,
        transport: HostTransport,
        take: Callable[[Frame], None],
        *,
        pace: Pace,
        counters: LinkCounters,
        trail: FrameTrail,
        clock: Callable[[], float],
    ) -> None:
        """`take`: gets the frames, in order. `pace`: is told of bytes here, and of events by who takes them."""
        self._transport = transport
        self._take = take
        self._pace = pace
        self._counters = counters
        self._trail = trail
        self._clock = clock
        self._loop = asyncio.get_running_loop()
        self._decoder = FrameDecoder(counters)
        self._bytes = bytearray()
        self._frames: deque[Frame] = deque()
        self._next: asyncio.Handle | None = None

    def received(self, data: bytes) -> None:
        """Bytes arrived, in any chunks."""
        self._bytes += data
        if self._next is None:
            self._go_on()

    def take_frames_of(self, frame_max: int) -> None:
        """Take frames of at most so many bytes from here on."""
        self._decoder.take_frames_of(frame_max)

    def close(self) -> None:
        """Drop what waits: the transport is gone, or given up. The device keeps its events."""
        if self._next is not None:
            self._next.cancel()
            self._next = None
        self._bytes.clear()
        self._frames.clear()

    def _go_on(self) -> None:
        """Take a slice, as far as the budget goes; then the next in another turn, or when there is room."""
        was_held, self._next = self._next is not None, None
        wait = self._pace.wait(self._clock())
        try:
            if wait == 0.0:
                if not self._frames:
                    self._decode()
                wait = self._hand_over()
        finally:  # also where a handler fails: a transport that is held must not stay so
            self._hold_or_resume(wait, was_held=was_held)

    def _hold_or_resume(self, wait: float, *, was_held: bool) -> None:
        if not self._frames and not self._bytes:
            if was_held:
                self._transport.resume()
            return
        if not was_held:
            self._transport.hold()
        if wait > 0.0:
            self._counters.pauses += 1
            self._counters.paused += wait
            self._next = self._loop.call_later(wait, self._go_on)
        else:
            self._next = self._loop.call_soon(self._go_on)

    def _decode(self) -> None:
        data = bytes(self._bytes[:SLICE])
        del self._bytes[:SLICE]
        self._pace.took_bytes(len(data))
        counters = self._counters
        bad, dropped = counters.bad_frames, counters.resynchronised_bytes
        self._frames.extend(self._decoder.feed(data))
        if counters.bad_frames != bad:
            self._trail.received(None, counters.resynchronised_bytes - dropped)

    def _hand_over(self) -> float:
        """Hand over the decoded frames; return the seconds to wait where the budget ends before them."""
        while self._frames:
            frame = self._frames.popleft()
            self._trail.received(frame.type, len(frame.body))
            self._take(frame)
            if self._frames and (wait := self._pace.wait(self._clock())) > 0.0:
                return wait
        return 0.0
