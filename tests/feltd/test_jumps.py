"""Events of a device that the record lacks: an entry, an alarm until a person accepts it, told by `verify`."""

import json
import lzma
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from feltd.cli import cli
from feltd.record import HostEntry, JournalReader, Source
from feltd.record.findings import Verification
from feltd.record.jumps import ToldJumps, gone_body, jump_body, jump_words
from feltd.record.notes import BAD_MESSAGE_NOTE
from feltd.record.verify import verify
from feltd.table.journal import Journal
from feltd.table.workshop.workshop import Workshop
from firmware_bridge.link import Jump, ResumePoint
from table_fsm.events import Tick
from tests.feltd.test_api_devices import DEVICES, Bench

KEY = bytes(range(32))
BOOT, OTHER = b"bootboot", b"another."
JUMP = Jump(ResumePoint(BOOT, 2), ResumePoint(BOOT, 6), ResumePoint(BOOT, 5))
SAID = [
    "shoe: the record ended with its event 2 of boot 626f6f74626f6f74; its next is 6 of boot 626f6f74626f6f74, and "
    "event 5 of boot 626f6f74626f6f74 was acknowledged to it: events are missing, "
    "or the record was put back to an older state"
]


class Written:
    """A journal that devices' events are written to, by their numbers."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "table.journal"
        self.journal = Journal.open(self.path, KEY)
        self._t = 0.0

    def event(self, seq: int, boot_id: bytes = BOOT, device: str = "shoe") -> int:
        self._t += 1.0
        source = Source(device, boot_id, seq)
        return self.journal.append_event(Tick(t=self._t), source=source, round_number=0, rulebook_digest=None)

    def verified(self) -> Verification:
        self.journal.flush_blocking(10)
        with JournalReader.open(self.path, KEY) as reader:
            return verify(reader)


@pytest.fixture
def written(tmp_path: Path) -> Iterator[Written]:
    made = Written(tmp_path)
    yield made
    made.journal.close()


def test_a_record_without_gaps_has_no_jumps(written: Written) -> None:
    for seq in (7, 8, 9):  # a record may begin with any event of a device
        written.event(seq)
    for seq in (1, 2):
        written.event(seq, OTHER)
        written.event(seq, device="keys")
    assert (written.verified().jumps, written.verified().sound) == ((), True)


def test_a_gap_is_told_at_its_entry(written: Written) -> None:
    written.event(1)
    at = written.event(4)
    other = written.event(3, OTHER)
    outcome = written.verified()
    assert outcome.sound
    assert [(jump.seq, jump.text) for jump in outcome.jumps] == [
        (at, "shoe: its events 2 to 3 of boot 626f6f74626f6f74 are not in the record, and no entry says why"),
        (other, "shoe: its events 1 to 2 of boot 616e6f746865722e are not in the record, and no entry says why"),
    ]


def test_a_gap_that_an_entry_tells_of_is_told_by_it_alone(written: Written) -> None:
    written.event(2)
    at = written.journal.append_jump(jump_body("shoe", JUMP.held, JUMP.coming, JUMP.acknowledged))
    written.event(6)
    written.journal.append_jump({"device": "shoe", "accepted": "ada"})
    assert [(jump.seq, jump.text) for jump in written.verified().jumps] == [(at, SAID[0])]


def test_the_command_lists_jumps_and_calls_the_record_sound(written: Written) -> None:
    written.event(1)
    at = written.event(3)
    written.journal.flush_blocking(10)
    result = CliRunner().invoke(cli, ["journal", "verify", str(written.path)])
    assert result.exit_code == 0
    assert f"table.journal: entry {at}: jump: shoe: its events 2 to 2 of boot" in result.output
    assert "entries, sound" in result.output


def test_messages_recorded_as_one_are_no_gap(written: Written) -> None:
    written.event(1)
    written.journal.append_note(BAD_MESSAGE_NOTE, {"fault": "no card", "times": 5})
    written.event(6)
    written.journal.append_note(BAD_MESSAGE_NOTE, {"fault": "no card", "times": 5})
    at = written.event(12)
    assert [jump.seq for jump in written.verified().jumps] == [at]


def test_a_record_of_the_edition_before_is_read_and_has_no_jumps(tmp_path: Path) -> None:
    kept = Path(__file__).with_name("editions") / "record-1" / "table.journal.xz"
    (tmp_path / "table.journal").write_bytes(lzma.decompress(kept.read_bytes()))
    with JournalReader.open(tmp_path / "table.journal") as reader:
        outcome = verify(reader)
        assert ToldJumps(reader.host_entries(HostEntry.JUMP)).standing == {}
    assert (outcome.sound, outcome.jumps) == (True, ())
    assert outcome.entries > 500


def test_that_the_record_before_is_gone_is_listed(written: Written) -> None:
    at = written.journal.append_jump(gone_body("shoe"))
    outcome = written.verified()
    assert [(jump.seq, jump.text) for jump in outcome.jumps] == [(at, jump_words(gone_body("shoe")))]
    assert outcome.sound
    with JournalReader.open(written.path, KEY) as reader:
        assert ToldJumps(reader.host_entries(HostEntry.JUMP)).put_back == ("shoe",)


def test_what_stands_is_what_nobody_has_accepted(written: Written) -> None:
    def stands() -> dict[str, str]:
        written.journal.flush_blocking(10)
        with JournalReader.open(written.path, KEY) as reader:
            told = ToldJumps(reader.host_entries(HostEntry.JUMP)).standing
            return {device: jump_words(body) for device, body in told.items()}

    body = jump_body("shoe", None, JUMP.coming, None)
    written.journal.append_jump(body)
    written.journal.append_jump(jump_body("keys", JUMP.held, JUMP.coming, None))
    assert stands()["shoe"] == jump_words(body)
    written.journal.append_jump({"device": "keys", "accepted": "ada"})
    assert list(stands()) == ["shoe"]
    changed: list[dict[str, Any]] = [
        {"device": "shoe", "coming": "nonsense"},
        {"device": ["shoe"], "accepted": "ada"},
        {**body, "coming": [BOOT.hex(), [1]]},
        {**body, "held": 7},
        {**body, "coming": None},
        {},
    ]
    for wrong in changed:
        written.journal.append_jump(wrong)
    assert stands()["shoe"] == jump_words(body)
    assert len(written.verified().jumps) == 2


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    made = Bench(tmp_path, monkeypatch)
    yield made
    made.page.close()


def jumps(bench: Bench) -> list[dict[str, Any]]:
    journal = bench.page.bench.journal
    journal.flush_blocking(10)
    rows = journal.reader.host_entries(HostEntry.JUMP)
    return [json.loads(row.body) for row in rows]


def test_the_alarm_is_recorded_once_and_stays_until_a_person_accepts_it(bench: Bench) -> None:
    assert not bench.bridge.indicating.troubled
    for _ in range(3):  # it comes again with each session
        bench.bridge.on_jump("shoe", JUMP)
    assert jumps(bench) == [jump_body("shoe", JUMP.held, JUMP.coming, JUMP.acknowledged)]
    assert bench.device("shoe")["missing"] == SAID[0]
    assert bench.device("keys")["missing"] is None
    assert bench.bridge.indicating.troubled
    assert "put back" in bench.page.state()["faults"][0]["text"]

    slots = bench.bridge.slots
    slots["shoe"].missing = None  # a start: what nobody has accepted is told again
    workshop = bench.page.workshop
    Workshop((), {}, workshop.keeper, bench.bridge, workshop.journal)
    assert slots["shoe"].missing == SAID[0]

    assert bench.technician.post(f"{DEVICES}/shoe/accept").status_code == 200
    assert bench.device("shoe")["missing"] is None
    assert not bench.bridge.indicating.troubled
    assert len(jumps(bench)) == 2
    assert "accepted" in jumps(bench)[-1]
    assert bench.by_hand()[-1]["what"] == "device.accepted"
    assert bench.technician.post(f"{DEVICES}/shoe/accept").status_code == 409
