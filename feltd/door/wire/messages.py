"""The messages of the protocol, one a line: `{NAME: {FIELD: value, …}}`.

The page says `hello` and what it wants of the connection; the table answers `welcome`, or `refused` and the end. After
that the page asks, each `ask` with a number of its own, and the table answers each with a `reply` or a `fault` of that
number. Unasked it tells of changes and of the answers to each event.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, TypeAlias

from feltd.door.answers import NewAnswers
from feltd.door.wire.codec import from_json, parse, to_json
from feltd.door.wire.errors import OtherVersionError, WireError

VERSION: Final = 1
"""Of the protocol. It rises where an older side would misunderstand; a field added with a default leaves it."""
MOST_TO_TABLE: Final = 256 * 1024
"""Bytes of the longest line to the table."""
MOST_TO_FLOOR: Final = 4 * 1024 * 1024
"""Bytes of the longest line to the floor: the entries of a sheet, which are taken all or none."""
MOST_TO_PAGE: Final = 8 * 1024 * 1024
"""Bytes of the longest line to the page: a record's longest entry has some hundred thousand."""
MOST_HELLO: Final = 1024
"""Bytes of the first line, before anybody knows who speaks."""


class Purpose(StrEnum):
    """What a connection is for."""

    TABLE = "table"
    """The table: state, answers, commands."""
    RECORD = "record"
    """Its record, read."""
    COMMANDS = "commands"
    """What the floor has it do."""
    PIT = "pit"
    """Not a table at all: the floor, with all of its tables."""


@dataclass(frozen=True, slots=True)
class Hello:
    """The first line. `version`: of the protocol; `software`: for the log."""

    version: int
    purpose: Purpose
    software: str


@dataclass(frozen=True, slots=True)
class Welcome:
    """The connection stands. `name`: of the table, or of its record; `journal`: the record's identity, hexadecimal."""

    version: int
    name: str
    journal: str


@dataclass(frozen=True, slots=True)
class Refused:
    """The connection does not stand, and why.

    `out_of_order`: the table cannot start; `details`: in full, a line each, for the person at the board alone;
    `may_pass`: it can go away without a change of the table's file; `starting`: the table starts, and `why` says how
    far it is. `version`: the one that the table speaks, where the page speaks another.
    """

    why: str
    out_of_order: bool = False
    details: tuple[str, ...] = ()
    may_pass: bool = True
    starting: bool = False
    version: int = VERSION


@dataclass(frozen=True, slots=True)
class Ask:
    """A question or a command. `id`: the page's own number; `call`: its name; `what`: its values."""

    id: int
    call: str
    what: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer to the `ask` of this number."""

    id: int
    value: Any


@dataclass(frozen=True, slots=True)
class Fault:
    """The `ask` of this number is refused. `error`: which error it is; `parts`: what it is made of."""

    id: int
    error: str
    parts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Changed:
    """The state is no longer what it was."""


@dataclass(frozen=True, slots=True)
class Answers:
    """What the table has answered since the last such message."""

    new: NewAnswers


Message: TypeAlias = Hello | Welcome | Refused | Ask | Reply | Fault | Changed | Answers
_KINDS: Final[Mapping[str, type[Any]]] = {
    kind.__name__.lower(): kind for kind in (Hello, Welcome, Refused, Ask, Reply, Fault, Changed, Answers)
}
FROM_PAGE: Final = frozenset({Ask})
FROM_TABLE: Final = frozenset({Reply, Fault, Changed, Answers})


def line_of(message: Message) -> bytes:
    """The message as a line, its end included. Raises WireError where a value of it is no data."""
    return b'{"%s":%s}\n' % (type(message).__name__.lower().encode(), to_json(message))


def message_of(line: bytes, expected: frozenset[type[Any]], *, strict: bool = False) -> Any:
    """Return the message of a line, its end left off; one of `expected`.

    `strict`: unknown fields are refused. Raises WireError.
    """
    data = parse(line)
    if not isinstance(data, dict) or len(data) != 1:
        raise WireError('no message, which is {"NAME": {…}}')
    [(name, body)] = data.items()
    kind = _KINDS.get(name)
    if kind is None or kind not in expected:
        names = ", ".join(sorted(kind.__name__.lower() for kind in expected))
        raise WireError(f"no message that is expected now, which is {names}")
    return from_json(kind, body, name, strict=strict)


def hello_of(line: bytes) -> Hello:
    """The greeting of a line.

    Raises WireError for one that is none, OtherVersionError for another version of the protocol.
    """
    data = parse(line)
    body = data.get("hello") if isinstance(data, dict) else None
    said = body.get("version") if isinstance(body, dict) else None
    if isinstance(said, int) and not isinstance(said, bool) and said != VERSION:  # all else may differ with it
        raise OtherVersionError(
            f"the page speaks version {said} of the protocol, the table version {VERSION}",
            "hello",
            "restart the older of the two, so that both are of the installation that there is now",
        )
    hello: Hello = message_of(line, frozenset({Hello}))
    return hello
