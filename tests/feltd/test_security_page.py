"""docs/security.md says what the program does: rights, addresses, files and the tests that it names."""

import asyncio
import re
from pathlib import Path

import pytest

from debian.layout import ROOT
from feltd.door.serving.listener import MODE
from feltd.table.keeper.staff import StaffList
from tests.security_page import PAGE, PARTS, with_part, written
from tests.test_units import TABLES_EXPOSURE

TEXT = PAGE.read_text(encoding="utf-8")
FILES = {
    row[0].strip("`"): (row[1], row[2])
    for row in re.findall(r"^\| (`/[^|]+`) \| (\d{4}) \| ([\w-]+) \|", TEXT, re.MULTILINE)
}


def test_rights_and_addresses_are_those_of_the_program() -> None:
    assert written(TEXT) == TEXT, "python -m tests.security_page writes them anew"


def test_a_row_that_is_wrong_would_be_found() -> None:
    changed = TEXT.replace("| `decide` | –", "| `decide` | yes", 1)
    assert changed != TEXT
    assert with_part(changed, "rights", PARTS["rights"]()) == TEXT
    with pytest.raises(ValueError, match="stands there 0 times"):
        with_part(TEXT, "nothing", [])


def named_tests() -> list[tuple[str, str | None]]:
    """Each test that the page names: its file, and its function where it names one."""
    found: list[tuple[str, str | None]] = []
    file = ""
    for name in re.findall(r"`(tests/[\w/]+\.py(?:::\w+)?|::test_\w+)`", TEXT):
        there, _, function = name.partition("::")
        file = there or file
        found.append((file, function or None))
    return found


def test_every_test_that_is_named_is_there() -> None:
    named = named_tests()
    assert len(named) > 30
    for file, function in named:
        source = (ROOT / file).read_text(encoding="utf-8")
        assert function is None or re.search(rf"^(async )?def {function}\(", source, re.MULTILINE), (
            f"{file}::{function}"
        )


def test_folders_have_the_modes_and_owners_that_the_package_gives_them() -> None:
    tmpfiles = (ROOT / "systemd" / "feltd.tmpfiles").read_text(encoding="utf-8")
    made = {
        place: (mode, owner) for place, mode, owner in re.findall(r"^d (\S+) (\d{4}) (\S+)", tmpfiles, re.MULTILINE)
    }
    compared = FILES.keys() & made.keys()
    ours = {"/etc/feltd/keys", "/var/lib/feltd", "/var/lib/feltd/keys", "/var/lib/feltd-uplink", "/run/feltd-door"}
    assert compared == ours | {"/etc/feltd/pit", "/var/lib/feltd-pit"}
    for place in compared:
        assert FILES[place] == made[place], place
    apart = (ROOT / "debian" / "apart.sh").read_text(encoding="utf-8")
    assert FILES["/var/lib/feltd/page"] == ("0750", "feltd-page")
    assert 'mkdir -m 0750 "$1/page"' in apart
    assert '(cd "$1/page" && chown --from=feltd feltd-page:feltd-page .)' in apart


def test_the_list_of_badges_is_for_the_table_alone(tmp_path: Path) -> None:
    asyncio.run(StaffList(tmp_path / "staff.json").keep([]))
    assert FILES["/var/lib/feltd/staff.json"] == (f"{(tmp_path / 'staff.json').stat().st_mode & 0o7777:04o}", "feltd")


def test_the_doors_mode_and_the_units_exposure_are_as_they_stand_there() -> None:
    assert f"the socket is 0{MODE:o}" in TEXT
    assert f"exposure at most {TABLES_EXPOSURE} of 10" in TEXT


def test_who_looks_for_it_finds_it() -> None:
    for page, link in (("README.md", "docs/security.md"), ("CONTRIBUTING.md", "docs/security.md")):
        assert f"({link})" in (ROOT / page).read_text(encoding="utf-8")
    for page, link in (("README.md", "SECURITY.md"), ("docs/security.md", "../SECURITY.md")):
        assert f"({link})" in (ROOT / page).read_text(encoding="utf-8")
    assert "@" not in (ROOT / "SECURITY.md").read_text(encoding="utf-8"), "an address that nobody reads"
