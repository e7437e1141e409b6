"""What a row says openly. A kind of entry that nobody here knows says nothing."""

import json
from typing import Any

from feltd.record.entries import Row, decode


def read(data: bytes) -> Row | None:
    """The row of these bytes; None for a kind that a newer table writes."""
    try:
        return decode(data)
    except ValueError:
        return None


def body_of(row: Row) -> dict[str, Any]:
    """The body of a row; empty where it is none that is known."""
    try:
        body = json.loads(row.body)
    except (ValueError, RecursionError):
        return {}
    return body if isinstance(body, dict) else {}
