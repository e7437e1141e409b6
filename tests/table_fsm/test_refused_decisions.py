"""What the table says it would refuse is what it refuses: at every moment of random rounds, decision by decision."""

from typing import Any

import pytest

from devices.simulated.direct import play_rounds
from feltd.simulated.games import game_for, options_for
from table_fsm.events import Event, Supervisor, TableClose
from table_fsm.felt import Decision, Upon
from table_fsm.outputs import Refusal
from table_fsm.table import Table
from tests.feltd.table_support import BOOKS

EVERY = 2
"""Events from one moment that is asked to the next."""
BOOKS_ASKED = ["tas-2018-holdem", "act-2019-uth"]
"""One between players, one against the house."""


def refusal(table: Table, event: Event) -> str | None:
    """Why the table refuses an event, which leaves it as it was; None where it takes it."""
    reasons = [output.value.reason for output in table.apply(event) if isinstance(output.value, Refusal)]
    return reasons[0] if reasons else None


def played(events: list[Event]) -> Table:
    """Another table to which the same has happened."""
    table = Table(BOOKS)
    for event in events:
        table.apply(event)
    return table


@pytest.mark.parametrize("book", BOOKS_ASKED)
def test_it_tells_beforehand_what_it_would_refuse(book: str) -> None:
    options = options_for(BOOKS[book])
    game = game_for(BOOKS[book], (1, 2, 3, 5), options, rounds=2, mistake_rate=0.4, seed=7)
    table, events = Table(BOOKS), list[Event]()
    asked = [(one, None) for one in Decision if Upon.TABLE in one.upon]
    asked += [(Decision.EXCLUDE, seat) for seat in game.seats]  # type: ignore[misc]  # of a seat, the others of none
    told = set()

    def apply(event: Event) -> list[dict[str, Any]]:
        outputs = table.apply(event)
        events.append(event)
        if len(events) % EVERY == 0:
            compare(event.t)
        return [output.to_dict() for output in outputs]

    def compare(t: float) -> None:
        refused = table.refused_decisions()
        for (decision, seat), why in refused.items():
            assert refusal(table, Supervisor(t=t, decision=decision, staff="s1", seat=seat)) == why
            told.add((decision, False))
        taken = [one for one in asked if one not in refused]
        decision, seat = taken[len(events) // EVERY % len(taken)]  # each in its turn, on a table of its own
        assert refusal(played(events), Supervisor(t=t, decision=decision, staff="s1", seat=seat)) is None
        told.add((decision, True))

    play_rounds(game, apply, options=options, button=game.button)
    for decision in (Decision.MISDEAL, Decision.EXCLUDE):
        assert {(decision, True), (decision, False)} <= told
    table.apply(TableClose(t=table.last_t + 1))
    assert set(table.refused_decisions().values()) == {"the table is closed"}
    assert refusal(table, Supervisor(t=table.last_t, decision=Decision.VOID, staff="s1")) is not None
