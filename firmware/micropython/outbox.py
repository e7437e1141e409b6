"""The events that the host does not hold yet (PROTOCOL.md, section 4): in memory, and in a file if they shall survive.

The file is a log of records: length (2 bytes), CRC-32 of the payload (4), payload. `E` + boot id + sequence (4) +
message: an event kept. `F` + count (2): so many of the oldest forgotten; behind it may stand the name of the last that
was acknowledged, where a log begins. A record cut short by a power loss was never
written; nothing that follows it is believed.
"""

import os
from binascii import crc32

NAME_SIZE = 12  # boot id and sequence
_COMPACT_ABOVE = 32768  # bytes of the log


class Outbox:
    """Events in order: those already sent in this session first."""

    def __init__(self, capacity=256, path=None):
        """`path`: where the log is, or None: kept in memory alone. `damaged` says that the log was, somewhere."""
        self.capacity = capacity
        self.persistent = path is not None
        self.damaged = False
        self.worn = False  # the file could not be written
        self._path = path
        self._ring = [None] * capacity  # made once, and one object an event: boot id, sequence (4), message
        self._first = 0
        self._count = 0
        self._sent = 0
        self._size = 0
        self.acknowledged = None  # the name of the last event forgotten: boot id, sequence
        self.known = True  # whether the host's resume point was that one, or was kept, or none is remembered
        if path is not None:
            self._load()

    def __len__(self):
        return self._count

    @property
    def full(self):
        """Whether another event cannot be kept: there is no room, or the file could not be written."""
        return self.worn or self._count >= self.capacity

    @property
    def note(self):
        """What is wrong, in words for the status; empty: nothing."""
        if self.worn:
            return "the memory for events is worn: nothing is taken"
        if self.full:
            return "the store of events is full: nothing is taken"
        return "the store of events was damaged: some may be lost" if self.damaged else ""

    @property
    def all_sent(self):
        """Whether every event kept was sent in this session."""
        return self._sent == self._count

    def append(self, boot_id, sequence, message):
        """Keep an event: it is safe when this says True."""
        event = boot_id + sequence.to_bytes(4, "little") + message
        if self.full or (self._path is not None and not self._written(b"E" + event)):
            return False
        self._put(event)
        return True

    def begin(self, resume):
        """A session begins: forget what the host holds, and send from the first one left."""
        self._sent = 0
        last = self.acknowledged
        self.known = last is None or resume == last or (resume is not None and self._place_of(*resume) is not None)
        if resume is not None:
            self.forget_through(resume[0], resume[1])

    def forget_through(self, boot_id, sequence):
        """Forget this event and all before it; nothing if it is not kept."""
        at = self._place_of(boot_id, sequence)
        if at is not None:
            self._forget(at + 1)

    def next(self, window):
        """The event to send now, which counts as sent: its name, its message. Or None."""
        if self._sent >= window or self._sent >= self._count:
            return None
        self._sent += 1
        event = self._at(self._sent - 1)
        return _name(event), event[NAME_SIZE:]

    def oldest(self):
        """The name of the oldest event kept, or None."""
        return _name(self._at(0)) if self._count else None

    def _place_of(self, boot_id, sequence):
        name = boot_id + sequence.to_bytes(4, "little")
        for at in range(self._count):
            if self._at(at).startswith(name):
                return at
        return None

    def _at(self, place):
        return self._ring[(self._first + place) % self.capacity]

    def _put(self, event):
        if self._count == self.capacity:  # only from a log kept with a larger capacity: nothing of it may be lost
            self._ring = [self._at(place) for place in range(self._count)] + [None]
            self._first = 0
            self.capacity += 1
        self._ring[(self._first + self._count) % self.capacity] = event
        self._count += 1

    def _drop(self, count):
        if count:
            self.acknowledged = _name(self._at(count - 1))
        for _ in range(count):
            self._ring[self._first] = None
            self._first = (self._first + 1) % self.capacity
        self._count -= count

    def _forget(self, count):
        self._drop(count)
        self._sent = max(0, self._sent - count)
        if self._path is None:
            return
        if not self._count or self._size > _COMPACT_ABOVE:
            self._compact()
        else:
            self._written(b"F" + count.to_bytes(2, "little"))

    def _written(self, payload):
        """Whether it is in the file. Once it is not nothing more is written: it would stand behind a torn record."""
        if self.worn:
            return False
        try:
            with open(self._path, "ab") as file:  # closing it is what makes a small file system write it down
                self._size += file.write(_record(payload))
        except OSError:
            self.worn = True
        return not self.worn

    def _compact(self):
        """Write what is left into a new file, which takes the old one's place in one step."""
        fresh = self._path + ".new"
        try:
            size = 0
            with open(fresh, "wb") as file:
                if self.acknowledged is not None:
                    boot_id, sequence = self.acknowledged
                    size += file.write(_record(b"F\0\0" + boot_id + sequence.to_bytes(4, "little")))
                for place in range(self._count):
                    size += file.write(_record(b"E" + self._at(place)))
            os.rename(fresh, self._path)
            self._size = size
        except OSError:
            self.worn = True

    def _load(self):
        try:
            file = open(self._path, "rb")  # noqa: SIM115 - `with` comes below: there may be none
        except OSError:
            return
        with file:
            whole = os.stat(self._path)[6]
            while self._size < whole:
                head = file.read(6)
                payload = file.read(int.from_bytes(head[:2], "little")) if len(head) == 6 else b""
                if len(head) < 6 or len(payload) < int.from_bytes(head[:2], "little"):
                    break
                if crc32(payload) & 0xFFFFFFFF != int.from_bytes(head[2:], "little"):
                    self.damaged = True
                    break
                self._apply(payload)
                self._size += 6 + len(payload)
        if self._size < whole:
            self._compact()

    def _apply(self, payload):
        if payload[:1] == b"E":
            self._put(payload[1:])
        else:
            self._drop(int.from_bytes(payload[1:3], "little"))
            if len(payload) == 3 + NAME_SIZE:
                self.acknowledged = _name(payload[3:])


def _name(event):
    return event[:8], int.from_bytes(event[8:NAME_SIZE], "little")


def _record(payload):
    return len(payload).to_bytes(2, "little") + (crc32(payload) & 0xFFFFFFFF).to_bytes(4, "little") + payload
