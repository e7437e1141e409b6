"""The drivers of reader chips on emulated cores, the chips modelled: each answer is the one that a PC's build gives."""

import random
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.firmware.bare_cores import CORES, Core
from tests.firmware.reader_rig import TYPE_A, VICINITY, a_pile, build
from tests.firmware.test_c import has_sanitizers

CHIPS = ["mfrc522", "mfrc522-i2c", "pn532-uart", "pn532-i2c", "pn532-spi", "pn5180-a", "pn5180-15693"]
READINGS = {
    "mfrc522": ["counts-align", "no-position"],
    "pn532": ["counts-align", "no-position", "keeps-collided"],
    "pn5180": ["counts-from-one"],
}
"""What the data sheets leave open."""
ENDS = {"whole", "unread", "no-antenna", "no-chip"}
HANGS = 600  # seconds; the slowest run takes some four of a processor of its own
QEMU = ["-display", "none", "-monitor", "none", "-serial", "none", "-semihosting-config"]

pytestmark = pytest.mark.skipif(
    shutil.which("cc") is None or shutil.which("make") is None, reason="no C compiler: see .ci/run"
)


@dataclass(frozen=True, slots=True)
class Script:
    """What lies on a chip's antenna and goes wrong there, as lines for `check_readers.c`."""

    chip: str

    @property
    def vicinity(self) -> bool:
        return self.chip.endswith("15693")

    @property
    def six(self) -> list[str]:
        return VICINITY if self.vicinity else TYPE_A

    def lines(self) -> list[str]:
        """Every way in which a scan ends is in it."""
        parts = [
            self._six_cards(), self._torn_frames(), self._a_chip_that_fails(), self._power_lost(),
            self._a_bus_that_flips(), self._cards_lifted(), self._strangers(), self._halts_unheard(), self._piles(),
            self._a_dead_antenna(),
        ]  # fmt: skip
        return [line for part in parts for line in part]

    def _lay(self, *uids: str) -> list[str]:
        return [f"{'lay15' if self.vicinity else 'lay'} {uid}" for uid in uids]

    def _six_cards(self) -> Iterator[str]:
        yield from ["scan", *self._lay(*self.six), "scan", "scan"]

    def _torn_frames(self) -> Iterator[str]:
        for seed, each in enumerate((60, 15, 6, 6)):
            yield from [f"set torn {each}", f"set seed {seed}", "scan"]
        yield "set torn 0"

    def _a_dead_antenna(self) -> Iterator[str]:
        reference = "e0feedfeedfeed00" if self.vicinity else "04feedfeedfeed"
        yield from [*self._lay(reference, *self.six[:2]), "set dead 1", "scan", f"reference {reference}", "scan"]
        yield from ["set dead 0", "scan"]

    def _a_chip_that_fails(self) -> Iterator[str]:
        for fault in ("gone", "shorted", "hangs", *(["stuck"] if self.chip.startswith("pn5180") else [])):
            yield from [f"set {fault} 1", "scan", f"set {fault} 0", "scan"]

    def _power_lost(self) -> Iterator[str]:
        yield from ["lose", "scan"]
        for frame in (1, 20):
            yield from [f"set cut {frame}", "scan", "scan"]

    def _a_bus_that_flips(self) -> Iterator[str]:
        for seed, each in enumerate((400, 400, 20, 20)):
            yield from [f"set flips {each}", f"set seed {seed}", "scan"]
        yield from ["set flips 0", "lose", "scan"]

    def _cards_lifted(self) -> Iterator[str]:
        """The card that was laid first, in the midst of a scan: then all six are taken, and laid anew."""
        for frame in (4, 13):
            yield from [f"set lift {frame}", "scan", *(f"take {uid}" for uid in self.six[1:]), *self._lay(*self.six)]

    def _strangers(self) -> Iterator[str]:
        uids = [] if self.vicinity else ["08aabbcc", "88112233", "04a1b2c3d4e5f6a7b8c9"]
        for uid in uids:
            yield from [*self._lay(uid), "scan"]
        yield from [f"take {uid}" for uid in uids[1:]]  # the first one throws its number anew: it stays

    def _halts_unheard(self) -> Iterator[str]:
        if not self.vicinity:
            yield from ["set halts 3", "scan", "set halts 1000", "scan", "set halts 0", "scan"]

    def _piles(self) -> Iterator[str]:
        yield from [f"take {uid}" for uid in self.six]
        chance = random.Random(13)
        for reading in [None, *READINGS[self.chip.split("-", maxsplit=1)[0]]]:
            pile = a_pile(chance, 3, vicinity=self.vicinity)
            yield from [f"set {reading} 1"] if reading else []
            yield from [*self._lay(*pile), "scan", *(f"take {uid}" for uid in pile)]
            yield from [f"set {reading} 0"] if reading else []


def answers(command: list[str], lines: list[str]) -> list[str]:
    """What the program said to the lines, one line a scan."""
    spoken = "".join(f"{line}\n" for line in lines)
    done = subprocess.run(command, input=spoken, capture_output=True, text=True, check=False, timeout=HANGS)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout[-2000:]
    return done.stdout.splitlines()


def emulated(core: Core, program: Path, *words: str) -> list[str]:
    """The command. newlib takes the program's name from the PC's words, picolibc has one of its own."""
    name = [] if core.port == "sifive_e" else [program.stem]
    said = ",".join(["enable=on", "target=native", *(f"arg={word}" for word in (*name, *words))])
    return [core.emulator, "-M", core.reader_machine, "-kernel", str(program), *QEMU, said]


@pytest.fixture(scope="module")
def on_pc(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("readers"), checked=has_sanitizers())


@pytest.fixture(scope="module", params=CORES, ids=lambda core: core.name)
def on_core(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Core, Path]:
    core: Core = request.param
    if core.missing:
        pytest.skip(f"wants {', '.join(core.missing)}: {core.got_by} gets the tools")
    folder = tmp_path_factory.mktemp(core.name)
    core.make(folder, "readers")
    return core, folder / "check_readers.elf"


@pytest.mark.parametrize("chip", CHIPS)
def test_a_driver_answers_on_a_core_as_on_a_pc(on_pc: Path, on_core: tuple[Core, Path], chip: str) -> None:
    script = Script(chip)
    expected = answers([str(on_pc), chip], script.lines())
    assert {answer.split(" ")[0] for answer in expected} == ENDS
    assert sorted(expected[1].rsplit("cards=", maxsplit=1)[1].split(",")) == sorted(script.six)
    assert answers(emulated(*on_core, chip), script.lines()) == expected


def test_a_core_s_complaint_comes_through(on_core: tuple[Core, Path]) -> None:
    """By the program's own code and words: a core that stops in silence is told from one that has done its work."""
    done = subprocess.run(
        emulated(*on_core, "mfrc522"), input="nonsense\n", capture_output=True, text=True, check=False, timeout=HANGS
    )
    assert (done.returncode, done.stderr) == (2, "check_readers: not understood: nonsense\n")
