"""The reader's board of a Pico on a desk: its own file, its own tool's settings, modelled antennas and stickers."""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from firmware_bridge.messages import Status
from tests.firmware import scenes
from tests.firmware.hostile_scenes import events
from tests.firmware.pico_images import PORT
from tests.firmware.raw_host import QUIET, RawHost
from tests.firmware.support import FirmwareProcess
from tests.firmware.test_c import can_build, make_device
from tests.firmware_bridge.support import KEY

CARD, OTHER = "11223344", "04a1b2c3d4e5f6"
STICKERS = {"seat:1": "04feedfeedfee1", "burn": "a1feedfe", "board:1": "04feedfeedfee3"}
ZONES = ("seat:1", "burn", "board:1=up")
WITH_NUMBERS = ("seat:1=04:FE:ED:FE:ED:FE:E1", "burn=a1feedfe", "board:1=up,04FEEDFEEDFEE3")
NAMED = "its reference card is not seen: look at the antenna and its wire"
BEFORE_STICKERS = 220  # bytes of the settings before there were numbers of stickers

pytestmark = pytest.mark.skipif(not can_build() or shutil.which("make") is None, reason="no C compiler with libsodium")


@pytest.fixture(scope="module", params=["reader_of_pico", "reader_of_pico_each"])
def program(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One chip behind the switch, and a chip for each zone, selected by it."""
    return make_device(request.param, tmp_path_factory.mktemp(request.param))


@contextmanager
def reader(
    program: Path, folder: Path, *zones: str, stickers: dict[str, str] = STICKERS, older: bool = False
) -> Iterator[tuple[FirmwareProcess, RawHost]]:
    """A reader with stickers on its antennas. `older`: its settings are of a tool that knew no numbers of stickers."""
    (folder / "key").write_bytes(KEY)
    (folder / "serial").write_text("reader-1\n", encoding="ascii")
    (folder / "laid").write_text("".join(f"{zone} {uid}\n" for zone, uid in stickers.items()), encoding="ascii")
    out = folder / "settings.bin"
    subprocess.run(
        [sys.executable, str(PORT / "settings.py"), str(folder / "key"), "reader-1", str(out), *zones], check=True
    )
    if older:
        out.write_bytes(out.read_bytes()[:BEFORE_STICKERS].ljust(4096, b"\xff"))
    device = FirmwareProcess([str(program)], folder)
    with scenes.powered(device), RawHost(device, "reader") as host:
        host.up()
        yield device, host


def note(host: RawHost, words: str) -> dict[str, Any]:
    """The first status with this note; "": none. No event may come before it."""
    while True:
        message = host.hear()
        assert isinstance(message, Status)
        if message.body.get("note", "") == words:
            return dict(message.body)


def test_stickers_whose_numbers_it_has_are_no_cards_and_name_a_dead_antenna(program: Path, tmp_path: Path) -> None:
    """What lies over the antenna that died still counts as lying there, and every other zone is read on."""
    with reader(program, tmp_path, *WITH_NUMBERS) as (device, host):
        assert host.state()["zones"] == {"seat:1": [], "burn": [], "board:1": []}
        device.say(f"lay board:1 {CARD}")
        [came] = [event.body for event in events(host, 1)]
        assert came == {"ev": "placed", "zone": "board:1", "card": bytes.fromhex(CARD), "face": "up"}
        device.say("dead board:1")
        told = note(host, f"board:1: {NAMED}")
        assert {zone: row[3] for zone, row in told["zones"].items()} == {
            "seat:1": None,
            "burn": None,
            "board:1": "antenna",
        }
        assert host.state()["zones"]["board:1"] == [[bytes.fromhex(CARD), "up"]]
        device.say(f"lay seat:1 {OTHER}")
        assert [event.body["card"] for event in events(host, 1)] == [bytes.fromhex(OTHER)]
        device.say("alive board:1")
        note(host, "")
        assert host.heard(QUIET) is None


@pytest.mark.parametrize("zone", STICKERS)
def test_each_antenna_is_named_by_its_own_sticker(program: Path, tmp_path: Path, zone: str) -> None:
    with reader(program, tmp_path, *WITH_NUMBERS) as (device, host):
        device.say(f"dead {zone}")
        note(host, f"{zone}: {NAMED}")


def test_a_sticker_of_another_antenna_names_the_zone_at_once(program: Path, tmp_path: Path) -> None:
    """Two numbers that were given the wrong way round are found before the first card is dealt."""
    changed = {"seat:1": STICKERS["board:1"], "burn": STICKERS["burn"], "board:1": STICKERS["seat:1"]}
    with reader(program, tmp_path, *WITH_NUMBERS, stickers=changed) as (_, host):
        told = note(host, f"seat:1: {NAMED}")
        assert [row[3] for row in told["zones"].values()] == ["antenna", None, "antenna"]


@pytest.mark.parametrize("older", [False, True], ids=["none given", "of an older tool"])
def test_settings_without_numbers_are_those_of_a_reader_without_stickers(
    program: Path, tmp_path: Path, older: bool
) -> None:
    """A dead antenna then looks as an empty zone does: the card is told as removed, and no zone is named."""
    with reader(program, tmp_path, *ZONES, stickers={}, older=older) as (device, host):
        device.say(f"lay board:1 {CARD}")
        assert [event.body["ev"] for event in events(host, 1)] == ["placed"]
        device.say("dead board:1")
        assert [event.body["ev"] for event in events(host, 1)] == ["removed"]
        note(host, "")


def test_a_card_that_was_named_as_a_sticker_names_the_zone_and_is_told_in_every_other(
    program: Path, tmp_path: Path
) -> None:
    """The zone is not whole without it: an empty felt shows it before the first deal."""
    named = ("seat:1=04a1b2c3d4e5f6", *WITH_NUMBERS[1:])
    there = {zone: uid for zone, uid in STICKERS.items() if zone != "seat:1"}
    with reader(program, tmp_path, *named, stickers=there) as (device, host):
        note(host, f"seat:1: {NAMED}")
        device.say(f"lay burn {OTHER}")
        assert [event.body["card"] for event in events(host, 1)] == [bytes.fromhex(OTHER)]
        assert host.state()["zones"]["seat:1"] == []


def test_a_sticker_whose_number_it_was_not_given_is_told_as_what_lies_there(program: Path, tmp_path: Path) -> None:
    """So the table says of it that it is in no pack, with the zone."""
    with reader(program, tmp_path, "seat:1=04feedfeedfee1", "burn", "board:1=up") as (_, host):
        zones = host.state()["zones"]
        assert zones == {"seat:1": [], "burn": [[bytes.fromhex(STICKERS["burn"]), "down"]],
                         "board:1": [[bytes.fromhex(STICKERS["board:1"]), "up"]]}  # fmt: skip


def test_a_chip_of_its_own_that_is_gone_costs_its_zone_alone(
    tmp_path_factory: pytest.TempPathFactory, tmp_path: Path
) -> None:
    """The other chips keep what they were told: no line resets them all."""
    each = make_device("reader_of_pico_each", tmp_path_factory.mktemp("each"))
    with reader(each, tmp_path, *WITH_NUMBERS) as (device, host):
        device.say("gone board:1")
        told = note(host, "board:1: its reader chip is silent or answers nonsense: look at its supply and bus")
        assert [row[3] for row in told["zones"].values()] == [None, None, "chip"]
        device.say(f"lay burn {OTHER}")
        assert [event.body["zone"] for event in events(host, 1)] == ["burn"]
        device.say("back board:1", f"lay board:1 {CARD}")
        assert [event.body["zone"] for event in events(host, 1)] == ["board:1"]


@pytest.fixture(scope="module", params=["mfrc522", "pn532"])
def behind_tca(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The reader with a chip for each zone behind a TCA9548A: its own bus routines, over a modelled one."""
    name = f"reader_of_pico_tca_{request.param}"
    return make_device(name, tmp_path_factory.mktemp(name))


def test_behind_a_tca9548a_a_chip_that_is_gone_or_holds_the_bus_costs_its_zone_alone(
    behind_tca: Path, tmp_path: Path
) -> None:
    """Its cards count as lying there, and the others' are told."""
    silent = "its reader chip is silent or answers nonsense: look at its supply and bus"
    with reader(behind_tca, tmp_path, *WITH_NUMBERS) as (device, host):
        device.say(f"lay board:1 {CARD}")
        assert [event.body["zone"] for event in events(host, 1)] == ["board:1"]
        for fault, mended in (("hold", "free"), ("gone", "back")):
            device.say(f"{fault} board:1")
            told = note(host, f"board:1: {silent}")
            assert [row[3] for row in told["zones"].values()] == [None, None, "chip"]
            device.say(f"lay burn {OTHER}")
            assert [event.body["zone"] for event in events(host, 1)] == ["burn"]
            device.say(f"take burn {OTHER}")
            assert [event.body["ev"] for event in events(host, 1)] == ["removed"]
            device.say(f"{mended} board:1")
            note(host, "")
        assert host.state()["zones"]["board:1"] == [[bytes.fromhex(CARD), "up"]]


def test_a_tca9548a_that_is_silent_is_named_and_removes_no_card(behind_tca: Path, tmp_path: Path) -> None:
    with reader(behind_tca, tmp_path, *ZONES, stickers={}) as (device, host):
        device.say(f"lay seat:1 {CARD}")
        assert [event.body["ev"] for event in events(host, 1)] == ["placed"]
        device.say("shut seat:1")
        told = note(host, "seat:1: its multiplexer does not answer: look at its supply and address")
        assert [row[3] for row in told["zones"].values()] == ["multiplexer"] * 3
        device.say("open seat:1", f"lay burn {OTHER}")
        assert [event.body["zone"] for event in events(host, 1)] == ["burn"]


def test_behind_a_tca9548a_a_ninth_zone_is_told_to_have_no_way(behind_tca: Path, tmp_path: Path) -> None:
    nine = [f"seat:{n}" for n in range(1, 10)]
    with reader(behind_tca, tmp_path, *nine, stickers={}) as (_, host):
        told = note(host, "seat:9: its multiplexer does not answer: look at its supply and address")
        assert [row[3] for row in told["zones"].values()] == [*[None] * 8, "multiplexer"]


def test_sixteen_zones_have_each_its_antenna_and_its_sticker(program: Path, tmp_path: Path) -> None:
    """As many as the switch has ways: the card that comes to the last of them is told there and nowhere else."""
    names = [*(f"seat:{n}" for n in range(1, 11)), *(f"board:{n}" for n in range(1, 6)), "burn"]
    stickers = {name: f"04feedfeed{place:04x}" for place, name in enumerate(names)}
    given = (f"{name}={uid}" for name, uid in stickers.items())
    with reader(program, tmp_path, *given, stickers=stickers) as (device, host):
        assert host.state()["zones"] == {name: [] for name in names}
        device.say(f"lay burn {CARD}")
        assert [event.body["zone"] for event in events(host, 1)] == ["burn"]
        device.say("dead seat:10")
        note(host, f"seat:10: {NAMED}")
