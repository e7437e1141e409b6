"""The program that measures a floor's load works with few tables, and says every figure."""

import pytest

from tests.chromium import CHROMIUM, REMEDY
from tests.floor import load, load_at_pit, many_entries
from tests.floor.load_tables import PlayedJournal, played_rows
from tests.floor.postgres_support import WHY_NOT, binaries


@pytest.mark.slow
@pytest.mark.skipif(binaries() is None, reason=WHY_NOT)
def test_every_figure_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["--tables", "3", "--seconds", "2", "--away", "2", "--back", "1", "--copy-seconds", "0.1"]
    assert load.main(asked) == 0
    told = capsys.readouterr().out
    for words in (
        "with 3 tables connected",
        "a batch to its acknowledgement p50",
        "PostgreSQL",
        "signatures of heads",
        "30 entries of 2 s away came in",
        "a bare COPY of the same rows",
        "acknowledged on one disk: p50",
        "acknowledged on two servers' disks: p50",
        "processes that wanted them",
    ):
        assert words in told, told


def test_a_played_journal_is_a_real_tables_and_ends_where_its_rows_do() -> None:
    rows = played_rows(300)
    assert len(rows) == len(set(rows)) == 300
    journal = PlayedJournal(1, rows)
    journal.play(200)
    found = journal.stored(0, 9999)
    assert (found.rows, found.chain, found.head) == (tuple(rows[:200]), journal.chains[200], 200)
    with pytest.raises(AssertionError, match="play more rounds"):
        journal.play(101)


@pytest.mark.slow
@pytest.mark.skipif(binaries() is None, reason=WHY_NOT)
def test_each_day_of_many_entries_is_told_and_proved(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["--entries", "12000", "--day", "6000", "--tables", "2", "--leave", "0"]
    assert many_entries.main(asked) == 0
    first, second, proved, ratio, _ = capsys.readouterr().out.splitlines()
    assert (first.split()[0], second.split()[0]) == ("6000", "12000")
    assert proved.startswith("a table's 6000 entries proved")
    assert ratio.startswith("from 6000 to 12000 entries: adding ")


@pytest.mark.slow
@pytest.mark.skipif(binaries() is None, reason=WHY_NOT)
def test_a_disk_without_room_ends_it_before_it_is_full(capsys: pytest.CaptureFixture[str]) -> None:
    assert many_entries.main(["--tables", "2", "--leave", "1000000000"]) == 1
    assert "GiB are left on the disk" in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.skipif(binaries() is None, reason=WHY_NOT)
@pytest.mark.skipif(CHROMIUM is None, reason=REMEDY)
def test_every_figure_of_the_pit_page_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["--tables", "20", "--seconds", "8", "--pairs", "1", "--turn", "1", "--scale", "0.01"]
    assert load_at_pit.main(asked) == 0
    told = capsys.readouterr().out
    for words in ("A round's begin to its tile", "Main thread of a browser", "beside a crowd at the pit page"):
        assert words in told, told


def test_a_rounds_way_to_its_tile_is_taken_from_the_entry_that_begins_it() -> None:
    wrote = [(10, 100.0), (15, 101.0), (20, 102.0), (25, 103.0), (30, 104.0)]
    heard = [(1, 101.5), (3, 104.5)]
    # round 2 was shown with round 3 alone; round 4 never, and round 5 is of another time
    begun = {12: 1, 20: 2, 23: 3, 28: 4, 31: 5}
    waits, lost = load_at_pit.arrived(wrote, begun, heard, 100.0, 105.0)
    assert (waits, lost) == ([0.5, 2.5, 1.5], 1)
    assert load_at_pit.arrived(wrote, begun, heard, 102.5, 104.0) == ([1.5], 0)
