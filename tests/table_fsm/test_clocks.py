"""What falls due: the clock on a player (5.7), decisions not made (13.8), seats left (6.4, C)."""

import pytest

from table_fsm.outputs import Kind
from tests.table_fsm.streams import Answer, Play, holdem, uth, uth_dealt


def table(*actions: str) -> Play:
    """Blinds 100 and 200, hands dealt; seat 3 acts first."""
    play = holdem(blinds=[100, 200])
    play.hands()
    play.acts(*actions)
    return play


def flop() -> Play:
    """On the flop with nobody having bet; seat 1 acts first."""
    play = table("3 call 200", "4 call 200", "5 fold", "1 call 100", "2 check")
    play.close()
    play.flop()
    return play


def call(play: Play, seat: int, by: str = "dealer") -> Answer:
    return play.send("clock.called", seat=seat, by=by)


def test_a_clock_called_by_staff_runs_at_once_for_ninety_seconds() -> None:
    for by in ("dealer", "supervisor", "director"):
        play = table()
        assert call(play, 3, by).of(Kind.CLOCK) == [{"seat": 3, "left": 90}]
        assert play.view["clock"] == {"seat": 3, "until": play.t + 90}


def test_the_clock_is_shown_again_ten_seconds_before_its_end_and_at_its_end() -> None:
    play = table()
    call(play, 3)
    assert play.wait(79.9).of(Kind.CLOCK) == []
    assert play.wait(0.6).of(Kind.CLOCK) == [{"seat": 3, "left": 9.5}]
    assert play.wait(5).of(Kind.CLOCK) == []
    assert play.wait(4.5).of(Kind.CLOCK) == [{"seat": 3, "left": 0}]
    assert play.view["clock"] is None


def test_a_deadline_is_reached_when_its_second_has_come_and_not_before() -> None:
    play = table()
    call(play, 3)
    assert play.wait(89.5).told == []
    assert play.wait(0.5).told == ["clock_expired: fold_hand"]


def test_who_faces_a_bet_is_folded() -> None:
    play = table()
    call(play, 3)
    ruling = play.wait(90).ruling
    assert (ruling["rule"], ruling["outcome"], ruling["seat"]) == ("5.7", "fold_hand", 3)
    assert play.view["seats"][2]["folded"]
    assert play.prompt == {"act": 4, "owes": 200}


def test_who_faces_none_has_checked() -> None:
    play = flop()
    call(play, 1)
    assert play.wait(90).told == ["clock_expired: check_hand"]
    assert play.prompt == {"act": 2, "owes": 0}


def test_a_blind_who_owes_nothing_checks() -> None:
    play = table("3 call 200", "4 call 200", "5 call 200", "1 call 100")
    call(play, 2)
    assert play.wait(90).told == ["clock_expired: check_hand"]
    assert play.prompt == {"close": "betting"}


def test_a_bet_of_the_street_before_is_no_bet_faced_now() -> None:
    play = flop()
    play.acts("1 check")
    call(play, 2)
    assert play.wait(95).ruling["outcome"] == "check_hand"


def test_without_a_keypad_nobody_knows_whether_there_was_a_bet() -> None:
    play = holdem()
    play.hands()
    play.close()
    play.flop()
    call(play, 1)
    assert play.wait(90).told == ["clock_expired: call_floor"]


def test_nor_after_an_all_in_of_unknown_size() -> None:
    play = table("3 all_in")
    call(play, 4)
    assert play.wait(90).told == ["clock_expired: call_floor"]


def test_acting_stops_the_clock() -> None:
    play = table()
    call(play, 3)
    play.acts("3 call 200")
    assert play.wait(100).of(Kind.CLOCK) == []


def test_another_player_s_action_does_not() -> None:
    play = table()
    call(play, 4)
    play.acts("3 call 200")
    assert play.wait(90).told == ["clock_expired: fold_hand"]


@pytest.mark.parametrize("how", ["stop", "fold", "close"])
def test_a_clock_is_stopped_by_the_dealer_a_fold_or_the_street_s_end(how: str) -> None:
    play = table()
    call(play, 3)
    if how == "stop":
        play.send("clock.stop", seat=3)
    elif how == "fold":
        play.acts("3 fold")
    else:
        play.close()
    assert play.view["clock"] is None
    assert play.wait(100).of(Kind.CLOCK) == []


def test_a_clock_called_again_starts_again() -> None:
    play = table()
    call(play, 3)
    play.wait(60)
    assert call(play, 3).of(Kind.CLOCK) == [{"seat": 3, "left": 90}]
    assert play.wait(80).told == []


def test_a_clock_called_by_a_player_waits_for_a_confirmation() -> None:
    play = table()
    asked = call(play, 3, by="seat:1")
    assert asked.of(Kind.CLOCK) == []
    assert asked.of(Kind.ALARM)[0] == {
        "kind": "clock_asked", "deck": None, "device": None, "state": "raised", "seat": 3,
    }  # fmt: skip
    confirmed = play.decide("confirm")
    assert confirmed.of(Kind.CLOCK) == [{"seat": 3, "left": 90}]
    assert confirmed.alarms == ["clock_asked cleared"]
    assert play.wait(90).told == ["clock_expired: fold_hand"]


def test_a_confirmation_starts_a_clock_once() -> None:
    play = table()
    call(play, 3, by="seat:1")
    play.decide("confirm")
    play.send("clock.stop", seat=3)
    assert play.decide("confirm").of(Kind.CLOCK) == []


def test_in_collection_clocks_are_no_matter() -> None:
    play = table()
    play.decide("misdeal")
    assert call(play, 3).outputs == ()
    assert play.send("clock.stop", seat=3).outputs == ()


# -- house-banked: no decision in the time allowed


def house() -> Play:
    return uth_dealt(uth(decision_time=30))


def test_no_decision_in_time_folds_each_seat_that_owes_one() -> None:
    play = house()
    play.acts("2 check")
    answer = play.wait(30)
    assert [(ruling["irregularity"], ruling["outcome"], ruling["seat"]) for ruling in answer.rulings] == [
        ("no_decision", "fold_hand", 1),
        ("no_decision", "fold_hand", 3),
    ]
    assert [seat["folded"] for seat in play.view["seats"]] == [True, False, True]


def test_each_decision_gives_the_others_the_whole_time_again() -> None:
    play = house()
    play.wait(20)
    play.acts("1 check")
    assert play.wait(29).told == []
    play.wager(2, "play", 2000)
    assert play.wait(29.5).told == []
    assert play.wait(0.5).told == ["no_decision: fold_hand"]


def test_the_next_street_has_its_own_time() -> None:
    play = house()
    play.acts("1 check", "2 check", "3 check")
    play.close()
    assert play.wait(100).told == []  # the board is being turned
    play.turn("board:1", "board:2", "board:3")
    assert play.wait(29).told == []
    assert len(play.wait(1).rulings) == 3


def test_without_the_option_there_is_no_limit() -> None:
    assert uth_dealt(uth()).wait(10_000).told == []


# -- seats left


def test_a_seat_left_for_more_than_fifteen_minutes_is_told_once() -> None:
    play = holdem()
    play.send("seat.away", seat=3)
    assert play.wait(900).alarms == []
    told = play.wait(1)
    assert told.of(Kind.ALARM)[0]["seat"] == 3
    assert told.alarms == ["seat_left raised"]
    assert "seat_left raised" not in play.wait(1000).alarms


@pytest.mark.parametrize("how", ["seat.back", "seat.out"])
def test_the_alarm_ends_when_nobody_is_missed_any_more_and_a_person_has_looked(how: str) -> None:
    play = holdem()
    play.send("seat.away", seat=3)
    play.wait(901)
    assert play.send(how, seat=3).alarms == ["seat_left cleared"]
    assert play.decide("acknowledge").alarms == ["seat_left acknowledged"]
    assert play.view["alarms"] == []


def test_time_away_counts_from_the_last_leaving() -> None:
    play = holdem()
    play.send("seat.away", seat=3)
    play.wait(800)
    play.send("seat.back", seat=3)
    play.send("seat.away", seat=3)
    assert play.wait(800).alarms == []


def test_a_seat_reported_away_again_has_been_away_since_the_first_time() -> None:
    play = holdem()
    play.send("seat.away", seat=3)
    play.wait(500)
    play.send("seat.away", seat=3)
    assert play.wait(401).alarms == ["seat_left raised"]


def test_a_stop_after_the_clock_has_run_out_changes_nothing() -> None:
    play = table()
    call(play, 3)
    play.wait(91)
    assert play.send("clock.stop", seat=3).told == []


def test_a_stop_for_another_seat_is_refused() -> None:
    play = table()
    call(play, 3)
    assert "not on seat 4" in play.send("clock.stop", seat=4).refusal


# ---- the next deadline


def test_an_idle_table_has_no_deadline() -> None:
    assert Play().table.next_deadline() is None
    assert table().table.next_deadline() is None


def test_the_seconds_of_a_clock_that_people_see_all_count() -> None:
    play = table()
    call(play, 3)
    assert play.table.next_deadline() == play.t
    play.send("clock.stop", seat=3)
    assert play.table.next_deadline() is None


def test_an_alarm_falls_due_after_a_minute_until_somebody_has_seen_it() -> None:
    play = table()
    play.send("floor.called", by="dealer")
    raised = play.t
    play.wait(5)
    assert play.table.next_deadline() == raised + 60
    play.send("supervisor", decision="acknowledge", staff="S1")
    assert play.table.next_deadline() is None


def test_a_player_away_is_looked_after_every_ten_seconds_until_the_staff_knows() -> None:
    play = holdem()
    play.send("seat.away", seat=3)
    assert play.table.next_deadline() == play.t + 10
    assert play.wait(901).alarms == ["seat_left raised"]
    play.send("supervisor", decision="acknowledge", staff="S1")
    assert play.table.next_deadline() is None


def test_the_end_of_a_level_is_a_deadline() -> None:
    play = Play("star-2025-holdem")
    play.open(tournament=True, structure="two-bullet")
    assert play.table.next_deadline() is None
    play.send("tournament.clock", running=True, elapsed=1195.0)
    assert play.table.next_deadline() == play.t + 5


def test_players_who_decide_for_a_house_game_are_looked_after_each_second_where_they_have_a_time() -> None:
    timed, untimed = house(), uth_dealt(uth())
    assert timed.view["phase"] == untimed.view["phase"] == "betting"
    assert timed.table.next_deadline() == timed.t
    assert untimed.table.next_deadline() is None
