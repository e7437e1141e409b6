"""The tour of the simulated table: quick to the mistake, held until it is read, settled before it goes on."""

import asyncio
from typing import Any

import pytest

from feltd.simulated.tour import QUICK, READ_WITHIN, SETTLED_AFTER, STOPS, Stage, Tour
from table_fsm.events import DealStart
from table_fsm.outputs import Output, Ruling

PACE = 2.0


class Place:
    """A table in a deal, and a clock that a rest moves."""

    def __init__(self) -> None:
        self.now = 0.0
        self.rests: list[float] = []
        self.befallen: list[tuple[str, dict[str, Any]]] = []
        self.pending: list[Any] = []
        self.tour = Tour(PACE, self.view, self.befall, clock=lambda: self.now, sleep=self.sleep)  # type: ignore[arg-type]

    def view(self) -> dict[str, Any]:
        return {"phase": "dealing", "seats": [{"cards": 1}, {"cards": 1}], "pending": self.pending}

    async def sleep(self, seconds: float) -> None:
        self.rests.append(seconds)
        self.now += seconds

    async def befall(self, device: str, order: dict[str, Any]) -> None:
        self.befallen.append((device, order))
        self.rule("shoe_unavailable" if device == "shoe" else "dropbox_unsafe")

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
    place.tour.go_on()
    place.rest()
    assert place.stage() is Stage.DECIDED
    assert place.tour.ruling is not None


def test_where_nobody_reads_it_the_tour_goes_on_after_a_while(place: Place) -> None:
    place.tour.begin(1)
    place.rule("hole_exposed")
    place.rest()
    assert place.stage() is Stage.DECIDED
    assert READ_WITHIN <= place.now < READ_WITHIN + 1


def test_it_goes_on_once_the_decision_was_to_be_seen_and_nothing_waits(place: Place) -> None:
    place.tour.begin(1)
    place.rule("hole_exposed")
    place.tour.go_on()
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
    place.tour.go_on()
    for _ in range(3):
        place.rest()
    assert [device for device, _ in place.befallen] == [STOPS[number - 1].device]


def test_an_old_reading_does_not_count_for_the_next_stop(place: Place) -> None:
    place.tour.begin(1)
    place.tour.go_on()
    place.tour.begin(2)
    place.rule("dealt_out_of_turn")
    place.rest()
    assert place.now >= READ_WITHIN
