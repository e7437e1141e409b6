"""The dead button: who has which blind as players go out and come in."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from table_fsm.core.standing import ButtonSpots
from table_fsm.felt import clockwise
from table_fsm.outputs import Kind
from table_fsm.play.betting.forced_bets import blind_seats, order_of_blinds
from table_fsm.play.button.dead import between, plan
from tests.table_fsm.streams import Play
from tests.table_fsm.test_deal_facts import onyx


def spots(last: tuple[int, int, int] | None, players: list[int], button: int | None = None) -> tuple[int, int, int]:
    made = plan(ButtonSpots(*last) if last else None, button, players)
    assert made is not None
    return made.button, made.small, made.big


@pytest.mark.parametrize(
    ("last", "players", "now"),
    [
        ((5, 1, 2), [1, 2, 3, 4, 5], (1, 2, 3)),
        ((5, 1, 2), [2, 3, 4, 5], (1, 2, 3)),  # the small blind has gone: a dead button
        ((5, 1, 2), [1, 3, 4, 5], (1, 2, 3)),  # the big blind has gone: no small blind
        ((5, 1, 2), [3, 4, 5], (1, 2, 3)),
        ((3, 1, 2), [2, 3], (2, 2, 3)),  # between two the button has the small blind
        ((3, 1, 2), [1, 3], (1, 1, 3)),
        ((3, 1, 2), [1, 2], (2, 2, 1)),
        ((1, 1, 4), [1, 2, 4], (2, 4, 1)),  # a third has come
        ((1, 1, 4), [1, 4, 6], (1, 4, 6)),
        ((5, 1, 3), [2, 3, 4, 5], (2, 3, 4)),  # a dead button moved on to who sat down behind it
        ((5, 1, 3), [1, 2, 3, 4, 5], (1, 3, 4)),  # a live one is not: seat 2 waits
    ],
)
def test_where_button_and_blinds_go(last: tuple[int, int, int], players: list[int], now: tuple[int, int, int]) -> None:
    assert spots(last, players) == now


@pytest.mark.parametrize(("players", "button", "now"), [([1, 2, 3], 3, (3, 1, 2)), ([2, 5], 5, (5, 5, 2))])
def test_the_first_hand(players: list[int], button: int, now: tuple[int, int, int]) -> None:
    assert spots(None, players, button) == now


def test_nothing_is_known_without_a_button_or_with_one_player() -> None:
    assert plan(None, None, [1, 2, 3]) is None
    assert plan(ButtonSpots(1, 2, 3), 1, [2]) is None


@given(st.sets(st.integers(1, 10), min_size=3), st.lists(st.sets(st.integers(1, 10), max_size=2), max_size=8))
def test_the_big_blind_goes_round_and_misses_nobody(seats: set[int], outs: list[set[int]]) -> None:
    players = sorted(seats)
    last = plan(None, players[-1], players)
    assert last is not None
    for out in outs:
        due = clockwise(players, last.big)
        players = [seat for seat in players if seat not in out]
        now = plan(last, last.button, players)
        if now is None:
            assert len(players) < 2
            return
        assert now.big == next(seat for seat in due if seat in players)
        if len(players) == 2:
            assert now.button == now.small != now.big
        else:
            assert len({now.button, now.small, now.big}) == 3
            assert clockwise([now.button, now.small, now.big], now.button) == [now.small, now.big, now.button]
            assert between(now.button, now.small, players) == []
        last = now


def fold_round(play: Play) -> None:
    betting = play.core.round.betting
    assert betting is not None
    while len(betting.live) > 1:
        play.acts(f"{betting.to_act()} fold")


def test_a_player_who_comes_back_behind_the_button_waits_and_plays_the_next_hand() -> None:
    play = onyx((1, 3, 4, 6))
    play.hands()
    fold_round(play)
    play.end()
    play.send("seat.in", seat=2)
    assert play.core.standing.seats[2].waits
    play.shuffle(cut=False)
    play.to(3, 4, 6, 1, 3, 4, 6, 1)
    fold_round(play)
    play.end()
    assert not play.core.standing.seats[2].waits


def test_where_the_button_goes_is_told_once() -> None:
    play = onyx((1, 2, 3, 4, 5))
    play.hands()
    fold_round(play)
    assert play.end().of(Kind.BUTTON) == [{"seat": 1}]
    assert play.send("seat.out", seat=1).of(Kind.BUTTON) == [{"dead_seat": 1}]
    assert play.send("seat.out", seat=4).of(Kind.BUTTON) == []


def test_the_button_may_be_put_by_hand_where_nobody_draws() -> None:
    play = Play("onyx-cash")
    play.open((1, 2, 3), blinds=[100, 200])
    play.shuffle(cut=False)
    assert play.prompt == {"draw": "button"}
    play.send("marker.placed", marker="button", seat=3)
    assert play.prompt == {"post": {"1": 100, "2": 200}}


def test_a_draw_that_nobody_read_is_decided_by_people() -> None:
    play = Play("onyx-tournament")
    play.open((1, 2), blinds=[100, 200])
    play.shuffle(cut=False)
    play.send("button.draw")
    play.place("seat:1", None, face="up")
    assert play.place("seat:2", "Ah", face="up").prompt == {"shuffle": "blue"}
    play.send("marker.placed", marker="button", seat=2)
    assert play.core.standing.button == 2


def test_nobody_draws_where_the_button_is_known() -> None:
    assert "already" in onyx().send("button.draw").refusal


def test_in_a_cash_game_who_steps_away_has_no_blind() -> None:
    play = Play("onyx-cash")
    play.open((1, 2, 3, 4), button=4, blinds=[100, 200])
    play.shuffle(cut=False)
    play.post(100, 200)
    play.hands()
    fold_round(play)
    play.end()
    play.shuffle(cut=False)
    play.send("seat.away", seat=3)
    assert play.prompt == {"post": {"2": 100, "4": 200}}
    play.send("seat.back", seat=3)
    assert play.prompt == {"post": {"2": 100, "3": 200}}


def test_of_two_who_are_dealt_in_the_one_whose_turn_it_is_has_the_big_blind_where_a_third_waits() -> None:
    """The button had it, as if two alone played: it had it twice in three hands, and the other went without."""
    play = onyx((1, 2, 6))
    for order in ((1, 2, 6), (2, 6, 1)):
        if play.core.standing.played:
            play.shuffle(cut=False)
        play.to(*order, *order)
        fold_round(play)
        play.end()
    play.send("seat.out", seat=6)
    play.send("seat.in", seat=3)
    assert play.core.standing.seats[3].waits
    assert order_of_blinds(play.core, [1, 2]) == [1, 2]
    assert list(blind_seats(play.core, [1, 2])) == [1]
