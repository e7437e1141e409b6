"""The driver of a PN532 in MicroPython, on the models that the drivers in C are held against."""

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from devices.adapters.chip_numbers import sticker_mark
from feltd.cli.deck_antennas import AntennasError, stickers_at
from feltd.cli.deck_stickers import Sticker
from firmware_bridge.facts import LinkSpec
from firmware_bridge.link import Link
from firmware_bridge.serial_transport import open_serial
from firmware_bridge.transport import HostTransport
from tests.firmware import chip_scenes, reader_scenes, scenes
from tests.firmware.hostile_scenes import events
from tests.firmware.raw_host import RawHost
from tests.firmware.reader_rig import MicroRig, Rig, build, modelled
from tests.firmware.support import FIRMWARE, FirmwareProcess, micropython, settings
from tests.firmware.test_c import has_sanitizers
from tests.firmware_bridge.support import KEY, run

CHIP = "pn532-i2c"
INTERPRETER = micropython()
A, B = "11223344", "04a1b2c3d4e5f6"
WELL = f"whole={A} whole={B} whole"

pytestmark = pytest.mark.skipif(
    INTERPRETER is None or shutil.which("cc") is None or shutil.which("make") is None,
    reason="no micropython or no C compiler here: .ci/run says where they come from",
)


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models")
    for program in ("check_readers", "check_multiplexer"):
        build(folder, checked=has_sanitizers(), program=program)
    return folder


@contextmanager
def a_rig(programs: Path, folder: Path) -> Iterator[Rig]:
    assert INTERPRETER is not None
    with (
        modelled([str(programs / "check_readers"), CHIP], folder) as pipes,
        MicroRig(INTERPRETER, pipes, CHIP) as rig,
    ):
        yield rig


@pytest.fixture
def rig(programs: Path, tmp_path: Path) -> Iterator[Rig]:
    with a_rig(programs, tmp_path) as rig:
        yield rig


def test_an_empty_zone_is_read_whole(rig: Rig) -> None:
    chip_scenes.an_empty_zone_is_read_whole(rig)


def test_six_cards_on_one_another_are_read_again_and_again(rig: Rig) -> None:
    rig.lay(*rig.six)
    for _ in range(3):
        scan = rig.scan()
        assert (scan.ended, sorted(scan.cards), scan.torn) == ("whole", sorted(rig.six), 0)
        assert scan.longest < 10_000  # while it lasts the wire is not read


def test_piles_of_a_lot_are_told_apart(rig: Rig) -> None:
    chip_scenes.piles_of_a_lot_are_told_apart(rig, (2, 3, 6, 10, 14))


@pytest.mark.parametrize("each", [60, 15, 6])
def test_noise_changes_no_number_and_hides_no_card(rig: Rig, each: int) -> None:
    chip_scenes.noise_changes_no_number_and_hides_no_card(rig, each)


def test_a_card_lifted_in_mid_scan_costs_no_other(rig: Rig) -> None:
    chip_scenes.a_card_lifted_in_mid_scan_costs_no_other(rig)


def test_a_card_that_does_not_hear_that_it_should_be_silent_is_told_once(rig: Rig) -> None:
    chip_scenes.a_card_that_does_not_hear_that_it_should_be_silent_is_told_once(rig)


def test_a_dead_antenna_is_told_by_the_sticker_alone(rig: Rig) -> None:
    chip_scenes.a_dead_antenna_is_told_by_the_sticker_alone(rig)


def test_a_sticker_that_hears_nothing_is_no_card(rig: Rig) -> None:
    rig.lay("04feedfeedfeed")
    rig.say("reference 04feedfeedfeed", "set halts 2")
    scan = rig.scan()
    assert (scan.ended, scan.cards, scan.torn) == ("whole", (), 2)


def test_a_chip_that_is_silent_or_hangs_reads_nothing(rig: Rig) -> None:
    chip_scenes.a_chip_that_is_silent_or_hangs_reads_nothing(rig)


@pytest.mark.parametrize("microseconds", [100, 400, 2000])
def test_a_chip_that_does_not_answer_to_its_address_while_it_works_is_waited_for(rig: Rig, microseconds: int) -> None:
    chip_scenes.a_chip_that_does_not_answer_to_its_address_while_it_works_is_waited_for(rig, microseconds)


def test_a_chip_that_stays_away_is_silent(rig: Rig) -> None:
    rig.lay(*rig.six)
    rig.say("set away-for 6000")
    assert rig.scan().ended == "no-chip"
    rig.say("set away-for 0")
    assert sorted(rig.scan().cards) == sorted(rig.six)


def test_a_chip_that_lost_its_power_is_set_up_anew(rig: Rig) -> None:
    """Between two scans it says nothing of it: it asks for ever then, which is no answer."""
    rig.lay(*rig.six)
    rig.scan()
    rig.say("lose")
    rig.take(*rig.six)
    assert [rig.scan().ended, rig.scan().ended] == ["no-chip", "whole"]


def test_a_chip_that_loses_its_power_in_mid_scan_says_nothing_of_what_it_has_not_seen(rig: Rig) -> None:
    chip_scenes.a_chip_that_loses_its_power_in_mid_scan_says_nothing_of_what_it_has_not_seen(rig)


@pytest.mark.parametrize("each", [3000, 400, 20])
def test_a_bus_that_carries_nonsense_brings_no_card_that_does_not_lie_there(rig: Rig, each: int) -> None:
    chip_scenes.a_bus_that_carries_nonsense_brings_no_card_that_does_not_lie_there(rig, each)


def test_a_telephone_is_a_stranger_and_no_card(rig: Rig) -> None:
    chip_scenes.a_telephone_is_a_stranger_and_no_card(rig)


def test_a_chip_whose_number_says_that_more_follows_and_gives_none_is_not_read(rig: Rig) -> None:
    chip_scenes.a_chip_whose_number_says_that_more_follows_and_gives_none_is_not_read(rig)


def test_a_number_of_ten_bytes_is_a_stranger_and_not_cut(rig: Rig) -> None:
    chip_scenes.a_number_of_ten_bytes_is_a_stranger_and_not_cut(rig)


@pytest.fixture(params=["pn532-tca"])
def rounds(programs: Path, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[list[str]]:
    assert INTERPRETER is not None
    script = str(FIRMWARE / "micropython" / "check_pn532.py")
    with modelled([str(programs / "check_multiplexer"), request.param, "3"], tmp_path) as pipes:
        yield [INTERPRETER, "-X", "heapsize=192k", script, *pipes, "3"]


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (["round", f"take 0 {A}", f"lay 2 {A}", "round"], [WELL, f"whole whole={B} whole={A}"]),
        (["gone 1", "round", "round", "back 1", "round"], [*[f"whole={A} no-chip whole"] * 2, WELL]),
        (["hold 1 0", "round", "round", "free 1", "round"], [*[f"whole={A} no-chip whole"] * 2, WELL]),
        (["hold 1 9", "round"], [WELL]),
        (["set gone 1", "round", "set gone 0", "round"], ["no-way no-way no-way", WELL]),
        (["set deaf 1", "round", "set deaf 0", "round"], ["no-way no-way no-way", WELL]),
        (["set open 1", "round"], [WELL]),
    ],
)
def test_zones_behind_a_multiplexer(rounds: list[str], lines: list[str], said: list[str]) -> None:
    """Each has its own chip and cards; one that is dead or holds the bus costs no other."""
    spoken = "".join(f"{line}\n" for line in [f"lay 0 {A}", f"lay 1 {B}", "round", "round", *lines])
    done = subprocess.run(rounds, input=spoken, capture_output=True, text=True, check=False, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[2:] == said


LOOKS_FIRST = """
import sys
sys.path.insert(0, {firmware!r})
from antennas import Antennas
from model_bus import ModelBus

class Bus(ModelBus):
    nonsense = 1
    held = False

    def _heard(self, address):
        if self.held or (address == 0x24 and self.nonsense):
            self.nonsense -= not self.held
            raise OSError("nobody has acknowledged")

    def write(self, address, data):
        self._heard(address)
        super().write(address, data)

    def read(self, address, count):
        self._heard(address)
        return super().read(address, count)

    def free(self):
        self.held = False
        super().free()

bus = Bus(sys.argv[1], sys.argv[2], True)
"""


def told_by(programs: Path, folder: Path, model: list[str], work: str) -> list[str]:
    """What a script says that has modelled chips on its bus, of which the first transfer is lost."""
    assert INTERPRETER is not None
    (folder / "script.py").write_text(LOOKS_FIRST.format(firmware=str(FIRMWARE / "micropython")) + work)
    with modelled([str(programs / model[0]), *model[1:]], folder) as pipes:
        command = [INTERPRETER, "script.py", *pipes]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


def test_what_lay_there_at_power_up_is_known_though_the_first_scan_failed(programs: Path, tmp_path: Path) -> None:
    """Its cards would be told as placed. A zone whose chip is dead is not waited for without end."""
    work = (
        f"bus.say('lay 0 {A}')\nbus.say('lay 1 {B}')\nbus.say('gone 2')\n"
        "zones = ['seat:1', 'seat:2', 'seat:3']\n"
        "antennas = Antennas(bus, {'zones': zones, 'channels': {'seat:1': 0, 'seat:2': 1, 'seat:3': 2}})\n"
        "antennas.first_scans()\n"
        "for zone in zones:\n    print(antennas.chips(zone), antennas.last(zone))\n"
    )
    told = told_by(programs, tmp_path, ["check_multiplexer", "pn532-tca", "3"], work)
    assert told == [f"[('{A}', None)] None", f"[('{B}', None)] None", "None chip"]


def test_a_chip_alone_that_holds_the_bus_is_freed(programs: Path, tmp_path: Path) -> None:
    """At the start, and when a scan has ended with nobody there."""
    work = (
        f"bus.say('lay {A}')\nbus.nonsense, bus.held = 0, True\n"
        "antennas = Antennas(bus, {'zones': ['seat:1']})\n"
        "for _ in range(2):\n"
        "    for _ in range(2):\n"
        "        while antennas.step() is None:\n            bus.wait(1000)\n"
        "        print(antennas.chips('seat:1'), antennas.last('seat:1'))\n"
        "    bus.held = True\n"
    )
    seen = f"[('{A}', None)] None"
    assert told_by(programs, tmp_path, ["check_readers", CHIP], work) == [seen, seen, "None chip", seen]


@contextmanager
def a_device(programs: Path, folder: Path, **more: object) -> Iterator[FirmwareProcess]:
    """A whole reader on a desk, its two zones behind a multiplexer."""
    assert INTERPRETER is not None
    with modelled([str(programs / "check_multiplexer"), "pn532-tca", "2"], folder) as pipes:
        ways = {"seat:3": 0, "board:1": 1}
        settings(folder, "reader", zones=scenes.ZONES, chip="pn532", channels=ways, model=pipes, **more)
        command = [INTERPRETER, "-X", "heapsize=192k", str(FIRMWARE / "micropython" / "main.py")]
        device = FirmwareProcess(command, folder)
        with scenes.powered(device):
            yield device


@contextmanager
def a_reader(programs: Path, folder: Path, **more: object) -> Iterator[tuple[FirmwareProcess, RawHost]]:
    """The same, and its host, welcomed."""
    with a_device(programs, folder, **more) as device, RawHost(device, "reader") as host:
        host.up()
        yield device, host


def test_a_pile_is_told_card_by_card_and_goes_again(programs: Path, tmp_path: Path) -> None:
    """From bits in the air to events: driver, multiplexer, round, reader, session."""
    with a_reader(programs, tmp_path, cards={A: "As", B: "Ks"}) as (device, host):
        device.say(f"lay seat:3 {A}", f"lay seat:3 {B}", "lay seat:3 77777777")
        came = [event.body for event in events(host, 3)]
        assert {(body["ev"], body["zone"], body["face"]) for body in came} == {("placed", "seat:3", "down")}
        assert sorted(str(body["card"]) for body in came) == ["As", "Ks", "None"]
        device.say(f"take seat:3 {A}", f"lay board:1 {A}")
        moved = [event.body for event in events(host, 2)]
        assert {"ev": "removed", "zone": "seat:3", "card": "As"} in moved
        assert {"ev": "placed", "zone": "board:1", "card": "As", "face": "up"} in moved
        assert len(host.state()["zones"]["seat:3"]) == 2


def test_what_is_wrong_is_named_and_takes_no_card_away(programs: Path, tmp_path: Path) -> None:
    """A chip that is gone, an antenna whose sticker is not seen, a telephone; and how well a zone is read."""
    with a_reader(programs, tmp_path, stickers={"board:1": "04:FE:ED:FE:ED:FE:ED"}) as (device, host):
        device.say("lay board:1 04feedfeedfeed", f"lay seat:3 {A}")
        assert events(host, 1)[0].body["card"] == bytes.fromhex(A)
        assert reader_scenes.troubles(host, reader_scenes.WELL) == []
        while "zones" not in (told := getattr(host.hear(), "body", {})):
            pass
        assert told["zones"]["board:1"][4:] == [sticker_mark(bytes.fromhex("04feedfeedfeed"))]
        device.say("gone seat:3", "take board:1 04feedfeedfeed")
        assert reader_scenes.troubles(host, {"seat:3": "chip", "board:1": "antenna"}) == []
        device.say("back seat:3", "lay board:1 04feedfeedfeed", "lay board:1 08aabbcc")
        assert reader_scenes.troubles(host, {"seat:3": None, "board:1": "stranger"}) == []
        assert host.state()["zones"] == {"seat:3": [[bytes.fromhex(A), "down"]], "board:1": []}


def test_stickers_are_read_by_the_antennas_that_they_are_fixed_to(programs: Path, tmp_path: Path) -> None:
    """Until the reader has told both, what lies there changes, or is missing: that is said, and nothing guessed."""

    async def connect() -> HostTransport:
        return await open_serial(str(tmp_path / "port"), allowed=[str(tmp_path / "port")])

    async def looking() -> list[Sticker]:
        spec = LinkSpec("reader", "reader", KEY, "reader-1")
        return await stickers_at(lambda handler: Link(spec, connect, handler), "reader", 2, lambda number: False)

    with a_device(programs, tmp_path) as device:
        device.say(f"lay seat:3 {A}", f"lay board:1 {B}")
        found: list[Sticker] = []
        while not found:
            with suppress(AntennasError):
                found = run(looking(), jumping=False)
        assert {(one.zone, one.digits, one.up) for one in found} == {
            ("board:1", "04:A1:B2:C3:D4:E5:F6", True),
            ("seat:3", "11:22:33:44", False),
        }
