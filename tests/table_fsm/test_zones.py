"""Zones that a reader does not read whole: alarms with reader and zone, which end with their cause, and no ruling."""

import pytest

from table_fsm.felt import ZONE_TROUBLES
from table_fsm.outputs import Kind
from table_fsm.table import Table
from tests.table_fsm.streams import Play, books, holdem

SEATS = "reader:seats"
BOARD = "reader:board"


def table() -> Play:
    play = holdem(blinds=[100, 200])
    play.hands()
    return play


@pytest.mark.parametrize(("trouble", "kind"), ZONE_TROUBLES.items())
def test_each_trouble_is_an_alarm_of_its_own_and_play_goes_on(trouble: str, kind: str) -> None:
    play = table()
    told = play.send("zone.state", device=SEATS, zone="seat:3", trouble=trouble)
    assert told.alarms == [f"{kind} raised"]
    assert (told.of(Kind.ALARM)[0]["device"], told.of(Kind.ALARM)[0]["seat"]) == (SEATS, 3)
    assert (told.told, told.of(Kind.SHOE)) == ([], [])
    assert {"name": "attention", "on": True} in told.of(Kind.LAMP)
    [alarm] = play.view["alarms"]
    assert alarm["zones"] == ["seat:3"]
    assert play.send("zone.state", device=SEATS, zone="seat:3").alarms == [f"{kind} cleared"]
    [over] = play.view["alarms"]
    assert over["over"]
    assert "zones" not in over
    play.decide("acknowledge")
    assert play.view["alarms"] == []
    assert play.acts("3 call 200").errors == []


def test_what_the_table_knows_already_is_not_told_again() -> None:
    play = table()
    assert play.send("zone.state", device=BOARD, zone="board:1").outputs == ()
    play.send("zone.state", device=BOARD, zone="board:1", trouble="chip")
    assert play.send("zone.state", device=BOARD, zone="board:1", trouble="chip").outputs == ()


def test_one_alarm_lasts_while_any_place_of_the_board_has_the_trouble() -> None:
    play = table()
    play.send("zone.state", device=BOARD, zone="board:2", trouble="chip")
    play.send("zone.state", device=BOARD, zone="board:1", trouble="chip")
    [alarm] = play.view["alarms"]
    assert alarm["zones"] == ["board:1", "board:2"]
    assert play.send("zone.state", device=BOARD, zone="board:1").alarms == []
    assert play.view["alarms"][0]["zones"] == ["board:2"]
    assert play.send("zone.state", device=BOARD, zone="board:2").alarms == ["zone_chip cleared"]


def test_a_place_that_joins_is_told_to_who_has_acknowledged_the_first() -> None:
    play = table()
    play.send("zone.state", device=BOARD, zone="board:2", trouble="chip")
    play.decide("acknowledge")
    assert play.send("zone.state", device=BOARD, zone="board:1", trouble="chip").alarms == ["zone_chip raised"]
    for zone in ("board:1", "board:2"):
        play.send("zone.state", device=BOARD, zone=zone)
    assert [alarm["over"] for alarm in play.view["alarms"]] == [True]  # the new one waits to be seen


def test_another_trouble_takes_the_place_of_the_one_before() -> None:
    play = table()
    play.send("zone.state", device=SEATS, zone="seat:1", trouble="tangled")
    changed = play.send("zone.state", device=SEATS, zone="seat:1", trouble="weak")
    assert changed.alarms == ["zone_tangled cleared", "zone_weak raised"]


def test_a_device_that_is_away_says_nothing_of_its_zones_any_more() -> None:
    play = table()
    play.send("zone.state", device=SEATS, zone="seat:1", trouble="chip")
    play.send("zone.state", device=BOARD, zone="board:1", trouble="chip")
    gone = play.send("device.state", device=SEATS, online=False, reason="out")
    assert gone.alarms == ["zone_chip cleared", "device_offline raised"]
    assert play.send("zone.state", device=BOARD, zone="board:1").alarms == ["zone_chip cleared"]


@pytest.mark.parametrize("wrong", [{"zone": "seat:11", "trouble": "chip"}, {"zone": "seat:1", "trouble": "bent"}])
def test_what_is_no_zone_or_no_trouble_is_refused(wrong: dict[str, str]) -> None:
    assert table().send("zone.state", device=SEATS, zone=wrong["zone"], trouble=wrong["trouble"]).errors


def test_a_table_that_is_not_open_is_told_too() -> None:
    told = Play().send("zone.state", device=BOARD, zone="board:1", trouble="antenna")
    assert told.alarms == ["zone_antenna raised"]


def test_a_snapshot_keeps_what_is_not_read() -> None:
    play = table()
    play.send("zone.state", device=BOARD, zone="board:1", trouble="antenna")
    play.to_showdown()
    play.end()
    again = Table.restore(books(), play.table.snapshot())
    assert again.zone_troubles(BOARD) == {"board:1": "antenna"}
    assert again.digest() == play.table.digest()
