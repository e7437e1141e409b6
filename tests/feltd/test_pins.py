"""The whole path of pins, over gpiozero's mock: configuration, daemon, a line driven, the journal, a lamp."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from devices.pins.on_mock import CHIP
from feltd.config import TableConfig, read_config
from feltd.daemon import Daemon, serving
from feltd.journal import JournalReader, Span
from feltd.page.metrics import metrics_text
from feltd.page.state import TableFacts

SOON = 10.0
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


def configured(folder: Path) -> TableConfig:
    (folder / "key").write_bytes(bytes(range(32)))
    return read_config(CONFIG, "table.toml", folder)


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
        tell = self.daemon.bridge.changed

        def told() -> None:
            tell()
            changed.set()

        self.daemon.bridge.changed = told
        async with asyncio.timeout(SOON):
            while not what():
                changed.clear()
                await changed.wait()
        self.daemon.bridge.changed = tell

    def slot(self, name: str) -> Any:
        return self.daemon.bridge.slots[name]

    def kinds(self) -> list[str]:
        return [alarm["kind"] for alarm in self.daemon.keeper.table.view()["alarms"]]


@asynccontextmanager
async def table(folder: Path) -> AsyncIterator[Scene]:
    async with serving(configured(folder), port=0) as daemon:
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
            facts = TableFacts("Table 9", at.daemon.keeper, at.daemon.bridge, at.daemon.journal, at.daemon.lag, {})
            assert b'feltd_input_disabled{device="keys:pins",input="floor_called"} 1.0' in metrics_text(facts)
            assert at.lit(FAULT)
            at.slot("keys:pins").link.in_order()
            await at.until(lambda: not at.slot("keys:pins").disabled)
            assert not at.lit(FAULT)
            assert b"feltd_input_disabled{" not in metrics_text(facts)
            at.press(KEY)
            await at.until(lambda: "floor_called" in at.kinds())
            await at.daemon.journal.flush()
            told = [body["reason"] for body in recorded(tmp_path, "device.state") if body["device"] == "keys:pins"]
            assert told[-2:] == [
                "disabled: floor_called (line 17) is chattering", "every input is used again",
            ]  # fmt: skip

    asyncio.run(scene())


def test_the_switch_begins_and_ends_test_mode(tmp_path: Path) -> None:
    async def scene() -> None:
        async with table(tmp_path) as at:
            at.press(SWITCH)
            await at.until(lambda: at.daemon.keeper.standing.testing)
            at.let_go(SWITCH)
            await at.until(lambda: not at.daemon.keeper.standing.testing)

    asyncio.run(scene())
