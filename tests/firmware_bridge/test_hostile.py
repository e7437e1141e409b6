"""Somebody on the wire: noise, replays, reflections, forgeries, downgrades. The link may fall; nothing comes twice."""

import asyncio
import random
from dataclasses import replace
from typing import Any

import cbor2
import pytest

from firmware_bridge.framing import FrameDecoder, FrameType, encode_frame
from firmware_bridge.link import LinkState
from firmware_bridge.memory import memory_pair
from firmware_bridge.messages import Event, Hello, Pong, Result, State, Status
from firmware_bridge.reject import Reject, RejectCode
from firmware_bridge.session import answer_handshake
from firmware_bridge.store import MemoryStore
from firmware_bridge.transport import HostTransport
from tests.firmware_bridge.support import IDENTITY, KEY, Bench, Recording, run, started, until


class Tapped:
    """A wire with somebody on it: what passes is recorded, anything can be put in or changed."""

    def __init__(self) -> None:
        self.host: Recording
        self.device: Recording

    def __call__(self) -> tuple[HostTransport, HostTransport]:
        host, device = memory_pair()
        self.host, self.device = Recording(host), Recording(device)
        return self.host, self.device

    def to_host(self, data: bytes) -> None:
        self.host.inner.arrive(data)

    def to_device(self, data: bytes) -> None:
        self.device.inner.arrive(data)

    @property
    def from_device(self) -> list[bytes]:
        return self.device.written

    @property
    def from_host(self) -> list[bytes]:
        return self.host.written


async def tapped(**changes: Any) -> tuple[Bench, Tapped]:
    wire = Tapped()
    bench = Bench(wire=wire, store=MemoryStore(), **changes)
    bench.start()
    await bench.up()
    return bench, wire


def test_noise_before_between_and_after_frames_costs_no_session() -> None:
    async def scene() -> None:
        chance = random.Random(7)

        def noise() -> bytes:
            return chance.randbytes(chance.randrange(200))

        wire = Tapped()
        bench = Bench(wire=wire, store=MemoryStore())
        bench.start()
        await asyncio.sleep(0)
        wire.to_host(noise())
        for port in (wire.host, wire.device):
            port.alter = lambda data: noise() + data + noise()
        await bench.up()
        for n in range(200):
            bench.emit(n)
            wire.to_host(noise())
            wire.to_device(noise())
            await asyncio.sleep(0.02)
        await until(lambda: len(bench.journal.events) == 200)
        assert bench.journal.bodies == list(range(200))
        assert bench.journal.downs == []
        counters = bench.link.counters
        assert counters.bad_frames > 100
        assert counters.resynchronised_bytes > counters.bad_frames
        assert counters.authentication_failures == 0
        await bench.finish()

    run(scene())


@pytest.mark.parametrize("kind", [FrameType.HANDSHAKE_REQUEST, FrameType.HANDSHAKE_ANSWER, FrameType.REJECT])
def test_a_sound_frame_that_has_no_place_in_a_session_is_counted_and_does_nothing(kind: FrameType) -> None:
    async def scene() -> None:
        wire = Tapped()
        bench = await started(Bench(wire=wire, store=MemoryStore()))
        for _ in range(3):
            wire.to_host(encode_frame(kind, bytes(60)))
        await until(lambda: bench.link.counters.stale_frames == 3)
        bench.emit(1)
        await until(lambda: bench.journal.bodies == [1])
        assert bench.journal.downs == []
        assert bench.link.counters.bad_frames == 0
        await bench.finish()

    run(scene())


def test_64_frames_in_one_read_all_arrive() -> None:
    async def scene() -> None:
        wire = Tapped()
        bench = Bench(wire=wire, store=MemoryStore())
        bench.link._inbox.window = 64
        bench.start()
        await bench.up()
        held: list[bytes] = []

        def hold(data: bytes) -> bytes:
            held.append(data)
            return b""

        wire.device.alter = hold
        for n in range(64):
            bench.emit(n)
        assert len(held) == 64
        assert bench.journal.events == []
        wire.to_host(b"".join(held))
        await until(lambda: len(bench.journal.events) == 64)  # a slice in each turn of the loop
        assert bench.journal.bodies == list(range(64))
        await bench.finish()

    run(scene())


@pytest.mark.parametrize("direction", ["to_host", "to_device"])
def test_a_replayed_frame_ends_the_session_and_nothing_comes_twice(direction: str) -> None:
    async def scene() -> None:
        bench, wire = await tapped()
        bench.emit(1)
        await asyncio.sleep(0.01)
        if direction == "to_host":
            wire.to_host(wire.from_device[-1])
        else:
            wire.to_device(wire.from_host[-1])
        await bench.up(2)
        bench.emit(2)
        await asyncio.sleep(0.1)
        assert bench.journal.bodies == [1, 2]
        assert bench.journal.codes == ["bad_frame" if direction == "to_host" else "closed_by_device"]
        assert bench.link.counters.authentication_failures == (direction == "to_host")
        await bench.finish()

    run(scene())


def test_a_whole_recorded_session_played_back_gives_nothing() -> None:
    async def scene() -> None:
        bench, wire = await tapped()
        for n in range(5):
            bench.emit(n)
        await asyncio.sleep(0.1)
        recorded_device, recorded_host = list(wire.from_device), list(wire.from_host)
        await bench.finish()

        # to a host: its request is a new one, and nothing recorded answers it
        host, impostor = memory_pair()
        later = Bench(wire=lambda: (host, impostor), serving=False)
        later.start()
        await asyncio.sleep(0.01)
        for data in recorded_device:
            impostor.write(data)
        await asyncio.sleep(0.5)
        assert later.journal.events == []
        assert later.journal.ups == []
        assert later.link.state is LinkState.HANDSHAKING
        await later.finish()

        # to the device: it answers the recorded request, under keys that nobody has
        commands = list(bench.device.commands)
        impostor, device = memory_pair()
        serving = asyncio.ensure_future(bench.peer.serve(device))
        for data in recorded_host:
            impostor.write(data)
            await asyncio.sleep(0.01)
        assert not bench.peer.up
        assert bench.device.commands == commands
        serving.cancel()
        await asyncio.gather(serving, return_exceptions=True)

    run(scene())


@pytest.mark.parametrize("direction", ["to_host", "to_device"])
def test_a_reflected_frame_ends_the_session(direction: str) -> None:
    async def scene() -> None:
        bench, wire = await tapped()
        if direction == "to_host":
            wire.to_host(wire.from_host[-1])
        else:
            wire.to_device(wire.from_device[-1])
        await bench.up(2)
        assert bench.journal.codes == ["bad_frame" if direction == "to_host" else "closed_by_device"]
        await bench.finish()

    run(scene())


def test_everything_reflected_brings_nothing_up() -> None:
    async def scene() -> None:
        host, mirror = memory_pair()
        bench = Bench(wire=lambda: (host, mirror), serving=False)

        class Mirror:
            def received(self, data: bytes) -> None:
                mirror.write(data)

            def lost(self, _error: object) -> None:
                return

            def writable(self) -> None:
                return

        mirror.start(Mirror())
        bench.start()
        await asyncio.sleep(1.05)
        assert bench.journal.codes == ["no_answer"]
        assert bench.link.counters.stale_frames == 1
        await bench.finish()

    run(scene())


def test_a_replayed_handshake_request_costs_a_session_and_no_more() -> None:
    async def scene() -> None:
        bench, wire = await tapped()
        request = next(
            data for data in wire.from_host if FrameDecoder().feed(data)[0].type is FrameType.HANDSHAKE_REQUEST
        )
        bench.emit(1)
        await asyncio.sleep(0.01)
        wire.to_device(request)
        await bench.up(2)
        bench.emit(2)
        await asyncio.sleep(0.1)
        assert bench.journal.bodies == [1, 2]
        await bench.finish()

    run(scene())


def forged(code: RejectCode, echo: bytes, **changes: Any) -> bytes:
    reject = replace(Reject(code, "shoe", "S-1", 1, 1), **changes)
    return encode_frame(FrameType.REJECT, echo + reject.to_bytes())


def test_a_downgrade_forged_by_a_reject_is_found_out() -> None:
    async def scene() -> None:
        wire = Tapped()
        bench = Bench(wire=wire, versions=(1, 2), identity=replace(IDENTITY, versions=(1, 2)))
        forgeries = 0

        def answer(data: bytes) -> bytes:
            nonlocal forgeries
            frame = FrameDecoder().feed(data)[0]
            if frame.type is FrameType.HANDSHAKE_ANSWER and forgeries < 1:
                forgeries += 1
                return forged(RejectCode.UNSUPPORTED_VERSION, frame.body[:4])
            return data

        bench.start()
        await asyncio.sleep(0)
        wire.device.alter = answer
        await until(lambda: bool(bench.journal.downs))
        assert bench.journal.codes == ["downgrade"]
        assert "both speak 2" in bench.journal.downs[0].text
        await bench.up()
        assert bench.journal.ups[0][0].version == 2
        await bench.finish()

    run(scene())


def test_a_forged_reject_never_lowers_below_what_the_host_speaks() -> None:
    async def scene() -> None:
        wire = Tapped()
        bench = Bench(wire=wire)
        bench.start()
        await asyncio.sleep(0)
        wire.device.alter = lambda data: forged(RejectCode.UNSUPPORTED_VERSION, FrameDecoder().feed(data)[0].body[:4])
        await asyncio.sleep(20)
        assert bench.journal.codes == ["unsupported_version"]
        await bench.finish()

    run(scene())


def test_rejects_out_of_place_are_ignored() -> None:
    async def scene() -> None:
        wire = Tapped()
        bench = Bench(wire=wire)
        bench.start()
        await asyncio.sleep(0)
        wire.to_host(forged(RejectCode.NO_SESSION, bytes(4)))
        wire.to_host(forged(RejectCode.NOT_AUTHENTIC, b"late"))
        wire.to_host(encode_frame(FrameType.REJECT, b"no CBOR"))
        wire.to_host(encode_frame(FrameType.HANDSHAKE_ANSWER, b"late" + bytes(80)))
        wire.to_host(encode_frame(FrameType.TRANSPORT, bytes(40)))
        await bench.up()
        wire.to_host(forged(RejectCode.NOT_AUTHENTIC, b"late"))
        wire.to_host(forged(RejectCode.NO_SESSION, b"late"))
        wire.to_host(encode_frame(FrameType.HANDSHAKE_ANSWER, bytes(80)))
        wire.to_host(encode_frame(FrameType.HANDSHAKE_REQUEST, bytes(49)))
        wire.to_host(encode_frame(FrameType.REJECT, b""))
        assert bench.link.counters.stale_frames == 10
        assert bench.journal.downs == []
        await bench.finish()

    run(scene())


def test_an_answer_changed_on_the_wire_is_a_bad_frame() -> None:
    async def scene() -> None:
        wire = Tapped()
        bench = Bench(wire=wire)
        bench.start()
        await asyncio.sleep(0)

        def change(data: bytes) -> bytes:
            frame = FrameDecoder().feed(data)[0]
            return encode_frame(frame.type, frame.body[:-1] + bytes((frame.body[-1] ^ 1,)))

        wire.device.alter = change
        await until(lambda: bool(bench.journal.downs))
        assert bench.journal.codes == ["bad_frame"]
        assert bench.link.counters.authentication_failures == 1
        wire.device.alter = lambda data: data
        await bench.up()
        await bench.finish()

    run(scene())


class Rogue:
    """A device that has the key and does as it likes."""

    def __init__(self, hello: bytes | None = None) -> None:
        self.port, self.device = memory_pair()
        self.device.start(self)
        self.hello = hello or Hello("shoe", "S-1", "", 1, 1, b"boot id.", True, 1).to_bytes()
        self.messages: list[bytes] = []

    def received(self, data: bytes) -> None:
        for frame in FrameDecoder().feed(data):
            if frame.type is FrameType.HANDSHAKE_REQUEST:
                self.answered = answer_handshake(KEY, "shoe", frame.body, self.hello)
                self.device.write(encode_frame(FrameType.HANDSHAKE_ANSWER, self.answered.body))
                for message in self.messages:
                    self.device.write(encode_frame(FrameType.TRANSPORT, self.answered.channel.encrypt(message)))

    def lost(self, _error: object) -> None:
        return

    def writable(self) -> None:
        return


BOOT = b"boot id."


@pytest.mark.parametrize(
    ("messages", "code"),
    [
        ([b""], "malformed"),
        ([b"\xff" * 50], "malformed"),
        ([cbor2.dumps({0: 99})], "malformed"),
        ([cbor2.dumps({0: 3, 1: BOOT, 2: 1, 3: {"a": float("nan")}})], "malformed"),
        ([State(1, {}).to_bytes(), State(1, {}).to_bytes()], "malformed"),
        ([State(9, {}).to_bytes()], "malformed"),
        ([Result(1, {}).to_bytes()], "malformed"),
        ([Hello("shoe", "S-1", "", 1, 1, BOOT, True, 1).to_bytes()], "malformed"),
        ([Event(BOOT, 1, {}).to_bytes(), Event(BOOT, 3, {}).to_bytes()], "events_missing"),
        (
            [Event(BOOT, 1, {}).to_bytes(), Event(b"other...", 1, {}).to_bytes(), Event(BOOT, 2, {}).to_bytes()],
            "out_of_order",
        ),
        ([Event(BOOT, n, {}).to_bytes() for n in range(1, 34)], "malformed"),
    ],
)
def test_a_device_that_breaks_the_protocol_is_put_down_by_name(messages: list[bytes], code: str) -> None:
    async def scene() -> None:
        rogue = Rogue()
        rogue.messages = messages
        bench = Bench(wire=lambda: (rogue.port, rogue.device), serving=False, versions=(1, 1))
        bench.journal.syncing = len(messages) < 30
        bench.start()
        await until(lambda: bool(bench.journal.downs))
        assert bench.journal.codes == [code]
        assert "shoe at memory: " in bench.journal.downs[0].text
        await bench.finish()

    run(scene())


def test_pongs_nobody_asked_for_are_nothing() -> None:
    async def scene() -> None:
        rogue = Rogue()
        rogue.messages = [Pong(5).to_bytes(), Status({}).to_bytes(), State(1, {}).to_bytes()]
        bench = Bench(wire=lambda: (rogue.port, rogue.device), serving=False, versions=(1, 1))
        bench.start()
        await bench.up()
        await asyncio.sleep(2.5)  # two pings, the first not answered
        assert bench.link.counters.round_trip is None
        await bench.finish()

    run(scene())


@pytest.mark.parametrize(
    ("hello", "code"),
    [
        (Hello("reader", "S-1", "", 1, 1, BOOT, True, 1).to_bytes(), "wrong_role"),
        (Hello("shoe", "S-1", "", 2, 3, BOOT, True, 1).to_bytes(), "unsupported_version"),
        (Status({}).to_bytes(), "malformed"),
        (b"", "malformed"),
    ],
    ids=["role", "version", "no hello", "empty"],
)
def test_a_hello_that_lies_or_is_none_is_refused(hello: bytes, code: str) -> None:
    async def scene() -> None:
        rogue = Rogue()
        rogue.hello = hello
        bench = Bench(wire=lambda: (rogue.port, rogue.device), serving=False, versions=(1, 1))
        bench.start()
        await until(lambda: bool(bench.journal.downs))
        assert bench.journal.codes == [code]
        await bench.finish()

    run(scene())
