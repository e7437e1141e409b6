"""The power fails at any moment, also in the middle of a write, and the disk forgets half of what it was not told to
keep: every acknowledged event is there, the journal verifies, the round goes on where it stood.

`FELTD_CUTS` sets how many cuts there are (20), `FELTD_REAL_CUTS` how many more end the machine while it plays (2).
"""

import asyncio
import os
import random
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from feltd.books.shipped import rulebook_sources, structure_sources
from feltd.cli.journal_commands import journal
from feltd.record import EntryKind, HostEntry, JournalReader, Span
from feltd.record.notes import START_NOTE
from feltd.record.verify import verify
from feltd.table.config.key_files import read_key
from feltd.table.keeper.recovery import state_mark
from feltd.text.errors import JournalError
from hil_tests.machine.stock import Stock
from hil_tests.machine_table import machine_table
from hil_tests.power import Cut, Evening, Left, look_at, looked_at, play_evening
from hil_tests.record_cost import cost_of
from hil_tests.wires import DATA
from table_fsm.library import load_library
from table_fsm.table import Table
from tests.feltd.kill_support import DaemonProcess, last_events, mark_at
from tests.feltd.never_killed import NeverKilled, assert_each_once
from tests.feltd.seal_support import PRIVATE
from tests.warm import WarmStart

CUTS = int(os.environ.get("FELTD_CUTS", "20"))
REAL_CUTS = int(os.environ.get("FELTD_REAL_CUTS", "2"))
SEED = int(os.environ.get("FELTD_CUT_SEED", "20"))
EVENING_SECONDS = 45.0
JOURNAL = "table.journal"
LYING = range(4)
"""Seeds of cuts of a disk that does not flush."""
TORN = range(16)
"""Seeds of cuts while ext4 writes its own superblock: in four of them only one half of it is new."""
FROM_A_COPY = "trying backup blocks"
IN_A_ROUND = ("dealing", "betting", "board", "draw", "showdown", "settling")

pytestmark = pytest.mark.timeout(3600 + 15 * CUTS)


class LossError(AssertionError):
    """Something that a device was told is recorded is not in the journal after a cut, or the journal is not sound."""


@pytest.fixture(scope="module")
def evening(machine_parts: Stock, tmp_path_factory: pytest.TempPathFactory) -> Evening:
    return asyncio.run(play_evening(tmp_path_factory.mktemp("evening"), SEED, EVENING_SECONDS))


@pytest.fixture(scope="module")
def left(evening: Evening) -> Left:
    return looked_at(evening, range(SEED, SEED + CUTS), evening.folder / "left", lying=LYING, torn=TORN)


@pytest.fixture(scope="module")
def whole(evening: Evening, left: Left) -> Iterator[JournalReader]:
    """The journal of the evening as it really ended: what every cut must have a beginning of."""
    key = read_key(evening.folder / "journal.key")
    with JournalReader.open(left.good / JOURNAL, key, PRIVATE) as reader:
        assert verify(reader).sound
        yield reader


def chain_at(reader: JournalReader, seq: int) -> bytes | None:
    found = next(reader.rows_with_chain(Span(after=seq - 1, until=seq)), None)
    return None if found is None else bytes(found[1])


def check_kept(evening: Evening, cut: Cut, whole: JournalReader) -> int:
    """Everything acknowledged before the cut is there, and what is there is what was written; the last entry's number.

    Raises LossError.
    """
    try:
        with JournalReader.open(cut.found / JOURNAL, read_key(evening.folder / "journal.key")) as reader:
            verdict, head = verify(reader), reader.head()
            held = {
                (row.device, row.boot_id): row.device_seq
                for row in reader.rows(Span(kind=EntryKind.EVENT))
                if row.device is not None
            }
    except JournalError as error:
        raise LossError(f"seed {cut.seed}: {error}") from error
    if not verdict.sound or not verdict.authenticated:
        raise LossError(f"seed {cut.seed}: {verdict.faults}")
    if chain_at(whole, head.seq) != head.chain:
        raise LossError(f"seed {cut.seed}: entry {head.seq} is not the one that was written")
    for device, (boot, seq) in evening.acknowledged_by(cut.at).items():
        if (held.get((device, boot)) or 0) < seq:
            raise LossError(f"seed {cut.seed}: {device} was told that its event {seq} is recorded, and it is not")
    return head.seq


async def resume(evening: Evening, cut: Cut, warm: WarmStart) -> tuple[str, Callable[[bytes], str]]:
    """Start the table's process on what is left; the mark of the state in which it stands then, and its maker."""
    config = evening.folder / "table.toml"
    text = config.read_text(encoding="utf-8").replace("/shared", str(evening.folder)).replace(DATA, str(cut.found))
    (cut.found / "table.toml").write_text(text, encoding="utf-8")
    daemon = DaemonProcess(cut.found / "table.toml", cut.found, "table", "--page-user", "root", warm=warm)
    try:
        await daemon.start()
        await daemon.ready()
        assert await daemon.stop() == 0, daemon.log()
    finally:
        await daemon.close()
    key = read_key(evening.folder / "journal.key")
    with JournalReader.open(cut.found / JOURNAL, key, PRIVATE) as reader:
        span = Span(kind=EntryKind.HOST, name=HostEntry.NOTE)
        starts = (entry for entry in reader.entries(span, newest_first=True) if entry.body["note"] == START_NOTE)
        start = next(starts)
        return str(start.body["state"]), mark_at(reader, key, start.seq)


def test_after_every_cut_all_that_was_acknowledged_is_there_and_the_round_goes_on(
    evening: Evening, left: Left, whole: JournalReader
) -> None:
    never_cut, fed, in_a_round, lost = Table(load_library(rulebook_sources(), structure_sources())), 0, 0, 0
    # by what was kept: of two cuts in one commit the later may have lost what chance left on the disk in the earlier
    kept = [(check_kept(evening, cut, whole), cut) for cut in left.cuts]
    with WarmStart("table") as warm:
        for last, cut in sorted(kept, key=lambda one: one[0]):
            told = CliRunner().invoke(journal, ["verify", str(cut.found / JOURNAL)])
            assert told.exit_code == 0, (cut.seed, told.output)
            for recorded in whole.events_since(fed, until=last):
                never_cut.apply(recorded.event)
            fed = last
            in_a_round += never_cut.view()["phase"] in IN_A_ROUND
            lost += cut.unflushed > 0
            state, mark = asyncio.run(resume(evening, cut, warm))
            assert state == state_mark(never_cut, mark), f"seed {cut.seed}"
            shutil.rmtree(cut.found)  # hundreds of them fill a disk
    print(f"\nwritten to the disk: {cost_of(evening, left.good)}")
    print(f"{len(kept)} cuts: {in_a_round} in a round, {lost} with something in the cache; nothing acknowledged lost")
    assert in_a_round > 0
    assert lost > 0


def test_a_disk_that_does_not_flush_is_seen_to_lose(evening: Evening, left: Left, whole: JournalReader) -> None:
    cuts = [cut for cut in left.lied if evening.acknowledged_by(cut.at)]
    assert cuts
    for cut in cuts:
        with pytest.raises(LossError):
            check_kept(evening, cut, whole)


def test_a_start_mends_a_superblock_that_was_torn(evening: Evening, left: Left, whole: JournalReader) -> None:
    for cut in left.torn:
        check_kept(evening, cut, whole)
    mended = [cut for cut in left.torn if FROM_A_COPY in (cut.found / "fsck.out").read_text(encoding="utf-8")]
    assert mended, "chance has torn none"


def test_a_table_cut_off_while_it_plays_goes_on_after_each_cut(machine_parts: Stock, tmp_path: Path) -> None:
    asyncio.run(_cut_and_play_on(tmp_path))


async def _cut_and_play_on(folder: Path) -> None:
    chance = random.Random(SEED)
    async with machine_table(folder, SEED) as table, table.dealt() as dealer:
        for number in range(REAL_CUTS):
            async with table.powered(f"life-{number}") as machine:
                await asyncio.sleep(chance.uniform(4, 10))
                assert not dealer.done(), dealer.exception()
                await table.cut(machine, SEED + number)
        async with table.powered("last-life") as machine:
            await asyncio.sleep(10)
            assert not dealer.done(), dealer.exception()
            dealer.cancel()
            said = await last_events(table.equipment)
            await table.shut_down(machine)
        left = bytes(table.disk.content)
    [found] = await asyncio.to_thread(look_at, [left], folder / "end")
    key = read_key(folder / "journal.key")
    never_cut = NeverKilled(found / JOURNAL, key)
    never_cut.compare_starts()
    assert_each_once(never_cut.events, said)
    assert never_cut.compared == REAL_CUTS + 1
    with JournalReader.open(found / JOURNAL, key) as reader:
        verdict = verify(reader)
    assert verdict.sound, verdict.faults
    assert verdict.authenticated is True
    print(f"\n{REAL_CUTS} cuts while playing: {len(never_cut.events)} events, {never_cut.mid_round} starts in a round")
