"""Codes that people type from a display or from paper: their letters, and how each way to type one comes out."""

import secrets
from typing import Final

LETTERS: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
"""Of all codes: without I, L, O and U, which people take for others."""
FLOOR_LENGTH: Final = 10
"""Letters of a code that the floor makes for a table."""
_READ_AS: Final = str.maketrans("OIL", "011", "- ")
_GROUP: Final = 4


def bare(code: str) -> str:
    """A code as all ways to type it come out."""
    return code.upper().translate(_READ_AS)


def is_code(code: str, length: int) -> bool:
    """Whether it has the form of a code of so many letters, as somebody types it."""
    return len(bare(code)) == length and set(bare(code)) <= set(LETTERS)


def grouped(code: str) -> str:
    """A bare code in groups of four, with dashes between."""
    return "-".join(code[at : at + _GROUP] for at in range(0, len(code), _GROUP))


def random_letters(number: int) -> str:
    """So many letters by lot, each of five bits."""
    return "".join(secrets.choice(LETTERS) for _ in range(number))
