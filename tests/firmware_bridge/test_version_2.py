"""Protocol 2 beside 1: who speaks which, what is said in how many bytes, records that were put back, longer frames."""

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from firmware_bridge.compact import Next, compose, hello_bytes, hello_of, message_max
from firmware_bridge.errors import MessageError
from firmware_bridge.facts import Jump, ResumePoint
from firmware_bridge.framing import FrameDecoder, FrameType, encode_frame
from firmware_bridge.language import DeviceVersion2, HostVersion2
from firmware_bridge.limits import FRAME_LARGEST, FRAME_MAX
from firmware_bridge.memory import memory_pair
from firmware_bridge.messages import (
    Ack,
    CloseReason,
    Command,
    Event,
    Hello,
    Kind,
    Ping,
    Post,
    Result,
    State,
    Status,
    Welcome,
)
from firmware_bridge.session import HostHandshake, answer_handshake
from firmware_bridge.store import FileStore, MemoryStore, PendingEvent
from firmware_bridge.transport import HostTransport
from tests.bench import wire_overhead
from tests.firmware_bridge.support import IDENTITY, KEY, Bench, Collector, Recording, run, started, until

BOOT, OTHER = b"boot id.", b"other..."


class Tapped:
    """A wire both of whose directions are kept."""

    def __init__(self) -> None:
        self.host = self.device = Recording(memory_pair()[0])

    def __call__(self) -> tuple[HostTransport, HostTransport]:
        host, device = memory_pair()
        self.host, self.device = Recording(host), Recording(device)
        return self.host, self.device


# -- who speaks which


@pytest.mark.parametrize(
    ("host", "device", "spoken"),
    [((1, 2), (1, 2), 2), ((1, 2), (2, 2), 2), ((1, 2), (1, 1), 1), ((1, 1), (1, 2), 1), ((1, 1), (1, 1), 1)],
)
def test_both_ends_speak_the_highest_version_that_both_know(
    host: tuple[int, int], device: tuple[int, int], spoken: int
) -> None:
    async def scene() -> None:
        bench = Bench(versions=host, identity=replace(IDENTITY, versions=device), store=MemoryStore(persistent=True))
        for n in (1, 2, 3):
            bench.emit(n)
        await started(bench)
        assert [identity.version for identity, _ in bench.journal.ups] == [spoken]
        bench.restart_device()
        await bench.up(2)
        bench.emit(4)
        await until(lambda: bench.journal.bodies == [1, 2, 3, 4] and bench.peer.pending == 0)
        assert await bench.link.command("echo", {"a": 1}) == {"a": 1}
        bench.link.post("lamp", {"on": True})
        await until(lambda: bench.device.posts == [("lamp", {"on": True})])
        assert bench.journal.jumps == []
        assert set(bench.journal.codes) <= {"closed_by_device", "silent", "no_answer"}
        await bench.finish()

    run(scene())


def test_a_host_of_version_1_names_a_device_that_speaks_2_alone() -> None:
    async def scene() -> None:
        bench = Bench(versions=(1, 1), identity=replace(IDENTITY, versions=(2, 2)))
        bench.start()
        await until(lambda: bench.journal.codes == ["unsupported_version"])
        await bench.finish()

    run(scene())


def test_a_host_of_version_1_hears_the_hello_of_version_1() -> None:
    async def scene() -> None:
        host, device = memory_pair()
        bench = Bench(serving=True, identity=replace(IDENTITY, versions=(1, 2)))
        bench.serve(device)
        collector = Collector()
        host.start(collector)
        handshake = HostHandshake(KEY, "shoe", 1)
        host.write(encode_frame(FrameType.HANDSHAKE_REQUEST, handshake.request))
        await until(lambda: bool(collector.frames))
        _, payload = handshake.read_answer(collector.frames[0].body[4:])
        hello = Hello("shoe", "S-1", "test 1", 1, 2, bench.peer.boot_id, persistent=False, commands=4)
        assert payload == hello.to_bytes()
        await bench.finish()

    run(scene())


# -- bytes


def test_an_event_costs_25_bytes_beside_its_map_and_an_acknowledgement_28_at_most() -> None:
    device = DeviceVersion2(BOOT)
    device.begin((BOOT, 300), known=True)
    kept = PendingEvent(BOOT, 300, Event(BOOT, 300, {"a": 1}).to_bytes())
    [message] = device.event(kept)
    assert message == bytes.fromhex("03a1616101")
    assert len(encode_frame(FrameType.TRANSPORT, message + bytes(16))) == 25 + 4
    host = HostVersion2(hello())
    assert host.encode(Ack(BOOT, 300)) == bytes.fromhex("0419012c")
    assert len(encode_frame(FrameType.TRANSPORT, host.encode(Ack(BOOT, 300)) + bytes(16))) == 28


def test_the_bench_counts_what_the_page_states() -> None:
    """A status or a ping may fall into it: some hundredths of a byte an event."""
    first, second = wire_overhead.measure()
    assert 40 <= first.event - first.payload < 44.5
    assert 25 <= second.event - second.payload < 25.5
    assert 26 <= second.acknowledgement < 28.5 < first.acknowledgement


def hello(**changes: Any) -> Hello:
    return replace(Hello("shoe", "S-1", "", 1, 2, BOOT, persistent=True, commands=4), **changes)


@pytest.mark.parametrize("seq", [1, 23, 24, 255, 256, 65535, 65536, 2**32 - 1])
def test_an_event_of_any_sequence_travels_under_its_place(seq: int) -> None:
    device, host = DeviceVersion2(BOOT), HostVersion2(hello())
    said = device.begin((BOOT, seq), known=True)
    event = Event(BOOT, seq, {"n": [1, None]})
    said += device.event(PendingEvent(BOOT, seq, event.to_bytes()))
    assert [host.decode(data) for data in said] == [Next(BOOT, seq, known=True), event]
    other = Event(OTHER, 1, {})
    said = device.event(PendingEvent(OTHER, 1, other.to_bytes()))
    assert [host.decode(data) for data in said] == [Next(OTHER, 1, known=True), other]


def test_an_acknowledgement_of_another_boot_names_it() -> None:
    host, device = HostVersion2(hello()), DeviceVersion2(BOOT)
    for ack in (Ack(BOOT, 7), Ack(OTHER, 7)):
        assert device.decode(host.encode(ack)) == ack
    assert len(host.encode(Ack(OTHER, 7))) == 2 + 9


def test_an_event_before_the_first_name_is_malformed() -> None:
    host = HostVersion2(hello())
    with pytest.raises(MessageError, match="before the name"):
        host.decode(compose(Kind.EVENT, ({},), 2027))
    host.decode(compose(Kind.NEXT, (BOOT, 2**32 - 1, True), 2027))
    host.decode(compose(Kind.EVENT, ({},), 2027))
    with pytest.raises(MessageError, match="last sequence"):
        host.decode(compose(Kind.EVENT, ({},), 2027))


def test_the_hello_says_what_was_acknowledged_and_what_the_device_takes() -> None:
    for acknowledged in (None, (OTHER, 41)):
        said = hello(acknowledged=acknowledged, takes=4096)
        assert hello_of(hello_bytes(said)) == said
    with pytest.raises(MessageError, match="no hello of this version"):
        hello_of(hello().to_bytes())
    for takes in (255, 8193):
        with pytest.raises(MessageError, match="longest frame"):
            hello_of(hello_bytes(hello(takes=takes)))


# -- a record that was put back


def put_back(bench: Bench, count: int) -> None:
    """The journal is as it was when it held so many events, and its table starts again."""
    del bench.journal.events[count:]
    bench.journal.synced = count
    bench.kill_link()


@pytest.mark.parametrize("restarted", [False, True])
def test_a_record_put_back_is_noticed_before_any_event(restarted: bool) -> None:
    async def scene() -> None:
        bench = await started(Bench(store=MemoryStore(persistent=True)))
        for n in range(1, 6):
            bench.emit(n)
        await until(lambda: bench.peer.pending == 0)
        boot = bench.peer.boot_id
        if restarted:
            bench.restart_device()
        put_back(bench, 2)
        await until(lambda: bool(bench.journal.jumps) and bench.link.state.value == "up")
        coming = ResumePoint(bench.peer.boot_id, 1) if restarted else ResumePoint(boot, 6)
        assert bench.journal.jumps == [Jump(ResumePoint(boot, 2), coming, ResumePoint(boot, 5), known=False)]
        bench.emit(6)
        await until(lambda: bench.journal.bodies == [1, 2, 6])
        assert "events_missing" not in bench.journal.codes
        bench.kill_link()  # the record holds the event that came: nothing is missing any more
        ups = len(bench.journal.ups)
        await bench.up(ups + 1)
        assert len(bench.journal.jumps) == 1
        await bench.finish()

    run(scene())


def test_a_device_that_remembers_over_its_restart_does_so_in_a_file(tmp_path: Path) -> None:
    async def scene() -> None:
        bench = await started(Bench(store=FileStore(tmp_path / "store")))
        for n in range(1, 4):
            bench.emit(n)
        await until(lambda: bench.peer.pending == 0)
        boot = bench.peer.boot_id
        assert isinstance(bench.store, FileStore)
        bench.stop_serving()
        bench.store.close()
        bench.store = FileStore(tmp_path / "store")
        bench.restart_device()
        put_back(bench, 1)
        await until(lambda: bool(bench.journal.jumps))
        assert bench.journal.jumps[0].acknowledged == ResumePoint(boot, 3)
        await bench.finish()
        bench.store.close()

    run(scene())


def test_a_new_record_beside_a_device_that_was_acknowledged_is_a_jump() -> None:
    async def scene() -> None:
        bench = await started(Bench(store=MemoryStore()))
        bench.emit(1)
        await until(lambda: bench.peer.pending == 0)
        put_back(bench, 0)
        await until(lambda: bool(bench.journal.jumps))
        boot = bench.peer.boot_id
        assert bench.journal.jumps == [Jump(None, ResumePoint(boot, 2), ResumePoint(boot, 1), known=False)]
        await bench.finish()

    run(scene())


def test_an_acknowledgement_lost_with_the_link_is_no_jump() -> None:
    """The record is ahead of what the device was told, over a restart of the device too."""

    async def scene() -> None:
        wire = Tapped()
        bench = await started(Bench(wire=wire, store=MemoryStore(persistent=True)))
        bench.emit(1)
        await until(lambda: bench.peer.pending == 0)
        for _ in range(2):
            wire.host.alter = lambda data: b""  # nothing of the host's arrives any more
            bench.emit(2)
            await asyncio.sleep(0.1)
            assert bench.peer.pending == 1
            bench.restart_device()
            ups = len(bench.journal.ups)
            bench.kill_link()
            await bench.up(ups + 1)
            assert bench.peer.pending == 0
        assert bench.journal.bodies == [1, 2, 2]
        assert bench.journal.jumps == []
        await bench.finish()

    run(scene())


def test_a_device_whose_memory_was_lost_is_no_jump() -> None:
    async def scene() -> None:
        bench = await started(Bench(store=MemoryStore()))
        bench.emit(1)
        await until(lambda: bench.peer.pending == 0)
        bench.store = MemoryStore()
        bench.restart_device()
        await bench.up(2)
        bench.emit(2)
        await until(lambda: bench.journal.bodies == [1, 2])
        assert bench.journal.jumps == []
        await bench.finish()

    run(scene())


def test_a_gap_in_a_damaged_store_is_a_jump_and_costs_no_session() -> None:
    async def scene() -> None:
        store = MemoryStore(persistent=True)
        bench = Bench(store=store)
        for n in range(1, 6):
            bench.emit(n)
        del store._events[2]
        bench.stop_serving()
        boot = bench.peer.boot_id
        bench.restart_device()
        await started(bench)
        assert bench.journal.bodies == [1, 2, 4, 5]
        assert [(jump.coming, jump.acknowledged) for jump in bench.journal.jumps] == [(ResumePoint(boot, 4), None)]
        assert bench.journal.downs == []
        await bench.finish()

    run(scene())


# -- longer frames

LONG = {"lines": ["x" * 80] * 60}  # 5 KB


def test_a_state_and_a_post_may_be_longer_where_both_take_it() -> None:
    async def scene() -> None:
        bench = Bench(store=MemoryStore())
        bench.device.state = lambda: LONG  # type: ignore[method-assign]
        await started(bench)
        assert bench.journal.ups[0][1] == LONG
        bench.link.post("display", LONG)
        await until(lambda: bench.device.posts == [("display", LONG)])
        with pytest.raises(MessageError, match="at most 8171"):
            bench.link.post("display", {"text": "x" * 8171})
        await bench.finish()

    run(scene())


@pytest.mark.parametrize(("versions", "takes"), [((1, 1), FRAME_MAX), ((1, 2), FRAME_MAX), ((2, 2), 256)])
def test_a_post_longer_than_the_device_takes_is_refused_and_never_sent(versions: tuple[int, int], takes: int) -> None:
    async def scene() -> None:
        bench = Bench(store=MemoryStore())
        await started(bench)
        bench.link.post("display", LONG)
        bench.link.post("lamp", {"on": True})
        await until(lambda: len(bench.device.posts) == 2)
        bench.identity = replace(IDENTITY, versions=versions, takes=takes)
        bench.restart_device()  # another device, which takes less: what it does not take is not sent again
        await bench.up(2)
        await until(lambda: len(bench.device.posts) == 3)
        assert bench.device.posts[2:] == [("lamp", {"on": True})]
        with pytest.raises(MessageError, match=f"at most {message_max(takes)} "):
            bench.link.post("display", LONG)
        await bench.finish()

    run(scene())


def test_a_state_too_long_for_the_host_is_not_sent_and_the_host_says_so() -> None:
    async def scene() -> None:
        bench = Bench(store=MemoryStore(), identity=replace(IDENTITY, versions=(1, 1)))
        bench.device.state = lambda: LONG  # type: ignore[method-assign]
        bench.start()
        await until(lambda: bool(bench.journal.downs))
        assert bench.journal.ups == []
        assert bench.journal.codes[0] in ("closed_by_device", "no_state")
        await bench.finish()

    run(scene())


def test_a_device_takes_no_longer_frames_than_it_said_and_none_before_the_handshake() -> None:
    frame = encode_frame(FrameType.TRANSPORT, bytes(3000), FRAME_LARGEST)
    decoder = FrameDecoder()
    assert decoder.feed(frame) == []
    assert decoder.counts.bad_frames == 1
    decoder.take_frames_of(3005)
    assert len(decoder.feed(frame)) == 1
    decoder.take_frames_of(FRAME_MAX)
    assert decoder.feed(frame) == []


# -- what is out of place


class Told:
    """A device that has the key, speaks version 2 and says what it is told to."""

    def __init__(self, *messages: bytes) -> None:
        self.port, self.device = memory_pair()
        self.device.start(self)
        self.messages = messages

    def received(self, data: bytes) -> None:
        for frame in FrameDecoder().feed(data):
            if frame.type is FrameType.HANDSHAKE_REQUEST:
                answered = answer_handshake(KEY, "shoe", frame.body, hello_bytes(hello()))
                self.device.write(encode_frame(FrameType.HANDSHAKE_ANSWER, answered.body))
                for message in self.messages:
                    self.device.write(encode_frame(FrameType.TRANSPORT, answered.channel.encrypt(message)))

    def lost(self, _error: object) -> None:
        return

    def writable(self) -> None:
        return


def said(kind: Kind, *values: Any) -> bytes:
    return compose(kind, values, 2027)


@pytest.mark.parametrize(
    ("messages", "code"),
    [
        ([b""], "malformed"),
        ([b"\x63"], "malformed"),
        ([said(Kind.EVENT, {})], "malformed"),
        ([said(Kind.STATE, 1, {}), said(Kind.STATE, 1, {})], "malformed"),
        ([said(Kind.STATE, 9, {})], "malformed"),
        ([said(Kind.RESULT, 1, {})], "malformed"),
        ([said(Kind.REFUSAL, 1, "no", "")], "malformed"),
        ([hello_bytes(hello())], "malformed"),
        ([said(Kind.NEXT, BOOT, 1, True), said(Kind.NEXT, BOOT, 9, True)], "malformed"),
        ([said(Kind.NEXT, BOOT, 1, True), said(Kind.EVENT, {}), said(Kind.NEXT, OTHER, 1, True), said(Kind.EVENT, {}),
          said(Kind.NEXT, BOOT, 2, True), said(Kind.EVENT, {})], "out_of_order"),
        ([said(Kind.NEXT, BOOT, 1, True)] + [said(Kind.EVENT, {})] * 33, "malformed"),
    ],
)  # fmt: skip
def test_a_device_that_breaks_the_protocol_is_put_down_by_name(messages: list[bytes], code: str) -> None:
    async def scene() -> None:
        told = Told(*messages)
        bench = Bench(wire=lambda: (told.port, told.device), serving=False)
        bench.journal.syncing = len(messages) < 30
        bench.start()
        await until(lambda: bool(bench.journal.downs))
        assert bench.journal.codes == [code]
        await bench.finish()

    run(scene())


def test_an_answer_to_an_earlier_read_is_ignored() -> None:
    """The host reads again under a higher id; a device that had answered the read before has done no harm."""

    async def scene() -> None:
        bench = await started(Bench(store=MemoryStore()))
        conversation = bench.link._conversation
        assert conversation is not None
        states: list[Any] = []
        conversation._read_state(states.append)
        conversation._read_state(states.append)  # overtakes it: both are answered, or the latter alone
        await asyncio.sleep(0.5)
        assert states == [{"last": 0}]
        conversation._state(State(1, {"old": True}))
        assert states == [{"last": 0}]
        assert bench.journal.downs == []
        await bench.finish()

    run(scene())


class ByHand:
    """A host worked by hand beside a peer."""

    def __init__(self, bench: Bench, version: int) -> None:
        self.port, device = memory_pair()
        bench.serve(device)
        self.bench, self.version = bench, version
        self.heard = Collector()
        self.port.start(self.heard)

    async def shake(self) -> None:
        handshake = HostHandshake(KEY, "shoe", self.version)
        self.heard.data.clear()
        self.port.write(encode_frame(FrameType.HANDSHAKE_REQUEST, handshake.request))
        await until(lambda: bool(self.heard.of(FrameType.HANDSHAKE_ANSWER)))
        self.channel, payload = handshake.read_answer(self.heard.of(FrameType.HANDSHAKE_ANSWER)[0][4:])
        self.heard.data.clear()
        self.language = HostVersion2(hello_of(payload)) if self.version == 2 else None

    def say(self, message: Any) -> None:
        data = message.to_bytes() if self.language is None else self.language.encode(message)
        self.port.write(encode_frame(FrameType.TRANSPORT, self.channel.encrypt(data)))

    async def reasons(self) -> list[int]:
        """The reasons of the closes heard since; everything else is passed over."""
        await asyncio.sleep(0.1)
        kinds = [self.channel.decrypt(body) for body in self.heard.of(FrameType.TRANSPORT)]
        self.heard.data.clear()
        closes = [data for data in kinds if data[0] == Kind.CLOSE or data[:3] == b"\xa3\x00\x0d"]
        return [data[1] if self.version == 2 else data[4] for data in closes]


@pytest.mark.parametrize("version", [1, 2])
def test_noise_and_frames_out_of_place_do_not_disturb_a_device_that_waits_for_its_welcome(version: int) -> None:
    async def scene() -> None:
        host = ByHand(Bench(store=MemoryStore()), version)
        await host.shake()
        host.port.write(b"\0noise\0")
        for kind in (FrameType.HANDSHAKE_ANSWER, FrameType.REJECT):
            host.port.write(encode_frame(kind, bytes(60)))
        host.port.write(encode_frame(FrameType.HANDSHAKE_REQUEST, bytes(48)))
        await asyncio.sleep(0.5)
        assert (host.bench.peer.stale_frames, host.bench.peer.counts.bad_frames) == (3, 1)
        host.say(Welcome(32, None))
        await until(lambda: host.bench.peer.up)
        assert await host.reasons() == []
        host.say(Welcome(32, None))  # a second one
        assert await host.reasons() == [CloseReason.MALFORMED]
        await host.shake()
        host.say(Ping(1))  # a first message that is none
        assert await host.reasons() == []
        assert not host.bench.peer.up
        await host.bench.finish()

    run(scene())


@pytest.mark.parametrize("version", [1, 2])
def test_a_device_in_python_does_commands_whose_id_comes_again_and_more_than_it_asked_for(version: int) -> None:
    async def scene() -> None:
        bench = Bench(store=MemoryStore(), identity=replace(IDENTITY, commands=1))
        host = ByHand(bench, version)
        await host.shake()
        host.say(Welcome(32, None))
        for n in range(3):
            host.say(Command(5, "echo", {"n": n}))
        await until(lambda: len(bench.device.commands) == 3)
        messages = [host.channel.decrypt(body) for body in host.heard.of(FrameType.TRANSPORT)]
        results = [Result(5, {"n": n}) for n in range(3)]
        if host.language is None:
            assert [data for data in messages if data[:3] == b"\xa3\x00\x06"] == [one.to_bytes() for one in results]
        else:
            assert [m for data in messages if isinstance(m := host.language.decode(data), Result)] == results
        await bench.finish()

    run(scene())


def test_a_device_answers_each_frame_outside_a_session_by_one_reject() -> None:
    async def scene() -> None:
        host = ByHand(Bench(store=MemoryStore()), 2)
        for _ in range(3):
            host.port.write(encode_frame(FrameType.TRANSPORT, bytes(40)))
        await until(lambda: len(host.heard.of(FrameType.REJECT)) == 3)
        await host.bench.finish()

    run(scene())


@pytest.mark.parametrize("version", [1, 2])
def test_silence_is_told_by_the_host_alone(version: int) -> None:
    async def scene() -> None:
        wire = Tapped()
        bench = await started(Bench(wire=wire, store=MemoryStore(), versions=(1, version)))
        host, device = wire.host, wire.device
        device.alter = lambda data: b""
        host.alter = lambda data: b""
        sent = len(device.written)
        await until(lambda: bench.journal.codes == ["silent"])
        closes = [body for data in host.written for body in FrameDecoder().feed(data)][-1].body
        assert len(closes) == (
            16 + 3 if version == 2 else 16 + 7
        )  # reason 5 and an empty text, under the session's key
        assert not bench.peer.up
        assert len(device.written) - sent <= 6  # statuses and pongs of three seconds, and no farewell
        await bench.finish()

    run(scene())


def test_what_version_2_says_is_the_byte_of_its_kind_and_its_values() -> None:
    host = HostVersion2(hello())
    assert host.encode(Ping(7)) == bytes.fromhex("0807")
    assert host.encode(Post("p", {})) == bytes.fromhex("076170a0")
    assert host.encode(Welcome(32, None, 8192)) == bytes.fromhex("021820f6192000")
    assert DeviceVersion2(BOOT).encode(Status({})) == bytes.fromhex("0aa0")
