"""The values that messages are made of, and their limits (PROTOCOL.md, section 3).

Each function gives the value back, or raises a MessageError that names it.
"""

from collections.abc import Mapping
from typing import Any, Final

from firmware_bridge.encoding import encode
from firmware_bridge.errors import MessageError
from firmware_bridge.limits import BOOT_ID_SIZE, IDENTIFIER_MAX, MESSAGE_MAX, SEQUENCE_MAX, TEXT_MAX

VERSION_MAX: Final = 255


def integer(value: object, label: str, low: int, high: int) -> int:
    if type(value) is not int or not low <= value <= high:
        raise MessageError(f"{label} is no integer from {low} to {high}")
    return value


def name(value: object, label: str, high: int, low: int = 1) -> str:
    """Printable ASCII, bounded: safe in a log, in a fault's text and on the page."""
    if not isinstance(value, str) or not low <= len(value) <= high or not (value.isascii() and value.isprintable()):
        raise MessageError(f"{label} is no printable ASCII text of {low} to {high} characters")
    return value


def people_text(value: object, label: str) -> str:
    """A text for people: any UTF-8, at most 128 bytes; unprintable characters are replaced."""
    if not isinstance(value, str) or len(value.encode(errors="replace")) > TEXT_MAX:
        raise MessageError(f"{label} is no text of at most {TEXT_MAX} bytes")
    return value if value.isprintable() else "".join(c if c.isprintable() else "?" for c in value)


def octets(value: object, label: str, size: int) -> bytes:
    if not isinstance(value, bytes) or len(value) != size:
        raise MessageError(f"{label} is no string of {size} bytes")
    return value


def boot_id(value: object) -> bytes:
    return octets(value, "boot id", BOOT_ID_SIZE)


def sequence(value: object) -> int:
    return integer(value, "sequence", 1, SEQUENCE_MAX)


def name_of_event(value: object, label: str) -> tuple[bytes, int] | None:
    """A boot id and a sequence in an array, or None for null."""
    if value is None:
        return None
    if not isinstance(value, list) or len(value) != 2:
        raise MessageError(f"{label} is neither null nor an array of boot id and sequence")
    return boot_id(value[0]), sequence(value[1])


def identifier(value: object) -> int:
    return integer(value, "id", 1, IDENTIFIER_MAX)


def sized(value: Mapping[int, Any], label: str, limit: int = MESSAGE_MAX) -> bytes:
    """The CBOR of a message. Raises MessageError if it is too long."""
    data = encode(value)
    if len(data) > limit:
        raise MessageError(f"{label} has {len(data)} bytes, at most {limit} are allowed: send less at once")
    return data


def cut(text: str) -> str:
    """Return as much of a text as a message takes, without half a character."""
    return text.encode(errors="replace")[:TEXT_MAX].decode(errors="ignore")
