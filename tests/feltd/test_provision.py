"""`feltd provision`: from a sheet to the files, keys and labels of many tables; all faults at once, nothing made."""

import csv
import io
import os
import re
import stat
import tempfile
from html.parser import HTMLParser
from pathlib import Path

import pytest
import segno
from click.testing import CliRunner, Result
from hypothesis import given, settings
from hypothesis import strategies as st

from feltd.books.shipped import model_of_tables, shipped_folder
from feltd.cli import cli
from feltd.cli.exits import FINE
from feltd.provision.addresses import PageAddress
from feltd.provision.making import ProvisionError, make_folder
from feltd.provision.model import read_model
from feltd.provision.sheet import FIXED, read_sheet
from feltd.provision.tables import NewTable, plan_tables
from feltd.table.check.check import check_file
from feltd.table.config.config import ConfigError, load_config
from feltd.table.config.key_files import read_key
from tests.ports import free_port

MODEL = read_model(model_of_tables(), "model.toml")
HEADING = "table,name,rulebook,seats,page,option:blinds,shoe,reader:board,reader:seats,dropbox"
SOUND = '7,Table 7,tas-2018-holdem,1-9,192.168.20.7:8080,"[100, 200]",S1042,R2001,R2002,B15'


def _problems(*lines: str, model: str = "") -> list[str]:
    chosen = read_model(model, "model.toml") if model else MODEL
    _, problems = plan_tables(read_sheet("\n".join(lines).encode(), "t.csv", chosen.devices), chosen)
    return [str(problem) for problem in problems]


def _tables(*lines: str) -> list[NewTable]:
    tables, problems = plan_tables(read_sheet("\n".join(lines).encode(), "t.csv", MODEL.devices), MODEL)
    assert not problems
    return tables


def _ask(*words: str | Path) -> Result:
    result = CliRunner().invoke(cli, ["provision", *map(str, words)])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


class _Text(HTMLParser):
    """The words of a page, and how many drawings it has."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.words, self.drawings = "", 0
        self.outside: list[str | None] = []
        self.feed(text)

    def handle_data(self, data: str) -> None:
        self.words += data + " "

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.drawings += tag == "svg"
        self.outside += [value for name, value in attrs if name in ("src", "href")]


def test_the_example_makes_three_tables_that_can_be_read(tmp_path: Path) -> None:
    folder = tmp_path / "boards"
    answer = _ask(shipped_folder() / "tables.example.csv", "--into", folder)
    assert answer.exit_code == 0, answer.output
    assert "3 tables, 27 keys" in answer.output
    assert sorted(path.name for path in folder.iterdir()) == ["1", "2", "checklist.html", "labels.html", "vip"]
    config = load_config(folder / "vip" / "table.toml")
    assert (config.table.name, config.table.rulebook, config.table.seats) == (
        "Salon privé",
        "onyx-cash",
        tuple(range(1, 9)),
    )
    assert {device.name: device.serial for device in config.devices}["reader:seats"] == "R2103"
    assert (config.page.host, config.page.port) == ("192.168.20.3", 8080)
    assert [path.name for path in tmp_path.iterdir()] == ["boards"]


def test_keys_are_secret_all_different_and_where_the_table_looks_for_them(tmp_path: Path) -> None:
    folder = tmp_path / "boards"
    _ask(shipped_folder() / "tables.example.csv", "--into", folder)
    files = sorted(folder.rglob("*.key"))
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}
    assert {stat.S_IMODE(path.stat().st_mode) for path in (folder, *folder.glob("*/"), *folder.glob("*/keys/"))} == {
        0o700
    }
    keys = {read_key(file) for file in files}
    assert len(keys) == len(files) == 27
    wanted = {
        device.key_file.path.name
        for device in load_config(folder / "1" / "table.toml").devices
        if device.key_file and device.key_file.path
    }
    assert {file.name for file in (folder / "1" / "keys").iterdir()} == wanted
    for page in ("labels.html", "checklist.html", "1/table.toml"):
        text = (folder / page).read_text()
        assert not any(key.hex() in text or key.hex()[:16] in text for key in keys)


def test_with_its_files_in_their_places_a_table_lacks_its_ports_alone(tmp_path: Path) -> None:
    board, model = tmp_path / "board", tmp_path / "model.toml"
    text = (
        model_of_tables()
        .replace("/var/lib/feltd", str(board))
        .replace("credential:journal-key", f"{board}/journal.key")
    )
    model.write_text(text)
    sheet = tmp_path / "t.csv"
    sheet.write_text(f"{HEADING}\n{SOUND.replace('192.168.20.7:8080', f'127.0.0.1:{free_port()}')}\n")
    assert _ask(sheet, "--into", tmp_path / "boards", "--model", model).exit_code == 0
    (tmp_path / "boards" / "7").rename(board)
    problems = check_file(board / "table.toml").problems
    assert {problem.key for problem in problems} == {"device.port"}
    assert len(problems) == 4


def test_labels_have_a_code_each_and_need_nothing_beside_them(tmp_path: Path) -> None:
    make_folder(_tables(HEADING, SOUND), tmp_path / "boards")
    text = (tmp_path / "boards" / "labels.html").read_text()
    page = _Text(text)
    assert page.drawings == 5
    assert page.outside == []
    assert "https://192.168.20.7:8080/" in page.words
    for said in ("https://192.168.20.7:8080/", "feltd table=7 device=reader:board serial=R2001"):
        drawn = segno.make(said, error="m", micro=False).svg_inline(scale=3, border=4, omitsize=True, light="#fff")
        assert drawn in text


def test_codes_of_the_floor_are_on_the_labels_of_their_tables(tmp_path: Path) -> None:
    sheet, codes = tmp_path / "tables.csv", tmp_path / "codes"
    sheet.write_text(f"{HEADING}\n{SOUND}\n")
    codes.write_text(f"{SOUND.partition(',')[0]} AAAAA-AAAAA\n\n")
    assert _ask(sheet, "--into", tmp_path / "boards", "--codes", codes).exit_code == FINE
    assert "feltd uplink enrol AAAAA-AAAAA" in (tmp_path / "boards" / "labels.html").read_text()
    steps = (tmp_path / "boards" / "checklist.html").read_text()
    assert "sudo feltd uplink enrol CODE" in steps
    assert "AAAAA" not in steps


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("", ["it has no code: nobody could enrol a table by its label"]),
        (" \n\n", ["it has no code"]),
        ("7 A8\n8 B8\n9 C8", []),
        ("7 A8\n\n9 C8", ['no line has the code of table "8" (t.csv:3)']),
        ("7 A8\n8 B8\n9 C8\n90 D8", ['4: the sheet has no table "90"; did you mean "9"?']),
        ("7 A8\n8 B8\n9 C8\n8 D8", ['4: table "8" has its code at line 2 already']),
        ("7 A8\n8 A8\n9 C8", ["2: its code is that of line 1, and each is good once"]),
        ("7 A8\n8 a8\n9 C8", ["2: its code is that of line 1"]),
        ("7 A8\n8 B8 C8\n9", ["2: is not TABLE CODE", "3: is not TABLE CODE"]),
        ("7 A8\n8 AAAA\n\udcff C8", ["2: is not", "3: the sheet has no table", 'no line has the code of table "9"']),
    ],
)
def test_codes_that_are_missing_or_wrong_are_named_by_line_and_nothing_is_made(
    written: str, told: list[str], tmp_path: Path
) -> None:
    rows = [f"{n},Table {n},tas-2018-holdem,1-9,10.0.0.{n},,S{n},R1{n},R2{n},B{n}" for n in (7, 8, 9)]
    sheet, codes = tmp_path / "t.csv", tmp_path / "codes"
    sheet.write_text("\n".join([HEADING, *rows]))
    whole = re.sub("([A-Da-d])8", lambda found: f"{found[1]}AAAA-AAAAA", written)
    codes.write_bytes(whole.encode(errors="surrogateescape"))
    answer = _ask(sheet, "--into", tmp_path / "boards", "--codes", codes)
    lines = answer.stdout.splitlines() if told else []
    assert len(lines) == len(told), answer.output
    for line, words in zip(lines, told, strict=True):
        assert line.startswith(f"{codes}:")
        assert words in line.replace(str(tmp_path) + "/", "")
    assert (tmp_path / "boards").exists() is (not told)
    assert "AAAA-AAAAA" not in answer.output


def test_faults_of_sheet_and_codes_are_told_together(tmp_path: Path) -> None:
    sheet, codes = tmp_path / "t.csv", tmp_path / "codes"
    sheet.write_text(f"{HEADING}\n{SOUND.replace('1-9', 'x')}\n")
    codes.write_text("8 AAAAA-AAAAA\n")
    answer = _ask(sheet, "--into", tmp_path / "boards", "--codes", codes)
    assert [line.split(":")[0] for line in answer.stdout.splitlines()] == [str(sheet), str(codes), str(codes)]
    assert answer.exit_code == 1
    sheet.write_text("")
    answer = _ask(sheet, "--into", tmp_path / "boards", "--codes", codes)
    assert len(answer.stdout.splitlines()) == 1


def test_a_checklist_has_the_steps_and_every_device(tmp_path: Path) -> None:
    local = (
        SOUND.replace("192.168.20.7:8080", "127.0.0.1")
        .replace("7,Table 7", "8,<b>Acht</b> & co")
        .replace("S1042,R2001,R2002,B15", "S2,R3,R4,B5")
    )
    make_folder(_tables(HEADING, SOUND, local), tmp_path / "boards")
    text = (tmp_path / "boards" / "checklist.html").read_text()
    first, second = re.findall(r"<section>.*?</section>", text, re.S)
    assert all(word in first for word in ("S1042", "keys/reader-board.key", "IPAddressAllow"))
    assert "&lt;b&gt;Acht&lt;/b&gt; &amp; co" in second
    assert not any(word in second for word in ("IPAddressAllow", "S1042", "badge"))
    assert _Text(text).outside == []


FAULTS = {
    "7,Table 7,tas-2018-holdem,1-9,10.0.0.7,,S1,R1": "8 cells for 10 columns",
    SOUND.replace(
        "tas-2018-holdem", "tas-2018-holden"
    ): 'rulebook (column C): no rulebook "tas-2018-holden"; did you mean',
    SOUND.replace("tas-2018-holdem", ""): "rulebook (column C): is empty",
    SOUND.replace("1-9", "1-12"): "seats (column D): 11 is not allowed",
    SOUND.replace("1-9", "1 1"): "seats (column D): seat 1 is named twice",
    SOUND.replace("1-9", "9-1"): 'seats (column D): "9-1" names no seats',
    SOUND.replace("7,Table", "../7,Table"): 'table (column A): "../7" names no folder',
    SOUND.replace("[100, 200]", "[100 200]"): "option:blinds (column F): '[100 200]' is no value",
    SOUND.replace("[100, 200]", "1\nmore = 2"): "option:blinds (column F): '1\\nmore = 2' is no value",
    SOUND.replace("[100, 200]", "[-1]"): "option:blinds (column F): option blinds",
    SOUND.replace("S1042", "S 1042"): 'shoe (column G): "S 1042" is no serial number',
    SOUND.replace("S1042", "R2001"): 'reader:board (column H): "R2001" is at line 2, shoe already',
    SOUND.replace("S1042", ""): "rulebook (column C): tas-2018-holdem starts no round without a shoe",
    SOUND.replace(":8080", ":99999"): "page (column E)",
    SOUND.replace("192.168.20.7", "0.0.0.0"): 'page (column E): "0.0.0.0" is not the address of one board',
    SOUND.replace("192.168.20.7", "192.168.20.777"): "is no address and no host's name",
    SOUND.replace("192.168.20.7", "[fd00::1]x"): "is no address: write HOST:PORT",
    SOUND.replace("192.168.20.7:8080", "[fd00::1"): "is no address: write HOST:PORT",
    SOUND.replace("192.168.20.7", "192.168.020.7"): "begins with 0, which browsers read as octal: write 192.168.20.7",
    SOUND.replace("192.168.20.7", "[fe80::1%eth0]"): "an address at one plug of one machine",
    SOUND.replace("192.168.20.7:8080", "192.168.20.777:0"): 'no host\'s name; "192.168.20.777:0" is no address',
}


@pytest.mark.parametrize("line", FAULTS)
def test_a_fault_has_its_line_and_column(line: str) -> None:
    told = _problems(HEADING, line)
    assert any(one.startswith("t.csv:2: ") and FAULTS[line] in one for one in told), told


def test_faults_of_a_sheets_form() -> None:
    assert _problems("") == [
        "t.csv: it is empty: the first line names the columns: " + ", ".join((*FIXED, *MODEL.devices))
    ]
    assert _problems(HEADING) == ["t.csv: no table: each line after the first is one"]
    told = _problems(HEADING.replace("rulebook", "rulebok").replace("dropbox", "shoe").replace("table", ""), SOUND)
    assert 't.csv:1: rulebok (column C): no such column; did you mean "rulebook"?' in told[3]
    assert [one.split(": ")[1] for one in told[:3]] == [
        "column A has no name",
        'the column "table" is missing',
        'the column "rulebook" is missing',
    ]
    assert "t.csv:1: shoe (column G): this column is there twice" in told
    sheet = read_sheet(b"table\n\xff", "t.csv", ())
    assert str(sheet.problems[0]) == "t.csv:2: this is not UTF-8: save the file as CSV UTF-8"
    assert "this is no CSV" in _problems(HEADING, '7,"a" b')[0]
    assert "a byte 0" in _problems(HEADING, "7,\0")[0]
    assert "no sheet of tables" in str(read_sheet(b"a" * 1_000_001, "t.csv", ()).problems[0])


def test_all_faults_of_all_lines_at_once_and_in_order() -> None:
    told = _problems(
        HEADING,
        SOUND.replace("tas-2018-holdem", "none").replace("1-9", "x"),
        SOUND,
        SOUND.replace("7,Table 7", "8,Table 8"),
        "",
        SOUND.replace("S1042,R2001,R2002,B15", "S9,R8,R7,B6").replace("7,Table 7,", "9,,"),
    )
    places = [(int(one.split(":")[1]), one.split("(column ")[1][0]) for one in told]
    assert places == [
        (2, "C"),
        (2, "D"),
        *((3, letter) for letter in "ABEGHIJ"),
        *((4, letter) for letter in "EGHIJ"),
        (6, "B"),
        (6, "E"),
    ]


def _places(told: list[str]) -> list[tuple[int, str]]:
    """Line and column of each fault; an empty column where it is about the whole line."""
    return [(int(one.split(":")[1]), one.partition(" (column ")[2][:1]) for one in told]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("10.0.0.5", "10.0.0.5:08080"),
        ("10.0.0.5", "010.0.0.5:8080"),
        ("10.0.0.5", "[::ffff:10.0.0.5]"),
        ("[fd00::7]:8443", "[FD00:0:0::0007]:8443"),
        ("fd00::7", "[fd00::7]:8080"),
        ("Table5.casino.example:8080", "table5.CASINO.example."),
    ],
)
def test_two_spellings_of_one_address_are_one_board(one: str, other: str) -> None:
    def line(folder: str, page: str) -> str:
        return f"{folder},Table {folder},tas-2018-holdem,1-9,{page},,S{folder},R1{folder},R2{folder},B{folder}"

    told = [said for said in _problems(HEADING, line("5", one), line("6", other)) if "octal" not in said]
    assert told == [
        f't.csv:3: page (column E): "{other}" is at line 2 already, written "{one}": each board has an address of '
        "its own"
    ]
    assert _problems(HEADING, line("5", one), line("6", one.replace("5", "6").replace("7", "8"))) == []


def test_a_table_listens_at_the_one_spelling_of_its_address() -> None:
    (table,) = _tables(HEADING, SOUND.replace("192.168.20.7", "Table7.Casino.Example."))
    assert 'host = "table7.casino.example"' in table.text
    assert PageAddress.parse("[::1]").loopback
    assert PageAddress.parse("LOCALHOST.").loopback


def test_one_fault_of_a_line_hides_no_other_of_it() -> None:
    told = _problems(
        HEADING,
        SOUND.replace("1-9", "1-12 1 x").replace("[100, 200]", "[-1]"),
        "../8,,tas-2018-holden,1-11,10.0.0.300,[100 200],S 9,R8,R7,B6",
        SOUND.replace("7,Table 7", "9,Table 9")
        .replace("tas-2018-holdem,1-9", "act-2001-stud7,1-10")
        .replace("100, 200", "-1"),
    )
    first = [(2, letter) for letter in "DDDDF"]
    second = [(3, letter) for letter in "ABCDEFG"]
    third = [(4, letter) for letter in "CEFGHIJ"]
    assert _places(told) == first + second + third
    assert any("seat 1 is named twice" in one for one in told[: len(first)])
    assert "the rulebook refuses to open this table" in told[len(first + second)]


def test_a_line_with_too_few_or_too_many_cells_is_judged_as_far_as_they_can_be_told_apart() -> None:
    short = "8,Table 8,tas-2018-holden,x,10.0.0.8"
    unquoted = SOUND.replace('"[100, 200]"', "[100, 200]").replace("1-9", "1-12")
    open_list = SOUND.replace('"[100, 200]"', "[100, 200").replace("holdem", "holden")
    told = _problems(HEADING, short, unquoted, open_list)
    assert _places(told) == [(2, ""), (2, "C"), (2, "D"), (3, ""), (3, "D"), (3, "D"), (4, "")]
    assert "add the others" in told[0]
    assert "a comma in a cell needs quotes" in told[3]


def test_a_line_that_cannot_be_read_hides_no_other_line() -> None:
    bad = SOUND.replace("1-9", "x")
    lines = [HEADING, '6,"Table" 6', bad, SOUND.replace("B15", '"B15'), bad.replace("7,Table 7", "8,Caf\udce9")]
    content = "\n".join(lines).encode(errors="surrogateescape")
    _, problems = plan_tables(read_sheet(content, "t.csv", MODEL.devices), MODEL)
    told = [str(problem) for problem in problems]
    assert _places(told)[:5] == [(2, ""), (3, "D"), (4, ""), (5, ""), (5, "D")]
    assert [("no CSV" in told[0]), ("no CSV" in told[2]), ("not UTF-8" in told[3])] == [True] * 3
    assert _problems('"table,name', SOUND) == [
        "t.csv:1: this is no CSV: ',' expected after '\"'; a quote within quotes is written twice"
    ]
    (only,) = read_sheet("table\n".encode("utf-16"), "t.csv", ()).problems
    assert "not UTF-8" in str(only)


def test_a_fault_of_the_model_hides_none_of_the_sheet() -> None:
    model = model_of_tables().replace("clock_hours = 24", 'clock_hours = 24\nzone = "none"')
    told = _problems(HEADING, SOUND.replace("[100, 200]", "[-1]"), model=model)
    assert [one.split(":")[0] for one in told] == ["model.toml", "t.csv"]
    assert "option:blinds (column F)" in told[1]


def test_a_sheet_of_semicolons_with_a_mark_at_its_beginning_is_read() -> None:
    text = "﻿" + "\r\n".join((HEADING, SOUND)).replace('"[100, 200]"', "[100; 200]").replace(",", ";").replace(
        "[100; 200]", '"[100, 200]"'
    )
    (row,) = read_sheet(text.encode(), "t.csv", MODEL.devices).rows
    assert row.cells["option:blinds"] == "[100, 200]"
    (table,) = _tables(text)
    assert table.page.url == "https://192.168.20.7:8080/"


def test_two_boards_may_each_have_their_page_to_themselves() -> None:
    one = SOUND.replace("192.168.20.7:8080", "127.0.0.1")
    other = one.replace("7,Table 7", "8,Table 8").replace("S1042,R2001,R2002,B15", "S9,R8,R7,B6")
    assert [table.page.url for table in _tables(HEADING, one, other)] == ["http://127.0.0.1:8080/"] * 2


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("\n[table]\n", "\n[table\n", "model.toml:6"),
        ("clock_hours = 24", 'name = "A"', "table.name: comes from the sheet"),
        ("clock_hours = 24", 'rulebooks = "own"', "table.rulebooks: give its full path"),
        ("/var/lib/feltd/keys/shoe.key", "credential:shoe", "device.key_file: give the key's full path"),
        ("keys/shoe.key", "keys/markers.key", "another device's key is called markers.key"),
        ('name = "shoe"', f'name = "{"s" * 41}"', "device.name: is longer than 40 letters"),
        ('name = "shoe"', "", "give each device as [[device]] with a name"),
    ],
)
def test_a_model_that_no_table_can_be_made_of(old: str, new: str, told: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read_model(model_of_tables().replace(old, new, 1), "model.toml")
    assert told in str(caught.value)


def test_a_fault_that_the_model_brings_is_told_once_with_its_place_there() -> None:
    model = model_of_tables().replace("rows = 4", "row = 4")
    line = model.splitlines().index("settings = { row = 4, columns = 40, buzzer = true, clock = true }") + 1
    heading, cells = HEADING + ",indicators", SOUND + ",I1"
    other = (
        cells.replace("7,Table 7", "8,Table 8")
        .replace("20.7", "20.8")
        .replace("S1042,R2001,R2002,B15,I1", "S9,R8,R7,B6,I2")
    )
    told = _problems(heading, cells, other, model=model)
    assert len(told) == 1
    assert told[0].startswith(f"model.toml:{line}: device.settings")


def test_with_faults_nothing_is_made_and_a_folder_that_is_there_is_left(tmp_path: Path) -> None:
    sheet, folder = tmp_path / "t.csv", tmp_path / "boards"
    sheet.write_text(f"{HEADING}\n{SOUND.replace('1-9', '')}\n")
    answer = _ask(sheet, "--into", folder)
    assert (answer.exit_code, answer.stdout) == (1, f"{sheet}:2: seats (column D): is empty\n")
    assert "1 problem: nothing was made" in answer.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["t.csv"]
    sheet.write_text(f"{HEADING}\n{SOUND}\n")
    assert _ask(sheet, "--into", folder).exit_code == 0
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    again = _ask(sheet, "--into", folder)
    assert again.exit_code == 2
    assert "is there already, and nothing in it is changed" in again.stderr
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


def test_a_disk_that_fails_half_way_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real, left = os.fsync, [9]

    def fsync(handle: int) -> None:
        left[0] -= 1
        if not left[0]:
            raise OSError(28, "No space left on device")
        real(handle)

    monkeypatch.setattr(os, "fsync", fsync)
    with pytest.raises(ProvisionError, match="No space left on device; nothing was made"):
        make_folder(_tables(HEADING, SOUND), tmp_path / "boards")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_comes_meanwhile_wins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.rename

    def rename(source: Path, target: Path) -> None:
        target.mkdir()
        (target / "other").touch()
        real(source, target)

    monkeypatch.setattr(os, "rename", rename)
    with pytest.raises(ProvisionError, match="Directory not empty"):
        make_folder(_tables(HEADING, SOUND), tmp_path / "boards")
    assert [path.name for path in tmp_path.rglob("*")] == ["boards", "other"]


def test_the_sheet_that_is_printed_can_be_given(tmp_path: Path) -> None:
    printed, sheet = _ask("--print-sheet"), tmp_path / "t.csv"
    assert printed.stdout == (shipped_folder() / "tables.example.csv").read_text()
    sheet.write_text(printed.stdout)
    assert _ask(sheet, "--into", tmp_path / "boards").exit_code == FINE
    assert "uplink" not in (tmp_path / "boards" / "checklist.html").read_text()


def test_the_model_can_be_printed_and_given(tmp_path: Path) -> None:
    printed = _ask("--print-model")
    assert printed.stdout == model_of_tables()
    model, sheet = tmp_path / "model.toml", tmp_path / "t.csv"
    model.write_text(printed.stdout.replace("usb-Felt_Shoe_", "usb-Acme_"))
    sheet.write_text(f"{HEADING}\n{SOUND}\n")
    assert _ask(sheet, "--into", tmp_path / "b", "--model", model).exit_code == 0
    assert "usb-Acme_S1042-if00" in (tmp_path / "b" / "7" / "table.toml").read_text()
    model.write_text("[[device]]\n")
    assert _ask(sheet, "--into", tmp_path / "c", "--model", model).exit_code == 1
    gone = _ask(tmp_path / "none.csv", "--into", tmp_path / "c")
    assert (gone.exit_code, "none.csv: cannot be read: No such file" in gone.stderr) == (2, True)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be in somebody else's folder unasked")
def test_root_makes_no_keys_in_a_folder_of_others() -> None:
    with tempfile.TemporaryDirectory(prefix="feltd-") as place:
        Path(place).chmod(0o755)
        os.chown(place, 65534, 65534)
        answer = _ask(shipped_folder() / "tables.example.csv", "--into", Path(place) / "boards")
        assert answer.exit_code == 2
        assert "and this runs as root: anybody who has that user would have the keys" in answer.stderr


_CELLS = st.one_of(
    st.text(st.characters(codec="utf-8"), max_size=12),
    st.sampled_from(
        [
            "7",
            "Table 7",
            "tas-2018-holdem",
            "1-9",
            "10.0.0.7:80",
            "[100, 200]",
            "S1",
            "[fd00::1]:8",
            "{serial}",
            '"',
            "a=b",
        ]
    ),
)


@settings(max_examples=60)
@given(st.lists(st.lists(_CELLS, min_size=9, max_size=11), max_size=3), st.sampled_from(",;"))
def test_whatever_stands_in_the_cells_is_a_table_or_a_fault_with_a_line(rows: list[list[str]], delimiter: str) -> None:
    written = io.StringIO(newline="")
    csv.writer(written, delimiter=delimiter).writerows([HEADING.split(","), *rows])
    content = written.getvalue().encode()
    tables, problems = plan_tables(read_sheet(content, "t.csv", MODEL.devices), MODEL)
    assert bool(tables) != bool(problems)
    last = content.count(b"\n") + content.count(b"\r") + 2
    assert all(problem.file == "t.csv" and 1 <= (problem.line or 1) <= last for problem in problems)


@given(st.binary(max_size=300))
def test_whatever_bytes_a_file_has_it_is_read_or_refused(content: bytes) -> None:
    sheet = read_sheet(content, "t.csv", MODEL.devices)
    assert sheet.problems or sheet.rows


@given(st.text(max_size=30))
def test_whatever_an_address_is_it_is_one_or_refused_in_words(text: str) -> None:
    if text.isalnum() and text.isascii() and not text.isdigit():
        where = f"http{'s' * (text.lower() != 'localhost')}"
        assert PageAddress.parse(text).url == f"{where}://{text.lower()}:8080/"
        return
    try:
        address = PageAddress.parse(text)
    except ValueError:
        return
    assert address.url.startswith(("http://", "https://"))
    assert " " not in address.url
