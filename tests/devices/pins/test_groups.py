"""Markers, drop box and gate on pins: what they say, what they are told, what contradicts."""

import asyncio
from typing import Any

from devices.pins.dropbox import DropboxGroup
from devices.pins.gate import GateGroup
from devices.pins.markers import MarkersGroup
from devices.pins.on_mock import MockChip
from devices.pins.sensor import Trouble
from table_fsm.events import DropboxChip, DropboxState, MarkerPlaced
from tests.devices.pins.support import Wired, pins, running
from tests.firmware_bridge.support import run


def markers(**more: Any) -> MarkersGroup:
    sensors = [
        {"seat": 1, "line": 5, "debounce_ms": 20},
        {"seat": 2, "line": 6, "debounce_ms": 20},
        {"seat": 2, "line": 7, "marker": "buck", "debounce_ms": 20},
    ]
    return MarkersGroup(pins(marker=sensors, **more))


def dropbox(**more: Any) -> DropboxGroup:
    box = {
        "present": {"line": 5, "debounce_ms": 20},
        "locked": {"line": 6, "debounce_ms": 20},
        "channel": [{"cents": 500, "line": 7, "active": "high"}, {"cents": 2500, "line": 8, "active": "high"}],
    }
    made = pins(dropbox=box, **more)
    assert made.dropbox is not None
    return DropboxGroup(made, made.dropbox)


def bodies(wired: Wired) -> list[dict[str, Any]]:
    return [body for _, body, _ in wired.notes.events]


def test_a_marker_that_comes_to_rest_stands_there_and_lifting_it_is_silent() -> None:
    group = markers()

    async def scene() -> None:
        async with running(group) as wired:
            assert wired.notes.ups[0][1] == {"markers": {"button": None, "buck": None}}
            wired.press(5)
            await wired.notes.until(lambda: wired.notes.events)
            wired.let_go(5)
            wired.press(7)
            await wired.notes.until(lambda: len(wired.notes.events) == 2)
            assert bodies(wired) == [
                {"ev": "placed", "marker": "button", "seat": 1}, {"ev": "placed", "marker": "buck", "seat": 2},
            ]  # fmt: skip

    run(scene())
    assert group.driver().events({"ev": "placed", "marker": "buck", "seat": 2}, 3.0) == [
        MarkerPlaced(t=3.0, marker="buck", seat=2)
    ]


def test_a_marker_that_slides_past_a_sensor_is_not_said_to_stand_there() -> None:
    async def scene() -> None:
        async with running(markers()) as wired:
            wired.press(5)
            wired.let_go(5)
            wired.press(6)
            await wired.notes.until(lambda: wired.notes.events)
            assert bodies(wired) == [{"ev": "placed", "marker": "button", "seat": 2}]

    run(scene())


def test_where_markers_stand_is_read_when_the_lines_are_taken() -> None:
    chip = MockChip()
    held(chip, 6)

    async def scene() -> None:
        async with running(markers(), chip) as wired:
            assert wired.notes.ups[0][1] == {"markers": {"button": 2, "buck": None}}
            assert wired.notes.events == []

    run(scene())


def held(chip: MockChip, line: int) -> None:
    """Something holds the line low, whatever resistor there is."""
    pin = chip.pin(line)
    pin.input_with_pull("up")
    pin.drive_low()
    pin._set_pull = lambda _pull: None


def test_two_sensors_that_see_one_marker_are_disabled_until_one_sees_it_no_more() -> None:
    async def scene() -> None:
        async with running(markers(stuck_seconds=0.05)) as wired:
            wired.press(5)
            await wired.notes.until(lambda: len(wired.notes.events) == 1)
            wired.press(6)
            await wired.notes.until(lambda: wired.notes.inputs)
            disabled, state = wired.notes.inputs[0]
            assert [(one.name, one.trouble) for one in disabled] == [
                ("button_seat_1", Trouble.CONTRADICTED), ("button_seat_2", Trouble.CONTRADICTED),
            ]  # fmt: skip
            assert state == {"markers": {"button": None, "buck": None}}
            wired.let_go(5)
            await wired.notes.until(lambda: len(wired.notes.inputs) == 2)
            assert wired.notes.inputs[1] == ((), {"markers": {"button": 2, "buck": None}})

    run(scene())


def test_each_chip_is_counted_by_its_channel_and_the_box_told_as_a_whole() -> None:
    group = dropbox()

    async def scene() -> None:
        chip = MockChip()
        held_box = [chip.pin(5), chip.pin(6)]
        for line in (5, 6):
            held(chip, line)
        async with running(group, chip) as wired:
            assert wired.notes.ups[0][1] == {"present": True, "locked": True}
            for line, count in ((7, 1), (8, 2), (8, 3)):
                wired.let_go(line)  # the beam is broken: high
                await wired.notes.until(lambda: len(wired.notes.events) == count)  # noqa: B023 - done within the turn
                wired.press(line)
                await asyncio.sleep(0.01)
            held_box[1].drive_high()
            await wired.notes.until(lambda: len(wired.notes.events) == 4)
            assert bodies(wired) == [
                {"ev": "chip", "cents": 500}, {"ev": "chip", "cents": 2500}, {"ev": "chip", "cents": 2500},
                {"ev": "box", "present": True, "locked": False},
            ]  # fmt: skip

    run(scene())
    driver = group.driver()
    assert driver.events({"ev": "chip", "cents": 500}, 1.0) == [DropboxChip(t=1.0, cents=500)]
    assert driver.events({"ev": "box", "present": True, "locked": False}, 2.0) == [
        DropboxState(t=2.0, present=True, locked=False)
    ]


def test_a_beam_that_stays_broken_is_stuck_and_named() -> None:
    async def scene() -> None:
        async with running(dropbox(stuck_seconds=0.05)) as wired:
            wired.let_go(8)
            await wired.notes.until(lambda: wired.notes.inputs)
            assert str(wired.notes.inputs[0][0][0]) == "channel_2 (line 8) is stuck"

    run(scene())


def test_a_box_with_no_switch_is_taken_to_be_in_order() -> None:
    made = pins(dropbox={"channel": [{"cents": 100, "line": 7}]})
    assert made.dropbox is not None
    assert DropboxGroup(made, made.dropbox).state({}) == {"present": True, "locked": True}


def test_the_gate_is_locked_at_either_end_and_unlocked_when_the_table_says_so() -> None:
    made = pins(gate={"line": 9})
    assert made.gate is not None
    group = GateGroup(made.gate)
    chip = MockChip()

    async def scene() -> None:
        async with running(group, chip) as wired:
            assert not wired.lit(9)
            for name, args in group.driver().commands({"shoe": "unlock"}):
                wired.station.post(name, args)
            assert wired.lit(9)

    run(scene())
    assert not chip.pin(9).state
