"""The table rules at every moment as it did when its answers were read; each irregularity can be brought about."""

import subprocess
from typing import Any

import pytest

from feltd.books.moments.all_moments import all_moments
from feltd.books.moments.cell import Cell
from feltd.books.moments.faults.all_faults import BY_KEY, FAULTS, WITHOUT
from feltd.books.moments.matrix import matrix
from feltd.books.moments.moment import Absent, Moment
from feltd.books.moments.printed import cell_lines, counts_line, matrix_data, print_matrix
from feltd.books.moments.setting import Setting
from feltd.books.moments.stream import Stream
from tests.moments import record
from tests.moments.record import CANNOT, KINDS, cells_of, changes, count, counted, kept_file, now, since
from tests.table_fsm.streams import HOLDEM, UTH, books

ANEW = "if each of these was meant: python -m tests.moments.record"
WHOLE = {
    "faults": ("act-2019-uth", "tas-2018-holdem"),
    "pairs": ("act-2019-uth",),
}
"""What is played whole here: a game between players and one against the house. `make moments` plays all books."""
PARTS = 12
"""Of the other books one fault in so many is played, another one in each book that follows."""
SOME = (
    *("check", "shuffle", "cut", "stakes", "deal.1", "deal.2", "deal.last", "showdown", "settled", "between"),
    *("pre_flop.open", "flop.owed", "flop.open", "river.begun", "street1.open", "street2.owed"),
    *("again/deal.2", "again/flop.open", "misdeal/deal.1", "break/deal.1", "held/showdown"),
)
"""Moments at which every fault is played in two books more than in those that are played whole."""
FEW = ("cut_exposed", "boxed_card", "hole_exposed.dealt", "burn_missing", "bet_short.call", "wager_after_deal.more")


def kept(book: str, kind: str = "faults") -> list[str]:
    return kept_file(book, kind).read_text(encoding="utf-8").splitlines()


def test_every_irregularity_can_be_brought_about() -> None:
    assert WITHOUT == (), "write a fault for each of these in feltd/books/moments/faults"
    assert len(BY_KEY) == len(FAULTS)


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "book"), [(kind, book) for kind in KINDS for book in WHOLE[kind]])
def test_the_table_rules_at_every_moment_as_it_did(book: str, kind: str) -> None:
    changed = list(changes(kept(book, kind), now(book, kind)))
    assert not changed, "\n".join([f"{len(changed)} cells of {book} have changed", *changed[:40], ANEW])


@pytest.mark.slow
@pytest.mark.parametrize(("place", "book"), tuple(enumerate(sorted(set(books()) - set(WHOLE["faults"])))))
def test_a_part_of_the_faults_is_ruled_on_as_it_was_in_each_other_book(place: int, book: str) -> None:
    part = FAULTS[place % PARTS :: PARTS]
    keys = {fault.key for fault in part}
    assert keys
    before = {cell: answer for cell, answer in cells_of(kept(book)).items() if cell[0] in keys}
    is_now = cells_of(cell_lines(matrix(books()[book], books(), part)))
    changed = {cell: (was, is_now.get(cell)) for cell, was in before.items() if is_now.get(cell) != was}
    assert not changed, ANEW
    assert is_now.keys() == before.keys(), ANEW


@pytest.mark.slow
@pytest.mark.parametrize("book", ["act-2001-draw", "star-2025-holdem"])
def test_every_fault_is_ruled_on_at_a_few_moments_as_it_was(book: str) -> None:
    before = {cell: answer for cell, answer in cells_of(kept(book)).items() if cell[1] in SOME}
    is_now = cells_of(cell_lines(matrix(books()[book], books(), among=SOME.__contains__)))
    assert {fault for fault, _ in is_now} == set(BY_KEY)
    assert is_now == before, ANEW


@pytest.mark.parametrize("book", [HOLDEM, UTH])
def test_a_few_faults_are_ruled_on_at_every_moment_as_they_were(book: str) -> None:
    some = matrix(books()[book], books(), tuple(BY_KEY[key] for key in FEW))
    before = {cell: answer for cell, answer in cells_of(kept(book)).items() if cell[0] in FEW}
    assert cells_of(cell_lines(some)) == before, ANEW
    assert counts_line(some) in print_matrix(some)
    data = matrix_data(some)
    assert data["counts"]["cells"] == len(data["cells"]) == len(some.cells)
    assert sum(len(one["cells"]) for one in data["classes"]) == data["counts"]["ruled"]


@pytest.mark.slow
@pytest.mark.parametrize("book", sorted(books()))
def test_the_stream_to_each_moment_raises_nothing(book: str) -> None:
    odd = {}
    for moment in all_moments(Setting(books()[book]), books()):
        if isinstance(moment, Absent):
            assert moment.reason, moment.name
        elif not moment.twice and "/" not in moment.name:
            odd[moment.name] = Stream.after(moment.setting, books(), moment.done).told
    assert odd
    assert not any(odd.values()), odd


def test_the_moments_are_in_the_order_of_a_round() -> None:
    names = [m for m in all_moments(Setting(books()[HOLDEM]), books()) if isinstance(m, Moment) and "/" not in m.name]
    lengths = [len(moment.done) for moment in names]
    assert lengths == sorted(lengths)


def test_the_files_count_the_cells_that_they_have() -> None:
    for kind in KINDS:
        for book in books():
            cells = cells_of(kept_file(book, kind).read_text(encoding="utf-8").splitlines())
            happen = sum(not answer.startswith(CANNOT.strip()) for answer in cells.values())
            assert counted(book, kind)[:2] == (len(cells), happen), (kind, book)
    whole, some = (next(count(chosen, KINDS)) for chosen in (books(), [HOLDEM]))
    assert whole != some
    assert whole.startswith(f"faults, {len(books())} books: ")


def test_a_cell_that_was_kept_otherwise_in_a_revision_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    cells = counted(HOLDEM, "faults")[1]
    said = "faults, 1 books: {} of {:,} cells have another answer than in abc."
    monkeypatch.setattr(record, "kept_at", lambda revision, book, kind: kept(book, kind))
    assert list(since("abc", [HOLDEM], ["faults"])) == [said.format(0, cells)]
    before = [line.replace("cut -> 9.4 warn", "cut -> 9.4 misdeal") for line in kept(HOLDEM)]
    changed = sum(was != line for was, line in zip(before, kept(HOLDEM), strict=True))
    assert changed > 0
    monkeypatch.setattr(record, "kept_at", lambda revision, book, kind: before[:-1])
    assert list(since("abc", [HOLDEM], ["faults"])) == [said.format(changed, cells)]


def test_the_files_of_a_revision_are_read_from_git(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[list[str]] = []

    def run(command: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        asked.append(command)
        return subprocess.CompletedProcess(command, 0, stdout="# a head\n\n[cut_missing] words\n")

    monkeypatch.setattr(subprocess, "run", run)
    assert record.kept_at("abc", HOLDEM, "faults") == ["# a head", "", "[cut_missing] words"]
    assert asked == [["git", "show", f"abc:./faults/{HOLDEM}.txt"]]


def test_no_cell_is_empty() -> None:
    for book in books():
        cells = cells_of(kept(book))
        assert {fault for fault, _ in cells} == set(BY_KEY), book
        assert all(cells.values()), book


def test_a_cell_that_changes_is_shown_as_it_was_and_as_it_is() -> None:
    before = ["[boxed_card] words", "deal.1 -> 1 misdeal", "cannot happen, because none is due: cut"]
    after = ["[boxed_card] words", "deal.1 -> 2 warn", "cannot happen, because none is due: cut"]
    assert list(changes(before, before)) == []
    assert list(changes(before, after)) == ["boxed_card @ deal.1\n    was: 1 misdeal\n    is:  2 warn"]


def test_a_cell_shows_what_comes_at_once_what_comes_later_and_what_went_wrong() -> None:
    whole = matrix(books()[HOLDEM], books(), (BY_KEY["cut_too_thin"],))
    cut: Cell = next(cell for cell in whole.cells if cell.moment == "cut")
    assert cut.shown == "no ruling; later 9.4 warn"
