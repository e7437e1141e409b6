"""What the page can show of a tournament."""

from tests.table_fsm.streams import Play

STAR = "star-2025-holdem"


def test_level_time_and_what_comes_next() -> None:
    play = Play(STAR)
    play.open((1, 2, 3, 4), button=4, structure="two-bullet")
    play.send("tournament.clock", running=True, elapsed=1100.0)
    play.shuffle()
    play.wait(150.0)
    shown = play.view["tournament"]
    assert shown["level"] == {"level": 1, "blinds": [100, 100], "ante": 100}
    assert shown["next_deal"] == {"level": 2, "blinds": [100, 200], "ante": 200}
    assert shown["next"] == {"level": 3, "blinds": [200, 300], "ante": 300}
    assert shown["left"] == 1200.0 + 1200.0 - 1251.0
    assert shown["until"] == play.t + shown["left"]
    assert (shown["in_break"], shown["break_left"]) == (False, None)


def test_a_break_counts_down() -> None:
    play = Play(STAR)
    play.open((1, 2, 3, 4), button=4, structure="two-bullet")
    play.send("tournament.clock", running=True, elapsed=7190.0)
    play.wait(100.0)
    shown = play.view["tournament"]
    assert (shown["in_break"], shown["break_left"]) == (True, 1710.0)


def test_hand_for_hand_and_what_waits() -> None:
    play = Play(STAR)
    play.open((1, 2, 3, 4), button=4, structure="two-bullet")
    play.send("tournament.hand_for_hand", on=True)
    assert (play.view["tournament"]["hand_for_hand"], play.view["tournament"]["waits_for_go"]) == (True, True)
    play.send("tournament.go")
    assert play.view["tournament"]["waits_for_go"] is False


def test_amounts_of_the_tables_own_have_no_number() -> None:
    play = Play(STAR)
    play.open((1, 2, 3, 4), button=4, blinds=[50, 100])
    assert play.view["tournament"]["level"] == {"level": None, "blinds": [50, 100], "ante": None}
    assert play.view["tournament"]["next"] is None


def test_no_tournament_no_view() -> None:
    play = Play("tas-2018-holdem")
    play.open()
    assert play.view["tournament"] is None
