"""The device's end: what it answers, what it refuses, and how it goes on when its own device fails."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from firmware_bridge.errors import MessageError, PendingFullError
from firmware_bridge.framing import FrameType, encode_frame
from firmware_bridge.memory import memory_pair
from firmware_bridge.messages import Ack, Close, CloseReason, Ping, StateRead, Welcome
from firmware_bridge.peer import DevicePeer
from firmware_bridge.reject import Reject, RejectCode
from firmware_bridge.session import Channel, HostHandshake
from firmware_bridge.store import MemoryStore
from tests.firmware_bridge.support import IDENTITY, KEY, Bench, Collector, Device, now, run


class Hand:
    """A host worked by hand over one wire."""

    def __init__(self, peer: DevicePeer) -> None:
        self.port, device = memory_pair()
        self.heard = Collector()
        self.port.start(self.heard)
        self.serving = asyncio.ensure_future(peer.serve(device))
        self.channel: Channel | None = None

    async def say(self, kind: FrameType, body: bytes) -> None:
        self.port.write(encode_frame(kind, body))
        await asyncio.sleep(0.01)

    async def shake(self) -> None:
        handshake = HostHandshake(KEY, "shoe", 1)
        await self.say(FrameType.HANDSHAKE_REQUEST, handshake.request)
        self.channel, _ = handshake.read_answer(self.heard.of(FrameType.HANDSHAKE_ANSWER)[-1][4:])
        self.heard.data.clear()

    async def send(self, message: bytes) -> None:
        assert self.channel is not None
        await self.say(FrameType.TRANSPORT, self.channel.encrypt(message))

    def rejects(self) -> list[RejectCode]:
        return [Reject.from_bytes(body[4:]).code for body in self.heard.of(FrameType.REJECT)]

    async def leave(self) -> None:
        self.serving.cancel()
        await asyncio.gather(self.serving, return_exceptions=True)


def test_it_says_nothing_before_the_welcome_and_forgets_the_keys_without_one() -> None:
    async def scene() -> None:
        peer = DevicePeer(IDENTITY, Device(), clock=now)
        peer.emit({"n": 1})
        hand = Hand(peer)
        await asyncio.sleep(10)
        assert hand.heard.data == b""
        await hand.shake()
        await asyncio.sleep(0.9)
        assert hand.heard.data == b""
        await asyncio.sleep(0.2)
        await hand.send(Welcome(32, None).to_bytes())
        assert hand.rejects() == [RejectCode.NO_SESSION]
        await hand.leave()

    run(scene())


@pytest.mark.parametrize("first", [Ping(1), Ack(b"12345678", 1), StateRead(1)], ids=["ping", "ack", "state read"])
def test_the_welcome_comes_first(first: Any) -> None:
    async def scene() -> None:
        peer = DevicePeer(IDENTITY, Device(), clock=now)
        hand = Hand(peer)
        await hand.shake()
        await hand.send(first.to_bytes())
        assert not peer.up
        assert hand.heard.data == b""
        await hand.send(Welcome(32, None).to_bytes())
        assert hand.rejects() == [RejectCode.NO_SESSION]
        await hand.leave()

    run(scene())


def test_a_forged_frame_before_the_welcome_is_not_answered() -> None:
    async def scene() -> None:
        peer = DevicePeer(IDENTITY, Device(), clock=now)
        hand = Hand(peer)
        await hand.shake()
        await hand.say(FrameType.TRANSPORT, b"forged forged forged")
        assert hand.heard.data == b""
        await hand.send(Welcome(32, None).to_bytes())
        assert not peer.up
        assert hand.rejects() == [RejectCode.NO_SESSION]
        await hand.leave()

    run(scene())


def test_a_second_welcome_malformed_messages_and_forged_frames_end_the_session() -> None:
    async def scene() -> None:
        peer = DevicePeer(IDENTITY, Device(), clock=now)
        hand = Hand(peer)
        for last in (Welcome(32, None).to_bytes(), b"\xa0", b"nonsense"):
            await hand.shake()
            await hand.send(Welcome(32, None).to_bytes())
            assert peer.up
            await hand.send(last)
            assert not peer.up
        await hand.shake()
        await hand.send(Welcome(32, None).to_bytes())
        await hand.say(FrameType.TRANSPORT, b"forged forged forged")
        assert not peer.up
        await hand.shake()
        await hand.send(Welcome(32, None).to_bytes())
        await hand.send(Close(CloseReason.STOPPING, "").to_bytes())
        assert not peer.up
        await hand.leave()

    run(scene())


def test_requests_it_cannot_take_leave_its_session_alone() -> None:
    async def scene() -> None:
        peer = DevicePeer(IDENTITY, Device(), clock=now)
        hand = Hand(peer)
        await hand.shake()
        await hand.send(Welcome(32, None).to_bytes())
        for kind, body in [
            (FrameType.HANDSHAKE_REQUEST, b"short"),
            (FrameType.HANDSHAKE_REQUEST, bytes(49)),
            (FrameType.HANDSHAKE_REQUEST, b"\x01" + bytes(48)),
            (FrameType.HANDSHAKE_ANSWER, bytes(80)),
            (FrameType.REJECT, b"\0\0\0\0\xa0"),
        ]:
            await hand.say(kind, body)
            assert peer.up
        assert hand.rejects() == [RejectCode.UNSUPPORTED_VERSION, RejectCode.NOT_AUTHENTIC]
        await hand.leave()

    run(scene())


def test_a_full_store_refuses_or_waits() -> None:
    async def scene() -> None:
        bench = Bench(store=MemoryStore(3))
        for n in (1, 2, 3):
            bench.emit(n)
        assert bench.peer.full
        with pytest.raises(PendingFullError):
            bench.emit(4)
        waiting = bench.spawn(bench.peer.emit_when_room({"n": 4}))
        await asyncio.sleep(1)
        assert not waiting.done()
        bench.start()
        assert await waiting == 4
        await bench.up()
        await asyncio.sleep(0.1)
        assert bench.journal.bodies == [1, 2, 3, 4]
        assert bench.peer.pending == 0
        await bench.finish()

    run(scene())


def test_one_transport_at_a_time_and_another_after_it() -> None:
    async def scene() -> None:
        peer = DevicePeer(IDENTITY, Device(), clock=now)
        hand = Hand(peer)
        await asyncio.sleep(0)
        with pytest.raises(RuntimeError, match="serves a transport already"):
            await peer.serve(memory_pair()[1])
        hand.port.close()
        await hand.serving
        again = Hand(peer)
        await again.shake()
        await again.leave()

    run(scene())


class Broken(Device):
    def __init__(self, what: str) -> None:
        super().__init__()
        self.what = what

    def _or_fail(self, what: str) -> Mapping[str, Any]:
        if what == self.what:
            raise LookupError(what)
        return {}

    def state(self) -> Mapping[str, Any]:
        return self._or_fail("state")

    def status(self) -> Mapping[str, Any]:
        return self._or_fail("status")

    def command(self, name: str, args: Mapping[str, Any]) -> Any:
        return self._later() if self.what == "late command" else self._or_fail("command")

    def post(self, name: str, args: Mapping[str, Any]) -> None:
        self._or_fail("post")

    async def _later(self) -> Mapping[str, Any]:
        return self._or_fail("late command")


@pytest.mark.parametrize("what", ["state", "status", "command", "late command", "post"])
def test_a_failing_device_is_seen_where_it_is_served(what: str) -> None:
    async def scene() -> None:
        bench = Bench()
        bench.device = Broken(what)
        bench.peer = bench.new_peer()
        bench.link.post("lamp", {})
        bench.start()
        if what in ("command", "late command"):
            await bench.up()
            bench.spawn(bench.link.command("any", {}))
        await asyncio.sleep(2)
        assert bench._peer_task is not None
        with pytest.raises(LookupError, match=what):
            await bench._peer_task
        await bench.finish()

    run(scene())


def test_a_late_result_of_an_earlier_session_goes_nowhere() -> None:
    async def scene() -> None:
        bench = Bench()
        bench.start()
        await bench.up()
        command = bench.spawn(bench.link.command("slow", {}))
        await asyncio.sleep(0.01)
        bench.cut()
        await asyncio.gather(command, return_exceptions=True)
        await bench.up(2)
        assert bench.device.slow is not None
        assert bench.device.slow.cancelled()
        assert bench.journal.codes == ["unplugged"]
        await bench.finish()

    run(scene())


def test_what_an_identity_cannot_be() -> None:
    with pytest.raises(ValueError, match="1 to 16 commands"):
        replace(IDENTITY, commands=17)
    assert "key" not in repr(IDENTITY)


def test_an_event_too_long_is_refused_where_it_is_made() -> None:
    async def scene() -> None:
        peer = DevicePeer(IDENTITY, Device(), clock=now)
        with pytest.raises(MessageError, match="event has"):
            peer.emit({"text": "x" * 3000})
        assert peer.pending == 0
        peer.close()  # without a session: nothing to close

    run(scene())
