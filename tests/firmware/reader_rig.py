"""A reader chip's driver on a model of the chip: `firmware/c/models/check_readers.c`, worked by lines."""

import os
import random
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from tests.firmware.support import FIRMWARE

TYPE_A = ["04a1b2c3d4e5f6", "04a1b2c3d4e5f7", "04a1b2c3d4e5f5", "05a1b2c3d4e5f4", "11223344", "11223345"]
VICINITY = [f"e0040150{serial}" for serial in ("12345678", "12345679", "12345578", "12345778", "92345678", "1111aaaa")]


@dataclass(frozen=True)
class Scan:
    """How one look at a zone ended. Times are microseconds of the model's clock."""

    ended: str
    took: int
    longest: int
    torn: int
    strangers: int
    exchanges: int
    collisions: int
    cards: tuple[str, ...]
    own: int = 0  # microseconds of this machine that a driver which is interpreted took


class Rig:
    """A driver on a modelled chip. Use it as a context: its process ends with it."""

    def __init__(self, program: Path, chip: str) -> None:
        self.chip = chip
        self._process = self._started([str(program), chip])

    def _started(self, command: list[str]) -> subprocess.Popen[str]:
        return subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_ignored: object) -> None:
        _told, complaints = self._process.communicate()
        assert (self._process.returncode, complaints) == (0, "")

    def say(self, *lines: str) -> None:
        """See `check_readers.c`."""
        assert self._process.stdin is not None
        self._process.stdin.write("".join(f"{line}\n" for line in lines))
        self._process.stdin.flush()

    @property
    def six(self) -> list[str]:
        """Cards of the kind that the driver reads, some with most of their number in common."""
        return VICINITY if self.vicinity else TYPE_A

    @property
    def vicinity(self) -> bool:
        return self.chip.endswith("15693")

    def lay(self, *uids: str) -> None:
        self.say(*(f"{'lay15' if self.vicinity else 'lay'} {uid}" for uid in uids))

    def take(self, *uids: str) -> None:
        self.say(*(f"take {uid}" for uid in uids))

    def scan(self) -> Scan:
        """One look at the zone."""
        self.say("scan")
        assert self._process.stdout is not None
        ended, *fields = self._process.stdout.readline().rstrip("\n").split(" ")
        found = dict(field.split("=") for field in fields)
        cards = tuple(uid for uid in found.pop("cards").split(",") if uid)
        own = int(found.pop("own", 0))
        us, longest, torn, strangers, exchanges, collisions = (int(value) for value in found.values())
        return Scan(ended, us, longest, torn, strangers, exchanges, collisions, cards, own)


@contextmanager
def modelled(model: list[str], folder: Path) -> Iterator[list[str]]:
    """A program of models at work behind two pipes: their paths, for the driver that opens both."""
    pipes = [folder / "to-model", folder / "from-model"]
    for pipe in pipes:
        os.mkfifo(pipe)
    ends = [os.open(pipe, os.O_RDWR) for pipe in pipes]  # both ways: neither side waits for the other one to open
    process = subprocess.Popen(model, stdin=ends[0], stdout=ends[1], stderr=subprocess.PIPE, text=True)
    try:
        yield [str(pipe) for pipe in pipes]
    finally:
        for end in ends:
            os.close(end)
        process.kill()
        _told, complaints = process.communicate()
        assert complaints == ""


class MicroRig(Rig):
    """The driver in MicroPython on the same models."""

    def __init__(self, interpreter: str, pipes: list[str], chip: str) -> None:
        """`pipes`: of `modelled`."""
        self.chip = chip
        script = FIRMWARE / "micropython" / "check_pn532.py"
        self._process = self._started([interpreter, "-X", "heapsize=192k", str(script), *pipes])


def build(folder: Path, *, checked: bool, program: str = "check_readers") -> Path:
    """The program; `checked`: with the compiler's checks of addresses and arithmetic."""
    flags = "-O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all" if checked else "-Os"
    command = ["make", "-s", "-C", str(FIRMWARE / "c"), f"{folder}/{program}", f"BUILD={folder}"]
    done = subprocess.run([*command, f"CFLAGS={flags}", "LDFLAGS="], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / program


def a_pile(chance: random.Random, count: int, *, vicinity: bool = False) -> list[str]:
    """Cards of one pack: their numbers have most bits in common, as numbers of one lot do, or few."""
    lot, pile = chance.randbytes(3).hex(), set[str]()
    while len(pile) < count:
        serial = f"{chance.randrange(64):02x}" if chance.random() < 0.7 else chance.randbytes(1).hex()
        kinds = [f"04{lot}{serial}5c80", f"04{lot}66{serial}81", f"e4{lot[:4]}{serial}", f"71{serial}f1a2"]
        of_15693 = [f"e00401{lot}{serial}80", f"e00401{lot}81{serial}", f"e00401{serial}{lot}82"]
        pile.add(chance.choice(of_15693 if vicinity else kinds))
    return sorted(pile)
