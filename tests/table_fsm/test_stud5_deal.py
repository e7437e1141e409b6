"""The first deal of Five Card Stud: what can be put right unseen, whose card it was, closed cards that are shown."""

import pytest

from tests.table_fsm.stud5_streams import FIRST_UP, HOLES, stud, stud_dealt

# -- put right with nothing shown, or not


def test_a_closed_card_missed_shows_with_the_first_open_card_and_that_one_was_to_lie_closed() -> None:
    play = stud()
    play.down(*HOLES[:3])
    answer = play.up("7h")
    assert answer.told == ["player_missed: misdeal"]
    assert "without showing" in answer.ruling["text"]


def test_a_closed_card_missed_and_the_next_one_closed_too() -> None:
    play = stud()
    play.down(*HOLES[:3])
    assert play.down("2s").told == ["player_missed: reconstruct"]
    assert play.look(2).told == ["player_missed: misdeal"]


def test_an_open_card_that_was_a_shown_closed_one_does_not_count() -> None:
    play = stud()
    assert play.up("4c").told == ["first_card_up: closed_card_next_round"]
    play.down(*HOLES[1:3], seats=(2, 3))
    assert play.down("2s").told == ["player_missed: reconstruct"]  # seat 4; nothing of the second pass lies open


def test_a_missed_open_card_is_dealt() -> None:
    play = stud()
    play.down(*HOLES)
    play.up(*FIRST_UP[:3])
    assert play.acts("2 bet 500").told == ["player_missed: reconstruct"]
    assert play.up("8s", seats=(4,)).told == []
    assert play.acts("3 call 500", "4 call 500", "1 call 500").told == []


@pytest.mark.parametrize(("face", "told"), [("down", "reconstruct"), ("up", "misdeal")])
def test_a_closed_card_for_nobody_may_not_be_seen(face: str, told: str) -> None:
    play = stud()
    play.down("4c")
    assert play.card("seat:6", "9d", face).told == [f"extra_hand: {told}"]


def test_an_open_card_for_nobody_was_to_be_seen() -> None:
    play = stud()
    play.down(*HOLES)
    assert play.up("7h", seats=(6,)).told == ["extra_hand: reconstruct"]


# -- whose card it was


def test_one_more_card_to_a_player_while_others_wait_is_a_card_out_of_turn() -> None:
    play = stud()
    play.down(*HOLES)
    play.up("7h", "Kd")
    assert play.up("Qc", seats=(2,)).told == ["dealt_out_of_turn: reconstruct"]
    assert play.prompt == {"remove": "seat:2"}
    play.send("card.removed", zone="seat:2", card="Qc")
    assert play.prompt == {"deal": "seat:3", "face": "up"}


def test_a_look_at_a_closed_card_out_of_turn_is_a_misdeal_and_at_an_open_one_no_matter() -> None:
    play = stud()
    play.down("4c", "9d", "Jh", seats=(1, 2, 2))
    assert play.look(2).told == ["dealt_out_of_turn: misdeal"]
    play = stud()
    play.down(*HOLES)
    play.up("7h", "Kd", seats=(1, 3))
    assert play.look(3).told == []


def test_one_more_card_when_everybody_has_theirs_is_the_next_round_s() -> None:
    assert stud_dealt().up("Ac").told == ["board_premature: burn_to_player_count"]


# -- closed cards that are shown


def test_the_second_card_of_that_player_is_asked_for_closed() -> None:
    play = stud()
    play.up("4c")
    play.down(*HOLES[1:], seats=(2, 3, 4))
    assert play.prompt == {"deal": "seat:1", "face": "down"}
    play.down("7h")
    assert play.prompt == {"deal": "seat:2", "face": "up"}


def test_shown_as_well_it_voids_the_hand() -> None:
    play = stud()
    play.up("4c")
    play.down(*HOLES[1:], seats=(2, 3, 4))
    assert play.up("7h").told == ["hole_exposed: misdeal"]


def test_overruled_the_second_card_comes_open() -> None:
    play = stud()
    ruling = play.up("4c").ruling
    play.decide("overrule", ruling=ruling["id"], outcome="play_on", reason="nobody saw it")
    play.down(*HOLES[1:], seats=(2, 3, 4))
    assert play.prompt == {"deal": "seat:1", "face": "up"}


# -- the last round's checks


def test_who_checks_after_a_check_in_the_last_round_must_beat_open_cards() -> None:
    play = stud_dealt()
    play.all_call()
    for cards in (("Ah", "3c", "5d", "8d"), ("2h", "3s", "5s", "Th"), ("6h", "Tc", "Td", "7c")):
        play.close()
        play.up(*cards)
    opener = play.prompt["act"] if play.prompt else 0
    play.acts(f"{opener} check")
    asked = play.prompt or {}
    assert asked["check_beats"] == [opener]
    play.acts(f"{asked['act']} bet 500")
    assert "check_beats" not in (play.prompt or {})
