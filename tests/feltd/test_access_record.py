"""Who signs in and who takes the record away, from a browser to the record, and with the table away in between."""

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from feltd.door.asking.socket_door import SocketDoor
from feltd.page.access.accounts import Account
from feltd.page.access.folding import WINDOW
from feltd.page.access.roles import Role
from feltd.page.access.telling import AccessTeller
from feltd.page.api.on_record import AT_ONCE
from feltd.page.history.desk import Questions
from feltd.page.history.search import FoundRound, FoundRuling
from feltd.record import EntryKind, HostEntry, JournalReader, Span
from feltd.text.errors import JournalDisk
from tests.feltd.door_support import apart
from tests.feltd.history_support import recorded_page
from tests.feltd.page_support import SECRET, Browser, Page
from tests.running import eventually, running

HAND = "/api/v1/rounds/1/phh"
ROUND = "/api/v1/rounds/1/export"
REPORT = "/history/round/1/report"
SPAN = "/api/v1/export?first_round=1"
ALARMS = "/api/v1/alarms/export"
BOOKMARKS = "/api/v1/bookmarks"


@pytest.fixture
def page(tmp_path: Path) -> Iterator[Page]:
    made = recorded_page(tmp_path, rounds=2, mistakes=0.0)
    yield made
    made.close()


def entries(journal: Path) -> list[dict[str, Any]]:
    with JournalReader.open(journal) as reader:
        return [entry.body for entry in reader.entries(Span(kind=EntryKind.HOST, name=HostEntry.ACCESS))]


def told(page: Page) -> list[dict[str, Any]]:
    """The entries, once the page has told what it has."""

    async def tell() -> None:
        await page.record.tell()
        await page.bench.synced()

    asyncio.run(tell())
    return entries(page.bench.journal.path)


def sign_in(browser: Browser, name: str, password: str) -> int:
    return browser.post("/api/v1/session", {"name": name, "password": password}).status_code


def test_from_the_browser_to_the_record(page: Page) -> None:
    page.accounts.add("anna", Role.SUPERVISOR, SECRET)
    browser = Browser(page, address="10.0.0.7")
    answer = browser.post("/api/v1/session", {"name": "anna", "password": SECRET})
    cookie = {"cookie": answer.headers["set-cookie"].split(";")[0]}
    assert sign_in(browser, SECRET, "anna") == sign_in(browser, "anna", "wrong") == 401
    assert browser.request("delete", "/api/v1/session", cookie).status_code == 204
    page.bench.time.pass_(WINDOW)
    found = [{name: entry[name] for name in entry if name not in ("page", "n", "at", "by")} for entry in told(page)]
    who = {"who": "anna", "role": "supervisor", "from": "10.0.0.7"}
    assert found == [
        {"what": "page_starts"},
        {"what": "signed_in", **who},
        {"what": "session_over", **who, "how": "signed_out"},
        {"what": "sign_in_failed", "from": "10.0.0.7", "times": 2, "names": {"anna": 1}, "unknown": 1},
    ]
    assert SECRET.encode() not in b"".join(file.read_bytes() for file in page.bench.journal.path.parent.glob("table.*"))


@pytest.mark.parametrize(
    ("address", "says"),
    [
        (ROUND, {"of": "round", "round": 1}),
        (SPAN, {"of": "entries"}),
        (HAND, {"of": "hand_history", "round": 1, "cards": True}),
        (REPORT, {"of": "report", "round": 1, "cards": True}),
        (f"{HAND}?public=true", {"of": "hand_history", "round": 1, "cards": False}),
        (f"{ALARMS}?since=5&kind=seat_idle", {"of": "alarms", "since": 5.0}),
        (f"{BOOKMARKS}?until=9.5&format=csv", {"of": "bookmarks", "until": 9.5}),
    ],
)
def test_each_export_is_an_entry_of_its_own(page: Page, address: str, says: dict[str, Any]) -> None:
    browser = Browser(page, page.session(Role.DIRECTOR))
    assert browser.get(address).status_code == 200
    [entry] = [entry for entry in told(page) if entry["what"] == "exported"]
    assert {name: entry[name] for name in says} == says
    assert (entry["who"], entry["role"], entry["from"]) == ("director", "director", "127.0.0.1")
    assert Browser(page, page.session(Role.OBSERVER)).get(address).status_code in (303, 403)
    assert sum(entry["what"] == "exported" for entry in told(page)) == 1


@pytest.mark.parametrize("address", [ROUND, SPAN, HAND, REPORT, ALARMS, BOOKMARKS])
def test_what_cannot_be_put_on_record_is_not_handed_out(
    page: Page, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    browser = Browser(page, page.session(Role.DIRECTOR))

    async def fails() -> int:
        raise JournalDisk("input/output error", Path("/x"), "Look at it")

    monkeypatch.setattr(page.bench.journal, "flush", fails)
    refused = browser.get(address)
    assert (refused.status_code, "retry-after" in refused.headers) == (503, True)
    assert "nothing is handed out that cannot be put on record" in refused.json()["detail"]
    assert "feltd_journal_export" not in refused.text


@pytest.mark.parametrize("address", [ALARMS, BOOKMARKS])
def test_a_list_that_is_asked_for_again_and_again_is_one_entry_an_hour(page: Page, address: str) -> None:
    def asked(query: str = "", who: Role = Role.SUPERVISOR) -> int:
        """How many entries there are, once this was handed out."""
        assert Browser(page, page.session(who)).get(f"{address}?{query}").status_code == 200
        return sum(entry["what"] == "exported" for entry in told(page))

    now = page.bench.time.wall
    assert [asked(f"since={now - 500}") for _ in range(3)] == [1, 1, 1]
    assert asked(f"since={now - 400}&until={now}") == 1, "it is within the one before"
    assert asked(f"since={now - 600}") == 2, "it begins earlier"
    assert asked("", Role.DIRECTOR) == 3, "another person"
    page.bench.time.pass_(1800.0)
    assert asked(f"since={now + 1700}&until={page.bench.time.wall}") == 3, "what came since"
    page.bench.time.pass_(1800.0)
    assert asked(f"since={now - 600}") == 4
    assert asked("until=1000") == 5, "an old time, and no more than that"
    assert asked("until=900") == 5
    assert asked("until=1001") == 6
    found = [(entry.get("since"), entry.get("until")) for entry in told(page) if entry["what"] == "exported"]
    assert found == [
        (now - 500, None), (now - 600, None), (None, None), (now - 600, None), (None, 1000.0), (None, 1001.0),
    ]  # fmt: skip


def test_lists_of_ever_new_times_have_the_pace_of_exports_and_no_more_are_remembered_than_there_may_be(
    page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("feltd.page.api.on_record.REMEMBERED", 1)
    browser = Browser(page, page.session(Role.SUPERVISOR))
    answers = [browser.get(f"{BOOKMARKS}?until={1000 + n}").status_code for n in range(AT_ONCE + 1)]
    assert answers == [200] * AT_ONCE + [429]
    other = Browser(page, page.session(Role.DIRECTOR))
    before = sum(entry["what"] == "exported" for entry in told(page))
    for address in (ALARMS, BOOKMARKS, ALARMS):
        assert other.get(address).status_code == 200
    assert sum(entry["what"] == "exported" for entry in told(page)) == before + 3


def test_one_person_cannot_take_the_exports_of_all(page: Page) -> None:
    greedy = Browser(page, page.session(Role.SUPERVISOR))
    answers = [greedy.get(ROUND).status_code for _ in range(AT_ONCE + 1)]
    assert answers == [200] * AT_ONCE + [429]
    assert greedy.get(HAND).headers["retry-after"] == "31"
    assert Browser(page, page.session(Role.DIRECTOR)).get(ROUND).status_code == 200
    page.bench.time.pass_(31.0)
    assert greedy.get(ROUND).status_code == 200
    assert sum(entry["what"] == "exported" for entry in told(page)) == AT_ONCE + 2


def test_somebody_gets_in_while_the_record_takes_nothing_and_the_entry_follows(
    page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    page.accounts.add("anna", Role.SUPERVISOR, SECRET)

    async def fails() -> int:
        raise JournalDisk("input/output error", Path("/x"), "Look at it")

    with monkeypatch.context() as patched:
        patched.setattr(page.bench.journal, "flush", fails)
        assert sign_in(Browser(page), "anna", SECRET) == 200
        asyncio.run(page.record.tell())
    found = told(page)
    assert [entry["what"] for entry in found] == ["page_starts", "signed_in"]
    assert [entry["n"] for entry in found] == [1, 2]  # told again, written once


def test_a_table_that_starts_again_is_told_what_happened_meanwhile(tmp_path: Path) -> None:
    anna = Account("anna", Role.SUPERVISOR, "$argon2id$")

    async def scene() -> None:
        now = [100.0]
        door = SocketDoor(tmp_path / "door.sock")
        teller = AccessTeller(door, lambda: now[0], lambda: now[0])
        async with running(door.run()):
            async with apart(tmp_path):
                await eventually(lambda: door.away is None)
                await teller.tell()
            await eventually(lambda: door.away is not None)
            teller.signed_in(anna, "10.0.0.7")
            await teller.tell()
            now[0] = 500.0
            async with apart(tmp_path) as at:
                assert [entry["what"] for entry in entries(at.bench.journal.path)] == ["page_starts"]
                await eventually(lambda: door.away is None)
                await teller.tell()
                found = entries(at.bench.journal.path)
        assert [(entry["what"], entry["at"]) for entry in found] == [("page_starts", 100.0), ("signed_in", 100.0)]
        assert found[0]["page"] == found[1]["page"] == teller.page

    asyncio.run(scene())


def test_nobody_reads_them_but_who_may_have_an_export(page: Page) -> None:
    page.accounts.add("zacharias", Role.OBSERVER, SECRET)
    assert sign_in(Browser(page, address="10.9.8.7"), "zacharias", SECRET) == 200
    assert told(page)[-1]["from"] == "10.9.8.7"
    addresses = ["state", "rounds", "rounds/1", "rounds/1/steps", "rulings", "trends", "devices", "vocabulary"]
    for role in Role:
        browser = Browser(page, page.session(role))
        answers = [browser.get(f"/api/v1/{address}") for address in addresses]
        assert {answer.status_code for answer in answers} == {200}
        assert not any("zacharias" in answer.text or "10.9.8.7" in answer.text for answer in answers)
    export = Browser(page, page.session(Role.SURVEILLANCE)).get("/api/v1/export").text
    assert "zacharias" in export
    assert "10.9.8.7" in export


def replays(page: Page) -> list[tuple[str, int, bool]]:
    found = told(page)
    return [(entry["who"], entry["round"], entry["cards"]) for entry in found if entry.get("of") == "replay"]


def test_who_reads_the_cards_of_a_round_step_by_step_is_on_record_once_before_the_first_step(page: Page) -> None:
    observer = Browser(page, page.session(Role.OBSERVER))
    assert observer.get("/api/v1/rounds/1/steps").status_code == 200
    assert replays(page) == []
    browser = Browser(page, page.session(Role.SURVEILLANCE))
    for asked in ("?most=2", "?after=2&most=2", "?after=4"):
        assert browser.get(f"/api/v1/rounds/1/steps{asked}").status_code == 200
    assert [number for _, number, _ in replays(page)] == [1]
    assert replays(page)[0][2] is True


def test_a_round_that_ends_while_its_steps_are_asked_for_shows_no_card_without_an_entry(
    page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    browser, looked = Browser(page, page.session(Role.SUPERVISOR)), Questions.round

    async def just_before_its_end(asked: Questions, number: int) -> tuple[FoundRound, list[FoundRuling]]:
        found, rulings = await looked(asked, number)
        return replace(found, last=None), rulings

    with monkeypatch.context() as patched:
        patched.setattr(Questions, "round", just_before_its_end)
        early = browser.get("/api/v1/rounds/1/steps?most=500").json()
    assert replays(page) == []
    assert early
    assert not any(step["cards"] for step in early)
    assert not any("card" in step["event"] for step in early if step["event"].get("face") == "down")
    late = browser.get("/api/v1/rounds/1/steps?most=500").json()
    assert any(step["cards"] for step in late)
    assert [number for _, number, _ in replays(page)] == [1]


def test_no_step_is_shown_that_cannot_be_put_on_record(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    browser = Browser(page, page.session(Role.SUPERVISOR))

    async def fails() -> int:
        raise JournalDisk("input/output error", Path("/x"), "Look at it")

    with monkeypatch.context() as patched:
        patched.setattr(page.bench.journal, "flush", fails)
        answer = browser.get("/api/v1/rounds/1/steps")
    assert answer.status_code == 503
    assert "cannot be put on record" in answer.text
