"""A tournament book of an operator's own between a floord and a pit page that really run, with their files alone."""

import asyncio
import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from feltd.page.access.accounts import AccountBook
from feltd.page.access.roles import Role
from feltd.page.api.guard import CSRF_HEADER
from tests.feltd.page_support import SECRET
from tests.floor.conftest import emptied
from tests.floor.demo import process, until
from tests.floor.desk_support import opening
from tests.floor.postgres_support import Server
from tests.floor.tls_support import HOST, casino
from tests.ports import free_port

pytestmark = pytest.mark.slow

EXAMPLE = Path(__file__).parents[2] / "docs/own-tournaments"
OWN = "operator-2026-satellite"
NAMED = f'tournament_books = "{EXAMPLE}"'
ANNOUNCED = {**opening(re_entries=0), "book": OWN}
PATIENT = 60.0
"""Seconds for an answer of a machine with much else to do."""


@contextmanager
def running(folder: Path, database: Server, at_floor: str, at_pit: str) -> Iterator[httpx.Client]:
    """floord and a pit page with these lines at the end of their files; a director is signed in."""
    keys, page, port = casino(folder / "casino", "table-1"), folder / "page", free_port()
    floor, pit = keys / "floor.toml", folder / "pit.toml"
    floor.write_text(
        f'[floor]\nhost = "{HOST}"\nport = {free_port()}\nsocket = "pit"\ndatabase = "{database.address("floord")}"\n'
        f'certificate = "floor.pem"\nkey = "floor.key"\nauthority = "authority.pem"\n{at_floor}\n'
    )
    pit.write_text(f'[pit]\nname = "Pit"\nfloor = "{keys / "pit"}"\nfolder = "{page}"\nport = {port}\n{at_pit}\n')
    page.mkdir()
    AccountBook(page / "accounts.json").add("lea", Role.DIRECTOR, SECRET)
    with ExitStack() as stack:
        processes = [stack.enter_context(process(folder, "floord", "floor", "run", "--config", str(floor)))]
        until((keys / "pit").exists, processes)
        processes.append(stack.enter_context(process(folder, "page", "floor", "page", "--config", str(pit))))
        client = stack.enter_context(httpx.Client(base_url=f"http://127.0.0.1:{port}/api/v1", timeout=PATIENT))
        until(lambda: signed_in(client), processes)
        yield client


def signed_in(client: httpx.Client) -> bool:
    """Whether the page is there and has let the director in."""
    try:
        answer = client.post("/session", json={"name": "lea", "password": SECRET})
    except httpx.ConnectError:
        return False
    assert answer.status_code == 200, answer.text
    client.headers[CSRF_HEADER] = answer.json()["csrf"]
    return True


def told(answer: httpx.Response) -> Any:
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_a_director_opens_a_tournament_under_the_operators_own_book(tmp_path: Path, postgres: Server) -> None:
    asyncio.run(emptied(postgres))
    with running(tmp_path, postgres, NAMED, NAMED) as client:
        assert told(client.get("/tournaments"))["books"][OWN] == "Example: a satellite of an operator's own (own)"
        told(client.post("/tournaments", json=ANNOUNCED))
        [tile] = told(client.get("/tournaments"))["tournaments"]
        assert (tile["book"], tile["wrong"]) == (OWN, None)
        desk = told(client.get("/tournaments/tuesday"))
        assert OWN in str(desk["book"])


@pytest.mark.parametrize(
    ("at_floor", "at_pit", "status", "remedy"),
    [
        (NAMED, "", 404, "this page has no tournament book operator-2026-satellite; .*in pit.toml"),
        ("", NAMED, 409, "floord has no tournament book operator-2026-satellite; .*in floor.toml"),
    ],
)
def test_who_has_not_read_the_book_says_so_and_opens_nothing(
    tmp_path: Path, postgres: Server, at_floor: str, at_pit: str, status: int, remedy: str
) -> None:
    asyncio.run(emptied(postgres))
    with running(tmp_path, postgres, at_floor, at_pit) as client:
        refused = client.post("/tournaments", json=ANNOUNCED)
        assert (refused.status_code, bool(re.search(remedy, refused.text))) == (status, True), refused.text
        assert told(client.get("/tournaments"))["tournaments"] == []
