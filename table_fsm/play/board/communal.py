"""Communal cards by street: how many belong to each, and those dealt one at a time that show before their turn.

ACT 2001, A 4.2 and 4.3: such a card stays and is used in its turn, and a ruling caps the bets on the card before it.
"""

from typing import Final

from table_fsm.core import questions
from table_fsm.core.core import Core
from table_fsm.poker.betting.bet_caps import BetCap
from table_fsm.rulebook.irregularities import Irregularity, Outcome

CAPS: Final = {Outcome.CAP_BETS_AT_LARGEST: BetCap.LARGEST, Outcome.CAP_BETS_AT_MINIMUM: BetCap.MINIMUM}
"""How an outcome caps a betting round."""


def one_at_a_time(core: Core) -> bool:
    """Whether the book tells a card before the betting has begun from one before it has ended."""
    return core.has_row(Irregularity.BOARD_EARLY)


def rule_early(core: Core, number: int) -> None:
    """The communal card of this number, from 1, shows before its turn. Each is a fault of its own, ruled on once."""
    round_ = core.round
    board = round_.board
    if number in board.early:
        return
    board.show_early(number)
    if number > questions.cards_before(core, len(core.book.streets) - 1):
        core.rule(Irregularity.BOARD_OVERDEALT)
        return
    betting = round_.betting
    on = next(at for at in range(len(core.book.streets)) if questions.cards_before(core, at) >= number) - 1
    board.capped_street = on
    in_progress = betting is not None and betting.open and round_.street == on
    if on == 0 or (in_progress and betting is not None and betting.begun):
        core.rule(Irregularity.BOARD_PREMATURE)
        return
    unknown = in_progress and betting is not None and not betting.ever_keyed
    core.rule(Irregularity.BOARD_EARLY, {"begun": "unknown" if unknown else "no"})


def cap(core: Core, outcome: Outcome) -> None:
    """Carry out a cap: on the betting in progress, or on that of the street it is meant for, once it opens."""
    board = core.round.board
    street = core.round.street if board.capped_street is None else board.capped_street
    board.caps[street] = CAPS[outcome]
    cap_street(core)


def lift_cap(core: Core) -> None:
    """A cap is overruled."""
    board = core.round.board
    board.caps.pop(core.round.street if board.capped_street is None else board.capped_street, None)
    cap_street(core)


def cap_street(core: Core) -> None:
    """Put the cap of the street in progress, if there is one, on its betting."""
    round_ = core.round
    if round_.betting is not None:
        round_.betting.cap = round_.board.caps.get(round_.street)


def keep(core: Core) -> None:
    """Cards shown before their turn stay: each is its street's card as soon as the betting before it is over."""
    if core.rounds.phase in {"dealing", "betting"}:
        core.round.board.kept = core.round.board.shown > questions.cards_before(core, core.round.street)


def keep_no_longer(core: Core) -> None:
    """The ruling that such cards stay is overruled."""
    core.round.board.kept = False


def next_lies_there(core: Core) -> bool:
    """The cards of the street that comes next lie on the board already, and stay."""
    board = core.round.board
    return board.kept and not board.stub_owed and board.shown >= questions.cards_before(core, core.round.street)
