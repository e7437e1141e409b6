"""The closed image of the Pico's firmware: what it is made of, and what says of an image that it is none."""

import ast
import re
import struct
from importlib import util
from pathlib import Path

import pytest

from tests.firmware import closed_image
from tests.firmware.closed_image import NoImageError, flash_of, open_parts
from tests.firmware.support import FIRMWARE

SOURCES = FIRMWARE / "micropython"
CLOSED = SOURCES / "closed"
OURS = b"\0feltd-mpy 1.0\0"
DEVICE = bytes.fromhex("12010002ef020140 8a2e0500 0001 010203 01")
"""MicroPython's own descriptor of its USB device."""
STORAGE = bytes.fromhex("0904020002 08065000")
SERIAL = bytes.fromhex("0904000001 02020000")
RESET = bytes.fromhex("0904020000 ff000100")


def blocks(image: bytes) -> bytes:
    """As the maker of UF2 files beside the build makes them."""
    spec = util.spec_from_file_location("uf2", CLOSED / "uf2.py")
    assert spec is not None
    assert spec.loader is not None
    module = util.module_from_spec(spec)
    spec.loader.exec_module(module)
    made: bytes = module.blocks(image)
    return made


@pytest.mark.parametrize(
    ("part", "of"),
    [
        (b"raw REPL; CTRL-B to exit\r\n>", "a console (its words)"),
        (b"paste mode; Ctrl-C to cancel, Ctrl-D to finish", "a console (its words)"),
        (b'Type "help()" for more information.\r\n', "a console (its words)"),
        (b"USB REPL\0", "a console on USB"),
        (b"UART REPL\0", "a console on a UART"),
        (b"\0execfile\0", "what runs source"),
        (DEVICE, "a USB device"),
        (STORAGE, "mass storage"),
        (b"MicroPy\0Mass Storage", "mass storage"),
        (SERIAL, "a serial port on USB"),
        (RESET, "a reset into the boot loader by USB"),
    ],
)
def test_each_part_that_a_closed_image_has_not_is_named_with_its_place(part: bytes, of: str) -> None:
    image = bytes(300) + OURS + bytes(5) + part + bytes(40)
    [found] = open_parts(image)
    assert of in found
    place = re.match(r"byte (0x[0-9a-f]+): ", found)
    assert place is not None
    assert abs(int(place[1], 16) - image.index(part)) <= len(part)
    assert open_parts(blocks(image)) == open_parts(image)


def test_an_image_without_them_is_closed_and_what_is_no_image_of_ours_is_nothing() -> None:
    assert open_parts(bytes(300) + OURS + bytes(range(256))) == []
    with pytest.raises(NoImageError, match="no image of this firmware"):
        open_parts(bytes(9000))


def test_a_mark_that_lies_over_two_blocks_is_found() -> None:
    words = b"raw REPL; CTRL-B to exit"
    image = OURS.ljust(256 - 9, b"\0") + words + bytes(99)
    assert len(open_parts(blocks(image))) == 1


def test_a_uf2_file_is_the_flash_in_the_order_of_its_addresses() -> None:
    image = bytes(range(256)) * 3
    file = blocks(image)
    assert flash_of(file) == image
    assert flash_of(file[512:1024] + file[1024:] + file[:512]) == image
    elsewhere = bytearray(file[:512])
    struct.pack_into("<I", elsewhere, 8, 0x2001)
    assert flash_of(file + bytes(elsewhere)) == image


@pytest.mark.parametrize("broken", ["cut", "magic", "length", "twice"])
def test_a_broken_uf2_file_is_no_closed_image(broken: str) -> None:
    file = bytearray(blocks(OURS + bytes(600)))
    if broken == "cut":
        del file[-1:]
    elif broken == "magic":
        file[512 + 4] ^= 1
    elif broken == "length":
        struct.pack_into("<I", file, 512 + 16, 500)
    else:
        file += file[:512]
    with pytest.raises(NoImageError):
        open_parts(bytes(file))


def test_the_command_says_so_by_its_status(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "image.bin"
    for content, status, words in (
        (OURS, 0, "no mark of a console"),
        (OURS + STORAGE, 1, "mass storage"),
        (b"else", 2, "no image of this firmware"),
    ):
        file.write_bytes(content)
        monkeypatch.setattr("sys.argv", ["closed_image", str(file)])
        assert closed_image.main() == status
        said = capsys.readouterr()
        assert words in said.out + said.err
    monkeypatch.setattr("sys.argv", ["closed_image", str(tmp_path / "none")])
    assert closed_image.main() == 2


# -- what it is built of


def frozen() -> set[str]:
    """The names of the firmware's files that the manifest freezes."""
    tree = ast.parse((CLOSED / "manifest.py").read_text(encoding="utf-8"))
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    [ours] = [call for call in calls if ast.literal_eval(call.args[0]) == "$(BOARD_DIR)/.."]
    return set(ast.literal_eval(ours.args[1]))


def test_the_manifest_freezes_all_that_a_device_runs_and_nothing_of_a_desk() -> None:
    there = {file.name for file in SOURCES.glob("*.py")}
    of_a_desk = {
        "board_pty.py",
        "chacha_plain.py",
        "check_heap.py",
        "check_pn532.py",
        "check_vectors.py",
        "model_bus.py",
    }
    assert frozen() == there - of_a_desk


def test_each_switch_that_would_open_it_is_off() -> None:
    board = (CLOSED / "mpconfigboard.h").read_text(encoding="utf-8")
    more = (CLOSED / "closed.h").read_text(encoding="utf-8")
    values = dict(re.findall(r"^#define (\w+) \((\d)\)$", board + more, re.MULTILINE))
    assert set(values.values()) == {"0"}
    assert {
        "MICROPY_HW_ENABLE_USBDEV", "MICROPY_HW_USB_CDC", "MICROPY_HW_USB_MSC", "MICROPY_HW_ENABLE_UART_REPL",
        "MICROPY_ENABLE_COMPILER", "MICROPY_PERSISTENT_CODE_LOAD", "MICROPY_PY_OS_DUPTERM",
    } <= values.keys()  # fmt: skip
