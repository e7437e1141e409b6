"""A device's store of unacknowledged events, in memory or in a file."""

import os
import struct
import zlib
from collections import deque
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from firmware_bridge.errors import StoreError
from firmware_bridge.limits import BOOT_ID_SIZE, PENDING_CAPACITY

_HEADER: Final = struct.Struct("<HI")  # length of the payload, its CRC-32
_APPEND: Final = b"+"
_FORGET: Final = b"-"
_ACKNOWLEDGED: Final = b"="  # the last that was forgotten before the log began anew
_NAME: Final = struct.Struct(f"<{BOOT_ID_SIZE}sI")
_COUNT: Final = struct.Struct("<I")
_COMPACT_ABOVE: Final = 1 << 20  # bytes of log


@dataclass(frozen=True, slots=True)
class PendingEvent:
    """An event under its name for good, as the message that carries it."""

    boot_id: bytes
    seq: int
    message: bytes


class PendingStore(Protocol):
    """A device's store. Its order is the order of events, over all boots."""

    @property
    def persistent(self) -> bool:
        """Whether it outlives a restart of the device."""
        ...

    @property
    def capacity(self) -> int:
        """The number of events that it takes."""
        ...

    def load(self) -> list[PendingEvent]:
        """Everything kept, oldest first."""
        ...

    def append(self, event: PendingEvent) -> None:
        """Keep one more. A persistent store has it when this returns."""
        ...

    def forget(self, count: int) -> None:
        """Drop the oldest `count`, which the host has acknowledged."""
        ...

    @property
    def acknowledged(self) -> tuple[bytes, int] | None:
        """The name of the last event that was dropped; a persistent store keeps it too."""
        ...


class MemoryStore:
    """A store in memory.

    `persistent=True` is for a memory that outlives the peer: a simulated device's own restart.
    """

    def __init__(self, capacity: int = PENDING_CAPACITY, *, persistent: bool = False) -> None:
        self.capacity = capacity
        self.persistent = persistent
        self.acknowledged: tuple[bytes, int] | None = None
        self._events: deque[PendingEvent] = deque()

    def load(self) -> list[PendingEvent]:
        return list(self._events)

    def append(self, event: PendingEvent) -> None:
        self._events.append(event)

    def forget(self, count: int) -> None:
        for _ in range(count):
            event = self._events.popleft()
            self.acknowledged = (event.boot_id, event.seq)


class FileStore:
    """A log of what was kept and forgotten; outlives the death of the process at any moment.

    It is not synced to disk: it stands for a device's own memory and guards against the end of a process, not of the
    machine. Writes are small and go to the page cache. A record cut short at the end is a write that never happened.
    """

    persistent = True

    def __init__(self, path: Path, capacity: int = PENDING_CAPACITY) -> None:
        """Open or make the file.

        Raises StoreError if it cannot, or if the file is damaged before its end.
        """
        self.capacity = capacity
        self.acknowledged: tuple[bytes, int] | None = None
        self._path = path
        try:
            data = path.read_bytes() if path.exists() else b""
            self._events, good = self._replay(data)
            self._file = path.open("ab", buffering=0)
            if good < len(data):
                os.truncate(path, good)
        except OSError as error:
            raise StoreError(f"store {path}: {error.strerror}: check that its folder exists and is writable") from error
        self._size = good

    def close(self) -> None:
        """Release the file."""
        self._file.close()

    def load(self) -> list[PendingEvent]:
        return list(self._events)

    def append(self, event: PendingEvent) -> None:
        self._write(_append_record(event))
        self._events.append(event)

    def forget(self, count: int) -> None:
        if not count:
            return
        self._write(_record(_FORGET + _COUNT.pack(count)))
        self._drop(self._events, count)
        if not self._events or self._size > _COMPACT_ABOVE:
            self._compact()

    def _write(self, record: bytes) -> None:
        try:
            written = self._file.write(record)
        except OSError as error:
            raise StoreError(f"store {self._path}: {error.strerror}: make room, then restart the device") from error
        if written != len(record):
            os.truncate(self._path, self._size)  # half a record in the middle would be damage
            raise StoreError(f"store {self._path}: the disk is full: make room, then restart the device")
        self._size += written

    def _compact(self) -> None:
        """Only what is still kept, in a new file that takes the old one's place in one step."""
        fresh = self._path.with_name(self._path.name + ".new")
        last = self.acknowledged
        said = b"" if last is None else _record(_ACKNOWLEDGED + _NAME.pack(*last))
        data = said + b"".join(map(_append_record, self._events))
        try:
            fresh.write_bytes(data)
            fresh.replace(self._path)
            self._file.close()
            self._file = self._path.open("ab", buffering=0)
        except OSError as error:
            raise StoreError(f"store {self._path}: {error.strerror}: make room, then restart the device") from error
        self._size = len(data)

    def _replay(self, data: bytes) -> tuple[deque[PendingEvent], int]:
        """What the log says is kept, and how many of its bytes are whole records."""
        events: deque[PendingEvent] = deque()
        at = 0
        while at + _HEADER.size <= len(data):
            length, checksum = _HEADER.unpack_from(data, at)
            payload = data[at + _HEADER.size : at + _HEADER.size + length]
            if len(payload) < length:
                break
            if zlib.crc32(payload) != checksum:
                raise self._damaged(at)
            self._apply(payload, events, at)
            at += _HEADER.size + length
        return events, at

    def _apply(self, payload: bytes, events: deque[PendingEvent], at: int) -> None:
        kind, rest = payload[:1], payload[1:]
        if kind == _APPEND and len(rest) > _NAME.size:
            boot_id, seq = _NAME.unpack_from(rest)
            events.append(PendingEvent(boot_id, seq, rest[_NAME.size :]))
            return
        if kind == _FORGET and len(rest) == _COUNT.size and (count := _COUNT.unpack(rest)[0]) <= len(events):
            self._drop(events, count)
            return
        if kind == _ACKNOWLEDGED and len(rest) == _NAME.size:
            self.acknowledged = _NAME.unpack(rest)
            return
        raise self._damaged(at)

    def _drop(self, events: deque[PendingEvent], count: int) -> None:
        for _ in range(count):
            event = events.popleft()
            self.acknowledged = (event.boot_id, event.seq)

    def _damaged(self, at: int) -> StoreError:
        return StoreError(f"store {self._path}: damaged at byte {at}: move it away; its unsent events are lost then")


def _record(payload: bytes) -> bytes:
    return _HEADER.pack(len(payload), zlib.crc32(payload)) + payload


def _append_record(event: PendingEvent) -> bytes:
    return _record(_APPEND + _NAME.pack(event.boot_id, event.seq) + event.message)
