"""The cut: who may cut, when it is due, and rulings on its faults."""

from typing import Final

from table_fsm.core.core import Core
from table_fsm.core.round import Matter
from table_fsm.errors import Refused
from table_fsm.events import Cut, CutOffered
from table_fsm.felt import SEAT_OF
from table_fsm.play.button import button
from table_fsm.play.tournament import clock
from table_fsm.rulebook.irregularities import ANY_IRREGULARITY, Irregularity

FIRST_BET: Final = (Matter.FIRST_BET, None)
"""The matter of a round's first bet; without a keypad, of its first betting round."""
_FIRST_CARD: Final = {"noticed": "first_card"}
_FIRST_BET: Final = {"noticed": "first_bet"}
_STUB: Final = {"noticed": "stub"}


def on_cut(core: Core, event: Cut) -> None:
    """Take a cut; raise Refused for one that is impossible, or that comes once the round is decided."""
    core.need_open()
    if event.by != "dealer" and event.by not in SEAT_OF:
        raise Refused(f"cut by {event.by!r}: dealer or seat:1 to seat:10")
    if event.exposed < 0 or (event.depth is not None and event.depth < 0):
        raise Refused("cut: depth and exposed are numbers of cards, 0 or more")
    if core.collecting():
        return
    seat = SEAT_OF.get(event.by)
    wrong = seat is not None and not may_cut(core, seat)
    stands = not wrong or core.book.cut.by == "dealer"
    if stands and (_stub_due(core) or (core.round.cut.stub_loose and core.book.cut.late)):
        _stub_cut(core, event)
    elif core.in_round and not wrong and not _may_come_late(core):
        _cut_in_deal(core, event)
    else:
        _pack_cut(core, event, wrong=wrong, stands=stands)
    if wrong:
        after = FIRST_BET in core.round.rulings.matters
        core.find(Irregularity.CUT_WRONG_PLAYER, {"noticed": "after_wager" if after else "before_wager"}, seat=seat)


def _pack_cut(core: Core, event: Cut, *, wrong: bool, stands: bool) -> None:
    """Take a cut of the whole pack. `stands`: it counts in the round too, though the wrong player may have made it."""
    if not core.in_round or (stands and core.book.cut.late):
        if core.round.cut.done and not core.round.cut.by_player and core.has_row(Irregularity.CUT_AGAIN):
            core.find(Irregularity.CUT_AGAIN)
        core.round.cut.make(event.depth, by_player=wrong)
        core.move("cut")
        clock.deal_begins(core, "cut")
    if event.exposed > 0:
        core.find(Irregularity.CUT_EXPOSED)


def stub_shuffled(core: Core) -> None:
    """Ask for a cut of undealt cards that were shuffled to carry out a ruling.

    This follows the rule of the pack's own shuffle and cut (ACT 2001, C 4.1, D 4.2, E 4.1 to I 4.1).
    """
    rules = core.book.cut
    core.round.cut.ask_for_stub(rules.asked and rules.late and core.round.cut.done)


def discards_shuffled(core: Core) -> None:
    """Ask for a cut of undealt cards into which discards were shuffled, as the pack was cut (ACT 2001, B 2.6)."""
    core.round.cut.ask_for_discards(core.book.cut.asked and core.round.cut.done)


def discards_dealt(core: Core) -> None:
    """Take the next of the undealt cards into which discards were shuffled; they may not have been cut."""
    if core.round.cut.discards_due:
        core.round.cut.discards_over()
        stub_uncut(core)


def _stub_due(core: Core) -> bool:
    return core.round.cut.stub_due or core.round.cut.discards_due


def _stub_cut(core: Core, event: Cut) -> None:
    """Judge the cut of undealt cards that were shuffled in the round, like the pack's.

    ACT 2001, B 2.6, C 4.1.
    """
    core.round.cut.stub_over()
    core.round.cut.discards_over()
    if event.exposed > 0:
        core.find(Irregularity.CUT_EXPOSED)
    elif event.depth is not None and event.depth < core.book.cut.least_depth:
        core.find(Irregularity.CUT_TOO_THIN)


def stub_dealt(core: Core) -> None:
    """Take the next card of the undealt cards; they may have been shuffled to carry out a ruling, and not been cut."""
    due = core.round.cut.stub_due
    core.round.cut.stub_over()
    if due:
        stub_uncut(core)


def stub_uncut(core: Core) -> None:
    """Rule on a card from undealt cards that were shuffled in the round and not cut, if the book speaks of it."""
    if core.row(Irregularity.CUT_MISSING, _STUB).irregularity != ANY_IRREGULARITY:
        core.find(Irregularity.CUT_MISSING, _STUB)


def _may_come_late(core: Core) -> bool:
    """Whether the pack may be cut now, with the deal begun: it has not been, and nobody has bet."""
    betting = core.round.betting
    return core.book.cut.late and not core.round.cut.done and (betting is None or not betting.begun)


def _cut_in_deal(core: Core, event: Cut) -> None:
    """Find a cut of the undealt cards that nothing has asked for.

    What it showed is shown in the cut as long as the deal may still be a misdeal. Raises Refused from the showdown on:
    the cards that are cut then are the next round's.
    """
    if core.rounds.phase in {"showdown", "settling"}:
        raise Refused("the round is decided: the next cut is the next round's")
    core.find(Irregularity.CUT_IN_DEAL)
    if event.exposed > 0 and FIRST_BET not in core.round.rulings.matters:
        core.find(Irregularity.CUT_EXPOSED)


def on_cut_offered(core: Core, event: CutOffered) -> None:
    """Check an offer of the cut; the cut itself shows who takes it up."""
    core.need_open()
    if event.to not in SEAT_OF:
        raise Refused(f"cut offered to {event.to!r}: seat:1 to seat:10")


def may_cut(core: Core, seat: int) -> bool:
    """Whether this seat's player may cut.

    Any player may where it is not known who gets the first card; none where the dealer cuts.
    """
    if core.book.cut.by == "dealer":
        return False
    cutters = who_cuts(core)
    return not cutters or seat in cutters


def who_cuts(core: Core) -> list[int]:
    """Seats whose player may cut, the likeliest first.

    Empty where any player may, or where it is not known. There are several where the deal may pass over an absent
    player, and where the button was reported at another seat than it should be: that is ruled on by itself.
    """
    if core.book.cut.by != "right_of_first":
        return []
    found: list[int] = []
    for marker in (button.expected_button(core), core.standing.button_seen):
        if marker is not None:
            found += _right_of_first(core, marker)
    return list(dict.fromkeys(found))


def _right_of_first(core: Core, marker: int) -> list[int]:
    """Seats to the right of the players who may get the first card behind this marker."""
    seats = core.standing.seats
    staying = [number for number, record in seats.items() if not record.leaving]
    ring = button.dealing_order(core, staying, marker)
    found: list[int] = []
    for at, first in enumerate(ring):
        for beside in reversed(ring[at:] + ring[:at]):
            found.append(beside)
            if not _passed_over(core, beside):
                break
        if not _passed_over(core, first):
            break
    present = [seat for seat in found if seats[seat].away_since is None]
    return [*present, *(seat for seat in found if seat not in present)]


def _passed_over(core: Core, seat: int) -> bool:
    """Whether the deal may pass over this seat, because its player is away."""
    return core.book.seats.absent == "may_be_dealt_in" and core.standing.seats[seat].away_since is not None


def faults(core: Core) -> list[tuple[Irregularity, dict[str, str]]]:
    """Faults of the cut at the first card, with their facts."""
    rules, cut = core.book.cut, core.round.cut
    if not rules.asked:
        return []
    if not cut.done:
        return [(Irregularity.CUT_MISSING, _FIRST_CARD)]
    if cut.depth is not None and cut.depth < rules.least_depth:
        return [(Irregularity.CUT_TOO_THIN, {})]
    return []


def first_bet(core: Core) -> None:
    """Rule on a missing cut at the first bet of a round."""
    if core.book.cut.asked and not core.round.cut.done:
        core.find(Irregularity.CUT_MISSING, _FIRST_BET)
