"""The long run, for a short time: what it finds wrong is told, and a table that plays has nothing wrong."""

import asyncio
from pathlib import Path

import pytest

from tests.devices.direct_play import books
from tests.soak.__main__ import line
from tests.soak.running import JUDGED, PageReader, Sample, grown, page_faults, soak

BOOK = "tas-2018-holdem"


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_table_that_plays_has_nothing_wrong(tmp_path: Path) -> None:
    soaked = asyncio.run(soak(books()[BOOK], tmp_path / "table", 100, seed=3))
    assert soaked.faults == ()
    assert soaked.events >= 100
    assert soaked.read > 0
    assert "nothing is wrong" in line(soaked)


def test_a_page_that_does_not_come_is_told() -> None:
    assert asyncio.run(page_faults(PageReader(0), patience=0.0)) == ["no page was reached within 0 s"]
    there = PageReader(0)
    there.came.set()
    assert asyncio.run(page_faults(there, patience=0.0)) == []


def test_a_process_that_grows_is_told() -> None:
    larger = [Sample(0, 60.0, 40), Sample(JUDGED // 2, 64.0, 41), Sample(JUDGED, 67.0, 42)]
    assert grown(larger) == ["memory grew from 64.0 to 67.0 MiB", "open files grew from 41 to 42"]
    assert grown([*larger[:2], Sample(JUDGED, 65.0, 41)]) == []
    assert grown(larger[:2]) == []
