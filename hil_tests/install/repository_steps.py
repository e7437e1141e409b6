"""The package from its maker's apt repository: taken where it is as it was signed, refused where anything was changed;
and what `feltd identify` says of the files that it has put there.
"""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any, Final

from hil_tests.install.inside import (
    CONFIG,
    MAKER,
    REPOSITORIES,
    REPOSITORY,
    STATE,
    UNIT,
    active,
    eventually,
    run,
    step,
    up,
)

KEYRING: Final = Path("/etc/apt/keyrings/feltd.asc")
SOURCE: Final = Path("/etc/apt/sources.list.d/feltd.sources")
UPDATE: Final = ("apt-get", "update", "-o", "APT::Update::Error-Mode=any")
INSTALL: Final = ("apt-get", "install", "-y", "--no-install-recommends")
CODE: Final = Path("/opt/feltd/lib/python3.11/site-packages/feltd/__init__.py")
UNIT_FILE: Final = Path(f"/usr/lib/systemd/system/{UNIT}")
STRANGER: Final = Path("/opt/feltd/lib/python3.11/site-packages/stranger.py")


def _repository(name: str) -> None:
    """As the install guide has it, but for the address. No other repository can be reached here."""
    SOURCE.write_text(
        f"Types: deb\nURIs: file:{REPOSITORIES / name}\nSuites: bookworm\nComponents: main\nSigned-By: {KEYRING}\n",
        encoding="ascii",
    )


def _refused(*command: str) -> str:
    """What a command prints that must fail."""
    return run("sh", "-c", '! "$@" 2>&1', "sh", *command)


def _identified(*arguments: str) -> dict[str, Any]:
    done = subprocess.run(["feltd", "identify", "--json", *arguments], capture_output=True, text=True, check=False)
    return dict(json.loads(done.stdout)) | {"status": done.returncode}


@step(REPOSITORY)
def from_the_makers_repository_the_package_is_installed_and_runs() -> None:
    for other in (Path("/etc/apt/sources.list"), *SOURCE.parent.glob("*")):
        other.unlink(missing_ok=True)
    KEYRING.parent.mkdir(exist_ok=True)
    shutil.copyfile(REPOSITORIES / "feltd-archive-keyring.asc", KEYRING)
    _repository("good")
    run(*UPDATE)
    run(*INSTALL, "feltd")
    up()
    assert active(UNIT)


@step(REPOSITORY)
def what_runs_is_what_the_maker_signed() -> None:
    for as_user in ([], ["runuser", "-u", "feltd", "--"]):
        run(*as_user, "feltd", "identify", "--signed-by", str(MAKER), str(CONFIG))
    said = _identified()
    assert (said["status"], said["files"]["as_built"], said["beside"]) == (0, True, []), said
    assert said["package"]["key"] == MAKER.read_text(encoding="ascii").strip()


@step(REPOSITORY)
def the_record_has_the_manifest_that_is_on_the_disk() -> None:
    notes = run("runuser", "-u", "feltd", "--", "feltd", "journal", "show", str(STATE / "table.journal"), "--json")
    bodies = [json.loads(line)["body"] for line in notes.splitlines()]
    [start] = [body for body in bodies if isinstance(body, dict) and body.get("note") == "feltd starts"]
    package = _identified()["package"]
    assert start["package"] == {name: package[name] for name in ("manifest", "signature", "key")}


@step(REPOSITORY)
def each_file_that_was_changed_taken_away_or_added_is_named() -> None:
    CODE.write_text(CODE.read_text(encoding="utf-8") + "# changed\n", encoding="utf-8")
    UNIT_FILE.unlink()
    STRANGER.write_text("", encoding="utf-8")
    said = _identified()
    assert said["status"] == 1
    assert [one["path"] for one in said["files"]["differs"]] == [str(CODE)]
    assert said["files"]["missing"] == [str(UNIT_FILE)]
    assert [one["path"] for one in said["files"]["extra"]] == [str(STRANGER)]


@step(REPOSITORY)
def installed_again_it_is_as_it_was() -> None:
    STRANGER.unlink()
    run(*INSTALL, "--reinstall", "feltd")
    up()
    # until the table has started anew it plays by a copy of the files of before, which were changed
    eventually(lambda: _identified("--signed-by", str(MAKER))["status"] == 0, "all is as it was signed")


@step(REPOSITORY)
def a_changed_package_is_refused() -> None:
    _repository("package")
    run(*UPDATE)
    run("apt-get", "clean")
    said = _refused(*INSTALL, "--reinstall", "feltd")
    assert "Hash Sum mismatch" in said or "hashes" in said, said


@step(REPOSITORY)
def a_changed_list_another_key_and_no_signature_are_refused() -> None:
    for name, why in (("list", "Hash Sum mismatch"), ("stranger", "NO_PUBKEY"), ("unsigned", "is not signed")):
        _repository(name)
        said = _refused(*UPDATE)
        assert why in said, (name, said)


@step(REPOSITORY)
def the_table_runs_all_the_while_as_it_was_installed() -> None:
    up()
    assert _identified("--signed-by", str(MAKER))["status"] == 0
