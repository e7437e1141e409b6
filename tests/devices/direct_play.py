"""Playing rounds straight into a table, with everything that was said."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from devices.simulated.direct import DirectTable
from devices.simulated.people.game import Game
from devices.simulated.people.mistakes import Mistake
from feltd.books.shipped import rulebook_sources, structure_sources
from feltd.simulated.games import game_for, options_for
from table_fsm.events import Event
from table_fsm.library import load_library
from table_fsm.rulebook import Rulebook
from table_fsm.table import Table

HOLDEM, UTH = "tas-2018-holdem", "act-2019-uth"
STUD5, STUD7, DRAW = "tas-2018-stud5", "act-2001-stud7", "act-2001-draw"
EVENTS_MAX = 40_000
"""A run longer than this has lost its way."""


@cache
def books() -> dict[str, Rulebook]:
    return load_library(rulebook_sources(), structure_sources())


BOOKS = tuple(sorted(books()))
"""Every book that a table can open with."""


@dataclass
class Played:
    """A run: its events, rulings as irregularity and outcome, refused events, mistakes made."""

    events: list[Event] = field(default_factory=list)
    rulings: Counter[str] = field(default_factory=Counter)
    refused: list[str] = field(default_factory=list)
    made: list[Mistake] = field(default_factory=list)
    rounds: int = 0
    outputs: list[dict[str, Any]] = field(default_factory=list)


def game(rulebook: str, options: Mapping[str, Any] | None = None, **changes: Any) -> Game:
    seats = changes.pop("seats", (1, 2, 4, 5, 7, 8))
    book = books()[rulebook]
    return game_for(book, seats, options_for(book, options), **{"rounds": 5, **changes})


def play(the_game: Game, **changes: Any) -> Played:
    """Play it under its own book. `changes`: options of the table other than the usual ones."""
    table = Table(books())
    direct = DirectTable(
        the_game,
        lambda event: [output.to_dict() for output in table.apply(event)],
        options=options_for(books()[the_game.rulebook], changes),
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
