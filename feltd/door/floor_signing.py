"""What the floor signs for a table, and how the table looks at the signature: Ed25519 over one text.

The text names the table's journal, so what is signed for one table is nothing at another, nor at a table's next
record. Times are whole milliseconds of the floor's clock: both sides write the same digits.
"""

from collections.abc import Collection
from typing import Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

KEYS_MOST: Final = 2
"""Keys of the floor that a table knows at once: one, and the next while it is replaced."""
_COMMAND: Final = "feltd floor command 1"


def command_text(number: str, journal: bytes, made: int, until: float, order: str) -> bytes:
    """What is signed of a command. `number`: its id; `made`: when, in microseconds; `until`: seconds since 1970."""
    return "\n".join((_COMMAND, number, journal.hex(), str(made), str(round(until * 1000)), order)).encode()


def is_signed(text: bytes, signature: str, keys: Collection[bytes]) -> bool:
    """Whether one of these keys (32 bytes each) has signed `text`. `signature`: hexadecimal."""
    try:
        given = bytes.fromhex(signature)
    except ValueError:
        return False
    for key in keys:
        try:
            Ed25519PublicKey.from_public_bytes(key).verify(given, text)
        except (InvalidSignature, ValueError):
            continue
        return True
    return False
