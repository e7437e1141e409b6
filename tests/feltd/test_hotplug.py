"""Plugs and the running table: the record, the page, and links that wait."""

import asyncio
import os
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from devices.udev import Happened, News, Plugged
from feltd.table.check.check import Machine, check_file
from feltd.table.config.config import read_config
from feltd.table.links.bridge import Bridge, make_drivers
from feltd.table.links.hotplug import HotPlug
from firmware_bridge.usb_id import UsbId
from tests.feltd.test_config_devices import AT_PORT, LEAST, READER
from tests.running import eventually, turns

USB = 'usb = { vendor = 0x1209, product = 0xc0de, serial = "R1" }\n'
TEXT = LEAST + AT_PORT + READER.format("muck") + USB + "[usb]\n"
R1 = Plugged(UsbId(0x1209, 0xC0DE, "R1"), "1-1", "Reader", frozenset({"/dev/bus/usb/001/002"}))
STICK = Plugged(UsbId(0x0781, 0x5581, "4C53"), "1-2", "Stick")


class FakeBus:
    """A system that says what the test says."""

    def __init__(self, *there: Plugged) -> None:
        self.there = {one.place: one for one in there}
        self.waiting: list[News] = []
        self.read_end, self.write_end = os.pipe()

    def usb_devices(self) -> list[Plugged]:
        return list(self.there.values())

    def usb_device(self, place: str) -> Plugged | None:
        return self.there.get(place)

    def listen(self) -> int:
        return self.read_end

    def news(self) -> list[News]:
        os.read(self.read_end, 100)
        news, self.waiting = self.waiting, []
        return news

    def say(self, *news: News) -> None:
        self.waiting += news
        os.write(self.write_end, b"!")

    def plug(self, one: Plugged) -> None:
        self.there[one.place] = one
        self.say(News(Happened.CAME, one.place, whole=True), News(Happened.CAME, one.place, whole=False))

    def unplug(self, one: Plugged) -> None:
        del self.there[one.place]
        self.say(News(Happened.WENT, one.place, whole=False), News(Happened.WENT, one.place, whole=True))


class Record:
    """A journal's notes."""

    def __init__(self) -> None:
        self.health = SimpleNamespace(accepting=True)
        self.notes: list[tuple[str, dict[str, Any]]] = []

    def append_note(self, note: str, details: dict[str, Any]) -> None:
        self.notes.append((note, details))

    @property
    def changes(self) -> list[tuple[Any, ...]]:
        return [(note["change"], note.get("device"), note["serial"]) for _, note in self.notes]


def play(bus: FakeBus, act: Callable[[Record, Bridge], Any], *, settle: float = 0.0) -> Record:
    config = read_config(TEXT, "table.toml", Path("/etc/feltd"))
    record = Record()

    async def whole() -> None:
        keys = {device.name: bytes(32) for device in config.devices}
        bridge = Bridge(config.devices, keys, {}, make_drivers(config.devices), wall=lambda: 0.0)
        plugs: Any = HotPlug(config, bridge, record, lambda: bus, settle)  # type: ignore[arg-type]  # as much of a journal as it needs
        running = asyncio.ensure_future(plugs.run())
        await asyncio.sleep(0)
        await act(record, bridge)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)

    asyncio.run(whole())
    os.close(bus.read_end)
    os.close(bus.write_end)
    return record


def test_gone_and_back_and_a_stranger_are_in_the_record_and_on_the_page() -> None:
    bus = FakeBus(R1)

    async def act(record: Record, bridge: Bridge) -> None:
        bus.unplug(R1)
        await eventually(lambda: len(record.notes) == 1)
        bus.plug(R1)
        await eventually(lambda: len(record.notes) == 2)
        bus.plug(STICK)
        await eventually(lambda: len(record.notes) == 3)
        texts = [fault.text for fault in bridge.faults]
        assert [fault.device for fault in bridge.faults] == ["usb", "muck", "muck"]
        assert texts[2] == "muck: Reader (USB 1209:c0de serial R1) in socket 1-1 was taken out"
        assert "in socket 1-2 was plugged in and belongs to nobody here: take it out" in texts[0]

    record = play(bus, act)
    assert record.changes == [("gone", "muck", "R1"), ("came", "muck", "R1"), ("not allowed", None, "4C53")]
    assert record.notes[0] == (
        "usb",
        {"change": "gone", "device": "muck", "vendor": "1209", "product": "c0de", "serial": "R1", "socket": "1-1"},
    )


def test_a_stranger_that_is_there_at_the_start_is_told() -> None:
    async def act(record: Record, _bridge: Bridge) -> None:
        await eventually(lambda: record.notes)

    assert play(FakeBus(R1, STICK), act).changes == [("not allowed", None, "4C53")]


def test_what_was_missed_in_a_storm_of_news_is_found_by_looking_at_everything() -> None:
    bus = FakeBus(R1)

    def overrun() -> list[News]:
        os.read(bus.read_end, 100)
        bus.waiting.clear()
        raise OSError(105, "No buffer space available")

    async def act(record: Record, _bridge: Bridge) -> None:
        told, bus.news = bus.news, overrun  # type: ignore[method-assign]
        bus.unplug(R1)
        bus.plug(STICK)
        await eventually(lambda: len(record.notes) == 2)
        bus.news = told  # type: ignore[method-assign]
        bus.plug(R1)
        await eventually(lambda: len(record.notes) == 3)

    changes = play(bus, act).changes
    assert changes == [("gone", "muck", "R1"), ("not allowed", None, "4C53"), ("came", "muck", "R1")]


def test_one_that_is_gone_before_it_was_judged_is_told_all_the_same() -> None:
    bus = FakeBus()

    async def act(record: Record, _bridge: Bridge) -> None:
        bus.plug(STICK)
        await eventually(lambda: not bus.waiting)
        await turns()
        assert record.notes == []
        bus.unplug(STICK)
        await eventually(lambda: len(record.notes) == 2)

    assert play(bus, act, settle=30.0).changes == [("not allowed", None, "4C53"), ("gone", None, "4C53")]


def test_a_link_that_waits_looks_again_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    bus = FakeBus()
    looked: list[str] = []

    async def act(_record: Record, bridge: Bridge) -> None:
        for name, slot in bridge.slots.items():
            monkeypatch.setattr(slot.link, "look_again", lambda name=name: looked.append(name))
        bus.say(News(Happened.WENT, None, whole=False))
        await eventually(lambda: not bus.waiting)
        await turns()
        assert looked == []
        bus.say(News(Happened.CAME, None, whole=False))  # the board's own port
        await eventually(lambda: looked)
        assert looked == ["shoe", "muck"]

    play(bus, act)


def test_while_the_record_cannot_be_kept_the_page_is_told() -> None:
    bus = FakeBus(R1)

    async def act(record: Record, bridge: Bridge) -> None:
        record.health.accepting = False
        bus.unplug(R1)
        await eventually(lambda: bridge.faults)
        assert record.notes == []

    play(bus, act)


def test_a_system_that_tells_nothing_is_no_end(caplog: pytest.LogCaptureFixture) -> None:
    bus = FakeBus()

    def refuse() -> int:
        raise OSError(97, "Address family not supported by protocol")

    bus.listen = refuse  # type: ignore[method-assign]

    async def act(_record: Record, _bridge: Bridge) -> None:
        await eventually(lambda: "plugs are noticed by looking again" in caplog.text)

    play(bus, act)


def asked(tmp_path: Path, there: list[Plugged], *, may: bool = True) -> tuple[list[str], list[str]]:
    file = tmp_path / "table.toml"
    file.write_text(TEXT)
    machine = Machine(may=lambda _path, _mode: may, environment={}, plugged=lambda: there)
    found = check_file(file, machine=machine)
    return [problem.text for problem in found.problems if problem.key == "device.usb"], found.notes


def test_the_check_looks_for_usb_devices_without_opening_them(tmp_path: Path) -> None:
    assert asked(tmp_path, [R1])[0] == []
    missing, _ = asked(tmp_path, [STICK])
    assert missing == [
        'there is no USB 1209:c0de serial R1: is "muck" plugged in and powered? There are: USB 0781:5581 serial 4C53'
    ]
    assert "There are: nothing on USB" in asked(tmp_path, [])[0][0]
    assert asked(tmp_path, [R1, R1])[0] == [
        "there are 2 of USB 1209:c0de serial R1: unplug all but one, or give its serial number"
    ]
    assert (
        "may not read and write USB 1209:c0de serial R1; udev opens what the file names"
        in asked(tmp_path, [R1], may=False)[0][0]
    )
    _, notes = asked(tmp_path, [R1, STICK])
    assert any(
        note.startswith("[usb]: Stick (USB 0781:5581 serial 4C53) in socket 1-2 was plugged in") for note in notes
    )
