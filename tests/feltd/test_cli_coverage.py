"""`feltd rules --coverage`: rows, the drills that reach them, and what is missing."""

import json
from pathlib import Path

import pytest

from feltd.books.coverage import CoverageError, read_exceptions
from feltd.books.shipped import checkout_drills
from tests.feltd.test_cli import run

DRILLS = Path(__file__).parents[1] / "drills"
SHORT_DECK = """\
{"title": "The deck is short", "rows": ["tas-2018-holdem F count"], "step": 1}
{"ev": "shoe.deck_checked", "deck": "blue", "count": 52}
{"ev": "table.open", "rulebook": "tas-2018-holdem", "seats": [1, 2, 3], "button": 3}
{"ev": "shoe.shuffled", "deck": "blue", "count": 36}
{"expect": [{"ruling": {"irregularity": "short_deck"}}]}
"""


@pytest.fixture
def drills(tmp_path: Path) -> Path:
    folder = tmp_path / "drills"
    folder.mkdir()
    (folder / "short.jsonl").write_text(SHORT_DECK)
    return folder


def test_each_row_is_told_with_its_drills_and_one_without_is_marked(drills: Path) -> None:
    result = run("rules", "--coverage", "tas-2018-holdem", "--drills", str(drills))
    head, *rows = result.output.strip().splitlines()
    assert result.exit_code == 1
    assert head.startswith("tas-2018-holdem: 1 of ")
    assert head.endswith(" MISSING")
    shown = [row for row in rows if row.split()[0] == "ok"]
    assert len(shown) == 1
    assert "short_deck" in shown[0]
    assert shown[0].endswith("short.jsonl")
    assert all(row.split()[0] == "MISSING" and row.endswith("no drill") for row in rows if row not in shown)


def test_as_json_every_drill_of_a_row_is_named(drills: Path) -> None:
    (drills / "again.jsonl").write_text(SHORT_DECK)
    result = run("rules", "--coverage", "--drills", str(drills), "--json")
    rows = json.loads(result.stdout)["rows"]
    shown = [row for row in rows if row["book"] == "tas-2018-holdem" and row["drills"]]
    assert [(row["irregularity"], row["source"], len(row["drills"])) for row in shown] == [
        ("short_deck", "every-table", 2)
    ]
    excused = [row for row in rows if row["cannot_come"]]
    assert ("act-2019-uth", "button_wrong", False) in [(r["book"], r["irregularity"], r["missing"]) for r in excused]
    assert {row["book"] for row in rows} > {"tas-2018-holdem", "act-2019-uth"}


def test_a_row_of_a_base_is_shown_by_a_drill_of_any_book_on_it(drills: Path) -> None:
    result = run("rules", "--coverage", "act-2001-omaha", "--drills", str(drills))
    assert next(line for line in result.output.splitlines() if line.strip().startswith("ok")).split()[3] == "short_deck"


def test_a_drill_that_fails_shows_nothing(drills: Path) -> None:
    (drills / "short.jsonl").write_text(SHORT_DECK.replace("short_deck", "foreign_card"))
    result = run("rules", "--coverage", "tas-2018-holdem", "--drills", str(drills))
    assert result.exit_code == 1
    assert "\n  ok" not in result.output
    assert f"{drills}/short.jsonl: fails, so it shows nothing" in result.stderr


def test_a_file_that_is_no_drill_is_2(drills: Path) -> None:
    (drills / "short.jsonl").write_text("{}\n")
    result = run("rules", "--coverage", "--drills", str(drills))
    assert result.exit_code == 2
    assert f"{drills}/short.jsonl:1: the first line is the header" in result.stderr


def test_the_checkouts_own_drills_are_found_and_a_wheel_has_none(tmp_path: Path) -> None:
    assert checkout_drills() == DRILLS
    (tmp_path / "tests" / "drills").mkdir(parents=True)
    (tmp_path / "feltd" / "shipped").mkdir(parents=True)
    assert checkout_drills(tmp_path / "feltd") is None


def test_without_drills_it_says_what_to_give(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("feltd.books.shipped.checkout_drills", lambda: None)
    result = run("rules", "--coverage")
    assert result.exit_code == 2
    assert "name their folder with --drills DIR" in result.stderr


@pytest.mark.parametrize("option", [["--json"], ["--drills", "."]])
def test_what_goes_with_coverage_is_refused_without_it(option: list[str]) -> None:
    assert "goes with --coverage" in run("rules", *option).stderr


def test_a_list_of_exceptions_with_faults_names_them() -> None:
    text = '[[row]]\nbook = "b"\nirregularity = "button_wrnog"\nreason = "no"\n'
    with pytest.raises(CoverageError) as caught:
        read_exceptions(text, "list.toml")
    assert 'list.toml:3: row.irregularity: "button_wrnog" is not allowed; allowed: ' in str(caught.value)
    assert 'list.toml:4: row.reason: "no" is not allowed; allowed: a text in quotes, at least ' in str(caught.value)
    with pytest.raises(CoverageError, match=r"list\.toml:1: not TOML"):
        read_exceptions("[[", "list.toml")
