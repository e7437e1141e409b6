"""Another key for a slot while its link runs, and the trail of frames that a technician reads: sizes, no content."""

import asyncio
from dataclasses import replace

import pytest

from firmware_bridge.framing import FrameType
from firmware_bridge.link import FaultCode, LinkState
from firmware_bridge.trail import TRAIL_MAX, PassedFrame
from tests.firmware_bridge.support import KEY, Bench, run, started, until

OTHER = bytes(reversed(KEY))


def test_a_new_key_counts_from_the_next_session_on() -> None:
    async def scene() -> None:
        bench = await started(Bench())
        assert bench.link.is_proven()
        bench.link.use_key(OTHER)
        await asyncio.sleep(5)
        assert bench.link.state is LinkState.UP  # the session that stands goes on
        assert not bench.link.is_proven()
        bench.identity = replace(bench.identity, key=OTHER)
        bench.restart_device()
        await bench.up(2)
        assert bench.link.is_proven()
        assert "wrong_key" not in bench.journal.codes
        await bench.finish()

    run(scene())


def test_a_device_that_does_not_have_the_new_key_is_refused_until_it_has() -> None:
    async def scene() -> None:
        bench = await started(Bench())
        bench.link.use_key(OTHER)
        bench.cut()
        await until(lambda: FaultCode.WRONG_KEY.value in bench.journal.codes)
        assert not bench.link.is_proven()
        bench.link.use_key(KEY)  # taken back
        await bench.up(2)
        assert bench.link.is_proven()
        await bench.finish()

    run(scene())


def test_a_key_of_another_length_is_none() -> None:
    async def scene() -> None:
        bench = await started(Bench())
        with pytest.raises(ValueError, match="a key has 32 bytes, this one 5"):
            bench.link.use_key(b"short")
        assert bench.link.is_proven()
        await bench.finish()

    run(scene())


def test_the_trail_holds_the_last_frames_both_ways_and_nothing_that_is_in_them() -> None:
    async def scene() -> None:
        bench = await started(Bench())
        first, second, *_ = bench.link.last_frames()
        assert (first.sent, first.kind, first.size) == (True, FrameType.HANDSHAKE_REQUEST, 49)
        assert (second.sent, second.kind) == (False, FrameType.HANDSHAKE_ANSWER)
        assert set(PassedFrame.__dataclass_fields__) == {"ago", "sent", "kind", "size"}
        await asyncio.sleep(60)
        frames = bench.link.last_frames()
        assert len(frames) == TRAIL_MAX
        assert [frame.ago for frame in frames] == sorted((frame.ago for frame in frames), reverse=True)
        assert {frame.kind for frame in frames} == {FrameType.TRANSPORT}
        await bench.finish()

    run(scene())


def test_noise_is_in_the_trail_by_its_length() -> None:
    async def scene() -> None:
        bench = await started(Bench())
        assert bench.ports is not None
        bench.ports[1].write(b"\0Kd Ah Qs\0")
        await until(lambda: bench.link.counters.bad_frames == 1)
        [noise] = [frame for frame in bench.link.last_frames() if frame.kind is None]
        assert (noise.sent, noise.size) == (False, 8)
        await bench.finish()

    run(scene())
