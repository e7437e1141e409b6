"""The JSON of a row, of which a forger may have written anything, and a row's fields as JSON."""

import json
from typing import Any, Final

from feltd.record.entries import FIELD_NAMES, Row

_BYTES: Final = frozenset({"rulebook", "boot_id", "sealed"})
_FLOATS: Final = frozenset({"t", "host", "wall"})


def parse(text: str | bytes) -> Any:
    """What a text of JSON says. Raises ValueError where it is none, or nested so deeply that no reader takes it."""
    try:
        return json.loads(text)
    except RecursionError:  # else one row with a thousand brackets would end what looks for forgeries
        raise ValueError("nested too deeply") from None


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
