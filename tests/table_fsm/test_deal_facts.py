"""Which card of the deal was seen, and what the book makes of a hand with the wrong number of cards."""

import pytest

from table_fsm.core import questions
from table_fsm.play.deal import exposures
from tests.table_fsm.streams import Play

ONYX = "onyx-tournament"


def onyx(seats: tuple[int, ...] = (1, 2, 3, 4), **options: object) -> Play:
    play = Play(ONYX)
    play.open(seats, button=seats[-1], blinds=[100, 200], **options)  # type: ignore[arg-type]  # options as a drill gives them
    play.shuffle(cut=False)
    play.post(100, 200)
    return play


@pytest.mark.parametrize(
    ("dealt", "which"), [(1, "first_two"), (2, "first_two"), (3, "other"), (7, "other"), (8, "last")]
)
def test_the_place_of_a_card_in_the_deal(dealt: int, which: str) -> None:
    play = onyx()
    play.to(*(play.order * 2)[:dealt])
    seat = (play.order * 2)[dealt - 1]
    assert exposures.which_card(play.core, seat, None, dealt=True) == which


def test_the_next_card_of_the_pack_counts_as_the_one_to_come() -> None:
    play = onyx()
    assert exposures.which_card(play.core, 1, None, dealt=False) == "first_two"
    play.to(1, 2, 3, 4, 1, 2, 3)
    assert exposures.which_card(play.core, 4, None, dealt=False) == "last"


def test_a_named_card_is_found_by_its_name() -> None:
    play = onyx()
    play.hands()
    first = play.core.round.deals.cards[0][1]
    assert exposures.which_card(play.core, 1, first, dealt=True) == "first_two"
    assert exposures.which_card(play.core, 1, None, dealt=True) == "other"


def test_the_initial_deal_lasts_until_betting_has_begun() -> None:
    play = onyx()
    play.hands()
    assert questions.during(play.core) == "deal"
    play.acts("3 fold")
    assert questions.during(play.core) == "later"


def test_a_card_too_many_taken_back_leaves_nothing_waiting() -> None:
    play = onyx()
    play.hands()
    assert play.card("seat:1").told == ["wrong_card_count: call_floor"]
    play.fetch("seat:1")
    assert play.pending == []


def test_the_missing_card_makes_the_hand_whole() -> None:
    play = onyx()
    play.to(1, 2, 3, 4, 1, 2, 3)
    assert play.acts("3 call 200").told == ["wrong_card_count: deal_missing_card"]
    play.to(4)
    deal = play.core.round.deals.current
    assert deal is not None
    assert deal.dealt[4] == 2
    assert play.acts("4 call 200", "1 call 100", "2 check").told == []


def test_after_a_misdeal_the_blinds_are_due_again() -> None:
    play = onyx()
    assert play.card("seat:2").told == ["dealt_wrong_first_seat: misdeal"]
    assert play.core.round.forced.posts == {}
    assert play.shuffle(cut=False).prompt == {"post": {"1": 100, "2": 200}}


def test_who_was_not_there_at_the_first_card_has_a_dead_hand() -> None:
    play = onyx()
    play.send("seat.away", seat=3)
    play.to(1)
    play.send("seat.back", seat=3)
    play.send("seat.away", seat=4)
    play.to(2, 3, 4, 1, 2, 3, 4)
    betting = play.core.round.betting
    assert betting is not None
    assert betting.live == [1, 2, 4]
    assert play.acts("3 fold").errors == []
