"""`uf2.py IMAGE.bin IMAGE.uf2`: what a Pico in its boot loader takes, of the flash from its beginning on."""

import struct
import sys
from pathlib import Path

FLASH = 0x10000000
RP2040 = 0xE48BFF56
PAYLOAD = 256


def blocks(image: bytes) -> bytes:
    """The image in blocks of 512 bytes, each with the place of its 256."""
    count = (len(image) + PAYLOAD - 1) // PAYLOAD
    made = []
    for number in range(count):
        part = image[number * PAYLOAD : (number + 1) * PAYLOAD].ljust(PAYLOAD, b"\0")
        place = FLASH + number * PAYLOAD
        head = struct.pack("<8I", 0x0A324655, 0x9E5D5157, 0x2000, place, PAYLOAD, number, count, RP2040)
        made.append(head + part.ljust(476, b"\0") + struct.pack("<I", 0x0AB16F30))
    return b"".join(made)


if __name__ == "__main__":
    Path(sys.argv[2]).write_bytes(blocks(Path(sys.argv[1]).read_bytes()))
