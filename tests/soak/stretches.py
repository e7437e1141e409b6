"""The stretches of a book's run, in files of its folder: what was seen of its processes, and how each stretch ended.

Each line is written as it is known, so that a run that is killed loses its last seconds at most.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final, Self

from tests.soak.looking import Sample

_FILES: Final = "stretch-*.jsonl"


@dataclass(frozen=True, slots=True)
class End:
    """How a stretch ended. `said`: by device its boot (hex) and the last event that it made in it; `faults`: what must
    not be, in words."""

    said: Mapping[str, tuple[str, int]]
    faults: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Stretch:
    """One stretch: processes that were started, played, and were ended. `seconds`: of it; `read`: bytes that the page's
    reader got; `samples`: of each process, by its name; `end`: None where it was killed."""

    seconds: float
    read: int
    samples: Mapping[str, tuple[Sample, ...]]
    end: End | None


class StretchFile:
    """The file of the stretch that is played."""

    def __init__(self, folder: Path) -> None:
        self.number = len(list(folder.glob(_FILES))) + 1
        self._file = (folder / f"stretch-{self.number:03}.jsonl").open("x", encoding="utf-8")

    def looked(self, seconds: float, read: int, processes: Mapping[str, Sample]) -> None:
        """Keep one look at all processes."""
        told = {name: asdict(sample) for name, sample in processes.items()}
        self._write({"seconds": seconds, "read": read, "processes": told})

    def ended(self, end: End) -> None:
        """Keep how it ended."""
        self._write({"end": asdict(end)})

    def _write(self, line: Mapping[str, Any]) -> None:
        self._file.write(json.dumps(line) + "\n")
        self._file.flush()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()


def stretches(folder: Path) -> list[Stretch]:
    """All that were played there, in order."""
    return [_read(file) for file in sorted(folder.glob(_FILES))]


def events_of(played: list[Stretch]) -> int:
    """The events in the record as they were last counted."""
    return max((one.events for stretch in played for those in stretch.samples.values() for one in those), default=0)


def _read(file: Path) -> Stretch:
    seconds, read, end = 0.0, 0, None
    samples: dict[str, list[Sample]] = {}
    for text in file.read_text(encoding="utf-8").splitlines(keepends=True):
        if not text.endswith("\n"):
            break  # a kill has torn the last line
        line = json.loads(text)
        if "end" in line:
            said = {name: (boot, last) for name, (boot, last) in line["end"]["said"].items()}
            end = End(said, tuple(line["end"]["faults"]))
            continue
        seconds, read = line["seconds"], line["read"]
        for name, sample in line["processes"].items():
            samples.setdefault(name, []).append(Sample(**sample))
    return Stretch(seconds, read, {name: tuple(those) for name, those in samples.items()}, end)
