"""Freeze-out: nobody joins, nothing is added, the ante rises, play goes on to the last. A deck for few players."""

from functools import cache

import pytest

from feltd.books.shipped import rulebook_sources
from table_fsm.rulebook import Rulebook, load_rulebooks
from table_fsm.table import Table
from tests.table_fsm.streams import Answer, Play

FREEZE_OUT = """
id = "freeze-out"
title = "Hold'em on antes, with a freeze-out and a reduced deck"
extends = ["tas-2018-holdem"]

[seats]
reduced_most = 5
newcomers = "at_once"

[betting]
ante = "table_minimum"

[options.freeze_out]
kind = "flag"
default = false
clause = "16"

[options.deck]
kind = "number"
values = [52, 32]
default = 52
clause = "3.4"
"""


@cache
def books() -> dict[str, Rulebook]:
    return load_rulebooks(rulebook_sources() | {"own.toml": FREEZE_OUT})


def table() -> Play:
    play = Play("freeze-out")
    play.table = Table(books())
    return play


def freeze_out(*seats: int) -> Play:
    """Open, shuffled and cut, nothing dealt; the table's minimum is $5."""
    play = table()
    play.open(seats or (1, 2, 3, 4), freeze_out=True, table_min=500)
    play.shuffle()
    return play


def opened(seats: tuple[int, ...], **options: int) -> Answer:
    return table().send("table.open", rulebook="freeze-out", seats=list(seats), options=options)


def played(play: Play) -> Play:
    """One round of it: everybody folds to the last, and the next is ready to be dealt."""
    play.hands()
    play.acts(*(f"{seat} fold" for seat in play.order[:-1]))
    play.end()
    play.shuffle()
    return play


def antes(answer: Answer) -> dict[str, int]:
    assert answer.prompt is not None
    asked: dict[str, int] = answer.prompt["ante"]
    return asked


# -- freeze-out


def test_it_is_played_with_a_full_deck() -> None:
    assert "32 cards in a freeze-out" in opened((1, 2, 3), freeze_out=True, deck=32).refusal
    assert opened((1, 2, 3), freeze_out=True, deck=52).errors == []


def test_before_the_first_card_players_still_join_and_then_nobody_does() -> None:
    play = freeze_out(1, 2, 3)
    assert play.send("seat.in", seat=4).errors == []
    play.to(1)
    assert "nobody joins" in play.send("seat.in", seat=5).refusal
    play.decide("misdeal")
    assert "nobody joins" in play.send("seat.in", seat=5).refusal


def test_the_ante_is_the_table_minimum_and_rises_by_it_with_each_player_out() -> None:
    play = freeze_out()
    assert play.prompt == {"ante": {"1": 500, "2": 500, "3": 500, "4": 500}}
    played(play)
    assert antes(play.send("seat.out", seat=2)) == {"1": 1000, "3": 1000, "4": 1000}
    assert antes(play.send("seat.out", seat=3)) == {"1": 1500, "4": 1500}


def test_who_leaves_before_the_first_card_raises_nothing() -> None:
    play = freeze_out()
    assert antes(play.send("seat.out", seat=2)) == {"1": 500, "3": 500, "4": 500}


def test_who_leaves_in_a_round_raises_the_next_one_s_ante() -> None:
    play = freeze_out()
    play.to(1)
    play.send("seat.out", seat=4)
    play.to(2, 3, 4, 1, 2, 3, 4)
    assert play.core.round.betting is not None
    assert [player.total for player in play.core.round.betting.players.values()] == [500] * 4
    play.acts("1 fold", "2 fold")
    play.end()
    play.shuffle()
    assert play.prompt == {"ante": {"1": 1000, "2": 1000, "3": 1000}}


def test_two_play_on_and_one_does_not() -> None:
    play = played(freeze_out(1, 2, 3))
    play.send("seat.out", seat=2)
    assert play.to(3).told == []  # the button has come to seat 1
    play.decide("misdeal")
    play.send("seat.out", seat=3)
    play.shuffle()
    assert play.to(1).told == ["too_few_players: stop_table"]


def test_two_may_begin_one() -> None:
    assert freeze_out(1, 2).to(1).told == []


def test_one_alone_does_not_begin_one() -> None:
    assert freeze_out(1).to(1).told == ["too_few_players: stop_table"]


def test_a_player_who_leaves_with_chips_is_told_to_the_supervisor() -> None:
    play = played(freeze_out())
    play.send("stack", seat=2, cents=0)
    play.send("stack", seat=3, cents=4000)
    assert play.send("seat.out", seat=2).alarms == []
    assert play.send("seat.out", seat=3).alarms == ["freeze_out_left raised"]


def test_a_bank_that_changes_between_two_rounds_is_told_to_the_supervisor() -> None:
    play = played(freeze_out())
    play.send("stack", seat=3, cents=4000)
    assert play.send("stack", seat=3, cents=4000).alarms == []
    assert play.send("stack", seat=3, cents=5000).alarms == ["freeze_out_bank_changed raised"]
    played(play)
    assert play.send("stack", seat=3, cents=7000).alarms == []


def test_in_any_other_game_none_of_this_holds() -> None:
    play = table()
    play.open((1, 2, 3, 4), table_min=500)
    play.shuffle()
    played(play)
    assert play.send("seat.in", seat=5).errors == []
    play.send("stack", seat=3, cents=4000)
    assert play.send("stack", seat=3, cents=5000).alarms == []
    assert play.send("seat.out", seat=3).alarms == []
    assert play.prompt == {"ante": {"1": 500, "2": 500, "4": 500, "5": 500}}


# -- antes


def test_antes_given_are_asked_no_more_and_stand_after_a_misdeal() -> None:
    play = freeze_out(1, 2, 3)
    assert antes(play.acts("1 ante 500")) == {"2": 500, "3": 500}
    assert play.acts("2 ante 500", "3 ante").prompt == {"deal": "seat:1", "face": "down"}
    play.to(1)
    play.decide("misdeal")
    play.shuffle()
    assert play.prompt == {"deal": "seat:1", "face": "down"}


def test_after_a_void_round_they_are_asked_again() -> None:
    play = freeze_out(1, 2, 3)
    play.acts("1 ante 500", "2 ante 500", "3 ante 500")
    play.to(1)
    play.decide("void")
    play.shuffle()
    assert play.prompt == {"ante": {"1": 500, "2": 500, "3": 500}}


def test_a_short_ante_is_all_in_and_wins_no_more_than_that_of_each() -> None:
    play = freeze_out(1, 2, 3)
    play.acts("1 ante 500", "2 all_in 200", "3 ante 500")
    play.hands()
    betting = play.core.round.betting
    assert betting is not None
    assert [player.total for player in betting.players.values()] == [500, 200, 500]
    assert play.acts("1 bet 600").prompt == {"act": 3, "owes": 600}


# -- a reduced deck


def test_a_reduced_deck_opens_for_five_and_not_for_six() -> None:
    assert opened((1, 2, 3, 4, 5), deck=32).errors == []


def test_six_players_play_with_the_full_one() -> None:
    assert (
        opened((1, 2, 3, 4, 5, 6), deck=32).refusal
        == "option deck: 32 cards are for at most 5 players, here are 6; play with 52"
    )


@pytest.mark.parametrize(("options", "joins"), [({"deck": 32}, False), ({"deck": 52}, True), ({}, True)])
def test_a_sixth_player_joins_with_a_full_deck_only(options: dict[str, int], joins: bool) -> None:
    play = table()
    play.send("table.open", rulebook="freeze-out", seats=[1, 2, 3, 4, 5], options=options)
    assert (play.send("seat.in", seat=7).errors == []) is joins


def test_for_one_who_has_left_another_may_come() -> None:
    play = table()
    play.send("table.open", rulebook="freeze-out", seats=[1, 2, 3, 4, 5], options={"deck": 32})
    play.send("seat.out", seat=5)
    assert play.send("seat.in", seat=6).errors == []
