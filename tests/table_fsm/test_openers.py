"""Who opens a betting round of stud, and when nobody can tell."""

import pytest

from tests.table_fsm.streams import Play
from tests.table_fsm.stud_streams import street, stud7, third


def opener(play: Play) -> int | None:
    betting = play.core.round.betting
    assert betting is not None
    assert betting.open
    return betting.to_act()


@pytest.mark.parametrize(
    ("option", "doors", "seat"),
    [
        ("low", ("9s", "4d", "Kh", "5c"), 2),  # ACT 2001 D 1.2
        ("high", ("9s", "4d", "Kh", "5c"), 3),
        ("low", ("Ah", "Ad", "Kh", "Kc"), 3),  # the ace is high
        ("low", ("9s", "4d", "4h", "5c"), 2),  # equals: the first from the buck
        ("high", ("Ks", "4d", "Kh", "Kc"), 1),
    ],
)
def test_the_first_round_by_the_lowest_or_highest_card(option: str, doors: tuple[str, ...], seat: int) -> None:
    play = stud7(opener=option)
    third(play, *doors)
    assert opener(play) == seat


def test_equals_count_from_the_buck_round_the_table() -> None:
    play = stud7(button=3)
    third(play, "4c", "9d", "4s", "9h")  # seats 3, 4, 1, 2
    assert opener(play) == 3


def test_later_rounds_by_the_highest_single_card() -> None:
    play = stud7()
    third(play, "9s", "4d", "Qh", "5c")
    play.acts("2 bet 500", "3 call 500", "4 call 500", "1 call 500")
    play.close()
    street(play, play.order, "9d", "As", "2d", "5d")  # two pairs show, and a lone ace
    assert opener(play) == 2


def test_a_card_that_was_not_read_leaves_the_opener_open() -> None:
    play = stud7()
    assert third(play, "9s", None, "Kh", "5c").prompt == {"open": "low_card"}
    assert opener(play) is None
    assert play.acts("4 bet 500").prompt == {"act": 1, "owes": 500}


def test_an_unread_card_of_a_player_who_folded_does_not_matter() -> None:
    play = stud7()
    third(play, "9s", None, "Kh", "5c")
    play.acts("4 bet 500", "1 call 500", "2 fold", "3 call 500")
    play.close()
    street(play, [1, 3, 4], "2d", "3d", "Ad")
    assert opener(play) == 4


def test_a_fold_while_nobody_knows_the_opener_opens_nothing() -> None:
    play = stud7()
    third(play, None, None, None, None)
    assert play.acts("1 fold").told == []
    assert opener(play) is None
    assert play.acts("3 bet 500", "4 call 500", "2 call 500").told == []


def test_where_all_who_could_open_have_folded_nobody_is_asked_to() -> None:
    play = stud7()
    third(play, "9s", "4d", "Kh", "5c")
    play.acts("2 all_in 500", "3 all_in 500", "4 call 500", "1 call 500")
    play.close()
    assert street(play, play.order, None, None, None, None).prompt == {"open": "high_card"}
    assert play.acts("1 fold").prompt == {"close": "betting"}  # who is left has nobody to bet against
    assert play.acts("4 fold").outputs == ()
    assert play.close().told == []


def test_a_card_turned_late_counts_until_somebody_has_acted() -> None:
    play = stud7()
    play.to(*play.order * 2)
    for seat, card in ((1, "9s"), (2, "2d"), (3, "Kh"), (4, "3c")):
        play.card(f"seat:{seat}", card, "down" if seat == 2 else "up")
    assert opener(play) is None
    play.send("card.turned", zone="seat:2", card="2d", face="up")
    assert opener(play) == 2


def test_who_opens_is_asked_of_nobody_with_all_chips_in() -> None:
    play = stud7()
    third(play, "9s", "4d", "Kh", "5c")
    play.acts("2 bet 500", "3 all_in 300", "4 call 500", "1 call 500")
    play.close()
    street(play, play.order, "2h", "3h", "Ah", "Qc")
    assert opener(play) == 4
