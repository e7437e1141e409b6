"""The package in a fresh Debian: installed, used, the power cut, upgraded, taken back, removed, purged."""

import json
import os
import pwd
import re
import signal
import ssl
import time
import urllib.error
import urllib.request
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from hil_tests.install.inside import (
    APT,
    CONFIG,
    FIRST,
    HERE,
    PAGE,
    PAGE_STATE,
    PASSWORD,
    SECOND,
    STATE,
    UNIT,
    active,
    entries,
    eventually,
    log,
    owner_and_mode,
    page,
    run,
    show,
    state_of,
    step,
    up,
)

NEW_IN_SECOND: Final = Path("/opt/feltd/share/second")
FORGOTTEN: Final = Path("/etc/feltd/forgotten")
DOOR: Final = Path("/run/feltd-door/table")


# -- the first start: two commands, and what a technician does next


@step("install")
def one_command_installs_it_and_the_table_runs() -> None:
    told = run(*APT, str(FIRST))
    [kept] = re.findall(r"first key of the record /var/lib/feltd/table\.journal: ([0-9a-f]{64})$", told, re.MULTILINE)
    up()
    assert f"first key of the record: {kept}" in log(UNIT)
    assert active(UNIT)
    assert active(PAGE)
    assert active("feltd-record.timer")
    assert show(UNIT, "UnitFileState") == show(PAGE, "UnitFileState") == "enabled"


@step("install")
def what_the_start_lacks_was_said_before_it() -> None:
    said = log(UNIT)
    assert "starts no round without a shoe" in said, said
    assert said.index("starts no round") < said.index("ready, door at"), said


@step("install")
def the_key_of_the_record_is_roots_alone() -> None:
    key = Path("/etc/feltd/keys/journal.key")
    assert owner_and_mode(key) == ("root", 0o600)
    assert owner_and_mode(key.parent) == ("root", 0o700)
    assert re.fullmatch(r"[0-9a-f]{64}", key.read_text(encoding="ascii"))


@step("install")
def where_systemd_has_no_key_to_hand_over_the_page_says_so_until_it_is_back() -> None:
    key, told = Path("/etc/feltd/keys/journal.key"), Path("/run/feltd-kept/felt-table.ended")
    away = key.rename(key.with_name("journal.key.away"))
    run("systemctl", "kill", "--signal=KILL", UNIT)
    why = "out of order: systemd cannot hand over a key to the table (243/CREDENTIALS)\n"
    eventually(lambda: _refusal("/healthz") == (503, why), "the page says why there is no table")
    assert told.read_text(encoding="ascii") == "exit-code exited 243\n"
    assert owner_and_mode(told) == ("root", 0o644)
    assert owner_and_mode(told.parent) == ("root", 0o755)
    for user in ("feltd", "feltd-page"):
        refused = run("runuser", "-u", user, "--", "sh", "-c", f"{{ echo x >{told} || rm -f {told}; }} 2>&1 || true")
        assert refused.count("Permission denied") == 2, refused
    away.rename(key)
    up()
    run("systemctl", "stop", UNIT)
    assert not told.exists(), "it has ended in good order"
    run("systemctl", "start", UNIT)
    up()


@step("install")
def neither_process_has_a_right_it_does_not_need() -> None:
    for unit, user in ((UNIT, "feltd"), (PAGE, "feltd-page")):
        told = dict(
            line.split(":", 1)
            for line in Path(f"/proc/{show(unit, 'MainPID')}/status").read_text(encoding="ascii").splitlines()
        )
        assert int(told["CapEff"], 16) == 0
        assert (told["NoNewPrivs"].strip(), told["Seccomp"].strip()) == ("1", "2")
        assert pwd.getpwuid(int(told["Uid"].split()[0])).pw_name == user
    assert owner_and_mode(STATE) == ("feltd", 0o751)
    assert owner_and_mode(STATE / "table.journal") == ("feltd", 0o640)


@step("install")
def the_page_reads_nothing_of_the_tables_and_no_other_user_comes_in_at_the_door() -> None:
    assert owner_and_mode(PAGE_STATE) == ("feltd-page", 0o750)
    assert owner_and_mode(DOOR) == ("feltd", 0o660)
    for kept in (STATE / "table.journal", Path("/etc/feltd/keys/journal.key")):
        assert "denied" in run("sh", "-c", f"! runuser -u feltd-page -- cat {kept} 2>&1"), kept
    knock = f"import socket; socket.socket(socket.AF_UNIX).connect('{DOOR}')"
    assert "denied" in run("sh", "-c", f'! runuser -u nobody -- python3 -c "{knock}" 2>&1')
    sockets = Path(f"/proc/{show(UNIT, 'MainPID')}/net/unix").read_text(encoding="ascii")
    assert str(DOOR) in sockets


@step("install")
def the_page_dies_and_comes_back_and_the_table_does_not_notice() -> None:
    table, page_of_it = show(UNIT, "MainPID"), show(PAGE, "MainPID")
    os.kill(int(page_of_it), signal.SIGKILL)
    eventually(lambda: active(PAGE) and show(PAGE, "MainPID") not in (page_of_it, "0"), "another page in its place")
    up()
    assert show(UNIT, "MainPID") == table
    run("systemctl", "stop", UNIT)
    eventually(lambda: "does not answer" in _refusal("/healthz")[1], "the page says that the table does not answer")
    run("systemctl", "start", UNIT)
    up()


@step("install")
def the_second_command_makes_an_account_that_the_service_can_read() -> None:
    run("feltd", "user", "add", "anna", "--role", "technician", "--password-stdin", fed=f"{PASSWORD}\n")
    assert owner_and_mode(PAGE_STATE / "accounts.json") == ("feltd-page", 0o600)
    assert "anna" in run("runuser", "-u", "feltd-page", "--", "feltd", "user", "list")


@step("install")
def a_device_that_is_missing_locks_play_and_not_the_page() -> None:
    text = CONFIG.read_text(encoding="utf-8").replace("port = 8080", "port = 8080\nopen_on_loopback = true")
    device = (
        '\n[[device]]\nname = "shoe"\nrole = "shoe"\nport = "/dev/serial/by-id/usb-not-there"\n'
        'key_file = "/var/lib/feltd/keys/shoe.key"\n'
    )
    CONFIG.write_text(text + device, encoding="utf-8")
    run("feltd", "device", "key", "shoe")
    assert owner_and_mode(STATE / "keys/shoe.key") == ("feltd", 0o600)
    run("systemctl", "restart", UNIT, PAGE)
    up()
    assert 'is "shoe" plugged in and powered' in log(UNIT)

    eventually(
        lambda: [alarm["device"] for alarm in state_of("alarms") if alarm["kind"] == "device_offline"] == ["shoe"],
        "the page says which device is missing",
    )
    assert state_of("table")["gate"] == "locked"


def _command(process: Path) -> bytes:
    try:
        return (process / "cmdline").read_bytes()
    except OSError:
        return b""  # it has ended meanwhile


@step("install")
def the_page_reads_the_record_at_the_tables_door() -> None:
    eventually(lambda: page("/api/v1/rounds") is not None, "the page lists the rounds of the record")
    readers = [one for one in Path("/proc").glob("[0-9]*") if b"record_process" in _command(one)]
    nicenesses = {os.getpriority(os.PRIO_PROCESS, int(one.name)) for one in readers}
    assert nicenesses == {19}, f"the process that reads for the page yields to the table: {nicenesses}"


@step("install")
def a_check_beside_the_running_table_finds_no_fault_in_what_that_holds() -> None:
    for as_user in (["runuser", "-u", "feltd", "--"], []):
        said = run("sh", "-c", " ".join([*as_user, "feltd", "check", str(CONFIG), "|| true"]))
        assert "what it holds itself is no problem" in said, said
        assert "page.port" not in said, said


@step("install")
def a_table_that_cannot_start_says_why_on_its_page_until_that_is_mended() -> None:
    before = CONFIG.read_text(encoding="utf-8")
    CONFIG.write_text(before.replace("open_on_loopback = true", 'open_on_loopback = "yes"'), encoding="utf-8")
    run("systemctl", "restart", UNIT, PAGE)  # they say that they are ready: the page in its place is
    assert show(UNIT, "StatusText").startswith("OUT OF ORDER: the table's file /etc/feltd/table.toml has a fault")
    status, text = _refusal("/")
    assert (status, "is not allowed; allowed: true, false" in text) == (503, True), text
    restarts = show(UNIT, "NRestarts")
    time.sleep(5.0)  # it stays, where it would have been started every two seconds
    assert show(UNIT, "NRestarts") == restarts
    CONFIG.write_text(before, encoding="utf-8")
    up()
    assert show(UNIT, "NRestarts") == str(int(restarts) + 1)
    assert "is not allowed; allowed: true, false" in log(UNIT)


def _refusal(path: str) -> tuple[int, str]:
    """What the page answers where it does not answer with 200."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:8080{path}", timeout=5) as answer:
            return answer.status, str(answer.read().decode())
    except urllib.error.HTTPError as refusal:
        return refusal.code, str(refusal.read().decode())


@step("install")
def a_technicians_own_setting_holds_and_a_table_that_hangs_is_started_again() -> None:
    _override("WatchdogSec=3")
    run("systemctl", "restart", UNIT)
    up()
    assert show(UNIT, "WatchdogUSec") == "3s"
    hung = show(UNIT, "MainPID")
    os.kill(int(hung), signal.SIGSTOP)
    eventually(lambda: active(UNIT) and show(UNIT, "MainPID") not in (hung, "0"), "another process in its place")
    up()
    _override(None)


def _override(setting: str | None, unit: str = UNIT) -> None:
    """What `systemctl edit` does with this unit; None takes it back."""
    override = Path(f"/etc/systemd/system/{unit}.d/override.conf")
    override.parent.mkdir(exist_ok=True)
    override.write_text(f"[Service]\n{setting or ''}\n", encoding="utf-8")
    if setting is None:
        override.unlink()
        override.parent.rmdir()
    run("systemctl", "daemon-reload")


@step("install")
def the_record_is_verified_and_kept_by_its_own_unit() -> None:
    run("systemctl", "start", "feltd-record.service")
    assert show("feltd-record.service", "Result") == "success"
    assert "entries, sound" in log("feltd-record.service")
    assert owner_and_mode(STATE / "exports") == ("feltd", 0o750)


@step("install")
def a_second_table_on_the_board_has_its_own_file_key_and_folder() -> None:
    text = CONFIG.read_text(encoding="utf-8").replace("8080", "8081").replace("/var/lib/feltd/", "/var/lib/feltd/8/")
    other = CONFIG.with_name("8.toml")
    other.write_text(text.replace("table.journal", "8.journal"), encoding="utf-8")
    run("sh", "-c", "umask 077; openssl rand -hex 32 >/etc/feltd/keys/8.key")
    run("install", "-d", "-o", "feltd", "-g", "feltd", "-m", "0751", "/var/lib/feltd/8")
    run("install", "-d", "-o", "feltd-page", "-g", "feltd-page", "-m", "0750", "/var/lib/feltd/8/page")
    run("install", "-d", "-o", "feltd", "-g", "feltd", "-m", "0700", "/var/lib/feltd/8/keys")
    run("feltd", "device", "key", "shoe", "--config", str(other))
    run("systemctl", "enable", "--now", "felt-table@8.service", "felt-page@8.service", "feltd-record@8.timer")
    up(8081)
    up(8080)
    assert (STATE / "8/8.journal").exists()
    run("systemctl", "start", "feltd-record@8.service")
    assert (STATE / "8/exports").is_dir()


@step("install")
def a_makers_adapter_is_found_where_the_guide_installs_it() -> None:
    table = Path("/tmp/adapter.toml")
    lines = CONFIG.read_text(encoding="utf-8").replace('name = "shoe"', 'name = "shoe"\nadapter = "ascii-shoe"')
    table.write_text(re.sub(r"(?m)^key_file = .*\n", "", lines), encoding="utf-8")

    def check() -> str:
        """It has problems: the shoe is not there. What matters is which."""
        return run("sh", "-c", f"runuser -u feltd -- feltd check {table} || true")

    before = check()
    assert "no adapter ascii-shoe is installed" in before, before
    [wheel] = HERE.glob("*ascii_shoe*.whl")
    zipfile.ZipFile(wheel).extractall("/usr/local/lib/feltd")  # as `pip install --target` does
    after = check()
    assert "no adapter ascii-shoe" not in after, after
    assert "NOT AUTHENTICATED: the adapter ascii-shoe" in after, after


@step("install")
def what_badge_readers_and_plugs_need_can_be_loaded() -> None:
    words = "import evdev, osdp, pyudev, usb.backend.libusb1 as b; pyudev.Context(); assert b.get_backend()"
    run("/opt/feltd/bin/python3", "-I", "-c", words)


@step("install")
def the_page_is_heard_by_the_network_named_for_it_and_by_no_other() -> None:
    before = CONFIG.read_text(encoding="utf-8")
    run("ip", "address", "add", "192.168.20.7/24", "dev", "lo")
    CONFIG.write_text(before.replace("127.0.0.1", "192.168.20.7"), encoding="utf-8")
    run("systemctl", "restart", PAGE)
    no_firewall = "does not support BPF/cgroup firewalling" in run("journalctl", "-b", "--no-pager")
    assert _answer_with_tls("192.168.20.7") is None or no_firewall
    _override("IPAddressAllow=192.168.20.0/24", PAGE)
    run("systemctl", "restart", PAGE)
    eventually(lambda: _answer_with_tls("192.168.20.7") == "well\n", "the page answers that network")
    _override(None, PAGE)
    CONFIG.write_text(before, encoding="utf-8")
    run("ip", "address", "del", "192.168.20.7/24", "dev", "lo")
    run("systemctl", "restart", PAGE)
    up()


def _answer_with_tls(host: str) -> str | None:
    """The certificate is one that feltd made: it is the connection that is tried."""
    trusting = ssl.create_default_context()
    trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE
    try:
        with urllib.request.urlopen(f"https://{host}:8080/healthz", timeout=3, context=trusting) as answer:
            return str(answer.read().decode())
    except OSError:
        return None


@step("install")
def udev_understands_the_rules() -> None:
    said = run("sh", "-c", "udevadm test /sys/class/mem/null 2>&1 || true")
    assert "60-feltd.rules" in said, said
    faults = [line for line in said.splitlines() if re.search(r"60-feltd\.rules:\d+", line)]
    assert not [line for line in faults if re.search(r"[Ii]nvalid|[Uu]nknown|error", line)], faults


@step("install")
def its_log_has_a_limit() -> None:
    assert "SystemMaxUse=200M" in run("systemd-analyze", "cat-config", "systemd/journald.conf")
    assert "RuntimeWatchdogSec=14" in run("systemd-analyze", "cat-config", "systemd/system.conf")


@step("install")
def what_the_record_has_is_noted_before_the_power_goes() -> None:
    run("systemctl", "stop", "felt-table.service", "felt-table@8.service")
    counted = {"table": entries(STATE / "table.journal"), "8": entries(STATE / "8/8.journal")}
    (HERE / "entries.json").write_text(json.dumps(counted), encoding="ascii")


# -- the second start: the power comes on, and the root cannot be written


@step("power")
def the_root_cannot_be_written() -> None:
    for place in ("/usr", "/etc", "/opt/feltd", "/var/lib"):
        assert os.statvfs(place).f_flag & os.ST_RDONLY, place


@step("power")
def both_tables_start_with_the_power() -> None:
    up(8080)
    up(8081)
    assert active("feltd-record.timer")


@step("power")
def the_record_goes_on_where_it_was() -> None:
    before = json.loads((HERE / "entries.json").read_text(encoding="ascii"))
    assert entries(STATE / "table.journal") > before["table"]
    assert entries(STATE / "8/8.journal") > before["8"]


@step("power")
def accounts_and_keys_are_made_there_too() -> None:
    run("feltd", "user", "add", "carl", "--role", "supervisor", "--password-stdin", fed=f"{PASSWORD}\n")
    run("feltd", "device", "key", "shoe")


@step("power")
def the_record_is_kept_there_too() -> None:
    run("systemctl", "start", "feltd-record.service")


# -- the third start: the power again, and over the root lies one that forgets


@step("overlay")
def under_an_overlay_the_tables_start_and_the_record_stays() -> None:
    FORGOTTEN.write_text("by the next start\n", encoding="ascii")
    up(8080)
    up(8081)
    run("feltd", "user", "add", "bert", "--role", "observer", "--password-stdin", fed=f"{PASSWORD}\n")


# -- the fourth start: upgrade, back again, away


def _sealed() -> dict[str, bytes]:
    """What no upgrade may touch."""
    names = [CONFIG, CONFIG.with_name("8.toml"), PAGE_STATE / "accounts.json", STATE / "keys/shoe.key"]
    names += [Path("/etc/feltd/keys/journal.key"), Path("/etc/feltd/keys/8.key")]
    return {str(name): name.read_bytes() for name in names}


@step("change")
def an_overlay_forgets_all_but_what_is_on_the_records_disk() -> None:
    assert not FORGOTTEN.exists()
    assert "bert" in run("feltd", "user", "list")


@step("change")
def an_upgrade_keeps_record_configuration_accounts_and_keys() -> None:
    up(8080)
    up(8081)
    kept, before = _sealed(), entries(STATE / "table.journal")
    run(*APT, str(SECOND))
    assert NEW_IN_SECOND.exists()
    up(8080)
    up(8081)
    assert _sealed() == kept
    assert "shipped by the second" in CONFIG.with_name("table.toml.dpkg-dist").read_text(encoding="utf-8")
    eventually(lambda: entries(STATE / "table.journal") > before, "the table is started anew")


@step("change")
def an_upgrade_that_was_broken_off_and_done_again_starts_what_ran_before_it() -> None:
    lacking = "/usr/bin/systemd-sysusers"
    run("mount", "--bind", "/bin/false", lacking)
    run("sh", "-c", f"! dpkg --force-confold -i {SECOND}")
    run("umount", lacking)
    assert page("/healthz") is None
    run("dpkg", "--force-confold", "-i", str(SECOND))
    up(8080)
    up(8081)


@step("change")
def what_was_stopped_or_disabled_stays_so_when_one_goes_back() -> None:
    run("systemctl", "stop", "felt-table@8.service", "felt-page@8.service")
    run("systemctl", "disable", "feltd-record.timer")
    run("mount", "-t", "tmpfs", "tmpfs", "/var/lib/systemd")  # as with a root that cannot be written
    kept, before = _sealed(), entries(STATE / "table.journal")
    run(*APT, "--allow-downgrades", str(FIRST))
    run("umount", "/var/lib/systemd")
    assert show("feltd-record.timer", "UnitFileState") == "disabled"
    run("systemctl", "enable", "feltd-record.timer")
    assert not NEW_IN_SECOND.exists()
    up(8080)
    assert not active("felt-table@8.service")
    assert not active("felt-page@8.service")
    assert _sealed() == kept
    eventually(lambda: entries(STATE / "table.journal") > before, "the table is started anew")


@step("change")
def removing_it_leaves_the_record_and_no_program() -> None:
    run("apt-get", "remove", "-y", "feltd")
    assert page("/healthz") is None
    for gone in ("/opt/feltd", "/usr/bin/feltd", "/usr/lib/systemd/system/felt-table.service", "/usr/share/doc/feltd"):
        assert not Path(gone).exists(), gone
    assert not run("systemctl", "--failed", "--no-legend").strip()
    for stays in (CONFIG, STATE / "table.journal", PAGE_STATE / "accounts.json", Path("/etc/feltd/keys/journal.key")):
        assert stays.exists(), stays


@step("change")
def installed_again_it_goes_on() -> None:
    kept = _sealed()
    run(*APT, str(FIRST))
    up(8080)
    up(8081)  # stopped by hand before, and enabled still
    assert _sealed() == kept
    entries(STATE / "table.journal")


@step("change")
def a_purge_leaves_the_evidence_and_nothing_else() -> None:
    said = run("apt-get", "purge", "-y", "feltd")
    assert "the record stays in /var/lib/feltd" in said, said
    journals = {STATE / "table.journal", STATE / "8/8.journal"}
    keys = {
        path.with_name(f"{path.name}.{of}")  # they open the round in progress, and prove the record
        for path in journals
        for of in ("keys", "heads", "signer")
    }
    stays = {path for path in _files("/var/lib/feltd") if not path.name.endswith((".lock", "-wal", "-shm"))}
    assert stays == journals | keys
    assert not PAGE_STATE.exists()
    assert {str(path) for path in _files("/etc/feltd")} == {
        "/etc/feltd/8.toml",  # the technician's own
        "/etc/feltd/keys/8.key",
        "/etc/feltd/keys/journal.key",
    }
    left = [
        path for top in ("/usr/bin", "/usr/lib", "/usr/share", "/opt", "/etc/systemd", "/run") for path in _links(top)
    ]
    assert not left, left


def _files(top: str) -> Iterator[Path]:
    return (path for path in Path(top).rglob("*") if path.is_file())


def _links(top: str) -> Iterator[str]:
    for folder, folders, files in os.walk(top):
        yield from (f"{folder}/{name}" for name in (*folders, *files) if name.startswith(("feltd", "felt-")))
