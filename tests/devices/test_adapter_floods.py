"""An adapter that says more than the table can take is held to what it can, and nothing of it is lost."""

import asyncio
import threading

import pytest

from devices.adapters import FaultCode, TableSide
from devices.adapters import side as side_module
from devices.adapters.link import AdapterLink
from tests.devices.scripted_adapter import OUT, STATE, Heard, Scripted, scene
from tests.running import eventually


def test_a_flood_waits_for_the_record() -> None:
    said = [0]

    def script(_self: Scripted, table: TableSide) -> None:
        table.up(STATE)
        while True:
            said[0] = table.event(OUT)

    async def act(link: AdapterLink, heard: Heard) -> None:
        await eventually(lambda: len(heard.events) == 32)
        await asyncio.sleep(0.05)
        assert said == [32]
        link.acknowledge(heard.ups[0][0].boot_id, 10)
        await eventually(lambda: len(heard.events) == 42)
        await asyncio.sleep(0.05)
        assert said == [42]

    scene(script, act)


def test_a_flood_that_the_record_takes_is_no_faster_than_a_serial_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(side_module, "SPAN", 3600.0)

    def script(_self: Scripted, table: TableSide) -> None:
        table.up(STATE)
        while True:
            table.event(OUT)

    async def act(link: AdapterLink, heard: Heard) -> None:
        await eventually(lambda: len(heard.events) == 32)
        link.acknowledge(heard.ups[0][0].boot_id, 1000)
        await eventually(lambda: len(heard.events) == 100)
        await asyncio.sleep(0.05)
        assert len(heard.events) == 100

    scene(script, act)


def test_a_device_that_comes_up_without_end_is_down_and_tried_again_later() -> None:
    def script(_self: Scripted, table: TableSide) -> None:
        while True:
            table.up(STATE)

    async def act(_link: AdapterLink, heard: Heard) -> None:
        await eventually(lambda: heard.downs)
        assert heard.codes == [FaultCode.MALFORMED]
        assert "came up more than 8 times within 10 s: look at its supply" in heard.downs[0].text
        assert len(heard.ups) == 8

    scene(script, act, clock=lambda: 1000.0)


def test_a_flood_of_statuses_waits_for_the_loop() -> None:
    said = [0]

    def script(_self: Scripted, table: TableSide) -> None:
        table.up(STATE)
        while True:
            table.status({"number": said[0]})
            said[0] += 1

    async def act(_link: AdapterLink, heard: Heard) -> None:
        await eventually(lambda: heard.statuses)
        before, taken = said[0], len(heard.statuses)
        threading.Event().wait(0.05)  # the loop has something else to do
        assert said[0] - before <= 2
        await eventually(lambda: len(heard.statuses) > taken + 2)

    scene(script, act)


def test_a_flood_of_statuses_is_held_to_a_budget_and_an_event_still_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(side_module, "SPAN", 3600.0)
    monkeypatch.setattr(side_module, "STATUSES_MAX", 20)

    def script(_self: Scripted, table: TableSide) -> None:
        table.up(STATE)
        for number in range(20):
            table.status({"number": number})
        table.event(OUT)
        while True:
            table.status({"number": -1})

    async def act(_link: AdapterLink, heard: Heard) -> None:
        await eventually(lambda: heard.events)
        await asyncio.sleep(0.05)
        assert [status["number"] for status in heard.statuses] == list(range(20))

    scene(script, act)
