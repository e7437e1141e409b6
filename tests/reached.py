"""Which lines and branches of the product the tests reach, and whether these are enough.

    python -m pytest -p tests.reached --reached-as NAME ...    # keeps what this run reaches in .reached/
    python -m tests.reached NAME ...                           # reports what these runs have reached together

slipcover writes a probe into each line when a module is loaded, where coverage.py asks Python to stop at each line.
Probes that switch themselves off (`tests/probes.py`) cost little, the other as much time as the tests again.
`[tool.slipcover]` of pyproject.toml has the folders, the lines that do not count, and the percent that must be reached.
"""

import argparse
import json
import os
import sys
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TextIO

import pytest
import slipcover

from tests.probes import Finder, Marking

ROOT: Final = Path(__file__).parents[1]
KEPT: Final = ROOT / ".reached"
_NEVER: Final = 2**31 - 1
"""Hits of a probe until slipcover takes it away again. It looks through all objects of a process for that, while
threads change them. Ours switch themselves off."""


@dataclass(frozen=True)
class Wanted:
    """What pyproject.toml says."""

    source: tuple[str, ...]
    exclude_also: tuple[str, ...]
    fail_under: float


def wanted(file: Path = ROOT / "pyproject.toml") -> Wanted:
    """What counts, and how much of it must be reached. Raises KeyError where the file does not say it."""
    said = tomllib.loads(file.read_text(encoding="utf-8"))["tool"]["slipcover"]
    return Wanted(tuple(said["source"]), tuple(said["exclude-also"]), float(said["fail-under"]))


class Probes:
    """The probes in the modules of one process."""

    def __init__(self, counts: Wanted, root: Path = ROOT) -> None:
        made_once = sys.version_info < (3, 12)
        kind = Marking if made_once else slipcover.Slipcover
        self._slipcover = kind(branch=True, d_miss_threshold=_NEVER, exclude_also=list(counts.exclude_also))
        matcher = slipcover.FileMatcher([root / name for name in counts.source])
        self._importing = slipcover.ImportManager(self._slipcover, matcher)
        if made_once:
            self._importing.mpf = Finder(self._slipcover, matcher, root / KEPT.name / "probes")

    def begin(self) -> None:
        """Put probes into each module that is loaded from now on."""
        self._importing.__enter__()

    def end(self) -> None:
        """Put probes into no further module. Those that have some keep them."""
        self._importing.__exit__(None, None, None)

    def reached(self) -> dict[str, Any]:
        """The lines and branches that were reached, and those that were not, of each module that was loaded."""
        return dict(self._slipcover.get_coverage())


def together(runs: Sequence[str], counts: Wanted, kept: Path = KEPT) -> dict[str, Any]:
    """What these runs have reached, over all files that count. Raises FileNotFoundError for a run that left nothing."""
    left = [file for run in runs for file in _needed(run, kept)]
    # Before the seconds that all files take: a run that is missing is told at once.
    all_of_it = slipcover.Slipcover(
        branch=True, source=[str(ROOT / name) for name in counts.source], exclude_also=list(counts.exclude_also)
    ).get_coverage()
    for file in left:
        slipcover.merge_coverage(all_of_it, json.loads(file.read_text(encoding="utf-8")))
    return dict(all_of_it)


def _left_by(run: str, kept: Path) -> list[Path]:
    """The files of a run, one for each process. A full stop ends the name: `test` is not `test-rest`."""
    return sorted(kept.glob(f"{run}.*.json"))


def _needed(run: str, kept: Path) -> list[Path]:
    if files := _left_by(run, kept):
        return files
    raise FileNotFoundError(f"{kept}: no run has left what it reached as {run!r}; run it first")


def report(reached: Mapping[str, Any], least: float, out: TextIO) -> bool:
    """Print what was not reached; return whether enough was."""
    slipcover.print_coverage(reached, outfile=out, skip_covered=True)
    percent = float(reached["summary"]["percent_covered"])
    enough = percent >= least
    print(f"{percent:.2f} % reached, {least:g} % wanted: {'enough' if enough else 'TOO LITTLE'}", file=out)
    return enough


class _Keeping:
    """Keeps what one process of a run reaches."""

    def __init__(self, run: str, probes: Probes) -> None:
        self._run = run
        self._probes = probes

    def pytest_sessionstart(self, session: pytest.Session) -> None:
        if "PYTEST_XDIST_WORKER" not in os.environ:  # in a worker this comes after the others have begun
            KEPT.mkdir(exist_ok=True)
            for old in _left_by(self._run, KEPT):
                old.unlink()

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        worker = os.environ.get("PYTEST_XDIST_WORKER")
        if worker is None and session.config.getoption("numprocesses", None):
            return  # it has only handed out the tests
        file = KEPT / f"{self._run}.{worker or 'alone'}.json"
        file.write_text(json.dumps(self._probes.reached()), encoding="utf-8")


def pytest_addoption(parser: pytest.Parser) -> None:
    """The name of a run."""
    parser.addoption("--reached-as", default=None, metavar="NAME", help="keep what this run reaches in .reached/")


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Begin before a conftest.py loads a module of the product: one that was loaded before has no probes."""
    run = early_config.known_args_namespace.reached_as
    if run is None:
        return
    counts = wanted()
    if early := sorted(set(counts.source) & set(sys.modules)):
        raise pytest.UsageError(f"loaded before the probes: {', '.join(early)}; no plugin may import them")
    probes = Probes(counts)
    probes.begin()
    early_config.pluginmanager.register(_Keeping(run, probes), "reached")


def main(arguments: Sequence[str]) -> int:
    """The program; returns its exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.reached", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("runs", nargs="+", metavar="NAME")
    counts = wanted()
    try:
        reached = together(parser.parse_args(arguments).runs, counts)
    except FileNotFoundError as missing:
        print(missing, file=sys.stderr)
        return 1
    return 0 if report(reached, counts.fail_under, sys.stdout) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
