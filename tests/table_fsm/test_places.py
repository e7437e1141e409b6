"""Who is out, and at which place."""

from table_fsm.outputs import Kind
from tests.table_fsm.streams import Answer, Play

BOARD = ("7c", "2h", "9s", "4c", "Jh")


def all_in(*actions: str) -> Answer:
    """What is answered where seats go all in so."""
    return after_all_in(*actions)[0]


def after_all_in(*actions: str, left: int | None = None, play: Play | None = None) -> tuple[Answer, Play]:
    """Seats 1 to 4, aces at seat 4, kings at 3, queens at 1, nothing at 2; all in and tabled.

    `play`: a table that is open, with those players.
    """
    if play is None:
        play = Play("act-2001-holdem-no-limit")
        play.open((1, 2, 3, 4), button=1, blinds=[100, 200])
    if left is not None:
        play.send("tournament.field", entrants=80, remaining=left)
    play.shuffle()
    hands = {1: ("Qs", "Qd"), 2: ("3s", "5d"), 3: ("Ks", "Kd"), 4: ("As", "Ad")}
    for place in (0, 1):
        for seat in (1, 2, 3, 4):
            play.card(f"seat:{seat}", hands[seat][place])
    play.acts(*actions)
    answers = [play.close()]
    for zone, card in zip(range(1, 6), BOARD, strict=True):
        if zone in {1, 4, 5}:
            play.card("burn", None)
        answers.append(play.card(f"board:{zone}", card, "up"))
    betting = play.core.round.betting
    assert betting is not None
    shown = [(f"seat:{seat}", card) for seat in betting.live for card in hands[seat]]
    answers += [play.send("card.turned", zone=zone, card=card) for zone, card in shown]
    return play.all(answers), play


def test_the_larger_contribution_places_higher() -> None:
    answer = all_in("3 all_in 1000", "4 call 1000", "1 all_in 1900", "2 fold", "4 call 1000")
    assert answer.of(Kind.PLACING) == [{"seat": 1, "place": 3}, {"seat": 3, "place": 4}]


def test_while_other_tables_play_places_are_of_all_and_provisional() -> None:
    """The floor has told that 23 are left: 19 of them elsewhere."""
    three = ("3 all_in 1000", "4 call 1000", "1 all_in 1900", "2 fold", "4 call 1000")
    told = after_all_in(*three, left=23)[0].of(Kind.PLACING)
    assert told == [{"seat": 1, "place": 22, "provisional": True}, {"seat": 3, "place": 23, "provisional": True}]
    alone = after_all_in(*three, left=4)[0].of(Kind.PLACING)
    assert alone == [{"seat": 1, "place": 3}, {"seat": 3, "place": 4}]


def test_a_field_that_cannot_be_is_refused() -> None:
    play = Play("act-2001-holdem-no-limit")
    play.open((1, 2, 3, 4), button=1, blinds=[100, 200])
    for entrants, remaining in ((80, 3), (80, 81), (0, 0), (80, -1)):
        [said] = play.send("tournament.field", entrants=entrants, remaining=remaining).of(Kind.ERROR)
        assert "tournament.field" in str(said)


def test_who_gets_chips_back_that_nobody_called_is_not_out() -> None:
    answer = all_in("3 all_in 5000", "4 all_in 1000", "1 fold", "2 fold")
    assert answer.of(Kind.PLACING) == []


def test_who_wins_a_side_pot_is_not_out() -> None:
    answer = all_in("3 all_in 5000", "4 all_in 1000", "1 all_in 4900", "2 fold")
    winners = [value["winners"] for value in answer.of(Kind.SHOWDOWN)]
    assert winners == [[4], [3]]
    assert answer.of(Kind.PLACING) == [{"seat": 1, "place": 4}]


def test_who_is_out_stays_told_and_a_round_that_does_not_count_sends_nobody_home() -> None:
    _, play = after_all_in("3 all_in 1000", "4 call 1000", "1 all_in 1900", "2 fold", "4 call 1000")
    assert play.view["tournament"]["places"] == [
        {"seat": 1, "first": 3, "last": 3, "round": 1, "entry": None, "final": False},
        {"seat": 3, "first": 4, "last": 4, "round": 1, "entry": None, "final": False},
    ]
    play.send("supervisor", decision="void", staff="S1", reason="the wrong deck")
    assert play.view["tournament"]["places"] == []
