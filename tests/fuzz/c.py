"""The firmware in C under noise: a program that draws by a seed, and one that libFuzzer leads by what the code does."""

import re
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.fuzz.target import CORPUS

_ROUNDS = 20_000
LONGEST = 1200
"""Bytes of an input for libFuzzer: some dozen steps of a device."""
_RUNS = re.compile(r"^stat::number_of_executed_units:\s*(\d+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class RanInC:
    """How a run ended: whether something was found, and what there is to say."""

    found: bool
    words: str


@dataclass(frozen=True, slots=True)
class Led:
    """A program of libFuzzer, and where its inputs are kept: those that it begins with, and what it finds."""

    program: Path
    kept: Path = CORPUS / "firmware-led"


def fuzz_by_chance(program: Path, seconds: float, chance: int) -> RanInC:
    """Run rounds of four inputs each, by a seed, for so many seconds."""
    began, rounds, seed = time.monotonic(), 0, chance
    while time.monotonic() - began < seconds:
        done = subprocess.run([program, str(seed), str(_ROUNDS)], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            return RanInC(True, f"FOUND\n{done.stdout}{done.stderr}\n  again: {program} {seed} {_ROUNDS}")
        rounds, seed = rounds + _ROUNDS, seed + 1
    return _quiet(4 * rounds, time.monotonic() - began)


def fuzz_led(led: Led, seconds: float, chance: int) -> RanInC:
    """Let libFuzzer go on from the kept inputs for so many seconds. A finding is kept beside them.

    Others that reach something new are thrown away: docs/fuzzing.md has how they are kept.
    """
    led.kept.mkdir(parents=True, exist_ok=True)
    before = set(led.kept.iterdir())
    began = time.monotonic()
    with TemporaryDirectory() as folder:
        command = [str(led.program), folder, str(led.kept), f"-max_total_time={max(1, round(seconds))}"]
        command += [
            f"-seed={chance}",
            f"-max_len={LONGEST}",
            f"-artifact_prefix={led.kept}/found-",
            "-print_final_stats=1",
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=False, errors="replace")
    if done.returncode != 0:
        new = ", ".join(str(file) for file in sorted(set(led.kept.iterdir()) - before))
        again = f"kept as {new}\n  again: {led.program} {new}" if new else "nothing was kept"
        return RanInC(True, f"FOUND, {again}\n{done.stderr[-4000:]}")
    runs = _RUNS.search(done.stderr)
    return _quiet(0 if runs is None else int(runs[1]), time.monotonic() - began)


def _quiet(inputs: int, took: float) -> RanInC:
    return RanInC(False, f"{inputs} inputs in {took:.0f} s, {inputs / took:.0f} a second; no finding")
