"""The images that the port to the Pico's SDK makes, built once for all tests of a run."""

import shutil
import subprocess
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


def images(board: str, temporary: pytest.TempPathFactory) -> dict[str, Path]:
    """What the port's own build makes for a board (`pico`, `pico2`): each role's image, as it lies in the flash."""
    folder = temporary.getbasetemp()
    folder = (folder.parent if folder.name.startswith("popen-") else folder) / f"images-for-{board}"
    made = {role: folder / f"{role}.bin" for role in ROLES}
    with made_once(folder):
        if not all(image.exists() for image in made.values()):
            _build(board, folder)
    return made


def _build(board: str, into: Path) -> None:
    configure = [
        "cmake", "-G", "Ninja", "-S", str(PORT), "-B", str(into), f"-DPICO_SDK_PATH={SDK}", f"-DSODIUM={SODIUM}",
        f"-DPICO_BOARD={board}", "-DPICO_NO_PICOTOOL=1",
    ]  # fmt: skip
    for command in (configure, ["cmake", "--build", str(into)]):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, (done.stdout + done.stderr)[-8000:]
