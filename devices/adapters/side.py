"""The table's side for an adapter's thread: its calls cross to the event loop."""

import threading
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any, Final, Protocol

from devices.adapters.interface import AdapterFault, AdapterStopped
from firmware_bridge.errors import FaultCode, MessageError
from firmware_bridge.limits import BOOT_ID_SIZE, SEQUENCE_MAX, WINDOW
from firmware_bridge.messages import Event, State, Status, from_device

UPS_MAX: Final = 8
"""How often a device may come up in a run within `UPS_SPAN`.

Each time is compared, recorded and shown.
"""
UPS_SPAN: Final = 10.0
"""Seconds."""

EVENTS_MAX: Final = 100
"""Events per `SPAN`: as many as a serial line of 115200 baud carries.

Each takes room on the disk for good.
"""
STATUSES_MAX: Final = 100
"""Statuses per `SPAN`: each takes a turn of the loop from the other devices."""
SPAN: Final = 1.0
"""Seconds."""


class Heard(Protocol):
    """The loop's side: called in the loop, in the order in which the thread called."""

    def said_up(self, side: "Side", state: Mapping[str, Any], serial: str, firmware: str) -> None: ...
    def said_event(self, side: "Side", number: int, body: Mapping[str, Any]) -> None: ...
    def said_status(self, side: "Side", body: Mapping[str, Any]) -> None: ...


class Side:
    """One run of an adapter; implements `TableSide`, and the rest is for the loop."""

    def __init__(self, heard: Heard, into_loop: Callable[..., object], clock: Callable[[], float], name: str) -> None:
        """`into_loop`: the loop's `call_soon_threadsafe`.

        `clock`: seconds, to detect a hanging thread.
        """
        self._heard = heard
        self._into_loop = into_loop
        self._clock = clock
        self._name = name
        self._change = threading.Condition()
        self._stop = False
        self._is_up = False
        self._orders: dict[str, dict[str, Any]] = {}
        self._held: dict[str, dict[str, Any]] = {}
        self._said = 0
        self._committed = 0
        self._within = 0
        self._spoke = clock()
        self._ups: deque[float] = deque(maxlen=UPS_MAX)
        self._status_waits = False
        self._events: deque[float] = deque(maxlen=EVENTS_MAX)
        self._statuses: deque[float] = deque(maxlen=STATUSES_MAX)

    # -- what the adapter calls

    @property
    def stopping(self) -> bool:
        with self._change:
            self._spoke = self._clock()
            return self._stop

    def up(self, state: Mapping[str, Any], *, serial: str = "", firmware: str = "") -> None:
        copied = _copied(State(1, dict(state)).to_bytes())
        for label, text in (("serial number", serial), ("firmware", firmware)):
            if len(text) > 32 or not (text.isascii() and (text == "" or text.isprintable())):
                raise MessageError(f"{label}: at most 32 printable ASCII characters")
        with self._at_the_table():
            now = self._clock()
            if len(self._ups) == UPS_MAX and now - self._ups[0] < UPS_SPAN:
                text = f"{self._name}: it came up more than {UPS_MAX} times within {UPS_SPAN:g} s: look at its supply"
                raise AdapterFault(f"{text}, or mend its adapter", FaultCode.MALFORMED)
            self._ups.append(now)
            self._is_up = True
            self._orders = dict(self._held)
            self._into_loop(self._heard.said_up, self, copied, serial, firmware)

    def event(self, body: Mapping[str, Any]) -> int:
        copied = _copied(Event(bytes(BOOT_ID_SIZE), 1, dict(body)).to_bytes())
        with self._at_the_table():
            if not self._is_up:
                raise AdapterFault(f"{self._name}: its adapter reports an event before it said up", FaultCode.MALFORMED)
            self._wait(lambda: self._said - self._committed < WINDOW)
            self._keep_pace(self._events)
            if self._said >= SEQUENCE_MAX:
                raise AdapterFault(f"{self._name}: too many events in one run: it is begun anew", FaultCode.MALFORMED)
            self._said += 1
            self._into_loop(self._heard.said_event, self, self._said, copied)
            return self._said

    def committed(self, number: int, seconds: float = 0.0) -> bool:
        with self._at_the_table():
            return self._wait(lambda: self._committed >= number, seconds)

    def status(self, body: Mapping[str, Any]) -> None:
        copied = _copied(Status(dict(body)).to_bytes())
        with self._at_the_table():
            self._wait(lambda: not self._status_waits)
            self._keep_pace(self._statuses)
            self._status_waits = True
            self._into_loop(self._heard.said_status, self, copied)

    def orders(self, seconds: float = 0.0) -> dict[str, dict[str, Any]]:
        with self._at_the_table(last_orders=True):
            self._wait(lambda: bool(self._orders), seconds)
            orders, self._orders = self._orders, {}
            return orders

    # -- what the loop calls

    def put(self, name: str, args: Mapping[str, Any]) -> None:
        """Set a level."""
        with self._change:
            self._held[name] = dict(args)
            self._orders[name] = dict(args)
            self._change.notify_all()

    def take_over(self, held: Mapping[str, dict[str, Any]]) -> None:
        """Take the levels that hold from before this run; they are given with `up`."""
        with self._change:
            self._held = {**held, **self._held}

    def commit(self, number: int) -> None:
        """The record holds the event of this number and all before it."""
        with self._change:
            self._committed = max(self._committed, number)
            self._change.notify_all()

    def took_status(self) -> None:
        """The loop has taken the last status: the next one may come."""
        with self._change:
            self._status_waits = False
            self._change.notify_all()

    def stop(self) -> None:
        """The adapter is to end: give the waiting orders, then raise AdapterStopped in every call."""
        with self._change:
            self._stop = True
            self._change.notify_all()

    def silent_for(self) -> float:
        """Seconds since the adapter's last call; 0 during a call."""
        with self._change:
            return 0.0 if self._within else self._clock() - self._spoke

    # -- the ground

    def _at_the_table(self, *, last_orders: bool = False) -> "_Visit":
        return _Visit(self, last_orders=last_orders)

    def _keep_pace(self, said: deque[float]) -> None:
        """Wait until one more may be said. `said`: when the last ones were, as many as a `SPAN` may have."""
        if len(said) == said.maxlen:
            self._wait(lambda: False, max(0.0, said[0] + SPAN - self._clock()))
            if self._stop:
                raise AdapterStopped
        said.append(self._clock())

    def _wait(self, reached: Callable[[], bool], seconds: float | None = None) -> bool:
        """Wait with the lock released.

        A stop ends it, with AdapterStopped if there was no time limit.
        """
        done = self._change.wait_for(lambda: self._stop or reached(), seconds)
        if seconds is None and self._stop:
            raise AdapterStopped
        return done and reached()


class _Visit:
    """Marks an adapter's thread as inside a call, during which it does not count as hanging."""

    def __init__(self, side: Side, *, last_orders: bool) -> None:
        self._side = side
        self._last_orders = last_orders

    def __enter__(self) -> None:
        side = self._side
        side._change.acquire()
        if side._stop and not (self._last_orders and side._orders):
            side._change.release()
            raise AdapterStopped
        side._within += 1

    def __exit__(self, *_reason: object) -> None:
        side = self._side
        side._within -= 1
        side._spoke = side._clock()
        side._change.release()


def _copied(message: bytes) -> Mapping[str, Any]:
    """The opaque map of a message just made: later changes by the adapter do not reach it."""
    parsed = from_device(message)
    assert isinstance(parsed, Event | State | Status)
    return parsed.body
