"""The processors without an operating system that QEMU emulates, and what the ports of `firmware/c` build for them."""

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from tests.firmware.support import FIRMWARE


@dataclass(frozen=True, slots=True)
class Core:
    """A processor, as a folder of `firmware/c` builds for it and as QEMU has it."""

    name: str
    reader_machine: str  # runs the drivers of reader chips; they need no port's wires
    port: str
    setting: str  # what tells the port's Makefile which core
    compiler: str
    emulator: str
    machine: str  # has the port's wires
    got_by: str

    @property
    def missing(self) -> list[str]:
        return [tool for tool in (self.compiler, self.emulator, "make") if shutil.which(tool) is None]

    def make(self, folder: Path, *words: str) -> None:
        """The port's own Makefile, into `folder`. What it complains of is shown by a failing test."""
        command = ["make", "-s", "-C", str(FIRMWARE / "c" / self.port), f"{self.setting}={self.name}"]
        done = subprocess.run([*command, f"BUILD={folder}", *words], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr[-8000:]


ARM = ("mps2", "CPU", "arm-none-eabi-gcc", "qemu-system-arm", "mps2-an386", ".ci/pico")
RISC_V = ("sifive_e", "ARCH", "riscv64-unknown-elf-gcc", "qemu-system-riscv32", "sifive_e", ".ci/riscv")
CORES = [
    Core("cortex-m0plus", "microbit", *ARM),  # an ARMv6-M: unlike an MPS2 it stops at a word that is not aligned
    Core("cortex-m4", "mps2-an386", *ARM),
    Core("rv32imac", "sifive_e", *RISC_V),
]
