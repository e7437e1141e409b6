"""The messages of version 2 as bytes (PROTOCOL.md, section 8): a kind in one byte, then the values one by one.

The hello is a map as in version 1, with two keys more. What a message's bytes mean beyond that, an event's name and an
acknowledgement's boot, is `language`'s.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Self, TypeVar

from firmware_bridge import checks
from firmware_bridge.encoding import decode_items, decode_map, encode, opaque, unread, unread_value
from firmware_bridge.errors import MessageError
from firmware_bridge.limits import FRAME_LARGEST, FRAME_MAX, FRAME_OVERHEAD, FRAME_SMALLEST, TAG_SIZE
from firmware_bridge.messages import (
    Close,
    Command,
    Hello,
    Kind,
    Message,
    Ping,
    Pong,
    Post,
    Refusal,
    Result,
    State,
    StateRead,
    Status,
    Welcome,
)

_HELLO_KEYS: Final = 11  # key 0 included


@dataclass(frozen=True, slots=True)
class Next(Message):
    """The name of the event that the device sends next.

    `known`: whether the device knows the resume point that it was welcomed with.
    """

    kind: ClassVar[Kind] = Kind.NEXT
    boot_id: bytes
    seq: int
    known: bool

    def values(self) -> tuple[Any, ...]:
        return self.boot_id, self.seq, self.known

    @classmethod
    def from_map(cls, m: Mapping[int, Any]) -> Self:
        known = m.get(3)
        if not isinstance(known, bool):
            raise MessageError("known is neither true nor false")
        return cls(checks.boot_id(m.get(1)), checks.sequence(m.get(2)), known)


@dataclass(frozen=True, slots=True)
class Body:
    """An event without its name, which is that of its place."""

    body: Mapping[str, Any]

    @classmethod
    def from_map(cls, m: Mapping[int, Any]) -> Self:
        return cls(opaque(m.get(1), "event"))


@dataclass(frozen=True, slots=True)
class Held:
    """An acknowledgement as it travels. `boot_id` None: that of the session's hello."""

    seq: int
    boot_id: bytes | None

    @classmethod
    def from_map(cls, m: Mapping[int, Any]) -> Self:
        return cls(checks.sequence(m.get(1)), checks.boot_id(m[2]) if 2 in m else None)


def welcome_of(m: Mapping[int, Any]) -> Welcome:
    """The welcome, which says beside what version 1 has what the host takes."""
    known = Welcome.from_map(m)
    return Welcome(known.window, known.resume, checks.integer(m.get(3), "longest frame", FRAME_MAX, FRAME_LARGEST))


def hello_bytes(hello: Hello) -> bytes:
    """The payload of a handshake answer. Raises MessageError."""
    acknowledged = None if hello.acknowledged is None else list(hello.acknowledged)
    values = (*hello.values(), acknowledged, hello.takes)
    return checks.sized({0: hello.kind.value, **dict(enumerate(values, 1))}, "hello")


def hello_of(data: bytes) -> Hello:
    """The hello in a handshake answer. Raises MessageError."""
    m = decode_map(data)
    if type(m.get(0)) is not int or m[0] != Kind.HELLO or 9 not in m:
        raise MessageError("the handshake answer carries no hello of this version")
    unread(m, _HELLO_KEYS)
    first = Hello.from_map(m)
    return Hello(
        *(first.role, first.serial, first.firmware, first.version_min, first.version_max, first.boot_id),
        persistent=first.persistent,
        commands=first.commands,
        acknowledged=checks.name_of_event(m[9], "the last event acknowledged"),
        takes=checks.integer(m.get(10), "longest frame", FRAME_SMALLEST, FRAME_LARGEST),
    )


def message_max(frame_max: int) -> int:
    """The bytes of the longest message in frames of at most so many."""
    return frame_max - FRAME_OVERHEAD - TAG_SIZE


def compose(kind: Kind, values: tuple[Any, ...], limit: int) -> bytes:
    """The bytes of a message. Raises MessageError for what cannot travel, or is too long."""
    data = bytes((kind,)) + b"".join(map(encode, values))
    if len(data) > limit:
        name = kind.name.lower()
        raise MessageError(f"{name} has {len(data)} bytes, at most {limit} are allowed: send less at once")
    return data


FromDevice = Body | Next | Result | Refusal | Pong | Status | State | Close
FromHost = Welcome | Held | Command | Post | Ping | StateRead | Close

_FROM_DEVICE: Final[Mapping[int, tuple[int, Callable[[Mapping[int, Any]], FromDevice]]]] = {
    Kind.EVENT.value: (1, Body.from_map),
    Kind.RESULT.value: (2, lambda m: Result(checks.identifier(m.get(1)), opaque(m.get(2), "result"))),
    Kind.PONG.value: (1, Pong.from_map),
    Kind.STATUS.value: (1, Status.from_map),
    Kind.STATE.value: (2, State.from_map),
    Kind.CLOSE.value: (2, Close.from_map),
    Kind.NEXT.value: (3, Next.from_map),
    Kind.REFUSAL.value: (3, lambda m: Refusal.from_map({1: m.get(1), 3: m.get(2), 4: m.get(3)})),
}
_FROM_HOST: Final[Mapping[int, tuple[int, Callable[[Mapping[int, Any]], FromHost]]]] = {
    Kind.WELCOME.value: (3, welcome_of),
    Kind.ACK.value: (2, Held.from_map),
    Kind.COMMAND.value: (3, Command.from_map),
    Kind.POST.value: (2, Post.from_map),
    Kind.PING.value: (1, Ping.from_map),
    Kind.STATE_READ.value: (1, StateRead.from_map),
    Kind.CLOSE.value: (2, Close.from_map),
}


def from_device(data: bytes) -> FromDevice:
    """The message a device sent. Raises MessageError."""
    count, parse = _known(_FROM_DEVICE.get(data[0]) if data else None)
    return parse(_values(data, count))


def from_host(data: bytes) -> FromHost:
    """The message a host sent. Raises MessageError."""
    count, parse = _known(_FROM_HOST.get(data[0]) if data else None)
    return parse(_values(data, count))


T = TypeVar("T")


def _known(entry: T | None) -> T:
    if entry is None:
        raise MessageError("the message's kind is none that comes from that side")
    return entry


def _values(data: bytes, count: int) -> dict[int, Any]:
    """The values behind the kind, by the keys that they have in version 1; those beyond `count` are checked alone."""
    items = decode_items(data[1:])
    for item in items[count:]:
        unread_value(item)
    return dict(enumerate(items[:count], 1))
