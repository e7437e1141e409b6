"""The cards of a simulated table as chips: which number a card's chip has, and how a device tells it.

A model tells a number as a text, because what a device keeps is JSON; on its wire it is bytes. Every simulated table
has the same numbers: there is nothing to keep secret of them.
"""

import hashlib
from enum import StrEnum
from typing import Any, Final

_TOLD: Final = "chip:"
"""Begins a number in a model's messages. No card's name does."""
_MAKER: Final = b"\x04"
_SIZE: Final = 7


class Thing(StrEnum):
    """What a hand may lay on the felt at a table of chips that is no card of the game."""

    PHONE = "phone"
    STRANGE = "strange"
    HALF = "half"
    COPY = "copy"
    OTHER_PACK = "other_pack"
    NEW_PACK = "new_pack"


def chip_of(card: str, deck: str) -> str:
    """The number of a card's chip, as a model tells it."""
    return told(_MAKER + hashlib.sha256(f"{deck} {card}".encode()).digest()[: _SIZE - 1])


def told(number: bytes) -> str:
    """A number as a model tells it."""
    return _TOLD + number.hex()


def spoken(value: Any) -> Any:
    """A message's value as it goes over the wire: numbers in bytes, all else as it is."""
    match value:
        case str() if value.startswith(_TOLD):
            return bytes.fromhex(value.removeprefix(_TOLD))
        case dict():
            return {key: spoken(one) for key, one in value.items()}
        case list() | tuple():
            return [spoken(one) for one in value]
        case _:
            return value


def number_of(chip: str) -> bytes:
    """The number that a model tells so."""
    number = spoken(chip)
    assert isinstance(number, bytes)
    return number
