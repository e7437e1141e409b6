"""A whole tournament through real tables and the real floor, small ones; `python -m tests.floor.whole` plays others."""

import asyncio
from pathlib import Path

import pytest

from feltd.floor.postgres import PostgresEngine
from tests.floor.conftest import emptied
from tests.floor.postgres_support import Server
from tests.floor.whole.__main__ import main
from tests.floor.whole.structured import STRUCTURES, Structured
from tests.floor.whole.tournament import Figures, Whole

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("seed", [1, 7])
def test_a_small_tournament_is_played_to_its_winner_whatever_the_nemesis_does(tmp_path: Path, seed: int) -> None:
    async def work() -> Figures:
        return await Whole(tmp_path, entries=14, tables=3, seed=seed).play()

    figures = asyncio.run(work())
    assert figures.hands > 10
    assert figures.restarts + figures.cuts > 0
    assert figures.twice > 0
    assert figures.quiet > 10


def test_a_small_tournament_is_kept_in_postgresql(tmp_path: Path, postgres: Server) -> None:
    async def work() -> Figures:
        await emptied(postgres)
        engine = await PostgresEngine.open(postgres.address("floord"))
        try:
            return await Whole(tmp_path, entries=10, tables=2, seed=3, engine=engine).play()
        finally:
            await engine.close()

    assert asyncio.run(work()).hands > 5


def test_the_command_says_what_happened(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--entries", "8", "--tables", "2", "--seed", "4", "--follow"]) == 0
    said = capsys.readouterr()
    assert "8 entries, 2 tables" in said.out
    assert "turn 0: " in said.err


@pytest.mark.parametrize("structure", ["two-bullet", "act-2001-stud7"])
def test_a_structure_is_played_from_its_first_level_to_the_last_place(tmp_path: Path, structure: str) -> None:
    """`python -m tests.floor.whole --structure all` plays each."""

    async def work() -> Figures:
        return await Structured(STRUCTURES[structure], tmp_path, entries=8, tables=2, seed=1).play()

    figures = asyncio.run(work())
    assert figures.levels >= len(STRUCTURES[structure].levels)
    assert figures.hands > 2 * figures.levels


def test_no_more_play_than_the_structure_has_seats(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--structure", "act-2001-holdem-instant-satellite", "--entries", "40"]) == 0
    assert "10 entries, 1 tables" in capsys.readouterr().out
