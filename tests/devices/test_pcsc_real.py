"""A reader over PC/SC, with a real pcscd, Debian's pyscard and the virtual readers of vsmartcard-vpcd.

The chips are threads of this process: they answer only because pyscard gives Python's lock back while it waits.
"""

import contextlib
from collections.abc import AsyncIterator, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from devices.adapters import FaultCode, Place
from devices.adapters.interface import PcscName
from devices.adapters.link import AdapterLink
from devices.adapters.pcsc import PcscReader, PcscSettings
from firmware_bridge.facts import DeviceIdentity
from firmware_bridge.link import LinkFault
from table_fsm.events import CardPlaced, CardRemoved, Event
from tests.devices.named_chips import NamedChips
from tests.devices.test_pcsc import CHIPS, PHONE, Pack
from tests.devices.virtual_reader import READERS, Service, use_debians, why_not
from tests.firmware_bridge.support import run
from tests.ports import free_port
from tests.running import eventually, running

pytestmark = pytest.mark.skipif(bool(why := why_not()), reason=why or "")
DONE = b"\x90\x00"


class ReaderTable:
    """The daemon's end with the ordinary driver of readers."""

    def __init__(self, zone: str) -> None:
        self.host = NamedChips(Pack(), zone)
        self.told: list[Event] = []
        self.states: list[Any] = []
        self.downs: list[LinkFault] = []

    def on_up(self, _name: str, _identity: DeviceIdentity, state: Mapping[str, Any]) -> None:
        zones, changes = self.host.state(state)
        self.told += changes
        self.states.append(zones)

    def on_event(self, _name: str, _boot: bytes, _seq: int, body: Mapping[str, Any]) -> None:
        self.told += self.host.event(body)[1]

    def on_status(self, _name: str, _status: Mapping[str, Any]) -> None: ...

    def on_down(self, _name: str, fault: LinkFault) -> None:
        self.downs.append(fault)


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    use_debians(tmp_path)
    made = Service(tmp_path, free_port())
    made.start()
    yield made
    made.stop()


@contextlib.asynccontextmanager
async def played(zone: str = "seat:3", reader: str = READERS[0]) -> AsyncIterator[ReaderTable]:
    table = ReaderTable(zone)
    place = Place("reader", pcsc=PcscName(reader), chips=table.host.at_hand)
    link = AdapterLink(
        "reader", "pcsc", "reader", lambda: PcscReader(place, PcscSettings(zone=zone, face="down")), table
    )
    async with running(link.run()):
        yield table


async def up(table: ReaderTable, times: int = 1) -> None:
    """Wait until the link has come up, however often it has to try: a service that starts is not there at once."""
    await eventually(lambda: len(table.states) >= times)


def placed(card: str, zone: str = "seat:3") -> CardPlaced:
    return CardPlaced(t=1.0, zone=zone, card=card, face="down")


def test_cards_come_and_go_at_two_readers(service: Service) -> None:
    async def scene() -> None:
        lies = service.lay(CHIPS[1] + DONE, slot=1)
        async with played() as one, played("seat:4", READERS[1]) as other:
            await up(one)
            await up(other)
            first = service.lay(CHIPS[0] + DONE)
            await eventually(lambda: len(one.told) == 1)
            first.lift()
            await eventually(lambda: len(one.told) == 2)
            service.lay(CHIPS[2] + DONE)
            await eventually(lambda: len(one.told) == 3)
            assert one.told == [placed("As"), CardRemoved(t=1.0, zone="seat:3", card="As"), placed("2c")]
            there = other.states[0]["seat:4"]  # pcscd looks every 0.4 s: it may have seen the card after the start
            assert there == [["Kd", "down"]] or other.told == [placed("Kd", "seat:4")]
            lies.lift()
            await eventually(lambda: other.told[-1:] == [CardRemoved(t=1.0, zone="seat:4", card="Kd")])

    run(scene(), jumping=False)


@pytest.mark.parametrize("answer", [PHONE + DONE, CHIPS[0][:5] + DONE, b"\x6a\x81", CHIPS[9] + DONE])
def test_what_is_no_card_brings_the_reader_down_until_it_is_taken_away(service: Service, answer: bytes) -> None:
    async def scene() -> None:
        async with played() as table:
            await up(table)
            thing = service.lay(answer)
            await eventually(lambda: [fault for fault in table.downs if fault.code is FaultCode.MALFORMED])
            thing.lift()
            await up(table, 2)
            service.lay(CHIPS[0] + DONE)
            await eventually(lambda: table.told)
            assert table.told == [placed("As")]

    run(scene(), jumping=False)


def test_pcscd_that_dies_is_named_and_the_reader_comes_back_with_it(service: Service) -> None:
    async def scene() -> None:
        async with played() as table:
            await up(table)
            service.stop()
            await eventually(lambda: [fault for fault in table.downs if "pcscd does not answer" in fault.text])
            service.start()
            await up(table, 2)
            service.lay(CHIPS[0] + DONE)
            await eventually(lambda: table.told)
            assert table.told == [placed("As")]

    run(scene(), jumping=False)


def test_a_reader_that_pcscd_does_not_have_is_named_with_those_that_it_has(service: Service) -> None:
    async def scene() -> None:
        async with played(reader="ACS ACR122U PICC Interface") as table:
            await eventually(lambda: [fault for fault in table.downs if fault.code is FaultCode.PORT_MISSING])
            assert "(there are: Virtual PCD)" in table.downs[-1].text

    run(scene(), jumping=False)
