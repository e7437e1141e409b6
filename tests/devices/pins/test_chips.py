"""Chips by their label, lines and who holds them: asked of a kernel that is played here."""

import struct
from pathlib import Path

import pytest

from devices.pins.chips import Ask, check_free, find_chip, line_info
from devices.pins.errors import NoChipError, PinBusyError, PinDeniedError, PinError
from firmware_bridge.errors import FaultCode

CHIP_INFO, LINE_INFO = 0x8044B401, 0xC100B405


def kernel(chips: dict[str, str], *, denied: tuple[str, ...] = (), held: dict[int, str] | None = None) -> Ask:
    """A kernel with these chips (device → label), of 54 lines each, and who holds which line."""

    def ask(device: Path, request: int, argument: bytes) -> bytes:
        if device.name in denied:
            raise PermissionError(13, "Permission denied")
        if request == CHIP_INFO:
            return struct.pack("=32s32sI", device.name.encode(), chips[device.name].encode(), 54)
        assert (request, len(argument)) == (LINE_INFO, 256)
        (line,) = struct.unpack_from("=I", argument, 64)
        holder = (held or {}).get(line)
        flags = 0 if holder is None else 1
        return struct.pack("=32s32sIIQ", f"GPIO{line}".encode(), (holder or "").encode(), line, 0, flags).ljust(256)

    return ask


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("gpiochip0", "gpiochip4", "gpiochip10"):
        (tmp_path / name).touch()
    return tmp_path


LABELS = {"gpiochip0": "pinctrl-rp1", "gpiochip4": "brcmvirt", "gpiochip10": "gpio-brcmstb"}


def test_a_chip_is_found_by_its_label_whatever_its_number(folder: Path) -> None:
    chip = find_chip("gpio-brcmstb", folder, kernel(LABELS))
    assert (chip.path.name, chip.number, chip.lines) == ("gpiochip10", 10, 54)


@pytest.mark.parametrize("label", ["pinctrl-rp1", "pinctrl-bcm2711", "pinctrl-bcm2835"])
def test_without_a_label_it_is_that_of_a_raspberry_pis_header(folder: Path, label: str) -> None:
    chip = find_chip(None, folder, kernel(LABELS | {"gpiochip0": "other", "gpiochip4": label}))
    assert (chip.label, chip.number) == (label, 4)


def test_no_such_chip_names_those_that_there_are(folder: Path) -> None:
    with pytest.raises(NoChipError, match=r'"pinctrl-rp2".*pinctrl-rp1 \(gpiochip0\).*Write the right one') as error:
        find_chip("pinctrl-rp2", folder, kernel(LABELS))
    assert error.value.fault.code is FaultCode.PORT_MISSING
    with pytest.raises(NoChipError, match="there are: none"):
        find_chip(None, folder / "empty", kernel({}))


def test_a_chip_that_may_not_be_used_is_told_with_the_remedy(folder: Path) -> None:
    denied = ("gpiochip0", "gpiochip4", "gpiochip10")
    with pytest.raises(PinDeniedError, match="group gpio") as error:
        find_chip(None, folder, kernel(LABELS, denied=denied))
    assert error.value.fault.code is FaultCode.PORT_DENIED
    assert find_chip(None, folder, kernel(LABELS, denied=("gpiochip10",))).number == 0  # another's affair


def test_a_line_that_is_held_is_named_with_its_holder(folder: Path) -> None:
    ask = kernel(LABELS, held={17: "spi0 CS0", 18: ""})
    chip = find_chip(None, folder, ask)
    check_free(chip, 4, ask)
    assert line_info(chip, 4, ask).name == "GPIO4"
    with pytest.raises(PinBusyError, match=r'line 17 \(GPIO17\) of pinctrl-rp1 is busy: "spi0 CS0" holds it') as error:
        check_free(chip, 17, ask)
    assert error.value.fault.code is FaultCode.PORT_BUSY
    with pytest.raises(PinBusyError, match='"another driver" holds it'):
        check_free(chip, 18, ask)
    with pytest.raises(PinBusyError, match=r'"lg" holds it \(a program over lgpio: feltd itself, if it runs\)'):
        check_free(chip, 19, kernel(LABELS, held={19: "lg"}))


def test_a_line_that_the_chip_does_not_have_is_told(folder: Path) -> None:
    chip = find_chip(None, folder, kernel(LABELS))
    with pytest.raises(NoChipError, match="has no line 54: its lines are 0 to 53"):
        check_free(chip, 54, kernel(LABELS))


def test_what_the_kernel_does_not_tell_is_an_error(folder: Path) -> None:
    chip = find_chip(None, folder, kernel(LABELS))

    def gone(_device: Path, _request: int, _argument: bytes) -> bytes:
        raise OSError(19, "No such device")

    with pytest.raises(PinError, match="line 3 of pinctrl-rp1: the kernel does not tell of it: No such device"):
        line_info(chip, 3, gone)
    with pytest.raises(PinDeniedError):
        line_info(chip, 3, kernel(LABELS, denied=("gpiochip0",)))
    with pytest.raises(NoChipError):
        find_chip(None, folder, gone)
