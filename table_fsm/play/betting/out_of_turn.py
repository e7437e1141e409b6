"""Rulings on actions out of turn.

An action is ruled on when the turn reaches its seat, or when too much action has followed it.
"""

from typing import Final

from table_fsm.core.core import Core
from table_fsm.felt import PlayerAction
from table_fsm.play.betting.findings import rule_findings
from table_fsm.poker.betting import acting
from table_fsm.poker.betting import early as betting_early
from table_fsm.poker.betting.acting import Finding
from table_fsm.poker.betting.records import EarlyAction
from table_fsm.poker.betting.state import Betting
from table_fsm.rulebook.irregularities import Irregularity
from table_fsm.rulebook.outcomes import Outcome

NOT_SUFFICIENT = "no"
_NO_CHIPS: Final = frozenset({PlayerAction.CHECK, PlayerAction.FOLD})


def turn_comes(core: Core) -> None:
    """Rule on an action out of turn whose seat the turn has reached."""
    betting = core.round.betting
    if betting is None:
        return
    while (folded := betting_early.fold_at_turn(betting)) is not None:
        core.rule(Irregularity.ACTION_OUT_OF_TURN, _facts(core, betting, *folded), seat=folded[0])
    found = betting_early.at_turn(betting)
    if found is None:
        return
    seat, early = found
    _rule_early(core, betting, seat, early)


def no_turn_comes(core: Core) -> None:
    """Rule on folds out of turn whose turn never comes, because one hand is left."""
    betting = core.round.betting
    if betting is None or len(betting.live) != 1:
        return
    for seat, early in betting_early.take_folds(betting):
        core.find(Irregularity.ACTION_OUT_OF_TURN, _facts(core, betting, seat, early), seat=seat)


def _facts(
    core: Core, betting: Betting, seat: int, early: EarlyAction, *, sufficient: str = NOT_SUFFICIENT
) -> dict[str, str]:
    any_bet = core.book.betting.action_changed_by == "any_bet"
    owed = betting.owed(seat)
    return {
        "earlier": "more" if betting_early.outbid(betting, early, seat, any_bet=any_bet) else "same",
        "passed_over": "folded" if betting_early.all_folded(betting, early) else "acted",
        "action": early.action if early.action in _NO_CHIPS else "bet",
        "sufficient": sufficient,
        "chips": "above" if early.cents is not None and owed is not None and early.cents > owed else "call",
    }


def judge_what_followed(core: Core) -> None:
    """Let actions out of turn stand after sufficient action, in books that say so.

    A player was skipped and has not objected. The ruling names the first player who acted out of turn; the skipped
    player is still to act.
    """
    betting = core.round.betting
    if betting is None or core.book.betting.out_of_turn_stands != "after_sufficient_action":
        return
    run = betting_early.sufficient_run(betting)
    if not run:
        return
    core.round.early.run = run
    facts = _facts(core, betting, run[0], betting.out_of_turn.held[run[0]], sufficient="yes")
    core.rule(Irregularity.ACTION_OUT_OF_TURN, facts, seat=run[0])
    core.round.early.run = []


def _let_run_stand(core: Core, betting: Betting) -> None:
    run, core.round.early.run = core.round.early.run, []
    for seat, early, findings in betting_early.bind(betting, run):
        rule_findings(core, seat, findings, early.cents)


def _rule_early(core: Core, betting: Betting, seat: int, early: EarlyAction) -> None:
    rules = core.book.betting
    facts = _facts(core, betting, seat, early)
    core.round.early.restricted = facts["earlier"]
    core.round.early.action = early.action, early.cents
    given = core.rule(Irregularity.ACTION_OUT_OF_TURN, facts, seat=seat)
    if given is not None and Outcome.RETURN_BET in given.also and rules.out_of_turn_chips == "go_back":
        betting.out_of_turn.take_chips(seat)
    if (
        early.action == PlayerAction.CHECK
        and given is not None
        and given.outcome is Outcome.WARN
        and not betting.owes(seat)
    ):
        let_stand(core, seat)  # play goes on, and the check with it


def let_stand(core: Core, seat: int) -> None:
    """Let a player's action out of turn stand; an amount over a limit goes back."""
    betting, early = core.round.betting, core.round.early.action
    if betting is not None and core.round.early.run:
        _let_run_stand(core, betting)
        return
    if betting is None or early is None or betting.to_act() != seat:
        return
    core.round.early.action = None
    rule_findings(core, seat, acting.stand(betting, seat, *early), early[1])
    turn_comes(core)


def restrict(core: Core, betting: Betting, seat: int) -> None:
    """Let a player who bet out of turn only call or fold.

    Who was all in with just what is to be called, or with less that nobody has bet more than since, has no choice left,
    and is all in: nobody who has tapped out acts. Another short bet that nobody has bet more than is short in its turn,
    too.
    """
    more = core.round.early.restricted == "more"
    short = _is_short(core, betting, seat)
    betting.restrict(seat, adds=more or short)
    if acting.meets_all_in(betting, seat) or (short and not more and seat in betting.out_of_turn.spent):
        let_stand(core, seat)
    elif short and not more:
        lying = betting.out_of_turn.take_chips(seat)
        betting.pay(seat, lying)  # what a fold leaves in the pot, as that of a short bet in turn
        rule_findings(core, seat, [Finding.SHORT], lying)


def _is_short(core: Core, betting: Betting, seat: int) -> bool:
    """Whether what the seat put in out of turn is known to be less than a call."""
    early, owed = core.round.early.action, betting.owed(seat)
    return early is not None and early[1] is not None and owed is not None and early[1] < owed
