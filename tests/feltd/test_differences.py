"""`feltd journal replay --differences`: what this version answers otherwise than the record says."""

import asyncio
import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import Result

from feltd.record import EntryKind, HostEntry, JournalReader, Span
from feltd.record.notes import START_NOTE
from feltd.table.keeper import recovery
from feltd.table.keeper.deliveries import Delivery
from feltd.table.keeper.differences import Differences
from table_fsm.events import Event, Supervisor
from table_fsm.outputs import Output, Ruling
from table_fsm.table import Table
from tests.feltd import edition_support
from tests.feltd.seal_support import PRIVATE, PUBLIC, key_file
from tests.feltd.table_support import BOOKS, HOLDEM, KEY, Bench
from tests.feltd.test_recovery import never_stopped, rounds
from tests.some_outputs import ruling as some_ruling

Answer = Callable[[Event, list[Output]], list[Output]]
SHIFT = 40
GONE = 77
"""The number of a ruling that this version does not give."""


def record(folder: Path, events: list[Event], answer: Answer, heard: Callable[[Event], Event] | None = None) -> Path:
    """A record of events by feltd 9.1, which answers what `answer` makes of this version's outputs.

    `heard`: the event that this version takes in the recorded one's place.
    """
    apply = Table.apply

    def answered(table: Table, event: Event) -> list[Output]:
        return answer(event, list(apply(table, event if heard is None else heard(event))))

    async def run() -> None:
        bench = Bench(folder, sealed_to=PUBLIC)
        try:
            bench.journal.append_note(START_NOTE, {"software": "9.1"})
            for event in events:
                bench.keeper.deliver(Delivery("test", lambda _, event=event: [event]))  # type: ignore[misc]
            await bench.journal.flush()
        finally:
            bench.journal.close()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Table, "apply", answered)
        patch.setattr(recovery, "software", lambda: "9.1")
        asyncio.run(run())
    return folder / "table.journal"


def differences_of(journal: Path, *arguments: str | Path) -> Result:
    """The differences, with every card of rounds that are over."""
    return edition_support.differences_of(journal, "--unseal", key_file(journal.parent), *arguments)


def alike(_: Event, outputs: list[Output]) -> list[Output]:
    return outputs


def shifted(by: int) -> Callable[[Event], Event]:
    """Decisions on rulings with other numbers."""

    def shift(event: Event) -> Event:
        if not isinstance(event, Supervisor) or event.ruling is None:
            return event
        return replace(event, ruling=event.ruling + by)

    return shift


def renumbered(_: Event, outputs: list[Output]) -> list[Output]:
    """Answers as this version, with other numbers of rulings."""
    return [
        output._replace(value=_renumbered(output.value)) if isinstance(output.value, Ruling) else output
        for output in outputs
    ]


def _renumbered(ruling: Ruling) -> Ruling:
    return replace(
        ruling,
        id=ruling.id + SHIFT,
        supersedes=None if ruling.supersedes is None else ruling.supersedes + SHIFT,
    )


def found(result: Result) -> list[dict[str, object]]:
    return [json.loads(line) for line in result.stdout.splitlines()]


@pytest.fixture(scope="module")
def events() -> list[Event]:
    """Rounds with several rulings, some of which a person decides."""
    return rounds(HOLDEM, 4)


def test_a_record_of_this_version_has_none(events: list[Event], tmp_path: Path) -> None:
    result = differences_of(record(tmp_path, events, alike))
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr.splitlines()[0] == f"{len(events)} events, 0 answered otherwise"


def test_a_ruling_is_listed_where_it_differs_and_with_nothing_that_follows(events: list[Event], tmp_path: Path) -> None:
    """One ruling was another; its entry is listed alone."""
    changed: list[float] = []

    def answer(event: Event, outputs: list[Output]) -> list[Output]:
        at = next((at for at, output in enumerate(outputs) if isinstance(output.value, Ruling)), None)
        if at is None or changed:
            return outputs
        changed.append(event.t)
        ruling = outputs[at].value
        assert isinstance(ruling, Ruling)
        other = outputs[at]._replace(value=replace(ruling, rule="99.9", outcome="void_round"))
        return [*outputs[:at], other, *outputs[at + 1 :]]

    journal = record(tmp_path, events, answer)
    result = differences_of(journal)
    [difference] = found(result)
    assert result.exit_code == 1
    assert (difference["t"], difference["written_by"]) == (changed[0], "9.1")
    assert set(difference) == {"entry", "round", "event", "t", "written_by", "recorded", "now"}
    with JournalReader.open(journal) as reader:
        [entry] = reader.entries(Span(after=int(str(difference["entry"])) - 1, until=int(str(difference["entry"]))))
    assert (entry.kind, entry.name, entry.round) == (EntryKind.EVENT, difference["event"], difference["round"])
    first, second = result.stderr.splitlines()[:2]
    assert first == f"{len(events)} events, 1 answered otherwise"
    assert second.startswith("     1 × was ")
    assert "(99.9: void_round" in second.partition("; is ")[0]
    assert "99.9" not in second.partition("; is ")[2]


@pytest.mark.parametrize("unseal", [True, False])
def test_after_a_difference_the_counts_of_each_pack_go_on(events: list[Event], tmp_path: Path, unseal: bool) -> None:
    """The record's states have none: begun anew, a missing card would be told later than it was, a difference more."""
    changed: list[float] = []

    def answer(event: Event, outputs: list[Output]) -> list[Output]:
        if changed or not any(isinstance(output.value, Ruling) for output in outputs):
            return outputs
        changed.append(event.t)
        return []

    journal = record(tmp_path, events, answer)
    with JournalReader.open(journal, unseal=PRIVATE if unseal else None) as reader:
        found = Differences(reader, BOOKS)
        assert len(list(found)) == unseal
        table = found._played._table
    whole = never_stopped(events)
    if unseal:
        assert table.digest() == whole.digest()
    else:
        assert table.digest() == table.digest(counts=False) != whole.digest()
        assert found.gaps.found, "rounds were passed over, and what they would have counted is not known"


def test_other_numbers_of_the_same_rulings_are_no_difference(events: list[Event], tmp_path: Path) -> None:
    recorded = list(map(shifted(SHIFT), events))
    assert recorded != events, "a person decides on a ruling by its number"
    result = differences_of(record(tmp_path, recorded, renumbered, heard=shifted(-SHIFT)))
    assert (result.exit_code, result.stdout) == (0, "")


def test_a_decision_on_a_ruling_that_is_no_more_given_is_left_out(events: list[Event], tmp_path: Path) -> None:
    """This version would answer it with an error, which would be a second difference."""
    ruled: list[float] = []

    def answer(event: Event, outputs: list[Output]) -> list[Output]:
        if isinstance(event, Supervisor) and event.ruling == GONE:
            return []
        if not ruled and event.t > events[20].t:
            ruled.append(event.t)
            return [*outputs, some_ruling(event.t, id=GONE)]
        return outputs

    decision = Supervisor(t=events[40].t, decision="acknowledge", staff="S1", ruling=GONE)
    result = differences_of(record(tmp_path, [*events[:41], decision, *events[41:]], answer))
    assert [difference["t"] for difference in found(result)] == ruled
    assert result.stderr.splitlines()[1].endswith("; is no ruling")


def test_a_difference_besides_rulings_is_named_by_its_outputs(events: list[Event], tmp_path: Path) -> None:
    def answer(_: Event, outputs: list[Output]) -> list[Output]:
        return [output for output in outputs if output.kind != "buzzer"]

    result = differences_of(record(tmp_path, events, answer))
    kinds = result.stderr.splitlines()[1:]
    assert len(kinds) == 1
    assert kinds[0].endswith(" × the rulings are the same; otherwise: buzzer")


def test_a_kept_state_that_this_version_does_not_take_is_said(events: list[Event], tmp_path: Path) -> None:
    snapshot = Table.snapshot
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            Table,
            "snapshot",
            lambda table, counts: json.dumps({**json.loads(snapshot(table, counts=counts)), "tray": [5]}),
        )
        patch.setattr("feltd.table.keeper.keeper.gives_its_state", lambda *_: True)  # that version keeps a tray
        journal = record(
            tmp_path, events, lambda _, outputs: [output for output in outputs if output.kind != "display"]
        )
    result = differences_of(journal)
    with JournalReader.open(journal) as reader:
        snapshots = [entry.seq for entry in reader.entries(Span(kind=EntryKind.HOST, name=HostEntry.SNAPSHOT))]
    [note] = [line for line in result.stderr.splitlines() if line.startswith("note: ")]
    assert f" {snapshots[-1]}: differences after it may come of earlier ones" in note


def test_a_broken_seal_cannot_be_read(events: list[Event], tmp_path: Path) -> None:
    journal = record(tmp_path, events, alike)
    with closing(sqlite3.connect(journal)) as database:
        database.execute(
            "UPDATE entries SET sealed = zeroblob(length(sealed)) WHERE sealed IS NOT NULL AND kind = 'event'"
        )
        database.commit()
    result = differences_of(journal)
    assert result.exit_code == 2
    assert "its seal is broken" in result.stderr


def test_other_lines_are_not_asked_for_at_once(events: list[Event], tmp_path: Path) -> None:
    journal = record(tmp_path, events[:3], alike)
    assert differences_of(journal, "--rulings").exit_code == 2
    assert differences_of(journal, "--events").exit_code == 2


def test_with_the_key_a_round_in_progress_is_played_and_without_it_stays_shut(
    events: list[Event], tmp_path: Path
) -> None:
    journal = record(tmp_path, events[: len(events) - 10], alike)
    with JournalReader.open(journal) as reader:
        number = reader.round_in_progress()
    assert number is not None
    shut = differences_of(journal)
    assert shut.exit_code == 0
    assert shut.stderr.endswith(f"its cards are sealed until round {number} is over\n")
    key = tmp_path / "journal.key"
    key.write_bytes(KEY)
    whole = differences_of(journal, "--key", key)
    assert (whole.exit_code, whole.stderr) == (0, f"{len(events) - 10} events, 0 answered otherwise\n")
