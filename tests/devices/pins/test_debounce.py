"""Debounce on the edges' own time: presses that happened, each once; nothing that did not."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devices.pins.debounce import Change, Debounce

GLITCH, SETTLE = 0.001, 0.010
Edge = tuple[float, bool]


def play(edges: list[Edge], on_after: float = GLITCH, off_after: float = SETTLE, until: float = 10.0) -> list[Change]:
    """Every edge at its time, a sample at each due moment between them."""
    debounce = Debounce(on_after, off_after)
    debounce.start(0.0, False)
    found: list[Change | None] = []
    level = False
    for t, now in [*edges, (until, None)]:
        while debounce.due is not None and debounce.due < t:
            found.append(debounce.sample(debounce.due))
        if now is not None:
            level = now
            found.append(debounce.edge(t, level))
    return [change for change in found if change is not None]


def test_a_clean_press_is_one_press_and_one_release_at_the_edges_time() -> None:
    assert play([(1.0, True), (1.1, False)]) == [Change(1.0, True), Change(1.1, False)]


def test_contacts_that_bounce_at_both_ends_give_one_press_and_one_release() -> None:
    closing = [(1.0, True), (1.0004, False), (1.0009, True), (1.0012, False), (1.0015, True)]
    opening = [(1.2, False), (1.203, True), (1.2035, False), (1.209, True), (1.2095, False)]
    assert play(closing + opening) == [Change(1.0015, True), Change(1.2095, False)]


def test_a_contact_that_opens_for_a_moment_while_it_is_held_is_no_second_press() -> None:
    assert play([(1.0, True), (1.5, False), (1.506, True), (2.0, False)]) == [Change(1.0, True), Change(2.0, False)]


def test_a_short_press_is_kept_though_it_is_over_before_its_contacts_settle() -> None:
    assert play([(1.0, True), (1.003, False)]) == [Change(1.0, True), Change(1.003, False)]


def test_a_short_press_is_kept_though_both_its_edges_come_at_once() -> None:
    debounce = Debounce(GLITCH, SETTLE)
    debounce.start(0.0, False)
    assert debounce.edge(1.0, True) is None  # both waited for the loop, no sample between them
    assert debounce.edge(1.004, False) == Change(1.0, True)
    assert debounce.due == 1.004 + SETTLE
    assert debounce.sample(1.020) == Change(1.004, False)


def test_a_glitch_is_dropped_and_counted() -> None:
    debounce = Debounce(GLITCH, SETTLE)
    debounce.start(0.0, False)
    assert (debounce.edge(1.0, True), debounce.edge(1.0003, False)) == (None, None)
    assert (debounce.due, debounce.on, debounce.glitches) == (None, False, 1)


def test_a_sensor_is_held_to_the_same_time_both_ways() -> None:
    flicker = [(1.0, True), (1.04, False), (2.0, True), (3.0, False), (3.03, True), (4.0, False)]
    assert play(flicker, 0.05, 0.05) == [Change(2.0, True), Change(4.0, False)]


def test_what_is_on_at_the_beginning_is_no_change() -> None:
    debounce = Debounce(GLITCH, SETTLE)
    debounce.start(0.0, True)
    assert debounce.due is None
    debounce.edge(1.0, False)
    assert debounce.sample(1.0 + SETTLE) == Change(1.0, False)


def test_a_level_that_is_sampled_too_soon_is_not_believed() -> None:
    debounce = Debounce(GLITCH, SETTLE)
    debounce.start(0.0, False)
    debounce.edge(1.0, True)
    assert debounce.sample(1.0 + GLITCH / 2) is None
    assert debounce.sample(1.0 + GLITCH) == Change(1.0, True)


_GAPS = st.lists(st.sampled_from([0.0002, 0.0008, 0.003, 0.008, 0.02, 0.5]), max_size=40)


@given(_GAPS)
def test_changes_alternate_follow_time_and_end_where_the_line_ends(gaps: list[float]) -> None:
    edges, t, level = [], 1.0, False
    for gap in gaps:
        level = not level
        edges.append((t, level))
        t += gap
    found = play(edges, until=t + 10.0)
    assert all(one.on is not other.on and one.t <= other.t for one, other in pairwise(found))
    assert not found or found[0].on is True
    assert (found[-1].on if found else False) is level


@given(st.lists(st.floats(min_value=0.02, max_value=2.0), min_size=1, max_size=20))
def test_every_press_longer_than_the_bounce_counts_once(lengths: list[float]) -> None:
    edges, t = [], 1.0
    for length in lengths:
        edges += [(t, True), (t + length, False)]
        t += length + 0.05
    assert [change.on for change in play(edges, until=t + 1.0)] == [True, False] * len(lengths)


@pytest.mark.parametrize("width", [0.0012, 0.004, 0.009, 0.05])
def test_every_press_longer_than_a_glitch_counts(width: float) -> None:
    assert [change.t for change in play([(1.0, True), (1.0 + width, False)]) if change.on] == [1.0]
