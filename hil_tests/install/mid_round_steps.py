"""A table of this version plays a round, and the package of the next one comes over it: the table plays on.

Another round would be begun by the next version: once nobody plays, the table is started anew by it.
"""

import json
import os
import re
import signal
from pathlib import Path
from typing import Final

from hil_tests.install.inside import (
    APT,
    CONFIG,
    FIRST,
    HERE,
    MID_ROUND,
    PAGE,
    PASSWORD,
    SECOND,
    STATE,
    UNIT,
    active,
    entries,
    eventually,
    log,
    page,
    run,
    show,
    state_of,
    step,
    up,
)
from hil_tests.install.upgrade_steps import PLAYED_AT, play_into_a_round, take_up, void_the_round

JOURNAL: Final = STATE / "table.journal"
PEOPLE: Final = {"anna": "supervisor"}
KEPT: Final = Path("/opt/feltd.kept")
LINKS: Final = Path("/run/feltd-kept")
NEW_IN_SECOND: Final = "opt/feltd/share/second"
SCRIPT: Final = ("sh", "/usr/share/feltd/kept.sh")
MANIFEST: Final = Path("/opt/feltd/share/feltd/manifest.json")
FAILURES: Final = 3
"""More than a table is given that was told of an upgrade: one that was not told is given any number."""
BEFORE: Final = HERE / "manifest-before"


def _table() -> int:
    return int(show(UNIT, "MainPID"))


def _sees_the_second() -> bool:
    """Whether the table's own view of the disk has the files of the second version."""
    return Path(f"/proc/{_table()}/root", NEW_IN_SECOND).exists()


def _digest() -> str:
    return run("sha256sum", str(MANIFEST)).split()[0]


def _started_by() -> list[str]:
    """The manifest that each start of the table has named, the latest last."""
    notes = run("runuser", "-u", "feltd", "--", "feltd", "journal", "show", str(JOURNAL), "--name", "note", "--json")
    return re.findall(r'"manifest": ?"([0-9a-f]{64})"', notes)


@step(MID_ROUND)
def this_version_is_installed_and_a_round_is_in_play() -> None:
    run(*APT, str(FIRST))
    up()
    for name, role in PEOPLE.items():
        run("feltd", "user", "add", name, "--role", role, "--password-stdin", fed=f"{PASSWORD}\n")
    play_into_a_round(PLAYED_AT)
    take_up(UNIT, PAGE)
    assert state_of("table")["phase"] in ("dealing", "betting", "board", "showdown", "halted"), state_of("table")
    BEFORE.write_text(_digest(), encoding="ascii")


@step(MID_ROUND)
def an_upgrade_of_the_package_does_not_reach_the_table() -> None:
    table, its_page, shown = _table(), show(PAGE, "MainPID"), state_of("table")
    told = run(*APT, str(SECOND))
    assert "felt-table plays on by feltd" in told, told
    up()
    assert _table() == table
    assert show(PAGE, "MainPID") != its_page
    assert Path("/", NEW_IN_SECOND).exists()
    assert not _sees_the_second()
    assert {name: state_of("table")[name] for name in ("round", "phase", "seats")} == {
        name: shown[name] for name in ("round", "phase", "seats")
    }


@step(MID_ROUND)
def page_check_and_log_say_which_version_plays_and_which_is_installed() -> None:
    runs, installed = (LINKS / "felt-table.installed").read_text(encoding="ascii").split()[:2]
    assert installed == f"{runs}+1"
    eventually(lambda: state_of("upgrade"), "the page says it")
    assert installed in state_of("upgrade")
    assert f"feltd {installed} is installed, and this table runs {runs}" in log(UNIT)
    said = run("sh", "-c", f"feltd check {CONFIG} 2>&1 || true")
    assert f"feltd {installed} is installed, and the table runs {runs}" in said, said
    said = run("sh", "-c", "feltd identify 2>&1 || true")
    assert f"plays      felt-table by feltd {runs}, manifest {BEFORE.read_text(encoding='ascii')}" in said, said


@step(MID_ROUND)
def what_the_table_starts_beside_itself_is_of_its_own_version() -> None:
    """The process that reads its record for the page."""
    eventually(lambda: page("/api/v1/rounds") is not None, "the page lists the rounds of the record")
    [reader] = _readers()
    assert not Path(f"/proc/{reader}/root", NEW_IN_SECOND).exists()
    os.kill(reader, signal.SIGKILL)
    eventually(lambda: page("/api/v1/rounds") is not None and _readers() not in ([], [reader]), "another reader")
    [reader] = _readers()
    assert not Path(f"/proc/{reader}/root", NEW_IN_SECOND).exists()


def _readers() -> list[int]:
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if b"record_process" in (process / "cmdline").read_bytes():
                found.append(int(process.name))
        except OSError:
            continue  # it has ended meanwhile
    return found


@step(MID_ROUND)
def a_table_that_is_killed_meanwhile_goes_on_with_its_round_by_its_own_version() -> None:
    table, begun = _table(), state_of("table")["round"]
    os.kill(table, signal.SIGKILL)
    eventually(lambda: active(UNIT) and _table() not in (0, table), "another process in its place")
    up()
    assert not _sees_the_second()
    assert _started_by()[-1] == BEFORE.read_text(encoding="ascii")
    assert state_of("table")["round"] == begun


@step(MID_ROUND)
def once_the_round_is_over_the_table_is_started_anew_by_the_installed_version() -> None:
    table = _table()
    void_the_round("anna")
    eventually(lambda: _table() not in (0, table) and active(UNIT), "the table is started anew")
    up()
    assert _sees_the_second()
    assert _started_by()[-1] == _digest() != BEFORE.read_text(encoding="ascii")
    assert state_of("upgrade") is None
    eventually(lambda: not KEPT.exists(), "the old files go")
    assert not [link for link in LINKS.iterdir() if link.name != "lock"]
    entries(JOURNAL)


@step(MID_ROUND)
def a_table_at_rest_is_started_anew_at_once_and_one_goes_back_likewise() -> None:
    table = _table()
    run(*APT, "--allow-downgrades", str(FIRST))
    eventually(lambda: active(UNIT) and _table() not in (0, table), "the table is started anew")
    up()
    assert not _sees_the_second()
    assert _started_by()[-1] == _digest() == BEFORE.read_text(encoding="ascii")
    assert json.loads(page("/api/v1/state") or "{}")["upgrade"] is None
    eventually(lambda: not KEPT.exists(), "the old files go")


# -- what befalls a table between the two scripts of a package: the first half of its script is called as prerm does


def _keep() -> Path:
    """The table plays by kept files; where they are."""
    run(*SCRIPT, "keep", UNIT)
    return (LINKS / "felt-table").readlink()


def _sees(tree: Path) -> bool:
    views = Path(f"/proc/{_table()}/mountinfo").read_text(encoding="ascii").splitlines()
    over = [view.split()[3] for view in views if view.split()[4] == "/opt/feltd"]
    return bool(over) and over[-1].endswith(str(tree))  # a container's root has more before it


@step(MID_ROUND)
def files_that_somebody_took_away_are_not_believed_and_the_table_is_to_be_stopped() -> None:
    tree = _keep()
    assert _sees(tree)
    _keep()
    run("rm", "-r", str(KEPT))
    said = run("sh", "-c", f"! {' '.join(SCRIPT)} keep {UNIT}")
    assert "the files that it was started from are gone" in said, said
    assert not (LINKS / "felt-table").is_symlink()


@step(MID_ROUND)
def a_table_whose_own_files_start_no_more_is_taken_over_by_the_installed_version() -> None:
    run("systemctl", "restart", UNIT)
    up()
    tree = _keep()
    _break(tree)
    assert not active(UNIT)
    assert (LINKS / "felt-table").is_symlink()
    said = run(*SCRIPT, "installed")
    assert "felt-table plays on by" in said, said
    eventually(lambda: active(UNIT), "it starts by what is installed")
    up()
    assert not (LINKS / "felt-table").is_symlink()
    assert "failed 3 times since the upgrade: its next start is by the version that is installed" in log(UNIT)
    eventually(lambda: not KEPT.exists(), "its own files go")


def _break(tree: Path) -> None:
    """No start by these files succeeds any more, and the table fails by them again and again."""
    before = int(show(UNIT, "NRestarts"))
    broken = tree / "bin/feltd"
    broken.unlink()  # the file itself is the installed one, too
    broken.write_text("#!/bin/sh\nexit 1\n", encoding="ascii")
    broken.chmod(0o755)
    os.kill(_table(), signal.SIGKILL)
    eventually(lambda: int(show(UNIT, "NRestarts")) > before + FAILURES, "it fails")


@step(MID_ROUND)
def one_that_is_about_to_be_tried_again_is_stopped_by_a_package_and_starts_by_that() -> None:
    _break(_keep())
    said = run(*APT, str(SECOND))
    assert "felt-table cannot play on (it is " in said, said
    eventually(lambda: active(UNIT), "it starts by what is installed")
    up()
    assert _sees_the_second()
    assert not KEPT.exists()


@step(MID_ROUND)
def a_removal_takes_kept_files_away() -> None:
    _keep()
    run("apt-get", "remove", "-y", "feltd")
    assert not list(KEPT.parent.glob("feltd.kept*"))
    assert not LINKS.exists()
