"""Wire v1 between a table's uplink and the floor: binary messages of a WebSocket.

    message  = flag (1 byte: 0 plain, 1 deflated with zlib), then:
    content  = length of the head (4 bytes, big-endian), head, rows
    head     = JSON in UTF-8: {NAME: {FIELD: value, …}}; bytes are hexadecimal
    rows     = of `rows` alone: each behind its length in 4 bytes, big-endian (`feltd.custody.rows`)

The table says `hello` and the floor answers `stand`, its head of that journal, or `refused` and the end. To each `rows`
the floor answers `stand`, to each `beat` it answers `time`. To a table that said that it obeys
it sends a `command` at any time; the table says `answer`. One `rows` is under way at a time. Fields are only added: a
field that is not known is passed over. A message that is not known ends the connection.

A machine without a certificate may say `enrol`, once and nothing else; the floor answers `certified` or `refused`, and
ends the connection. To a floor whose `stand` said that it renews, a table may say `renew` at any time: `certified`.
"""

import json
import math
import struct
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields
from enum import StrEnum
from typing import Any, Final, TypeAlias, get_type_hints

from feltd.custody.errors import CustodyRefusedError, CustodyWireError
from feltd.custody.rows import DIGEST_BYTES, JOURNAL_BYTES, UNPACKED_MOST, deflated, inflated, joined, parted
from feltd.record.entries import LARGEST_INTEGER

VERSION: Final = 1
"""Of the wire. It rises where an older side would misunderstand; a field added with a default leaves it."""
SUBPROTOCOL: Final = "feltd.custody"
MESSAGE_MOST: Final = 8 * 1024 * 1024
"""Bytes of the longest message as it travels."""
HEAD_MOST: Final = 64 * 1024
TEXT_MOST: Final = 1000
"""Characters of a text."""
HEADS_MOST: Final = 100
"""Lines of signed heads in one message."""
_DEFLATE_FROM: Final = 512
_PLAIN: Final = 0
_DEFLATED: Final = 1
_LENGTH: Final = struct.Struct(">I")
_REMEDY: Final = "Report it as a fault: the other side is no feltd, or one that this one does not understand"


@dataclass(frozen=True, slots=True)
class Hello:
    """The table's first message.

    `version`: of the wire; `journal`: its identity, 16 bytes; `format`: the journal's edition; `software`: for the log;
    `obeys`: it takes a `command` at any time, and says `answer`. `heard`: the last `stand` of this journal that it was
    told on an earlier connection, 0 where it remembers none: what it sends follows from the answer alone.
    """

    version: int
    journal: bytes
    format: int
    software: str
    obeys: bool = False
    heard: int = 0


@dataclass(frozen=True, slots=True)
class Rows:
    """Entries of the journal, from number `first` on.

    `before`: the chain before the first; `chain`: behind the last, as the journal has it. `head`: the journal's last
    entry; `heard`: the last `stand` that the table was told on this connection, before it looked at its journal.
    """

    first: int
    before: bytes
    chain: bytes
    head: int
    heard: int
    rows: tuple[bytes, ...] = ()


@dataclass(frozen=True, slots=True)
class Beat:
    """A sign of life. `wall`: the table's clock, seconds since 1970; `head`: its journal's last entry.

    `room`: bytes that are free on the disk of its journal; null where it does not say.
    `offset`: seconds by which the floor's clock is ahead of the table's, `within`: give or take so many; null before
    the first `time`. `heads`: lines of the journal's file of signed heads from its byte `heads_at` on
    (`feltd.record.signed_heads`), of entries that the floor has; only to a floor that said how many it has.
    """

    wall: float
    head: int
    offset: float | None = None
    within: float | None = None
    heads_at: int = 0
    heads: tuple[str, ...] = ()
    room: int | None = None


@dataclass(frozen=True, slots=True)
class Stand:
    """The floor's own head of the journal. `forked`: there are two of this journal, and nothing more is added.

    `signed`: the bytes that it has of the file of signed heads; null from a floor that takes none. `renews`: in the
    answer to `hello`, that this floor makes a table a new certificate.
    """

    seq: int
    chain: bytes
    forked: bool = False
    signed: int | None = None
    renews: bool = False


@dataclass(frozen=True, slots=True)
class Time:
    """The answer to a `beat`. It has the floor's head too: a floor put back is noticed while nothing is played.

    `wall`: the beat's; `floor`: the floor's clock, seconds since 1970. `receipt`: the floor's signature over `seq`,
    `chain` and `receipt_at`, its clock in milliseconds (`feltd.record.receipts`), hexadecimal; empty from a floor that
    gives none. The others: as `stand` has them.
    """

    wall: float
    floor: float
    seq: int
    chain: bytes
    forked: bool = False
    signed: int | None = None
    receipt: str = ""
    receipt_at: int = 0

    @property
    def stand(self) -> Stand:
        """The floor's head."""
        return Stand(self.seq, self.chain, self.forked, self.signed)


@dataclass(frozen=True, slots=True)
class Refused:
    """The connection ends: what is wrong, where, and the remedy. `again`: it is worth another attempt by itself."""

    what: str
    place: str
    remedy: str
    again: bool = False


@dataclass(frozen=True, slots=True)
class Command:
    """What a person at the floor has decided for this table; it comes unasked, and may come again under its id.

    `id`: 32 hexadecimal digits; `until`: the floor's clock, after which it is too late; `order`: JSON of
    `feltd.door.obeying.Order`: the person and the decision, or a tournament's event and why. `made`: microseconds of
    the floor's clock, later for each command; `signature`: of the floor's own key (`feltd.door.floor_signing`),
    hexadecimal; empty from a floor that signs nothing.
    """

    id: str
    until: float
    order: str
    made: int = 0
    signature: str = ""


class Result(StrEnum):
    """What became of a command."""

    DONE = "done"
    REFUSED = "refused"
    """Nothing was done, and `words` say why."""
    NOT_KNOWN = "not known"
    """The table has not answered. Its journal settles it."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What became of the command of this id. `entry`: its last one in the journal; the floor does not answer it."""

    command: str
    result: str
    entry: int
    words: str


@dataclass(frozen=True, slots=True)
class Enrol:
    """A new table's only message. `version`: of the wire; `code`: as it was typed.

    `request`: its certificate signing request (PKCS #10, DER, base64), signed with the key that it has made.
    """

    version: int
    code: str
    request: str


@dataclass(frozen=True, slots=True)
class Renew:
    """The table wants a new certificate for the key of the one that it has shown."""


@dataclass(frozen=True, slots=True)
class Certified:
    """The table's new certificate, DER in base64."""

    certificate: str


Up: TypeAlias = Hello | Rows | Beat | Answer | Enrol | Renew
Down: TypeAlias = Stand | Time | Refused | Command | Certified
FROM_TABLE: Final[Mapping[str, type[Any]]] = {
    kind.__name__.lower(): kind for kind in (Hello, Rows, Beat, Answer, Renew)
}
FROM_NEW_TABLE: Final[Mapping[str, type[Any]]] = {"enrol": Enrol}
"""What a machine without a certificate may say."""
FROM_FLOOR: Final[Mapping[str, type[Any]]] = {
    kind.__name__.lower(): kind for kind in (Stand, Time, Refused, Command, Certified)
}
_LONGER: Final = {"order": 8 * 1024, "request": 4 * 1024, "certificate": 4 * 1024}
"""Characters of texts that may be longer than `TEXT_MOST`."""
_LENGTHS: Final = {"journal": JOURNAL_BYTES, "before": DIGEST_BYTES, "chain": DIGEST_BYTES}


def to_bytes(message: Up | Down) -> bytes:
    """The message as it travels."""
    body = {field.name: _plain(getattr(message, field.name)) for field in _FIELDS[type(message)]}
    head = _ENCODER.encode({type(message).__name__.lower(): body}).encode()
    rows = joined(message.rows) if isinstance(message, Rows) else b""
    content = _LENGTH.pack(len(head)) + head + rows
    if len(content) < _DEFLATE_FROM:
        return bytes((_PLAIN,)) + content
    return bytes((_DEFLATED,)) + deflated(content)


def from_bytes(data: bytes, expected: Mapping[str, type[Any]]) -> Any:
    """The message of these bytes, one of `expected`.

    Raises CustodyWireError, and CustodyRefusedError for another version of the wire.
    """
    if not data or len(data) > MESSAGE_MOST or data[0] not in (_PLAIN, _DEFLATED):
        raise _no_message("it is empty, too long, or neither plain nor deflated")
    content = data[1:] if data[0] == _PLAIN else inflated(data[1:], HEAD_MOST + UNPACKED_MOST)
    if len(content) < _LENGTH.size:
        raise _no_message("it has no head")
    size = _LENGTH.unpack_from(content)[0]
    if size > min(HEAD_MOST, len(content) - _LENGTH.size):
        raise _no_message("its head is longer than it may be, or than the message")
    end = _LENGTH.size + size
    try:
        head = _DECODER.decode(content[_LENGTH.size : end].decode())
    except (ValueError, RecursionError) as fault:
        raise _no_message(f"its head is no JSON ({fault})") from None
    if not isinstance(head, dict) or len(head) != 1:
        raise _no_message("its head is no {NAME: {…}}")
    [(name, body)] = head.items()
    kind = expected.get(name)
    if kind is None or not isinstance(body, dict):
        raise _no_message(f"expected now is {', '.join(sorted(expected))}")
    if kind in (Hello, Enrol):
        require_version(body.get("version"))
    rest = content[end:]
    if rest and kind is not Rows:
        raise _no_message(f"bytes come behind a {name}")
    return _read(kind, name, body, {"rows": parted(rest)} if kind is Rows else {})


def require_version(said: object) -> None:
    """Raises CustodyRefusedError for a version of the wire that this side does not speak."""
    if type(said) is int and said != VERSION:
        raise CustodyRefusedError(
            f"the table speaks version {said} of the wire, the floor version {VERSION}",
            "hello",
            "Bring the older of the two to the newer one's version: the floor first",
        )


Said = Callable[[Any, str], Any]
"""What JSON says, as the message has it. It is given where that stands, and raises CustodyWireError."""


@dataclass(frozen=True, slots=True)
class _Field:
    """A field in the head of a message. `where`: for people."""

    name: str
    where: str
    said: Said
    may_lack: bool


def _read(kind: type[Any], name: str, body: Mapping[str, Any], values: dict[str, Any]) -> Any:
    for field in _FIELDS[kind]:
        if field.name in body:
            values[field.name] = field.said(body[field.name], field.where)
        elif not field.may_lack:
            raise _no_message(f"{name} lacks {field.name}")
    return kind(**values)


def _number(data: Any, where: str) -> float:
    if isinstance(data, bool) or not isinstance(data, int | float) or not math.isfinite(_float(data)):
        raise _no_message(f"{where} must be a number of ordinary size")
    return float(data)


def _whole(data: Any, where: str) -> int:
    if type(data) is not int:
        raise _no_message(f"{where} must be int")
    if not 0 <= data <= LARGEST_INTEGER:
        raise _no_message(f"{where} must be from 0 to {LARGEST_INTEGER}")
    return data


def _truth(data: Any, where: str) -> bool:
    if type(data) is not bool:
        raise _no_message(f"{where} must be bool")
    return data


def _bytes_of(length: int) -> Said:
    def said(data: Any, where: str) -> bytes:
        if not isinstance(data, str) or len(data) != 2 * length:
            raise _no_message(f"{where} must be {length} bytes, hexadecimal")
        try:
            return bytes.fromhex(data)
        except ValueError:
            raise _no_message(f"{where} must be hexadecimal") from None

    return said


def _text_of(most: int) -> Said:
    def said(data: Any, where: str) -> str:
        if type(data) is not str:
            raise _no_message(f"{where} must be str")
        if len(data) > most or not data.isprintable():
            raise _no_message(f"{where} must be printable, of at most {most} characters")
        return data

    return said


def _texts(data: Any, where: str) -> tuple[str, ...]:
    if not isinstance(data, list) or len(data) > HEADS_MOST:
        raise _no_message(f"{where} must be a list of at most {HEADS_MOST}")
    return tuple(_TEXT(one, where) for one in data)


def _or_null(said: Said) -> Said:
    return lambda data, where: None if data is None else said(data, where)


def _said(hint: Any, field: str) -> Said:
    """How a field of this type is read."""
    if hint is bytes:
        return _bytes_of(_LENGTHS[field])
    return _text_of(_LONGER.get(field, TEXT_MOST)) if hint is str else _SAID[hint]


def _fields_of(kind: type[Any]) -> tuple[_Field, ...]:
    hints, name = get_type_hints(kind), kind.__name__.lower()
    return tuple(
        _Field(one.name, f"{name}.{one.name}", _said(hints[one.name], one.name), one.default is not MISSING)
        for one in fields(kind)
        if one.name != "rows"  # they stand behind the head
    )


def _float(data: int | float) -> float:
    try:
        return float(data)
    except OverflowError:
        return math.inf


def _plain(value: Any) -> Any:
    return value.hex() if isinstance(value, bytes) else value


def _no_number(text: str) -> Any:
    raise ValueError(f"{text} is no number of JSON")


def _no_message(why: str) -> CustodyWireError:
    return CustodyWireError(f"no message of the wire: {why}", "message", _REMEDY)


_ENCODER: Final = json.JSONEncoder(separators=(",", ":"), allow_nan=False)
_DECODER: Final = json.JSONDecoder(parse_constant=_no_number)
_TEXT: Final = _text_of(TEXT_MOST)
_SAID: Final[Mapping[Any, Said]] = {
    float: _number, int: _whole, bool: _truth, tuple[str, ...]: _texts,
    float | None: _or_null(_number), int | None: _or_null(_whole),
}  # fmt: skip
_FIELDS: Final[Mapping[type[Any], tuple[_Field, ...]]] = {
    kind: _fields_of(kind) for kind in (*FROM_TABLE.values(), Enrol, *FROM_FLOOR.values())
}
