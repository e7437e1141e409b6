"""What became of rulings, as the record's index tells it: decided by number, by a floor decision, by nobody, or not."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from feltd.page.history.search import FoundRuling, Wanted, find_rulings
from table_fsm.events import (
    Cut,
    FloorCalled,
    ShoeCard,
    ShoeCleared,
    ShoeDeckChecked,
    ShoeFault,
    ShoeShuffled,
    Supervisor,
)
from tests.feltd.history_support import recorded_page
from tests.feltd.page_support import Page, index_of

Newest = Callable[[], FoundRuling]


@pytest.fixture
def page(tmp_path: Path) -> Iterator[Page]:
    made = recorded_page(tmp_path, rounds=1, mistakes=0.0)
    yield made
    made.bench.journal.close()


@pytest.fixture
def newest(page: Page) -> Iterator[Newest]:
    index = index_of(page.bench.journal.path)

    def look() -> FoundRuling:
        page.bench.journal.flush_blocking()
        index.catch_up()
        return find_rulings(index, Wanted(limit=1))[0]

    yield look
    index.close()


def decide(page: Page, decision: str, **fields: Any) -> None:
    page.bench.take(Supervisor, decision=decision, staff="S1", **fields)


def errors(page: Page) -> int:
    return page.bench.keeper.tally.refused


def test_a_decision_of_ones_own_motion_decides_what_waits(page: Page, newest: Newest) -> None:
    page.bench.take(ShoeShuffled, deck="blue", count=36)
    assert (newest().irregularity, newest().waits) == ("short_deck", True)
    decide(page, "acknowledge")
    assert newest().waits
    decide(page, "play_on", reason="counted twice")
    found = newest()
    assert (found.decision, found.decided_by, found.reason, found.waits) == ("play_on", "S1", "counted twice", False)


def test_a_refused_decision_decides_nothing(page: Page, newest: Newest) -> None:
    page.bench.take(ShoeFault, kind="jam")
    waiting = newest()
    assert waiting.waits
    decide(page, "resume")
    decide(page, "resume", ruling=waiting.id)
    assert errors(page) == 2, "a fault stands"
    assert newest() == waiting
    decide(page, "overrule", ruling=waiting.id, outcome="nothing of the kind")
    assert errors(page) == 3
    assert newest() == waiting


def test_a_ruling_whose_cause_is_mended_waits_no_more_and_was_decided_by_nobody(page: Page, newest: Newest) -> None:
    page.bench.take(ShoeShuffled, deck="blue", count=36)
    waiting = newest()
    assert waiting.waits
    page.bench.take(ShoeDeckChecked, deck="blue", count=52)
    assert page.bench.keeper.table.waiting == frozenset()
    found = newest()
    assert (found.id, found.waits, found.decision) == (waiting.id, False, None)


def test_what_the_table_says_in_its_snapshot_is_believed(
    page: Page, newest: Newest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A record of before the note there is of it."""
    monkeypatch.setattr(page.bench.keeper.pending_rulings, "observe", lambda *_: [])
    page.bench.take(ShoeShuffled, deck="blue", count=36)
    page.bench.take(ShoeDeckChecked, deck="blue", count=52)
    assert newest().waits
    decide(page, "misdeal", reason="the evening is over")
    assert not newest().waits


def test_whoever_ends_the_round_decides_what_waits_of_it(page: Page, newest: Newest) -> None:
    page.bench.take(ShoeShuffled, deck="blue", count=52)
    page.bench.take(Cut, by="dealer")
    page.bench.take(ShoeCard, face="down", deck="blue", card="2c")
    page.bench.take(FloorCalled, by="dealer")
    page.bench.take(ShoeFault, kind="jam")
    assert newest().waits
    page.bench.take(ShoeCleared, kind="jam")
    decide(page, "acknowledge")
    decide(page, "misdeal", reason="the shoe was opened")
    found = newest()
    assert (found.decision, found.decided_by, found.waits) == ("misdeal", "S1", False)


def test_the_live_list_says_who_decided_and_what_may_still_be_overruled(page: Page) -> None:
    def shown() -> dict[str, Any]:
        first: dict[str, Any] = page.state()["rulings"][0]
        return first

    page.bench.take(ShoeShuffled, deck="blue", count=36)
    assert (shown()["waits"], shown()["may_overrule"], shown()["settled"]) == (True, True, None)
    decide(page, "overrule", ruling=shown()["id"], outcome="warn", reason="counted: 52")
    assert shown()["settled"] == {"by": "S1", "decision": "overrule", "outcome": "warn", "reason": "counted: 52"}
    assert not shown()["waits"]
    page.bench.take(ShoeDeckChecked, deck="blue", count=52)
    decide(page, "misdeal", reason="the evening is over")
    assert not shown()["may_overrule"]
