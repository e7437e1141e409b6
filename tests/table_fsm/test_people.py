"""People at the table: badges, a supervisor's decisions, calls for the floor, alarms seen and not seen, devices."""

from typing import Any

import pytest

from table_fsm.outputs import Kind
from tests.table_fsm.streams import Play, holdem, uth, uth_dealt


def table() -> Play:
    """Blinds 100 and 200, hands dealt; seat 3 acts first."""
    play = holdem(blinds=[100, 200])
    play.hands()
    return play


def floor() -> Play:
    """Ruling 1 waits for a person: seat 3 checked facing the big blind."""
    play = table()
    assert play.acts("3 check").told == ["action_illegal: call_floor"]
    return play


# -- decisions on what waits


@pytest.mark.parametrize("decision", ["confirm", "play_on", "resume"])
@pytest.mark.parametrize("ruling", [1, None])
def test_a_decision_lets_play_go_on(decision: str, ruling: int | None) -> None:
    play = floor()
    assert play.prompt == {"wait": "floor"}
    answer = play.decide(decision, ruling=ruling)
    assert answer.of(Kind.SHOE) == ["unlock"]
    assert play.pending == []
    assert play.prompt == {"act": 3, "owes": 200}


def test_while_a_ruling_waits_the_gate_is_locked_and_events_are_taken() -> None:
    play = table()
    answer = play.acts("3 check")
    assert answer.of(Kind.SHOE) == ["lock"]
    assert {"name": "stop", "on": True} in answer.of(Kind.LAMP)
    assert answer.of(Kind.BUZZER) == [{"pattern": "long"}]
    assert play.acts("3 call 200").told == []
    assert play.pending == ["action_illegal"]


def test_a_decision_on_one_ruling_leaves_the_others_waiting() -> None:
    play = floor()
    play.send("shoe.fault", kind="comms")
    assert play.pending == ["action_illegal", "shoe_malfunction"]
    play.decide("confirm", ruling=2)
    assert play.pending == ["action_illegal"]


def test_a_decision_on_a_ruling_that_waits_no_more_changes_nothing_that_waits() -> None:
    play = table()
    play.expose("seat:1", by="player")  # ruling 1: nobody has to decide
    play.acts("3 check")  # ruling 2
    play.decide("confirm", ruling=1)
    assert play.pending == ["action_illegal"]


def test_acknowledging_is_seeing_and_decides_nothing() -> None:
    play = floor()
    assert play.decide("acknowledge", ruling=1).alarms == ["action_illegal acknowledged"]
    assert play.pending == ["action_illegal"]
    assert play.decide("acknowledge").alarms == []
    assert play.decide("confirm").alarms == ["action_illegal cleared"]
    assert play.view["alarms"] == []


def test_overruling_puts_another_outcome_in_the_ruling_s_place() -> None:
    play = floor()
    play.decide("overrule", ruling=1, outcome="fold_hand", reason="said so")
    assert play.pending == []
    assert play.view["seats"][2]["folded"]
    assert play.prompt == {"act": 4, "owes": 200}


def test_overruling_a_fold_gives_the_hand_back() -> None:
    play = table()
    play.send("clock.called", seat=3)
    assert play.wait(90).ruling["outcome"] == "fold_hand"
    play.decide("overrule", ruling=1, outcome="play_on")
    assert not play.view["seats"][2]["folded"]


@pytest.mark.parametrize(("decision", "phase"), [("misdeal", "misdeal"), ("void", "void")])
def test_a_supervisor_may_end_a_round_of_their_own_motion(decision: str, phase: str) -> None:
    play = table()
    assert play.decide(decision).phase == phase
    assert play.prompt == {"shuffle": "blue"}
    assert play.acts("3 fold").outputs == ()  # the hand goes in
    assert play.acts("4 call 200").told == ["not_shuffled: stop_table"]  # the hand is played on


def test_a_misdeal_in_answer_to_a_ruling_decides_that_ruling() -> None:
    play = floor()
    assert "action_illegal cleared" in play.decide("misdeal", ruling=1).alarms
    assert play.pending == []


def test_a_misdeal_of_their_own_motion_ends_what_waited_about_the_round_s_play() -> None:
    play = floor()
    play.decide("misdeal")
    assert play.pending == []


def test_a_ruling_on_money_may_be_overruled_after_its_round() -> None:
    play = holdem(commission="one")
    play.hands()
    play.send("pot", cents=5000)
    play.send("dropbox.chip", cents=900)
    play.end()
    assert play.decide("overrule", ruling=1, outcome="play_on").errors == []
    assert play.pending == []


def test_overruling_with_an_end_of_the_round_that_is_over_ends_nothing_more() -> None:
    play = holdem(commission="one")
    play.hands()
    play.send("pot", cents=5000)
    play.send("dropbox.chip", cents=900)
    play.decide("void")
    play.decide("overrule", ruling=1, outcome="misdeal")
    assert play.phase == "void"


def test_cards_a_supervisor_wants_counted_are_dealt_no_more_until_they_are() -> None:
    play = table()
    play.decide("check_deck")
    assert play.view["pending"] == []
    play.to_showdown()
    play.end()
    play.shuffle()
    assert play.send("deal.start").told == ["deck_unchecked: stop_table"]
    play.send("shoe.deck_checked", deck="blue", count=52)
    assert play.pending == []


def test_confirming_with_nothing_waiting_is_no_fault() -> None:
    play = table()
    assert play.decide("confirm").errors == []


# -- alarms


def test_an_alarm_nobody_has_seen_in_a_minute_escalates_once_and_sounds_again_each_minute() -> None:
    play = floor()
    assert play.wait(59.5).alarms == []
    answer = play.wait(0.5)
    assert answer.alarms == ["action_illegal escalated"]
    assert answer.of(Kind.BUZZER) == [{"pattern": "alarm"}]
    for _ in range(3):
        assert play.wait(59.5).of(Kind.BUZZER) == []
        later = play.wait(0.5)
        assert (later.alarms, later.of(Kind.BUZZER)) == ([], [{"pattern": "alarm"}])
    assert play.view["alarms"][0]["escalated"]
    play.decide("acknowledge")
    assert play.wait(60).of(Kind.BUZZER) == []


def test_of_minutes_gone_by_at_once_an_alarm_sounds_for_one() -> None:
    play = floor()
    assert play.wait(1000).of(Kind.BUZZER) == [{"pattern": "alarm"}]
    assert play.wait(59.5).of(Kind.BUZZER) == []


def test_an_alarm_seen_in_time_does_not() -> None:
    play = floor()
    play.decide("acknowledge")
    assert play.wait(100).alarms == []


def test_alarms_escalate_on_a_closed_table_too() -> None:
    play = Play()
    play.send("shoe.fault", kind="jam", deck="red")
    assert play.wait(60).alarms == ["jam escalated"]


def test_an_alarm_names_its_deck_and_its_device() -> None:
    play = table()
    alarm = play.send("shoe.fault", kind="jam", deck="blue").of(Kind.ALARM)[0]
    assert alarm == {"kind": "jam", "deck": "blue", "device": "shoe", "state": "raised"}


@pytest.mark.parametrize(("by", "seat"), [("dealer", None), ("seat:4", 4)])
def test_a_call_for_the_floor_is_an_alarm_until_it_is_seen(by: str, seat: int | None) -> None:
    play = table()
    alarm = play.send("floor.called", by=by).of(Kind.ALARM)[0]
    assert (alarm["kind"], alarm["state"], alarm.get("seat")) == ("floor_called", "raised", seat)
    assert play.decide("acknowledge").alarms == ["floor_called acknowledged", "floor_called cleared"]
    assert play.view["alarms"] == []


def test_a_call_that_nobody_has_seen_is_said_again_and_stands_once() -> None:
    play = table()
    for by in ("dealer", "dealer", "seat:4", "dealer"):
        assert play.send("floor.called", by=by).alarms == ["floor_called raised"]
    calls = play.view["alarms"]
    assert [alarm["seat"] for alarm in calls] == [None, 4]
    assert calls[0]["since"] < calls[1]["since"]
    play.decide("acknowledge")
    assert play.view["alarms"] == []
    assert play.send("floor.called").alarms == ["floor_called raised"]


def test_a_device_that_comes_and_goes_is_one_alarm_until_it_is_seen() -> None:
    play = table()
    for online in (False, True, False):
        play.send("device.state", device="shoe", online=online)
    [alarm] = play.view["alarms"]
    assert (alarm["kind"], alarm["over"]) == ("device_offline", False)


def test_acknowledging_one_ruling_leaves_other_alarms_unseen() -> None:
    play = floor()
    play.send("floor.called")
    assert play.decide("acknowledge", ruling=1).alarms == ["action_illegal acknowledged"]
    assert [alarm["acknowledged"] for alarm in play.view["alarms"]] == [True, False]


# -- badges


def test_each_role_may_badge_and_play_goes_on() -> None:
    play = table()
    for role in ("supervisor", "inspector", "director", "surveillance", "dealer"):
        assert play.send("badge", staff="s1", role=role).outputs == ()


# -- devices


def test_a_needed_device_that_goes_locks_the_gate_and_the_round_goes_on() -> None:
    play = table()
    gone = play.send("device.state", device="reader:board", online=False, reason="silent")
    assert gone.alarms == ["device_offline raised"]
    assert gone.of(Kind.ALARM)[0]["device"] == "reader:board"
    assert gone.of(Kind.SHOE) == ["lock"]
    assert gone.told == []
    back = play.send("device.state", device="reader:board", online=True)
    assert back.alarms == ["device_offline cleared"]
    assert back.of(Kind.SHOE) == ["unlock"]


def test_a_device_that_the_book_can_do_without_is_told_and_locks_nothing() -> None:
    gone = table().send("device.state", device="badge", online=False)
    assert gone.alarms == ["device_offline raised"]
    assert gone.of(Kind.SHOE) == []


def test_in_a_round_test_mode_locks_the_gate_and_the_round_goes_on() -> None:
    play = table()
    answer = play.send("test.mode", on=True)
    assert (answer.told, answer.of(Kind.SHOE)) == ([], ["lock"])
    assert play.acts("3 call 200").errors == []
    assert play.send("test.mode", on=False).of(Kind.SHOE) == ["unlock"]


def test_news_that_are_none() -> None:
    play = table()
    assert play.send("device.state", device="shoe", online=True).outputs == ()
    play.send("device.state", device="shoe", online=False)
    assert play.send("device.state", device="shoe", online=False, reason="still").alarms == []


def over(play: Play) -> Play:
    play.to_showdown()
    play.end()
    return play


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (("device.state", {"device": "shoe", "online": False}), ("device.state", {"device": "shoe", "online": True})),
        (("test.mode", {"on": True}), ("test.mode", {"on": False})),
    ],
    ids=["device away", "test mode"],
)
def test_no_round_starts_without_its_devices_and_the_stop_ends_with_its_cause(
    before: tuple[str, dict[str, Any]], after: tuple[str, dict[str, Any]]
) -> None:
    play = over(table())
    play.shuffle()
    play.send(before[0], **before[1])
    assert play.send("deal.start").told == ["shoe_unavailable: stop_table"]
    assert play.phase == "halted"
    play.send(after[0], **after[1])
    assert play.pending == []
    assert play.send("deal.start").told == []


def test_a_device_may_come_and_go_before_the_table_opens() -> None:
    play = Play()
    play.send("device.state", device="shoe", online=False)
    play.open()
    play.shuffle()
    assert play.send("deal.start").told == ["shoe_unavailable: stop_table"]


def test_house_banked_hands_are_voided_and_folded_by_overruling() -> None:
    play = uth_dealt(uth())
    play.send("shoe.fault", kind="comms")
    play.decide("overrule", ruling=1, outcome="void_round")
    assert play.phase == "void"


def test_an_excluded_player_s_hand_is_dead_between_players() -> None:
    play = holdem((1, 2, 3), blinds=[100, 200])
    play.hands()
    assert play.decide("exclude", seat=9).errors == ["seat 9 has no hand in play to exclude"]
    assert play.decide("exclude", seat=3).told == []
    assert play.prompt == {"act": 1, "owes": 100}
    assert play.decide("exclude", seat=3).errors == ["seat 3 has no hand in play to exclude"]


def test_exclude_and_a_seat_belong_together() -> None:
    play = holdem((1, 2, 3), blinds=[100, 200])
    play.hands()
    for decision, fields in (("exclude", {}), ("void", {"seat": 1})):
        assert play.decide(decision, **fields).refusal == "a seat belongs to exclude, and exclude needs one"


def test_alarms_of_a_kind_are_acknowledged_together_and_one_of_a_device_alone() -> None:
    play = table()
    for device in ("reader:board", "reader:seat:1", "badge"):
        play.send("device.state", device=device, online=False)
    play.send("floor.called", by="dealer")
    assert play.decide("acknowledge", alarm="device_offline", device="badge").alarms == ["device_offline acknowledged"]
    assert play.decide("acknowledge", alarm="device_offline").alarms == ["device_offline acknowledged"] * 2
    assert [alarm["kind"] for alarm in play.view["alarms"] if not alarm["acknowledged"]] == ["floor_called"]


def test_faults_of_the_shoe_are_acknowledged_together() -> None:
    play = table()
    for kind in ("jam", "motor"):
        play.send("shoe.fault", kind=kind, deck="blue")
    play.send("floor.called", by="dealer")
    assert play.decide("acknowledge", alarm="jam").alarms == ["jam acknowledged", "motor acknowledged"]
    assert all(fault["acknowledged"] for fault in play.view["faults"])


@pytest.mark.parametrize(
    "fields",
    [{"decision": "resume", "alarm": "jam"}, {"decision": "acknowledge", "alarm": "jam", "ruling": 1},
     {"decision": "acknowledge", "device": "shoe"}],
)  # fmt: skip
def test_an_alarm_belongs_to_an_acknowledgement(fields: dict[str, Any]) -> None:
    play = floor()
    assert "belongs to" in play.send("supervisor", staff="S1", **fields).of(Kind.ERROR)[0]["reason"]


# -- acknowledged is what a person has seen


def alarms_of(play: Play) -> list[tuple[str, str | int | None, bool]]:
    """Kind, device or seat, and whether it is acknowledged, of each alarm that stands."""
    return [(one["kind"], one["device"] or one["seat"], one["acknowledged"]) for one in play.view["alarms"]]


def test_only_the_alarms_of_a_line_are_acknowledged_the_cleared_ones_without_the_active_ones() -> None:
    play = table()
    for device in ("reader:1", "reader:2", "reader:3"):
        play.send("device.state", device=device, online=False)
    for device in ("reader:1", "reader:2"):
        play.send("device.state", device=device, online=True)
    line: dict[str, Any] = {"alarm": "device_offline", "devices": ["reader:1", "reader:2"], "cleared": True}
    until = max(one["since"] for one in play.view["alarms"] if one["over"])
    play.send("device.state", device="reader:1", online=False)  # it has gone again since: the same alarm
    assert play.decide("acknowledge", **line, until=until).alarms == ["device_offline acknowledged"]
    stay = [("device_offline", "reader:1", False), ("device_offline", "reader:3", False)]
    assert alarms_of(play) == stay
    assert play.decide("acknowledge", alarm="device_offline", cleared=True).alarms == []
    assert alarms_of(play) == stay


def test_an_alarm_that_came_after_what_a_person_saw_stays() -> None:
    play = table()
    play.send("floor.called", by="seat:2")
    seen = play.view["alarms"][0]["since"]
    play.send("floor.called", by="dealer")
    assert play.decide("acknowledge", until=seen).alarms == ["floor_called acknowledged", "floor_called cleared"]
    assert alarms_of(play) == [("floor_called", None, False)]


def test_of_two_seats_and_of_two_decks_one_is_acknowledged() -> None:
    play = table()
    for by in ("seat:2", "seat:3", "dealer"):
        play.send("floor.called", by=by)
    seen = {"alarm": "floor_called", "until": play.view["alarms"][-1]["since"]}
    play.decide("acknowledge", **seen, seat=2)
    assert alarms_of(play) == [("floor_called", 3, False), ("floor_called", None, False)]
    play.decide("acknowledge", **seen)  # the dealer's, which has no seat
    assert alarms_of(play) == [("floor_called", 3, False)]
    play.send("floor.called", by="seat:2")
    play.decide("acknowledge", alarm="floor_called", seat=3)  # without a moment, of who did not say what they saw
    assert alarms_of(play) == [("floor_called", 2, False)]
    for deck in ("blue", "red"):
        play.send("shoe.fault", kind="jam", deck=deck)
    play.decide("acknowledge", alarm="jam", devices=["shoe"], deck="red", until=play.view["alarms"][-1]["since"])
    assert [one["deck"] for one in play.view["alarms"] if one["kind"] == "jam" and one["acknowledged"]] == ["red"]
    assert {one["deck"]: one["acknowledged"] for one in play.view["faults"]} == {"blue": False, "red": True}


def test_a_cleared_fault_of_the_shoe_ends_alone_and_another_stays_to_be_seen() -> None:
    play = table()
    for kind in ("jam", "motor"):
        play.send("shoe.fault", kind=kind)
    play.send("shoe.cleared", kind="jam")
    until = play.view["alarms"][-1]["since"]
    seen = play.decide("acknowledge", alarm="jam", device="shoe", until=until, cleared=True)
    assert seen.alarms == ["jam acknowledged"]
    assert [(one["kind"], one["acknowledged"]) for one in play.view["faults"]] == [("motor", False)]
    play.decide("acknowledge", until=until)
    assert play.view["faults"][0]["acknowledged"]


@pytest.mark.parametrize(
    "fields",
    [{"decision": "resume", "until": 5.0}, {"decision": "acknowledge", "ruling": 1, "cleared": True},
     {"decision": "acknowledge", "devices": ["shoe"]}, {"decision": "shelve", "alarm": "floor_called", "deck": "blue"},
     {"decision": "acknowledge", "alarm": "jam", "device": "shoe", "devices": ["shoe"]}],
)  # fmt: skip
def test_what_a_person_saw_belongs_to_an_acknowledgement(fields: dict[str, Any]) -> None:
    reason = floor().send("supervisor", staff="S1", **fields).of(Kind.ERROR)[0]["reason"]
    assert "belong to" in reason or "one of the two" in reason
