"""The script before files change, on a machine of its own: which tables play on, which are stopped, what it prints."""

import os
import subprocess
from pathlib import Path

import pytest

from debian.layout import ROOT

SYSTEMCTL = """#!/bin/sh
case "$1" in
list-units) sed 's/$/ loaded active running A unit/' "$PLACE/units" ;;
list-jobs) cat "$PLACE/jobs" ;;
*) echo "$*" >>"$PLACE/done" ;;
esac
"""
KEPT = """#!/bin/sh
echo "kept.sh $*" >>"$PLACE/done"
if [ "$2" = felt-table@8.service ]; then
    echo "it is activating"
    exit 1
fi
[ "$2" != felt-table@9.service ]
"""
COMPARE = '#!/bin/sh\n[ "$3 $4" = \'lt 0.12.0~\' ] && [ "$2" = 0.11.0 ]\n'
UNITS = ("felt-table.service", "felt-table@8.service", "felt-page.service")


class Machine:
    """A machine in a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder, self.stopped = folder, folder / "stopped"
        for name, text in (("systemctl", SYSTEMCTL), ("dpkg", COMPARE)):
            (folder / name).write_text(text, encoding="ascii")
            (folder / name).chmod(0o755)
        (folder / "kept.sh").write_text(KEPT, encoding="ascii")
        (folder / "jobs").write_text("No jobs running.\n", encoding="ascii")
        self.runs(*UNITS)
        text = (ROOT / "debian/prerm").read_text(encoding="utf-8")
        for before, now in (
            ("/run/feltd.stopped", self.stopped),
            ("/run/systemd/system", folder),
            ("/usr/share/feltd/kept.sh", folder / "kept.sh"),
        ):
            assert before in text
            text = text.replace(before, str(now))
        (folder / "prerm").write_text(text, encoding="utf-8")

    def runs(self, *units: str) -> None:
        (self._folder / "units").write_text("".join(f"{unit}\n" for unit in units), encoding="ascii")

    def asked(self, jobs: str) -> None:
        (self._folder / "jobs").write_text(jobs, encoding="ascii")

    def prerm(self, *words: str) -> tuple[str, list[str]]:
        """What it prints, and what it does."""
        environment = os.environ | {"PATH": f"{self._folder}:{os.environ['PATH']}", "PLACE": str(self._folder)}
        command = ["sh", str(self._folder / "prerm"), *words]
        ended = subprocess.run(command, check=False, capture_output=True, text=True, env=environment)
        assert (ended.returncode, ended.stderr) == (0, "")
        return ended.stdout, (self._folder / "done").read_text(encoding="ascii").splitlines()


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


@pytest.mark.parametrize("words", [("upgrade", "0.13.0"), ("failed-upgrade", "0.12.0", "0.13.0")])
def test_a_table_that_cannot_play_on_is_stopped_with_a_word_and_started_after_the_upgrade(
    machine: Machine, words: tuple[str, ...]
) -> None:
    said, done = machine.prerm(*words)
    assert said == "feltd: felt-table@8 cannot play on (it is activating) and is stopped.\n"
    assert done == [
        "kept.sh tidy",
        "kept.sh keep felt-table.service",
        "kept.sh keep felt-table@8.service",
        "stop felt-table@8.service felt-page.service",
    ]
    assert machine.stopped.read_text(encoding="ascii") == "felt-table@8.service\nfelt-page.service\n"


def test_one_that_fails_without_a_word_is_said_to_fail(machine: Machine) -> None:
    machine.runs("felt-table@9.service")
    assert machine.prerm("upgrade", "0.13.0")[0] == "feltd: felt-table@9 cannot play on (an error) and is stopped.\n"


def test_what_a_person_is_just_stopping_is_waited_for_and_not_started_again(machine: Machine) -> None:
    machine.asked("   7 felt-table@8.service stop running\n1234 felt-page.service restart waiting\n")
    said, done = machine.prerm("upgrade", "0.13.0")
    assert said == ""
    assert done[-1] == "stop felt-page.service felt-table@8.service"
    assert machine.stopped.read_text(encoding="ascii") == "felt-page.service\n"


@pytest.mark.parametrize("words", [("remove",), ("upgrade", "0.11.0"), ("failed-upgrade", "0.11.0", "0.12.0")])
def test_where_the_package_goes_or_an_older_one_comes_all_are_stopped_and_what_was_kept_is_forgotten(
    machine: Machine, words: tuple[str, ...]
) -> None:
    said, done = machine.prerm(*words)
    assert said == ""
    assert done == [f"stop {' '.join(UNITS)}", "kept.sh forget"]
    assert machine.stopped.exists() == (words[0] != "remove")
