"""The shoe of docs/own-adapter, its device's end: on a pseudo-terminal, in a thread of its own."""

import os
import select
import threading
import tty
from functools import reduce
from pathlib import Path


class AsciiShoeDevice:
    """A shoe that answers by itself, and does what a test says. `silent`: it is switched off.

    `port` is a link to it, until it is unplugged. The system gives a closed pseudo-terminal's name to the next test
    that opens one: an adapter that looked for the name again would find another test's device."""

    def __init__(self, port: Path, *, serial: str = "SN1042") -> None:
        self._ours, self._theirs = os.openpty()
        tty.setraw(self._theirs)
        port.symlink_to(os.ttyname(self._theirs))
        self.port = port
        self.serial = serial
        self.gates: list[str] = []
        self.gate, self.deck, self.out, self.faults = "0", "-", 0, set[str]()
        self.silent = False
        self._end, self._ending = os.pipe()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def say(self, text: str, *, checksum: str | None = None) -> None:
        """A line, with its own checksum unless another is given."""
        sum_ = f"{reduce(lambda so_far, char: so_far ^ ord(char), text, 0):02X}" if checksum is None else checksum
        if not self.silent:
            os.write(self._ours, f"{text}*{sum_}\r\n".encode())

    def noise(self, data: bytes) -> None:
        os.write(self._ours, data)

    def shuffle(self, deck: str, count: int) -> None:
        self.deck, self.out = deck, 0
        self.say(f"SHUF {deck} {count}")

    def deal(self, *, lost: bool = False) -> None:
        """A card out; lost: the line never reaches the other end."""
        self.out += 1
        if not lost:
            self.say(f"OUT {self.out}")

    def fault(self, short: str) -> None:
        self.faults.add(short)
        self.say(f"FLT {short}")

    def clear(self, short: str) -> None:
        self.faults.discard(short)
        self.say(f"CLR {short}")

    def unplug(self) -> None:
        self.port.unlink()
        os.write(self._ending, b"x")
        self._thread.join(5)
        for descriptor in (self._ours, self._theirs, self._end, self._ending):
            os.close(descriptor)

    def _serve(self) -> None:
        waiting = b""
        while True:
            ready, _, _ = select.select([self._ours, self._end], [], [])
            if self._end in ready:
                return
            waiting += os.read(self._ours, 4096)
            *lines, waiting = waiting.split(b"\r\n")
            for line in lines:
                self._answer(line.decode().rpartition("*")[0])

    def _answer(self, asked: str) -> None:
        if asked == "VER?":
            self.say(f"VER S200 2.4 {self.serial}")
        elif asked == "STA?":
            self.say(f"STA {self.gate} {self.deck} {self.out} {','.join(sorted(self.faults)) or '-'}")
        elif asked.startswith("GATE "):
            self.gate = asked[-1]
            self.gates.append(self.gate)
