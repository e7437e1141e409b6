"""Findings about a player's action as irregularities, and the rulings on them."""

from functools import partial
from typing import Final

from table_fsm.core.core import Core
from table_fsm.poker.betting.acting import Finding
from table_fsm.poker.betting.state import Betting
from table_fsm.rulebook.irregularities import Irregularity
from table_fsm.rulebook.model import Row
from table_fsm.rulebook.outcomes import Outcome

LIMIT_GAMES: Final = frozenset({"limit", "structured"})
LIMITS_IN_BLINDS: Final = frozenset({"structured", "manila"})
"""Betting whose least and greatest raise are counted in the last blind."""

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


def rule_findings(core: Core, seat: int, findings: list[Finding], cents: int | None) -> None:
    """Rule on what is wrong with a seat's action. `cents`: what the seat put in."""
    if not findings:
        return
    limits = "fixed" if core.options.betting in LIMIT_GAMES else "open"
    for finding in findings:
        irregularity, facts = _RULED[finding]
        given = {**facts, "limits": limits, "earlier": core.round.early.restricted}
        short = cents if finding is Finding.SHORT else None
        core.find(irregularity, given, seat=seat, then=partial(_note_short, core.round.betting, seat, short))
    core.judge()


def _note_short(betting: Betting | None, seat: int, cents: int | None, _: int, row: Row) -> None:
    """Remember chips that a fold takes back, by the book's row. `cents`: None where the call was not short."""
    if betting is not None and cents and Outcome.RETURN_BET in row.also:
        betting.note_short(seat, cents)
