"""The device in C on a bare Cortex-M that QEMU emulates: its own start, its own interrupts, no operating system."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.firmware import hostile_scenes, scenes
from tests.firmware.support import FIRMWARE, FirmwareProcess, fetched
from tests.firmware_bridge.support import KEY

SODIUM = fetched("libsodium", "LIBSODIUM_SOURCE")
MISSING = [tool for tool in ("arm-none-eabi-gcc", "qemu-system-arm", "make") if shutil.which(tool) is None]

pytestmark = pytest.mark.skipif(
    bool(MISSING) or SODIUM is None,
    reason=f"wants {', '.join(MISSING) or 'its tools, which are here'}, and libsodium's sources (.ci/pico)",
)

QEMU = """exec qemu-system-arm -M mps2-an386 -kernel "$0" -display none -monitor none \\
    -semihosting-config enable=on,target=native -chardev stdio,id=wire,signal=off -serial chardev:wire \\
    -chardev pipe,id=fingers,path="$2" -serial chardev:fingers
"""
SCENES: list[Callable[[FirmwareProcess], None]] = [
    scenes.commands_posts_and_status,
    scenes.delivered_once_and_in_order,
    scenes.kept_over_a_power_loss,
    hostile_scenes.who_does_not_hold_the_key_learns_a_name_and_no_more,
    hostile_scenes.a_frame_not_authentic_ends_the_session,
    hostile_scenes.a_session_is_renewed_at_any_time,
]


@pytest.fixture(scope="module", params=["cortex-m0plus", "cortex-m4"])
def built(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp(request.param)
    make = ["make", "-s", "-C", str(FIRMWARE / "c" / "mps2")]
    settings = [f"SODIUM={SODIUM}", f"CPU={request.param}", f"BUILD={folder}"]
    subprocess.run([*make, *settings], check=True, capture_output=True)
    return folder


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.__name__)
def test_on_a_bare_processor(built: Path, tmp_path: Path, scene: Callable[[FirmwareProcess], None]) -> None:
    (tmp_path / "key").write_bytes(KEY)
    (tmp_path / "serial").write_text("keys-1\n", encoding="ascii")
    scene(FirmwareProcess(["sh", "-c", QEMU, str(built / "keys.elf")], tmp_path))
