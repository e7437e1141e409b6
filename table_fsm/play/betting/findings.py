"""Findings about a player's action as irregularities, and the rulings on them."""

from typing import Final

from table_fsm.core.core import Core
from table_fsm.poker.betting.acting import Finding
from table_fsm.rulebook.irregularities import Irregularity, Outcome

LIMIT_GAMES: Final = frozenset({"limit", "structured"})

_RULED: Final[dict[Finding, tuple[Irregularity, dict[str, str]]]] = {
    Finding.CHECK_FACING_BET: (Irregularity.ACTION_ILLEGAL, {"kind": "check_facing_bet"}),
    Finding.RAISE_NOT_REOPENED: (Irregularity.ACTION_ILLEGAL, {"kind": "raise_not_reopened"}),
    Finding.RAISE_WHILE_RESTRICTED: (Irregularity.ACTION_ILLEGAL, {"kind": "raise_while_restricted"}),
    Finding.RAISE_LIMIT: (Irregularity.RAISE_LIMIT, {}),
    Finding.BETWEEN: (Irregularity.BET_BETWEEN, {"size": "less_than_half"}),
    Finding.HALF_RAISE: (Irregularity.BET_BETWEEN, {"size": "half_or_more"}),
    Finding.CALL_ABOVE: (Irregularity.BET_BETWEEN, {"size": "keyed_as_call"}),
    Finding.SHORT: (Irregularity.BET_SHORT, {"short_of": "call"}),
    Finding.CHECK_IN_FINAL_ROUND: (Irregularity.ACTION_ILLEGAL, {"kind": "check_in_final_round"}),
    Finding.CHECK_IN_FIRST_ROUND: (Irregularity.ACTION_ILLEGAL, {"kind": "check_in_first_round"}),
    Finding.OVER_LIMIT: (Irregularity.BET_OVER_LIMIT, {}),
    Finding.BELOW_LEAST: (Irregularity.BET_SHORT, {"short_of": "minimum"}),
}


def rule_findings(
    core: Core, seat: int, findings: list[Finding], cents: int | None, *, beside_others: bool = False
) -> None:
    """Rule on what is wrong with a seat's action.

    `cents`: what the seat put in. `beside_others`: rule even if another ruling has been given on this event.
    """
    if not findings:
        return
    limits = "fixed" if core.options.betting in LIMIT_GAMES else "open"
    for finding in findings:
        irregularity, facts = _RULED[finding]
        given = {**facts, "limits": limits, "earlier": core.round.early.restricted}
        ruling = core.rule(irregularity, given, seat=seat, beside_others=beside_others)
        betting = core.round.betting
        returned = ruling is not None and Outcome.RETURN_BET in ruling[1].also
        if finding is Finding.SHORT and betting is not None and returned and cents:
            betting.short[seat] = cents  # by this book a fold takes it back
