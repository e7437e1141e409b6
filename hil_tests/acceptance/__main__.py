"""`python -m hil_tests.acceptance /etc/feltd/table.toml`: try a table's hardware, and print what came of it.

While feltd runs: by loop-back wires between the board's lines (FELTD_WIRE_17=5: line 5 drives line 17), or with
--guided by a person who is told what to do. Exit code 0 where nothing failed, 1 where something did, 2 where it cannot
be tried.
"""

import argparse
import platform
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from devices.pins.errors import PinError
from devices.pins.lines import open_chip
from feltd.config import TableConfig, load_config
from feltd.errors import FeltdError
from hil_tests.acceptance.hands import GuidedHands, Hands, OtherRunError, WiredHands, alone
from hil_tests.acceptance.run import JournalRecord, Outcome, Result, carry_out
from hil_tests.acceptance.steps import lamps_of, steps_of


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m hil_tests.acceptance", description=__doc__)
    parser.add_argument("config", type=Path, help="the table's file")
    parser.add_argument("--guided", action="store_true", help="a person does what is asked")
    given = parser.parse_args(words)
    try:
        config = load_config(given.config)
        with alone(), ExitStack() as stack:
            record = JournalRecord(config.journal.path)
            stack.callback(record.close)
            hands: Hands = GuidedHands() if given.guided else _wired(config, stack)
            lamps = lamps_of(config)
            results = carry_out(steps_of(config), hands, record, lamps, lambda result: print(line_of(result)))
    except (FeltdError, PinError, OtherRunError) as fault:
        print(fault, file=sys.stderr)
        return 2
    print(report(config.table.name, results))
    return 1 if any(result.outcome is Outcome.FAILED for result in results) else 0


def _wired(config: TableConfig, stack: ExitStack) -> WiredHands:
    if config.pins is None:
        raise FeltdError("this table has nothing on pins: wires cannot work it; use --guided")
    chip = open_chip(config.pins.factory, config.pins.chip)
    hands = WiredHands(chip)
    stack.callback(chip.close)
    stack.callback(hands.close)
    return hands


def line_of(result: Result) -> str:
    """One result, for people."""
    took = "" if result.seconds is None else f"{result.seconds:.2f} s"
    return f"{result.outcome.value:9} {result.step:48} {took:>8}  {result.why}".rstrip()


def report(table: str, results: Sequence[Result]) -> str:
    """The whole report, to be printed and signed."""
    counts = {outcome: sum(result.outcome is outcome for result in results) for outcome in Outcome}
    summed = ", ".join(f"{count} {outcome.value}" for outcome, count in counts.items())
    head = [
        "",
        f"Acceptance of {table}",
        f"{time.strftime('%Y-%m-%d %H:%M')} on {platform.node()}, {platform.machine()}, Linux {platform.release()}",
        "",
    ]
    foot = [
        "",
        f"{len(results)} steps: {summed}",
        "",
        "Technician: ______________________   Supervisor: ______________________",
    ]
    return "\n".join([*head, *map(line_of, results), *foot])


if __name__ == "__main__":
    sys.exit(main())
