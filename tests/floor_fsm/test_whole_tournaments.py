"""Whole tournaments by a few seeds: the invariants after each event, and the same from the lines that are kept."""

import pytest

from floor_fsm.lines import from_line, to_line
from floor_fsm.tournament import Tournament
from tests.floor_fsm import scheduled
from tests.floor_fsm.simulation import Whole, main
from tests.floor_fsm.support import laws


@pytest.mark.parametrize(
    ("law", "entries", "seed"), [("star-2025", 23, 1), ("onyx", 23, 4), ("act-2001", 10, 2), ("act-2019-uth", 12, 3)]
)
def test_a_whole_tournament_holds_and_its_lines_play_it_again(law: str, entries: int, seed: int) -> None:
    whole = Whole(law, entries, 3 if entries > 12 else 2, seed)
    whole.play()
    again = Tournament(laws()[law])
    for event in whole.kept:
        again.apply(from_line(to_line(event)))
    assert again.digest() == whole.tournament.digest()


def test_the_command_says_what_an_event_costs(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--entries", "20", "--tables", "3", "--seed", "5", "--every", "10"]) == 0
    assert "hand.over" in capsys.readouterr().out


@pytest.mark.parametrize("structure", ["monster-stack", "act-2001-omaha"])
def test_a_structure_is_played_out_from_the_first_level_to_the_last_place(
    structure: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert scheduled.main(["--structure", structure, "--entries", "12", "--tables", "2"]) == 0
    assert structure in capsys.readouterr().out
