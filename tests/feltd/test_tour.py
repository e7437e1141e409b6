"""The tour of the simulated table: quick to the mistake, held until it is read, settled before it goes on."""

import asyncio
from typing import Any

import pytest

from feltd.simulated.tour import QUICK, READ_WITHIN, SETTLED_AFTER, STOPS, Stage, Tour
from table_fsm.events import DealStart
from table_fsm.outputs import Alarm, AlarmState, Output, Ruling

PACE = 2.0


class Place:
    """A table in a deal, and a clock that a rest moves."""

    def __init__(self) -> None:
        self.now = 0.0
        self.rests: list[float] = []
        self.befallen: list[tuple[str, dict[str, Any]]] = []
        self.pending: list[Any] = []
        self.alarms: list[dict[str, Any]] = []
        self.acknowledged: list[float] = []
        self.back_after = 2.0
        self.looks_until = 0.0
        self.back: float | None = None
        self.tour = Tour(
            PACE,
            self.view,  # type: ignore[arg-type]
            self.befall,
            self.acknowledge,
            clock=lambda: self.now,
            sleep=self.sleep,
        )

    def view(self) -> dict[str, Any]:
        for alarm in self.alarms:
            alarm["over"] = self.back is not None and self.now >= self.back
        seats = [{"cards": 1}, {"cards": 1}]
        return {"phase": "dealing", "seats": seats, "pending": self.pending, "alarms": self.alarms}

    async def acknowledge(self) -> None:
        self.acknowledged.append(self.now)
        self.alarms.clear()

    async def sleep(self, seconds: float) -> None:
        self.rests.append(seconds)
        self.now += seconds
        if self.now < self.looks_until:
            self.tour.look()

    async def befall(self, device: str, order: dict[str, Any]) -> None:
        self.befallen.append((device, order))
        if device == "dropbox":
            self.rule("dropbox_unsafe")
        elif order["do"] == "unplug":
            self.alarms.append({"kind": "device_offline", "over": False})
            alarm = Alarm("device_offline", None, "shoe", AlarmState.RAISED)
            self.tour.hear(DealStart(t=0.0), [Output(0.0, alarm)])
        else:
            self.back = self.now + self.back_after

    def rule(self, irregularity: str) -> None:
        ruling = Ruling(1, None, "book", "1.1", irregularity, "stop_table", (), None, "supervisor", True, "Stop.")
        self.tour.hear(DealStart(t=0.0), [Output(0.0, ruling)])

    def stage(self) -> Stage:
        return self.tour.stage

    def rest(self, seconds: float = 0.4) -> None:
        asyncio.run(self.tour.rest(seconds))


@pytest.fixture
def place() -> Place:
    return Place()


def test_the_dealer_is_quick_until_the_mistake_and_rests_until_it_is_read(place: Place) -> None:
    place.tour.begin(1)
    place.rest()
    assert place.rests == [0.4 * PACE / QUICK]
    place.rule("boxed_card")
    assert place.stage() is Stage.COMING, "that is another fault"
    place.rule("hole_exposed")
    assert place.stage() is Stage.HELD
    place.tour.go_on(place.tour.number)
    place.rest()
    assert place.stage() is Stage.DECIDED
    assert place.tour.ruling is not None


def test_where_nobody_reads_it_the_tour_goes_on_after_a_while(place: Place) -> None:
    place.tour.begin(1)
    place.rule("hole_exposed")
    place.rest()
    assert place.stage() is Stage.DECIDED
    assert READ_WITHIN <= place.now < READ_WITHIN + 1


def test_it_is_held_as_long_as_somebody_looks(place: Place) -> None:
    place.tour.begin(1)
    place.rule("hole_exposed")
    place.looks_until = 300.0
    place.rest()
    assert 299 + READ_WITHIN <= place.now < 301 + READ_WITHIN


def test_a_press_for_the_stop_before_does_not_pass_over_this_one(place: Place) -> None:
    place.tour.begin(2)
    place.rule("player_missed")
    place.tour.go_on(1)
    place.rest()
    assert place.now >= READ_WITHIN


def test_it_goes_on_once_the_decision_was_to_be_seen_and_nothing_waits(place: Place) -> None:
    place.tour.begin(1)
    place.rule("hole_exposed")
    place.tour.go_on(place.tour.number)
    place.rest()
    place.pending = ["a ruling"]
    place.rest(SETTLED_AFTER + 1)
    assert place.stage() is Stage.DECIDED, "a person has to decide first"
    place.pending = []
    place.rest()
    assert place.stage() is Stage.OVER


@pytest.mark.parametrize("number", [3, 5])
def test_what_befalls_a_device_does_so_once_in_the_deal(place: Place, number: int) -> None:
    place.tour.begin(number)
    place.tour.go_on(number)
    for _ in range(3):
        place.rest()
    stop = STOPS[number - 1]
    orders = [order for order in (stop.order, stop.undone) if order is not None]
    assert place.befallen == [(stop.device, order) for order in orders]


def test_a_device_that_was_unplugged_is_away_until_it_is_read_and_its_alarm_is_acknowledged(place: Place) -> None:
    place.tour.begin(3)
    place.rest()
    assert READ_WITHIN <= place.now < READ_WITHIN + 4
    assert [order["do"] for _, order in place.befallen] == ["unplug", "reboot"]
    assert place.back is not None
    assert place.acknowledged[0] >= place.back, "the device is back before anybody acknowledges"
    assert (place.stage(), place.alarms) == (Stage.DECIDED, [])
    place.rest(SETTLED_AFTER - 1)
    assert place.stage() is Stage.DECIDED, "it can be seen that the cause has ended"
    place.rest(1.0)
    assert place.stage() is Stage.OVER


def test_a_visitor_who_takes_over_finds_the_device_plugged_in(place: Place) -> None:
    held = asyncio.Event()

    async def leave() -> None:
        resting = asyncio.ensure_future(place.tour.rest(0.4))
        await held.wait()
        resting.cancel()
        await asyncio.wait({resting})

    async def sleep(seconds: float) -> None:
        place.now += seconds / 1000
        if place.stage() is Stage.HELD:
            held.set()
        await asyncio.sleep(0)

    place.tour._sleep = sleep
    place.tour.begin(3)
    asyncio.run(leave())
    assert [order["do"] for _, order in place.befallen] == ["unplug", "reboot"]
    assert place.acknowledged == []


def test_an_old_reading_does_not_count_for_the_next_stop(place: Place) -> None:
    place.tour.begin(1)
    place.tour.go_on(place.tour.number)
    place.tour.begin(2)
    place.rule("dealt_out_of_turn")
    place.rest()
    assert place.now >= READ_WITHIN
