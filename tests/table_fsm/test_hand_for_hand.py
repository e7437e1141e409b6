"""Hand for hand: what waits for the director, and what it costs of the clock."""

from typing import Any

import pytest

from table_fsm.outputs import Kind
from table_fsm.table import Table
from tests.table_fsm.streams import Answer, Play

STAR, ONYX = "star-2025-holdem", "onyx-tournament"


def table(book: str = STAR, **options: Any) -> Play:
    play = Play(book)
    play.open((1, 2, 3, 4), button=4, structure="two-bullet", **options)
    return play


def on(play: Play, state: bool = True) -> Answer:
    return play.send("tournament.hand_for_hand", on=state)


def go(play: Play) -> Answer:
    return play.send("tournament.go")


def elapsed(play: Play) -> float:
    now = play.core.standing.tournament
    return now.elapsed


def test_a_book_without_hand_for_hand_refuses_it() -> None:
    play = Play("act-2001-omaha")
    play.open()
    assert "plays no hand for hand" in on(play).refusal


def test_no_word_of_the_director_is_awaited_without_it() -> None:
    assert "hand for hand is off" in go(table()).refusal


def test_a_cash_table_has_none() -> None:
    play = Play("onyx-cash")
    play.open()
    assert "no tournament is played here" in on(play).refusal
    assert "no tournament is played here" in go(play).refusal


def test_the_gate_is_shut_until_the_word_and_open_after_it() -> None:
    play = table()
    play.shuffle()
    assert on(play).of(Kind.SHOE) == ["lock"]
    assert go(play).of(Kind.SHOE) == ["unlock"]


def test_said_twice_it_changes_nothing() -> None:
    play = table()
    on(play)
    go(play)
    assert on(play).outputs == ()
    assert play.core.standing.tournament.released


def test_a_word_given_before_the_round_is_over_is_the_next_hands() -> None:
    play = table()
    play.shuffle()
    play.hands()
    on(play)
    go(play)
    play.end()
    play.shuffle()
    assert play.to(2).told == []


def test_turned_on_in_a_round_it_holds_the_next_one() -> None:
    play = table()
    play.shuffle()
    play.hands()
    on(play)
    play.end()
    play.shuffle()
    assert play.to(2).told == ["not_released: call_floor"]
    assert play.to(3).told == []


@pytest.mark.parametrize("seconds", [5.0, 170.0, 4000.0])
def test_a_hand_costs_three_minutes_however_long_it_takes(seconds: float) -> None:
    play = table()
    play.send("tournament.clock", running=True, elapsed=100.0)
    on(play)
    play.wait(1000.0)
    go(play)
    play.shuffle()
    play.hands()
    play.wait(seconds)
    play.end()
    play.wait(1000.0)
    assert elapsed(play) == 100.5 + 180.0


def test_two_shuffles_and_cuts_are_one_hand() -> None:
    play = table()
    on(play)
    go(play)
    play.shuffle()
    play.shuffle()
    play.hands()
    play.end()
    assert elapsed(play) == 180.0


def test_the_directors_clock_in_a_hand_leaves_what_the_hand_has_still_to_cost() -> None:
    play = table()
    on(play)
    go(play)
    play.shuffle()
    play.hands()
    play.wait(60.0)
    play.send("tournament.clock", running=True, elapsed=500.0, after=0.0)
    began = play.core.standing.tournament.hand_since
    assert began is not None
    play.end()
    assert elapsed(play) == pytest.approx(500.0 + 180.0 - (play.t - 0.5 - began))


@pytest.mark.parametrize("before_the_shuffle", [True, False])
def test_a_hand_that_is_dealt_again_is_charged_once_where_the_director_says_the_clock(before_the_shuffle: bool) -> None:
    play = table()
    on(play)
    go(play)
    play.shuffle()
    play.hands()
    play.wait(60.0)
    play.send("supervisor", decision="misdeal", staff="Floor", ruling=None, reason="the wrong button")
    for shuffles in (False, True):
        if shuffles is before_the_shuffle:
            play.send("tournament.clock", running=True, elapsed=elapsed(play))
        if not shuffles:
            play.shuffle()
    play.hands()
    play.wait(1000.0)
    play.end()
    assert elapsed(play) == pytest.approx(180.0)
    go(play)
    play.shuffle()
    play.send("tournament.clock", running=True, elapsed=500.0)
    play.hands()
    play.end()
    assert elapsed(play) == 680.0, "the next hand, not dealt yet, costs its whole time"


def test_after_it_the_clock_runs_on_if_it_was_running() -> None:
    play = table()
    play.send("tournament.clock", running=True, elapsed=1000.0)
    on(play, True)
    play.wait(500.0)
    on(play, False)
    (level,) = play.wait(199.5).of(Kind.LEVEL)
    assert level["level"] == 2


def test_onyx_lets_the_clock_run_and_stop_at_the_end_of_a_level() -> None:
    play = table(ONYX)
    play.send("tournament.clock", running=True, elapsed=1000.0)
    on(play)
    assert [value["level"] for value in play.wait(199.5).of(Kind.LEVEL)] == [2]
    assert play.wait(5000.0).of(Kind.LEVEL) == []
    play.send("tournament.clock", running=True, elapsed=1200.0)
    assert [value["level"] for value in play.wait(1200.0).of(Kind.LEVEL)] == [3]


def test_onyx_after_it_the_clock_goes_on_from_where_it_stands() -> None:
    play = table(ONYX)
    play.send("tournament.clock", running=True, elapsed=1000.0)
    on(play)
    play.wait(5000.0)
    on(play, False)
    assert play.wait(1199.0).of(Kind.LEVEL) == []
    assert [value["level"] for value in play.wait(1.0).of(Kind.LEVEL)] == [3]


def test_onyx_runs_the_clock_on_with_the_next_hand() -> None:
    """Onyx, Hand for Hand 6. It stood until hand for hand was over: a level late at each table."""
    play = table(ONYX)
    play.send("tournament.clock", running=True, elapsed=1000.0)
    on(play)
    go(play)
    assert [value["level"] for value in play.wait(5000.0).of(Kind.LEVEL)] == [2]
    go(play)
    assert [value["level"] for value in play.wait(1200.0).of(Kind.LEVEL)] == [3]
    assert play.wait(5000.0).of(Kind.LEVEL) == []


def test_onyx_leaves_the_clock_as_it_is_with_a_hand_in_the_middle_of_a_level() -> None:
    play = table(ONYX)
    play.send("tournament.clock", running=True, elapsed=1000.0)
    on(play)
    before = play.core.standing.tournament.stops_at
    go(play)
    assert play.core.standing.tournament.stops_at == before == 1200.0


def test_the_directors_clock_before_the_first_card_leaves_the_hand_its_whole_cost() -> None:
    play = table()
    on(play)
    play.shuffle()
    play.wait(60.0)
    play.send("tournament.clock", running=True, elapsed=500.0)
    go(play)
    play.hands()
    play.end()
    assert elapsed(play) == 680.0


def test_an_all_in_of_an_unknown_amount_is_not_held() -> None:
    play = table()
    on(play)
    go(play)
    play.shuffle()
    play.post(100, 100)
    play.hands()
    play.acts("3 all_in", "4 fold", "1 fold")
    assert play.prompt != {"wait": "go"}


def test_what_waits_survives_a_snapshot() -> None:
    play = table()
    on(play)
    go(play)
    play.shuffle()
    play.hands()
    play.end()
    again = Table.restore(play.core.rulebooks, play.table.snapshot())
    assert again.digest() == play.table.digest()
    play.table = again
    play.shuffle()
    assert play.prompt == {"post": {"2": 100, "3": 100}}
    assert play.to(2).told == ["not_released: call_floor"]
