"""The lines of rfid-poker's wired client: one JSON object a line, of the types `boot`, `card` and `error`.

Written from its published description. Lines that begin with `#` are remarks for its developers.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from devices.adapters.chip_numbers import chip_number

LONGEST: Final = 512
"""Bytes of a line. The longest that the client's description shows has 140."""
WRONG_BITS_MOST: Final = 3
"""Of a line: so many may make one card another, so such a number must come twice."""
_SEQUENCE_MAX: Final = 2**32 - 1
_TEXT: Final = re.compile(r"[ -~]{1,64}")
_TIME: Final = re.compile(r"T\+[0-9]{1,10}")
_CHANNEL: Final = re.compile(r"channel ([0-9])\b")
_DIGITS: Final = frozenset("0123456789abcdef")
_NO_READER: Final = "rfid_init_failed"


class NoiseError(Exception):
    """A line that is no whole message: something was lost on the way."""


class WrongMessageError(Exception):
    """A whole message that the client never sends. Its text names message and key and quotes no value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Boot:
    """The device has started. `seq`: its messages are numbered from its start."""

    device: str
    seq: int
    firmware: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ChipSeen:
    """A chip lies at one of the device's antennas; the message does not say at which."""

    device: str
    seq: int
    number: bytes = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trouble:
    """The device is at fault. `channel`: of the reader chip that does not answer; None for any other trouble."""

    device: str
    seq: int
    channel: int | None


Message = Boot | ChipSeen | Trouble


def read_line(text: str) -> Message | None:
    """The message of a line; None for a remark. Raises NoiseError and WrongMessageError."""
    if text.startswith("#"):
        return None
    try:
        found = json.loads(text, object_pairs_hook=_once_each, parse_constant=_no_number)
    except (ValueError, RecursionError):
        raise NoiseError from None
    if not isinstance(found, dict):
        raise NoiseError
    return _message(found)


def _message(found: Mapping[str, Any]) -> Message:
    kind = found.get("type")
    if kind not in ("boot", "card", "error"):
        raise WrongMessageError("its type is none of boot, card and error")
    device = _text(found, kind, "device_id")
    if not _TIME.fullmatch(_text(found, kind, "ts")):
        raise WrongMessageError(f"{kind}: ts is not T+ and milliseconds")
    seq = found.get("seq")
    if type(seq) is not int or not 1 <= seq <= _SEQUENCE_MAX:
        raise WrongMessageError(f"{kind}: seq is no whole number from 1")
    if kind == "boot":
        return Boot(device=device, seq=seq, firmware=_text(found, kind, "fw_version")[:32])
    if kind == "card":
        number = chip_number(_text(found, kind, "card_uid"))
        if number is None:
            raise NoiseError
        return ChipSeen(device=device, seq=seq, number=number)
    code, words = _text(found, kind, "code"), found.get("message")
    if not isinstance(words, str):
        raise WrongMessageError("error: message is no text")
    channel = _CHANNEL.search(words) if code == _NO_READER else None
    return Trouble(device=device, seq=seq, channel=None if channel is None else int(channel[1]))


def _text(found: Mapping[str, Any], kind: str, key: str) -> str:
    value = found.get(key)
    if not isinstance(value, str) or not _TEXT.fullmatch(value):
        raise WrongMessageError(f"{kind}: {key} is no text of 1 to 64 characters")
    return value


def _once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Refuse a key that comes twice: two messages that lost what was between them look like that."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key comes twice")
    return found


def _no_number(_name: str) -> Any:
    raise ValueError("no number")
