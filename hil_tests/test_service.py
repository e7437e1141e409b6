"""A whole table as a board has it: feltd under systemd with its shipped units, keys and lamps on pins, nine devices on
USB cables, a dealer who deals all the while. What can befall the hardware befalls it in the middle of a round.

One machine for all tests here, in this order; the last one looks at the record of everything.
"""

import time
from collections.abc import Iterator

import pytest

from feltd.config import load_config
from feltd.daemon import START_NOTE
from feltd.journal import JournalReader
from feltd.journal.verify import verify
from feltd.key_files import read_key
from hil_tests.acceptance.__main__ import report
from hil_tests.acceptance.run import Outcome, carry_out
from hil_tests.acceptance.steps import lamps_of, steps_of
from hil_tests.machine.stock import Stock
from hil_tests.machine_hands import FeedRecord, MachineHands
from hil_tests.machine_table import START_SECONDS
from hil_tests.power import look_at
from hil_tests.running import PATIENCE, RunningTable, running_table
from hil_tests.wires import BY_ID, Fed
from tests.feltd.kill_support import last_events
from tests.feltd.test_kill_and_resume import NeverKilled, assert_each_once

pytestmark = pytest.mark.timeout(1200)

KEY, CHATTERING, STUCK = 17, 5, 6
MARKER, BOX_PRESENT, BOX_LOCKED, CHANNEL = 9, 10, 11, 12
ATTENTION, FAULT = 22, 27
PINS = f"""
[pins]
factory = "lgpio"
chip = "pinctrl-bcm2711"
stuck_seconds = 4
quiet_seconds = 3

[[pins.key]]
name = "floor_called"
line = {KEY}
debounce_ms = 30

[[pins.key]]
name = "chatterer"
says = {{ ev = "floor_called", by = "seat:1" }}
line = {CHATTERING}

[[pins.key]]
name = "sticker"
says = {{ ev = "floor_called", by = "seat:2" }}
line = {STUCK}

[[pins.marker]]
seat = 3
line = {MARKER}

[pins.dropbox]
present = {{ line = {BOX_PRESENT}, active = "high", pull = "up" }}
locked = {{ line = {BOX_LOCKED}, active = "high", pull = "up" }}

[[pins.dropbox.channel]]
cents = 500
line = {CHANNEL}

[[pins.lamp]]
name = "attention"
line = {ATTENTION}

[[pins.lamp]]
name = "fault"
line = {FAULT}
at_stop = "on"
"""
KEYS = "keys:pins"
CABLE = "cable-shoe"
USB_READER = "reader:dealer"


@pytest.fixture(scope="module")
def table(machine_parts: Stock, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningTable]:
    with running_table(tmp_path_factory.mktemp("table"), 31, PINS, usb_reader=USB_READER) as running:
        yield running


def is_started(entry: Fed) -> bool:
    return entry.kind == "host" and entry.name == "note" and entry.body.get("note") == START_NOTE


def gone(table: RunningTable, device: str, after: int) -> Fed:
    """Wait until the table is told that a device is away."""
    return table.event("device.state", after=after, where={"device": device, "online": False})


def back(table: RunningTable, device: str, after: int) -> Fed:
    """Wait until the table is told that it is there again."""
    return table.event("device.state", after=after, where={"device": device, "online": True})


def test_systemd_has_been_told_that_it_is_ready_and_watches_it(table: RunningTable) -> None:
    told = table.unit("ActiveState", "Type", "StatusText", "WatchdogUSec", "User", "ProtectSystem")
    assert told["ActiveState"] == "active"
    assert told["Type"] == "notify"
    assert "http://127.0.0.1:8080" in told["StatusText"]
    assert told["WatchdogUSec"] not in ("0", "infinity")
    assert told["User"] == "feltd"
    assert told["ProtectSystem"] == "strict"
    failed = table.machine.order("systemctl --failed --plain --no-legend")
    assert "feltd" not in failed, failed


def test_a_key_on_a_pin_is_an_event_and_its_bounce_is_none(table: RunningTable) -> None:
    before = table.in_a_round()
    table.hands.pulls(KEY, "d u d 0.3 u d u")
    table.event("floor.called", after=before, where={"by": "dealer"})
    time.sleep(1)
    presses = [
        entry
        for entry in table.table.feed.look()
        if entry.seq > before and entry.name == "floor.called" and entry.device == KEYS
    ]
    assert len(presses) == 1, presses


def test_a_chattering_key_is_disabled_and_named_and_the_fault_lamp_says_so(table: RunningTable) -> None:
    before = table.in_a_round()
    table.hands.chatter(CHATTERING, 400)
    away = gone(table, KEYS, before)
    assert "chatterer" in away.body["reason"]
    table.hands.until(FAULT, True, PATIENCE)
    again = back(table, KEYS, away.seq)  # after some seconds of quiet
    table.plays_on(again.seq)
    table.hands.until(FAULT, False, PATIENCE)  # it stays lit while anything else is out of order


def test_a_stuck_key_is_disabled_until_it_is_let_go(table: RunningTable) -> None:
    before = table.in_a_round()
    table.hands.pull(STUCK, False)
    away = gone(table, KEYS, before)
    assert "sticker" in away.body["reason"]
    table.hands.pull(STUCK, True)
    table.plays_on(back(table, KEYS, away.seq).seq)


def test_a_device_whose_voltage_drops_is_away_and_comes_back(table: RunningTable) -> None:
    before = table.in_a_round()
    table.order("shoe", "power_loss", seconds=2.0)
    table.plays_on(back(table, "shoe", gone(table, "shoe", before).seq).seq)


def test_a_shoe_unplugged_in_a_round_comes_back_under_another_number(table: RunningTable) -> None:
    before = table.in_a_round()
    port = BY_ID.format("shoe")
    number = table.machine.order(f"readlink -f {port}").strip()
    table.machine.unplug(CABLE)
    away = gone(table, "shoe", before)
    # a stranger takes its number
    table.machine.monitor_order("chardev-add", id="line-stranger", backend={"type": "null", "data": {}})
    stranger = {"chardev": "line-stranger", "serial": "stranger", "always-plugged": True}
    table.machine.plug("usb-serial", "cable-stranger", **stranger)
    table.machine.order(f"until [ -e {BY_ID.format('stranger')} ]; do sleep 0.1; done")
    table.machine.plug("usb-serial", CABLE, chardev="line-shoe", serial="shoe")
    again = back(table, "shoe", away.seq)
    assert table.machine.order(f"readlink -f {port}").strip() != number
    table.plays_on(again.seq)


def test_every_step_of_the_acceptance_run_passes_in_the_middle_of_play(table: RunningTable) -> None:
    """Keys, lamps, markers and the drop box on pins; each device on a cable and the USB reader unplugged and back."""
    config = load_config(table.table.folder / "table.toml")
    table.in_a_round()
    hands = MachineHands(table.machine, table.hands, USB_READER)
    results = carry_out(steps_of(config), hands, FeedRecord(table), lamps_of(config), patience=PATIENCE)
    print("\n" + report(config.table.name, results))
    assert {device.name for device in config.devices} <= {result.step.partition(" ")[0] for result in results}
    assert [result for result in results if result.outcome is not Outcome.PASSED] == []
    table.plays_on(table.now())


def test_a_hanging_feltd_is_restarted_by_systemd_and_the_round_goes_on(table: RunningTable) -> None:
    before, restarts = table.in_a_round(), int(table.unit("NRestarts")["NRestarts"])
    table.machine.order("kill -STOP $(systemctl show feltd -P MainPID)")
    started = table.entry(is_started, after=before, seconds=START_SECONDS)
    assert int(table.unit("NRestarts")["NRestarts"]) > restarts
    assert "watchdog" in table.machine.order("journalctl -u feltd -o cat --grep='[Ww]atchdog' --no-pager").lower()
    table.plays_on(started.seq)


def test_after_all_that_each_event_is_in_the_record_once_and_it_verifies(table: RunningTable) -> None:
    table.loop.call_soon_threadsafe(table.dealer.cancel)
    said = table.do(last_events(table.table.equipment))
    table.do(table.table.shut_down(table.machine))
    table.machine.order("sync")
    table.machine.cut()
    folder = table.table.folder
    [found] = look_at([bytes(table.table.disk.content)], folder / "end")
    key = read_key(folder / "journal.key")
    never_stopped = NeverKilled(found / "table.journal", key)
    never_stopped.compare_starts()
    assert never_stopped.compared >= 2
    assert_each_once(never_stopped.events, said)
    with JournalReader.open(found / "table.journal", key) as reader:
        verdict = verify(reader)
    assert verdict.sound, verdict.faults
    assert verdict.authenticated is True
