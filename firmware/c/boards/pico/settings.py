"""The last sector but one of a Pico's flash: key, serial number, zones of a reader, the servo of a shoe's gate.

    python3 settings.py reader.key SN-R1 settings.bin seat:1 seat:2 board:1=up
    python3 settings.py reader.key SN-R1 settings.bin seat:1=04:A1:B2:C3:D4:E5:F6 board:1=up,04A1B2C3D4E5F7
    python3 settings.py shoe.key SN-S1 settings.bin servo=1000,1900        # locked, open: pulses in microseconds
    picotool load -o 0x101FE000 settings.bin        # a Pico; of a Pico 2: 0x103FE000

A zone has `up` where its cards lie face up, and the number of its antenna's sticker, as a phone shows it.
The file has the key in clear: make it where the key lies, and delete it once it is loaded. It needs nothing but Python.
"""

import os
import re
import struct
import sys
from collections import namedtuple
from itertools import permutations

LAYOUT = "<I32s33sBH144sHH144s"  # as board_pico.h has it
MARK, SECTOR = 0x31746C66, 4096
NO_SERVO = (0xFFFF, 0xFFFF)
STAYS_OPEN = "servo=: without power this gate stays where it was, open too. A solenoid with its spring locks"
PULSES = range(500, 2501)  # microseconds, as servo.h has it
NAMES = {"dealer", "burn", "muck", "shoe", *(f"{row}:{place}" for row in ("board", "board2") for place in range(1, 6))}
NAMES |= {f"{row}:{place}" for row in ("seat", "race") for place in range(1, 11)}  # devices/MESSAGES.md, zone
ZONES_MOST, NAME_MOST, SERIAL_MOST, KEY_BYTES = 16, 8, 32, 32
NUMBER_SPACE, NUMBER_BYTES = 8, (4, 7, 8)  # as finder.h has it
PAIRS = re.compile("[0-9A-Fa-f]{2}(:?[0-9A-Fa-f]{2})*")
VICINITY = 0xE0  # how a number of eight bytes begins (ISO/IEC 15693-3)
CHANGING, CASCADE = 0x08, 0x88  # how a number of four bytes begins that a phone throws, or that is half of a longer one

Zone = namedtuple("Zone", "name up number")


def number_of(said, name):
    """The number of the sticker on the antenna of the zone `name`. Raises ValueError."""
    number = bytes.fromhex(said.replace(":", "")) if PAIRS.fullmatch(said) else b""
    if len(number) not in NUMBER_BYTES or (len(number) == NUMBER_BYTES[-1] and number[0] != VICINITY):
        raise ValueError(
            f'{name}: "{said}" is no sticker\'s number: give its 4 or 7 bytes in hexadecimal digits, 04:A1:… '
            "(8 bytes that begin with E0 for a reader of ISO/IEC 15693)"
        )
    if len(number) == NUMBER_BYTES[0] and number[0] in (CHANGING, CASCADE):
        raise ValueError(
            f"{name}: {said} is no number of its own: take a sticker whose number stays, NTAG213 for instance"
        )
    return number


def zone_of(said):
    """A zone, from `NAME` or `NAME=` with `up`, a sticker's number, or both. Raises ValueError."""
    name, has_more, more = said.partition("=")
    if name not in NAMES:
        raise ValueError(f'"{name}" is no zone: devices/MESSAGES.md has their names')
    words = more.split(",") if has_more else []
    numbers = [number_of(word, name) for word in words if word != "up"]
    if len(numbers) > 1:
        raise ValueError(f"{name}: an antenna has one sticker")
    return Zone(name, "up" in words, b"".join(numbers))


def sector(key, serial, zones, servo=NO_SERVO):
    """The bytes of the sector. `zones`: as `zone_of` takes them. Raises ValueError."""
    if len(key) != KEY_BYTES:
        raise ValueError(f"the key has {len(key)} bytes, not {KEY_BYTES}: take the file that feltd has for the device")
    if not 0 < len(serial) <= SERIAL_MOST or not (serial.isascii() and serial.isprintable()):
        raise ValueError(f"the serial number must be one to {SERIAL_MOST} printable characters of ASCII")
    zones = [zone_of(said) for said in zones]
    if len(zones) > ZONES_MOST or len({zone.name for zone in zones}) < len(zones):
        raise ValueError(f"give at most {ZONES_MOST} zones, each once")
    fixed = [zone.number for zone in zones if zone.number]
    if len(set(fixed)) < len(fixed):
        raise ValueError("two zones have one sticker's number: read each sticker on its own antenna")
    for zone, other in permutations([zone for zone in zones if zone.number], 2):
        if other.number.startswith(zone.number):
            raise ValueError(
                f"{zone.name}: its number is the beginning of {other.name}'s: give the whole number of each"
            )
    up = sum(1 << place for place, zone in enumerate(zones) if zone.up)
    names = b"".join(zone.name.encode().ljust(NAME_MOST + 1, b"\0") for zone in zones)
    stickers = b"".join(zone.number.ljust(NUMBER_SPACE, b"\0") + bytes([len(zone.number)]) for zone in zones)
    content = struct.pack(LAYOUT, MARK, key, serial.encode(), len(zones), up, names, *servo, stickers)
    return content.ljust(SECTOR, b"\xff")


def places(said):
    """The two places of a servo, from `locked,open`. Raises ValueError."""
    pulses = said.split(",")
    if len(pulses) != 2 or not all(pulse.isdecimal() and int(pulse) in PULSES for pulse in pulses):
        raise ValueError(f"servo={said}: give two pulses of {PULSES[0]} to {PULSES[-1]} microseconds, locked and open")
    if len({int(pulse) for pulse in pulses}) < 2:
        raise ValueError(f"servo={said}: locked and open are one place")
    return tuple(int(pulse) for pulse in pulses)


def main(arguments):
    """Write the file; the status for the shell."""
    if len(arguments) < 3:
        print(__doc__)
        return 2
    key_file, serial, out, *rest = arguments
    zones = [one for one in rest if not one.startswith("servo=")]
    try:
        servo = [places(one.removeprefix("servo=")) for one in rest if one not in zones]
        if len(servo) > 1:
            raise ValueError("a shoe has one servo")
        if servo:
            print(STAYS_OPEN, file=sys.stderr)
        with open(key_file, "rb") as file:
            content = sector(file.read(), serial, zones, *servo)
        with open(os.open(out, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            file.write(content)
    except (OSError, ValueError) as fault:
        print(fault, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
