"""One clock and one schedule for all tables."""

from dataclasses import replace
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from floor_fsm.errors import Reason
from floor_fsm.play.clock import Clock, ClockTold
from table_fsm.structures.levels import LevelNow, level_at
from tests.floor_fsm import books
from tests.floor_fsm.refusing import refused

STAR = books.TWO_BULLET
CHARGED, RUNNING = books.row(books.STAR.hand_for_hand), books.row(books.ONYX.hand_for_hand)
LEVEL = 1200.0
"""Seconds of each level of the structure; after level 6 half an hour's break."""


def test_the_levels_go_by_one_schedule() -> None:
    """The Star 7.20."""
    clock = Clock(STAR).run(100.0)
    assert clock.reading(100.0 + LEVEL - 1).level.number == 1
    assert clock.reading(100.0 + LEVEL).level.number == 2
    assert clock.changes_at(150.0) == 100.0 + LEVEL
    assert refused(lambda: clock.run(120.0)) == (Reason.WRONG_STATE, None)


def test_a_clock_that_stands_counts_nothing() -> None:
    """ACT 2001, 3.5 and 3.6: breaks are the director's, and no play."""
    clock = Clock(STAR).run(0.0).stand(500.0)
    assert clock.reading(9000.0).elapsed_seconds == 500.0
    assert clock.changes_at(9000.0) is None
    assert clock.run(9000.0).reading(9100.0).elapsed_seconds == 600.0
    assert refused(lambda: clock.stand(1.0)) == (Reason.WRONG_STATE, None)


def test_a_break_of_the_schedule_is_no_play() -> None:
    clock = Clock(STAR).run(0.0)
    noon = 6 * LEVEL + 60.0
    now = clock.reading(noon)
    assert (now.in_break, now.break_left_seconds, now.level.number) == (True, 1740.0, 7)
    assert clock.told(noon) == ClockTold(running=False, elapsed=6 * LEVEL)
    assert clock.changes_at(noon) == 6 * LEVEL + 1800.0
    assert clock.reading(6 * LEVEL + 1810.0).elapsed_seconds == 6 * LEVEL + 10.0


def test_a_hand_costs_three_minutes_however_long_it_takes() -> None:
    """The Star 7.19."""
    clock = Clock(STAR).run(0.0).hand_for_hand(1000.0, CHARGED).hand_released(1010.0)
    assert clock.reading(1020.0).elapsed_seconds == 1010.0
    assert clock.reading(5000.0).elapsed_seconds == 1180.0
    assert clock.changes_at(1020.0) is None  # the level has 190 seconds to go, the hand 170
    clock = clock.hand_finished()
    assert clock.reading(1030.0).elapsed_seconds == 1180.0
    assert clock.hand_finished() is clock
    clock = clock.hand_released(1040.0)
    assert clock.changes_at(1050.0) == 1060.0
    assert clock.reading(1060.0).level.number == 2  # levels are reached at that rate
    assert clock.told(1060.0) == ClockTold(running=False, elapsed=1200.0)
    clock = clock.hand_finished().hand_for_hand(1100.0, None)
    assert clock.reading(1101.0).elapsed_seconds == 1361.0


def test_at_onyx_it_runs_and_stands_once_the_level_is_over() -> None:
    """Onyx, Hand for Hand 6."""
    clock = Clock(STAR).run(0.0).hand_for_hand(1000.0, RUNNING).hand_released(1000.0)
    assert clock.reading(1150.0).elapsed_seconds == 1150.0
    assert clock.changes_at(1150.0) == 1200.0
    assert clock.reading(1500.0).elapsed_seconds == 1200.0
    assert clock.told(1500.0) == ClockTold(running=False, elapsed=1200.0)
    assert clock.hand_finished() is clock
    clock = clock.hand_released(1600.0)
    assert clock.reading(1610.0).elapsed_seconds == 1210.0
    assert clock.put(1700.0, running=True, elapsed=100.0).reading(9999.0).elapsed_seconds == LEVEL
    assert clock.hand_for_hand(1700.0, None).reading(1710.0).elapsed_seconds == 1310.0


def test_the_director_sets_it() -> None:
    clock = Clock(STAR).put(50.0, running=True, elapsed=2400.0)
    assert clock.reading(60.0).level.number == 3
    for elapsed in (-1.0, float("nan"), float("inf")):
        assert refused(partial(clock.put, 1.0, running=True, elapsed=elapsed)) == (Reason.DOES_NOT_ADD_UP, None)


def test_an_action_clock_is_never_suspended() -> None:
    """The Star 7.46(k)."""
    clock = Clock(STAR).with_action_clock(on=True)
    assert clock.action_clock
    assert clock.with_action_clock(on=True) == clock
    assert refused(lambda: clock.with_action_clock(on=False, clause="7.46(k)")) == (Reason.NOT_ALLOWED, "7.46(k)")
    assert not Clock(STAR).with_action_clock(on=False).action_clock


@given(st.floats(0, 40_000), st.floats(0, 20_000), st.floats(0, 20_000))
def test_a_table_goes_on_alone_from_what_it_was_told(begun: float, heard: float, later: float) -> None:
    """What a table makes of the last word is what the floor's clock says."""
    clock = Clock(STAR).put(0.0, running=True, elapsed=begun)
    told = clock.told(heard)
    alone = level_at(STAR, told.elapsed, running_for=later) if told.running else level_at(STAR, told.elapsed)
    floor = clock.reading(heard + later)
    if told.running:
        assert_same(alone, floor)
    else:  # a break: it stands until its end is told
        assert alone.in_break
        assert alone.elapsed_seconds <= floor.elapsed_seconds


def assert_same(one: LevelNow, other: LevelNow) -> None:
    """The same level, and times that differ by rounding only."""
    if one.level.number != other.level.number or one.in_break != other.in_break:
        assert (
            min(one.left_seconds, other.left_seconds) < 1e-6 or abs(one.elapsed_seconds - other.elapsed_seconds) < 1e-6
        )
        return
    assert one.elapsed_seconds == pytest.approx(other.elapsed_seconds)
    assert replace(one, elapsed_seconds=0, left_seconds=0, break_left_seconds=None) == replace(
        other, elapsed_seconds=0, left_seconds=0, break_left_seconds=None
    )


@given(
    st.lists(
        st.tuples(st.sampled_from(["run", "stand", "hand", "over", "h4h", "end"]), st.floats(0, 4000)), max_size=25
    )
)
def test_play_never_runs_back(steps: list[tuple[str, float]]) -> None:
    """Whatever the director does but set the clock."""
    clock, t, before = Clock(STAR), 0.0, 0.0
    for step, wait in steps:
        t += wait
        match step:
            case "run":
                clock = clock if clock.running else clock.run(t)
            case "stand":
                clock = clock.stand(t) if clock.running else clock
            case "hand":
                clock = clock.hand_released(t) if clock.hands else clock
            case "over":
                clock = clock.hand_finished()
            case "h4h":
                clock = clock.hand_for_hand(t, RUNNING)
            case _:
                clock = clock.hand_for_hand(t, None)
        now = clock.reading(t).elapsed_seconds
        assert now >= before - 1e-6
        before = now
        changes = clock.changes_at(t)
        assert changes is None or changes >= t
