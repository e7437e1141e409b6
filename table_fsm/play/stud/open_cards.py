"""Cards that belong face up and came face down (ACT 2001, D 2.1, D 2.3; TAS 2018, B 9.2).

A dealer may lay an open card down and turn it at once. It is a fault as the next card comes, or as somebody acts.
"""

from dataclasses import replace

from table_fsm.core import questions
from table_fsm.core.core import Core
from table_fsm.core.deal_state import HiddenCard
from table_fsm.core.round import Matter
from table_fsm.felt import SEAT_ZONE
from table_fsm.rulebook.irregularities import Irregularity


def came(core: Core, seat: int, card: str | None, *, up: bool) -> None:
    """Remember a card of the deal in progress that came face down to its player and belongs face up."""
    deal = core.round.deals.current
    if up or deal is None or questions.face_due(core, seat, deal.dealt.get(seat, 0)) != "up":
        return
    lain_before = core.round.stud.to_turn.get(seat)
    ups = core.round.tracker.ups(SEAT_ZONE[seat])
    wanted = max(ups, lain_before.wanted if lain_before else 0) + 1
    core.round.stud.lay_down(seat, HiddenCard(card, wanted, first=core.round.street == 0))


def hidden(core: Core) -> list[int]:
    """The players in the round whose open card lies face down; not one whose cards are in somebody's hand."""
    round_ = core.round
    tracker, betting = round_.tracker, round_.betting
    held = {lifted.zone for lifted in tracker.lifted}
    return [
        seat
        for seat, open_card in round_.stud.to_turn.items()
        if tracker.ups(SEAT_ZONE[seat]) < open_card.wanted
        and SEAT_ZONE[seat] not in held
        and (betting is None or betting.is_live(seat))
    ]


def judge(core: Core, *, acts: bool = False) -> None:
    """Rule on open cards that lie face down, as the next card comes.

    `acts`: as a player acts, or the dealer closes the betting. Once a card, and once more when the betting begins.
    """
    if not core.round.stud.to_turn:
        return
    acted = "yes" if acts or not questions.deal_open(core) else "no"
    for seat in hidden(core):
        card = core.round.stud.to_turn[seat]
        which = f"{seat} {card.wanted}"
        if (Matter.OPEN_CARD, f"{which} yes") in core.round.rulings.matters:
            continue
        facts = {"acted": acted, "street": "first" if card.first else "later"}
        core.find(Irregularity.OPEN_CARD_DOWN, facts, seat=seat, once=(Matter.OPEN_CARD, f"{which} {acted}"))


def is_it(core: Core, seat: int, card: str | None) -> bool:
    """Whether a card of the seat that is seen belongs face up; one without a name is taken for it."""
    open_card = core.round.stud.to_turn.get(seat)
    return open_card is not None and (card is None or open_card.name in {None, card})


def turned(core: Core, seat: int, card: str | None) -> bool:
    """Whether a card that was turned up is the open one; forgets it.

    If another card was turned in its place, the open one still lies face down.
    """
    stud = core.round.stud
    if seat not in stud.to_turn:
        return False
    if is_it(core, seat, card):
        stud.lie_open(seat)
        return True
    stud.lay_down(seat, replace(stud.to_turn[seat], wanted=stud.to_turn[seat].wanted + 1))
    return False


def taken_back(core: Core, seat: int) -> None:
    """Forget the open card of a seat from which a card that lay face down is taken, to put the deal right."""
    lifted = core.round.tracker.lifted
    if seat in core.round.stud.to_turn and lifted and not lifted[-1].up and is_it(core, seat, lifted[-1].card):
        core.round.stud.lie_open(seat)
