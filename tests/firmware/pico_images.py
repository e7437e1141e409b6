"""The images that the port to the Pico's SDK makes, built once for all tests of a run.

All images for a board are built in one folder, one after the other: the SDK's hundred files, which take seconds of a
processor, are the same for each chip and are compiled once.
"""

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from hil_tests.machine.made_once import made_once
from tests.firmware.support import FIRMWARE, fetched

PORT = FIRMWARE / "c" / "boards" / "pico"
ROLES = ("reader", "shoe")
SDK, SODIUM = fetched("sdk", "PICO_SDK_PATH"), fetched("libsodium", "LIBSODIUM_SOURCE")
MISSING = [tool for tool in ("arm-none-eabi-gcc", "cmake", "ninja") if shutil.which(tool) is None]
MISSING += [name for name, there in (("SDK of the Pico", SDK), ("source of libsodium", SODIUM)) if there is None]

built_with_the_sdk = pytest.mark.skipif(bool(MISSING), reason=f"no {', no '.join(MISSING)}: .ci/pico gets them")


def images(board: str, temporary: pytest.TempPathFactory, chip: str = "mfrc522", ways: str = "") -> dict[str, Path]:
    """What the port's own build makes for a board (`pico`, `pico2`): each role's image, as it lies in the flash.

    With another chip than an MFRC522, or other ways to the antennas than it is built with, the reader's alone.
    """
    roles = ROLES if (chip, ways) == ("mfrc522", "") else ROLES[:1]
    folder = temporary.getbasetemp()
    folder = (folder.parent if folder.name.startswith("popen-") else folder) / f"images-for-{board}-{chip}-{ways}"
    made = {role: folder / f"{role}.bin" for role in roles}
    build = folder.parent / f"build-for-{board}"
    with made_once(build):
        if not all(image.exists() for image in made.values()):
            options = (f"-DPICO_BOARD={board}", f"-DREADER_CHIP={chip}")
            # what another reader was built with is not this one's
            _build(build, roles, *options, f"-DREADER_WAYS={ways}" if ways else "-UREADER_WAYS")
            folder.mkdir(exist_ok=True)
            for image in made.values():
                for kind in (".elf", ".bin"):
                    shutil.copy(build / f"{image.stem}{kind}", folder)
    return made


def configured(into: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """A build of the port that is set up, or refused."""
    configure = [
        "cmake", "-G", "Ninja", "-S", str(PORT), "-B", str(into), f"-DPICO_SDK_PATH={SDK}", f"-DSODIUM={SODIUM}",
        "-DPICO_NO_PICOTOOL=1", *options,
    ]  # fmt: skip
    return subprocess.run(configure, capture_output=True, text=True, check=False)


def _build(into: Path, roles: Sequence[str], *options: str) -> None:
    done = configured(into, *options)
    assert done.returncode == 0, (done.stdout + done.stderr)[-8000:]
    build = ["cmake", "--build", str(into), "--target", *roles]
    done = subprocess.run(build, capture_output=True, text=True, check=False)
    assert done.returncode == 0, (done.stdout + done.stderr)[-8000:]
