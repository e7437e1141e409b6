"""A whole table as a board has it: feltd under systemd with its shipped units, keys and lamps on pins, nine devices on
USB cables, a dealer who deals all the while. What can befall the hardware befalls it in the middle of a round.

One machine for all tests here, in this order; the last one looks at the record of everything. `.ci/run` takes them in
two parts, a machine for each (`side_by_side.py`): what befalls a table that is in play, and what hangs and is started
anew. What is true of each part has both marks.
"""

from collections import defaultdict
from collections.abc import Iterator

import pytest

from feltd.acceptance.plan import steps_of
from feltd.acceptance.report import line_of
from feltd.acceptance.run import Place, StepResult, carry_out
from feltd.acceptance.steps import Act, Motion
from feltd.record import HostEntry, JournalReader
from feltd.record.verify import verify
from feltd.table.config.config import load_config
from feltd.table.config.key_files import read_key
from hil_tests.guest.usb_reader import PRODUCT, VENDOR
from hil_tests.machine.errors import GuestFailedError
from hil_tests.machine.ground import CHECKOUT
from hil_tests.machine.stock import Stock
from hil_tests.machine.tree import WATCHDOG as PATIENT_WATCHDOG
from hil_tests.machine_hands import FeedRecord, MachineHands
from hil_tests.machine_table import START_SECONDS
from hil_tests.power import look_at
from hil_tests.running import IN_A_ROUND, PATIENCE, RunningTable, is_phase, is_started, running_table
from hil_tests.wires import BY_ID, Fed
from tests.feltd.kill_support import last_events
from tests.feltd.never_killed import NeverKilled

pytestmark = pytest.mark.timeout(3600)
in_play = pytest.mark.in_play
hung = pytest.mark.hung

KEY, CHATTERING, STUCK = 17, 5, 6
ROW, COLUMNS = 20, (21, 26)
BUTTON, BUCK, START = 9, 13, 19
BOX_PRESENT, BOX_LOCKED, CHANNEL = 10, 11, 12
GATE, BUZZER = 16, 18
PLAY, ATTENTION, STOP, FAULT = 23, 22, 24, 27
ARMING_SECONDS = 150.0
# One row: the simulated chip's pulls are the wires, and a wire that follows a row in time they cannot be.
# The bouncing key's contacts may bounce for as long as a machine may stand still between two of its edges.
PINS = f"""
[pins]
factory = "lgpio"
chip = "pinctrl-bcm2711"
stuck_seconds = 6
quiet_seconds = 3
chatter = 20

[[pins.key]]
name = "floor_called"
line = {KEY}
debounce_ms = 900

[pins.matrix]
rows = [{ROW}]
columns = {list(COLUMNS)}

[[pins.key]]
name = "first_of_row"
says = {{ ev = "floor_called", by = "seat:5" }}
row = 1
column = 1

[[pins.key]]
name = "second_of_row"
says = {{ ev = "floor_called", by = "seat:7" }}
row = 1
column = 2

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
line = {BUTTON}

[[pins.marker]]
seat = 3
marker = "buck"
line = {BUCK}

[[pins.marker]]
seat = 3
marker = "start"
line = {START}

[pins.gate]
line = {GATE}

[pins.buzzer]
line = {BUZZER}

[pins.dropbox]
present = {{ line = {BOX_PRESENT}, active = "high", pull = "up" }}
locked = {{ line = {BOX_LOCKED}, active = "high", pull = "up" }}

[[pins.dropbox.channel]]
cents = 500
line = {CHANNEL}

[[pins.lamp]]
name = "play"
line = {PLAY}

[[pins.lamp]]
name = "stop"
line = {STOP}

[[pins.lamp]]
name = "attention"
line = {ATTENTION}

[[pins.lamp]]
name = "fault"
line = {FAULT}
at_stop = "on"
"""
WATCHDOG = "/sys/class/watchdog/watchdog0"
KEYS = "keys:pins"
CABLE = "cable-shoe"
USB_READER = "reader:dealer"


@pytest.fixture(scope="module")
def table(machine_parts: Stock, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningTable]:
    with running_table(tmp_path_factory.mktemp("table"), 31, PINS, usb_reader=USB_READER) as running:
        yield running


@pytest.fixture(scope="module")
def restarts() -> list[Fed]:
    """The starts in the midst of a round that a test has brought about, in this part or in both."""
    return []


def gone(table: RunningTable, device: str, after: int, why: str = "") -> Fed:
    """Wait until the table is told that a device is away, and these words why."""
    return table.entry(
        lambda entry: (
            (entry.kind, entry.name) == ("event", "device.state")
            and (entry.body["device"], entry.body["online"]) == (device, False)
            and why in entry.body["reason"]
        ),
        after=after,
    )


def back(table: RunningTable, device: str, after: int) -> Fed:
    """Wait until the table is told that it is there again."""
    return table.event("device.state", after=after, where={"device": device, "online": True})


@in_play
@hung
def test_systemd_has_been_told_that_it_is_ready_and_watches_it(table: RunningTable) -> None:
    told = table.unit("ActiveState", "Type", "StatusText", "WatchdogUSec", "User", "ProtectSystem")
    assert told["ActiveState"] == "active"
    assert told["Type"] == "notify"
    assert "door at /run/feltd-door/table" in told["StatusText"]
    assert told["WatchdogUSec"] not in ("0", "infinity")
    assert told["User"] == "feltd"
    assert told["ProtectSystem"] == "strict"
    failed = table.machine.order("systemctl --failed --plain --no-legend")
    assert "felt" not in failed, failed


OPENED = """\
for device in /sys/bus/usb/devices/*/idVendor; do
    cd "${device%/idVendor}"
    node=$(printf /dev/bus/usb/%03d/%03d "$(cat busnum)" "$(cat devnum)")
    runuser -u feltd -- test -w "$node" && written=open || written=shut
    echo "$(cat idVendor):$(cat idProduct) $(stat -c %G "$node") $written"
done
"""


@in_play
def test_the_page_yields_to_the_kernels_workers_and_the_table_to_nobody(table: RunningTable) -> None:
    """systemd has made a group beside its own for what yields, and told the kernel that all of it is idle."""
    idle = "cat /sys/fs/cgroup/feltdidle.slice/cpu.idle"
    of = "cat /proc/$(systemctl show {} -P MainPID)/cgroup"
    said = table.machine.order(f"{idle}; {of.format('felt-page')}; {of.format('felt-table')}").split()
    assert said == ["1", "0::/feltdidle.slice/felt-page.service", "0::/system.slice/felt-table.service"]


@in_play
def test_the_reader_on_usb_is_opened_to_the_table_and_no_other_device_is(table: RunningTable) -> None:
    """By the rules that `feltd-readers@` has had udev take; the cables' own nodes stay shut."""
    assert table.machine.order("systemctl show feltd-readers@table -P Result").strip() == "success"
    devices = [line.split() for line in table.machine.order(OPENED).splitlines()]
    assert [rest for usb, *rest in devices if usb == f"{VENDOR:04x}:{PRODUCT:04x}"] == [["feltd", "open"]]
    others = [rest for usb, *rest in devices if usb != f"{VENDOR:04x}:{PRODUCT:04x}"]
    assert len(others) > len(table.table.equipment.devices) - 1  # cables, and the hubs at the root
    assert {tuple(rest) for rest in others} == {("root", "shut")}


@in_play
def test_a_key_on_a_pin_is_an_event_and_its_bounce_is_none(table: RunningTable) -> None:
    before = table.in_a_round()
    table.hands.pulls(KEY, "d u d 0.3 u d u 1.2")
    assert [by for by, _ in presses_of_matrix(table, before)] == ["dealer", "seat:5", "seat:7"]


def presses_of_matrix(table: RunningTable, after: int) -> list[tuple[str, int]]:
    """Press one key of the matrix after the other: who called the floor by a key on pins since this entry, and when."""
    for column, by in zip(COLUMNS, ("seat:5", "seat:7"), strict=True):
        table.hands.pulls(column, "d 0.3 u")
        table.event("floor.called", after=after, where={"by": by})
    return [
        (entry.body["by"], entry.seq)
        for entry in table.table.feed.look()
        if entry.seq > after and entry.name == "floor.called" and entry.device == KEYS
    ]


@in_play
def test_a_chattering_key_is_disabled_and_named_and_the_fault_lamp_says_so(table: RunningTable) -> None:
    before = table.in_a_round()
    with table.hands.chattering(CHATTERING):
        away = gone(table, KEYS, before, "chatterer")
        table.hands.until(FAULT, True, PATIENCE)
    again = back(table, KEYS, away.seq)  # after some seconds of quiet
    table.plays_on(again.seq)
    table.hands.until(FAULT, False, PATIENCE)  # it stays lit while anything else is out of order


@in_play
def test_a_stuck_key_is_disabled_until_it_is_let_go(table: RunningTable) -> None:
    before = table.in_a_round()
    table.hands.pull(STUCK, False)
    away = gone(table, KEYS, before, "sticker")
    table.hands.pull(STUCK, True)
    table.plays_on(back(table, KEYS, away.seq).seq)


@in_play
def test_a_device_whose_voltage_drops_is_away_and_comes_back(table: RunningTable) -> None:
    before = table.in_a_round()
    table.order("shoe", "power_loss", seconds=2.0)
    table.plays_on(back(table, "shoe", gone(table, "shoe", before).seq).seq)


@in_play
def test_a_shoe_unplugged_in_a_round_comes_back_under_another_number(table: RunningTable) -> None:
    before = table.in_a_round()
    port = BY_ID.format("shoe")
    number = table.machine.order(f"readlink -f {port}").strip()
    table.machine.unplug(CABLE)
    away = gone(table, "shoe", before)
    assert_play_is(table, locked=True)
    # a stranger takes its number
    table.machine.monitor_order("chardev-add", id="line-stranger", backend={"type": "null", "data": {}})
    stranger = {"chardev": "line-stranger", "serial": "stranger", "always-plugged": True}
    table.machine.plug("usb-serial", "cable-stranger", **stranger)
    table.machine.order(f"until [ -e {BY_ID.format('stranger')} ]; do sleep 0.1; done")
    table.machine.plug("usb-serial", CABLE, chardev="line-shoe", serial="shoe")
    again = back(table, "shoe", away.seq)
    assert table.machine.order(f"readlink -f {port}").strip() != number
    table.plays_on(again.seq)
    assert_play_is(table, locked=False)


def assert_play_is(table: RunningTable, *, locked: bool) -> None:
    """The shoe's gate on its pin and the lamps say whether play is locked, or will in a moment."""
    table.hands.until(GATE, not locked, PATIENCE)
    table.hands.until(PLAY, not locked, PATIENCE)
    table.hands.until(STOP, locked, PATIENCE)


class MidRoundHands(MachineHands):
    """Pulls no plug but while a round is being played."""

    def __init__(self, table: RunningTable) -> None:
        super().__init__(table, USB_READER, COLUMNS)

    def do(self, motion: Motion) -> None:
        if motion.act is Act.UNPLUG:
            self._table.in_a_round()
        super().do(motion)


@in_play
def test_every_step_of_the_acceptance_run_passes_in_the_middle_of_play(table: RunningTable) -> None:
    """Keys, lamps, markers and the drop box on pins; each device on a cable and the USB reader unplugged and back."""
    config = load_config(table.table.folder / "table.toml")
    table.in_a_round()
    with table.hands.listening(BUZZER) as sounded:
        place = Place(MidRoundHands(table), FeedRecord(table), patience=PATIENCE)
        results, _ = carry_out(steps_of(config), place, lambda result: print(line_of(result)))
        assert sounded(), "an unlocked drop box sounds the buzzer"
    assert {device.name for device in config.devices} <= {result.step.partition(" ")[0] for result in results}
    assert [result for result in results if result.outcome is not StepResult.PASSED] == []
    table.plays_on(table.now())


def arm(table: RunningTable) -> None:
    """Have systemd arm the hardware watchdog anew, by the drop-in that is shipped.

    It reads all its units before it feeds it: on a busy host an emulated machine's watchdog may bite meanwhile. Such a
    machine is started anew, once.
    """
    order = f"rm {PATIENT_WATCHDOG}; systemctl daemon-reexec; cut -d. -f1 /proc/uptime >/run/armed"
    try:
        table.machine.order(order, ARMING_SECONDS)
    except GuestFailedError:
        if not table.machine.bitten:
            raise
        table.bitten()
        table.machine.order(order, ARMING_SECONDS)


@hung
def test_the_hardware_watchdog_is_armed_as_the_package_says(table: RunningTable) -> None:
    """By systemd itself, after the drop-in that is shipped."""
    arm(table)
    shipped = (CHECKOUT / "systemd/feltd.watchdog.conf").read_text(encoding="utf-8")
    identity, state, seconds = table.machine.order(f"cd {WATCHDOG}; cat identity state timeout").splitlines()
    assert (identity, state) == ("i6300ESB timer", "active")
    assert f"RuntimeWatchdogSec={seconds}\n" in shipped


@hung
def test_a_page_that_dies_hangs_or_is_started_anew_is_nothing_to_the_table(table: RunningTable) -> None:
    before, since = table.unit("MainPID", "ActiveEnterTimestamp"), table.now()
    for order in (
        "systemctl kill --signal=KILL felt-page",
        "systemctl kill --signal=STOP felt-page",
        "systemctl stop felt-page",
        "systemctl start --no-block felt-page",
    ):
        dealt = table.at_a_deal()
        table.machine.order(order)
        table.plays_on(dealt)
        table.entry(lambda entry: is_phase(entry) and entry.body["phase"] == "betting", after=dealt)
    assert table.unit("MainPID", "ActiveEnterTimestamp") == before
    meant = [entry for entry in table.table.feed.look() if entry.seq > since]
    assert not [entry for entry in meant if entry.kind == "output" and "ruling" in entry.body]
    assert not [entry for entry in meant if is_started(entry)]


@hung
def test_a_hanging_feltd_is_restarted_by_systemd_and_the_round_goes_on(
    table: RunningTable, restarts: list[Fed]
) -> None:
    many, before = int(table.unit("NRestarts")["NRestarts"]), table.at_a_deal()
    table.machine.order("kill -STOP $(systemctl show felt-table -P MainPID)")
    started = table.entry(is_started, after=before, seconds=START_SECONDS)
    restarts.append(started)
    assert int(table.unit("NRestarts")["NRestarts"]) == many + 1
    assert "watchdog" in table.machine.order("journalctl -u felt-table -o cat --grep='[Ww]atchdog' --no-pager").lower()
    assert_resumed(table, started)


def assert_resumed(table: RunningTable, started: Fed) -> None:
    """The round that a start found is played on."""
    entries = table.table.feed.look()
    phases = [entry.body["phase"] for entry in entries if entry.seq < started.seq and is_phase(entry)]
    assert phases[-1] in IN_A_ROUND
    again = table.plays_on(started.seq)
    between = [entry.name for entry in entries if started.seq < entry.seq < again.seq]
    assert HostEntry.ROUND_END not in between


@hung
def test_a_hanging_kernel_is_reset_by_the_hardware_watchdog_and_the_round_goes_on(
    table: RunningTable, restarts: list[Fed]
) -> None:
    since = f"echo $(($(cut -d. -f1 /proc/uptime) - $(cat /run/armed))) $(cat {WATCHDOG}/timeout)"
    kicked_for, waits = map(int, table.machine.order(since).split())
    assert kicked_for > 2 * waits, "the watchdog has not waited in vain yet"
    assert not table.machine.bitten
    before = table.at_a_deal()
    # when the order is answered, a panic after which the kernel stands still for good (panic=0)
    answered = 'until [ -e "$0.done" ]; do sleep 0.1; done'
    table.machine.order(f"({answered}; echo c >/proc/sysrq-trigger) >/dev/null 2>&1 &")
    table.bitten()
    restarts.append(started := table.entry(is_started, after=before, seconds=START_SECONDS))
    assert_resumed(table, started)


@in_play
@hung
def test_after_all_that_each_event_is_in_the_record_once_and_it_verifies(
    table: RunningTable, restarts: list[Fed]
) -> None:
    table.loop.call_soon_threadsafe(table.dealer.cancel)
    table.do(last_events(table.table.equipment))  # everything is acknowledged
    table.do(table.table.shut_down(table.machine))
    table.machine.order("sync")
    table.machine.cut()
    folder = table.table.folder
    [found] = look_at([bytes(table.table.disk.content)], folder / "end")
    key = read_key(folder / "journal.key")
    never_stopped = NeverKilled(found / "table.journal", key)
    never_stopped.compare_starts()
    again = len(restarts)  # hung, reset
    assert (never_stopped.compared, never_stopped.mid_round) == (1 + again, again)  # it was switched on before
    made, taken = table.table.wires.made, defaultdict[tuple[str, bytes], list[int]](list)
    for event in never_stopped.events:
        if event.source is not None and (source := (event.source.device, event.source.boot_id)) in made:
            taken[source].append(event.source.seq)
    assert taken == {source: list(range(1, last + 1)) for source, last in made.items()}
    with JournalReader.open(found / "table.journal", key) as reader:
        verdict = verify(reader)
    assert verdict.sound, verdict.faults
    assert verdict.authenticated is True
