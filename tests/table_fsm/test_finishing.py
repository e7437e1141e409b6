"""How a round ends: in good order, as a misdeal, or void; and where the button goes next (C 10.1, 19.6)."""

import pytest

from table_fsm.outputs import Kind
from table_fsm.table import Table
from tests.table_fsm.streams import Play, books, holdem, uth, uth_dealt


def dealt(seats: tuple[int, ...] = (1, 2, 3, 4)) -> Play:
    play = holdem(seats, blinds=[100, 200])
    play.hands()
    return play


def ended(play: Play) -> Play:
    play.to_showdown()
    play.end()
    return play


# -- in good order


def test_the_button_passes_clockwise_to_the_next_player() -> None:
    play = dealt((2, 5, 9))
    assert play.all([play.to_showdown(), play.end()]).of(Kind.BUTTON) == [{"seat": 2}]
    play.shuffle()
    play.acts("5 post 100", "9 post 200")
    play.to(5, 9, 2, 5, 9, 2)
    assert play.end().of(Kind.BUTTON) == [{"seat": 5}]


def test_a_leaver_on_the_button_passes_it_on() -> None:
    play = dealt((1, 2, 3, 4))
    play.send("seat.out", seat=1)  # the next button
    assert play.all([play.to_showdown(), play.end()]).of(Kind.BUTTON) == [{"seat": 2}]


def test_when_everybody_has_left_there_is_no_button_to_move() -> None:
    play = dealt((1, 2, 3))
    for seat in (1, 2, 3):
        play.send("seat.out", seat=seat)
    assert play.end().of(Kind.BUTTON) == []
    assert play.view["seats"] == []


def test_the_dealer_may_end_a_round_on_any_street() -> None:
    play = dealt()
    assert play.end().phase == "complete"
    assert play.view["round"] == 1


def test_a_round_that_is_over_leaves_nothing_on_the_layout() -> None:
    play = ended(dealt())
    assert play.view["board"] == [None] * 5
    assert [seat["cards"] for seat in play.view["seats"]] == [0, 0, 0, 0]
    assert play.table.at_round_boundary


def test_what_waited_about_the_round_s_play_is_over_with_it_and_stops_stay() -> None:
    play = dealt()
    play.acts("3 check")
    play.send("dropbox.state", present=False, locked=False)
    assert play.pending == ["action_illegal", "dropbox_unsafe"]
    play.end()
    assert play.pending == ["action_illegal", "dropbox_unsafe", "round_unfinished"]
    play.end()  # once more: it is meant
    assert play.pending == ["dropbox_unsafe"]


def test_the_attention_lamp_of_a_ruling_goes_out_with_the_round() -> None:
    play = dealt()
    play.expose("seat:1", by="player")
    assert {"name": "attention", "on": False} in play.end().of(Kind.LAMP)


# -- one hand left, and the showdown


def test_the_last_hand_wins_unshown() -> None:
    play = dealt()
    answer = play.acts("3 fold", "4 fold", "1 fold")
    assert answer.of(Kind.SHOWDOWN) == [{"pot": 1, "winners": [2], "hand": None, "odd_to": None}]
    assert answer.phase == "settling"
    assert play.prompt == {"collect": True}


def deal_known(play: Play, hands: dict[int, tuple[str, str]]) -> None:
    for number in (0, 1):
        for seat in play.order:
            play.card(f"seat:{seat}", hands[seat][number])


BOARD = ("2s", "7d", "9c", "Jh", "3c")
HANDS = {1: ("As", "Ad"), 2: ("Kc", "Kd"), 3: ("Qs", "Qd")}


def to_river(play: Play, *streets: tuple[str, ...]) -> None:
    """Each street's actions, then the next street's cards."""
    cards = iter([BOARD[:3], BOARD[3:4], BOARD[4:]])
    place = iter(f"board:{n}" for n in range(1, 6))
    for actions in streets:
        play.acts(*actions)
        play.close()
        if (named := next(cards, None)) is not None:
            play.card("burn", None)
            for card in named:
                play.card(next(place), card, face="up")


def test_pots_are_decided_when_every_live_hand_is_tabled() -> None:
    play = holdem((1, 2, 3), blinds=[100, 200])
    deal_known(play, HANDS)
    checks = ("1 check", "2 check", "3 check")
    to_river(play, ("3 call 200", "1 call 100", "2 check"), checks, checks, checks)
    assert play.phase == "showdown"
    assert play.all([play.turn("seat:2"), play.turn("seat:3")]).of(Kind.SHOWDOWN) == []
    answer = play.turn("seat:1")
    assert answer.of(Kind.SHOWDOWN) == [{"pot": 1, "winners": [1], "hand": "one pair", "odd_to": None}]
    assert answer.phase == "settling"
    assert play.turn("seat:1").of(Kind.SHOWDOWN) == []


def test_side_pots_are_told_apart_where_every_amount_was_keyed() -> None:
    play = holdem((1, 2, 3), blinds=[100, 200])
    deal_known(play, HANDS)
    checks = ("2 check", "3 check")
    to_river(play, ("3 raise 1000", "1 all_in 400", "2 call 800"), checks, checks, checks)
    answer = play.turn("seat:1", "seat:2", "seat:3")
    assert [(pot["pot"], pot["winners"]) for pot in answer.of(Kind.SHOWDOWN)] == [(1, [1]), (2, [2])]


def test_without_a_keypad_there_is_one_pot_as_the_dealer_counted_it() -> None:
    play = holdem((1, 2, 3), table_min=100)
    deal_known(play, {1: ("As", "Kd"), 2: ("Ah", "Kc"), 3: ("Qs", "Td")})
    to_river(play, (), (), (), ())
    play.send("pot", cents=900)
    answer = play.turn("seat:1", "seat:2", "seat:3")
    assert answer.of(Kind.SHOWDOWN) == [{"pot": 1, "winners": [1, 2], "hand": "high card", "odd_to": 1}]


def test_hands_tabled_with_a_board_that_was_not_read_are_not_decided_by_guess() -> None:
    play = holdem((1, 2, 3))
    deal_known(play, HANDS)
    play.close()
    for cards in ((1, 2, 3), (4,), (5,)):
        play.card("burn", None)
        for number in cards:
            play.card(f"board:{number}", None, face="up")
        play.close()
    assert play.turn("seat:1", "seat:2", "seat:3").of(Kind.SHOWDOWN) == []


def test_a_hand_given_up_at_the_showdown_leaves_the_others_to_be_decided() -> None:
    play = holdem((1, 2, 3))
    deal_known(play, HANDS)
    to_river(play, (), (), (), ())
    play.turn("seat:2", "seat:3")
    answer = play.acts("1 fold")
    assert [pot["winners"] for pot in answer.of(Kind.SHOWDOWN)] == [[2]]


# -- a misdeal, a void round


@pytest.mark.parametrize(("decision", "rest"), [("misdeal", "misdeal"), ("void", "void")])
def test_a_round_that_does_not_count_leaves_the_button_and_collects_until_the_shuffle(decision: str, rest: str) -> None:
    play = dealt()
    answer = play.decide(decision)
    assert answer.phase == rest
    assert answer.of(Kind.BUTTON) == []
    assert play.table.at_round_boundary
    for collected in (
        play.place("muck"),
        play.place("burn"),
        play.fetch("seat:1"),
        play.end(),
        play.close(),
        play.look(1),
    ):
        assert (collected.told, collected.errors) == ([], [])
    assert play.card("burn").told == ["not_shuffled: stop_table"]  # the shoe gives no collected cards
    assert play.card("seat:1").told == []
    play.shuffle()
    assert play.phase == "waiting"
    assert play.view["button"] == 4
    play.acts("1 post 100", "2 post 200")
    assert play.hands().told == []
    assert play.prompt == {"act": 3, "owes": 200}


def test_after_a_misdeal_the_posted_blinds_stand_and_a_second_post_is_not_refused() -> None:
    play = dealt()
    play.decide("misdeal")
    play.shuffle()
    play.hands()
    assert play.prompt == {"act": 3, "owes": 200}
    again = dealt()
    again.decide("misdeal")
    again.shuffle()
    assert again.acts("1 post 100").errors == []


def test_void_everything_goes_back() -> None:
    play = dealt()
    play.decide("void")
    assert play.core.round.forced.posts == {}


def test_in_the_house_s_game_everything_goes_back_after_a_misdeal_too() -> None:
    play = uth_dealt(uth((1, 2)))
    play.decide("misdeal")
    play.shuffle(cut=False)
    assert [seat["wagers"] for seat in play.view["seats"]] == [None, None]


def test_the_button_the_dealer_dealt_by_stands_after_a_misdeal() -> None:
    play = holdem((1, 2, 3, 4))
    play.send("marker.placed", marker="button", seat=1)
    assert play.to(2).told == ["button_wrong: warn"]
    play.decide("misdeal")
    assert play.view["button"] == 1


def test_house_s_hands_folded_with_the_dealer_s_hand_closed_are_settled_at_the_end() -> None:
    play = uth_dealt(uth((1, 2), ante=500, trips=100))
    play.acts("1 fold", "2 fold")
    assert play.end().of(Kind.SETTLEMENT) == [
        {"seat": 2, "hand": None, "ante": -500, "blind": -500, "trips": -100, "play": None},
        {"seat": 1, "hand": None, "ante": -500, "blind": -500, "trips": -100, "play": None},
    ]


# -- snapshots between rounds


def test_a_table_restored_between_rounds_plays_on_alike() -> None:
    play = ended(dealt())
    again = Table.restore(books(), play.table.snapshot())
    assert again.digest() == play.table.digest()
    assert not again.at_round_boundary  # its own last event has not been yet
    twin = Play()
    twin.table, twin.t, twin.order = again, play.t, play.order
    for one in (play, twin):
        one.shuffle()
        one.acts("2 post 100", "3 post 200")
        one.to(2, 3, 4, 1, 2, 3, 4, 1)
    assert again.digest() == play.table.digest()
    assert twin.view == play.view
    assert again.rulebook is not None
    assert again.rulebook.id == "tas-2018-holdem"
