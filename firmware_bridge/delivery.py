"""Each event once, in order (PROTOCOL.md, section 4): the device's outbox and the host's inbox. No clock in here."""

from collections import deque
from collections.abc import Mapping
from typing import Any, Final

from firmware_bridge.errors import DeliveryError, FaultCode, PendingFullError
from firmware_bridge.facts import ResumePoint
from firmware_bridge.limits import BOOT_ID_SIZE, SEQUENCE_MAX, WINDOW
from firmware_bridge.messages import Event
from firmware_bridge.store import PendingEvent, PendingStore

_RETIRED_MAX: Final = 1024  # earlier boots remembered, to detect one that returns


class EventOutbox:
    """The device's end: names events, keeps them until acknowledged, says which to send next."""

    def __init__(self, store: PendingStore, boot_id: bytes) -> None:
        """Raises ValueError for a boot id of the wrong length, or one that was used before."""
        if len(boot_id) != BOOT_ID_SIZE:
            raise ValueError(f"a boot id has {BOOT_ID_SIZE} bytes, not {len(boot_id)}")
        self._store = store
        self._boot_id = boot_id
        self._pending = deque(store.load())
        self._names = {(event.boot_id, event.seq) for event in self._pending}
        self._sent = 0  # of the pending ones, in this session
        self._last = 0
        self._known = True
        if any(event.boot_id == boot_id for event in self._pending):
            raise ValueError("this boot id was used before: a boot id must be new at every start")

    def __len__(self) -> int:
        return len(self._pending)

    @property
    def full(self) -> bool:
        """Whether there is no room: the source of events must stop."""
        return len(self._pending) >= self._store.capacity or self._last >= SEQUENCE_MAX

    @property
    def all_sent(self) -> bool:
        """Whether every pending event was sent in this session."""
        return self._sent == len(self._pending)

    @property
    def acknowledged(self) -> tuple[bytes, int] | None:
        """The name of the last event that was acknowledged, as far as the store remembers."""
        return self._store.acknowledged

    @property
    def known(self) -> bool:
        """Whether the host's resume point was the last acknowledged event, or one that was kept.

        True too where no acknowledged event is remembered.
        """
        return self._known

    @property
    def upcoming(self) -> tuple[bytes, int]:
        """The name of the oldest event kept; of the one that would be made next, if none is."""
        if self._pending:
            return self._pending[0].boot_id, self._pending[0].seq
        return self._boot_id, min(self._last + 1, SEQUENCE_MAX)

    def append(self, body: Mapping[str, Any]) -> int:
        """Name and keep an event; returns its sequence.

        Raises PendingFullError, MessageError, StoreError; nothing is kept then.
        """
        if self.full:
            raise PendingFullError(
                f"{len(self._pending)} events wait to be acknowledged: stop what makes events until there is room"
            )
        seq = self._last + 1
        event = PendingEvent(self._boot_id, seq, Event(self._boot_id, seq, dict(body)).to_bytes())
        self._store.append(event)
        self._last = seq
        self._pending.append(event)
        self._names.add((event.boot_id, seq))
        return seq

    def begin(self, resume: tuple[bytes, int] | None) -> None:
        """Begin a session: forget what the host holds; every other event is to be sent again."""
        before = self.acknowledged
        self._known = before is None or resume == before or resume in self._names
        if resume is not None:
            self.forget_through(*resume)
        self._sent = 0

    def forget_through(self, boot_id: bytes, seq: int) -> None:
        """The host holds this event and all before it. An event that is not in the store is ignored."""
        if (boot_id, seq) not in self._names:
            return
        count = 0
        while True:
            event = self._pending.popleft()
            self._names.remove((event.boot_id, event.seq))
            count += 1
            if (event.boot_id, event.seq) == (boot_id, seq):
                break
        self._sent = max(0, self._sent - count)
        self._store.forget(count)

    def next(self, window: int) -> PendingEvent | None:
        """Return the next event to send, and count it as sent.

        None if all are sent, or the window is full.
        """
        if self._sent >= len(self._pending) or self._sent >= window:
            return None
        event = self._pending[self._sent]
        self._sent += 1
        return event


class EventInbox:
    """The host's end of event delivery: tells new events from repeated ones.

    It knows up to which event the journal holds them.
    """

    def __init__(self, resume: ResumePoint | None, window: int = WINDOW) -> None:
        self.window = window
        self._resume = (resume.boot_id, resume.seq) if resume else None
        self._welcomed = self._resume
        # The last sequence taken of each boot of which the device may still send something, newest boot last.
        self._taken: dict[bytes, int] = {resume.boot_id: resume.seq} if resume else {}
        self._newest = resume.boot_id if resume else None
        self._retired: dict[bytes, None] = {}
        self._unsynced: dict[tuple[bytes, int], None] = {}  # taken, not acknowledged, in order
        self._excused: tuple[bytes, int] | None = None

    @property
    def unsynced(self) -> int:
        """Events taken that the journal does not hold yet."""
        return len(self._unsynced)

    def begin(self) -> tuple[bytes, int] | None:
        """Begin a session: returns the resume point for its welcome.

        The device will send nothing from before it.
        """
        self._welcomed = self._resume
        if self._resume is not None:
            while (oldest := next(iter(self._taken))) != self._resume[0]:
                del self._taken[oldest]
                self._retire(oldest)
        return self._welcomed

    def expect(self, boot_id: bytes, seq: int) -> bool:
        """The device says which event it sends next. Returns whether events before it are missing; it is taken then."""
        last = self._taken.get(boot_id)
        missing = self._newest is not None and boot_id not in self._retired and seq > (last or 0) + 1
        if missing:
            self._excused = (boot_id, seq)
        return missing

    def take(self, boot_id: bytes, seq: int) -> bool:
        """Take an event: True if it is new, False if it was taken before.

        Raises DeliveryError for an event that cannot follow.
        """
        last = self._taken.get(boot_id)
        if last is not None and seq <= last:
            if self._welcomed is not None and boot_id == self._welcomed[0] and seq <= self._welcomed[1]:
                raise _out_of_order(boot_id, seq, "the host said that it holds it: is a boot id used twice?")
            return False
        if boot_id in self._retired or (last is not None and boot_id != self._newest):
            raise _out_of_order(boot_id, seq, "a later boot's events came before: events must be sent in their order")
        expected = 1 if last is None else last + 1
        if seq != expected and self._newest is not None and self._excused != (boot_id, seq):
            self._excused = (boot_id, seq)
            raise DeliveryError(
                FaultCode.EVENTS_MISSING,
                f"events {expected} to {seq - 1} of boot {boot_id.hex()} are missing: neither the journal nor the "
                "device has them; compare the device's state with the table",
            )
        if len(self._unsynced) >= self.window:
            raise DeliveryError(
                FaultCode.MALFORMED, f"more than {self.window} events in flight: the window was granted"
            )
        self._excused = None
        self._taken[boot_id] = seq
        self._newest = boot_id
        self._unsynced[boot_id, seq] = None
        return True

    def acknowledge(self, boot_id: bytes, seq: int) -> bool:
        """The journal holds every event up to this one. Returns whether that is new.

        Raises ValueError for an event that was never taken.
        """
        name = (boot_id, seq)
        if name not in self._unsynced:
            if boot_id in self._retired or self._taken.get(boot_id, 0) >= seq:
                return False
            raise ValueError(f"event {seq} of boot {boot_id.hex()} was never delivered, so it cannot be acknowledged")
        while True:
            oldest = next(iter(self._unsynced))
            del self._unsynced[oldest]
            if oldest == name:
                break
        self._resume = name
        return True

    @property
    def resume(self) -> tuple[bytes, int] | None:
        """The last event that the journal holds."""
        return self._resume

    def _retire(self, boot_id: bytes) -> None:
        self._retired[boot_id] = None
        if len(self._retired) > _RETIRED_MAX:
            del self._retired[next(iter(self._retired))]


def _out_of_order(boot_id: bytes, seq: int, why: str) -> DeliveryError:
    return DeliveryError(FaultCode.OUT_OF_ORDER, f"event {seq} of boot {boot_id.hex()} came out of order: {why}")
