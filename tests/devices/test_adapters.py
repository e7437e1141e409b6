"""Whatever an adapter does, its link names it and goes on: raising, hanging, speaking out of turn."""

import asyncio
import logging
import threading
import time
from typing import Any

import pytest

from devices.adapters import AdapterFault, AdapterStopped, FaultCode, NoSettings, Place, TableSide
from devices.adapters import link as link_module
from devices.adapters.link import AdapterLink
from devices.adapters.loading import PATIENCE
from devices.adapters.side import Side
from firmware_bridge.facts import LinkState
from tests.devices.scripted_adapter import OUT, STATE, Heard, Script, Scripted, scene, serve
from tests.firmware_bridge.support import run as run_scene
from tests.running import eventually, turns


def test_what_an_adapter_says_reaches_the_table_in_order_and_the_record_comes_back() -> None:
    committed: list[bool] = []

    def script(_self: Scripted, table: TableSide) -> None:
        table.up(STATE, serial="S1", firmware="1.2")
        body = dict(OUT)
        numbers = [table.event(body) for _ in range(3)]
        body["card"] = "As"  # what it does to its own afterwards changes nothing
        table.status({"mv": 5000})
        committed.append(table.committed(numbers[-1]))
        committed.append(table.committed(numbers[-1], 10.0))
        table.orders(30.0)

    async def act(link: AdapterLink, heard: Heard) -> None:
        await eventually(lambda: heard.statuses)
        identity, state = heard.ups[0]
        assert (identity.serial, identity.firmware, identity.persistent, state) == ("S1", "1.2", False, STATE)
        assert [(seq, body) for _, seq, body in heard.events] == [(1, OUT), (2, OUT), (3, OUT)]
        assert {boot for boot, _, _ in heard.events} == {identity.boot_id}
        assert (link.state, link.fault, link.counters.events, link.authenticated) == (LinkState.UP, None, 3, False)
        await eventually(lambda: committed)
        link.acknowledge(b"another!", 3)
        link.acknowledge(identity.boot_id, 3)
        await eventually(lambda: len(committed) == 2)
        assert committed == [False, True]

    scene(script, act)


def test_orders_are_the_latest_of_each_and_hold_after_a_reconnect() -> None:
    got: list[dict[str, Any]] = []

    def script(self: Scripted, table: TableSide) -> None:
        table.up(STATE)
        got.append(table.orders(30.0))
        if self.runs == 1:
            raise AdapterFault("it was switched off")
        table.orders(30.0)

    async def act(link: AdapterLink, heard: Heard) -> None:
        link.post("gate", {"locked": True})
        link.post("gate", {"locked": False})
        link.post("lamp", {"on": True})
        await eventually(lambda: len(heard.ups) == 2)
        await eventually(lambda: len(got) == 2)
        assert got == [{"gate": {"locked": False}, "lamp": {"on": True}}] * 2

    scene(script, act)


def test_a_device_that_is_gone_is_named_and_tried_again_by_the_same_adapter() -> None:
    def script(self: Scripted, table: TableSide) -> None:
        if self.runs == 2:
            table.up(STATE)
            raise AdapterFault("shoe: the cable is out", FaultCode.UNPLUGGED)
        if self.runs < 4:
            raise AdapterFault("shoe: nobody answers", FaultCode.NO_ANSWER)
        serve(self, table)

    async def act(link: AdapterLink, heard: Heard) -> None:
        await eventually(lambda: len(heard.ups) == 2)
        assert heard.codes == [FaultCode.NO_ANSWER, FaultCode.UNPLUGGED, FaultCode.NO_ANSWER]
        assert heard.downs[1].text == "shoe: the cable is out"
        assert link.counters.reconnects == 1

    assert scene(script, act).made == 1


class _Rude(BaseException):
    pass


@pytest.mark.parametrize("error", [ValueError("card As"), SystemExit(3), KeyboardInterrupt(), _Rude("As")])
def test_whatever_it_raises_is_named_by_kind_and_place_and_never_quoted(
    error: BaseException, caplog: pytest.LogCaptureFixture
) -> None:
    def script(self: Scripted, table: TableSide) -> None:
        if type(self).made < 3:
            raise error
        serve(self, table)

    async def act(_link: AdapterLink, heard: Heard) -> None:
        await eventually(lambda: heard.ups)
        [fault] = heard.downs  # the second time is the same
        assert fault.code is FaultCode.ADAPTER_FAILED
        assert f"the adapter scripted failed ({type(error).__name__} at test_adapters.py:" in fault.text
        assert fault.text.endswith("mend or update the package that has the adapter scripted")
        assert "As" not in fault.text.replace("ASCII", "")

    with caplog.at_level(logging.ERROR):
        assert scene(script, act).made == 3  # a new one each time
    assert len(caplog.records) == 1
    assert "As" not in caplog.text


def test_one_that_comes_back_without_a_word_is_at_fault() -> None:
    async def act(_link: AdapterLink, heard: Heard) -> None:
        await eventually(lambda: heard.downs)
        assert "came back and said nothing of why" in heard.downs[0].text

    scene(lambda _self, _table: None, act)


class HeldClock:
    """A clock that stands until it is moved, and a count of the supervisor's looks at it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 1000.0
        self._looks = 0
        silent_for = Side.silent_for

        def looked(side: Side) -> float:
            self._looks += 1
            return silent_for(side)

        monkeypatch.setattr(Side, "silent_for", looked)
        monkeypatch.setattr(link_module, "LOOK_EVERY", 0.002)

    def __call__(self) -> float:
        return self.now

    async def looked_at(self) -> None:
        """Wait until the supervisor has looked again."""
        looks = self._looks
        await eventually(lambda: self._looks > looks + 1)


def test_one_that_hangs_is_left_behind_and_no_second_one_is_started_beside_it(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = HeldClock(monkeypatch)
    hangs, let_go, after = threading.Event(), threading.Event(), list[str]()

    def script(self: Scripted, table: TableSide) -> None:
        table.up(STATE)
        if type(self).made == 1:
            hangs.set()
            let_go.wait()
            try:
                table.event(OUT)
            except Exception:  # noqa: BLE001 - what a careless adapter does
                after.append("swallowed")
            except AdapterStopped:
                after.append("stopped")
                raise
        while True:
            table.orders(30.0)  # waiting at the table is no hanging

    async def act(link: AdapterLink, heard: Heard) -> None:
        await eventually(lambda: heard.ups and hangs.is_set())
        clock.now += PATIENCE
        await clock.looked_at()
        assert heard.downs == []
        clock.now += 0.1
        await eventually(lambda: heard.downs)
        assert heard.codes == [FaultCode.ADAPTER_HANGS]
        assert "restart feltd between two rounds" in heard.downs[0].text
        assert (link.state, link.fault) == (LinkState.WAITING, heard.downs[0])
        await turns()
        assert [thread.name for thread in threading.enumerate()].count("adapter shoe") == 1
        assert len(heard.ups) == 1
        let_go.set()
        await eventually(lambda: len(heard.ups) == 2 and after)
        clock.now += 10 * PATIENCE
        await clock.looked_at()
        assert after == ["stopped"]
        assert heard.events == []
        assert heard.codes == [FaultCode.ADAPTER_HANGS]

    assert scene(script, act, clock=clock).made == 2


def test_one_that_takes_its_time_to_find_its_device_does_not_hang_yet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(link_module, "FAREWELL", 0.05)
    clock = HeldClock(monkeypatch)
    found, never = threading.Event(), threading.Event()

    def script(self: Scripted, table: TableSide) -> None:
        if type(self).made == 1:
            found.wait()
        else:
            never.wait()
        table.up(STATE)
        if type(self).made == 1:
            raise ValueError

    async def act(_link: AdapterLink, heard: Heard) -> None:
        clock.now += link_module.LOADING
        await clock.looked_at()
        assert heard.downs == []
        found.set()
        await eventually(lambda: heard.downs)
        assert heard.codes == [FaultCode.ADAPTER_FAILED]

        def hangs_by_now() -> bool:
            clock.now += link_module.LOADING  # the second run begins at a time that the test cannot see
            return FaultCode.ADAPTER_HANGS in heard.codes

        await eventually(hangs_by_now)
        assert heard.codes == [FaultCode.ADAPTER_FAILED, FaultCode.ADAPTER_HANGS]
        assert "has not come back for 30 s" in heard.downs[1].text
        assert len(heard.ups) == 1

    scene(script, act, clock=clock)
    never.set()


def test_a_link_that_ends_waits_for_no_hanging_adapter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(link_module, "FAREWELL", 0.05)
    let_go, ended = threading.Event(), threading.Event()

    async def act(_link: AdapterLink, heard: Heard) -> None:
        await eventually(lambda: heard.ups)

    def script(_self: Scripted, table: TableSide) -> None:
        table.up(STATE)
        let_go.wait()
        ended.set()

    scene(script, act)
    assert not ended.is_set()
    let_go.set()
    assert ended.wait()


def test_a_device_that_restarts_says_up_again_and_nothing_is_held_up() -> None:
    def script(_self: Scripted, table: TableSide) -> None:
        for _ in range(3):
            table.up(STATE)
            for _ in range(20):
                table.event(OUT)
        table.orders(30.0)

    async def act(link: AdapterLink, heard: Heard) -> None:
        await eventually(lambda: len(heard.events) == 32)
        for boot, seq, _ in list(heard.events):
            link.acknowledge(boot, seq)
        await eventually(lambda: len(heard.events) == 60)
        assert len({boot for boot, _, _ in heard.events}) == 3
        assert [seq for _, seq, _ in heard.events] == list(range(1, 61))

    scene(script, act)


@pytest.mark.parametrize(
    "script",
    [
        lambda _self, table: table.event(OUT),
        lambda _self, table: table.up(["no map"]),
        lambda _self, table: table.up({"a": object()}),
        lambda _self, table: table.up(STATE, serial="S\n1"),
        lambda _self, table: (table.up(STATE), table.event({"ev": {1, 2}})),
        lambda _self, table: (table.up(STATE), table.status({"note": "x" * 3000})),
    ],
)
def test_what_cannot_be_said_is_the_adapters_fault(script: Script) -> None:
    async def act(_link: AdapterLink, heard: Heard) -> None:
        await eventually(lambda: heard.downs)
        assert heard.codes[0] in (FaultCode.ADAPTER_FAILED, FaultCode.MALFORMED)
        assert heard.events == []

    scene(script, act)


def test_another_device_than_the_one_wanted_is_refused_by_its_own_word() -> None:
    begun: list[TableSide] = []

    def script(self: Scripted, table: TableSide) -> None:
        begun.append(table)
        serve(self, table)

    async def act(link: AdapterLink, heard: Heard) -> None:
        await eventually(lambda: heard.downs)
        assert heard.codes == [FaultCode.UNKNOWN_DEVICE]
        assert "says it is S1, this slot is for S2" in heard.downs[0].text
        assert heard.ups == []
        await eventually(lambda: len(begun) > 1)  # and tries again

    scene(script, act, wanted_serial="S2")


def test_the_last_orders_are_given_before_the_end() -> None:
    got: list[dict[str, Any]] = []
    ended = threading.Event()

    def script(_self: Scripted, table: TableSide) -> None:
        try:
            table.up(STATE)
            while not table.stopping:
                time.sleep(0.001)  # busy with its device
            while True:
                got.append(table.orders(1.0))
        finally:
            ended.set()

    async def act(link: AdapterLink, heard: Heard) -> None:
        await eventually(lambda: heard.ups)
        link.post("gate", {"locked": True})

    scene(script, act)
    assert ended.wait()
    assert got == [{"gate": {"locked": True}}]


def test_something_plugged_in_is_looked_at_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    for wait in ("BACKOFF_FIRST", "BACKOFF_CAP"):
        monkeypatch.setattr(link_module, wait, 3600.0)

    def script(self: Scripted, table: TableSide) -> None:
        if self.runs < 8:
            raise AdapterFault("not there")
        serve(self, table)

    async def act(link: AdapterLink, heard: Heard) -> None:
        while not heard.ups:
            link.look_again()
            await asyncio.sleep(0.002)

    scene(script, act)


def test_a_failure_of_the_daemon_is_not_the_adapters() -> None:
    def script(_self: Scripted, table: TableSide) -> None:
        table.up(STATE)
        table.event(OUT)
        table.orders(30.0)

    async def whole() -> None:
        heard = Heard()
        heard.fail = True
        kind = type("Kind", (Scripted,), {"script": staticmethod(script)})
        link = AdapterLink("shoe", "scripted", "shoe", lambda: kind(Place("shoe"), NoSettings()), heard)
        with pytest.raises(RuntimeError, match="the daemon's own failure"):
            await link.run()

    run_scene(whole(), jumping=False)


def test_what_it_has_not_got() -> None:
    async def act(link: AdapterLink, _heard: Heard) -> None:
        assert link.is_proven() is False
        assert link.last_frames() == ()

    scene(serve, act)
