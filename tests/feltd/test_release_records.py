"""Records of earlier releases under this version: each difference is one that the changelog names, and no round in
progress goes on to other rulings.

`python -m tests.feltd.release_records VERSION` reads a record of every drill; here are those that show a difference,
and each eightieth.
"""

from collections import Counter
from pathlib import Path

import pytest

from tests.feltd.release_records import RELEASES, Kept, Read, drills_of, kept_of, lines_of, main, records_read
from tests.releases import BEFORE, ROOT, NotHereError, Release

EVERY = 80

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module", params=RELEASES, ids=str)
def release(request: pytest.FixtureRequest) -> Release:
    released: Release = request.param
    return released


@pytest.fixture(scope="module")
def records(release: Release, tmp_path_factory: pytest.TempPathFactory) -> list[Read]:
    """What came of the records; skips where this clone has not the release's revision."""
    place = tmp_path_factory.mktemp("release")
    try:
        tree = release.take_out(place / "tree")
    except NotHereError as why:
        pytest.skip(str(why))
    drills = dict.fromkeys([kept.drill for kept in kept_of(release)] + drills_of(tree)[::EVERY])
    return list(records_read(release, tree, list(drills), place / "records"))


def test_each_difference_is_one_that_was_read(release: Release, records: list[Read]) -> None:
    found = sum((record.kinds for record in records), Counter[str]())
    assert sorted(found) == sorted(kept.kind for kept in kept_of(release))


def test_the_changelog_names_each_difference(release: Release) -> None:
    since, _, _ = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").partition(f"\n## {release.version} ")
    assert [kept.kind for kept in kept_of(release) if kept.changelog not in since] == []


def test_a_round_in_progress_goes_on_by_its_own_rulings_or_says_why_not(release: Release, records: list[Read]) -> None:
    in_progress = [record for record in records if record.in_progress is not None]
    assert len(in_progress) > 5
    for record in in_progress:
        if record.refused is None:
            assert record.in_progress == 0, record.drill
        else:
            assert f"feltd {release.version} " in record.refused
            assert "end the round, or have a supervisor void it there" in record.refused


def test_a_record_between_two_rounds_is_taken_over(records: list[Read]) -> None:
    at_rest = [record.refused for record in records if record.in_progress is None]
    assert at_rest
    assert set(at_rest) == {None}


def test_the_command_marks_what_nobody_has_read(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    known = {"was a; is b": Kept("was a; is b", "a.jsonl", "words")}
    records = [
        Read("a.jsonl", Counter({"was a; is b": 2}), None, None),
        Read("c.jsonl", Counter({"was a; is b": 1, "was no ruling; is c": 1}), 1, "another text"),
        Read("d.jsonl", Counter(), 0, None),
    ]
    assert list(lines_of(records, known)) == [
        "3 was a; is b\n    a.jsonl",
        "1 NEW was no ruling; is c\n    c.jsonl",
        "1 rounds in progress are gone on with, 1 rounds in progress are refused",
    ]
    assert list(lines_of([], known)) == ["none in progress"]
    monkeypatch.setattr(Release, "take_out", lambda self, into: tmp_path)
    monkeypatch.setattr("tests.feltd.release_records.drills_of", lambda tree: ["c.jsonl", "d.jsonl"])
    monkeypatch.setattr("tests.feltd.release_records.records_read", lambda release, tree, drills, place: records[-1:])
    assert main([str(BEFORE), "--every", "2"]) == 0
    assert capsys.readouterr().out == "1 rounds in progress are gone on with\n"
    monkeypatch.setattr("tests.feltd.release_records.records_read", lambda release, tree, drills, place: records)
    assert main([str(BEFORE)]) == 1
