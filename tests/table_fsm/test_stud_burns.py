"""Stud: the first card of a round seen too soon, and what is burnt for it."""

import pytest

from table_fsm.core.core import Core
from tests.table_fsm.stud5_streams import SECOND_UP, StudPlay, stud_dealt

PREMATURE = ["board_premature: burn_to_player_count"]
BOXED = ["boxed_card: burn_to_player_count"]


def called() -> StudPlay:
    play = stud_dealt()
    play.all_call()
    return play


def seen_on_the_pack() -> StudPlay:
    """The top card was shown before the betting had ended; four players are left."""
    play = called()
    assert play.expose("shoe", card="Ac").told == PREMATURE
    play.close()
    return play


def burns(play: StudPlay, *cards: str) -> list[str]:
    return play.all(play.card("burn", card) for card in cards).told


def owed(core: Core) -> bool:
    return core.round.stud.burns_owed


# -- how many


def test_as_many_as_players_are_left_and_the_prompt_counts_them_down() -> None:
    play = seen_on_the_pack()
    for left, card in zip((4, 3, 2, 1), ("Ac", "Tc", "9h", "6d"), strict=True):
        assert play.prompt == {"burn": left}
        assert burns(play, card) == []
    assert play.prompt == {"deal": "seat:1", "face": "up"}
    assert play.up(*SECOND_UP).told == []
    assert not owed(play.core)


def test_players_who_fold_before_the_betting_ends_do_not_count() -> None:
    play = stud_dealt()
    play.acts("2 bet 500")
    assert play.expose("shoe", card="Ac").told == PREMATURE
    play.acts("3 fold", "4 fold", "1 call 500")
    play.close()
    assert play.prompt == {"burn": 2}


def test_players_who_have_tapped_out_do_count() -> None:
    play = stud_dealt()
    play.acts("2 bet 500", "3 all_in 500")
    play.expose("shoe", card="Ac")
    play.acts("4 fold", "1 call 500")
    play.close()
    assert play.prompt == {"burn": 3}


@pytest.mark.parametrize(
    ("number", "told"), [(0, "burn_missing: call_floor"), (3, "burn_missing: call_floor"), (4, None)]
)
def test_fewer_are_noticed_at_the_first_card_of_the_round(number: int, told: str | None) -> None:
    play = seen_on_the_pack()
    assert burns(play, *("Ac", "Tc", "9h", "6d")[:number]) == []
    assert play.up("Ah").told == ([told] if told else [])
    assert play.up("3c", seats=(2,)).told == []


def test_one_more_is_noticed_as_it_is_burnt() -> None:
    play = seen_on_the_pack()
    assert burns(play, "Ac", "Tc", "9h", "6d", "6c") == ["burn_extra: call_floor"]


def test_a_burn_while_the_betting_goes_on_that_nobody_asked_for_is_noticed_at_the_next_deal() -> None:
    play = called()
    assert burns(play, "Ac") == []
    play.close()
    assert play.up("Ah").told == ["burn_extra: call_floor"]


def test_the_next_round_burns_nothing_again() -> None:
    play = seen_on_the_pack()
    burns(play, "Ac", "Tc", "9h", "6d")
    play.up(*SECOND_UP)
    play.acts("4 check", "1 check", "2 check", "3 check")
    play.close()
    assert play.prompt == {"deal": "seat:1", "face": "up"}
    assert play.up("2h").told == []


# -- how the first of them comes


def test_the_card_that_was_seen_may_lie_face_up_among_the_burns_and_no_other() -> None:
    play = seen_on_the_pack()
    assert play.card("burn", "Ac", "up").told == []
    assert play.card("burn", "Tc", "up").told == ["burn_exposed: call_floor"]


def test_a_shoe_that_calls_the_seen_card_boxed_says_nothing_new() -> None:
    play = seen_on_the_pack()
    assert play.all([play.boxed("Ac"), play.place("burn", "Ac", "up")]).told == []
    assert play.prompt == {"burn": 3}


def test_a_card_dealt_too_soon_is_taken_back_and_counts() -> None:
    play = stud_dealt()
    play.acts("2 bet 500")
    assert play.up("Ac").told == PREMATURE
    play.acts("3 call 500", "4 call 500", "1 call 500")
    play.close()
    assert play.prompt == {"remove": "seat:1"}
    assert play.all([play.fetch("seat:1", "Ac"), play.place("burn", "Ac", "up")]).told == []
    assert play.prompt == {"burn": 3}
    assert burns(play, "Tc", "9h", "6d") == []
    assert play.up(*SECOND_UP).told == []


def test_a_boxed_first_card_is_burnt_at_once() -> None:
    play = called()
    play.close()
    assert play.all([play.boxed("Ac"), play.place("burn", "Ac", "up")]).told == BOXED
    assert play.prompt == {"burn": 3}


def test_a_boxed_first_card_before_the_betting_has_ended_is_that_card_too() -> None:
    play = stud_dealt()
    play.acts("2 bet 500")
    assert play.all([play.boxed("Ac"), play.place("burn", "Ac", "up")]).told == BOXED
    play.acts("3 call 500", "4 call 500", "1 call 500")
    play.close()
    assert play.prompt == {"burn": 3}


def test_a_boxed_first_card_before_the_first_bet_is_burnt_too() -> None:
    assert stud_dealt().boxed("Ac").told == ["boxed_card: burn_to_player_count"]


def test_a_boxed_first_card_laid_at_a_player_goes_back() -> None:
    play = called()
    play.close()
    assert play.all([play.boxed("Ac"), play.place("seat:1", "Ac", "up")]).told == BOXED
    assert play.prompt == {"remove": "seat:1"}
    play.fetch("seat:1", "Ac")
    play.place("burn", "Ac", "up")
    assert play.prompt == {"burn": 3}


def test_later_cards_of_the_round_are_taken_as_they_come() -> None:
    play = called()
    play.close()
    play.up("Ah")
    assert play.all([play.boxed("3c"), play.place("seat:2", "3c", "up")]).told == ["boxed_card: take_card"]
    assert play.prompt == {"deal": "seat:3", "face": "up"}


# -- what a person decides


def test_overruled_the_card_is_dealt_and_nothing_burnt() -> None:
    play = called()
    ruling = play.expose("shoe", card="Ac").ruling
    play.decide("overrule", ruling=ruling["id"], outcome="use_in_sequence", reason="nobody saw it")
    play.close()
    assert play.prompt == {"deal": "seat:1", "face": "up"}
    assert play.up("Ac", "3c").told == []


def test_the_last_betting_round_has_no_next_card_to_burn_for() -> None:
    play = called()
    for cards in (SECOND_UP, ("2h", "3s", "5s", "Th"), ("6h", "Tc", "Td", "7c")):
        play.close()
        play.up(*cards)
    assert play.expose("shoe", card="Ac").told == ["boxed_card: call_floor"]
    assert not owed(play.core)
