"""Cards that are chips: a chip's number as a reader tells it, and who knows which card it is.

A number identifies a card as surely as its name does: it never goes into a text for people, a log or a fault.
"""

import re
from enum import Enum
from hashlib import sha256
from typing import Final, Protocol

from devices.limits import MARK_SIZE

SIZES: Final = (4, 7, 8, 10)
"""The bytes of a chip's number: eight in ISO/IEC 15693, the others in ISO/IEC 14443-3. Any other was not read whole."""
_VICINITY: Final = 8
_VICINITY_BEGINS: Final = 0xE0  # ISO/IEC 15693-3, 4.1
_PAIRS: Final = re.compile(r"[0-9A-Fa-f]{2}(?:[ :]?[0-9A-Fa-f]{2})*")
_CASCADE: Final = 0x88  # announces a longer number: alone it is the first part of one
_CHANGING: Final = 0x08


class PackFault(Enum):
    """Why a chip is no card of the pack in play. The words say what lies there, and the remedy."""

    UNKNOWN = "a chip that is in no pack of this table: take it away, or enrol its card"
    OTHER_PACK = "a card of another pack: take it away, and look whether two packs are mixed"
    RETIRED = "a card of a pack that was retired: take it away"
    CHANGING = "a chip whose number changes, as a phone or a bank card has it: take it away"


def sticker_mark(number: bytes) -> bytes:
    """What a reader says of the chip that is fixed to an antenna (MESSAGES.md, statuses).

    It tells whether a known number is the sticker's. Who has the mark alone can try numbers out: of four bytes one or a
    few have this mark, of seven millions. So the mark of a card goes into no text, as its number does not.
    """
    return sha256(b"feltd sticker" + number).digest()[:MARK_SIZE]


class Packs(Protocol):
    """The list of packs: which chip is which card."""

    def card_of(self, uid: bytes) -> str | PackFault:
        """The card's name as MESSAGES.md has it, or why the chip is none. Pure; never guesses."""
        ...

    def pack_of(self, uid: bytes) -> str | None:
        """The name of the pack in use that a chip is of, where several are in use; else None. Pure."""
        ...

    def has_near(self, number: bytes, bits: int) -> bool:
        """Whether another card of a pack in use has a number that so few `bits_apart`, or fewer, make of this. Pure."""
        ...

    def has_mark(self, mark: bytes) -> bool:
        """Whether a card of any pack has the `sticker_mark`. Pure."""
        ...


def card_in(packs: Packs, number: bytes) -> str | PackFault:
    """The card of a chip, or why it is none."""
    return PackFault.CHANGING if is_changing(number) else packs.card_of(number)


class ChipsAtHand(Protocol):
    """What the host knows of chips, for an adapter's thread. Each call may raise AdapterFault: no list can be read."""

    def laid(self) -> bool:
        """Whether cards are laid for a pack just now: then each chip that comes is told, whatever it is."""
        ...

    def stranger(self, number: bytes) -> PackFault | None:
        """Why a chip is no card in play; None where it is one, where no pack is enrolled, or while cards are laid."""
        ...

    def has_near(self, number: bytes, bits: int) -> bool:
        """Whether another card in play has a number that so many wrong bits, or fewer, make of this one as text.

        False where no pack is enrolled, and while cards are laid.
        """
        ...


class NoChips:
    """Nobody has enrolled a pack."""

    def laid(self) -> bool:
        """Never."""
        return False

    def stranger(self, number: bytes) -> PackFault | None:
        """None: no chip is known."""
        return None

    def has_near(self, number: bytes, bits: int) -> bool:
        """False: there is no card in play."""
        return False


def chip_number(text: str) -> bytes | None:
    """A chip's number from pairs of hexadecimal digits, with or without spaces or colons between them.

    None where it was not read whole: another length than `SIZES`, all its bytes the same, or the first part of a longer
    one.
    """
    if not _PAIRS.fullmatch(text):
        return None
    number = bytes.fromhex(text.replace(":", " "))
    cut = len(number) == SIZES[0] and number[0] == _CASCADE
    cut |= len(number) == _VICINITY and number[0] != _VICINITY_BEGINS
    return None if len(number) not in SIZES or len(set(number)) == 1 or cut else number


def bits_apart(one: bytes, other: bytes) -> int | None:
    """The fewest wrong bits that make one number the other where its digits go as text, small or large.

    None: their lengths differ.
    """
    if len(one) != len(other):
        return None
    return sum(_APART[pair] for pair in zip(one.hex(), other.hex(), strict=True))


def _digits_apart(one: str, other: str) -> int:
    written = [(a, b) for a in {one, one.upper()} for b in {other, other.upper()}]
    return min((ord(a) ^ ord(b)).bit_count() for a, b in written)


_DIGITS: Final = "0123456789abcdef"
_APART: Final = {(one, other): _digits_apart(one, other) for one in _DIGITS for other in _DIGITS}


def is_changing(number: bytes) -> bool:
    """Whether a chip makes a new number each time it is asked: a phone does."""
    return len(number) == SIZES[0] and number[0] == _CHANGING
