"""Codes that a table shows on its own display: each is of one key, which no other key can have it for.

Sixty bits of the key's digest. Whoever reads such a code from a display can enrol nothing by it: the floor takes it
with its own key alone.
"""

import hashlib
from typing import Final

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

LETTERS: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
"""Of all codes: without I, L, O and U, which people take for others."""
_READ_AS: Final = str.maketrans("OIL", "011", "- ")
_LENGTH: Final = 12
_GROUP: Final = 4
_BITS: Final = 5
_ABOUT: Final = b"feltd: the code that a table shows\0"


def bare(code: str) -> str:
    """A code as all ways to type it come out."""
    return code.upper().translate(_READ_AS)


def is_shown_code(code: str) -> bool:
    """Whether it has the form of a code that a table shows: those that the floor makes are shorter."""
    return len(bare(code)) == _LENGTH and set(bare(code)) <= set(LETTERS)


def shown_code_of(key: ec.EllipticCurvePublicKey) -> str:
    """The code of a key: three groups of four, with dashes between."""
    public = key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    number = int.from_bytes(hashlib.sha256(_ABOUT + public).digest()[:8]) >> (64 - _LENGTH * _BITS)
    code = "".join(LETTERS[number >> place * _BITS & 31] for place in reversed(range(_LENGTH)))
    return "-".join(code[at : at + _GROUP] for at in range(0, _LENGTH, _GROUP))
