"""How the two ends say and read messages in each version of the protocol; one of these for each session.

Version 1 needs nothing but the message (PROTOCOL.md, section 3). In version 2 an event has the name of its place, which
`next` sets, and an acknowledgement is of the boot in the session's hello (section 8).
"""

from typing import Final, Protocol

from firmware_bridge import compact, messages
from firmware_bridge.compact import Body, Held, Next, compose, message_max
from firmware_bridge.errors import MessageError
from firmware_bridge.limits import FRAME_MAX, SEQUENCE_MAX
from firmware_bridge.messages import Ack, DeviceMessage, Event, Hello, HostMessage, Kind, Name, Refusal, Welcome
from firmware_bridge.store import PendingEvent

SECOND: Final = 2
"""The first version whose messages are those of `compact`."""


class HostLanguage(Protocol):
    """The host's end."""

    def encode(self, message: HostMessage) -> bytes:
        """The bytes to send. Raises MessageError for what cannot travel, or is longer than the device takes."""
        ...

    def decode(self, data: bytes) -> DeviceMessage | Next:
        """The message a device sent. Raises MessageError."""
        ...


class HostVersion1:
    """The host's end in version 1, and before any session."""

    def encode(self, message: HostMessage) -> bytes:
        return message.to_bytes()

    def decode(self, data: bytes) -> DeviceMessage | Next:
        return messages.from_device(data)


class HostVersion2:
    """The host's end in version 2. Use each instance for one session."""

    def __init__(self, hello: Hello) -> None:
        self._boot_id = hello.boot_id
        self._limit = message_max(hello.takes)
        self._place: Name | None = None  # the name of the event that comes next
        self._named = False  # it was just said

    def encode(self, message: HostMessage) -> bytes:
        if isinstance(message, Ack):
            boot = () if message.boot_id == self._boot_id else (message.boot_id,)
            return compose(Kind.ACK, (message.seq, *boot), self._limit)
        if isinstance(message, Welcome):
            return compose(Kind.WELCOME, (*message.values(), message.takes), self._limit)
        return compose(message.kind, message.values(), self._limit)

    def decode(self, data: bytes) -> DeviceMessage | Next:
        message = compact.from_device(data)
        if isinstance(message, Body):
            return Event(*self._take_place(), message.body)
        if isinstance(message, Next):
            self._name(message)
        return message

    def _name(self, coming: Next) -> None:
        """A name without its event would let a device tell jumps without end, each of them an entry of the record."""
        if self._named:
            raise MessageError("the name of an event behind another, and no event between")
        self._named = True
        self._place = (coming.boot_id, coming.seq)

    def _take_place(self) -> Name:
        if self._place is None:
            raise MessageError("an event before the name of the first")
        boot_id, seq = self._place
        if seq > SEQUENCE_MAX:
            raise MessageError("an event behind the last sequence of its boot")
        self._place, self._named = (boot_id, seq + 1), False
        return boot_id, seq


class DeviceLanguage(Protocol):
    """The device's end."""

    def encode(self, message: DeviceMessage | Next) -> bytes:
        """The bytes to send. Raises MessageError for what cannot travel, or is longer than the host takes."""
        ...

    def event(self, event: PendingEvent) -> list[bytes]:
        """What says that this event comes: its message, and before it what its name needs."""
        ...

    def begin(self, upcoming: Name, *, known: bool) -> list[bytes]:
        """What is said after the first status: `upcoming` is the event that comes next."""
        ...

    def decode(self, data: bytes) -> HostMessage:
        """The message a host sent. Raises MessageError."""
        ...


class DeviceVersion1:
    """The device's end in version 1."""

    def encode(self, message: DeviceMessage | Next) -> bytes:
        return message.to_bytes()

    def event(self, event: PendingEvent) -> list[bytes]:
        return [event.message]

    def begin(self, upcoming: Name, *, known: bool) -> list[bytes]:
        return []

    def decode(self, data: bytes) -> HostMessage:
        return messages.from_host(data)


class DeviceVersion2:
    """The device's end in version 2. Use each instance for one session."""

    def __init__(self, boot_id: bytes) -> None:
        """`boot_id`: the one in this session's hello."""
        self._boot_id = boot_id
        self._limit = message_max(FRAME_MAX)
        self._place: Name | None = None
        self._known = True

    def encode(self, message: DeviceMessage | Next) -> bytes:
        kind = Kind.REFUSAL if isinstance(message, Refusal) else message.kind
        return compose(kind, message.values(), self._limit)

    def event(self, event: PendingEvent) -> list[bytes]:
        name = (event.boot_id, event.seq)
        said = [] if name == self._place else [self.encode(Next(*name, self._known))]
        self._place = (event.boot_id, event.seq + 1)
        return [*said, bytes((Kind.EVENT,)) + event.message[_named(event.seq) :]]

    def begin(self, upcoming: Name, *, known: bool) -> list[bytes]:
        self._place, self._known = upcoming, known
        return [self.encode(Next(*upcoming, known))]

    def decode(self, data: bytes) -> HostMessage:
        message = compact.from_host(data)
        if isinstance(message, Held):
            return Ack(self._boot_id if message.boot_id is None else message.boot_id, message.seq)
        if isinstance(message, Welcome):
            self._limit = message_max(message.takes)
        return message


def _named(seq: int) -> int:
    """The bytes of a kept event's message before its map: kind, name, and the keys of version 1."""
    return 16 + (seq > 23) + (seq > 0xFF) + 2 * (seq > 0xFFFF)
