"""Frames on the wire (PROTOCOL.md, section 1): COBS between zero bytes, with a CRC-32 over type and body."""

from binascii import crc32

HANDSHAKE_REQUEST = 1
HANDSHAKE_ANSWER = 2
TRANSPORT = 3
REJECT = 4

FRAME_MAX = 2048  # bytes before COBS: type, body, checksum
ENCODED_MAX = 2057


def cobs_encode(data):
    """The same bytes without a zero among them."""
    out = bytearray(1)
    code_at = 0
    last = len(data) - 1
    for at, value in enumerate(data):
        if value:
            out.append(value)
        full = len(out) - code_at == 255
        if not value or (full and at != last):
            out[code_at] = len(out) - code_at
            code_at = len(out)
            out.append(0)
    out[code_at] = len(out) - code_at
    return out


def cobs_decode(data):
    """What was encoded, or None where the bytes are no COBS."""
    out = bytearray()
    at = 0
    while at < len(data):
        code = data[at]
        end = at + code
        if code == 0 or end > len(data):
            return None
        out += data[at + 1 : end]
        at = end
        if code < 255 and at < len(data):
            out.append(0)
    return out


def encode_frame(kind, body):
    """The bytes that go on the wire."""
    frame = bytearray((kind,))
    frame += body
    frame += (crc32(frame) & 0xFFFFFFFF).to_bytes(4, "little")
    return b"\0" + cobs_encode(frame) + b"\0"


class FrameReceiver:
    """Bytes in, frames out. `dropped` counts the runs that were no frame."""

    def __init__(self):
        self._run = bytearray(ENCODED_MAX)  # made once: a long run must not ask for memory
        self._length = 0
        self._overlong = False
        self.dropped = 0

    def feed(self, data):
        """The whole frames (type, body) that end in `data`, as a list."""
        found = []
        for value in data:
            if value:
                if self._length < ENCODED_MAX:
                    self._run[self._length] = value
                    self._length += 1
                else:
                    self._overlong = True
            elif self._length:
                frame = None if self._overlong else self._frame()
                self._length = 0
                self._overlong = False
                if frame is None:
                    self.dropped += 1
                else:
                    found.append(frame)
        return found

    def _frame(self):
        frame = cobs_decode(memoryview(self._run)[: self._length])
        if frame is None or len(frame) < 5 or len(frame) > FRAME_MAX:
            return None
        end = len(frame) - 4
        if crc32(memoryview(frame)[:end]) & 0xFFFFFFFF != int.from_bytes(frame[end:], "little"):
            return None
        if not HANDSHAKE_REQUEST <= frame[0] <= REJECT:
            return None
        return frame[0], bytes(frame[1:end])
