"""What this version answers otherwise to records that an earlier release wrote, one of each of its drills.

    python -m tests.feltd.release_records 0.8.0                 every drill of that release
    python -m tests.feltd.release_records 0.9.0 --every 80

Prints each kind of difference as `feltd journal replay --differences` names it, how often it came and in which drill
first, and what becomes of the rounds that were in progress. `editions/VERSION/differences.toml` has the kinds that were
read, each with its line of the changelog; the status is 1 where another one came.
"""

import argparse
import asyncio
import tempfile
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from feltd.books.drill import find_drills
from feltd.record import JournalReader
from feltd.table.journal import Journal
from feltd.table.keeper.differences import Difference, Differences
from feltd.table.keeper.edition import RecoveryError
from feltd.table.keeper.recovery import recover
from tests.feltd.edition_support import EDITIONS
from tests.feltd.seal_support import PRIVATE
from tests.feltd.table_support import BOOKS, KEY
from tests.releases import BEFORE, EARLIER, Release, run_by

RELEASES: Final = (BEFORE, EARLIER)
AT_ONCE: Final = 400
"""Drills in one call of the release's program."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A kind of difference that was read: a drill of the release that shows it, and the words of the changelog."""

    kind: str
    drill: str
    changelog: str


@dataclass(frozen=True, slots=True)
class Read:
    """What came of one record. `in_progress`: the other rulings in its last round, None where that is over.

    `refused`: why no start of this version goes on with the record; None where one does.
    """

    drill: str
    kinds: Counter[str]
    in_progress: int | None
    refused: str | None


def kept_of(release: Release) -> tuple[Kept, ...]:
    """The kinds of difference that were read."""
    file = EDITIONS / release.version / "differences.toml"
    return tuple(Kept(**each) for each in tomllib.loads(file.read_text(encoding="utf-8")).get("difference", ()))


def drills_of(tree: Path) -> list[str]:
    """The drills of a release, by their paths in its tree."""
    return [str(drill.relative_to(tree)) for drill in find_drills([tree / "tests" / "drills"])]


def records_read(release: Release, tree: Path, drills: Sequence[str], place: Path) -> Iterator[Read]:
    """Have the release's program write a record of each drill, and read it."""
    for first in range(0, len(drills), AT_ONCE):
        some, out = drills[first : first + AT_ONCE], place / str(first)
        files = [str(tree / drill) for drill in some]
        run_by(tree, EDITIONS / "write_records.py", release.version, str(out), *files)
        for number, drill in enumerate(some):
            yield read(drill, out / str(number) / "table.journal")


def read(drill: str, journal: Path) -> Read:
    """Play a record again, and start with it."""
    with JournalReader.open(journal, KEY, PRIVATE) as reader:
        found = Differences(reader, BOOKS)
        listed, in_progress = list(found), reader.round_in_progress()
    assert found.ended is None
    in_round = [each for each in listed if each.round == in_progress and _rules_otherwise(each)]
    return Read(drill, found.kinds, None if in_progress is None else len(in_round), asyncio.run(_start(journal)))


def _rules_otherwise(difference: Difference) -> bool:
    """Whether a ruling is another. A prompt may be: the round goes on with the one of this version."""
    return _rulings(difference.recorded) != _rulings(difference.now)


def _rulings(outputs: Sequence[Mapping[str, Any]] | None) -> list[tuple[Any, ...]]:
    given = [output["ruling"] for output in outputs or () if "ruling" in output]
    return [(each["irregularity"], each["rule"], each["outcome"], each["also"], each["seat"]) for each in given]


async def _start(journal: Path) -> str | None:
    opened = Journal.open(journal, KEY)
    try:
        recover(opened, BOOKS)
    except RecoveryError as fault:
        return f"{fault.what}. {fault.remedy}"
    finally:
        opened.close()
    return None


def lines_of(records: Iterable[Read], known: Mapping[str, Kept]) -> Iterator[str]:
    """What came of records, in words; what is not known is marked."""
    kinds, first, ends = Counter[str](), dict[str, str](), Counter[str]()
    for record in records:
        kinds += record.kinds
        for kind in record.kinds:
            first.setdefault(kind, record.drill)
        if record.in_progress is not None:
            ends["refused" if record.refused else "gone on with"] += 1
    for kind, times in kinds.most_common():
        yield f"{times} {'' if kind in known else 'NEW '}{kind}\n    {first[kind]}"
    yield (
        ", ".join(f"{times} rounds in progress are {how}" for how, times in sorted(ends.items())) or "none in progress"
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Write, read, print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("release", choices=[release.version for release in RELEASES])
    parser.add_argument("--every", type=int, default=1, help="only each so manieth drill")
    asked = parser.parse_args(arguments)
    release = next(release for release in RELEASES if release.version == asked.release)
    known = {kept.kind: kept for kept in kept_of(release)}
    with tempfile.TemporaryDirectory() as place:
        tree = release.take_out(Path(place) / "tree")
        drills = drills_of(tree)[:: asked.every]
        lines = list(lines_of(records_read(release, tree, drills, Path(place) / "records"), known))
    print("\n".join(lines))
    return int(any(" NEW " in line for line in lines))


if __name__ == "__main__":
    raise SystemExit(main())
