"""What a simulation says on the terminal."""

import sys
import time
from collections.abc import Callable, Sequence

from feltd.text.words import words_of
from table_fsm.events import Event
from table_fsm.outputs import Output, Ruling
from table_fsm.rulebook.irregularities import Irregularity
from table_fsm.rulebook.outcomes import Outcome


def tell_rulings(started: float) -> Callable[[Event, Sequence[Output]], None]:
    """One line on the terminal for each ruling."""

    def tell(_event: Event, outputs: Sequence[Output]) -> None:
        for output in outputs:
            if isinstance(output.value, Ruling):
                say(f"{time.monotonic() - started:7.1f} s  {ruling_line(output.value)}")

    return tell


def ruling_line(ruling: Ruling) -> str:
    """`#7  19.4  A hole card was exposed, seat 3: replace the card with the first burn card`."""
    seat = "" if ruling.seat is None else f", seat {ruling.seat}"
    waits = " (a person must decide)" if ruling.pending else ""
    outcome = words_of(Outcome, ruling.outcome)
    irregularity = words_of(Irregularity, ruling.irregularity)
    return f"#{ruling.id:<4d} {ruling.rule:<12} {irregularity}{seat}: {outcome}{waits}"


def say(line: str) -> None:
    """Print a line, and have a pipe show it at once."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()
