"""Whether an image of the reference firmware is closed: no console, no USB device, nothing that runs what it gets.

`python -m tests.firmware.closed_image IMAGE` (.bin, .uf2 or .elf) names each mark of one that is not, with its place
(status 1); status 2 is for a file that is no image of this firmware, of which nothing can be said. A mark proves that
something is there. Without one an image that `firmware/micropython/closed/build` or `firmware/c/boards/pico` has built
has none, since nothing hides its parts. It is no proof of an image whose maker wants it to look so: that is what
signing is for.
"""

import argparse
import re
import struct
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_UF2: Final = (0x0A324655, 0x9E5D5157, 0x0AB16F30)
"""The three words that each block of a UF2 file has."""
_UF2_BLOCK: Final = 512
_NOT_MAIN_FLASH: Final = 0x1
"""A block's flag: it goes elsewhere."""
OURS: Final = re.compile(rb"feltd-(?:mpy|c) \d+\.\d+")
"""How the firmware calls itself in a hello."""


@dataclass(frozen=True, slots=True)
class Mark:
    """What an open image has in it. `of`: the part that it shows."""

    of: str
    pattern: re.Pattern[bytes]


MARKS: Final = (
    Mark("a console (its words)", re.compile(re.escape(b"raw REPL; CTRL-B to exit"))),
    Mark("a console (its words)", re.compile(re.escape(b"paste mode; Ctrl-C to cancel"))),
    Mark("a console (its words)", re.compile(re.escape(b'Type "help()" for more information'))),
    Mark("a console on USB (what picotool reads)", re.compile(rb"USB REPL\0")),
    Mark("a console on a UART (what picotool reads)", re.compile(rb"UART REPL\0")),
    Mark("what runs source (a builtin)", re.compile(rb"\0execfile\0")),
    Mark("a USB device (its descriptor)", re.compile(rb"\x12\x01[\x00\x10]\x02[\x00\x02\xef]..\x40", re.DOTALL)),
    Mark("mass storage (its interface)", re.compile(rb"\x09\x04..[\x01-\x04]\x08\x06\x50", re.DOTALL)),
    Mark("mass storage (its answer to an inquiry)", re.compile(rb"MicroPy\0|Mass Storage")),
    Mark("a serial port on USB (its interface)", re.compile(rb"\x09\x04..[\x01-\x04]\x02\x02[\x00\x01]", re.DOTALL)),
    Mark(
        "a reset into the boot loader by USB (its interface)", re.compile(rb"\x09\x04.\x00\x00\xff\x00\x01", re.DOTALL)
    ),
)


class NoImageError(ValueError):
    """A file of which nothing can be said, and why."""


def flash_of(file: bytes) -> bytes:
    """The bytes for the flash: of a UF2 file its blocks' in the order of their addresses, of others all that they have.

    Raises NoImageError for a UF2 file that is broken.
    """
    if file[:4] != struct.pack("<I", _UF2[0]):
        return file
    if len(file) % _UF2_BLOCK:
        raise NoImageError(f"a UF2 file of {len(file)} bytes: it is cut off, for its blocks have {_UF2_BLOCK}")
    parts: dict[int, bytes] = {}
    for at in range(0, len(file), _UF2_BLOCK):
        first, second, flags, address, length = struct.unpack_from("<5I", file, at)
        last = struct.unpack_from("<I", file, at + _UF2_BLOCK - 4)[0]
        if (first, second, last) != _UF2 or length > _UF2_BLOCK - 36:
            raise NoImageError(f"byte {at}: no block of a UF2 file")
        if flags & _NOT_MAIN_FLASH:
            continue
        if address in parts:
            raise NoImageError(f"two blocks of a UF2 file for address {address:#x}")
        parts[address] = file[at + 32 : at + 32 + length]
    joined = b""
    begin = min(parts, default=0)
    for address in sorted(parts):
        if address < begin + len(joined):
            raise NoImageError(f"two blocks of a UF2 file lie over each other at {address:#x}")
        joined = joined.ljust(address - begin, b"\xff") + parts[address]
    return joined


def open_parts(file: bytes) -> list[str]:
    """What an image has that a closed one has not, with where; empty for a closed one. Raises NoImageError."""
    flash = flash_of(file)
    if OURS.search(flash) is None:
        raise NoImageError("no image of this firmware: it says neither feltd-mpy nor feltd-c, as each hello of it does")
    return [
        f"byte {found.start():#x}: {mark.of}" for mark in MARKS if (found := mark.pattern.search(flash)) is not None
    ]


def main() -> int:
    """0: closed; 1: it is not; 2: nothing can be said."""
    parser = argparse.ArgumentParser(prog="python -m tests.firmware.closed_image", description=__doc__)
    parser.add_argument("image", type=Path)
    image = parser.parse_args().image
    try:
        found = open_parts(image.read_bytes())
    except (OSError, NoImageError) as fault:
        print(f"{image}: {fault}", file=sys.stderr)
        return 2
    for line in found:
        print(f"{image}: {line}")
    if not found:
        print(f"{image}: no mark of a console, of a USB device or of what runs source")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
