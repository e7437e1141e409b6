"""The reference firmware in MicroPython, run by MicroPython's unix port."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.firmware import hostile_scenes, judged_messages, reader_scenes, scenes, second_scenes
from tests.firmware.raw_host import RawHost
from tests.firmware.support import BUTTONS, FIRMWARE, VECTORS, FirmwareProcess, micropython, settings

SOURCES = FIRMWARE / "micropython"
INTERPRETER = micropython()

pytestmark = pytest.mark.skipif(INTERPRETER is None, reason="no micropython here: .ci/run says where it comes from")


def device(folder: Path, role: str, sources: Path = SOURCES, **more: object) -> FirmwareProcess:
    assert INTERPRETER is not None
    settings(folder, role, **more)
    return FirmwareProcess([INTERPRETER, "-X", "heapsize=192k", str(sources / "main.py")], folder)


def keys(folder: Path, sources: Path = SOURCES, **more: object) -> FirmwareProcess:
    return device(folder, "keys", sources, buttons=BUTTONS, **more)


@pytest.mark.parametrize("emitter", ["with machine code", "without"])
def test_vectors(tmp_path: Path, emitter: str) -> None:
    assert INTERPRETER is not None
    shutil.copytree(SOURCES, tmp_path, dirs_exist_ok=True)
    if emitter == "without":
        (tmp_path / "chacha_viper.py").unlink()
    done = subprocess.run(
        [INTERPRETER, "-X", "heapsize=192k", str(tmp_path / "check_vectors.py"), str(VECTORS)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    held, _own, _answer = (int(word) for word in done.stdout.split() if word.isdigit())
    assert held > 400  # the milliseconds of a handshake's parts are for reading: the scenes show that it is in time


@pytest.mark.parametrize(("place", "which", "read"), [("4500", [], "5"), ("600", ["many"], "300")])
def test_the_longest_frames_and_many_at_once_are_read_where_the_heap_is_in_pieces(
    place: str, which: list[str], read: str
) -> None:
    assert INTERPRETER is not None
    program = [str(SOURCES / "check_heap.py"), place, *which]
    done = subprocess.run([INTERPRETER, "-X", "heapsize=192k", *program], capture_output=True, text=True, check=False)
    assert done.stdout.split() == [read], done.stdout + done.stderr


def test_events_come_once_and_in_order_though_the_link_is_cut_and_frames_are_garbled(tmp_path: Path) -> None:
    scenes.delivered_once_and_in_order(keys(tmp_path))


def test_events_are_kept_over_a_power_loss(tmp_path: Path) -> None:
    scenes.kept_over_a_power_loss(keys(tmp_path))


def test_commands_posts_and_status(tmp_path: Path) -> None:
    scenes.commands_posts_and_status(keys(tmp_path))


def test_a_boot_that_has_used_its_sequences_up_takes_another_id(tmp_path: Path) -> None:
    sources = tmp_path / "sources"
    shutil.copytree(SOURCES, sources)
    wire = (sources / "wire.py").read_text()
    assert "SEQUENCE_MAX = 0xFFFFFFFF\n" in wire
    (sources / "wire.py").write_text(wire.replace("SEQUENCE_MAX = 0xFFFFFFFF\n", "SEQUENCE_MAX = 20\n"))
    scenes.a_boot_that_has_used_its_sequences_up_takes_another_id(keys(tmp_path, sources), 20)


def test_a_log_that_was_damaged_is_said(tmp_path: Path) -> None:
    """What stands before the damage is delivered; what follows it is not believed, and the status says so."""
    box = keys(tmp_path)
    with scenes.powered(box), RawHost(box) as host:
        host.up()
        scenes.press(box, 0, 5)
        first = hostile_scenes.events(host, 5)
        box.kill()
        log = tmp_path / "events.log"
        spoilt = bytearray(log.read_bytes())
        spoilt[len(spoilt) // 2] ^= 1
        log.write_bytes(spoilt)
        box.start()
        status = host.up()
        assert "damaged" in str(status.body["note"])
        assert hostile_scenes.events(host, 2) == first[:2]
        scenes.press(box, 5, 6)
        [after] = hostile_scenes.events(host, 1)
        assert (after.seq, after.body) == (1, BUTTONS["seat6"])


@pytest.mark.parametrize("persistent", [True, False])
def test_nothing_is_lost_when_the_store_is_full(tmp_path: Path, persistent: bool) -> None:
    scenes.nothing_is_lost_when_the_store_is_full(keys(tmp_path, capacity=64, persistent=persistent), 64)


def test_the_daemon_takes_a_key_press(tmp_path: Path) -> None:
    scenes.the_daemon_takes_a_key_press(keys(tmp_path), tmp_path)


def reader(folder: Path, **more: object) -> FirmwareProcess:
    return device(folder, "reader", SOURCES, zones=scenes.ZONES, cards=scenes.CARDS, **more)


def test_the_daemon_takes_a_card(tmp_path: Path) -> None:
    scenes.the_daemon_takes_a_card(reader(tmp_path), tmp_path)


def test_a_reader_says_what_comes_turns_and_goes(tmp_path: Path) -> None:
    reader_scenes.a_reader_says_what_comes_turns_and_goes(reader(tmp_path))


def test_a_reader_tells_its_chips_numbers(tmp_path: Path) -> None:
    reader_scenes.a_reader_tells_its_chips_numbers(device(tmp_path, "reader", zones=scenes.ZONES))


def test_a_reader_believes_no_more_than_its_state_can_hold(tmp_path: Path) -> None:
    reader_scenes.a_reader_believes_no_more_than_its_state_can_hold(reader(tmp_path))


def test_another_key_loses_no_event(tmp_path: Path) -> None:
    scenes.another_key_loses_no_event(keys(tmp_path), (tmp_path / "key").write_bytes)


def test_the_host_names_who_is_not_the_device_it_waits_for(tmp_path: Path) -> None:
    scenes.the_host_names_who_is_not_the_device_it_waits_for(keys(tmp_path))


def test_a_card_that_lay_there_at_power_up_is_state_and_no_event(tmp_path: Path) -> None:
    laid = {"board:1": ["04b2c3d4"]}
    reader_scenes.a_card_that_lay_there_at_power_up_is_state_and_no_event(reader(tmp_path, laid=laid))


def test_a_card_reader_that_blinks_is_not_believed(tmp_path: Path) -> None:
    reader_scenes.a_card_reader_that_blinks_is_not_believed(reader(tmp_path))


@pytest.mark.parametrize("scene", reader_scenes.OF_WEAK_CARDS, ids=lambda scene: scene.__name__)
def test_of_weak_cards(tmp_path: Path, scene: Callable[[FirmwareProcess], None]) -> None:
    scene(reader(tmp_path))


def test_what_the_module_says_of_a_zone_is_in_the_status(tmp_path: Path) -> None:
    device = reader(tmp_path)
    with scenes.powered(device), RawHost(device, "reader") as host:
        host.up()
        device.say("trouble board:1 antenna")
        assert reader_scenes.troubles(host, {"seat:3": None, "board:1": "antenna"}) == []
        device.say("trouble board:1")
        assert reader_scenes.troubles(host, reader_scenes.WELL) == []


@pytest.mark.parametrize("scene", hostile_scenes.OF_EVERY_FIRMWARE, ids=lambda scene: scene.__name__)
def test_it_bears_a_host_that(tmp_path: Path, scene: Callable[[FirmwareProcess], None]) -> None:
    scene(keys(tmp_path))


@pytest.mark.parametrize("scene", second_scenes.OF_EVERY_FIRMWARE, ids=lambda scene: scene.__name__)
def test_in_protocol_2(tmp_path: Path, scene: Callable[[FirmwareProcess], None]) -> None:
    scene(keys(tmp_path))


def test_noise_costs_no_session(tmp_path: Path) -> None:
    hostile_scenes.noise_costs_no_session(keys(tmp_path), seed=1)


def test_mutated_messages_are_judged_as_the_host_side_judges_them(tmp_path: Path) -> None:
    judged_messages.mutated_messages_are_judged_as_the_host_side_judges_them(keys(tmp_path), seed=2, count=60)


def test_a_store_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    def break_it() -> None:
        (tmp_path / "events.log").unlink(missing_ok=True)
        (tmp_path / "events.log").mkdir()

    hostile_scenes.a_store_that_cannot_be_written_is_said(keys(tmp_path), break_it)
