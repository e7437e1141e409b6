"""What anybody may see: public cards by name, face-down ones as a back or a count, and everything ready for JSON."""

import json
from typing import Any
from unittest.mock import patch

from table_fsm.events import Event
from table_fsm.outputs import Kind, Output
from tests.table_fsm.streams import Answer, Play, holdem, uth, uth_dealt


def seat(play: Play, number: int) -> dict[str, Any]:
    found: dict[str, Any] = next(s for s in play.view["seats"] if s["seat"] == number)
    return found


def test_a_closed_table_shows_that_it_is() -> None:
    view = Play().view
    assert view["open"] is False
    assert view["phase"] == "closed"
    assert (view["rulebook"], view["banked"], view["street"], view["button"], view["prompt"]) == (None,) * 5
    assert view["seats"] == []
    assert view["board"] == [None] * 5


def test_an_open_table() -> None:
    view = holdem((1, 2, 3)).view
    assert (view["open"], view["rulebook"], view["banked"]) == (True, "tas-2018-holdem", "player")
    assert (view["phase"], view["street"], view["round"]) == ("waiting", None, 0)
    assert (view["button"], view["deck"], view["dealer"]) == (3, "blue", None)


def test_face_down_cards_are_a_count_and_a_back() -> None:
    play = uth_dealt(uth((1, 2)))
    assert play.view["board"] == ["back"] * 5
    assert play.view["dealer"] == {"cards": 2, "tabled": []}
    assert seat(play, 1)["cards"] == 2
    assert seat(play, 1)["tabled"] is None
    play.turn("board:1", "board:2", "board:3")
    assert [card == "back" for card in play.view["board"]] == [False, False, False, True, True]


def test_no_name_of_a_face_down_card_is_in_the_view_or_the_snapshot() -> None:
    play = holdem((1, 2, 3))
    play.hands()
    play.close()
    play.flop()
    text = json.dumps(play.view)
    named = set(play.core.round.tracker.where)
    shown = {card for card in play.view["board"] if card}
    assert len(shown) == 3
    assert all(f'"{card}"' not in text for card in named - shown)


def test_a_tabled_hand_is_public() -> None:
    play = holdem((1, 2, 3))
    play.hands()
    names = play.core.round.tracker.names("seat:2")
    play.to_showdown()
    play.turn("seat:2")
    assert seat(play, 2)["tabled"] == names


def test_seats_show_who_waits_is_away_leaves_and_has_folded() -> None:
    play = holdem((1, 2, 3, 4), blinds=[100, 200])
    play.hands()
    play.acts("3 fold")
    play.send("seat.in", seat=5)
    play.send("seat.away", seat=1)
    play.send("seat.out", seat=2)
    assert [(s["state"], s["folded"]) for s in play.view["seats"]] == [
        ("away", False), ("leaving", True), ("in", True), ("in", False), ("waiting", False),
    ]  # fmt: skip


def test_boxes_show_their_wagers() -> None:
    play = uth_dealt(uth((1, 2), ante=500, trips=100))
    play.wager(1, "play", 2000)
    assert seat(play, 1)["wagers"] == {"ante": 500, "blind": 500, "trips": 100, "play": 2000}
    play.acts("2 fold")
    assert seat(play, 2)["folded"]
    assert holdem().view["seats"][0]["wagers"] is None


def test_turn_clock_burn_and_muck() -> None:
    play = holdem((1, 2, 3), blinds=[100, 200])
    play.hands()
    assert (play.view["to_act"], play.view["clock"]) == (3, None)
    play.send("clock.called", seat=3)
    assert play.view["clock"] == {"seat": 3, "until": play.t + 90}
    play.acts("3 fold")
    play.fetch("seat:3")
    play.close()
    play.burn()
    assert (play.view["burn"], play.view["muck"]) == (1, 1)


def test_what_waits_with_its_clause_and_the_alarm_it_raised() -> None:
    play = holdem((1, 2, 3), blinds=[100, 200])
    play.hands()
    play.acts("3 check")
    (pending,) = play.view["pending"]
    assert pending == {
        "id": 1,
        "irregularity": "action_illegal",
        "outcome": "call_floor",
        "rule": "13.1",
        "text": "Nobody may check in the first round but a blind that meets the bet. Call the supervisor.",
        "seat": 3,
        "deck": None,
    }
    (alarm,) = play.view["alarms"]
    assert (alarm["kind"], alarm["seat"], alarm["since"], alarm["over"]) == ("action_illegal", 3, play.t, False)
    assert play.view["faults"] == []


def test_a_stop_is_shown_as_halted_with_the_street_it_halted() -> None:
    play = holdem((1, 2, 3))
    play.hands()
    play.send("dropbox.state", present=False, locked=True)
    assert (play.view["phase"], play.view["street"]) == ("halted", "pre_flop")


def test_the_phase_alone_is_that_of_the_view_after_each_event() -> None:
    assert Play().table.phase == "closed"
    play, seen = holdem((1, 2, 3)), set[str]()
    taken = play.table.apply

    def apply(event: Event) -> tuple[Output, ...]:
        outputs = tuple(taken(event))
        assert play.table.phase == play.view["phase"]
        seen.add(play.table.phase)
        return outputs

    with patch.object(play.table, "apply", apply):
        play.hands()
        play.to_showdown()
        play.send("dropbox.state", present=False, locked=True)
    assert {"dealing", "betting", "showdown", "halted"} <= seen


def test_every_view_is_json() -> None:
    plays = [Play(), holdem(), uth_dealt(uth())]
    plays[1].send("shoe.fault", kind="jam", deck="blue")
    for play in plays:
        assert json.loads(json.dumps(play.view)) == play.view


# -- what is said again only when it changes


def test_an_event_that_changes_nothing_shown_says_nothing() -> None:
    play = holdem()
    assert play.send("tick").outputs == ()


def test_phase_prompt_gate_and_lamps_are_said_when_they_change() -> None:
    play = Play()
    play.send("shoe.deck_checked", deck="blue", count=52)
    answer = play.send("table.open", rulebook="tas-2018-holdem", seats=[1, 2, 3])
    assert answer.phase == "waiting"
    assert answer.prompt == {"shuffle": None}
    assert answer.of(Kind.SHOE) == ["unlock"]
    assert {"name": "play", "on": True} in answer.of(Kind.LAMP)
    closed = play.send("table.close")
    assert (closed.phase, closed.of(Kind.SHOE), closed.of(Kind.PROMPT)) == ("closed", ["lock"], [])


def test_the_display_is_wiped_when_the_attention_lamp_goes_out() -> None:
    play = holdem((1, 2, 3))
    play.hands()
    told = play.expose("seat:1", by="player")
    assert told.of(Kind.DISPLAY)[0]["rule"] == "18.4"
    assert {"name": "attention", "on": True} in told.of(Kind.LAMP)
    assert told.of(Kind.BUZZER) == [{"pattern": "short"}]
    quiet = play.decide("confirm")
    assert {"name": "attention", "on": False} in quiet.of(Kind.LAMP)
    assert quiet.of(Kind.DISPLAY) == [{"text": "", "rule": None}]


def lamps(answer: Answer) -> dict[str, bool]:
    return {lamp["name"]: lamp["on"] for lamp in answer.of(Kind.LAMP)}


def test_indicators_come_back_as_they_should_be_now() -> None:
    play = holdem((1, 2, 3), blinds=[100, 200])
    play.hands()
    quiet = Answer(tuple(play.table.indicators()))
    assert quiet.of(Kind.SHOE) == ["unlock"]
    assert lamps(quiet) == {"play": True, "attention": False, "stop": False}
    assert quiet.of(Kind.DISPLAY) == [{"text": "", "rule": None}]
    play.acts("3 check")
    loud = Answer(tuple(play.table.indicators()))
    assert loud.of(Kind.SHOE) == ["lock"]
    assert lamps(loud) == {"play": False, "attention": True, "stop": True}
    assert loud.of(Kind.DISPLAY)[0]["rule"] == "13.1"
    assert {output.t for output in loud.outputs} == {play.t}
