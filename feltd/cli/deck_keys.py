"""`feltd deck keys`: chips get keys of their own at a reader over PC/SC, one card after the other."""

import secrets
from collections.abc import Callable
from typing import Final

from devices.adapters.chip_keys import Given, give_key
from devices.adapters.chip_proof import ChipLostError
from devices.adapters.interface import PcscName
from devices.adapters.pcsc import NoReaderError, reader_by, why_of
from devices.adapters.pcsc_service import MISSING, Pcsc, PcscError, number_by, scard_or_none
from feltd.text.errors import FeltdError

_LOOK: Final = 0.5  # seconds
_OWN: Final = frozenset({Given.NEW, Given.BEFORE})
_TORN: Final = "went away before it was done: lay it down flat, and leave it until this says so"


class ReaderError(FeltdError):
    """The reader cannot be asked; the message has the remedy."""


def give_keys(wanted: PcscName, secret: bytes, cards: int, say: Callable[[str], None]) -> None:
    """Give so many different chips keys of their own, as they are laid on a reader. `say`: of each, without its number.

    Raises ReaderError.
    """
    scard = scard_or_none()
    if scard is None:
        raise ReaderError(MISSING)
    try:
        with Pcsc(scard) as service:
            _serve(service, reader_by(service, wanted), secret, cards, say)
    except NoReaderError as error:
        raise ReaderError(str(error)) from None
    except PcscError as error:
        raise ReaderError(why_of(error)[0]) from None


def _serve(service: Pcsc, reader: str, secret: bytes, cards: int, say: Callable[[str], None]) -> None:
    done: set[bytes] = set()
    seen = service.look(reader)
    while True:
        if seen is not None and seen.present:
            number, words = _one(service, reader, secret)
            done |= {number} if number is not None else set()
            say(f"{len(done)} of {cards}: the chip {words}")
            if len(done) >= cards:
                return
        before = seen
        while (now := service.look(reader, seen, _LOOK)) is None or (before and now.count == before.count):
            seen = now or seen  # nothing came or went: another program has asked the chip
        seen = now


def _one(service: Pcsc, reader: str, secret: bytes) -> tuple[bytes | None, str]:
    """The number of a chip that has its own key now, None where it has not; and what is said of it."""
    with service.chip(reader, alone=True) as asks:
        number = None if asks is None else number_by(asks)
        if asks is None or number is None:
            return None, _TORN
        try:
            given = give_key(asks, number, secret, secrets.token_bytes)
        except ChipLostError:
            return None, _TORN
    return (number if given in _OWN else None), given.value
