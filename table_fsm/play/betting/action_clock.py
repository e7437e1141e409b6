"""The action clock: time for every decision, prolonged by the player's time banks.

The Star 7.46; Onyx, Shotclock. The dealer starts the clock. A time bank starts by itself when the time runs out, one at
a time; or the player pushes banks forward, and has used them whether their time was needed or not (7.46(h), (i)). Banks
left are kept for later rounds.
"""

from dataclasses import dataclass

from table_fsm.core.core import Core
from table_fsm.errors import Refused
from table_fsm.outputs import Clock


@dataclass(frozen=True, slots=True)
class Timing:
    """The action clock's times in seconds; `banks`: time banks of a player at the start."""

    seconds: float
    banks: int
    bank_seconds: float


def timing(core: Core) -> Timing | None:
    """The times of the action clock; None where the table has no action clock.

    Options come before the blind structure. A time bank of unknown length is as long as the clock itself.
    """
    if core.rulebook is None or core.book.clock.action is None:
        return None
    structure = core.rulebook.structures.get(str(core.options.structure))
    written = structure.action_clock if structure is not None else None
    options = core.options
    seconds, banks, bank_seconds = options.shot_clock, options.time_banks, options.time_bank_seconds
    if seconds is None and written is not None:
        seconds = written.seconds
    if seconds is None:
        return None
    if banks is None:
        banks = written.time_banks if written is not None else 0
    if bank_seconds is None:
        bank_seconds = written.time_bank_seconds if written is not None else seconds
    return Timing(float(seconds), int(banks), float(bank_seconds))


def banks_left(core: Core, seat: int, plan: Timing) -> int:
    """Time banks that the player at a seat still holds."""
    return core.standing.time_banks.get(seat, plan.banks)


def start(core: Core, seat: int, plan: Timing) -> None:
    """Start the clock of the next player to act; ends the clock that ran."""
    core.round.clock.start(seat, core.t + plan.seconds, action=True)
    _show(core, seat, banks_left(core, seat, plan))


def prolong(core: Core) -> bool:
    """Begin a time bank because the time has run out; return whether the clock runs on.

    After a long silence several banks are used up, one after the other.
    """
    clock, plan = core.round.clock, timing(core)
    if not clock.action or clock.seat is None or plan is None:
        return False
    while core.past(clock.deadline):
        if not banks_left(core, clock.seat, plan):
            return False
        _use_bank(core, clock.seat, plan)
    return True


def push_bank(core: Core, seat: int) -> None:
    """Use a time bank that the player pushes forward.

    Raises Refused where the player has none, or no action clock runs on this seat.
    """
    clock, plan = core.round.clock, timing(core)
    if plan is None:
        raise Refused("there are no time banks at this table")
    if not clock.action or clock.seat != seat:
        raise Refused(f"seat {seat}: time_bank, and no action clock runs on this seat")
    if not banks_left(core, seat, plan):
        raise Refused(f"seat {seat} has no time bank left")
    _use_bank(core, seat, plan)


def warnings(core: Core) -> tuple[int, ...]:
    """Remaining seconds at which the clock is shown again, in the current period."""
    clock, plan, rules = core.round.clock, timing(core), core.book.clock
    if not clock.action or clock.seat is None or plan is None or rules.action is None:
        return rules.warnings
    if not banks_left(core, clock.seat, plan):
        return rules.action.final_warnings
    return rules.action.warnings if clock.period == 0 else ()


def _use_bank(core: Core, seat: int, plan: Timing) -> None:
    left = banks_left(core, seat, plan) - 1
    core.standing.time_banks[seat] = left
    core.round.clock.prolong(plan.bank_seconds)
    _show(core, seat, left)


def _show(core: Core, seat: int, banks: int) -> None:
    left = max(0.0, core.round.clock.deadline - core.t)
    core.emit(Clock(seat, round(left, 3), banks))
