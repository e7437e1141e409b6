"""What readers counted of each pack over rounds: left out of a snapshot, lost, and taken over from another table."""

import json

from table_fsm.events import CountsLost
from table_fsm.table import Table
from tests.feltd.table_support import BOOKS, HOLDEM
from tests.feltd.test_recovery import rounds


def rested() -> Table:
    """A table right after the end of a late round."""
    events = rounds(HOLDEM, 3)
    table = Table(BOOKS)
    last = 0
    for number, event in enumerate(events, 1):
        table.apply(event)
        last = number if table.at_round_boundary else last
    table = Table(BOOKS)
    for event in events[:last]:
        table.apply(event)
    return table


def test_a_snapshot_without_counts_is_the_state_without_them() -> None:
    table = rested()
    whole, shown = table.snapshot(), table.snapshot(counts=False)
    decks = json.loads(whole)["decks"]
    assert any(deck.pop("seen") for deck in decks.values()), "the readers saw cards"
    assert json.loads(shown) == {**json.loads(whole), "decks": decks}
    assert "last_seen" not in shown
    assert Table.restore(BOOKS, whole).digest() == table.digest()
    again = Table.restore(BOOKS, shown)
    assert again.digest() != table.digest()
    assert again.digest() == again.digest(counts=False) == table.digest(counts=False)


def test_counts_that_are_lost_are_those_of_a_table_that_begins_without_them() -> None:
    table = rested()
    again = Table.restore(BOOKS, table.snapshot(counts=False))
    assert table.apply(CountsLost(t=table.last_t)) == []
    assert table.digest() == again.digest()


def test_a_table_goes_on_with_the_counts_of_another() -> None:
    table = rested()
    whole, shown = table.snapshot(), table.snapshot(counts=False)
    again = Table.restore(BOOKS, shown, counts_of=table)
    assert again.digest() == table.digest()
    table.apply(CountsLost(t=table.last_t))
    assert again.digest() != table.digest(), "they are a copy"
    assert Table.restore(BOOKS, whole, counts_of=table).digest() == table.digest()
