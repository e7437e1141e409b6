"""A snapshot in two parts: one that names no card which nobody was shown, and the counts, of a length that is known."""

import json
import random

import pytest

from table_fsm.counted import BYTES_A_PACK, apart, together
from table_fsm.events import CountsLost
from table_fsm.poker.cards.unseen_cards import LONGEST_WAIT, UnseenCards
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


def test_both_parts_together_are_the_snapshot_and_the_shown_part_alone_is_a_state() -> None:
    table = rested()
    parts = apart(table.snapshot())
    assert json.loads(together(parts.shown, parts.counts)) == json.loads(table.snapshot())
    whole = Table.restore(BOOKS, together(parts.shown, parts.counts))
    assert whole.digest() == table.digest()
    shown = Table.restore(BOOKS, parts.shown)
    assert shown.digest() != table.digest()
    assert shown.digest(counts=False) == table.digest(counts=False) == shown.digest()
    assert "last_seen" not in parts.shown


def test_counts_that_are_lost_are_those_of_a_table_that_begins_with_the_shown_part() -> None:
    table = rested()
    shown = Table.restore(BOOKS, apart(table.snapshot()).shown)
    assert table.apply(CountsLost(t=table.last_t)) == []
    assert table.digest() == shown.digest()


def test_the_longest_counts_fit() -> None:
    deck = [rank + suit for rank in "23456789TJQKA" for suit in "shdc"] + ["Jo"]
    memory = UnseenCards.of(deck)
    memory.last_seen = dict.fromkeys(deck, 2_000_000_000)
    memory.came = dict.fromkeys(deck, 2_000_000_000)
    memory.read = [random.Random(1).randint(1, 53) for _ in range(LONGEST_WAIT)]
    memory.rounds = memory.read_in_all = 10**18
    seen = {name: getattr(memory, name) for name in ("last_seen", "came", "read", "rounds", "read_in_all", "most_read")}
    parts = apart(json.dumps({"decks": {"blue": {"seen": seen}, "red": {"seen": None}}}))
    assert parts.most == 2 * BYTES_A_PACK
    assert len(parts.counts) < BYTES_A_PACK
    assert json.loads(together(parts.shown, parts.counts))["decks"] == {"blue": {"seen": seen}, "red": {"seen": None}}


@pytest.mark.parametrize("counts", ["{}", '{"red":null}', "[]", '{"blue":{"read":"?"}}', "no json"])
def test_counts_of_another_snapshot_are_refused(counts: str) -> None:
    with pytest.raises((ValueError, TypeError, KeyError, AttributeError)):
        together('{"decks":{"blue":{"seen":null}}}', counts)
