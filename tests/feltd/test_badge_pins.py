"""A badge that has a PIN counts with it alone: its number can be copied, and the PIN cannot."""

import logging
import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from devices.drivers.badge import BadgeSettings
from feltd.cli import cli
from feltd.door import DecisionRequest, SignatureState
from feltd.door.devices import TrialKind
from feltd.record.notes import KEYPADS_NOTE
from feltd.table.config.devices import takes_pin
from feltd.table.keeper.badge_pins import (
    FIRST_WAIT,
    LONGEST_WAIT,
    OF_WEIGHT,
    PINS_MOST,
    PINS_NOTE,
    READ_AGAIN,
    WRONG_FREE,
    BadgePins,
    PinError,
    PinsUnreadError,
    PinsWanted,
    pins_file_of,
    put_pin,
    read_pins,
)
from feltd.table.keeper.signatures import ONCE_MORE_WITHIN, SignatureRefused
from feltd.table.keeper.staff import BadgeRefusedError, StaffError
from feltd.table.links.bridge import Bridge
from feltd.table.links.keypads_note import EVERY, KeypadsNote
from firmware_bridge.facts import DeviceIdentity
from table_fsm.felt import Decision
from tests.feltd.table_support import KEY
from tests.feltd.test_badges import OTTO, Scene, played

PIN, WRONG = "70951", "70952"


def with_pin(at: Scene, badge: str = "S1042") -> None:
    """Give a badge its PIN, as the command does while the table runs."""
    put_pin(at.page.pins_file, KEY, badge, PIN)
    at.page.pins.look()


def shows(at: Scene, pin: str | None = None, badge: str = "S1042", role: str = "supervisor") -> None:
    at.says("badge", ev="badge", staff=badge, role=role, **({} if pin is None else {"pin": pin}))


def test_a_copied_number_signs_nothing_and_number_with_pin_signs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scene(at: Scene) -> None:
        with_pin(at)
        number = at.ask()
        for _ in range(4):  # whoever has the number alone
            shows(at)
            at.pass_(3.0)
        assert at.asked(number) == (SignatureState.WAITING, "S1042: its PIN is to be keyed to sign")
        assert "S1042 signs: play on ruling 1? Key its PIN (asked by otto)" in at.lines
        assert await at.record("badge") == [], "it counts for nothing, not as a witness either"
        shows(at, PIN)
        assert at.asked(number)[0] is SignatureState.DONE, "keyed at once, without two seconds between"
        [decided] = await at.record("supervisor")
        assert decided["staff"] == "S1042"
        assert [badge["staff"] for badge in await at.record("badge")] == ["S1042"]

    played(tmp_path, monkeypatch, scene)


def test_a_pin_that_is_keyed_before_the_display_has_named_the_badge_signs_nothing_yet(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scene(at: Scene) -> None:
        with_pin(at)
        number = at.ask()
        shows(at, PIN)
        assert at.asked(number) == (SignatureState.WAITING, "S1042: its PIN is to be keyed to sign")
        at.pass_(ONCE_MORE_WITHIN + 1.0)
        shows(at, PIN)
        assert at.asked(number)[0] is SignatureState.WAITING, "too late: it is named anew"
        shows(at, PIN)
        assert at.asked(number)[0] is SignatureState.DONE

    played(tmp_path, monkeypatch, scene)


def test_wrong_pins_are_on_record_without_their_digits_and_make_the_next_one_wait(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)

    async def scene(at: Scene) -> None:
        with_pin(at)
        number = at.ask()
        for _ in range(WRONG_FREE):
            shows(at)
            shows(at, WRONG)
            at.pass_(1.0)
        assert at.asked(number) == (SignatureState.WAITING, "S1042: its PIN is wrong")
        assert any("its PIN is wrong" in line for line in at.lines)
        shows(at)
        shows(at, PIN)
        state, why = at.asked(number)
        assert state is SignatureState.WAITING
        assert why is not None
        assert why.startswith("S1042: too many wrong PINs: the next one is looked at in ")
        assert any("its PIN is wrong" in told for told in await at.refused())
        at.pass_(FIRST_WAIT)
        number = at.ask()
        shows(at)
        shows(at, PIN)
        assert at.asked(number)[0] is SignatureState.DONE
        said = " ".join([*await at.refused(), *at.lines, caplog.text, str(await at.record("badge"))])
        assert PIN not in said
        assert WRONG not in said
        await at.page.bench.synced()
        kept = b"".join(file.read_bytes() for file in at.journal.parent.iterdir() if file.is_file())
        assert PIN.encode() not in kept, "in no file: not in the record either, nor in the list of PINs"

    played(tmp_path, monkeypatch, scene)


def test_a_decision_by_key_needs_the_pin_of_the_card_held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def scene(at: Scene) -> None:
        with_pin(at)
        for pin in (None, WRONG, 70951, "7095", PIN * 3):
            said = {} if pin is None else {"pin": pin}
            at.says("keys", ev="decision", decision="play_on", ruling=1, staff="S1042", **said)
            at.pass_(1.0)
        assert await at.record("supervisor") == []
        told = " ".join(await at.refused())
        assert "its PIN is not keyed with it" in told
        assert "its PIN is wrong" in told
        assert "it must be a text of 4 to 12 digits" in told
        assert "7095" not in told
        at.says("keys", ev="decision", decision="play_on", ruling=1, staff="S1042", pin=PIN)
        assert [decided["staff"] for decided in await at.record("supervisor")] == ["S1042"]

    played(tmp_path, monkeypatch, scene)


def test_without_a_request_the_display_asks_for_the_pin_and_no_digit_is_looked_at_of_other_cards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scene(at: Scene) -> None:
        with_pin(at)
        shows(at)
        assert at.lines[-1] == "S1042: key the PIN"
        shows(at, PIN)
        shows(at, WRONG, "I1", "inspector")
        assert [badge["staff"] for badge in await at.record("badge")] == ["S1042", "I1"]
        assert at.page.bench.indicators.acknowledged[-1][0] == "badge"

    played(tmp_path, monkeypatch, scene)


def test_a_pin_that_is_set_while_the_table_runs_holds_at_once_and_is_on_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scene(at: Scene) -> None:
        journal = at.page.bench.journal
        told: list[str] = []
        at.page.pins.beat(journal, told.append)
        put_pin(at.page.pins_file, KEY, "S1042", PIN)
        at.page.pins.beat(journal, told.append)
        assert told == []
        shows(at)
        assert await at.record("badge") == []
        notes = [note for note in await at.record("note") if note["note"] == PINS_NOTE]
        assert [note["set"] for note in notes] == [["S1042"]]

    played(tmp_path, monkeypatch, scene)


def test_who_may_not_decide_is_told_so_before_a_pin_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scene(at: Scene) -> None:
        with_pin(at, "I1")
        number = at.ask()
        shows(at, None, "I1", "inspector")
        assert at.asked(number) == (SignatureState.WAITING, "I1: who has the role inspector does not decide")

    played(tmp_path, monkeypatch, scene)


def test_a_file_of_pins_that_cannot_be_read_lets_nobody_sign(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def scene(at: Scene) -> None:
        at.page.pins_file.write_text('{"pins": {"S1042": 7}}')
        assert at.page.pins.look() is None
        shows(at)
        at.says("keys", ev="decision", decision="play_on", ruling=1, staff="S1042")
        assert await at.record("badge") == []
        assert await at.record("supervisor") == []
        assert "no list of PINs; move it away" in (await at.refused())[0]

    played(tmp_path, monkeypatch, scene)


def test_pins_that_the_system_does_not_give_for_a_moment_are_told_and_asked_for_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused = 2

    def read(file: Path) -> Mapping[str, str]:
        nonlocal refused
        refused -= 1
        if refused >= 0:
            raise PinsUnreadError(f"{file}: cannot be read: Too many open files")
        return read_pins(file)

    async def scene(at: Scene) -> None:
        with_pin(at)
        put_pin(at.page.pins_file, KEY, "D7", PIN)
        monkeypatch.setattr("feltd.table.keeper.badge_pins.read_pins", read)
        journal, told = at.page.bench.journal, list[str]()
        at.page.pins.beat(journal, told.append)
        shows(at, PIN)
        shows(at, None, "Q17", "dealer")
        assert [badge["staff"] for badge in await at.record("badge")] == ["Q17"], "who deals is on record all the same"
        at.page.pins.beat(journal, told.append)
        assert [line.split(": ", 1)[0] for line in told] == [
            "no badge can sign, because nobody can tell which have a PIN"
        ]
        at.page.pins.beat(journal, told.append)
        assert told[1:] == [READ_AGAIN]
        shows(at, PIN)
        shows(at, PIN, "D7", "dealer")
        assert [badge["staff"] for badge in await at.record("badge")] == ["Q17", "S1042", "D7"]

    played(tmp_path, monkeypatch, scene)


def test_a_badge_that_is_not_on_the_list_counts_with_its_pin_alone_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scene(at: Scene) -> None:
        with_pin(at, "Q17")
        shows(at, None, "Q17", "dealer")
        shows(at, WRONG, "Q17", "dealer")
        assert await at.record("badge") == []
        shows(at, PIN, "Q17", "dealer")
        assert [badge["staff"] for badge in await at.record("badge")] == ["Q17"]

    played(tmp_path, monkeypatch, scene)


def test_in_a_test_of_the_keys_no_page_shows_a_pin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def scene(at: Scene) -> None:
        from feltd.table.workshop.device_tests import _rest

        assert _rest({"ev": "decision", "decision": "confirm", "staff": "S1042", "pin": PIN}) == {
            "decision": "confirm",
            "staff": "S1042",
        }
        assert TrialKind.LISTEN in at.page.bridge.slots["keys"].driver.trials

    played(tmp_path, monkeypatch, scene)


class Pins:
    """A table's PINs under a clock of the test's own."""

    def __init__(self, folder: Path, *, wanted: PinsWanted = PinsWanted.OF_WEIGHT) -> None:
        self.file = pins_file_of(folder / "table.journal")
        self.now = 1000.0
        self.pins = BadgePins(self.file, KEY, lambda: self.now, wanted=wanted)

    def why(self, pin: str | None, badge: str = "S1042") -> str | None:
        try:
            self.pins.check(badge, pin, signs=True)
        except BadgeRefusedError as refusal:
            return str(refusal)
        return None


def test_guesses_are_some_thirty_a_day_and_the_right_pin_begins_anew(tmp_path: Path) -> None:
    at = Pins(tmp_path)
    put_pin(at.file, KEY, "S1042", PIN)
    assert at.pins.look() == {"set": ["S1042"]}
    guesses = 0
    for _ in range(24 * 60):
        guesses += at.why(WRONG) == "its PIN is wrong"
        at.now += 60.0
    assert guesses <= 24 + 12
    at.now += LONGEST_WAIT
    assert at.why(PIN) is None
    assert [at.why(WRONG) for _ in range(WRONG_FREE)] == ["its PIN is wrong"] * WRONG_FREE


def test_a_new_pin_takes_the_wait_and_a_removed_one_is_told(tmp_path: Path) -> None:
    at = Pins(tmp_path)
    put_pin(at.file, KEY, "S1042", PIN)
    at.pins.look()
    while not (at.why(WRONG) or "").startswith("too many"):
        pass
    put_pin(at.file, KEY, "S1042", WRONG)
    assert at.pins.look() == {"set": ["S1042"]}
    assert at.pins.look() is None
    assert at.why(WRONG) is None
    put_pin(at.file, KEY, "S1042", None)
    assert at.pins.look() == {"removed": ["S1042"]}
    assert not at.pins.asks("S1042", signs=True)
    with pytest.raises(PinError, match="has no PIN"):
        put_pin(at.file, KEY, "S1042", None)


def anybody(_badge: str) -> bool:
    return True


def test_where_the_table_wants_pins_a_badge_without_one_signs_nothing(tmp_path: Path) -> None:
    at = Pins(tmp_path, wanted=PinsWanted.EACH)
    assert at.pins.nobody_signs("play_on", anybody) is not None
    assert "this badge has no PIN, and this table wants one" in (at.why(PIN) or "")
    assert not at.pins.asks("I1", signs=False)


def test_a_table_that_says_nothing_of_pins_takes_one_for_what_needs_a_reason(tmp_path: Path) -> None:
    """A copied number is shown twice as well as the badge itself."""
    assert {one.value for one in OF_WEIGHT} == {"overrule", "misdeal", "void", "exclude", "shelve"}
    at, as_before = Pins(tmp_path), Pins(tmp_path, wanted=PinsWanted.WHERE_GIVEN)
    for decision in Decision:
        asked = decision in OF_WEIGHT
        assert at.pins.asks("S1042", signs=True, decision=decision.value) is asked
        assert (at.pins.nobody_signs(decision.value, anybody) is not None) is asked
        assert not as_before.pins.asks("S1042", signs=True, decision=decision.value)
        assert as_before.pins.nobody_signs(decision.value, anybody) is None
    put_pin(at.file, KEY, "D7", PIN)
    at.pins.look()
    assert at.pins.nobody_signs("overrule", anybody) is None, "somebody has one"
    assert at.pins.nobody_signs("overrule", lambda badge: badge == "S1042") is not None, "who may has none"


def overruling(at: Scene) -> DecisionRequest:
    [pending] = at.page.state()["table"]["pending"]
    return DecisionRequest("overrule", pending["id"], "misdeal", "seen on camera")


def test_a_decision_of_weight_is_signed_by_pin_alone_with_the_page_dead_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scene(at: Scene) -> None:
        with pytest.raises(
            SignatureRefused, match=r"none that may decide has one: decide at the page; feltd user pin BADGE sets one"
        ):
            at.page.signatures.ask(OTTO, overruling(at))
        with_pin(at, "S1")
        number = at.page.signatures.ask(OTTO, overruling(at)).number
        for _ in range(3):  # whoever has copied another supervisor's number
            shows(at)
            at.pass_(3.0)
        why = "S1042: a badge signs this with its PIN alone: feltd user pin BADGE sets one"
        assert at.asked(number) == (SignatureState.WAITING, why)
        assert await at.record("supervisor") == []
        with_pin(at)  # root at a shell: no page is asked
        shows(at)
        shows(at, PIN)
        assert at.asked(number)[0] is SignatureState.DONE
        [decided] = await at.record("supervisor")
        assert (decided["staff"], decided["decision"]) == ("S1042", "overrule")

    played(tmp_path, monkeypatch, scene)


def test_where_each_badge_needs_a_pin_a_witness_without_one_is_no_event_and_a_dealer_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An inspector's number is copied as well as a supervisor's, and witnesses the check of a pack."""

    async def scene(at: Scene) -> None:
        monkeypatch.setattr(at.page.pins, "_wanted", PinsWanted.EACH)
        shows(at, badge="I1", role="inspector")
        shows(at, PIN, badge="I1", role="inspector")
        shows(at, badge="Q17", role="dealer")
        assert [badge["staff"] for badge in await at.record("badge")] == ["Q17"]
        assert any("this badge has no PIN, and this table wants one" in fault for fault in await at.refused())
        with_pin(at, "I1")
        shows(at, PIN, badge="I1", role="inspector")
        assert [badge["staff"] for badge in await at.record("badge")] == ["Q17", "I1"]

    played(tmp_path, monkeypatch, scene)


def test_a_reader_that_takes_no_pin_has_a_witness_and_nobody_who_decides(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A table with a reader over USB that wants PINs would stop for a pack without a witness, with no way on."""

    async def scene(at: Scene) -> None:
        monkeypatch.setattr(at.page.pins, "_wanted", PinsWanted.EACH)
        reader = at.page.bridge.slots["badge"].driver
        for keypad in (False, None):
            reader.settings = replace(reader.settings, keypad=keypad)
            shows(at, badge="I1", role="inspector")
        assert [badge["staff"] for badge in await at.record("badge")] == ["I1", "I1"]
        with_pin(at, "S1")
        number = at.ask()
        for _ in range(3):
            shows(at)
            at.pass_(3.0)
        why = "S1042: a badge signs this with its PIN alone: feltd user pin BADGE sets one"
        assert at.asked(number) == (SignatureState.WAITING, why)
        assert await at.record("supervisor") == []
        assert "S1042" in [badge["staff"] for badge in await at.record("badge")], "it witnesses"
        with_pin(at, "I1")
        shows(at, badge="I1", role="inspector")
        assert [badge["staff"] for badge in await at.record("badge")].count("I1") == 2, "a copy of it does not"
        with_pin(at)
        at.says("keys", ev="decision", decision="play_on", ruling=1, staff="S1042")
        assert await at.record("supervisor") == []

    played(tmp_path, monkeypatch, scene)


@pytest.mark.parametrize(
    ("keypad", "adapter", "takes"),
    [(None, None, False), (None, "osdp-badge", True), (None, "hid-badge", False), (False, "osdp-badge", False),
     (True, None, True)],
)  # fmt: skip
def test_whether_a_reader_takes_a_pin_its_settings_say_or_its_adapter(
    keypad: bool | None, adapter: str | None, takes: bool
) -> None:
    assert takes_pin(BadgeSettings(keypad=keypad), adapter) is takes
    assert takes_pin(BadgeSettings(keypad=keypad), adapter, True) is (keypad is not False), "its own word comes between"
    assert takes_pin(BadgeSettings(keypad=keypad), adapter, False) is takes, "its word only adds a demand"


def silent_of_keypads(at: Scene) -> Bridge:
    """The table's bridge; its badge reader's settings do not say whether a PIN can be keyed there."""
    reader = at.page.bridge.slots["badge"].driver
    reader.settings = replace(reader.settings, keypad=None)
    return at.page.bridge


def test_a_reader_that_says_it_has_a_keypad_takes_no_witness_without_a_pin(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scene(at: Scene) -> None:
        monkeypatch.setattr(at.page.pins, "_wanted", PinsWanted.EACH)
        bridge = silent_of_keypads(at)
        bridge.on_status("badge", {"keypad": True})
        faults = bridge.slots["badge"].faults
        bridge.on_status("badge", {"mv": 5000})  # it has not taken its word back
        shows(at, badge="I1", role="inspector")
        assert await at.record("badge") == []
        for _ in range(2):
            bridge.on_status("badge", {"keypad": False})
        shows(at, badge="I1", role="inspector")
        assert await at.record("badge") == []
        assert bridge.slots["badge"].faults == faults + 1
        bridge.on_up("badge", DeviceIdentity("badge", "ANOTHER", "1.0", 1, b"bootbooT", persistent=True), {})
        bridge.on_status("badge", {"keypad": False})
        shows(at, badge="I1", role="inspector")
        assert [badge["staff"] for badge in await at.record("badge")] == ["I1"]

    played(tmp_path, monkeypatch, scene)


def test_what_a_reader_says_of_its_keypad_is_on_record_once_a_minute_at_most(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scene(at: Scene) -> None:
        bridge = silent_of_keypads(at)
        note = KeypadsNote(bridge, at.page.bench.journal)
        note.beat(0.0)
        assert await noted(at) == [], "it has said nothing"
        bridge.on_status("badge", {"keypad": True})
        for now in (1.0, 2.0):
            note.beat(now)
        assert await noted(at) == [{"badge": {"says": True, "counts": True}}]
        for now in range(3, 3 + int(EVERY)):  # it says another thing each second
            bridge.on_status("badge", {"keypad": now % 2 == 0})
            note.beat(float(now))
        assert await noted(at) == [
            {"badge": {"says": True, "counts": True}},
            {"badge": {"says": False, "counts": True}},
        ]

    played(tmp_path, monkeypatch, scene)


def test_a_reader_that_takes_its_word_back_for_a_moment_hides_it_from_no_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It restarts, says nothing of its keypad while a copied number witnesses, restarts and says it again."""

    async def scene(at: Scene) -> None:
        monkeypatch.setattr(at.page.pins, "_wanted", PinsWanted.EACH)
        bridge = silent_of_keypads(at)
        note = KeypadsNote(bridge, at.page.bench.journal)

        def restarts(boot: bytes) -> None:
            at.page.bench.time.pass_(1.0)
            bridge.on_up("badge", DeviceIdentity("badge", "SERIAL", "1.0", 1, boot, persistent=True), {})

        restarts(b"boot-one")
        bridge.on_status("badge", {"keypad": True})
        note.beat(0.0)
        restarts(b"boot-two")
        note.beat(2.0)  # a restart alone is no word
        at.page.bench.time.pass_(1.0)
        bridge.on_status("badge", {"mv": 5000})
        note.beat(3.0)
        shows(at, badge="I1", role="inspector")
        assert [badge["staff"] for badge in await at.record("badge")] == ["I1"]
        restarts(b"boot-3rd")
        bridge.on_status("badge", {"keypad": True})
        for now in (5.0, EVERY - 1, EVERY, EVERY + 1):
            note.beat(now)
        says = {"says": True, "counts": True}
        assert await noted(at) == [
            {"badge": says},
            {"badge": {**says, "meanwhile": {"says": None, "counts": False}}},
        ]

    played(tmp_path, monkeypatch, scene)


async def noted(at: Scene) -> list[object]:
    return [note["readers"] for note in await at.record("note") if note["note"] == KEYPADS_NOTE]


def test_a_card_behind_a_key_decides_nothing_of_weight_without_a_pin(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scene(at: Scene) -> None:
        [pending] = at.page.state()["table"]["pending"]
        says = {"ev": "decision", "staff": "S1042", "ruling": pending["id"]}
        at.says("keys", **says, decision="overrule", outcome="misdeal", reason="seen")
        assert await at.record("supervisor") == []
        assert any("this badge has no PIN, and this table wants one" in fault for fault in await at.refused())
        at.says("keys", **says, decision="confirm")
        assert [decided["decision"] for decided in await at.record("supervisor")] == ["confirm"]

    played(tmp_path, monkeypatch, scene)


@pytest.mark.parametrize("pin", ["123", "1234567890123", "12a4", "", "1111", "1212", "2345", "9876", "1042", "٣٤٥٦٧"])
def test_a_pin_that_is_guessed_at_once_is_refused(tmp_path: Path, pin: str) -> None:
    with pytest.raises(PinError):
        put_pin(tmp_path / "staff.pins", KEY, "S1042", pin)
    assert not (tmp_path / "staff.pins").exists()


def test_the_file_says_nothing_without_the_tables_key_and_is_its_owners_alone(tmp_path: Path) -> None:
    file = tmp_path / "staff.pins"
    put_pin(file, KEY, "S1042", PIN)
    put_pin(file, KEY, "D7", PIN)
    kept = read_pins(file)
    assert kept["S1042"] != kept["D7"], "nobody sees that two have the same"
    assert file.stat().st_mode & 0o777 == 0o600
    other = BadgePins(file, bytes(32), lambda: 0.0)
    with pytest.raises(BadgeRefusedError, match="wrong"):
        other.check("S1042", PIN, signs=True)


def test_what_cannot_be_kept_or_read_is_said_with_its_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "staff.pins"
    with pytest.raises(PinError, match="no reader reports such a badge"):
        put_pin(file, KEY, "S 1", PIN)
    with pytest.raises(StaffError, match="cannot be written"):
        put_pin(tmp_path / "none" / "staff.pins", KEY, "S1", PIN)
    file.mkdir()
    with pytest.raises(StaffError, match="cannot be read"):
        read_pins(file)
    file.rmdir()
    monkeypatch.setattr("feltd.table.keeper.badge_pins.PINS_MOST", 0)
    with pytest.raises(PinError, match="more than 0 badges"):
        put_pin(file, KEY, "S1", PIN)
    assert PINS_MOST > 1000


def test_the_command_sets_and_removes_a_pin_and_shows_none(tmp_path: Path) -> None:
    (tmp_path / "key").write_text(KEY.hex())
    os.chmod(tmp_path / "key", 0o600)
    file = tmp_path / "table.toml"
    text = f'[table]\nname = "T"\nrulebook = "roe"\nseats = [1, 2]\n[journal]\npath = "{tmp_path}/table.journal"\n'
    file.write_text(text + 'sealing_key_file = "credential:journal.key"\n')
    command = ["user", "pin", "S1042", "--config", str(file), "--key", str(tmp_path / "key")]
    done = CliRunner().invoke(cli, [*command, "--pin-stdin"], input=f"{PIN}\n")
    assert (done.exit_code, PIN in done.output) == (0, False), done.output
    assert "counts with its PIN alone" in done.output
    pins = BadgePins(pins_file_of(tmp_path / "table.journal"), KEY, lambda: 0.0)
    pins.check("S1042", PIN, signs=True)
    done = CliRunner().invoke(cli, [*command, "--remove"])
    assert "has no PIN any more" in done.output, done.output
    assert read_pins(pins_file_of(tmp_path / "table.journal")) == {}
