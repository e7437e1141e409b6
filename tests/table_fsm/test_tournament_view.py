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


def test_the_levels_beside_are_told_by_the_play_at_which_they_begin() -> None:
    play = Play(STAR)
    play.open((1, 2, 3, 4), button=4, structure="two-bullet")

    def beside(elapsed: float) -> tuple[float | None, float | None]:
        play.send("tournament.clock", running=False, elapsed=elapsed)
        shown = play.view["tournament"]
        return shown["level_before"], shown["level_after"]

    assert beside(0.0) == (None, 1200.0)
    assert beside(1300.0) == (0.0, 2400.0)
    assert beside(2400.0) == (1200.0, 3600.0)


def test_a_break_counts_down() -> None:
    play = Play(STAR)
    play.open((1, 2, 3, 4), button=4, structure="two-bullet")
    play.send("tournament.clock", running=True, elapsed=7190.0)
    play.wait(100.0)
    shown = play.view["tournament"]
    assert (shown["in_break"], shown["break_left"]) == (True, 1710.0)
    assert shown["break_until"] == play.t + 1710.0
    assert shown["next_break"] == {"after_level": 12, "in_seconds": 7200.0, "seconds": 900.0}


def test_the_next_break_is_told_and_how_much_was_played() -> None:
    play = Play(STAR)
    play.open((1, 2, 3, 4), button=4, structure="two-bullet")
    play.send("tournament.clock", running=False, elapsed=7000.0)
    play.wait(500.0)  # it stands
    shown = play.view["tournament"]
    assert (shown["elapsed"], shown["running"], shown["until"], shown["break_until"]) == (7000.0, False, None, None)
    assert shown["next_break"] == {"after_level": 6, "in_seconds": 200.0, "seconds": 1800.0}
    assert shown["points"]
    assert shown["big_blind_ante"]
    play.send("tournament.clock", running=True, elapsed=7000.0)
    play.wait(60.0)
    assert play.view["tournament"]["elapsed"] == 7060.0


def test_without_a_structure_play_is_counted_too() -> None:
    play = Play(STAR)
    play.open((1, 2, 3, 4), button=4, blinds=[50, 100])
    play.send("tournament.clock", running=True, elapsed=10.0)
    play.wait(5.0)
    shown = play.view["tournament"]
    assert (shown["elapsed"], shown["next_break"], shown["points"]) == (15.0, None, False)


def test_penalties_are_told_with_what_is_left_of_them() -> None:
    play = Play(STAR)
    play.open((1, 2, 3, 4), button=4, structure="two-bullet")
    play.send("penalty", seat=2, hands=3)
    assert play.view["tournament"]["penalties"] == [{"seat": 2, "left": 3, "of": "hands"}]
    other = Play("onyx-tournament")
    other.open((1, 2, 3, 4), button=4, blinds=[50, 100], tournament=True)
    other.send("penalty", seat=3, orbits=1)
    assert other.view["tournament"]["penalties"] == [{"seat": 3, "left": 1, "of": "rounds"}]


def test_what_the_book_knows_of_a_tournament_is_told() -> None:
    play = Play(STAR)
    play.open((1, 2, 3, 4), button=4, structure="two-bullet")
    assert play.view["tournament"]["takes"] == {
        "hand_for_hand": True, "race": True, "penalties": "hands_or_orbits", "payouts": True,
    }  # fmt: skip
    act = Play("act-2001-holdem-no-limit")
    act.open((1, 2, 3), button=3, blinds=[100, 200])
    assert act.view["tournament"]["takes"]["payouts"] is False


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
