"""`feltd identify`: what runs, file by file, in text and as JSON, and its exit codes."""

import json
import sys
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from feltd.books.own import library_with
from feltd.cli import cli, identified
from feltd.installed.manifest import PLACE, SIGNATURE_PLACE
from feltd.table.journal import Journal
from table_fsm.events import DeviceState
from tests.feltd.installed_support import (
    CODE,
    CONFIGURATION,
    JOURNAL_KEY,
    MAKER,
    STRANGER,
    installed,
    own_table,
    public,
)
from tests.feltd.installed_support import (
    OWN_BOOK as OWN,
)


def run(*arguments: str | Path) -> Result:
    result = CliRunner().invoke(cli, ["identify", *map(str, arguments)])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def told(*arguments: str | Path) -> dict[str, Any]:
    return dict(json.loads(run(*arguments, "--json").stdout))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    installed(tmp_path / "root")
    return tmp_path / "root"


def test_a_package_as_it_was_built_is_told_with_its_digest_and_who_signed_it(root: Path) -> None:
    result = run("--root", root, "--signed-by", public(MAKER))
    assert result.exit_code == 0, result.output
    said = told("--root", root)
    assert said["files"]["as_built"] is True
    assert said["package"]["key"] == public(MAKER)
    assert f"manifest   {said['package']['manifest']}" in result.stdout
    assert f"signature  good, by the key {public(MAKER)}" in result.stdout
    assert "feltd 9.9.9 (all)" in result.stdout
    assert said["python"] is said["kernel"] is None  # of the machine that looks, not of the root that is looked at


def test_each_file_that_differs_is_missing_or_is_extra_is_named(root: Path) -> None:
    (root / CODE[1:]).write_text("rules = 2\n", encoding="utf-8")
    (root / "opt/feltd/bin/feltd").unlink()
    (root / "opt/feltd/\x1b[2Jnew").write_text("", encoding="utf-8")
    result = run("--root", root)
    assert result.exit_code == 1
    assert f"  differs  {CODE}: another content" in result.stdout
    assert "  missing  /opt/feltd/bin/feltd" in result.stdout
    assert "  extra  /opt/feltd/\\x1b[2Jnew: 0 bytes" in result.stdout
    assert "\x1b" not in result.output
    assert result.stderr.splitlines() == [
        "feltd identify: 1 file is not as built",
        "feltd identify: 1 file is not there",
        "feltd identify: 1 file is there and in no package",
    ]
    said = told("--root", root)["files"]
    assert [one["path"] for one in said["differs"]] == [CODE]
    assert said["missing"] == ["/opt/feltd/bin/feltd"]
    assert [one["path"] for one in said["extra"]] == ["/opt/feltd/\x1b[2Jnew"]


def test_changed_configuration_is_named_and_is_no_problem(root: Path) -> None:
    (root / CONFIGURATION[0][1:]).write_text("mine\n", encoding="utf-8")
    result = run("--root", root)
    assert (result.exit_code, f"  configured  {CONFIGURATION[0]}: " in result.stdout) == (0, True)


def test_another_key_than_the_makers_will_not_do(root: Path, tmp_path: Path) -> None:
    key = tmp_path / "maker.pub"
    key.write_text(public(STRANGER), encoding="ascii")
    result = run("--root", root, "--signed-by", key)
    assert result.exit_code == 1
    assert f"is not signed by the key {public(STRANGER)}" in result.stderr


def test_an_unsigned_build_says_so_and_is_refused_where_a_key_is_asked_for(tmp_path: Path) -> None:
    installed(tmp_path, None)
    result = run("--root", tmp_path)
    assert result.exit_code == 0
    assert "signature  none: an unsigned build; nothing says who built it" in result.stdout
    assert run("--root", tmp_path, "--signed-by", public(MAKER)).exit_code == 1


def test_files_and_manifest_changed_together_are_found_by_the_signature(root: Path, tmp_path: Path) -> None:
    other = installed(tmp_path / "other")
    (tmp_path / "other" / CODE[1:]).write_text("rules = 2\n", encoding="utf-8")
    manifest = other / PLACE
    manifest.write_bytes(manifest.read_bytes().replace(b'"version": "9.9.9"', b'"version": "9.9.8"'))
    result = run("--root", tmp_path / "other")
    assert result.exit_code == 1
    assert "FALSE: it is not of this manifest" in result.stdout
    (other / SIGNATURE_PLACE).unlink()
    assert run("--root", tmp_path / "other", "--signed-by", public(MAKER)).exit_code == 1


def test_where_nothing_says_what_belongs_there_that_is_the_answer(tmp_path: Path) -> None:
    result = run("--root", tmp_path)
    assert (result.exit_code, "there is no manifest" in result.stderr) == (1, True)
    prefix = installed(tmp_path / "root")
    (prefix / PLACE).write_bytes(b"{}")
    result = run("--root", tmp_path / "root")
    assert (result.exit_code, "is no manifest, or not whole" in result.stderr) == (1, True)


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The tree by which a table plays on, of another build than the installed one."""
    tree = tmp_path / "kept"
    prefix = installed(tree, STRANGER)
    (tmp_path / "links").mkdir()
    (tmp_path / "links/felt-table@8").symlink_to(prefix)
    (tmp_path / "links/felt-table@8.installed").touch()
    monkeypatch.setattr(identified, "LINKS", tmp_path / "links")
    return tree


def test_a_table_that_plays_on_by_the_version_before_is_named_with_its_files(kept: Path) -> None:
    digest = sha256((kept / "opt/feltd" / PLACE).read_bytes()).hexdigest()
    line = f"plays      felt-table@8 by feltd 9.9.9, manifest {digest}, until its round is over"
    assert line in run().stdout
    [said] = told()["plays_on"]
    assert (said["unit"], said["version"], said["files"]["as_built"]) == ("felt-table@8", "9.9.9", True)
    assert said["key"] == public(STRANGER)
    assert "felt-table@8" not in run().stderr
    result = run("--signed-by", public(MAKER))
    assert "felt-table@8: the manifest that it plays by is not signed as it must be" in result.stderr


def test_a_file_of_it_that_differs_is_a_problem(kept: Path) -> None:
    (kept / CODE[1:]).write_text("rules = 2\n", encoding="utf-8")
    (kept / "opt/feltd/bin/feltd").unlink()
    result = run()
    assert f"  differs  {CODE}: another content" in result.stdout
    assert "felt-table@8: 1 file is not as built" in result.stderr
    (kept / "opt/feltd" / PLACE).unlink()
    assert "cannot be read" in run().stderr


def test_a_table_of_this_machine_and_another_root_do_not_go_together(root: Path) -> None:
    assert run("--root", root, "table.toml").exit_code == 2
    refused = run("--root", root, "--signed-by", "no-such-file")
    assert (refused.exit_code, "feltd: no-such-file: cannot be read" in refused.stderr) == (2, True)


def test_this_machine_tells_its_rulebooks_interpreter_and_kernel(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "prefix", str(root / "opt/feltd"))
    said = told()
    assert {book["id"]: book["digest"] for book in said["rulebooks"]} == {
        book.id: book.digest for book in library_with(None).values()
    }
    assert not any(book["own"] for book in said["rulebooks"])
    assert said["python"].startswith("CPython 3.")
    assert said["kernel"].startswith("Linux ")
    # The manifest is of a root that is not this one: its files are asked for here, and are not there.
    assert CODE in said["files"]["missing"]
    assert run().exit_code == 1


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """A table with a rulebook of its own, whose shoe has come twice and whose keys have never come."""
    file = own_table(tmp_path)
    journal = Journal.open(tmp_path / "table.journal", JOURNAL_KEY)
    for t, device, online, reason in (
        (1.0, "shoe", True, "S1, firmware 1.0"),
        (2.0, "gone", True, "X9, firmware 7"),
        (3.0, "shoe", True, "S1, firmware 1.1"),
        (4.0, "shoe", False, "its cable is out"),
    ):
        event = DeviceState(t=t, device=device, online=online, reason=reason)
        journal.append_event(event, source=None, round_number=0, rulebook_digest=None)
    journal.close()
    return file


def test_a_table_tells_its_own_rulebooks_and_what_its_devices_said(table: Path) -> None:
    said = told(table)
    assert [book["id"] for book in said["rulebooks"] if book["own"]] == [OWN]
    assert str(table.parent / "books" / f"{OWN}.toml") in [one["path"] for one in said["beside"]]
    assert said["configuration"]["path"] == str(table)
    assert [(one["device"], one["said"], one["entry"]) for one in said["devices"]] == [("shoe", "S1, firmware 1.1", 3)]
    result = run(table)
    assert "shoe: S1, firmware 1.1 (as it said, " in result.stdout
    assert f"{OWN} (own)" in result.stdout


def test_what_of_a_table_cannot_be_read_is_a_problem_and_the_rest_is_told(table: Path) -> None:
    (table.parent / "books" / f"{OWN}.toml").write_text("no TOML", encoding="utf-8")
    (table.parent / "table.journal").write_bytes(b"no journal")
    result = run(table, "--json")
    said = json.loads(result.stdout)
    assert result.exit_code == 1
    assert len(said["rulebooks"]) == len(library_with(None))
    assert any("rulebooks with faults" in problem for problem in said["problems"])
    assert any("table.journal" in problem for problem in said["problems"])
    table.write_text("no TOML", encoding="utf-8")
    said = told(table)
    assert len(said["rulebooks"]) == len(library_with(None))
    assert any(str(table) in problem for problem in said["problems"])
