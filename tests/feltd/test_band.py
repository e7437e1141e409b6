"""The status band: what stops play, what waits for a person, and which of them is shown."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from table_fsm.events import DeviceState, ShoeCleared, ShoeFault, ShoeShuffled, Supervisor
from table_fsm.felt import Decision
from tests.feltd.page_support import Browser, Page
from tests.feltd.test_api_door import made


@pytest.fixture
def page(tmp_path: Path) -> Iterator[Page]:
    page = made(tmp_path, open_here=True)
    yield page
    page.close()


def band(page: Page) -> tuple[str, str]:
    told = page.state()["band"]
    return told["level"], told["words"]


def test_a_table_that_waits_for_the_round_is_normal(page: Page) -> None:
    assert band(page) == ("normal", page.state()["phase"])


def test_a_ruling_that_waits_asks_for_a_decision_and_then_no_more(page: Page) -> None:
    page.bench.take(ShoeShuffled, deck="blue", count=36)
    level, words = band(page)
    assert (level, words.split(";")[0]) == ("decide", "Supervisor decides: The deck is short")
    number = next(ruling["id"] for ruling in page.state()["rulings"] if ruling["waits"])
    page.bench.take(Supervisor, decision=Decision.PLAY_ON, ruling=number, staff="s1")
    page.bench.take(Supervisor, decision=Decision.ACKNOWLEDGE, staff="s1")
    assert "decides" not in band(page)[1]


@pytest.mark.parametrize(
    ("stop", "cause"),
    [
        (lambda page: page.bench.take(ShoeFault, kind="jam"), "Jam: shoe"),
        (lambda page: page.bench.take(DeviceState, device="shoe", online=False, reason="out"), "Device offline: shoe"),
    ],
)
def test_what_no_decision_ends_stops_play_with_its_cause(page: Page, stop: Callable[[Page], None], cause: str) -> None:
    stop(page)
    level, words = band(page)
    assert level == "stopped"
    assert cause in words


def test_an_alarm_that_nobody_has_acknowledged_asks_for_somebody(page: Page) -> None:
    page.bench.take(ShoeFault, kind="jam")
    page.bench.take(ShoeCleared, kind="jam")
    assert band(page) == ("stopped", "Jam: shoe")  # a fault ends when a person has acknowledged it
    page.bench.take(Supervisor, decision=Decision.ACKNOWLEDGE, staff="s1")
    assert band(page)[0] == "normal"


def test_several_devices_offline_are_one_cause(page: Page) -> None:
    for device in ("shoe", "badge"):
        page.bench.take(DeviceState, device=device, online=False, reason="out")
    assert band(page) == ("stopped", "2 devices offline: check the USB hub and its supply")


def test_who_is_not_signed_in_is_told_the_level_and_no_cause(page: Page) -> None:
    page.bench.take(ShoeFault, kind="jam")
    here = Browser(page).get("/api/v1/band").json()
    elsewhere = Browser(page, address="192.0.2.9").get("/api/v1/band").json()
    assert here == {"level": "stopped", "words": "Jam: shoe"}
    assert elsewhere == {"level": "stopped", "words": "Deal nothing"}
