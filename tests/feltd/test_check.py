"""`feltd check`: everything a start would lack, at once."""

import fcntl
import json
import os
import pty
import socket
import termios
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from devices.udev import Plugged
from feltd.door.packs import PackState
from feltd.installed.upgrade import Upgrade
from feltd.record.notes import KEYPADS_NOTE, START_NOTE
from feltd.table.check.check import Findings, Machine, Rules, check_file
from feltd.table.check.ports import port_fault, port_holder
from feltd.table.config.config import ConfigFileError, load_config, staff_file_of
from feltd.table.journal import Journal
from feltd.table.keeper.badge_pins import pins_file_of, put_pin
from feltd.table.packs.pack_file import packs_file_of, write_packs
from firmware_bridge.usb_id import UsbId
from table_fsm.errors import RulebookError
from table_fsm.events import Event, TableOpen
from table_fsm.outputs import Output, Phase, Refusal
from tests import ports
from tests.feltd.seal_support import KEY_LINE, PUBLIC
from tests.feltd.test_packs import BOTH


class PickyTable:
    """A table that takes the option `burn` of 0 or 1, at least two seats, and nothing else."""

    def __init__(self, books: Mapping[str, Any]) -> None:
        self.books = books

    def apply(self, event: Event) -> list[Output]:
        assert isinstance(event, TableOpen)
        for name, value in event.options.items():
            if name != "burn":
                return [self.refusal(f"unknown option `{name}`")]
            if value not in (0, 1):
                return [self.refusal(f"option `{name}`: {value} is not allowed; allowed: 0, 1")]
        if len(event.seats) < 2:
            return [self.refusal("too few seats")]
        return [Output(0.0, Phase("waiting"))]

    @staticmethod
    def refusal(reason: str) -> Output:
        return Output(0.0, Refusal("table.open", reason))


@dataclass(frozen=True)
class Book:
    """A rulebook by its id and the devices it needs."""

    id: str
    needs: tuple[str, ...] = ("shoe",)

    def rules_as(self, digest: str, /) -> bool:
        """Whether it is the text with this digest."""
        return digest == "d" * 64


RULES = Rules(
    lambda books, structures: {"picky": Book("picky"), "tas-2018-holdem": Book("tas-2018-holdem")}, PickyTable
)
NOBODY = Machine(may=lambda path, mode: True, holder_of=lambda port: None, environment={}, plugged=list)


@pytest.fixture
def port() -> Iterator[Path]:
    """A pseudo-terminal's path."""
    ours, theirs = pty.openpty()
    yield Path(os.ttyname(theirs))
    os.close(ours)
    os.close(theirs)


@pytest.fixture
def free_port() -> int:
    """A TCP port of loopback that nobody listens on."""
    return ports.free_port()


@pytest.fixture
def table(tmp_path: Path, port: Path, free_port: int) -> Path:
    """A table's file that nothing is wrong with."""
    for name in ("shoe.key", "journal.key"):
        (tmp_path / name).write_bytes(os.urandom(32))
        (tmp_path / name).chmod(0o600)
    file = tmp_path / "table.toml"
    file.write_text(f"""\
[table]
name = "Table 7"
rulebook = "picky"
seats = [1, 2, 3]
[table.options]
burn = 1
[[device]]
name = "shoe"
role = "shoe"
port = "{port}"
key_file = "shoe.key"
[page]
port = {free_port}
[journal]
path = "table.journal"
sealing_key_file = "journal.key"
""")
    return file


def found(file: Path, rules: Rules = RULES, machine: Machine = NOBODY) -> Findings:
    return check_file(file, rules, machine)


def told(file: Path, rules: Rules = RULES, machine: Machine = NOBODY) -> list[str]:
    """The problems, the file's folder cut off."""
    return [str(problem).replace(f"{file.parent}/", "") for problem in found(file, rules, machine).problems]


def change(file: Path, old: str, new: str) -> None:
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))


def test_a_table_that_lacks_nothing(table: Path) -> None:
    assert told(table) == []


def test_faults_of_the_file_and_of_the_machine_are_told_together(table: Path) -> None:
    change(table, '"Table 7"', "7")
    change(table, '"table.journal"', '"record/table.journal"')
    (table.parent / "shoe.key").unlink()
    assert told(table) == [
        'table.toml:2: table.name: 7 is not allowed; allowed: a text in quotes, not empty',
        "table.toml:11: device.key_file: shoe.key: no such key file; feltd device key NAME makes that of a device; "
        "any other: openssl rand -hex 32 > shoe.key",
        "table.toml:15: journal.path: the folder record does not exist; make it: mkdir -p record",
    ]  # fmt: skip


def test_a_file_that_is_no_toml_or_not_there(tmp_path: Path) -> None:
    (tmp_path / "table.toml").write_text("a = 1\nb\n")
    assert told(tmp_path / "table.toml") == [
        "table.toml:2: not TOML: Expected '=' after a key in a key/value pair at column 2"
    ]
    with pytest.raises(ConfigFileError):
        found(tmp_path / "other.toml")


def test_a_port_that_is_not_there_names_those_that_are(table: Path, port: Path, tmp_path: Path) -> None:
    (tmp_path / "by-id").mkdir()
    change(table, str(port), f"{tmp_path}/by-id/usb-other")
    (problem,) = told(table)
    assert problem == (
        'table.toml:10: device.port: by-id/usb-other does not exist: is "shoe" plugged in and powered? '
        "There are: no serial ports by stable path"
    )
    (tmp_path / "by-id" / "usb-shoe").symlink_to(port)
    assert told(table)[0].endswith("There are: by-id/usb-shoe")


def test_a_port_that_is_no_port(table: Path, port: Path) -> None:
    change(table, str(port), str(table))
    assert told(table) == ["table.toml:10: device.port: table.toml is no serial port"]


def test_a_port_without_permission_names_the_group_or_the_udev_rule(table: Path, port: Path) -> None:
    barred = Machine(may=lambda path, mode: path != port, holder_of=lambda port: None, environment={})
    port.chmod(0o600)
    (problem,) = told(table, machine=barred)
    assert "may not read and write it" in problem
    assert "install feltd's udev rule, which gives the device to the group feltd" in problem
    port.chmod(0o660)
    os.chown(port, -1, 20) if os.geteuid() == 0 else None
    if os.geteuid() == 0:
        (problem,) = told(table, machine=barred)
        assert "to the group dialout (usermod -aG dialout " in problem
        os.chown(port, -1, 54321)
        (problem,) = told(table, machine=barred)
        assert "to the group 54321 " in problem


def test_a_port_that_another_has_locked_is_busy_and_says_who(port: Path) -> None:
    assert port_holder(port) is None
    with port.open("rb+", buffering=0) as held:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        assert port_holder(port) == f"process {os.getpid()} ({Path('/proc/self/comm').read_text().strip()})"
        fault = port_fault(port, "shoe", os.access, port_holder)
        assert fault is not None
        assert fault.startswith(f"{port} is busy: process {os.getpid()} (")
    assert port_holder(port) is None


def test_looking_at_a_port_leaves_its_settings_as_they_are(table: Path, port: Path) -> None:
    descriptor = os.open(port, os.O_RDWR | os.O_NOCTTY)
    before = termios.tcgetattr(descriptor)
    check_file(table, RULES)
    assert termios.tcgetattr(descriptor) == before
    os.close(descriptor)


@pytest.mark.parametrize(
    ("content", "mode", "words"),
    [
        (b"short", 0o600, "wrong length: 5 bytes; a key is 32 bytes, or 64 hexadecimal digits"),
        (b"k" * 32, 0o604, "others may read or change this key (mode 0604); chmod 600 shoe.key"),
        (b"k" * 32, 0o620, "others may read or change this key (mode 0620); chmod 600 shoe.key"),
    ],
)
def test_a_key_file_that_is_no_key_or_no_secret(table: Path, content: bytes, mode: int, words: str) -> None:
    (table.parent / "shoe.key").write_bytes(content)
    (table.parent / "shoe.key").chmod(mode)
    assert told(table) == [f"table.toml:11: device.key_file: shoe.key: {words}"]


def test_how_long_events_wait_for_others_is_said_where_they_do(table: Path) -> None:
    assert not [note for note in found(table).notes if "gather_seconds" in note]
    change(table, "[journal]", "[journal]\ngather_seconds = 10.0")
    [note] = [note for note in found(table).notes if note.startswith("[journal]")]
    assert note.endswith("an event that its device keeps is on this disk within 10 s, not at once")


def test_who_may_read_cards_that_no_round_shows_is_said_with_the_remedy(table: Path) -> None:
    [note] = [note for note in found(table).notes if note.startswith("[record]")]
    assert "nobody reads them" in note
    assert "run `feltd record key FILE`, and put the line that it prints here" in note
    change(table, "[journal]", f'[record]\nsealed_to = "{PUBLIC}"\n[journal]')
    assert f"[record]: cards that no round shows are sealed to the key {PUBLIC.fingerprint}" in found(table).notes
    change(table, str(PUBLIC), KEY_LINE.strip())
    [fault] = told(table)
    assert "record.sealed_to: this is the private half, which must never be at the table" in fault
    assert KEY_LINE.split()[2] not in fault


def test_credentials_are_looked_at_when_they_are_there_and_noted_when_not(table: Path, tmp_path: Path) -> None:
    change(table, '"journal.key"', '"credential:journal-key"')
    findings = found(table)
    assert findings.problems == []
    assert "handed over only at the start, so not looked at: credential:journal-key" in findings.notes
    handed = Machine(NOBODY.may, NOBODY.holder_of, {"CREDENTIALS_DIRECTORY": str(tmp_path)})
    assert "journal-key: no such key file" in told(table, machine=handed)[0]
    (tmp_path / "journal-key").write_bytes(b"k" * 32)
    assert told(table, machine=handed) == []


def test_a_journal_that_cannot_be_written(table: Path) -> None:
    folder, journal = table.parent, table.parent / "table.journal"
    no_folder = Machine(lambda path, mode: path != folder, NOBODY.holder_of, {})
    assert "may not write in" in told(table, machine=no_folder)[0]
    journal.touch()
    no_file = Machine(lambda path, mode: path != journal, NOBODY.holder_of, {})
    assert told(table, machine=no_file)[0].endswith("may not write table.journal")
    journal.unlink()
    journal.mkdir()
    assert told(table) == ["table.toml:15: journal.path: table.journal is a folder; give a file"]


def test_a_record_that_is_gone_is_named(table: Path) -> None:
    assert not [note for note in found(table).notes if "is gone" in note]
    (table.parent / "devices.json").write_text('{"shoe": {"serial": "S-1"}}')
    assert [note for note in found(table).notes if "the record of this table is gone" in note]
    assert told(table) == []


def test_a_full_disk_is_told_before_play(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.disk_usage", lambda path: type("Usage", (), {"free": 3 * 2**20}))
    assert "only 3 MiB are free in " in told(table)[0]


def test_a_page_port_that_is_taken_and_an_address_that_is_not_ours(table: Path, free_port: int) -> None:
    with socket.create_server(("127.0.0.1", free_port)):
        assert told(table) == [
            f"table.toml:13: page.port: {free_port} is taken on 127.0.0.1: another program listens there"
        ]
    change(table, "[page]", '[page]\nhost = "192.0.2.1"')
    findings = found(table)
    assert [problem.key for problem in findings.problems] == ["page.host"]
    assert f"[page]: reachable from other machines at 192.0.2.1:{free_port}" in findings.notes
    change(table, "192.0.2.1", "no such host")
    assert 'page.host: "no such host" is no address' in told(table)[0]


def test_what_a_table_holds_that_runs_already_is_no_problem(table: Path, port: Path, free_port: int) -> None:
    running = Machine(lambda path, mode: True, port_holder, {}, list, at_work=lambda file: os.getpid(),
                      pages_of=lambda file: [os.getpid()])  # fmt: skip
    with socket.create_server(("127.0.0.1", free_port)), port.open("rb+", buffering=0) as held:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        findings = found(table, machine=running)
        assert findings.problems == []
        assert f"the table runs (process {os.getpid()} (" in findings.notes[0]
        upgraded = replace(running, upgrade_at=lambda process: Upgrade("0.12.0", "0.13.0", "ab"))
        notes = found(table, machine=upgraded).notes
        assert any(
            note.startswith("feltd 0.13.0 is installed, and the table runs 0.12.0: it starts anew as soon as no round")
            for note in notes
        )
        another = replace(running, at_work=lambda file: os.getppid(), pages_of=lambda file: [os.getppid()])
        assert [fault.split(": ")[1] for fault in told(table, machine=another)] == ["device.port", "page.port"]


def test_a_rulebook_that_is_not_there_may_be_misspelt(table: Path) -> None:
    change(table, '"picky"', '"tas-2018-holden"')
    assert told(table) == [
        'table.toml:3: table.rulebook: no rulebook "tas-2018-holden"; did you mean "tas-2018-holdem"? '
        "(there are: picky, tas-2018-holdem)"
    ]


def test_a_device_that_the_rulebook_needs_and_the_table_lacks_is_named(table: Path) -> None:
    needy = Rules(lambda books, structures: {"picky": Book("picky", ("shoe", "dropbox"))}, PickyTable)
    assert told(table, needy) == [
        "table.toml:3: table.rulebook: picky starts no round without a dropbox: no [[device]] has that role, "
        "and nothing of [pins]"
    ]


def test_what_hangs_on_pins_is_there_though_it_has_a_fault(table: Path) -> None:
    needy = Rules(lambda books, structures: {"picky": Book("picky", ("shoe", "dropbox"))}, PickyTable)
    table.write_text(table.read_text() + "\n[pins.dropbox]\nlocked = { line = 900 }\n")
    assert [problem.split(": ")[1] for problem in told(table, needy)] == ["pins.dropbox.locked.line"]


def test_two_devices_with_one_key_are_told_and_the_key_is_not_shown(table: Path) -> None:
    key = bytes(range(32))
    (table.parent / "shoe.key").write_bytes(key)
    (table.parent / "muck.key").write_text(key.hex())
    (table.parent / "muck.key").chmod(0o600)
    usb = UsbId(0x1209, 0xC0DE)
    reader = '[[device]]\nname = "muck"\nrole = "reader"\nusb = { vendor = 0x1209, product = 0xc0de }\n'
    change(table, "[page]", reader + 'key_file = "muck.key"\nsettings.zones = ["muck"]\n[page]')
    machine = replace(NOBODY, plugged=lambda: [Plugged(usb, "1-1", "Reader")])
    [problem] = told(table, machine=machine)
    words = "no two devices share one; feltd device key muck makes another"
    assert problem.endswith(f'device.key_file: is the key of "shoe": {words}')
    assert key.hex() not in problem


def test_a_device_with_a_fault_is_there_all_the_same(table: Path) -> None:
    change(table, 'role = "shoe"', 'role = "shoe"\nbaud = 9600')
    assert [problem.split(": ")[1] for problem in told(table)] == ["device.baud"]
    change(table, 'role = "shoe"', 'role = ["shoe"]')
    assert [problem.split(": ")[1] for problem in told(table)] == ["table.rulebook", "device.role", "device.baud"]


def test_every_option_the_rulebook_refuses_is_named(table: Path) -> None:
    change(table, "burn = 1", "burn = 3\njokers = true")
    assert told(table) == [
        "table.toml:6: table.options.burn: option `burn`: 3 is not allowed; allowed: 0, 1",
        "table.toml:7: table.options.jokers: unknown option `jokers`",
    ]


def test_the_example_lacks_only_what_the_machine_lacks() -> None:
    example = Path(__file__).parents[2] / "config" / "table.example.toml"
    keys = {problem.key for problem in check_file(example, machine=NOBODY).problems}
    assert keys <= {"device.port", "device.key_file", "journal.path", "page.port"}


@pytest.mark.parametrize("keyed", ["true", "false"])
def test_actions_that_are_all_keyed_need_keys(table: Path, keyed: str) -> None:
    change(table, '"picky"', '"act-2019-uth"')
    change(table, "burn = 1", f"actions_keyed = {keyed}")
    problems = [str(problem) for problem in check_file(table, machine=NOBODY).problems]
    assert any("table.options.actions_keyed: true, and there are no keys" in p for p in problems) is (keyed == "true")


def test_a_table_without_faces_needs_keys_and_says_what_it_does_not_see(table: Path) -> None:
    change(table, '"picky"', '"tas-2018-holdem"')
    change(table, "burn = 1", "faces = false")
    found = check_file(table, machine=NOBODY)
    assert any("nobody could say that a hand lies open" in str(problem) for problem in found.problems)
    assert any(note.startswith("[table.options] faces = false: The readers know no side") for note in found.notes)
    change(table, "faces = false", 'faces = false\nbuilt = "board_only"')
    found = check_file(table, machine=NOBODY)
    assert not any("lies open" in said for said in (*map(str, found.problems), *found.notes))


def test_a_game_of_open_cards_is_refused_where_no_reader_knows_a_side(table: Path) -> None:
    change(table, '"picky"', '"tas-2018-stud5"')
    change(table, "burn = 1", "faces = false")
    problems = [str(problem) for problem in check_file(table, machine=NOBODY).problems]
    assert any("table.options.faces: option faces: false: cards that lie open" in problem for problem in problems)


@pytest.mark.parametrize(("built", "spared"), [("board_only", True), ("full", False)])
def test_a_table_that_is_built_without_a_shoe_needs_none(table: Path, built: str, spared: bool) -> None:
    board = 'name = "board"\nrole = "reader"\nsettings = { zones = ["board:1"], look = false }'
    change(table, 'name = "shoe"\nrole = "shoe"', board)
    change(table, '"picky"', '"onyx-cash"')
    change(table, "burn = 1", f'built = "{built}"\nlook_sensor = false')
    problems = [str(problem) for problem in check_file(table, machine=NOBODY).problems]
    assert any("starts no round without a shoe" in problem for problem in problems) is not spared
    assert any("draw for the button by hand" in problem for problem in problems) is spared


def test_the_real_rulebooks_refuse_by_name_and_allowed_values(table: Path) -> None:
    change(table, '"picky"', '"act-2019-uth"')
    change(table, "burn = 1", 'joker = true\nlook_sensor = "no"')
    problems = [str(problem) for problem in check_file(table, machine=NOBODY).problems]
    assert any(
        "table.options.joker: " in problem and "act-2019-uth does not take it" in problem for problem in problems
    )
    assert any("table.options.look_sensor: " in p and "allowed: true, false" in p for p in problems)
    assert any("starts no round without a reader" in problem for problem in problems)


def test_a_table_the_rulebook_refuses_as_a_whole(table: Path) -> None:
    change(table, "[1, 2, 3]", "[1]")
    assert told(table) == ["table.toml:1: table: the rulebook refuses to open this table: too few seats"]


def test_faults_of_rulebooks_are_told_as_they_are(table: Path) -> None:
    def refuse(sources: Mapping[str, str], structures: Mapping[str, str]) -> dict[str, Any]:
        raise RulebookError(["own.toml:3: rows.0.outcome: …", "own.toml:9: …"])

    assert told(table, Rules(refuse, PickyTable)) == ["own.toml:3: rows.0.outcome: …", "own.toml:9: …"]


def test_a_folder_of_ones_own_rulebooks_is_read_beside_the_shipped(table: Path) -> None:
    change(table, "seats =", 'rulebooks = "books"\nseats =')
    assert "table.toml:4: table.rulebooks: books: no such folder; it should hold TOML files" in told(table)
    (table.parent / "books").mkdir()
    (table.parent / "books" / "own.toml").write_text("id = 'own'\n")
    seen: list[str] = []

    def load(sources: Mapping[str, str], structures: Mapping[str, str]) -> dict[str, Any]:
        seen.extend(sources)
        return {"picky": Book("picky")}

    assert told(table, Rules(load, PickyTable)) == []
    assert seen[-1] == str(table.parent / "books" / "own.toml")
    assert len(seen) > 1


def test_structures_of_ones_own_lie_beside_the_rulebooks_in_a_folder_of_their_own(table: Path) -> None:
    change(table, "seats =", 'rulebooks = "books"\nseats =')
    (table.parent / "books" / "structures").mkdir(parents=True)
    (table.parent / "books" / "own.toml").write_text("id = 'own'\n")
    (table.parent / "books" / "structures" / "long.toml").write_text("id = 'long'\n")
    seen: dict[str, list[str]] = {}

    def load(sources: Mapping[str, str], structures: Mapping[str, str]) -> dict[str, Any]:
        seen.update(books=list(sources), structures=list(structures))
        return {"picky": Book("picky")}

    assert told(table, Rules(load, PickyTable)) == []
    assert seen["books"][-1] == str(table.parent / "books" / "own.toml")
    assert seen["structures"][-1] == str(table.parent / "books" / "structures" / "long.toml")


def test_mock_pins_are_said_to_be_none(table: Path) -> None:
    text = '[pins]\nfactory = "mock"\n[[pins.key]]\nname = "hand_end"\nline = 4\n'
    table.write_text(table.read_text() + text)
    findings = found(table)
    assert findings.problems == []
    assert "[pins]: the factory is mock: no line of this board is read or driven" in findings.notes


def badge_reader(table: Path, tmp_path: Path, staff: str = "", *, keypad: bool | None = None) -> None:
    """A second device of the table: a badge reader, with a list of its own where one is given."""
    (tmp_path / "badge.key").write_bytes(bytes(range(7, 39)))
    reader = f'[[device]]\nname = "badge"\nrole = "badge"\nport = "{tmp_path}/badge"\nkey_file = "badge.key"\n'
    reader += "" if keypad is None else f"settings.keypad = {str(keypad).lower()}\n"
    change(table, "[page]", f"{reader}{staff}\n[page]")


def of_badges(table: Path) -> list[str]:
    return [note for note in check_file(table, RULES, NOBODY).notes if "badge" in note]


def test_a_table_without_a_badge_reader_says_nothing_of_badges(table: Path) -> None:
    assert of_badges(table) == []


def test_a_reader_that_takes_no_pin_is_named_beside_badges_that_want_one(table: Path, tmp_path: Path) -> None:
    badge_reader(table, tmp_path, 'settings.staff = { S7 = "director", I1 = "inspector", D1 = "dealer" }')
    change(table, "[table]", "[table]\nbadge_pins = true")
    _, beside, without = of_badges(table)
    assert beside == (
        "badges: [table] badge_pins = true beside badge, which takes no PIN: a badge without a PIN witnesses there, "
        "and so does a copy of its number; it decides nothing. Where a PIN can be keyed at it, write "
        "settings.keypad = true"
    )
    assert without == (
        "badges: no PIN has S7, who may decide: such a badge decides nothing ([table] badge_pins); no badge reader of "
        "this table takes one, so such people decide at the page"
    )
    for badge in ("S7", "I1"):
        put_pin(pins_file_of(load_config(table).journal.path), bytes(32), badge, "70951")
    assert of_badges(table)[2] == (
        "badges: I1, S7 count with their PIN alone, and it cannot be keyed at badge: there they sign and witness "
        "nothing; take the PIN of a witness away: feltd user pin BADGE --remove"
    )


def test_what_a_reader_has_said_of_its_keypad_since_the_last_start_counts(table: Path, tmp_path: Path) -> None:
    badge_reader(table, tmp_path, 'settings.staff = { S7 = "director" }')
    change(table, "[table]", "[table]\nbadge_pins = true")
    journal = Journal.open(load_config(table).journal.path, bytes(32))
    for counts in (True, False):
        journal.append_note(START_NOTE, {})
        for said in ("nothing of a reader", {"badge": {"says": counts, "counts": counts}}):
            journal.append_note(KEYPADS_NOTE, {"readers": said})
        journal.flush_blocking(60)
        assert any("beside badge, which takes no PIN" in note for note in of_badges(table)) is not counts
        [without] = [note for note in of_badges(table) if "no PIN has S7" in note]
        assert without.endswith("set one: feltd user pin BADGE") is counts
    journal.close()


def test_the_witnesses_without_a_pin_are_named_too(table: Path, tmp_path: Path) -> None:
    badge_reader(
        table, tmp_path, 'settings.staff = { S7 = "director", I1 = "inspector", X1 = "inspector" }', keypad=True
    )
    journal = load_config(table).journal.path
    staff = {"badge": "X1", "account": "xaver", "role": "inspector", "enabled": False}
    staff_file_of(journal).write_text(json.dumps({"staff": [staff]}))
    put_pin(pins_file_of(journal), bytes(32), "S7", "70951")
    named = "badges: no PIN has I1, who may witness: "
    assert of_badges(table)[1:] == [
        f"{named}a copy of its number witnesses as the badge does; set one: feltd user pin BADGE"
    ]
    change(table, "[table]", "[table]\nbadge_pins = true")
    assert of_badges(table)[1:] == [f"{named}such a badge witnesses nothing at badge; set one: feltd user pin BADGE"]


def test_cards_behind_a_key_are_looked_at_where_no_badge_reader_is(table: Path) -> None:
    change(table, 'role = "shoe"', 'role = "keys"')
    assert of_badges(table) == []
    staff = {"badge": "S7", "account": "anna", "role": "supervisor", "enabled": True}
    staff_file_of(load_config(table).journal.path).write_text(json.dumps({"staff": [staff]}))
    counted, without = of_badges(table)
    assert counted == "badges: 1 on the table's list, 1 of them may decide"
    assert without.startswith("badges: no PIN has S7, who may decide: since 0.12.0 such a badge signs nothing that")


def test_the_badges_that_may_decide_are_counted(table: Path, tmp_path: Path) -> None:
    badge_reader(table, tmp_path, keypad=True)
    [note] = of_badges(table)
    assert note.startswith("badges: no badge on this table's list may decide; list one: feltd user add NAME")
    journal = load_config(table).journal.path
    staff = {"badge": "S7", "account": "anna", "role": "supervisor", "enabled": True}
    staff_file_of(journal).write_text(json.dumps({"staff": [staff, {**staff, "badge": "S8", "enabled": False}]}))
    said, without = of_badges(table)
    assert said == "badges: 2 on the table's list, 1 of them may decide"
    assert without == (
        "badges: no PIN has S7, who may decide: since 0.12.0 such a badge signs nothing that needs a reason (overrule, "
        "misdeal, void, exclude, shelve), and a copy of its number signs the rest; badge_pins = true in [table] lets "
        "no badge decide without one; set one: feltd user pin BADGE"
    )
    many = [{**staff, "badge": f"T{number:02}"} for number in range(25)]
    staff_file_of(journal).write_text(json.dumps({"staff": many}))
    assert "no PIN has T00, T01" in of_badges(table)[1]
    assert "T19 and 5 more, who may decide" in of_badges(table)[1]
    staff_file_of(journal).write_text(json.dumps({"staff": [staff, {**staff, "badge": "S8", "enabled": False}]}))
    change(table, "[table]", "[table]\nbadge_pins = false")
    assert "a copy of its number signs all that the badge does ([table] badge_pins = false)" in of_badges(table)[1]
    change(table, "badge_pins = false\n", "")
    change(table, "[table]", "[table]\nbadge_pins = true")
    assert "such a badge decides nothing ([table] badge_pins)" in of_badges(table)[1]
    put_pin(pins_file_of(journal), bytes(32), "S7", "70951")
    assert of_badges(table) == ["badges: 2 on the table's list, 1 of them may decide"]
    closed = replace(NOBODY, may=lambda path, mode: path != pins_file_of(journal))
    assert any("which badges have a PIN was not looked at" in note for note in check_file(table, RULES, closed).notes)
    pins_file_of(journal).write_text("{")
    assert "no list of PINs; move it away" in of_badges(table)[1]
    pins_file_of(journal).unlink()
    shut_off = replace(NOBODY, may=lambda path, mode: path != staff_file_of(journal))
    assert any("is for the table's user alone" in note for note in check_file(table, RULES, shut_off).notes)
    staff_file_of(journal).write_text("{")
    [note] = of_badges(table)
    assert "no list of staff; move it away: the page sends it anew" in note


def test_the_packs_of_chips_are_counted_and_a_list_that_does_not_open_is_a_fault(table: Path) -> None:
    def of_packs() -> tuple[list[str], list[str]]:
        found = check_file(table, RULES, NOBODY)
        lines = [str(problem) for problem in found.problems]
        notes = [one for one in found.notes if one.startswith("packs:") or "packs.sealed" in one]
        return [one for one in lines if "packs.sealed" in one], notes

    assert of_packs() == ([], [])
    reader = '[[device]]\nname = "board"\nrole = "reader"\nadapter = "pcsc"\npcsc = { reader = "ACS ACR122U" }\n'
    device = f'{reader}adapter_settings = {{ zone = "board:1" }}\nsettings = {{ zones = ["board:1"] }}\n'
    change(table, "[page]", f"{device}[page]")
    [note] = of_packs()[1]
    assert note.startswith("board: tells chips' numbers, and ")
    assert "Enrol the packs (feltd deck enrol), or put the copy back" in note
    journal = load_config(table).journal
    file, key = packs_file_of(journal.path), journal.sealing_key_file.read()
    write_packs(file, key, BOTH.with_state("red-1", PackState.RESTING))
    assert of_packs() == ([], ["packs: 2 enrolled, 1 of them in use"])
    shut_off = replace(NOBODY, may=lambda path, mode: path != file)
    assert any("packs.sealed was not looked at" in note for note in check_file(table, RULES, shut_off).notes)
    file.write_bytes(file.read_bytes()[:-1])
    [fault], notes = of_packs()
    assert "packs.sealed: does not open with the record's sealing key" in fault
    assert notes == []


def test_the_badges_of_the_readers_settings_count_as_well(table: Path, tmp_path: Path) -> None:
    badge_reader(table, tmp_path, 'settings.staff = { 1042 = "director", 1043 = "inspector" }')
    assert of_badges(table)[0] == "badges: 2 on the table's list, 1 of them may decide"


@pytest.mark.parametrize("key", ["303132333435363738393a3b3c3d3e3f", "00" * 16, "ff" * 16])
def test_an_osdp_key_that_everybody_knows_is_named_before_the_start(table: Path, key: str) -> None:
    change(table, 'role = "shoe"', 'role = "badge"\nadapter = "osdp-badge"')
    (table.parent / "shoe.key").write_text(key)
    told_of_key = [text for text in told(table) if ": device.key_file: " in text]
    assert told_of_key == [
        "table.toml:12: device.key_file: shoe.key: this one is known to everybody: provision one of the reader's own, "
        "in safety"
    ]
    (table.parent / "shoe.key").write_bytes(os.urandom(16))
    assert [text for text in told(table) if ": device.key_file: " in text] == []


def test_an_adapters_key_of_the_wrong_length_is_told_once(table: Path) -> None:
    change(table, 'role = "shoe"', 'role = "badge"\nadapter = "osdp-badge"')
    (table.parent / "shoe.key").write_bytes(os.urandom(20))
    [told_of_key] = [text for text in told(table) if ": device.key_file: " in text]
    assert "wrong length: 20 bytes; a key is 16 bytes" in told_of_key
