"""Frames on the wire (PROTOCOL.md, section 1): COBS between zero bytes, with a CRC-32 over type and body."""

from binascii import crc32

HANDSHAKE_REQUEST = 1
HANDSHAKE_ANSWER = 2
TRANSPORT = 3
REJECT = 4

FRAME_MAX = 2048  # bytes before COBS: type, body, checksum
ENCODED_MAX = 2057
FRAME_OVERHEAD = 5  # type and checksum


def put_cobs(out, at, pieces):
    """Put the pieces into `out` from `at`, as one and without a zero among their bytes. Returns their end."""
    left = 0
    for piece in pieces:
        left += len(piece)
    code_at = at
    at += 1
    for piece in pieces:
        for value in piece:
            left -= 1
            if value:
                out[at] = value
                at += 1
            if not value or (at - code_at == 255 and left):
                out[code_at] = at - code_at
                code_at = at
                at += 1
    out[code_at] = at - code_at
    return at


def cobs_decode(run, length):
    """Undo COBS where it lies: of the first `length` bytes, which it may change. How many are left; None: no COBS."""
    at = 0
    done = 0
    while at < length:
        code = run[at]
        end = at + code
        if code == 0 or end > length:
            return None
        for source in range(at + 1, end):
            run[done] = run[source]
            done += 1
        at = end
        if code < 255 and at < length:
            run[done] = 0
            done += 1
    return done


def put_frame(out, at, kind, body):
    """Put a frame into `out` from `at`, as it goes on the wire. Returns its end; None: there may be no room for it.

    Nothing is made on the way that is as long as the frame: in a heap in pieces there might be no place for it.
    """
    size = len(body) + FRAME_OVERHEAD
    if at + size + size // 254 + 3 > len(out):
        return None
    head = bytes((kind,))
    tail = (crc32(body, crc32(head)) & 0xFFFFFFFF).to_bytes(4, "little")
    out[at] = 0
    end = put_cobs(out, at + 1, (head, body, tail))
    out[end] = 0
    return end + 1


class FrameReceiver:
    """Bytes in, frames out. `dropped` counts the runs that were no frame."""

    def __init__(self):
        self._run = bytearray(ENCODED_MAX)  # made once: a long run must not ask for memory
        self._length = 0
        self._overlong = False
        self.dropped = 0

    def feed(self, data):
        """The whole frames (type, body) that end in `data`, one after the other: a list of many wants a long place."""
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
                    yield frame

    def _frame(self):
        size = cobs_decode(self._run, self._length)
        if size is None or not FRAME_OVERHEAD <= size <= FRAME_MAX:
            return None
        frame = memoryview(self._run)
        end = size - 4
        if crc32(frame[:end]) & 0xFFFFFFFF != int.from_bytes(frame[end:size], "little"):
            return None
        if not HANDSHAKE_REQUEST <= frame[0] <= REJECT:
            return None
        return frame[0], bytes(frame[1:end])
