"""Sessions and suspension."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from floor_fsm.errors import Reason, Refused
from floor_fsm.play.sessions import (
    Bag,
    Count,
    Session,
    SessionResult,
    Ties,
    bag,
    cannot_wager,
    result,
    suspend,
)
from tests.floor_fsm import books
from tests.floor_fsm.refusing import refused

SHARED = Session("heat 1", (1, 2, 3, 4), 2, Ties.SHARED, repechage=True, clause="16.3")
DRAWN = Session("final", (1, 2, 3, 4), 0, Ties.DRAWN, repechage=False, clause="16.3")
STAR, ONYX = books.row(books.STAR.suspension), books.row(books.ONYX.suspension)


def test_the_best_advance_and_the_others_may_catch_up() -> None:
    """UTH 16.3(a)(iii)(D) and (F)."""
    assert result(SHARED, {1: 10, 2: 40, 3: 30, 4: 20}) == SessionResult(((2,), (3,), (4,), (1,)), (2, 3), (4, 1))


def test_equal_points_share_or_are_drawn_for() -> None:
    """UTH 16.3(a)(iii)(E)c."""
    points = {1: 10, 2: 40, 3: 10, 4: 20}
    assert result(SHARED, points).groups == ((2,), (4,), (1, 3))
    assert refused(lambda: result(DRAWN, points)) == (Reason.NOT_DECIDED, "16.3")
    assert result(DRAWN, points, [3, 1]) == SessionResult(((2,), (4,), (3,), (1,)), (), ())


def test_the_last_who_advances_is_always_drawn_for() -> None:
    points = {1: 10, 2: 40, 3: 20, 4: 20}
    assert refused(lambda: result(SHARED, points)) == (Reason.NOT_DECIDED, "16.3")
    assert result(SHARED, points, [4, 3]) == SessionResult(((2,), (3, 4), (1,)), (2, 4), (3, 1))


def test_points_and_draws_are_of_those_who_played() -> None:
    points = {1: 10, 2: 40, 3: 10, 4: 20}
    assert refused(lambda: result(SHARED, {1: 5})) == (Reason.UNKNOWN_ENTRY, "16.3")
    assert refused(lambda: result(DRAWN, points, [3, 1, 2])) == (Reason.UNKNOWN_ENTRY, "16.3")
    assert refused(lambda: result(DRAWN, points, [3, 3, 1])) == (Reason.NAMED_TWICE, "16.3")


def test_who_cannot_wager_the_minimum_is_out() -> None:
    """UTH 16.15."""
    assert cannot_wager({1: 24, 2: 25, 3: 0}, 25) == (1, 3)


def test_a_stack_is_counted_by_two_people() -> None:
    """The Star 1."""
    assert bag(7, "1", 3, Count("Ann", 500), Count("Bob", 500), "1") == Bag(7, "1", 3, 500, ("Ann", "Bob"))
    assert refused(lambda: bag(7, "1", 3, Count("Ann", 500), Count("Ann", 500), "1")) == (Reason.ONE_PERSON, "1")
    assert refused(lambda: bag(7, "1", 3, Count("Ann", 500), Count("Bob", 400), "1")) == (Reason.COUNTS_DIFFER, "1")
    assert refused(lambda: bag(7, "1", 3, Count("Ann", 0), Count("Bob", 0), "1")) == (Reason.DOES_NOT_ADD_UP, "1")


def sealed(entry: int, table: str, seat: int, chips: int) -> Bag:
    return bag(entry, table, seat, Count("Ann", chips), Count("Bob", chips))


def test_players_return_to_the_same_table_and_seat() -> None:
    """The Star 1."""
    playing = {1: ("1", 4), 2: ("2", 9)}
    bags = [sealed(1, "1", 4, 300), sealed(2, "2", 9, 700)]
    assert suspend(STAR, playing, bags, 1000).seats == playing
    assert suspend(ONYX, playing, bags, 1000).seats is None


@pytest.mark.parametrize(
    ("bags", "reason"),
    [
        ([sealed(1, "1", 4, 300)], Reason.WRONG_STATE),
        ([sealed(1, "1", 4, 300), sealed(1, "1", 4, 300)], Reason.NAMED_TWICE),
        ([sealed(1, "1", 5, 300)], Reason.UNKNOWN_ENTRY),
        ([sealed(3, "1", 4, 300)], Reason.UNKNOWN_ENTRY),
        ([sealed(1, "1", 4, 300), sealed(2, "2", 9, 701)], Reason.DOES_NOT_ADD_UP),
    ],
)
def test_bags_that_are_not_what_was_in_play_are_refused(bags: list[Bag], reason: Reason) -> None:
    playing = {1: ("1", 4), 2: ("2", 9)}
    assert refused(lambda: suspend(STAR, playing, bags, 1000)) == (reason, "1")


def test_a_book_without_suspension_leaves_it_to_the_director() -> None:
    assert refused(lambda: suspend(None, {}, [], 0)) == (Reason.NOT_IN_THE_BOOK, None)


@given(
    st.dictionaries(st.integers(1, 12), st.integers(0, 4), min_size=1),
    st.integers(0, 12),
    st.sampled_from(Ties),
    st.booleans(),
)
def test_everybody_has_one_place_and_the_right_number_advance(
    points: dict[int, int], advance: int, ties: Ties, repechage: bool
) -> None:
    session = Session("s", tuple(points), min(advance, len(points)), ties, repechage, "16.3")
    try:
        done = result(session, points)
    except Refused:
        done = result(session, points, _drawn(session, points))
    assert sorted(entry for group in done.groups for entry in group) == sorted(points)
    assert len(done.advance) == session.advance
    assert not set(done.advance) & set(done.catch_up)
    ranks = [points[entry] for group in done.groups for entry in group]
    assert ranks == sorted(ranks, reverse=True)


def _drawn(session: Session, points: dict[int, int]) -> list[int]:
    """The entries that need a draw, in the order of their numbers."""
    ranked = sorted(points.values(), reverse=True)
    cut = {ranked[session.advance - 1]} & {*ranked[session.advance :]} if session.advance else set()
    drawn = {value for value in ranked if ranked.count(value) > 1} if session.ties is Ties.DRAWN else cut
    return [entry for entry in sorted(points) if points[entry] in drawn]
