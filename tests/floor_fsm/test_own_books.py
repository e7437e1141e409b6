"""A tournament book of an operator's own: the example of the documentation, row by row, and a satellite by it."""

import json
import os
from pathlib import Path

import pytest
from click.testing import CliRunner

from feltd.books.own_tournaments import tournament_books, tournament_books_to_run
from feltd.books.shipped import tournament_sources
from feltd.cli import cli
from feltd.floor.memory import MemoryEngine
from feltd.floor.own_trouble import OwnTrouble
from feltd.text.errors import FeltdError
from floor_fsm.errors import Reason
from floor_fsm.law.law import Law
from floor_fsm.law.matters import Leaves
from floor_fsm.messages.entries import LateClosed
from floor_fsm.messages.money import Chopped, Payout, PayoutsSet, PoolIs
from floor_fsm.messages.people import PersonLeft
from floor_fsm.messages.seating import SeatGiven
from floor_fsm.messages.tables import Balanced, HandBegan
from floor_fsm.state.seating import Seating
from tests.floor_fsm.drills import played, rows, without
from tests.floor_fsm.support import Desk, laws, reason_of

FOLDER = Path(__file__).parents[2] / "docs/own-tournaments"
ID = "operator-2026-satellite"


def own() -> Law:
    return tournament_books(FOLDER).laws[ID]


def test_the_example_stands_beside_the_books_that_come_with_feltd_and_is_printed() -> None:
    assert set(tournament_books(FOLDER).laws) == {*laws(), ID}
    listed = CliRunner().invoke(cli, ["tournament", "books", "--book-dir", str(FOLDER)])
    assert "Example: a satellite of an operator's own" in listed.output
    printed = CliRunner().invoke(cli, ["tournament", "books", ID, "--book-dir", str(FOLDER)])
    assert "mover = last_big_blind" in printed.output
    assert "it comes from no operator" in printed.output, "its source says what it is"


@pytest.mark.parametrize("matter", sorted(rows(tournament_books(FOLDER).laws[ID])))
def test_each_row_of_the_example_brings_its_drill_about(matter: str) -> None:
    assert played(own(), matter) != played(without(own(), matter), matter)


def test_who_had_the_big_blind_last_moves_to_the_seat_that_has_it_latest() -> None:
    desk = Desk(own(), tables=2, seats=6, re_entries=0)
    desk.enter(*"abcdef")
    places = ((1, "T1", 1), (2, "T1", 2), (3, "T1", 3), (4, "T1", 5), (5, "T2", 1), (6, "T2", 4))
    for entry, table, seat in places:
        desk.say(SeatGiven, entry=entry, table=table, seat=seat)
    desk.say(HandBegan, table="T1", hand=1, big_blind=3)
    desk.say(HandBegan, table="T2", hand=1, big_blind=4)
    desk.say(Balanced, table="T1", to="T2", hand=1)
    place = desk.tournament.parts.of(Seating).places[3]
    assert (place.table, place.seat) == ("T2", 3), "seat 4 has had the big blind: seat 3 has it last of all"
    assert reason_of(desk, Balanced, table="T1", to="T2", hand=1) == (Reason.BALANCED_ALREADY, "4"), "three and three"


def test_a_satellite_has_equal_seats_as_prizes_and_a_rest_and_ends_with_as_many_players() -> None:
    desk = Desk(own(), tables=1, seats=9, re_entries=0)
    desk.enter(*"abcdefgh")
    desk.draw()
    desk.say(PayoutsSet, percent=("30", "30", "30", "10"))
    assert PoolIs(160_000, (48_000, 48_000, 48_000, 16_000)) in desk.say(LateClosed)
    for entry in (1, 2, 3, 4):
        desk.out(entry)
    assert Payout(5, 16_000) in desk.out(5), "the rest of the pool"
    told = desk.say(Chopped, cents=((6, 48_000), (7, 48_000), (8, 48_000)))
    assert [one for one in told if isinstance(one, Payout)] == [Payout(entry, 48_000) for entry in (6, 7, 8)]
    left = {"entry": 6, "why": Leaves.DISQUALIFIED, "chips": 80_000}
    assert reason_of(desk, PersonLeft, **left) == (Reason.WRONG_STATE, "9")


def test_a_book_with_a_fault_or_an_id_that_is_taken_is_told_with_its_file_and_line(tmp_path: Path) -> None:
    text = (FOLDER / f"{ID}.toml").read_text(encoding="utf-8")
    (tmp_path / "bad.toml").write_text(text.replace('"best_position"', '"best"'), encoding="utf-8")
    line = 1 + text.splitlines().index('to = "best_position"')
    with pytest.raises(FeltdError) as fault:
        tournament_books(tmp_path)
    assert f"{tmp_path}/bad.toml:{line}: balancing.to" in str(fault.value)
    (tmp_path / "bad.toml").write_text(text.replace(ID, "onyx"), encoding="utf-8")
    with pytest.raises(FeltdError, match=f'{tmp_path}/[a-z]+.toml:1: id: "onyx" is the id of onyx.toml too'):
        tournament_books(tmp_path)


def test_an_own_book_takes_no_shipped_ones_place_by_its_files_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "onyx.toml").write_text(tournament_sources()["onyx.toml"], encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(FeltdError, match=f'{tmp_path}/[a-z]+.toml:1: id: "onyx" is the id of onyx.toml too'):
        tournament_books(Path())


@pytest.mark.parametrize("fault", ["a typing error", "a pipe", "a file without end", "no such folder"])
def test_with_a_fault_in_an_own_folder_a_floor_runs_with_the_shipped_books_and_says_so(
    tmp_path: Path, fault: str
) -> None:
    folder = tmp_path / "own"
    if fault != "no such folder":
        folder.mkdir()
    if fault == "a typing error":
        (folder / "bad.toml").write_text('id = "bad\n', encoding="utf-8")
    if fault == "a pipe":
        os.mkfifo(folder / "bad.toml")
    if fault == "a file without end":
        (folder / "bad.toml").symlink_to("/dev/zero")
    books = tournament_books_to_run(folder)
    assert books.texts == tournament_sources()
    assert str(folder) in (books.fault or "")
    assert books.laws.keys() == laws().keys()
    [words] = OwnTrouble(MemoryEngine(lambda: 0.0), books=books.fault).look()
    assert words.startswith("books: those of your own are left out: ")
    assert words.endswith(". Mend them, and start floord again")


def test_without_a_fault_the_own_books_are_among_those_of_a_floor_that_runs() -> None:
    books = tournament_books_to_run(FOLDER)
    assert (books.texts, books.fault) == (tournament_books(FOLDER).texts, None)
    assert books.laws[ID].book.title == "Example: a satellite of an operator's own (own)"


def test_an_own_book_has_no_waiting_lists_id(tmp_path: Path) -> None:
    text = (FOLDER / f"{ID}.toml").read_text(encoding="utf-8")
    (tmp_path / "own.toml").write_text(text.replace(ID, "onyx-cash"), encoding="utf-8")
    with pytest.raises(FeltdError, match="onyx-cash: the id of a waiting list's book"):
        tournament_books(tmp_path)


def test_brackets_without_end_are_told_with_their_line(tmp_path: Path) -> None:
    file = tmp_path / "events.jsonl"
    file.write_text("[" * 100_000 + "\n", encoding="utf-8")
    told = CliRunner().invoke(cli, ["tournament", "play", str(file), "--book", "onyx"])
    assert "its brackets are too deep" in told.output
    assert isinstance(told.exception, SystemExit)


def test_a_file_of_events_is_played_by_the_example(tmp_path: Path) -> None:
    opening = {
        "ev": "tournament.open", "t": 0, "by": {"who": "lea", "why": "announced"}, "name": "Satellite", "fee": 20_000,
        "house": 0, "stack": 30_000, "late_until": 3, "tables": [{"table": "T1", "seats": [1, 2, 3]}],
    }  # fmt: skip
    file = tmp_path / "events.jsonl"
    file.write_text(json.dumps(opening) + "\n", encoding="utf-8")
    found = CliRunner().invoke(cli, ["tournament", "play", str(file), "--book", ID, "--book-dir", str(FOLDER)])
    assert (found.exit_code, json.loads(found.output)) == (0, {"line": 1, "opened": {"law": ID}})
    unknown = CliRunner().invoke(cli, ["tournament", "play", str(file), "--book", ID])
    assert unknown.exit_code == 2
    assert f"no tournament book {ID}" in unknown.output
