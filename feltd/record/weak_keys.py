"""Public keys of Ed25519 as files name them, and those under which anybody signs: the points of small order."""

from typing import Any, Final

_PRIME: Final = 2**255 - 19
_OF_ORDER_EIGHT: Final = int.from_bytes(
    bytes.fromhex("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"), "little"
)
_WEAK: Final = frozenset({0, 1, _PRIME - 1, _OF_ORDER_EIGHT, _PRIME - _OF_ORDER_EIGHT})


def is_weak(key: bytes) -> bool:
    """Whether this public key is one of the few under which anybody signs: 64 zeros are one."""
    return (int.from_bytes(key, "little") & (2**255 - 1)) % _PRIME in _WEAK


def parse_public_key(value: Any) -> bytes:
    """The floor's public key that a file names. Raises ValueError."""
    try:
        key = bytes.fromhex(value)
    except (TypeError, ValueError):
        key = b""
    if len(key) != 32 or is_weak(key):
        raise ValueError("must be the 64 hexadecimal digits that `feltd floor signing-key` prints")
    return key
