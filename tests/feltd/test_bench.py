"""`feltd bench`: what it measures on a board, what it says of it, and what it refuses."""

import json
import os
import platform
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from click.testing import CliRunner

from feltd.bench import measuring
from feltd.bench.acknowledging import Measured, measure_acknowledgements
from feltd.bench.figures import SYNC, Figure, Unit, percentile, sync_doubt
from feltd.bench.machine import Disk, Machine, disk_of, machine
from feltd.bench.measuring import BenchError, Sizes, measure
from feltd.bench.report import SAGS_NOW, Report, to_text
from feltd.cli import cli
from feltd.table.journal.journal import Journal
from feltd.text.errors import JournalFull
from tests.feltd.blocks_support import block
from tests.feltd.others_folders_support import NOBODY, SECRET

PI = Machine(
    model="Raspberry Pi 4 Model B Rev 1.5", processor="CPU part 0xd08", cores=4, frequency=1800, governor="ondemand",
    memory=3792, degrees=51.1, throttled=0, kernel="6.12.25 aarch64", system="Debian GNU/Linux 12 (bookworm)",
    python="3.11.2", version="0.6.0", load=0.1, disk=Disk("ext4", "rw,noatime", "mmcblk0p2", "SD64G", ("mmcblk0",)),
)  # fmt: skip
FIGURES = (
    Figure("an event, judged by the rules, mean", 90.0, Unit.MICROSECONDS, 2_000, "Take a quicker board"),
    Figure(SYNC, 3.1, Unit.MILLISECONDS),
)
TINY = Sizes(rounds=1, events=2, times=1)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    files = {
        "proc/device-tree/model": "Raspberry Pi 5 Model B Rev 1.0\0",
        "proc/device-tree/serial-number": "10000000abcdef01\0",
        "proc/cpuinfo": "processor\t: 0\nCPU part\t: 0xd0b\nSerial\t\t: 10000000abcdef01\n",
        "proc/meminfo": "MemFree: 1 kB\nMemTotal:        4147200 kB\n",
        "proc/self/mountinfo": "22 1 179:2 / / rw,noatime - ext4 /dev/root rw,errors=remount-ro\n"
        "23 22 0:21 / /proc rw,relatime - proc proc rw\n"
        f"24 22 0:30 / {tmp_path}/ram rw - tmpfs tmpfs rw\n",
        "sys/devices/virtual/mmcblk0/device/name": "SR128\n",
        "sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq": "2400000\n",
        "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor": "powersave\n",
        "sys/class/thermal/thermal_zone0/temp": "48300\n",
        "sys/devices/platform/soc/soc:firmware/get_throttled": "50005\n",
        "etc/os-release": 'NAME="x"\nPRETTY_NAME="Debian GNU/Linux 13 (trixie)"\n',
    }
    for name, content in files.items():
        file = tmp_path / "root" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content)
    block(tmp_path / "root/sys", "mmcblk0p2", "179:2", part_of="mmcblk0")
    return tmp_path / "root"


def test_a_board_is_told_by_its_own_files_and_its_serial_number_is_not(root: Path) -> None:
    said = machine(root, root)
    assert (said.model, said.processor) == ("Raspberry Pi 5 Model B Rev 1.0", "CPU part 0xd0b")
    assert (said.frequency, said.governor, said.memory, said.degrees) == (2400, "powersave", 4050, 48.3)
    assert (said.throttled, said.system) == (0x50005, "Debian GNU/Linux 13 (trixie)")
    assert said.disk == Disk("ext4", "rw,noatime,errors=remount-ro", "mmcblk0p2", "SR128", ("mmcblk0",))
    assert "abcdef01" not in json.dumps(Report(said, FIGURES).to_dict())


def test_a_folder_lies_where_the_nearest_mount_says(root: Path, tmp_path: Path) -> None:
    assert disk_of(tmp_path / "ram" / "a", root).file_system == "tmpfs"
    assert disk_of(tmp_path / "ramble", root).file_system == "ext4"


def _mounted(root: Path, *lines: str) -> None:
    (root / "proc/self/mountinfo").write_text("".join(f"{line}\n" for line in lines))


def test_a_volume_is_seen_through_and_no_name_of_it_is_in_the_report(root: Path) -> None:
    system = root / "sys"
    block(system, "dm-0", "253:0", on=["mmcblk0p2"], dm=["CRYPT-LUKS2-77-pitboss_crypt", "pitboss_crypt"])
    block(system, "dm-1", "253:1", on=["dm-0"], dm=["LVM-xyz", "pitboss--vg-root"])
    _mounted(root, "22 1 253:1 / / rw - ext4 /dev/mapper/pitboss--vg-root ro")
    said = machine(root, root)
    assert said.disk == Disk("ext4", "ro", "dm-1", "SR128", ("mmcblk0",), ("LVM", "LUKS"))
    report = Report(said, (FIGURES[0], replace(FIGURES[1], value=0.03)))
    assert any(note.startswith("between the folder and mmcblk0 lies LVM, LUKS: the disk's") for note in report.notes)
    assert any("no memory card can do" in note for note in report.notes)
    assert "pitboss" not in json.dumps(report.to_dict())
    assert "pitboss" not in to_text(report)


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("22 1 0:40 / / rw - nfs4 pitboss:/srv rw,addr=10.1.2.3,clientaddr=10.1.2.4", "nfs4"),
        ("22 1 0:40 / / rw - zfs pitboss/root rw,xattr", "zfs"),
        ("22 1 0:40 /@pitboss / rw - btrfs /dev/mapper/pitboss rw,ssd,subvol=/@pitboss", "btrfs"),
    ],
)
def test_a_disk_that_cannot_be_told_is_a_doubt_and_names_nobody(root: Path, line: str, kind: str) -> None:
    _mounted(root, line)
    report = Report(replace(PI, disk=disk_of(root, root)), FIGURES)
    assert (report.machine.disk.device, report.machine.disk.disks) == ("unknown", ())
    assert report.notes == (
        f"it cannot be told on which disk the folder lies (its file system is {kind}): whether its syncs are to be "
        "believed is not known; cut its power in a trial",
    )
    assert not any(name in json.dumps(report.to_dict()) for name in ("pitboss", "10.1.2"))


def test_a_file_system_over_several_devices_is_found_by_the_name_of_one(root: Path) -> None:
    block(root / "sys", "dm-0", "253:0", on=["mmcblk0p2"], dm=["CRYPT-1", "data"])
    for source, device in (("/dev/mapper/data", "dm-0"), ("/dev/mmcblk0p2", "mmcblk0p2")):
        _mounted(root, f"22 1 0:40 /@ / rw,noatime - btrfs {source} rw,ssd,subvol=/@")
        found = disk_of(root, root)
        assert (found.device, found.disks, found.options) == (device, ("mmcblk0",), "rw,noatime,ssd")


def test_a_place_with_a_blank_in_its_name_is_found(root: Path, tmp_path: Path) -> None:
    _mounted(root, f"22 1 0:40 / {tmp_path}/a\\040b rw - tmpfs tmpfs rw", "no line of this kind")
    assert disk_of(tmp_path / "a b", root) == Disk("tmpfs", "rw", "tmpfs", None)


@pytest.mark.parametrize(
    ("release", "told"),
    [("6.12.25+rpt-rpi-v8", "6.12.25+rpt-rpi-v8"), ("6.1.0-pitboss", "6.1.0"), ("pitboss", "unknown")],
)
def test_a_kernel_that_was_named_after_its_machine_is_told_by_its_number(
    root: Path, release: str, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(platform, "release", lambda: release)
    monkeypatch.setattr(platform, "node", lambda: "PitBoss.casino.example")
    assert machine(root, root).kernel.split(" ")[0] == told


def test_a_machine_that_says_nothing_of_itself_is_unknown(tmp_path: Path) -> None:
    said = machine(tmp_path, tmp_path / "nothing")
    assert (said.model, said.processor, said.disk.file_system) == ("unknown", "unknown", "unknown")
    assert (said.frequency, said.governor, said.memory, said.degrees, said.throttled) == (None,) * 5
    firmware = tmp_path / "sys/devices/platform/soc/soc:firmware"
    firmware.mkdir(parents=True)
    (firmware / "get_throttled").write_text("who knows")
    assert machine(tmp_path, tmp_path).throttled is None
    sensor = tmp_path / "sys/class/hwmon/hwmon1"
    sensor.mkdir(parents=True)
    (sensor / "name").write_text("rpi_volt\n")
    (sensor / "in0_lcrit_alarm").write_text("1\n")
    assert machine(tmp_path, tmp_path).throttled == SAGS_NOW


def test_a_board_that_is_quick_enough_has_no_notes() -> None:
    text = to_text(Report(PI, FIGURES))
    assert "Raspberry Pi 4 Model B Rev 1.5: CPU part 0xd08, 4 cores at 1800 MHz, 3792 MiB" in text
    assert "mmcblk0p2 (SD64G), ext4, rw,noatime" in text
    assert text.endswith("This board is quick enough for a table.")
    assert "note:" not in text


@pytest.mark.parametrize(
    ("change", "note"),
    [
        ({"load": 2.1}, "other programs were busy (load 2.1 on 4 cores): stop them"),
        ({"throttled": 1}, "the board's supply sags now: take the supply"),
        ({"throttled": 0x50000}, "the board's supply has sagged since the start"),
        ({"governor": "powersave"}, "the processor's governor is powersave"),
        ({"disk": Disk("tmpfs", "rw", "tmpfs", None)}, "the folder lies on tmpfs: give --folder"),
    ],
)
def test_what_makes_the_figures_doubtful_is_said(change: dict[str, Any], note: str) -> None:
    report = Report(replace(PI, **change), FIGURES)
    [said] = report.notes
    assert said.startswith(note)
    assert f"note: {said}" in to_text(report)
    assert report.to_dict()["notes"] == [said]


def test_a_card_that_syncs_quicker_than_a_card_can_is_doubted_and_a_disk_of_another_kind_is_not() -> None:
    assert "no memory card can do" in (sync_doubt("mmcblk0p2", 0.000_08) or "")
    assert sync_doubt("mmcblk0p2", 0.000_1) is None
    assert sync_doubt("nvme0n1p2", 0.000_02) is None
    lies = Report(PI, (FIGURES[0], replace(FIGURES[1], value=0.03)))
    assert any("30 µs" in note for note in lies.notes)


def test_a_board_that_is_too_slow_is_told_by_what_and_with_what_to_do() -> None:
    slow = replace(FIGURES[0], value=2_000.1)
    report = Report(PI, (slow, FIGURES[1]))
    assert report.too_slow == (slow,)
    assert not Report(PI, (replace(slow, value=2_000.0), FIGURES[1])).too_slow
    assert to_text(report).endswith("an event, judged by the rules, mean: Take a quicker board")


def test_a_percentile_is_a_value_that_was_measured() -> None:
    assert [percentile([3.0, 1.0, 2.0], part) for part in (0.0, 0.5, 0.99)] == [1.0, 2.0, 3.0]


def test_all_of_it_is_measured_and_nothing_is_left_in_the_folder(tmp_path: Path) -> None:
    told: list[str] = []
    inner = tmp_path / "inner"
    inner.mkdir()
    figures = measure(inner, TINY, told.append)
    assert told == ["a bare loop in Python", "a table's start", "the rules", "the record on this disk", "a sign-in"]
    assert all(figure.value > 0 for figure in figures)
    assert sum(figure.limit is not None for figure in figures) == 7
    assert len({figure.name for figure in figures}) == len(figures)
    assert list(inner.iterdir()) == []


def test_a_disk_that_fills_up_in_the_middle_ends_it_with_what_the_disk_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Journal, "open", partial(Journal.open, max_bytes=30 * 4096))
    with pytest.raises(JournalFull, match="Free space"):
        measure(tmp_path, Sizes(rounds=1, events=2_000, times=1), lambda _: None)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be made to write over what is root's")
@pytest.mark.parametrize("laid", [False, True])
def test_in_a_folder_of_another_user_root_writes_as_that_user(monkeypatch: pytest.MonkeyPatch, laid: bool) -> None:
    owners: set[int] = set()

    def owners_in(place: Path) -> set[int]:
        return {file.stat().st_uid for file in (place, *place.iterdir())}

    async def measured(place: Path, *, events: int) -> Measured:
        if laid:
            (place / "growing").symlink_to(secret)
        found = await measure_acknowledgements(place, events=events)
        owners.update(owners_in(place))
        return found

    with TemporaryDirectory() as room:  # pytest's own is beyond that user's reach
        Path(room).chmod(0o755)
        secret, theirs = Path(room) / "secret", Path(room) / "theirs"
        secret.write_bytes(SECRET)
        secret.chmod(0o600)
        theirs.mkdir()
        os.chown(theirs, NOBODY, NOBODY)
        monkeypatch.setattr(measuring, "measure_acknowledgements", measured)
        with pytest.raises(PermissionError) if laid else nullcontext():
            measure(theirs, TINY, lambda _: None)
        assert secret.read_bytes() == SECRET
        assert list(theirs.iterdir()) == []
    assert owners == (set() if laid else {NOBODY})
    assert os.geteuid() == 0


def test_a_table_that_does_not_start_is_an_error_that_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measuring, "_START", "raise SystemExit('no library')")
    with pytest.raises(BenchError, match="does not start here; it says: no library"):
        measure(tmp_path, TINY, lambda _: None)


@pytest.mark.parametrize(("value", "code"), [(90.0, 0), (3_000.0, 1)])
def test_the_command_prints_a_report_to_read_and_one_to_send(
    value: float, code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[Sizes] = []

    def measured(folder: Path, sizes: Sizes, _tell: object) -> tuple[Figure, ...]:
        assert folder == tmp_path
        given.append(sizes)
        return replace(FIGURES[0], value=value), FIGURES[1]

    monkeypatch.setattr(measuring, "measure", measured)
    plain = CliRunner().invoke(cli, ["bench", "--folder", str(tmp_path)])
    sent = CliRunner().invoke(cli, ["bench", "--folder", str(tmp_path), "--board", "--quick"])
    assert plain.exit_code == sent.exit_code == code
    assert "for a table" in plain.stdout
    assert json.loads(sent.stdout)["figures"][0]["enough"] is (code == 0)
    assert given[1].events < given[0].events
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_not_there_is_wrong_usage(tmp_path: Path) -> None:
    result = CliRunner().invoke(cli, ["bench", "--folder", str(tmp_path / "none")])
    assert result.exit_code == 2
    assert "does not exist" in result.stderr
