"""The clock of the day of a Go program, moved while it runs: Go asks the kernel's own page (vDSO), and no library.

Nothing can be preloaded into such a program. So the function on that page is written over, in its process alone: it
asks the kernel by a system call, and adds what the clock shall differ by. Other clocks, with which programs wait, stay
as they are. Processors of x86-64 alone.
"""

import os
import platform
import signal
import struct
from pathlib import Path
from typing import Final

CAN: Final = platform.machine() == "x86_64"
_SECONDS_MOST: Final = 2**31 - 1


class ThreadInTheWayError(Exception):
    """A thread reads the clock at this moment: try again."""


def move_clock_of(pid: int, seconds: int) -> None:
    """Have the clock of the day of a process differ from the machine's by so much from now on. As root.

    Raises ThreadInTheWayError, and AssertionError where the page is not as it is known.
    """
    assert abs(seconds) <= _SECONDS_MOST
    begins, ends = _page_of(pid)
    os.kill(pid, signal.SIGSTOP)
    try:
        with Path(f"/proc/{pid}/mem").open("r+b", buffering=0) as memory:
            memory.seek(begins)
            at = begins + function_at(memory.read(ends - begins), b"__vdso_clock_gettime")
            for thread in Path(f"/proc/{pid}/task").iterdir():
                if begins <= _is_at(thread) < ends:
                    raise ThreadInTheWayError
            memory.seek(at)
            memory.write(code(seconds))
    finally:
        os.kill(pid, signal.SIGCONT)


def code(seconds: int) -> bytes:
    """In place of clock_gettime(edi, *rsi): the system call, and for CLOCK_REALTIME so many seconds more."""
    return bytes.fromhex("b8e40000000f0585ff7507488106") + struct.pack("<i", seconds) + b"\xc3"


def function_at(image: bytes, name: bytes) -> int:
    """Where a function begins in a shared object of 64 bits that is mapped whole. Raises AssertionError."""
    assert image[:5] == b"\x7fELF\x02"
    table, entry, many = *struct.unpack_from("<Q", image, 0x28), *struct.unpack_from("<HH", image, 0x3A)
    sections = [struct.unpack_from("<IIQQQQIIQQ", image, table + n * entry) for n in range(many)]
    for _, kind, _, _, offset, size, link, *_ in sections:
        if kind == 11:  # SHT_DYNSYM
            names = sections[link][4]
            for at in range(offset, offset + size, 24):
                named, _, _, _, value, _ = struct.unpack_from("<IBBHQQ", image, at)
                if image[names + named :].split(b"\0", 1)[0] == name:
                    return int(value)
    raise AssertionError(f"the page has no {name.decode()}")


def _page_of(pid: int) -> tuple[int, int]:
    for line in Path(f"/proc/{pid}/maps").read_text(encoding="ascii").splitlines():
        if line.endswith("[vdso]"):
            begins, ends = line.split()[0].split("-")
            return int(begins, 16), int(ends, 16)
    raise AssertionError(f"process {pid} has no page of the kernel's")


def _is_at(thread: Path) -> int:
    """The address at which a stopped thread goes on; 0 for one that the kernel does not tell of."""
    told = (thread / "syscall").read_text(encoding="ascii").split()
    return int(told[-1], 16) if len(told) > 1 else 0
