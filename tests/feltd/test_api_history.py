"""The record over the API: found, read, played again, exported; cards only for those who may see them."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from feltd.page.access.roles import Role
from feltd.record.export import verify_export
from tests.feltd.history_support import recorded_page
from tests.feltd.page_support import Browser, Page


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    made = recorded_page(tmp_path_factory.mktemp("record"), rounds=6)
    yield made
    made.close()


def ask(page: Page, address: str, role: Role = Role.OBSERVER) -> Any:
    answer = Browser(page, page.session(role)).get(f"/api/v1{address}")
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_rounds_and_rulings_are_listed_newest_first_and_filtered(page: Page) -> None:
    rounds = ask(page, "/rounds")
    assert [found["number"] for found in rounds] == sorted((f["number"] for f in rounds), reverse=True)
    assert ask(page, "/rounds?limit=2&before=3") == [found for found in rounds if found["number"] < 3]
    rulings = ask(page, "/rulings")
    kind = rulings[0]["irregularity"]
    assert {ruling["irregularity"] for ruling in ask(page, f"/rulings?kind={kind}")} == {kind}


def test_a_round_has_its_rulings_beside_it(page: Page) -> None:
    number = ask(page, "/rulings")[0]["round"]
    whole = ask(page, f"/rounds/{number}")
    assert whole["round"]["number"] == number
    assert len(whole["rulings"]) == whole["round"]["rulings"]


def test_a_round_is_played_again_in_words(page: Page) -> None:
    steps = ask(page, "/rounds/2/steps?most=500")
    assert [step["number"] for step in steps] == list(range(1, len(steps) + 1))
    assert any("shuffled" in step["words"] for step in steps)
    assert steps[-1]["view"]["phase"] in {"complete", "misdeal", "void"}
    assert ask(page, "/rounds/2/steps?after=5&most=3") == steps[5:8]
    assert all(step["amounts"] == {"unit": "cents", "currency": "AUD", "sign": "$"} for step in steps)
    assert any(re.search(r"\$[1-9]", step["words"]) for step in steps)


def test_only_some_roles_see_cards_that_lay_face_down(page: Page) -> None:
    for role, sees in ((Role.OBSERVER, False), (Role.TECHNICIAN, False), (Role.SURVEILLANCE, True)):
        steps = ask(page, "/rounds/1/steps?most=500", role)
        down = [s for s in steps if s["event"]["ev"] == "card.placed" and s["event"]["zone"].startswith("seat:")]
        assert any("card" in step["event"] for step in down) is sees
        assert any(step["cards"] for step in steps) is sees


def test_an_export_holds_against_its_own_proof(page: Page) -> None:
    answer = Browser(page, page.session(Role.SURVEILLANCE)).get("/api/v1/rounds/2/export")
    assert answer.status_code == 200
    assert answer.headers["content-disposition"] == 'attachment; filename="round-2.jsonl"'
    lines = answer.text.splitlines()
    assert verify_export(lines).entries > 50
    changed = [line.replace('"round": 2', '"round": 3').replace('"round":2', '"round":3') for line in lines]
    with pytest.raises(Exception, match=r"not as it was written|does not hold"):
        verify_export(changed)
    assert Browser(page, page.session(Role.OBSERVER)).get("/api/v1/rounds/2/export").status_code == 403


@pytest.mark.parametrize(
    ("address", "status"),
    [("/rounds/999", 404), ("/rounds/0", 422), ("/rounds?limit=0", 422), ("/rounds?limit=501", 422),
     ("/rounds?kind=none", 422), ("/rounds?more=1", 422), ("/rounds/2/steps?most=501", 422),
     ("/rulings?since=nan", 422)],
)  # fmt: skip
def test_what_cannot_be_asked_is_said_so(page: Page, address: str, status: int) -> None:
    answer = Browser(page, page.session(Role.SUPERVISOR)).get(f"/api/v1{address}")
    assert answer.status_code == status
    assert json.loads(answer.text)["detail"]


def test_nobody_reads_the_record_without_signing_in_from_another_machine(page: Page) -> None:
    assert Browser(page, address="192.0.2.9").get("/api/v1/rounds").status_code == 401


def test_the_record_of_a_table_that_never_played_is_empty(tmp_path: Path) -> None:
    from tests.feltd.test_api_door import made

    page = made(tmp_path, open_here=True)
    assert Browser(page).get("/api/v1/rounds").json() == []
    page.close()
