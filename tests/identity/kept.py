"""What a tree has answered, kept so that no tree is played twice: the new one of today is the old one of tomorrow."""

import json
import platform
import shutil
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any, Final

from tests.identity.player import Task

_LIBRARIES: Final = ("pydantic", "pokerkit", "transitions")
"""Those that `table_fsm` imports."""


@dataclass(frozen=True, slots=True)
class Kept:
    """Answers by all that they depend on, in a folder that may be thrown away at any time."""

    folder: Path

    def find(self, task: Task, program: Path) -> dict[str, Any] | None:
        """The statistics of a play that is kept, its digests copied to `task.out`; None where it is not."""
        statistics = self._file(task, program, "json")
        if not statistics.is_file():
            return None
        shutil.copy(self._file(task, program, "digests"), task.out)
        found: dict[str, Any] = json.loads(statistics.read_text(encoding="utf-8"))
        return found

    def keep(self, task: Task, program: Path, statistics: dict[str, Any]) -> None:
        """Keep a play; the statistics last, so that a play that is found is whole."""
        self.folder.mkdir(parents=True, exist_ok=True)
        for kind, content in (("digests", Path(task.out).read_bytes()), ("json", json.dumps(statistics).encode())):
            with NamedTemporaryFile(dir=self.folder, delete=False) as beside:  # another play may keep the same now
                beside.write(content)
            Path(beside.name).replace(self._file(task, program, kind))

    def _file(self, task: Task, program: Path, kind: str) -> Path:
        return self.folder / f"{task.book or task.stream}-{_key(task, program)}.{kind}"


def _key(task: Task, program: Path) -> str:
    facts = [
        task.stream,
        task.book,
        task.events,
        task.seed,
        _contents(Path(task.tree)),
        _contents(program),
        _contents(Path(task.options)),
        platform.python_version(),
        *map(version, _LIBRARIES),
    ]
    return sha256(json.dumps(facts).encode()).hexdigest()[:32]


@cache
def _contents(folder: Path) -> str:
    """SHA-256, as hex, of the names and contents of all files below a folder that stays as it is."""
    digest = sha256()
    for file in sorted(folder.rglob("*")):
        if file.is_file() and "__pycache__" not in file.parts:
            content = file.read_bytes()
            digest.update(f"{file.relative_to(folder).as_posix()}\n{len(content)}\n".encode())
            digest.update(content)
    return digest.hexdigest()
