"""The JSON of a row, of which a forger may have written anything, and a row's fields as JSON.

`docs/record.md` has what a body is: what one verifier reads and another does not would be judged in two ways.
"""

import json
import re
from typing import Any, Final

from feltd.record.entries import FIELD_NAMES, Row

_BYTES: Final = frozenset({"rulebook", "boot_id", "sealed"})
_FLOATS: Final = frozenset({"t", "host", "wall"})


DEEPEST: Final = 100
"""So many arrays and objects may stand within one another. A table writes a tenth."""
LONGEST_NUMBER: Final = 100
"""Characters of a number. A table writes some twenty."""
_STRING: Final = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"')
_MAY_BE_LONG: Final = re.compile(rf"[-+.0-9Ee]{{{LONGEST_NUMBER + 1}}}")
_HEXADECIMAL: Final = re.compile(r"(?:[0-9a-f]{2})*")


def parse(text: str | bytes) -> Any:
    """What a text of JSON says.

    Raises ValueError where it is none (NaN and Infinity are none), nested more deeply than `DEEPEST`, or has a number
    of more than `LONGEST_NUMBER` characters.
    """
    if isinstance(text, bytes):
        text = text.decode()
    try:
        said = _DECODER.decode(text)
    except RecursionError:  # else one row with a thousand brackets would end what looks for forgeries
        raise ValueError(_TOO_DEEP) from None
    if len(text) > DEEPEST:  # most bodies are shorter, and a record has millions
        _require_plain(text)
    return said


def body_fault(text: str) -> str | None:
    """Why a text is no body of an entry, in words; None for one that is."""
    try:
        said = parse(text)
    except ValueError as fault:
        return f"its body cannot be read: {fault}"
    return None if isinstance(said, dict) else "its body is no object"


def hexadecimal(value: object) -> bytes:
    """The bytes of a text in small hexadecimal digits. Raises ValueError for anything else, TypeError for no text.

    `bytes.fromhex` would take blanks and capitals too, which another verifier does not.
    """
    if not isinstance(value, str):
        raise TypeError("no hexadecimal text")
    if _HEXADECIMAL.fullmatch(value) is None:
        raise ValueError("not in small hexadecimal digits")
    return bytes.fromhex(value)


def _none(text: str) -> None:
    raise ValueError(f"{text} is no number")


_TOO_DEEP: Final = f"nested more than {DEEPEST} deep"
_DECODER: Final = json.JSONDecoder(parse_constant=_none)


def _require_plain(text: str) -> None:
    if _MAY_BE_LONG.search(text) and _MAY_BE_LONG.search(_STRING.sub("", text)):
        raise ValueError(f"a number of more than {LONGEST_NUMBER} characters")
    if text.count("[") + text.count("{") > DEEPEST and _depth(_STRING.sub("", text)) > DEEPEST:
        raise ValueError(_TOO_DEEP)


def _depth(bare: str) -> int:
    depth = deepest = 0
    for letter in bare:
        if letter in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif letter in "]}":
            depth -= 1
    return deepest


def fields_to_json(row: Row) -> dict[str, Any]:
    """The fields of a row that are not null: bytes in hexadecimal."""
    return {
        name: value.hex() if isinstance(value, bytes) else value
        for name, value in zip(FIELD_NAMES, row, strict=True)
        if value is not None
    }


def fields_from_json(fields: dict[str, Any]) -> Row:
    """The row of such fields. Raises ValueError, TypeError, AttributeError, OverflowError where they are no row's."""
    if not fields.keys() <= set(FIELD_NAMES):
        raise ValueError(f"unknown fields: {', '.join(sorted(fields.keys() - set(FIELD_NAMES)))}")
    values: list[Any] = []
    for name in FIELD_NAMES:
        value = fields.get(name)
        if value is not None and name in _BYTES:
            value = bytes.fromhex(value)
        elif value is not None and name in _FLOATS:
            value = float(value)
        values.append(value)
    return Row(*values)
