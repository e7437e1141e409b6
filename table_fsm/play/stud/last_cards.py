"""Too few cards for all last cards: one in the centre replaces them (ACT 2001, D 4.4)."""

from table_fsm.core import questions
from table_fsm.core.core import Core
from table_fsm.play.stud import burns
from table_fsm.play.stud import deal as stud_deal
from table_fsm.poker.dealing import Deal
from table_fsm.rulebook.irregularities import Irregularity


def cards_left(core: Core) -> int:
    """Number of cards that have not left the pack in this round."""
    tracker = core.round.tracker
    out = sum(len(cards) for cards in tracker.zones.values()) + len(tracker.mouth) + len(tracker.lifted)
    return core.deck_size - out


def judge_supply(core: Core) -> None:
    """Rule on too few cards for the players still in, before a street is dealt."""
    deal = core.round.deals.current
    if deal is None or core.round.street == 0:
        return
    left = cards_left(core)
    if left >= len(deal.short) + burns.to_come(core) + len(stud_deal.owed_before(core)):
        return
    short = "earlier"
    if questions.on_last_street(core):
        short = "last" if left > 0 else "none_left"
    core.rule(Irregularity.INSUFFICIENT_CARDS, {"short": short})


def make_communal(core: Core) -> None:
    """Make one open card in the centre the last card of all; those dealt are discarded."""
    round_ = core.round
    deal, stud = round_.deals.current, round_.stud
    if deal is None or not questions.on_last_street(core) or stud.communal or core.rounds.phase != "dealing":
        return
    if core.book.hands.selection != "any_five":
        return  # a hand of this game takes no card from the centre, even if a person decides so
    stud.communal = True
    stud.open_last_round_by_cards()
    stud.final_given = [seat for seat in deal.ring for _ in range(deal.dealt[seat])]
    round_.deals.begin(Deal([], 0))
    round_.deals.forget_errors()


def no_communal(core: Core) -> None:
    """Undo `make_communal`, as a supervisor has decided: each player gets a last card."""
    round_ = core.round
    betting, stud = round_.betting, round_.stud
    if betting is None or not stud.communal or core.rounds.phase != "dealing":
        return
    deal = Deal(list(betting.live), core.street.own_cards)
    for seat in stud.final_given:
        deal.take(seat)
    stud.communal = stud.communal_shown = False
    stud.final_given = []
    round_.deals.begin(deal)


def instead_of_communal(core: Core, seat: int) -> bool:
    """Note a last card to a player that the centre card replaces; return whether it is one.

    Such a card is no fault.
    """
    if not core.round.stud.communal or core.rounds.phase != "dealing":
        return False
    core.round.stud.final_given.append(seat)
    return True


def retrieved(core: Core, seat: int) -> bool:
    """Whether a card that went to the discards is a replaced last card, and so no fold."""
    given = core.round.stud.final_given
    if not core.round.stud.communal or seat not in given:
        return False
    given.remove(seat)
    return True


def centre_card(core: Core, seat_before: int | None, *, up: bool) -> bool:
    """Take a card in the centre; return whether it is the last card of all players."""
    round_ = core.round
    if core.rounds.phase != "dealing" or not questions.on_last_street(core):
        return False
    if not round_.stud.communal:
        if seat_before is not None or cards_left(core) > 0:
            return False
        core.rule(Irregularity.INSUFFICIENT_CARDS, {"short": "last"})
    if not round_.stud.communal or round_.stud.communal_shown:
        return False
    if seat_before is not None:
        retrieved(core, seat_before)
    if up:
        communal_shows(core)
    return True


def communal_shows(core: Core) -> None:
    """Open the last betting round, because the centre card shows its face."""
    core.round.stud.communal_shown = True
    core.round.board.show()
    stud_deal.complete(core)
