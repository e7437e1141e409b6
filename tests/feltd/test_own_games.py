"""The example games, each a book with drills: complete, each row shown, and the simulated table plays them."""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from devices.simulated.direct import DirectTable
from feltd.books.own import book_sources, structure_sources_of
from feltd.page.history.phh import NotToldError, _variant
from feltd.simulated.games import game_for, options_for
from table_fsm.events import ShoeCard, TableOpen
from table_fsm.library import load_library
from table_fsm.outputs import Refusal
from table_fsm.rulebook import Rulebook
from table_fsm.table import Table
from tests.feltd.test_cli import run

EXAMPLES = Path(__file__).parents[2] / "docs" / "own-games"
BOOKS = EXAMPLES / "rulebooks"
GAMES = sorted(file.stem for file in BOOKS.glob("*.toml"))
SEATS = ((1, 2, 4, 5, 7, 8), (2, 3, 5, 8), (3, 6), (1, 2, 3, 4, 5, 6, 7))
EVENTS_MAX = 60_000


@cache
def books() -> Mapping[str, Rulebook]:
    return load_library(book_sources(BOOKS), structure_sources_of(BOOKS))


def simulated(name: str, *, shoe: bool = True, **changes: Any) -> list[str]:
    """What the table ruled and refused while it played. `shoe`: whether it says that a card leaves it."""
    options = options_for(books()[name])
    game = game_for(books()[name], options=options, **changes)
    table = Table(books())

    def apply(event: Any) -> list[dict[str, Any]]:
        return [] if not shoe and isinstance(event, ShoeCard) else [output.to_dict() for output in table.apply(event)]

    direct = DirectTable(game, apply, options=options, button=game.button)
    wrong = []
    for number, (_, outputs) in enumerate(direct.play()):
        assert number < EVENTS_MAX, direct.croupier.sense.prompt
        wrong += [json.dumps(output) for output in outputs if output.keys() & {"ruling", "error"}]
    assert direct.croupier.rounds == changes["rounds"]
    return wrong


@pytest.mark.parametrize("name", GAMES)
def test_it_is_complete_and_says_that_it_is_an_example(name: str) -> None:
    proved = run("rules", name, "--check", "--book-dir", str(BOOKS))
    assert (proved.exit_code, proved.output) == (0, f"{name}: complete, no dead rows\n")
    assert books()[name].source == "An example of a game as a book; no regulator's text"


@pytest.mark.parametrize("name", GAMES)
def test_its_drills_pass_and_show_each_of_its_rows(name: str) -> None:
    drills = EXAMPLES / "drills" / name
    played = run("drill", str(drills), "--book-dir", str(BOOKS))
    assert played.exit_code == 0, played.output
    assert played.output.endswith(f"{len(list(drills.glob('*.jsonl')))} passed, 0 failed\n")
    shown = run("rules", name, "--coverage", "--json", "--drills", str(drills), "--book-dir", str(BOOKS))
    own = [row for row in json.loads(shown.stdout)["rows"] if row["source"] == name]
    assert own
    assert [row["rule"] for row in own if row["missing"]] == []


@pytest.mark.parametrize("shoe", [True, False])
@pytest.mark.parametrize("keypad", [True, False])
@pytest.mark.parametrize("name", GAMES)
def test_the_simulated_table_plays_it_with_nothing_to_rule(name: str, keypad: bool, shoe: bool) -> None:
    for seed, seats in enumerate(SEATS):
        assert simulated(name, seats=seats, keypad=keypad, shoe=shoe, seed=seed, rounds=25) == []


@pytest.mark.parametrize("name", GAMES)
def test_it_survives_every_mistake(name: str) -> None:
    irregularities = {
        json.loads(line)["ruling"]["irregularity"]
        for line in simulated(name, seats=SEATS[0], rounds=120, mistake_rate=0.8)
        if "ruling" in line
    }
    assert len(irregularities) >= 15


@pytest.mark.parametrize("name", GAMES)
def test_the_hand_history_format_has_no_word_for_it(name: str) -> None:
    table, book = Table(books()), books()[name].book
    options = options_for(books()[name])
    opened = table.apply(TableOpen(t=0.0, rulebook=name, seats=[1, 2, 3], options=options, button=1))
    assert not any(isinstance(output.value, Refusal) for output in opened)
    with pytest.raises(NotToldError, match="the format has no word for this game"):
        _variant(book, table, book.streets[0].own_cards)
