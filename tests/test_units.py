"""The units as the package lays them out: what feltd counts on from systemd, and that systemd finds no fault."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from debian.layout import ROOT, stage
from feltd.cli import cli
from feltd.cli.exits import AGAIN
from feltd.update.board import FETCHED

UNITS = "usr/lib/systemd/system"
TABLES = ("felt-table.service", "felt-table@8.service")
PAGES = ("felt-page.service", "felt-page@8.service")
RECORDS = ("feltd-record.service", "feltd-record@8.service")
UPLINKS = ("felt-uplink.service", "felt-uplink@8.service")
FLOOR = "feltd-floor.service"
PIT = "feltd-pit.service"
OWNERS = ("feltd-floor-backup.service", "feltd-floor-pack.service")
DRAWS = "feltd-floor-draws.service"
SENDERS = ("felt-sender.service", "felt-sender@8.service")
WITNESS = "feltd-witness.service"
READERS = ("feltd-readers@table.service", "feltd-readers@8.service")
ALL = (*TABLES, *PAGES, *RECORDS, *UPLINKS, *SENDERS, *READERS, FLOOR, *OWNERS, DRAWS, PIT, WITNESS)
HIGHEST_EXPOSURE = 1.0
TABLES_EXPOSURE = 1.2
"""A tenth for setpriority and sched_setattr: the process that reads the record for the page yields the processor to the
table. Another for RestrictRealtime: the table comes before all that is not of real time."""

IMAGE = ROOT / "image/root/etc/systemd/system"
IMAGES_EXPOSURE = {
    "feltd-first-boot.service": 2.4,
    "feltd-page-fingerprint.service": 1.1,
    "feltd-page-networks.service": 0.9,
    "feltd-update-good.service": 1.7,
    "feltd-update-trial.service": 3.4,
    "feltd-update.service": 3.0,
}
"""All are root's, which costs 0.4. The first start has a mount and other people's folders, the end of a trial a mount.
The way back needs no namespace, which a broken system might lack. The fingerprint becomes the page's user. An update
has the network, the socket families for it, and becomes a table's owner."""
MOUNTS = ("feltd-first-boot.service", "feltd-update-good.service")

needs_systemd = pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="needs systemd-analyze")


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    tree = tmp_path_factory.mktemp("tree")
    stage(tree)
    return tree


def settings(tree: Path, unit: str) -> dict[str, list[str]]:
    """Every setting of a unit and of its drop-ins, in the order in which systemd reads them."""
    template = re.sub(r"@\w+", "@", unit)
    files = [tree / UNITS / template, *sorted((tree / UNITS / f"{template}.d").glob("*.conf"))]
    return settings_in(*files)


def settings_in(*files: Path) -> dict[str, list[str]]:
    """Every setting of files of systemd's, in their order."""
    found: dict[str, list[str]] = {}
    for file in files:
        for line in file.read_text(encoding="utf-8").splitlines():
            if "=" in line and not line.startswith("#"):
                key, value = line.split("=", 1)
                found.setdefault(key, []).append(value)
    return found


OF_UNIT = {
    "felt-table.service": ("/etc/feltd/table.toml", "/run/feltd-door/table"),
    "felt-table@8.service": ("/etc/feltd/%i.toml", "/run/feltd-door/table-%i"),
    "felt-page.service": ("/etc/feltd/table.toml", "/run/feltd-door/table"),
    "felt-page@8.service": ("/etc/feltd/%i.toml", "/run/feltd-door/table-%i"),
}
"""The table's file and the door of each unit."""
KEPT = "/run/feltd-kept"
"""Where the package's script writes."""
TABLE_OF = {"felt-page.service": "felt-table", "felt-page@8.service": "felt-table@%i"}
"""What %N is in the unit of each page's table."""


@pytest.mark.parametrize("unit", TABLES)
def test_what_a_table_counts_on(tree: Path, unit: str) -> None:
    told = settings(tree, unit)
    config, door = OF_UNIT[unit]
    assert told["Type"] == ["notify"]
    assert told["Restart"] == ["on-failure"]
    assert told["RestartForceExitStatus"] == told["SuccessExitStatus"] == [str(AGAIN)]
    assert told["User"] == ["feltd"]
    started = f"/opt/feltd/bin/feltd table --stand-by --door {door} --page-user feltd-page"
    assert told["ExecStart"] == [f"{started} --upgraded /run/feltd-kept/%N.installed {config}"]
    assert told["ProtectSystem"] == ["strict"]
    assert told["NoNewPrivileges"] == ["yes"]
    [credential] = told["LoadCredential"]
    assert credential.startswith("journal-key:/etc/feltd/keys/")


@pytest.mark.parametrize("unit", TABLES)
def test_a_table_plays_on_through_an_upgrade_by_what_lies_over_its_package(tree: Path, unit: str) -> None:
    told = settings(tree, unit)
    script = (tree / "usr/share/feltd/kept.sh").read_text(encoding="utf-8")
    [links] = re.findall(r"(?m)^links=(\S+)", script)
    [now] = re.findall(r"(?m)^now=(\S+)", script)
    assert links == KEPT
    assert told["BindReadOnlyPaths"] == [f"-{links}/%N:{now}"]  # without "-" no table would start after the power came
    assert f"--upgraded {links}/%N.installed" in told["ExecStart"][0]
    assert told["ExecStopPost"] == ["-+/bin/sh /usr/share/feltd/kept.sh ended %N"]


@pytest.mark.parametrize("unit", [unit for unit in ALL if unit not in TABLES])
def test_nothing_else_does(tree: Path, unit: str) -> None:
    assert "BindReadOnlyPaths" not in settings(tree, unit)


@pytest.mark.parametrize("unit", TABLES)
def test_a_tables_memory_goes_to_no_swap_and_no_core_file_and_may_be_locked(tree: Path, unit: str) -> None:
    told = settings(tree, unit)
    assert told["MemorySwapMax"] == told["LimitCORE"] == ["0"]
    assert told["LimitMEMLOCK"] == ["infinity"]
    assert told["LockPersonality"] == ["yes"]


@pytest.mark.parametrize("unit", [*PAGES, *RECORDS, *UPLINKS, *SENDERS, *READERS, FLOOR, *OWNERS, PIT, WITNESS])
def test_nor_does_the_memory_of_who_holds_passwords_sessions_or_a_key(tree: Path, unit: str) -> None:
    told = settings(tree, unit)
    assert told["MemorySwapMax"] == told["LimitCORE"] == ["0"]
    assert told["LockPersonality"] == ["yes"]


@pytest.mark.parametrize("unit", [*PAGES, *RECORDS, *UPLINKS, *SENDERS, FLOOR, PIT, WITNESS])
def test_each_process_that_locks_its_memory_may(tree: Path, unit: str) -> None:
    assert settings(tree, unit)["LimitMEMLOCK"] == ["infinity"]


@pytest.mark.parametrize("unit", TABLES)
def test_what_a_start_lacks_is_said_and_keeps_no_table_from_starting(tree: Path, unit: str) -> None:
    assert settings(tree, unit)["ExecStartPre"] == [f"-/opt/feltd/bin/feltd check {OF_UNIT[unit][0]}"]
    assert settings(tree, unit)["StartLimitIntervalSec"] == ["0"]


@pytest.mark.parametrize(
    ("unit", "least"),
    [(unit, "5min") for unit in (*TABLES, "feltd-readers@8.service")] + [(unit, "15min") for unit in (*PAGES, PIT)],
)
def test_no_start_is_ended_because_the_board_is_slow(tree: Path, unit: str, least: str) -> None:
    """The check before a start takes eleven seconds of a Raspberry Pi Zero 2 W, and more beside others. What yields to
    all else waits for it, too."""
    assert settings(tree, unit)["TimeoutStartSec"] == [least]


def test_the_watchdog_waits_longer_than_the_loop_may_be_late_and_the_disk_slow(tree: Path) -> None:
    [seconds] = settings(tree, "felt-table.service")["WatchdogSec"]
    assert 10 <= int(seconds) <= 60


def test_what_a_table_is_made_of_stays_open_to_it_and_the_hardware_watchdog_does_not(tree: Path) -> None:
    told = settings(tree, "felt-table.service")
    kinds = {allowed.split()[0] for allowed in told["DeviceAllow"]}
    assert {"char-ttyACM", "char-ttyUSB", "char-gpiochip", "char-usb_device", "char-hidraw", "char-input"} <= kinds
    assert not any("watchdog" in kind for kind in kinds)
    assert told["DevicePolicy"] == ["closed"]
    assert "PrivateDevices" not in told
    assert "AF_NETLINK" in told["RestrictAddressFamilies"][0]  # udev's word of what was plugged in


def test_the_drivers_of_what_is_plugged_in_later_are_there_when_a_table_starts(tree: Path) -> None:
    """systemd looks a name of DeviceAllow up once, at the start: of a driver that comes later nothing may be opened.

    `hid` brings hidraw, and each of them the USB core; keyboards and pins are in every kernel itself.
    """
    for unit in TABLES:
        told = settings(tree, unit)
        loaded = {f"modprobe@{name}.service" for name in ("usbserial", "cdc_acm", "hid")}
        assert loaded <= set(" ".join(told["Wants"]).split())
        assert loaded <= set(" ".join(told["After"]).split())


def test_a_table_has_no_network_and_one_door(tree: Path) -> None:
    told = settings(tree, "felt-table.service")
    assert told["IPAddressDeny"] == ["any"]
    assert "IPAddressAllow" not in told
    assert told["RestrictAddressFamilies"] == ["AF_UNIX AF_NETLINK"]
    assert told["ReadWritePaths"] == ["/run/feltd-door"]


@pytest.mark.parametrize("unit", PAGES)
def test_a_page_has_no_device_no_key_and_nothing_of_the_tables(tree: Path, unit: str) -> None:
    told = settings(tree, unit)
    config, door = OF_UNIT[unit]
    ended = f"--ended {KEPT}/{TABLE_OF[unit]}.ended"
    assert told["ExecStart"] == [f"/opt/feltd/bin/feltd page --door {door} {ended} {config}"]
    assert (told["User"], told["Group"]) == (["feltd-page"], ["feltd-page"])
    assert "LoadCredential" not in told
    assert "DeviceAllow" not in told
    assert told["PrivateDevices"] == ["yes"]
    assert told["InaccessiblePaths"] == ["-/etc/feltd/keys -/var/lib/feltd/keys -/var/lib/feltd/exports"]
    assert (told["IPAddressDeny"], told["IPAddressAllow"]) == (["any"], ["localhost"])
    assert told["RestrictAddressFamilies"] == ["AF_UNIX AF_INET AF_INET6"]
    assert told["RestartForceExitStatus"] == told["SuccessExitStatus"] == [str(AGAIN)]


@pytest.mark.parametrize("unit", ALL)
def test_a_table_alone_may_come_before_all_else_and_at_the_lowest_such_priority(tree: Path, unit: str) -> None:
    told = settings(tree, unit)
    if unit in TABLES:
        assert (told["RestrictRealtime"][-1], told["LimitRTPRIO"]) == ("no", ["1"])
    else:
        assert told["RestrictRealtime"] == ["yes"]
        assert "LimitRTPRIO" not in told


def test_a_page_yields_to_its_table_and_is_never_waited_for(tree: Path) -> None:
    page, table = settings(tree, "felt-page.service"), settings(tree, "felt-table.service")
    assert int(page["Nice"][0]) > 0
    assert page["CPUSchedulingPolicy"] == settings(tree, PIT)["CPUSchedulingPolicy"] == ["batch"]
    assert int(table["CPUWeight"][0]) >= 10_000, "among what has a share of the processors"
    assert int(page["OOMScoreAdjust"][0]) > int(table["OOMScoreAdjust"][0])
    assert "MemoryMax" in page
    for key in ("Requires", "Wants", "BindsTo", "PartOf", "After", "Before"):
        assert "page" not in " ".join(table.get(key, ())), "the table does not look at its page"
    for key in ("Requires", "BindsTo", "PartOf", "Requisite"):
        assert key not in page, "the page says why there is no table: it starts without one"


def test_what_yields_to_all_else_is_in_a_slice_of_its_own_beside_the_systems(tree: Path) -> None:
    """Within system.slice a unit's weight counts for nothing against the kernel's workers, which are in no slice."""
    for unit in ALL:
        last = unit in (*PAGES, *RECORDS, PIT)
        assert settings(tree, unit).get("Slice") == (["feltdidle.slice"] if last else None), unit
    assert settings_in(tree / UNITS / "feltdidle.slice")["CPUWeight"] == ["idle"]


def test_no_dash_in_its_name_puts_a_slice_into_another_one(tree: Path) -> None:
    slices = [file.name for file in (tree / UNITS).glob("*.slice")]
    assert slices == ["feltdidle.slice"]
    assert not [name for name in slices if "-" in name]


@pytest.mark.parametrize(("page", "table"), [(PAGES[0], "felt-table.service"), (PAGES[1], "felt-table@%i.service")])
def test_a_page_comes_after_its_table_which_makes_the_folder_around_the_pages_own(
    tree: Path, page: str, table: str
) -> None:
    assert table in " ".join(settings(tree, page)["After"]).split()


def test_pages_may_open_the_door_and_nobody_else(tree: Path) -> None:
    made = (tree / "usr/lib/tmpfiles.d/feltd.conf").read_text(encoding="utf-8").splitlines()
    assert "d /run/feltd-door 2750 feltd feltd-page -" in made
    assert (
        "d /var/lib/feltd 0751 feltd feltd -" in made
    )  # through it to the page's folder, and nothing of it to be read
    for unit in TABLES:
        assert settings(tree, unit)["StateDirectoryMode"] == ["0751"]
    for unit in PAGES:
        assert settings(tree, unit)["StateDirectoryMode"][-1] == "0750"
        assert settings(tree, unit)["StateDirectory"][0].endswith("/page")
    members = (tree / "usr/lib/sysusers.d/feltd.conf").read_text(encoding="utf-8")
    assert "\nm feltd-page" not in members


def test_nobody_passes_through_the_folders_of_the_pit_and_of_the_witness(tree: Path) -> None:
    for unit in ("feltd-pit.service", "feltd-witness.service"):
        assert settings(tree, unit)["StateDirectoryMode"][-1] == "0750"


@pytest.mark.parametrize(("unit", "file"), [(UPLINKS[0], "uplink"), (UPLINKS[1], "%i")])
def test_an_uplink_has_the_door_and_the_network_and_nothing_of_the_tables_or_the_pages(
    tree: Path, unit: str, file: str
) -> None:
    told = settings(tree, unit)
    assert told["ExecStart"] == [f"/opt/feltd/bin/feltd uplink /etc/feltd/uplink/{file}.toml"]
    assert (told["User"], told["Group"]) == (["feltd-uplink"], ["feltd-uplink"])
    assert told["SupplementaryGroups"] == ["feltd-page"]  # the door's folder
    assert told["InaccessiblePaths"] == ["-/etc/feltd/keys -/var/lib/feltd"]
    assert "LoadCredential" not in told
    assert told["StateDirectory"] == ["feltd-uplink"]  # its certificate, which it renews
    assert (told["IPAddressDeny"], told["IPAddressAllow"]) == (["any"], ["localhost"])


def test_a_table_never_looks_at_its_uplink(tree: Path) -> None:
    table, uplink = settings(tree, TABLES[0]), settings(tree, UPLINKS[0])
    for key in ("Requires", "Wants", "BindsTo", "PartOf", "After", "Before"):
        assert "uplink" not in " ".join(table.get(key, ()))
    page = settings(tree, PAGES[0])
    assert int(uplink["Nice"][0]) > int(page["Nice"][0])
    assert int(uplink["CPUWeight"][0]) < int(table["CPUWeight"][0])
    assert int(uplink["OOMScoreAdjust"][0]) > int(table["OOMScoreAdjust"][0])


def test_the_floors_daemon_keeps_no_file_but_the_secrets_of_draws(tree: Path) -> None:
    told = settings(tree, FLOOR)
    assert told["ExecStart"] == ["/opt/feltd/bin/feltd floor run --config /etc/feltd/floor/floor.toml"]
    assert told["User"] == ["feltd-floor"]
    assert told["StateDirectory"] == ["feltd-floor"]
    assert not {"ReadWritePaths", "LoadCredential"} & told.keys()


def test_the_pit_page_has_the_floors_socket_and_nothing_else_of_the_floors(tree: Path) -> None:
    told = settings(tree, PIT)
    assert told["ExecStart"] == ["/opt/feltd/bin/feltd floor page --config /etc/feltd/pit/pit.toml"]
    assert told["User"] == told["StateDirectory"] == ["feltd-pit"]
    assert told["SupplementaryGroups"] == settings(tree, FLOOR)["Group"]  # the socket's folder
    assert not {"CPUWeight", "Slice"} & settings(tree, FLOOR).keys(), "the page yields to it and to the database"
    assert {"-/etc/feltd/floor", "-/run/postgresql"} <= set(told["InaccessiblePaths"][0].split())
    assert not {"ReadWritePaths", "LoadCredential"} & told.keys()
    members = (tree / "usr/lib/sysusers.d/feltd.conf").read_text(encoding="utf-8")
    assert "\nu feltd-pit - " in members


@pytest.mark.parametrize("unit", [UPLINKS[0], UPLINKS[1], SENDERS[0], FLOOR, PIT, WITNESS])
def test_what_an_administrator_starts_can_be_enabled(tree: Path, unit: str) -> None:
    assert settings(tree, unit)["WantedBy"] == ["multi-user.target"]


@pytest.mark.parametrize(("unit", "door"), [(SENDERS[0], ""), (SENDERS[1], "-%i")])
def test_a_sender_may_do_what_an_uplink_may(tree: Path, unit: str, door: str) -> None:
    told, uplink = settings(tree, unit), settings(tree, UPLINKS[0])
    assert told["ExecStart"] == [f"/opt/feltd/bin/feltd witness send /run/feltd-door/table{door} $WITNESS"]
    assert told["EnvironmentFile"] == [f"/etc/feltd/uplink/witness{door}.env"]
    for key in told.keys() - {"ExecStart", "EnvironmentFile", "Description", "Documentation"}:
        assert told[key] == uplink[key], key


def test_the_witness_has_its_own_folder_and_the_network_and_nothing_of_a_tables(tree: Path) -> None:
    told = settings(tree, WITNESS)
    assert told["ExecStart"] == ["/opt/feltd/bin/feltd witness serve /etc/feltd/witness/witness.toml"]
    assert told["User"] == told["StateDirectory"] == ["feltd-witness"]
    assert not {"ReadWritePaths", "LoadCredential", "SupplementaryGroups"} & told.keys()
    assert "/var/lib/feltd" in told["InaccessiblePaths"][0]
    assert (told["IPAddressDeny"], told["IPAddressAllow"]) == (["any"], ["localhost"])


def test_tables_of_one_board_share_neither_key_nor_folder(tree: Path) -> None:
    for pair in (TABLES, PAGES, RECORDS):
        one, other = (settings(tree, unit) for unit in pair)
        for key in ("StateDirectory",) if pair == PAGES else ("LoadCredential", "StateDirectory"):
            assert one[key] != other[key]
        alone = {"After", "Wants", "Description", "ExecStart", "ExecStartPre", "LoadCredential", "StateDirectory"}
        alone |= {"RuntimeDirectory", "WorkingDirectory", "ConditionPathExists"}
        assert {key: one[key] for key in one.keys() - alone} == {key: other[key] for key in other.keys() - alone}


@pytest.mark.parametrize(("unit", "config"), [(RECORDS[0], "table"), (RECORDS[1], "%i")])
def test_the_record_is_kept_first_and_then_each_file_of_the_package_is_compared(
    tree: Path, unit: str, config: str
) -> None:
    feltd = "/opt/feltd/bin/feltd"
    assert settings(tree, unit)["ExecStart"] == [f"{feltd} journal keep /etc/feltd/{config}.toml", f"{feltd} identify"]


def test_the_record_is_looked_after_on_a_board_that_is_off_at_night_and_forgets_when_it_did_so(tree: Path) -> None:
    for timer in ("feltd-record.timer", "feltd-record@.timer"):
        told = (tree / UNITS / timer).read_text(encoding="utf-8")
        assert "\nOnCalendar=06:30\n" in told
        assert "\nOnActiveSec=15min\n" in told


@pytest.mark.parametrize(
    ("unit", "does"),
    [
        (OWNERS[0], "backup postgresql:///floor /var/lib/feltd-backups --keep 14"),
        (OWNERS[1], "pack postgresql:///floor"),
    ],
)
def test_the_work_of_the_databases_owner_has_its_socket_and_no_network_and_no_key(
    tree: Path, unit: str, does: str
) -> None:
    told = settings(tree, unit)
    assert told["ExecStart"] == [f"/opt/feltd/bin/feltd floor {does}"]
    assert told["User"] == ["postgres"]
    assert told["Type"] == ["oneshot"]
    assert told["PrivateNetwork"] == ["yes"]
    assert told["RestrictAddressFamilies"] == ["AF_UNIX"]
    assert "-/etc/feltd" in told["InaccessiblePaths"][0].split()
    assert told["ConditionPathExists"] == ["/etc/feltd/floor/floor.toml"], "a machine without a floor does nothing"
    assert told.get("StateDirectory", ["feltd-backups"]) == ["feltd-backups"]


def test_a_floor_that_was_off_at_night_does_it_when_it_is_on_again_the_backup_first(tree: Path) -> None:
    at = []
    for unit in OWNERS:
        told = settings(tree, unit.replace("service", "timer"))
        assert told["Persistent"] == ["yes"]
        at += told["OnCalendar"]
    assert at == sorted(at)
    assert OWNERS[0] in settings(tree, OWNERS[1])["After"][0].split()


def test_the_secrets_of_draws_are_sealed_by_floords_user_without_a_network(tree: Path) -> None:
    told = settings(tree, DRAWS)
    assert told["ExecStart"] == ["/opt/feltd/bin/feltd floor keep-draws /var/lib/feltd-floor-draws --keep 30"]
    assert told["User"] == settings(tree, FLOOR)["User"], "nobody else reads them"
    assert told["StateDirectory"] == ["feltd-floor-draws"]
    assert told["StateDirectoryMode"] == ["0700"]
    assert told["PrivateNetwork"] == ["yes"]
    assert told["RestrictAddressFamilies"] == ["AF_UNIX"]
    assert told["ConditionPathExists"] == ["/etc/feltd/floor/floor.toml"]
    assert "/var/lib/feltd-floor" not in " ".join(told["InaccessiblePaths"]).replace("-/", "/").split()
    timer = settings(tree, DRAWS.replace("service", "timer"))
    assert (timer["OnCalendar"], timer["Persistent"]) == (["hourly"], ["yes"])


def test_a_technicians_own_settings_come_last(tree: Path) -> None:
    for file in (tree / UNITS).glob("*.d/*.conf"):
        assert file.name < "override.conf", f"{file.name} would undo what `systemctl edit` makes"


@needs_systemd
@pytest.mark.parametrize("unit", ALL)
def test_the_exposure_is_low(tree: Path, unit: str) -> None:
    command = ["systemd-analyze", "security", "--offline=true", "--no-pager", f"--root={tree}", unit]
    said = subprocess.run(command, capture_output=True, text=True, check=False)
    exposure = re.search(r"Overall exposure level for \S+: (\d+\.\d+)", said.stdout)
    assert exposure is not None, said.stdout + said.stderr
    highest = TABLES_EXPOSURE if unit.startswith("felt-table") else HIGHEST_EXPOSURE
    assert float(exposure[1]) <= highest, said.stdout


def test_each_unit_of_the_image_has_a_measure() -> None:
    assert {file.name for file in IMAGE.glob("*.service")} == set(IMAGES_EXPOSURE)


@needs_systemd
@pytest.mark.parametrize("unit", IMAGES_EXPOSURE)
def test_the_exposure_of_the_images_own_units_is_as_low_as_their_work_allows(unit: str) -> None:
    command = ["systemd-analyze", "security", "--offline=true", "--no-pager", str(IMAGE / unit)]
    said = subprocess.run(command, capture_output=True, text=True, check=False)
    exposure = re.search(r"Overall exposure level for \S+: (\d+\.\d+)", said.stdout)
    assert exposure is not None, said.stdout + said.stderr
    assert float(exposure[1]) <= IMAGES_EXPOSURE[unit], said.stdout


@pytest.mark.parametrize("unit", MOUNTS)
def test_what_mounts_the_boot_partition_anew_may_do_so_and_write_it(unit: str) -> None:
    """`first_boot.py` and `feltd update good` do; a board whose unit may not would not start, or never end a trial."""
    told = settings_in(IMAGE / unit)
    assert "@mount" in told["SystemCallFilter"][0].split()
    assert "CAP_SYS_ADMIN" in told["CapabilityBoundingSet"][0].split()
    assert "/boot/efi" in told["ReadWritePaths"][0].split()
    assert not {"PrivateDevices", "RestrictFileSystems"} & told.keys()


def test_the_first_start_waits_for_nothing_that_waits_for_it() -> None:
    """A private /tmp comes behind the folders of /var, and two of those are laid in place behind the first start."""
    told = settings_in(IMAGE / "feltd-first-boot.service")
    assert "PrivateTmp" not in told
    assert "RestrictSUIDSGID" not in told, "the page's folder gives its group to what is made in it"
    assert told["ReadWritePaths"] == ["/data /boot/efi"]


def test_the_way_back_from_a_trial_needs_nothing_that_a_broken_system_may_lack() -> None:
    told = settings_in(IMAGE / "feltd-update-trial.service")
    of_namespaces = ("Private", "Protect", "ReadWrite", "ReadOnly", "Inaccessible", "IPAddress", "Device")
    assert [name for name in told if name.startswith(of_namespaces)] == []
    assert told["CapabilityBoundingSet"] == [""]


@pytest.mark.parametrize("unit", IMAGES_EXPOSURE)
def test_the_memory_of_the_images_own_units_goes_to_no_swap_and_no_core_file(unit: str) -> None:
    told = settings_in(IMAGE / unit)
    assert told["MemorySwapMax"] == told["LimitCORE"] == ["0"]
    assert told["NoNewPrivileges"] == ["yes"]


def test_an_update_writes_where_it_fetches_to_and_sees_the_kernels_command_line() -> None:
    told = settings_in(IMAGE / "feltd-update.service")
    assert f"-/{FETCHED}" in told["ReadWritePaths"][0].split()
    assert "ProcSubset" not in told, "the board is told by /proc/cmdline which system runs"


@pytest.fixture
def judged(tree: Path, tmp_path: Path) -> Path:
    """The units with a program that is there on every machine, so that only they are judged."""
    shutil.copytree(tree / UNITS, tmp_path / "units")
    for file in (tmp_path / "units").glob("*.service"):
        text = file.read_text(encoding="utf-8").replace("/opt/feltd/bin/feltd", "/bin/true")
        text = text.replace("/usr/bin/udevadm", "/bin/true")
        file.write_text(text, encoding="utf-8")
    return tmp_path / "units"


def verdict(units: Path) -> str:
    names = [
        "feltdidle.slice",
        *TABLES,
        *PAGES,
        *RECORDS,
        *UPLINKS,
        *SENDERS,
        *READERS,
        FLOOR,
        *OWNERS,
        PIT,
        WITNESS,
        *(unit.replace("service", "timer") for unit in OWNERS),
        "feltd-record.timer",
        "feltd-record@8.timer",
    ]
    environment = os.environ | {"SYSTEMD_UNIT_PATH": f"{units}:"}
    command = ["systemd-analyze", "verify", *names]
    said = subprocess.run(command, capture_output=True, text=True, check=False, env=environment).stderr
    return "\n".join(line for line in said.splitlines() if "felt" in line)


@needs_systemd
def test_systemd_finds_no_fault(judged: Path) -> None:
    assert verdict(judged) == ""


@needs_systemd
def test_systemd_would_find_a_fault_in_a_drop_in(judged: Path) -> None:
    with (judged / "felt-table.service.d" / "20-table.conf").open("a", encoding="utf-8") as file:
        file.write("[Service]\nWatchdogSec=soon\n")
    assert "20-table.conf" in verdict(judged)


def test_the_guide_that_the_units_name_is_in_the_package(tree: Path) -> None:
    for unit in ALL:
        [place] = settings(tree, unit)["Documentation"]
        assert (tree / place.removeprefix("file:///")).is_file()


def test_every_page_in_the_package_has_what_it_names_beside_it(tree: Path) -> None:
    pages = list((tree / "usr/share/doc/feltd").rglob("*.md"))
    assert len(pages) > 10
    for page in pages:
        for link in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text(encoding="utf-8")):
            if "tests/" in link:
                continue  # the package has no tests
            there = "://" in link or (page.parent / link).exists() or page.parent.joinpath(link).is_symlink()
            assert there, f"{page.relative_to(tree)}: {link} is not in the package"


RULES = (ROOT / "systemd" / "60-feltd.rules").read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize(
    ("subsystem", "group"), [("gpio", "gpio"), ("hidraw", "root"), ("usb", "root"), ("watchdog", "root")]
)
def test_udev_gives_no_kind_of_device_to_the_service_but_pins(subsystem: str, group: str) -> None:
    [rule] = [line for line in RULES if line.startswith(f'SUBSYSTEM=="{subsystem}"')]
    assert f'GROUP="{group}"' in rule
    assert re.search(r'MODE="06[06]0"', rule)


def test_the_boards_own_serial_ports_have_a_name_that_stays() -> None:
    [rule] = [line for line in RULES if "SYMLINK" in line]
    assert 'KERNEL=="ttyAMA[0-9]*|ttyS[0-9]*"' in rule
    assert 'SYMLINK+="serial/by-path/board-%k"' in rule  # as docs/plugs.md has it


def test_the_service_is_in_no_group_that_opens_more_than_its_file_names(tree: Path) -> None:
    members = (tree / "usr/lib/sysusers.d/feltd.conf").read_text(encoding="utf-8")
    assert "\nm feltd gpio\n" in members
    for group, what in (("input", "keyboards"), ("dialout", "serial ports")):
        assert f"\nm feltd {group}" not in members, f"all {what} would be open to it"


@pytest.mark.parametrize(("unit", "instance"), [(TABLES[0], "table"), (TABLES[1], "%i")])
def test_each_start_of_a_table_opens_the_readers_that_its_file_names_first(
    tree: Path, unit: str, instance: str
) -> None:
    told = settings(tree, unit)
    for key in ("Wants", "After"):
        assert f"feltd-readers@{instance}.service" in " ".join(told[key]).split()
    assert "Requires" not in told, "a table starts without its readers too"
    config = told["ExecStart"][0].split()[-1].removeprefix("/etc/feltd/")
    readers = settings(tree, "feltd-readers@8.service")
    first, *then = readers["ExecStart"]
    assert first == (
        "/opt/feltd/bin/feltd device rules --config /etc/feltd/%i.toml --into /run/udev/rules.d/71-feltd-%i.rules"
    )
    assert config == f"{instance}.toml"
    older, *then = then
    assert older == "/usr/bin/rm -f /run/udev/rules.d/70-feltd-%i.rules", "what 0.8.0 wrote, until the next boot"
    assert [line.split()[1] for line in then] == ["control", "trigger", "settle"]
    assert "--subsystem-match=tty" in then[1], "the ports that it names too"
    assert readers["Type"] == ["oneshot"]
    assert "RemainAfterExit" not in readers, "it is to run at each start, not at the first alone"


def test_no_rules_that_people_were_told_to_write_take_the_place_of_the_units(tree: Path) -> None:
    """Udev reads a file in /etc in the place of one with the same name in /run: no port would be open to the table."""
    told = (ROOT / "docs/plugs.md").read_text() + CliRunner().invoke(cli, ["device", "rules", "--help"]).output
    theirs = {"70-feltd-table.rules", *re.findall(r"/etc/udev/rules\.d/(\S+\.rules)", told)}
    assert len(theirs) == 2
    for unit in READERS:
        written = [line.split()[-1] for line in settings(tree, unit)["ExecStart"] if "device rules" in line]
        instance = unit.removesuffix(".service").partition("@")[2]
        assert not theirs & {Path(into).name.replace("%i", instance) for into in written}


def test_who_opens_readers_sees_no_key_and_no_record_and_has_no_capability(tree: Path) -> None:
    told = settings(tree, READERS[0])
    assert told["CapabilityBoundingSet"] == [""]
    assert told["InaccessiblePaths"] == ["-/etc/feltd/keys -/etc/feltd/uplink -/var/lib/feltd"]
    assert told["ReadWritePaths"] == ["/run/udev"]
    assert told["IPAddressDeny"] == ["any"]
    assert told["ProtectKernelTunables"][-1] == "no", "udevadm trigger writes to /sys"
    assert "User" not in told


@pytest.mark.skipif(shutil.which("systemd-sysusers") is None, reason="needs systemd-sysusers")
def test_systemd_makes_the_user(tree: Path, tmp_path: Path) -> None:
    (tmp_path / "etc").mkdir()
    command = ["systemd-sysusers", f"--root={tmp_path}", str(tree / "usr/lib/sysusers.d/feltd.conf")]
    subprocess.run(command, check=True, capture_output=True)
    users = (tmp_path / "etc/passwd").read_text(encoding="utf-8")
    for user, home in (("feltd", "feltd"), ("feltd-page", "feltd/page")):
        assert re.search(rf"^{user}:.*:/var/lib/{home}:/usr/sbin/nologin$", users, re.MULTILINE)
    groups = (tmp_path / "etc/group").read_text(encoding="utf-8")
    assert re.search(r"^gpio:.*:feltd$", groups, re.MULTILINE)
