"""`feltd tournament`: books printed, entries of a sheet, events played, a draw done again, results for the cage."""

import csv
import io
import json
import os
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from feltd.books.shipped import waiting_sources
from feltd.cli import cli
from floor_fsm.drawing import commitment_of
from tests.floor_fsm.support import laws

SECRET = bytes(range(32))
BY = {"who": "lea", "why": "as announced"}
OPENING = {
    "ev": "tournament.open", "t": 0, "by": BY, "name": "Tuesday", "fee": 20_000, "house": 5_000, "stack": 30_000,
    "late_until": 7, "tables": [{"table": "T1", "seats": [1, 2, 3, 4]}, {"table": "T2", "seats": [1, 2, 3, 4]}],
}  # fmt: skip


def run(*arguments: str | Path, stdin: str | None = None) -> Result:
    result = CliRunner().invoke(cli, ["tournament", *map(str, arguments)], input=stdin)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def entry(number: int, person: str, paid: int = 25_000) -> dict[str, object]:
    return {"ev": "entry", "t": 1, "by": BY, "entry": number, "person": person, "name": f"Mx {person}", "paid": paid}


def events(tmp_path: Path, *more: dict[str, object]) -> Path:
    people = [entry(number, f"P{number}") for number in range(1, 7)]
    committed = {"ev": "draw.committed", "t": 0, "by": BY, "commitment": commitment_of(SECRET)}
    told = {"ev": "seats.drawn", "t": 2, "by": BY, "secret": SECRET.hex()}
    file = tmp_path / "events.jsonl"
    lines = [OPENING, committed, *people, told, *more]
    file.write_text("# a tournament\n\n" + "\n".join(map(json.dumps, lines)) + "\n")
    return file


def said(result: Result, kind: str) -> list[dict[str, object]]:
    return [line[kind] for line in map(json.loads, result.stdout.splitlines()) if kind in line]


def test_every_book_is_listed_and_printed_with_its_clauses() -> None:
    listed = run("books").stdout.splitlines()
    assert [line.split()[0] for line in listed] == [*sorted(laws()), "onyx-cash"]
    for name, law in laws().items():
        text = run("books", name).stdout
        assert law.digest in text
        assert max(map(len, text.splitlines())) <= 120
    onyx = run("books", "onyx").stdout
    assert "Draw  (Seating 2, 7)\n  Seats are assigned at random" in onyx
    assert "associates_apart = yes" in onyx
    assert "a person decides each time" in run("books", "act-2001").stdout


def test_a_book_of_waiting_lists_is_printed_with_its_clauses_and_digest() -> None:
    text = run("books", "onyx-cash").stdout
    assert sha256(waiting_sources()["onyx-cash.toml"].encode()).hexdigest() in text
    assert "Transfers  (Cash 14)\n  Nobody changes tables without the approval" in text
    assert "Hold  (ours)" in text
    assert "  minutes = 5" in text
    assert run("play", "--book", "onyx-cash", os.devnull).exit_code == 2, "no tournament is played by it"


def test_a_book_that_there_is_not_is_told_with_those_that_there_are(tmp_path: Path) -> None:
    result = run("books", "star")
    assert (result.exit_code, "there are: act-2001" in result.stderr) == (2, True)
    assert run("play", events(tmp_path), "--book", "star").exit_code == 2


def test_secrets_are_made_with_their_commitment_and_never_twice() -> None:
    [commitment, *lines], [another, *_] = (run("commit", "--draws", "3").stdout.splitlines() for _ in range(2))
    assert commitment != another
    secrets = [line.split()[2] for line in lines]
    chain = [commitment.split()[1], *secrets]
    assert [commitment_of(bytes.fromhex(secret)) for secret in secrets] == chain[:3], "each binds the one after it"


def test_the_events_are_played_and_what_is_refused_says_why_and_where(tmp_path: Path) -> None:
    file = events(tmp_path, {**entry(9, "P1"), "t": 2}, {"ev": "late.closed", "t": 3, "by": BY}, entry(10, "P10"))
    result = run("play", file, "--book", "onyx")
    assert result.exit_code == 1
    assert len(said(result, "seat")) == 6
    refusals = [json.loads(line) for line in result.stdout.splitlines() if "refused" in line]
    assert [(one["line"], one["refused"]["reason"]) for one in refusals] == [
        (12, "in_play_already"),
        (14, "time_runs_back"),
    ]
    assert run("play", events(tmp_path), "--book", "onyx").exit_code == 0


def test_a_director_whose_name_has_a_blank_behind_it_is_the_same_director(tmp_path: Path) -> None:
    """A draw is annulled by two people: nobody is the second one by a blank, or by what nobody sees."""
    objected = {"ev": "draw.objected", "t": 3, "by": BY}
    for who in ("lea ", "Lea", "le\u200ba"):
        annulled = {"ev": "draw.annulled", "t": 4, "by": {**BY, "who": who}}
        result = run("play", events(tmp_path, objected, annulled), "--book", "onyx")
        assert [
            one["refused"]["reason"] for one in map(json.loads, result.stdout.splitlines()) if "refused" in one
        ] == ["one_person"]
    other = {"ev": "draw.annulled", "t": 4, "by": {**BY, "who": "max"}}
    assert run("play", events(tmp_path, objected, other), "--book", "onyx").exit_code == 0


def test_who_is_perhaps_somebody_who_has_entered_is_refused_until_the_line_says_that_they_are_another(
    tmp_path: Path,
) -> None:
    like = {**entry(9, "P9"), "t": 2, "name": "mx  p1 "}
    result = run("play", events(tmp_path, like), "--book", "onyx")
    [refused] = said(result, "refused")
    assert refused["reason"] == "perhaps_the_same"
    assert str(refused["words"]).startswith("perhaps the same person as Mx P1, card P1, entry 1: look at a paper")
    assert run("play", events(tmp_path, {**like, "another": True}), "--book", "onyx").exit_code == 0

    corrected = {"ev": "entry.corrected", "t": 2, "by": BY, "entry": 1, "person": "P1", "name": "Lea Meier"}
    assert run("play", events(tmp_path, corrected, like), "--book", "onyx").exit_code == 0, "nobody is called so now"
    handed = {**entry(9, "P-7"), "t": 2, "name": "Somebody"}
    last = {**entry(10, "P07"), "t": 2, "name": "Else"}
    assert run("play", events(tmp_path, handed, last), "--book", "onyx").exit_code == 0, "P7 and P07 are two cards"


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("{", "not JSON"),
        ("[]", 'a JSON object with a text "ev"'),
        ('{"ev": "entyr", "t": 1}', "is one of "),
        ('{"ev": "late.closed", "t": -1}', "late.closed: t: "),
        ('{"ev": "late.closed", "t": 1, "x": 1}', "late.closed: x: "),
        ('{"ev": "late.closed", "t": 1, "by": {"who": "lea", "why": " \\u200b"}}', "late.closed: by.why: "),
        ('{"ev": "entry", "t": 1, "entry": 9, "person": "P9", "name": "\\u200b", "paid": 1}', "entry: name: "),
    ],
)
def test_a_line_that_is_no_event_is_named(tmp_path: Path, line: str, words: str) -> None:
    file = tmp_path / "events.jsonl"
    file.write_text(f"# first\n{line}\n")
    result = run("play", file, "--book", "onyx")
    assert result.exit_code == 2
    assert "events.jsonl:2: " in result.stderr
    assert words in result.stderr


def test_anybody_does_the_draw_again_from_what_was_published(tmp_path: Path) -> None:
    played = run("play", events(tmp_path), "--book", "onyx")
    given = {one["entry"]: one["place"] for one in said(played, "seat")}
    published = tmp_path / "list.txt"
    published.write_text("".join(f"{number}\tP{number}\n" for number in range(1, 7)))
    open_to_all: Sequence[str] = ("--secret", SECRET.hex(), "--table", "T1:1-4", "--table", "T2:1,2,3-4")
    result = run("redraw", published, *open_to_all, "--commitment", commitment_of(SECRET))
    again = [line.split("\t") for line in result.stdout.splitlines()]
    assert {int(number): {"table": table[6:], "seat": int(seat[5:])} for number, _, table, seat in again} == given
    wrong = run("redraw", published, *open_to_all, "--commitment", "0" * 64)
    assert (wrong.exit_code, "not what was committed to" in wrong.stderr) == (2, True)
    apart = run("redraw", published, *open_to_all, "--commitment", commitment_of(SECRET), "--apart", "P1,P2")
    tables = {line.split("\t")[1]: line.split("\t")[2] for line in apart.stdout.splitlines()}
    assert tables["P1"] != tables["P2"]


@pytest.mark.parametrize(
    ("text", "tables", "secret", "words"),
    [
        ("1 P1\n", "T1:1-4", SECRET.hex(), ":1: a line is"),
        ("1\tP1\n1\tP2\n", "T1:1-4", SECRET.hex(), ":2: entry 1 is there twice"),
        ("", "T1:1-4", SECRET.hex(), "the list is empty"),
        ("1\tP1\n", "T1", SECRET.hex(), "a colon and its seats"),
        ("1\tP1\n", "T1:1-", SECRET.hex(), "no run of seats"),
        ("1\tP1\n", "T1:0-3", SECRET.hex(), "seats 1 to 11"),
        ("1\tP1\n", "T1:1-99", SECRET.hex(), "seats 1 to 11"),
        ("1\tP1\n2\tP2\n", "T1:1", SECRET.hex(), "name each table"),
        ("1\tP1\n", "T1:1-4", "secret", "not hexadecimal"),
    ],
)
def test_what_was_published_wrongly_is_told(tmp_path: Path, text: str, tables: str, secret: str, words: str) -> None:
    published = tmp_path / "list.txt"
    published.write_text(text)
    result = run("redraw", published, "--secret", secret, "--commitment", commitment_of(SECRET), "--table", tables)
    assert (result.exit_code, words in result.stderr) == (2, True), result.stderr


def test_a_sheet_of_entries_becomes_events_that_are_taken(tmp_path: Path) -> None:
    sheet = tmp_path / "entries.csv"
    sheet.write_text('entry;person;name;paid\n1;P1;"Ana; junior";25000\n\n2;P2;Ben;25000\n', encoding="utf-8-sig")
    result = run("entries", sheet, "--who", "anna", "--at", "5")
    assert result.exit_code == 0
    file = tmp_path / "events.jsonl"
    file.write_text(json.dumps(OPENING) + "\n" + result.stdout)
    assert len(said(run("play", file, "--book", "onyx"), "entered")) == 2
    assert json.loads(result.stdout.splitlines()[0])["name"] == "Ana; junior"


@pytest.mark.parametrize(
    ("content", "problems"),
    [
        (b"", ["it is empty: the first line names the columns: entry, person, name, paid"]),
        (b"entry,person,name,paid\n", ["no entry: each line after the first is one"]),
        (
            b"entry,person,nmae,paid\n1,P1,A,1\n",
            ["1: no such column: 'nmae'; did you mean", '1: the column "name" is missing'],
        ),
        (b"entry,person,name,paid,paid\n", ['1: the column "paid" is there twice', "no entry: each line after"]),
        (b"entry,person,name,paid\n1,P1,A\n2,P2,B,1,\n", ["2: 3 cells for 4 columns", "3: 5 cells for 4 columns"]),
        (
            b"entry,person,name,paid\nx,P1,A,1.5\n0,P_2,,1\nx,P 1,C,1\n",
            [
                "2: entry: 'x' is not", "2: paid: '1.5' is not",
                "3: entry: '0' is not", "3: person: 'P_2' is not", "3: name: '' is not",
                "4: entry: 'x' is not", "4: person: P1 is in line 2 too",
            ],
        ),
        (
            b"entry,person,name,paid\n1,P1,A,1\n1,P2,B,1\n3,P1,C,1\n",
            ["3: entry: 1 is in line 2 too", "4: person: P1 is in line 2 too"],
        ),
        (
            "entry,person,name,paid,another\n1,P1,Zoë Müller,1,\n2,P2,mueller zoe,1,\n3,P3,Zoe Muller,1,yes\n"
            "4,P5,Bob,1,no\n5,P4,Cy,1,perhaps\n".encode(),
            [
                "3: person: perhaps the same person as Zoë Müller, card P1, in line 2",
                "6: another: 'perhaps' is not yes or no",
            ],
        ),
        (b"entry,person,name,paid\n1,007,A,1\n2,0-7,B,1\n", ["3: person: perhaps the same person as A, card 007"]),
        (b"entry,person,name,paid\n" + b"1,P1,A,1\n" * 5_001, ["5001 entries: a sheet has 5000 at most"]),
        (b"entry,person,name,paid\n1,P1,M\xfcller,1\n2,P2,A,1\n3,P3,\xf6,1\n", ["2: this is not UTF-8", "4: this is"]),
        (b"entry,person,name,paid\n1,P1,a\0b,1\n2,P2,\0,1\n", ["2: a byte 0", "3: a byte 0"]),
        (b'entry,person,name,paid\n1,P1,"a"b,1\n', ["2: this is no CSV"]),
        (b"x" * 2_000_001, ["more than 2000000 bytes"]),
    ],
)  # fmt: skip
def test_a_sheet_with_faults_makes_nothing_and_names_every_line(
    tmp_path: Path, content: bytes, problems: Sequence[str]
) -> None:
    sheet = tmp_path / "entries.csv"
    sheet.write_bytes(content)
    result = run("entries", sheet, "--who", "anna")
    assert (result.exit_code, result.stdout) == (1, "")
    told = result.stderr.splitlines()
    assert len(told) == len(problems)
    assert all(part in line for part, line in zip(problems, told, strict=True)), told


def test_the_payouts_are_the_pool_and_what_feltd_does_not_know_is_left_empty(tmp_path: Path) -> None:
    out = [{"ev": "entry.out", "t": 4 + number, "entry": number} for number in range(1, 6)]
    closed = {"ev": "late.closed", "t": 3, "by": BY}
    percent = {"ev": "payouts.set", "t": 3, "by": BY, "percent": ["65", "35"]}
    paid = {"ev": "prize.paid", "t": 11, "by": BY, "entry": 5, "cents": 42_000}
    file = events(tmp_path, closed, percent, *out, paid)
    file.write_text(file.read_text().replace("Mx P6", " =SUM(A1)"))
    found = run("payouts", file, "--book", "onyx")
    assert (found.exit_code, found.stderr) == (0, "")
    first, second, total, pool, rest = csv.DictReader(io.StringIO(found.stdout))
    assert (first["place"], first["name"], first["amount"], first["paid"]) == ("1", "'=SUM(A1)", "78000", "0")
    assert (second["entry"], second["amount"], second["paid"]) == ("5", "42000", "42000")
    assert {first[name] for name in ("tax", "net", "identity", "received_by", "paid_by", "date")} == {""}
    assert [(row["place"], row["amount"]) for row in (total, pool, rest)] == [
        ("sum", "120000"), ("pool", "120000"), ("left", "0"),
    ]  # fmt: skip
    told = json.loads(run("payouts", file, "--book", "onyx", "--json").stdout)
    assert (told["sum"], told["paid"], told["adds_up"], told["lines"][0]["tax"]) == (120_000, 42_000, True, None)


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ([], "late entry is not over"),
        ([{"ev": "late.closed", "t": 3, "by": BY}], "nobody has said yet what each place gets"),
        (
            [{"ev": "late.closed", "t": 3, "by": BY}, {"ev": "payouts.set", "t": 3, "by": BY, "percent": ["100"]}],
            "6 entries are not out",
        ),
        ([{"ev": "tournament.cancelled", "t": 3, "by": BY, "refund": True}], "called off"),
    ],
)
def test_payouts_that_are_not_the_pool_say_why_not(tmp_path: Path, more: list[dict[str, Any]], words: str) -> None:
    file = events(tmp_path, *more)
    found = run("payouts", file, "--book", "onyx")
    assert found.exit_code == 1
    assert words in found.stderr
    notes = [row["name"] for row in csv.DictReader(io.StringIO(found.stdout)) if row["place"] == "note"]
    assert any(words in note for note in notes)
    assert json.loads(run("payouts", file, "--book", "onyx", "--json").stdout)["adds_up"] is False


def test_the_results_name_places_and_prizes_and_no_cell_is_a_formula(tmp_path: Path) -> None:
    out = [{"ev": "entry.out", "t": 4 + number, "entry": number} for number in range(1, 6)]
    closed = {"ev": "late.closed", "t": 3, "by": BY}
    percent = {"ev": "payouts.set", "t": 3, "by": BY, "percent": ["65", "35"]}
    file = events(tmp_path, closed, percent, *out)
    file.write_text(file.read_text().replace("Mx P6", "=SUM(A1)"))
    assert run("play", file, "--book", "onyx").exit_code == 0
    [first, second, *_] = rows = list(csv.DictReader(io.StringIO(run("results", file, "--book", "onyx").stdout)))
    assert (first["first"], first["name"], first["prize"], first["provisional"]) == ("1", "'=SUM(A1)", "78000", "no")
    assert (second["first"], second["entry"], second["prize"]) == ("2", "5", "42000")
    assert sum(int(row["prize"]) for row in rows) == 6 * 20_000
    assert [row["first"] for row in rows] == ["1", "2", "3", "4", "5", "6"]
    assert json.loads(run("results", file, "--book", "onyx", "--json").stdout)[0]["name"] == "=SUM(A1)"
    ots = json.loads(run("results", file, "--book", "onyx", "--ots", "7", "--began", "2026-05-01T18:00:00").stdout)
    assert (ots["tournament_number"], ots["start_date_utc"], ots["currency"]) == ("7", "2026-05-01T18:00:00Z", "XXX")
    assert run("results", file, "--book", "onyx", "--ots", "7").exit_code == 2, "nobody knows when it was"
    early = list(csv.DictReader(io.StringIO(run("results", events(tmp_path), "--book", "onyx").stdout)))
    assert {row["first"] for row in early} == {""}
    empty = tmp_path / "empty.jsonl"
    empty.write_text("")
    assert run("results", empty, "--book", "onyx").exit_code == 2
