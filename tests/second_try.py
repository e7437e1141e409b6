"""What `.ci/run` makes of a run of tests that failed: a few that fail beside others get one second try, each alone.

    python -m tests.second_try keep PLACE make test
    python -m tests.second_try judge PLACE [PLACE ...]

`keep` runs a command of the Makefile that runs pytest, shows its output and keeps it in PLACE-output, beside what
failed (PLACE-failures). `judge` says what that means, runs again what may be run again, and ends with 0 where all is
well. Its last words are kept in PLACE-verdict. A person at a shell has no second try: `make test` knows nothing of
this program.
"""

import argparse
import contextlib
import enum
import shlex
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TextIO

import pytest

from tests.kept_failures import LAST_LINES, Failure, Kept, read

MOST: Final = 9
"""Failures that are chance at most. More are a fault of what is tested, or of the machine."""
_SHOWN: Final = 20
"""Failures whose words a verdict repeats."""
_PIPE_STAYS_OPEN: Final = 5.0
"""Seconds that the output is read on after the command's end: a process that it left behind may hold the pipe."""
_ROOT: Final = Path(__file__).parents[1]


class Next(enum.Enum):
    """What follows a run."""

    GO_ON = enum.auto()
    TRY_AGAIN = enum.auto()
    STOP = enum.auto()


@dataclass(frozen=True)
class Judgement:
    """What follows a run, and why, in words."""

    next: Next
    why: str


def judge(command: int | None, kept: Kept) -> Judgement:
    """What follows a run whose command ended with this code (None: it has not ended) and that has left this."""
    if command is None:
        return Judgement(Next.STOP, "the command has not come to its end")
    if kept.exit is None:
        if kept.failures:
            return Judgement(Next.STOP, "pytest was ended in the middle")
        return Judgement(Next.STOP, "pytest was not started, or said nothing: lint, types or the setup failed")
    if command == 0:
        if kept.failures or kept.exit != pytest.ExitCode.OK:
            return Judgement(Next.STOP, f"the command says that all is well, and pytest ended with {kept.exit}")
        return Judgement(Next.GO_ON, f"{kept.passed} tests passed")
    if kept.exit == pytest.ExitCode.OK:
        return Judgement(Next.STOP, "all tests passed, and what comes after them failed")
    if kept.exit != pytest.ExitCode.TESTS_FAILED:
        return Judgement(
            Next.STOP, f"pytest ended with {kept.exit}: it was interrupted, or could not collect all tests"
        )
    if not kept.failures or any(failure.when == "collect" for failure in kept.failures):
        return Judgement(Next.STOP, "something failed that is no test")
    many = len(kept.tests)
    if many > MOST:
        return Judgement(Next.STOP, f"{many} tests failed: more than {MOST} are no chance")
    return Judgement(Next.TRY_AGAIN, f"{many} of some {kept.passed + many} tests failed")


def passed_alone(code: int, kept: Kept) -> bool:
    """Whether a test that was run alone has passed. One that is skipped now has not: it shows nothing."""
    return code == 0 and kept.exit == 0 and kept.passed > 0 and not kept.failures


def second_try(place: Path, run_alone: Callable[[str], bool], out: TextIO) -> bool:
    """Judge what stands at a place, try again what may be tried again; return whether all is well, and say it."""
    kept = read(beside(place, "failures"))
    found = judge(_ended(place), kept)
    words = [f"{place.name}: {found.why}"]
    well = found.next is Next.GO_ON
    if found.next is Next.TRY_AGAIN:
        print(f"== {place.name}: {found.why}; each is run again, alone", file=out, flush=True)
        alone = {test: run_alone(test) for test in kept.tests}
        well = all(alone.values())
        words += ["passed alone, failed beside others:" if well else "no second try helped:"]
        words += [f"  {'passed' if passed else 'FAILED'} alone: {test}" for test, passed in alone.items()]
    if not well and not kept.failures:
        words += ["the last that it said:", *(f"   {line}" for line in _last_said(place))]
    verdict = "\n".join([*words, *_lines_of(kept.failures), f"{place.name}: {'WELL' if well else 'FAILED'}"])
    beside(place, "verdict").write_text(f"{verdict}\n", encoding="utf-8")
    print(f"== {verdict}", file=out, flush=True)
    return well


def keep(place: Path, command: Sequence[str], out: TextIO) -> int:
    """Run a command of the Makefile, show and keep what it says; return its exit code."""
    for what in ("output", "failures", "ended", "verdict"):  # what an earlier run left says nothing of this one
        beside(place, what).unlink(missing_ok=True)
    also = f"ALSO={_plugin(beside(place, 'failures'))}"
    process = subprocess.Popen([*command, also], cwd=_ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    before = signal.signal(signal.SIGTERM, lambda *_: process.terminate())
    reading = threading.Thread(target=_show_and_keep, args=(process, beside(place, "output"), out), daemon=True)
    reading.start()
    try:
        code = process.wait()
    finally:
        signal.signal(signal.SIGTERM, before)
    reading.join(_PIPE_STAYS_OPEN)
    beside(place, "ended").write_text(f"{code}\n", encoding="ascii")
    return code


def beside(place: Path, what: str) -> Path:
    """The file of a place that has `output`, `failures`, `ended` or `verdict`."""
    return place.with_name(f"{place.name}-{what}").absolute()


def _show_and_keep(process: "subprocess.Popen[bytes]", file: Path, out: TextIO) -> None:
    assert process.stdout is not None
    with process.stdout as said, file.open("wb", buffering=0) as kept:
        for line in said:
            kept.write(line)
            out.write(line.decode("utf-8", "replace"))
            out.flush()


def _ended(place: Path) -> int | None:
    with contextlib.suppress(OSError, ValueError):
        return int(beside(place, "ended").read_text(encoding="ascii"))
    return None


def _last_said(place: Path) -> list[str]:
    """The end of the output: of a run that failed without a failed test nothing else says why."""
    output = beside(place, "output")
    if not output.exists():
        return ["nothing"]
    return output.read_text(encoding="utf-8", errors="replace").splitlines()[-LAST_LINES:]


def _lines_of(failures: Sequence[Failure]) -> list[str]:
    lines = []
    for failure in failures[:_SHOWN]:
        lines += [f"-- {failure.test} ({failure.when})", *(f"   {line}" for line in failure.said)]
    left = len(failures) - _SHOWN
    return lines if left <= 0 else [*lines, f"-- and {left} more: PLACE-output has them"]


def _plugin(file: Path) -> str:
    return f"-p {read.__module__} --keep-failures {shlex.quote(str(file))}"


def _run_alone(place: Path) -> Callable[[str], bool]:
    file = beside(place, "alone")

    def run(test: str) -> bool:
        file.unlink(missing_ok=True)
        command = [sys.executable, "-m", "pytest", "-p", "no:xdist", *shlex.split(_plugin(file)), test]
        done = subprocess.run(command, cwd=_ROOT, check=False)
        return passed_alone(done.returncode, read(file))

    return run


def main(arguments: Sequence[str]) -> int:
    """The program; returns its exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.second_try", description=(__doc__ or "").partition("\n")[0])
    what = parser.add_subparsers(dest="what", required=True)
    keeping = what.add_parser("keep")
    keeping.add_argument("place", type=Path)
    keeping.add_argument("command", nargs=argparse.REMAINDER)
    judging = what.add_parser("judge")
    judging.add_argument("places", type=Path, nargs="+")
    asked = parser.parse_args(arguments)
    if asked.what == "keep":
        return keep(asked.place, asked.command, sys.stdout)

    well = [second_try(place, _run_alone(place), sys.stdout) for place in asked.places]
    return 0 if all(well) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
