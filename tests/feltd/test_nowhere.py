"""An address without a page: a browser gets a page with the way back, a program JSON, both with the fault's status."""

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import httpx
import pytest

from feltd.door import TableAwayError
from feltd.door.commands import NoDatabaseError
from feltd.page.access.roles import Role
from feltd.page.api.problems import PROBLEM_TYPE
from feltd.page.limits.turns import TooManyQuestionsError
from tests.feltd.page_support import Browser, Page, open_page
from tests.feltd.table_support import opening
from tests.floor.desk_support import Desk, House
from tests.floor.desk_support import opening as opened_by
from tests.floor.test_waiting_desk import CashDesk, CashDoor, CashHouse

READS = {"accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}
"""As browsers say it where a person goes to an address."""
LISTS = {"id": "cash", "title": "Cash games", "book": "onyx-cash", "why": "the room opens"}
AFAR = "192.0.2.7"


@pytest.fixture
def page(tmp_path: Path) -> Iterator[Page]:
    with open_page(tmp_path, opening()) as page:
        yield page


@pytest.fixture
def director(page: Page) -> Browser:
    return Browser(page, page.session(Role.DIRECTOR), AFAR)


def shows(answer: httpx.Response, words: str) -> bool:
    """Whether it is a page with these words and the way back."""
    is_page = answer.headers["content-type"].startswith("text/html") and 'href="/">' in answer.text
    return is_page and words in answer.text and answer.headers["cache-control"] == "no-store"


@pytest.mark.parametrize(
    "address", ["/histroy", "/history/", "/history/round/two", "/history/round/0", "/rules/none", "/sign-in/x"]
)
def test_who_is_signed_in_gets_a_page_with_menu_and_band(director: Browser, address: str) -> None:
    answer = director.get(address, READS)
    assert answer.status_code == 404
    assert shows(answer, "<h2>No such page</h2>")
    assert '<a href="/history">' in answer.text
    assert 'id="band"' in answer.text
    assert "Back to the table" in answer.text


@pytest.mark.parametrize("headers", [{}, {"authorization": "Bearer feltd_none"}])
def test_a_stranger_gets_the_way_back_and_nothing_of_the_table(page: Page, headers: dict[str, str]) -> None:
    answer = Browser(page, headers, AFAR).get("/histroy", READS)
    assert answer.status_code == 404
    assert shows(answer, "<h2>No such page</h2>")
    assert 'id="band"' not in answer.text
    assert '<a href="/history">' not in answer.text


@pytest.mark.parametrize("headers", [{"accept": "*/*"}, {"accept": "application/json"}])
def test_a_program_gets_json(director: Browser, headers: dict[str, str]) -> None:
    answer = director.get("/histroy", headers)
    assert (answer.status_code, answer.headers["content-type"]) == (404, PROBLEM_TYPE)
    assert answer.json()["title"] == "Not Found"


def test_the_api_answers_a_browser_with_json_too(director: Browser) -> None:
    assert director.get("/api/v1/none", READS).headers["content-type"] == PROBLEM_TYPE
    assert director.get("/api/v1/rounds/99", READS).headers["content-type"] == PROBLEM_TYPE


def test_what_is_sent_to_an_address_is_answered_with_json(director: Browser) -> None:
    assert director.post("/histroy", {}, READS).headers["content-type"] == PROBLEM_TYPE


def test_it_is_said_in_german(director: Browser) -> None:
    answer = director.get("/rules/none", {**READS, "accept-language": "de"})
    assert shows(answer, "<h2>Seite nicht gefunden</h2>")
    assert "Dieses Regelwerk gibt es nicht: /rules nennt alle." in answer.text
    assert "Zurück zum Tisch" in answer.text


@pytest.mark.parametrize("address", ["/history/round/99", "/history/round/99/report"])
def test_why_a_round_is_not_there_is_on_the_page(director: Browser, address: str) -> None:
    answer = director.get(address, READS)
    assert answer.status_code == 404
    assert shows(answer, "No such page")
    assert "99" in answer.text


def test_too_many_questions_are_told_with_when_to_come_again(
    page: Page, director: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def busy(_: object) -> None:
        raise TooManyQuestionsError("too many questions at once")

    monkeypatch.setattr(page.desk, "of", lambda _: SimpleNamespace(round=busy))
    answer = director.get("/history/round/1/report", READS)
    assert (answer.status_code, answer.headers["retry-after"]) == (429, "1")
    assert shows(answer, "Too many questions at once.")
    assert director.get("/history/round/1", READS).status_code == 200, "the page asks again"


def test_without_the_table_the_way_back_is_there(
    page: Page, director: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away() -> None:
        raise TableAwayError("the table does not answer")

    monkeypatch.setattr(page, "state", away)
    for address, status, words in (("/histroy", 404, "No such page"), ("/history", 503, "The table does not answer.")):
        answer = director.get(address, READS)
        assert answer.status_code == status
        assert shows(answer, words)
        assert "<h1>feltd</h1>" in answer.text


# ---- the pit


@pytest.mark.parametrize("address", ["/histroy", "/tournaments/No-Such", "/waiting/-"])
def test_the_pit_has_such_a_page(tmp_path: Path, address: str) -> None:
    answer = Desk(tmp_path, House(), Role.DIRECTOR).ask("get", address, headers=READS)
    assert answer.status_code == 404
    assert shows(answer, "<h2>No such page</h2>")
    assert '<a href="/tournaments">' in answer.text
    assert "Back to the pit" in answer.text


@pytest.mark.parametrize("address", ["/tournaments/friday", "/tournaments/friday/cards", "/waiting/stud"])
def test_a_desk_of_nothing_says_that_there_is_none_of_this_id(tmp_path: Path, address: str) -> None:
    desk = CashDesk(tmp_path, CashHouse(), Role.SUPERVISOR)
    answer = desk.ask("get", address, headers=READS)
    assert answer.status_code == 404
    assert shows(answer, "No such page")
    assert address.split("/")[2] in answer.text
    assert CashDesk(tmp_path, desk.house, None).ask("get", address, headers=READS).status_code == 303


def test_a_desk_of_what_there_is_and_a_screen_of_nothing_are_shown(tmp_path: Path) -> None:
    desk = CashDesk(tmp_path, CashHouse(), Role.DIRECTOR)
    assert desk.post("/tournaments", opened_by()).status_code == 200
    assert desk.post("/waiting", LISTS).status_code == 200
    for address in ("/tournaments/tuesday", "/waiting/cash", "/tournaments/friday/clock", "/waiting/stud/screen"):
        assert desk.ask("get", address, headers=READS).status_code == 200


@pytest.mark.parametrize(
    "fault", [NoDatabaseError("the floor has no database now"), TableAwayError("the floor is away")]
)
@pytest.mark.parametrize("address", ["/tournaments/friday", "/waiting/stud"])
def test_a_desk_that_cannot_be_asked_for_now_is_shown_and_asks_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, address: str, fault: Exception
) -> None:
    async def away(*_: object) -> None:
        raise fault

    for name in ("tournament", "waiting_room"):
        monkeypatch.setattr(CashDoor, name, away)
    desk = CashDesk(tmp_path, CashHouse(), Role.SUPERVISOR)
    assert desk.ask("get", address, headers=READS).status_code == 200
    assert desk.ask("get", f"/api/v1{address}").status_code in {409, 503}


def test_an_address_of_the_pit_that_asks_for_no_time_says_what_is_missing(tmp_path: Path) -> None:
    answer = Desk(tmp_path, House(), Role.DIRECTOR).ask("get", "/reports/print", headers=READS)
    assert answer.status_code == 422
    assert shows(answer, "<h2>Not shown</h2>")
    assert "since" in answer.text


def test_a_stranger_at_the_pit_gets_the_way_back(tmp_path: Path) -> None:
    answer = Desk(tmp_path, House(), None).ask("get", "/histroy", headers=READS)
    assert answer.status_code == 404
    assert shows(answer, "Back to the pit")
    assert '<a href="/tournaments">' not in answer.text
