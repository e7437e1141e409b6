"""The technician's side of the API: how devices are, tests, keys, another device in a place. No card, no key shown."""

import asyncio
import sys
from collections.abc import Iterator, Mapping
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from feltd.door import Person
from feltd.door.together import StepKind
from feltd.installed.manifest import PLACE
from feltd.page.access.roles import Role
from feltd.record import JournalReader, Span
from feltd.record.notes import BY_HAND_NOTE
from feltd.table.workshop.device_keys import old_key
from feltd.table.workshop.workshop import REPLACED_NOTE
from feltd.text.board import BoardTrouble
from firmware_bridge.errors import FaultCode, LinkFault
from firmware_bridge.facts import DeviceIdentity
from table_fsm.events import CardPlaced, ShoeCard, ShoeDeckChecked, ShoeShuffled, TestMode
from tests.feltd.installed_support import MAKER, installed, public
from tests.feltd.page_support import Browser, Page

DEVICES = "/api/v1/devices"
STATES: Mapping[str, Mapping[str, Any]] = {
    "shoe": {"locked": True, "faults": []},
    "reader:board": {"zones": {"board:1": []}, "collecting": False},
    "indicators": {"lamps": {}, "display": []},
    "keys": {"testing": False},
    "badge": {},
}


def identity(name: str, serial: str | None = None) -> DeviceIdentity:
    return DeviceIdentity(name.partition(":")[0], serial or f"SN-{name}", "1.4", 1, b"bootboot", persistent=True)


class Bench:
    """A table whose devices are there: what they would say is said here, what they are told is noted."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.posts: list[tuple[str, Mapping[str, Any]]] = []
        self.page = asyncio.run(self._made(folder, monkeypatch))
        self.technician = Browser(self.page, self.page.session(Role.TECHNICIAN))

    async def _made(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Page:
        page = Page(folder)
        page.bench.open_table()
        for name, slot in page.workshop.bridge.slots.items():
            monkeypatch.setattr(slot.link, "post", lambda post, args: self.posts.append((post, dict(args))))
            page.workshop.bridge.on_up(name, identity(name), STATES[name])
        await page.bench.synced()
        return page

    @property
    def bridge(self) -> Any:
        return self.page.workshop.bridge

    def approved(self, device: str) -> None:
        """A second person has approved another key for this device (`test_together` has how)."""
        together = self.page.workshop.together
        self.page.session(Role.TECHNICIAN, "tess")
        asker, second = (Person(name, name, "technician", "127.0.0.1") for name in ("technician", "tess"))
        together.approve(second, together.ask(asker, StepKind.DEVICE_KEY, device, "it was replaced").number)

    def test_mode(self, on: bool = True) -> None:
        self.page.bench.take(TestMode, on=on)

    def says(self, device: str, seq: int, **body: Any) -> None:
        self.bridge.on_event(device, b"bootboot", seq, body)

    def seen(self) -> dict[str, Any]:
        return dict(self.technician.get(DEVICES).json())

    def device(self, name: str) -> dict[str, Any]:
        return next(one for one in self.seen()["devices"] if one["name"] == name)

    def last(self, post: str) -> Mapping[str, Any]:
        return [args for name, args in self.posts if name == post][-1]

    def notes(self) -> list[dict[str, Any]]:
        asyncio.run(self.page.bench.synced())
        with JournalReader.open(self.page.bench.journal.path) as reader:
            return [entry.body for entry in reader.entries(Span(name="note"))]

    def by_hand(self) -> list[dict[str, Any]]:
        return [note for note in self.notes() if note["note"] == BY_HAND_NOTE]

    def events(self, name: str) -> list[dict[str, Any]]:
        asyncio.run(self.page.bench.synced())
        with JournalReader.open(self.page.bench.journal.path) as reader:
            return [entry.body for entry in reader.entries(Span(name=name))]


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    made = Bench(tmp_path, monkeypatch)
    yield made
    made.page.close()


# ---- how they are


def test_the_program_is_told_with_its_manifest_and_who_signed_it(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prefix = installed(tmp_path / "root")
    monkeypatch.setattr(sys, "prefix", str(prefix))
    told = bench.seen()["program"]
    assert told["version"] == version("feltd")
    assert told["package"] == {
        "manifest": sha256((prefix / PLACE).read_bytes()).hexdigest(),
        "signature": "signed",
        "key": public(MAKER),
    }
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "a-checkout"))
    assert bench.seen()["program"]["package"] is None


def test_anybody_who_may_look_sees_how_the_devices_are(bench: Bench) -> None:
    told = Browser(bench.page, bench.page.session(Role.OBSERVER)).get(DEVICES)
    assert told.status_code == 200
    assert told.headers["cache-control"] == "no-store"
    assert [one["name"] for one in told.json()["devices"]] == ["shoe", "reader:board", "indicators", "keys", "badge"]
    outside = Browser(bench.page, address="10.0.0.9").get(DEVICES)
    assert outside.status_code == 401


def test_a_device_shows_who_it_says_it_is_and_how_it_fares(bench: Bench) -> None:
    bench.bridge.on_status("shoe", {"up_ms": 61500, "mv": 5010, "temp": 415, "free": 20480, "waiting": 0, "note": "ok"})
    shoe = bench.device("shoe")
    assert shoe["identity"] == {"serial": "SN-shoe", "says_firmware": "1.4", "protocol": 1, "keeps_events": True}
    assert shoe["link"]["since"] == bench.page.bench.time.wall
    assert shoe["status"] == {
        "wall": bench.page.bench.time.wall, "says_up_seconds": 61.5, "millivolts": 5010, "celsius": 41.5,
        "free_bytes": 20480, "waiting_events": 0, "note": "ok",
    }  # fmt: skip
    assert bench.device("reader:board")["watches"] == ["board:1"]
    assert bench.device("keys")["status"] is None


def test_a_fault_is_shown_with_its_remedy_and_stays_when_the_device_is_back(bench: Bench) -> None:
    slot = bench.bridge.slots["shoe"]
    fault = LinkFault(FaultCode.UNKNOWN_DEVICE, "the device has serial number S9, this slot is for S1")
    slot.link.fault = fault
    bench.page.bench.time.pass_(10)
    bench.bridge.on_down("shoe", fault)
    shown = bench.device("shoe")["link"]
    assert shown["fault"]["code"] == "unknown_device"
    assert "write its serial number at [[device]] shoe" in shown["fault"]["remedy"]
    assert shown["since"] == bench.page.bench.time.wall
    slot.link.fault = None
    bench.bridge.on_up("shoe", identity("shoe"), STATES["shoe"])
    shown = bench.device("shoe")["link"]
    assert shown["fault"] is None
    assert shown["last_fault"]["text"].startswith("the device has serial number S9")


def test_the_frames_before_a_fault_are_shown_by_their_sizes_alone(bench: Bench) -> None:
    link = bench.bridge.slots["shoe"].link
    link._trail.received(None, 6)
    bench.bridge.on_down("shoe", LinkFault(FaultCode.SILENT, "silent"))
    [frame] = bench.device("shoe")["link"]["last_fault"]["frames"]
    assert (frame["sent"], frame["kind"], frame["bytes"]) == (False, "no frame", 6)
    assert set(frame) == {"seconds_before", "sent", "kind", "bytes"}


def test_board_and_record_are_told_and_their_bytes_in_whole_mebibytes(bench: Bench) -> None:
    told = bench.seen()
    assert (told["record"]["bytes"] % 2**20, told["board"]["disk_free_bytes"] % 2**20) == (0, 0)
    assert told["record"]["state"] == "running"
    assert told["record"]["bytes"] > 0
    assert told["board"]["disk_free_bytes"] > 0
    assert told["board"]["clock_steps"] == 0
    bench.page.bench.time.wall += 90
    bench.page.bench.keeper.beat()
    assert (bench.seen()["board"]["clock_steps"], bench.seen()["board"]["last_clock_step"]) == (1, 90)


def test_what_is_wrong_with_the_board_is_named_with_its_remedy(bench: Bench) -> None:
    assert bench.seen()["board"]["troubles"] == []
    bench.page.door.board.take((BoardTrouble.SUPPLY_LOW,))
    [told] = bench.seen()["board"]["troubles"]
    assert (told["name"], told["words"]) == ("supply_low", BoardTrouble.SUPPLY_LOW.words)
    assert told["remedy"].startswith("Take the supply")
    assert any("supply is too low" in fault.text for fault in bench.page.door.now().faults)


# ---- tests


@pytest.mark.parametrize("role", [Role.OBSERVER, Role.SUPERVISOR, Role.DIRECTOR, Role.SURVEILLANCE])
def test_only_a_technician_tests_gives_keys_and_accepts(bench: Bench, role: Role) -> None:
    other = Browser(bench.page, bench.page.session(role))
    for path, body in (("test", {"test": "buzzer"}), ("key", {}), ("accept", None)):
        assert other.post(f"{DEVICES}/indicators/{path}", body).status_code == 403


def test_a_lamp_is_lit_and_is_as_it_should_be_when_the_test_is_over(bench: Bench) -> None:
    bench.test_mode()
    bench.bridge.indicating.set_again()
    before = dict(bench.last("lamps"))
    assert before["play"] is False  # nothing is played in test mode
    answer = bench.technician.post(f"{DEVICES}/indicators/test", {"test": "lamp", "lamp": "play"})
    assert answer.status_code == 200, answer.text
    assert answer.json()["seconds_left"] == 2
    assert answer.json()["passed"] is None
    assert bench.last("lamps")["play"] is True
    bench.page.timers.run_out()
    assert bench.last("lamps") == before
    assert bench.seen()["test"]["over"] == "its time is over"
    note = bench.by_hand()[-1]
    assert (note["who"], note["what"], note["device"], note["lamp"]) == (
        "technician", "device.test", "indicators", "play",
    )  # fmt: skip


def test_the_display_is_filled_and_then_shows_what_it_should(bench: Bench) -> None:
    bench.test_mode()
    bench.technician.post(f"{DEVICES}/indicators/test", {"test": "display"})
    assert bench.last("display")["lines"] == ["123456789012345678901234567890123456789"] * 4
    assert bench.technician.request("delete", f"{DEVICES}/indicators/test").status_code == 204
    assert bench.last("display")["lines"] == ["TEST MODE: devices are being tested.", "Deal nothing."]
    assert bench.seen()["test"]["over"] == "ended by hand"


def test_the_buzzer_sounds_once_more_each_time(bench: Bench) -> None:
    bench.test_mode()
    bench.technician.post(f"{DEVICES}/indicators/test", {"test": "buzzer"})
    first = bench.last("buzzer")
    bench.page.bench.time.pass_(1)
    bench.technician.post(f"{DEVICES}/indicators/test", {"test": "buzzer"})
    assert bench.last("buzzer")["pattern"] == first["pattern"] == "short"
    assert bench.last("buzzer")["n"] > first["n"]


def test_the_clock_runs_and_stands_again(bench: Bench) -> None:
    bench.test_mode()
    bench.technician.post(f"{DEVICES}/indicators/test", {"test": "clock"})
    assert bench.last("clock") == {"on": True, "seat": 1, "left": 5000}
    bench.page.timers.run_out()
    assert bench.last("clock") == {"on": False}


def test_of_a_tested_key_no_card_is_told(bench: Bench) -> None:
    bench.test_mode()
    bench.technician.post(f"{DEVICES}/keys/test", {"test": "listen"})
    bench.says("keys", 1, ev="deck_checked", count=51, missing=["Kd"], foreign=[], duplicate=[], x_note="Kd")
    told = bench.technician.get(DEVICES)
    assert [one["said"] for one in told.json()["test"]["seen"]] == [{"count": 51}]
    assert "Kd" not in told.text


def test_a_key_is_waited_for_and_its_press_is_no_press_at_the_table(bench: Bench) -> None:
    bench.test_mode()
    body = {"test": "listen", "expect": "deal_start"}
    assert bench.technician.post(f"{DEVICES}/keys/test", body).json()["passed"] is False
    bench.says("keys", 1, ev="floor_called", by="seat:3")
    assert bench.seen()["test"]["passed"] is False
    bench.says("keys", 2, ev="deal_start")
    told = bench.seen()["test"]
    assert told["passed"] is True
    assert [(one["event"], one["said"]) for one in told["seen"]] == [
        ("floor_called", {"by": "seat:3"}),
        ("deal_start", {}),
    ]
    assert bench.events("floor.called") == bench.events("deal.start") == []
    assert bench.page.bench.journal.resume_points()["keys"] == (b"bootboot", 2)  # named, so that it is forgotten there
    bench.page.timers.run_out()
    assert (bench.by_hand()[-1]["what"], bench.by_hand()[-1]["passed"]) == ("device.tested", True)
    bench.says("keys", 3, ev="floor_called")
    assert len(bench.events("floor.called")) == 1


def test_of_a_card_at_a_tested_reader_it_is_told_only_that_it_was_read(bench: Bench) -> None:
    bench.test_mode()
    bench.technician.post(f"{DEVICES}/reader:board/test", {"test": "listen"})
    bench.says("reader:board", 1, ev="placed", zone="board:1", card="Kd", face="down")
    bench.says("reader:board", 2, ev="removed", zone="board:1", card=None)
    told = bench.technician.get(DEVICES)
    assert [(one["event"], one["place"], one["read"]) for one in told.json()["test"]["seen"]] == [
        ("placed", "board:1", True), ("removed", "board:1", False),
    ]  # fmt: skip
    assert '"Kd"' not in told.text
    assert bench.events("card.placed") == []
    assert "Kd" not in str(bench.notes())


def test_a_message_that_breaks_the_rules_is_a_fault_in_a_test_too(bench: Bench) -> None:
    bench.test_mode()
    bench.technician.post(f"{DEVICES}/reader:board/test", {"test": "listen"})
    bench.says("reader:board", 1, ev="placed", zone="seat:9", card="Kd", face="down")
    assert bench.seen()["test"]["seen"] == []
    assert bench.page.bench.indicators.faults[-1][0] == "reader:board"


def test_the_key_that_ends_test_mode_ends_it_and_the_test(bench: Bench) -> None:
    bench.test_mode()
    bench.technician.post(f"{DEVICES}/keys/test", {"test": "listen"})
    bench.posts.clear()
    bench.says("keys", 1, ev="test_mode", on=False)
    told = bench.seen()
    assert told["test_mode"] is False
    assert told["test"]["over"] == "test mode ended"
    assert {name for name, _ in bench.posts} >= {"gate", "lamps", "display"}


def test_a_shuffle_for_the_next_round_ends_the_test(bench: Bench) -> None:
    bench.page.bench.take(ShoeDeckChecked, deck="blue", count=52)
    bench.test_mode()
    bench.technician.post(f"{DEVICES}/keys/test", {"test": "listen"})
    assert bench.page.workshop.tests.running is not None
    bench.page.bench.take(ShoeShuffled, deck="blue", count=52)
    assert bench.seen()["between_rounds"] is False
    assert bench.seen()["test"]["over"] == "a round began"


@pytest.mark.parametrize(
    ("device", "body", "why"),
    [
        ("indicators", {"test": "lamp", "lamp": "disco"}, 'indicators has no lamp "disco"; it has play'),
        ("indicators", {"test": "lamp"}, "name the lamp"),
        ("indicators", {"test": "display", "lamp": "play"}, "name the lamp"),
        ("indicators", {"test": "listen"}, "has nothing of the kind"),
        ("shoe", {"test": "listen"}, "has nothing of the kind"),
        ("keys", {"test": "listen", "expect": "card_out"}, 'keys never says "card_out"'),
    ],
)
def test_what_cannot_be_tested_is_refused_with_the_reason(
    bench: Bench, device: str, body: dict[str, Any], why: str
) -> None:
    bench.test_mode()
    answer = bench.technician.post(f"{DEVICES}/{device}/test", body)
    assert answer.status_code == 409
    assert why in answer.json()["detail"]
    assert [note for note in bench.by_hand() if note["what"] == "device.test"] == []


def test_nothing_is_tested_outside_test_mode_or_in_a_round(bench: Bench) -> None:
    answer = bench.technician.post(f"{DEVICES}/indicators/test", {"test": "buzzer"})
    assert (answer.status_code, answer.json()["detail"]) == (
        409, "devices are tested in test mode only: begin it first",
    )  # fmt: skip
    bench.page.bench.take(ShoeDeckChecked, deck="blue", count=52)
    bench.page.bench.take(ShoeShuffled, deck="blue", count=52)
    bench.page.bench.take(ShoeCard, card="Kd", deck="blue")
    bench.page.bench.take(CardPlaced, zone="seat:1", card="Kd", face="down")
    bench.test_mode()
    answer = bench.technician.post(f"{DEVICES}/indicators/test", {"test": "buzzer"})
    assert answer.status_code == 409
    assert "a round is in progress" in answer.json()["detail"]


def test_a_device_that_is_away_is_not_tested(bench: Bench) -> None:
    bench.test_mode()
    bench.bridge.on_down("indicators", LinkFault(FaultCode.SILENT, "silent"))
    answer = bench.technician.post(f"{DEVICES}/indicators/test", {"test": "buzzer"})
    assert answer.json()["detail"] == "indicators is not there: its link must be up"


def test_there_is_no_such_device(bench: Bench) -> None:
    for method, path in (("post", "test"), ("delete", "test"), ("post", "key"), ("delete", "key"), ("post", "accept")):
        body = {"test": "buzzer"} if path == "test" else {}
        answer = bench.technician.request(method, f"{DEVICES}/tray/{path}", body=body if method == "post" else None)
        assert answer.status_code == 404, path


# ---- keys


def test_a_new_key_is_shown_once_and_stands_nowhere_else(bench: Bench, caplog: pytest.LogCaptureFixture) -> None:
    bench.approved("shoe")
    answer = bench.technician.post(f"{DEVICES}/shoe/key", {})
    assert answer.status_code == 200, answer.text
    assert answer.headers["cache-control"] == "no-store"
    key = answer.json()["key"]
    file = bench.page.workshop.key_file("shoe")
    assert file.read().hex() == key
    assert bench.bridge.slots["shoe"].link.spec.key.hex() == key
    assert bench.device("shoe")["key"]["old_kept"] is True
    assert key not in bench.technician.get(DEVICES).text
    assert key not in str(bench.notes()) + caplog.text + str(bench.page.state())
    assert (bench.by_hand()[-1]["what"], bench.by_hand()[-1]["device"]) == ("device.key", "shoe")


def test_a_given_key_is_taken_and_not_repeated(bench: Bench) -> None:
    given = bytes(range(200, 232)).hex()
    bench.approved("shoe")
    answer = bench.technician.post(f"{DEVICES}/shoe/key", {"given": given})
    assert answer.json()["key"] is None
    assert bench.page.workshop.key_file("shoe").read().hex() == given
    wrong = bench.technician.post(f"{DEVICES}/shoe/key", {"given": given[:-1] + "z"})
    assert wrong.status_code == 422
    assert given[:-1] not in wrong.text


def test_a_key_that_another_device_has_is_refused(bench: Bench) -> None:
    other = bench.page.workshop.key_file("keys").read().hex()
    bench.approved("shoe")
    answer = bench.technician.post(f"{DEVICES}/shoe/key", {"given": other})
    assert (answer.status_code, "another device" in answer.json()["detail"]) == (409, True)
    assert other not in answer.text


def test_a_change_of_the_key_can_be_taken_back_until_the_device_has_come_up_under_it(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = bench.page.workshop.key_file("shoe").read()
    bench.approved("shoe")
    bench.technician.post(f"{DEVICES}/shoe/key", {})
    bench.approved("shoe")
    assert bench.technician.request("delete", f"{DEVICES}/shoe/key").status_code == 200
    assert bench.page.workshop.key_file("shoe").read() == before == bench.bridge.slots["shoe"].link.spec.key
    bench.approved("shoe")
    bench.technician.post(f"{DEVICES}/shoe/key", {})
    monkeypatch.setattr(bench.bridge.slots["shoe"].link, "is_proven", lambda: True)
    bench.bridge.on_up("shoe", identity("shoe"), STATES["shoe"])
    assert old_key(bench.page.workshop.key_file("shoe")) is None
    bench.approved("shoe")
    assert bench.technician.request("delete", f"{DEVICES}/shoe/key").status_code == 409


def test_a_key_that_the_service_manager_hands_over_is_not_changed_here(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    from feltd.table.config.key_files import KeyFile

    files = {**bench.page.workshop._key_files, "badge": KeyFile(credential="badge-key")}
    monkeypatch.setattr(bench.page.workshop, "_key_files", files)
    assert bench.device("badge")["key"]["changeable"] is False
    bench.approved("badge")
    answer = bench.technician.post(f"{DEVICES}/badge/key", {})
    assert answer.status_code == 409
    assert "LoadCredential" in answer.json()["detail"]


def test_in_a_round_no_device_by_which_people_decide_gets_another_key(bench: Bench) -> None:
    bench.approved("badge")
    bench.technician.post(f"{DEVICES}/badge/key", {})
    before = {name: bench.page.workshop.key_file(name).read() for name in ("badge", "keys", "shoe")}
    bench.approved("badge")
    bench.approved("keys")
    entries = len(bench.by_hand())
    bench.page.bench.journal.begin_round(1)
    for name in ("badge", "keys"):
        answer = bench.technician.post(f"{DEVICES}/{name}/key", {})
        assert (answer.status_code, "between two rounds alone" in answer.json()["detail"]) == (409, True)
    assert bench.technician.request("delete", f"{DEVICES}/badge/key").status_code == 409
    assert len(bench.by_hand()) == entries, "what is refused is no entry"
    bench.approved("shoe")
    assert bench.technician.post(f"{DEVICES}/shoe/key", {}).status_code == 200, "a broken shoe is replaced in the round"
    now = {name: bench.page.workshop.key_file(name).read() == key for name, key in before.items()}
    assert now == {"badge": True, "keys": True, "shoe": False}


def test_a_key_changed_at_the_console_is_taken_up_by_itself(bench: Bench) -> None:
    from feltd.table.workshop.device_keys import make_key, write_key

    key = make_key()
    write_key("shoe", bench.page.workshop.key_file("shoe"), key)
    bench.page.workshop.beat()
    assert bench.bridge.slots["shoe"].link.spec.key == key


# ---- another device


def test_another_device_in_a_place_is_told_recorded_and_accepted(bench: Bench) -> None:
    bench.bridge.on_up("shoe", identity("shoe", "SN-2"), STATES["shoe"])
    assert bench.device("shoe")["replaced"] == {"serial": "SN-2", "before": "SN-shoe"}
    state = bench.page.state()
    assert next(one for one in state["devices"] if one["name"] == "shoe")["replaced"] == "SN-shoe"
    assert "another device than the last time: SN-2, was SN-shoe" in state["faults"][0]["text"]
    [note] = [note for note in bench.notes() if note["note"] == REPLACED_NOTE]
    assert note == {"note": REPLACED_NOTE, "device": "shoe", "serial": "SN-2", "before": "SN-shoe"}
    answer = bench.technician.post(f"{DEVICES}/shoe/accept")
    assert answer.json() == {"device": "shoe", "serial": "SN-2"}
    assert bench.device("shoe")["replaced"] is None
    assert bench.technician.post(f"{DEVICES}/shoe/accept").status_code == 409
    assert bench.by_hand()[-1]["what"] == "device.accepted"


def test_faults_remedies_and_ends_are_in_the_language_of_their_reader(bench: Bench) -> None:
    fault = LinkFault(FaultCode.WRONG_KEY, "badge at /dev/x: the controller stops")
    bench.bridge.slots["badge"].link.fault = fault
    bench.test_mode()
    bench.technician.post(f"{DEVICES}/indicators/test", {"test": "buzzer"})
    bench.technician.request("delete", f"{DEVICES}/indicators/test")
    seen = bench.technician.get(DEVICES, {"accept-language": "de"}).json()
    badge = next(one for one in seen["devices"] if one["name"] == "badge")
    assert badge["link"]["fault"]["text"] == "badge an /dev/x: der Controller hält an"
    assert badge["link"]["fault"]["remedy"].startswith("Ihm hier einen neuen Schlüssel geben")
    assert (seen["test"]["over"], seen["test"]["over_words"]) == ("ended by hand", "von Hand beendet")
    assert bench.device("badge")["link"]["fault"]["text"] == fault.text


# ---- zones that a reader reads


def test_a_readers_zones_have_their_numbers_and_what_is_wrong_there(bench: Bench) -> None:
    assert bench.device("reader:board")["zones"] == []
    for _ in range(2):
        bench.bridge.on_status("reader:board", {"zones": {"board:1": [98, 4, 12, "chip"]}})
    [zone] = bench.device("reader:board")["zones"]
    assert zone == {
        "zone": "board:1",
        "trouble": "zone_chip",
        "whole": 98,
        "torn": 4,
        "milliseconds": 12,
        "words": "The board, first card",
        "trouble_words": "Reader chip silent. The technician looks at the chip's supply and its bus.",
    }
    [event] = bench.events("zone.state")
    assert event == {
        "device": "reader:board",
        "zone": "board:1",
        "trouble": "chip",
        **{k: event[k] for k in ("t", "ev")},
    }
    [alarm] = bench.technician.get("/api/v1/state").json()["alarms"]
    assert (alarm["text"], alarm["priority"]) == ("Reader chip silent: reader:board, the board, first card", "medium")
    assert alarm["action"] == "The technician looks at the chip's supply and its bus."
