"""Shelving (ISA-18.2): for a time an alarm is not told; it comes back by itself, and one that stops play cannot be."""

from typing import Any

import pytest
from pydantic import TypeAdapter

from feltd.text.alarms import ALARMS, Condition, Priority
from table_fsm.core.standing import Shelf, Standing
from table_fsm.events import DeviceState, FloorCalled, SeatAway, SeatBack, ShoeFault, Supervisor, TableOpen, Tick
from table_fsm.felt import SHELVABLE, SHELVED_MINUTES_MOST, AlarmKind, FaultKind
from table_fsm.outputs import Alarm, AlarmState, Buzzer, Lamp, Output, Refusal
from table_fsm.table import Table
from tests.feltd.table_support import BOOKS, HOLDEM


class Played:
    """A table with a clock, and what it said last."""

    def __init__(self) -> None:
        self.table, self.t = Table(BOOKS), 0.0
        self.take(TableOpen, rulebook=HOLDEM, seats=[1, 2, 3], button=1)

    def take(self, kind: type[Any], /, after: float = 0.0, **fields: Any) -> list[Any]:
        self.t += after
        self.said: list[Output] = self.table.apply(kind(t=self.t, **fields))
        return [output.value for output in self.said]

    def shelve(self, decision: str = "shelve", **fields: Any) -> list[Any]:
        if decision == "shelve":
            fields = {"minutes": 5, "reason": "known", **fields}
        return self.take(Supervisor, decision=decision, staff="anna", **fields)

    def states(self) -> list[str]:
        return [output.value.state for output in self.said if isinstance(output.value, Alarm)]

    @property
    def alarms(self) -> list[Any]:
        return list(self.table.view()["alarms"])


@pytest.fixture
def called() -> Played:
    """Somebody has called the floor."""
    played = Played()
    played.take(FloorCalled)
    return played


def test_a_shelved_alarm_neither_escalates_nor_lights_a_lamp_until_its_time_is_over(called: Played) -> None:
    said = called.shelve(alarm="floor_called")
    assert called.states() == [AlarmState.SHELVED]
    assert Lamp("attention", False) in said  # type: ignore[arg-type]  # by its value
    assert called.alarms[0]["shelved"]
    [shelf] = called.table.view()["shelves"]
    assert (shelf["by"], shelf["until"]) == ("anna", 300.0)
    assert called.take(Tick, after=120.0) == []
    said = called.take(Tick, after=181.0)
    assert called.states() == [AlarmState.UNSHELVED]
    assert Lamp("attention", True) in said  # type: ignore[arg-type]  # by its value
    assert called.table.view()["shelves"] == []
    called.take(Tick, after=59.0)
    assert called.states() == []  # a person has a minute again
    said = called.take(Tick, after=2.0)
    assert AlarmState.ESCALATED in called.states()
    assert any(isinstance(one, Buzzer) for one in said)


def test_the_table_wants_a_tick_when_the_time_is_over(called: Played) -> None:
    called.shelve(alarm="floor_called")
    called.take(Supervisor, decision="acknowledge", staff="anna")
    called.take(FloorCalled)
    assert called.table.next_deadline() == 300.0


def test_what_comes_meanwhile_is_shelved_too_and_ends_with_its_cause() -> None:
    played = Played()
    for seat in (2, 3):
        played.take(SeatAway, seat=seat)
    played.take(Tick, after=1000.0)
    assert [one["seat"] for one in played.alarms] == [2, 3]
    played.shelve(alarm="seat_left", seat=3)
    assert [one["shelved"] for one in played.alarms] == [False, True]
    played.shelve(alarm="seat_left")
    assert [one["shelved"] for one in played.alarms] == [True, True]
    played.take(SeatBack, seat=3)
    assert played.states() == [AlarmState.CLEARED]
    assert [one["seat"] for one in played.alarms] == [2]
    played.take(SeatAway, seat=3)
    played.take(Tick, after=200.0)
    assert [one["seat"] for one in played.alarms] == [2]


def test_a_person_ends_it_before_its_time(called: Played) -> None:
    called.shelve(alarm="floor_called")
    called.take(FloorCalled)
    assert called.states() == [AlarmState.RAISED, AlarmState.SHELVED]
    called.shelve("unshelve", alarm="floor_called")
    assert called.states() == [AlarmState.UNSHELVED]
    assert any(isinstance(one, Refusal) for one in called.shelve("unshelve", alarm="floor_called"))


@pytest.mark.parametrize(
    "fields",
    [
        {"alarm": "jam"},
        {"alarm": "device_offline"},
        {"alarm": "seat_idle"},  # none stands
        {"alarm": "floor_called", "minutes": 0},
        {"alarm": "floor_called", "minutes": SHELVED_MINUTES_MOST + 1},
        {"alarm": "floor_called", "minutes": None},
        {"alarm": None},
        {"decision": "acknowledge", "minutes": 3},
    ],
)
def test_what_cannot_be_shelved_is_refused(called: Played, fields: dict[str, Any]) -> None:
    called.take(ShoeFault, kind="jam")
    called.take(DeviceState, device="badge", online=False)
    [refusal] = called.shelve(**fields)
    assert isinstance(refusal, Refusal)
    assert called.table.view()["shelves"] == []


def test_no_alarm_that_stops_play_may_be_shelved() -> None:
    for kind in (*AlarmKind, *FaultKind):
        row = ALARMS[kind]
        if row.stops or row.priority is Priority.HIGH:
            assert kind not in SHELVABLE, kind
    assert not SHELVABLE & {Condition.RULING_WAITS.value}


def test_a_snapshot_keeps_what_is_shelved() -> None:
    standing = Standing(shelves=[Shelf("seat_left", None, 3, 300.0, "anna")])
    kept = TypeAdapter(Standing)
    assert kept.validate_json(kept.dump_json(standing)) == standing
