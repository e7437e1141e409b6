"""A badge reader over OSDP's secure channel: libosdp at both ends of a pseudo-terminal."""

import contextlib
import os
import sys
import tty
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from devices.adapters import FaultCode, Place, osdp_badge
from devices.adapters.badge_numbers import OncePerCard
from devices.adapters.interface import At
from devices.adapters.keyed_pin import FORGOTTEN_AFTER, KeyedPin
from devices.adapters.link import AdapterLink
from devices.adapters.loading import Wanted, load_adapter, misfits
from devices.adapters.osdp_badge import DEFAULT_KEY, OsdpBadge, OsdpSettings, card_number
from tests.devices.badge_table import BadgeTable
from tests.firmware_bridge.support import run
from tests.running import eventually, running

osdp: Any = pytest.importorskip("osdp", reason="libosdp is not installed: the extra osdp")

KEY = bytes(range(100, 116))
OTHER = bytes(range(200, 216))


class Reader:
    """A reader: libosdp's own peripheral device on the far end of a pseudo-terminal.

    `port` is a link to it, until it is unplugged. The system gives a closed pseudo-terminal's name to the next test
    that opens one: an adapter that looked for the name again would find another test's device."""

    def __init__(self, key: bytes, port: Path, address: int = 3) -> None:
        self._ours, self._theirs = os.openpty()
        tty.setraw(self._theirs)
        os.set_blocking(self._ours, False)
        port.symlink_to(os.ttyname(self._theirs))
        self.port = port
        self.address = address
        self.heard = 0
        reader, ours = self, self._ours

        class Channel(osdp.Channel):  # type: ignore[misc]  # libosdp has no types
            def read(self, max_bytes: int) -> bytes:
                try:
                    data = os.read(ours, max_bytes)
                except OSError:
                    return b""
                reader.heard += len(data)
                return data

            def write(self, buf: bytes) -> int:
                try:
                    return os.write(ours, buf)
                except OSError:
                    return 0

            def flush(self) -> None: ...

        facts = osdp.PdId(1, 1, 0xCAFE, 0x1042, 0x00020304)
        info = osdp.PDInfo(address, Channel(), scbk=key, flags=[osdp.LibFlag.EnforceSecure], id=facts)
        abilities = osdp.PDCapabilities([(osdp.Capability.CardDataFormat, 1, 1)])
        self.device = osdp.PeripheralDevice(info, abilities, log_level=osdp.LogLevel.Emergency)
        self.device.start()

    def show(self, data: bytes, bits: int = 0) -> None:
        event = {
            "event": osdp.Event.CardRead, "reader_no": 0, "direction": 0, "format": osdp.CardFormat.Unspecified,
            "length": bits or 8 * len(data), "data": data,
        }  # fmt: skip
        self.device.submit_event(event)

    def key(self, keys: bytes) -> None:
        self.device.submit_event({"event": osdp.Event.KeyPress, "reader_no": 0, "data": keys})

    def switch_off(self) -> None:
        self.device.teardown()

    def unplug(self) -> None:
        self.port.unlink()
        os.close(self._ours)
        os.close(self._theirs)


@contextlib.asynccontextmanager
async def played(port: str | Path, key: bytes | None, **settings: Any) -> AsyncIterator[tuple[BadgeTable, AdapterLink]]:
    table = BadgeTable()
    place = Place("badge", str(port), key=key)
    chosen = OsdpSettings(**{"address": 3, **settings})
    link = AdapterLink("badge", "osdp-badge", "badge", lambda: OsdpBadge(place, chosen), table)
    async with running(link.run()):
        yield table, link


def test_a_card_over_the_secure_channel(tmp_path: Path) -> None:
    async def scene() -> None:
        reader = Reader(KEY, tmp_path / "reader")
        async with played(reader.port, KEY) as (table, link):
            await eventually(lambda: table.ups)
            assert link.authenticated
            assert (table.ups[0].serial, table.ups[0].firmware) == ("00001042", "2.3.4")
            reader.show(bytes.fromhex("04a1b2c3"))
            await eventually(lambda: table.told)
            assert [(event.staff, event.role) for event in table.told] == [("04A1B2C3", "supervisor")]
            reader.show(bytes.fromhex("deadbeef"))
            await eventually(lambda: table.faults)
            assert "DEADBEEF" not in table.faults[0]
        reader.switch_off()
        reader.unplug()

    run(scene(), jumping=False)


def test_a_pin_that_is_keyed_after_a_card_comes_with_it(tmp_path: Path) -> None:
    async def scene() -> None:
        reader = Reader(KEY, tmp_path / "reader")
        async with played(reader.port, KEY) as (table, _):
            await eventually(lambda: table.ups)
            reader.show(bytes.fromhex("04a1b2c3"))
            await eventually(lambda: table.told)
            reader.key(b"70951\x0d")
            await eventually(lambda: len(table.told) > 1)
            assert [event.staff for event in table.told] == ["04A1B2C3"] * 2
            assert [body.get("pin") for body in table.bodies] == [None, "70951"]
        reader.switch_off()
        reader.unplug()

    run(scene(), jumping=False)


class Table:
    """A table that keeps what it is told."""

    def __init__(self) -> None:
        self.told: list[dict[str, Any]] = []

    def event(self, body: dict[str, Any]) -> None:
        self.told.append(body)


def test_a_card_that_is_misread_ends_the_time_for_a_pin_and_the_same_card_held_on_renews_it() -> None:
    now = 100.0
    table: Any = Table()
    once, pin = OncePerCard(60.0, lambda: now), KeyedPin(lambda: now)
    adapter = OsdpBadge(Place("badge", "x", key=KEY), OsdpSettings(again_after=60.0))

    def card(data: str) -> None:
        adapter._card({"data": bytes.fromhex(data), "length": 4 * len(data)}, once, pin, table)

    card("04a1b2c3")
    now += FORGOTTEN_AFTER - 1.0
    card("04a1b2c3")
    now += 2.0
    adapter._keys(b"70951#", pin, table)
    assert table.told == [
        {"ev": "badge", "staff": "04A1B2C3"},
        {"ev": "badge", "staff": "04A1B2C3", "pin": "70951"},
    ]
    card("")
    adapter._keys(b"70951#", pin, table)
    assert len(table.told) == 2, "another one's digits are no PIN of the card before"


def test_a_reader_with_another_key_is_not_believed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(osdp_badge, "ANSWER", 2.0)

    async def scene() -> None:
        reader = Reader(OTHER, tmp_path / "reader")
        async with played(reader.port, KEY) as (table, _):
            await eventually(lambda: [fault for fault in table.downs if fault.code is FaultCode.WRONG_KEY])
            assert "it answers, but not under this key" in table.downs[-1].text
            reader.show(bytes.fromhex("04a1b2c3"))
            heard = reader.heard
            await eventually(lambda: reader.heard > heard + 100)  # some messages later
            assert (table.ups, table.told) == ([], [])
        reader.switch_off()
        reader.unplug()

    run(scene(), jumping=False)


def test_a_reader_that_goes_silent_and_one_that_is_unplugged(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(osdp_badge, "ANSWER", 1.0)

    async def scene() -> None:
        reader = Reader(KEY, tmp_path / "reader")
        async with played(reader.port, KEY) as (table, _):
            await eventually(lambda: table.ups)
            table.downs.clear()  # a busy machine may take longer than a second to come up
            reader.switch_off()
            await eventually(lambda: len(table.downs) == 2)
            assert [fault.code for fault in table.downs] == [FaultCode.SILENT, FaultCode.NO_ANSWER]
            reader.unplug()
            await eventually(lambda: len(table.downs) >= 3)
            assert table.downs[2].code in (FaultCode.UNPLUGGED, FaultCode.PORT_MISSING)

    run(scene(), jumping=False)


@pytest.mark.parametrize("key", [DEFAULT_KEY, bytes(16), b"\xff" * 16, None])
def test_a_key_that_everybody_knows_is_refused(key: bytes | None) -> None:
    async def scene() -> None:
        async with played("/dev/serial/by-id/nothing", key) as (table, _):
            await eventually(lambda: table.downs)
            assert table.downs[0].code is FaultCode.WRONG_KEY
            assert ("there is no key" if key is None else "known to everybody") in table.downs[0].text

    run(scene(), jumping=False)


def test_install_mode_cannot_even_be_asked_for() -> None:
    wanted = Wanted("badge", "osdp-badge", "badge", At.PORT, True, {"install_mode": True})
    assert [key for key, _ in misfits(OsdpBadge, wanted)] == ["adapter_settings"]
    assert load_adapter("osdp-badge") is OsdpBadge


def test_without_libosdp_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "osdp", None)
    facts: Mapping[str, Any] = {}
    wanted = Wanted("badge", "osdp-badge", "badge", At.PORT, True, facts)
    assert list(misfits(OsdpBadge, wanted)) == [("adapter", osdp_badge.MISSING)]

    async def scene() -> None:
        async with played("/dev/serial/by-id/nothing", KEY) as (table, _):
            await eventually(lambda: table.downs)
            assert "pip install feltd[osdp]" in table.downs[0].text

    run(scene(), jumping=False)


@pytest.mark.parametrize(
    ("data", "length", "settings", "number"),
    [
        ("04a1b2c3", 32, OsdpSettings(), "04A1B2C3"),
        ("00000412", 32, OsdpSettings(form="decimal"), "1042"),
        ("31303432", 32, OsdpSettings(form="text"), "1042"),
        # Wiegand of 26 bits: parity, 8 of the facility, 16 of the number, parity
        ("8102 0900", 26, OsdpSettings(form="decimal", first_bit=9, bits=16), "1042"),
        ("ff", 0, OsdpSettings(), "FF"),
        ("", 0, OsdpSettings(), None),
        ("ff", 8, OsdpSettings(first_bit=9), ""),
        ("ff", 8, OsdpSettings(first_bit=1, bits=8), ""),
    ],
)
def test_which_bits_are_the_number(data: str, length: int, settings: OsdpSettings, number: str | None) -> None:
    assert card_number(bytes.fromhex(data), length, settings) == number
