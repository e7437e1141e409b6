"""Rounds that the board has to judge: clean ones, dealt by the simulated table, the same on every board."""

import time
from collections.abc import Mapping
from typing import Any, Final

from devices.simulated.direct import play_rounds
from feltd.simulated.games import game_for, options_for
from table_fsm.events import Event
from table_fsm.rulebook import Rulebook
from table_fsm.table import Table

BOOK: Final = "tas-2018-holdem"
SEATS: Final = (1, 2, 3, 4, 5, 6)
_SEED: Final = 1


def events_of(rulebooks: Mapping[str, Rulebook], rounds: int) -> list[Event]:
    """Return the events of so many rounds of Hold'em with six players, the table's opening among them."""
    table, options = Table(rulebooks), options_for(rulebooks[BOOK])

    def apply(event: Event) -> list[dict[str, Any]]:
        return [output.to_dict() for output in table.apply(event)]

    game = game_for(rulebooks[BOOK], SEATS, options, seed=_SEED, rounds=rounds)
    return play_rounds(game, apply, options=options, button=game.button)


def judge(rulebooks: Mapping[str, Rulebook], events: list[Event]) -> list[float]:
    """Give each event to a new table; return the seconds that it took over each."""
    table, clock = Table(rulebooks), time.perf_counter
    taken: list[float] = []
    for event in events:
        started = clock()
        table.apply(event)
        taken.append(clock() - started)
    return taken
