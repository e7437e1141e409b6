"""The action clock and its time banks (The Star 7.46)."""

from typing import Any

import pytest

from table_fsm.outputs import Kind
from table_fsm.table import Table
from tests.table_fsm.streams import Answer, Play, books

STAR = "star-2025-holdem"


def table(*actions: str, structure: str | None = "action-clock", **options: Any) -> Play:
    """Blinds 100 and 200 and hands dealt, on the action clock's structure; seat 3 acts first."""
    play = Play(STAR)
    play.open(deck="blue", blinds=[100, 200], structure=structure, **options)
    play.shuffle(cut=False)
    play.post(100, 200)
    play.hands()
    play.acts(*actions)
    return play


def start(play: Play, seat: int) -> Answer:
    return play.send("clock.start", seat=seat)


def shown(answer: Answer) -> list[tuple[int, float]]:
    return [(clock["seat"], clock["left"]) for clock in answer.of(Kind.CLOCK)]


def banks(play: Play, seat: int) -> int | None:
    return play.core.standing.time_banks.get(seat)


def test_both_action_clock_structures_have_thirty_seconds_and_five_banks_and_the_others_none() -> None:
    for structure in ("action-clock", "monster-stack"):
        assert start(table(structure=structure), 3).of(Kind.CLOCK) == [{"seat": 3, "left": 30, "banks": 5}]
    for structure in ("two-bullet", "single-shot", "friday-freezeout"):
        assert "no action clock" in start(table(structure=structure), 3).refusal


def test_a_bank_without_a_length_is_as_long_as_the_clock() -> None:
    play = table(structure=None, shot_clock=20, time_banks=1)
    start(play, 3)
    assert shown(play.wait(20)) == [(3, 20)]
    assert play.wait(19.9).told == []
    assert play.wait(0.1).told == ["clock_expired: fold_hand"]


def test_warnings_in_the_first_period_none_in_a_bank_with_more_to_come_and_a_countdown_in_the_last() -> None:
    play = table(time_banks=2)
    start(play, 3)
    told = [clock for _ in range(90) for clock in shown(play.wait(1))]
    lefts = [left for _, left in told]
    assert lefts == [5, 30, 30, 10, 5, 4, 3, 2, 1, 0]


def test_who_folds_in_a_bank_has_used_it_and_the_next_starts_afresh() -> None:
    play = table()
    start(play, 3)
    play.wait(31)
    play.acts("3 fold")
    assert (banks(play, 3), play.view["clock"]) == (4, None)
    assert shown(start(play, 4)) == [(4, 30)]


def test_banks_pushed_are_gone_and_without_any_left_none_can_be_pushed() -> None:
    play = table(time_banks=2)
    start(play, 3)
    assert play.acts("3 time_bank", "3 time_bank").errors == []
    assert play.acts("3 time_bank").refusal == "seat 3 has no time bank left"
    assert play.wait(30 + 60 - 2).told == []
    assert play.wait(2).told == ["clock_expired: fold_hand"]


@pytest.mark.parametrize("seat", [4, 9])
def test_only_the_player_on_the_clock_pushes_a_bank(seat: int) -> None:
    play = table()
    start(play, 3)
    assert "no action clock runs" in play.acts(f"{seat} time_bank").refusal
    assert banks(play, seat) is None


def test_a_called_clock_takes_no_bank() -> None:
    play = table()
    play.send("clock.called", seat=3, by="director")
    assert "no action clock runs" in play.acts("3 time_bank").refusal
    ruling = play.wait(30).ruling
    assert (ruling["rule"], ruling["outcome"]) == ("7.25", "fold_hand")


def test_the_action_clock_after_a_called_one_is_the_action_clock() -> None:
    play = table()
    play.send("clock.called", seat=3, by="director")
    start(play, 3)
    assert shown(play.wait(30)) == [(3, 30)]
    assert banks(play, 3) == 4


def test_the_clock_is_refused_out_of_turn_and_before_the_deal() -> None:
    play = table("3 call 200")
    assert "seat 4's turn" in start(play, 5).refusal
    assert "there is no seat 11" in start(play, 11).refusal
    waiting = Play(STAR)
    waiting.open(structure="action-clock")
    assert "nothing to decide" in start(waiting, 3).refusal


def test_banks_left_outlive_the_round_and_a_restart() -> None:
    play = table()
    start(play, 3)
    play.wait(61)
    play.acts("3 fold", "4 fold", "5 fold", "1 fold")
    play.end()
    assert play.table.at_round_boundary
    again = Table.restore(books(), play.table.snapshot())
    assert again._core.standing.time_banks == {3: 3}


def test_who_takes_a_seat_anew_has_all_banks_and_so_has_everybody_at_a_new_opening() -> None:
    play = table()
    start(play, 3)
    play.wait(61)
    play.acts("3 fold", "4 fold", "5 fold", "1 fold")
    play.end()
    play.send("seat.out", seat=3)
    play.send("seat.in", seat=3)
    assert banks(play, 3) is None
    play.core.standing.time_banks[4] = 1
    play.send("table.close")
    play.open(checked=False)
    assert play.core.standing.time_banks == {}


def test_a_book_without_an_action_clock_knows_no_time_banks() -> None:
    play = Play("tas-2018-holdem")
    play.open(blinds=[100, 200])
    play.shuffle()
    play.hands()
    assert "no time banks" in play.acts("3 time_bank").refusal
    assert "use clock.called" in start(play, 3).refusal
