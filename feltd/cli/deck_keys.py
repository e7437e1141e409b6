"""`feltd deck keys` and `feltd deck stickers`: chips at a reader over PC/SC, one after the other."""

import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Final

from devices.adapters.chip_keys import Given, give_key
from devices.adapters.chip_numbers import is_changing
from devices.adapters.chip_proof import ChipLostError
from devices.adapters.interface import PcscName
from devices.adapters.pcsc import NoReaderError, reader_by, why_of
from devices.adapters.pcsc_service import MISSING, Pcsc, PcscError, number_by, scard_or_none
from feltd.cli.deck_stickers import Sticker
from feltd.text.errors import FeltdError

_LOOK: Final = 0.5  # seconds
_STICKER: Final = frozenset({4, 7})
"""Bytes of a sticker's number, as `settings.py` takes it."""
_OWN: Final = frozenset({Given.NEW, Given.BEFORE})
_TORN: Final = "went away before it was done: lay it down flat, and leave it until this says so"


class ReaderError(FeltdError):
    """The reader cannot be asked; the message has the remedy."""


def give_keys(wanted: PcscName, secret: bytes, cards: int, say: Callable[[str], None]) -> None:
    """Give so many different chips keys of their own, as they are laid on a reader. `say`: of each, without its number.

    Raises ReaderError.
    """
    done: set[bytes] = set()
    with _reader(wanted) as (service, reader):
        for _ in _laid(service, reader):
            number, words = _one(service, reader, secret)
            done |= {number} if number is not None else set()
            say(f"{len(done)} of {cards}: the chip {words}")
            if len(done) >= cards:
                return


def read_stickers(
    wanted: PcscName, zones: Sequence[str], is_card: Callable[[bytes], bool], say: Callable[[str], None]
) -> list[Sticker]:
    """The sticker of each zone, as they are laid on a reader in that order.

    `is_card`: whether a number is that of a card: a reader does not tell the number of its sticker, so that card would
    vanish over its antenna. `say`: which comes next, and what is wrong with one. Raises ReaderError.
    """
    found: dict[str, bytes] = {}
    say(f"lay the sticker of {zones[0]}")
    with _reader(wanted) as (service, reader):
        for _ in _laid(service, reader):
            number = service.number(reader)
            why = _no_sticker(number, found, is_card)
            if number is not None and why is None:
                found[zones[len(found)]] = number
                if len(found) == len(zones):
                    break
            say(f"{why or 'read'}: lay the sticker of {zones[len(found)]}")
    return [Sticker(zone, number) for zone, number in found.items()]


def _no_sticker(number: bytes | None, found: Mapping[str, bytes], is_card: Callable[[bytes], bool]) -> str | None:
    """Why a chip is no sticker of another antenna; None where it is."""
    if number is None:
        return "not read whole"
    before = next((zone for zone, other in found.items() if other == number), None)
    if before is not None:
        return f"that is the one of {before}"
    if is_changing(number) or len(number) not in _STICKER:
        return "that is no sticker of ISO/IEC 14443 A whose number stays"
    if is_card(number):
        return "that is a card of a pack: put it back, and take a sticker that is in no pack"
    return None


@contextmanager
def _reader(wanted: PcscName) -> Iterator[tuple[Pcsc, str]]:
    """The reader of that name. Raises ReaderError, also for what goes wrong within."""
    scard = scard_or_none()
    if scard is None:
        raise ReaderError(MISSING)
    try:
        with Pcsc(scard) as service:
            yield service, reader_by(service, wanted)
    except NoReaderError as error:
        raise ReaderError(str(error)) from None
    except PcscError as error:
        raise ReaderError(why_of(error)[0]) from None


def _laid(service: Pcsc, reader: str) -> Iterator[None]:
    """Go on each time that something is laid on the reader; what lies there at first counts."""
    seen = service.look(reader)
    while True:
        if seen is not None and seen.present:
            yield
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
