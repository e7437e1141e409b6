"""`make fuzz`: changed bytes at each target for some seconds; a finding is saved, and how to replay it is printed.

The firmware in C has programs of its own for that, in builds with the compiler's checks: `firmware`
(`firmware/c/fuzz.c`), and `firmware-led`, which clang's libFuzzer leads (`firmware/c/fuzz_led.c`).
"""

import argparse
import secrets
import sys
import traceback
from pathlib import Path

from tests.fuzz.by_chance import play_by_chance
from tests.fuzz.c import Led, fuzz_by_chance, fuzz_led
from tests.fuzz.files import make_record
from tests.fuzz.running import FindingError, play_for, replay, save
from tests.fuzz.targets import TARGETS

IN_C = ("firmware", "firmware-led")


def main() -> int:
    """0: no finding; 1: one or more."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument(
        "targets", nargs="*", metavar="TARGET", help=f"of {', '.join((*IN_C, *TARGETS))}; all, if none is named"
    )
    parser.add_argument("--seconds", type=float, default=60.0, help="for each target (60)")
    parser.add_argument("--chance", type=int, help="a number: the same inputs again")
    parser.add_argument("--c", type=Path, metavar="PROGRAM", help="the firmware's own, for the target firmware")
    parser.add_argument("--led", type=Path, metavar="PROGRAM", help="the same of libFuzzer, for firmware-led")
    parser.add_argument("--fast", action="store_true", help="draw inputs without hypothesis: many more a second")
    parser.add_argument("--replay", type=Path, metavar="FILE", help="judge this input of one TARGET")
    parser.add_argument("--record", action="store_true", help="make the record anew that two targets begin with")
    asked = parser.parse_args()
    programs = {name: program for name, program in zip(IN_C, (asked.c, asked.led), strict=True) if program is not None}
    unknown = [name for name in asked.targets if name not in TARGETS and name not in programs]
    if unknown or (asked.replay and len(asked.targets) != 1):
        words = f"no target {', '.join(unknown)}: {', '.join(IN_C)} want their programs (--c, --led)"
        parser.error(words if unknown else "--replay takes one TARGET")
    if asked.record:
        make_record()
        return 0
    if asked.replay and asked.targets[0] in programs:
        parser.error("what the firmware is to take again is given to its program: firmware/c/fuzz_play.c")
    if asked.replay:
        replay(TARGETS[asked.targets[0]], asked.replay)
        print(f"{asked.replay}: no finding")
        return 0
    chance = secrets.randbelow(2**32) if asked.chance is None else asked.chance
    print(f"chance {chance}")
    return max(
        _fuzz_c(name, programs[name], asked.seconds, chance)
        if name in programs
        else _fuzz(name, asked.seconds, chance, fast=asked.fast)
        for name in asked.targets or (*programs, *TARGETS)
    )


def _fuzz_c(name: str, program: Path, seconds: float, chance: int) -> int:
    ran = (
        fuzz_led(Led(program), seconds, chance) if name == "firmware-led" else fuzz_by_chance(program, seconds, chance)
    )
    print(f"{name}: {ran.words}")
    return 1 if ran.found else 0


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
