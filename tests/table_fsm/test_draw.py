"""Draw Poker (ACT 2001, appendix B): discards and replacements, whole hands, the stub that runs out, who opens."""

from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from table_fsm.poker.draw_order import DrawOrder
from tests.table_fsm.legal_rounds import BLIND, LegalRound
from tests.table_fsm.streams import Play

DRAW = "act-2001-draw"
UNHURRIED = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def draw(seats: tuple[int, ...] = (1, 2, 3, 4), buck: int = 1, *, posted: bool = True, **options: Any) -> Play:
    """A round of Draw, shuffled and cut, two blinds posted."""
    play = Play(DRAW)
    if posted:
        options["blinds"] = [BLIND // 2, BLIND]
    play.open(seats, button=buck, **options)
    at = seats.index(buck)
    play.order = [*seats[at:], *seats[:at]]
    play.shuffle()
    if posted:
        play.post(BLIND // 2, BLIND)
    return play


def dealt(play: Play) -> Play:
    """Five cards each."""
    play.hands(5)
    return play


def to_draw(play: Play | None = None) -> Play:
    """Everybody calls; the draw begins."""
    play = dealt(play or draw())
    play.acts("3 call 2500", "4 call 2500", "1 call 1250", "2 check")
    play.close()
    assert play.phase == "draw.2"
    return play


def replaces(play: Play, seat: int, count: int, given: int | None = None) -> list[str]:
    """A player announces and passes so many cards and gets as many, of five four at once. Gives what was told."""
    told = play.send("draw", seat=seat, count=count).told
    for _ in range(count):
        told += play.fetch(f"seat:{seat}").told
    return told + play.to(*[seat] * (min(count, 4) if given is None else given)).told


def with_three_served() -> Play:
    """Eight players, of whom three have replaced four cards each: the stub is at its end."""
    play = draw(tuple(range(1, 9)))
    play.hands(5)
    play.acts(*[f"{seat} call 2500" for seat in range(3, 9)], "1 call 1250", "2 check")
    play.close()
    for seat in (1, 2, 3):
        replaces(play, seat, 4)
    return play


# -- any legal round


@UNHURRIED
@given(seed=st.integers(0, 2**32), count=st.integers(2, 8))
def test_a_legal_round_has_nothing_to_rule_on(seed: int, count: int) -> None:
    chance, seats = Random(seed), tuple(range(1, count + 1))
    play = draw(seats, chance.choice(seats))
    told = LegalRound(chance, play, keypad=True).run()
    assume(not any("insufficient_cards" in str(line) for line in told))  # everybody replaces everything
    assert told == []


@UNHURRIED
@given(st.lists(st.integers(0, 5), min_size=2, max_size=8))
def test_everybody_gets_what_they_ask_for_and_then_the_draw_is_complete(wanted: list[int]) -> None:
    order = DrawOrder(list(range(1, len(wanted) + 1)), 52)
    nothing = dict.fromkeys(order.order, 0)
    while not order.complete(nothing):
        due = order.due()
        if due is None:
            asked = order.to_draw()
            assert asked is not None
            order.seats[asked].asked = wanted[asked - 1]
        elif order.discard_due():
            order.discarded = True
        else:
            order.seats[due].given += 1
    assert [order.seats[seat].given for seat in order.order] == wanted
    replaced = [number for number in wanted if number]
    assert order.discarded is (replaced[-1:] == [5])


# -- in order


def test_the_prompts_lead_through_the_draw() -> None:
    play = to_draw()
    assert play.prompt == {"draw": 1}
    play.send("draw", seat=1, count=2)
    assert play.prompt == {"deal": "seat:1", "face": "down"}
    play.fetch("seat:1")
    play.fetch("seat:1")
    play.to(1, 1)
    assert play.prompt == {"draw": 2}


def test_the_draw_goes_round_from_the_buck_and_those_who_folded_are_not_asked() -> None:
    play = dealt(draw((1, 2, 3, 4), 3))
    play.acts("1 call 2500", "2 fold", "3 call 1250", "4 check")
    play.close()
    asked = []
    for _ in range(3):
        assert play.prompt is not None
        asked.append(play.prompt["draw"])
        replaces(play, asked[-1], 1)
    assert asked == [3, 4, 1]
    assert play.phase == "betting.2"


def test_whoever_folds_in_the_draw_is_not_waited_for() -> None:
    play = to_draw()
    replaces(play, 1, 1)
    play.acts("2 fold")
    assert play.prompt == {"draw": 3}
    replaces(play, 3, 1)
    play.acts("4 fold")
    assert play.phase == "betting.2"


@pytest.mark.parametrize("count", [-1, 6])
def test_nobody_replaces_fewer_than_none_or_more_than_five(count: int) -> None:
    assert "0 to 5" in to_draw().send("draw", seat=1, count=count).refusal


def test_a_draw_belongs_to_the_draw_and_to_this_game() -> None:
    assert "no draw is in progress" in dealt(draw()).send("draw", seat=1, count=1).refusal
    holdem = Play()
    holdem.open()
    assert "no meaning" in holdem.send("draw", seat=1, count=1).refusal


def test_betting_is_not_closed_over_a_draw_at_a_table_with_a_keypad() -> None:
    assert "the draw goes on" in to_draw().close().refusal


# -- wrong numbers


@pytest.mark.parametrize(("count", "given"), [(1, 2), (2, 1), (0, 1), (3, 0), (4, 5)])
def test_a_wrong_number_of_replacements_is_judged_when_betting_begins(count: int, given: int) -> None:
    play = to_draw()
    assert replaces(play, 1, count, given) == ["excess_card: reconstruct"] * (given > count)
    for seat in (2, 3, 4):
        assert replaces(play, seat, 1) == []
    assert play.acts("3 check").told == ["wrong_card_count: fold_hand"]


def test_cards_that_are_only_held_are_no_discards() -> None:
    play = to_draw()
    names = list(play.core.round.tracker.names("seat:4"))
    for name in names:
        play.fetch("seat:4", name)  # before their turn, to look
    for seat in (1, 2, 3):
        replaces(play, seat, 1)
    play.send("draw", seat=4, count=2)
    play.to(4, 4)
    for name in names[:3]:
        assert play.place("seat:4", name).told == []
    assert play.acts("3 check").told == []


def test_without_a_word_of_the_draw_a_hand_that_is_held_is_not_judged() -> None:
    play = dealt(draw(posted=False))
    play.close()
    for name in list(play.core.round.tracker.names("seat:1")):
        play.fetch("seat:1", name)
    play.to(1, 1)
    assert play.close().told == []


def test_discards_that_no_reader_sees_leave_the_count_alone() -> None:
    play = to_draw()
    play.send("draw", seat=1, count=2)
    play.to(1, 1)
    for seat in (2, 3, 4):
        replaces(play, seat, 0)
    assert play.acts("3 check").told == []


def test_nameless_replacements_at_a_table_without_shoe_sensor_are_counted() -> None:
    play = draw()
    for _ in range(5):
        for seat in play.order:
            play.place(f"seat:{seat}", None)
    play.acts("3 call 2500", "4 call 2500", "1 call 1250", "2 check")
    play.close()
    for seat in (1, 2, 3, 4):
        play.send("draw", seat=seat, count=2)
        for _ in range(2):
            play.fetch(f"seat:{seat}")
        for _ in range(2):
            assert play.place(f"seat:{seat}", None).told == []
    assert play.phase == "betting.2"
    assert play.acts("3 check").told == []


# -- cards that went wrong


def test_a_card_taken_back_and_laid_down_again_is_still_wrong() -> None:
    play = to_draw()
    play.send("draw", seat=1, count=1)
    play.fetch("seat:1")
    assert play.card("seat:2", "2c").told == ["dealt_out_of_turn: reconstruct"]
    play.fetch("seat:2", "2c")
    play.place("seat:2", "2c")
    play.to(1)
    for seat in (2, 3, 4):
        play.send("draw", seat=seat, count=0)
    assert play.acts("3 check").told == ["wrong_card_count: fold_hand"]


def test_a_wrong_card_may_go_to_the_discards() -> None:
    play = to_draw()
    play.send("draw", seat=1, count=1)
    play.fetch("seat:1")
    play.card("seat:2", "2c")
    play.fetch("seat:2", "2c")
    assert play.place("muck", "2c").told == []
    play.to(1)
    for seat in (2, 3, 4):
        play.send("draw", seat=seat, count=0)
    assert play.acts("3 check").told == []


# -- whole hands and the stub


def test_the_fifth_card_waits_for_the_players_behind() -> None:
    play = to_draw()
    replaces(play, 1, 5)
    assert play.prompt == {"draw": 2}
    for seat, count in ((2, 1), (3, 0), (4, 0)):
        replaces(play, seat, count)
    assert play.prompt == {"deal": "seat:1", "face": "down"}
    play.to(1)
    assert play.phase == "betting.2"
    assert play.acts("3 check").told == []


def test_a_card_is_discarded_before_the_fifth_of_the_last_player_who_replaces_cards() -> None:
    play = to_draw()
    replaces(play, 1, 5)
    for seat in (2, 3, 4):
        replaces(play, seat, 0)
    assert play.prompt == {"burn": 1}
    assert play.to(1).told == ["burn_missing: warn"]
    assert play.phase == "betting.2"


def test_a_fifth_card_while_another_waits_is_out_of_turn() -> None:
    play = to_draw()
    replaces(play, 1, 5)
    play.send("draw", seat=2, count=1)
    assert play.to(1).told == ["dealt_out_of_turn: reconstruct"]


def test_a_discard_and_the_fifth_card_out_of_the_shoe_together() -> None:
    play = to_draw()
    for seat in (1, 2, 3):
        replaces(play, seat, 0)
    replaces(play, 4, 5)
    play.send("shoe.card", deck="blue")
    play.send("shoe.card", deck="blue")
    assert play.place("seat:4").told == []
    assert play.phase == "betting.2"
    assert play.acts("3 check").told == []


def test_the_stub_is_counted_down_and_up_again() -> None:
    play = with_three_served()
    play.send("draw", seat=4, count=1)
    assert play.prompt == {"shuffle_stub": True}
    play.send("stub.shuffled")
    order = play.core.round.draw
    assert order is not None
    assert order.stub == 12
    assert play.prompt == {"cut": True}
    play.send("cut", depth=5)
    assert play.prompt == {"deal": "seat:4", "face": "down"}


def test_the_cut_after_that_shuffle_is_taken_once_and_a_card_shown_in_it_is_a_misdeal() -> None:
    play = with_three_served()
    play.send("draw", seat=4, count=1)
    play.send("stub.shuffled")
    assert play.send("cut", depth=5).told == []
    assert play.send("cut", depth=5).told == ["cut_in_deal: call_floor"]
    play.decide("play_on")
    play.send("stub.shuffled")
    assert play.send("cut", depth=5, exposed=1).told == ["cut_exposed: misdeal"]


def test_a_card_from_the_shuffled_stub_that_was_not_cut_is_told_once_and_a_thin_cut_too() -> None:
    play = with_three_served()
    play.send("draw", seat=4, count=3)
    play.send("stub.shuffled")
    assert play.send("cut", depth=1).told == ["cut_too_thin: warn"]
    play.send("stub.shuffled")
    assert play.card("seat:4", None).told == ["cut_missing: warn"]
    assert play.card("seat:4", None).told == []


# -- the final round


def test_where_nobody_may_check_a_bet_and_a_fold_are_good() -> None:
    play = to_draw(draw(no_check_final=True))
    for seat in (1, 2, 3, 4):
        replaces(play, seat, 0)
    assert play.acts("3 fold", "4 bet 2500").told == []


def test_in_the_first_round_the_last_blind_checks_all_the_same() -> None:
    play = dealt(draw(no_check_final=True))
    assert play.acts("3 call 2500", "4 call 2500", "1 call 1250", "2 check").told == []


def test_all_in_players_draw_and_show_with_no_betting_to_close() -> None:
    play = dealt(draw((1, 2)))
    play.acts("1 all_in 6250", "2 all_in 5000")
    play.close()
    assert replaces(play, 1, 3) == []
    assert replaces(play, 2, 0) == []
    assert play.phase == "showdown"


def test_the_discards_of_the_player_who_waited_go_into_the_next_shuffle() -> None:
    play = with_three_served()
    order = play.core.round.draw
    assert order is not None
    passed = list(play.core.round.tracker.names("seat:4"))[:4]
    play.send("draw", seat=4, count=4)
    for name in passed:
        play.fetch("seat:4", name)
    play.send("stub.shuffled", count=4)
    for _ in range(4):
        play.card("seat:4", None)
    play.send("draw", seat=5, count=1)
    play.send("stub.shuffled")
    assert order.stub == 4
    assert play.send("shoe.card", card=passed[0], deck="blue").told == []


# -- what is refused changes nothing


@pytest.mark.parametrize(
    "event",
    [
        {"ev": "draw", "seat": 2, "count": 1},  # has folded
        {"ev": "draw", "seat": 9, "count": 1},
        {"ev": "action", "seat": 2, "action": "check"},
        {"ev": "betting.closed"},
    ],
)
def test_a_refused_event_leaves_the_draw_as_it_was(event: dict[str, Any]) -> None:
    play = dealt(draw())
    play.acts("3 call 2500", "4 call 2500", "1 raise 3750", "2 fold", "3 call 2500", "4 call 2500")
    play.close()
    before = play.table.digest()
    assert play.send(**event).refusal
    assert play.table.digest() == before


def test_a_draw_of_a_player_who_has_folded_ends_no_idle_betting() -> None:
    play = dealt(draw((1, 2, 3)))
    play.acts("3 fold", "1 all_in 6250", "2 call 5000")
    before = play.table.digest()
    assert play.send("draw", seat=3, count=1).refusal
    assert play.table.digest() == before
    assert play.send("draw", seat=1, count=1).told == []
    assert play.phase == "draw.2"


def test_an_action_opens_the_final_round_where_nobody_said_who_stands_pat() -> None:
    play = to_draw()
    replaces(play, 1, 1)
    assert play.acts("3 check").told == []
    assert play.phase == "betting.2"
    assert play.prompt == {"act": 4, "owes": 0}
