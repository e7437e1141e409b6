"""Rake: a part of each pot, up to a cap, and none where no flop was dealt.

Onyx, Cash 3 to 5. Ours: the cap is the hand's, whatever pots there are, and what is due is rounded down to the cent.
"""

from collections.abc import Callable

from table_fsm.core.core import Core

_FLOP = 3


def rake_due(pot_cents: int, percent: int, cap: int | None = None, taken: int = 0) -> int:
    """What is due on a pot, in cents. `cap`: for the whole hand; `taken`: of it, from the hand's other pots.

    Raises ValueError for a pot below zero.
    """
    if pot_cents < 0:
        raise ValueError(f"a pot of {pot_cents} cents: a pot is zero or more")
    due = pot_cents * percent // 100
    return due if cap is None else min(due, max(0, cap - taken))


def in_force(core: Core) -> bool:
    """Whether the open table rakes its pots."""
    return core.option("rake_percent") is not None


def due_on(core: Core, cents: int, taken: int) -> int:
    """What is due on a pot of the round in progress, or of the last one."""
    seen = core.round.board.shown >= _FLOP if core.in_round else core.standing.ledger.flop_seen
    if not seen:
        return 0
    return rake_due(cents, core.option("rake_percent"), core.option("rake_cap"), taken)


def nothing_due(core: Core) -> bool:
    """Whether the hand is decided, or over, without a flop: then nothing is due, whatever was in its pots."""
    if not in_force(core):
        return False
    if core.in_round:
        return core.round.decided and core.round.board.shown < _FLOP
    return core.standing.played > 0 and not core.standing.ledger.flop_seen


def note_flop(core: Core) -> None:
    """The round is over: whether there was a flop, for pots that are counted only now."""
    core.standing.ledger.flop_seen = core.round.board.shown >= _FLOP


def pot_by_pot(due: Callable[[int, int], int]) -> Callable[[int], int]:
    """What is due on each pot of a hand in turn, of which one cap is filled. `due`: of (cents, taken before)."""
    taken = 0

    def of_next(cents: int) -> int:
        nonlocal taken
        part = due(cents, taken)
        taken += part
        return part

    return of_next
