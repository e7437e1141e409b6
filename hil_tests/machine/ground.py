"""What a virtual machine stands on: an architecture, and the root file system beneath it."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

CHECKOUT: Final = Path(__file__).resolve().parents[2]
PROCESSOR: Final = "max,la57=off"
"""Of amd64. Four levels of page tables: emulation walks each of them."""
SPARED: Final = "mitigations=off nokaslr rcupdate.rcu_expedited=1 audit=0 apparmor=0 selinux=0"
"""On the kernel's command line, each spares an emulated processor some seconds."""


@dataclass(frozen=True, slots=True)
class Kind:
    """The machines of one architecture.

    `architecture`: Debian's name for it. `board`: QEMU's program, processor and board. `console`: its serial port.
    `spared`: on the kernel's command line, each spares some seconds. `compiler`: what builds a kernel's module for it.
    `root_lacks`: packages that its root has not and the machine needs; None: what the host's apt says is lacking.
    """

    architecture: str
    board: tuple[str, ...]
    console: str
    spared: str
    compiler: str
    root_lacks: tuple[str, ...] | None = None

    @property
    def cross(self) -> str | None:
        """The compiler's name for the architecture, where it is not the host's."""
        target, _, _ = self.compiler.rpartition("-gcc-")
        return target or None


AMD64: Final = Kind(
    "amd64",
    ("qemu-system-x86_64", "-cpu", PROCESSOR, "-M", "q35", "-vga", "none"),
    "ttyS0",
    "tsc=reliable no_timer_check",
    "gcc-12",
)
ARM64: Final = Kind(
    "arm64",
    ("qemu-system-aarch64", "-cpu", "cortex-a72", "-M", "virt"),
    "ttyAMA0",
    "",
    "aarch64-linux-gnu-gcc-12",
    ("kmod",),
)
"""The processor of a Raspberry Pi 4; the board is QEMU's own."""


@dataclass(frozen=True, slots=True)
class Ground:
    """`root`: on the host, what the machine has beneath a layer that forgets. `checkout`, `python`: there.

    `packaged`: feltd's package is installed there; else the checkout's own files are laid over it.
    """

    kind: Kind
    root: Path
    checkout: str
    python: str
    packaged: bool


HOST: Final = Ground(AMD64, Path("/"), str(CHECKOUT), f"{CHECKOUT}/.venv/bin/python", packaged=False)
"""The host's own root, with this checkout and its virtual environment."""
