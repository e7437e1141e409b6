"""The table opens and closes; players come, go and step away; and who is dealt in (TAS C 19.7 to 19.10)."""

import pytest

from table_fsm.outputs import Kind
from tests.table_fsm.streams import HOLDEM, Play, holdem, uth, uth_dealt


def seats(play: Play) -> list[int]:
    return [seat["seat"] for seat in play.view["seats"]]


def state(play: Play, number: int) -> str:
    return next(str(seat["state"]) for seat in play.view["seats"] if seat["seat"] == number)


def played(play: Play) -> Play:
    """One round, and the deck ready for the next."""
    play.hands()
    play.to_showdown()
    play.end()
    play.shuffle()
    button = play.core.standing.button
    assert button is not None
    there = sorted(play.core.standing.seats)
    play.order = [s for s in there if s > button] + [s for s in there if s <= button]
    return play


# -- opening


def test_the_button_goes_first_to_the_first_player_on_the_dealer_s_right() -> None:
    play = Play()
    assert play.open((2, 4, 7)).of(Kind.BUTTON) == [{"seat": 7}]
    play.shuffle()
    assert play.prompt == {"deal": "seat:2", "face": "down"}


def test_a_button_named_at_the_opening_stands_there_and_is_not_said() -> None:
    play = Play()
    assert play.open((2, 4, 7), button=4).of(Kind.BUTTON) == []
    play.shuffle()
    assert play.prompt == {"deal": "seat:7", "face": "down"}


def test_the_house_s_game_has_no_button() -> None:
    assert uth().view["button"] is None


def test_an_option_left_out_has_the_book_s_default() -> None:
    play = holdem()
    assert play.core.options.burn == 1
    assert play.core.options.commission_handling == "drop"
    assert play.core.options.blinds is None
    assert play.table.option("no such option") is None


def test_a_table_opens_again_as_if_for_the_first_time() -> None:
    play = holdem((1, 2, 3))
    play.hands()
    play.to_showdown()
    play.end()
    assert play.send("table.close").phase == "closed"
    answer = play.send("table.open", rulebook=HOLDEM, seats=[1, 2, 3, 4], button=4)
    assert answer.errors == []
    assert play.phase == "waiting"  # the deck has been checked today
    assert play.view["button"] == 4
    assert play.table.round_number == 1  # the record goes on


def test_a_table_closed_in_collection_opens_again_out_of_it() -> None:
    play = holdem((1, 2, 3))
    play.hands()
    play.decide("misdeal")
    assert play.send("table.close").phase == "closed"
    play.send("table.open", rulebook=HOLDEM, seats=[1, 2, 3])
    play.shuffle()
    assert play.to(1).told == []


@pytest.mark.parametrize(("count", "told"), [(3, []), (2, ["too_few_players: stop_table"])])
def test_three_players_to_start(count: int, told: list[str]) -> None:
    assert holdem(tuple(range(1, count + 1))).send("deal.start").told == told


def test_and_to_go_on_until_there_are_three_again() -> None:
    play = played(holdem((1, 2, 3)))
    play.send("seat.out", seat=2)
    assert play.send("deal.start").told == ["too_few_players: stop_table"]
    play.send("seat.in", seat=5)
    assert play.pending == []


def test_a_player_who_is_away_does_not_count() -> None:
    play = holdem((1, 2, 3))
    play.send("seat.away", seat=2)
    assert play.send("deal.start").told == ["too_few_players: stop_table"]
    play.send("seat.back", seat=2)
    assert play.pending == []


# -- coming


def test_before_the_first_round_a_player_is_dealt_in_at_once() -> None:
    play = holdem((1, 2, 3))
    play.send("seat.in", seat=5)
    assert state(play, 5) == "in"
    assert play.to(1, 2, 3, 5, 1, 2, 3, 5).told == []  # and has the button, as the first on the dealer's right
    assert play.phase == "betting.pre_flop"


def test_in_a_running_game_a_new_player_waits_and_may_be_passed_over() -> None:
    play = played(holdem((1, 2, 3)))
    play.send("seat.in", seat=5)
    assert state(play, 5) == "waiting"
    assert play.to(2, 3, 1, 2, 3, 1).told == []
    assert play.phase == "betting.pre_flop"


def test_one_who_posts_is_dealt_in() -> None:
    play = played(holdem((1, 2, 3), blinds=[100, 200]))
    play.send("seat.in", seat=5)
    assert play.prompt == {"post": {"2": 100, "3": 200, "5": 200}}
    play.acts("2 post 100", "3 post 200", "5 post 200")
    assert state(play, 5) == "in"
    assert play.to(2, 3, 5, 1, 2, 3, 5, 1).told == []
    assert play.prompt == {"act": 5, "owes": 0}


def test_one_given_cards_in_turn_is_in_from_then_on() -> None:
    play = played(holdem((1, 2, 3)))
    play.send("seat.in", seat=5)
    assert play.to(2, 3, 5, 1, 2, 3, 5, 1).told == []
    play.to_showdown()
    play.end()
    assert state(play, 5) == "in"


def test_in_the_house_s_game_one_wagers_at_once() -> None:
    play = uth_dealt(uth((1, 2)))
    play.acts("1 fold", "2 fold")
    play.end()
    play.send("seat.in", seat=5)
    assert state(play, 5) == "in"


# -- going


def test_between_rounds_a_leaver_is_gone_at_once() -> None:
    play = holdem((1, 2, 3, 4))
    play.send("seat.out", seat=2)
    assert seats(play) == [1, 3, 4]


def test_in_a_round_leaving_is_a_fold_and_takes_effect_after_it() -> None:
    play = holdem((1, 2, 3, 4), blinds=[100, 200])
    play.hands()
    play.send("seat.out", seat=3)
    assert state(play, 3) == "leaving"
    assert play.prompt == {"act": 4, "owes": 200}
    assert play.acts("3 call 200").errors == ["seat 3 has folded"]
    play.to_showdown()
    play.end()
    assert seats(play) == [1, 2, 4]


def test_and_in_the_house_s_game() -> None:
    play = uth_dealt(uth((1, 2)))
    play.send("seat.out", seat=1)
    assert play.view["seats"][0]["folded"]
    assert play.prompt == {"decide": [2]}
    play.acts("2 fold")
    play.end()
    assert seats(play) == [2]


@pytest.mark.parametrize("when", ["between rounds", "in the round"])
def test_small_blind_gone_no_small_blind_that_round(when: str) -> None:
    play = holdem((1, 2, 3, 4), blinds=[100, 200])
    play.hands()
    if when == "in the round":
        play.send("seat.out", seat=2)  # would have the small blind next
    play.to_showdown()
    play.end()
    if when == "between rounds":
        play.send("seat.out", seat=2)
    play.shuffle()
    assert play.view["button"] == 1
    assert play.prompt == {"post": {"3": 200}}
    play.acts("3 post 200")
    assert play.to(3, 4, 1, 3, 4, 1).told == []
    assert play.prompt == {"act": 4, "owes": 200}


def test_the_round_after_that_there_is_one_again() -> None:
    play = holdem((1, 2, 3, 4), blinds=[100, 200])
    play.hands()
    play.to_showdown()
    play.end()
    play.send("seat.out", seat=2)
    play.shuffle()
    play.acts("3 post 200")
    play.to(3, 4, 1, 3, 4, 1)
    play.to_showdown()
    play.end()
    play.shuffle()
    assert play.prompt == {"post": {"4": 100, "1": 200}}


def test_before_the_first_shuffle_there_is_no_game_to_leave() -> None:
    play = Play()
    play.open((1, 2, 3, 4), blinds=[100, 200])
    play.send("seat.out", seat=1)
    play.shuffle()
    assert play.prompt == {"post": {"2": 100, "3": 200}}


@pytest.mark.parametrize("leaver", [2, 3, 4])
def test_in_the_first_round_another_leaver_leaves_the_small_blind(leaver: int) -> None:
    play = Play()
    play.open((1, 2, 3, 4, 5), button=5, blinds=[100, 200])
    play.shuffle()
    play.send("seat.out", seat=leaver)
    assert play.prompt == {"post": {"1": 100, str(3 if leaver == 2 else 2): 200}}


def test_in_the_first_round_the_small_blind_s_empty_seat_stays_without_a_blind() -> None:
    play = Play()
    play.open((1, 2, 3, 4), blinds=[100, 200], burn=0)
    play.shuffle()
    play.send("seat.out", seat=1)
    play.send("seat.in", seat=1)  # a new player, who waits for the big blind (19.7)
    assert play.prompt == {"post": {"2": 200}}
    play.acts("2 post 200")
    assert play.to(2, 3, 4, 2, 3, 4).told == []
    assert play.prompt == {"act": 3, "owes": 200}


def test_one_who_is_away_in_the_first_round_is_not_due_the_small_blind() -> None:
    play = Play()
    play.open((1, 2, 3, 4, 5), button=5, blinds=[100, 200])
    play.send("seat.away", seat=1)
    play.shuffle()
    assert play.prompt == {"post": {"2": 100, "3": 200}}
    play.send("seat.out", seat=2)
    assert play.prompt == {"post": {"3": 200}}


def test_two_who_leave_in_the_first_round_leave_one_blind() -> None:
    play = holdem((1, 2, 3, 4, 5), blinds=[100, 200], burn=0)
    play.send("seat.out", seat=1)
    play.send("seat.out", seat=2)
    assert play.prompt == {"post": {"3": 200}}


def test_the_round_after_a_first_one_without_a_small_blind_has_one() -> None:
    play = holdem((1, 2, 3, 4), blinds=[100, 200], burn=0)
    play.send("seat.out", seat=1)
    play.to(2, 3, 4, 2, 3, 4)
    play.acts("3 fold", "4 fold")
    play.end()
    play.shuffle()
    assert play.prompt == {"post": {"3": 100, "4": 200}}


def test_another_leaver_leaves_the_blinds_where_they_are() -> None:
    play = holdem((1, 2, 3, 4, 5), blinds=[100, 200])
    play.hands()
    play.to_showdown()
    play.end()
    play.send("seat.out", seat=3)  # would have the big blind
    play.shuffle()
    assert play.prompt == {"post": {"2": 100, "4": 200}}


# -- away and back


def test_one_who_is_away_may_be_passed_over_or_dealt_in() -> None:
    for cards in ((1, 3, 4, 1, 3, 4), (1, 2, 3, 4, 1, 2, 3, 4)):
        play = holdem((1, 2, 3, 4))
        play.send("seat.away", seat=2)
        assert play.to(*cards).told == []
        play.close()
        assert play.flop().told == []


def away_for_rounds(rounds: int) -> Play:
    """Seat 3 is away; the button is at 4 in the first round, so that the big blind would be theirs in the second."""
    play = holdem((1, 2, 3, 4))
    play.send("seat.away", seat=3)
    for order in ((1, 2, 4), (2, 4, 1))[:rounds]:
        if order[0] == 2:
            play.shuffle()
        play.to(*order, *order)
        play.to_showdown()
        play.end()
    return play


def test_back_after_a_missed_blind_one_waits_for_the_big_blind() -> None:
    play = away_for_rounds(2)
    play.send("seat.back", seat=3)
    assert state(play, 3) == "waiting"


def test_back_after_a_round_with_no_blind_missed_one_plays_on() -> None:
    play = away_for_rounds(1)
    play.send("seat.back", seat=3)
    assert state(play, 3) == "in"


def test_back_before_the_first_round_one_has_missed_nothing() -> None:
    play = holdem((1, 2, 3, 4))
    play.send("seat.away", seat=3)
    assert state(play, 3) == "away"
    play.send("seat.back", seat=3)
    assert state(play, 3) == "in"


def test_back_without_having_been_away_is_no_matter() -> None:
    play = played(holdem((1, 2, 3, 4)))
    play.send("seat.back", seat=3)
    assert state(play, 3) == "in"


def test_one_away_does_not_hide_another() -> None:
    play = holdem((1, 2, 3, 4))
    play.send("seat.away", seat=2)
    play.send("seat.away", seat=3)
    play.send("seat.back", seat=2)
    assert play.wait(901).alarms == ["seat_left raised"]


# -- at a house-banked table


def test_three_rounds_without_a_wager_at_a_full_table_are_told_once() -> None:
    play = uth((1, 2, 3), ante=0)
    told = []
    for _ in range(5):
        for seat in (1, 2):
            play.wager(seat, "ante", 500)
            play.wager(seat, "blind", 500)
        for zone in (*(f"board:{n}" for n in range(1, 6)), "seat:1", "seat:1", "seat:2", "seat:2", "dealer", "dealer"):
            play.card(zone)
        play.acts("1 fold", "2 fold")
        told.append(play.end().alarms)
        play.shuffle("blue", cut=False)
    assert told == [[], [], ["seat_idle raised"], [], []]


def test_with_a_seat_free_nobody_minds() -> None:
    play = uth((1, 2, 4), ante=0)
    for _ in range(4):
        play.wager(1, "ante", 500)
        play.wager(1, "blind", 500)
        for zone in (*(f"board:{n}" for n in range(1, 6)), "seat:1", "seat:1", "dealer", "dealer"):
            play.card(zone)
        play.acts("1 fold")
        assert play.end().alarms == []
        play.shuffle("blue", cut=False)
