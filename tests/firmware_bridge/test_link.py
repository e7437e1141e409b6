"""The supervisor of a slot: coming up, staying up, going down with a name, coming back."""

import asyncio
import itertools
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from firmware_bridge.errors import TransportError
from firmware_bridge.facts import DeviceIdentity
from firmware_bridge.link import FaultCode, LinkFault, LinkState
from firmware_bridge.memory import MemoryTransport, memory_pair
from firmware_bridge.store import MemoryStore
from firmware_bridge.transport import HostTransport
from tests.firmware_bridge.support import IDENTITY, KEY, SPEC, Bench, Hindrance, Journal, now, run, started, until


class Deaf(Hindrance):
    """Loses everything that is written, once it is told to."""

    deaf = False

    def write(self, data: bytes) -> None:
        if not self.deaf:
            self.inner.write(data)


def test_up_with_identity_and_state() -> None:
    async def scene() -> None:
        bench = Bench()
        assert bench.link.state.value == "stopped"
        await started(bench)
        assert bench.link.state is LinkState.UP
        assert bench.journal.ups == [
            (DeviceIdentity("shoe", "S-1", "test 1", 2, bench.peer.boot_id, False), {"last": 0})
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


def test_links_that_came_up_at_different_times_ping_at_common_moments() -> None:
    async def scene() -> None:
        benches = [Bench(), Bench(), Bench()]
        for bench in benches:
            await asyncio.sleep(0.31)
            await started(bench)
        pinged: list[list[float]] = [[], [], []]
        before = [bench.link.counters.frames_sent for bench in benches]
        began = now()
        while now() < began + 20.0:
            await asyncio.sleep(0.01)
            for n, bench in enumerate(benches):
                if bench.link.counters.frames_sent > before[n]:
                    before[n] = bench.link.counters.frames_sent
                    pinged[n].append(now())
        for moments in pinged:
            assert 19 <= len(moments) <= 21  # one a second: no event was told, so nothing else was sent
            assert all((moment + 0.001) % 0.25 < 0.02 for moment in moments)
            assert all(0.97 < later - earlier < 1.03 for earlier, later in itertools.pairwise(moments))
        for bench in benches:
            await bench.finish()

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


def test_a_session_that_ends_after_events_and_before_its_state_went_down_each_time() -> None:
    class Losing(Hindrance):
        """Loses every eighth frame, so that the next one does not authenticate."""

        losing = True
        written = 0

        def write(self, data: bytes) -> None:
            self.written += 1
            if not (self.losing and self.written % 8 == 0):
                self.inner.write(data)

    async def scene() -> None:
        ports: list[Losing] = []

        def wire() -> tuple[HostTransport, HostTransport]:
            host, device = memory_pair()
            ports.append(Losing(device))
            return host, ports[-1]

        bench = Bench(wire=wire, store=MemoryStore())
        for n in range(1, 31):
            bench.emit(n)
        bench.start()
        await until(lambda: len(bench.journal.downs) >= 2)
        assert bench.journal.codes[:2] == ["bad_frame", "bad_frame"]
        assert bench.journal.ups == []
        heard = bench.journal.bodies
        assert heard == list(range(1, len(heard) + 1))
        assert 6 <= len(heard) < 30
        assert [one.boot_id for one in bench.journal.sessions[:2]] == [bench.peer.boot_id] * 2
        for port in ports:
            port.losing = False
        await bench.up()
        assert bench.journal.bodies == list(range(1, 31))
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

        def wire() -> tuple[HostTransport, HostTransport]:
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

        def wire() -> tuple[HostTransport, HostTransport]:
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
        ({"versions": (3, 4)}, "unsupported_version", "3 to 4, the controller 1 to 2: update the controller"),
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

        async def connect() -> HostTransport:
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

        async def failing() -> HostTransport:
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
