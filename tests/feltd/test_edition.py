"""Which version of feltd wrote a record, and what a start says where another one goes on with it."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from feltd.record.notes import SNAPSHOT_NOTE, START_NOTE
from feltd.table.journal import Journal
from feltd.table.keeper.edition import change_of_edition, last_writer, software
from tests.feltd.table_support import KEY

Notes = list[tuple[str, Mapping[str, Any]]]


async def _written(folder: Path, notes: Notes, round_number: int | None) -> tuple[str | None, str | None]:
    journal = Journal.open(folder / "table.journal", KEY)
    try:
        for note, data in notes:
            journal.append_note(note, data)
        if round_number is not None:
            journal.begin_round(round_number)
        await journal.flush()
        return last_writer(journal.reader), change_of_edition(journal.reader)
    finally:
        journal.close()


def written(folder: Path, notes: Notes, round_number: int | None = None) -> tuple[str | None, str | None]:
    """Who wrote the end of a record of these notes, and what a start remarks."""
    return asyncio.run(_written(folder, notes, round_number))


OWN = {"software": software()}


@pytest.mark.parametrize(
    ("notes", "writer"),
    [
        ([], None),
        ([("feltd stops", {})], None),
        ([(START_NOTE, OWN)], software()),
        ([(START_NOTE, {})], "0.1.0"),
        ([(START_NOTE, {}), (SNAPSHOT_NOTE, {"software": "0.1.0"}), ("feltd stops", {})], "0.1.0"),
        ([(START_NOTE, {"software": "9.1"}), (START_NOTE, OWN), (SNAPSHOT_NOTE, OWN)], software()),
        ([(START_NOTE, OWN), (SNAPSHOT_NOTE, OWN), (START_NOTE, {})], "0.1.0"),
        ([(START_NOTE, OWN), (START_NOTE, {"software": "9.1"}), ("feltd stops", {})], "9.1"),
    ],
)
def test_the_last_start_or_snapshot_says_who_wrote_the_end(notes: Notes, writer: str | None, tmp_path: Path) -> None:
    last, remark = written(tmp_path, notes)
    assert last == writer
    assert (remark is None) == (writer in (None, software()))


def test_a_start_between_two_rounds_says_so(tmp_path: Path) -> None:
    _, remark = written(tmp_path, [(START_NOTE, {"software": "9.1"})])
    assert remark == (
        f"feltd 9.1 wrote the record up to here, and feltd {software()} goes on with it, between two rounds"
    )


def test_a_start_in_the_middle_of_a_round_names_the_round(tmp_path: Path) -> None:
    _, remark = written(tmp_path, [(START_NOTE, {"software": "9.1"})], round_number=7)
    assert remark == (
        f"feltd 9.1 wrote the record up to here, and feltd {software()} goes on with it in the middle of round 7: "
        "the events of that round were played again"
    )
