"""Reader chips behind a TCA9548A, modelled at the level of registers, on a PC and on emulated cores."""

import shutil
from pathlib import Path

import pytest

from tests.firmware.bare_cores import CORES, Core
from tests.firmware.reader_rig import build
from tests.firmware.test_bare_readers import answers, emulated
from tests.firmware.test_c import has_sanitizers

A, B = "11223344", "04a1b2c3d4e5f6"
LAID = [f"lay 0 {A}", f"lay 1 {B}"]
WELL = f"whole={A} whole={B} whole"
ALL_SILENT = "no-way no-way no-way"

pytestmark = pytest.mark.skipif(
    shutil.which("cc") is None or shutil.which("make") is None, reason="no C compiler: see .ci/run"
)


@pytest.fixture(scope="module")
def on_pc(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("multiplexer"), checked=has_sanitizers(), program="check_multiplexer")


@pytest.fixture(params=["mfrc522-tca", "pn532-tca"])
def command(on_pc: Path, request: pytest.FixtureRequest) -> list[str]:
    return [str(on_pc), request.param, "3"]


def rounds(command: list[str], *lines: str) -> list[str]:
    """How each round of the three zones went, with a card at the first two."""
    return answers(command, [*LAID, "round", *lines])[1:]


def test_each_zone_has_its_own_chip_and_cards(command: list[str]) -> None:
    assert rounds(command, "round", f"take 0 {A}", f"lay 2 {A}", "round") == [WELL, f"whole whole={B} whole={A}"]


def test_a_dead_channel_costs_no_other_zone(command: list[str]) -> None:
    assert rounds(command, "gone 1", "round", "round", "back 1", "round") == [
        f"whole={A} no-chip whole",
        f"whole={A} no-chip whole",
        WELL,
    ]


def test_a_chip_that_holds_the_bus_costs_its_own_zone_alone(command: list[str]) -> None:
    """While its channel is open nobody can be spoken to, the multiplexer neither: its reset shuts all channels."""
    assert rounds(command, "hold 1 0", "round", "round", "free 1", "round") == [
        f"whole={A} no-chip whole",
        f"whole={A} no-chip whole",
        WELL,
    ]


@pytest.mark.parametrize("clocks", [1, 9])
def test_a_chip_in_the_midst_of_a_byte_is_clocked_out_of_it(command: list[str], clocks: int) -> None:
    """A reader that lost its power in mid transfer finds it so at its start."""
    assert rounds(command, f"hold 1 {clocks}", "round") == [WELL]


def test_a_chip_that_wants_more_clocks_than_a_byte_is_not_waited_for(command: list[str]) -> None:
    assert rounds(command, "hold 1 30", "round")[0] == f"whole={A} no-chip whole"


def test_all_chips_that_hold_the_bus_are_told_each(command: list[str]) -> None:
    held = [f"hold {zone} 0" for zone in range(3)]
    assert rounds(command, *held, "round", "free 0", "free 1", "free 2", "round") == ["no-chip no-chip no-chip", WELL]


@pytest.mark.parametrize("fault", ["gone", "deaf", "host-held"])
def test_a_multiplexer_that_is_silent_deaf_or_cut_off_gives_no_way(command: list[str], fault: str) -> None:
    """One that says yes and moves nothing would have one zone's chip asked for another's cards."""
    assert rounds(command, f"set {fault} 1", "round", f"set {fault} 0", "round") == [ALL_SILENT, WELL]


def test_channels_that_a_glitch_has_opened_are_shut(command: list[str]) -> None:
    assert rounds(command, "set open 1", "round") == [WELL]


def test_a_wiring_that_is_not_known_is_refused(on_pc: Path) -> None:
    with pytest.raises(AssertionError):
        answers([str(on_pc), "mfrc522-tca", "9"], [])


EVERYTHING = [
    *LAID, "round", "gone 1", "round", "back 1", "hold 1 0", "round", "free 1", "hold 0 7", "round", "set gone 1",
    "round", "set gone 0", "set deaf 1", "round", "set deaf 0", "set open 1", "round", "set host-held 1", "round",
    "set host-held 0", "round",
]  # fmt: skip


@pytest.fixture(scope="module", params=CORES, ids=lambda core: core.name)
def on_core(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Core, Path]:
    core: Core = request.param
    if core.missing:
        pytest.skip(f"wants {', '.join(core.missing)}: {core.got_by} gets the tools")
    folder = tmp_path_factory.mktemp(core.name)
    core.make(folder, "readers")
    return core, folder / "check_multiplexer.elf"


@pytest.mark.parametrize("wiring", ["mfrc522-tca", "pn532-tca"])
def test_a_core_answers_as_a_pc(on_pc: Path, on_core: tuple[Core, Path], wiring: str) -> None:
    expected = answers([str(on_pc), wiring, "3"], EVERYTHING)
    assert {end.split("=")[0] for line in expected for end in line.split(" ")} == {"whole", "no-chip", "no-way"}
    assert answers(emulated(*on_core, wiring, "3"), EVERYTHING) == expected
