"""The supervisor of the simulated table: comes when the table waits, badges, puts right what can be put right,
decides."""

from typing import TYPE_CHECKING, Any, Final

from devices.simulated.people import motions, pack_work
from devices.simulated.people.motions import Steps

if TYPE_CHECKING:
    from devices.simulated.people.croupier import Croupier

WALK_SECONDS: Final = 4.0
"""From the call to the badge, at the pace 1."""

_SHOE: Final = frozenset({"shoe_malfunction", "shoe_unavailable"})
_DECK: Final = frozenset({"short_deck", "foreign_card", "duplicate_card", "deck_unchecked"})
_IN_ROUND: Final = frozenset({"dealing", "betting", "board", "draw", "showdown"})
_MISDEALS: Final = 0.4
"""Share of the calls for the floor in a round that end it."""


def wait(croupier: "Croupier", prompt: dict[str, Any]) -> Steps:
    """The table waits: for the director to let the next hand begin, for players, or for somebody to decide."""
    if prompt["wait"] == "go":
        yield from croupier.do(motions.press("tournament_go"))
    elif prompt["wait"] == "players":
        yield from croupier.do(motions.wait(WALK_SECONDS))
    else:
        yield from attend(croupier)


def attend(croupier: "Croupier") -> Steps:
    """Come, badge, and settle everything that waits."""
    game = croupier.game
    yield from croupier.do(motions.wait(WALK_SECONDS))
    yield from croupier.do(motions.badge(game.staff, game.staff_role))
    waiting = list(croupier.sense.pending.values())
    if not waiting:  # the table waits and has not said here for what: a restart lies between
        yield from _decide(croupier, "acknowledge", None)
        yield from _decide(croupier, "resume", None)
        return
    for ruling in waiting:
        yield from _settle(croupier, ruling)


def _settle(croupier: "Croupier", ruling: dict[str, Any]) -> Steps:
    number: int = ruling["id"]
    croupier.sense.pending.pop(number, None)
    yield from _decide(croupier, "acknowledge", number)
    in_round = croupier.sense.phase in _IN_ROUND
    if in_round and ruling["irregularity"] in _DECK:  # no round goes on with cards that are not a deck
        yield from _decide(croupier, "misdeal", number)
    yield from _put_right(croupier, ruling)
    if ruling["outcome"] == "stop_table":
        yield from _decide(croupier, "resume", number)
    elif croupier.sense.phase not in _IN_ROUND:
        yield from _decide(croupier, "confirm", number)
    elif croupier.chance.random() < _MISDEALS:
        yield from _decide(croupier, "misdeal", number)
    else:
        yield from _decide(croupier, "play_on", number)


def _put_right(croupier: "Croupier", ruling: dict[str, Any]) -> Steps:
    """What can be seen to be wrong is put right before anybody decides."""
    irregularity = ruling["irregularity"]
    if irregularity in _SHOE:
        yield from croupier.do(motions.shoe("clear"))
        yield from _decide(croupier, "acknowledge", None)
    elif irregularity in _DECK:
        for deck in croupier.game.decks:
            yield from pack_work.check_deck(croupier, deck)
    elif irregularity == "dropbox_unsafe":
        yield from croupier.do(motions.dropbox("box", present=True, locked=True))


def _decide(croupier: "Croupier", decision: str, ruling: int | None) -> Steps:
    yield from croupier.do(
        motions.press("decision", decision=decision, staff=croupier.game.staff, ruling=ruling, reason="simulated")
    )


def end_round(croupier: "Croupier") -> Steps:
    """Nothing goes on: the supervisor ends the round."""
    game = croupier.game
    yield from croupier.do(motions.press("floor_called", by="dealer"))
    yield from croupier.do(motions.wait(WALK_SECONDS))
    yield from croupier.do(motions.badge(game.staff, game.staff_role))
    yield from croupier.do(motions.shoe("clear"))
    yield from _decide(croupier, "acknowledge", None)
    yield from _decide(croupier, "misdeal", None)
    yield from _decide(croupier, "resume", None)
