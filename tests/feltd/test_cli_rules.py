"""What `feltd rules` answers about one book: clauses, diagrams, payouts, pages."""

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.feltd.test_cli import run

TAS = "tas-2018-holdem"
STAR = "star-2025-holdem"


def test_clauses_are_told_with_who_sees_to_them_and_why_people_do() -> None:
    printed = run("rules", TAS, "--clauses")
    assert printed.exit_code == 0
    lines = [[cell.strip() for cell in line.split("|")[1:-1]] for line in printed.output.splitlines() if "|" in line]
    by_clause = {cells[0]: cells for cells in lines}
    assert by_clause["19.4"][2] == "rulings"
    assert by_clause["19.4"][3].startswith("A hole card was exposed: replace the card with the first burn card")
    assert by_clause["12.6"][2:] == ["the table itself", "The big blind may raise if nobody has"]
    assert by_clause["18.3"][2:] == ["people", "Conduct of people: a person sees and judges it, no sensor does."]
    assert "are not of this source, but of the house or the operator: F " in printed.output


def test_clauses_as_json() -> None:
    told = json.loads(run("rules", TAS, "--clauses", "--json").stdout)
    clauses = {clause["clause"]: clause for clause in told["clauses"]}
    assert clauses["19.4"]["rulings"] == [{"irregularity": "hole_exposed", "outcome": "replace_with_first_burn"}]
    assert clauses["5.2(g)"]["options"] == ["burn"]
    assert clauses["18.3"]["by"] == "people"
    assert clauses["18.3"]["why"]


def test_a_book_without_a_list_says_so(tmp_path: Path) -> None:
    from tests.table_fsm.test_rulebook_clauses import BASE, GAME

    (tmp_path / "base.toml").write_text(BASE)
    (tmp_path / "game.toml").write_text(GAME)
    assert "No list of the source's clauses" in run("rules", "game", "--clauses", "--book-dir", str(tmp_path)).output
    refused = run("rules", "game", "--clauses", "--json", "--book-dir", str(tmp_path))
    assert (refused.exit_code, "no list of its source's clauses" in refused.stderr) == (2, True)


def test_the_diagram_as_svg_is_an_image_that_reads_aloud() -> None:
    drawn = run("rules", TAS, "--diagram", "svg")
    image = ElementTree.fromstring(drawn.output)
    space = "{http://www.w3.org/2000/svg}"
    assert image.get("role") == "img"
    described = image.findtext(f"{space}desc")
    assert described is not None
    assert "then betting: flop, then board: turn" in described
    assert "prefers-color-scheme: dark" in str(image.findtext(f"{space}style"))


@pytest.mark.parametrize("question", [["--clauses"], ["--diagram", "svg"], ["--payouts", "9"]])
def test_what_is_asked_of_one_book_needs_its_name(question: list[str]) -> None:
    refused = run("rules", *question)
    assert refused.exit_code == 2
    assert f"{question[0]} needs a BOOK" in refused.stderr


def test_payouts_for_so_many_players() -> None:
    printed = run("rules", STAR, "--payouts", "9")
    assert "With 9 players (the column for 9 to 16) 2 places are paid." in printed.output
    assert "| 2     | 35.000 % |" in printed.output
    assert "They sum to 100 %." in printed.output
    told = json.loads(run("rules", STAR, "--payouts", "9", "--json").stdout)
    assert told == {"book": STAR, "players": 9, "percent": ["65.000", "35.000"], "sum": "100.000"}


def test_what_is_odd_in_the_payouts_is_said() -> None:
    odd = run("rules", STAR, "--payouts", "100").output
    assert "Odd, but as printed: places 11, 12 get more than with 8 players fewer." in odd
    assert "Odd" not in run("rules", STAR, "--payouts", "60").output


@pytest.mark.parametrize(
    ("book", "players", "told"),
    [(STAR, "1", "for 2 to 200"), (STAR, "201", "for 2 to 200"), (TAS, "9", "has no table of payouts")],
)
def test_payouts_that_there_are_not(book: str, players: str, told: str) -> None:
    refused = run("rules", book, "--payouts", players)
    assert refused.exit_code == 2
    assert told in refused.stderr


def test_a_book_prints_its_structures_with_their_levels() -> None:
    printed = run("rules", "act-2001-omaha").output
    assert "- Rebuys to the end of level 3 with less than $1,000; a top-up at its end (clause C 3.3)." in printed
    assert "| 3     | 40      | $50 / $100       | race off the $25 |" in printed
    star = run("rules", STAR).output
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in star.splitlines() if line.startswith("| 6 ")]
    sixth = [row for row in rows if row[1].isdecimal()]
    assert sixth[0] == ["6", "20", "300 / 600", "600 from the big blind", "break of 30 minutes"]
    assert "The schedule is that of The Star" in star


def test_all_is_written_as_pages(tmp_path: Path) -> None:
    written = run("rules", "--html", str(tmp_path / "site"))
    assert written.exit_code == 0
    names = {Path(line).name for line in written.output.splitlines()}
    assert {"index.html", "rules.css", "icon.svg", f"{TAS}.html", f"{STAR}.html"} <= names
    assert {path.name for path in (tmp_path / "site").iterdir()} == names
    index = (tmp_path / "site" / "index.html").read_text()
    assert f'href="{TAS}.html"' in index
    assert 'href="rules.css"' in index


def test_where_pages_cannot_be_written_it_is_told(tmp_path: Path) -> None:
    (tmp_path / "site").write_text("a file")
    refused = run("rules", TAS, "--html", str(tmp_path / "site"))
    assert (refused.exit_code, "the pages cannot be written" in refused.stderr) == (2, True)
