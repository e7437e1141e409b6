"""The port to the Pico's SDK, built with it: closed on both processors, and signed for the one that can ask for it."""

import struct
import subprocess
import sys
from importlib import util
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from table_fsm.felt import ZONES
from tests.firmware.closed_image import open_parts
from tests.firmware.pico_images import PORT, built_with_the_sdk, configured, images
from tests.firmware.signed_image import FLASH, ImageError, check, sign
from tests.firmware.support import FIRMWARE
from tests.firmware.test_c import can_build

SETTINGS = PORT / "settings.py"
KEY = ec.derive_private_key(7, ec.SECP256K1())

with_a_compiler = pytest.mark.skipif(not can_build(), reason="no C compiler with libsodium: see .ci/run")


def is_closed_and_reads_its_settings_at(place: int, image: bytes) -> None:
    """`place`: in the flash, as firmware/c/README.md tells the maker; the image ends before it."""
    assert open_parts(image) == []
    assert struct.pack("<I", FLASH + place) in image
    assert len(image) < place


def checksum(data: bytes) -> int:
    """The one by which an RP2040's boot ROM judges a flash's first 252 bytes (RP2040 datasheet, 2.8.1.3.1)."""
    value = 0xFFFFFFFF
    for byte in data:
        value ^= byte << 24
        for _ in range(8):
            value = value << 1 ^ (0x104C11DB7 if value >> 31 else 0)
    return value


@built_with_the_sdk
def test_the_images_for_a_pico_are_closed_and_begin_as_its_boot_rom_wants(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    for file in images("pico", tmp_path_factory).values():
        image = file.read_bytes()
        is_closed_and_reads_its_settings_at(0x1FE000, image)
        assert checksum(image[:252]) == int.from_bytes(image[252:256], "little")
        stack, start = struct.unpack_from("<II", image, 256)
        assert stack == 0x20042000
        assert FLASH < start < FLASH + len(image)


@built_with_the_sdk
def test_the_images_for_a_pico_2_are_closed_and_signed_whole(tmp_path_factory: pytest.TempPathFactory) -> None:
    for file in images("pico2", tmp_path_factory).values():
        image = file.read_bytes()
        is_closed_and_reads_its_settings_at(0x3FE000, image)
        signed = sign(image, KEY)
        assert [(one.at, one.runs_at, one.size) for one in check(signed, KEY.public_key()).ranges] == [
            (0, FLASH, len(image))
        ]
        assert open_parts(signed) == []
        for at in range(0, len(image), 997):
            with pytest.raises(ImageError):
                check(signed[:at] + bytes([signed[at] ^ 1]) + signed[at + 1 :], KEY.public_key())
        with pytest.raises(ImageError, match="0 blocks have a signature"):
            check(image, KEY.public_key())


@built_with_the_sdk
def test_readers_with_other_chips_have_these_and_no_mfrc522(tmp_path_factory: pytest.TempPathFactory) -> None:
    made = {chip: images("pico", tmp_path_factory, chip)["reader"] for chip in ("mfrc522", "pn532", "pn5180")}
    for chip, file in made.items():
        is_closed_and_reads_its_settings_at(0x1FE000, file.read_bytes())
        names = subprocess.run(
            ["arm-none-eabi-nm", str(file.with_suffix(".elf"))], capture_output=True, text=True, check=True
        ).stdout
        assert {other for other in made if f" {other}_start\n" in names} == {chip}


@built_with_the_sdk
def test_one_mfrc522_may_lead_its_carrier_through_the_switch(tmp_path_factory: pytest.TempPathFactory) -> None:
    """What the build makes of itself has sixteen drivers: one for each chip."""
    one, each = (images("pico", tmp_path_factory, "mfrc522", ways)["reader"] for ways in ("switch", ""))
    is_closed_and_reads_its_settings_at(0x1FE000, one.read_bytes())
    sizes = []
    for file in (one, each):
        asked = ["arm-none-eabi-nm", "-S", str(file.with_suffix(".elf"))]
        names = subprocess.run(asked, capture_output=True, text=True, check=True).stdout
        [size] = [int(line.split()[1], 16) for line in names.splitlines() if line.endswith(" chips")]
        sizes.append(size)
    assert sizes[1] == 16 * sizes[0]


@built_with_the_sdk
def test_a_reader_for_cards_of_iso_15693_takes_their_inventory(tmp_path_factory: pytest.TempPathFactory) -> None:
    file = images("pico", tmp_path_factory, "pn5180_15693")["reader"]
    is_closed_and_reads_its_settings_at(0x1FE000, file.read_bytes())
    asked = ["arm-none-eabi-nm", str(file.with_suffix(".elf"))]
    names = subprocess.run(asked, capture_output=True, text=True, check=True).stdout
    assert [name for name in ("pn5180", "iso15693", "iso14443a") if f" {name}_start\n" in names] == [
        "pn5180",
        "iso15693",
    ]


@built_with_the_sdk
@pytest.mark.parametrize(("board", "chip", "place"), [("pico", "mfrc522", 0x1FE000), ("pico2", "pn532", 0x3FE000)])
def test_a_reader_with_a_chip_for_each_zone_has_the_ways_of_a_tca9548a(
    tmp_path_factory: pytest.TempPathFactory, board: str, chip: str, place: int
) -> None:
    file = images(board, tmp_path_factory, chip, "tca9548a")["reader"]
    is_closed_and_reads_its_settings_at(place, file.read_bytes())
    asked = ["arm-none-eabi-nm", str(file.with_suffix(".elf"))]
    names = subprocess.run(asked, capture_output=True, text=True, check=True).stdout
    assert f" {chip}_start\n" in names
    assert " pico_chip_bus\n" not in names, "no chip of it hangs on SPI"


@built_with_the_sdk
@pytest.mark.parametrize(
    ("options", "words"),
    [
        (
            ["-DREADER_WAYS=tca9548a", "-DREADER_CHIP=pn5180"],
            "READER_WAYS=tca9548a: a PN5180 has no I2C, and a line BUSY of its own",
        ),
        (["-DREADER_WAYS=pca9547"], "READER_WAYS=pca9547: no such ways are here; give select, switch or tca9548a"),
    ],
)
def test_ways_that_are_not_there_are_refused(tmp_path: Path, options: list[str], words: str) -> None:
    done = configured(tmp_path, *options)
    assert (done.returncode != 0, words in " ".join(done.stderr.split())) == (True, True)


@built_with_the_sdk
def test_a_chip_without_a_driver_is_refused(tmp_path: Path) -> None:
    done = configured(tmp_path, "-DREADER_CHIP=rc632")
    assert done.returncode != 0
    assert (
        "READER_CHIP=rc632: no driver of such a chip is here; give mfrc522, pn532, pn5180 or pn5180_15693"
        in " ".join(done.stderr.split())
    )


@with_a_compiler
def test_the_settings_that_the_tool_writes_are_those_that_the_board_reads(tmp_path: Path) -> None:
    (tmp_path / "key").write_bytes(bytes(range(32)))
    out = tmp_path / "settings.bin"
    zones = [
        "seat:1",
        "seat:10=04:A1:b2:C3:D4:E5:F6",
        "servo=1000,1900",
        "board2:5=up,11223344",
        "burn=04a1b2c3d4e5f7,up",
        "muck=E0:04:01:50:12:34:56:78",
    ]
    command = [sys.executable, str(SETTINGS), str(tmp_path / "key"), "SN-R1", str(out), *zones]
    made = subprocess.run(command, check=True, capture_output=True, text=True)
    assert "without power this gate stays where it was, open too" in made.stderr
    assert (out.stat().st_size, out.stat().st_mode & 0o777) == (4096, 0o600)
    probe = tmp_path / "probe.c"
    probe.write_text(
        '#include "boards/pico/board_pico.h"\n#include <stdio.h>\nint main(void) { struct pico_settings s;\n'
        "if (fread(&s, sizeof s, 1, stdin) != 1) return 1;\n"
        'printf("%d %d %s %u %u", s.mark == SETTINGS_MARK, s.key[31], s.serial, s.zones, s.face_up);\n'
        'printf(" %u %u", s.servo_locked, s.servo_open);\n'
        "for (int i = 0; i < s.zones; i++) {\n"
        'printf(" %s %u ", s.zone[i], s.reference[i].length);\n'
        'for (int b = 0; b < NUMBER_MAX; b++) printf("%02x", s.reference[i].bytes[b]);\n}\nreturn 0; }\n'
    )
    subprocess.run(["cc", "-std=c11", f"-I{FIRMWARE / 'c'}", str(probe), "-o", str(tmp_path / "probe")], check=True)
    read = subprocess.run([tmp_path / "probe"], input=out.read_bytes(), capture_output=True, check=True)
    assert read.stdout.decode() == (
        "1 31 SN-R1 5 12 1000 1900 seat:1 0 0000000000000000 seat:10 7 04a1b2c3d4e5f600"
        " board2:5 4 1122334400000000 burn 7 04a1b2c3d4e5f700 muck 8 e004015012345678"
    )


def test_every_zone_of_a_table_may_be_a_readers() -> None:
    spec = util.spec_from_file_location("settings", SETTINGS)
    assert spec is not None
    assert spec.loader is not None
    module = util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.NAMES == ZONES


@pytest.mark.parametrize(
    ("key", "serial", "zones", "words"),
    [
        (31, "SN-R1", [], "the key has 31 bytes, not 32"),
        (32, "x" * 33, [], "one to 32 printable"),
        (32, "SN-R1", ["seat:1", "seat:1=up"], "each once"),
        (32, "SN-R1", ["a-long-name"], "is no zone"),
        (32, "SN-R1", ["seat:11"], '"seat:11" is no zone: devices/MESSAGES.md has their names'),
        (32, "SN-R1", ["=up"], "is no zone"),
        (32, "SN-R1", sorted(ZONES)[:17], "at most 16 zones"),
        (32, "SN-R1", ["burn=down"], 'burn: "down" is no sticker\'s number'),
        (32, "SN-R1", ["burn="], 'burn: "" is no sticker\'s number'),
        (32, "SN-R1", ["burn=04a1b2c3d4e5"], "give its 4 or 7 bytes"),
        (32, "SN-R1", ["burn=04a1b2c3d4e5f"], "give its 4 or 7 bytes"),
        (32, "SN-R1", ["burn=04a1b2c3d4e5f6a7"], "8 bytes that begin with E0"),
        (32, "SN-R1", ["burn=08a1b2c3"], "is no number of its own: take a sticker whose number stays"),
        (32, "SN-R1", ["burn=88a1b2c3"], "is no number of its own"),
        (32, "SN-R1", ["burn=11223344,11223345"], "an antenna has one sticker"),
        (32, "SN-R1", ["burn=1122334a", "muck=up,11:22:33:4A"], "two zones have one sticker's number"),
        (32, "SN-R1", ["burn=11223344", "muck=11223344556677"], "burn: its number is the beginning of muck's: give"),
        (32, "SN-R1", ["burn=11223344556677", "muck=11223344"], "muck: its number is the beginning of burn's: give"),
        (32, "SN-S1", ["servo=1000"], "two pulses of 500 to 2500 microseconds"),
        (32, "SN-S1", ["servo=1000,2501"], "two pulses of 500 to 2500 microseconds"),
        (32, "SN-S1", ["servo=1000,x"], "two pulses of 500 to 2500 microseconds"),
        (32, "SN-S1", ["servo=1000,1000"], "one place"),
        (32, "SN-S1", ["servo=1000,2000", "servo=1000,2000"], "has one servo"),
    ],
)
def test_settings_that_no_board_could_read_are_refused(
    tmp_path: Path, key: int, serial: str, zones: list[str], words: str
) -> None:
    (tmp_path / "key").write_bytes(bytes(range(key)))
    out = tmp_path / "settings.bin"
    done = subprocess.run(
        [sys.executable, str(SETTINGS), str(tmp_path / "key"), serial, str(out), *zones],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, words in done.stderr) == (2, True), done.stderr
    assert not out.exists()
