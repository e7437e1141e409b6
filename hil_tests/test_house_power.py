"""The power of a whole house fails: of a table with its page and its uplink, of the floor and of its database, at any
write of either's disk, also while they come up again after the cut before.

After each cut: what a device was told is recorded is in the table's record, which verifies; so is all that the dealer
was shown. The page's accounts open, and the password that the page last said is taken holds. The database comes up and
has all that it had committed, which is the beginning of the table's record, and the uplink goes on behind it. The table
stands where a run stands that was never cut, and plays on. In the end the floor's copy is the record, entry by entry.
A house in which one disk answers flushes and does nothing must be seen to lose.

`FELTD_CUTS` sets how many cuts there are (20), in evenings of at most 40; `FELTD_CUT_SEED` what is dealt in the first
and when they come.
"""

import asyncio
import os
import random
from collections import Counter
from collections.abc import Coroutine, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import pytest

from feltd.record import EntryKind, JournalReader, Span
from feltd.record.verify import verify
from feltd.table.config.key_files import read_key
from feltd.text.errors import FeltdError
from hil_tests.house import COMMANDS, House, house
from hil_tests.machine.own_disk import why_no_own_disk
from hil_tests.machine_table import Seen
from hil_tests.wires import Wires, wired
from tests.feltd.kill_support import dealing, last_events
from tests.feltd.never_killed import NeverKilled, assert_each_once
from tests.floor.beside_table import assert_one_record, floor_has
from tests.floor.postgres_support import WHY_NOT, binaries
from tests.floor.test_release_before import chains
from tests.warm import WarmStart

CUTS: Final = int(os.environ.get("FELTD_CUTS", "20"))
SEED: Final = int(os.environ.get("FELTD_CUT_SEED", "20"))
EVENING: Final = 40
"""Cuts of one house: its record grows with each, and another house has the next ones."""
MANY: Final = 20
"""With so many cuts chance leaves out nothing of what is to be cut."""
LYING_CUTS: Final = 6
"""At the first that a disk has lost something at, the test of it ends."""
WITHIN: Final = {"board": 60, "page": 60, "floor": 60, "coming up": 150}
"""By what is going on, how many of the disk's requests are waited for at most."""
ORDER: Final = ("board", "floor", "page", "board", "floor", "coming up")
KEPT_HEAD: Final = "SELECT seq, chain FROM floor.head"
KEPT_ROWS: Final = "SELECT coalesce(sum(last - first + 1), 0), coalesce(max(last), 0) FROM floor.batch"

pytestmark = pytest.mark.timeout(1800 + 60 * EVENING)


@pytest.fixture
def folder() -> Iterator[Path]:
    """A short one: a socket's path has 107 bytes. PostgreSQL's user looks into it."""
    with TemporaryDirectory(prefix="feltd-house-", dir="/tmp") as name:
        Path(name).chmod(0o755)
        yield Path(name)


class LossError(AssertionError):
    """After a cut something is gone that was said to be kept, or what is left does not come up again."""


@pytest.fixture
def warm() -> Iterator[dict[str, WarmStart]]:
    if (why := why_no_own_disk()) is not None:
        pytest.skip(why)
    if binaries() is None:
        pytest.skip(WHY_NOT)
    with ExitStack() as stack:
        yield {command: stack.enter_context(WarmStart(command)) for command in COMMANDS}


@pytest.mark.parametrize("begun", range(0, CUTS, EVENING))
def test_after_every_cut_table_page_and_floor_have_what_they_said_they_have(
    folder: Path, warm: dict[str, WarmStart], begun: int
) -> None:
    seed = SEED + begun // EVENING
    with house(folder, seed, warm) as at:
        asyncio.run(_cut_again_and_again(at, min(EVENING, CUTS - begun), seed))


@pytest.mark.parametrize("disk", ["board", "floor"])
def test_a_house_with_a_disk_that_does_not_flush_is_seen_to_lose(
    folder: Path, warm: dict[str, WarmStart], disk: str
) -> None:
    with house(folder, SEED, warm, lying=disk) as at, pytest.raises(LossError) as seen:
        asyncio.run(_cut_again_and_again(at, LYING_CUTS, SEED))
    print(f"\n{disk} lies: {str(seen.value)[:400]}")


@contextmanager
def _seen_as_loss() -> Iterator[None]:
    try:
        yield
    except (AssertionError, FeltdError, OSError) as fault:
        raise LossError(str(fault)) from fault


async def _cut_again_and_again(at: House, cuts: int, seed: int) -> None:
    wires, chance, cut = Wires(), random.Random(seed), Counter[str]()
    never_cut = NeverKilled(at.journal, read_key(at.key_file))
    async with wired(at.equipment, wires, lambda: at.lives):
        async with dealing(at.game, at.equipment, Seen(wires, at.feed), pace=0.005) as dealer:
            while cut.total() < cuts:
                _put_disks_in(at, wires, never_cut)
                what = ORDER[cut.total() % len(ORDER)]
                await _until_cut(at, dealer, _life(at, what, chance))
                cut[what] += 1
                await at.power_off(seed * 1000 + cut.total())
            _put_disks_in(at, wires, never_cut)
            await at.start()
            await _floor_has_all(at)
        said = await last_events(at.equipment)
        with JournalReader.open(at.journal) as reader:
            await floor_has(at.database, reader.head().seq, at.others)
        await at.shut_down()
    never_cut.compare_starts()
    assert_each_once(never_cut.events, said)
    assert_one_record(at.folder, at.journal, at.floor_file)
    starts, entries = never_cut.compared, len(chains(at.journal))
    at.take_disks_out()
    print(
        f"\ncuts {dict(cut)}, with something in the cache of {dict(at.unflushed)}; {starts} starts of the table "
        f"({never_cut.mid_round} in a round), {len(never_cut.events)} events, {entries} entries, "
        f"{at.password.changed} passwords"
    )
    if cuts >= MANY:
        assert at.password.changed > 0
        assert never_cut.mid_round > 0
        assert at.unflushed, "no cut found anything in a cache"


def _put_disks_in(at: House, wires: Wires, never_cut: NeverKilled) -> None:
    with _seen_as_loss():
        at.put_disks_in()
        if at.lives:
            _record_has_all(at, wires)
            never_cut.compare_starts()


async def _until_cut(at: House, dealer: "asyncio.Task[None]", life: Coroutine[Any, Any, None]) -> None:
    """Live until the power fails."""
    living, running = asyncio.create_task(life), asyncio.create_task(at.watch_processes())
    failed = asyncio.create_task(asyncio.to_thread(at.power_failed.wait))
    await asyncio.wait([living, running, failed, dealer], return_when=asyncio.FIRST_COMPLETED)
    if not at.power_failed.is_set():
        at.power_failed.set()  # for the thread that waits for it
        await failed
        with _seen_as_loss():
            for task in (running, living):
                if task.done():
                    task.result()
        if dealer.done():
            dealer.result()
        raise AssertionError("the dealer has ended, or the table's life")
    living.cancel()
    running.cancel()
    await asyncio.gather(living, running, return_exceptions=True)


async def _life(at: House, what: str, chance: random.Random) -> None:
    """From the power's coming until it fails, which is while this goes on."""
    if what == "coming up":
        at.cut_at(chance.choice(("board", "floor")), WITHIN[what], chance)
    await at.start()
    if what != "coming up":
        await _floor_has_all(at)
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(at.watch_floor())
        if what == "page":
            tasks.create_task(at.change_passwords())
            first = at.password.changed + 1
            while at.password.changed < first:  # noqa: ASYNC110 - the page tells it to its own visitor
                await asyncio.sleep(0.01)
        if what != "coming up":
            at.cut_at("floor" if what == "floor" else "board", WITHIN[what], chance)


def _record_has_all(at: House, wires: Wires) -> None:
    """What the devices were told, and what the dealer was shown, is in the record, which verifies."""
    with JournalReader.open(at.journal, read_key(at.key_file)) as reader:
        verdict, head = verify(reader), reader.head()
        held = {
            (row.device, row.boot_id): row.device_seq
            for row in reader.rows(Span(kind=EntryKind.EVENT))
            if row.device is not None
        }
    assert verdict.sound, verdict.faults
    assert verdict.authenticated is True
    assert head.seq >= at.feed.last, "an entry that was shown is gone"
    for device, (boot, seq) in wires.last.items():
        assert (held.get((device, boot)) or 0) >= seq, f"{device} was told that its event {seq} is recorded"


async def _floor_has_all(at: House) -> None:
    """The database has what it had committed: the beginning of the record, no entry twice."""
    connection, kept = await at.connected(), at.kept
    try:
        async with connection.transaction(isolation="repeatable_read"):
            head, rows = await connection.fetchrow(KEPT_HEAD), await connection.fetchrow(KEPT_ROWS)
    finally:
        await connection.close()
    if head is None:
        assert kept == 0, "the floor's database has lost all that it had committed"
        return
    assert head["seq"] >= kept, "the floor's database has lost what it had committed"
    assert tuple(rows) == (head["seq"], head["seq"]), "an entry is missing at the floor, or there twice"
    with JournalReader.open(at.journal) as reader:
        [(_, chain)] = reader.rows_with_chain(Span(after=head["seq"] - 1, until=head["seq"]))
    assert bytes(chain) == head["chain"], f"the floor's entry {head['seq']} is not the table's"
    assert await at.went_on_behind() >= kept, "the uplink goes on from before what the floor has"
