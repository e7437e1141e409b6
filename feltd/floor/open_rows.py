"""What a row says openly. A table may write what it likes into its own record: what is none of a row is not read.

A row that is not read stays as its bytes, and the chain goes on over it.
"""

import json
import math
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, Final, TypeGuard

from feltd.record.entries import LARGEST_INTEGER, EntryKind, Row, decode

READ_MOST: Final = 256 * 1024
"""Bytes of a row that is read: what a table that plays writes has some thousand."""
DEPTH_MOST: Final = 32
"""Of lists and objects within each other: a snapshot has 4."""
NUMBER_MOST: Final = 2**31 - 1
NAME_MOST: Final = 200
TEXT_MOST: Final = 4000
"""Characters."""
SEAT_MOST: Final = 64
"""A table has ten seats; a newer one may have more."""
KEPT_MOST: Final = 8 * 1024
"""Characters of options or settings, as JSON."""
LATEST: Final = 253_402_300_799.0
"""The year 9999, in seconds since 1970."""
_KINDS: Final[Mapping[str, type]] = {
    "t": float, "host": float, "round": int, "rulebook": bytes, "answers": int, "device": str, "boot_id": bytes,
    "device_seq": int, "key": int, "sealed": bytes,
}  # fmt: skip
_MAY_LACK: Final[Mapping[str, type]] = dict.fromkeys((name for name in _KINDS if name != "host"), type(None))
_ENTRY_KINDS: Final = frozenset(EntryKind)
_SUSPECT: Final = re.compile(r"\\u|\d{16}|\d[eE]")
"""What texts, whole numbers and others must have that no row has; most rows have none of it, and are not walked."""


ROW_FAULTS: Final = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
"""What a row may raise that says what nobody thought of: one table's row would end the work for all."""


class RowUnreadError(ValueError):
    """A row says something that none says."""


def read(data: bytes) -> Row:
    """The row of these bytes. Raises RowUnreadError, also for a kind that a newer table writes."""
    if len(data) > READ_MOST:
        raise RowUnreadError("it is too long")
    try:
        row = decode(data)
    except ValueError as fault:
        raise RowUnreadError(str(fault)) from None
    if row.kind not in _ENTRY_KINDS:
        raise RowUnreadError("its kind is not known")
    wrong = _of_another_type(tuple(map(type, row)))
    if wrong is not None:
        raise RowUnreadError(f"its {wrong} is of another type")
    if not (row.t is None or math.isfinite(row.t)) or not math.isfinite(row.host) or not 0 <= row.wall <= LATEST:
        raise RowUnreadError("its time is none")
    return row


def read_rows(rows: Iterable[bytes]) -> list[Row | None]:
    """These rows, read once for all who want to know what they say; None for each that cannot be read."""
    return [_read_or_none(row) for row in rows]


def _read_or_none(data: bytes) -> Row | None:
    try:
        return read(data)
    except RowUnreadError:
        return None


@lru_cache(1024)
def _of_another_type(types: tuple[type, ...]) -> str | None:
    """The first field that is of another type than it has; None where each is its own. Rows have few such lists."""
    return next(
        (
            name
            for name, found in zip(Row._fields, types, strict=True)
            if name in _KINDS and found not in (_KINDS[name], _MAY_LACK.get(name))
        ),
        None,
    )


def body_of(row: Row) -> dict[str, Any]:
    """The body of a row. Raises RowUnreadError where it is not an object that every reader and database takes."""
    body = json_of(row.body)
    if not isinstance(body, dict):
        raise RowUnreadError("its body is no object")
    return body


def json_of(said: str) -> Any:
    """What a text of JSON says. Raises RowUnreadError where some reader or database would not take it."""
    try:
        value = _json_of(said)
    except (ValueError, RecursionError):
        raise RowUnreadError("it is no JSON") from None
    if _SUSPECT.search(said) or said.count("{") + said.count("[") > DEPTH_MOST:
        _require_plain(value, 1)
    return value


def _json_of(said: str) -> Any:
    """As the decoder, without its two looks for blanks around the text, which no row that a table writes has."""
    if said[:1] in ("{", "["):
        value, end = _DECODER.raw_decode(said)
        if end == len(said):
            return value
    return _DECODER.decode(said)


def text(body: Mapping[str, Any], name: str, most: int = NAME_MOST) -> str | None:
    """A text of a body; None for none. Raises RowUnreadError for anything else."""
    value = body.get(name)
    if value is not None and (not isinstance(value, str) or len(value) > most):
        raise RowUnreadError(f"{name} is no text, or too long")
    return value


def whole(body: Mapping[str, Any], name: str) -> int | None:
    """A whole number of a body; None for none. Raises RowUnreadError for anything else."""
    value = body.get(name)
    if value is not None and (type(value) is not int or abs(value) > NUMBER_MOST):
        raise RowUnreadError(f"{name} is no whole number of ordinary size")
    return value


def number(body: Mapping[str, Any], name: str) -> float | None:
    """A number of a body that is not negative; None for none. Raises RowUnreadError for anything else."""
    value = body.get(name)
    if value is None:
        return None
    if type(value) not in (int, float) or not 0 <= value <= NUMBER_MOST:
        raise RowUnreadError(f"{name} is no number of ordinary size")
    return float(value)


def truth(body: Mapping[str, Any], name: str) -> bool:
    """Whether something is said to be true. Raises RowUnreadError for what is neither true, false nor missing."""
    value = body.get(name)
    if value is not None and not isinstance(value, bool):
        raise RowUnreadError(f"{name} is neither true nor false")
    return value is True


def small(value: object) -> dict[str, Any]:
    """Options or settings, to be kept as they are. Raises RowUnreadError for what is none, or too much."""
    if not isinstance(value, dict) or len(json.dumps(value)) > KEPT_MOST:
        raise RowUnreadError("options or settings that are no object, or too long")
    return value


def is_seat(value: object) -> TypeGuard[int]:
    """Whether a value of a body is a seat's number."""
    return type(value) is int and 1 <= value <= SEAT_MOST


def seat_of(name: str) -> int | None:
    """The seat by whose number something is listed; None where it is none."""
    return int(name) if len(name) <= 2 and name.isascii() and name.isdecimal() and is_seat(int(name)) else None


def _no_number(said: str) -> Any:
    raise ValueError(f"{said} is no number of JSON")


_DECODER: Final = json.JSONDecoder(parse_constant=_no_number)


def _require_plain(value: Any, depth: int) -> None:
    """Raises RowUnreadError for what no database keeps, or no browser reads."""
    if isinstance(value, str):
        if "\0" in value or not _is_whole(value):
            raise RowUnreadError("a text that cannot be written down")
    elif isinstance(value, int):
        if abs(value) > LARGEST_INTEGER:
            raise RowUnreadError("a number that is too large")
    elif isinstance(value, float):
        if not math.isfinite(value):
            raise RowUnreadError("a number that is too large")
    elif isinstance(value, list | dict):
        if depth > DEPTH_MOST:
            raise RowUnreadError("it is too deep")
        for one in value if isinstance(value, list) else (*value, *value.values()):
            _require_plain(one, depth + 1)


def _is_whole(value: str) -> bool:
    try:
        value.encode()
    except UnicodeEncodeError:  # half of a character
        return False
    return True
