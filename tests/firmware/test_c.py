"""The reference firmware in C: built with every check the compiler has, and small."""

import itertools
import json
import random
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from firmware_bridge.compact import hello_of
from firmware_bridge.limits import FRAME_MAX
from firmware_bridge.messages import Ack, Hello, from_device
from tests.firmware import hostile_scenes, judged_messages, reader_scenes, scenes, second_scenes
from tests.firmware.raw_host import RawHost
from tests.firmware.support import BUTTONS, FIRMWARE, VECTORS, FirmwareProcess, Session
from tests.firmware_bridge.support import KEY, run

SOURCES = FIRMWARE / "c"
CAPACITY = 64


def can_build() -> bool:
    """Whether there are a compiler, make and libsodium's headers."""
    if shutil.which("cc") is None or shutil.which("make") is None:
        return False
    probe = subprocess.run(
        ["cc", "-fsyntax-only", "-x", "c", "-"], input=b"#include <sodium.h>\n", capture_output=True, check=False
    )
    return probe.returncode == 0


pytestmark = pytest.mark.skipif(not can_build(), reason="no C compiler with libsodium: see .ci/run")


def make(target: str, folder: Path, *more: str) -> Path:
    done = subprocess.run(
        ["make", "-C", str(SOURCES), target, f"BUILD={folder}", *more], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def has_sanitizers() -> bool:
    """Whether what is built with the compiler's checks of addresses and arithmetic can be linked and run here."""
    with tempfile.TemporaryDirectory() as folder:
        command = ["cc", "-fsanitize=address,undefined", "-x", "c", "-", "-o", f"{folder}/probe"]
        built = subprocess.run(command, input=b"int main(void) { return 0; }\n", capture_output=True, check=False)
        return built.returncode == 0 and subprocess.run([f"{folder}/probe"], check=False).returncode == 0


def make_device(name: str, folder: Path) -> Path:
    """Make the program of a device whose chips are modelled, with the compiler's checks where they can be had."""
    flags = "-O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all" if has_sanitizers() else "-Os"
    return make(f"{folder}/{name}", folder, f"CFLAGS={flags}", "LDFLAGS=", "CAPACITY=64") / name


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs with every check that the compiler has."""
    target = "test-build" if has_sanitizers() else "all"
    return make(target, tmp_path_factory.mktemp("checked"), f"CAPACITY={CAPACITY}")


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make("all", tmp_path_factory.mktemp("small"))


def device(built: Path, folder: Path, role: str) -> FirmwareProcess:
    (folder / "key").write_bytes(KEY)
    (folder / "serial").write_text(f"{role}-1\n", encoding="ascii")
    for name, lines_of in {"zones": scenes.ZONES, "cards": scenes.CARDS}.items():
        text = "".join(f"{one} {other}\n" for one, other in lines_of.items())
        (folder / name).write_text(text, encoding="ascii")
    return FirmwareProcess([str(built / role)], folder)


def lines(vectors: dict[str, Any]) -> Iterator[str]:
    """The vectors as `check_vectors.c` takes them."""
    for vector in vectors["cobs"]:
        yield f"cobs {vector['decoded'] or '-'} {vector['encoded']}"
    for vector in vectors["frames"]:
        yield f"frame {vector['type']:02x}{vector['body']} {vector['wire']}"
    for message in vectors["messages"].values():
        yield f"message {message}"
    for text in vectors["no_frames"].values():
        yield f"no_frame {text}"
    first = from_device(bytes.fromhex(vectors["session"]["hello"]))
    assert isinstance(first, Hello)
    yield from of_version("01", vectors, first)
    second = hello_of(bytes.fromhex(vectors["version_2"]["session"]["hello"]))
    assert second.acknowledged is not None
    assert (second.acknowledged[1], second.takes) == (41, FRAME_MAX)
    yield from of_version("02", vectors["version_2"], second)


def of_version(version: str, vectors: dict[str, Any], hello: Hello) -> Iterator[str]:
    """What each version has of its own."""
    for what in ("allowed", "malformed"):
        for text in vectors[what].values():
            yield f"{what} {version} {text or '-'}"
    assert (hello.version_min, hello.version_max, hello.persistent, hello.commands) == (1, int(version), True, 4)
    session = vectors["session"]
    texts = [version, *(text.encode().hex() for text in (hello.role, hello.serial, hello.firmware))]
    acknowledged = hello.acknowledged[0].hex() if hello.acknowledged else "-"
    yield " ".join(["hello", *texts, hello.boot_id.hex(), session["hello"], acknowledged])
    yield " ".join(["reject", *texts[:3], session["noise_message_1"][:8], session["reject_wire"]])
    names = ["key", "prologue", "device_ephemeral_private", "request_wire", "hello", "answer_wire", "handshake_hash"]
    names += ["key_host_to_device", "key_device_to_host"]
    yield " ".join(["session", *(session[name] for name in names)])
    for vector in session["transport"]:
        yield f"{vector['from']} {vector['message']} {vector['wire']}"


def test_what_is_tested_here_checks_every_address_it_uses(built: Path) -> None:
    if not has_sanitizers():
        pytest.skip("this compiler has no sanitizers: the other tests of the device in C run without them")
    symbols = subprocess.run(["nm", str(built / "keys")], capture_output=True, text=True, check=True).stdout
    assert "__asan_report_load1" in symbols
    assert "__ubsan_handle" in symbols


def test_vectors(built: Path) -> None:
    text = "".join(f"{line}\n" for line in lines(json.loads(VECTORS.read_text())))
    done = subprocess.run([str(built / "check_vectors")], input=text, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout.split()[0]) > 500


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_noise_does_no_harm_and_hides_no_frame(built: Path, seed: int) -> None:
    command = [str(built / "fuzz"), str(seed), "5000"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "5000 rounds\n"), done.stderr


OF_THE_DEVICE = ("cbor", "messages", "frames", "noise", "outbox", "wire", "main")


@pytest.mark.parametrize("role", ["keys", "reader", "shoe"])
def test_it_asks_for_no_memory_once_it_runs(small: Path, role: str) -> None:
    objects = [str(small / f"{name}.o") for name in (*OF_THE_DEVICE, role)]
    needed = subprocess.run(["nm", "-u", *objects], capture_output=True, text=True, check=True).stdout.split()
    assert "crypto_scalarmult_curve25519" in needed
    assert not {"malloc", "calloc", "realloc", "free", "printf", "fopen", "abort"} & set(needed)


@pytest.mark.parametrize(("role", "memory"), [("keys", 8000), ("reader", 9900), ("shoe", 8000)])
def test_it_is_small(small: Path, role: str, memory: int) -> None:
    """On this machine; the page has the figures for microcontrollers, which need less flash and as much memory."""
    sizes = subprocess.run(
        ["make", "-s", "-C", str(SOURCES), "size", f"BUILD={small}"], capture_output=True, text=True, check=True
    )
    rows = [line.split() for line in sizes.stdout.splitlines()[1:]]
    of = {Path(row[5]).stem: (int(row[0]), int(row[1]) + int(row[2])) for row in rows}
    assert sum(of[name][0] for name in (*OF_THE_DEVICE, role)) < 20_000
    assert sum(of[name][1] for name in (*OF_THE_DEVICE, role)) < memory


def test_events_come_once_and_in_order_though_the_link_is_cut_and_frames_are_garbled(
    built: Path, tmp_path: Path
) -> None:
    scenes.delivered_once_and_in_order(device(built, tmp_path, "keys"))


def test_events_are_kept_over_a_power_loss(built: Path, tmp_path: Path) -> None:
    scenes.kept_over_a_power_loss(device(built, tmp_path, "keys"))


def test_commands_posts_and_status(built: Path, tmp_path: Path) -> None:
    scenes.commands_posts_and_status(device(built, tmp_path, "keys"))


def test_nothing_is_lost_when_the_store_is_full(built: Path, tmp_path: Path) -> None:
    scenes.nothing_is_lost_when_the_store_is_full(device(built, tmp_path, "keys"), CAPACITY)


def test_the_daemon_takes_a_key_press(built: Path, tmp_path: Path) -> None:
    scenes.the_daemon_takes_a_key_press(device(built, tmp_path, "keys"), tmp_path)


def test_the_daemon_takes_a_card(built: Path, tmp_path: Path) -> None:
    scenes.the_daemon_takes_a_card(device(built, tmp_path, "reader"), tmp_path)


def test_a_boot_that_has_used_its_sequences_up_takes_another_id(tmp_path: Path) -> None:
    place = tmp_path / "built"
    make(f"{place}/keys", place, "CFLAGS=-O0", f"CAPACITY={CAPACITY}", "MORE=-DSEQUENCE_MAX=20")
    scenes.a_boot_that_has_used_its_sequences_up_takes_another_id(device(place, tmp_path, "keys"), 20)


HEADS, SLOT = 32, 152  # bytes of the storage: both head records, and each slot


def spoil(storage: Path, at: int, size: int = 1) -> None:
    data = bytearray(storage.read_bytes())
    for place in range(at, at + size):
        data[place] ^= 0x10
    storage.write_bytes(data)


@pytest.mark.parametrize("version", [1, 2])
def test_an_event_that_cannot_be_read_any_more_is_told_as_a_gap(built: Path, tmp_path: Path, version: int) -> None:
    """The daemon's side names it once, and takes what follows; in version 2 the session goes on."""

    async def scene() -> None:
        session = Session(keys, "keys", syncing=False, versions=(1, version))
        await session.until(lambda: bool(session.journal.ups))
        scenes.press(keys, 0, 6)
        await session.until(lambda: len(session.events) == 6)
        keys.kill()
        spoil(tmp_path / "storage", HEADS + 3 * SLOT + 40)  # numbers begin with 1: the third event
        session.journal.resume()
        keys.start()
        session.journal.syncing = True
        await session.restart()
        await session.until(lambda: len(session.events) == 5)
        assert [number for _, number, _ in session.journal.events] == [1, 2, 4, 5, 6]
        assert session.journal.codes.count("events_missing") == (version == 1)
        assert [jump.coming.seq for jump in session.journal.jumps] == [4]
        await session.until(lambda: any("damaged" in str(s.get("note")) for s in session.journal.statuses))
        scenes.press(keys, 6, 7)
        await session.until(lambda: len(session.events) == 6)
        await session.close()

    keys = device(built, tmp_path, "keys")
    with scenes.powered(keys):
        run(scene(), jumping=False)


@pytest.mark.parametrize("head", [0, 1])
def test_one_of_two_head_records_is_enough(built: Path, tmp_path: Path, head: int) -> None:
    """A power loss while one is written leaves the other: at worst something is sent again, and nothing is lost."""
    keys = device(built, tmp_path, "keys")
    with scenes.powered(keys), RawHost(keys) as host:
        host.up()
        scenes.press(keys, 0, 4)
        first = hostile_scenes.events(host, 4)
        host.say(Ack(first[0].boot_id, 1).to_bytes())
        host.say(Ack(first[0].boot_id, 2).to_bytes())
        assert host.is_up()
        keys.kill()
        spoil(tmp_path / "storage", head * 16 + 5)
        keys.start()
        status = host.up(resume=(first[1].boot_id, 2))
        assert "note" not in status.body
        assert hostile_scenes.events(host, 2) == first[2:]


def test_a_storage_of_which_nothing_is_known_is_begun_anew(built: Path, tmp_path: Path) -> None:
    keys = device(built, tmp_path, "keys")
    with scenes.powered(keys), RawHost(keys) as host:
        assert "note" not in host.up().body
        scenes.press(keys, 0, 3)
        hostile_scenes.events(host, 3)
        keys.kill()
        spoil(tmp_path / "storage", 0, HEADS)
        keys.start()
        assert "damaged" in str(host.up().body["note"])
        scenes.press(keys, 3, 4)
        [event] = hostile_scenes.events(host, 1)
        assert (event.seq, event.body) == (1, BUTTONS["seat4"])


def test_a_write_that_the_power_loss_cut_short_never_happened(built: Path, tmp_path: Path) -> None:
    keys = device(built, tmp_path, "keys")
    with scenes.powered(keys), RawHost(keys) as host:
        host.up()
        scenes.press(keys, 0, 2)
        first = hostile_scenes.events(host, 2)
        keys.kill()
        storage = bytearray((tmp_path / "storage").read_bytes())
        torn = storage[HEADS + 2 * SLOT : HEADS + 2 * SLOT + 60]
        torn[0] = 3
        storage[HEADS + 3 * SLOT : HEADS + 3 * SLOT + 60] = torn
        (tmp_path / "storage").write_bytes(storage)
        keys.start()
        assert "note" not in host.up().body
        assert hostile_scenes.events(host, 2) == first
        scenes.press(keys, 2, 3)
        [event] = hostile_scenes.events(host, 1)
        assert (event.seq, event.body) == (1, BUTTONS["seat3"])


@pytest.mark.parametrize("seed", [1, 2])
def test_a_power_loss_in_the_middle_of_a_write_loses_nothing_that_was_said(
    built: Path, tmp_path: Path, seed: int
) -> None:
    """At any byte of an event or of a head record. What was not yet kept never happened; no name comes twice."""
    chance = random.Random(seed)

    async def scene() -> None:
        session = Session(keys, "keys")
        await session.until(lambda: bool(session.journal.ups))
        for _ in range(25):
            keys.say(f"cut {chance.randrange(5 * SLOT)}")
            scenes.press(keys, 0, 8)
            await session.until(lambda: not keys.powered)
            keys.kill()
            keys.start()
        scenes.press(keys, 4, 5)
        await session.until(lambda: session.events[-1:] == [BUTTONS["seat5"]] and session.journal.synced > 25)
        boots = itertools.groupby((boot, number) for boot, number, _ in session.journal.events)
        names = [name for name, _ in boots]
        assert len(names) == len(set(names)) == len(session.events)
        for _, group in itertools.groupby(names, key=lambda name: name[0]):
            numbers = [number for _, number in group]
            assert numbers == list(range(1, len(numbers) + 1))
        assert set(session.journal.codes) <= {"closed_by_device", "no_answer", "silent"}
        await session.close()

    keys = device(built, tmp_path, "keys")
    with scenes.powered(keys):
        run(scene(), jumping=False)


def test_the_small_build_delivers_too(small: Path, tmp_path: Path) -> None:
    scenes.delivered_once_and_in_order(device(small, tmp_path, "keys"))


def test_a_shoe_says_what_left_it_and_locks_its_gate(built: Path, tmp_path: Path) -> None:
    async def scene() -> None:
        session = Session(shoe, "shoe")
        await session.until(lambda: bool(session.journal.ups))
        assert session.journal.ups[0][1] == {"locked": True, "faults": []}
        session.link.post("gate", {"locked": False})
        assert await session.link.read_state() == {"locked": False, "faults": []}
        shoe.say("press shuffled", "press out As", "press out -", "press jam")
        await session.until(lambda: len(session.events) == 4)
        assert session.events == [
            {"ev": "shuffled"},
            {"ev": "card_out", "card": "As", "face": "down"},
            {"ev": "card_out", "card": None, "face": "down"},
            {"ev": "fault", "kind": "jam"},
        ]
        assert await session.link.read_state() == {"locked": True, "faults": [{"kind": "jam"}]}
        shoe.say("press cleared")
        await session.until(lambda: len(session.events) == 5)
        shoe.say("press out #04A1B2C3D4E5F6", "press out #04A", "press out #04AX")
        await session.until(lambda: len(session.events) == 8)
        assert [event["card"] for event in session.events[5:]] == [bytes.fromhex("04a1b2c3d4e5f6"), None, None]
        assert await session.link.read_state() == {"locked": False, "faults": []}
        session.link.post("gate", {"locked": "perhaps"})
        session.link.post("gates", {"locked": True})
        assert await session.link.read_state() == {"locked": False, "faults": []}
        assert session.journal.downs == []
        await session.close()

    shoe = device(built, tmp_path, "shoe")
    with scenes.powered(shoe):
        run(scene(), jumping=False)


def test_a_reader_says_what_comes_turns_and_goes(built: Path, tmp_path: Path) -> None:
    reader_scenes.a_reader_says_what_comes_turns_and_goes(device(built, tmp_path, "reader"))


def test_a_reader_tells_its_chips_numbers(built: Path, tmp_path: Path) -> None:
    reader = device(built, tmp_path, "reader")
    (tmp_path / "cards").unlink()
    (tmp_path / "numbers").touch()
    reader_scenes.a_reader_tells_its_chips_numbers(reader)


def test_a_reader_believes_no_more_than_its_state_can_hold(built: Path, tmp_path: Path) -> None:
    reader_scenes.a_reader_believes_no_more_than_its_state_can_hold(device(built, tmp_path, "reader"))


def test_another_key_loses_no_event(built: Path, tmp_path: Path) -> None:
    scenes.another_key_loses_no_event(device(built, tmp_path, "keys"), (tmp_path / "key").write_bytes)


def test_the_host_names_who_is_not_the_device_it_waits_for(built: Path, tmp_path: Path) -> None:
    scenes.the_host_names_who_is_not_the_device_it_waits_for(device(built, tmp_path, "keys"))


def test_a_card_that_lay_there_at_power_up_is_state_and_no_event(built: Path, tmp_path: Path) -> None:
    (tmp_path / "laid").write_text("board:1 04b2c3d4\n", encoding="ascii")
    reader_scenes.a_card_that_lay_there_at_power_up_is_state_and_no_event(device(built, tmp_path, "reader"))


def test_a_card_reader_that_blinks_is_not_believed(built: Path, tmp_path: Path) -> None:
    reader_scenes.a_card_reader_that_blinks_is_not_believed(device(built, tmp_path, "reader"))


@pytest.mark.parametrize("scene", reader_scenes.OF_WEAK_CARDS, ids=lambda scene: scene.__name__)
def test_of_weak_cards(built: Path, tmp_path: Path, scene: Callable[[FirmwareProcess], None]) -> None:
    scene(device(built, tmp_path, "reader"))


@pytest.mark.parametrize("scene", hostile_scenes.OF_EVERY_FIRMWARE, ids=lambda scene: scene.__name__)
def test_it_bears_a_host_that(built: Path, tmp_path: Path, scene: Callable[[FirmwareProcess], None]) -> None:
    scene(device(built, tmp_path, "keys"))


@pytest.mark.parametrize("scene", second_scenes.OF_EVERY_FIRMWARE, ids=lambda scene: scene.__name__)
def test_in_protocol_2(built: Path, tmp_path: Path, scene: Callable[[FirmwareProcess], None]) -> None:
    scene(device(built, tmp_path, "keys"))


def test_noise_costs_no_session(built: Path, tmp_path: Path) -> None:
    hostile_scenes.noise_costs_no_session(device(built, tmp_path, "keys"), seed=1)


@pytest.mark.parametrize("seed", [2, 3])
def test_mutated_messages_are_judged_as_the_host_side_judges_them(built: Path, tmp_path: Path, seed: int) -> None:
    keys = device(built, tmp_path, "keys")
    judged_messages.mutated_messages_are_judged_as_the_host_side_judges_them(keys, seed, count=400)


def test_a_store_that_cannot_be_written_is_said(built: Path, tmp_path: Path) -> None:
    keys = device(built, tmp_path, "keys")
    hostile_scenes.a_store_that_cannot_be_written_is_said(keys, lambda: keys.say("wear"))
