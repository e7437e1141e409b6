"""The worked example of docs/own-adapter over a pseudo-terminal: a shoe that speaks lines of ASCII."""

import contextlib
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from devices.adapters import Adapter, FaultCode, Place
from devices.adapters.link import AdapterLink
from devices.adapters.loading import load_adapter
from devices.drivers.shoe import ShoeDriver
from firmware_bridge.facts import DeviceIdentity
from firmware_bridge.link import LinkFault
from table_fsm.events import Event, ShoeCard, ShoeCleared, ShoeFault, ShoeShuffled
from tests.devices.ascii_shoe_device import AsciiShoeDevice
from tests.devices.entry_points import OWN_ADAPTER, install_own_adapter
from tests.firmware_bridge.support import run
from tests.running import eventually, running


class ShoeTable:
    """The daemon's end with the shoe's ordinary driver: what the table would be told."""

    def __init__(self) -> None:
        self.driver = ShoeDriver("shoe", {"decks": ("blue",)})
        self.told: list[Event] = []
        self.ups: list[DeviceIdentity] = []
        self.downs: list[LinkFault] = []

    def on_up(self, _name: str, identity: DeviceIdentity, state: Mapping[str, Any]) -> None:
        self.ups.append(identity)
        self._take(self.driver.state_events(state, 1.0))

    def on_event(self, _name: str, _boot: bytes, _seq: int, body: Mapping[str, Any]) -> None:
        self._take(self.driver.events(body, 1.0))

    def on_status(self, _name: str, _status: Mapping[str, Any]) -> None: ...

    def on_down(self, _name: str, fault: LinkFault) -> None:
        self.downs.append(fault)

    def _take(self, events: list[Event]) -> None:
        for event in events:
            self.driver.observe(event)
        self.told += events


@pytest.fixture
def shoe_kind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[type[Adapter[Any]]]:
    monkeypatch.syspath_prepend(str(install_own_adapter(tmp_path / "site")))
    yield load_adapter("ascii-shoe")
    del sys.modules["ascii_shoe"]


@contextlib.asynccontextmanager
async def played(kind: type[Adapter[Any]], port: str) -> AsyncIterator[tuple[ShoeTable, AdapterLink]]:
    table = ShoeTable()
    settings = kind.settings_type(ask_every=0.05)
    link = AdapterLink(
        "shoe", "ascii-shoe", "shoe", lambda: kind(Place("shoe", port), settings), table, wanted_serial="SN1042"
    )
    async with running(link.run()):
        yield table, link


def test_it_is_a_package_that_installs_beside_feltd(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "adapters"
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation", "--no-index"]
    source = shutil.copytree(OWN_ADAPTER, tmp_path / "source")
    subprocess.run([*pip, "--target", str(place), str(source)], check=True, capture_output=True)
    monkeypatch.syspath_prepend(str(place))
    assert load_adapter("ascii-shoe").__name__ == "AsciiShoe"
    del sys.modules["ascii_shoe"]


def test_a_shuffle_a_deal_a_fault_and_the_gate(shoe_kind: type[Adapter[Any]], tmp_path: Path) -> None:
    async def scene() -> None:
        shoe = AsciiShoeDevice(tmp_path / "shoe")
        async with played(shoe_kind, str(shoe.port)) as (table, link):
            await eventually(lambda: table.ups)
            assert (table.ups[0].serial, table.ups[0].firmware) == ("SN1042", "2.4")
            shoe.shuffle("blue", 52)
            shoe.deal()
            shoe.deal()
            shoe.fault("JAM")
            await eventually(lambda: len(table.told) == 4)
            shoe.clear("JAM")
            await eventually(lambda: len(table.told) == 5)
            assert table.told == [
                ShoeShuffled(t=1.0, deck="blue", count=52),
                ShoeCard(t=1.0, card=None, deck="blue"),
                ShoeCard(t=1.0, card=None, deck="blue"),
                ShoeFault(t=1.0, kind="jam"),
                ShoeCleared(t=1.0, kind="jam"),
            ]
            link.post("gate", {"locked": False})
            await eventually(lambda: shoe.gates)
            link.post("gate", {"locked": True})
            await eventually(lambda: len(shoe.gates) == 2)
            assert shoe.gates == ["1", "0"]
        shoe.unplug()

    run(scene(), jumping=False)


def test_a_card_that_left_unseen_is_a_fault_until_the_next_shuffle(
    shoe_kind: type[Adapter[Any]], tmp_path: Path
) -> None:
    async def scene() -> None:
        shoe = AsciiShoeDevice(tmp_path / "shoe")
        async with played(shoe_kind, str(shoe.port)) as (table, _):
            await eventually(lambda: table.ups)
            shoe.shuffle("blue", 52)
            shoe.deal()
            shoe.deal(lost=True)
            await eventually(lambda: ShoeFault(t=1.0, kind="comms") in table.told)  # the status's count tells it
            shoe.deal()
            shoe.out += 1
            shoe.say(f"OUT {shoe.out}", checksum="00")  # changed on the wire: as good as lost
            shoe.shuffle("blue", 52)
            await eventually(lambda: ShoeCleared(t=1.0, kind="comms") in table.told)
            assert table.told.count(ShoeFault(t=1.0, kind="comms")) == 1
            assert table.told.count(ShoeCard(t=1.0, card=None, deck="blue")) == 2
        shoe.unplug()

    run(scene(), jumping=False)


def test_what_happened_while_it_was_away_is_found_by_its_state_and_its_count(
    shoe_kind: type[Adapter[Any]], tmp_path: Path
) -> None:
    async def scene() -> None:
        first = AsciiShoeDevice(tmp_path / "shoe")
        async with played(shoe_kind, str(first.port)) as (table, link):
            await eventually(lambda: table.ups)
            first.shuffle("blue", 52)
            first.deal()
            await eventually(lambda: len(table.told) == 2)
            first.unplug()
            await eventually(lambda: table.downs)
            assert table.downs[0].code is FaultCode.UNPLUGGED
            again = AsciiShoeDevice(tmp_path / "shoe")
            again.deck, again.out, again.faults = "blue", 3, {"LID"}
            link.look_again()
            await eventually(lambda: len(table.ups) == 2)
            await eventually(lambda: len(table.told) == 4)
            assert table.told[2:] == [ShoeFault(t=1.0, kind="comms"), ShoeFault(t=1.0, kind="lid_open")]
        again.unplug()

    run(scene(), jumping=False)


def test_a_shoe_that_is_off_or_another_one_or_noise(shoe_kind: type[Adapter[Any]], tmp_path: Path) -> None:
    async def scene() -> None:
        shoe = AsciiShoeDevice(tmp_path / "shoe", serial="SN9")
        async with played(shoe_kind, str(shoe.port)) as (table, _):
            await eventually(lambda: table.downs)
            assert table.downs[-1].code is FaultCode.UNKNOWN_DEVICE
            shoe.serial = "SN1042"
            await eventually(lambda: table.ups)
            shoe.noise(b"\xff\x00 noise\r\n" + b"x" * 2000 + b"\r\nHELLO*00\r\nNEWER thing*4E\r\n")
            shoe.shuffle("blue", 50)
            await eventually(lambda: table.told)
            assert table.told == [ShoeShuffled(t=1.0, deck="blue", count=50)]
            shoe.silent = True
            await eventually(lambda: table.downs[-1].code is FaultCode.SILENT)
            await eventually(lambda: table.downs[-1].code is FaultCode.NO_ANSWER)
            assert "is it on, and at 9600 baud?" in table.downs[-1].text
        shoe.unplug()

    run(scene(), jumping=False)
