"""Drivers of reader chips, on models of the chips, with cards that collide as real ones do."""

import random
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.firmware import chip_scenes
from tests.firmware.reader_rig import Rig, a_pile, build
from tests.firmware.support import FIRMWARE
from tests.firmware.test_c import has_sanitizers

# The longest step, microseconds: while it lasts the wire is not read. A receive buffer of 2 KB bridges 170 ms.
STEP_MAX = {
    "mfrc522": 9_000,
    "mfrc522-i2c": 18_000,
    "pn532-uart": 70_000,
    "pn532-i2c": 35_000,
    "pn532-spi": 18_000,
    "pn5180-a": 14_000,
    "pn5180-15693": 9_000,
}

pytestmark = pytest.mark.skipif(
    shutil.which("cc") is None or shutil.which("make") is None, reason="no C compiler: see .ci/run"
)


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("readers"), checked=has_sanitizers())


@pytest.fixture(params=list(STEP_MAX))
def rig(program: Path, request: pytest.FixtureRequest) -> Iterator[Rig]:
    with Rig(program, request.param) as rig:
        yield rig


@pytest.fixture(params=[chip for chip in STEP_MAX if not chip.endswith("15693")])
def rig_a(program: Path, request: pytest.FixtureRequest) -> Iterator[Rig]:
    """Of a driver that reads type A."""
    with Rig(program, request.param) as rig:
        yield rig


def test_an_empty_zone_is_read_whole(rig: Rig) -> None:
    chip_scenes.an_empty_zone_is_read_whole(rig)


def test_six_cards_on_one_another_are_read_again_and_again(rig: Rig) -> None:
    rig.lay(*rig.six)
    for _ in range(3):
        scan = rig.scan()
        assert (scan.ended, sorted(scan.cards), scan.torn) == ("whole", sorted(rig.six), 0)
        assert scan.collisions > 0
        assert scan.longest < STEP_MAX[rig.chip]


def test_piles_of_a_lot_are_told_apart(rig: Rig) -> None:
    chip_scenes.piles_of_a_lot_are_told_apart(rig, (2, 3, 6, 6, 6, 10, 14))


@pytest.mark.parametrize("each", [60, 15, 6])
def test_noise_changes_no_number_and_hides_no_card(rig: Rig, each: int) -> None:
    chip_scenes.noise_changes_no_number_and_hides_no_card(rig, each)


def test_a_card_lifted_in_mid_scan_costs_no_other(rig: Rig) -> None:
    chip_scenes.a_card_lifted_in_mid_scan_costs_no_other(rig)


def test_a_card_that_does_not_hear_that_it_should_be_silent_is_told_once(rig_a: Rig) -> None:
    chip_scenes.a_card_that_does_not_hear_that_it_should_be_silent_is_told_once(rig_a)


def test_a_dead_antenna_is_told_by_the_card_under_the_felt_alone(rig: Rig) -> None:
    chip_scenes.a_dead_antenna_is_told_by_the_sticker_alone(rig)


def test_a_chip_that_is_silent_or_hangs_reads_nothing(rig: Rig) -> None:
    chip_scenes.a_chip_that_is_silent_or_hangs_reads_nothing(rig, *(["stuck"] if rig.chip.startswith("pn5180") else []))


@pytest.mark.parametrize("microseconds", [100, 400, 2000])
def test_a_pn532_that_does_not_answer_to_its_address_while_it_works_is_waited_for(
    program: Path, microseconds: int
) -> None:
    with Rig(program, "pn532-i2c") as rig:
        chip_scenes.a_chip_that_does_not_answer_to_its_address_while_it_works_is_waited_for(rig, microseconds)


def test_a_chip_that_lost_its_power_is_set_up_anew(rig: Rig) -> None:
    rig.lay(*rig.six)
    rig.scan()
    rig.say("lose")
    assert sorted(rig.scan().cards) == sorted(rig.six)


def test_a_chip_that_loses_its_power_in_mid_scan_says_nothing_of_what_it_has_not_seen(rig: Rig) -> None:
    chip_scenes.a_chip_that_loses_its_power_in_mid_scan_says_nothing_of_what_it_has_not_seen(rig)


@pytest.mark.parametrize("each", [3000, 400, 20, 1])
def test_a_bus_that_carries_nonsense_brings_no_card_that_does_not_lie_there(rig: Rig, each: int) -> None:
    chip_scenes.a_bus_that_carries_nonsense_brings_no_card_that_does_not_lie_there(rig, each)


def test_a_telephone_is_a_stranger_and_no_card(rig_a: Rig) -> None:
    chip_scenes.a_telephone_is_a_stranger_and_no_card(rig_a)


def test_a_chip_whose_number_says_that_more_follows_and_gives_none_is_not_read(rig_a: Rig) -> None:
    chip_scenes.a_chip_whose_number_says_that_more_follows_and_gives_none_is_not_read(rig_a)


def test_a_number_of_ten_bytes_is_a_stranger_and_not_cut(rig_a: Rig) -> None:
    chip_scenes.a_number_of_ten_bytes_is_a_stranger_and_not_cut(rig_a)


@pytest.mark.parametrize(
    ("chip", "reading"),
    [
        ("mfrc522", "counts-align"),
        ("mfrc522", "no-position"),
        ("pn532-spi", "counts-align"),
        ("pn532-spi", "no-position"),
        ("pn532-spi", "keeps-collided"),
        ("pn5180-a", "counts-from-one"),
    ],
)
def test_where_a_collision_is_may_be_told_either_way_or_not_at_all(program: Path, chip: str, reading: str) -> None:
    """The data sheets leave open from where CollPos counts; without a position bits are asked for one by one."""
    chance = random.Random(5)
    with Rig(program, chip) as rig:
        rig.say(f"set {reading} 1")
        for size in (2, 6, 6, 10):
            pile = a_pile(chance, size, vicinity=rig.vicinity)
            rig.lay(*pile)
            scan = rig.scan()
            assert (scan.ended, sorted(scan.cards)) == ("whole", pile)
            rig.take(*pile)


def test_the_drivers_ask_for_nothing_that_a_microcontroller_has_not(tmp_path: Path) -> None:
    """No memory, no files, no floating point of a library: what they call is in each other, or moves bytes."""
    sources = sorted((FIRMWARE / "c" / "chips").glob("*.c"))
    for source in sources:
        command = ["cc", "-std=c11", "-Os", "-ffreestanding", "-c", "-o", f"{tmp_path}/{source.stem}.o", str(source)]
        subprocess.run(command, check=True)
    objects = [f"{tmp_path}/{source.stem}.o" for source in sources]
    names = {mark: set[str]() for mark in "TU"}
    for line in subprocess.run(["nm", *objects], capture_output=True, text=True, check=True).stdout.splitlines():
        if len(words := line.split()) >= 2 and words[-2] in names:
            names[words[-2]].add(words[-1])
    assert "antennas_step" in names["T"]
    assert names["U"] - names["T"] <= {"memcpy", "memset", "memcmp", "_GLOBAL_OFFSET_TABLE_", "__stack_chk_fail"}
