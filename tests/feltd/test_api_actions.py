"""What people do from the page: taken at once or refused with the reason, recorded with who and why."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from feltd.page.access.roles import Role
from feltd.page.history.words import event_in_words
from feltd.record import JournalReader, Span
from feltd.record.notes import BY_HAND_NOTE
from feltd.text.errors import JournalFull
from table_fsm.events import DeviceState, FloorCalled, ShoeCard, ShoeDeckChecked, ShoeShuffled
from tests.feltd.page_support import Browser, Page, open_page
from tests.feltd.table_support import opening

DECIDE = "/api/v1/decisions"


@pytest.fixture
def page(tmp_path: Path) -> Iterator[Page]:
    with open_page(tmp_path, opening()) as page:
        yield page


def as_(page: Page, role: Role, name: str | None = None) -> Browser:
    return Browser(page, page.session(role, name))


def short_deck(page: Page) -> int:
    """A ruling that waits for a person."""
    page.bench.take(ShoeShuffled, deck="blue", count=36)
    pending = page.state()["table"]["pending"]
    return int(next(ruling["id"] for ruling in pending if ruling["irregularity"] == "short_deck"))


def notes(page: Page) -> list[dict[str, Any]]:
    with JournalReader.open(page.bench.journal.path) as reader:
        return [e.body for e in reader.entries(Span(name="note")) if e.body["note"] == BY_HAND_NOTE]


def test_a_decision_is_taken_and_the_record_says_who_why_and_from_where(page: Page) -> None:
    page.accounts.add("anna", Role.SUPERVISOR, "a horse, and a staple", "S1042")
    anna = as_(page, Role.SUPERVISOR, "anna")
    answer = anna.post(DECIDE, {"decision": "misdeal", "reason": "a card fell under the table"})
    assert answer.status_code == 409
    assert "no round" in answer.json()["detail"]
    page.bench.take(ShoeDeckChecked, deck="blue", count=52)
    page.bench.take(ShoeShuffled, deck="blue", count=52)
    page.bench.take(ShoeCard, card="Kd", deck="blue")
    answer = anna.post(DECIDE, {"decision": "misdeal", "reason": "a card fell under the table"})
    assert answer.status_code == 200, answer.text
    assert page.state()["table"]["phase"] == "misdeal"
    assert notes(page)[-1] == {
        "note": BY_HAND_NOTE, "who": "anna", "role": "supervisor", "from": "127.0.0.1", "what": "supervisor",
        "why": "a card fell under the table",
    }  # fmt: skip
    with JournalReader.open(page.bench.journal.path) as reader:
        last = list(reader.entries(Span(name="supervisor")))[-1]
    assert (last.body["staff"], last.body["reason"]) == ("S1042", "a card fell under the table")


def test_the_second_of_two_people_is_told_who_was_first(page: Page) -> None:
    ruling = short_deck(page)
    anna, bert = as_(page, Role.SUPERVISOR, "anna"), as_(page, Role.SUPERVISOR, "bert")
    assert anna.post(DECIDE, {"decision": "play_on", "ruling": ruling}).status_code == 200
    second = bert.post(DECIDE, {"decision": "play_on", "ruling": ruling})
    assert second.status_code == 409
    assert second.json()["detail"] == f"ruling {ruling}: anna has decided it already"


def test_a_ruling_that_never_was_waits_for_nobody(page: Page) -> None:
    answer = as_(page, Role.DIRECTOR).post(DECIDE, {"decision": "confirm", "ruling": 99})
    assert answer.status_code == 409
    assert answer.json()["detail"] == "ruling 99: it waits for nobody any more"


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ({"decision": "overrule", "ruling": 1, "outcome": "warn"}, "overrule needs a reason"),
        ({"decision": "misdeal"}, "misdeal needs a reason"),
        ({"decision": "overrule", "reason": "because"}, "overrule needs a ruling and an outcome"),
        ({"decision": "confirm", "outcome": "warn"}, "an outcome belongs to overrule"),
        ({"decision": "shuffle"}, "decision: must be one of: acknowledge, confirm, "),
        ({"decision": "overrule", "ruling": 1, "outcome": "hooray", "reason": "because"}, "outcome: must be one of: "),
        ({"decision": "confirm", "extra": 1}, "extra: is not known here"),
        ({}, "decision: is missing"),
    ],
)
def test_a_decision_that_says_too_little_or_too_much_is_not_understood(
    page: Page, body: dict[str, Any], why: str
) -> None:
    answer = as_(page, Role.SUPERVISOR).post(DECIDE, body)
    assert answer.status_code == 422
    assert answer.headers["content-type"] == "application/problem+json"
    assert why in answer.json()["detail"]
    assert notes(page) == []


@pytest.mark.parametrize("role", [Role.OBSERVER, Role.SURVEILLANCE, Role.TECHNICIAN])
def test_only_the_floor_decides(page: Page, role: Role) -> None:
    answer = as_(page, role).post(DECIDE, {"decision": "acknowledge"})
    assert answer.status_code == 403
    assert answer.json()["detail"] == f"{role.value}: not allowed to do this"


def test_reading_without_signing_in_does_not_make_it_possible_to_decide(page: Page) -> None:
    assert Browser(page).get("/api/v1/state").status_code == 200
    assert Browser(page).post(DECIDE, {"decision": "acknowledge"}).status_code == 401


def test_an_overruled_ruling_has_the_other_outcome(page: Page) -> None:
    ruling = short_deck(page)
    body = {"decision": "overrule", "ruling": ruling, "outcome": "warn", "reason": "counted by hand: 52"}
    assert as_(page, Role.SUPERVISOR).post(DECIDE, body).status_code == 200
    assert page.state()["table"]["pending"] == []


def test_seats_change_by_hand(page: Page) -> None:
    floor = as_(page, Role.SUPERVISOR)
    assert floor.post("/api/v1/seats/7", {"change": "in"}).status_code == 200
    assert [seat["seat"] for seat in page.state()["table"]["seats"]] == [1, 2, 3, 7]
    again = floor.post("/api/v1/seats/7", {"change": "in"})
    assert (again.status_code, again.json()["detail"]) == (409, "seat 7 is taken")
    assert floor.post("/api/v1/seats/11", {"change": "in"}).status_code == 422
    assert floor.post("/api/v1/seats/7/stack", {"cents": 100_000}).status_code == 200


def test_only_a_technician_tests_devices(page: Page) -> None:
    assert as_(page, Role.SUPERVISOR).post("/api/v1/test-mode", {"on": True}).status_code == 403
    assert as_(page, Role.TECHNICIAN).post("/api/v1/test-mode", {"on": True}).status_code == 200


def test_nothing_is_decided_while_nothing_can_be_recorded(page: Page) -> None:
    page.bench.keeper._held.append(None)  # type: ignore[arg-type]  # something waits: what, does not matter
    answer = as_(page, Role.SUPERVISOR).post(DECIDE, {"decision": "acknowledge"})
    assert answer.status_code == 503
    assert "nothing can be decided" in answer.json()["detail"]


def test_a_disk_that_refuses_while_the_decision_is_written_is_told(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    async def full() -> int:
        raise JournalFull("the disk is full", "t.journal", "Make room")

    monkeypatch.setattr(page.bench.journal, "flush", full)
    answer = as_(page, Role.SUPERVISOR).post(DECIDE, {"decision": "acknowledge"})
    assert answer.status_code == 503
    assert answer.json()["detail"] == "taken, and not on the disk yet: t.journal: the disk is full. Make room"


def test_one_alarm_is_acknowledged_and_the_others_stay(page: Page) -> None:
    for device in ("shoe", "badge"):
        page.bench.take(DeviceState, device=device, online=False)
    anna = as_(page, Role.SUPERVISOR, "anna")
    one = {"decision": "acknowledge", "alarm": "device_offline", "device": "badge"}
    assert anna.post(DECIDE, one).status_code == 200
    seen = {alarm["device"]: alarm["acknowledged"] for alarm in page.state()["table"]["alarms"]}
    assert seen == {"shoe": False, "badge": True}
    again = anna.post(DECIDE, one)
    assert (again.status_code, "acknowledged already" in again.json()["detail"]) == (409, True)


def test_what_was_seen_is_acknowledged_and_what_came_since_stays(page: Page) -> None:
    for device in ("shoe", "badge", "keys"):
        page.bench.take(DeviceState, device=device, online=False)
    seen = {"until": page.state()["alarms"][-1]["since"], "cleared": True, "devices": ["shoe", "badge"], "deck": None}
    for device in ("shoe", "badge"):
        page.bench.take(DeviceState, device=device, online=True)
    page.bench.take(DeviceState, device="badge", online=False)  # the same alarm, and its cause is there again
    anna = as_(page, Role.SUPERVISOR, "anna")
    order = {"decision": "acknowledge", "alarm": "device_offline", "seen": seen}
    assert anna.post(DECIDE, order).status_code == 200
    stand = {alarm["device"]: alarm["acknowledged"] for alarm in page.state()["alarms"]}
    assert stand == {"badge": False, "keys": False}
    assert anna.post(DECIDE, order).status_code == 409
    page.bench.time.pass_(1.0)
    page.bench.take(FloorCalled, by="seat:2")
    every = {"decision": "acknowledge", "seen": {**seen, "cleared": False, "devices": []}}
    assert anna.post(DECIDE, every).status_code == 200
    assert [one["kind"] for one in page.state()["alarms"] if not one["acknowledged"]] == ["floor_called"]
    assert anna.post(DECIDE, {**order, "device": "shoe"}).status_code == 422
    with JournalReader.open(page.bench.journal.path) as reader:
        told = [event_in_words(entry.body, None) for entry in reader.entries(Span(name="supervisor"))]
    assert told == ["Anna decides: acknowledge device offline: shoe", "Anna decides: acknowledge"]


SEEN = {"until": 1.0, "cleared": False, "devices": [], "deck": None}


@pytest.mark.parametrize(
    "named",
    [
        {"alarm": "as"}, {"alarm": "device_offline", "device": "as"},
        {"alarm": "device_offline", "seen": {**SEEN, "devices": ["as"]}},
        {"alarm": "device_offline", "seen": {**SEEN, "devices": ["shoe"], "deck": "as"}},
    ],
)  # fmt: skip
def test_what_no_alarm_is_called_does_not_reach_the_record(page: Page, named: dict[str, Any]) -> None:
    page.bench.take(DeviceState, device="shoe", online=False)
    before = len(notes(page))
    assert as_(page, Role.SUPERVISOR).post(DECIDE, {"decision": "acknowledge", **named}).status_code == 409
    assert len(notes(page)) == before
