"""Playing rounds straight into a table, with everything that was said."""

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from devices.simulated.croupier import Game
from devices.simulated.direct import DirectTable
from devices.simulated.mistakes import Mistake
from table_fsm.events import Event
from table_fsm.rulebook import load_rulebooks
from table_fsm.table import Table

HOLDEM, UTH = "tas-2018-holdem", "act-2019-uth"
EVENTS_MAX = 40_000
"""A run longer than this has lost its way."""


def books() -> Any:
    return load_rulebooks(
        {path.name: path.read_text(encoding="utf-8") for path in Path("config/rulebooks").glob("*.toml")}
    )


@dataclass
class Played:
    """A run: its events, rulings as irregularity and outcome, refused events, mistakes made."""

    events: list[Event] = field(default_factory=list)
    rulings: Counter[str] = field(default_factory=Counter)
    refused: list[str] = field(default_factory=list)
    made: list[Mistake] = field(default_factory=list)
    rounds: int = 0
    outputs: list[dict[str, Any]] = field(default_factory=list)


def game(rulebook: str, **changes: Any) -> Game:
    uth = rulebook == UTH
    decks = ("blue", "red") if uth else ("blue",)
    base = {"seats": (1, 2, 4, 5, 7, 9), "decks": decks, "rounds": 5, "button": None if uth else 9}
    return Game(rulebook=rulebook, **{**base, **changes})


def options(rulebook: str) -> dict[str, Any]:
    if rulebook == UTH:
        return {"table_min": 500}
    return {"blinds": [100, 200], "commission": "one", "burn": 1, "table_min": 200}


def play(the_game: Game, **changes: Any) -> Played:
    """Play it under its own book."""
    table = Table(books())
    direct = DirectTable(
        the_game,
        lambda event: [output.to_dict() for output in table.apply(event)],
        options={**options(the_game.rulebook), **changes},
        button=the_game.button,
    )
    played = Played(made=direct.croupier.made)
    for event, outputs in direct.play():
        played.events.append(event)
        played.outputs += outputs
        for output in outputs:
            if "ruling" in output:
                played.rulings[f"{output['ruling']['irregularity']} {output['ruling']['outcome']}"] += 1
            if "error" in output:
                played.refused.append(str(output["error"]))
        assert len(played.events) < EVENTS_MAX, direct.croupier.sense.prompt
    played.rounds = direct.croupier.rounds
    return played
