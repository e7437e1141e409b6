"""Stops that end by themselves: a `stop_table` ruling is resolved when its cause is gone."""

from collections.abc import Callable
from typing import Final

from table_fsm.core.core import Core
from table_fsm.core.standing import PendingRuling
from table_fsm.play import money
from table_fsm.play.floor import devices
from table_fsm.play.rounds import start
from table_fsm.rulebook.irregularities import Irregularity
from table_fsm.rulebook.outcomes import Outcome


def _shoe_ready(core: Core, pending: PendingRuling) -> bool:
    return not core.standing.faults and devices.needed_online(core)


def _box_safe(core: Core, pending: PendingRuling) -> bool:
    return money.box_safe(core)


def _deck_whole(core: Core, pending: PendingRuling) -> bool:
    record = core.standing.decks.get(pending.deck or "")
    return record is not None and record.checked and not record.fouled


def _shuffled(core: Core, pending: PendingRuling) -> bool:
    if core.in_round and pending.round_number == core.standing.round_number:  # the undealt cards
        return not core.round.board.stub_owed
    return core.deck(pending.deck).shuffled


def _enough(core: Core, pending: PendingRuling) -> bool:
    return start.too_few_players(core) is None


_GONE: Final[dict[str, Callable[[Core, PendingRuling], bool]]] = {
    Irregularity.SHOE_UNAVAILABLE.value: _shoe_ready,
    Irregularity.DROPBOX_UNSAFE.value: _box_safe,
    Irregularity.DECK_UNCHECKED.value: _deck_whole,
    Irregularity.SHORT_DECK.value: _deck_whole,
    Irregularity.FOREIGN_CARD.value: _deck_whole,
    Irregularity.DUPLICATE_CARD.value: _deck_whole,
    Irregularity.NOT_SHUFFLED.value: _shuffled,
    Irregularity.TOO_FEW_PLAYERS.value: _enough,
}


def end_stops(core: Core) -> None:
    """Resolve every stop whose cause is gone."""
    over = [
        pending
        for pending in core.standing.pending
        if pending.outcome == Outcome.STOP_TABLE.value
        and pending.irregularity in _GONE
        and _GONE[pending.irregularity](core, pending)
    ]
    if over:
        core.resolve(over)
