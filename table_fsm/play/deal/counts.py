"""Hands with the wrong number of cards, in player-banked games."""

from table_fsm.core.core import Core
from table_fsm.core.round import Matter
from table_fsm.felt import SEAT_ZONE
from table_fsm.poker.dealing import Deal
from table_fsm.rulebook.irregularities import PENDING_OUTCOMES, Irregularity
from table_fsm.rulebook.model import Row


def wrong_seats(core: Core) -> list[int]:
    """Seats in the deal that hold too few or too many cards, in dealing order."""
    round_ = core.round
    if round_.deals.current is None:
        return []
    exposures = round_.exposures
    unreplaced = exposures.replace_seat if exposures.removed and not exposures.replaced else None
    deals = [*round_.deals.earlier, round_.deals.current]
    return [
        seat
        for seat in deals[0].ring
        if seat not in deals[0].optional and (_over(deals, seat) != 0 or seat == unreplaced)
    ]


def _over(deals: list[Deal], seat: int) -> int:
    """How many cards the seat has too many, of all the deals that it was in; below zero: too few."""
    return sum(deal.dealt[seat] - deal.need for deal in deals if seat in deal.dealt)


def judge(core: Core, noticed: str) -> None:
    """Rule on every live hand with the wrong number of cards that has had no ruling yet."""
    if core.ruled:  # this event has shown the deal's own fault: one event, one ruling
        return
    betting = core.round.betting
    wrong = [seat for seat in wrong_seats(core) if betting is None or betting.is_live(seat)]
    left = left_to_win(core, wrong)
    if betting is not None and left == "last_fold":
        core.round.showdown.last_fold_wins = betting.fold_order[-1]
    for seat in wrong:
        given = rule_wrong(core, seat, noticed, left=left, beside_others=True)
        if core.collecting() or (left == "nobody" and given is not None and given[1].outcome in PENDING_OUTCOMES):
            return  # whoever decides about one decides about all


def rule_wrong(
    core: Core, seat: int, noticed: str, *, left: str | None = None, beside_others: bool = False
) -> tuple[int, Row] | None:
    """Rule on one hand, once. `left`: who is left to win, where that is known. Gives what `Core.rule` gives."""
    facts = {
        "noticed": noticed,
        "hand": _hand(core, seat),
        "sufficient": core.round.actions.sufficient_fact,
        "left": left or left_to_win(core, [seat]),
    }
    return core.rule_once(
        (Matter.CARD_COUNT, seat), Irregularity.WRONG_CARD_COUNT, facts, seat=seat, beside_others=beside_others
    )


def judge_tabled(core: Core, own: int) -> None:
    """At the showdown every card that is left of the live hands lies open, and some hand has too few of them.

    `own`: the cards of a whole hand. A card that was taken up may come back until the last of the others is turned.
    """
    betting, tracker = core.round.betting, core.round.tracker
    if core.rounds.phase != "showdown" or betting is None or core.round.showdown.decided or core.collecting():
        return
    tabled = {seat: len(tracker.shown(SEAT_ZONE[seat])) for seat in betting.live}
    short = [seat for seat, shown in tabled.items() if 0 < shown < own]
    if any(shown == 0 or tracker.holds(SEAT_ZONE[seat]) > shown for seat, shown in tabled.items()):
        return
    left = left_to_win(core, short)
    if short and left == "last_fold":
        core.round.showdown.last_fold_wins = betting.fold_order[-1]
    for seat in short:
        rule_wrong(core, seat, "showdown", left=left, beside_others=True)


def left_to_win(core: Core, wrong: list[int]) -> str:
    """Who is left to win with the right number of cards: others, the last to fold where a book says so, or nobody."""
    betting = core.round.betting
    if betting is None or set(wrong) != set(betting.live):
        return "others"
    last_fold_wins = core.book.showdown.no_right_hand == "last_fold_wins" and betting.fold_order
    return "last_fold" if last_fold_wins else "nobody"


def _hand(core: Core, seat: int) -> str:
    deal = core.round.deals.current
    one = deal is not None and deal.need > 1 and deal.dealt.get(seat) == 1
    return "button_one_card" if one and seat == core.round.button.seat else "other"
