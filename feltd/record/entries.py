"""A journal entry and the chain of entries, exactly enough for a stranger's verifier.

An entry is fifteen fields, in this order, stored one column each in the table `entries`:

| field | type | meaning |
| --- | --- | --- |
| `seq` | int | 1, 2, 3 …, without a gap |
| `kind` | text | `event` (taken in), `output` (answered), `host` (written by the host about itself) |
| `name` | text | the event's `ev`, the output's key, or one of `HostEntry` |
| `t` | float or null | table seconds, as the event or output carries it |
| `host` | float | host monotonic clock, seconds |
| `wall` | float | wall clock, seconds since 1970 UTC; a label, not for timing |
| `round` | int or null | the table's round number |
| `rulebook` | bytes or null | SHA-256 of the rulebook in force (32 bytes); null: see below |
| `answers` | int or null | of an output: the `seq` of the event it answers |
| `device` | text or null | of an event from a device: the device's name |
| `boot_id` | bytes or null | … the boot of the device |
| `device_seq` | int or null | … the device's own sequence number |
| `body` | text | the JSON object of the event or output; sealed fields are null in it |
| `key` | int or null | the `seq` of the `round.key` entry that sealed this one; of `round.end`: that it publishes |
| `sealed` | bytes or null | what is sealed: see `sealing`, and of a snapshot `short_keys` |

Where `rulebook` of an event or output is null, it is that of the last event that names one since the table was opened.
While the table is closed it is none.

Canonical encoding: the fields one after the other, each a tag byte and a value. `N`: null, no value. `I`: an integer,
8 bytes, two's complement, big-endian. `F`: a float, 8 bytes, IEEE 754 binary64, big-endian. `T`: text, and `B`: bytes:
the length in 4 bytes big-endian, then the bytes (text in UTF-8).

    digest(n) = SHA-256(encoding of entry n)
    chain(0)  = SHA-256("feltd journal 1" 0x00 journal_id)         journal_id: 16 bytes, table meta
    chain(n)  = SHA-256(chain(n - 1) digest(n))                    stored beside entry n in the column `chain`

The digest stands between so that a part of a journal can be proved against a later anchor with 32 bytes for each entry
in between, whose contents stay at home.
"""

import hashlib
import math
import struct
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, NamedTuple, TypeAlias, cast

FORMAT: Final = 2
"""The edition that is written. `feltd.record.sealing` and `short_keys` have what edition 2 changed."""
GENESIS: Final = b"feltd journal 1\0"
FIELD_NAMES: Final = (
    "seq", "kind", "name", "t", "host", "wall", "round", "rulebook", "answers", "device", "boot_id", "device_seq",
    "body", "key", "sealed",
)  # fmt: skip
LARGEST_INTEGER: Final = 2**63 - 1
"""SQLite's, and the encoding's."""

Field: TypeAlias = int | float | str | bytes | None
"""A value as a column holds it."""

_INTEGER: Final = struct.Struct(">cq")
_FLOAT: Final = struct.Struct(">cd")
_LENGTH: Final = struct.Struct(">cI")
_SIZE_AT: Final = struct.Struct(">I").unpack_from
_WHOLE_AT: Final = struct.Struct(">q").unpack_from
_REAL_AT: Final = struct.Struct(">d").unpack_from
_NULL, _WHOLE, _REAL, _TEXT, _BYTES = b"NIFTB"


class EntryKind(StrEnum):
    """The writer of an entry."""

    EVENT = "event"
    OUTPUT = "output"
    HOST = "host"


class HostEntry(StrEnum):
    """The names of the host's own entries."""

    SNAPSHOT = "snapshot"
    RESUME = "resume"
    ROUND_BEGIN = "round.begin"
    ROUND_KEY = "round.key"
    ROUND_END = "round.end"
    NOTE = "note"
    ACCESS = "access"
    """Who came in, who went out, who took a part of the record away: see `access`."""
    JUMP = "jump"
    """Events of a device that the record lacks, and who has accepted that: see `jumps`."""


class Seal(StrEnum):
    """The state of an entry's sealed part after reading."""

    NONE = "none"
    """Nothing in it was ever sealed."""
    CLOSED = "closed"
    """Sealed, and no key for it at hand or none asked for: its fields are null."""
    NEVER_SHOWN = "never shown"
    """Cards that their round did not show. The round is over and they stay sealed: its fields are null."""
    OPENED = "opened"
    BROKEN = "broken"
    """There is a key, and it does not open: the entry was changed, or the key is another's. Its fields are null."""


SHUT: Final = frozenset({Seal.CLOSED, Seal.NEVER_SHOWN, Seal.BROKEN})
"""What was sealed and was not opened."""


@dataclass(frozen=True, slots=True)
class Source:
    """The origin of a device event: the device's configured name, its boot, its own number."""

    device: str
    boot_id: bytes
    seq: int


class Row(NamedTuple):
    """An entry as it is stored and hashed: the fields of the table above."""

    seq: int
    kind: str
    name: str
    t: float | None
    host: float
    wall: float
    round: int | None
    rulebook: bytes | None
    answers: int | None
    device: str | None
    boot_id: bytes | None
    device_seq: int | None
    body: str
    key: int | None
    sealed: bytes | None


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry as it is read.

    `body`: with the sealed fields if `seal` is OPENED, else null for them. `sealed_to`: of NEVER_SHOWN, the fingerprint
    of the key pair that opens it; None where nobody can.
    """

    seq: int
    kind: str
    name: str
    t: float | None
    host_monotonic: float
    wall: float
    round: int | None
    rulebook_digest: str | None
    answers: int | None
    source: Source | None
    body: Any
    seal: Seal
    sealed_to: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """The entry as one JSON object; `sealed` only where a part stayed sealed."""
        out: dict[str, Any] = {
            "seq": self.seq, "kind": self.kind, "name": self.name, "t": self.t, "host": self.host_monotonic,
            "wall": self.wall, "round": self.round, "rulebook": self.rulebook_digest,
        }  # fmt: skip
        if self.answers is not None:
            out["answers"] = self.answers
        if self.source is not None:
            out["source"] = {
                "device": self.source.device, "boot_id": self.source.boot_id.hex(), "seq": self.source.seq,
            }  # fmt: skip
        out["body"] = self.body
        if self.seal in SHUT:
            out["sealed"] = self.seal.value
        if self.seal is Seal.NEVER_SHOWN:
            out["sealed_to"] = self.sealed_to
        return out


def encode(fields: tuple[Field, ...]) -> bytes:
    """The canonical encoding of an entry's fields (module docstring)."""
    parts: list[bytes] = []
    for value in fields:
        if value is None:
            parts.append(b"N")
        elif isinstance(value, str):
            data = value.encode()
            parts.append(_LENGTH.pack(b"T", len(data)) + data)
        elif isinstance(value, int):
            parts.append(_INTEGER.pack(b"I", value))
        elif isinstance(value, float):
            parts.append(_FLOAT.pack(b"F", value))
        else:
            parts.append(_LENGTH.pack(b"B", len(value)) + value)
    return b"".join(parts)


def decode(data: bytes) -> Row:
    """The row of these bytes, as `encode` made them. Raises ValueError for bytes that are no entry."""
    fields: list[Field] = []
    add, size_at, whole_at, real_at = fields.append, _SIZE_AT, _WHOLE_AT, _REAL_AT
    at, end = 0, len(data)
    try:
        while at < end:
            mark = data[at]
            at += 1
            if mark == _NULL:
                add(None)
            elif mark == _TEXT or mark == _BYTES:  # noqa: SIM109 - a tuple would be made for each field
                begin = at + 4
                at = begin + size_at(data, at)[0]
                if at > end:
                    raise ValueError("a field is cut off")
                part = data[begin:at]
                add(part.decode() if mark == _TEXT else part)
            elif mark == _WHOLE:
                add(whole_at(data, at)[0])
                at += 8
            elif mark == _REAL:
                add(real_at(data, at)[0])
                at += 8
            else:
                raise ValueError("a field of no kind")
    except struct.error as fault:
        raise ValueError(str(fault)) from None
    if len(fields) != len(FIELD_NAMES):
        raise ValueError(f"{len(fields)} fields")
    row = Row._make(cast(Any, fields))
    if not is_well_formed(row):
        raise ValueError("a field is of another type than it has")
    return row


def is_well_formed(row: Row) -> bool:
    """Whether the fields that are never null are of their types, and its clocks are finite.

    The columns of a file take other values too: an entry that has them is nobody's but a forger's.
    """
    values: tuple[Any, ...] = tuple(row)
    seq, kind, name, _, host, wall, _, _, _, _, _, _, body, _, _ = values
    if not isinstance(seq, int) or not isinstance(host, float) or not isinstance(wall, float):
        return False
    if not isinstance(kind, str) or not isinstance(name, str) or not isinstance(body, str):
        return False
    return math.isfinite(host) and math.isfinite(wall)


def digest(fields: tuple[Field, ...]) -> bytes:
    """SHA-256 of the canonical encoding, 32 bytes."""
    return hashlib.sha256(encode(fields)).digest()


def chain_start(journal_id: bytes) -> bytes:
    """chain(0), the 32 bytes that the first entry is chained to."""
    return hashlib.sha256(GENESIS + journal_id).digest()


def chain_next(before: bytes, entry_digest: bytes) -> bytes:
    """chain(n) from chain(n - 1) and digest(n), 32 bytes."""
    return hashlib.sha256(before + entry_digest).digest()
