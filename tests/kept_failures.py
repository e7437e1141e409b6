"""A plugin of pytest that keeps what failed in a run, and how the run ended, in a file that a program reads.

    python -m pytest -p tests.kept_failures --keep-failures FILE

The file has a line of JSON for each failure, written when it happens, and a last one for the end: a run that was
killed leaves what it had found, and no end. The processes of pytest-xdist write nothing: who started them is told all.
"""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

import pytest

LAST_LINES: Final = 25
"""Lines that are kept of what a failed test says: the assertion and its place stand at the end."""


@dataclass(frozen=True)
class Failure:
    """A test that failed, or a file that could not be collected."""

    test: str
    """pytest's own id: it runs this test and no other."""
    when: str
    """`setup`, `call`, `teardown`, `collect`, or `???` where its process died."""
    said: tuple[str, ...]
    """The last lines of what pytest says of it."""


@dataclass(frozen=True)
class Kept:
    """What a run has left."""

    failures: tuple[Failure, ...] = ()
    passed: int = 0
    """Tests whose body ran to its end. A skipped one is not among them."""
    exit: int | None = None
    """pytest's exit code; None where it has not come to its end, or was never started."""

    @property
    def tests(self) -> tuple[str, ...]:
        """The ids of what failed, each once, in the order in which they failed."""
        return tuple(dict.fromkeys(failure.test for failure in self.failures))


def read(file: Path) -> Kept:
    """What the file says. One that is not there, or is cut, says no end. Raises ValueError for what is no such file."""
    if not file.exists():
        return Kept()
    failures: list[Failure] = []
    for line in file.read_text(encoding="utf-8").splitlines(keepends=True):
        if not line.endswith("\n"):  # the run was killed while it wrote
            break
        told = json.loads(line)
        if "exit" in told:
            return Kept(tuple(failures), told["passed"], told["exit"])
        failures.append(Failure(told["test"], told["when"], tuple(told["said"])))
    return Kept(tuple(failures))


class _Keeper:
    def __init__(self, file: Path) -> None:
        self._file = file
        self._passed = 0
        file.write_text("", encoding="utf-8")

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self._failed(report, "collect")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self._failed(report, report.when)
        elif report.passed and report.when == "call":
            self._passed += 1

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, exitstatus: int) -> None:
        self._write({"exit": int(exitstatus), "passed": self._passed})

    def _failed(self, report: pytest.TestReport | pytest.CollectReport, when: str) -> None:
        said = tuple(report.longreprtext.splitlines()[-LAST_LINES:])
        self._write(asdict(Failure(report.nodeid, when, said)))

    def _write(self, told: dict[str, object]) -> None:
        with self._file.open("a", encoding="utf-8") as file:
            file.write(json.dumps(told) + "\n")


def pytest_addoption(parser: pytest.Parser) -> None:
    """The one option of this plugin."""
    parser.addoption("--keep-failures", metavar="FILE", help="keep there what failed and how the run ended")


def pytest_configure(config: pytest.Config) -> None:
    """Keep, where a file is named and this is not a worker of pytest-xdist."""
    file = config.getoption("--keep-failures")
    if file and not hasattr(config, "workerinput"):
        config.pluginmanager.register(_Keeper(Path(file)), "kept failures")
