"""The virtual machine as a place of the acceptance: what each motion is there, and what its record finds."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from feltd.acceptance.plan import steps_of
from feltd.acceptance.run import CannotDoError, Place, StepResult, carry_out
from feltd.acceptance.steps import Act, Expected, Motion, Sense, Shows
from feltd.table.config.config import TableConfig, read_config
from hil_tests import machine_hands
from hil_tests.machine.errors import GuestFailedError
from hil_tests.machine_hands import FeedRecord, MachineHands
from hil_tests.wires import Fed

CONFIG = """
[table]
name = "Table 7"
rulebook = "tas-2018-holdem"
seats = [1, 2, 3]
[[device]]
name = "shoe"
role = "shoe"
port = "/dev/serial/by-id/usb-Felt_Shoe_S1042-if00"
key_file = "shoe.key"
[[device]]
name = "indicators"
role = "indicators"
port = "/dev/serial/by-id/usb-Felt_Lamps_S1043-if00"
key_file = "lamps.key"
settings.lamps = ["attention"]
[pins]
chip = "pinctrl-bcm2711"
[pins.matrix]
rows = [20]
columns = [21, 26]
[[pins.key]]
name = "floor_called"
line = 17
[[pins.key]]
name = "second_of_row"
says = { ev = "floor_called", by = "seat:7" }
row = 1
column = 2
[[pins.lamp]]
name = "fault"
line = 27
[[pins.marker]]
seat = 3
line = 9
[journal]
path = "table.journal"
sealing_key_file = "journal.key"
"""


class Table:
    """A machine that notes its orders, and writes into the feed what would come of them."""

    def __init__(self, config: TableConfig) -> None:
        self.entries: list[Fed] = []
        self.done: list[tuple[Any, ...]] = []
        self.table = SimpleNamespace(feed=SimpleNamespace(look=lambda: self.entries))
        self.machine = SimpleNamespace(
            order=lambda script: self.done.append(("order", script)),
            plug=lambda *words, **more: self._plugged("shoe" if "shoe" in words[1] else "indicators", True),
            unplug=lambda cable: self._plugged(cable.removeprefix("cable-"), False),
        )
        self.hands = SimpleNamespace(pulls=self._pulls, pull=self._pull, until=self._until)
        self.lit = True

    def now(self) -> int:
        return len(self.entries)

    def order(self, device: str, do: str) -> dict[str, Any]:
        assert (device, do) == ("indicators", "read")
        return {"shown": {"lamps": {"attention": self.lit}}}

    def told(self, name: str, of: str | None, **body: Any) -> None:
        number = len(self.entries) + 1
        self.entries.append(Fed(number, "event", name, of, None, number, body))

    def _plugged(self, device: str, online: bool) -> None:
        self.told("device.state", None, device=device, online=online)

    def _pulls(self, line: int, steps: str) -> None:
        self.done.append(("pulls", line, steps))
        self.told("floor.called", "keys:pins", by="dealer" if line == 17 else "seat:7")

    def _pull(self, line: int, high: bool) -> None:
        self.done.append(("pull", line, high))
        if not high:
            self.told("marker.placed", "markers:pins", marker="button", seat=3)

    def _until(self, line: int, high: bool, seconds: float) -> None:
        self.done.append(("until", line, high))
        if not self.lit:
            raise GuestFailedError("dark")


@pytest.fixture
def config(monkeypatch: pytest.MonkeyPatch) -> TableConfig:
    monkeypatch.setattr(machine_hands, "_LOOK_EVERY", 0.0)
    monkeypatch.setattr("feltd.acceptance.run.SETTLES", 0.0)
    return read_config(CONFIG, "table.toml", Path("/nowhere"))


def test_every_step_that_needs_nobody_is_done_there(config: TableConfig) -> None:
    table: Any = Table(config)
    place = Place(MachineHands(table, "reader", (21, 26)), FeedRecord(table), patience=1.0)
    results, stopped = carry_out(steps_of(config), place)
    assert [result for result in results if result.outcome is not StepResult.PASSED] == []
    assert stopped is None
    assert {("pulls", 17, "d 0.15 u"), ("pulls", 26, "d 0.3 u"), ("pull", 9, False), ("pull", 9, True),
            ("until", 27, True), ("until", 27, False)} <= set(table.done)  # fmt: skip


def test_what_nobody_does_there_is_left_out(config: TableConfig) -> None:
    table: Any = Table(config)
    with pytest.raises(CannotDoError, match="no key of a matrix closes there"):
        MachineHands(table, "reader").do(Motion(Act.PRESS, "", cell=(1, 2)))
    with pytest.raises(CannotDoError, match="nobody looks and listens"):
        MachineHands(table, "reader").sees(Sense(Shows.ONCE, "", "", line=21))


def test_a_lamp_that_is_not_as_it_should_be_is_seen(config: TableConfig, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine_hands, "PATIENCE", 0.01)
    table: Any = Table(config)
    table.lit = False
    hands = MachineHands(table, "reader")
    assert not hands.sees(Sense(Shows.ON, "", "", line=27))
    assert not hands.sees(Sense(Shows.ON, "", "", device="indicators", lamp="attention"))
    assert hands.sees(Sense(Shows.OFF, "", "", device="indicators", lamp="attention"))


def test_the_usb_reader_is_unplugged_by_its_controller(config: TableConfig) -> None:
    table: Any = Table(config)
    MachineHands(table, "reader").do(Motion(Act.UNPLUG, "", device="reader"))
    assert "UDC" in table.done[0][1]


def test_the_record_tells_whose_an_event_is_and_what_else_came(config: TableConfig) -> None:
    table: Any = Table(config)
    table.told("floor.called", "keys", by="dealer")
    record, expected = FeedRecord(table), Expected("floor.called", {"by": "dealer"}, "keys:pins")
    assert not record.found(expected, 0)
    table.told("floor.called", "keys:pins", by="dealer")
    assert record.found(expected, 1)
    assert not record.found(expected, 2)
    assert record.others(expected, 0) == []
    table.told("floor.called", "keys:pins", by="dealer")
    table.told("floor.called", "keys:pins", by="seat:7")
    assert list(record.others(expected, 0)) == ["floor.called (by seat:7)", "floor.called (by dealer) once more"]
