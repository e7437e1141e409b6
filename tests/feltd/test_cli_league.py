"""`feltd tournament league`: points by place over several tournaments' results, and the files that make none."""

import csv
import io
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from feltd.cli import cli
from feltd.tournaments.results import Result as Line
from feltd.tournaments.results import to_csv
from floor_fsm.state.entries import Standing
from tests.feltd.test_cli_tournament import BY, events
from tests.feltd.test_cli_tournament import run as tournament

POINTS = ("--points", "10,7,5,3")


def league(*arguments: str | Path) -> Result:
    return CliRunner().invoke(cli, ["tournament", "league", *map(str, arguments)])


def line(
    first: int | None, last: int | None, person: str, name: str = "Anna", standing: Standing = Standing.OUT
) -> Line:
    return Line(first, last, 1, person, name, standing, first is None, 0)


def written(tmp_path: Path, name: str, *lines: Line) -> Path:
    file = tmp_path / name
    file.write_text(to_csv(list(lines)), encoding="utf-8")
    return file


def told(result: Result) -> list[list[str]]:
    """Place, player, name, points, tournaments, counted: as the CSV has them."""
    assert result.exit_code == 0, result.output
    first, *rows = csv.reader(io.StringIO(result.stdout))
    assert first == ["first", "last", "person", "name", "points", "tournaments", "counted"]
    return rows


def test_points_of_places_are_added_up_by_number_and_not_by_name(tmp_path: Path) -> None:
    may = written(
        tmp_path, "may.csv", line(1, 1, "P 1", "Anna Meier"), line(2, 2, "p2", "Ben"), line(3, 3, "p3", "Ben")
    )
    june = written(tmp_path, "june.csv", line(1, 1, "p3", "Ben"), line(2, 2, "p1", "Anna Okafor"), line(5, 5, "p2"))
    assert told(league(*POINTS, may, june)) == [
        ["1", "1", "p1", "Anna Okafor", "17", "2", "2"],
        ["2", "2", "p3", "Ben", "15", "2", "2"],
        ["3", "3", "p2", "Anna", "7", "2", "2"],
    ]


def test_who_shares_places_shares_their_points_to_a_fraction(tmp_path: Path) -> None:
    may = written(tmp_path, "may.csv", *(line(2, 4, f"p{number}") for number in (2, 3, 4)), line(1, 1, "p1"))
    june = written(tmp_path, "june.csv", line(4, 5, "p2"), line(4, 5, "p5"))
    rows = json.loads(league(*POINTS, "--json", may, june).stdout)
    assert [(row["person"], row["first"], row["last"], row["points"]) for row in rows] == [
        ("p1", 1, 1, 10), ("p2", 2, 2, 6.5), ("p3", 3, 4, 5), ("p4", 3, 4, 5), ("p5", 5, 5, 1.5)
    ]  # fmt: skip
    again = league("--points", "2,0,0", written(tmp_path, "a.csv", *(line(1, 3, f"p{number}") for number in (1, 2, 3))))
    assert [row[4] for row in told(again)] == ["0.67"] * 3


def test_three_thirds_are_one_whole_and_share_its_place(tmp_path: Path) -> None:
    thirds = [
        written(tmp_path, f"{number}.csv", line(1, 3, "p1"), line(1, 3, f"x{number}"), line(1, 3, f"y{number}"))
        for number in range(3)
    ]
    whole = written(tmp_path, "whole.csv", line(1, 1, "p2"), line(2, 2, "p3"))
    rows = told(league("--points", "1", *thirds, whole))
    assert [row[:5] for row in rows[:2]] == [["1", "2", "p1", "Anna", "1"], ["1", "2", "p2", "Anna", "1"]]


def test_a_players_best_tournaments_count_alone_and_one_tournaments_best_place(tmp_path: Path) -> None:
    files = [
        written(tmp_path, "a.csv", line(3, 3, "p1"), line(2, 2, "P1"), line(1, 1, "p2")),
        written(tmp_path, "b.csv", line(1, 1, "p1"), line(2, 2, "p2")),
        written(tmp_path, "c.csv", line(9, 9, "p1"), line(4, 4, "p2")),
    ]
    assert [row[2:] for row in told(league(*POINTS, *files))] == [
        ["p2", "Anna", "20", "3", "3"], ["p1", "Anna", "17", "3", "3"]
    ]  # fmt: skip
    assert [(row[0], row[4], row[6]) for row in told(league(*POINTS, "--best", "1", *files))] == [
        ("1", "10", "1"), ("1", "10", "1")
    ]  # fmt: skip


def test_who_never_played_has_no_points_and_a_formula_stays_text(tmp_path: Path) -> None:
    gone = line(None, None, "p9", standing=Standing.WITHDRAWN)
    may = written(tmp_path, "may.csv", line(1, 1, "-1", "=Anna"), line(2, 2, "p2", "'Ben"), gone)
    assert json.loads(league(*POINTS, "--json", may).stdout) == [
        {"first": 1, "last": 1, "person": "-1", "name": "=Anna", "points": 10, "tournaments": 1, "counted": 1},
        {"first": 2, "last": 2, "person": "p2", "name": "'Ben", "points": 7, "tournaments": 1, "counted": 1},
    ]
    assert [row[2:4] for row in told(league(*POINTS, may))] == [["'-1", "'=Anna"], ["p2", "'Ben"]]


def test_results_of_a_tournament_that_is_over_are_a_league_and_of_one_under_way_are_none(tmp_path: Path) -> None:
    closed = {"ev": "late.closed", "t": 3, "by": BY}
    out = [{"ev": "entry.out", "t": 4 + entry, "by": BY, "entry": entry} for entry in range(1, 6)]
    over, open_yet = tmp_path / "over.csv", tmp_path / "open.csv"
    over.write_text(tournament("results", events(tmp_path, closed, *out), "--book", "onyx").stdout)
    open_yet.write_text(tournament("results", events(tmp_path, closed, *out[:4]), "--book", "onyx").stdout)
    rows = told(league(*POINTS, over))
    assert [(row[2], row[4]) for row in rows] == [
        ("P6", "10"), ("P5", "7"), ("P4", "5"), ("P3", "3"), ("P1", "0"), ("P2", "0")
    ]  # fmt: skip
    refused = league(*POINTS, over, open_yet)
    assert (refused.exit_code, refused.stdout) == (1, "")
    assert f"{open_yet}:6: first: this entry has no place yet: take the results once" in refused.stderr


HEAD = "first,last,entry,person,name,standing,provisional,prize,paid\n"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", ":1: these are no results: the first line is first,last,entry,person,"),
        (b'[\n {"first": 1}\n]\n', ":1: these are no results: .* without --json"),
        (HEAD.encode(), ": nobody has a place in these results"),
        (f"{HEAD}1,1,1,p1,Anna,out,yes,0,0\n".encode(), ":2: provisional: this place may still change"),
        (f"{HEAD}\n1,1,1,p1,Anna,gone,no,0,0\n".encode(), ":3: standing: 'gone' is no standing"),
        (f"{HEAD}1,1,1,,Anna,out,no,0,0\n".encode(), ":2: person: nobody's number"),
        (f"{HEAD}2,1,1,p1,Anna,out,no,0,0\n".encode(), ":2: first: '2' to '1' is no place"),
        (f"{HEAD}0,1,1,p1,Anna,out,no,0,0\n".encode(), ":2: first: '0' to '1' is no place"),
        (f"{HEAD}1,1,1,p1,Anna,out,no,0\n".encode(), ":2: 8 cells for 9 columns"),
        (f"{HEAD}1,1,1,p1,J\u00fcrgen,out,no,0,0\n".encode("latin-1"), ":2: this is not UTF-8"),
        (f'{HEAD}1,1,1,p1,"An"na,out,no,0,0\n'.encode(), ":2: this is no CSV"),
        (b"x" * 2_000_001, ": more than 2000000 bytes: these are no results"),
    ],
)
def test_a_file_with_a_fault_is_named_with_its_line_and_makes_no_league(
    tmp_path: Path, content: bytes, words: str
) -> None:
    good, bad = written(tmp_path, "good.csv", line(1, 1, "p1")), tmp_path / "bad.csv"
    bad.write_bytes(content)
    refused = league(*POINTS, good, bad)
    assert (refused.exit_code, refused.stdout) == (1, "")
    assert re.match(f"{re.escape(str(bad))}{words}", refused.stderr), refused.stderr


@pytest.mark.parametrize("changed", [lambda text: text, lambda text: text.replace("\n", "\r\n"),
                                     lambda text: text.replace(",", ";") + "\n"])  # fmt: skip
def test_one_tournament_does_not_count_twice(tmp_path: Path, changed: Callable[[str], str]) -> None:
    may, copy = (written(tmp_path, name, line(1, 1, "p1")) for name in ("may.csv", "copy.csv"))
    copy.write_bytes(changed(copy.read_text()).encode())
    refused = league(*POINTS, may, copy)
    assert (refused.exit_code, refused.stdout) == (1, "")
    assert f"{copy}: the same results as {may}: they would count twice" in refused.stderr


def test_a_spreadsheets_semicolons_and_mark_are_read(tmp_path: Path) -> None:
    file = written(tmp_path, "may.csv", line(1, 1, "p1"))
    file.write_text(file.read_text().replace(",", ";"), encoding="utf-8-sig")
    assert [row[2] for row in told(league(*POINTS, file))] == ["p1"]


@pytest.mark.parametrize(
    ("points", "words"), [("10,x", "'x' is not whole points"), ("", "'' is not whole points"), ("5,7", "a later place")]
)
def test_points_that_are_none_are_refused(tmp_path: Path, points: str, words: str) -> None:
    refused = league("--points", points, written(tmp_path, "may.csv", line(1, 1, "p1")))
    assert refused.exit_code == 2
    assert words in refused.output
