"""A target of the fuzzing: where bytes go in, which there are to begin with, and what makes an input a finding."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

CORPUS = Path(__file__).parent / "corpus"
"""A folder for each target: inputs that were findings once, and others worth keeping. All are played by the tests."""

Judge = Callable[[bytes], None]
"""Takes one input. An exception is a finding: it lets through no more than what the place is said to raise."""


@dataclass(frozen=True, slots=True)
class Target:
    """`opened`: what is set up once for many inputs. `seeds`: inputs to be changed. `words`: pieces put into them."""

    name: str
    opened: Callable[[], AbstractContextManager[Judge]]
    seeds: Callable[[], Sequence[bytes]]
    words: Sequence[bytes] = ()

    @property
    def folder(self) -> Path:
        """Its kept inputs."""
        return CORPUS / self.name

    def kept(self) -> list[Path]:
        """Its kept inputs, by name."""
        return sorted(path for path in self.folder.glob("*") if path.is_file())
