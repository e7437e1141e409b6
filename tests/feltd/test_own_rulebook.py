"""The example of an operator's own book over a shipped one: it loads, it plays, and it changes what it says it does."""

import json
from pathlib import Path

import pytest

from feltd.books.own import book_sources, structure_sources_of
from feltd.books.shipped import rulebook_sources
from table_fsm.library import load_library
from table_fsm.rulebook import Rulebook
from tests.feltd.test_cli import run

EXAMPLE = Path(__file__).parents[2] / "docs" / "own-rulebook"
BOOKS = EXAMPLE / "rulebooks"
DRILLS = EXAMPLE / "drills"
OWN, SHIPPED = "operator-2026-holdem", "star-2025-holdem"


@pytest.fixture(scope="module")
def books() -> dict[str, Rulebook]:
    return load_library(book_sources(BOOKS), structure_sources_of(BOOKS))


def test_it_is_complete_and_has_no_dead_row() -> None:
    proved = run("rules", OWN, "--check", "--book-dir", str(BOOKS))
    assert (proved.exit_code, proved.output) == (0, f"{OWN}: complete, no dead rows\n")


def test_its_drills_pass() -> None:
    played = run("drill", str(DRILLS), "--book-dir", str(BOOKS))
    assert played.exit_code == 0, played.output
    assert played.output.endswith(f"{len(list(DRILLS.glob('*.jsonl')))} passed, 0 failed\n")


def test_its_rows_stand_above_those_of_the_shipped_book_and_the_rest_stays(books: dict[str, Rulebook]) -> None:
    own, shipped = books[OWN], books[SHIPPED]
    above = [row.rule for row, source in zip(own.rulings, own.row_sources, strict=True) if source == OWN]
    assert above == ["Manual 2.1", "Manual 2.2", "Manual 2.3", "Manual 2.4", "Manual 2.4"]
    assert [row for row in own.rulings if row.irregularity == "player_missed"] == [
        row for row in shipped.rulings if row.irregularity == "player_missed"
    ]
    assert "cut_exposed" in {str(row.irregularity) for row in shipped.rulings if row.rule == "7.1"}
    assert [row.rule for row in own.rulings if row.irregularity == "cut_exposed"] == ["Manual 2.1"]


def test_its_digest_is_another_and_that_of_the_shipped_book_stays(books: dict[str, Rulebook], tmp_path: Path) -> None:
    assert books[OWN].digest != books[SHIPPED].digest
    assert books[SHIPPED].digest == load_library(book_sources(None), structure_sources_of(None))[SHIPPED].digest
    text = (BOOKS / f"{OWN}.toml").read_text()
    (tmp_path / "same.toml").write_text(f"# another comment\n{text}")
    assert load_library(book_sources(tmp_path), structure_sources_of(tmp_path))[OWN].digest == books[OWN].digest
    (tmp_path / "same.toml").write_text(text.replace("Manual 2.1", "Manual 2.9"))
    assert load_library(book_sources(tmp_path), structure_sources_of(tmp_path))[OWN].digest != books[OWN].digest


def test_the_regulators_view_tells_its_clauses_from_those_of_the_source() -> None:
    told = json.loads(run("rules", OWN, "--clauses", "--json", "--book-dir", str(BOOKS)).stdout)
    assert [clause for clause in told["own"] if clause.startswith("Manual")] == [
        "Manual 2.1", "Manual 2.2", "Manual 2.3", "Manual 2.4",
    ]  # fmt: skip


def test_each_of_its_rows_is_shown_by_its_drills() -> None:
    result = run("rules", OWN, "--coverage", "--json", "--drills", str(DRILLS), "--book-dir", str(BOOKS))
    rows = json.loads(result.stdout)["rows"]
    own = [row for row in rows if row["source"] == OWN]
    assert len(own) == 5
    assert [row["rule"] for row in own if row["missing"]] == []
    assert json.loads(result.stdout)["failed_drills"] == []


def test_replay_plays_by_it(tmp_path: Path) -> None:
    drill = (DRILLS / "2.1-a-card-shown-in-the-cut.jsonl").read_text().splitlines()
    events = [json.loads(line) for line in drill[1:] if "expect" not in line]
    file = tmp_path / "events.jsonl"
    file.write_text("\n".join(json.dumps({"t": number, **event}) for number, event in enumerate(events)) + "\n")
    told = run("replay", "--rulings", str(file), "--book-dir", str(BOOKS))
    assert [json.loads(line)["ruling"]["rule"] for line in told.stdout.splitlines()] == ["Manual 2.1"]


def test_a_tables_configuration_takes_it(tmp_path: Path) -> None:
    table = f'[table]\nname = "Table 7"\nrulebook = "{OWN}"\nseats = [1, 2, 3, 4]\n'
    (tmp_path / "with.toml").write_text(f'{table}rulebooks = "{BOOKS}"\n')
    (tmp_path / "without.toml").write_text(table)
    assert "table.rulebook: no rulebook" not in run("check", str(tmp_path / "with.toml")).output
    assert f'table.rulebook: no rulebook "{OWN}"' in run("check", str(tmp_path / "without.toml")).output


@pytest.mark.parametrize(
    ("wrong", "right", "told"),
    [
        ('extends = ["star-2025-holdem"]', 'extends = ["star-2025-holden"]', 'did you mean "star-2025-holdem"?'),
        ('outcome = "misdeal"', 'outcome = "misdeel"', 'did you mean "misdeal"?'),
        ('burn = "on"', 'burned = "on"', "burn"),
        (f'id = "{OWN}"', f'id = "{SHIPPED}"', f"is the id of {SHIPPED}.toml too; give each book its own"),
    ],
)
def test_its_faults_are_told_with_file_and_line(tmp_path: Path, wrong: str, right: str, told: str) -> None:
    text = (BOOKS / f"{OWN}.toml").read_text()
    (tmp_path / "own.toml").write_text(text.replace(wrong, right, 1))
    line = text[: text.index(wrong)].count("\n") + 1
    refused = run("drill", str(DRILLS), "--book-dir", str(tmp_path))
    assert refused.exit_code == 2
    assert f"{tmp_path}/own.toml:{line}: " in refused.stderr
    assert told in refused.stderr


def test_it_takes_no_shipped_ones_place_by_its_files_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / f"{SHIPPED}.toml").write_text(rulebook_sources()[f"{SHIPPED}.toml"])
    monkeypatch.chdir(tmp_path)
    refused = run("drill", str(DRILLS), "--book-dir", ".")
    assert refused.exit_code == 2
    assert f"{tmp_path}/{SHIPPED}.toml" in refused.stderr


def test_the_page_of_rules_shows_it() -> None:
    page = (Path(__file__).parents[2] / "docs" / "rules.md").read_text()
    section = page[page.index("## Your own rules") :]
    text = (BOOKS / f"{OWN}.toml").read_text()
    shown = section[section.index("```toml\n") + 8 :]
    for block in shown[: shown.index("```")].strip().split("\n\n"):
        assert block in text
