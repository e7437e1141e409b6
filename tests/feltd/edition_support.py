"""Tables of earlier versions as they lay on the disk (`editions/README.md`), unpacked.

`python -m tests.feltd.edition_support` plays each recording under this version and writes what is answered otherwise
beside it: read the change before you commit it.
"""

import json
import shutil
import tarfile
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from click.testing import CliRunner, Result

from feltd.cli import cli
from feltd.record import JournalReader
from feltd.record.findings import Anchor
from feltd.table.config.config import TableConfig, load_config
from feltd.table.config.key_files import read_key

EDITIONS: Final = Path(__file__).with_name("editions")
PASSWORD: Final = "thrown away with the test"


@dataclass(frozen=True)
class Recording:
    """One recorded table: the version that wrote it, and its rulebook."""

    version: str
    book: str

    def __str__(self) -> str:
        return f"{self.version}-{self.book}"

    @property
    def differences(self) -> Path:
        """The lines of `feltd journal replay --differences` over the whole recording."""
        return EDITIONS / self.version / f"{self.book}.differences.jsonl"

    def unpack(self, into: Path) -> "Installed":
        with tarfile.open(EDITIONS / self.version / f"{self.book}.tar.xz") as archive:
            archive.extractall(into, filter="data")
        facts = json.loads((into / self.book / "facts.json").read_text(encoding="utf-8"))
        return Installed(self, into / self.book, facts["stopped"], facts["went_on"])


RECORDINGS: Final = tuple(
    Recording(version, book)
    for version in ("0.1.0", "0.2.0")
    for book in ("tas-2018-holdem", "tas-2018-stud5", "act-2019-uth")
)


@dataclass(frozen=True)
class Installed:
    """What an earlier version left on the disk in the middle of a round, copied, and what it said of it."""

    recording: Recording
    folder: Path
    stopped: Mapping[str, Any]
    went_on: Mapping[str, Any]

    @property
    def file(self) -> Path:
        return self.folder / "stopped" / "table.toml"

    @property
    def config(self) -> TableConfig:
        return load_config(self.file)

    @property
    def journal(self) -> Path:
        return self.folder / "stopped" / "table.journal"

    @property
    def gone_on(self) -> Path:
        """The same record after that version had ended the round."""
        return self.folder / "went_on.journal"

    @property
    def key_file(self) -> Path:
        return self.folder / "stopped" / "journal.key"

    @property
    def stopped_at(self) -> int:
        """The last entry that the earlier version wrote before it was killed."""
        return Anchor.parse(self.stopped["anchor"]).seq

    def reader(self, journal: Path | None = None) -> JournalReader:
        return JournalReader.open(journal or self.journal, read_key(self.key_file))

    def end_the_round(self) -> None:
        """Put the record in the table's place that goes on to the end of the round."""
        self.journal.with_name("table.journal-wal").unlink()
        shutil.copy(self.gone_on, self.journal)


def feltd(*arguments: str | Path) -> Result:
    """Run a command."""
    result = CliRunner().invoke(cli, [str(argument) for argument in arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def differences_of(journal: Path, *arguments: str | Path) -> Result:
    """Play a journal under this version and list what it answers otherwise."""
    return feltd("journal", "replay", journal, "--differences", *arguments)


def main() -> None:
    """Write the differences of every recording, and print their summaries."""
    for recording in RECORDINGS:
        with tempfile.TemporaryDirectory() as place:
            result = differences_of(recording.unpack(Path(place)).gone_on)
        recording.differences.write_text(result.stdout, encoding="utf-8")
        print(f"{recording}: {result.stderr}", end="")


if __name__ == "__main__":
    main()
