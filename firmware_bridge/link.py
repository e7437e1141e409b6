"""The supervisor of one slot's link, which keeps a session with its device."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final

from firmware_bridge.budget import BUDGET, Budget, Pace
from firmware_bridge.conversation import Conversation, LinkContext
from firmware_bridge.delivery import EventInbox
from firmware_bridge.errors import CommandRefused, FaultCode, LinkDown, LinkFault, TransportError
from firmware_bridge.facts import (
    DeviceIdentity,
    Jump,
    LinkCounters,
    LinkSpec,
    LinkState,
    ResumePoint,
    SessionHandler,
)
from firmware_bridge.framing import Frame
from firmware_bridge.inflow import Inflow
from firmware_bridge.limits import BACKOFF_CAP, BACKOFF_FIRST, PROTOCOL_MAX, PROTOCOL_MIN, WINDOW
from firmware_bridge.posts import PostBook
from firmware_bridge.trail import FrameTrail, PassedFrame
from firmware_bridge.transport import HostTransport

__all__ = [
    "CommandRefused",
    "Connect",
    "DeviceIdentity",
    "FaultCode",
    "Jump",
    "Link",
    "LinkCounters",
    "LinkDown",
    "LinkFault",
    "LinkSpec",
    "LinkState",
    "ResumePoint",
    "SessionHandler",
]

Connect = Callable[[], Awaitable[HostTransport]]

# After these the port is opened anew; after the others a new handshake on the open port is enough.
_REOPEN: Final = frozenset(
    {FaultCode.PORT_FAILED, FaultCode.UNPLUGGED, FaultCode.STALLED, FaultCode.NO_ANSWER, FaultCode.SILENT}
)


class Link:
    """The supervisor of one slot: connects, authenticates, delivers, reconnects.

    `connect` opens the transport, or raises TransportError. The backoff between attempts is capped. Timers are the
    running loop's; `clock` (seconds) measures silence, round trips and the `budget` by which the device is read: tests
    give both the same time.
    """

    def __init__(
        self,
        spec: LinkSpec,
        connect: Connect,
        handler: SessionHandler,
        *,
        resume: ResumePoint | None = None,
        clock: Callable[[], float] = time.monotonic,
        versions: tuple[int, int] = (PROTOCOL_MIN, PROTOCOL_MAX),
        window: int = WINDOW,
        budget: Budget = BUDGET,
    ) -> None:
        self.spec = spec
        self.counters = LinkCounters()
        self.state = LinkState.STOPPED
        self.fault: LinkFault | None = None  # why it is not up; None while it is, or was never tried
        self._connect = connect
        self._handler = handler
        self._inbox = EventInbox(resume, window)
        self._posts = PostBook()
        self._trail = FrameTrail(clock)
        self._clock = clock
        self._pace = Pace(budget, clock())
        self._context = LinkContext(
            spec,
            versions,
            self._inbox,
            self._posts,
            handler,
            self.counters,
            clock,
            self._trail,
            self._pace,
            entered=self._enter,
        )
        self._conversation: Conversation | None = None
        self._reported: FaultCode | None = None
        self._failures = 0
        self._awake = asyncio.Event()

    async def run(self) -> None:
        """Supervise until cancelled. Only one call may run at a time.

        A failure of the handler ends it and is raised here.
        """
        if self.state is not LinkState.STOPPED:
            raise RuntimeError(f"link {self.spec.name} is running already")
        try:
            while True:
                self.state = LinkState.CONNECTING
                try:
                    transport = await self._connect()
                except TransportError as error:
                    await self._down(error.fault, was_heard=False)
                    continue
                try:
                    fault, was_heard = await self._converse(transport)
                finally:
                    self._hang_up(transport)
                await self._down(fault, was_heard=was_heard)
        finally:
            self.state = LinkState.STOPPED

    def acknowledge(self, boot_id: bytes, seq: int) -> None:
        """The journal has synced every event up to this one: the device may forget them.

        Works in any state. Raises ValueError for an event that was never delivered.
        """
        if self._inbox.acknowledge(boot_id, seq) and self._conversation is not None:
            self._conversation.send_acknowledgement()

    async def command(self, name: str, args: Mapping[str, Any]) -> Mapping[str, Any]:
        """Send the device a command and return its result.

        Raises CommandRefused, LinkDown, MessageError.
        """
        if self._conversation is None:
            raise LinkDown(self.spec.name, self.fault)
        return await self._conversation.command(name, args)

    async def read_state(self) -> Mapping[str, Any]:
        """Read the full state again; every event that it includes has been delivered.

        Raises LinkDown.
        """
        if self._conversation is None:
            raise LinkDown(self.spec.name, self.fault)
        return await self._conversation.read_state()

    def post(self, name: str, args: Mapping[str, Any]) -> None:
        """Set a level (a lamp, the display) without waiting; the latest of a name wins.

        Sent again after every reconnect. Raises MessageError for what cannot travel.
        """
        self._posts.put(name, args)
        if self._conversation is not None:
            self._conversation.send_posts()

    def look_again(self) -> None:
        """A device was plugged in: try at once instead of waiting."""
        self._awake.set()

    def use_key(self, key: bytes) -> None:
        """Use another key from the next session on; the present session goes on under the old key.

        Raises ValueError for an impossible key.
        """
        self.spec = replace(self.spec, key=key)
        self._context = replace(self._context, spec=self.spec)

    def is_proven(self) -> bool:
        """Whether a session is up under the present key, not under an earlier one."""
        return self.state is LinkState.UP and self._conversation is not None and self._conversation.key == self.spec.key

    def last_frames(self) -> tuple[PassedFrame, ...]:
        """The latest frames both ways, oldest first: kinds and sizes, no content."""
        return self._trail.frames()

    # -- what a transport calls ----------------------------------------------------------------------------------

    def _enter(self, state: LinkState) -> None:
        self.state = state
        if state is LinkState.UP:
            self.fault = None
            self._reported = None
            self._failures = 0

    async def _converse(self, transport: HostTransport) -> tuple[LinkFault, bool]:
        """Hold one session after the other until the transport must be opened anew: (fault, was heard)."""
        inflow = Inflow(
            transport, self._take, pace=self._pace, counters=self.counters, trail=self._trail, clock=self._clock
        )
        port = _Port(self, inflow)
        transport.start(port)
        try:
            while True:
                conversation = Conversation(self._context, transport, inflow.take_frames_of)
                self._conversation = conversation
                conversation.start()
                fault = await conversation.ended
                self._conversation = None
                if port.is_lost() or fault.code in _REOPEN:
                    return fault, conversation.was_heard
                await self._down(fault, was_heard=conversation.was_heard)
                if port.fault is not None:
                    return port.fault, False
        finally:
            inflow.close()

    def _take(self, frame: Frame) -> None:
        if self._conversation is None:
            self.counters.stale_frames += 1
        else:
            self._conversation.frame(frame)

    def _hang_up(self, transport: HostTransport) -> None:
        if self._conversation is not None:
            self._conversation.stop()
            self._conversation = None
        transport.close()

    async def _down(self, fault: LinkFault, *, was_heard: bool) -> None:
        """Report the fault, unless it is a repeat, and wait: longer after each failure in a row."""
        self.state = LinkState.WAITING
        self.fault = fault
        if was_heard or fault.code is not self._reported:
            self._reported = fault.code
            self._handler.on_down(self.spec.name, fault)
        wait = min(BACKOFF_CAP, BACKOFF_FIRST * 2.0 ** min(self._failures, 16))
        self._failures += 1
        self._awake.clear()
        with suppress(TimeoutError):
            await asyncio.wait_for(self._awake.wait(), wait)


class _Port:
    """The receiver of one open transport."""

    def __init__(self, link: Link, inflow: Inflow) -> None:
        self._link = link
        self._inflow = inflow
        self.fault: LinkFault | None = None

    def is_lost(self) -> bool:
        """Whether the transport is gone."""
        return self.fault is not None

    def received(self, data: bytes) -> None:
        self._inflow.received(data)

    def lost(self, error: TransportError) -> None:
        self.fault = error.fault
        self._inflow.close()
        if self._link._conversation is not None:
            self._link._conversation.fail(error.fault)

    def writable(self) -> None:
        if self._link._conversation is not None:
            self._link._conversation.writable()
