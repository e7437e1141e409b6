"""A USB card reader of the vendor class as the kernel sees one: FunctionFS on the simulated controller dummy_hcd.

    python -m hil_tests.guest.usb_reader LINE

LINE is a port on whose other end the device itself is: what the host writes to the bulk endpoint goes there, what comes
from there goes to the host by the interrupt endpoint, a packet at a time. `echo >…/UDC` unplugs it.
"""

import os
import struct
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

VENDOR, PRODUCT, SERIAL = 0x1209, 0xC0DE, "R1"
GADGET: Final = Path("/sys/kernel/config/usb_gadget/reader")
FUNCTION: Final = Path("/run/usb-reader")
CONTROLLER: Final = "dummy_udc.0"
PACKET: Final = 64
_MAGIC_DESCRIPTORS, _MAGIC_STRINGS = 3, 2
_FULL_AND_HIGH_SPEED: Final = 1 | 2


def _interface(*, high_speed: bool) -> bytes:
    interface = struct.pack("<BBBBBBBBB", 9, 4, 0, 0, 2, 0xFF, 0, 0, 1)
    interrupt_in = struct.pack("<BBBBHB", 7, 5, 0x81, 3, PACKET, 4 if high_speed else 1)  # every millisecond
    bulk_out = struct.pack("<BBBBHB", 7, 5, 0x02, 2, 512 if high_speed else 64, 0)
    return interface + interrupt_in + bulk_out


def _tell(name: str, value: str) -> None:
    (GADGET / name).write_text(value, encoding="ascii")


def make() -> int:
    """The gadget, plugged in; the descriptor of its control endpoint, which must stay open."""
    subprocess.run(["modprobe", "-a", "dummy_hcd", "libcomposite", "usb_f_fs"], check=True)
    for folder in ("strings/0x409", "configs/c.1/strings/0x409", "functions/ffs.reader"):
        (GADGET / folder).mkdir(parents=True, exist_ok=True)
    _tell("idVendor", hex(VENDOR))
    _tell("idProduct", hex(PRODUCT))
    _tell("strings/0x409/serialnumber", SERIAL)
    _tell("strings/0x409/product", "Card reader")
    (GADGET / "configs/c.1/ffs.reader").symlink_to(GADGET / "functions/ffs.reader")
    FUNCTION.mkdir(exist_ok=True)
    subprocess.run(["mount", "-t", "functionfs", "reader", str(FUNCTION)], check=True)
    control = os.open(FUNCTION / "ep0", os.O_RDWR)
    body = struct.pack("<II", 3, 3) + _interface(high_speed=False) + _interface(high_speed=True)
    os.write(control, struct.pack("<III", _MAGIC_DESCRIPTORS, 12 + len(body), _FULL_AND_HIGH_SPEED) + body)
    text = struct.pack("<H", 0x409) + b"Reader\0"
    os.write(control, struct.pack("<IIII", _MAGIC_STRINGS, 16 + len(text), 1, 1) + text)
    _tell("UDC", CONTROLLER)
    return control


def _carry(source: int, sink: int, most: int) -> None:
    """Bytes from one to the other for good; what nobody takes while it is unplugged is lost, as on a cable."""
    while True:
        try:
            data = os.read(source, most)
        except OSError:  # unplugged: the endpoint answers again when it is plugged in
            time.sleep(0.05)
            continue
        while data:
            with suppress(OSError):
                os.write(sink, data[:PACKET])
            data = data[PACKET:]


def main() -> None:
    line = os.open(sys.argv[1], os.O_RDWR)
    control = make()
    interrupt_in, bulk_out = os.open(FUNCTION / "ep1", os.O_RDWR), os.open(FUNCTION / "ep2", os.O_RDWR)
    threading.Thread(target=_carry, args=(bulk_out, line, 512), daemon=True).start()
    _carry(line, interrupt_in, 4096)
    os.close(control)


if __name__ == "__main__":
    main()
