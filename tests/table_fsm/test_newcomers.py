"""Who sits down between the button and the small blind waits (The Star 7.23); heads-up order and the first deal."""

from table_fsm.outputs import Button
from tests.table_fsm.streams import Play

STAR = "star-2025-holdem"


def star(seats: tuple[int, ...] = (1, 3, 5, 7), button: int = 7) -> Play:
    """One round played: the button goes from `button` to the next seat."""
    play = Play(STAR)
    play.open(seats, button=button, blinds=[100, 200])
    play.shuffle(cut=False)
    play.hands()
    play.to_showdown()
    play.end()
    return play


def waits(play: Play, seat: int) -> bool:
    return play.core.standing.seats[seat].waits


def test_only_the_seats_between_button_and_small_blind_wait() -> None:
    for seat, between in ((2, True), (4, False), (6, False), (8, False), (9, False)):
        play = star()
        play.send("seat.in", seat=seat)
        assert waits(play, seat) is between, seat


def test_two_who_sit_down_side_by_side_there_both_wait() -> None:
    play = star((1, 4, 6, 8), button=8)
    play.send("seat.in", seat=3)
    play.send("seat.in", seat=2)
    assert (waits(play, 2), waits(play, 3)) == (True, True)


def test_when_the_small_blind_stands_up_the_one_before_still_waits_for_the_next() -> None:
    play = star()
    play.send("seat.in", seat=2)
    play.send("seat.out", seat=3)
    play.shuffle(cut=False)
    play.order = [5, 7, 1]
    assert play.hands().told == []
    play.to_showdown()
    assert play.end().outputs[0].value == Button(5)
    assert not waits(play, 2)


def test_a_misdeal_lets_nobody_in_earlier() -> None:
    play = star()
    play.send("seat.in", seat=2)
    play.shuffle(cut=False)
    play.to(3)
    play.decide("misdeal")
    assert waits(play, 2)


def test_a_book_that_deals_newcomers_in_lets_nobody_wait() -> None:
    play = Play("act-2001-omaha")
    play.open((1, 3, 5), blinds=[100, 200])
    play.shuffle()
    play.hands(4)
    play.to_showdown()
    play.end()
    play.send("seat.in", seat=2)
    assert not waits(play, 2)


def test_the_four_of_the_first_deal_are_asked_for_again_when_the_table_opens_again() -> None:
    play = star()
    play.send("table.close")
    play.open((1, 3, 5), button=5, checked=False)
    play.shuffle(cut=False)
    ruling = play.send("deal.start").ruling
    assert (ruling["rule"], ruling["authority"]) == ("7.7", "director")


def test_after_a_misdeal_of_the_first_deal_the_table_has_begun() -> None:
    play = Play(STAR)
    play.open((1, 3, 5), button=5)
    play.shuffle(cut=False)
    assert play.send("deal.start").told == ["too_few_players: call_floor"]
    play.to(1)
    play.decide("misdeal")
    play.shuffle(cut=False)
    assert play.send("deal.start").told == []
