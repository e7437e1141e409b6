"""A whole arm64 machine with the package installed: Debian's kernel and root, systemd, pins, cables, a watchdog.

QEMU's own board with the processor of a Raspberry Pi 4. One machine for all tests here, in this order. What an amd64
machine has shown (`test_service.py`) is not done again: here it counts that the package's compiled libraries, the pins
and the plugs work on this architecture, and that the record outlives its power.
"""

import shutil
from collections.abc import Iterator

import pytest

from feltd.record import EntryKind, HostEntry, JournalReader
from feltd.record.verify import verify
from feltd.table.config.key_files import read_key
from hil_tests.elsewhere.roots import ARM64, Elsewhere, Root
from hil_tests.machine.errors import CannotBeHadError
from hil_tests.machine.ground import ARM64 as ARM64_MACHINE
from hil_tests.machine.ground import CHECKOUT, Ground
from hil_tests.machine.stock import Stock, stock
from hil_tests.machine.tree import WATCHDOG as PATIENT_WATCHDOG
from hil_tests.machine_table import START_SECONDS
from hil_tests.power import look_at
from hil_tests.running import PATIENCE, RunningTable, is_started, running_table
from tests.feltd.kill_support import last_events
from tests.feltd.never_killed import NeverKilled, assert_each_once

pytestmark = [
    pytest.mark.timeout(3600),
    pytest.mark.parametrize("place", [ARM64], ids=str, indirect=True),
]
KEY, GATE, PLAY, STOP = 17, 16, 23, 24
PINS = f"""
[pins]
factory = "lgpio"
chip = "pinctrl-bcm2711"

[[pins.key]]
name = "floor_called"
line = {KEY}
debounce_ms = 900

[pins.gate]
line = {GATE}

[[pins.lamp]]
name = "play"
line = {PLAY}

[[pins.lamp]]
name = "stop"
line = {STOP}
"""
USB_READER = "reader:dealer"
WATCHDOG = "/sys/class/watchdog/watchdog0"
THERE = "opt/hil"
"""In the root: the few modules of this checkout that work in a machine."""
SEED = 41


@pytest.fixture(scope="module")
def arm64_parts() -> Stock:
    try:
        return stock(ARM64_MACHINE)
    except CannotBeHadError as reason:
        pytest.skip(str(reason))


@pytest.fixture(scope="module")
def table(
    machine_parts: Stock, arm64_parts: Stock, installed: Root, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RunningTable]:
    shutil.copytree(CHECKOUT / "hil_tests", installed.folder / THERE / "hil_tests")
    ground = Ground(ARM64_MACHINE, installed.folder, f"/{THERE}", "/opt/feltd/bin/python3", packaged=True)
    with running_table(tmp_path_factory.mktemp("table"), SEED, PINS, USB_READER, ground) as running:
        yield running


def test_systemd_runs_the_package_on_an_arm64_kernel(table: RunningTable, place: Elsewhere) -> None:
    assert table.machine.order("uname -m").strip() == place.machine
    told = table.unit("ActiveState", "ExecStart", "User")
    assert told["ActiveState"] == "active"
    assert "/opt/feltd/bin/feltd table" in told["ExecStart"]
    assert told["User"] == "feltd"


def test_the_tables_file_is_checked_there(table: RunningTable) -> None:
    said = table.machine.order("feltd check /etc/feltd/table.toml || test $? = 1", START_SECONDS * 3)
    assert "the table runs (process" in said
    [fault] = [line for line in said.splitlines()[:-1] if not line.startswith("note: ")]
    assert "MiB are free in" in fault, "the machine's disk is as small as a card never is"


def test_a_key_and_lamps_on_pins_work_while_a_round_is_dealt_through_the_cables(table: RunningTable) -> None:
    before = table.in_a_round()
    table.hands.pulls(KEY, "d u d 0.3 u d u 1.2")
    called = table.event("floor.called", after=before, where={"by": "dealer"})
    assert called.device == "keys:pins"
    table.hands.until(PLAY, True, PATIENCE)
    table.hands.until(GATE, True, PATIENCE)
    dealt = table.entry(lambda entry: entry.device == USB_READER, after=before)
    table.entry(lambda entry: (entry.kind, entry.name) == (EntryKind.HOST, HostEntry.ROUND_END), after=dealt.seq)


def test_the_page_has_come_up_too_and_no_unit_has_failed(table: RunningTable) -> None:
    table.machine.order("until systemctl is-active felt-page; do sleep 0.5; done", START_SECONDS * 3)
    assert "felt" not in table.machine.order("systemctl --failed --plain --no-legend")


def test_after_a_power_cut_the_round_goes_on_and_the_record_verifies(table: RunningTable) -> None:
    # the page came up before; to start it takes the emulated machine as long as everything else together
    (table.table.folder / "tree/etc/systemd/system/felt-page.service").symlink_to("/dev/null")
    before = table.at_a_deal()
    table.cut(SEED)
    started = table.entry(is_started, after=before, seconds=START_SECONDS)
    table.plays_on(started.seq)
    table.loop.call_soon_threadsafe(table.dealer.cancel)
    said = table.do(last_events(table.table.equipment))
    table.do(table.table.shut_down(table.machine))
    table.machine.order("sync")
    folder = table.table.folder
    [found] = look_at([bytes(table.table.disk.content)], folder / "end")
    key = read_key(folder / "journal.key")
    never_cut = NeverKilled(found / "table.journal", key)
    never_cut.compare_starts()
    assert never_cut.compared == 2
    assert_each_once(never_cut.events, said)
    with JournalReader.open(found / "table.journal", key) as reader:
        sound = verify(reader)
    assert sound.sound, sound.faults
    assert sound.authenticated is True


def test_the_hardware_watchdog_is_armed_as_the_package_says(table: RunningTable) -> None:
    """Last, with the table stopped: it waits so short a time that it bites a machine whose host has much else to do."""
    said = table.machine.order(
        f"rm {PATIENT_WATCHDOG}; systemctl daemon-reexec; cd {WATCHDOG}; cat identity state timeout"
    )
    shipped = (CHECKOUT / "systemd/feltd.watchdog.conf").read_text(encoding="utf-8")
    identity, state, seconds = said.splitlines()
    assert (identity, state) == ("i6300ESB timer", "active")
    assert f"RuntimeWatchdogSec={seconds}\n" in shipped
