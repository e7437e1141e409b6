"""Frames survive any cutting of the stream; what is no frame is dropped, counted and harmless."""

import itertools
import tracemalloc
import zlib

import pytest
from cobs import cobs
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_bridge.errors import MessageError
from firmware_bridge.framing import Frame, FrameDecoder, FrameType, encode_frame
from firmware_bridge.limits import BODY_MAX, ENCODED_MAX, FRAME_MAX

frames = st.builds(Frame, st.sampled_from(FrameType), st.binary(max_size=300))
noise = st.binary(max_size=60).map(lambda data: data.replace(b"\0", b"\1"))


def pieces(data: bytes, cuts: list[int]) -> list[bytes]:
    edges = [0, *sorted(cut % (len(data) + 1) for cut in cuts), len(data)]
    return [data[a:b] for a, b in itertools.pairwise(edges)]


@settings(deadline=None)
@given(st.lists(st.tuples(noise, frames), max_size=8), noise, st.lists(st.integers(0, 10_000), max_size=20))
def test_frames_arrive_whatever_the_cuts_and_the_noise_between(
    parts: list[tuple[bytes, Frame]], tail: bytes, cuts: list[int]
) -> None:
    stream = b"".join(garbage + frame.to_bytes() for garbage, frame in parts) + tail
    decoder = FrameDecoder()
    arrived = [frame for piece in pieces(stream, cuts) for frame in decoder.feed(piece)]
    assert arrived == [frame for _, frame in parts]
    runs = [garbage for garbage, _ in parts if garbage]
    assert decoder.counts.bad_frames == len(runs)
    assert decoder.counts.resynchronised_bytes == sum(map(len, runs))


@settings(deadline=None)
@given(st.lists(st.binary(max_size=5000), max_size=6))
def test_no_bytes_make_the_decoder_fail_or_keep_more_than_a_frame(chunks: list[bytes]) -> None:
    decoder = FrameDecoder()
    for chunk in chunks:
        decoder.feed(chunk)
        assert len(decoder._partial) <= ENCODED_MAX
    decoder.feed(b"\0")
    assert decoder.feed(encode_frame(FrameType.REJECT, b"still here")) == [Frame(FrameType.REJECT, b"still here")]


@settings(deadline=None)
@given(frames, st.data())
def test_a_changed_byte_is_never_taken_for_the_frame(frame: Frame, data: st.DataObject) -> None:
    wire = bytearray(frame.to_bytes())
    at = data.draw(st.integers(1, len(wire) - 2))
    wire[at] ^= data.draw(st.integers(1, 255))
    decoder = FrameDecoder()
    assert frame not in decoder.feed(bytes(wire))
    assert decoder.counts.bad_frames >= 1


def test_64_frames_in_one_read_all_arrive() -> None:
    sent = [Frame(FrameType.TRANSPORT, bytes((n,)) * 500) for n in range(64)]
    assert FrameDecoder().feed(b"".join(frame.to_bytes() for frame in sent)) == sent


def test_the_largest_frame_passes_and_one_byte_more_does_not() -> None:
    largest = Frame(FrameType.TRANSPORT, b"\xaa" * BODY_MAX)
    wire = largest.to_bytes()
    assert len(wire) == ENCODED_MAX + 2
    assert FrameDecoder().feed(wire) == [largest]
    with pytest.raises(MessageError, match="at most 2043"):
        encode_frame(FrameType.TRANSPORT, b"\xaa" * (BODY_MAX + 1))
    decoder = FrameDecoder()
    assert decoder.feed(b"\0" + cobs.encode(b"\x03" + b"\xaa" * FRAME_MAX) + b"\0") == []
    assert decoder.counts.bad_frames == 1


def test_an_endless_run_takes_no_memory_and_the_next_frame_is_found() -> None:
    decoder = FrameDecoder()
    chunk = b"\x55" * 4096
    tracemalloc.start()
    for _ in range(1000):
        assert decoder.feed(chunk) == []
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100_000
    assert decoder.counts.bad_frames == 1
    assert decoder.counts.resynchronised_bytes == 4096 * 1000
    frame = Frame(FrameType.TRANSPORT, b"after it")
    assert decoder.feed(frame.to_bytes()) == [frame]


def test_an_overlong_run_within_one_read_is_dropped_alone() -> None:
    frame = Frame(FrameType.TRANSPORT, b"x")
    decoder = FrameDecoder()
    assert decoder.feed(frame.to_bytes() + b"\x01" * 3000 + frame.to_bytes()) == [frame, frame]
    assert decoder.counts.resynchronised_bytes == 3000


@pytest.mark.parametrize(
    "run",
    [b"\x05ab", cobs.encode(b"\x03abc"), cobs.encode(b"\x03abcdefgh"), encode_frame(FrameType.REJECT, b"")[1:-1][:-1]],
    ids=["no COBS", "too short", "wrong checksum", "cut"],
)
def test_what_is_no_frame_is_counted(run: bytes) -> None:
    decoder = FrameDecoder()
    assert decoder.feed(b"\0" + run + b"\0") == []
    assert (decoder.counts.bad_frames, decoder.counts.resynchronised_bytes) == (1, len(run))


def test_an_unknown_type_is_no_frame() -> None:
    raw = b"\x09body"
    wire = b"\0" + cobs.encode(raw + zlib.crc32(raw).to_bytes(4, "little")) + b"\0"
    assert FrameDecoder().feed(wire) == []


def test_delimiters_alone_are_nothing() -> None:
    decoder = FrameDecoder()
    assert decoder.feed(b"\0" * 100) == []
    assert decoder.counts.bad_frames == 0
