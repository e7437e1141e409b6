"""An NTAG 424 DNA at a reader over PC/SC, modelled from its data sheet (NT4H2421Gx, rev. 3.0): its proof by one key.

Written from the chip's side, with AES in blocks and CMAC from its definition (RFC 4493), so that it shares no step with
the host's code.
"""

from dataclasses import dataclass, field
from typing import Final

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

NAME: Final = bytes.fromhex("D2760000850101")
NUMBER_IN_CLEAR: Final = bytes.fromhex("FFCA000000")
DONE, MORE, ERROR = b"\x91\x00", b"\x91\xaf", b"\x91\xae"
NO_SUCH_FILE, NO_SUCH_COMMAND, SHUT, DELAY = b"\x6a\x82", b"\x91\x1c", b"\x91\x9d", b"\x91\xad"
DELAYS_AFTER: Final = 50
SHUTS_AFTER: Final = 1000


def block(key: bytes, data: bytes, *, back: bool = False) -> bytes:
    """One block of AES."""
    cipher = Cipher(algorithms.AES(key), modes.ECB())
    turns = cipher.decryptor() if back else cipher.encryptor()
    return turns.update(data) + turns.finalize()


def mixed(one: bytes, other: bytes) -> bytes:
    return bytes(a ^ b for a, b in zip(one, other, strict=True))


def chained(key: bytes, data: bytes, last: bytes = bytes(16)) -> bytes:
    out = b""
    for at in range(0, len(data), 16):
        last = block(key, mixed(data[at : at + 16], last))
        out += last
    return out


def unchained(key: bytes, data: bytes, last: bytes = bytes(16)) -> bytes:
    out = b""
    for at in range(0, len(data), 16):
        out += mixed(block(key, data[at : at + 16], back=True), last)
        last = data[at : at + 16]
    return out


def cmac(key: bytes, data: bytes) -> bytes:
    def doubled(number: int) -> int:
        return (number << 1 & (1 << 128) - 1) ^ (0x87 if number >> 127 else 0)

    first = doubled(int.from_bytes(block(key, bytes(16)), "big"))
    whole = len(data) % 16 == 0 and data != b""
    padded = data if whole else data + b"\x80" + bytes(-(len(data) + 1) % 16)
    end = (first if whole else doubled(first)).to_bytes(16, "big")
    return chained(key, padded[:-16] + mixed(padded[-16:], end))[-16:]


@dataclass
class DnaChip:
    """A chip. `key`: its key 0, the maker's at first. `failed`: what shuts it, `in_a_row`: what delays it.

    `torn`: commands that it answers from now on before it is out of the field; None: all.
    """

    number: bytes
    key: bytes = field(default=bytes(16), repr=False)
    failed: int = 0
    in_a_row: int = 0
    torn: int | None = None
    tried: int = 0
    _challenge: bytes | None = None
    _session: tuple[bytes, bytes, bytes] | None = None
    _selected: bool = False

    def answer(self, command: bytes) -> bytes | None:
        """What it says; None where it is out of the field."""
        if self.torn is not None:
            if self.torn == 0:
                return None
            self.torn -= 1
        if command == NUMBER_IN_CLEAR:
            return self.number + b"\x90\x00"
        if command[:4] == b"\x00\xa4\x04\x00":
            self._selected = command[5:-1] == NAME
            return b"\x90\x00" if self._selected else NO_SUCH_FILE
        challenge, self._challenge = self._challenge, None
        body = command[5:-1]
        if not self._selected or command[0] != 0x90 or command[4] != len(body):
            return NO_SUCH_COMMAND
        match command[1]:
            case 0x71 if body == b"\x00\x00":
                return self._begins()
            case 0xAF if challenge is not None and len(body) == 32:
                return self._ends(challenge, body)
            case 0xC4 if self._session is not None and len(body) == 41 and body[0] == 0:
                return self._changes(*self._session, body)
        return NO_SUCH_COMMAND

    def _begins(self) -> bytes:
        if self.failed >= SHUTS_AFTER:
            return SHUT
        if self.in_a_row >= DELAYS_AFTER:
            self.in_a_row -= 1  # each try spends a part of the delay
            return DELAY
        self.tried += 1
        self._challenge = bytes((self.tried + place) % 256 for place in range(16))
        return block(self.key, self._challenge) + MORE

    def _ends(self, mine: bytes, body: bytes) -> bytes:
        said = unchained(self.key, body)
        theirs, back = said[:16], said[16:]
        if back != mine[1:] + mine[:1]:
            self.failed, self.in_a_row = self.failed + 1, self.in_a_row + 1
            return ERROR
        self.failed, self.in_a_row = max(0, self.failed - 10), 0
        transaction = bytes((1, 2, 3, self.tried % 256))
        context = theirs[:2] + mixed(theirs[2:8], mine[:6]) + mine[6:] + theirs[8:]
        keys = [cmac(self.key, mark + b"\x00\x01\x00\x80" + context) for mark in (b"\xa5\x5a", b"\x5a\xa5")]
        self._session = transaction, keys[0], keys[1]
        return chained(self.key, transaction + theirs[1:] + theirs[:1] + bytes(12)) + DONE

    def _changes(self, transaction: bytes, encryption: bytes, authentication: bytes, body: bytes) -> bytes:
        self._session = None
        counted = b"\x00\x00" + transaction
        if cmac(authentication, b"\xc4" + counted + body[:33])[1::2] != body[33:]:
            return b"\x91\x1e"
        start = block(encryption, b"\xa5\x5a" + transaction + b"\x00\x00" + bytes(8))
        plain = unchained(encryption, body[1:33], start)
        if plain[17:] != b"\x80" + bytes(14):
            return b"\x91\x1e"
        self.key = plain[:16]
        return DONE
