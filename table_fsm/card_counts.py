"""Hands with the wrong number of cards, in player-banked games."""

from table_fsm.core import Core
from table_fsm.rulebook.vocabulary import Irregularity


def wrong_seats(core: Core) -> list[int]:
    """Seats in the deal that hold too few or too many cards, in dealing order."""
    deal = core.round.deal
    if deal is None:
        return []
    exposures = core.round.exposures
    unreplaced = exposures.replace_seat if exposures.removed and not exposures.replaced else None
    return [
        seat
        for seat in deal.ring
        if seat not in deal.optional and (deal.dealt[seat] != deal.need or seat == unreplaced)
    ]


def judge(core: Core, noticed: str) -> None:
    """Rule on every live hand with the wrong number of cards that has had no ruling yet."""
    if core.ruled:  # this event has shown the deal's own fault: one event, one ruling
        return
    betting = core.round.betting
    wrong = [seat for seat in wrong_seats(core) if betting is None or betting.is_live(seat)]
    if betting is not None and wrong and set(wrong) == set(betting.live) and betting.fold_order:
        core.round.last_fold_wins = betting.fold_order[-1]
    for seat in wrong:
        rule_wrong(core, seat, noticed, each=True)
        if core.collecting():
            return


def rule_wrong(core: Core, seat: int, noticed: str, *, each: bool = False) -> None:
    """Rule on one hand, once."""
    if ("count", seat) in core.round.ruled_seats:
        return
    core.round.ruled_seats.add(("count", seat))
    core.rule(Irregularity.WRONG_CARD_COUNT, {"noticed": noticed}, seat=seat, each=each)
