"""What the dealer is told to do next, step by step through a round, and what a ruling asks back."""

from typing import Any

import pytest

from table_fsm.outputs import Gate, Value
from tests.table_fsm.streams import UTH, Play, holdem, uth, uth_dealt

Prompt = dict[str, Any]


def follow(play: Play, *steps: tuple[Prompt | None, Any]) -> None:
    """Each prompt in turn, and what the dealer then does."""
    for prompt, done in steps:
        assert play.prompt == prompt
        done()


def down(zone: str) -> Prompt:
    return {"deal": zone, "face": "down"}


def up(zone: str) -> Prompt:
    return {"deal": zone, "face": "up"}


def gates(play: Play) -> list[Value]:
    """The shoe's gate as it should be now."""
    return [output.value for output in play.table.indicators() if isinstance(output.value, Gate)]


def tabled(play: Play, *seats: int) -> None:
    for seat in seats:
        play.turn(f"seat:{seat}")


# -- Hold'em


def test_a_round_of_hold_em_by_its_prompts() -> None:
    play = Play()
    assert play.view["prompt"] is None
    play.open((1, 2, 3), blinds=[100, 200], checked=False)
    follow(
        play,
        ({"check": None}, lambda: play.send("shoe.deck_checked", deck="blue", count=52)),
        ({"shuffle": None}, lambda: play.shuffle(cut=False)),
        ({"cut": True}, lambda: play.send("cut", depth=20)),
        ({"post": {"1": 100, "2": 200}}, lambda: play.acts("1 post 100")),
        ({"post": {"2": 200}}, lambda: play.acts("2 post 200")),
    )
    for zone in ("seat:1", "seat:2", "seat:3") * 2:
        follow(play, (down(zone), lambda zone=zone: play.card(zone)))
    follow(
        play,
        ({"act": 3, "owes": 200}, lambda: play.acts("3 call 200")),
        ({"act": 1, "owes": 100}, lambda: play.acts("1 call 100")),
        ({"act": 2, "owes": 0}, lambda: play.acts("2 check")),
        ({"close": "betting"}, play.close),
        ({"burn": 1}, play.burn),
        (up("board:1"), lambda: play.card("board:1", face="up")),
        (up("board:2"), lambda: play.card("board:2", face="up")),
        (up("board:3"), lambda: play.card("board:3", face="up")),
        ({"act": 1, "owes": 0}, lambda: play.acts("1 check", "2 bet 200", "3 fold", "1 call 200")),
        ({"close": "betting"}, play.close),
        ({"burn": 1}, play.burn),
        (up("board:4"), lambda: play.card("board:4", face="up")),
        ({"act": 1, "owes": 0}, lambda: play.acts("1 check", "2 check")),
        ({"close": "betting"}, play.close),
        ({"burn": 1}, play.burn),
        (up("board:5"), lambda: play.card("board:5", face="up")),
        ({"act": 1, "owes": 0}, lambda: play.acts("1 check", "2 check")),
        ({"close": "betting"}, play.close),
        ({"show": [2, 1]}, lambda: tabled(play, 2)),  # the last aggressive player first
    )
    tabled(play, 1)
    follow(play, ({"collect": True}, play.end), ({"shuffle": "blue"}, play.shuffle))
    assert play.prompt == {"post": {"2": 100, "3": 200}}


@pytest.mark.parametrize(("burn", "first"), [(0, up("board:1")), (1, {"burn": 1}), (2, {"burn": 2})])
def test_as_many_burns_as_the_option_says(burn: int, first: Prompt) -> None:
    play = holdem(burn=burn)
    play.hands()
    play.close()
    assert play.prompt == first
    for _ in range(burn):
        play.burn()
    assert play.prompt == up("board:1")


def test_where_nobody_has_bet_the_first_after_the_button_shows_first() -> None:
    play = holdem((1, 2, 3))
    play.hands()
    play.close()
    play.all([play.flop(), play.close(), play.street(4), play.close(), play.street(5), play.close()])
    assert play.prompt == {"show": [2, 3, 1]}  # the big blind is the last aggressive action there was


def test_a_button_seen_elsewhere_is_to_be_moved() -> None:
    play = holdem((1, 2, 3))
    play.send("marker.placed", marker="button", seat=1)
    assert play.prompt == {"move": "button", "to": 3}
    play.send("marker.placed", marker="button", seat=3)
    assert play.prompt == down("seat:1")


def test_without_players_it_waits_for_them() -> None:
    play = Play()
    play.open(())
    play.shuffle()
    assert play.prompt == {"wait": "players"}


def test_nor_are_there_blinds_to_post_without_players() -> None:
    play = Play()
    play.open((), blinds=[100, 200])
    play.shuffle()
    assert play.prompt == {"wait": "players"}


def test_without_a_keypad_the_round_is_closed_by_the_dealer() -> None:
    play = holdem((1, 2, 3), blinds=[100, 200])
    play.hands()
    assert play.prompt == {"act": 3, "owes": 200}
    play.acts("3 all_in")
    assert play.prompt == {"close": "betting"}  # who owes what is not known


def test_an_exposed_card_is_taken_back_and_replaced_by_the_first_burn() -> None:
    play = holdem((1, 2, 3))
    play.to(1, 2)
    play.expose("seat:2")
    follow(play, ({"remove": "seat:2"}, lambda: play.fetch("seat:2")), (down("seat:3"), lambda: play.to(3, 1, 2, 3)))
    follow(play, (down("seat:2"), lambda: play.card("seat:2")))
    assert play.prompt == {"act": 3, "owes": None}
    play.close()
    assert play.prompt == up("board:1")  # no burn before the flop


def test_a_premature_board_card_is_taken_back_and_shuffled_in() -> None:
    play = holdem((1, 2, 3))
    play.hands()
    play.card("board:1", face="up")
    follow(
        play,
        ({"remove": "board:1"}, lambda: play.fetch("board:1")),
        ({"shuffle_stub": True}, lambda: play.send("stub.shuffled")),
    )
    assert play.prompt == {"act": 3, "owes": None}


def test_a_premature_turn_leaves_the_flop_where_it_is() -> None:
    play = holdem((1, 2, 3))
    play.hands()
    play.close()
    play.flop()
    play.street(4)
    assert play.prompt == {"remove": "board:4"}
    play.close()
    assert play.prompt == {"remove": "board:4"}


def test_a_seat_short_of_a_card_is_the_next_to_get_one() -> None:
    play = holdem((1, 2, 3, 4))
    play.to(1, 2, 3, 1, 2, 3, 4)
    play.burn()
    assert play.prompt == down("seat:4")


def test_a_pending_ruling_waits_for_the_floor() -> None:
    play = holdem((1, 2, 3))
    play.hands()
    play.send("shoe.fault", kind="jam")
    assert play.prompt == {"wait": "floor"}


def test_after_a_misdeal_the_blinds_stand_and_are_not_asked_again() -> None:
    play = holdem((1, 2, 3), blinds=[100, 200])
    play.hands()
    play.decide("misdeal")
    assert play.prompt == {"shuffle": "blue"}
    play.shuffle()
    assert play.prompt == down("seat:1")


def test_after_a_void_round_they_are() -> None:
    play = holdem((1, 2, 3), blinds=[100, 200])
    play.hands()
    play.decide("void")
    play.shuffle()
    assert play.prompt == {"post": {"1": 100, "2": 200}}


# -- Ultimate Texas Hold'em


def test_a_round_of_the_house_s_game_by_its_prompts() -> None:
    play = Play(UTH)
    play.open((1, 2))
    play.shuffle(cut=False)
    assert play.prompt == {"wagers": True}
    for seat in (1, 2):
        play.wager(seat, "ante", 500)
        play.wager(seat, "blind", 500)
    play.send("deal.start")
    zones = [f"board:{n}" for n in range(1, 6)] + ["seat:1", "seat:1", "seat:2", "seat:2", "dealer", "dealer"]
    for zone in zones:
        follow(play, (down(zone), lambda zone=zone: play.card(zone)))
    follow(
        play,
        ({"decide": [1, 2]}, lambda: play.wager(1, "play", 2000)),
        ({"decide": [2]}, lambda: play.acts("2 check")),
        ({"turn": ["board:1", "board:2", "board:3"]}, lambda: play.turn("board:1")),
        ({"turn": ["board:2", "board:3"]}, lambda: play.turn("board:2", "board:3")),
        ({"decide": [2]}, lambda: play.acts("2 check")),
        ({"turn": ["board:4", "board:5"]}, lambda: play.turn("board:4", "board:5")),
        ({"decide": [2]}, lambda: play.wager(2, "play", 500)),
        ({"turn": ["dealer"]}, lambda: play.turn("dealer")),
        ({"turn": ["seat:2"]}, lambda: play.turn("seat:2")),  # settled from the dealer's right
        ({"turn": ["seat:1"]}, lambda: play.turn("seat:1")),
        ({"collect": True}, play.end),
    )


def test_the_dealer_s_hand_is_asked_for_after_the_last_decisions_are_closed() -> None:
    play = uth_dealt(uth((1,)))
    play.wager(1, "play", 1500)
    for board in (("board:1", "board:2", "board:3"), ("board:4", "board:5")):
        play.close()
        play.turn(*board)
    play.close()
    assert play.prompt == {"turn": ["dealer"]}


def test_when_all_have_folded_there_is_only_to_collect() -> None:
    play = uth_dealt(uth((1, 2)))
    play.acts("1 fold", "2 fold")
    assert play.prompt == {"collect": True}


def test_the_other_pack_s_turn_comes_with_the_next_round() -> None:
    play = uth_dealt(uth((1, 2)))
    play.send("shoe.deck_checked", deck="red", count=52)
    play.acts("1 fold", "2 fold")
    play.end()
    assert play.prompt == {"shuffle": "red"}


# -- the gate


@pytest.mark.parametrize(
    ("ev", "fields"),
    [
        ("device.state", {"device": "shoe", "online": False}),
        ("test.mode", {"on": True}),
        ("dropbox.state", {"present": True, "locked": False}),
        ("shoe.fault", {"kind": "jam"}),
        ("shoe.deck_checked", {"deck": "blue", "count": 51}),
    ],
)
def test_the_gate_is_shut_while_nothing_may_be_dealt(ev: str, fields: dict[str, Any]) -> None:
    play = holdem()
    assert gates(play) == [Gate(locked=False)]
    play.send(ev, **fields)
    assert gates(play) == [Gate(locked=True)]


def test_a_cleared_fault_still_locks_until_it_is_acknowledged_and_decided_on_in_the_round_too() -> None:
    play = holdem()
    play.hands()
    play.send("shoe.fault", kind="comms", deck="blue")
    play.send("shoe.cleared", kind="comms", deck="blue")
    assert play.table.indicators()[0].value == Gate(locked=True)
    play.decide("acknowledge")
    assert play.table.indicators()[0].value == Gate(locked=True)
    play.decide("confirm")
    assert play.table.indicators()[0].value == Gate(locked=False)


def test_who_decides_on_a_fault_has_seen_it_and_it_locks_until_it_is_cleared() -> None:
    play = holdem()
    play.hands()
    play.send("shoe.fault", kind="comms", deck="blue")
    play.decide("confirm")
    assert play.table.indicators()[0].value == Gate(locked=True)
    play.send("shoe.cleared", kind="comms", deck="blue")
    assert play.table.indicators()[0].value == Gate(locked=False)
