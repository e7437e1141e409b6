"""The supervisor of a slot: coming up, staying up, going down with a name, coming back."""

import asyncio
import itertools
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from firmware_bridge.errors import MessageError, TransportError
from firmware_bridge.facts import DeviceIdentity
from firmware_bridge.limits import COMMANDS_QUEUED_MAX
from firmware_bridge.link import CommandRefused, FaultCode, LinkDown, LinkFault, LinkState
from firmware_bridge.memory import MemoryTransport, memory_pair
from firmware_bridge.store import MemoryStore
from firmware_bridge.transport import Transport
from tests.firmware_bridge.support import IDENTITY, KEY, SPEC, Bench, Hindrance, Journal, now, run, until


class Deaf(Hindrance):
    """Loses everything that is written, once it is told to."""

    deaf = False

    def write(self, data: bytes) -> None:
        if not self.deaf:
            self.inner.write(data)


class Narrow(Hindrance):
    """Congested for as long as it is told to be."""

    narrow = False

    @property
    def congested(self) -> bool:
        return self.narrow


async def started(bench: Bench) -> Bench:
    bench.start()
    await bench.up()
    return bench


def test_up_with_identity_and_state() -> None:
    async def scene() -> None:
        bench = Bench()
        assert bench.link.state.value == "stopped"
        await started(bench)
        assert bench.link.state is LinkState.UP
        assert bench.journal.ups == [
            (DeviceIdentity("shoe", "S-1", "test 1", 1, bench.peer.boot_id, False), {"last": 0})
        ]
        assert bench.link.fault is None
        assert bench.peer.up
        await asyncio.sleep(3.5)
        assert len(bench.journal.statuses) == 4
        assert bench.link.counters.round_trip is not None
        assert bench.journal.downs == []
        await bench.finish()
        assert bench.link.state.value == "stopped"

    run(scene())


def test_what_the_device_kept_comes_before_the_state_that_includes_it() -> None:
    async def scene() -> None:
        bench = Bench(store=MemoryStore())
        for n in range(1, 101):  # three windows
            bench.emit(n)
        await started(bench)
        assert bench.journal.events_at_up == [100]
        assert bench.journal.ups[0][1] == {"last": 100}
        await bench.finish()

    run(scene())


def test_a_slow_journal_holds_the_device_back_and_is_no_fault() -> None:
    async def scene() -> None:
        journal = Journal(syncing=False)
        bench = Bench(store=MemoryStore(), journal=journal)
        for n in range(1, 101):
            bench.emit(n)
        bench.start()
        await asyncio.sleep(60)
        assert len(journal.events) == 32
        assert bench.link.state is LinkState.CATCHING_UP
        assert journal.downs == []
        journal.syncing = True
        journal.sync()
        await bench.up()
        assert journal.bodies == list(range(1, 101))
        await bench.finish()

    run(scene())


def test_silence_of_three_seconds_is_a_fault_and_it_comes_back() -> None:
    async def scene() -> None:
        ports: list[Deaf] = []

        def wire() -> tuple[Transport, Transport]:
            host, device = memory_pair()
            ports.append(Deaf(device))
            return host, ports[-1]

        bench = await started(Bench(wire=wire))
        await asyncio.sleep(0.5)
        ports[0].deaf = True
        begun = now()
        await until(lambda: bool(bench.journal.downs))
        assert bench.journal.codes == ["silent"]
        assert 2.4 <= now() - begun <= 3.1
        assert "look at its power" in bench.journal.downs[0].text
        await bench.up(2)
        assert bench.link.counters.reconnects == 1
        await bench.finish()

    run(scene())


def test_a_device_that_hears_nothing_for_three_seconds_forgets_its_session() -> None:
    async def scene() -> None:
        ports: list[Deaf] = []

        def wire() -> tuple[Transport, Transport]:
            host, device = memory_pair()
            ports.append(Deaf(host))
            return ports[-1], device

        bench = await started(Bench(wire=wire))
        ports[0].deaf = True
        await asyncio.sleep(3.1)
        assert not bench.peer.up
        await bench.up(2)
        await bench.finish()

    run(scene())


@pytest.mark.parametrize(
    ("changes", "code", "text"),
    [
        ({"key": bytes(32)}, "wrong_key", "key file"),
        ({"role": "reader"}, "wrong_role", "a shoe belongs here"),
        ({"serial": "S-2"}, "unknown_device", "this slot is for S-1"),
        ({"serial": "S-2", "key": bytes(32)}, "unknown_device", "S-1 belongs here"),
        ({"versions": (2, 3)}, "unsupported_version", "2 to 3, the controller 1 to 1: update the controller"),
    ],
    ids=["wrong key", "wrong role", "other device", "other device and key", "version"],
)
def test_who_does_not_belong_there_is_named(changes: Mapping[str, Any], code: str, text: str) -> None:
    async def scene() -> None:
        bench = Bench(identity=replace(IDENTITY, **changes))
        bench.start()
        await asyncio.sleep(30)
        assert bench.journal.codes == [code]  # told once, though it was tried again and again
        assert text in bench.journal.downs[0].text
        assert bench.link.fault is not None
        assert bench.link.fault.code.value == code
        assert bench.journal.ups == []
        assert not bench.peer.up
        assert KEY.hex() not in bench.journal.downs[0].text
        await bench.finish()

    run(scene())


def test_a_slot_without_a_serial_number_takes_any_device_with_the_key() -> None:
    async def scene() -> None:
        bench = Bench(spec=replace(SPEC, serial=None), identity=replace(IDENTITY, serial="S-99"))
        await started(bench)
        assert bench.journal.ups[0][0].serial == "S-99"
        await bench.finish()

    run(scene())


def test_an_older_device_gets_the_version_that_both_speak() -> None:
    async def scene() -> None:
        bench = await started(Bench(versions=(1, 3), identity=replace(IDENTITY, versions=(1, 2))))
        assert bench.journal.ups[0][0].version == 2
        await bench.finish()
        old = Bench(versions=(2, 3), identity=replace(IDENTITY, versions=(1, 1)))
        old.start()
        await until(lambda: bool(old.journal.downs))
        assert old.journal.codes == ["unsupported_version"]
        assert "update the device" in old.journal.downs[0].text
        await old.finish()

    run(scene())


def test_no_answer_backs_off_up_to_the_cap_and_opens_the_port_anew() -> None:
    async def scene() -> None:
        opened: list[float] = []

        async def connect() -> Transport:
            opened.append(now())
            return memory_pair()[0]

        bench = Bench()
        bench.link._connect = connect
        bench.start()
        await asyncio.sleep(60)
        gaps = [round(b - a, 1) for a, b in itertools.pairwise(opened)]
        assert gaps[:8] == [1.1, 1.2, 1.4, 1.8, 2.6, 4.2, 6.0, 6.0]  # one second of waiting in each
        assert bench.journal.codes == ["no_answer"]
        await bench.finish()

    run(scene())


def test_a_port_that_does_not_open_is_told_once_for_each_kind() -> None:
    async def scene() -> None:
        faults = [FaultCode.PORT_MISSING, FaultCode.PORT_MISSING, FaultCode.PORT_BUSY]
        bench = Bench()
        connect = bench.connect

        async def failing() -> Transport:
            if faults:
                raise TransportError(faults.pop(0), "/dev/x: no")
            return await connect()

        bench.link._connect = failing
        bench.start()
        await bench.up()
        assert bench.journal.codes == ["port_missing", "port_busy"]
        await bench.finish()

    run(scene())


def test_unplugged_and_plugged_in_again() -> None:
    async def scene() -> None:
        bench = await started(Bench())
        for n in range(2, 6):
            bench.cut()
            await bench.up(n)
        assert bench.journal.codes == ["unplugged"] * 4
        assert bench.link.counters.reconnects == 4
        assert bench.link.counters.sessions == 5
        await bench.finish()

    run(scene())


def test_unplugged_while_it_waits_to_try_again() -> None:
    async def scene() -> None:
        bench = Bench(identity=replace(IDENTITY, key=bytes(32)))
        bench.start()
        await until(lambda: bool(bench.journal.downs))
        bench.cut()
        await until(lambda: "unplugged" in bench.journal.codes)
        await bench.finish()

    run(scene())


def test_one_link_down_leaves_the_others_alone() -> None:
    async def scene() -> None:
        good, bad = Bench(), Bench(identity=replace(IDENTITY, key=bytes(32)))
        good.start()
        bad.start()
        await asyncio.sleep(30)
        assert good.journal.downs == []
        assert len(good.journal.statuses) >= 30
        await good.finish()
        await bad.finish()

    run(scene())


def test_a_restarted_device_is_found_at_once_and_has_a_new_boot_id() -> None:
    async def scene() -> None:
        bench = await started(Bench(store=MemoryStore(persistent=True)))
        before = bench.peer.boot_id
        begun = now()
        bench.restart_device()
        bench.link.post("lamp", {"on": True})  # anything said reveals it
        await bench.up(2)
        assert now() - begun < 0.5
        assert bench.journal.codes == ["closed_by_device"]
        assert bench.journal.ups[1][0].boot_id == bench.peer.boot_id != before
        assert bench.journal.ups[1][0].persistent
        await bench.finish()

    run(scene())


def test_a_device_that_switches_itself_off_says_so() -> None:
    async def scene() -> None:
        bench = await started(Bench())
        bench.peer.close()
        await until(lambda: bool(bench.journal.downs))
        assert "reason 1" in bench.journal.downs[0].text
        await bench.up(2)
        await bench.finish()

    run(scene())


def test_a_link_stopped_in_order_tells_the_device() -> None:
    async def scene() -> None:
        bench = await started(Bench())
        assert bench._link_task is not None
        bench._link_task.cancel()
        await asyncio.sleep(0.01)
        assert not bench.peer.up
        assert bench.journal.downs == []
        await bench.finish()

    run(scene())


def test_a_link_runs_once_at_a_time() -> None:
    async def scene() -> None:
        bench = await started(Bench())
        with pytest.raises(RuntimeError, match="running already"):
            await bench.link.run()
        await bench.finish()

    run(scene())


# -- commands, posts, state


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

        def wire() -> tuple[Transport, Transport]:
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

        def wire() -> tuple[Transport, Transport]:
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


# -- failures of the handler


@pytest.mark.parametrize("where", ["on_event", "on_up", "on_status", "on_down"])
def test_a_failing_handler_ends_the_link_and_is_seen(where: str) -> None:
    class Failing(Journal):
        pass

    def fail(_self: Failing, *_arguments: object) -> None:
        raise LookupError(where)

    setattr(Failing, where, fail)

    async def scene() -> None:
        bench = Bench(journal=Failing())
        running = bench.spawn(bench.link.run())
        if where == "on_event":
            bench.emit(1)
        if where == "on_down":
            await bench.up()
            bench.cut()
        with pytest.raises(LookupError, match=where):
            await running
        assert bench.link.state is LinkState.STOPPED
        await asyncio.sleep(0.1)
        assert not bench.peer.up
        await bench.finish()

    run(scene())


def test_an_event_never_delivered_cannot_be_acknowledged() -> None:
    async def scene() -> None:
        bench = await started(Bench())
        with pytest.raises(ValueError, match="never delivered"):
            bench.link.acknowledge(b"12345678", 1)
        await bench.finish()

    run(scene())


def test_a_fault_reads_as_its_text() -> None:
    assert str(LinkFault(FaultCode.SILENT, "quiet")) == "quiet"
    assert not isinstance(memory_pair, MemoryTransport)
