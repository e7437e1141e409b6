"""What comes from devices: frames on a stream of bytes, and the CBOR within them."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import firmware_bridge
from firmware_bridge.errors import MessageError
from firmware_bridge.framing import FrameDecoder, FrameType, encode_frame
from firmware_bridge.messages import from_device, from_host
from tests.fuzz.target import Judge, Target

_FRAME = encode_frame(FrameType.TRANSPORT, b"a frame behind noise is found")


@cache
def _vectors() -> Any:
    return json.loads((Path(firmware_bridge.__file__).parent / "vectors.json").read_text(encoding="utf-8"))


def _wires() -> Sequence[bytes]:
    vectors = _vectors()
    good = [bytes.fromhex(one["wire"]) for one in vectors["frames"]]
    return [*good, *map(bytes.fromhex, vectors["no_frames"].values()), b"".join(good)]


def _bodies() -> Sequence[bytes]:
    vectors = _vectors()
    return [bytes.fromhex(one) for name in ("messages", "allowed", "malformed") for one in vectors[name].values()]


@contextmanager
def _decoder() -> Iterator[Judge]:
    yield _judge_stream


def _judge_stream(data: bytes) -> None:
    """However a stream is cut its frames are the same; each is itself again; and one behind them is found."""
    whole, cut = FrameDecoder(), FrameDecoder()
    frames = whole.feed(data)
    step = 1 + len(data) % 7
    assert [frame for at in range(0, len(data), step) for frame in cut.feed(data[at : at + step])] == frames
    assert cut.counts == whole.counts
    for frame in frames:
        assert FrameDecoder().feed(frame.to_bytes()) == [frame]
    assert [frame.to_bytes() for frame in whole.feed(_FRAME)][-1:] == [_FRAME]


@contextmanager
def _reader() -> Iterator[Judge]:
    yield _judge_body


def _judge_body(data: bytes) -> None:
    """What is read as a message is the same message when it is written and read again."""
    for read in (from_device, from_host):
        try:
            message = read(data)
        except MessageError:
            continue
        assert repr(read(message.to_bytes())) == repr(message)


FRAMES = Target("frames", _decoder, _wires, (b"\0", _FRAME))
BODIES = Target(
    "bodies", _reader, _bodies, (b"\xf9\x7e\x00", b"\xfb\x7f\xf0", b"\x1b\xff", b"\xc2\x41", b"\x9f", b"\x5f")
)
