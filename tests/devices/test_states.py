"""A full-state read brings the table up to date: what differs from what it knows becomes events, what it knows does
not."""

from typing import Any

import pytest

from devices.drivers.base import Driver
from devices.drivers.registry import driver_for
from devices.errors import DeviceMessageError, DeviceOutputError
from table_fsm import events as ev

T = 30.0


def told(driver: Driver[Any], *events: ev.Event) -> Driver[Any]:
    for event in events:
        driver.observe(event)
    return driver


def catch_up(driver: Driver[Any], state: dict[str, Any]) -> list[ev.Event]:
    """The events of a state; once they are taken the same state says nothing more."""
    events = driver.state_events(state, T)
    told(driver, *events)
    assert driver.state_events(state, T) == []
    return events


def test_the_shoes_faults_come_and_go() -> None:
    shoe = told(driver_for("shoe")("shoe", {}), ev.ShoeFault(t=1.0, kind="jam"), ev.ShoeFault(t=1.0, kind="power"))
    state = {"locked": True, "faults": [{"kind": "jam"}, {"kind": "lid_open", "deck": "red"}], "undealt": 40}
    assert catch_up(shoe, state) == [
        ev.ShoeFault(t=T, kind="lid_open", deck="red"),
        ev.ShoeCleared(t=T, kind="power"),
    ]


def reader(*placed: tuple[str, str | None, str]) -> Driver[Any]:
    driver = driver_for("reader")("reader:1", {"zones": ["seat:3", "board:1"]})
    return told(driver, *(ev.CardPlaced(t=1.0, zone=z, card=card, face=face) for z, card, face in placed))


def lying(seat: list[Any], board: list[Any]) -> dict[str, Any]:
    return {"zones": {"seat:3": seat, "board:1": board}, "collecting": False}


def test_cards_that_came_went_and_turned_while_the_reader_was_away() -> None:
    driver = reader(("seat:3", "As", "down"), ("seat:3", "Kd", "down"), ("board:1", "7c", "down"))
    assert catch_up(driver, lying([["As", "down"], ["2h", "down"]], [["7c", "up"]])) == [
        ev.CardRemoved(t=T, zone="seat:3", card="Kd"),
        ev.CardPlaced(t=T, zone="seat:3", card="2h", face="down"),
        ev.CardTurned(t=T, zone="board:1", card="7c", face="up"),
    ]


def test_a_card_nobody_read_is_the_card_that_is_read_now() -> None:
    driver = reader(("seat:3", None, "down"), ("seat:3", "Kd", "down"))
    assert catch_up(driver, lying([["Kd", "down"], ["As", "down"]], [])) == []
    assert catch_up(reader(("seat:3", "As", "down")), lying([[None, "down"]], [])) == []
    assert catch_up(reader(("board:1", None, "down")), lying([], [["Qs", "up"]])) == [
        ev.CardTurned(t=T, zone="board:1", card="Qs", face="up")
    ]


def test_cards_between_rounds_are_no_placements() -> None:
    """What still lies about when the round is over waits to be collected."""
    driver = told(reader(("seat:3", "As", "down")), ev.HandEnd(t=2.0))
    assert driver.state_events(lying([["As", "down"]], []), T) == []


def test_turns_and_removals_are_followed() -> None:
    driver = told(
        reader(("seat:3", None, "down"), ("seat:3", None, "down"), ("board:1", "7c", "up")),
        ev.CardTurned(t=2.0, zone="seat:3", card="As", face="up"),
        ev.CardRemoved(t=2.0, zone="seat:3", card=None),
        ev.CardLeftTable(t=2.0, zone="board:1", card="7c"),
        ev.CardPlaced(t=2.0, zone="seat:9", card="2c"),
    )
    assert driver.state_events(lying([["As", "up"]], []), T) == []


@pytest.mark.parametrize(
    "state",
    [
        {"zones": {"seat:3": []}, "collecting": False},
        {"zones": {"seat:3": [], "board:1": [], "seat:4": []}, "collecting": False},
        {"zones": {"seat:3": [["As"]], "board:1": []}, "collecting": False},
        {"zones": {"seat:3": [["Ax", "down"]], "board:1": []}, "collecting": False},
        {"zones": {"seat:3": [["As", "down"]] * 61, "board:1": []}, "collecting": False},
        {"zones": {"seat:3": [], "board:1": []}},
    ],
)
def test_a_state_that_is_not_whole_is_refused(state: dict[str, Any]) -> None:
    with pytest.raises(DeviceMessageError, match="message state"):
        reader().state_events(state, T)


def test_markers_that_moved() -> None:
    markers = told(
        driver_for("markers")("markers", {"markers": ["button"]}), ev.MarkerPlaced(t=1.0, marker="button", seat=3)
    )
    assert catch_up(markers, {"markers": {"button": 3}}) == []
    assert catch_up(markers, {"markers": {"button": None}}) == []
    assert catch_up(markers, {"markers": {"button": 4}}) == [ev.MarkerPlaced(t=T, marker="button", seat=4)]
    opened = told(markers, ev.TableOpen(t=2.0, rulebook="tas-2018-holdem", seats=[1, 2], button=2))
    assert catch_up(opened, {"markers": {"button": 2}}) == []


def test_the_box_is_in_order_until_it_is_not() -> None:
    box = driver_for("dropbox")("dropbox", {})
    assert catch_up(box, {"present": True, "locked": True}) == []
    assert catch_up(box, {"present": True, "locked": False}) == [ev.DropboxState(t=T, present=True, locked=False)]


def test_the_maintenance_switch() -> None:
    keys = driver_for("keys")("keys", {})
    assert catch_up(keys, {"testing": False}) == []
    assert catch_up(keys, {"testing": True}) == [ev.TestMode(t=T, on=True)]


def test_badge_and_indicators_bring_nothing() -> None:
    assert catch_up(driver_for("badge")("badge", {}), {"staff": "S-7"}) == []
    assert catch_up(driver_for("indicators")("indicators", {}), {"lamps": {"stop": True}, "display": ["x"]}) == []


def test_the_gate_follows_the_table() -> None:
    shoe = driver_for("shoe")("shoe", {})
    assert shoe.commands({"t": 1.0, "shoe": "lock"}) == [("gate", {"locked": True})]
    assert shoe.commands({"t": 1.0, "shoe": "unlock"}) == [("gate", {"locked": False})]
    assert shoe.commands({"t": 1.0, "phase": "dealing"}) == []
    with pytest.raises(DeviceOutputError, match="output shoe"):
        shoe.commands({"t": 1.0, "shoe": "ajar"})


def test_readers_are_told_when_cards_are_collected() -> None:
    driver = reader()
    assert driver.commands({"t": 1.0, "phase": "dealing"}) == [("collect", {"on": False})]
    assert driver.commands({"t": 1.0, "prompt": {"collect": True}}) == [("collect", {"on": True})]
    assert driver.commands({"t": 1.0, "phase": "misdeal"}) == [("collect", {"on": True})]
    assert driver.commands({"t": 1.0, "phase": "halted"}) == []
    assert driver.commands({"t": 1.0, "prompt": {"burn": 1}}) == []
    with pytest.raises(DeviceOutputError, match="output phase"):
        driver.commands({"t": 1.0, "phase": 3})


def indicators(**settings: Any) -> Driver[Any]:
    return driver_for("indicators")("indicators", settings)


def test_each_lamp_command_says_all_lamps() -> None:
    driver = indicators(lamps=["play", "stop"])
    assert driver.commands({"t": 1.0, "lamp": {"name": "stop", "on": True}}) == [
        ("lamps", {"play": False, "stop": True})
    ]
    assert driver.commands({"t": 1.0, "lamp": {"name": "play", "on": True}}) == [
        ("lamps", {"play": True, "stop": True})
    ]
    assert driver.commands({"t": 1.0, "lamp": {"name": "attention", "on": True}}) == []


def test_the_display_is_folded_and_cleaned() -> None:
    driver = indicators(rows=2, columns=16)
    output = {
        "t": 1.0,
        "display": {"text": "A card was shown\x07 in the cut: misdeal. Shuffle and cut again.", "rule": "19.1(a)"},
    }
    [(name, args)] = driver.commands(output)
    assert name == "display"
    assert len(args["lines"]) == 2
    assert all(len(line) <= 16 and line.isprintable() for line in args["lines"])
    assert driver.commands({"t": 1.0, "display": {"text": "", "rule": None}}) == [("display", {"lines": []})]
    assert indicators(rows=0).commands(output) == []


def test_a_sound_carries_its_number() -> None:
    assert indicators().commands({"t": 1.25, "buzzer": {"pattern": "long"}}) == [
        ("buzzer", {"pattern": "long", "n": 1250})
    ]
    assert indicators(buzzer=False).commands({"t": 1.25, "buzzer": {"pattern": "long"}}) == []


def test_the_clock_counts_down() -> None:
    assert indicators().commands({"t": 1.0, "clock": {"seat": 4, "left": 25}}) == [
        ("clock", {"on": True, "seat": 4, "left": 25000})
    ]
    assert indicators().commands({"t": 1.0, "clock": None}) == [("clock", {"on": False})]
    assert indicators(clock=False).commands({"t": 1.0, "clock": None}) == []


@pytest.mark.parametrize(
    "output",
    [
        {"lamp": "red"},
        {"lamp": {"name": "red", "on": "yes"}},
        {"display": "text"},
        {"buzzer": {}},
        {"buzzer": {"pattern": "long"}, "t": None},
        {"clock": {"seat": 11, "left": 3}},
        {"clock": {"seat": 1, "left": 4000}},
    ],
)
def test_an_output_of_another_version_is_named(output: dict[str, Any]) -> None:
    with pytest.raises(DeviceOutputError, match="one version"):
        indicators().commands(output)


def test_keys_with_no_switch_leave_test_mode_to_those_who_began_it() -> None:
    driver = driver_for("keys")("keys", {"parts": ["deal"]})
    driver.observe(ev.TestMode(t=1.0, on=True))
    assert driver.state_events({"testing": False}, 2.0) == []
