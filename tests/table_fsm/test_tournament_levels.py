"""Levels at the table: what is said, when a deal's level is settled, and the blinds and antes that follow from it."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from table_fsm.outputs import Kind
from table_fsm.table import Table
from tests.table_fsm.streams import Answer, Play, books

NO_LIMIT = "act-2001-holdem-no-limit"
STAR = "star-2025-holdem"


def tournament(book: str = NO_LIMIT, seats: tuple[int, ...] = (1, 2, 3, 4), **options: Any) -> Play:
    play = Play(book)
    play.open(seats, button=1, **options)
    return play


def levels(answer: Answer) -> list[int]:
    return [value["level"] for value in answer.of(Kind.LEVEL)]


def clock(play: Play, elapsed: float, *, running: bool = True) -> Answer:
    return play.send("tournament.clock", running=running, elapsed=elapsed)


def test_a_table_opens_with_the_first_level() -> None:
    play = Play(NO_LIMIT)
    (level,) = play.open((1, 2, 3), button=1).of(Kind.LEVEL)
    assert level == {"level": 1, "blinds": [2500, 5000], "ante": None, "left": 2400.0, "race_off": None}


def test_own_blinds_stand_above_the_structure_and_no_level_is_said() -> None:
    play = Play(NO_LIMIT)
    assert levels(play.open((1, 2, 3), button=1, blinds=[100, 200])) == []
    assert clock(play, 5000).outputs == ()


def test_a_level_is_over_at_its_very_second_even_before_the_event_in_hand() -> None:
    play = tournament()
    clock(play, 2390.0)
    assert levels(play.wait(9.5)) == []
    assert levels(play.wait(0.5)) == [2]


def test_levels_that_went_by_unseen_are_said_once() -> None:
    play = tournament()
    clock(play, 0.0)
    assert levels(play.wait(3 * 2400.0)) == [4]


@pytest.mark.parametrize("elapsed", [-1.0, float("inf"), float("nan")])
def test_a_length_of_play_that_is_none_is_refused(elapsed: float) -> None:
    assert "elapsed" in clock(tournament(), elapsed).refusal


def test_no_clock_without_a_tournament() -> None:
    play = Play("tas-2018-holdem")
    play.open()
    assert "no tournament is played here" in clock(play, 0.0).refusal


def test_the_stars_deal_begins_with_the_cut_whatever_was_posted_before() -> None:
    play = tournament(STAR, structure="two-bullet")
    clock(play, 1199.0)
    play.send("shoe.shuffled", deck="blue", count=52, after=0.25)
    play.send("action", seat=2, action="post", cents=100, after=0.25)
    assert levels(play.wait(1.0)) == [2]
    play.send("cut", depth=20)
    assert play.core.standing.tournament.deal_level == 2


def test_the_stars_cut_settles_the_level_before_it_ends() -> None:
    play = tournament(STAR, structure="two-bullet")
    clock(play, 1198.0)
    play.shuffle()
    play.wait(5.0)
    assert play.prompt == {"post": {"2": 100, "3": 100}}
    assert play.core.standing.tournament.said == 2


def test_a_new_shuffle_with_nothing_posted_begins_the_deal_anew() -> None:
    play = tournament(STAR, structure="two-bullet")
    clock(play, 1199.0)
    play.shuffle()
    play.wait(5.0)
    play.shuffle()
    assert play.prompt == {"post": {"2": 100, "3": 200}}


def test_the_stars_big_blind_posts_the_ante_after_the_blind() -> None:
    play = tournament(STAR, structure="two-bullet")
    play.shuffle()
    play.send("action", seat=2, action="post", cents=100)
    assert play.send("action", seat=3, action="post", cents=100).prompt == {"ante": {"3": 100}}
    assert play.send("action", seat=3, action="ante", cents=100).prompt == {"deal": "seat:2", "face": "down"}
    play.hands()
    betting = play.core.round.betting
    assert betting is not None
    assert (betting.dead, betting.terms.blind, betting.level) == (100, 100, 100)


def test_a_big_blind_short_of_the_blind_posts_no_ante() -> None:
    play = tournament(STAR, structure="two-bullet")
    clock(play, 1200.0)
    play.send("stack", seat=3, cents=150)
    assert play.shuffle().prompt == {"post": {"2": 100, "3": 150}}
    play.hands()
    betting = play.core.round.betting
    assert betting is not None
    assert betting.dead == 0
    assert betting.players[3].all_in
    assert betting.level == 200


def test_a_stack_counted_a_round_ago_says_nothing() -> None:
    play = tournament(STAR, structure="two-bullet")
    play.send("stack", seat=3, cents=50)
    play.shuffle()
    play.hands()
    play.end()
    play.shuffle()
    assert play.prompt == {"post": {"3": 100, "4": 100}}


def test_what_is_reported_stands_above_a_counted_stack() -> None:
    play = tournament(STAR, structure="two-bullet")
    play.send("stack", seat=3, cents=50)
    play.shuffle()
    play.send("action", seat=2, action="post", cents=100)
    play.send("action", seat=3, action="post", cents=100)
    play.send("action", seat=3, action="ante", cents=100)
    play.hands()
    betting = play.core.round.betting
    assert betting is not None
    assert betting.dead == 100


def test_antes_of_each_player_lie_in_the_pot_beside_the_blinds() -> None:
    play = tournament()
    clock(play, 4800.0)
    play.shuffle()
    assert play.prompt == {"ante": {"1": 2500, "2": 2500, "3": 2500, "4": 2500}}
    play.acts("1 ante 2500", "2 ante 2500", "3 ante 2500", "4 all_in 2000")
    play.hands()
    betting = play.core.round.betting
    assert betting is not None
    assert {seat: player.total for seat, player in betting.players.items()} == {1: 12500, 2: 22500, 3: 2500, 4: 2000}
    assert [seat for seat, player in betting.players.items() if player.all_in] == [4]


def test_antes_stand_after_a_misdeal_as_blinds_do() -> None:
    play = tournament()
    clock(play, 4800.0)
    play.shuffle()
    for seat in (1, 2, 3, 4):
        play.send("action", seat=seat, action="ante", cents=2500)
    play.to(1)
    play.decide("misdeal")
    play.shuffle()
    assert play.prompt == {"post": {"1": 10000, "2": 20000}}


def test_the_clock_and_the_level_survive_a_snapshot() -> None:
    play = tournament()
    clock(play, 2300.0)
    play.shuffle()
    play.hands()
    play.end()
    assert play.table.at_round_boundary
    again = Table.restore(books(), play.table.snapshot())
    assert again.digest() == play.table.digest()
    play.table = again
    assert levels(play.wait(200.0)) == [2]


def test_a_restored_table_shows_its_clock_before_the_next_event() -> None:
    play = tournament()
    clock(play, 2300.0)
    play.shuffle()
    play.hands()
    play.end()
    shown = play.view
    again = Table.restore(books(), play.table.snapshot())
    assert again.view()["tournament"] == shown["tournament"]


@given(
    set_at=st.integers(0, 40_000),
    waits=st.lists(st.integers(1, 4000), min_size=1, max_size=6),
)
def test_the_level_said_last_is_the_one_of_the_play_gone_by(set_at: int, waits: list[int]) -> None:
    play = tournament()
    said = levels(clock(play, float(set_at))) or [1]
    for seconds in waits:
        said += levels(play.wait(float(seconds)))
    play_gone = set_at + sum(waits)
    ends = [40, 80, 120, 160, 200, 240, 280, 310, 340, 370, 400, 430]
    expected = sum(play_gone >= end * 60 for end in ends) + 1
    if expected > len(ends):
        expected = len(ends) + 1 + (play_gone - ends[-1] * 60) // 1800
    assert said[-1] == expected
    assert said == sorted(set(said))
