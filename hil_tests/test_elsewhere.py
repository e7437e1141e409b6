"""The package on arm64 under Debian 12, and on Debian 13: built there from wheels by the lock's hashes, installed in a
root that has no tools, and played. Programs of arm64 run under qemu-user: no kernel, systemd or device of a board.
"""

import re
import shutil
from pathlib import Path

import pytest

from debian.build import project_version
from hil_tests.elsewhere.roots import ALL, ARM64, Elsewhere, Root

pytestmark = [pytest.mark.timeout(3600), pytest.mark.parametrize("place", ALL, ids=str, indirect=True)]
DRILLS = Path(__file__).resolve().parents[1] / "tests/drills"


def test_it_is_installed_on_its_machine_and_every_file_is_as_built(place: Elsewhere, installed: Root) -> None:
    assert installed.run("uname", "-m").strip() == place.machine
    assert installed.run("dpkg-query", "-W", "-f", "${Architecture}", "feltd") == place.architecture
    said = installed.run("feltd", "identify")
    assert re.search(r"^files +[1-9][0-9]+ as built$", said, re.MULTILINE), said
    assert f"feltd {project_version()} ({place.architecture})" in said


def test_the_tables_file_is_checked_there(place: Elsewhere, installed: Root) -> None:
    said = installed.run("sh", "-c", "feltd check /etc/feltd/table.toml; test $? = 1")
    assert "tas-2018-holdem starts no round without a shoe" in said  # as installed it has no device yet


def test_the_drills_are_ruled_on_there_as_here(place: Elsewhere, installed: Root) -> None:
    books = ["act-2019-uth"] if place == ARM64 else sorted(path.name for path in DRILLS.iterdir() if path.is_dir())
    shutil.copytree(DRILLS, installed.folder / "drills")
    said = installed.run("feltd", "drill", *(f"/drills/{book}" for book in books))
    assert "0 failed" in said


def test_a_round_is_played_through_the_wire(place: Elsewhere, installed: Root) -> None:
    options = ("--book", "tas-2018-holdem", "--rounds", "1", "--mistakes", "0", "--pace", "1000", "--no-tour")
    said = installed.run("feltd", "simulate", *options, "--port", "0", "--folder", "/tmp/simulated")
    assert "1 rounds dealt, 0 rulings" in said
    verdict = installed.run(
        "feltd", "journal", "verify", "/tmp/simulated/table.journal", "--key", "/tmp/simulated/journal.key"
    )
    assert "sound" in verdict
