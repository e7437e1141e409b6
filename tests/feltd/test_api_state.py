"""The page's state and the schema that the API describes it by: the one is held to the other."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from devices.simulated.direct import play_rounds
from feltd.door import GivenRuling, Person
from feltd.door.devices import TrialKind
from feltd.page.access.roles import Role
from feltd.page.api.amounts import AmountsView
from feltd.page.api.state_models import StateView
from feltd.simulated.games import game_for, options_for
from feltd.table.workshop.device_tests import Trial
from firmware_bridge.errors import FaultCode, LinkFault
from table_fsm.events import (
    Cut,
    Event,
    RaceStart,
    ShoeDeckChecked,
    ShoeShuffled,
    TableClose,
    TableOpen,
    TournamentClock,
)
from table_fsm.felt import Blind, Built
from table_fsm.outputs import Ruling
from table_fsm.table import Table
from tests.feltd.page_support import Browser, Page, open_page
from tests.feltd.table_support import BOOKS, opening, tournament_opening

STATE = "/api/v1/state"


@pytest.fixture
def page(tmp_path: Path) -> Iterator[Page]:
    with open_page(tmp_path, opening()) as page:
        yield page


def checked(state: dict[str, Any]) -> StateView:
    """The state as its model reads it from JSON. Raises ValidationError for a key too many or too few."""
    return StateView.model_validate_json(json.dumps(state, allow_nan=False), extra="forbid")


def filled(value: Any, path: str = "") -> Iterator[str]:
    """The paths in a JSON object at which there is something: `table.seats.wagers.ante`."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from filled(item, f"{path}.{key}".lstrip("."))
    elif isinstance(value, list):
        for item in value:
            yield from filled(item, path)
    elif value is not None:
        yield path


@pytest.mark.parametrize(
    ("book", "shown"),
    [
        ("tas-2018-holdem", {"table.prompt.burn", "table.posts.1", "rulings.also_words", "alarms.text"}),
        ("act-2019-uth", {"table.seats.wagers.ante", "table.dealer.tabled", "table.prompt.turn"}),
        ("act-2001-draw", {"table.seats.drew", "table.prompt.draw", "table.prompt.act"}),
        ("act-2001-stud7", {"table.seats.tabled", "table.prompt.deal", "table.to_act"}),
        (
            "onyx-tournament",
            {"table.tournament.level.blinds", "table.tournament.takes.race"},
        ),
        ("star-2025-holdem", {"table.tournament.next.blinds", "table.prompt.act", "table.prompt.owes"}),
    ],
)
def test_every_state_of_a_game_is_what_the_schema_says(page: Page, book: str, shown: set[str]) -> None:
    options = options_for(BOOKS[book])
    game = game_for(BOOKS[book], (1, 2, 3, 5), options, rounds=6, mistake_rate=0.5, seed=4)
    keeper = page.bench.keeper
    keeper.table = Table(BOOKS)
    seen: set[str] = set()

    def apply(event: Event) -> list[dict[str, Any]]:
        outputs = keeper.table.apply(event)
        for output in outputs:
            if isinstance(output.value, Ruling):
                keeper.rulings.appendleft(GivenRuling(0.0, output.value.to_json()))
        state = page.state()
        checked(state)
        seen.update(filled(state))
        return [output.to_dict() for output in outputs]

    play_rounds(game, apply, options=options, button=game.button)
    assert seen >= shown, sorted(seen)


@pytest.mark.parametrize(
    ("opened", "counted", "prompt"),
    [
        (opening(), {"unit": "cents", "currency": "AUD", "sign": "$"}, "Post: seat 1 $1, seat 2 $2"),
        (
            replace(opening(), options={"blinds": [100, 250], "tournament": True}),
            {"unit": "points", "currency": "AUD", "sign": "$"},
            "Post: seat 1 100, seat 2 250",
        ),
    ],
)
def test_the_state_says_what_its_amounts_are_and_prompts_in_them(
    tmp_path: Path, opened: TableOpen, counted: dict[str, str], prompt: str
) -> None:
    with open_page(tmp_path, opened) as page:
        page.bench.take(ShoeDeckChecked, deck="blue", count=52)
        page.bench.take(ShoeShuffled, deck="blue", count=52)
        page.bench.take(Cut, by="dealer", depth=20, exposed=0)
        state = page.state()
        assert (checked(state).amounts, state["amounts"]) == (AmountsView.model_validate(counted), counted)
        assert state["prompt"] == prompt
        page.bench.take(TableClose)
        assert page.state()["amounts"] is None


def test_a_table_that_is_built_with_less_says_what_it_cannot_see(tmp_path: Path) -> None:
    less = replace(opening(), options={**opening().options, "built": "board_only"})
    with open_page(tmp_path, less) as page:
        state = page.state()
        assert (checked(state).built, state["table"]["built"]) == (Built.BOARD_ONLY.words, "board_only")
        page.bench.take(TableClose)
        assert page.state()["built"] is None
    (tmp_path / "whole").mkdir()
    with open_page(tmp_path / "whole", opening()) as page:
        assert page.state()["built"] is None


def test_a_table_whose_readers_know_no_side_says_what_it_cannot_see(tmp_path: Path) -> None:
    blind = replace(opening(), options={**opening().options, "faces": False})
    with open_page(tmp_path, blind) as page:
        state = page.state()
        assert (checked(state).faces, state["table"]["faces"]) == (Blind.FACES.words, False)
        page.bench.take(TableClose)
        assert page.state()["faces"] is None


def test_a_tournament_with_its_clock_and_a_race_is_too(tmp_path: Path) -> None:
    with open_page(tmp_path, tournament_opening()) as page:
        page.bench.take(TournamentClock, running=True, elapsed=7190.0)
        page.bench.take(RaceStart, chip=25, new_chip=100, odd={"1": 3, "2": 1})
        state = page.state()
        shown = state["table"]["tournament"]
        assert checked(state).table["tournament"] == shown
        assert {"race.due", "next_break.in_seconds", "until", "next.blinds"} <= set(filled(shown))


def test_devices_faults_tests_and_signatures_are_too(page: Page) -> None:
    browser = Browser(page, page.session(Role.SUPERVISOR))
    page.bridge.on_down("shoe", LinkFault(FaultCode.NO_ANSWER, "no answer"))
    person = Person("S7", "anna", "technician", "127.0.0.1")
    page.workshop.tests.latest = Trial(1, "shoe", TrialKind.LISTEN, None, None, person, began=0.0, until=9.0)
    asked = {"decision": "check_deck", "signature": "badge"}
    assert browser.post("/api/v1/decisions", asked).status_code == 202
    state = browser.get(STATE).json()
    read = checked(state)
    assert [signature.decision for signature in read.signatures] == ["check_deck"]
    assert read.test is not None
    assert {device.name for device in read.devices} >= {"shoe"}


def test_the_api_describes_the_state_down_to_each_prompt(page: Page) -> None:
    described = page.api.openapi()
    answer = described["paths"]["/state"]["get"]["responses"]["200"]["content"]["application/json"]["schema"]
    assert answer == {"$ref": "#/components/schemas/StateView"}
    shapes = described["components"]["schemas"]
    assert shapes["StateView"]["properties"]["table"] == {"$ref": "#/components/schemas/TableView"}
    prompts = shapes["TableView"]["properties"]["prompt"]["anyOf"]
    assert {"$ref": "#/components/schemas/MixFlopJson"} in prompts
    assert shapes["ActJson"]["properties"]["owes"]["description"] == "What a call takes; null where it is not known."


def test_a_key_that_the_schema_does_not_have_is_found(page: Page) -> None:
    state = page.state()
    checked(state)
    for inside in (state, state["table"], state["journal"]):
        inside["novel"] = 1
        with pytest.raises(ValueError, match="novel"):
            checked(state)
        del inside["novel"]
