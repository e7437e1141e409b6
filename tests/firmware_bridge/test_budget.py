"""A device's budget: one that floods is read no faster than it, loses nothing, and leaves the others their turns."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from firmware_bridge.budget import BUDGET, SLICE, Budget, Pace
from firmware_bridge.facts import LinkCounters, LinkState
from firmware_bridge.framing import Frame, FrameType, encode_frame
from firmware_bridge.inflow import Inflow
from firmware_bridge.memory import memory_pair
from firmware_bridge.pseudo_terminal import PseudoTerminal
from firmware_bridge.serial_transport import open_serial
from firmware_bridge.store import MemoryStore
from firmware_bridge.trail import FrameTrail
from tests.firmware_bridge.support import Bench, Collector, JumpingLoop, now, run, started, until

SMALL = Budget(bytes_per_second=1000.0, bytes_at_once=600.0, events_per_second=10.0, events_at_once=5.0)


# -- the pace alone


def test_a_full_pace_lets_its_burst_through_and_then_its_rate() -> None:
    pace = Pace(SMALL, 0.0)
    for _ in range(5):
        assert pace.wait(0.0) == 0.0
        pace.took_event()
    assert pace.wait(0.0) == pytest.approx(0.1)
    assert pace.wait(0.05) == pytest.approx(0.05)
    assert pace.wait(0.1) == 0.0


def test_bytes_may_go_into_debt_by_one_slice_and_are_paid_back() -> None:
    pace = Pace(SMALL, 0.0)
    pace.took_bytes(600)
    assert pace.wait(0.0) == pytest.approx(SLICE / 1000.0)
    assert pace.wait(SLICE / 1000.0) == 0.0


def test_rest_fills_a_pace_up_to_its_burst_and_no_further() -> None:
    pace = Pace(SMALL, 0.0)
    assert pace.wait(3600.0) == 0.0
    for _ in range(5):
        pace.took_event()
    assert pace.wait(3600.0) > 0.0


def test_the_budget_is_not_below_an_ordinary_line_nor_below_an_adapters() -> None:
    from devices.adapters.side import EVENTS_MAX, SPAN

    assert BUDGET.bytes_per_second > 115_200 / 10
    assert BUDGET.events_per_second == EVENTS_MAX / SPAN


# -- from bytes to frames


def turns() -> int:
    loop = asyncio.get_running_loop()
    assert isinstance(loop, JumpingLoop)
    return loop.turns


class _Scene:
    """An inflow over one end in memory; what it takes is noted with the loop's turn."""

    def __init__(self, budget: Budget, *, events: bool = False) -> None:
        self.host, self.device = memory_pair()
        self.counters = LinkCounters()
        self.taken: list[tuple[float, bytes]] = []
        self.at_once: list[int] = []
        """Frames taken in each turn of the loop."""
        self._turn = -1
        pace = Pace(budget, now())

        def take(frame: Frame) -> None:
            if events:
                pace.took_event()
            self.taken.append((now(), frame.body))
            if self._turn != turns():
                self._turn = turns()
                self.at_once.append(0)
            self.at_once[-1] += 1

        self.inflow = Inflow(self.host, take, pace=pace, counters=self.counters, trail=FrameTrail(now), clock=now)
        self.host.start(self)

    def received(self, data: bytes) -> None:
        self.inflow.received(data)

    def lost(self, _error: object) -> None:
        self.inflow.close()

    def writable(self) -> None:
        raise AssertionError("nothing is written here")

    def flood(self, frames: int, body: int = 20) -> None:
        for number in range(frames):
            self.device.write(encode_frame(FrameType.TRANSPORT, number.to_bytes(4, "big") + bytes(body - 4)))

    @property
    def numbers(self) -> list[int]:
        return [int.from_bytes(body[:4], "big") for _, body in self.taken]

    def is_held(self) -> bool:
        return self.host._held

    def close(self) -> None:
        self.inflow.close()


def in_a_loop(scene: Callable[[], Coroutine[Any, Any, None]]) -> None:
    run(scene())


def test_what_is_within_the_budget_is_taken_in_the_very_call() -> None:
    async def scene() -> None:
        one = _Scene(BUDGET)
        one.inflow.received(encode_frame(FrameType.TRANSPORT, b"card"))
        assert [body for _, body in one.taken] == [b"card"]
        assert one.counters.pauses == 0
        one.close()

    in_a_loop(scene)


def test_a_flood_of_bytes_is_taken_at_the_budgets_rate_whole_and_in_order() -> None:
    async def scene() -> None:
        one = _Scene(SMALL)
        one.flood(1000)  # 28 bytes each
        begun = now()
        await until(lambda: len(one.taken) == 1000)
        assert one.numbers == list(range(1000))
        assert now() - begun == pytest.approx((28 * 1000 - 600) / 1000.0, rel=0.05)
        for second in range(1, 25):
            taken = sum(at - begun <= second for at, _ in one.taken) * 28
            assert taken <= 600 + 1000 * second + 2 * SLICE
            assert taken >= 1000 * second - 2 * SLICE  # nor is it starved
        assert one.counters.pauses > 20
        assert one.counters.paused == pytest.approx(now() - begun, rel=0.1)
        one.close()

    in_a_loop(scene)


def test_a_flood_of_events_is_taken_one_by_one_at_its_own_rate() -> None:
    async def scene() -> None:
        one = _Scene(Budget(events_per_second=10.0, events_at_once=5.0), events=True)
        one.flood(105)
        begun = now()
        await until(lambda: len(one.taken) == 105)
        assert one.numbers == list(range(105))
        assert now() - begun == pytest.approx(10.0, rel=0.02)
        gaps = [later - earlier for (earlier, _), (later, _) in zip(one.taken[5:], one.taken[6:], strict=False)]
        assert max(gaps) == pytest.approx(0.1, rel=0.01)
        one.close()

    in_a_loop(scene)


def test_noise_uses_up_the_budget_too() -> None:
    async def scene() -> None:
        one = _Scene(SMALL)
        one.device.write(b"noise\0" * 2000)
        begun = now()
        await until(lambda: one.counters.bad_frames == 2000)
        assert now() - begun == pytest.approx(11.4, rel=0.05)
        one.close()

    in_a_loop(scene)


def test_within_its_burst_a_device_has_one_slice_in_a_turn_of_the_loop() -> None:
    async def scene() -> None:
        one = _Scene(Budget(bytes_at_once=1e6))
        one.host.arrive(b"".join(encode_frame(FrameType.TRANSPORT, bytes(20)) for _ in range(500)))
        await until(lambda: len(one.taken) == 500)
        assert one.counters.pauses == 0
        assert max(one.at_once) <= SLICE // 28 + 1
        one.close()

    in_a_loop(scene)


def test_two_that_flood_are_served_by_turns() -> None:
    async def scene() -> None:
        order: list[str] = []
        links: list[Inflow] = []
        for name in ("a", "b"):
            host, _ = memory_pair()
            pace = Pace(Budget(bytes_at_once=1e6), now())
            links.append(
                Inflow(
                    host, lambda _, name=name: order.append(name),  # type: ignore[misc]
                    pace=pace, counters=LinkCounters(), trail=FrameTrail(now), clock=now,
                )
            )  # fmt: skip
        data = b"".join(encode_frame(FrameType.TRANSPORT, bytes(20)) for _ in range(500))
        for link in links:
            link.received(data)
        await until(lambda: len(order) == 1000)
        a_turn = SLICE // 28 + 1
        for upto in range(len(order)):
            a = order[:upto].count("a")
            assert abs(2 * a - upto) <= 2 * a_turn
        for link in links:
            link.close()

    in_a_loop(scene)


def test_a_transport_is_held_while_something_waits_and_read_again_afterwards() -> None:
    async def scene() -> None:
        one = _Scene(SMALL)
        one.flood(100)
        await until(lambda: one.counters.pauses > 0)
        assert one.is_held()
        assert len(one.inflow._bytes) + 28 * len(one.inflow._frames) <= 2 * SLICE  # the rest waits outside
        await until(lambda: len(one.taken) == 100)
        assert not one.is_held()
        one.close()

    in_a_loop(scene)


def test_a_handler_that_fails_leaves_no_transport_held() -> None:
    async def scene() -> None:
        failures: list[dict[str, Any]] = []
        asyncio.get_running_loop().set_exception_handler(lambda _, context: failures.append(context))
        host, device = memory_pair()
        left, taken = [2], []

        def take(frame: Frame) -> None:
            taken.append(frame)
            if left[0]:
                left[0] -= 1
                raise RuntimeError("the handler's own")

        inflow = Inflow(host, take, pace=Pace(BUDGET, now()), counters=LinkCounters(), trail=FrameTrail(now), clock=now)
        host.start(_Into(inflow))
        for _ in range(100):
            device.write(encode_frame(FrameType.TRANSPORT, bytes(1000)))
        await until(lambda: len(taken) == 100)
        await asyncio.sleep(1.0)
        assert [str(context["exception"]) for context in failures] == ["the handler's own"] * 2
        assert not host._held

    in_a_loop(scene)


class _Into:
    def __init__(self, inflow: Inflow) -> None:
        self.received = inflow.received

    def lost(self, _error: object) -> None:
        raise AssertionError("it is not lost")

    def writable(self) -> None:
        raise AssertionError("nothing is written")


# -- a whole link


def test_a_device_that_floods_with_events_loses_none_and_stays_up() -> None:
    async def scene() -> None:
        bench = Bench(store=MemoryStore(), budget=SMALL)
        await started(bench)
        begun = now()
        for n in range(1, 206):
            bench.emit(n)
        await until(lambda: len(bench.journal.events) == 205)
        assert bench.journal.bodies == list(range(1, 206))
        assert now() - begun == pytest.approx(20.0, rel=0.05)
        assert bench.journal.downs == []
        assert bench.link.counters.pauses > 0
        await bench.finish()

    run(scene())


def test_what_a_device_kept_comes_at_its_rate_and_then_its_state() -> None:
    async def scene() -> None:
        bench = Bench(store=MemoryStore(), budget=SMALL)
        for n in range(1, 206):
            bench.emit(n)
        await started(bench)
        assert bench.journal.events_at_up == [205]
        assert bench.journal.downs == []
        await bench.finish()

    run(scene())


def test_a_flood_of_statuses_leaves_the_link_up_and_its_events_in_order() -> None:
    async def scene() -> None:
        bench = await started(Bench(store=MemoryStore(), budget=SMALL))
        for n in range(1, 21):
            for _ in range(50):
                bench.peer._status()
            bench.emit(n)
        await until(lambda: len(bench.journal.events) == 20)
        assert bench.journal.bodies == list(range(1, 21))
        assert len(bench.journal.statuses) >= 1000
        assert bench.journal.downs == []
        assert bench.link.state is LinkState.UP
        await bench.finish()

    run(scene())


# -- a real descriptor


def test_a_serial_port_that_is_held_leaves_the_bytes_to_the_kernel(tmp_path: Any) -> None:
    async def scene() -> None:
        terminal = PseudoTerminal(tmp_path / "port")
        terminal.start(Collector())
        port = await open_serial(str(terminal.path), allowed=[str(terminal.path)])
        heard = Collector()
        port.start(heard)
        terminal.write(b"one")
        await until(lambda: heard.data == b"one")
        port.hold()
        terminal.write(b"two")
        for _ in range(50):
            await asyncio.sleep(0)
        assert heard.data == b"one"
        port.resume()
        await until(lambda: heard.data == b"onetwo")
        port.close()
        port.resume()  # after its end it has no effect
        terminal.close()

    run(scene(), jumping=False)
