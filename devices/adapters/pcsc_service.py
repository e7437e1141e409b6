"""PC/SC as pcscd serves it, over pyscard's `scard`: the only module that knows its functions and its codes.

Each call blocks its own thread alone, for as long as it is told to. What a card answers goes into no text.
"""

import importlib
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from devices.adapters.chip_numbers import chip_number
from devices.adapters.chip_proof import Asks

MISSING: Final = (
    "the Python package pyscard is not there, which asks readers of cards over PC/SC: apt install python3-pyscard "
    "pcscd, or in an environment of one's own pip install feltd[pcsc]"
)
GET_NUMBER: Final = bytes.fromhex("FFCA000000")
"""Get Data of PC/SC part 3, 3.2.2.1.3: the chip's number, as long as it is."""
_DONE: Final = b"\x90\x00"
_NEWS: Final = "\\\\?PnP?\\Notification"
_PLACE_ENDS: Final = re.compile(
    r" [0-9A-F]{2} [0-9A-F]{2}$"
)  # the reader's number and its slot's, by order of plugging
_ON_USB: Final = 0x0020
_COUNT: Final = 16  # of a state, the bits above: how often a card has come or gone
_NEVER_LONGER: Final = 1.0  # seconds


class PcscError(Exception):
    """PC/SC does not do what it is asked for."""


class ServiceGoneError(PcscError):
    """pcscd does not run, or went away."""


class ServiceRefusesError(PcscError):
    """pcscd does not let this user ask."""


class ReaderGoneError(PcscError):
    """The reader is not there any more."""


class ReaderTakenError(PcscError):
    """Another program has the reader or its card for itself."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What a reader says of itself.

    `present`: whether a chip is there. `mute`: it is there, and answers nothing. `count`: changes whenever one comes or
    goes. `raw`: for the next question.
    """

    present: bool
    mute: bool
    count: int
    raw: int


def scard_or_none() -> Any:
    """pyscard's functions; None where it is not installed, or does not fit this interpreter."""
    try:
        return importlib.import_module("smartcard.scard")
    except ImportError:
        return None


def base_of(reader: str) -> str:
    """A reader's name without the two numbers at its end, which it has by the order of plugging."""
    return _PLACE_ENDS.sub("", reader)


class Pcsc:
    """A conversation with pcscd; `with` ends it. Each method raises PcscError."""

    def __init__(self, scard: Any) -> None:
        """`scard`: pyscard's functions."""
        self._scard = scard
        self._faults: dict[int, Callable[[str], PcscError]] = {
            self._code(name): kind for kind, names in _CODES.items() for name in names
        }
        done, self._context = scard.SCardEstablishContext(scard.SCARD_SCOPE_USER)
        self._check(done)

    def __enter__(self) -> "Pcsc":
        return self

    def __exit__(self, *_reason: object) -> None:
        self._scard.SCardReleaseContext(self._context)

    def readers(self) -> tuple[str, ...]:
        """The names of the readers that are there."""
        done, names = self._scard.SCardListReaders(self._context, [])
        if _unsigned(done) == self._code("SCARD_E_NO_READERS_AVAILABLE"):
            return ()
        self._check(done)
        return tuple(names)

    def look(self, reader: str, before: Seen | None = None, seconds: float = 0.0) -> Seen | None:
        """What the reader says now; None where that has been `before` for all these seconds."""
        raw = 0 if before is None else before.raw
        wait = int(1000 * min(seconds, _NEVER_LONGER))
        done, states = self._scard.SCardGetStatusChange(self._context, wait, [(reader, raw)])
        if _unsigned(done) == self._code("SCARD_E_TIMEOUT"):
            return None
        self._check(done)
        state = _unsigned(states[0][1])
        gone = self._scard.SCARD_STATE_UNKNOWN | self._scard.SCARD_STATE_UNAVAILABLE | self._scard.SCARD_STATE_IGNORE
        if state & gone:
            raise ReaderGoneError
        present, mute = (bool(state & bit) for bit in (self._scard.SCARD_STATE_PRESENT, self._scard.SCARD_STATE_MUTE))
        return Seen(present, mute, state >> _COUNT, state & ~self._scard.SCARD_STATE_CHANGED)

    def number(self, reader: str) -> bytes | None:
        """The number of the chip at a reader; None where none was read whole: it went away, is torn, or tells none."""
        with self.chip(reader) as asks:
            return None if asks is None else number_by(asks)

    @contextmanager
    def chip(self, reader: str, *, alone: bool = False) -> Iterator[Asks | None]:
        """What asks the chip at a reader; None where none is there, or it speaks to nobody.

        `alone`: no other program asks it meanwhile, for an exchange of several commands.
        """
        shared, any_way = self._scard.SCARD_SHARE_SHARED, self._scard.SCARD_PROTOCOL_T0 | self._scard.SCARD_PROTOCOL_T1
        done, card, protocol = self._scard.SCardConnect(self._context, reader, shared, any_way)
        if not self._is_done(done):
            yield None
            return

        def asks(command: bytes) -> bytes | None:
            done, answer = self._scard.SCardTransmit(card, protocol, list(command))
            return bytes(answer) if self._is_done(done) else None

        try:
            there = not alone or self._is_done(self._scard.SCardBeginTransaction(card))
            yield asks if there else None
        finally:  # which ends a transaction too
            self._scard.SCardDisconnect(card, self._scard.SCARD_LEAVE_CARD)

    def usb_of(self, reader: str) -> tuple[int, int] | None:
        """The numbers of the bus and of the device that a reader is on USB; None where its driver does not say."""
        direct, nothing = self._scard.SCARD_SHARE_DIRECT, self._scard.SCARD_PROTOCOL_UNDEFINED
        done, card, _ = self._scard.SCardConnect(self._context, reader, direct, nothing)
        if not self._is_done(done):
            return None
        try:
            done, value = self._scard.SCardGetAttrib(card, self._scard.SCARD_ATTR_CHANNEL_ID)
        finally:
            self._scard.SCardDisconnect(card, self._scard.SCARD_LEAVE_CARD)
        if not self._is_done(done) or len(value) != 4 or int.from_bytes(bytes(value[2:]), "little") != _ON_USB:
            return None
        return value[1], value[0]

    def _is_done(self, done: int) -> bool:
        """Whether a call to a card did what was asked; raises where more than the card is away."""
        kind = self._faults.get(_unsigned(done))
        if kind is not None:
            raise kind(f"{_unsigned(done):#010x}")
        return done == 0

    def _check(self, done: int) -> None:
        if not self._is_done(done):
            raise PcscError(f"{_unsigned(done):#010x}")

    def _code(self, name: str) -> int:
        return _unsigned(getattr(self._scard, name))


def number_by(asks: Asks) -> bytes | None:
    """The number of a chip that can be asked; None where it was not told whole."""
    answer = asks(GET_NUMBER)
    return None if answer is None or answer[-2:] != _DONE else chip_number(answer[:-2].hex())


_CODES: Final[dict[Callable[[str], PcscError], tuple[str, ...]]] = {
    ServiceGoneError: (
        "SCARD_E_NO_SERVICE", "SCARD_E_SERVICE_STOPPED", "SCARD_E_INVALID_HANDLE", "SCARD_E_CANCELLED",
    ),
    ServiceRefusesError: ("SCARD_W_SECURITY_VIOLATION", "SCARD_E_NO_ACCESS"),
    ReaderGoneError: ("SCARD_E_UNKNOWN_READER", "SCARD_E_READER_UNAVAILABLE", "SCARD_E_NO_READERS_AVAILABLE"),
    ReaderTakenError: ("SCARD_E_SHARING_VIOLATION",),
}  # fmt: skip


def _unsigned(code: int) -> int:
    """A code without its sign: pyscard has had both."""
    return code & 0xFFFFFFFF
