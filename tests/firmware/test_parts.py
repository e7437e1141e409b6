"""The boards of parts: the mouth of a shoe on a modelled beam and a modelled chip, and the drawings of both boards."""

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import antennas_drawing, channels_drawing
from tests.firmware import scenes
from tests.firmware.reader_rig import Rig, build
from tests.firmware.support import FIRMWARE, FirmwareProcess, Session
from tests.firmware.test_c import can_build, has_sanitizers, make_device
from tests.firmware_bridge.support import KEY, run
from tests.parts_drawings import BOARDS, PICTURES, drawn, header_pin, lines_of

CARD, OTHER = "04a1b2c3d4e5f6", "05a1b2c3d4e5f4"
needs_compiler = pytest.mark.skipif(
    shutil.which("cc") is None or shutil.which("make") is None, reason="no C compiler: see .ci/run"
)


class Mouth(Rig):
    """The slot of a shoe, worked by the lines of `firmware/c/models/check_slot.c`."""

    def next(self) -> str:
        """What has happened next, and whether a fault holds the gate."""
        self.say("next")
        process = self._process
        assert process.stdout is not None
        return process.stdout.readline().strip()

    def draw(self, *chips: str, milliseconds: int = 60) -> None:
        """A card comes over the antenna, through the beam, and away."""
        self.say(*(f"lay {chip}" for chip in chips), "wait 20", "scan", "beam 1", f"wait {milliseconds}", "beam 0")
        self.say(*(f"take {chip}" for chip in chips), "wait 20")


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("slot"), checked=has_sanitizers(), program="check_slot")


@pytest.fixture
def mouth(program: Path) -> Iterator[Mouth]:
    with Mouth(program, "mfrc522") as mouth:
        yield mouth


@needs_compiler
def test_each_card_is_told_once_by_its_number(mouth: Mouth) -> None:
    mouth.draw(CARD)
    mouth.draw(OTHER)
    assert [mouth.next() for _ in range(3)] == [f"card {CARD} free clear", f"card {OTHER} free clear", "- free clear"]


@needs_compiler
def test_a_card_that_was_not_read_is_counted_without_a_number(mouth: Mouth) -> None:
    """The number of the card before it must not stand for it."""
    mouth.draw(CARD)
    mouth.draw()
    mouth.say("set gone 1")
    mouth.draw(OTHER)
    assert [mouth.next().split()[1] for _ in range(3)] == [CARD, "-", "-"]


@needs_compiler
def test_a_scan_that_began_before_a_card_had_left_names_no_other_card(mouth: Mouth) -> None:
    mouth.say(f"lay {CARD}", "scan", "beam 1", "wait 50", "start-scan", "wait 5", "beam 0", f"take {CARD}", "end-scan")
    mouth.say("wait 5", "beam 1", "wait 50", "beam 0")
    assert [mouth.next() for _ in range(2)] == [f"card {CARD} free clear", "card - free clear"]


@needs_compiler
def test_two_chips_at_once_are_a_double_feed_and_no_card_is_guessed(mouth: Mouth) -> None:
    mouth.draw(CARD, OTHER)
    assert [mouth.next() for _ in range(3)] == ["double_feed held clear", "card - held clear", "- held clear"]
    mouth.say("clear 1", "wait 20", "clear 0", "wait 20")
    assert mouth.next() == "cleared free clear"
    mouth.draw(CARD)
    assert mouth.next() == f"card {CARD} free clear"


@needs_compiler
def test_a_spark_is_no_card_and_a_card_torn_out_is_one(mouth: Mouth) -> None:
    mouth.draw(milliseconds=3)
    mouth.draw(CARD, milliseconds=5)
    assert mouth.next() == f"card {CARD} free clear"
    assert mouth.next() == "- free clear"


@needs_compiler
def test_a_card_that_sticks_holds_the_gate_until_a_person_has_mended_it(mouth: Mouth) -> None:
    mouth.say(f"lay {CARD}", "scan", "beam 1", "wait 1499")
    assert mouth.next() == "- free blocked"
    mouth.say("wait 1")
    assert mouth.next() == "jam held blocked"
    mouth.say("clear 1", "wait 20", "clear 0", "wait 20")
    assert mouth.next() == "- held blocked", "the key mends nothing while the card sticks there"
    mouth.say("beam 0", "wait 5")
    assert mouth.next() == f"card {CARD} held clear"
    mouth.say("clear 1", "wait 20", "clear 0", "wait 20")
    assert mouth.next() == "cleared free clear"


@needs_compiler
def test_a_beam_that_is_dead_from_the_start_is_a_jam_and_no_card(mouth: Mouth) -> None:
    mouth.say("beam 1", "wait 5000")
    assert [mouth.next() for _ in range(2)] == ["jam held blocked", "- held blocked"]


@needs_compiler
def test_a_key_that_bounces_says_once_that_a_pack_is_in(mouth: Mouth) -> None:
    for level in (1, 0, 1, 0, 1):
        mouth.say(f"shuffled {level}", "wait 2")
    mouth.say("wait 20", "shuffled 0", "wait 20")
    assert [mouth.next() for _ in range(2)] == ["shuffled free clear", "- free clear"]


@needs_compiler
def test_cards_forced_past_a_gate_that_holds_are_never_lost_in_silence(mouth: Mouth) -> None:
    for _ in range(12):
        mouth.draw()
    told = [mouth.next().split()[0] for _ in range(9)]
    assert told == ["card"] * 6 + ["jam", "-", "-"]


@needs_compiler
@pytest.mark.parametrize("part", ["slot", "servo"])
def test_mouth_and_gate_ask_for_nothing_that_a_microcontroller_has_not(tmp_path: Path, part: str) -> None:
    source, made = FIRMWARE / f"c/boards/parts/{part}.c", tmp_path / "part.o"
    subprocess.run(["cc", "-std=c11", "-Os", "-ffreestanding", "-c", "-o", str(made), str(source)], check=True)
    undefined = subprocess.run(["nm", "-u", str(made)], capture_output=True, text=True, check=True).stdout.split()
    assert set(undefined) - {"U"} <= {"memcpy", "memset", "memcmp", "_GLOBAL_OFFSET_TABLE_", "__stack_chk_fail"}


class Gate(Rig):
    """A gate whose servo is a model, worked by the lines of `firmware/c/models/check_servo.c`."""

    def look(self) -> tuple[int, bool, int]:
        """Where the servo is, by the pulse that holds it there; whether it is driven; milliseconds against a card."""
        self.say("look")
        process = self._process
        assert process.stdout is not None
        place, driven, against = process.stdout.readline().split()
        return int(place), driven == "driven", int(against)


@pytest.fixture(scope="module")
def servo_program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("servo"), checked=has_sanitizers(), program="check_servo")


@pytest.fixture
def gate(servo_program: Path) -> Iterator[Gate]:
    with Gate(servo_program, "") as gate:
        yield gate


@needs_compiler
@pytest.mark.parametrize(("locked", "opened"), [(1000, 1900), (2200, 800)])
def test_a_servo_goes_to_its_places_and_is_let_go(gate: Gate, locked: int, opened: int) -> None:
    """At power-up it locks, wherever it stood."""
    gate.say(f"start {locked} {opened}", "wait 100")
    assert gate.look()[1]
    gate.say("wait 420")
    assert gate.look() == (locked, False, 0)
    for level, place in ((1, opened), (0, locked), (1, opened)):
        gate.say(f"gate {level}", "wait 100")
        assert gate.look()[1]
        gate.say("wait 420")
        assert gate.look() == (place, False, 0)
    gate.say("wait 100000")
    assert gate.look() == (opened, False, 0)


@needs_compiler
def test_a_bar_that_comes_down_gets_there_before_it_opens_again(gate: Gate) -> None:
    gate.say("start 1000 1900", "wait 600", "gate 1", "wait 600", "gate 0", "wait 20", "gate 1", "wait 400")
    assert gate.look() == (1000, True, 0)
    gate.say("wait 600")
    assert gate.look() == (1900, False, 0)


@needs_compiler
def test_a_bar_does_not_come_down_on_a_card(gate: Gate) -> None:
    gate.say("start 1000 1900", "wait 600", "gate 1", "wait 600", "card 1", "gate 0", "wait 5000")
    assert gate.look() == (1900, False, 0)
    gate.say("card 0", "wait 600")
    assert gate.look() == (1000, False, 0)


@needs_compiler
def test_a_bar_that_met_a_card_is_let_go_and_comes_down_after_it(gate: Gate) -> None:
    """A servo that is held against something burns out."""
    gate.say("start 1000 1900", "wait 600", "gate 1", "wait 600", "gate 0", "wait 40", "card 1", "wait 5000")
    place, driven, against = gate.look()
    assert (place > 1400, driven, against <= 500) == (True, False, True)
    gate.say("card 0", "wait 600")
    assert gate.look()[:2] == (1000, False)


@needs_compiler
@pytest.mark.parametrize("places", ["65535 65535", "1000 1000", "400 1900", "1000 2600"])
def test_without_two_places_there_is_no_servo(gate: Gate, places: str) -> None:
    gate.say(f"start {places}", "wait 100", "gate 1", "wait 100")
    assert gate.look() == (1500, False, 0)


@pytest.fixture(scope="module")
def shoe(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_device("shoe_of_chips", tmp_path_factory.mktemp("shoe_of_chips"))


@pytest.mark.skipif(not can_build(), reason="no C compiler with libsodium: see .ci/run")
def test_a_shoe_from_parts_tells_its_table_what_its_mouth_sees(shoe: Path, tmp_path: Path) -> None:
    """From bits in the air to events in a session: cards by number, one that was not read, a double feed, a jam."""
    (tmp_path / "key").write_bytes(KEY)
    (tmp_path / "serial").write_text("shoe-1\n", encoding="ascii")
    device = FirmwareProcess([str(shoe)], tmp_path)

    def draw(*chips: str, milliseconds: int = 60) -> None:
        device.say(*(f"lay - {chip}" for chip in chips), "wait 20", "beam 1", f"wait {milliseconds}", "beam 0")
        device.say("wait 20", *(f"take - {chip}" for chip in chips), "wait 20")

    async def scene() -> None:
        session = Session(device, "shoe")
        await session.until(lambda: bool(session.journal.ups))
        session.link.post("gate", {"locked": False})
        device.say("shuffled 1", "wait 20", "shuffled 0", "wait 20")
        await session.until(lambda: len(session.events) == 1)
        draw(CARD)
        await session.until(lambda: len(session.events) == 2)
        draw()
        await session.until(lambda: len(session.events) == 3)
        assert await session.link.read_state() == {"locked": False, "faults": []}
        draw(CARD, OTHER)
        await session.until(lambda: len(session.events) == 5)
        assert await session.link.read_state() == {"locked": True, "faults": [{"kind": "double_feed"}]}
        device.say("clear 1", "wait 20", "clear 0", "wait 20")
        await session.until(lambda: len(session.events) == 6)
        device.say("beam 1", "wait 1600")
        await session.until(lambda: len(session.events) == 7)
        assert await session.link.read_state() == {"locked": True, "faults": [{"kind": "jam"}]}
        out = {"ev": "card_out", "face": "down"}
        assert list(session.events) == [
            {"ev": "shuffled"},
            {**out, "card": bytes.fromhex(CARD)},
            {**out, "card": None},
            {"ev": "fault", "kind": "double_feed"},
            {**out, "card": None},
            {"ev": "cleared", "kind": "double_feed"},
            {"ev": "fault", "kind": "jam"},
        ]
        assert session.journal.downs == []
        await session.close()

    with scenes.powered(device):
        run(scene(), jumping=False)


@pytest.mark.parametrize("board", BOARDS)
def test_a_drawing_shows_the_lines_that_the_firmware_uses(board: str) -> None:
    """`python -m tests.parts_drawings` draws them anew."""
    assert (PICTURES / f"parts-{board}.svg").read_text(encoding="utf-8") == drawn(board)


@pytest.mark.parametrize("board", BOARDS)
def test_each_line_of_a_board_is_a_pin_of_the_header_once(board: str) -> None:
    pins = [header_pin(line.gpio) for line in lines_of(board)]
    assert len(pins) > 8
    assert len(set(pins)) == len(pins)


def test_the_drawing_of_a_tca9548a_shows_the_channels_that_the_firmware_uses() -> None:
    """`python -m tests.parts_drawings` draws them anew."""
    drawing = (PICTURES / "parts-channels.svg").read_text(encoding="utf-8")
    assert drawing == channels_drawing.drawn()
    rows = channels_drawing.channels()
    assert [row.channel for row in rows] == list(range(8))
    for row in rows:
        assert f">SD{row.channel} ({row.data}), SC{row.channel} ({row.clock})<" in drawing


def test_the_drawing_of_the_antennas_shows_the_ways_that_the_firmware_uses() -> None:
    """`python -m tests.parts_drawings` draws them anew."""
    drawing = (PICTURES / "parts-antennas.svg").read_text(encoding="utf-8")
    assert drawing == antennas_drawing.drawn()
    assert [way.way for way in antennas_drawing.ways()] == list(range(16))
    assert len({way.pin for way in antennas_drawing.ways()}) == 16
    for way in antennas_drawing.ways():
        assert f">C{way.way} ({way.pin})<" in drawing
        assert f">S3…S0 = {way.way:04b}<" in drawing


def test_the_page_gives_each_reader_its_zones_in_the_order_of_the_drawing() -> None:
    page = (PICTURES.parent / "build.md").read_text(encoding="utf-8")
    for name, zones in antennas_drawing.ZONES.items():
        [said] = re.findall(rf"settings\.py {name}\.key SN-R\d {name}\.bin (.*)", page)
        assert tuple(zone.removesuffix("=up") for zone in said.split()) == zones


@pytest.mark.parametrize(
    ("row", "wrong", "words"),
    [
        ("PIN(SHOE_GATE, 7,", "PIN(SHOE_GATE, 6,", "the shoe's board stands twice"),
        ("ANTENNA(3, 3,", "ANTENNA(3, 4,", "a way of the reader's switch stands twice"),
        ("ANTENNA(15, 15,", "ANTENNA(15, 16,", "the reader's switch has no such way"),
        ("CHANNEL(3, 3,", "CHANNEL(3, 4,", "a channel of the TCA9548A stands twice"),
        ("CHANNEL(7, 7, 19,", "CHANNEL(7, 7, 18,", "a pin of the TCA9548A stands twice"),
        ("PIN(TCA_SCL, 7,", "PIN(TCA_SCL, 6,", "a line of the board with a TCA9548A stands twice"),
        ("PIN(READER_WAY_3, 13,", "PIN(READER_WAY_3, 22,", "lines of the switch must follow one another"),
    ],
)
def test_the_compiler_refuses_a_table_that_joins_two_parts(tmp_path: Path, row: str, wrong: str, words: str) -> None:
    if shutil.which("cc") is None:
        pytest.skip("no C compiler: see .ci/run")
    table = (FIRMWARE / "c/boards/parts/pins.h").read_text(encoding="utf-8")
    assert row in table
    (tmp_path / "pins.c").write_text(table.replace(row, wrong), encoding="utf-8")
    wrong = str(tmp_path / "pins.c")
    said = subprocess.run(["cc", "-std=c11", "-fsyntax-only", str(wrong)], capture_output=True, text=True, check=False)
    assert words in said.stderr
