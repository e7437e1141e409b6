"""A serial line's speed for pseudo-terminals, in a process of its own: `python -m tests.bench.paced_wire BAUD PATH …`.

A pseudo-terminal carries bytes at once. This program opens each PATH as a host would, and makes another terminal for
the host. What is written at one end comes out at the other when a line of BAUD would have carried it: ten bits a byte
(a start bit, eight of data, a stop bit), one byte after the other, both ways at once. A frame comes out as a whole with
its last byte. Prints the new paths as one JSON line, and ends with its input.
"""

import json
import os
import sys
import threading
import time
import tty
from typing import Final

BITS: Final = 10
"""On the line for a byte."""
_AT_ONCE: Final = 4096
_END: Final = b"\0"
"""Of a frame."""


def seconds(count: int, baud: int) -> float:
    """How long a line needs for so many bytes."""
    return count * BITS / baud


def parts(data: bytes) -> list[bytes]:
    """The frames in some bytes, each with its end; a piece without one is by itself."""
    found = [piece + _END for piece in data.split(_END)]
    found[-1] = found[-1][:-1]
    return [piece for piece in found if piece]


def _carry(source: int, target: int, baud: int) -> None:
    free = 0.0
    while True:
        try:
            data = os.read(source, _AT_ONCE)
        except OSError:
            return  # the end of it was closed
        now = time.monotonic()
        free = max(free, now)
        for part in parts(data):
            free += seconds(len(part), baud)
            wait = free - time.monotonic()
            if wait > 0:
                time.sleep(wait)
            os.write(target, part)


def main() -> None:
    """The program."""
    baud = int(sys.argv[1])
    made = []
    for path in sys.argv[2:]:
        device = os.open(path, os.O_RDWR | os.O_NOCTTY)
        host, slave = os.openpty()
        tty.setraw(slave)  # before a byte passes: no echo, no line editing
        made.append(os.ttyname(slave))
        for source, target in ((device, host), (host, device)):
            threading.Thread(target=_carry, args=(source, target, baud), daemon=True).start()
    sys.stdout.write(json.dumps(made) + "\n")
    sys.stdout.flush()
    sys.stdin.read()
    os._exit(0)  # its threads wait for bytes


if __name__ == "__main__":
    main()
