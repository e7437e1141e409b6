"""Frames on a stream of bytes (PROTOCOL.md, section 1): COBS between zero bytes, a type, a checksum.

>>> wire = encode_frame(FrameType.TRANSPORT, b"body")
>>> FrameDecoder().feed(b"noise" + wire)
[Frame(type=<FrameType.TRANSPORT: 3>, body=b'body')]
"""

import zlib
from dataclasses import dataclass
from enum import IntEnum
from typing import Final

from cobs import cobs

from firmware_bridge.errors import MessageError
from firmware_bridge.limits import ENCODED_MAX, FRAME_MAX, FRAME_OVERHEAD

_CHECKSUM_SIZE: Final = 4


class FrameType(IntEnum):
    """The closed set of frame types."""

    HANDSHAKE_REQUEST = 1
    HANDSHAKE_ANSWER = 2
    TRANSPORT = 3
    REJECT = 4


_TYPES: Final = {int(kind): kind for kind in FrameType}  # a look-up costs less than the enum's constructor


@dataclass(frozen=True, slots=True)
class Frame:
    """One frame: its type and its body, the checksum already verified."""

    type: FrameType
    body: bytes

    def to_bytes(self) -> bytes:
        """Return the frame as it goes on the wire, delimiters included.

        Raises MessageError if the body is too long.
        """
        return encode_frame(self.type, self.body)

    @classmethod
    def from_bytes(cls, encoded: bytes) -> "Frame | None":
        """The frame in what stood between two delimiters; None if it is no frame."""
        try:
            raw = cobs.decode(encoded)
        except cobs.DecodeError:
            return None
        if len(raw) < FRAME_OVERHEAD:
            return None
        if zlib.crc32(raw[:-_CHECKSUM_SIZE]) != int.from_bytes(raw[-_CHECKSUM_SIZE:], "little"):
            return None
        kind = _TYPES.get(raw[0])
        return None if kind is None else cls(kind, raw[1:-_CHECKSUM_SIZE])


def encoded_max(frame_max: int) -> int:
    """The bytes between two zeros of a frame of at most so many bytes: COBS adds one for each 254 begun."""
    return frame_max + frame_max // 254 + 1


def encode_frame(kind: FrameType, body: bytes, frame_max: int = FRAME_MAX) -> bytes:
    """Return a frame as it goes on the wire, delimiters included. `frame_max`: bytes that the other side takes.

    Raises MessageError if the body is too long.
    """
    if len(body) > frame_max - FRAME_OVERHEAD:
        most = frame_max - FRAME_OVERHEAD
        raise MessageError(f"a frame's body has {len(body)} bytes, at most {most} are allowed: send less at once")
    raw = bytes((kind,)) + body
    encoded: bytes = cobs.encode(raw + zlib.crc32(raw).to_bytes(_CHECKSUM_SIZE, "little"))
    return b"\0" + encoded + b"\0"


@dataclass(slots=True)
class FrameCounts:
    """Counts of the runs of bytes that a decoder has dropped."""

    bad_frames: int = 0  # runs between two delimiters that are no frame
    resynchronised_bytes: int = 0  # the bytes of such runs


class FrameDecoder:
    """Takes frames out of a stream, however it is cut.

    It never raises and keeps at most one frame's bytes.

    "a run of bytes between two zeros is no frame when ...: it is dropped and counted, and nothing else happens."
    """

    __slots__ = ("_encoded_max", "_overlong", "_partial", "counts")

    def __init__(self, counts: FrameCounts | None = None) -> None:
        """`counts` is added to; None: the decoder makes its own."""
        self.counts = counts if counts is not None else FrameCounts()
        self._partial = b""
        self._overlong = 0  # bytes dropped so far of a run that is too long; 0 while none is
        self._encoded_max = ENCODED_MAX

    def take_frames_of(self, frame_max: int) -> None:
        """Take frames of at most so many bytes from here on: what the session has agreed on."""
        self._encoded_max = encoded_max(frame_max)

    def feed(self, data: bytes) -> list[Frame]:
        """Return the frames that these bytes complete, in order."""
        first, *rest = data.split(b"\0")
        if not rest:
            self._keep(first)
            return []
        frames: list[Frame] = []
        self._keep(first)
        self._complete(frames)
        for run in rest[:-1]:
            if run:
                self._take(run, frames)
        self._keep(rest[-1])
        return frames

    def _keep(self, piece: bytes) -> None:
        """Append to the run that has not ended yet, or go on dropping it."""
        if self._overlong:
            self._overlong += len(piece)
            self.counts.resynchronised_bytes += len(piece)
            return
        self._partial += piece
        if len(self._partial) > self._encoded_max:
            self._overlong = len(self._partial)
            self.counts.bad_frames += 1
            self.counts.resynchronised_bytes += self._overlong
            self._partial = b""

    def _complete(self, frames: list[Frame]) -> None:
        """A delimiter: the run collected so far ends here."""
        run, self._partial = self._partial, b""
        self._overlong = 0
        if run:
            self._take(run, frames)

    def _take(self, run: bytes, frames: list[Frame]) -> None:
        frame = Frame.from_bytes(run) if len(run) <= self._encoded_max else None
        if frame is not None:
            frames.append(frame)
            return
        self.counts.bad_frames += 1
        self.counts.resynchronised_bytes += len(run)
