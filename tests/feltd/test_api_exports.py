"""The record handed out: spans with their proof, streamed; hands as hand histories; to those who may have them."""

import asyncio
from collections.abc import AsyncGenerator, Iterator
from pathlib import Path

import pytest
from pokerkit import HandHistory

from feltd.page.access.roles import Role
from feltd.page.history import desk as desk_module
from feltd.page.history.desk import Questions
from feltd.record import JournalReader, Span
from feltd.record.export import verify_export
from feltd.text.errors import JournalExportInvalid, JournalMissing
from table_fsm.events import CardPlaced
from tests.feltd.history_support import recorded_page
from tests.feltd.page_support import Browser, Page


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    made = recorded_page(tmp_path_factory.mktemp("record"), rounds=6)
    yield made
    made.close()


def test_a_span_is_exported_as_it_is_read_and_holds(page: Page) -> None:
    browser = Browser(page, page.session(Role.DIRECTOR))
    rounds = browser.get("/api/v1/rounds").json()[::-1]
    whole = browser.get("/api/v1/export").text.splitlines()
    proof = verify_export(whole)
    assert (proof.first, proof.entries) == (1, len([line for line in whole if line.startswith('{"entry"')]))
    two = verify_export(browser.get("/api/v1/export?first_round=2&last_round=3").text.splitlines())
    assert (two.first, two.last) == (rounds[1]["first"], rounds[2]["last"])
    assert two.proved > 20
    shift = f"/api/v1/export?since={rounds[1]['began']}&until={rounds[1]['ended']}"
    timed = verify_export(browser.get(shift).text.splitlines())
    assert timed.first <= rounds[1]["first"] < rounds[1]["last"] <= timed.last
    assert timed.last < rounds[2]["last"]
    assert Browser(page, page.session(Role.TECHNICIAN)).get("/api/v1/export").status_code == 403


def test_no_export_has_what_a_round_that_is_not_over_has_sealed(tmp_path: Path) -> None:
    page = recorded_page(tmp_path, rounds=2)
    journal = page.bench.journal
    before = journal.health.appended
    page.bench.time.pass_(10.0)
    number = page.bench.keeper.table.round_number + 1
    journal.begin_round(number)
    for seat in range(1, 6):
        journal.append_event(
            CardPlaced(t=page.bench.keeper.now, zone=f"seat:{seat}", card="As"),
            source=None, round_number=number, rulebook_digest="ab" * 32,
        )  # fmt: skip
    asyncio.run(page.bench.synced())
    browser = Browser(page, page.session(Role.DIRECTOR))
    answer = browser.get("/api/v1/export")
    assert answer.headers["content-disposition"] == f'attachment; filename="entries-1-{before}.jsonl"'
    assert verify_export(answer.text.splitlines()).last == before
    with JournalReader.open(journal.path) as reader:
        sealed = [row.sealed.hex() for row in reader.rows(Span(after=before)) if row.sealed is not None]
    assert len(sealed) == 5
    assert not any(one in answer.text for one in sealed)
    refusal = browser.get(f"/api/v1/export?since={page.bench.time.wall}")
    assert (refusal.status_code, "which is not over" in refusal.json()["detail"]) == (404, True)
    with page.door.open_record() as record, pytest.raises(JournalMissing, match="which is not over"):
        record.export(before + 1, before + 5)
    page.close()


def test_a_span_is_never_whole_in_memory_and_others_are_answered_meanwhile(
    page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(desk_module, "LINES", 3)

    monkeypatch.setattr(desk_module, "EXPORTS_MOST", 3)

    async def scene() -> None:
        lines = page.desk.of("anna").export(1, 60)
        first = [await anext(lines) for _ in range(2)]
        assert await page.desk.of("anna").round(1)
        text = "".join([*first, *[line async for line in lines]])
        assert verify_export(text.splitlines()).last == 60
        supervisor = Browser(page, page.session(Role.SUPERVISOR))
        director = Browser(page, page.session(Role.DIRECTOR))
        held = [page.desk.of("person director").export(1, 60) for _ in range(desk_module.EXPORTS_OF_ONE)]
        for one in held:
            await anext(one)
        refused = await director.ask("get", "/api/v1/export")
        assert (refused.status_code, refused.headers["retry-after"]) == (503, "30")
        assert refused.json()["detail"] == "2 of your exports are under way already"
        assert (await supervisor.ask("get", "/api/v1/export")).status_code == 200
        held.append(page.desk.of("anna").export(1, 60))
        await anext(held[-1])
        refused = await supervisor.ask("get", "/api/v1/export")
        assert refused.json()["detail"] == "3 exports are under way already"
        assert page.refusals.counts["exports"] == 2
        for one in held:
            await one.aclose()
        assert (await director.ask("get", "/api/v1/export")).status_code == 200

    asyncio.run(scene())


def test_an_export_that_is_cut_off_by_the_end_of_the_session_does_not_verify(
    page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    headers = page.session(Role.SUPERVISOR)
    browser = Browser(page, headers, address="192.0.2.1")
    taken = Questions.export
    monkeypatch.setattr(desk_module, "LINES", 1)

    async def cut(questions: Questions, first: int, last: int) -> AsyncGenerator[str, None]:
        async for line in taken(questions, first, last):
            yield line
            page.sessions.end(headers["cookie"].removeprefix("feltd="))

    monkeypatch.setattr(Questions, "export", cut)
    lines = browser.get("/api/v1/export").text.splitlines()
    assert 0 < len(lines) < 5
    with pytest.raises(JournalExportInvalid, match="ends before its anchor"):
        verify_export(lines)


def test_a_finished_hand_is_told_in_the_poker_hand_history_format(page: Page) -> None:
    browser = Browser(page, page.session(Role.SURVEILLANCE))
    answers = {number: browser.get(f"/api/v1/rounds/{number}/phh") for number in range(1, 5)}
    told = [answer for answer in answers.values() if answer.status_code == 200]
    assert told
    for answer in told:
        assert answer.headers["content-type"].startswith("application/toml")
        assert HandHistory.loads(answer.text).table == "Table 7"
    assert {answer.status_code for answer in answers.values()} <= {200, 409}
    number = next(number for number, answer in answers.items() if answer.status_code == 200)
    assert "????" in browser.get(f"/api/v1/rounds/{number}/phh?public=true").text
    assert Browser(page, page.session(Role.OBSERVER)).get(f"/api/v1/rounds/{number}/phh").status_code == 403


@pytest.mark.parametrize(
    ("address", "status"),
    [("/export?since=0&first_round=1", 422), ("/export?last_round=2", 422), ("/export?until=1", 404),
     ("/export?first_round=3&last_round=2", 404), ("/export?first_round=99", 404), ("/rounds/99/phh", 404),
     ("/export?rounds=1", 422)],
)  # fmt: skip
def test_an_export_of_nothing_is_refused(page: Page, address: str, status: int) -> None:
    assert Browser(page, page.session(Role.DIRECTOR)).get(f"/api/v1{address}").status_code == status
