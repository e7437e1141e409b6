"""Cards before the players of a player-banked game: exposures, looks, putting right, folds by cards, wrong counts."""

import pytest

from table_fsm.outputs import Kind
from tests.table_fsm.streams import Play, holdem

RECONSTRUCT = "reconstruct"


def four(**options: object) -> Play:
    """Seats 1 to 4; the deal begins with seat 1."""
    return holdem((1, 2, 3, 4), **options)


def dealt(**options: object) -> Play:
    play = four(**options)
    play.hands()
    return play


# -- exposed in the initial deal


def test_one_card_exposed_is_replaced_by_the_first_burn() -> None:
    play = four()
    play.to(1, 2)
    ruling = play.expose("seat:2").ruling
    assert (ruling["rule"], ruling["outcome"], ruling["also"]) == (
        "19.4", "replace_with_first_burn", ["no_burn_before_flop"],
    )  # fmt: skip
    play.fetch("seat:2")
    assert play.to(3, 4, 1, 2, 3, 4).told == []
    assert play.card("seat:2").told == []
    play.close()
    assert [play.card(f"board:{n}", face="up").told for n in (1, 2, 3)] == [[], [], []]
    assert play.phase == "betting.flop"


def test_the_replacement_may_come_by_way_of_the_burn_place() -> None:
    play = four()
    play.to(1)
    play.expose("seat:1")
    play.to(2, 3, 4, 1, 2, 3, 4)
    play.fetch("seat:1")
    assert play.burn().told == []
    play.fetch("burn")
    assert play.place("seat:1", None).told == []
    play.close()
    assert play.prompt == {"deal": "board:1", "face": "up"}


def test_a_second_card_exposed_is_a_misdeal() -> None:
    play = four()
    play.to(1, 2)
    play.expose("seat:1")
    assert play.expose("seat:2").ruling["rule"] == "19.1(c)"
    assert play.phase == "misdeal"


def test_the_same_card_told_twice_is_one_exposure() -> None:
    play = four()
    play.card("seat:1", "As")
    play.expose("seat:1", card="As")
    assert play.expose("seat:1", card="As").told == []


def test_a_card_laid_face_up_is_exposed_by_the_dealer() -> None:
    assert four(burn=0).card("seat:1", face="up").told == ["hole_exposed: misdeal"]
    assert four().card("seat:1", face="up").told == ["hole_exposed: replace_with_first_burn"]


def test_a_card_turned_before_the_deal_is_complete_is_exposed_too() -> None:
    play = four()
    play.to(1)
    assert play.turn("seat:1").told == ["hole_exposed: replace_with_first_burn"]


def test_the_next_card_shown_on_the_shoe_is_the_due_seat_s() -> None:
    play = four()
    play.to(1)
    assert play.expose("shoe").ruling["seat"] == 2


def test_after_betting_has_begun_no_row_speaks_of_it() -> None:
    play = dealt()
    play.acts("3 call")
    assert play.expose("seat:1").told == ["hole_exposed: call_floor"]


def test_a_player_who_shows_cards_is_told_once() -> None:
    play = dealt()
    assert play.expose("seat:1", by="player").told == ["player_exposed: penalty_floor"]
    assert play.expose("seat:1", by="player").told == []
    assert play.expose("seat:2", by="player").ruling["seat"] == 2


def test_a_folded_hand_s_card_shown_has_no_row_here() -> None:
    play = dealt()
    play.acts("3 fold")
    assert play.expose("seat:3").told == ["fold_exposed: call_floor"]


@pytest.mark.parametrize(
    ("by", "told"), [("player", "player_exposed: penalty_floor"), ("dealer", "fold_exposed: call_floor")]
)
def test_a_card_of_the_discards_shown(by: str, told: str) -> None:
    play = dealt()
    play.acts("3 fold")
    play.fetch("seat:3")
    assert play.expose("muck", by=by).told == [told]


def test_a_boxed_card_is_not_exposed_as_well() -> None:
    play = four()
    assert play.send("shoe.card", face="up").told == ["boxed_card: call_floor"]
    assert play.place("seat:1", face="up").told == []


# -- dealt wrongly, looked at, put right


def test_out_of_turn_put_right_dealing_goes_on() -> None:
    play = four()
    play.to(1)
    ruling = play.to(3).ruling
    assert (ruling["irregularity"], ruling["outcome"], ruling["seat"]) == ("dealt_out_of_turn", RECONSTRUCT, 3)
    play.fetch("seat:3")
    assert play.place("seat:2", None).told == []
    assert play.prompt == {"deal": "seat:3", "face": "down"}
    assert play.to(3, 4, 1, 2, 3, 4).told == []
    assert play.phase == "betting.pre_flop"


def test_a_look_at_it_supersedes_the_milder_ruling() -> None:
    play = four()
    play.to(1, 3)
    assert play.look(1).told == []  # another's look is no matter
    ruling = play.look(3).ruling
    assert (ruling["outcome"], ruling["supersedes"], ruling["seat"]) == ("misdeal", 1, 3)


def test_a_look_after_it_was_put_right_is_no_matter() -> None:
    play = four()
    play.to(1, 3)
    play.fetch("seat:3")
    play.place("seat:2", None)
    play.to(3)
    assert play.look(3).told == []


def test_a_look_after_betting_has_begun_is_no_matter() -> None:
    play = four()
    play.to(1, 2, 3, 4, 1, 2, 3, 4)
    play.acts("3 call")
    assert play.look(3).told == []


@pytest.mark.parametrize(
    ("cards", "told"),
    [((1, 9), "extra_hand"), ((1, 2, 3, 4, 1, 2, 3, 4, 1), "excess_card"), ((1, 3, 4, 1), "player_missed")],
)
def test_for_a_card_too_many_or_too_few_anybody_s_look_is_grave(cards: tuple[int, ...], told: str) -> None:
    play = four()
    assert f"{told}: {RECONSTRUCT}" in play.to(*cards).told
    assert f"{told}: misdeal" in play.look(1).told


@pytest.mark.parametrize(
    ("cards", "told"),
    [((1, 9), "extra_hand"), ((1, 2, 3, 4, 1, 2, 3, 4, 1), "excess_card"), ((1, 2, 4), "dealt_out_of_turn")],
)
def test_one_who_looked_before_makes_a_card_too_many_grave_at_once(cards: tuple[int, ...], told: str) -> None:
    play = four()
    play.to(*cards[:-1])
    play.look(1)
    expected = RECONSTRUCT if told == "dealt_out_of_turn" else "misdeal"
    assert play.to(cards[-1]).told == [f"{told}: {expected}"]


def test_with_no_look_sensor_a_person_decides_and_putting_right_ends_the_wait() -> None:
    play = four(look_sensor=False)
    assert play.to(1, 3).told == ["dealt_out_of_turn: call_floor"]
    play.fetch("seat:3")
    play.place("seat:2", None)
    assert play.pending == []


def test_a_missed_player_shows_when_the_dealer_goes_on_to_the_board() -> None:
    play = four()
    play.to(1, 2, 3, 4, 1, 2, 3)
    ruling = play.card("board:1", face="up").rulings[0]
    assert (ruling["irregularity"], ruling["seat"]) == ("player_missed", 4)


def test_or_when_betting_begins_with_one_card_to_come() -> None:
    play = four(blinds=[100, 200])
    play.to(1, 2, 3, 4, 1, 2, 3)
    assert play.acts("3 call 200").told[:1] == ["player_missed: reconstruct"]


def test_an_extra_card_moved_to_where_it_belongs_is_no_further_fault() -> None:
    play = four()
    play.to(1, 9)
    play.fetch("seat:9")
    assert play.place("seat:2", None).told == []
    assert play.to(3, 4, 1, 2, 3, 4).told == []


def test_a_card_burnt_in_a_missed_player_s_place_goes_where_it_belongs() -> None:
    play = four()
    play.to(1, 2, 3, 4, 1, 2, 3)
    assert play.burn().told == ["player_missed: reconstruct"]
    play.fetch("burn")
    assert play.place("seat:4", None).told == []
    assert play.phase == "betting.pre_flop"


def test_an_exposure_overruled_needs_no_replacement_and_the_burn_stays() -> None:
    play = dealt()
    play.expose("seat:1")
    assert play.prompt == {"remove": "seat:1"}
    play.decide("overrule", ruling=1, outcome="play_on")
    play.close()
    assert play.prompt == {"burn": 1}


# -- wrong counts once betting has begun


def short_of_one() -> Play:
    """Seat 4 lacks a card, and everybody knows."""
    play = four(blinds=[100, 200])
    play.to(1, 2, 3, 4, 1, 2, 3)
    play.burn()
    return play


def test_a_wrong_number_of_cards_when_betting_begins_folds_the_hand() -> None:
    play = short_of_one()
    ruling = play.acts("3 call 200").ruling
    assert (ruling["rule"], ruling["outcome"], ruling["seat"]) == ("19.15", "fold_hand", 4)
    assert play.view["seats"][3]["folded"]


def test_a_card_dealt_to_a_player_after_betting_has_begun_is_a_wrong_count_once() -> None:
    play = dealt(blinds=[100, 200])
    play.acts("3 call 200")
    assert play.to(1).told == ["wrong_card_count: fold_hand"]
    assert play.to(1).told == []


def test_where_nobody_holds_the_right_number_the_last_to_fold_wins() -> None:
    play = holdem((1, 2, 3), blinds=[100, 200])
    play.to(1, 2, 3, 1, 2, 3)
    play.acts("3 fold")
    answer = play.to(1)
    assert answer.told == ["wrong_card_count: fold_hand"]
    assert answer.of(Kind.SHOWDOWN) == [{"pot": 1, "winners": [2], "hand": None, "odd_to": None}]


# -- cards that wander


def test_a_card_that_comes_from_another_player_s_hand_is_mixed() -> None:
    play = dealt()
    play.acts("3 call")
    play.fetch("seat:1")
    assert play.place("seat:2", None).told == ["cards_mixed: call_floor"]


def test_a_card_put_back_where_it_lay_is_not() -> None:
    play = dealt()
    play.acts("3 call")
    play.fetch("seat:1")
    assert play.place("seat:1", None).told == []


def test_a_folded_card_that_comes_back_kills_the_hand_it_came_to_once() -> None:
    play = dealt()
    play.acts("3 fold")
    play.fetch("seat:3")
    play.fetch("muck")
    assert play.place("seat:1", None).told == ["mucked_card_returned: fold_hand"]
    play.fetch("seat:3")
    play.fetch("muck")
    assert play.place("seat:1", None).told == []


def test_a_named_card_of_the_discards_comes_back_though_no_reader_saw_it_leave() -> None:
    play = four()
    for seat, card in zip((1, 2, 3, 4) * 2, ("As", "Kd", "2c", "7h", "8h", "9h", "Th", "Jc"), strict=True):
        play.card(f"seat:{seat}", card)
    play.acts("3 fold")
    play.place("muck", "2c")
    assert play.place("seat:1", "2c").told == ["mucked_card_returned: fold_hand"]


def test_live_cards_in_the_discards_are_a_fold_and_no_ruling() -> None:
    play = dealt(blinds=[100, 200])
    play.fetch("seat:3")
    assert play.place("muck", None).told == []
    assert play.view["seats"][2]["folded"]
    assert play.prompt == {"act": 4, "owes": 200}


def test_a_card_read_in_the_discards_that_left_its_hand_unreported_is_a_fold() -> None:
    play = four()
    for seat, card in zip((1, 2, 3, 4) * 2, ("As", "Kd", "2c", "7h", "8h", "9h", "Th", "Jc"), strict=True):
        play.card(f"seat:{seat}", card)
    assert play.place("muck", "2c").told == []
    assert play.view["seats"][2]["folded"]


def test_a_nameless_card_in_the_discards_with_nothing_taken_up_says_nothing() -> None:
    assert dealt().place("muck", None).outputs == ()


def test_a_card_of_the_deck_in_the_discards_from_nowhere_did_not_come_from_the_shoe() -> None:
    assert dealt().place("muck", "2c").told == ["card_not_from_shoe: call_floor"]


def test_cards_of_a_folded_hand_go_to_the_discards() -> None:
    play = dealt()
    play.acts("3 fold")
    play.fetch("seat:3")
    play.fetch("seat:3")
    assert (play.view["muck"], play.view["seats"][2]["cards"]) == (2, 0)


def test_the_exposed_card_laid_in_the_discards_is_no_fold() -> None:
    play = dealt()
    play.expose("seat:1")
    play.fetch("seat:1")
    assert play.place("muck", None).told == []
    assert not play.view["seats"][0]["folded"]


def test_cards_of_the_board_and_of_the_burn_in_the_discards_are_nobody_s_fold() -> None:
    play = dealt()
    play.to_showdown()
    play.fetch("board:1")
    play.fetch("burn")
    assert [play.place("muck", None).told for _ in "12"] == [[], []]


def test_before_the_round_what_comes_to_the_discards_or_the_pack_is_collection() -> None:
    play = four()
    assert [play.place(zone).outputs for zone in ("muck", "shoe")] == [(), ()]


def test_a_card_turned_in_the_discards_is_no_matter() -> None:
    play = dealt()
    play.acts("3 fold")
    play.fetch("seat:3")
    assert play.send("card.turned", zone="muck").told == []


def test_a_card_off_the_table_has_no_row_here() -> None:
    play = dealt()
    answer = play.send("card.left_table", zone="seat:2", by="player")
    assert answer.ruling["seat"] == 2
    assert answer.told == ["card_left_table: call_floor"]
    assert play.view["seats"][1]["cards"] == 1
    assert play.send("card.left_table").ruling["seat"] is None


# -- identity, from shoe and reader


def test_the_same_card_again_in_the_same_place_is_a_reader_saying_it_again() -> None:
    play = four()
    play.card("seat:1", "As")
    assert play.place("seat:1", "As").outputs == ()


@pytest.mark.parametrize(("card", "told"), [("As", "duplicate_card: call_floor"), ("Jo", "foreign_card: call_floor")])
def test_the_same_card_twice_or_one_not_of_this_deck(card: str, told: str) -> None:
    play = four()
    play.card("seat:1", "As")
    assert play.card("seat:2", card).told == [told]


def test_a_card_with_another_back_is_foreign_and_told_once_a_round() -> None:
    play = four()
    play.to(1)
    ruling = play.send("shoe.card", deck="red").ruling
    assert ruling["irregularity"] == "foreign_card"
    assert play.send("card.placed", zone="seat:2", deck="red").told == []
    assert play.send("shoe.card", deck="red").told == []


def test_another_card_than_the_shoe_gave_did_not_come_from_it() -> None:
    play = four()
    play.send("shoe.card", card="As", deck="blue")
    assert play.place("seat:1", "Kd").told == ["card_not_from_shoe: call_floor"]


def test_nor_did_a_card_it_never_gave() -> None:
    play = four()
    play.to(1)
    assert play.place("seat:2").told == ["card_not_from_shoe: call_floor"]


def test_at_a_table_without_a_shoe_sensor_cards_come_from_nowhere() -> None:
    play = four()
    for seat in (1, 2, 3, 4, 1, 2, 3, 4):
        assert play.place(f"seat:{seat}").told == []
    assert play.phase == "betting.pre_flop"


def test_a_card_put_back_on_the_pack_may_come_again() -> None:
    play = four()
    play.card("seat:1", "As")
    play.fetch("seat:1", "As")
    assert play.place("shoe", "As").told == []
    assert play.card("seat:2", "As").told == []
    assert play.core.round.tracker.where == {"As": "seat:2"}
