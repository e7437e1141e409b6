"""Packs at the page: cards laid on the table's own readers, by a technician with a password; no number comes out."""

import asyncio
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from devices.adapters.chip_numbers import PackFault
from feltd.door.packs import PackState
from feltd.page.access.roles import Right, Role
from feltd.table.packs.pack_file import read_packs, write_packs
from feltd.table.packs.pack_list import PackList
from feltd.table.packs.turns import PackFileError, RoundHold, between_rounds
from feltd.table.workshop.pack_table import FILE_NOTE, IDLE_SECONDS
from table_fsm.events import ShoeShuffled
from tests.feltd.page_support import SECRET, Browser
from tests.feltd.table_support import KEY
from tests.feltd.test_api_devices import Bench
from tests.feltd.test_packs import BOTH, ORDER, RED, chips

PACKS = "/api/v1/packs"
ENROL = {"work": "enrol", "name": "red-1", "back": "red", "password": SECRET}
WHOLE = PackList((RED,))


class Packs(Bench):
    """A table with readers, in test mode, and a technician."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        super().__init__(folder, monkeypatch)
        self.told: list[str] = []
        self.seq = 0
        self.test_mode()

    def get(self) -> dict[str, Any]:
        answer = self.technician.get(PACKS)
        self.told.append(answer.text)
        return dict(answer.json())

    def post(self, what: str, body: dict[str, Any], by: Browser | None = None, status: int = 200) -> dict[str, Any]:
        answer = (by or self.technician).post(f"{PACKS}/{what}", body)
        assert answer.status_code == status, answer.text
        self.told.append(answer.text)
        return dict(answer.json())

    def step(self, step: str, status: int = 200, by: Browser | None = None) -> dict[str, Any]:
        return self.post("work/step", {"step": step}, by, status)

    def chip(self, number: bytes, device: str = "reader:board", ev: str = "placed", after: float = 1.0) -> None:
        self.page.bench.time.pass_(after)
        self.seq += 1
        where = {} if device == "shoe" else {"zone": "board:1"}
        self.says(device, self.seq, ev=ev, card=number, face="down", **where)

    def kept(self) -> PackList:
        return read_packs(self.page.shelf.file, KEY)


@pytest.fixture
def packs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Packs]:
    made = Packs(tmp_path, monkeypatch)
    yield made
    said = made.technician.get("/packs").text + made.technician.get("/api/v1/state").text + "".join(made.told)
    asyncio.run(made.page.bench.synced())
    files = b"".join(file.read_bytes() for file in sorted(tmp_path.iterdir()) if file.is_file())
    made.page.close()
    for number in chips(0):
        assert number.hex() not in said.lower()
        assert number not in files
        assert number.hex().encode() not in files


def test_a_pack_is_laid_card_by_card_and_then_its_cards_have_names(packs: Packs) -> None:
    begun = packs.post("work", ENROL)
    assert (begun["work"]["next"], begun["work"]["by"]) == ("As", "technician")
    assert packs.bridge._at_hand.laid(), "an adapter tells each chip"
    for place, number in enumerate(chips(0)):
        packs.chip(number)
        work = packs.get()["work"]
        assert (work["heard"], work["laid"]) == ("taken", place + 1)
        packs.chip(number, ev="removed", after=0.1)
    assert packs.kept() == PackList()
    assert packs.step("keep")["packs"] == [{"name": "red-1", "back": "red", "cards": 52, "state": "in_use"}]
    assert packs.kept() == WHOLE
    assert not packs.bridge._at_hand.laid()
    assert packs.bridge._at_hand.stranger(chips(900, 1)[0]) is PackFault.UNKNOWN
    assert packs.events("card.placed") == [], "the table takes no card that is laid"
    note = packs.by_hand()[-1]
    assert (note["what"], note["who"], note["pack"], note["back"], note["cards"]) == (
        "deck.enrolled", "technician", "red-1", "red", 52,
    )  # fmt: skip
    packs.test_mode(on=False)
    packs.chip(chips(0)[0], device="shoe", ev="card_out")
    assert packs.bridge.slots["shoe"].faults == 0, "the list is in force at once"
    assert len(packs.events("shoe.card")) == 1


def test_of_two_packs_in_use_the_record_has_the_pack_of_each_card_and_no_device_can_say_it(packs: Packs) -> None:
    packs.page.shelf.write(BOTH)
    packs.test_mode(on=False)
    packs.chip(chips(0)[3], device="shoe", ev="card_out")
    packs.chip(chips(100)[3], device="shoe", ev="card_out")
    packs.says("shoe", packs.seq + 1, ev="card_out", card=None, face="down", pack="red-1")
    assert [event.get("pack") for event in packs.events("shoe.card")] == ["red-1", "blue-1"]


def test_a_sorted_pack_may_be_drawn_from_the_shoe(packs: Packs) -> None:
    packs.post("work", ENROL)
    for number in chips(0):
        packs.chip(number, device="shoe", ev="card_out")
    packs.step("keep")
    assert packs.kept() == WHOLE


def test_a_chip_twice_of_another_pack_and_two_at_once_are_named(packs: Packs) -> None:
    packs.page.shelf.write(WHOLE)
    packs.post("work", {**ENROL, "name": "blue-1", "back": "blue"})
    packs.chip(chips(100)[0])
    packs.chip(chips(100)[0])
    assert (packs.get()["work"]["heard"], packs.get()["work"]["heard_place"]) == ("again", 1)
    packs.chip(chips(0)[9])
    assert (packs.get()["work"]["heard"], packs.get()["work"]["heard_pack"]) == ("of_pack", "red-1")
    packs.chip(chips(100)[1])
    packs.chip(chips(100)[2], after=0.1)
    work = packs.get()["work"]
    assert (work["heard"], work["laid"], work["next"]) == ("together", 1, ORDER[1])
    assert "51 chips" not in packs.step("keep", status=409)["detail"]
    assert packs.step("back")["work"]["laid"] == 0
    packs.step("stop")
    assert packs.get()["work"] is None
    assert packs.kept() == WHOLE


def test_a_pack_is_checked_and_the_record_has_the_counts(packs: Packs) -> None:
    packs.page.shelf.write(WHOLE)
    packs.post("work", {"work": "check", "name": "red-1", "password": SECRET})
    for number in [*chips(0)[:50], *chips(900, 1)]:
        packs.chip(number)
    work = packs.get()["work"]
    assert (work["laid"], work["unknown"], work["missing"]) == (50, 1, [ORDER[50], ORDER[51]])
    packs.step("keep")
    note = packs.by_hand()[-1]
    assert (note["what"], note["found"], note["of"], note["foreign"]) == ("deck.checked", 50, 52, 1)
    assert ORDER[50] not in str(note)


def test_a_whole_pack_is_seen_in_piles_and_then_laid_in_order(packs: Packs) -> None:
    begun = packs.post("work", {**ENROL, "whole": True, "spares": 1})
    assert (begun["work"]["gathering"], begun["work"]["cards"]) == (True, 53)
    for number in [*reversed(chips(0)), chips(0)[5]]:
        packs.chip(number, after=0.01)
    assert "1 of 53 chips have not been seen" in packs.step("order", status=409)["detail"]
    packs.chip(chips(900, 1)[0], after=0.0)
    assert "none was laid in order" in packs.step("keep", status=409)["detail"]
    work = packs.step("order")["work"]
    assert (work["gathering"], work["laid"], work["cards"], work["next"]) == (False, 0, 52, "As")
    packs.chip(chips(950, 1)[0])
    assert packs.get()["work"]["heard"] == "not_seen"
    for number in chips(0):
        packs.chip(number)
    packs.step("keep")
    assert packs.kept() == WHOLE
    assert packs.by_hand()[-1]["what"] == "deck.enrolled"


def test_a_card_out_of_order_is_named_and_two_are_exchanged_between_rounds(packs: Packs) -> None:
    packs.page.shelf.write(WHOLE.with_swap("red-1", "5s", "6s"))
    packs.post("work", {"work": "check", "name": "red-1", "password": SECRET})
    for number in chips(0):
        packs.chip(number)
    assert packs.get()["work"]["misplaced"] == ["5s", "6s"]
    swap = {"name": "red-1", "card": "5s", "other": "6s", "password": SECRET}
    packs.post("swap", {**swap, "password": "another, and long"}, status=409)
    packs.post("swap", swap, by=Browser(packs.page, packs.page.session(Role.SUPERVISOR)), status=403)
    assert packs.post("swap", swap)["work"]["misplaced"] == []
    assert packs.kept() == WHOLE
    note = packs.by_hand()[-1]
    assert (note["what"], note["who"], note["pack"], note["which"]) == ("deck.swapped", "technician", "red-1", "5s 6s")
    assert 'has no card "Jo"' in packs.post("swap", {**swap, "other": "Jo"}, status=409)["detail"]
    packs.step("stop")
    packs.post("swap", swap)
    packs.test_mode(on=False)
    packs.page.bench.take(ShoeShuffled)
    assert "between two rounds" in packs.post("swap", swap, status=409)["detail"]


@pytest.mark.parametrize("busy", [False, True])
def test_a_command_hears_of_a_round_as_it_begins(packs: Packs, busy: bool) -> None:
    """`busy`: another command changes the list just then, so the round holds it from the next beat on."""
    once = RoundHold(packs.page.shelf.file)
    once.be(in_a_round=True)  # the file is there
    once.be(in_a_round=False)
    packs.test_mode(on=False)
    with between_rounds(packs.page.shelf.file) if busy else nullcontext():
        packs.page.bench.take(ShoeShuffled)
    if busy:
        packs.page.workshop.beat()
    with pytest.raises(PackFileError, match="in a round"), between_rounds(packs.page.shelf.file):
        pass


def test_what_a_command_changes_holds_within_a_second_and_is_on_record(packs: Packs) -> None:
    def told() -> list[dict[str, Any]]:
        packs.page.workshop.packs.beat()
        return [
            {key: value for key, value in note.items() if key != "note"}
            for note in packs.notes()
            if note["note"] == FILE_NOTE
        ]

    packs.test_mode(on=False)
    shelf = packs.page.shelf
    shelf.write(WHOLE)
    assert told() == [{"pack": "red-1", "change": "enrolled", "back": "red", "cards": 52}]
    packs.chip(chips(0)[3], device="shoe", ev="card_out")
    shelf.write(WHOLE.with_card("red-1", "7h", chips(900, 1)[0]).with_state("red-1", PackState.RESTING))
    assert told()[1:] == [
        {"pack": "red-1", "change": "replaced", "cards": 1, "which": "7h"},
        {"pack": "red-1", "change": "put", "state": "resting"},
    ]
    packs.chip(chips(0)[4], device="shoe", ev="card_out")
    assert len(packs.events("shoe.card")) == 1, "the list holds at once"
    whole = shelf.file.read_bytes()
    shelf.file.write_bytes(whole[:-1])
    assert told()[3:] == [{"change": "unreadable"}]
    shelf.write(WHOLE)
    assert [note["change"] for note in told()[4:]] == ["replaced", "put"]
    shelf.file.unlink()
    assert told()[6:] == [{"pack": "red-1", "change": "gone"}]
    assert len(told()) == 7


def test_what_the_page_changes_is_told_once_and_a_command_just_before_it_too(packs: Packs) -> None:
    packs.page.shelf.write(WHOLE)
    packs.post("state", {"name": "red-1", "state": "resting", "password": SECRET})
    packs.page.workshop.packs.beat()
    assert [note["change"] for note in packs.notes() if note["note"] == FILE_NOTE] == ["enrolled"]
    assert packs.by_hand()[-1]["what"] == "deck.put"


def test_a_retired_pack_is_enrolled_anew_from_its_own_chips(packs: Packs) -> None:
    packs.page.shelf.write(WHOLE.with_state("red-1", PackState.RETIRED))
    packs.post("work", ENROL)
    for number in chips(0):
        packs.chip(number)
        assert packs.get()["work"]["heard"] == "taken"
    packs.step("keep")
    assert packs.kept() == WHOLE


def test_what_a_command_changed_meanwhile_stays_and_both_never_write_at_once(packs: Packs) -> None:
    packs.page.shelf.write(WHOLE)
    packs.post("work", {**ENROL, "name": "blue-1", "back": "blue"})
    for number in chips(100):
        packs.chip(number)
    with packs.page.shelf.alone(wait=True):
        assert "another command is changing it" in packs.step("keep", status=409)["detail"]
        packs.page.shelf.write(WHOLE.with_state("red-1", PackState.RETIRED))
    packs.step("keep")
    assert [(pack.name, pack.state) for pack in packs.kept().packs] == [
        ("red-1", PackState.RETIRED), ("blue-1", PackState.IN_USE),
    ]  # fmt: skip


def test_a_card_is_replaced_and_a_pack_is_put_to_rest_and_retired(packs: Packs) -> None:
    packs.page.shelf.write(WHOLE)
    packs.post("work", {"work": "replace", "name": "red-1", "card": "7h", "password": SECRET})
    spare = chips(900, 1)[0]
    packs.chip(spare)
    packs.step("keep")
    assert packs.kept().card_of(spare) == "7h"
    assert (packs.by_hand()[-1]["what"], packs.by_hand()[-1]["which"]) == ("deck.replaced", "7h")
    for state in ("resting", "retired"):
        answer = packs.post("state", {"name": "red-1", "state": state, "password": SECRET})
        assert answer["packs"][0]["state"] == state
        assert (packs.by_hand()[-1]["what"], packs.by_hand()[-1]["state"]) == ("deck.put", state)
    again = packs.post("state", {"name": "red-1", "state": "in_use", "password": SECRET}, status=409)
    assert "is retired" in again["detail"]


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"work": "enrol", "name": "red-1"}, "give the back"),
        ({"work": "check", "name": "red-1", "back": "red"}, "give the back"),
        ({"work": "replace", "name": "red-1"}, "name the card"),
        ({"work": "check", "name": "red-1", "whole": True}, "only a new pack comes whole"),
        ({"work": "enrol", "name": "red-1", "back": "red", "spares": 2}, "only a new pack comes whole"),
        ({"work": "replace", "name": "red-1", "card": "1h"}, "card"),
    ],
)
def test_what_is_half_said_is_refused(packs: Packs, body: dict[str, Any], words: str) -> None:
    assert words in str(packs.post("work", {**body, "password": SECRET}, status=422))


def test_only_a_technician_with_their_password_begins(packs: Packs) -> None:
    for role in (Role.OBSERVER, Role.SUPERVISOR, Role.DIRECTOR, Role.SURVEILLANCE):
        other = Browser(packs.page, packs.page.session(role))
        packs.post("work", ENROL, by=other, status=403)
        assert other.get(PACKS).status_code == 403
    assert "password is wrong" in packs.post("work", {**ENROL, "password": "another, and long"}, status=409)["detail"]
    scope, now = {Right.SEE, Right.DEVICES}, packs.page.bench.time.wall
    _, _, text = packs.page.accounts.add_token("technician", "a program", Role.TECHNICIAN, scope, 1, now)
    program = Browser(packs.page, {"authorization": f"Bearer {text}"})
    packs.post("work", ENROL, by=program, status=403)
    packs.post("state", {"name": "red-1", "state": "retired", "password": SECRET}, by=program, status=403)
    assert packs.get()["work"] is None


def test_who_began_goes_on_and_anybody_who_may_stops_it(packs: Packs) -> None:
    packs.post("work", ENROL)
    other = Browser(packs.page, packs.page.session(Role.TECHNICIAN, "tess"))
    assert "technician has cards laid already" in packs.post("work", ENROL, by=other, status=409)["detail"]
    for step in ("back", "keep"):
        assert "technician has begun this" in packs.step(step, status=409, by=other)["detail"]
    packs.step("stop", by=other)
    assert "begin anew" in packs.step("back", status=409)["detail"]


def test_nothing_is_laid_outside_test_mode_or_in_a_round(packs: Packs) -> None:
    packs.test_mode(on=False)
    assert "in test mode only" in packs.post("work", ENROL, status=409)["detail"]
    packs.test_mode()
    packs.post("work", ENROL)
    packs.test_mode(on=False)
    assert packs.get()["work"] is None
    assert not packs.bridge._at_hand.laid()
    packs.page.bench.take(ShoeShuffled)
    put = packs.post("state", {"name": "red-1", "state": "retired", "password": SECRET}, status=409)
    assert "between two rounds" in put["detail"]


def test_what_nobody_goes_on_with_ends_by_itself(packs: Packs) -> None:
    packs.post("work", ENROL)
    packs.page.bench.time.pass_(IDLE_SECONDS - 1.0)
    packs.page.workshop.beat()
    assert packs.page.workshop.packs.facts().work is not None
    packs.chip(chips(0)[0], after=0.5)
    packs.page.bench.time.pass_(IDLE_SECONDS - 1.0)
    packs.page.workshop.beat()
    assert packs.page.workshop.packs.facts().work is not None
    packs.page.bench.time.pass_(1.0)
    packs.page.workshop.beat()
    assert packs.page.workshop.packs.facts().work is None
    packs.technician = Browser(packs.page, packs.page.session(Role.TECHNICIAN))


def test_the_list_is_read_once_for_each_file_however_many_look(packs: Packs, monkeypatch: pytest.MonkeyPatch) -> None:
    reads: list[Path] = []

    def counted(file: Path, key: bytes) -> PackList:
        reads.append(file)
        return read_packs(file, key)

    monkeypatch.setattr("feltd.table.packs.pack_file.read_packs", counted)
    write_packs(packs.page.shelf.file, KEY, WHOLE)
    packs.page.workshop.packs.beat()
    reads.clear()
    for _ in range(5):
        assert [one["name"] for one in packs.get()["packs"]] == ["red-1"]
    assert len(reads) == 1
    write_packs(packs.page.shelf.file, KEY, PackList())
    assert packs.get()["packs"] == []
    packs.page.shelf.file.unlink()
    assert packs.get()["packs"] == []


def test_a_list_that_was_damaged_is_named_and_not_written_over(packs: Packs) -> None:
    packs.page.shelf.write(WHOLE)
    packs.page.shelf.file.write_bytes(packs.page.shelf.file.read_bytes()[:-1])
    assert "does not open" in packs.get()["trouble"]
    assert "does not open" in packs.post("work", ENROL, status=409)["detail"]


def test_what_is_read_as_no_chip_stays_the_tables(packs: Packs) -> None:
    packs.post("work", ENROL)
    packs.says("reader:board", 1, ev="placed", zone="board:1", card="7h", face="up")
    assert len(packs.events("card.placed")) == 1
    assert packs.get()["work"] is None, "a card has begun a round"
