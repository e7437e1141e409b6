"""The computer's GPIO chips, as the kernel reports them, and who holds which line.

Nothing is changed and no line is taken. The numbers are those of the kernel's GPIO character device (linux/gpio.h):
chip information, and line information of version 2.
"""

import fcntl
import os
import struct
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from devices.pins.errors import NoChipError, PinBusyError, PinDeniedError, PinError

DEFAULT_LABELS: Final = ("pinctrl-rp1", "pinctrl-bcm2711", "pinctrl-bcm2835")
"""The labels of the header's chip on a Raspberry Pi 5, on a 4, and on earlier ones."""
DEVICES: Final = Path("/dev")

LGPIO: Final = "lg"
"""The consumer name under which lgpio takes a line."""
_CHIP_INFO: Final = 0x8044B401
_CHIP_FORMAT: Final = struct.Struct("=32s32sI")
_LINE_INFO: Final = 0xC100B405
_LINE_SIZE: Final = 256
_LINE_HEAD: Final = struct.Struct("=32s32sIIQ")
_USED: Final = 1

Ask = Callable[[Path, int, bytes], bytes]
"""(device, request, argument) → the kernel's answer; raises OSError."""


@dataclass(frozen=True, slots=True)
class Chip:
    """A chip: its device, its label, and its number of lines."""

    path: Path
    label: str
    lines: int

    @property
    def number(self) -> int:
        """The number in its device's name, which may change at the next start of the computer."""
        return int(self.path.name.removeprefix("gpiochip"))


@dataclass(frozen=True, slots=True)
class LineInfo:
    """A line: its name on the computer's board, and its holder, if any."""

    name: str
    holder: str | None


def ask_kernel(device: Path, request: int, argument: bytes) -> bytes:
    """One request to a GPIO character device. Raises OSError."""
    descriptor = os.open(device, os.O_RDWR | os.O_CLOEXEC)
    try:
        answer = bytearray(argument)
        fcntl.ioctl(descriptor, request, answer)
        return bytes(answer)
    finally:
        os.close(descriptor)


def find_chip(label: str | None, folder: Path = DEVICES, ask: Ask = ask_kernel) -> Chip:
    """The chip of this label; without one, a Raspberry Pi header's.

    Raises NoChipError, PinDeniedError.
    """
    chips: list[Chip] = []
    denied: list[Path] = []
    for path in sorted(folder.glob("gpiochip*")):
        try:
            _, label_bytes, lines = _CHIP_FORMAT.unpack(ask(path, _CHIP_INFO, bytes(_CHIP_FORMAT.size)))
        except PermissionError:
            denied.append(path)
        except OSError:
            continue  # it disappeared, or is not a GPIO chip
        else:
            chips.append(Chip(path, _text(label_bytes), lines))
    wanted = DEFAULT_LABELS if label is None else (label,)
    matching = [chip for known_label in wanted for chip in chips if chip.label == known_label]
    if matching:
        return matching[0]
    if denied:
        raise PinDeniedError(_denied(denied))
    raise NoChipError(_missing(label, chips))


def line_info(chip: Chip, line: int, ask: Ask = ask_kernel) -> LineInfo:
    """The facts about one line. Raises NoChipError, PinDeniedError, PinError."""
    if line >= chip.lines:
        raise NoChipError(f"{chip.label} has no line {line}: its lines are 0 to {chip.lines - 1}")
    argument = bytearray(_LINE_SIZE)
    struct.pack_into("=I", argument, 64, line)
    try:
        name, holder, _, _, flags = _LINE_HEAD.unpack_from(ask(chip.path, _LINE_INFO, bytes(argument)))
    except PermissionError:
        raise PinDeniedError(_denied([chip.path])) from None
    except OSError as fault:
        raise PinError(f"line {line} of {chip.label}: the kernel does not tell of it: {fault.strerror}") from None
    return LineInfo(_text(name), (_text(holder) or "another driver") if flags & _USED else None)


def check_free(chip: Chip, line: int, ask: Ask = ask_kernel) -> None:
    """Raises PinBusyError if the line is held, else as `line_info`."""
    info = line_info(chip, line, ask)
    if info.holder is not None:
        raise busy(chip.label, line, info)


def busy(label: str, line: int, info: LineInfo | None = None) -> PinBusyError:
    """The error for a line that is held."""
    name = f" ({info.name})" if info is not None and info.name else ""
    holder = f': "{info.holder}" holds it' if info is not None and info.holder else ""
    if info is not None and info.holder == LGPIO:
        holder += " (a program over lgpio: feltd itself, if it runs)"
    return PinBusyError(
        f"line {line}{name} of {label} is busy{holder}",
        "end the program, or take out the overlay in config.txt, that uses it (gpioinfo shows which), or wire to "
        "another line",
    )


def _missing(label: str | None, chips: Iterable[Chip]) -> str:
    there = ", ".join(f"{chip.label} ({chip.path.name})" for chip in chips) or "none"
    wanted = "no GPIO chip of a Raspberry Pi's header" if label is None else f'no GPIO chip has the label "{label}"'
    return f"{wanted}; there are: {there}. Write the right one at [pins] chip"


def _denied(paths: Iterable[Path]) -> str:
    names = ", ".join(str(path) for path in paths)
    return (
        f"this user may not use {names}; add it to the group gpio (usermod -aG gpio USER), or install feltd's udev "
        "rule, which gives the chips to the group feltd"
    )


def _text(raw: bytes) -> str:
    return raw.split(b"\0", 1)[0].decode("utf-8", "replace")
