"""The device in C on a bare Cortex-M and RISC-V that QEMU emulates: own start and interrupts, no operating system."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.firmware import hostile_scenes, scenes
from tests.firmware.bare_cores import CORES, Core
from tests.firmware.support import FIRMWARE, FirmwareProcess, fetched
from tests.firmware_bridge.support import KEY

SODIUM = fetched("libsodium", "LIBSODIUM_SOURCE")
DESK = {"antennas_pty", "board_pty", "check_vectors", "fuzz", "fuzz_checks", "fuzz_led", "fuzz_play", "lists_pty"}
"""Sources of a PC."""


QEMU = """exec "$1" -M "$2" -kernel "$0" -display none -monitor none \\
    -semihosting-config enable=on,target=native -chardev stdio,id=wire,signal=off -serial chardev:wire \\
    -chardev pipe,id=fingers,path="$4" -serial chardev:fingers
"""
SCENES: list[Callable[[FirmwareProcess], None]] = [
    scenes.commands_posts_and_status,
    scenes.delivered_once_and_in_order,
    scenes.kept_over_a_power_loss,
    hostile_scenes.who_does_not_hold_the_key_learns_a_name_and_no_more,
    hostile_scenes.a_frame_not_authentic_ends_the_session,
    hostile_scenes.a_session_is_renewed_at_any_time,
]


@dataclass(frozen=True, slots=True)
class Built:
    """What the port's own Makefile has made for a core."""

    core: Core
    folder: Path


@pytest.fixture(scope="module", params=CORES, ids=lambda core: core.name)
def built(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Built:
    core: Core = request.param
    if core.missing or SODIUM is None:
        said = ", ".join([*core.missing, *(["libsodium's sources (.ci/pico)"] if SODIUM is None else [])])
        pytest.skip(f"wants {said}: {core.got_by} gets the tools")
    folder = tmp_path_factory.mktemp(core.name)
    core.make(folder, f"SODIUM={SODIUM}")
    return Built(core, folder)


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.__name__)
def test_on_a_bare_processor(built: Built, tmp_path: Path, scene: Callable[[FirmwareProcess], None]) -> None:
    (tmp_path / "key").write_bytes(KEY)
    (tmp_path / "serial").write_text("keys-1\n", encoding="ascii")
    machine = [str(built.folder / "keys.elf"), built.core.emulator, built.core.machine]
    scene(FirmwareProcess(["sh", "-c", QEMU, *machine], tmp_path))


def test_every_source_that_wants_no_pc_is_compiled(built: Built) -> None:
    """With each warning an error: the reader, the drivers and the boards of parts too, which play in no scene here."""
    sources = FIRMWARE / "c"
    wanted = {
        str(source.relative_to(sources).with_suffix(""))
        for folder in (sources, sources / "chips", sources / "boards/parts")
        for source in folder.glob("*.c")
    }
    made = {str(made.relative_to(built.folder).with_suffix("")) for made in built.folder.rglob("*.o")}
    assert wanted - DESK - made == set()
