"""`feltd floor tournament payouts`: the cage's sheet of a tournament that floord runs."""

import asyncio
import csv
import io
import json
import os
from pathlib import Path

from click.testing import CliRunner

from feltd.cli import cli
from feltd.cli.exits import FINE, PROBLEMS, USAGE
from feltd.door.serving.listener import listening
from feltd.floor.commanding import Desk
from feltd.floor.memory import MemoryEngine
from feltd.floor.pit_book import PitBook
from feltd.floor.pit_socket import Pit, PitReception
from tests.floor.directing_support import CUP, TERMS, At, directing, entry
from tests.floor.tending_support import seat


def test_the_sheet_is_the_pool_once_everybody_has_a_place_and_says_why_not_before(tmp_path: Path) -> None:
    file = tmp_path / "floor.toml"
    words = 'certificate = "c"\nkey = "k"\nauthority = "a"\ndatabase = "postgresql:///floor"\n'
    file.write_text(f'[floor]\n{words}socket = "pit"\n')

    async def ran(*command: str) -> tuple[int, str, str]:
        line = ["floor", "tournament", "--config", str(file), "payouts", *command]
        done = await asyncio.to_thread(CliRunner().invoke, cli, line)
        return done.exit_code, done.stdout, done.stderr

    async def work() -> None:
        engine = MemoryEngine(lambda: 0.0)
        floor, book = directing(engine.tournaments), PitBook(engine)
        async with listening(tmp_path / "pit", os.getuid(), PitReception(Pit(Desk(engine), book, engine, floor), book)):
            code, _, said = await ran("cup")
            assert (code, "cup" in said) == (USAGE, True), "there is none"
            await floor.open(CUP)
            code, _, said = await ran("cup")
            assert (code, "has no terms yet" in said) == (USAGE, True)
            at = At(floor)
            await at.say(TERMS, *(entry(number) for number in (1, 2, 3)))
            await at.say(*(seat(number, "T1", number) for number in (1, 2, 3)))
            code, told, said = await ran("cup")
            assert code == PROBLEMS
            assert "late entry is not over" in said
            assert "note" in told
            await at.say({"ev": "payouts.set", "percent": ["70", "30"]}, {"ev": "late.closed"})
            await at.say({"ev": "entry.out", "entry": 2}, {"ev": "entry.out", "entry": 3})
            await at.say({"ev": "prize.paid", "entry": 3, "cents": 18_000})
            code, told, said = await ran("cup")
            assert (code, said) == (FINE, "")
            rows = list(csv.DictReader(io.StringIO(told)))
            assert [(row["place"], row["name"], row["amount"], row["paid"]) for row in rows[:2]] == [
                ("1", "Mx 1", "42000", "0"), ("2", "Mx 3", "18000", "18000"),
            ]  # fmt: skip
            code, told, _ = await ran("cup", "--json")
            shown = json.loads(told)
            assert (code, shown["adds_up"], shown["pool"]) == (FINE, True, 60_000)
            await at.say({"ev": "prize.taken_back", "entry": 3}, {"ev": "tournament.cancelled", "refund": True})
            await at.say({"ev": "refund.paid", "entry": 2, "cents": 25_000})
            code, told, said = await ran("cup")
            assert code == PROBLEMS
            assert "called off" in said
            refunds = [row for row in csv.DictReader(io.StringIO(told)) if row["place"] == "refund"]
            assert [(row["entry"], row["name"], row["amount"], row["paid"]) for row in refunds] == [
                ("1", "Mx 1", "25000", "0"), ("2", "Mx 2", "25000", "25000"), ("3", "Mx 3", "25000", "0"),
            ]  # fmt: skip
            code, told, _ = await ran("cup", "--json")
            assert json.loads(told)["refunds"][1] == {
                "entry": 2, "person": "p2", "name": "Mx 2", "amount": 25_000, "paid": 25_000,
            }  # fmt: skip

    asyncio.run(work())
