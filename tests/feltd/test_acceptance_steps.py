"""The steps of an acceptance: every part that a configuration can name has one, and what must come of it is exact."""

from pathlib import Path

import pytest

from feltd.acceptance import device_steps
from feltd.acceptance.device_steps import driver_of
from feltd.acceptance.pin_steps import KEYS, wired
from feltd.acceptance.plan import steps_of, whole_run
from feltd.acceptance.steps import Act, Expected, Listening, Message, Shows, Step
from feltd.door.devices import TrialKind
from feltd.table.config.config import TableConfig, load_config, read_config
from feltd.table.config.pins import lines_of
from tests.feltd.example import EXAMPLE, uncommented

TABLE = """
[table]
name = "Table 7"
rulebook = "tas-2018-holdem"
seats = [1, 2, 3]
[journal]
path = "table.journal"
sealing_key_file = "journal.key"
"""
PINS = """
[pins]
key_switch = "floor-key"
[pins.matrix]
rows = [17, 18]
columns = [22, 23]
[[pins.key]]
name = "floor_called"
row = 2
column = 1
[[pins.key]]
name = "fold"
says = { ev = "action", seat = 3, action = "fold" }
row = 1
column = 2
[[pins.key]]
name = "test_mode"
line = 24
active = "high"
[[pins.lamp]]
name = "play"
line = 12
active = "low"
[[pins.lamp]]
name = "attention"
line = 16
[[pins.lamp]]
name = "stop"
line = 20
[[pins.lamp]]
name = "fault"
line = 27
[pins.buzzer]
line = 21
[pins.gate]
line = 26
[[pins.marker]]
seat = 3
line = 9
[[pins.marker]]
seat = 3
marker = "buck"
line = 10
[[pins.marker]]
seat = 3
marker = "start"
line = 11
[pins.dropbox]
present = { line = 5 }
locked = { line = 6, active = "high" }
[[pins.dropbox.channel]]
cents = 500
line = 13
active = "high"
[[pins.dropbox.channel]]
cents = 2500
line = 19
"""


@pytest.fixture
def pins() -> TableConfig:
    return read_config(TABLE + PINS, "table.toml", Path("/nowhere"))


def named(config: TableConfig, name: str) -> Step:
    [found] = [step for step in whole_run(config) if step.name == name]
    return found


def test_every_line_of_the_pins_is_worked_or_looked_at(pins: TableConfig) -> None:
    assert pins.pins is not None
    steps = list(whole_run(pins))
    worked = {step.motion.line for step in steps} | {step.sense.line for step in steps if step.sense is not None}
    cells = {step.motion.cell for step in steps}
    named = {line for path, line in lines_of(pins.pins.model_dump(by_alias=True)) if path[1] != "matrix" and line}
    assert named <= worked
    assert {(2, 1), (1, 2)} <= cells


def test_the_examples_pins_have_each_their_steps() -> None:
    config = read_config(uncommented(), "table.example.toml", Path("/nowhere"))
    assert config.pins is not None
    names = [step.name for step in whole_run(config)]
    assert len(names) == len(set(names)), "two lines of a report would be the same"
    for key in config.pins.keys:
        assert f"key {key.name}" in names
    for seat in range(1, 11):
        assert f"button at seat {seat}" in names


def test_every_device_has_steps_of_its_role_and_its_plug() -> None:
    config = load_config(EXAMPLE)
    steps = list(whole_run(config))
    for device in config.devices:
        own = [step.name for step in steps if step.motion.device == device.name]
        assert {f"{device.name} is unplugged", f"{device.name} is plugged in again"} < set(own), own
    for zone in (zone for device in config.devices for zone in device.settings.get("zones", ())):
        assert any(step.name.endswith(f", {zone}") for step in steps)
    for cents in (100, 200, 500, 2500, 10000):
        assert named(config, f"dropbox, a chip of {cents} cents").expected == Expected(
            "dropbox.chip", {"cents": cents}, "dropbox", alone=True
        )
    assert {step.motion.test for step in steps} - {None} == {
        TrialKind.LAMP, TrialKind.DISPLAY, TrialKind.BUZZER, TrialKind.CLOCK,
    }  # fmt: skip
    groups = {step.name for step in steps if step.name.startswith("keys, keys ")}
    assert len(groups) == len(driver_of(next(one for one in config.devices if one.name == "keys")).settings.parts) - 1
    assert named(config, "keys, maintenance switch on").expected == Expected("test.mode", {"on": True}, "keys")
    assert named(config, "shoe, lid open").expected == Expected("shoe.fault", {"kind": "lid_open"}, "shoe")


def test_a_role_without_steps_of_its_own_is_asked_for_each_of_its_messages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device_steps, "_TESTED", {})
    [badge] = [device for device in load_config(EXAMPLE).devices if device.role == "badge"]
    [step] = device_steps.tested_steps(badge)
    assert step.listening == Listening(badge.name, (Message(("badge",)),))
    assert step.motion.words == f"Use {badge.name} ({badge.place}) so that it reports: badge."


def test_a_key_is_told_from_its_neighbours_by_all_that_it_says(pins: TableConfig) -> None:
    fold = named(pins, "key fold")
    assert fold.motion.cell == (1, 2)
    assert fold.expected == Expected("action", {"seat": 3, "action": "fold"}, KEYS, alone=True)
    assert fold.listening == Listening(KEYS, (Message(("action",), {"seat": 3, "action": "fold"}),), alone=True)


def test_the_switch_for_test_mode_is_turned_and_turned_back(pins: TableConfig) -> None:
    steps = [step for step in whole_run(pins) if step.motion.line == 24]
    assert [(step.motion.act, step.motion.active_low, step.expected) for step in steps] == [
        (Act.ON, False, Expected("test.mode", {"on": True}, KEYS)),
        (Act.OFF, False, Expected("test.mode", {"on": False}, KEYS)),
    ]


def test_each_marker_is_told_from_the_others_at_its_seat(pins: TableConfig) -> None:
    for marker, line in (("button", 9), ("buck", 10), ("start", 11)):
        step = named(pins, f"{marker} at seat 3")
        assert step.motion.line == line
        assert step.expected is not None
        assert (step.expected.where, step.expected.alone) == ({"marker": marker, "seat": 3}, True)


def test_each_lamp_is_lit_and_dark_and_by_its_own_cause(pins: TableConfig) -> None:
    seen = {(step.sense.line, step.sense.shows) for step in whole_run(pins) if step.sense is not None}
    for line in (12, 16, 27):
        assert {(line, Shows.ONCE), (line, Shows.ON)} <= seen
    for line in (12, 16, 20, 27, 26):
        assert {(line, Shows.ON), (line, Shows.OFF)} <= seen
    assert (21, Shows.ONCE) in seen
    play = named(pins, "ready to play: lamp play lit").sense
    assert play is not None
    assert play.active_low


def test_without_devices_the_fault_lamp_has_its_cause_in_a_stuck_key(pins: TableConfig) -> None:
    stuck = named(pins, "a key is stuck")
    assert (stuck.motion.act, stuck.motion.cell) == (Act.ON, (2, 1))
    assert stuck.expected == Expected("device.state", {"device": KEYS, "online": False})


def test_what_a_playing_table_is_asked_for_needs_nobody(pins: TableConfig) -> None:
    acts = {step.motion.act for step in steps_of(pins)}
    assert acts <= {Act.PRESS, Act.ON, Act.OFF, Act.UNPLUG, Act.PLUG, Act.LOOK}
    assert not any(step.sense is not None and step.sense.shows is Shows.ONCE for step in steps_of(pins))


def test_strangers_on_usb_are_tried_where_the_file_asks_for_them() -> None:
    told = read_config(TABLE + "[usb]\nallow = []\n", "table.toml", Path("/nowhere"))
    assert [step.name for step in whole_run(told) if "stranger" in step.name] == [
        "a stranger on USB is told", "a stranger on USB is gone",
    ]  # fmt: skip
    assert not any("stranger" in step.name for step in whole_run(read_config(TABLE, "t", Path("/nowhere"))))


def test_a_line_is_named_with_its_pin_of_the_header(pins: TableConfig) -> None:
    assert pins.pins is not None
    assert wired(pins.pins, 17) == "line 17, header pin 11"
    other = pins.pins.model_copy(update={"chip": "gpio-mxc"})
    assert wired(other, 17) == "line 17"


def test_header_pins_are_those_of_the_wiring_table(pins: TableConfig) -> None:
    assert pins.pins is not None
    rows = [line.split("|") for line in (EXAMPLE.parents[1] / "docs/wiring.md").read_text().splitlines()]
    found = {int(row[2]): int(row[3]) for row in rows if len(row) > 5 and row[2].strip().isdigit()}
    assert len(found) == 26
    for line, pin in found.items():
        assert wired(pins.pins, line) == f"line {line}, header pin {pin}"
