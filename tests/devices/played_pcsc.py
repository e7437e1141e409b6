"""PC/SC as pyscard's functions have it, without pcscd: readers, chips and faults that a test sets.

Codes and flags are PC/SC's own (winscard.h), so that one which is confused with another shows.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.devices.dna_chip import DnaChip

ACR = "ACS ACR122U PICC Interface"
NUMBER_OF = [0xFF, 0xCA, 0, 0, 0]


@dataclass
class PlayedReader:
    """A reader. `chip`: the number of what lies there; `answer`: what it says in place of that; `dna`: a chip that
    proves itself. `busy`: what a wish to have the chip alone is answered with.
    """

    chip: bytes | None = None
    answer: bytes | None = None
    dna: DnaChip | None = None
    busy: int = 0
    mute: bool = False
    count: int = 0
    taken: bool = False
    channel: bytes | None = None

    def put(self, chip: bytes | None) -> None:
        self.chip, self.dna, self.count = chip, None, self.count + 1

    def lay(self, dna: DnaChip) -> None:
        self.put(dna.number)
        self.dna = dna


@dataclass
class PlayedPcsc:
    """In place of the module `smartcard.scard`. `script`: what happens as the adapter waits; None: nothing."""

    readers: dict[str, PlayedReader] = field(default_factory=dict)
    script: list[Callable[[], Any] | None] = field(default_factory=list)
    passes: Callable[[float], None] = lambda _seconds: None
    dead: int = 0
    asked: int = 0
    released: int = 0

    SCARD_SCOPE_USER = 0
    SCARD_SHARE_SHARED, SCARD_SHARE_DIRECT = 2, 3
    SCARD_PROTOCOL_UNDEFINED, SCARD_PROTOCOL_T0, SCARD_PROTOCOL_T1 = 0, 1, 2
    SCARD_LEAVE_CARD = 0
    SCARD_STATE_IGNORE, SCARD_STATE_CHANGED, SCARD_STATE_UNKNOWN, SCARD_STATE_UNAVAILABLE = 1, 2, 4, 8
    SCARD_STATE_EMPTY, SCARD_STATE_PRESENT, SCARD_STATE_MUTE = 0x10, 0x20, 0x200
    SCARD_ATTR_CHANNEL_ID = 0x20110
    SCARD_E_CANCELLED = 0x80100002
    SCARD_E_INVALID_HANDLE = 0x80100003
    SCARD_E_UNKNOWN_READER = 0x80100009
    SCARD_E_TIMEOUT = 0x8010000A
    SCARD_E_SHARING_VIOLATION = 0x8010000B
    SCARD_E_NO_SMARTCARD = 0x8010000C
    SCARD_E_READER_UNAVAILABLE = 0x80100017
    SCARD_E_NO_SERVICE = 0x8010001D
    SCARD_E_SERVICE_STOPPED = 0x8010001E
    SCARD_E_UNSUPPORTED_FEATURE = 0x8010001F
    SCARD_E_NO_ACCESS = 0x80100027
    SCARD_E_NO_READERS_AVAILABLE = 0x8010002E
    SCARD_W_UNRESPONSIVE_CARD = 0x80100066
    SCARD_W_REMOVED_CARD = 0x80100069
    SCARD_W_SECURITY_VIOLATION = 0x8010006A

    def SCardEstablishContext(self, _scope: int) -> tuple[int, int]:  # noqa: N802
        return self.dead, 7

    def SCardReleaseContext(self, context: int) -> int:  # noqa: N802
        assert context == 7
        self.released += 1
        return self.dead

    def SCardListReaders(self, _context: int, _groups: list[str]) -> tuple[int, list[str]]:  # noqa: N802
        if self.dead:
            return self.dead, []
        return (0, list(self.readers)) if self.readers else (self.SCARD_E_NO_READERS_AVAILABLE, [])

    def SCardGetStatusChange(  # noqa: N802
        self, _context: int, milliseconds: int, states: Sequence[tuple[str, int]]
    ) -> tuple[int, list[tuple[str, int, list[int]]]]:
        [(name, before)] = states
        if self.dead:
            return self.dead, [(name, before, [])]
        if before == self._state(name):
            if self.script and milliseconds:
                happens = self.script.pop(0)
                if happens is not None:
                    happens()
            self.passes(milliseconds / 1000)
        if died := self.died():
            return died, [(name, before, [])]
        if before == self._state(name):
            return self.SCARD_E_TIMEOUT, [(name, before, [])]
        return 0, [(name, self._state(name) | self.SCARD_STATE_CHANGED, [])]

    def died(self) -> int:
        """What pcscd's death says, once the script has brought it about."""
        return self.dead

    def _state(self, name: str) -> int:
        if name not in self.readers:
            return self.SCARD_STATE_UNKNOWN
        reader = self.readers[name]
        flags = self.SCARD_STATE_EMPTY
        if reader.chip is not None or reader.answer is not None:
            flags = self.SCARD_STATE_PRESENT | (self.SCARD_STATE_MUTE if reader.mute else 0)
        return reader.count << 16 | flags

    def SCardConnect(self, _context: int, name: str, share: int, _protocols: int) -> tuple[int, int, int]:  # noqa: N802
        if self.dead or name not in self.readers:
            return self.dead or self.SCARD_E_UNKNOWN_READER, 0, 0
        reader = self.readers[name]
        if share == self.SCARD_SHARE_DIRECT:
            return 0, list(self.readers).index(name), 0
        if reader.taken:
            return self.SCARD_E_SHARING_VIOLATION, 0, 0
        if reader.mute:
            return self.SCARD_W_UNRESPONSIVE_CARD, 0, 0
        if reader.chip is None and reader.answer is None:
            return self.SCARD_E_NO_SMARTCARD, 0, 0
        return 0, list(self.readers).index(name), self.SCARD_PROTOCOL_T1

    def SCardTransmit(self, card: int, protocol: int, apdu: list[int]) -> tuple[int, list[int]]:  # noqa: N802
        reader = list(self.readers.values())[card]
        assert protocol == self.SCARD_PROTOCOL_T1
        self.asked += 1
        if reader.dna is not None:
            said = reader.dna.answer(bytes(apdu))
            return (self.SCARD_W_REMOVED_CARD, []) if said is None else (0, list(said))
        if apdu != NUMBER_OF:
            return 0, [0x6A, 0x82]  # a chip without an application of that name
        whole = (reader.chip or b"") + b"\x90\x00"
        return 0, list(whole if reader.answer is None else reader.answer)

    def SCardBeginTransaction(self, card: int) -> int:  # noqa: N802
        return list(self.readers.values())[card].busy

    def SCardDisconnect(self, _card: int, disposition: int) -> int:  # noqa: N802
        assert disposition == self.SCARD_LEAVE_CARD
        return 0

    def SCardGetAttrib(self, card: int, attribute: int) -> tuple[int, list[int]]:  # noqa: N802
        assert attribute == self.SCARD_ATTR_CHANNEL_ID
        channel = list(self.readers.values())[card].channel
        return (self.SCARD_E_UNSUPPORTED_FEATURE, []) if channel is None else (0, list(channel))
