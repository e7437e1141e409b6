"""A device that floods is told to the staff, and how much is read of each."""

import pytest

from feltd.table.config.devices import Line
from feltd.table.links.floods import Floods
from feltd.table.links.links import budget_of
from firmware_bridge.budget import BUDGET
from firmware_bridge.link import LinkState
from tests.feltd.test_daemon_bridge import DEVICES, Scene


@pytest.fixture
def scene(monkeypatch: pytest.MonkeyPatch) -> Scene:
    scene = Scene(monkeypatch)
    scene.all_up()
    for slot in scene.bridge.slots.values():
        slot.link.state = LinkState.UP
    return scene


def test_a_device_that_floods_is_one_fault_that_counts_its_seconds(scene: Scene) -> None:
    floods, counters = Floods(scene.bridge), scene.bridge.slots["shoe"].link.counters
    for _ in range(3):
        counters.paused += 0.9
        floods.beat()
    [fault] = scene.bridge.faults
    assert (fault.device, fault.times) == ("shoe", 3)
    assert "100 events a second" in fault.text
    assert "update its firmware" in fault.text
    assert scene.bridge.slots["shoe"].faults == 3
    floods.beat()
    assert scene.bridge.faults[0].times == 3


def test_a_burst_is_no_flood(scene: Scene) -> None:
    floods, counters = Floods(scene.bridge), scene.bridge.slots["shoe"].link.counters
    counters.paused += 0.4
    floods.beat()
    assert list(scene.bridge.faults) == []


def test_a_device_that_tells_what_it_kept_is_no_flood(scene: Scene) -> None:
    slot = scene.bridge.slots["shoe"]
    slot.link.state = LinkState.CATCHING_UP
    floods = Floods(scene.bridge)
    slot.link.counters.paused += 5.0
    floods.beat()
    slot.link.state = LinkState.UP
    floods.beat()
    assert list(scene.bridge.faults) == []


@pytest.mark.parametrize(
    ("line", "bytes_per_second"),
    [
        ({}, BUDGET.bytes_per_second),
        ({"baud": 921_600}, 1.1 * 92_160),
        ({"baud": 921_600, "parity": "even", "stop_bits": 2}, 1.1 * 76_800),
    ],
)
def test_no_line_carries_more_than_is_read_of_it(line: dict[str, object], bytes_per_second: float) -> None:
    device = DEVICES[0].model_copy(update={"line": Line.model_validate(line)})
    assert budget_of(device).bytes_per_second == pytest.approx(bytes_per_second)
    assert budget_of(device).events_per_second == BUDGET.events_per_second
