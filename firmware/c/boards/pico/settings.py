"""The last sector but one of a Pico's flash: key, serial number, zones of a reader, the servo of a shoe's gate.

    python3 settings.py reader.key SN-R1 settings.bin seat:1 seat:2 board:1=up
    python3 settings.py shoe.key SN-S1 settings.bin servo=1000,1900        # locked, open: pulses in microseconds
    picotool load -o 0x101FE000 settings.bin        # a Pico; of a Pico 2: 0x103FE000

The file has the key in clear: make it where the key lies, and delete it once it is loaded. It needs nothing but Python.
"""

import os
import struct
import sys

LAYOUT = "<I32s33sBH144sHH"  # as board_pico.h has it
MARK, SECTOR = 0x31746C66, 4096
NO_SERVO = (0xFFFF, 0xFFFF)
PULSES = range(500, 2501)  # microseconds, as servo.h has it
ZONES_MOST, NAME_MOST, SERIAL_MOST, KEY_BYTES = 16, 8, 32, 32


def sector(key, serial, zones, servo=NO_SERVO):
    """The bytes of the sector. `zones`: names, `NAME=up` where cards lie face up. Raises ValueError."""
    if len(key) != KEY_BYTES:
        raise ValueError(f"the key has {len(key)} bytes, not {KEY_BYTES}: take the file that feltd has for the device")
    if not 0 < len(serial) <= SERIAL_MOST or not (serial.isascii() and serial.isprintable()):
        raise ValueError(f"the serial number must be one to {SERIAL_MOST} printable characters of ASCII")
    names = [zone.removesuffix("=up") for zone in zones]
    if len(names) > ZONES_MOST or len(set(names)) < len(names):
        raise ValueError(f"give at most {ZONES_MOST} zones, each once")
    for name in names:
        if not 0 < len(name) <= NAME_MOST or not name.isascii():
            raise ValueError(f'"{name}" is no zone: devices/MESSAGES.md has their names')
    up = sum(1 << place for place, zone in enumerate(zones) if zone.endswith("=up"))
    table = b"".join(name.encode().ljust(NAME_MOST + 1, b"\0") for name in names)
    return struct.pack(LAYOUT, MARK, key, serial.encode(), len(names), up, table, *servo).ljust(SECTOR, b"\xff")


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
