"""Chips that prove themselves: an NTAG 424 DNA answers a challenge by an AES key that never leaves it.

The exchange is NXP's AuthenticateEV2First (data sheet NT4H2421Gx, 9.1.5; AN12196, 6.6). Each chip has a key of its own,
made of one secret and its number (AN10922, 2.2), so one chip's key opens no other. Pure: what a chip answers comes in
through `Asks`, chance through `Chance`.
"""

import hmac
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.cmac import CMAC

BLOCK: Final = 16
"""Bytes of a key, and of a block of AES."""
NUMBER_BYTES: Final = 7
"""Of such a chip's number."""
MAKERS_KEY: Final = bytes(BLOCK)
"""The key with which a chip leaves its maker: everybody knows it."""
OF_FELTD: Final = b"feltd card"
"""What a chip's key is made of besides the secret and the number, so that it is no key of another program's."""
_DIVERSIFIES: Final = b"\x01"  # AN10922: AES-128
_SHORTEST, _LONGEST = 16, 31  # bytes of an input of AN10922 that is two blocks with the constant before it

SELECT: Final = bytes.fromhex("00A4040007D276000085010100")
"""Select the chip's application by its name (ISO/IEC 7816-4)."""
_FIRST: Final = bytes.fromhex("9071000002")
_SECOND: Final = bytes.fromhex("90AF000020")
_CHANGE: Final = 0xC4
_DONE, _MORE, _SELECTED = b"\x91\x00", b"\x91\xaf", b"\x90\x00"
_DELAYS: Final = b"\x91\xad"
"""After fifty proofs in a row that failed a chip waits before it takes another one."""

Asks = Callable[[bytes], bytes | None]
"""Asks the chip: a command to its answer, status word and all; None where the chip is gone or its answer torn."""
Chance = Callable[[int], bytes]
"""So many bytes that nobody can know beforehand."""


class UnprovenError(Exception):
    """A chip does not prove itself: it has no such application, or not this key."""


class ChipLostError(Exception):
    """A chip went away during the exchange, or is not to be asked just now: nothing is proved and nothing failed."""


@dataclass(frozen=True, slots=True)
class Session:
    """What host and chip share once each has proved itself to the other.

    `counter`: commands since then.
    """

    transaction: bytes
    encryption: bytes = field(repr=False)
    authentication: bytes = field(repr=False)
    counter: int = 0


def key_of(secret: bytes, number: bytes) -> bytes:
    """The key of the chip with this number, of seven bytes."""
    return diversified(secret, number + OF_FELTD)


def diversified(secret: bytes, data: bytes) -> bytes:
    """A key of AES-128 made of a secret and 16 to 31 bytes (AN10922, 2.2)."""
    if not _SHORTEST <= len(data) <= _LONGEST:
        raise ValueError(f"{len(data)} bytes to make a key of: between {_SHORTEST} and {_LONGEST}")
    return _cmac(secret, _DIVERSIFIES + data)


def prove(asks: Asks, key: bytes, chance: Chance, number: int = 0) -> Session:
    """Have a chip prove that it has a key, and prove to it that the host has it. `number`: which of its keys.

    Raises UnprovenError, ChipLostError. A chip counts each failure: after a thousand it takes that key no more, so do
    not ask one again that has failed.
    """
    if _answer(asks, SELECT, _SELECTED):
        raise UnprovenError
    challenge = _answer(asks, _FIRST + bytes((number, 0, 0)), _MORE)
    if len(challenge) != BLOCK:
        raise UnprovenError
    theirs, ours = _opened(key, challenge), chance(BLOCK)
    said = _answer(asks, _SECOND + _closed(key, ours + _turned(theirs)) + b"\x00", _DONE)
    if len(said) != 2 * BLOCK:
        raise UnprovenError
    opened = _opened(key, said)
    if not hmac.compare_digest(opened[4 : 4 + BLOCK], _turned(ours)):
        raise UnprovenError
    mixed = bytes(one ^ other for one, other in zip(ours[2:8], theirs[:6], strict=True))
    context = ours[:2] + mixed + theirs[6:] + ours[8:]
    encryption, authentication = (
        _cmac(key, mark + b"\x00\x01\x00\x80" + context) for mark in (b"\xa5\x5a", b"\x5a\xa5")
    )
    return Session(opened[:4], encryption, authentication)


def change_key(session: Session, key: bytes, version: int = 1) -> bytes:
    """The command by which a chip takes a new key in the place of key 0, by which the session was begun.

    (Data sheet, 10.6.1; AN12196, 6.16.)
    """
    counted = session.counter.to_bytes(2, "little") + session.transaction
    start = _closed(session.encryption, b"\xa5\x5a" + session.transaction + counted[:2] + bytes(8))
    padded = (key + bytes((version,)) + b"\x80").ljust(2 * BLOCK, b"\x00")
    sealed = b"\x00" + _closed(session.encryption, padded, start)
    mark = _cmac(session.authentication, bytes((_CHANGE,)) + counted + sealed)[1::2]
    body = sealed + mark
    return bytes((0x90, _CHANGE, 0, 0, len(body))) + body + b"\x00"


def is_changed(answer: bytes | None) -> bool:
    """Whether a chip has taken a new key. Its session is over then. Raises ChipLostError where nobody knows."""
    if answer is None:
        raise ChipLostError
    return answer == _DONE


def _answer(asks: Asks, command: bytes, status: bytes) -> bytes:
    answer = asks(command)
    if answer is None or answer[-2:] == _DELAYS:
        raise ChipLostError
    if answer[-2:] != status:
        raise UnprovenError
    return answer[:-2]


def _turned(block: bytes) -> bytes:
    return block[1:] + block[:1]


def _cmac(key: bytes, data: bytes) -> bytes:
    made = CMAC(algorithms.AES(key))
    made.update(data)
    return made.finalize()


def _closed(key: bytes, data: bytes, start: bytes = bytes(BLOCK)) -> bytes:
    made = Cipher(algorithms.AES(key), modes.CBC(start)).encryptor()
    return made.update(data) + made.finalize()


def _opened(key: bytes, data: bytes) -> bytes:
    made = Cipher(algorithms.AES(key), modes.CBC(bytes(BLOCK))).decryptor()
    return made.update(data) + made.finalize()
