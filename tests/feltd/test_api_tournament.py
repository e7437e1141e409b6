"""The tournament over the API: as it is now, what places are paid, and what the director does."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from feltd.page.access.roles import Role
from table_fsm.events import TournamentClock
from tests.feltd.page_support import Browser, Page, open_page
from tests.feltd.table_support import STAR, opening, tournament_opening

NOW = "/api/v1/tournament"
PAYOUTS = f"{NOW}/payouts"


@pytest.fixture
def page(tmp_path: Path) -> Iterator[Page]:
    with open_page(tmp_path, tournament_opening()) as page:
        yield page


@pytest.fixture
def cash(tmp_path: Path) -> Iterator[Page]:
    with open_page(tmp_path, opening()) as page:
        yield page


def now(page: Page) -> dict[str, Any]:
    told = Browser(page).get(NOW).json()["tournament"]
    assert isinstance(told, dict)
    return told


def director(page: Page) -> Browser:
    return Browser(page, page.session(Role.DIRECTOR))


def test_level_and_time_are_told_as_of_now_though_nothing_happens(page: Page) -> None:
    page.bench.take(TournamentClock, running=True, elapsed=600.0)
    page.bench.time.pass_(100.0)
    told = Browser(page).get(NOW).json()
    assert (told["rulebook"], told["players"]) == (STAR, 5)
    shown = told["tournament"]
    assert shown["level"] == {"level": 1, "blinds": [100, 100], "ante": 100}
    assert shown["next"] == {"level": 2, "blinds": [100, 200], "ante": 200}
    assert (shown["running"], shown["elapsed"], shown["left"]) == (True, 700.0, 500.0)
    assert (shown["points"], shown["big_blind_ante"]) == (True, True)
    assert told["amounts"] == {"unit": "points", "currency": "AUD", "sign": "$"}
    assert shown["next_break"] == {"after_level": 6, "in_seconds": 6500.0, "seconds": 1800.0}


def test_a_break_counts_down_and_the_level_after_it_only_then(page: Page) -> None:
    page.bench.take(TournamentClock, running=True, elapsed=7190.0)
    page.bench.time.pass_(10.0)
    page.bench.keeper.beat()
    page.bench.time.pass_(800.0)
    shown = now(page)
    assert (shown["in_break"], shown["break_left"], shown["left"]) == (True, 1000.0, 1200.0)
    page.bench.time.pass_(1100.0)
    shown = now(page)
    assert (shown["in_break"], shown["break_left"], shown["left"], shown["elapsed"]) == (False, None, 1100.0, 7300.0)


def test_a_clock_that_stands_stands(page: Page) -> None:
    page.bench.take(TournamentClock, running=False, elapsed=600.0)
    page.bench.time.pass_(100.0)
    shown = now(page)
    assert (shown["elapsed"], shown["left"], shown["until"]) == (600.0, 600.0, None)


def test_a_table_that_plays_no_tournament_says_so(cash: Page) -> None:
    told = Browser(cash).get(NOW).json()
    assert told["tournament"] is None
    assert told["amounts"] == {"unit": "cents", "currency": "AUD", "sign": "$"}
    assert told["players"] == 3
    answer = Browser(cash).get(f"{PAYOUTS}?players=20")
    assert answer.status_code == 409
    assert answer.json()["detail"] == "the source of tas-2018-holdem has no table of payouts"


def test_places_are_paid_by_the_sources_table(page: Page) -> None:
    told = Browser(page).get(f"{PAYOUTS}?players=20&pool=1000001").json()
    assert told["column"] == [17, 24]
    assert told["amounts"] == {"unit": "cents", "currency": "AUD", "sign": "$"}
    assert told["places"] == [
        {"place": 1, "percent": "50.000", "cents": 500_000},
        {"place": 2, "percent": "30.000", "cents": 300_000},
        {"place": 3, "percent": "20.000", "cents": 200_000},
    ]
    assert told["odd_cents"] == 1
    without = Browser(page).get(f"{PAYOUTS}?players=20").json()
    assert (without["places"][0]["cents"], without["pool"], without["odd_cents"]) == (None, None, None)


@pytest.mark.parametrize("asked", ["players=1", "players=201", "players=x", "", "players=20&pool=-1"])
def test_players_and_pools_that_cannot_be_are_not_understood(page: Page, asked: str) -> None:
    assert Browser(page).get(f"{PAYOUTS}?{asked}").status_code == 422


def test_the_director_leads_and_is_told_what_the_rules_refuse(page: Page) -> None:
    leads = director(page)
    assert leads.post(f"{NOW}/clock", {"running": True, "elapsed": 60}).status_code == 200
    assert now(page)["running"]
    refused = leads.post(f"{NOW}/go")
    assert (refused.status_code, refused.json()["detail"]) == (
        409, "hand for hand is off: nothing waits for the director",
    )  # fmt: skip
    assert leads.post(f"{NOW}/hand-for-hand", {"on": True}).status_code == 200
    assert (now(page)["hand_for_hand"], now(page)["waits_for_go"]) == (True, True)
    assert leads.post(f"{NOW}/go").status_code == 200
    assert not now(page)["waits_for_go"]
    race = leads.post(f"{NOW}/race", {"chip": 25, "new_chip": 100, "odd": {"1": 3, "2": 1, "9": 1}, "last": [2]})
    assert race.status_code == 409
    assert "seat '9' has no player" in race.json()["detail"]
    assert leads.post(f"{NOW}/race", {"chip": 25, "new_chip": 100, "odd": {"1": 3, "2": 1}}).status_code == 200
    assert now(page)["race"] == {"chip": 25, "new_chip": 100, "due": 1}
    assert leads.post("/api/v1/seats/3/penalty", {"hands": 2, "reason": "foul language"}).status_code == 200
    assert now(page)["penalties"] == [{"seat": 3, "left": 2, "of": "hands"}]


@pytest.mark.parametrize("role", [Role.OBSERVER, Role.SUPERVISOR, Role.SURVEILLANCE, Role.TECHNICIAN])
def test_nobody_else_leads(page: Page, role: Role) -> None:
    browser = Browser(page, page.session(role))
    assert browser.get(NOW).status_code == 200
    assert browser.post(f"{NOW}/clock", {"running": True, "elapsed": 0}).status_code == 403


def test_pages_are_for_those_who_may_see(page: Page) -> None:
    for address in ("/tournament", "/clock"):
        assert Browser(page).get(address).status_code == 200  # on this machine, where the page is open to read there
        stranger = Browser(page, address="192.0.2.7").get(address)
        assert (stranger.status_code, stranger.headers["location"]) == (303, f"/sign-in?to={address}")
        assert Browser(page, page.session(Role.OBSERVER), "192.0.2.7").get(address).status_code == 200


def test_a_page_that_is_not_open_on_loopback_shows_no_clock_to_nobody(tmp_path: Path) -> None:
    async def make() -> Page:
        return Page(tmp_path, open_here=False)

    page = asyncio.run(make())
    assert Browser(page).get("/clock").status_code == 303
    assert Browser(page).get(NOW).status_code == 401
    page.close()
