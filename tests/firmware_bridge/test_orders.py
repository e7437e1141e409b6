"""What a link carries besides events: commands and results, posts, the state; and what waits while congested."""

import asyncio
from dataclasses import replace

import pytest

from firmware_bridge.errors import MessageError
from firmware_bridge.limits import COMMANDS_QUEUED_MAX
from firmware_bridge.link import CommandRefused, LinkDown, LinkState
from firmware_bridge.memory import memory_pair
from firmware_bridge.store import MemoryStore
from firmware_bridge.transport import HostTransport
from tests.firmware_bridge.support import IDENTITY, Bench, Hindrance, Journal, now, run, started, until


class Narrow(Hindrance):
    """Congested for as long as it is told to be."""

    narrow = False

    @property
    def congested(self) -> bool:
        return self.narrow


def test_commands_give_results_or_refusals() -> None:
    async def scene() -> None:
        bench = await started(Bench())
        assert await bench.link.command("echo", {"a": [1, b"2"]}) == {"a": [1, b"2"]}
        with pytest.raises(CommandRefused, match=r"'nonsense' refused \(unknown\): no such command\?") as caught:
            await bench.link.command("nonsense", {})
        assert caught.value.code == "unknown"
        with pytest.raises(MessageError):
            await bench.link.command("echo", {"a": object()})
        assert bench.link.counters.commands == 3
        await bench.finish()

    run(scene())


def test_so_many_commands_at_once_as_the_device_takes_the_others_in_order_the_rest_refused() -> None:
    async def scene() -> None:
        bench = await started(Bench(identity=replace(IDENTITY, commands=2)))
        slow = bench.spawn(bench.link.command("slow", {}))
        await until(lambda: bench.device.slow is not None)
        first_slow = bench.device.slow
        other = bench.spawn(bench.link.command("slow", {}))
        await until(lambda: bench.device.slow is not first_slow)
        waiting = [bench.spawn(bench.link.command("echo", {"n": n})) for n in range(COMMANDS_QUEUED_MAX)]
        await asyncio.sleep(0)
        with pytest.raises(CommandRefused, match="queue_full"):
            await bench.link.command("echo", {})
        assert len(bench.device.commands) == 2
        waiting[5].cancel()  # a caller that goes away: its command is never sent
        assert bench.device.slow is not None
        assert first_slow is not None
        first_slow.set_result({"done": 1})
        assert await slow == {"done": 1}
        results = await asyncio.gather(*waiting, return_exceptions=True)
        assert [r for r in results if isinstance(r, dict)] == [{"n": n} for n in range(64) if n != 5]
        other.cancel()  # a caller that goes away while the device is at it: the result is dropped
        bench.device.slow.set_exception(CommandRefused("slow", "jam", "stuck"))
        assert await bench.link.command("echo", {"n": 1}) == {"n": 1}
        assert bench.journal.downs == []
        await bench.finish()

    run(scene())


def test_a_command_whose_link_dies_is_told_so() -> None:
    async def scene() -> None:
        bench = Bench()
        with pytest.raises(LinkDown, match="link shoe is down: no session"):
            await bench.link.command("echo", {})
        with pytest.raises(LinkDown):
            await bench.link.read_state()
        await started(bench)
        slow = bench.spawn(bench.link.command("slow", {}))
        reading = bench.spawn(bench.link.read_state())
        await asyncio.sleep(0)
        bench.cut()
        with pytest.raises(LinkDown, match="the other end is gone"):
            await slow
        with pytest.raises(LinkDown):
            await reading
        await bench.up(2)
        assert bench.device.slow is None or bench.device.slow.cancelled()
        await bench.finish()

    run(scene())


def test_a_result_that_does_not_come_within_five_seconds_is_a_fault() -> None:
    async def scene() -> None:
        bench = await started(Bench())
        begun = now()
        with pytest.raises(LinkDown, match="no result of command 'slow'"):
            await bench.link.command("slow", {})
        assert now() - begun == pytest.approx(5, abs=0.1)
        await bench.up(2)
        assert bench.journal.codes == ["no_result"]
        await bench.finish()

    run(scene())


def test_while_it_catches_up_commands_find_the_link_down() -> None:
    async def scene() -> None:
        bench = Bench(store=MemoryStore(), journal=Journal(syncing=False))
        for n in range(50):
            bench.emit(n)
        bench.start()
        await until(lambda: bench.link.state is LinkState.CATCHING_UP)
        with pytest.raises(LinkDown):
            await bench.link.command("echo", {})
        with pytest.raises(LinkDown):
            await bench.link.read_state()
        await bench.finish()

    run(scene())


def test_posts_the_latest_of_a_name_wins_and_is_sent_again() -> None:
    async def scene() -> None:
        bench = Bench()
        bench.link.post("lamp", {"on": False})
        bench.link.post("display", {"text": "a"})
        bench.link.post("lamp", {"on": True})
        await started(bench)
        await asyncio.sleep(0.01)
        assert bench.device.posts == [("display", {"text": "a"}), ("lamp", {"on": True})]
        bench.link.post("display", {"text": "b"})
        await asyncio.sleep(0.01)
        assert bench.device.posts[2:] == [("display", {"text": "b"})]
        bench.cut()
        await bench.up(2)
        await asyncio.sleep(0.01)
        assert bench.device.posts[3:] == [("lamp", {"on": True}), ("display", {"text": "b"})]
        assert bench.link.counters.posts == 5
        await bench.finish()

    run(scene())


def test_posts_have_a_limit_of_names() -> None:
    async def scene() -> None:
        bench = Bench()
        for n in range(64):
            bench.link.post(f"lamp {n}", {})
        bench.link.post("lamp 1", {"on": True})
        with pytest.raises(MessageError, match="64 other names"):
            bench.link.post("one more", {})

    run(scene())


def test_the_state_is_read_again_after_all_that_happened_before() -> None:
    async def scene() -> None:
        bench = await started(Bench())
        bench.emit(7)
        assert await bench.link.read_state() == {"last": 7}
        assert bench.journal.bodies == [7]
        gone = bench.spawn(bench.link.read_state())
        await asyncio.sleep(0)
        gone.cancel()
        both = await asyncio.gather(bench.link.read_state(), bench.link.read_state())
        assert list(both) == [{"last": 7}, {"last": 7}]
        assert bench.journal.downs == []
        await bench.finish()

    run(scene())


def test_a_state_that_does_not_come_is_a_fault() -> None:
    async def scene() -> None:
        bench = Bench()
        bench.peer._pump = lambda: None  # type: ignore[method-assign] # a device that never answers a state read
        bench.start()
        await until(lambda: bool(bench.journal.downs))
        assert bench.journal.codes == ["no_state"]
        await bench.finish()

    run(scene())


def test_while_congested_acknowledgements_and_posts_are_merged() -> None:
    async def scene() -> None:
        ports: list[Narrow] = []

        def wire() -> tuple[HostTransport, HostTransport]:
            host, device = memory_pair()
            ports.append(Narrow(host))
            return ports[-1], device

        bench = await started(Bench(wire=wire, store=MemoryStore()))
        ports[0].narrow = True
        for n in range(5):
            bench.emit(n)
            bench.link.post("lamp", {"n": n})
        await asyncio.sleep(0.1)
        assert (len(bench.journal.events), bench.peer.pending, bench.device.posts) == (5, 5, [])
        ports[0].narrow = False
        sent = bench.link.counters.frames_sent
        receiver = ports[0].inner._receiver
        assert receiver is not None
        receiver.writable()
        await asyncio.sleep(0.1)
        assert (bench.peer.pending, bench.device.posts) == (0, [("lamp", {"n": 4})])
        assert bench.link.counters.frames_sent == sent + 2
        await bench.finish()
        receiver.writable()  # too late, and harmless

    run(scene())


def test_a_congested_device_waits_with_events_and_state_and_goes_on() -> None:
    async def scene() -> None:
        ports: list[Narrow] = []

        def wire() -> tuple[HostTransport, HostTransport]:
            host, device = memory_pair()
            ports.append(Narrow(device))
            ports[-1].narrow = True
            return host, ports[-1]

        bench = Bench(wire=wire, store=MemoryStore())
        bench.emit(1)
        bench.start()
        await asyncio.sleep(2)
        assert bench.link.state is LinkState.CATCHING_UP
        assert bench.journal.events == []
        ports[0].narrow = False
        receiver = ports[0].inner._receiver
        assert receiver is not None
        receiver.writable()
        await asyncio.sleep(0.01)
        assert bench.journal.bodies == [1]
        assert bench.journal.ups[0][1] == {"last": 1}
        await bench.finish()
        receiver.writable()  # of a former transport: no concern of the peer's
        receiver.received(b"x")

    run(scene())
