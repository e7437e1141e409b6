"""What devices kept while they were away, in no known order: it can bring a ruling on what nobody did, and is told."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from feltd.record.notes import LATE_NOTE
from feltd.table.keeper.deliveries import Delivery
from feltd.table.links.ends import TableEnds
from feltd.table.links.late_order import LateOrder, late_words
from feltd.table.links.slots import Slot
from feltd.text.catalogue import device_fault
from feltd.text.language import Language, speaking
from firmware_bridge.facts import LinkState
from table_fsm.events import CardPlaced, Event, ShoeCard
from table_fsm.outputs import Ruling
from table_fsm.table import Table
from tests import late_order
from tests.bench import rounds
from tests.feltd.table_support import BOOKS
from tests.feltd.test_api_devices import Bench
from tests.feltd.test_daemon_bridge import BOARD_STATE, IDENTITY, SHOE_STATE, Scene

OUT = {"ev": "card_out", "card": "Kd", "face": "down"}
PLACED = {"ev": "placed", "card": "Kd", "zone": "board:1", "face": "up"}
BOOT = b"bootboot"


def rulings(events: list[Event]) -> list[str]:
    table = Table(BOOKS)
    said = [output.value for event in events for output in table.apply(event)]
    return [ruling.irregularity for ruling in said if isinstance(ruling, Ruling)]


def test_a_card_that_a_reader_tells_before_the_shoe_brings_a_ruling_on_what_nobody_did() -> None:
    events = rounds.play(BOOKS, rounds.HOLDEM, 1).events
    assert rulings(events) == []
    shoe = next(number for number, event in enumerate(events) if isinstance(event, ShoeCard))
    assert isinstance(events[shoe + 1], CardPlaced)
    events[shoe : shoe + 2] = reversed(events[shoe : shoe + 2])
    assert rulings(events)[0] == "card_not_from_shoe"


def test_how_often_it_does_so_is_counted() -> None:
    counted = late_order.count(rounds.HOLDEM, 2)
    assert 10 < counted.wrong < counted.places
    assert str(counted) == f"{counted.wrong} of {counted.places}"


def test_each_two_devices_are_told_once_until_one_is_up() -> None:
    order = LateOrder()
    away = ["shoe", "reader", "keys"]
    order.took("shoe", away)
    assert order.unknown("shoe") == ()
    assert order.unknown("reader") == ("shoe",)
    order.took("reader", away)
    assert order.unknown("reader") == ()
    assert order.unknown("shoe") == (), "it was told with the other one"
    assert order.unknown("keys") == ("reader", "shoe")
    order.up("shoe")
    order.took("shoe", ["reader"])  # what happens now is behind what the reader has still to tell, too
    order.up("reader")
    assert order.unknown("reader") == ()
    order.took("shoe", ["reader"])
    assert order.unknown("reader") == ("shoe",)


def test_a_later_loss_the_other_way_round_is_told() -> None:
    order = LateOrder()
    order.took("reader", ["keys"])
    assert order.unknown("keys") == ("reader",)
    order.up("keys")
    order.took("keys", ["reader"])
    assert order.unknown("reader") == ("keys",)


@dataclass(eq=False)
class Late(Scene):
    """A bridge with a shoe and a reader, and what it says of late events."""

    monkeypatch: pytest.MonkeyPatch
    between: bool = False
    late: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(self.monkeypatch)
        self.bridge.connect(TableEnds(self.take, tuple, between_rounds=lambda: self.between, told_late=self._told))

    def _told(self, slot: Slot, others: Any) -> None:
        assert len(self.events) == 1, "before the event that it is about"
        self.late.append((slot.config.name, tuple(others)))

    def tells(self, device: str, body: dict[str, Any], state: LinkState) -> None:
        self.monkeypatch.setattr(self.bridge.slots[device].link, "state", state)
        self.bridge.on_session(device, IDENTITY)
        self.bridge.on_event(device, BOOT, 1, body)


@pytest.fixture
def late(monkeypatch: pytest.MonkeyPatch) -> Late:
    return Late(monkeypatch)


def test_what_two_devices_kept_is_told_before_the_second_ones(late: Late) -> None:
    late.bridge.on_session("shoe", IDENTITY)
    late.bridge.slots["shoe"].online = late.bridge.slots["reader:board"].online = True
    late.tells("shoe", OUT, LinkState.CATCHING_UP)
    assert late.late == []
    late.tells("reader:board", PLACED, LinkState.CATCHING_UP)
    assert late.late == [("reader:board", ("shoe",))]


@pytest.mark.parametrize("why", ["between two rounds", "now", "of a device that was up meanwhile"])
def test_what_has_an_order_is_not_told(late: Late, why: str) -> None:
    late.bridge.slots["shoe"].online = late.bridge.slots["reader:board"].online = True
    if why == "of a device that was up meanwhile":
        late.bridge.on_up("reader:board", IDENTITY, BOARD_STATE)
    late.tells("shoe", OUT, LinkState.CATCHING_UP)
    late.between = why == "between two rounds"
    late.tells("reader:board", PLACED, LinkState.UP if why == "now" else LinkState.CATCHING_UP)
    assert late.late == []


def test_it_is_told_where_the_record_falls_behind_and_takes_them_all_later(late: Late) -> None:
    waiting: list[Delivery] = []
    late.bridge.connect(TableEnds(waiting.append, tuple, between_rounds=lambda: False, told_late=late._told))
    late.bridge.slots["shoe"].online = late.bridge.slots["reader:board"].online = True
    late.tells("shoe", OUT, LinkState.CATCHING_UP)
    late.tells("reader:board", PLACED, LinkState.CATCHING_UP)
    late.bridge.on_up("shoe", IDENTITY, SHOE_STATE)
    late.bridge.on_up("reader:board", IDENTITY, BOARD_STATE)
    for delivery in waiting:
        late.take(delivery)
    assert late.late == [("reader:board", ("shoe",))]


def test_it_is_on_record_and_on_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Bench(tmp_path, monkeypatch)
    bench.page.workshop.told_late(bench.bridge.slots["shoe"], ("keys", "reader:board"))
    words = late_words("shoe", ("keys", "reader:board"))
    assert bench.notes()[-1] == {"note": LATE_NOTE, "device": "shoe", "behind": ["keys", "reader:board"]}
    assert bench.page.state()["faults"][0]["text"] == words
    with speaking(Language.GERMAN):
        assert device_fault(words).startswith("shoe war weg und meldet jetzt nach, was es gespeichert hat.")
    bench.page.close()
