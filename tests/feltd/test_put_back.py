"""A record that was put back to an older state, by what a device remembers: play stops until a person accepts it."""

import asyncio
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from feltd.page.access.roles import Role
from feltd.page.opening import unwell
from feltd.record import HostEntry, Source
from feltd.record.jumps import gone_body, jump_body, jump_words
from feltd.table.journal import Journal
from feltd.table.workshop.workshop import Workshop
from feltd.text.catalogue import device_fault
from feltd.text.language import Language, speaking
from firmware_bridge.link import Jump, ResumePoint
from table_fsm.events import Tick
from tests.feltd.page_support import Browser
from tests.feltd.table_support import KEY
from tests.feltd.test_api_devices import DEVICES, STATES, Bench, identity

BOOT, LATER = b"bootboot", b"laterone"
SAME_BOOT = Jump(ResumePoint(BOOT, 2), ResumePoint(BOOT, 6), ResumePoint(BOOT, 5), known=False)
RESTARTED = Jump(ResumePoint(BOOT, 2), ResumePoint(b"this one", 1), ResumePoint(LATER, 3), known=False)
WORDS = "the record was put back to an older state"


class Table(Bench):
    """A table whose devices have a session, as their links say it."""

    def session(self, device: str, serial: str | None = None) -> None:
        self.bridge.on_session(device, identity(device, serial))

    def tells(self, device: str, jump: Jump, serial: str | None = None) -> None:
        self.session(device, serial)
        self.bridge.on_jump(device, jump)

    def starts_again(self) -> Workshop:
        """What a start makes of the record."""
        asyncio.run(self.page.bench.synced())
        workshop = self.page.workshop
        return Workshop((), {}, workshop.keeper, self.bridge, workshop.journal)

    def accepts(self, device: str) -> None:
        assert self.technician.post(f"{DEVICES}/{device}/accept").status_code == 200

    def jumps(self) -> list[dict[str, Any]]:
        asyncio.run(self.page.bench.synced())
        return [json.loads(row.body) for row in self.page.bench.journal.reader.host_entries(HostEntry.JUMP)]

    def gates(self) -> list[Mapping[str, Any]]:
        return [args for name, args in self.posts if name == "gate"]


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Table]:
    made = Table(tmp_path, monkeypatch)
    yield made
    made.page.close()


@pytest.mark.parametrize("jump", [SAME_BOOT, RESTARTED])
def test_play_stops_until_a_person_accepts_it(table: Table, jump: Jump) -> None:
    before = table.page.state()
    table.tells("shoe", jump)
    assert table.jumps() == [jump_body("shoe", jump.held, jump.coming, jump.acknowledged, put_back=True)]
    state = table.page.state()
    assert state["stopped"] == "The record was put back to an older state"
    assert (state["band"]["level"], state["band"]["words"]) == ("stopped", state["stopped"])
    assert state["prompt"].startswith(f"{state['stopped']}. Stop dealing.")
    assert table.gates()[-1] == {"locked": True}
    assert table.last("display")["lines"][0].startswith("PLAY STOPS")
    assert table.last("lamps")["stop"] is True
    assert WORDS in str(table.device("shoe")["missing"])
    assert asyncio.run(unwell(table.page.door)) == "the record of the table was put back to an older state"

    table.accepts("shoe")
    after = table.page.state()
    assert (after["stopped"], after["band"], after["prompt"]) == (None, before["band"], before["prompt"])
    assert not table.last("display")["lines"] or "PLAY STOPS" not in table.last("display")["lines"][0]
    assert table.jumps()[-1]["device"] == "shoe"
    assert "accepted" in table.jumps()[-1]
    assert asyncio.run(unwell(table.page.door)) is None


def test_what_devices_report_meanwhile_is_recorded(table: Table) -> None:
    table.tells("shoe", SAME_BOOT)
    table.says("keys", 1, key="floor")
    asyncio.run(table.page.bench.synced())
    assert table.page.bench.journal.resume_points()["keys"] == (BOOT, 1)


def test_each_device_that_tells_it_is_accepted_by_itself(table: Table) -> None:
    for device in ("shoe", "keys"):
        table.tells(device, RESTARTED)
    table.accepts("shoe")
    assert table.page.state()["stopped"] is not None
    table.accepts("keys")
    assert table.page.state()["stopped"] is None


def test_it_stands_over_a_start_and_goes_on_record_once(table: Table) -> None:
    table.tells("shoe", RESTARTED)
    table.starts_again()
    assert table.bridge.indicating.put_back
    again = Jump(RESTARTED.held, ResumePoint(b"and this", 1), RESTARTED.acknowledged, known=False)
    table.tells("shoe", again)  # the device restarts, and tells the same
    assert len(table.jumps()) == 1


def test_what_a_person_has_accepted_is_not_told_anew_before_the_device_has_an_event(table: Table) -> None:
    table.tells("shoe", RESTARTED)
    table.accepts("shoe")
    workshop = table.starts_again()
    assert not table.bridge.indicating.put_back
    again = Jump(RESTARTED.held, ResumePoint(b"and this", 1), RESTARTED.acknowledged, known=False)
    workshop.jumped(table.bridge.slots["shoe"], again)
    assert (table.bridge.indicating.put_back, table.bridge.slots["shoe"].missing) == (False, None)
    further = Jump(ResumePoint(LATER, 1), again.coming, ResumePoint(LATER, 3), known=False)
    workshop.jumped(table.bridge.slots["shoe"], further)
    assert table.bridge.indicating.put_back, "put back once more, to another state"


NO_SIGN: Mapping[str, Jump] = {
    "protocol 1: no word of what was acknowledged": Jump(ResumePoint(BOOT, 2), ResumePoint(BOOT, 6), None),
    "a new record": Jump(None, ResumePoint(LATER, 4), ResumePoint(LATER, 3), known=False),
    "the device lost events from its own store": Jump(
        ResumePoint(BOOT, 2), ResumePoint(BOOT, 6), ResumePoint(LATER, 9)
    ),
    "the device's own memory is the older, of this boot": Jump(
        ResumePoint(BOOT, 5), ResumePoint(BOOT, 7), ResumePoint(BOOT, 3), known=False
    ),
}


@pytest.mark.parametrize("why", NO_SIGN)
def test_what_else_explains_a_jump_stops_nothing(table: Table, why: str) -> None:
    table.tells("shoe", NO_SIGN[why])
    assert table.device("shoe")["missing"] is not None
    assert table.page.state()["stopped"] is None
    assert "put_back" not in table.jumps()[-1]


def test_another_device_from_another_table_stops_nothing(table: Table) -> None:
    slot = table.bridge.slots["shoe"]
    table.tells("shoe", RESTARTED, serial="SN-of-table-9")
    assert table.page.state()["stopped"] is None
    table.bridge.on_up("shoe", identity("shoe", "SN-of-table-9"), STATES["shoe"])
    assert slot.replaced == "SN-shoe"
    slot.jump = None  # over a start: nobody has accepted the device yet
    table.tells("shoe", RESTARTED, serial="SN-of-table-9")
    assert table.page.state()["stopped"] is None
    table.accepts("shoe")
    slot.jump = None
    table.tells("shoe", RESTARTED, serial="SN-of-table-9")  # it has reported nothing yet
    assert table.page.state()["stopped"] is None


@pytest.mark.parametrize("rounds_end", [False, True])
def test_a_device_whose_own_memory_is_older_stops_nothing(table: Table, rounds_end: bool) -> None:
    """It remembers a boot of which the record has events, and of a later one too."""
    journal = table.page.bench.journal
    journal.append_event(Tick(t=1.0), source=Source("shoe", LATER, 3), round_number=0, rulebook_digest=None)
    if rounds_end:
        journal.append_snapshot("{}", round_number=0, rulebook_digest=None)
    asyncio.run(table.page.bench.synced())
    table.tells("shoe", RESTARTED)
    assert table.page.state()["stopped"] is None
    assert table.device("shoe")["missing"] is not None


def test_of_boots_the_record_knows_those_of_rounds_that_are_over(tmp_path: Path) -> None:
    journal = Journal.open(tmp_path / "table.journal", KEY)
    for number, boot in enumerate((BOOT, LATER), 1):
        journal.append_event(Tick(t=1.0 * number), source=Source("shoe", boot, 1), round_number=0, rulebook_digest=None)
        journal.append_snapshot("{}", round_number=0, rulebook_digest=None)
    journal.flush_blocking(10)
    assert journal.reader.holds_boot("shoe", BOOT)
    assert journal.reader.holds_boot("shoe", LATER)
    assert not journal.reader.holds_boot("shoe", b"never se")
    journal.close()


def test_tests_of_devices_wait_too(table: Table) -> None:
    table.test_mode()
    table.tells("shoe", RESTARTED)
    answer = table.technician.post(f"{DEVICES}/indicators/test", {"test": "lamp", "lamp": "play"})
    assert answer.status_code == 409
    assert WORDS in answer.json()["detail"]


def test_only_who_cares_for_devices_accepts_it(table: Table) -> None:
    table.tells("shoe", RESTARTED)
    observer = Browser(table.page, table.page.session(Role.OBSERVER))
    assert observer.post(f"{DEVICES}/shoe/accept").status_code == 403
    assert table.page.state()["stopped"] is not None


@pytest.mark.parametrize("put_back", [False, True])
@pytest.mark.parametrize("jump", [SAME_BOOT, *NO_SIGN.values()])
def test_what_is_said_of_it_is_said_in_german_too(jump: Jump, put_back: bool) -> None:
    english = jump_words(jump_body("reader:board", jump.held, jump.coming, jump.acknowledged, put_back=put_back))
    with speaking(Language.GERMAN):
        german = device_fault(english)
    assert german.startswith("reader:board: das Protokoll ")
    assert ("Spiel ist gestoppt" in german) is put_back
    assert jump.coming.boot_id.hex() in german


def test_that_the_record_is_gone_is_said_in_german_too() -> None:
    with speaking(Language.GERMAN):
        assert device_fault(jump_words(gone_body("shoe"))).startswith("shoe: dieser Tisch kannte Geräte, bevor")


def test_what_stops_play_stands_whatever_else_the_device_tells(table: Table) -> None:
    table.tells("shoe", SAME_BOOT)
    further = Jump(ResumePoint(BOOT, 6), ResumePoint(BOOT, 9), None)  # a gap, as of protocol 1
    table.page.workshop.jumped(table.bridge.slots["shoe"], further)
    assert table.page.state()["stopped"] is not None
    table.accepts("shoe")
    assert table.page.state()["stopped"] is None
