"""Run twice: who may, what is dealt, and what each board decides."""

import pytest

from table_fsm.outputs import Kind
from tests.table_fsm.streams import Play


def all_in(*acts: str, **options: object) -> Play:
    play = Play("onyx-cash")
    play.open((1, 2, 3), button=3, blinds=[100, 200], **options)  # type: ignore[arg-type]  # as a drill gives them
    play.shuffle(cut=False)
    play.post(100, 200)
    play.hands()
    play.acts(*(acts or ("3 all_in 30000", "1 all_in 29900", "2 fold")))
    play.close()
    return play


def approved(play: Play) -> Play:
    play.send("badge", staff="s1", role="supervisor")
    return play


def second_board(play: Play) -> None:
    play.burn()
    for number in (1, 2, 3):
        play.card(f"board2:{number}", face="up")
    for number in (4, 5):
        play.burn()
        play.card(f"board2:{number}", face="up")


def test_both_boards_decide_half_of_the_pot_and_no_card_is_seen_twice() -> None:
    play = approved(all_in())
    assert play.send("run_twice").errors == []
    play.turn("seat:1", "seat:3")
    play.flop()
    play.street(4)
    assert play.street(5).of(Kind.SHOWDOWN) == []
    assert play.prompt == {"burn": 1}
    second_board(play)
    assert play.view["board2"] is not None
    assert play.phase == "settling"
    assert len(set(play.view["board"]) | set(play.view["board2"])) == 10


def test_the_showdown_waits_for_hands_that_are_tabled_last() -> None:
    play = approved(all_in())
    play.send("run_twice")
    play.flop()
    play.street(4)
    play.street(5)
    second_board(play)
    shown = play.turn("seat:1", "seat:3").of(Kind.SHOWDOWN)
    assert [value["board"] for value in shown] == [1, 2]


@pytest.mark.parametrize(
    ("play", "reason"),
    [
        (all_in(), "badge"),
        (approved(all_in("3 all_in 9900", "1 all_in 9800", "2 fold")), "not above 100 big blinds"),
        (approved(all_in("3 raise 30000", "1 call 29900", "2 fold")), "bets to come"),
        (approved(all_in("3 all_in 30000", "1 fold", "2 fold")), "no pot is contested"),
    ],
    ids=["no badge", "too small", "bets to come", "no contest"],
)
def test_why_it_may_not_be(play: Play, reason: str) -> None:
    before = play.table.digest()
    assert reason in play.send("run_twice").refusal
    assert play.table.digest() == before


def test_it_is_agreed_once_and_while_cards_are_to_come() -> None:
    play = approved(all_in())
    play.send("run_twice")
    assert "already" in play.send("run_twice").refusal
    late = approved(all_in())
    late.flop()
    late.street(4)
    late.street(5)
    assert "complete" in late.send("run_twice").refusal


def test_without_a_keypad_the_supervisors_word_is_enough() -> None:
    play = Play("onyx-cash")
    play.open((1, 2), button=2)
    play.shuffle(cut=False)
    play.hands()
    play.close()
    approved(play)
    assert play.send("run_twice").errors == []


def test_a_counted_pot_counts_where_nothing_was_keyed() -> None:
    play = Play("onyx-cash")
    play.open((1, 2), button=2, blinds=[100, 200])
    play.shuffle(cut=False)
    play.hands()
    play.close()
    play.send("pot", cents=20000, pot=1)
    approved(play)
    assert "not above" in play.send("run_twice").refusal
    play.send("pot", cents=20001, pot=1)
    assert play.send("run_twice").errors == []


def test_a_sixth_card_of_the_second_board_is_one_too_many() -> None:
    play = approved(all_in())
    play.send("run_twice")
    play.flop()
    play.street(4)
    play.street(5)
    second_board(play)
    assert play.card("board2:5", face="up").told == ["board_overdealt: call_floor"]


def test_a_second_board_before_any_card_is_refused_and_its_collection_is_not() -> None:
    play = Play("onyx-cash")
    play.open((1, 2), button=2)
    play.shuffle(cut=False)
    assert "nobody has agreed" in play.place("board2:1", face="up").refusal
    play = approved(all_in())
    play.send("run_twice")
    play.turn("seat:1", "seat:3")
    play.flop()
    play.street(4)
    play.street(5)
    second_board(play)
    play.end()
    assert play.fetch("board2:1").errors == []
