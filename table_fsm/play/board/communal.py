"""Communal cards that are dealt one at a time and show before their turn.

ACT 2001, A 4.2 and 4.3: the card stays and is used in its turn, and a ruling caps the bets on the card before it.
"""

from typing import Final

from table_fsm.core import questions
from table_fsm.core.core import Core
from table_fsm.core.round import Matter
from table_fsm.poker.betting.bet_caps import BetCap
from table_fsm.rulebook.irregularities import Irregularity
from table_fsm.rulebook.outcomes import Outcome

CAPS: Final = {Outcome.CAP_BETS_AT_LARGEST: BetCap.LARGEST, Outcome.CAP_BETS_AT_MINIMUM: BetCap.MINIMUM}
"""The cap on a betting round that an outcome sets."""


def one_at_a_time(core: Core) -> bool:
    """Whether the book has different rows for early cards before and during the betting."""
    return core.has_row(Irregularity.BOARD_EARLY)


def rule_early(core: Core, number: int) -> None:
    """Rule, once for each card, on a communal card that shows before its turn.

    `number`: which communal card it is, from 1.
    """
    round_ = core.round
    board = round_.board
    if number in board.early:
        return
    board.show_early(number)
    if number > questions.cards_before(core, len(core.book.streets) - 1):
        core.find(Irregularity.BOARD_OVERDEALT)
        return
    betting = round_.betting
    on = next(at for at in range(len(core.book.streets)) if questions.cards_before(core, at) >= number) - 1
    board.capped_street = on
    in_progress = betting is not None and betting.open and round_.street == on
    if on == 0 or (in_progress and betting is not None and betting.begun):
        core.find(Irregularity.BOARD_PREMATURE)
        return
    unknown = in_progress and betting is not None and not betting.ever_keyed
    core.find(Irregularity.BOARD_EARLY, {"begun": "unknown" if unknown else "no"})


def cap(core: Core, outcome: Outcome) -> None:
    """Apply a cap to the betting in progress, or to its street's betting once that opens."""
    board = core.round.board
    street = core.round.street if board.capped_street is None else board.capped_street
    board.caps[street] = CAPS[outcome]
    cap_street(core)


def lift_cap(core: Core) -> None:
    """Remove a cap that was overruled."""
    board = core.round.board
    board.caps.pop(core.round.street if board.capped_street is None else board.capped_street, None)
    cap_street(core)


def cap_street(core: Core) -> None:
    """Apply the cap of the street in progress, if there is one, to its betting."""
    round_ = core.round
    if round_.betting is not None:
        round_.betting.cap_at(round_.board.caps.get(round_.street))


def keep(core: Core) -> None:
    """Keep cards shown before their turn: each is used when the betting before it is over."""
    if core.rounds.phase in {"dealing", "betting"}:
        core.round.board.kept = core.round.board.shown > questions.cards_before(core, core.round.street)


def keep_no_longer(core: Core) -> None:
    """Undo `keep`: the ruling that early cards stay, or that a burn that was seen is used, was overruled."""
    core.round.board.kept = False
    core.round.rulings.reopen((Matter.STREET, Irregularity.BURN_EXPOSED.value))


def begin_street(core: Core) -> None:
    """Begin the deal of a street; its betting opens at once if all its cards lie on the board already.

    A card that a book keeps for its turn needs no burn any more. One that a person let lie is the first of its street:
    the burn that was not made comes before the next.
    """
    board = core.round.board
    board.begin_street(questions.cards_before(core, core.round.street - 1) if board.kept else board.shown)
    open_if_it_lies(core)


def open_if_it_lies(core: Core) -> None:
    """Open the betting of the street whose cards are awaited, if they all lie there and no ruling wants them away."""
    board = core.round.board
    if core.rounds.phase != "board" or core.round.betting is None or board.stub_owed or board.to_mend:
        return
    if board.shown >= questions.cards_before(core, core.round.street):
        core.flow.open_next_street()
