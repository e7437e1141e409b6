"""Errors of the board under Onyx's rules: what is asked for, what is carried out, and what a person may undo."""

from tests.table_fsm.streams import Play
from tests.table_fsm.test_deal_facts import onyx


def to_flop(play: Play) -> Play:
    play.hands()
    play.acts("3 call 200", "4 call 200", "1 call 100", "2 check")
    play.close()
    return play


def test_the_dealer_is_asked_to_mix_the_four_and_then_for_the_turn() -> None:
    play = to_flop(onyx())
    play.flop()
    play.card("board:4", face="up")
    assert play.prompt == {"mix": ["board:1", "board:2", "board:3", "board:4"]}
    play.fetch("board:4")
    assert play.prompt == {"act": 1, "owes": 0}


def test_the_burn_that_lies_on_the_board_is_asked_for() -> None:
    play = to_flop(onyx())
    play.flop()
    play.close()
    play.card("board:4", face="up")
    assert play.prompt == {"move": "board:4", "to": "burn"}
    play.fetch("board:4")
    play.send("card.placed", zone="burn", card=None, face="down")
    assert play.prompt == {"deal": "board:4", "face": "up"}
    play.card("board:4", face="up")
    assert play.phase == "betting.turn"


def test_the_flops_late_burn_is_asked_for_until_betting_has_begun() -> None:
    play = to_flop(onyx())
    for zone in ("board:1", "board:2", "board:3"):
        play.core.standing.shoe_gives_cards = False
        play.core.round.tracker.left_shoe = 0
        play.place(zone, face="up")
    assert play.prompt == {"burn": 1}
    play.acts("1 check")
    assert play.prompt == {"act": 2, "owes": 0}


def test_an_overruled_burn_is_a_card_of_the_board_again() -> None:
    play = to_flop(onyx())
    play.flop()
    play.close()
    ruling = play.card("board:4", face="up").ruling["id"]
    play.decide("overrule", ruling=ruling, outcome="use_in_sequence")
    assert play.phase == "betting.turn"
    assert play.core.round.board.shown == 4


def test_an_overruled_drawing_lets_the_board_be() -> None:
    play = to_flop(onyx())
    play.flop()
    ruling = play.card("board:4", face="up").ruling["id"]
    play.decide("overrule", ruling=ruling, outcome="play_on")
    assert play.prompt == {"act": 1, "owes": 0}


def test_folding_between_streets_is_no_play_on_a_wrong_board() -> None:
    play = to_flop(onyx())
    play.flop()
    play.acts("1 check", "2 bet 400")
    play.street(4)
    play.acts("3 call 400", "4 call 400", "1 fold")
    play.close()
    play.acts("2 fold")
    assert play.phase == "board.turn"


def test_what_was_put_right_is_not_ruled_on_later() -> None:
    play = to_flop(onyx())
    play.flop()
    play.card("board:4", face="up")
    play.fetch("board:4")
    assert play.acts("1 bet 400", "2 call 400", "3 call 400", "4 fold").told == []
    assert play.core.round.board.error is None
