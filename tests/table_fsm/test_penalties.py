"""Penalties that a player sits out, and entrants who never came."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from table_fsm.core.tournament_state import PenaltyRecord
from table_fsm.outputs import Kind
from table_fsm.play.tournament.penalties import _reached
from table_fsm.table import Table
from tests.table_fsm.streams import Answer, Play, books

STAR, ONYX = "star-2025-holdem", "onyx-tournament"


def table(book: str = STAR, seats: tuple[int, ...] = (1, 2, 3, 4, 5)) -> Play:
    play = Play(book)
    play.open(seats, button=seats[-1], structure="two-bullet")
    return play


def penalty(play: Play, seat: int, **what: int) -> Answer:
    return play.send("penalty", seat=seat, **what)


def hand(play: Play) -> list[dict[str, int]]:
    play.shuffle()
    button = play.core.standing.button
    play.order = [s for s in play.seats if s > (button or 0)] + [s for s in play.seats if s <= (button or 0)]
    play.hands()
    return play.end().of(Kind.PENALTY)


@pytest.mark.parametrize(
    ("book", "seat", "what", "reason"),
    [
        (STAR, 3, {}, "either hands or orbits"),
        (STAR, 3, {"hands": 1, "orbits": 1}, "either hands or orbits"),
        (STAR, 3, {"hands": 0}, "1 to 1000"),
        (STAR, 3, {"orbits": 10**9}, "1 to 1000"),
        (STAR, 7, {"hands": 1}, "seat 7 has no player"),
        (ONYX, 3, {"hands": 1}, "give orbits"),
        ("act-2001-omaha", 3, {"hands": 1}, "knows none that a player sits out"),
        ("onyx-cash", 3, {"hands": 1}, "no tournament is played here"),
    ],
)
def test_what_is_no_penalty_is_refused(book: str, seat: int, what: dict[str, int], reason: str) -> None:
    play = Play(book)
    play.open((1, 2, 3, 4, 5))
    assert reason in penalty(play, seat, **what).refusal
    assert play.core.standing.seats[3].penalty is None
    assert play.core.standing.seats[3].away_since is None


def test_it_counts_down_by_hands_and_ends_by_itself() -> None:
    play = table()
    assert penalty(play, 3, hands=2).of(Kind.PENALTY) == [{"seat": 3, "left": 2}]
    assert "sits out a penalty, 2 left" in play.send("seat.back", seat=3).refusal
    assert hand(play) == [{"seat": 3, "left": 1}]
    assert hand(play) == [{"seat": 3, "left": 0}]
    assert play.core.standing.seats[3].away_since is None
    assert hand(play) == []


def test_one_more_is_added_to_it() -> None:
    play = table()
    penalty(play, 3, hands=2)
    assert penalty(play, 3, orbits=1).of(Kind.PENALTY) == [{"seat": 3, "left": 7}]


def test_the_hand_of_a_player_who_sits_out_is_folded_after_the_deal() -> None:
    play = table()
    penalty(play, 3, hands=1)
    play.shuffle()
    play.hands()
    betting = play.core.round.betting
    assert betting is not None
    assert betting.live == [1, 2, 4, 5]


def test_no_seat_left_is_told_of_a_player_who_sits_out() -> None:
    play = table()
    penalty(play, 3, hands=1)
    assert play.wait(10_000.0).alarms == []


def test_it_survives_a_snapshot() -> None:
    play = table()
    penalty(play, 3, hands=2)
    hand(play)
    again = Table.restore(books(), play.table.snapshot())
    assert again.digest() == play.table.digest()
    play.table = again
    assert hand(play) == [{"seat": 3, "left": 0}]


def test_the_page_shows_what_is_left() -> None:
    play = table()
    penalty(play, 3, hands=2)
    assert [seat["penalty"] for seat in play.view["seats"]] == [None, None, 2, None, None]


def test_onyx_counts_the_button_round_the_table() -> None:
    play = table(ONYX, (1, 2, 4))
    penalty(play, 2, orbits=2)  # the button is at seat 4: the following hand is the one about to be dealt
    counted = [hand(play) for _ in range(6)]
    assert counted == [[], [], [{"seat": 2, "left": 1}], [], [], [{"seat": 2, "left": 0}]]


@given(target=st.integers(1, 10), way=st.lists(st.integers(1, 3), min_size=1, max_size=60))
def test_the_button_reaches_a_seat_once_a_round_whatever_seats_it_skips(target: int, way: list[int]) -> None:
    button, passed, reached = target, 0, 0
    record = PenaltyRecord(left=100, from_round=1, target=target)
    for step in way:
        following = (button + step - 1) % 10 + 1
        reached += _reached(button, following, record)
        button, passed = following, passed + step
    assert reached == passed // 10


def test_a_player_who_was_there_once_is_no_absent_entrant() -> None:
    play = table()
    play.send("tournament.clock", running=True, elapsed=4000.0)
    hand(play)
    play.send("seat.away", seat=3)
    assert play.wait(2000.0).alarms == []


def test_an_absent_entrant_is_told_once() -> None:
    play = table()
    play.send("seat.away", seat=3)
    play.send("tournament.clock", running=True, elapsed=4000.0)
    assert play.wait(800.0).alarms == ["entrant_absent raised"]
    assert "entrant_absent raised" not in play.wait(5000.0).alarms
