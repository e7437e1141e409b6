"""The vocabulary of the API: every member of every closed set, and what a page needs to offer decisions."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, get_args

import pytest

from feltd.page.access.roles import Role
from feltd.page.api.vocabulary_routes import vocabulary
from feltd.text.words import DEVICES, HOUSE_RULES
from table_fsm.felt import (
    PHASE_WORDS,
    AlarmKind,
    Decision,
    FaultKind,
    Need,
    Phase,
    PlayerAction,
    StaffRole,
    Upon,
)
from table_fsm.rulebook.irregularities import Irregularity
from table_fsm.rulebook.outcomes import CHOSEN_BY_PEOPLE, Authority, Outcome
from tests.feltd.page_support import Browser, Page
from tests.feltd.test_api_door import made

SETS: dict[str, Sequence[str]] = {
    "phases": get_args(Phase),
    "house_rules": tuple(HOUSE_RULES),
    "decisions": tuple(Decision),
    "outcomes": tuple(Outcome),
    "irregularities": tuple(Irregularity),
    "authorities": tuple(Authority),
    "roles": tuple(StaffRole),
    "actions": tuple(PlayerAction),
    "faults": tuple(FaultKind),
    "alarms": tuple(AlarmKind),
    "devices": DEVICES,
}


@pytest.fixture
def page(tmp_path: Path) -> Iterator[Page]:
    page = made(tmp_path, open_here=True)
    yield page
    page.close()


def test_every_set_is_told_whole_with_words(page: Page) -> None:
    told: dict[str, list[dict[str, Any]]] = Browser(page).get("/api/v1/vocabulary").json()
    assert told.keys() == SETS.keys()
    for name, members in SETS.items():
        assert {member["name"] for member in told[name]} == set(members), name
        assert len(told[name]) == len(members), name
        assert all(member["words"] for member in told[name]), name


def test_a_browser_keeps_it_and_nobody_else_does(page: Page) -> None:
    answer = Browser(page).get("/api/v1/vocabulary")
    assert answer.headers["cache-control"] == "private, max-age=300"
    assert answer.headers["vary"] == "accept-language, cookie, accept-encoding"


def test_it_is_compressed_for_a_browser_that_understands_it(page: Page) -> None:
    whole = Browser(page).get("/api/v1/vocabulary", headers={"accept-encoding": "identity"})
    small = Browser(page).get("/api/v1/vocabulary", headers={"accept-encoding": "gzip"})
    assert "content-encoding" not in whole.headers
    assert small.headers["content-encoding"] == "gzip"
    assert small.json() == whole.json()
    assert 3 * int(small.headers["content-length"]) < int(whole.headers["content-length"])


def test_it_is_for_whoever_may_see_the_table(tmp_path: Path) -> None:
    page = made(tmp_path, open_here=False)
    assert Browser(page).get("/api/v1/vocabulary").status_code == 401
    observer = Browser(page, page.session(Role.OBSERVER))
    assert observer.get("/api/v1/vocabulary").status_code == 200
    page.close()


def test_a_decision_says_where_it_is_offered_and_what_it_needs() -> None:
    told = {decision.name: decision for decision in vocabulary().decisions}
    assert (told["overrule"].upon, told["overrule"].needs) == ([Upon.GIVEN], [Need.RULING, Need.OUTCOME, Need.REASON])
    assert (told["play_on"].upon, told["play_on"].needs) == ([Upon.WAITING, Upon.TABLE], [])
    assert told["misdeal"].needs == [Need.REASON]


def test_outcomes_to_choose_come_first_in_the_order_in_which_they_are_offered() -> None:
    chosen = [outcome.name for outcome in vocabulary().outcomes if outcome.may_be_chosen]
    assert chosen == [outcome.value for outcome in CHOSEN_BY_PEOPLE]
    assert chosen == [outcome.name for outcome in vocabulary().outcomes][: len(chosen)]


def test_every_phase_has_words() -> None:
    assert tuple(PHASE_WORDS) == get_args(Phase)
