"""Buying the button: a player pays both blinds and is dealt in at once.

Onyx, Cash 13. The player has sat down between the button and the small blind. The small blind is dead: it lies in the
pot and counts towards no bet. Ours, as the trade has it: nobody else posts in that hand, the button goes to the buyer
next, and both blinds go on to those whose turn it had been.
"""

from table_fsm.core.core import Core
from table_fsm.errors import Refused
from table_fsm.events import Action
from table_fsm.felt import PlayerAction
from table_fsm.play.betting import stakes

_BOTH = 2


def posted(core: Core, event: Action) -> bool:
    """Take a post that buys the button; return whether it is one.

    Raises Refused where another seat has bought it.
    """
    record = core.standing.seats[event.seat]
    if not core.book.button.may_be_bought or event.action != PlayerAction.POST or core.in_round:
        return False
    if not record.waits:
        return False
    if core.round.purchase.buyer is not None:
        raise Refused(f"seat {event.seat} waits: the button has been bought by seat {core.round.purchase.buyer}")
    paid = core.round.purchase.paid.setdefault(event.seat, [])
    paid.append(event.cents)
    known = [cents for cents in paid if cents is not None]
    blinds = _blinds(core)
    whole = len(known) == len(paid) and sum(known) == sum(blinds)
    if len(paid) < _BOTH and not (blinds and whole):
        return True
    record.waits = False
    core.round.purchase.buyer = event.seat
    big = blinds[-1] if blinds else max(known, default=None)
    core.round.forced.post(event.seat, big)
    core.round.purchase.dead_small = sum(known) - (big or 0) if len(known) == len(paid) else 0
    return True


def _blinds(core: Core) -> tuple[int, ...]:
    level = stakes.of_deal(core)
    return tuple(level.blinds) if level is not None else ()
