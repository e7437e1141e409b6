"""Discards of which readers do not tell whose hand they left: whose they are shows later (`folded.keep_unclaimed`).

A name that lies before a live player by the shoe's word is read in the discards, while another player's cards are off
the felt. The discard is the first one's where the other lays the cards back or plays on, and the other's where the
first one plays on: then the names are wrong, and a person is called. Where the round goes on before either shows, a
whole hand of names is the first one's; for less a person is called.
"""

from collections.abc import Callable
from typing import Final

from table_fsm.core.core import Core
from table_fsm.core.deal_state import UnclaimedDiscard
from table_fsm.events import Action, BettingClosed, CardPlaced, CardTurned, Event, HandEnd, ShoeCard
from table_fsm.felt import BOARD_ZONES, SEAT_OF, SEAT_ZONE, PlayerAction
from table_fsm.play.cards import events

_GO_ON: Final = (BettingClosed, HandEnd, ShoeCard)
"""Events by which the round goes on: whose hands are live must be known before."""


def before(core: Core, event: Event) -> None:
    """Decide whose the kept discards are, where the event depends on it."""
    if isinstance(event, _GO_ON) or (isinstance(event, CardPlaced) and event.zone in BOARD_ZONES):
        _decide_all(core)
        core.judge()
    elif isinstance(event, CardPlaced) and event.zone == "muck":
        names = {kept.card for kept in core.round.folded.unclaimed}
        if event.card not in names:
            _claim(core, lambda kept: kept.bearer if _lies_whole(core, kept, names) else None)


def after(core: Core, event: Event) -> None:
    """Decide whose the kept discards are, by what a player did or a reader has told."""
    seat = None
    if isinstance(event, Action) and event.action != PlayerAction.FOLD:
        seat = event.seat
    elif isinstance(event, CardTurned):
        seat = SEAT_OF.get(event.zone)
    if seat is not None:
        core.round.folded.is_not_of(seat)
    _claim(core, lambda kept: _others(core, kept)[0] if kept.bearer == seat and _others(core, kept) else None)
    _claim(core, lambda kept: None if _others(core, kept) else kept.bearer)
    if core.round.betting is not None and len(core.round.betting.live) < 2:
        _decide_all(core)


def _decide_all(core: Core) -> None:
    """Take whole hands for those of the players whose names they have, the rest for those of the others."""
    _claim(core, lambda kept: kept.bearer if _is_whole(core, kept) else _others(core, kept)[0])


def _claim(core: Core, owner: Callable[[UnclaimedDiscard], int | None]) -> None:
    """Take each kept discard whose owner is known now. `owner`: the seat; None where it is not known."""
    known = [(kept, owner(kept)) for kept in core.round.folded.unclaimed]
    for kept, seat in known:
        if seat is not None and kept in core.round.folded.unclaimed:
            events.claim_discard(core, kept, seat)


def _lies_whole(core: Core, kept: UnclaimedDiscard, names: set[str]) -> bool:
    """Whether each card that still counts as before the player has one of these names."""
    return set(core.round.tracker.names(SEAT_ZONE[kept.bearer])) <= names


def _is_whole(core: Core, kept: UnclaimedDiscard) -> bool:
    """Whether as many names of the player are kept as cards lie before them, as far as readers have told."""
    names = sum(discard.bearer == kept.bearer for discard in core.round.folded.unclaimed)
    return names >= core.round.tracker.holds(SEAT_ZONE[kept.bearer])


def _others(core: Core, kept: UnclaimedDiscard) -> list[int]:
    """The other seats of which it may be a card still: one is off the felt, or counts as discarded and was not told."""
    betting, tracker = core.round.betting, core.round.tracker
    if betting is None or not betting.is_live(kept.bearer):
        return []
    zones, untold = tracker.lifted_unnamed(kept.card), tracker.untold_discards()
    return [seat for seat in sorted(kept.others) if (SEAT_ZONE[seat] in zones if betting.is_live(seat) else untold)]
