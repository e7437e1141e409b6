"""`make fuzz`: changed bytes at each target for some seconds; a finding is saved, and how to replay it is printed.

The firmware in C has a program of its own for that (`firmware/c/fuzz.c`), in a build with the compiler's checks.
"""

import argparse
import secrets
import subprocess
import sys
import time
import traceback
from pathlib import Path

from tests.fuzz.by_chance import play_by_chance
from tests.fuzz.files import make_record
from tests.fuzz.running import FindingError, play_for, replay, save
from tests.fuzz.targets import TARGETS

_ROUNDS = 20_000


def main() -> int:
    """0: no finding; 1: one or more."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=f"of {', '.join(TARGETS)}; all, if none is named")
    parser.add_argument("--seconds", type=float, default=60.0, help="for each target (60)")
    parser.add_argument("--chance", type=int, help="a number: the same inputs again")
    parser.add_argument(
        "--c", type=Path, metavar="PROGRAM", help="the firmware's own, run first where all are asked for"
    )
    parser.add_argument("--fast", action="store_true", help="draw inputs without hypothesis: many more a second")
    parser.add_argument("--replay", type=Path, metavar="FILE", help="judge this input of one TARGET")
    parser.add_argument("--record", action="store_true", help="make the record anew that two targets begin with")
    asked = parser.parse_args()
    unknown = [name for name in asked.targets if name not in TARGETS]
    if unknown or (asked.replay and len(asked.targets) != 1):
        parser.error(f"no target {', '.join(unknown)}" if unknown else "--replay takes one TARGET")
    if asked.record:
        make_record()
        return 0
    if asked.replay:
        replay(TARGETS[asked.targets[0]], asked.replay)
        print(f"{asked.replay}: no finding")
        return 0
    chance = secrets.randbelow(2**32) if asked.chance is None else asked.chance
    print(f"chance {chance}")
    names = asked.targets or TARGETS
    found = [] if asked.c is None or asked.targets else [_fuzz_c(asked.c, asked.seconds, chance)]
    return max([*found, *(_fuzz(name, asked.seconds, chance, fast=asked.fast) for name in names)])


def _fuzz_c(program: Path, seconds: float, chance: int) -> int:
    """The firmware in C: rounds of four inputs each, by a seed."""
    began, rounds, seed = time.monotonic(), 0, chance
    while time.monotonic() - began < seconds:
        done = subprocess.run([program, str(seed), str(_ROUNDS)], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            print(f"{done.stdout}{done.stderr}\nfirmware: FOUND\n  again: {program} {seed} {_ROUNDS}")
            return 1
        rounds, seed = rounds + _ROUNDS, seed + 1
    took = time.monotonic() - began
    print(f"firmware: {4 * rounds} inputs in {took:.0f} s, {4 * rounds / took:.0f} a second; no finding")
    return 0


def _fuzz(name: str, seconds: float, chance: int, *, fast: bool) -> int:
    play = play_by_chance if fast else play_for
    try:
        ran = play(TARGETS[name], seconds, chance)
    except FindingError as finding:
        file = save(finding, TARGETS[name])
        traceback.print_exception(finding.__cause__, file=sys.stdout)
        print(f"{name}: FOUND, kept as {file}\n  again: python -m tests.fuzz {name} --replay {file}")
        return 1
    print(f"{name}: {ran.inputs} inputs in {ran.seconds:.0f} s, {ran.inputs / ran.seconds:.0f} a second; no finding")
    return 0


if __name__ == "__main__":
    sys.exit(main())
