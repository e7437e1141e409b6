"""The messages within a session (PROTOCOL.md, section 3): a frozen dataclass for each kind, checked both ways.

`to_bytes`, `from_device` and `from_host` are of version 1; `compact` has those of version 2. A kind that has no place
from that side is an error like any other.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, ClassVar, Final, Self

from firmware_bridge import checks
from firmware_bridge.checks import VERSION_MAX
from firmware_bridge.encoding import decode_map, opaque, unread
from firmware_bridge.errors import MessageError
from firmware_bridge.limits import (
    CODE_MAX,
    COMMANDS_IN_FLIGHT_MAX,
    FIRMWARE_MAX,
    FRAME_MAX,
    IDENTIFIER_MAX,
    NAME_MAX,
    ROLE_MAX,
    SERIAL_MAX,
    WINDOW_MAX,
)

Name = tuple[bytes, int]
"""The name of an event: boot id and sequence."""


class Kind(IntEnum):
    """Key 0 of each message; in version 2 its first byte."""

    HELLO = 1
    WELCOME = 2
    EVENT = 3
    ACK = 4
    COMMAND = 5
    RESULT = 6
    POST = 7
    PING = 8
    PONG = 9
    STATUS = 10
    STATE_READ = 11
    STATE = 12
    CLOSE = 13
    NEXT = 14  # of version 2, as all after it
    REFUSAL = 15


class CloseReason(IntEnum):
    """The reasons for which a side ends a session with a message."""

    STOPPING = 1
    BAD_FRAME = 2
    MALFORMED = 3
    OUT_OF_ORDER = 4
    SILENT = 5
    WRONG_ROLE = 6
    UNKNOWN_DEVICE = 7
    UNSUPPORTED_VERSION = 8
    DOWNGRADE = 9
    NO_STATE = 10
    NO_RESULT = 11
    STALLED = 12


class Message:
    """A message: its kind, and its values in the order of their keys."""

    __slots__ = ()
    kind: ClassVar[Kind]

    def values(self) -> tuple[Any, ...]:
        """The values of keys 1, 2, 3, … Raises MessageError for one that cannot travel."""
        raise NotImplementedError

    def to_bytes(self) -> bytes:
        """The message in version 1. Raises MessageError for what cannot travel, or is too long."""
        return checks.sized({0: self.kind.value, **dict(enumerate(self.values(), 1))}, self.kind.name.lower())


@dataclass(frozen=True, slots=True)
class Hello(Message):
    """The device's identity, as the payload of its handshake answer.

    `acknowledged`: the last event that was acknowledged to it; `takes`: bytes of the longest frame that it takes. Both
    are of version 2.
    """

    kind: ClassVar[Kind] = Kind.HELLO
    role: str
    serial: str
    firmware: str
    version_min: int
    version_max: int
    boot_id: bytes
    persistent: bool
    commands: int
    acknowledged: Name | None = None
    takes: int = FRAME_MAX

    def values(self) -> tuple[Any, ...]:
        fields = (self.role, self.serial, self.firmware, self.version_min, self.version_max)
        return (*fields, self.boot_id, self.persistent, self.commands)

    @classmethod
    def from_map(cls, m: Mapping[int, Any]) -> Self:
        low = checks.integer(m.get(4), "lowest version", 1, VERSION_MAX)
        persistent = m.get(7)
        if not isinstance(persistent, bool):
            raise MessageError("persistent is neither true nor false")
        return cls(
            role=checks.name(m.get(1), "role", ROLE_MAX),
            serial=checks.name(m.get(2), "serial number", SERIAL_MAX),
            firmware=checks.name(m.get(3), "firmware", FIRMWARE_MAX, 0),
            version_min=low,
            version_max=checks.integer(m.get(5), "highest version", low, VERSION_MAX),
            boot_id=checks.boot_id(m.get(6)),
            persistent=persistent,
            commands=checks.integer(m.get(8), "commands at once", 1, COMMANDS_IN_FLIGHT_MAX),
        )


@dataclass(frozen=True, slots=True)
class Welcome(Message):
    """The host's answer to hello.

    It has the number of events that may be in flight, and the last event that the host holds for good. `takes`: bytes
    of the longest frame that it takes, in version 2.
    """

    kind: ClassVar[Kind] = Kind.WELCOME
    window: int
    resume: Name | None
    takes: int = FRAME_MAX

    def values(self) -> tuple[Any, ...]:
        return self.window, list(self.resume) if self.resume else None

    @classmethod
    def from_map(cls, m: Mapping[int, Any]) -> Self:
        if 2 not in m:
            raise MessageError("the resume point is missing")
        return cls(checks.integer(m.get(1), "window", 1, WINDOW_MAX), checks.name_of_event(m[2], "the resume point"))


@dataclass(frozen=True, slots=True)
class Event(Message):
    """An event of the device. `boot_id` and `seq` name it for ever."""

    kind: ClassVar[Kind] = Kind.EVENT
    boot_id: bytes
    seq: int
    body: Mapping[str, Any]

    def values(self) -> tuple[Any, ...]:
        return self.boot_id, self.seq, opaque(self.body, "event")

    @classmethod
    def from_map(cls, m: Mapping[int, Any]) -> Self:
        return cls(checks.boot_id(m.get(1)), checks.sequence(m.get(2)), opaque(m.get(3), "event"))


@dataclass(frozen=True, slots=True)
class Ack(Message):
    """The host holds every event up to this one."""

    kind: ClassVar[Kind] = Kind.ACK
    boot_id: bytes
    seq: int

    def values(self) -> tuple[Any, ...]:
        return self.boot_id, self.seq

    @classmethod
    def from_map(cls, m: Mapping[int, Any]) -> Self:
        return cls(checks.boot_id(m.get(1)), checks.sequence(m.get(2)))


@dataclass(frozen=True, slots=True)
class Command(Message):
    """An order that is answered with a result or a refusal."""

    kind: ClassVar[Kind] = Kind.COMMAND
    id: int
    name: str
    args: Mapping[str, Any]

    def values(self) -> tuple[Any, ...]:
        name = checks.name(self.name, "command's name", NAME_MAX)
        return self.id, name, opaque(self.args, f"command {name}")

    @classmethod
    def from_map(cls, m: Mapping[int, Any]) -> Self:
        return cls(
            checks.identifier(m.get(1)),
            checks.name(m.get(2), "command's name", NAME_MAX),
            opaque(m.get(3), "arguments"),
        )


@dataclass(frozen=True, slots=True)
class Result(Message):
    """The result of a command that was carried out."""

    kind: ClassVar[Kind] = Kind.RESULT
    id: int
    value: Mapping[str, Any]

    def values(self) -> tuple[Any, ...]:
        return self.id, opaque(self.value, "result")

    @classmethod
    def from_map(cls, m: Mapping[int, Any]) -> "Result | Refusal":
        if 2 not in m:
            return Refusal.from_map(m)
        return cls(checks.identifier(m.get(1)), opaque(m[2], "result"))


@dataclass(frozen=True, slots=True)
class Refusal(Message):
    """A command was refused. In version 1 a `result` with a code in the place of its value."""

    kind: ClassVar[Kind] = Kind.RESULT
    id: int
    code: str
    text: str

    def values(self) -> tuple[Any, ...]:
        code = checks.name(self.code, "refusal's code", CODE_MAX)
        return self.id, code, checks.people_text(self.text, "refusal's text")

    def to_bytes(self) -> bytes:
        number, code, text = self.values()
        return checks.sized({0: self.kind.value, 1: number, 3: code, 4: text}, "result")

    @classmethod
    def from_map(cls, m: Mapping[int, Any]) -> Self:
        code = checks.name(m.get(3), "refusal's code", CODE_MAX)
        return cls(checks.identifier(m.get(1)), code, checks.people_text(m.get(4), "refusal's text"))


@dataclass(frozen=True, slots=True)
class Post(Message):
    """A level to set; not answered."""

    kind: ClassVar[Kind] = Kind.POST
    name: str
    args: Mapping[str, Any]

    def values(self) -> tuple[Any, ...]:
        name = checks.name(self.name, "post's name", NAME_MAX)
        return name, opaque(self.args, f"post {name}")

    @classmethod
    def from_map(cls, m: Mapping[int, Any]) -> Self:
        return cls(checks.name(m.get(1), "post's name", NAME_MAX), opaque(m.get(2), "post"))


@dataclass(frozen=True, slots=True)
class Ping(Message):
    """Asks the device for a pong with this number."""

    kind: ClassVar[Kind] = Kind.PING
    number: int

    def values(self) -> tuple[Any, ...]:
        return (self.number,)

    @classmethod
    def from_map(cls, m: Mapping[int, Any]) -> Self:
        return cls(checks.integer(m.get(1), "number", 0, IDENTIFIER_MAX))


@dataclass(frozen=True, slots=True)
class Pong(Ping):
    """The answer to a ping, with its number."""

    kind: ClassVar[Kind] = Kind.PONG


@dataclass(frozen=True, slots=True)
class Status(Message):
    """The device's status, sent every second."""

    kind: ClassVar[Kind] = Kind.STATUS
    body: Mapping[str, Any]

    def values(self) -> tuple[Any, ...]:
        return (opaque(self.body, "status"),)

    @classmethod
    def from_map(cls, m: Mapping[int, Any]) -> Self:
        return cls(opaque(m.get(1), "status"))


@dataclass(frozen=True, slots=True)
class StateRead(Message):
    """Asks for the full state."""

    kind: ClassVar[Kind] = Kind.STATE_READ
    id: int

    def values(self) -> tuple[Any, ...]:
        return (self.id,)

    @classmethod
    def from_map(cls, m: Mapping[int, Any]) -> Self:
        return cls(checks.identifier(m.get(1)))


@dataclass(frozen=True, slots=True)
class State(Message):
    """The full state, as it is after every event sent before this message."""

    kind: ClassVar[Kind] = Kind.STATE
    id: int
    body: Mapping[str, Any]

    def values(self) -> tuple[Any, ...]:
        return self.id, opaque(self.body, "state")

    @classmethod
    def from_map(cls, m: Mapping[int, Any]) -> Self:
        return cls(checks.identifier(m.get(1)), opaque(m.get(2), "state"))


@dataclass(frozen=True, slots=True)
class Close(Message):
    """The sender ends the session. `reason` may be one that a later version knows."""

    kind: ClassVar[Kind] = Kind.CLOSE
    reason: int
    text: str

    def values(self) -> tuple[Any, ...]:
        return int(self.reason), checks.cut(self.text)

    @classmethod
    def from_map(cls, m: Mapping[int, Any]) -> Self:
        return cls(checks.integer(m.get(1), "reason", 1, IDENTIFIER_MAX), checks.people_text(m.get(2), "text"))


DeviceMessage = Hello | Event | Result | Refusal | Pong | Status | State | Close
HostMessage = Welcome | Ack | Command | Post | Ping | StateRead | Close

_FROM_DEVICE: Final[Mapping[int, Callable[[Mapping[int, Any]], DeviceMessage]]] = {
    cls.kind.value: cls.from_map for cls in (Hello, Event, Result, Pong, Status, State, Close)
}
_FROM_HOST: Final[Mapping[int, Callable[[Mapping[int, Any]], HostMessage]]] = {
    cls.kind.value: cls.from_map for cls in (Welcome, Ack, Command, Post, Ping, StateRead, Close)
}


_KEYS: Final[Mapping[int, int]] = {  # the keys of each message, key 0 included; any other key is ignored
    Kind.HELLO.value: 9,
    Kind.WELCOME.value: 3,
    Kind.EVENT.value: 4,
    Kind.ACK.value: 3,
    Kind.COMMAND.value: 4,
    Kind.RESULT.value: 3,
    Kind.POST.value: 3,
    Kind.PING.value: 2,
    Kind.PONG.value: 2,
    Kind.STATUS.value: 2,
    Kind.STATE_READ.value: 2,
    Kind.STATE.value: 3,
    Kind.CLOSE.value: 3,
}


def from_device(data: bytes) -> DeviceMessage:
    """The message a device sent. Raises MessageError."""
    m = decode_map(data)
    kind = m.get(0)
    parse = _FROM_DEVICE.get(kind) if type(kind) is int else None
    if parse is None:
        raise MessageError("the message's kind is none that a device sends")
    if len(m) > _KEYS[m[0]]:
        unread(m, _KEYS[m[0]])
    return parse(m)


def from_host(data: bytes) -> HostMessage:
    """The message a host sent. Raises MessageError."""
    m = decode_map(data)
    kind = m.get(0)
    parse = _FROM_HOST.get(kind) if type(kind) is int else None
    if parse is None:
        raise MessageError("the message's kind is none that a host sends")
    if len(m) > _KEYS[m[0]]:
        unread(m, _KEYS[m[0]])
    return parse(m)
