"""The director's desk by its API: who may what, each step with who and why, refusals with reason and clause."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from feltd.door.pit.directing import Opening
from feltd.page.access.roles import Role
from feltd.page.pit.tournaments.asking import NotShownError, parts_of
from feltd.page.pit.tournaments.told import desk_as_json
from floor_fsm.core.parts import Parts
from floor_fsm.drawing import commitment_of
from floor_fsm.lines import from_line
from floor_fsm.messages.chips import StackBagged
from floor_fsm.messages.sessions import SessionBegan, SessionEnded
from floor_fsm.state.entries import Entries
from floor_fsm.state.refunds import Refunds
from floor_fsm.state.seating import Seating
from floor_fsm.tournament import Tournament
from tests.floor.desk_support import OTHER, Desk, House, as_text, opening
from tests.floor_fsm.drills import without
from tests.floor_fsm.support import SECRETS, laws
from tests.floor_fsm.support import Desk as FsmDesk

NAMES = ("Anna Meier", "Ben Okafor", "Cleo Sanchez", "Dan Li", "Eva Braun-Ott", "Finn O'Hara", "Gio", "Hana Sato")
PAID = 25_000


def opened(folder: Path, role: Role = Role.DIRECTOR, **terms: Any) -> Desk:
    """A desk at a tournament that is open, with a commitment."""
    desk = Desk(folder, House(), role)
    answer = Desk(folder, desk.house, Role.DIRECTOR).post("/tournaments", opening(**terms))
    assert answer.status_code == 200, answer.text
    return desk


def playing(folder: Path, role: Role = Role.DIRECTOR, people: int = 8) -> Desk:
    """A desk at a tournament whose seats are drawn."""
    desk = opened(folder)
    desk.did("draw.committed", commitment=commitment_of(SECRETS[0]))
    for number in range(1, people + 1):
        name = NAMES[number - 1] if number <= len(NAMES) else f"Player {number}"
        desk.did("entry", entry=number, person=f"10{number:02}", name=name, paid=PAID)
    desk.did("seats.drawn", secret=SECRETS[0].hex())
    return desk if role is Role.DIRECTOR else Desk(folder, desk.house, role)


def test_the_list_names_each_tournament_and_the_books(tmp_path: Path) -> None:
    desk = playing(tmp_path)
    told = desk.get("/tournaments")
    assert told["tournaments"] == [
        {"id": "tuesday", "title": "Tuesday Deepstack", "phase": "playing", "entries": 8, "playing": 8, "tables": 3,
         "seq": 12, "book": "onyx", "wrong": None, "payouts_due": False}
    ]  # fmt: skip
    assert set(told["books"]) >= {"onyx", "star-2025"}
    assert desk.post("/tournaments", opening()).status_code == 409
    assert desk.post("/tournaments", {**opening(), "book": "none"}).status_code == 404


def test_a_desk_has_what_a_person_must_answer_with_all_that_is_known(tmp_path: Path) -> None:
    desk = playing(tmp_path)
    desk.did("late.closed")
    fold = desk.house.directing.fold("tuesday")
    assert fold.tournament is not None
    seats = {name: sorted(fold.tournament.parts.of(Seating).at(name).values()) for name in ("T1", "T2")}
    one, two = seats["T1"][:2]
    out = [{"entry": one, "stack": 100, "put_in": 200}, {"entry": two, "stack": 300, "put_in": 300}]
    asyncio.run(desk.house.directing.tell("tuesday", {"ev": "hand.over", "table": "T1", "out": out}, None))
    told = desk.get("/tournaments/tuesday")
    [asked] = told["places"]["to_decide"]
    clause = "Hand for Hand 4, 5"
    assert {name: asked[name] for name in ("entries", "tables", "amounts", "measure", "clause")} == {
        "entries": [one, two], "tables": ["T1", "T1"], "amounts": [None, 300], "measure": "stack", "clause": clause,
    }  # fmt: skip
    words = f"entry {one} put 200 chips in, and had 100: count again"
    assert told["reports"] == [
        {"number": 1, "table": "T1", "entry": one, "seat": None, "words": words, "clause": clause}
    ]
    desk.did("report.settled", number=1)
    assert desk.get("/tournaments/tuesday")["reports"] == []


def test_a_desk_has_entries_tables_draw_and_who_moves(tmp_path: Path) -> None:
    desk = playing(tmp_path)
    told = desk.get("/tournaments/tuesday")
    assert (told["seq"], told["phase"], told["book"]["id"], told["terms"]["fee"]) == (12, "playing", "onyx", 20_000)
    assert [one["name"] for one in told["entries"]] == list(NAMES)
    assert {one["standing"] for one in told["entries"]} == {"in_play"}
    sitting = [(table["table"], player["seat"]) for table in told["tables"] for player in table["players"]]
    assert sorted(sitting) == sorted((one["table"], one["seat"]) for one in told["entries"])
    assert told["draw"]["commitment"] == SECRETS[0].hex()
    assert len(told["draw"]["seed"]) == 64
    assert told["money"]["pool"] == 8 * 20_000
    assert told["log"][-1] == {
        "seq": 12, "ev": "seats.drawn", "t": 0.0, "who": "director", "why": "at the counter", "entry": None,
        "table": None, "role": "director",
    }  # fmt: skip
    assert SECRETS[1].hex() not in as_text(told)
    assert {told["move"]["table"], told["move"]["to"]} == {"T1", "T2"}, "all have as many, and two are named"
    assert told["wall"] == desk.house.clock.now
    assert desk.get("/tournaments/tuesday?after=12") == {
        "id": "tuesday", "seq": 12, "t": 0.0, "changed": False, "clock": None, "broadcast": [],
    }  # fmt: skip
    assert desk.get("/tournaments/tuesday?after=11")["changed"] is True
    assert desk.ask("get", "/api/v1/tournaments/friday").status_code == 404


def test_who_moves_next_is_told_with_the_clause_or_why_nobody_does(tmp_path: Path) -> None:
    desk = playing(tmp_path, people=14)
    move = desk.get("/tournaments/tuesday")["move"]
    assert (move["entry"], move["reason"]) == (None, "balanced_already")
    full = max(desk.get("/tournaments/tuesday")["tables"], key=lambda table: len(table["players"]))
    for table in desk.get("/tournaments/tuesday")["tables"]:
        desk.did("hand.began", table=table["table"], hand=1, big_blind=table["players"][0]["seat"])
        if table["table"] != full["table"]:
            for player in table["players"][1:3]:
                desk.did("entry.out", entry=player["entry"])
    told = desk.get("/tournaments/tuesday")
    move = told["move"]
    assert (move["table"], move["hand"]) == (full["table"], 1)
    assert move["clause"]
    [said] = [one for one in desk.did("balanced", table=move["table"], hand=1, to=move["to"]) if one["kind"] == "seat"]
    assert (said["entry"], said["place"]) == (move["entry"], {"table": move["to"], "seat": move["to_seat"]})
    desk.did("breaking.order", tables=["T3", "T2"])
    assert desk.get("/tournaments/tuesday")["breaking"]["order"] == ["T3", "T2"]


def test_a_refusal_says_reason_and_clause_and_changes_nothing(tmp_path: Path) -> None:
    desk = playing(tmp_path, people=10)
    before = desk.get("/tournaments/tuesday")
    again = desk.step("entry", entry=11, person="1001", name="Anna Meier", paid=PAID)
    assert again.status_code == 409
    assert again.json()["reason"] == "in_play_already"
    assert "entry 1" in again.json()["detail"]
    unbalanced = desk.step("redrawn", occasion="last_nine", tables=["T1"], secret=SECRETS[1].hex())
    assert unbalanced.json().get("clause")
    stale = {"expected": 3, "event": {"ev": "late.closed"}, "why": "all are there"}
    assert desk.post("/tournaments/tuesday/steps", stale).json()["reason"] == "moved_on"
    assert desk.get("/tournaments/tuesday") == before


@pytest.mark.parametrize(
    ("event", "words"),
    [
        ({"ev": "entry", "entry": 9, "person": "12 3", "name": "X", "paid": 1}, "person"),
        ({"ev": "no.such"}, "one of"),
        ({"ev": "late.closed", "t": 4.0}, "floor's to fill in"),
        ({"ev": "late.closed", "by": {"who": "somebody", "why": "else"}}, "floor's to fill in"),
        ({}, "ev"),
    ],
)
def test_what_is_no_event_is_told_by_its_field(tmp_path: Path, event: dict[str, Any], words: str) -> None:
    desk = opened(tmp_path)
    answer = desk.post("/tournaments/tuesday/steps", {"expected": 1, "event": event, "why": "a test"})
    assert answer.status_code == 422
    assert words in answer.json()["detail"]


def test_a_supervisor_sits_at_the_counter_and_a_director_leads(tmp_path: Path) -> None:
    counter = playing(tmp_path, Role.SUPERVISOR)
    counter.did("entry", entry=9, person="2001", name="Ida", paid=PAID)
    assert counter.step("late.closed").status_code == 403
    for ev, told in (("rebuy", {"stake": 0}), ("add_on", {})):
        refused = counter.step(ev, entry=9, paid=PAID, **told)
        assert refused.status_code == 409, "it is the book that refuses, not the role"
        assert "this tournament has no" in refused.json()["detail"]
    assert counter.post("/tournaments", opening()).status_code == 403
    assert [one["who"] for one in counter.get("/tournaments/tuesday")["log"]][-1] == "supervisor"


@pytest.mark.parametrize("role", [Role.OBSERVER, Role.SURVEILLANCE, Role.TECHNICIAN])
def test_who_only_looks_sees_no_card_number_and_takes_no_step(tmp_path: Path, role: Role) -> None:
    desk = playing(tmp_path, role)
    assert desk.ask("get", "/api/v1/tournaments/tuesday").status_code == 403
    assert desk.step("entry.out", entry=1).status_code == 403
    assert len(desk.get("/tournaments")["tournaments"]) == 1
    screen = desk.get("/tournaments/tuesday/screen")
    assert screen["names"] == "number", "who has signed in sees numbers where the operator chose no names"
    assert "1001" not in as_text(screen)


def test_nobody_who_is_not_signed_in_sees_or_does_anything(tmp_path: Path) -> None:
    director = playing(tmp_path)
    desk = Desk(tmp_path, director.house, None)
    for path in ("", "/tuesday", "/tuesday/screen", "/tuesday/results"):
        assert desk.ask("get", f"/api/v1/tournaments{path}").status_code == 401
    assert desk.step("late.closed").status_code == 401
    for path in ("", "/tuesday", "/tuesday/seats", "/tuesday/clock", "/tuesday/cards"):
        assert desk.ask("get", f"/tournaments{path}").status_code == 303
    headers = {**director.headers, "X-CSRF-Token": "of another site"}
    body = {"expected": 12, "event": {"ev": "late.closed"}, "why": "sent by another site"}
    assert director.ask("post", "/api/v1/tournaments/tuesday/steps", body, headers).status_code == 403


@pytest.mark.parametrize(("names", "first"), [("full", "Anna Meier"), ("short", "Anna M."), ("number", "1")])
def test_a_screen_has_names_as_the_operator_chooses_and_nothing_else(tmp_path: Path, names: str, first: str) -> None:
    director = playing(tmp_path)
    director.did("schedule", levels=[{"seconds": 1200, "blinds": [100, 200], "ante": 200, "big_blind_ante": True},
                                     {"seconds": 1200, "blinds": [200, 400], "break_after": 600}])  # fmt: skip
    director.did("clock.runs")
    director.house.clock.now += 65.0
    screen = Desk(tmp_path, director.house, None, screens=names)
    told = screen.get("/tournaments/tuesday/screen")
    assert told["seats"][0]["name"] == first
    assert set(told["seats"][0]) == {"name", "table", "seat"}
    assert (told["playing"], told["entries"], told["average"]) == (8, 8, 30_000)
    assert (told["clock"]["level"]["blinds"], told["clock"]["left"], told["clock"]["counts"]) == (
        [100, 200],
        1135.0,
        True,
    )
    assert told["clock"]["next"]["blinds"] == [200, 400]
    assert not [number for number in range(1001, 1009) if str(number) in as_text(told)]
    again = screen.get(f"/tournaments/tuesday/screen?after={told['seq']}")
    assert set(again) == {"id", "seq", "t", "changed", "clock", "broadcast"}
    assert screen.ask("get", "/api/v1/tournaments/tuesday").status_code == 401


def test_desk_and_screens_name_the_tables_whose_cards_go_to_a_broadcast(tmp_path: Path) -> None:
    desk = playing(tmp_path)
    screen = Desk(tmp_path, desk.house, None, screens="short")
    assert desk.get("/tournaments/tuesday/screen")["broadcast"] == []
    desk.house.broadcasting = ("T2", "T1", "another tournament's")
    for looks in (desk, screen):
        looks.pit.follow.changed()  # as floord wakes the page, at latest after a second
        told = looks.get("/tournaments/tuesday/screen")
        assert told["broadcast"] == ["T1", "T2"]
        again = looks.get(f"/tournaments/tuesday/screen?after={told['seq']}")
        assert (again["changed"], again["broadcast"]) == (False, ["T1", "T2"])
    assert desk.get("/tournaments/tuesday")["broadcast"] == ["T1", "T2"]


def test_a_desk_is_shown_while_more_places_are_to_be_paid_than_there_are_entries(tmp_path: Path) -> None:
    desk = opened(tmp_path)
    desk.did("draw.committed", commitment=commitment_of(SECRETS[0]))
    desk.did("entry", entry=1, person="1001", name="Anna Meier", paid=PAID)
    desk.did("payouts.set", percent=["50", "30", "20"])
    assert desk.get("/tournaments/tuesday")["money"]["amounts"] == []
    assert desk.get("/tournaments/tuesday/screen")["amounts"] == []
    why = desk.get("/tournaments/tuesday/payouts?format=json")["why_not"]
    assert "3 places are to be paid, and there are 1 entries" in why
    for number in (2, 3):
        desk.did("entry", entry=number, person=f"100{number}", name=NAMES[number - 1], paid=PAID)
    assert sum(desk.get("/tournaments/tuesday")["money"]["amounts"]) == 60_000


def test_a_desk_and_the_list_say_that_payouts_are_to_be_set(tmp_path: Path) -> None:
    desk = opened(tmp_path)
    desk.did("draw.committed", commitment=commitment_of(SECRETS[0]))
    desk.did("entry", entry=1, person="1001", name="Anna Meier", paid=PAID)
    desk.did("payouts.set", percent=["50", "30", "20"])
    assert desk.get("/tournaments/tuesday")["money"]["due"] is None
    desk.did("late.closed")
    assert desk.get("/tournaments/tuesday")["money"]["due"] == "3 places are to be paid, and there are 1 entries"
    assert [tile["payouts_due"] for tile in desk.get("/tournaments")["tournaments"]] == [True]
    desk.did("payouts.set", percent=["100"])
    assert desk.get("/tournaments/tuesday")["money"]["due"] is None
    assert [tile["payouts_due"] for tile in desk.get("/tournaments")["tournaments"]] == [False]


SHEET = "entry,person,name,paid\n9,3001,Ida,25000\n10,3002,Jan,25000\n"


def test_a_sheet_is_taken_whole(tmp_path: Path) -> None:
    desk = playing(tmp_path)
    other = {"ev": "entry", "entry": 50, "person": "9999", "name": "At the other desk", "paid": PAID}
    desk.house.between.append(other)
    answer = desk.post("/tournaments/tuesday/entries", {"expected": 12, "sheet": SHEET, "why": "from the web"})
    assert (answer.status_code, answer.json()) == (200, {"seq": 15, "entries": [9, 10]})
    assert [one["entry"] for one in desk.get("/tournaments/tuesday")["entries"]][-3:] == [50, 9, 10]


@pytest.mark.parametrize(
    ("sheet", "lines"),
    [
        (
            "entry,person,name,paid\nx,3001,Ida,25000\n10,30_02,Jan,24000\n",
            ["sheet:2: entry: 'x'", "sheet:3: person: '30_02'", "sheet:3: paid: an entry costs 25000 cents"],
        ),
        (
            "entry,person,name,paid\n9,10 01,Anna,25000\n1,3002,Jan,24000\nx,3002,Jan,x\n",
            [
                "sheet:2: person: ",
                "sheet:3: entry: entry 1 is",
                "sheet:3: paid: an entry costs",
                "sheet:4: entry: 'x'",
                "sheet:4: paid: 'x'",
                "sheet:4: person: 3002 is in line 3 too",
            ],
        ),
        (
            "entry,person,name,paid,another\n9,01001,Somebody,25000,\n10,01-002,Jan,25000,yes\n11,x,,24000,\n",
            ["sheet:2: person: perhaps the same person as ", "sheet:4: name: ''", "sheet:4: paid: an entry costs"],
        ),
        ("entry;name\n", ["sheet:1: ", "sheet:1: ", "sheet: no entry"]),
    ],
)
def test_a_sheet_with_faults_imports_nothing_and_names_each_line(tmp_path: Path, sheet: str, lines: list[str]) -> None:
    desk = playing(tmp_path)
    before = desk.get("/tournaments/tuesday")
    answer = desk.post("/tournaments/tuesday/entries", {"expected": 12, "sheet": sheet, "why": "from the web"})
    assert answer.status_code == 409
    told = answer.json()["detail"].splitlines()
    assert len(told) == len(lines), told
    assert all(any(one.startswith(line) for one in told) for line in lines), told
    assert desk.get("/tournaments/tuesday") == before


def test_a_sheet_of_five_thousand_is_looked_through_and_a_larger_body_is_not_read(tmp_path: Path) -> None:
    desk = playing(tmp_path)
    lines = "".join(f"{100 + one},9{one:05},{'Näme ' * 8}{one},25000\n" for one in range(4_999))
    sheet = f"entry,person,name,paid\n{lines}9,1001,Anna,1\n"
    assert len(sheet) > 60_000 * 4
    answer = desk.post("/tournaments/tuesday/entries", {"expected": 12, "sheet": sheet, "why": "from the web"})
    told = answer.json()["detail"].splitlines()
    assert answer.status_code == 409
    assert len(told) == 2, told[:5]
    assert all(one.startswith("sheet:5001: ") for one in told)
    for path, status in (("/tournaments/tuesday/entries", 413), ("/tournaments/tuesday/steps", 413)):
        answer = desk.post(path, {"expected": 12, "sheet": "x" * 2_100_000, "why": "from the web"})
        assert answer.status_code == status
        assert ("5000 entries at most" in answer.json()["detail"]) is path.endswith("entries")
    assert desk.house.seq() == 12


def test_a_sheet_after_late_entry_is_refused_once_and_not_for_each_line(tmp_path: Path) -> None:
    desk = playing(tmp_path)
    desk.did("late.closed")
    answer = desk.post("/tournaments/tuesday/entries", {"expected": 13, "sheet": SHEET, "why": "from the web"})
    [told] = answer.json()["detail"].splitlines()
    assert told.startswith("sheet: late entry is over")


def test_a_sheet_is_told_in_the_language_of_its_reader(tmp_path: Path) -> None:
    desk = playing(tmp_path)
    asked = {"expected": 12, "sheet": "entry,person,name,paid\nx,0-1001,Anna,1\n", "why": "aus dem Netz"}
    answer = desk.ask("post", "/api/v1/tournaments/tuesday/entries", asked, {"accept-language": "de"})
    first, *others = answer.json()["detail"].splitlines()
    assert first == "Liste:2: entry: 'x' ist keine Zahl ab 1"
    assert any("vielleicht dieselbe Person" in one for one in others)


def test_who_is_perhaps_the_same_is_shown_before_a_second_entry_is_taken(tmp_path: Path) -> None:
    desk = playing(tmp_path)
    first = desk.get("/tournaments/tuesday")["entries"][0]
    name = first["name"]
    for person, said in ((f"00{first['person']}", "Someone"), ("7777", f"  {name.upper()}")):
        refused = desk.step("entry", entry=90, person=person, name=said, paid=PAID)
        assert (refused.status_code, refused.json()["reason"]) == (409, "perhaps_the_same")
        assert f"{name}, card {first['person']}, entry {first['entry']}" in refused.json()["detail"]
    assert desk.house.seq() == 12
    desk.did("entry", entry=90, person="7777", name=name, paid=PAID, another=True)
    again = desk.step("entry", entry=91, person=f" {first['person']} ".replace("0", "0 "), name=name, paid=PAID)
    assert again.status_code == 422, "the page takes a card without blanks"


def test_a_sheet_imports_nothing_where_another_desk_took_its_number_meanwhile(tmp_path: Path) -> None:
    """All or none: it is looked through once more as the tournament is then."""
    desk = playing(tmp_path)
    other = {"ev": "entry", "entry": 10, "person": "9999", "name": "At the other desk", "paid": PAID}
    desk.house.between += [{**other, "entry": 60, "person": "9998", "name": "Before it"}, other]
    answer = desk.post("/tournaments/tuesday/entries", {"expected": 12, "sheet": SHEET, "why": "from the web"})
    assert answer.status_code == 409
    told = answer.json()["detail"]
    assert [line[:14] for line in told.splitlines()] == ["sheet:3: entry"]
    assert "entry 10 is" in told
    assert desk.house.seq() == 14, "the other desk's two, and none of the sheet's"
    stale = desk.post("/tournaments/tuesday/entries", {"expected": 12, "sheet": SHEET, "why": "from the web"})
    assert stale.json()["reason"] == "moved_on"


def test_a_sheet_is_taken_whole_behind_what_others_did_and_left_where_they_are_too_quick(tmp_path: Path) -> None:
    desk = playing(tmp_path)
    others = [{"ev": "entry", "entry": 60 + number, "person": f"99{number:02}", "name": f"Other {number}", "paid": PAID}
              for number in range(12)]  # fmt: skip
    desk.house.between += others[:2]
    answer = desk.post("/tournaments/tuesday/entries", {"expected": 12, "sheet": SHEET, "why": "from the web"})
    assert (answer.status_code, answer.json()["seq"]) == (200, 16)
    desk.house.between += others[2:]
    more = "entry,person,name,paid\n40,4001,Quick One,25000\n"
    answer = desk.post("/tournaments/tuesday/entries", {"expected": 16, "sheet": more, "why": "from the web"})
    assert answer.status_code == 409
    assert answer.json()["detail"].startswith("nothing was taken: others are too quick")
    assert desk.house.seq() == 26


def test_a_desk_knows_what_is_bought_and_what_the_book_lets_it_do(tmp_path: Path) -> None:
    rebuy = {"price": 20_000, "house": 1_000, "chips": 30_000, "most": 2, "until_level": 6}
    desk = opened(tmp_path, re_entries=0, rebuy=rebuy, add_on={"price": 10_000, "chips": 50_000, "until_level": 7})
    desk.did("draw.committed", commitment=commitment_of(SECRETS[0]))
    for number in range(1, 9):
        desk.did("entry", entry=number, person=f"10{number:02}", name=NAMES[number - 1], paid=PAID)
    desk.did("seats.drawn", secret=SECRETS[0].hex())
    told = desk.get("/tournaments/tuesday")
    assert told["terms"]["rebuy"] == {"price": 21_000, "chips": 30_000, "most": 2, "until_level": 6}
    assert told["terms"]["add_on"] == {"price": 10_000, "chips": 50_000, "most": 1, "until_level": 7}
    assert told["rules"] == {"no_show": False, "absent_until": None, "substitute": None, "refund": None,
                              "fee_kept": None, "gives_up": False}  # fmt: skip
    counter = Desk(tmp_path, desk.house, Role.SUPERVISOR)
    counter.did("rebuy", entry=1, paid=21_000, stake=500)
    counter.did("add_on", entry=1, paid=10_000)
    table = next(one["table"] for one in told["entries"] if one["entry"] == 2)
    desk.did("hand.over", table=table, out=[{"entry": 2, "stack": 30_000, "put_in": 30_000}])
    one, two, *_ = desk.get("/tournaments/tuesday")["entries"]
    assert (one["rebuys"], one["add_ons"], one["just_out"]) == (1, 1, False)
    assert (two["standing"], two["just_out"]) == ("out", True)
    assert counter.step("entry.back", entry=2).status_code == 403, "who leads the tournament puts right what was told"
    counter.did("rebuy", entry=2, paid=21_000, stake=0)
    assert desk.get("/tournaments/tuesday")["entries"][1]["standing"] == "in_play"
    desk.did("payouts.set", percent=["100"])
    desk.did("late.closed")
    for number in range(2, 9):
        desk.did("entry.out", entry=number)
    [winner, *_] = desk.get("/tournaments/tuesday")["entries"]
    assert (winner["prize"], winner["prize_paid"]) == (210_000, None)
    desk.did("prize.paid", entry=1, cents=210_000)
    assert desk.get("/tournaments/tuesday")["entries"][0]["prize_paid"] == 210_000
    desk.did("prize.taken_back", entry=1)
    assert desk.get("/tournaments/tuesday")["entries"][0]["prize_paid"] is None
    desk.did("tournament.cancelled", refund=True)
    assert desk.get("/tournaments/tuesday")["entries"][0]["refund"] == 56_000, "the fee, the rebuy and the add-on"
    assert counter.step("refund.paid", entry=1, cents=56_000).status_code == 403
    desk.did("refund.paid", entry=1, cents=56_000)
    [back, *_] = desk.get("/tournaments/tuesday")["entries"]
    assert (back["refund"], back["refund_paid"]) == (0, 56_000)
    refused = desk.step("tournament.taken_back")
    assert (refused.status_code, refused.json()["reason"]) == (409, "paid_already")
    desk.did("refund.taken_back", entry=1)
    desk.did("tournament.taken_back")


@pytest.mark.parametrize(
    ("book", "rules"),
    [
        ("act-2001", {"no_show": False, "substitute": "in_play", "refund": "14.3", "fee_kept": "14.3"}),
        ("act-2019-uth", {"no_show": True, "substitute": "in_play", "refund": "16.24"}),
        ("star-2025", {"no_show": False, "absent_until": 4, "refund": "6.10, 6.21, 6.22", "fee_kept": None}),
    ],
)
def test_a_desk_offers_what_its_book_knows(book: str, rules: dict[str, Any]) -> None:
    told = desk_as_json(opened_under(book))
    assert {name: told["rules"][name] for name in rules} == rules
    assert told["cancelled"] is False


@pytest.mark.parametrize(
    ("book", "re_entries", "gives_up"),
    [
        ("act-2001", 0, False),
        ("tas-2018-c", 0, False),
        ("onyx", 0, False),
        ("onyx", 1, True),
        ("onyx", None, True),
        ("act-2019-uth", 1, True),
        ("star-2025", 0, True),
    ],
)
def test_a_desk_offers_to_give_chips_up_where_somebody_may_enter_again(
    book: str, re_entries: int | None, gives_up: bool
) -> None:
    assert desk_as_json(opened_under(book, re_entries=re_entries))["rules"]["gives_up"] is gives_up


def opened_under(book: str, **terms: Any) -> Parts:
    """The parts of a tournament that was just opened under a book."""
    game = {**({"game": "holdem-limit"} if book == "act-2001" else {}), **terms}
    tables = [{"table": "T1", "seats": [1, 2, 3, 4]}]
    said = {"ev": "tournament.open", "name": "x", "fee": 100, "stack": 100, "tables": tables, "t": 0.0,
            "by": {"who": "lea", "why": "as announced"}, **game}  # fmt: skip
    tournament = Tournament(laws()[book])
    tournament.apply(from_line(json.dumps(said)))
    return tournament.parts


def test_a_desk_knows_the_session_that_is_on_and_who_plays_the_next() -> None:
    desk = FsmDesk("act-2019-uth", tables=1, seats=4, re_entries=0)
    entries = desk.enter("A", "B", "C")
    assert desk_as_json(desk.tournament.parts)["session"] == {
        "on": None, "last": None, "next": [], "catch_up": [], "clause": "16.3(a)(iii)",
    }  # fmt: skip
    desk.say(SessionBegan, session="heat", advance=1, repechage=True)
    desk.draw()
    told = desk_as_json(desk.tournament.parts)["session"]
    assert told["on"] == {"name": "heat", "advance": 1, "ties": "shared", "repechage": True, "stacks": "carried"}
    for entry in entries:
        desk.say(StackBagged, entry=entry, first="A", first_chips=entry, second="B", second_chips=entry)
    desk.say(SessionEnded)
    told = desk_as_json(desk.tournament.parts)["session"]
    assert (told["last"]["advance"], told["next"], told["catch_up"]) == ([3], [3], [2, 1])
    assert desk_as_json(FsmDesk(without(laws()["act-2001"], "sessions")).tournament.parts)["session"] is None


def test_results_are_a_file(tmp_path: Path) -> None:
    desk = playing(tmp_path, people=3)
    desk.did("payouts.set", percent=["70", "30"])
    desk.did("late.closed")
    desk.did("entry.out", entry=2)
    desk.did("entry.out", entry=3)
    answer = desk.ask("get", "/api/v1/tournaments/tuesday/results")
    assert 'filename="tuesday-results.csv"' in answer.headers["content-disposition"]
    assert answer.text.splitlines()[:2] == [
        "first,last,entry,person,name,standing,provisional,prize,paid",
        "1,1,1,1001,Anna Meier,in_play,no,42000,0",
    ]
    rows = desk.get("/tournaments/tuesday/results?format=json")
    assert [(row["first"], row["entry"], row["prize"]) for row in rows] == [(1, 1, 42000), (2, 3, 18000), (3, 2, 0)]
    assert desk.get("/tournaments")["tournaments"][0]["phase"] == "over"
    answer = desk.ask("get", "/api/v1/tournaments/tuesday/payouts")
    assert 'filename="tuesday-payouts.csv"' in answer.headers["content-disposition"]
    assert answer.text.splitlines()[1] == "1,1,1001,Anna Meier,42000,0,,,,,,"
    cage = desk.get("/tournaments/tuesday/payouts?format=json")
    assert (cage["sum"], cage["left"], cage["adds_up"], cage["why_not"]) == (60000, 0, True, [])
    summary = desk.get("/tournaments/tuesday/results?format=ots")
    assert (summary["tournament_number"], summary["buyin_amount"], summary["prize_pool"]) == ("tuesday", 200.0, 600.0)
    assert [tuple(one.values()) for one in summary["tournament_finishes_and_winnings"]] == [
        ("Anna Meier", 1, False, 420.0), ("Cleo Sanchez", 2, False, 180.0), ("Ben Okafor", 3, False, 0.0),
    ]  # fmt: skip
    assert summary["start_date_utc"][:10] == summary["end_date_utc"][:10]


def test_hand_for_hand_is_told_with_each_tables_state(tmp_path: Path) -> None:
    desk = playing(tmp_path)
    desk.did("hand_for_hand.began", why="bubble")
    desk.did("hand.released")
    tables = [table["table"] for table in desk.get("/tournaments/tuesday")["tables"] if table["players"]]
    desk.did("table.away", table=tables[0])
    desk.did("hand.over", table=tables[1], hand=1)
    told = desk.get("/tournaments/tuesday")["hand_for_hand"]
    stands = {one["table"]: (one["at"], one["away"]) for one in told["tables"]}
    assert (told["hand"], told["why"], told["waits_for"]) == (1, "bubble", [tables[0]])
    assert stands == {tables[0]: ("plays", True), tables[1]: ("done", False)}
    assert desk.step("hand.released").json()["clause"] == told["clause"]


def test_the_description_has_every_address(tmp_path: Path) -> None:
    desk = opened(tmp_path)
    paths = desk.get("/openapi.json")["paths"]
    assert {path for path in paths if path.startswith("/tournaments")} == {
        "/tournaments", "/tournaments/{tournament}", "/tournaments/{tournament}/entries",
        "/tournaments/{tournament}/payouts", "/tournaments/{tournament}/results", "/tournaments/{tournament}/screen",
        "/tournaments/{tournament}/steps",
    }  # fmt: skip


def test_a_desk_speaks_the_language_of_each_reader(tmp_path: Path) -> None:
    desk = playing(tmp_path)
    german = {"accept-language": "de"}
    asked = [desk.ask("get", "/api/v1/tournaments/tuesday", headers=headers).json() for headers in (german, {}, german)]
    assert [one["move"]["why_not"].split()[0] for one in asked] == ["Tisch", "table", "Tisch"]
    stale = {"expected": 3, "event": {"ev": "late.closed"}, "why": "all are there"}
    refused = desk.ask("post", "/api/v1/tournaments/tuesday/steps", stale, german).json()
    assert refused["detail"] == "director kam zuvor, mit entry (Ereignis 4): noch einmal ansehen, dann entscheiden"


def test_a_screen_of_an_observer_stays_signed_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    director = playing(tmp_path)
    screen = Desk(tmp_path, director.house, Role.OBSERVER)
    sessions = screen.pit.at.guard.signing_in.sessions
    touched: list[bool] = []
    find = sessions.find

    def noted(token: str | None, *, by_hand: bool = True) -> Any:
        touched.append(by_hand)
        return find(token, by_hand=by_hand)

    monkeypatch.setattr(sessions, "find", noted)
    by_itself = {"x-by-itself": "1"}
    assert screen.ask("get", "/api/v1/tournaments/tuesday/screen", headers=by_itself).status_code == 200
    assert touched == [False, True], "it is asked by itself, and keeps an account that only looks"


def test_a_tournament_that_cannot_be_shown_says_why(tmp_path: Path) -> None:
    desk = Desk(tmp_path, House(), Role.DIRECTOR)
    asyncio.run(desk.house.directing.open(Opening("tuesday", "Tuesday", "onyx", OTHER)))
    answer = desk.ask("get", "/api/v1/tournaments/tuesday")
    assert (answer.status_code, "announce it again" in answer.json()["detail"]) == (409, True)
    assert desk.get("/tournaments")["tournaments"][0]["phase"] == "made"
    wrong = opening(tables=[])
    assert desk.post("/tournaments", wrong).status_code == 422, "nothing is made by terms that nobody can read"
    assert desk.post("/tournaments", opening()).json()["seq"] == 2
    assert desk.get("/tournaments/tuesday")["title"] == "Tuesday Deepstack"
    desk.house.directing.fold("tuesday").wrong = "event 2 does not follow"
    assert "nobody can go on" in desk.ask("get", "/api/v1/tournaments/tuesday").json()["detail"]


def test_parts_that_are_told_in_another_way_are_no_tournament() -> None:
    law = laws()["onyx"]
    parts = Tournament(law)
    assert parts_of(law, parts.told()).of(Entries) == parts.parts.of(Entries)
    for told in ({}, {**parts.told(), "Entries": {"by_number": 3}}):
        with pytest.raises(NotShownError, match="version, floord first"):
            parts_of(law, told)


def test_a_floord_of_before_that_tells_of_no_refunds_has_none() -> None:
    law = laws()["onyx"]
    told = Tournament(law).told()
    told.pop("Refunds")
    parts = parts_of(law, told)
    assert parts.of(Refunds) == Refunds()
    assert list(parts.all()) == list(Tournament(law).parts.all()), "in their order"
