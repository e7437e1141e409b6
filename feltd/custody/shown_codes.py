"""Codes that a table shows on its own display: each is of one key, which no other key can have it for.

Sixty bits of the key's digest. Whoever reads such a code from a display can enrol nothing by it: the floor takes it
with its own key alone.
"""

import hashlib
from typing import Final

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from feltd.text.typed_codes import LETTERS, grouped, is_code

_LENGTH: Final = 12
_BITS: Final = 5
_ABOUT: Final = b"feltd: the code that a table shows\0"


def is_shown_code(code: str) -> bool:
    """Whether it has the form of a code that a table shows: those that the floor makes are shorter."""
    return is_code(code, _LENGTH)


def shown_code_of(key: ec.EllipticCurvePublicKey) -> str:
    """The code of a key: three groups of four, with dashes between."""
    public = key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    number = int.from_bytes(hashlib.sha256(_ABOUT + public).digest()[:8]) >> (64 - _LENGTH * _BITS)
    return grouped("".join(LETTERS[number >> place * _BITS & 31] for place in reversed(range(_LENGTH))))
