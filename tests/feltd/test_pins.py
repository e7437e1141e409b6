"""The whole path of pins, over gpiozero's mock: configuration, daemon, a line driven, the journal, a lamp."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from devices.pins.on_mock import CHIP
from feltd.door import Person
from feltd.door.devices import TrialKind
from feltd.launcher.running import serving
from feltd.page.metrics import PageCounters, metrics_text
from feltd.record import JournalReader, Span
from feltd.table.config.config import TableConfig, read_config
from feltd.table.daemon.assembly import Daemon
from feltd.table.workshop.device_facts import gather
from feltd.table.workshop.device_keys import DeviceKeyError
from firmware_bridge.errors import FaultCode
from table_fsm.events import TestMode

CONFIG = """
[table]
name = "Table 9"
rulebook = "tas-2018-holdem"
seats = [1, 2, 3]
button = 3
[table.options]
blinds = [100, 200]
[pins]
factory = "mock"
chatter = 10
stuck_seconds = 0.2
quiet_seconds = 0.05
[[pins.key]]
name = "floor_called"
line = 17
[[pins.key]]
name = "test_mode"
line = 18
[[pins.lamp]]
name = "play"
line = 22
[[pins.lamp]]
name = "attention"
line = 27
at_stop = "keep"
[[pins.lamp]]
name = "stop"
line = 23
at_stop = "on"
[[pins.lamp]]
name = "fault"
line = 24
at_stop = "on"
[page]
open_on_loopback = true
[journal]
path = "table.journal"
sealing_key_file = "key"
"""
KEY, SWITCH, PLAY, STOP, FAULT, ATTENTION = 17, 18, 22, 23, 24, 27


@pytest.fixture(autouse=True)
def fresh_pins() -> Iterator[None]:
    CHIP.pins.clear()
    yield
    CHIP.pins.clear()


def configured(folder: Path, new: str = "", old: str = "") -> TableConfig:
    """The configuration, with something in place of something else."""
    (folder / "key").write_bytes(bytes(range(32)))
    return read_config(CONFIG.replace(old, new) if old else CONFIG, "table.toml", folder)


class Scene:
    """A daemon that runs, and what is wired to it."""

    def __init__(self, daemon: Daemon, folder: Path) -> None:
        self.daemon = daemon
        self.folder = folder

    def press(self, line: int) -> None:
        CHIP.pin(line).drive_low()

    def let_go(self, line: int) -> None:
        CHIP.pin(line).drive_high()

    def lit(self, line: int) -> bool:
        return bool(CHIP.pin(line).state)

    async def until(self, what: Callable[[], object]) -> None:
        """Something is so, because something changed."""
        changed = asyncio.Event()
        self.daemon.changes.subscribe(changed.set)
        while not what():
            changed.clear()
            await changed.wait()

    def slot(self, name: str) -> Any:
        return self.daemon.bridge.slots[name]

    def kinds(self) -> list[str]:
        return [alarm["kind"] for alarm in self.daemon.keeper.table.view()["alarms"]]


@asynccontextmanager
async def table(folder: Path, new: str = "", old: str = "") -> AsyncIterator[Scene]:
    async with serving(configured(folder, new, old), port=0) as running:
        daemon = running.table
        scene = Scene(daemon, folder)
        await scene.until(lambda: all(slot.there for slot in daemon.bridge.slots.values()))
        yield scene


def recorded(folder: Path, name: str) -> list[Any]:
    with JournalReader.open(folder / "table.journal") as reader:
        return [entry.body for entry in reader.entries(Span(name=name))]


def test_a_key_is_pressed_the_event_is_in_the_journal_and_the_lamp_is_lit(tmp_path: Path) -> None:
    async def scene() -> None:
        async with table(tmp_path) as at:
            assert not at.lit(ATTENTION)
            before = at.daemon.keeper.now
            at.press(KEY)
            after = at.daemon.keeper.now
            await at.until(lambda: "floor_called" in at.kinds())
            assert at.lit(ATTENTION)
            await at.daemon.journal.flush()
            [called] = recorded(tmp_path, "floor.called")
            assert called["by"] == "dealer"
            assert before <= called["t"] <= after  # when the key was pressed, not when it was believed
        assert (at.lit(ATTENTION), at.lit(STOP), at.lit(PLAY)) == (True, True, False)

    asyncio.run(scene())


def test_the_record_names_the_keys_as_it_names_a_device(tmp_path: Path) -> None:
    async def scene() -> None:
        async with table(tmp_path) as at:
            at.press(KEY)
            await at.until(lambda: "floor_called" in at.kinds())
            await at.daemon.journal.flush()

    asyncio.run(scene())
    with JournalReader.open(tmp_path / "table.journal") as reader:
        [entry] = reader.entries(Span(name="floor.called"))
    assert entry.source is not None
    assert (entry.source.device, entry.source.seq) == ("keys:pins", 1)


def test_a_restart_does_not_flicker_a_lamp(tmp_path: Path) -> None:
    async def scene() -> None:
        async with table(tmp_path) as at:
            at.press(KEY)
            await at.until(lambda: at.lit(ATTENTION))
            at.let_go(KEY)
        lamp = CHIP.pin(ATTENTION)
        lamp.clear_states()
        async with table(tmp_path) as at:
            assert at.lit(ATTENTION)
            assert [state.state for state in lamp.states] == [True]

    asyncio.run(scene())


def test_a_chattering_key_is_named_and_shown_and_comes_back(tmp_path: Path) -> None:
    async def scene() -> None:
        async with table(tmp_path) as at:
            for _ in range(10):
                at.press(KEY)
                at.let_go(KEY)
            await at.until(lambda: at.slot("keys:pins").disabled)
            assert at.kinds() == ["device_offline"]
            [fault] = at.daemon.bridge.faults
            assert fault.text.startswith("keys:pins: floor_called (line 17) is chattering: it is disabled until")
            door = at.daemon.door
            metrics = metrics_text(door.now(), await door.counters(), PageCounters(0, 0, {}))
            assert b'feltd_input_disabled{device="keys:pins",input="floor_called"} 1.0' in metrics
            assert at.lit(FAULT)
            at.slot("keys:pins").link.in_order()
            await at.until(lambda: not at.slot("keys:pins").disabled)
            assert not at.lit(FAULT)
            assert b"feltd_input_disabled{" not in metrics_text(
                door.now(), await door.counters(), PageCounters(0, 0, {})
            )
            at.press(KEY)
            await at.until(lambda: "floor_called" in at.kinds())
            await at.daemon.journal.flush()
            told = [body["reason"] for body in recorded(tmp_path, "device.state") if body["device"] == "keys:pins"]
            assert told[-2:] == [
                "disabled: floor_called (line 17) is chattering", told[0],
            ], "it comes with its own word, which exports repeat"  # fmt: skip

    asyncio.run(scene())


def test_the_switch_begins_and_ends_test_mode(tmp_path: Path) -> None:
    async def scene() -> None:
        async with table(tmp_path) as at:
            at.press(SWITCH)
            await at.until(lambda: at.daemon.keeper.standing.testing)
            at.let_go(SWITCH)
            await at.until(lambda: not at.daemon.keeper.standing.testing)

    asyncio.run(scene())


TECHNICIAN = Person("tina", "tina", "technician", "127.0.0.1")


def test_lamps_and_keys_on_pins_are_tested_from_the_page_as_those_on_a_wire(tmp_path: Path) -> None:
    async def scene() -> None:
        async with table(tmp_path) as at:
            tests = at.daemon.workshop.tests
            assert (at.slot("keys:pins").driver.trials, at.slot("indicators:pins").driver.trials) == (
                (TrialKind.LISTEN,), (TrialKind.LAMP,),
            )  # fmt: skip
            at.daemon.keeper.act(TECHNICIAN, None, TestMode(t=0.0, on=True))
            tests.begin(TECHNICIAN, "indicators:pins", TrialKind.LAMP, lamp="play")
            assert at.lit(PLAY)
            tests.end()
            assert not at.lit(PLAY)
            trial = tests.begin(TECHNICIAN, "keys:pins", TrialKind.LISTEN, expect="floor_called")
            at.press(KEY)
            await at.until(lambda: trial.passed)
            assert "floor_called" not in at.kinds()  # a test never changes the game

    asyncio.run(scene())


def test_the_technicians_view_shows_pins_and_a_person_puts_an_input_back(tmp_path: Path) -> None:
    async def scene() -> None:
        async with table(tmp_path) as at:
            for _ in range(10):
                at.press(KEY)
                at.let_go(KEY)
            await at.until(lambda: at.slot("keys:pins").disabled)
            workshop = at.daemon.workshop
            [keys, lamps] = gather(workshop, at.daemon.lag, None).devices
            assert (keys.name, keys.port, keys.key.changeable) == ("keys:pins", "mock, lines 17, 18", False)
            assert [(one.name, one.place, one.trouble) for one in keys.disabled] == [
                ("floor_called", "line 17", "chattering")
            ]
            assert (lamps.lamps, lamps.disabled) == (("play", "attention", "stop", "fault"), ())
            workshop.accept(TECHNICIAN, "keys:pins")
            assert gather(workshop, at.daemon.lag, None).devices[0].disabled == ()
            with pytest.raises(DeviceKeyError, match="keys:pins: it is on pins"):
                workshop.new_key(TECHNICIAN, "keys:pins", None)

    asyncio.run(scene())


def test_the_gate_is_shut_until_every_device_has_come_and_when_feltd_stops(tmp_path: Path) -> None:
    badge = '[[device]]\nname = "badge"\nrole = "badge"\nport = "/dev/serial/by-id/none"\nkey_file = "key"\n'

    async def scene() -> None:
        async with serving(configured(tmp_path, f"[pins.gate]\nline = 25\n{badge}[page]", "[page]"), port=0) as running:
            daemon = running.table
            at = Scene(daemon, tmp_path)
            await at.until(lambda: at.slot("gate:pins").there)
            assert not at.lit(25)
            daemon.bridge.give_up_waiting()  # the badge reader is missing: no game needs it
            assert at.lit(25)
            daemon.bridge.stop_play("the disk is full")
            assert not at.lit(25)
            daemon.bridge.resume_play()
            assert at.lit(25)
        assert not at.lit(25)

    asyncio.run(scene())


def test_lines_that_cannot_be_had_leave_the_page_up_and_the_table_is_told(tmp_path: Path) -> None:
    """No chip of that label is on the machine that runs this: its name is nobody's."""

    async def scene() -> None:
        config = configured(tmp_path, 'chip = "no such chip"', 'factory = "mock"')
        async with serving(config, port=0) as running:
            daemon = running.table
            at = Scene(daemon, tmp_path)
            await at.until(lambda: all(slot.there is False for slot in daemon.bridge.slots.values()))
            fault = at.slot("keys:pins").link.fault
            assert fault.code is FaultCode.PORT_MISSING
            assert 'no GPIO chip has the label "no such chip"' in fault.text
            assert at.daemon.bridge.indicating.troubled

    asyncio.run(scene())
