"""NXP PN532 over I2C, as a finder of cards: its own list names one card, which it then silences, and so on.

What takes time is a generator. It yields the microseconds until it wants to go on. The bus has `write(address, data)`,
`read(address, count)`, both of which raise OSError where nobody acknowledges; `now()`, microseconds that may wrap, and
`passed(since)`. Commands and registers are named as in NXP's manual.
"""

ADDRESS = 0x24
_ACK = b"\x00\x00\xff\x00\xff\x00"
_TO_CHIP, _TO_HOST = 0xD4, 0xD5
_GET_FIRMWARE_VERSION, _WRITE_REGISTER, _SET_PARAMETERS, _SAM_CONFIGURATION = 0x02, 0x08, 0x12, 0x14
_RF_CONFIGURATION, _IN_COMMUNICATE_THRU, _IN_DESELECT, _IN_LIST_PASSIVE_TARGET = 0x32, 0x42, 0x44, 0x4A
_SET_UP = (
    (_SAM_CONFIGURATION, b"\x01\x14\x01"),
    (_SET_PARAMETERS, b"\x04"),  # a card's number is all that is asked: no RATS, which a telephone answers to
    (_RF_CONFIGURATION, b"\x02\x00\x0b\x05"),  # InCommunicateThru waits 1.6 ms
    (_RF_CONFIGURATION, b"\x05\xff\x01\x01"),  # a list tries once more: for ever is what the chip does by itself
)
_REQA = b"\x26"
# CIU_TxMode, CIU_RxMode: 106 kbit/s without a checksum; CIU_BitFraming: seven bits
_SHORT_FRAME = b"\x63\x02\x00\x63\x03\x00\x63\x3d\x07"
_TIMEOUT, _STATUS = 0x01, 0x3F
_ACK_WITHIN, _ANSWER_WITHIN, _POLL = 5000, 60000, 300  # microseconds
_ANSWER_MAX = 30  # bytes: a list of one card of ten bytes, and what stands around it
_FIELD_SETTLES = 5000  # ISO/IEC 14443-3: until a card must answer
_TORN_MAX = 6
_CARDS_MAX = 60
_CASCADE_TAG, _RANDOM_NUMBER = 0x88, 0x08


class Pn532:
    """One chip and its coil."""

    def __init__(self, bus):
        self._bus = bus
        self._works = False

    def scan(self, sticker=None):
        """One look at the zone: the generator's value is a Scan.

        `sticker`: the number of the card that is fixed to the antenna. Who speaks to the chip before it has ended must
        end it with `close`.
        """
        found = Scan(sticker)
        try:
            if not self._works:
                yield from self._start()
            yield from self._call(_RF_CONFIGURATION, b"\x01\x01")
            yield _FIELD_SETTLES
            yield from self._find_all(found)
            yield from self._call(_RF_CONFIGURATION, b"\x01\x00")
        except OSError:
            self._works = False
            self._give_up()
            found.trouble = "chip"
        return found

    def _find_all(self, found):
        while found.torn <= _TORN_MAX and len(found.cards) < _CARDS_MAX:
            answer = yield from self._call(_IN_LIST_PASSIVE_TARGET, b"\x01\x00")
            number = _number(answer)
            if number is not None:
                found.keep(number)
                yield from self._call(_IN_DESELECT, b"\x01")
            elif (yield from self._somebody_answers()):
                found.torn += 1
            else:
                found.trouble = "antenna" if found.sticker is not None else None
                return
        found.trouble = "tangled"

    def _somebody_answers(self):
        """Whether cards lie there that the list did not name: they collide so that the chip finds none, or are torn.

        One that was lost on the way lets a first call pass.
        """
        yield from self._call(_WRITE_REGISTER, _SHORT_FRAME)
        for _ in range(2):
            answer = yield from self._call(_IN_COMMUNICATE_THRU, _REQA)
            if not answer or answer[0] & _STATUS != _TIMEOUT:
                return True
        return False

    def _start(self):
        version = yield from self._call(_GET_FIRMWARE_VERSION)
        if len(version) != 4 or version[0] != 0x32:
            raise OSError("no PN532")
        for command, data in _SET_UP:
            yield from self._call(command, data)
        self._works = True

    def _give_up(self):
        """It forgets the command that it is in the midst of."""
        try:  # noqa: SIM105 - MicroPython has no contextlib
            self._bus.write(ADDRESS, _ACK)
        except OSError:
            pass

    def _call(self, command, data=b""):
        """A command and the data of its answer; raises OSError where the chip is silent or answers nonsense."""
        body = bytes((_TO_CHIP, command)) + data
        head = bytes((0x00, 0x00, 0xFF, len(body), 0x100 - len(body)))
        self._bus.write(ADDRESS, head + body + bytes((-sum(body) & 0xFF, 0x00)))
        acknowledged = yield from self._receive(len(_ACK), _ACK_WITHIN)
        if acknowledged[1:] != _ACK:
            raise OSError("no acknowledgement")
        return _data((yield from self._receive(_ANSWER_MAX, _ANSWER_WITHIN)), command)

    def _receive(self, count, limit):
        """A frame of so many bytes, behind the byte that says ready."""
        begun = self._bus.now()
        while True:
            try:
                if self._bus.read(ADDRESS, 1)[0] & 1:
                    return self._bus.read(ADDRESS, 1 + count)
            except OSError:
                pass  # just after a command or its acknowledgement the chip does not answer to its address
            if self._bus.passed(begun) > limit:
                raise OSError("silent")
            yield _POLL


class Scan:
    """What one look at a zone has found. `trouble`: why that is not all, as a word of MESSAGES.md, or None."""

    def __init__(self, sticker=None, trouble=None):
        self.sticker = sticker  # None: there is none, or it was seen
        self.trouble = trouble
        self.cards = []
        self.torn = 0
        self.strangers = 0
        self._seen_sticker = None

    def keep(self, number):
        """A card was named. One that comes twice has not heard that it should be silent: it must not hold us up."""
        if number == self.sticker:
            self.sticker, self._seen_sticker = None, number
        elif number in self.cards or number == self._seen_sticker or (len(number) == 4 and number[0] == _CASCADE_TAG):
            self.torn += 1
        elif len(number) == 10 or (len(number) == 4 and number[0] == _RANDOM_NUMBER):
            self.strangers += 1
            self.torn += self.strangers > _TORN_MAX  # a telephone throws a new number each time
        else:
            self.cards.append(number)


def _data(said, command):
    """The data of an answer to this command, from a frame behind the byte that says ready."""
    at = said.find(b"\x00\xff", 1) + 2
    length = said[at] if 2 < at < len(said) - 1 else 0
    if length < 2 or (length + said[at + 1]) & 0xFF or at + 2 + length >= len(said):
        raise OSError("no answer")
    body = said[at + 2 : at + 2 + length]
    if (sum(body) + said[at + 2 + length]) & 0xFF or body[0] != _TO_HOST or body[1] != command + 1:
        raise OSError("no answer")
    return body[2:]


def _number(answer):
    """The number in a list of one target; None: the list is empty."""
    if answer == b"\x00":
        return None
    if len(answer) < 6 or answer[0] != 1 or answer[5] not in (4, 7, 10) or len(answer) < 6 + answer[5]:
        raise OSError("no list of one card")
    return bytes(answer[6 : 6 + answer[5]])
