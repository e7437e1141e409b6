"""CBOR as the protocol allows it (PROTOCOL.md, section 3).

Bounded, plain values only, nothing after the map.
"""

import io
import math
from collections.abc import Mapping
from typing import Any, Final, NoReturn

import cbor2

from firmware_bridge.errors import MessageError
from firmware_bridge.limits import DEPTH_MAX, INTEGER_MAX, INTEGER_MIN, NAME_MAX


def _refuse_tag(*_arguments: object) -> NoReturn:
    raise MessageError("a CBOR tag: tags are not allowed")


class _EveryTag(dict[int, Any]):
    """Answers for every tag, so that none of the library's own decoders (dates, big numbers, references) ever runs."""

    def __getitem__(self, _tag: int) -> Any:
        return _refuse_tag


_EVERY_TAG: Final = _EveryTag()


def decode_map(data: bytes) -> dict[int, Any]:
    """The one CBOR map with integer keys in `data`. Raises MessageError for anything else.

    Values are of the allowed types except that integers, floats and simple values are not yet checked: `opaque` does,
    and `unread`.
    """
    stream = io.BytesIO(data)
    value = _decoded(_decoder(stream, DEPTH_MAX))
    if stream.tell() != len(data):
        raise MessageError(f"{len(data) - stream.tell()} bytes follow the CBOR map: send one map a message")
    if type(value) is not dict:
        raise MessageError("the message is no CBOR map")
    for key in value:
        if type(key) is not int:
            raise MessageError("a key of the message's map is no integer")
    return value


def decode_items(data: bytes) -> list[Any]:
    """The CBOR items in `data`, one behind the other. Raises MessageError for anything else.

    Values are checked as those of `decode_map`.
    """
    stream = io.BytesIO(data)
    decoder = _decoder(stream, DEPTH_MAX - 1)  # an item counts as the second level
    items = []
    while stream.tell() != len(data):
        items.append(_decoded(decoder))
    return items


def _decoder(stream: io.BytesIO, depth: int) -> cbor2.CBORDecoder:
    """What reads one value after the other, with containers within containers to this depth."""
    return cbor2.CBORDecoder(
        stream,
        semantic_decoders=_EVERY_TAG,
        tag_hook=_refuse_tag,
        max_depth=depth - 1,  # the library does not count the outermost
        allow_indefinite=False,
        allow_duplicate_keys=False,
    )


def _decoded(decoder: cbor2.CBORDecoder) -> Any:
    try:
        return decoder.decode()
    except (cbor2.CBORDecodeError, MessageError, ValueError, TypeError, OverflowError, RecursionError) as error:
        raise MessageError(f"no CBOR as the protocol allows it: {error}") from error


def encode(value: object) -> bytes:
    """CBOR of a checked value. Raises MessageError for a type that CBOR does not have."""
    try:
        return cbor2.dumps(value)
    except (cbor2.CBOREncodeError, ValueError, TypeError) as error:
        raise MessageError(f"cannot be said in CBOR: {error}") from error


def opaque(value: object, label: str) -> dict[str, Any]:
    """Return `value` if it is a map of text keys and plain values, not too deep.

    Raises MessageError with `label` for any other value.
    """
    if not isinstance(value, dict):
        raise MessageError(f"{label} is no map")
    _check_map(value, label, 2)  # the message's own map is the first
    return value


def unread(m: Mapping[int, Any], known: int) -> None:
    """Check the values of keys that this version does not know (not 0 … known - 1).

    Raises MessageError for a value that may not travel.
    """
    for key, value in m.items():
        if not 0 <= key < known:
            _check(key, "a key", 1)
            unread_value(value)


def unread_value(value: object) -> None:
    """Check a value that this version does not know. Raises MessageError if it may not travel."""
    _check_unread(value, 2)


def _check_unread(value: object, depth: int) -> None:
    """As `_check`, but a map may have integer keys: a later version may use them."""
    label = "an unknown key"
    if isinstance(value, dict):
        _check_depth(label, depth)
        for key, item in value.items():
            if type(key) is not int and type(key) is not str:
                raise MessageError(f"{label} holds a map with a key that is neither integer nor text")
            _check(key, label, depth)
            _check_unread(item, depth + 1)
    elif isinstance(value, list):
        _check_depth(label, depth)
        for item in value:
            _check_unread(item, depth + 1)
    else:
        _check(value, label, depth)


def _check(value: object, label: str, depth: int) -> None:
    """Check one value of an opaque map and all values within it."""
    if value is None or isinstance(value, str | bytes | bool):
        return
    if isinstance(value, int):
        if not INTEGER_MIN <= value <= INTEGER_MAX:
            raise MessageError(f"{label} holds an integer beyond 64 bits")
    elif isinstance(value, float):
        if not math.isfinite(value):
            raise MessageError(f"{label} holds a number that is not finite")
    elif isinstance(value, dict):
        _check_map(value, label, depth)
    elif isinstance(value, list | tuple):
        _check_depth(label, depth)
        for item in value:
            _check(item, label, depth + 1)
    else:
        raise MessageError(f"{label} holds a {type(value).__name__}: only plain values may travel")


def _check_map(value: dict[Any, Any], label: str, depth: int) -> None:
    _check_depth(label, depth)
    for key, item in value.items():
        if (
            type(key) is not str
            or not 0 < len(key) <= NAME_MAX
            or not (key.isascii() or len(key.encode(errors="replace")) <= NAME_MAX)
        ):
            raise MessageError(f"{label} has a key that is no text of 1 to {NAME_MAX} bytes")
        if type(item) is not str:  # the commonest by far, on the way from a card to its lamp
            _check(item, label, depth + 1)


def _check_depth(label: str, depth: int) -> None:
    if depth > DEPTH_MAX:
        raise MessageError(f"{label} nests deeper than {DEPTH_MAX}")
