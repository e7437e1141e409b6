"""The supervisor of one device with an adapter: its thread, its faults, its next attempt.

To the daemon it is a link like any other. No failure of an adapter ends it: an exception is reported by name; a hanging
adapter is left behind and its device counts as gone; no second adapter is started beside one that runs.
"""

import asyncio
import logging
import secrets
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, Final

from devices.adapters.interface import Adapter, AdapterStopped, remedy_for
from devices.adapters.loading import PATIENCE, place_of
from devices.adapters.side import Side
from firmware_bridge.errors import FaultCode, FaultError, LinkFault
from firmware_bridge.facts import DeviceIdentity, LinkCounters, LinkHandler, LinkState
from firmware_bridge.limits import BACKOFF_CAP, BACKOFF_FIRST, BOOT_ID_SIZE
from firmware_bridge.trail import PassedFrame

LOADING: Final = 30.0
"""Seconds that an adapter has to load and find its device, on a slow computer during start."""
LOOK_EVERY: Final = 0.5
"""Seconds between two checks of whether an adapter hangs."""
FAREWELL: Final = 1.0
"""Seconds that an adapter has to close what is open, when it is to end."""
SETTLED: Final = 10.0
"""Seconds up after which failures are counted anew.

Without it, an adapter that always fails soon after `up` would fill the record.
"""

_log = logging.getLogger("feltd.devices")


class AdapterLink:
    """The link of one slot whose device speaks a protocol of its own."""

    def __init__(
        self,
        name: str,
        adapter: str,
        role: str,
        make: Callable[[], Adapter[Any]],
        handler: LinkHandler,
        *,
        wanted_serial: str | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`make`: finds the adapter and makes one, in its thread; may raise anything.

        `wanted_serial`: a device that reports another serial number is refused; the number is not proven.
        """
        self.name = name
        self.state = LinkState.STOPPED
        self.fault: LinkFault | None = None
        self.counters = LinkCounters()
        self.authenticated = False
        """Whether the adapter says that its protocol proves who speaks; False until it is loaded."""
        self.tells_leaving = True
        """Whether the adapter's device tells a card that goes away; True until it is loaded."""
        self.adapter = adapter
        self._role = role
        self._make = make
        self._handler = handler
        self._wanted_serial = wanted_serial
        self._clock = clock
        self._adapter: Adapter[Any] | None = None
        self._side: Side | None = None
        self._posts: dict[str, dict[str, Any]] = {}
        self._boots: list[bytes] = []
        self._reported: FaultCode | None = None
        self._failures = 0
        self._came = 0.0
        self._ended: asyncio.Future[LinkFault] | None = None
        self._awake = asyncio.Event()

    # -- as any link

    async def run(self) -> None:
        """Supervise until cancelled. A failure of the handler ends the link and is raised here."""
        try:
            while True:
                self.state = LinkState.CONNECTING
                fault, was_up = await self._once()
                await self._down(fault, was_up=was_up)
        finally:
            self.state = LinkState.STOPPED

    def post(self, name: str, args: Mapping[str, Any]) -> None:
        """Set a level: the latest of a name wins, and is set again after every reconnect."""
        self._posts[name] = dict(args)
        self.counters.posts += 1
        if self._side is not None:
            self._side.put(name, args)

    def acknowledge(self, boot_id: bytes, seq: int) -> None:
        """The journal has synced every event up to this one."""
        if self._side is not None and boot_id in self._boots:
            self._side.commit(seq)

    def look_again(self) -> None:
        """A device was plugged in: try at once instead of waiting."""
        self._awake.set()

    def is_proven(self) -> bool:
        """False: there is no session key."""
        return False

    def last_frames(self) -> tuple[PassedFrame, ...]:
        """Empty: the frames are the adapter's own."""
        return ()

    # -- one run of the adapter

    async def _once(self) -> tuple[LinkFault, bool]:
        loop = asyncio.get_running_loop()
        ended: asyncio.Future[LinkFault] = loop.create_future()
        over = asyncio.Event()
        side = Side(self, lambda callback, *args: _into(loop, callback, *args), self._clock, self.name)
        side.take_over(self._posts)
        self._ended, self._side, self._boots = ended, side, []
        thread = threading.Thread(
            target=self._work, args=(side, loop, ended, over), name=f"adapter {self.name}", daemon=True
        )
        thread.start()
        try:
            while not ended.done():
                await asyncio.wait({ended}, timeout=LOOK_EVERY)
                patience = PATIENCE if self._boots else LOADING
                if not ended.done() and side.silent_for() > patience:
                    ended.set_result(self._hangs(patience))
            fault, was_up = ended.result(), self.state is LinkState.UP
        except asyncio.CancelledError:
            side.stop()
            with suppress(TimeoutError):
                await asyncio.wait_for(over.wait(), FAREWELL)
            raise
        finally:
            self._side = None
            side.stop()
        if over.is_set():
            return fault, was_up
        # A thread cannot be ended from outside and holds its port: no second one starts before it ends.
        self.state, self.fault = LinkState.WAITING, fault
        self._report(fault, was_up=was_up)
        await over.wait()
        if fault.code is FaultCode.ADAPTER_HANGS:
            self._adapter = None
        return fault, False

    def _hangs(self, patience: float) -> LinkFault:
        self._log_fault("hangs")
        return LinkFault(
            FaultCode.ADAPTER_HANGS,
            f"{self.name}: the adapter {self.adapter} has not come back for {patience:g} s: restart feltd "
            f"between two rounds, and {remedy_for(self.adapter)}",
        )

    def _work(
        self, side: Side, loop: asyncio.AbstractEventLoop, ended: "asyncio.Future[LinkFault]", over: asyncio.Event
    ) -> None:
        """The body of the adapter's thread."""
        fault: LinkFault | None = None
        try:
            if self._adapter is None:
                self._adapter = self._make()
            self.authenticated = type(self._adapter).authenticated
            self.tells_leaving = type(self._adapter).tells_leaving
            self._adapter.run(side)
            fault = self._failed("came back and said nothing of why")
        except AdapterStopped:
            fault = LinkFault(FaultCode.STOPPED, f"{self.name}: its adapter was stopped")
        except FaultError as error:
            fault = LinkFault(error.fault.code, error.fault.text)
        except BaseException as error:  # noqa: BLE001 - a stranger's code may raise anything
            fault = self._failed(f"failed ({place_of(error)})")
        with suppress(AdapterStopped):
            _into(loop, _settle, ended, over, fault)

    def _failed(self, how: str) -> LinkFault:
        self._adapter = None
        self._log_fault(how)
        return LinkFault(
            FaultCode.ADAPTER_FAILED,
            f"{self.name}: the adapter {self.adapter} {how}: {remedy_for(self.adapter)}",
        )

    def _log_fault(self, how: str) -> None:
        if self._reported not in (FaultCode.ADAPTER_FAILED, FaultCode.ADAPTER_HANGS):
            _log.error("%s: the adapter %s %s", self.name, self.adapter, how)

    # -- what its thread says, in the loop

    def said_up(self, side: Side, state: Mapping[str, Any], serial: str, firmware: str) -> None:
        if side is not self._side:
            return
        if self._wanted_serial is not None and serial != self._wanted_serial:
            text = (
                f"{self.name}: the device says it is {serial or 'nobody'}, this slot is for {self._wanted_serial}: "
                "plug in that one, or enter the new serial number"
            )
            self._end(LinkFault(FaultCode.UNKNOWN_DEVICE, text))
            return
        boot = secrets.token_bytes(BOOT_ID_SIZE)
        self._boots.append(boot)
        self.counters.reconnects += self.counters.sessions > 0
        self.counters.sessions += 1
        self.state, self.fault, self._reported, self._came = LinkState.UP, None, None, self._clock()
        identity = DeviceIdentity(self._role, serial, firmware, 0, boot, persistent=False)
        self._tell(lambda: self._handler.on_up(self.name, identity, state))

    def said_event(self, side: Side, number: int, body: Mapping[str, Any]) -> None:
        if side is self._side and self.state is LinkState.UP:
            self.counters.events += 1
            boot = self._boots[-1]
            self._tell(lambda: self._handler.on_event(self.name, boot, number, body))

    def said_status(self, side: Side, body: Mapping[str, Any]) -> None:
        side.took_status()
        if side is self._side:
            self._tell(lambda: self._handler.on_status(self.name, body))

    def _tell(self, callback: Callable[[], None]) -> None:
        """Call the handler. Its failure is the daemon's, not the adapter's: `run` raises it."""
        try:
            callback()
        except Exception as error:  # noqa: BLE001 - it is raised again where it belongs
            if self._ended is not None and not self._ended.done():
                self._ended.set_exception(error)

    def _end(self, fault: LinkFault) -> None:
        if self._ended is not None and not self._ended.done():
            self._ended.set_result(fault)

    # -- between two runs

    def _report(self, fault: LinkFault, *, was_up: bool) -> None:
        if was_up or fault.code is not self._reported:
            self._reported = fault.code
            self._handler.on_down(self.name, fault)

    async def _down(self, fault: LinkFault, *, was_up: bool) -> None:
        """Report the fault, unless it is a repeat, and wait: longer after each failure in a row."""
        self.state, self.fault = LinkState.WAITING, fault
        self._report(fault, was_up=was_up)
        if was_up and self._clock() - self._came >= SETTLED:
            self._failures = 0
        wait = min(BACKOFF_CAP, BACKOFF_FIRST * 2.0 ** min(self._failures, 16))
        self._failures += 1
        self._awake.clear()
        with suppress(TimeoutError):
            await asyncio.wait_for(self._awake.wait(), wait)


def _settle(ended: "asyncio.Future[LinkFault]", over: asyncio.Event, fault: LinkFault) -> None:
    over.set()
    if not ended.done():
        ended.set_result(fault)


def _into(loop: asyncio.AbstractEventLoop, callback: Callable[..., object], *args: object) -> None:
    """Hand a call to the loop. Raises AdapterStopped if the loop is closed."""
    try:
        loop.call_soon_threadsafe(callback, *args)
    except RuntimeError:
        raise AdapterStopped from None
