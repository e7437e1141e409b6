"""What a book's run has shown: its record verified and replayed, its processes held against themselves."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from feltd.books.shipped import rulebook_sources, structure_sources
from feltd.record import JournalReader
from feltd.record.verify import verify
from table_fsm.library import load_library
from table_fsm.table import Table
from tests.floor.test_release_before import TODAY
from tests.soak.looking import compared, grown
from tests.soak.playing import DEALER, journal_of, master_key
from tests.soak.stretches import Stretch, stretches


@dataclass(frozen=True, slots=True)
class Soaked:
    """How one book's run went.

    `seconds`: of all its stretches; `read`: bytes that the page's reader got; `processes`: what each process held, by
    its name, in the longest stretch, in words; `faults`: what must not be, in words.
    """

    book: str
    stretches: int
    rounds: int
    events: int
    seconds: float
    record_bytes: int
    read: int
    processes: Mapping[str, str]
    faults: tuple[str, ...]

    def line(self) -> str:
        """All of it."""
        beside = "".join(f"; {name}: {said}" for name, said in self.processes.items())
        return (
            f"{self.book}: {self.rounds:,} rounds, {self.events:,} events in {self.seconds:,.0f} s and "
            f"{self.stretches} {'stretch' if self.stretches == 1 else 'stretches'} "
            f"({self.events / self.seconds:,.0f}/s){beside}; record {self.record_bytes / self.events:,.0f} bytes an "
            f"event; the page's reader got {self.read:,} bytes; " + ("; ".join(self.faults) or "nothing is wrong")
        )


def judged(book: str, folder: Path) -> Soaked:
    """Judge the run whose files are there, with all its stretches, and keep the judgement beside them."""
    played = stretches(folder)
    journal, key = journal_of(folder), master_key(folder)
    replayed = _replay(journal, key, played)
    longest = max(played, key=_length)
    soaked = Soaked(
        book,
        len(played),
        replayed.rounds,
        replayed.events,
        sum(stretch.seconds for stretch in played),
        sum(file.stat().st_size for file in folder.glob("table.journal*")),
        sum(stretch.read for stretch in played),
        {name: compared(samples) for name, samples in longest.samples.items()},
        (*_faults(played), *_record_faults(journal, key), *replayed.faults),
    )
    _file(folder).write_text(json.dumps(asdict(soaked)), encoding="utf-8")
    return soaked


def kept_judgement(folder: Path) -> Soaked | None:
    """The last judgement of the run whose files are there; None where there is none yet."""
    if not _file(folder).exists():
        return None
    kept = json.loads(_file(folder).read_text(encoding="utf-8"))
    return Soaked(**{**kept, "faults": tuple(kept["faults"])})


def _file(folder: Path) -> Path:
    return folder / "judgement.json"


def _length(stretch: Stretch) -> int:
    table = stretch.samples.get("table", ())
    return table[-1].events - table[0].events if table else 0


def _faults(played: Sequence[Stretch]) -> list[str]:
    """What each stretch found by itself, and what grew in it."""
    found = []
    for number, stretch in enumerate(played, 1):
        faults = [] if stretch.end is None else list(stretch.end.faults)
        for name, samples in stretch.samples.items():
            faults += [f"{name}: {fault}" for fault in grown(samples)] if name != DEALER else []
        found += [f"stretch {number}: {fault}" for fault in faults]
    return found


@dataclass(frozen=True, slots=True)
class _Replayed:
    rounds: int
    events: int
    faults: tuple[str, ...]


def _replay(journal: Path, key: bytes, played: Sequence[Stretch]) -> _Replayed:
    """Play all events again at a table of today, and hold each device's against what it said that it made."""
    table = Table(load_library(rulebook_sources(), structure_sources()))
    events, taken = 0, Taken()
    with JournalReader.open(journal, key) as reader:
        for recorded in reader.events_since(0, until=reader.head().seq):
            events += 1
            table.apply(recorded.event)
            if recorded.source is not None:
                taken.take(recorded.source.device, recorded.source.boot_id.hex(), recorded.source.seq)
    said = [end.said for end in (stretch.end for stretch in played) if end is not None]
    return _Replayed(
        table.round_number, events, (*taken.faults, *(fault for one in said for fault in taken.lacks(one)))
    )


class Taken:
    """The devices' events in a record: of each boot from 1 on, each once, in order."""

    def __init__(self) -> None:
        self._last: dict[tuple[str, str], int] = {}
        self.faults: list[str] = []

    def take(self, device: str, boot: str, number: int) -> None:
        """The next event in the record."""
        before = self._last.get((device, boot), 0)
        if number != before + 1:
            self.faults.append(f"{device}: event {number} of its start {boot} follows event {before}")
        self._last[device, boot] = number

    def lacks(self, said: Mapping[str, tuple[str, int]]) -> list[str]:
        """What devices said that they had made, and the record has not, or not so."""
        has = {device: self._last.get((device, boot), 0) for device, (boot, _) in said.items()}
        return [
            f"{device}: it made {last} events since its last start, the record has {has[device]}"
            for device, (_, last) in said.items()
            if has[device] < last
        ]


def _record_faults(journal: Path, key: bytes) -> list[str]:
    """What the record's seals show, and what this version answers otherwise than the record says."""
    with JournalReader.open(journal, key) as reader:
        verdict = verify(reader)
    found = [] if verdict.sound and verdict.authenticated else [f"the record: {fault}" for fault in verdict.faults]
    again = TODAY.runs("journal", "replay", str(journal), "--differences")
    return [*found, f"replayed: {again.stdout[-2000:]}{again.stderr[-2000:]}"] if again.returncode else found
