"""The messages within a session (PROTOCOL.md, section 3): a frozen dataclass for each kind, checked both ways.

`from_device` and `from_host` parse what arrives; a kind that has no place from that side is an error like any other.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, ClassVar, Final, Self

from firmware_bridge import checks
from firmware_bridge.checks import VERSION_MAX
from firmware_bridge.encoding import decode_map, encode, opaque, unread
from firmware_bridge.errors import MessageError
from firmware_bridge.limits import (
    CODE_MAX,
    COMMANDS_IN_FLIGHT_MAX,
    FIRMWARE_MAX,
    IDENTIFIER_MAX,
    NAME_MAX,
    ROLE_MAX,
    SERIAL_MAX,
    WINDOW_MAX,
)


class Kind(IntEnum):
    """Key 0 of each message."""

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


@dataclass(frozen=True, slots=True)
class Hello:
    """The device's identity, as the payload of its handshake answer."""

    kind: ClassVar[Kind] = Kind.HELLO
    role: str
    serial: str
    firmware: str
    version_min: int
    version_max: int
    boot_id: bytes
    persistent: bool
    commands: int

    def to_bytes(self) -> bytes:
        fields = (self.role, self.serial, self.firmware, self.version_min, self.version_max)
        rest = (self.boot_id, self.persistent, self.commands)
        return checks.sized({0: self.kind.value, **dict(enumerate((*fields, *rest), 1))}, "hello")

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
class Welcome:
    """The host's answer to hello.

    It has the number of events that may be in flight, and the last event that the host holds for good.
    """

    kind: ClassVar[Kind] = Kind.WELCOME
    window: int
    resume: tuple[bytes, int] | None

    def to_bytes(self) -> bytes:
        return checks.sized(
            {0: self.kind.value, 1: self.window, 2: list(self.resume) if self.resume else None}, "welcome"
        )

    @classmethod
    def from_map(cls, m: Mapping[int, Any]) -> Self:
        if 2 not in m:
            raise MessageError("the resume point is missing")
        point = m[2]
        window = checks.integer(m.get(1), "window", 1, WINDOW_MAX)
        if point is None:
            return cls(window, None)
        if not isinstance(point, list) or len(point) != 2:
            raise MessageError("the resume point is neither null nor an array of boot id and sequence")
        return cls(window, (checks.boot_id(point[0]), checks.sequence(point[1])))


@dataclass(frozen=True, slots=True)
class Event:
    """An event of the device. `boot_id` and `seq` name it for ever."""

    kind: ClassVar[Kind] = Kind.EVENT
    boot_id: bytes
    seq: int
    body: Mapping[str, Any]

    def to_bytes(self) -> bytes:
        body = opaque(self.body, "event")
        return checks.sized({0: self.kind.value, 1: self.boot_id, 2: self.seq, 3: body}, "event")

    @classmethod
    def from_map(cls, m: Mapping[int, Any]) -> Self:
        return cls(checks.boot_id(m.get(1)), checks.sequence(m.get(2)), opaque(m.get(3), "event"))


@dataclass(frozen=True, slots=True)
class Ack:
    """The host holds every event up to this one."""

    kind: ClassVar[Kind] = Kind.ACK
    boot_id: bytes
    seq: int

    def to_bytes(self) -> bytes:
        return encode({0: self.kind.value, 1: self.boot_id, 2: self.seq})

    @classmethod
    def from_map(cls, m: Mapping[int, Any]) -> Self:
        return cls(checks.boot_id(m.get(1)), checks.sequence(m.get(2)))


@dataclass(frozen=True, slots=True)
class Command:
    """An order that is answered with a result or a refusal."""

    kind: ClassVar[Kind] = Kind.COMMAND
    id: int
    name: str
    args: Mapping[str, Any]

    def to_bytes(self) -> bytes:
        name = checks.name(self.name, "command's name", NAME_MAX)
        return checks.sized(
            {0: self.kind.value, 1: self.id, 2: name, 3: opaque(self.args, f"command {name}")}, "command"
        )

    @classmethod
    def from_map(cls, m: Mapping[int, Any]) -> Self:
        return cls(
            checks.identifier(m.get(1)),
            checks.name(m.get(2), "command's name", NAME_MAX),
            opaque(m.get(3), "arguments"),
        )


@dataclass(frozen=True, slots=True)
class Result:
    """The result of a command that was carried out."""

    kind: ClassVar[Kind] = Kind.RESULT
    id: int
    value: Mapping[str, Any]

    def to_bytes(self) -> bytes:
        return checks.sized({0: self.kind.value, 1: self.id, 2: opaque(self.value, "result")}, "result")

    @classmethod
    def from_map(cls, m: Mapping[int, Any]) -> "Result | Refusal":
        if 2 not in m:
            return Refusal.from_map(m)
        return cls(checks.identifier(m.get(1)), opaque(m[2], "result"))


@dataclass(frozen=True, slots=True)
class Refusal:
    """A command was refused. On the wire a `result` with a code in the place of its value."""

    kind: ClassVar[Kind] = Kind.RESULT
    id: int
    code: str
    text: str

    def to_bytes(self) -> bytes:
        code = checks.name(self.code, "refusal's code", CODE_MAX)
        return checks.sized(
            {0: self.kind.value, 1: self.id, 3: code, 4: checks.people_text(self.text, "refusal's text")}, "result"
        )

    @classmethod
    def from_map(cls, m: Mapping[int, Any]) -> Self:
        code = checks.name(m.get(3), "refusal's code", CODE_MAX)
        return cls(checks.identifier(m.get(1)), code, checks.people_text(m.get(4), "refusal's text"))


@dataclass(frozen=True, slots=True)
class Post:
    """A level to set; not answered."""

    kind: ClassVar[Kind] = Kind.POST
    name: str
    args: Mapping[str, Any]

    def to_bytes(self) -> bytes:
        name = checks.name(self.name, "post's name", NAME_MAX)
        return checks.sized({0: self.kind.value, 1: name, 2: opaque(self.args, f"post {name}")}, "post")

    @classmethod
    def from_map(cls, m: Mapping[int, Any]) -> Self:
        return cls(checks.name(m.get(1), "post's name", NAME_MAX), opaque(m.get(2), "post"))


@dataclass(frozen=True, slots=True)
class Ping:
    """Asks the device for a pong with this number."""

    kind: ClassVar[Kind] = Kind.PING
    number: int

    def to_bytes(self) -> bytes:
        return encode({0: self.kind.value, 1: self.number})

    @classmethod
    def from_map(cls, m: Mapping[int, Any]) -> Self:
        return cls(checks.integer(m.get(1), "number", 0, IDENTIFIER_MAX))


@dataclass(frozen=True, slots=True)
class Pong(Ping):
    """The answer to a ping, with its number."""

    kind: ClassVar[Kind] = Kind.PONG


@dataclass(frozen=True, slots=True)
class Status:
    """The device's status, sent every second."""

    kind: ClassVar[Kind] = Kind.STATUS
    body: Mapping[str, Any]

    def to_bytes(self) -> bytes:
        return checks.sized({0: self.kind.value, 1: opaque(self.body, "status")}, "status")

    @classmethod
    def from_map(cls, m: Mapping[int, Any]) -> Self:
        return cls(opaque(m.get(1), "status"))


@dataclass(frozen=True, slots=True)
class StateRead:
    """Asks for the full state."""

    kind: ClassVar[Kind] = Kind.STATE_READ
    id: int

    def to_bytes(self) -> bytes:
        return encode({0: self.kind.value, 1: self.id})

    @classmethod
    def from_map(cls, m: Mapping[int, Any]) -> Self:
        return cls(checks.identifier(m.get(1)))


@dataclass(frozen=True, slots=True)
class State:
    """The full state, as it is after every event sent before this message."""

    kind: ClassVar[Kind] = Kind.STATE
    id: int
    body: Mapping[str, Any]

    def to_bytes(self) -> bytes:
        return checks.sized({0: self.kind.value, 1: self.id, 2: opaque(self.body, "state")}, "state")

    @classmethod
    def from_map(cls, m: Mapping[int, Any]) -> Self:
        return cls(checks.identifier(m.get(1)), opaque(m.get(2), "state"))


@dataclass(frozen=True, slots=True)
class Close:
    """The sender ends the session. `reason` may be one that a later version knows."""

    kind: ClassVar[Kind] = Kind.CLOSE
    reason: int
    text: str

    def to_bytes(self) -> bytes:
        return checks.sized({0: self.kind.value, 1: int(self.reason), 2: checks.cut(self.text)}, "close")

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
