"""The record searched and played again: the index says what the journal says, and a replay what was said then."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from feltd.door import Person
from feltd.page.history.index import HistoryError, HistoryIndex
from feltd.page.history.replayed import Step, play_again
from feltd.page.history.search import FoundRuling, Wanted, find_round, find_rounds, find_rulings
from feltd.record import EntryKind, JournalReader, Reveal, Span
from feltd.record.rows import JournalRows
from table_fsm.events import Cut, FloorCalled, ShoeCard, ShoeFault, ShoeShuffled, Supervisor
from tests.feltd.history_support import DEALER, recorded_page
from tests.feltd.page_support import Page, index_of
from tests.feltd.table_support import BOOKS, HOLDEM, UTH, Bench
from tests.oracle.old_sealing import sealed_by_content

ANNA = Person("S1", "anna", "supervisor", "192.0.2.7")


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    made = recorded_page(tmp_path_factory.mktemp("record"), rounds=10)
    yield made
    made.close()


@pytest.fixture(scope="module")
def index(page: Page) -> Iterator[HistoryIndex]:
    made = index_of(page.bench.journal.path)
    made.catch_up()
    yield made
    made.close()


def rulings_in(page: Page) -> list[dict[str, Any]]:
    with JournalReader.open(page.bench.journal.path) as reader:
        entries = reader.entries(Span(kind=EntryKind.OUTPUT, name="ruling"))
        return [{**entry.body["ruling"], "wall": entry.wall, "round": entry.round} for entry in entries]


def test_every_ruling_of_the_journal_is_found_newest_first(page: Page, index: HistoryIndex) -> None:
    recorded = rulings_in(page)
    assert len(recorded) >= 4
    found = find_rulings(index, Wanted(limit=500))
    assert [ruling.id for ruling in found] == [ruling["id"] for ruling in reversed(recorded)]
    assert {ruling.dealer for ruling in found} == {DEALER}
    for ruling, said in zip(found, reversed(recorded), strict=True):
        assert (ruling.irregularity, ruling.rule, ruling.round) == (said["irregularity"], said["rule"], said["round"])


def test_rulings_are_filtered(page: Page, index: HistoryIndex) -> None:
    recorded = rulings_in(page)
    one = recorded[len(recorded) // 2]
    kinds = {ruling.irregularity for ruling in find_rulings(index, Wanted(kind=one["irregularity"]))}
    assert kinds == {one["irregularity"]}
    assert all(ruling.wall <= one["wall"] for ruling in find_rulings(index, Wanted(until=one["wall"])))
    assert len(find_rulings(index, Wanted(since=one["wall"]))) < len(recorded)
    assert find_rulings(index, Wanted(book=UTH)) == []
    assert find_rulings(index, Wanted(dealer="nobody")) == []
    seats = {ruling["seat"] for ruling in recorded if ruling["seat"] is not None}
    for seat in seats:
        assert {ruling.seat for ruling in find_rulings(index, Wanted(seat=seat))} == {seat}


def test_a_power_cut_leaves_an_index_that_is_whole(index: HistoryIndex) -> None:
    """With OFF the disk may have the newer half of a move of the log, and nobody at a board deletes a broken index."""
    assert [index.select(f"PRAGMA {name}")[0][0] for name in ("journal_mode", "synchronous")] == ["wal", 1]


def test_a_list_goes_on_where_it_ended(index: HistoryIndex) -> None:
    whole = [ruling.id for ruling in find_rulings(index, Wanted(limit=500))]
    first = [ruling.id for ruling in find_rulings(index, Wanted(limit=2))]
    rest = [ruling.id for ruling in find_rulings(index, Wanted(before=first[-1], limit=500))]
    assert first + rest == whole


def test_rounds_have_their_times_seats_book_and_result(page: Page, index: HistoryIndex) -> None:
    rounds = find_rounds(index, Wanted())
    assert [found.number for found in rounds] == list(range(rounds[0].number, 0, -1))
    assert {found.book for found in rounds} == {HOLDEM}
    assert {found.digest for found in rounds} == {BOOKS[HOLDEM].digest}
    for found in rounds:
        assert found.result in {"complete", "misdeal", "void"}
        assert found.ended is not None
        assert found.began < found.ended
        assert found.seats
        assert found.rulings == len(find_rulings(index, Wanted(limit=500), round_number=found.number))
    assert {found.number for found in find_rounds(index, Wanted(result="misdeal"))} < {f.number for f in rounds}
    assert [found.number for found in find_rounds(index, Wanted(seat=5))] == [f.number for f in rounds if 5 in f.seats]


def test_what_waits_for_a_decision_is_found_until_somebody_decides(tmp_path: Path) -> None:
    from table_fsm.events import ShoeDeckChecked

    made = recorded_page(tmp_path, rounds=1, mistakes=0.0)
    bench = made.bench
    index = index_of(bench.journal.path)

    def catch_up() -> None:
        bench.journal.flush_blocking()
        index.catch_up()

    bench.take(ShoeShuffled, deck="blue", count=36)
    catch_up()
    [waiting] = find_rulings(index, Wanted(pending=True))
    assert waiting.irregularity == "short_deck"
    bench.take(Supervisor, decision="overrule", staff="S1", ruling=waiting.id, outcome="warn", reason="counted: 52")
    bench.take(ShoeDeckChecked, deck="blue", count=52)
    catch_up()
    assert find_rulings(index, Wanted(pending=True)) == []
    decided = next(ruling for ruling in find_rulings(index, Wanted()) if ruling.id == waiting.id)
    assert (decided.decision, decided.decided_by, decided.decided_outcome) == ("overrule", "S1", "warn")
    assert decided.reason == "counted: 52"
    index.close()
    bench.journal.close()


def test_what_ends_with_its_cause_was_decided_by_nobody_also_after_a_decision(tmp_path: Path) -> None:
    from table_fsm.events import ShoeDeckChecked, ShoeShuffled, Supervisor

    made = recorded_page(tmp_path, rounds=1, mistakes=0.0)
    bench = made.bench
    index = index_of(bench.journal.path)

    def catch_up() -> list[int]:
        bench.journal.flush_blocking()
        index.catch_up()
        return [ruling.id for ruling in find_rulings(index, Wanted(pending=True))]

    bench.take(ShoeShuffled, deck="blue", count=36)
    [first] = catch_up()
    bench.take(Supervisor, decision="overrule", staff="S1", ruling=first, outcome="warn", reason="counted: 52")
    bench.take(ShoeShuffled, deck="blue", count=35)
    [second] = catch_up()
    bench.take(ShoeDeckChecked, deck="blue", count=52)
    assert catch_up() == []
    found = {ruling.id: ruling.decided_by for ruling in find_rulings(index, Wanted())}
    assert (found[first], found[second]) == ("S1", None)
    index.close()
    bench.journal.close()


def test_the_last_round_of_an_evening_keeps_its_result_when_packs_are_checked_for_the_next(tmp_path: Path) -> None:
    from table_fsm.events import ShoeDeckChecked, TableClose

    made = recorded_page(tmp_path, rounds=2, mistakes=0.0)
    bench = made.bench
    index = index_of(bench.journal.path)

    def ends_and_results() -> list[tuple[int | None, float | None, str | None]]:
        index.catch_up()
        return [(found.last, found.ended, found.result) for found in find_rounds(index, Wanted())]

    before = ends_and_results()
    assert [result for _, _, result in before] == ["complete", "complete"]
    bench.take(TableClose)
    bench.take(ShoeDeckChecked, deck="blue", count=51, missing=["Qs"])  # a card is named, so it is sealed
    bench.open_table(UTH)
    bench.journal.flush_blocking()
    with JournalReader.open(bench.journal.path) as reader:
        ends = [entry.round for entry in reader.entries(Span(name="round.end"))]
    assert ends.count(2) == 2, "the card that was named had a key of its own"
    assert ends_and_results() == before
    index.close()
    bench.journal.close()


def test_an_index_goes_on_where_it_was_and_one_that_is_none_is_made_anew(page: Page, index: HistoryIndex) -> None:
    whole = find_rulings(index, Wanted(limit=500))
    again = index_of(page.bench.journal.path, index.path.with_name("other.index"))
    again.catch_up()
    again.close()
    again.path.write_bytes(b"no database" + again.path.read_bytes()[11:])
    once_more = index_of(page.bench.journal.path, again.path)
    once_more.catch_up()
    assert find_rulings(once_more, Wanted(limit=500)) == whole
    once_more.close()


def test_the_index_holds_no_card(page: Page, index: HistoryIndex) -> None:
    with JournalReader.open(page.bench.journal.path) as reader:
        cards = {
            str(entry.body["card"])
            for entry in reader.entries(Span(name="card.placed"), reveal=Reveal.FINISHED)
            if entry.body.get("card")
        }
    assert len(cards) > 40
    text = json.dumps(
        [list(row) for table in ("rounds", "rulings", "acts") for row in index.select(f"SELECT * FROM {table}")]
    )
    assert not [card for card in cards if f'"{card}"' in text]


def test_a_reason_given_in_a_round_is_found_when_the_round_is_over(tmp_path: Path) -> None:
    made = in_a_round(tmp_path)
    bench = made.bench
    index = index_of(bench.journal.path)
    bench.take(FloorCalled, by="dealer")
    bench.take(ShoeFault, kind="jam")
    ruling = bench.keeper.rulings[0].ruling["id"]
    bench.keeper.act(ANNA, "the jam was looked at", decided(ruling))
    before = found_after(index, bench, ruling)
    assert (before.decision, before.decided_by, before.reason) == ("play_on", "S1", None)
    assert [row["why"] for row in index.select("SELECT why FROM acts")] == [None]
    bench.take(Supervisor, decision="void", staff="S1", reason="that was enough")
    after = found_after(index, bench, ruling)
    assert (after.decision, after.decided_by, after.reason) == ("play_on", "S1", "the jam was looked at")
    assert [row["why"] for row in index.select("SELECT why FROM acts")] == ["the jam was looked at"]
    anew = index_of(bench.journal.path, tmp_path / "other.index")
    assert found_after(anew, bench, ruling) == after
    for opened in (index, anew, made):
        opened.close()


def test_a_decision_that_an_earlier_version_sealed_whole_is_shown_when_the_round_is_over(tmp_path: Path) -> None:
    with sealed_by_content():
        made = in_a_round(tmp_path)
        made.bench.take(Supervisor, decision="play_on", staff="S1", reason="he showed me the 2c")
        made.bench.journal.flush_blocking()
    index = index_of(made.bench.journal.path)
    index.catch_up()
    number = find_rounds(index, Wanted())[0].number
    with pytest.raises(HistoryError, match="is sealed: wait until the round is over"):
        steps(made, index, number, see_cards=True)
    made.bench.take(Supervisor, decision="void", staff="S1", reason="that was enough")
    made.bench.journal.flush_blocking()
    index.catch_up()
    said = [step.event.get("reason") for step in steps(made, index, number, see_cards=True)]
    assert "he showed me the 2c" in said
    index.close()
    made.close()


def in_a_round(folder: Path) -> Page:
    """A table with one card out of the shoe, face down."""
    made = recorded_page(folder, rounds=1, mistakes=0.0)
    made.bench.take(ShoeShuffled, deck="blue", count=52)
    made.bench.take(Cut, by="dealer")
    made.bench.take(ShoeCard, face="down", deck="blue", card="2c")
    return made


def decided(ruling: int) -> Supervisor:
    return Supervisor(t=0.0, decision="play_on", staff="S1", ruling=ruling, reason="the jam was looked at")


def found_after(index: HistoryIndex, bench: Bench, ruling: int) -> FoundRuling:
    bench.journal.flush_blocking()
    index.catch_up()
    return next(found for found in find_rulings(index, Wanted()) if found.id == ruling)


# -- played again


def steps(page: Page, index: HistoryIndex, number: int, *, see_cards: bool) -> list[Step]:
    with JournalRows(page.bench.journal.path) as record:
        return list(play_again(record, find_round(index, number), BOOKS, see_cards=see_cards))


def test_a_round_played_again_is_answered_as_it_was_then(page: Page, index: HistoryIndex) -> None:
    for found in find_rounds(index, Wanted()):
        played = steps(page, index, found.number, see_cards=False)
        again = [output["ruling"] for step in played for output in step.outputs if "ruling" in output]
        then = [ruling for ruling in rulings_in(page) if ruling["round"] == found.number]
        asked = {ruling["id"] for ruling in then}
        assert [ruling for ruling in again if ruling["id"] in asked] == [
            {key: value for key, value in ruling.items() if key not in {"wall", "round"}} for ruling in then
        ]


def test_face_down_cards_are_backs_for_those_who_may_not_see_them_and_cards_for_those_who_may(
    page: Page, index: HistoryIndex
) -> None:
    number = find_rounds(index, Wanted(result="complete"))[0].number
    plain, open_ = steps(page, index, number, see_cards=False), steps(page, index, number, see_cards=True)
    assert [step.view for step in plain] == [step.view for step in open_]
    assert all(step.cards is None for step in plain)
    assert not any("card" in step.event for step in plain if step.event.get("face") != "up")
    seen = [step.cards for step in open_ if step.cards is not None]
    assert len(seen) == len(open_)
    named = [card for cards in seen for lying in cards.values() for card in lying]
    assert None in named, "what the round did not show has no name"
    assert any(card is not None for card in named)
    assert {step.sealed for step in open_} == {
        None,
        "cards that no round showed stay sealed, and nobody can open them",
    }


def test_a_round_that_was_never_played_is_named(index: HistoryIndex) -> None:
    with pytest.raises(HistoryError, match="there is no round 999 in the record"):
        find_round(index, 999)


def test_a_round_under_another_text_of_its_book_is_not_played_as_if_it_were_this_one(
    page: Page, index: HistoryIndex
) -> None:
    other = {name: BOOKS[UTH] if name == HOLDEM else book for name, book in BOOKS.items()}
    with JournalRows(page.bench.journal.path) as record, pytest.raises(HistoryError, match="another text of"):
        list(play_again(record, find_round(index, 3), other, see_cards=False))
