"""What each test takes of the processors: `python -m pytest -p tests.costs tests/feltd`.

Wall time says little where tests run side by side, or where a machine has other work. A processor's seconds say the
same on a busy machine. They are those of the test's own process, all its threads, and of those processes that it has
started and waited for. One that is left to others to wait for is not in them.

What a fixture takes is told beside it, and is in the seconds of the test that made it. `--costs-to FILE` keeps a line
of JSON for each test, from every process that pytest-xdist starts.
"""

import json
import os
from collections import Counter
from collections.abc import Generator, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import pytest

_SHOWN: Final = 25
"""Rows of each table."""
_FROM_WORKERS: Final = "costs"


def seconds() -> float:
    """Seconds of a processor that this process has taken, and those of its ended children."""
    now = os.times()
    return now.user + now.system + now.children_user + now.children_system


@dataclass
class Costs:
    """Seconds of a processor, summed by test and by fixture."""

    tests: Counter[str] = field(default_factory=Counter)
    fixtures: Counter[str] = field(default_factory=Counter)
    made: Counter[str] = field(default_factory=Counter)

    def add(self, other: "Costs") -> None:
        """Take over what another process has summed."""
        self.tests.update(other.tests)
        self.fixtures.update(other.fixtures)
        self.made.update(other.made)

    def plain(self) -> dict[str, dict[str, float]]:
        """What pytest-xdist can carry from a worker."""
        return {"tests": dict(self.tests), "fixtures": dict(self.fixtures), "made": dict(self.made)}

    @classmethod
    def of(cls, plain: dict[str, dict[str, float]]) -> "Costs":
        """What `plain` made."""
        made = Counter({name: int(times) for name, times in plain["made"].items()})
        return cls(Counter(plain["tests"]), Counter(plain["fixtures"]), made)

    def lines(self) -> list[str]:
        """Tables of the dearest files, functions and fixtures."""
        by_file: Counter[str] = Counter()
        by_function: Counter[str] = Counter()
        many: Counter[str] = Counter()
        for test, took in self.tests.items():
            function = test.partition("[")[0]
            by_file[test.partition("::")[0]] += took
            by_function[function] += took
            many[function] += 1
        total = sum(self.tests.values())
        return [
            f"{total:.1f} s of a processor in {len(self.tests)} tests",
            *_table("by file", by_file),
            *_table("by function", by_function, many),
            *_table("by fixture, in the seconds above", self.fixtures, self.made),
        ]


def _table(title: str, took: Counter[str], many: Counter[str] | None = None) -> Iterable[str]:
    yield f"-- {title}"
    for name, cost in took.most_common(_SHOWN):
        times = "" if many is None else f"{many[name]:6d} x"
        yield f"{cost:9.2f} s {times} {name}"


class Measuring:
    """Sums what tests take, in one process; in the one that a person has started, of all."""

    def __init__(self, kept: Path | None) -> None:
        self._kept = kept
        self._costs = Costs()

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Measure a test from its fixtures' setup to their end."""
        before = seconds()
        try:
            return (yield)
        finally:
            took = seconds() - before
            self._costs.tests[item.nodeid] += took  # type: ignore[assignment]
            if self._kept is not None:
                with self._kept.open("a", encoding="utf-8") as file:
                    file.write(json.dumps({"test": item.nodeid, "seconds": round(took, 3)}) + "\n")

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[Any]) -> Generator[None, object, object]:
        """Measure the making of a fixture, without the fixtures that it asks for: those are made before."""
        before = seconds()
        try:
            return (yield)
        finally:
            name = f"{fixturedef.baseid}::{fixturedef.argname}" if fixturedef.baseid else fixturedef.argname
            self._costs.fixtures[name] += seconds() - before  # type: ignore[assignment]
            self._costs.made[name] += 1

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Take over what a worker has summed."""
        if told := getattr(node, "workeroutput", {}).get(_FROM_WORKERS):
            self._costs.add(Costs.of(told))

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Hand over what was summed, from a worker to the process that started it."""
        output = getattr(session.config, "workeroutput", None)
        if output is not None:
            output[_FROM_WORKERS] = self._costs.plain()

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Say where the time went."""
        terminalreporter.section("what the tests took of the processors")
        for line in self._costs.lines():
            terminalreporter.write_line(line)


def pytest_addoption(parser: pytest.Parser) -> None:
    """The file for single tests."""
    parser.addoption("--costs-to", type=Path, default=None, help="a file that gets a line of JSON for each test")


def pytest_configure(config: pytest.Config) -> None:
    """Measure from here on."""
    config.pluginmanager.register(Measuring(config.getoption("--costs-to")), "costs")
