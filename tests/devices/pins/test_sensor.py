"""What is stuck or chatters is disabled and says nothing, and comes back when it is quiet or somebody says so."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devices.pins.debounce import Change
from devices.pins.sensor import REST, Sensor, Timing, Trouble

KEY = Timing(0.001, 0.010, stuck=15.0, quiet=5.0, chatter=20)
MARKER = Timing(0.3, 0.3, stuck=None, quiet=5.0, chatter=20)


def made(timing: Timing = KEY, level: bool = False) -> Sensor:
    sensor = Sensor(timing)
    sensor.start(0.0, level)
    return sensor


def trouble(sensor: Sensor) -> Trouble | None:
    """Asked anew each time."""
    return sensor.trouble


def due(sensor: Sensor) -> float | None:
    """Asked anew each time."""
    return sensor.due


def chatter(sensor: Sensor, t: float, edges: int = 40) -> float:
    """So many edges, one each 2 ms: when the last was."""
    for number in range(edges):
        if sensor.listens():
            sensor.edge(t + number * 0.002, number % 2 == 0)
    return t + (edges - 1) * 0.002


def test_a_press_and_its_release_are_changes() -> None:
    sensor = made()
    assert sensor.edge(1.0, True) == []
    assert sensor.due == 1.001
    assert sensor.sample(1.001, True) == [Change(1.0, True)]
    assert sensor.edge(1.1, False) == []
    assert sensor.sample(1.110, False) == [Change(1.1, False)]
    assert sensor.due is None


def test_an_edge_that_was_lost_is_found_by_the_sample() -> None:
    sensor = made()
    sensor.edge(1.0, True)
    assert sensor.sample(1.001, True) == [Change(1.0, True)]
    assert sensor.due == 16.0  # when it would be stuck
    assert sensor.sample(16.0, False) == []
    assert sensor.sample(16.010, False) == [Change(16.0, False)]
    assert sensor.trouble is None


def test_a_key_that_is_held_for_too_long_is_stuck_and_says_nothing_more() -> None:
    sensor = made()
    sensor.edge(1.0, True)
    sensor.sample(1.001, True)
    assert sensor.due == 16.0
    assert sensor.sample(16.0, True) == []
    assert (sensor.trouble, sensor.since) == (Trouble.STUCK, 16.0)
    assert due(sensor) is None  # held: its next edge is waited for
    sensor.edge(20.0, False)
    assert sensor.sample(20.010, False) == []  # its release is no change


def test_a_stuck_key_that_is_let_go_and_quiet_works_again() -> None:
    sensor = made()
    sensor.edge(1.0, True)
    sensor.sample(1.001, True)
    sensor.sample(16.0, True)
    sensor.edge(20.0, False)
    sensor.sample(20.010, False)
    assert sensor.due == 25.0
    sensor.sample(24.9, False)
    assert sensor.trouble is Trouble.STUCK
    sensor.sample(25.0, False)
    assert trouble(sensor) is None
    sensor.edge(30.0, True)
    assert sensor.sample(30.001, True) == [Change(30.0, True)]


def test_a_key_that_is_pressed_at_the_start_is_no_press_and_stuck_if_it_stays_so() -> None:
    sensor = made(level=True)
    assert sensor.due == 15.0
    sensor.sample(15.0, True)
    assert sensor.trouble is Trouble.STUCK


def test_a_marker_may_lie_for_ever() -> None:
    sensor = made(MARKER, level=True)
    assert sensor.due is None
    assert sensor.sample(9999.0, True) == []
    assert sensor.trouble is None


@pytest.mark.parametrize("timing", [KEY, MARKER])
def test_an_input_that_chatters_is_disabled_left_alone_and_tried_again(timing: Timing) -> None:
    sensor = made(timing)
    chatter(sensor, 1.0)
    began = 1.0 + 19 * 0.002
    assert (sensor.trouble, sensor.since) == (Trouble.CHATTER, began)
    assert not sensor.listens()
    assert sensor.due == began + REST
    sensor.sample(began + REST, False)
    assert sensor.listens()
    chatter(sensor, 3.0)
    assert not sensor.listens()  # still at it
    assert sensor.since == began


def test_a_chattering_input_that_has_been_quiet_works_again() -> None:
    sensor = made()
    chatter(sensor, 1.0)
    sensor.sample(2.5, False)
    assert sensor.due is not None
    sensor.edge(3.0, True)
    sensor.edge(3.0005, False)
    sensor.sample(7.6, False)  # less than five seconds since
    assert sensor.trouble is Trouble.CHATTER
    sensor.sample(8.1, False)
    assert sensor.trouble is None


def test_a_press_as_fast_as_hands_are_is_no_chatter() -> None:
    sensor, t, presses = made(), 1.0, 0
    for _ in range(30):  # eight a second
        presses += len(sensor.edge(t, True)) + len(sensor.sample(t + 0.001, True))
        sensor.edge(t + 0.06, False)
        sensor.sample(t + 0.07, False)
        t += 0.125
    assert (sensor.trouble, presses) == (None, 30)


def test_somebody_may_say_that_it_is_in_order() -> None:
    sensor = made()
    chatter(sensor, 1.0)
    sensor.in_order(2.0, False)
    assert (sensor.trouble, sensor.listens(), sensor.due) == (None, True, None)
    sensor.edge(3.0, True)
    assert sensor.sample(3.001, True) == [Change(3.0, True)]


_GAPS = st.lists(st.sampled_from([0.0002, 0.002, 0.008, 0.02, 0.3, 2.0, 20.0]), max_size=80)


@given(st.sampled_from([KEY, MARKER]), _GAPS)
def test_whatever_happens_changes_alternate_and_quiet_brings_everything_back(timing: Timing, gaps: list[float]) -> None:
    sensor, t, level = made(timing), 1.0, False
    found: list[Change] = []

    def look_until(end: float) -> None:
        while (when := sensor.due) is not None and when <= end:
            found.extend(sensor.sample(when, level))

    for gap in gaps:
        if sensor.listens():
            level = not level
            found.extend(sensor.edge(t, level))
        look_until(t + gap)
        t += gap
    if level:
        found.extend(sensor.edge(t, False))
        level = False
    look_until(t + 60.0)
    assert (sensor.trouble, sensor.on, sensor.listens(), sensor.due) == (None, False, True, None)
    assert all(one.t <= other.t for one, other in pairwise(found))
    if not any(gap < 0.01 for gap in gaps) and 20.0 not in gaps:  # nothing was ever disabled
        assert all(one.on is not other.on for one, other in pairwise(found))
