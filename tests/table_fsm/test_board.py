"""Burns and communal cards of a player-banked game (TAS C 19.2, 19.3), and a board that runs out."""

import pytest

from tests.table_fsm.streams import Play, holdem


def dealt(**options: object) -> Play:
    play = holdem((1, 2, 3), **options)
    play.hands()
    return play


def closed(**options: object) -> Play:
    """Before the flop."""
    play = dealt(**options)
    play.close()
    return play


def up(play: Play, *numbers: int) -> list[str]:
    return play.all(play.card(f"board:{n}", face="up") for n in numbers).told


# -- in order


def test_face_down_and_then_turned_it_counts_as_shown_when_it_shows() -> None:
    play = closed()
    play.burn()
    for n in (1, 2, 3):
        assert play.card(f"board:{n}").told == []
    assert play.phase == "board.flop"
    assert play.turn("board:1", "board:2", "board:3").told == []
    assert play.phase == "betting.flop"


def test_the_three_of_a_flop_may_lie_in_one_place_and_be_spread_out() -> None:
    play = closed()
    play.burn()
    up(play, 1, 1, 1)
    play.fetch("board:1")
    assert play.place("board:2", None, face="up").told == []


# -- too soon


def test_a_premature_flop_is_one_fault_and_goes_back_into_the_stub() -> None:
    play = dealt()
    assert up(play, 1, 2, 3) == ["board_premature: reshuffle_into_stub"]
    for n in (1, 2, 3):
        play.fetch(f"board:{n}")
    play.send("stub.shuffled")
    play.close()
    play.burn()
    assert up(play, 1, 2, 3) == []


def test_a_card_before_the_stub_is_shuffled_is_not_shuffled_once() -> None:
    play = dealt()
    up(play, 1)
    play.fetch("board:1")
    play.close()
    assert play.burn().told == ["not_shuffled: stop_table"]
    assert play.burn().told == []
    assert play.phase == "halted"
    play.send("stub.shuffled")
    assert play.pending == []


def test_without_a_shoe_sensor_the_card_at_rest_tells() -> None:
    play = holdem((1, 2, 3))
    for seat in (1, 2, 3, 1, 2, 3):
        play.place(f"seat:{seat}")
    play.place("board:1", face="up")
    play.fetch("board:1")
    assert play.place("burn").told == ["not_shuffled: stop_table"]


def test_the_burn_made_for_a_premature_board_stays_a_burn() -> None:
    play = dealt()
    assert play.burn().told == []  # a burn during open betting gets no ruling of its own
    assert up(play, 1) == ["board_premature: reshuffle_into_stub"]
    play.fetch("board:1")
    play.send("stub.shuffled")
    play.close()
    assert up(play, 1, 2, 3) == []


def test_a_premature_card_taken_back_unseen_is_returned_too() -> None:
    play = dealt()
    up(play, 1)
    play.card("board:2")  # face down: it never showed
    play.fetch("board:1")
    play.fetch("board:2")
    play.send("stub.shuffled")
    play.close()
    play.burn()
    assert up(play, 1, 2, 3) == []


def test_overruled_to_play_on_the_stub_need_not_be_shuffled() -> None:
    play = dealt()
    up(play, 1)
    play.decide("overrule", ruling=1, outcome="play_on")
    assert play.prompt == {"act": 3, "owes": None}


def test_a_board_card_seen_too_soon_where_it_lies() -> None:
    play = dealt()
    play.burn()
    play.card("board:1")
    assert play.expose("board:1").told == ["board_premature: reshuffle_into_stub"]


def test_the_top_card_seen_during_betting_is_the_next_board_card_too_soon() -> None:
    assert dealt().expose("shoe").told == ["board_premature: reshuffle_into_stub"]


def test_a_fourth_card_of_the_flop_is_shuffled_in() -> None:
    play = closed()
    play.burn()
    assert up(play, 1, 2, 3) == []
    assert up(play, 4) == ["board_overdealt: reshuffle_into_stub"]


def test_with_a_burn_it_is_a_premature_turn() -> None:
    play = closed()
    play.flop()
    play.burn()
    assert up(play, 4) == ["board_premature: reshuffle_into_stub"]


def test_and_so_it_is_once_the_flop_s_betting_has_begun() -> None:
    play = closed()
    play.flop()
    play.acts("1 check")
    assert up(play, 4) == ["board_premature: reshuffle_into_stub"]


# -- burns


def test_the_first_card_shown_without_its_burn_is_used_in_sequence() -> None:
    play = closed()
    assert up(play, 1, 2, 3) == ["burn_missing: use_in_sequence"]
    assert play.phase == "betting.flop"


def test_a_burn_shown_in_its_place_is_used_in_sequence_and_is_no_missing_one() -> None:
    play = closed()
    assert play.card("burn", face="up").told == ["burn_exposed: use_in_sequence"]
    play.fetch("burn")
    assert play.place("board:1", None, face="up").told == []
    assert up(play, 2, 3) == []
    assert play.phase == "betting.flop"


@pytest.mark.parametrize("how", ["turn", "expose", "on the shoe"])
def test_a_burn_seen_in_another_way(how: str) -> None:
    play = closed()
    if how == "on the shoe":
        assert play.expose("shoe").told == ["burn_exposed: use_in_sequence"]
        return
    play.burn()
    answer = play.turn("burn") if how == "turn" else play.expose("burn")
    assert answer.told == ["burn_exposed: use_in_sequence"]


def test_one_burn_too_many_is_told_once() -> None:
    play = closed()
    assert play.burn().told == []
    assert play.burn().told == ["burn_extra: call_floor"]
    assert play.burn().told == []


def test_with_no_burn_in_the_game_any_burn_is_one_too_many() -> None:
    assert closed(burn=0).burn().told == ["burn_extra: call_floor"]
    assert up(closed(burn=0), 1, 2, 3) == []


def test_the_top_card_seen_with_the_burn_made_is_the_board_s_own() -> None:
    play = closed()
    play.burn()
    assert play.expose("shoe").told == []


# -- at the end


def river() -> Play:
    play = dealt()
    play.to_showdown()
    return play


def test_a_sixth_card_on_the_board_has_no_row_here() -> None:
    assert up(river(), 5) == ["board_overdealt: call_floor"]


def test_a_burn_after_the_last_street_is_one_too_many() -> None:
    assert river().burn().told == ["burn_extra: call_floor"]


def test_the_top_card_seen_after_the_last_street_is_a_boxed_card() -> None:
    assert river().expose("shoe").told == ["boxed_card: call_floor"]


def test_the_top_card_seen_before_the_deal_is_one_too() -> None:
    assert holdem().expose("shoe").told == ["boxed_card: call_floor"]


def test_a_card_from_a_hand_on_the_board_is_mixed() -> None:
    play = closed()
    play.fetch("seat:1")
    assert play.place("board:1", None, face="up").told == ["cards_mixed: call_floor"]


def test_with_everybody_all_in_the_board_runs_out_with_nothing_to_close() -> None:
    play = holdem((1, 2, 3), blinds=[100, 200])
    play.hands()
    play.acts("3 all_in 1000", "1 all_in 900", "2 fold")
    play.close()
    assert play.all([play.flop(), play.street(4), play.street(5)]).told == []
    assert play.phase == "showdown"
