"""What became of rulings is known after a restart as before it: the record says it."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from feltd.door import Resolution
from feltd.record import JournalReader
from feltd.table.config.config import load_config
from feltd.table.daemon.assembly import Daemon, assemble
from feltd.table.journal import Journal
from feltd.table.keeper.deliveries import Delivery
from feltd.table.keeper.pending_rulings import PendingRulings
from table_fsm.events import Cut, FloorCalled, ShoeCard, ShoeDeckChecked, ShoeFault, ShoeShuffled, Supervisor
from tests.feltd.history_support import recorded_page
from tests.feltd.page_support import Page
from tests.feltd.table_support import BOOKS, KEY
from tests.feltd.test_daemon_run import write


@pytest.fixture
def page(tmp_path: Path) -> Iterator[Page]:
    made = recorded_page(tmp_path, rounds=1, mistakes=0.0)
    yield made
    made.bench.journal.close()


def decide(page: Page, decision: str, **fields: Any) -> None:
    page.bench.take(Supervisor, decision=decision, staff="S1", **fields)


def recalled(page: Page) -> tuple[int, Resolution | None, Resolution | None]:
    """The last ruling; what became of it as the running table has it, and as it is found after a restart."""
    keeper = page.bench.keeper
    page.bench.journal.flush_blocking()
    again = PendingRulings(keeper.table)
    with JournalReader.open(page.bench.journal.path) as record:
        again.recall(record, 0)
    ruling = keeper.rulings[0].ruling["id"]
    return ruling, keeper.pending_rulings.settled(ruling), again.settled(ruling)


def short_deck(page: Page) -> int:
    page.bench.take(ShoeShuffled, deck="blue", count=36)
    ruling = page.bench.keeper.rulings[0].ruling
    assert ruling["pending"]
    return int(ruling["id"])


def test_a_decision_by_number_has_its_name_and_reason(page: Page) -> None:
    number = short_deck(page)
    decide(page, "misdeal", ruling=number, reason="a new deck")
    _, before, after = recalled(page)
    assert before == after == Resolution("S1", "misdeal", None, "a new deck")


def test_a_decision_of_ones_own_motion_has_them_too(page: Page) -> None:
    page.bench.take(ShoeShuffled, deck="blue", count=52)
    page.bench.take(Cut, by="dealer")
    page.bench.take(ShoeCard, face="down", deck="blue", card="2c")
    page.bench.take(FloorCalled, by="dealer")
    page.bench.take(ShoeFault, kind="jam")
    decide(page, "misdeal", reason="the shoe was opened")
    _, before, after = recalled(page)
    assert before == after
    assert after is not None
    assert after.by == "S1"


def test_a_cause_that_ended_and_a_refused_decision_are_nobodys(page: Page) -> None:
    number = short_deck(page)
    decide(page, "overrule", ruling=number)  # into what? it is refused
    assert page.bench.keeper.tally.refused == 1
    decide(page, "acknowledge")
    assert recalled(page)[1:] == (None, None)
    page.bench.take(ShoeDeckChecked, deck="blue", count=52)
    assert recalled(page)[1:] == (Resolution(), Resolution())


def test_what_waits_still_is_settled_by_nothing_that_was_said_before(page: Page) -> None:
    number = short_deck(page)
    with JournalReader.open(page.bench.journal.path) as record:
        waiting = PendingRulings(page.bench.keeper.table)
        waiting.recall(record, 0)
        assert number in page.bench.keeper.table.waiting
        assert waiting.settled(number) is None


def test_no_more_is_looked_at_than_asked_for(page: Page) -> None:
    number = short_deck(page)
    decide(page, "misdeal", ruling=number, reason="a new deck")
    page.bench.journal.flush_blocking()
    with JournalReader.open(page.bench.journal.path) as record:
        waiting = PendingRulings(page.bench.keeper.table)
        waiting.recall(record, record.head().seq)
        assert waiting.settled(number) is None


def test_a_table_that_starts_again_knows_who_decided(tmp_path: Path) -> None:
    config = load_config(write(tmp_path, 8080))
    keys = {"shoe": bytes(32)}

    def started() -> Daemon:
        journal = Journal.open(config.journal.path, KEY)
        return assemble(config, BOOKS, keys, journal)

    first = started()
    first.keeper.open_with(config.table.opening())
    first.keeper.deliver(Delivery("shoe", lambda t: [ShoeShuffled(t=t, deck="blue", count=36)]))
    number = first.keeper.rulings[0].ruling["id"]
    said = Supervisor(t=0.0, decision="misdeal", staff="S1", ruling=number, reason="a new deck")
    first.keeper.deliver(Delivery("page", lambda t: [replace(said, t=t)]))
    first.journal.close()
    again = started()
    assert again.keeper.rulings[0].ruling["id"] == number
    assert again.keeper.pending_rulings.settled(number) == Resolution("S1", "misdeal", None, "a new deck")
    again.journal.close()


def test_a_reason_stays_sealed_in_its_round_and_a_start_with_the_key_reads_it(page: Page) -> None:
    page.bench.take(ShoeShuffled, deck="blue", count=52)
    page.bench.take(Cut, by="dealer")
    page.bench.take(ShoeCard, face="down", deck="blue", card="2c")
    page.bench.take(FloorCalled, by="dealer")
    page.bench.take(ShoeFault, kind="jam")
    number = page.bench.keeper.rulings[0].ruling["id"]
    decide(page, "play_on", ruling=number, reason="the jam was looked at")
    page.bench.journal.flush_blocking()

    def settled(key: bytes | None) -> Resolution | None:
        waiting = PendingRulings(page.bench.keeper.table)
        with JournalReader.open(page.bench.journal.path, key) as record:
            waiting.recall(record, 0)
        return waiting.settled(number)

    assert settled(None) == Resolution("S1", "play_on", None, None)
    assert settled(KEY) == Resolution("S1", "play_on", None, "the jam was looked at")
