"""Makes the recordings in this folder, with the code of feltd 0.2.0: README.md has the commands.

Run in a checkout of that revision, whose modules it imports. For each book the simulated table plays; the daemon's
process is killed in the middle of a round, and what is on the disk then is `stopped/`. The same daemon is started
again and the same dealer goes on to the end of that round: `went_on.journal`. `facts.json` has what 0.2.0 shows.
"""

import asyncio
import json
import shutil
import subprocess
import sys
import tarfile
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from devices.simulated.things.equipment import lay_out, running
from feltd.books.shipped import rulebook_sources, structure_sources
from feltd.record import EntryKind, HostEntry, JournalReader, Span
from feltd.record.verify import anchor_of
from feltd.simulated.games import game_for, options_for
from feltd.simulated.simulate import SEATS, write_config
from feltd.table.config.key_files import read_key
from feltd.table.journal import Journal
from feltd.table.keeper.recovery import recover
from table_fsm.library import load_library
from tests.feltd.kill_support import DaemonProcess, JournalFeed, dealing
from tests.ports import free_port

MISTAKES: Final = 0.5
WHOLE_ROUNDS: Final = 4
"""So many at least are recorded before the one that is stopped."""
PASSWORD: Final = "thrown away with the test"
PEOPLE: Final = {"anna": ("supervisor", "S1042"), "bert": ("observer", None)}
BOOKS: Final = load_library(rulebook_sources(), structure_sources())


@dataclass(frozen=True)
class Recording:
    """One recording: the book, the seed of the game, and the betting round in which the daemon is killed."""

    book: str
    seed: int
    street: str


RECORDINGS: Final = (
    Recording("tas-2018-holdem", 21, "flop"),
    Recording("tas-2018-stud5", 22, "3"),
    Recording("act-2019-uth", 23, "flop"),
)


def round_at(journal: Path, street: str) -> int | None:
    """The round in progress, if it has come to the betting on this street and is late enough to be stopped."""
    with JournalReader.open(journal) as reader:
        number = reader.round_in_progress()
        if number is None or number <= WHOLE_ROUNDS:
            return None
        phases = reader.entries(Span(round=number, kind=EntryKind.OUTPUT, name="phase"))
        return number if any(_is_betting(entry.body, street) for entry in phases) else None


def _is_betting(output: dict[str, Any], street: str) -> bool:
    return (output["phase"], output.get("street")) == ("betting", street)


def has_ended(journal: Path, number: int) -> bool:
    """Whether the record has the end of a round."""
    with JournalReader.open(journal) as reader:
        return any(True for _ in reader.entries(Span(round=number, kind=EntryKind.HOST, name=HostEntry.ROUND_END)))


def state_of(journal: Path, key: Path) -> dict[str, Any]:
    """What 0.2.0 gets from a copy of a journal: the view, and where the chain ends."""
    with tempfile.TemporaryDirectory() as place:
        for file in journal.parent.glob(f"{journal.name}*"):
            if not file.name.endswith((".lock", "-shm")):
                shutil.copy(file, place)
        opened = Journal.open(Path(place) / journal.name, read_key(key))
        try:
            recovered = recover(opened, BOOKS)
            events = sum(1 for _ in opened.reader.events_since(0))
            anchor = anchor_of(opened.reader)
            view = json.loads(json.dumps(recovered.table.view()))
            in_progress = opened.reader.round_in_progress()
            return {"anchor": str(anchor), "events": events, "round_in_progress": in_progress, "view": view}
        finally:
            opened.close()


def keep(folder: Path, into: Path) -> None:
    """Copy what an installed table has on its disk. Its file names no folder of this machine: where the devices were
    plugged in there is nothing on any, and other paths count from the file."""
    (into / "stopped").mkdir(parents=True)
    for file in sorted(folder.iterdir()):
        if file.name in ("table.journal", "table.journal-wal", "journal.key", "accounts.json") or file.suffix == ".key":
            shutil.copy(file, into / "stopped")
    text = (folder / "table.toml").read_text(encoding="utf-8")
    text = text.replace(f'port = "{folder}/', 'port = "/dev/serial/by-id/simulated-').replace(f"{folder}/", "")
    (into / "stopped" / "table.toml").write_text(text, encoding="utf-8")


def add_people(config: Path) -> None:
    """Make the accounts, by the command of 0.2.0."""
    for name, (role, badge) in PEOPLE.items():
        command = [sys.executable, "-m", "feltd.cli", "user", "add", name, "--role", role, "--password-stdin"]
        command += ["--config", str(config), *(["--badge", badge] if badge else [])]
        subprocess.run(command, input=f"{PASSWORD}\n", text=True, check=True)


async def record(recording: Recording, folder: Path, into: Path) -> None:
    """Play, kill, keep, go on to the end of the round, keep that too."""
    options = options_for(BOOKS[recording.book])
    game = game_for(BOOKS[recording.book], SEATS, options, seed=recording.seed, mistake_rate=MISTAKES)
    equipment = lay_out(folder, game)
    config = write_config(equipment, game, options, "127.0.0.1", free_port())
    add_people(config)
    journal, key = folder / "table.journal", folder / "journal.key"
    daemon = DaemonProcess(config, folder)
    feed = JournalFeed(journal, daemon, len(equipment.devices))
    try:
        async with running(equipment):
            await daemon.start()
            await daemon.ready()
            async with dealing(game, equipment, feed) as dealer:
                while (number := round_at(journal, recording.street)) is None:
                    assert not dealer.done(), dealer.exception()
                    await asyncio.sleep(0.005)
                await daemon.kill()
                keep(folder, into)
                facts: dict[str, Any] = {"book": recording.book, "stopped": state_of(journal, key)}
                assert facts["stopped"]["round_in_progress"] == number, "killed too late: run it again"
                await daemon.start()
                while not has_ended(journal, number):
                    assert not dealer.done(), dealer.exception()
                    await asyncio.sleep(0.005)
            assert await daemon.stop() == 0, daemon.log()
    finally:
        feed.close()
        await daemon.close()
    facts["went_on"] = state_of(journal, key)
    shutil.copy(journal, into / "went_on.journal")
    (into / "facts.json").write_text(json.dumps(facts, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def main(out: Path) -> None:
    """Make every recording, as one archive for each book."""
    for recording in RECORDINGS:
        with tempfile.TemporaryDirectory(prefix="felt") as place:
            into = Path(place) / recording.book
            (Path(place) / "t").mkdir()
            asyncio.run(record(recording, (Path(place) / "t").resolve(), into))
            with tarfile.open(out / f"{recording.book}.tar.xz", "w:xz") as archive:
                archive.add(into, recording.book)
            facts = json.loads((into / "facts.json").read_text(encoding="utf-8"))
            print(recording.book, "stopped in", facts["stopped"]["view"]["phase"], facts["stopped"]["view"]["prompt"])


if __name__ == "__main__":
    main(Path(sys.argv[1]))
